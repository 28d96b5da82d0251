/* SPDX-License-Identifier: MIT */
/* Loads from a mapping whose file may be truncated at any moment by somebody else. Private to shm/.
 *
 * Threads: a guard belongs to the thread that runs it; others are not touched. The handler hands every
 * fault that is not ours to the handler that stood there before.
 */
#ifndef RTOP_SHM_SIGBUS_H
#define RTOP_SHM_SIGBUS_H

#include <stdbool.h>
#include <stddef.h>

/* Puts the handler in place, once, or again when somebody has replaced it. */
void sigbus_install(void);

/* Runs body(argument). False when a load from [base, base + bytes) faulted: the body was left in the
 * middle, so it must hold nothing that needs to be given back; and at once when `base` is NULL: nothing is mapped.
 * Guards do not nest. */
bool sigbus_run(const void *base, size_t bytes, void (*body)(void *), void *argument);

#endif
