/* SPDX-License-Identifier: MIT */
/* Threads of a window that become one, so that a window of thousands of short threads stays small.
 * Private to shm/.
 */
#ifndef RTOP_SHM_WINDOW_THREADS_H
#define RTOP_SHM_WINDOW_THREADS_H

#include "window.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes all threads, or only those that ended, one: slot 0, serial 0, "(other threads)", ended when all of
 * them are. Their cells and late records move to it, provisional time of those that ended becomes a cell
 * where there is room (cell_capacity). Cells are not in order afterwards, and some have equal keys.
 * `map` gets the new index of every thread: of thread_count elements. Never allocates. */
void window_sum_threads(struct rtop_window *window, bool only_ended, uint32_t *map);

#endif
