/* SPDX-License-Identifier: MIT */
/* Stalls on the screen: finds them as windows come, whatever is shown, and moves from one to the next.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_UI_STALLS_H
#define RTOP_TUI_UI_STALLS_H

#include "tui/methods/methods.h"
#include "tui/stalls/stalls.h"
#include "tui/term/keys.h"
#include <stdbool.h>

struct ui;

struct ui_stalls {
  struct stalls stalls;
  struct stall_limits limits;
  bool more; /* there is history that was not examined yet */
  bool seek; /* the view shall select the culprit of the visited stall: ui->selected, or */
  uint32_t source;
  uint64_t serial;   /* this thread; 0: none. Views take it back */
  uint64_t id;       /* the stall that was gone to, */
  uint32_t frame;    /* who was to blame for it, */
  uint32_t selected; /* what was selected for that, */
  int64_t stood_ns;  /* time at which the cursor was put for it; 0: none yet */
  bool off_gvl;      /* its culprit has neither busy time nor CPU time */
  bool all_time;     /* all time is shown for it, and was not before: */
  enum rtop_mode mode_before;
};

/* Examines new windows: cheap without any, at most half a minute of history per call. If the culprit of the visited
 * stall turns out to be another one, it is selected and reported, unless the user has moved on. */
void ui_stalls_poll(struct ui *ui);
/* Another target. */
void ui_stalls_forget(struct ui *ui);

/* Stalls and marks of the shown processes: their number; and one after the other by start (*at begins with 0 and
 * advances; NULL: no more). */
size_t ui_stalls_count(const struct ui *ui);
const struct stall *ui_stalls_next(const struct ui *ui, size_t *at);
/* The shown stall that covers a window, as stalls_at(). */
const struct stall *ui_stalls_at(const struct ui *ui, struct rtop_span window);
/* Why there is none, for people. */
const char *ui_stalls_why_none(const struct ui *ui);
/* Like stall_words(), with the process while several are shown: "4712: blocked 2.3 s Kernel#sleep". */
void ui_stalls_words(const struct ui *ui, const struct stall *stall, char *out, size_t bytes);

/* Goes to a stall: freezes there, selects who is to blame (the application's method, whatever it called), and shows a
 * message about it. */
void ui_stalls_go(struct ui *ui, const struct stall *stall);
/* Makes all time count in views of calls while the display is at a stall whose culprit is off the GVL, which would
 * otherwise be missing. Call before an update. */
void ui_stalls_fit_mode(struct ui *ui);
/* Is the selected method to blame for the stall that the display is at? */
bool ui_stalls_selected(const struct ui *ui);
/* Is the culprit off the GVL, so that it has no busy time there? */
bool ui_stalls_is_off_gvl(const struct ui *ui);
/* The most important news at the end of the span, among shown processes and all kinds: of stalls that go on, the one
 * with most harm (stall_harm()); else of those of the last ten minutes, with harm halved for every ten seconds since
 * their end. A method that took over before the span and goes on counts from when it took over, since the verdict
 * describes it. NULL: none. */
const struct stall *ui_stalls_newest(const struct ui *ui);
/* How long before the end of the span the stall ended; 0: it goes on. */
int64_t ui_stalls_ago_ns(const struct ui *ui, const struct stall *stall);

/* Handles keys that go to the next stall or mark, later or earlier. Back leads first to the news, or without such a
 * stall to the second with the worst verdict (verdict_trouble.h); from there to earlier ones. The message says what
 * comes next, what was skipped, and whether the news is old. False: another request. */
bool ui_stalls_request(struct ui *ui, enum request request);

#endif
