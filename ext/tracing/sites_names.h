/* SPDX-License-Identifier: MIT */
/* Names samples of new objects: class, method, line, bytes.
 *
 * Threads: in the job. May raise.
 */
#ifndef RTOP_EXT_SITES_NAMES_H
#define RTOP_EXT_SITES_NAMES_H

#include "sites.h"

/* Once, before the others. */
void sites_names_learn(void);

/* Those that have none yet. False: not all of them, now. */
bool sites_names_all(struct sites *sites);

/* Bytes of an object: its slot, and what it has outside as far as the VM itself knows; of objects of extensions the slot, for
 * only their own code knows more. 0: the VM does not tell. */
size_t sites_names_bytes(VALUE object);

#endif
