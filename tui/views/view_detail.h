/* SPDX-License-Identifier: MIT */
/* The detail pane beside a table, or in place of it. */
#ifndef RTOP_TUI_VIEW_DETAIL_H
#define RTOP_TUI_VIEW_DETAIL_H

#include "tui/tables/detail.h"
#include "tui/tables/source_heat.h"
#include "tui/term/layout.h"
#include "tui/text/source_file.h"

struct label_shares;
struct raised_list;
struct ui;

struct detail_beside {
  const struct source_file *file; /* the method's file, for the text of its lines */
  const struct source_heat
      *heat; /* cost of the lines of `file`; NULL: the hottest lines are listed without their text */
  const struct label_shares *labels;
  const struct raised_list *raised; /* exceptions of all methods; NULL: none */
};
/* Draws the pane. `beside` may be NULL. */
void view_detail_draw(struct ui *ui, const struct detail *detail, const struct detail_beside *beside, struct rect rect);

/* Draws the method's callers, the hottest lines of its file, and callees of a line (heat->callees). */
void view_detail_source(struct ui *ui, const struct detail *detail, const struct source_heat *heat,
                        const struct source_file *file, uint32_t line, struct rect rect);

#endif
