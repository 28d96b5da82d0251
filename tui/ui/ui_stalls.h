/* SPDX-License-Identifier: MIT */
/* Stalls on the screen: finds them as windows come, in any view, and moves from one to the next.
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
  bool seek; /* the view must select the culprit of the visited stall: ui->selected, or */
  uint32_t source;
  uint64_t serial;   /* the thread with this serial; 0: none. Views reset these members when done */
  uint64_t id;       /* the stall that was gone to, */
  uint32_t frame;    /* who was to blame for it, */
  uint32_t selected; /* what was selected for that, */
  int64_t stood_ns;  /* time to which the cursor was moved for the stall; 0: none yet */
  bool off_gvl;      /* the culprit has neither busy time nor CPU time */
  bool all_time;     /* all time is shown because of the stall, and was not before it: */
  enum rtop_mode mode_before;
};

/* Examines new windows: cheap without any, at most half a minute of history per call. If the culprit of the visited
 * stall turns out to be another one, it is selected and reported, unless the user has moved on. */
void ui_stalls_poll(struct ui *ui);
/* Another target. */
void ui_stalls_forget(struct ui *ui);

/* ui_stalls_count(): number of stalls and marks of the shown processes; ui_stalls_next(): one after the other by start
 * (*at is 0 first and is advanced; NULL: no more). */
size_t ui_stalls_count(const struct ui *ui);
const struct stall *ui_stalls_next(const struct ui *ui, size_t *at);
/* Returns the shown stall that covers a window, as stalls_at(). */
const struct stall *ui_stalls_at(const struct ui *ui, struct rtop_span window);
/* Why there is none, for people. */
const char *ui_stalls_why_none(const struct ui *ui);
/* Writes like stall_words(), with the process while several are shown: "4712: blocked 2.3 s Kernel#sleep". */
void ui_stalls_words(const struct ui *ui, const struct stall *stall, char *out, size_t bytes);

/* Goes to a stall: freezes the display at it, selects the culprit (the application's method, whatever it called), and
 * shows a message about the stall. */
void ui_stalls_go(struct ui *ui, const struct stall *stall);
/* Makes all time count in views of calls while the display is at a stall whose culprit is off the GVL, which would
 * otherwise be missing. To be called before an update. */
void ui_stalls_fit_mode(struct ui *ui);
/* Is the selected method the culprit of the stall that the display is at? */
bool ui_stalls_selected(const struct ui *ui);
/* Is the culprit off the GVL, so that it has no busy time during the stall? */
bool ui_stalls_is_off_gvl(const struct ui *ui);
/* Returns the most important stall at the end of the span, among shown processes and all kinds: of stalls that have not
 * ended, the one with most harm (stall_harm()); else of those in the last ten minutes, with harm halved for every ten
 * seconds since their end. A method that took over before the span and has not ended counts from its take-over, since
 * the verdict describes it. NULL: none. */
const struct stall *ui_stalls_newest(const struct ui *ui);
/* Time between the end of the stall and the end of the span (ns); 0: the stall has not ended. */
int64_t ui_stalls_ago_ns(const struct ui *ui, const struct stall *stall);

/* Handles keys that go to the next stall or mark, later or earlier. "Earlier" first goes to the most important stall,
 * or if there is none to the second with the worst verdict (verdict_trouble.h); then to earlier ones. The message says
 * what comes next, what was skipped, and whether the most important stall is old. False: another request. */
bool ui_stalls_request(struct ui *ui, enum request request);

#endif
