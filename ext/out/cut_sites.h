/* SPDX-License-Identifier: MIT */
/* Hands over what samples of new objects say since the window before, as much as fits: the rest is told by the next ones.
 *
 * Threads: the publisher.
 */
#ifndef RTOP_EXT_CUT_SITES_H
#define RTOP_EXT_CUT_SITES_H

#include "cut.h"
#include "ext/tracing/sites.h"

/* room: bytes that they may take in the window. False when memory ran out. */
bool cut_sites_add(struct cut *cut, struct sites *sites, size_t room);

/* Is it over, and there is more to tell? */
bool cut_sites_rests(struct sites *sites);

/* What it cost since the last look, ns. */
int64_t cut_sites_cost(struct sites *sites);

#endif
