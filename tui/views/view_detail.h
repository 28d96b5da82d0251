/* SPDX-License-Identifier: MIT */
/* The pane beside a table, or in its place: one method looked at closely. */
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
  const struct source_file *file; /* of the method, for the text of its lines */
  const struct source_heat *heat; /* of that file; NULL: a list of lines will do */
  const struct label_shares *labels;
  const struct raised_list *raised; /* exceptions of all methods; NULL: none */
};
/* `beside` may be NULL: nothing more is known. */
void view_detail_draw(struct ui *ui, const struct detail *detail, const struct detail_beside *beside, struct rect rect);

/* Who calls the method, the hottest lines of its file, and what is called from a line (heat->callees). */
void view_detail_source(struct ui *ui, const struct detail *detail, const struct source_heat *heat,
                        const struct source_file *file, uint32_t line, struct rect rect);

#endif
