/* SPDX-License-Identifier: MIT */
/* The threads' part of cutting a window. Private to cut.c.
 *
 * Threads: the publisher.
 */
#ifndef RTOP_EXT_CUT_THREADS_H
#define RTOP_EXT_CUT_THREADS_H

#include "cut.h"

/* Marks threads that had ended by then: this window is their last. */
void cut_threads_note_ended(struct cut *cut, int64_t end_ns);

/* Lists every thread in the window, finds how long it was in each state, and charges what the publisher may charge into
 * `cells`: waits whose stack is known, time whose point came meanwhile, and what threads that ended left, or all threads
 * when it is the last window. False when memory ran out. */
bool cut_threads_charge(struct cut *cut, struct cells *cells, bool last);

/* Puts the cells into the window, by thread and state oldest first: what covers time that earlier windows told of as
 * not sampled becomes late records, and what no cell covers is told so now. False when memory ran out. */
bool cut_threads_add_cells(struct cut *cut, const struct cells *cells);

/* Looks whether the process used CPU that no thread was told of: then the next window asks all that are off the GVL.
 * After the counters were added. */
void cut_threads_compare_cpu(struct cut *cut);

/* The fibers that wait at this moment, where there is a fiber scheduler, as a counter of the window. */
void cut_threads_count_fibers(struct cut *cut);

/* What fibers waited for. After the tables were copied. False when memory ran out. */
bool cut_threads_add_fibers(struct cut *cut);

/* After the tables were copied: nodes that did not make it become their ancestors. */
void cut_threads_update_nodes(struct cut *cut);

/* The segment is new: no thread has a slot in it. */
void cut_threads_forget_slots(struct cut *cut);

/* Nobody looks any more: gives all slots back. Threads take new ones when they are listed again. */
void cut_threads_end_slots(struct cut *cut, int64_t now_ns);

void cut_threads_remove_ended(struct cut *cut);

#endif
