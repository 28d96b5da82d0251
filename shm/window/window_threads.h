/* SPDX-License-Identifier: MIT */
/* Merges threads into one, so that a window with thousands of short threads stays small. Private to shm/.
 */
#ifndef RTOP_SHM_WINDOW_THREADS_H
#define RTOP_SHM_WINDOW_THREADS_H

#include "window.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Merges all threads, or only ended ones, into one: slot 0, serial 0, "(other threads)", ended if all are. Their
 * cells and late records move to it; provisional time of ended threads becomes a cell if there is room
 * (cell_capacity). Cells are then unsorted, and some have equal keys. `map`, of thread_count elements, gets the new
 * index of every thread. Never allocates. */
void window_sum_threads(struct rtop_window *window, bool only_ended, uint32_t *map);

#endif
