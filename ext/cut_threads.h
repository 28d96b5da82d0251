/* The threads' part of cutting a window. Private to cut.c.
 *
 * Threads: the publisher.
 */
#ifndef RTOP_EXT_CUT_THREADS_H
#define RTOP_EXT_CUT_THREADS_H

#include "cut.h"

/* Marks threads that have ended by now: this window is their last. */
void cut_threads_note_ended(struct cut *cut);

/* Lists every thread in the window, charges what the publisher may charge into `cells`, and notes what
 * stays open as provisional. False when memory ran out. */
bool cut_threads_charge(struct cut *cut, struct cells *cells);

/* After the tables were copied: nodes that did not make it become their ancestors. */
void cut_threads_update_nodes(struct cut *cut);

/* The segment is new: no thread has a slot in it. */
void cut_threads_forget_slots(struct cut *cut);

/* Nobody looks any more: gives all slots back. Threads take new ones when they are listed again. */
void cut_threads_end_slots(struct cut *cut, int64_t now_ns);

uint32_t cut_threads_window_index(const struct cut *cut, uint32_t registry_index);

void cut_threads_remove_ended(struct cut *cut);

#endif
