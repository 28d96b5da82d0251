/* SPDX-License-Identifier: MIT */
/* Tests whether a word in memory can be read, for pointers of the VM that may be stale.
 *
 * Threads: any. [hook] Keeps errno.
 */
#ifndef RTOP_EXT_READABLE_H
#define RTOP_EXT_READABLE_H

#include <stdbool.h>

/* Returns true when the eight bytes at the address are mapped and readable now. Costs one system call. */
bool readable_word(const void *address);

#endif
