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
 * of ended threads, or of all threads in the last window. False when memory ran out. */
bool cut_threads_charge(struct cut *cut, struct cells *cells, bool last);

/* Adds the cells to the window, ordered by thread, state and time. Cells for time that earlier windows reported as not
 * sampled are added as late records. Time of this window that has no cell is reported as not sampled. False when memory
 * ran out. */
bool cut_threads_add_cells(struct cut *cut, const struct cells *cells);

/* Checks whether the process used CPU time that no thread accounts for; if so, the CPU clocks of all threads off the
 * GVL are read for the next window. Call after the counters were added to the window. */
void cut_threads_compare_cpu(struct cut *cut);

/* Counts the fibers that wait at this moment, where there is a fiber scheduler, in a counter of the window. */
void cut_threads_count_fibers(struct cut *cut);

/* Adds the waits of fibers to the window. Call after the names were copied into the segment. False when memory ran
 * out. */
bool cut_threads_add_fibers(struct cut *cut);

/* Replaces nodes that are not published by their nearest published ancestors. Call after the names were copied into the
 * segment. */
void cut_threads_update_nodes(struct cut *cut);

/* Call for a new segment: forgets all slots, since no thread has a slot there yet. */
void cut_threads_forget_slots(struct cut *cut);

/* Frees all slots when nobody watches any more. Threads get new slots when they are listed again. */
void cut_threads_end_slots(struct cut *cut, int64_t now_ns);

void cut_threads_remove_ended(struct cut *cut);

#endif
