/* SPDX-License-Identifier: MIT */
/* Can a word be read? Where what the VM has there is not certain.
 *
 * Threads: any. [hook] errno stays as it is.
 */
#ifndef RTOP_EXT_READABLE_H
#define RTOP_EXT_READABLE_H

#include <stdbool.h>

/* The eight bytes at the address are mapped now, and may be read. A call of the kernel. */
bool readable_word(const void *address);

#endif
