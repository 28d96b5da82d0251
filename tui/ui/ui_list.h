/* SPDX-License-Identifier: MIT */
/* The processes to choose from, as librperf_top lists them.
 *
 * Threads: the viewer's one.
 */
#ifndef RTOP_TUI_UI_LIST_H
#define RTOP_TUI_UI_LIST_H

#include "tui/feed/bare.h"
#include "tui/reader/rperf_top_reader.h"
#include <stdbool.h>
#include <stddef.h>

enum { UI_LIST_MAX = 256 };

struct ui;

struct ui_list {
  struct rperf_top_list *owner;                           /* of these: */
  const struct rperf_top_process *processes[UI_LIST_MAX]; /* the living first, children below their parents */
  size_t process_count;
  struct rtop_bare bare[RTOP_BARE_MAX]; /* searched for only when the list is empty */
  size_t bare_count;                    /* all of them */
  bool choosing;                        /* the user came from a list, and can return to it */
};

/* Reads the list. When memory runs out, it is empty. */
void ui_list_read(struct ui *ui);
void ui_list_forget(struct ui *ui);

#endif
