/* SPDX-License-Identifier: MIT */
/* Adds the figures of object samples since the previous window, as many as fit; later windows report the remainder.
 *
 * Threads: the publisher.
 */
#ifndef RTOP_EXT_CUT_SITES_H
#define RTOP_EXT_CUT_SITES_H

#include "cut.h"
#include "ext/tracing/sites.h"

/* Adds the figures. `room`: bytes that the sites may take in the window. Returns false when memory ran out. */
bool cut_sites_add(struct cut *cut, struct sites *sites, size_t room);

/* Tells whether sampling of sites has ended with figures still to be reported. */
bool cut_sites_rests(struct sites *sites);

/* Returns the cost of sampling sites since the last call, in ns. */
int64_t cut_sites_cost(struct sites *sites);

#endif
