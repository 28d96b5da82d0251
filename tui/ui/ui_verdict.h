/* SPDX-License-Identifier: MIT */
/* The verdict on what is shown: made as it changes, but twice a second at most while it is live; and for how long it
 * has been so, looking back through the windows before.
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

/* The exception that is raised most often, where so many are raised that it matters. */
struct ui_raised {
  struct raised_list list;
  int64_t until_ns;
  double per_second;
  /* "raised/s: 60% KeyError in Price#find", "KeyError/s at app.rb:9"; "": less than a hundred a second, or of no known class */
  char most[600];
};

/* After the sum of the span. False: memory ran out. */
bool ui_verdict_update(struct ui *ui);
void ui_verdict_forget(struct ui *ui);

/* Which threads rest, and which are stuck: after the verdict, when the locks of the sum are noted. */
void ui_verdict_rests(struct ui *ui);

/* What is shown of how long the GVL was held and waited for (ui_calm.h). */
struct verdict_gvl ui_verdict_gvl(const struct ui *ui);
/* In at most `columns` columns. */
void ui_verdict_words(const struct ui *ui, struct verdict_words *words, int columns);

/* After the sum of the span; looks for it once a second. False: memory ran out. */
bool ui_raised_update(struct ui *ui);
void ui_raised_forget(struct ui *ui);

#endif
