/* SPDX-License-Identifier: MIT */
/* Stalls on the screen: finding them as windows come, whatever is shown, and going from one to the next.
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
  bool more; /* history is there that was not looked at yet */
  bool seek; /* the view is to select the culprit of the stall that was gone to: ui->selected, or */
  uint32_t source;
  uint64_t serial;   /* this thread; 0: none. Views take it back */
  uint64_t id;       /* the stall that was gone to, */
  uint32_t frame;    /* who was to blame for it, */
  uint32_t selected; /* what was selected for that, */
  int64_t stood_ns;  /* and where the cursor was put for it; 0: none yet */
  bool off_gvl;      /* its culprit has neither busy time nor CPU */
  bool all_time;     /* all time is shown for that, and was not before: */
  enum rtop_mode mode_before;
};

/* Looks at what came. Cheap when nothing did; half a minute of history at a time. The culprit of the stall that was gone to
 * may turn out to be another one: it is selected, and said, unless the user has moved on. */
void ui_stalls_poll(struct ui *ui);
/* Another target. */
void ui_stalls_forget(struct ui *ui);

/* Stalls and marks of the processes that are shown: how many, and one after the other by start (*at begins with 0 and
 * moves on; NULL: no more). */
size_t ui_stalls_count(const struct ui *ui);
const struct stall *ui_stalls_next(const struct ui *ui, size_t *at);
/* The one of them that covers a window, as stalls_at(). */
const struct stall *ui_stalls_at(const struct ui *ui, struct rtop_span window);
/* Why there is none, for people. */
const char *ui_stalls_why_none(const struct ui *ui);
/* stall_words(), and whose it is while several processes are shown: "4712: blocked 2.3 s Kernel#sleep". */
void ui_stalls_words(const struct ui *ui, const struct stall *stall, char *out, size_t bytes);

/* Freezes where a stall is seen, selects who is to blame (the application's method, whatever it called), and says what it is. */
void ui_stalls_go(struct ui *ui, const struct stall *stall);
/* Views of calls would not have a culprit that is off the GVL: all time counts in them while the display stands at its stall.
 * Before an update. */
void ui_stalls_fit_mode(struct ui *ui);
/* The method that is selected is the one to blame for the stall that the display stands at. */
bool ui_stalls_selected(const struct ui *ui);
/* And it is off the GVL: none of its time there is busy. */
bool ui_stalls_is_off_gvl(const struct ui *ui);
/* The news at the end of what is shown, of the processes shown, whatever its kind: of stalls that go on there the one that
 * harmed most (stall_harm); else of those of the last ten minutes, each half as much for every ten seconds since it ended. A
 * method that took over before what is shown and goes on counts from when it took over: the verdict tells of it. NULL:
 * none. */
const struct stall *ui_stalls_newest(const struct ui *ui);
/* How long before the end of what is shown it ended; 0: it goes on there. */
int64_t ui_stalls_ago_ns(const struct ui *ui, const struct stall *stall);

/* Keys that go to the next stall or mark, later or earlier than the cursor: back first to the news, or
 * where no stall is to the second that was worst by its verdict (verdict_trouble.h); then, where these keys have put the
 * cursor, to what lies before. The message tells what comes next, what was passed by, and whether the news are
 * old. False: not one of them. */
bool ui_stalls_request(struct ui *ui, enum request request);

#endif
