/* SPDX-License-Identifier: MIT */
/* All calls for a moment, in the place of samples: asked for, followed while it goes on, and shown by the views that can
 * (view_ops.exact) until the user goes back to samples. Numbers are kept as they were when it ended, whatever the history
 * forgets.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_UI_CALLS_H
#define RTOP_TUI_UI_CALLS_H

#include "tui/history/profile.h"
#include "tui/methods/live.h"
#include "tui/methods/whole_sum.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ui;

struct ui_calls {
  bool running; /* asked for, and not over */
  bool ending;  /* the user has had enough: what was counted until then is still told */
  bool shown;   /* by views that can */
  bool ruby;    /* methods in C are left out */
  struct rtop_span span;
  int64_t until_ns; /* on the screen's clock */
  struct whole_numbers numbers;
  struct rtop_sum sum;
  struct rtop_live *live;
  uint64_t key; /* private, as all that follow: what sum and rows were made from */
  int units, sort;
  bool reverse; /* of samples */
};

/* What the loop is to ask the processes for. */
struct ui_calls_wish {
  bool begin, end;
  uint32_t seconds;
  char how[4]; /* RTOP_WHOLE_FORCED, RTOP_WHOLE_RUBY (format.h) */
};

/* The key: asks how long, or ends it, or goes back to samples. True: a prompt is to be opened. */
bool ui_calls_request(struct ui *ui);
/* "5", "2 ruby", "10 force". False: it has not begun, and why is said. */
bool ui_calls_answer(struct ui *ui, const char *text);
/* Esc: ends it, then goes back to samples. False: neither. */
bool ui_calls_back(struct ui *ui);
/* The processes cannot be asked. */
void ui_calls_failed(struct ui *ui, const char *why);

/* Before anything is made of sums. False: memory ran out. */
bool ui_calls_update(struct ui *ui);
void ui_calls_keep(const struct ui *ui, struct rtop_symbols *symbols);
void ui_calls_forget(struct ui *ui);

/* Does the view at hand show them? */
bool ui_calls_are_shown(const struct ui *ui);
/* What that view draws: of calls, or of samples. */
const struct rtop_sum *ui_shown_sum(const struct ui *ui);
struct rtop_live *ui_shown_live(const struct ui *ui);
/* What these are filtered and sorted by. */
struct rtop_methods_options ui_shown_options(const struct ui *ui);

/* "exact: 5.0 s of all calls, 1,234,567 calls, 48 ns a call taken off"; "" while there is nothing to say in this view. */
void ui_calls_words(const struct ui *ui, char *out, size_t bytes, int columns);

#endif
