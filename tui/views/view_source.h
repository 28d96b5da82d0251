/* SPDX-License-Identifier: MIT */
/* Shared by the halves of the source view: behaviour (view_source.c) and appearance (view_source_draw.c).
 *
 * If a file cannot be read, its hot lines are listed without text, hottest first.
 */
#ifndef RTOP_TUI_VIEW_SOURCE_H
#define RTOP_TUI_VIEW_SOURCE_H

#include "tui/tables/detail.h"
#include "tui/tables/source_heat.h"
#include "tui/term/pager.h"
#include "tui/text/source_file.h"

struct ui;

enum { SOURCE_LOOPS_MAX = 16 };

struct source_view {
  struct source_file file;
  struct source_heat heat;
  struct source_heat before; /* of the baseline, while something is compared */
  struct detail detail;
  bool detail_ready;
  bool ruby;      /* the method has lines */
  uint32_t frame; /* that is shown; 0: none yet */
  uint32_t node;  /* node of the call that the user refers to (ui_way.h); 0: any */
  /* the selected method, if it has no lines and its caller is shown; 0: the selected method is shown */
  uint32_t called;
  struct pager pager; /* over rows */
  struct {
    uint32_t line, from, end;
  } loops[SOURCE_LOOPS_MAX]; /* hot loops: time of lines between `from` and `end` appears at `line` */
  int loop_count;
  int shift; /* columns of the text that are skipped */
};

struct ui_rows source_view_table(const struct ui *ui);
size_t source_view_rows(const struct source_view *view);
/* The line in a row; 0: none. */
uint32_t source_view_line(const struct source_view *view, size_t row);
bool source_view_matches(const struct ui *ui, uint32_t line);
/* Are its lines those that run? */
enum source_age source_view_age(const struct ui *ui);

/* view_source_loops.c: finds the loops to whose line the time of their bodies is charged, by heat and text. */
void source_view_find_loops(struct source_view *view);
/* Returns the line of the innermost loop around a line, to which that line's time is charged; 0: none. */
uint32_t source_view_loop(const struct source_view *view, uint32_t line);

#endif
