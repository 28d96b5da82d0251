/* SPDX-License-Identifier: MIT */
/* The verdict on the shown data: updated when they change, but at most twice a second while live; and how long it has
 * held, found by judging earlier windows.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_UI_VERDICT_H
#define RTOP_TUI_UI_VERDICT_H

#include "tui/methods/raised_list.h"
#include "tui/verdict/rests.h"
#include "tui/verdict/verdict_past.h"
#include "tui/verdict/verdict_words.h"
#include <stdbool.h>

struct ui;

struct ui_verdict {
  struct verdict_maker maker;
  struct verdict verdict;
  struct verdict_gvl gvl; /* of every update */
  struct verdict_past past;
  struct rtop_span span; /* that it is about, */
  uint32_t source;       /* and whose */
  bool made, live;
};

/* The exception raised most often, if there are enough to matter. */
struct ui_raised {
  struct raised_list list;
  int64_t until_ns;
  double per_second;
  /* "raised/s: 60% KeyError in Price#find", "KeyError/s at app.rb:9"; "": fewer than a hundred per second,
     or unknown class */
  char most[600];
};

/* To be called after the span was summed. False: memory ran out. */
bool ui_verdict_update(struct ui *ui);
void ui_verdict_forget(struct ui *ui);

/* Decides which threads are idle and which are stuck; to be called after the verdict, when the sum's
   locks are noted. */
void ui_verdict_rests(struct ui *ui);

/* Returns the shown figures about the GVL: how long it was held and waited for (ui_hysteresis.h). */
struct verdict_gvl ui_verdict_gvl(const struct ui *ui);
/* In at most `columns` columns. */
void ui_verdict_words(const struct ui *ui, struct verdict_words *words, int columns);

/* To be called after the span was summed; updates once a second. False: memory ran out. */
bool ui_raised_update(struct ui *ui);
void ui_raised_forget(struct ui *ui);

#endif
