/* SPDX-License-Identifier: MIT */
/* Counting all calls for a limited time, shown instead of samples: requested, followed while running, and shown by
 * views that support it (view_ops.exact) until the user returns to samples. The counts are kept as they were at the
 * end, whatever the history forgets.
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
  bool ending;  /* the user ended counting early, and remaining counts are still coming */
  bool shown;   /* by views that can */
  bool ruby;    /* methods in C are left out */
  struct rtop_span span;
  int64_t until_ns; /* on the screen's clock */
  struct whole_numbers numbers;
  struct rtop_sum sum;
  struct rtop_live *live;
  uint64_t key; /* private, as are all following members: key of the data from which sum and rows were made */
  int units, sort;
  bool reverse; /* of samples */
};

/* A request to the processes, carried out by the main loop. */
struct ui_calls_wish {
  bool begin, end;
  uint32_t seconds;
  char how[4]; /* RTOP_WHOLE_FORCED, RTOP_WHOLE_RUBY (format.h) */
};

/* Handles the key: asks for the duration, or ends counting, or returns to samples. True: the caller opens a prompt. */
bool ui_calls_request(struct ui *ui);
/* Handles an answer such as "5", "2 ruby" or "10 force". False: counting has not begun, and a message
   gives the reason. */
bool ui_calls_answer(struct ui *ui, const char *text);
/* Handles Esc: ends counting, or if it has ended, returns to samples. False: neither applied. */
bool ui_calls_back(struct ui *ui);
/* The processes cannot be asked. */
void ui_calls_failed(struct ui *ui, const char *why);

/* Updates the counts; to be called before rows are made from sums. False: memory ran out. */
bool ui_calls_update(struct ui *ui);
void ui_calls_keep(const struct ui *ui, struct rtop_symbols *symbols);
void ui_calls_forget(struct ui *ui);

/* Does the view at hand show them? */
bool ui_calls_are_shown(const struct ui *ui);
/* Returns the sum that the view draws: of calls or of samples. */
const struct rtop_sum *ui_shown_sum(const struct ui *ui);
struct rtop_live *ui_shown_live(const struct ui *ui);
/* What these are filtered and sorted by. */
struct rtop_methods_options ui_shown_options(const struct ui *ui);

/* Writes the status: "exact: 5.0 s of all calls, 1,234,567 calls, 48 ns a call taken off"; "" when this
 * view has none. */
void ui_calls_words(const struct ui *ui, char *out, size_t bytes, int columns);

#endif
