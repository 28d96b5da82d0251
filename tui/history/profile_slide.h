/* SPDX-License-Identifier: MIT */
/* A span that slides over the history, for callers that keep a sum of it: reports which cells enter and leave, so that
 * a step costs what changed instead of what stays. The span may also move backwards.
 *
 * Changes of windows in the span by late records, forgetting or merging are reported when they happen (within
 * rtop_profile_add()), all other changes within rtop_slide_to(). Adding what enters and subtracting what leaves gives
 * exactly the same integers as a fresh sum.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_PROFILE_SLIDE_H
#define RTOP_TUI_PROFILE_SLIDE_H

#include "profile.h"

struct rtop_slide;

struct rtop_slide_sink {
  void *context;
  /* Discard everything reported so far; the present contents are reported again. */
  void (*restart)(void *context);
  /* A cell enters or leaves; it has the ids of the profile's thread and of the shown node. */
  void (*cell)(void *context, const struct rtop_sum_cell *cell, bool comes);
  /* Like `cell`, for time in a state that the lens leaves out: such time counts for the thread but for no node. NULL:
     not wanted. */
  void (*left_out)(void *context, const struct rtop_sum_cell *cell, bool comes);
};

/* NULL when memory ran out. */
struct rtop_slide *rtop_slide_open(struct rtop_profile *profile, const struct rtop_slide_sink *sink);
/* Makes a slide by label sets only: `cell` gets the node of the time's label set, below the root, or for time without
 * labels a node of another frame. Time with labels that the lens leaves out is not reported. */
struct rtop_slide *rtop_slide_open_sets(struct rtop_profile *profile, const struct rtop_slide_sink *sink);
/* Before or after the profile goes. */
void rtop_slide_close(struct rtop_slide **slide);

/* The next rtop_slide_to tells everything again. */
void rtop_slide_restart(struct rtop_slide *slide);

/* Moves the slide to this span. Fills *sum except for cells, total and the threads' costs; its threads are sorted.
 * False when memory ran out. */
bool rtop_slide_to(struct rtop_slide *slide, struct rtop_span span, struct rtop_sum *sum);

/* For the profile, to report changes to its slides: before a window is removed, and when a cell is added to a window of
 * the profile or removed from it. */
struct profile_window;
struct profile_cell;
void profile_slides_lose(struct rtop_profile *profile, struct profile_window *window);
void profile_slides_cell(struct rtop_profile *profile, const struct profile_window *window,
                         const struct profile_cell *cell, bool comes);
/* What was carried is another thing now. */
void profile_slides_restart(struct rtop_profile *profile);
/* Nodes may be gone. */
void profile_slides_forget(struct rtop_profile *profile);
/* The profile goes. */
void profile_slides_detach(struct rtop_profile *profile);

#endif
