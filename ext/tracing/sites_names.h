/* SPDX-License-Identifier: MIT */
/* Names the samples of new objects: class, method, line, and size in bytes.
 *
 * Threads: in the job. May raise.
 */
#ifndef RTOP_EXT_SITES_NAMES_H
#define RTOP_EXT_SITES_NAMES_H

#include "sites.h"

/* Call once, before the other functions. */
void sites_names_learn(void);

/* Names all samples that have no name yet. Returns false when some could not be named now. */
bool sites_names_all(struct sites *sites);

/* Returns the size of an object in bytes: its slot, and its memory outside the slot as far as the VM knows this memory.
 * For objects of C extensions, returns only the size of the slot. Returns 0 when the VM has no function for sizes. */
size_t sites_names_bytes(VALUE object);

#endif
