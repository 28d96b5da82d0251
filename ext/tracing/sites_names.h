/* SPDX-License-Identifier: MIT */
/* Names the samples of new objects: class, method, line, and size in bytes.
 *
 * Threads: in the job. May raise.
 */
#ifndef RTOP_EXT_SITES_NAMES_H
#define RTOP_EXT_SITES_NAMES_H

#include "sites.h"

/* Once, before the others. */
void sites_names_learn(void);

/* Names all samples that have no name yet. False when some could not be named now. */
bool sites_names_all(struct sites *sites);

/* Size of an object in bytes: its slot, and its memory outside as far as the VM knows it. Objects of C extensions
 * count with their slot only. 0 when the VM does not tell. */
size_t sites_names_bytes(VALUE object);

#endif
