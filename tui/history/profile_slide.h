/* SPDX-License-Identifier: MIT */
/* A span that slides over the history, for those who keep a sum of it: tells which cells come and go, so
 * that a step costs what changed and not what stays. Backwards is like forwards.
 *
 * Late records that change windows in the span, and windows that are forgotten or put together, are told
 * when that happens (within rtop_profile_add); everything else within rtop_slide_to. Taking what came and
 * leaving what went gives, in whole numbers, what a fresh sum gives.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_PROFILE_SLIDE_H
#define RTOP_TUI_PROFILE_SLIDE_H

#include "profile.h"

struct rtop_slide;

struct rtop_slide_sink {
  void *context;
  /* Everything told so far counts no more; what is there is told again. */
  void (*restart)(void *context);
  /* `cell` has the ids of the profile's thread and of the shown node. */
  void (*cell)(void *context, const struct rtop_sum_cell *cell, bool comes);
  /* The same of time in a state that the lens leaves out: it is the thread's all the same, but no node's. NULL: nobody
   * wants it. */
  void (*left_out)(void *context, const struct rtop_sum_cell *cell, bool comes);
};

/* NULL when memory ran out. */
struct rtop_slide *rtop_slide_open(struct rtop_profile *profile, const struct rtop_slide_sink *sink);
/* The same of nothing but sets of labels: `cell` has the node of the set that the time was spent under, below the root;
 * of time without labels a node of another frame. Of labels that the profile's lens leaves out, nothing. */
struct rtop_slide *rtop_slide_open_sets(struct rtop_profile *profile, const struct rtop_slide_sink *sink);
/* Before or after the profile goes. */
void rtop_slide_close(struct rtop_slide **slide);

/* The next rtop_slide_to tells everything again. */
void rtop_slide_restart(struct rtop_slide *slide);

/* From now on the span is this one. *sum gets everything but cells, total and the threads' costs; its
 * threads in order. False when memory ran out. */
bool rtop_slide_to(struct rtop_slide *slide, struct rtop_span span, struct rtop_sum *sum);

/* For the profile, which tells its slides. Before a window goes, and when a cell comes to one that is in the profile or
 * goes: */
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
