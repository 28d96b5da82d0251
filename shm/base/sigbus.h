/* SPDX-License-Identifier: MIT */
/* Guards loads from a mapping whose file other processes may truncate at any moment. Private to shm/.
 *
 * Threads: a guard belongs to the thread that runs it. The handler passes every fault outside a guard to the previous
 * handler.
 */
#ifndef RTOP_SHM_SIGBUS_H
#define RTOP_SHM_SIGBUS_H

#include <stdbool.h>
#include <stddef.h>

/* Installs the handler once, or again when other code has replaced it. */
void sigbus_install(void);

/* Runs body(argument). Returns false when a load from [base, base + bytes) faulted; the body was then left in the
 * middle, so it must hold no resources. Returns false at once when `base` is NULL (nothing is mapped). Guards do not
 * nest. */
bool sigbus_run(const void *base, size_t bytes, void (*body)(void *), void *argument);

#endif
