/* SPDX-License-Identifier: MIT */
/* The threads' part of cutting a window. Private to cut.c.
 *
 * Threads: the publisher.
 */
#ifndef RTOP_EXT_CUT_THREADS_H
#define RTOP_EXT_CUT_THREADS_H

#include "cut.h"

/* Marks the threads that have ended by now; the current window is their last. */
void cut_threads_note_ended(struct cut *cut, int64_t end_ns);

/* Lists every thread in the window, finds how long it was in each state, and charges into `cells` the time that the
 * publisher may charge: waits with a known stack, time whose point has been sampled meanwhile, and the remaining time
 * of ended threads, or of all threads in the last window. Returns false when memory ran out. */
bool cut_threads_charge(struct cut *cut, struct cells *cells, bool last);

/* Adds the cells to the window, ordered by thread, state and time. Cells for time that earlier windows reported as not
 * sampled are added as late records. Time of this window that has no cell is reported as not sampled. Returns false
 * when memory ran out. */
bool cut_threads_add_cells(struct cut *cut, const struct cells *cells);

/* Checks whether the process used CPU time that no thread accounts for; if so, the next window reads the CPU clocks of
 * all threads off the GVL. Call after the counters were added to the window. */
void cut_threads_compare_cpu(struct cut *cut);

/* Stores the number of fibers that wait now in a counter of the window, if there is a fiber scheduler. */
void cut_threads_count_fibers(struct cut *cut);

/* Adds the waits of fibers to the window. Call after the names were copied into the segment. Returns false when memory
 * ran out. */
bool cut_threads_add_fibers(struct cut *cut);

/* Replaces nodes that are not published by their nearest published ancestors. Call after the names were copied into the
 * segment. */
void cut_threads_update_nodes(struct cut *cut);

/* Forgets the slots of all threads, since no thread has a slot in a new segment yet. Call for a new segment. */
void cut_threads_forget_slots(struct cut *cut);

/* Frees the slots of all threads. Call when no viewer is left. Threads get new slots when they are listed again. */
void cut_threads_end_slots(struct cut *cut, int64_t now_ns);

void cut_threads_remove_ended(struct cut *cut);

#endif
