/* SPDX-License-Identifier: MIT */
/* The threads that the figures of every view include: chosen ones, those with a name, those not idle. */
#ifndef RTOP_TUI_UI_FOCUS_H
#define RTOP_TUI_UI_FOCUS_H

#include "tui/history/profile.h"
#include <regex.h>
#include <stdbool.h>

struct ui;

enum { UI_FOCUS_MAX = 64 };
struct ui_focus {
  int count; /* chosen ones; 0: all threads */
  struct {
    uint32_t source;
    uint64_t serial;
  } at[UI_FOCUS_MAX];
  char name[64];  /* name of the choice: a thread, or "3 threads" */
  bool no_idle;   /* leaves out threads that are off the GVL for the whole span */
  bool has_names; /* only threads whose name matches (--thread) */
  regex_t names;
};

/* Choosing threads. ui_focus_apply_to(): removes cells of other threads from a sum (their rows stay). Other functions:
 * choose one thread alone (again: all); add or remove one; choose all. */
bool ui_focus_init(struct ui *ui, const char *names);
void ui_focus_destroy(struct ui *ui);
void ui_focus_apply(struct ui *ui);
void ui_focus_apply_to(const struct ui *ui, struct rtop_sum *sum);
/* Changes with the choice, never by itself. */
uint64_t ui_focus_key(const struct ui *ui);
bool ui_focus_has(const struct ui *ui, const struct rtop_thread_row *thread);
void ui_focus_only(struct ui *ui, const struct rtop_thread_row *thread);
void ui_focus_toggle(struct ui *ui, const struct rtop_thread_row *thread);
void ui_focus_clear(struct ui *ui);
/* Writes the choice: "puma 001", "3 threads", "no idle"; "" when all threads are shown. */
void ui_focus_text(const struct ui *ui, char *out, size_t bytes);

#endif
