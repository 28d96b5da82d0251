/* The pane of the source view: the file beside the method (view_detail.c). That of the methods is in ui.h. */
#ifndef RTOP_TUI_VIEW_DETAIL_H
#define RTOP_TUI_VIEW_DETAIL_H

#include "detail.h"
#include "layout.h"
#include "source_file.h"
#include "source_heat.h"

struct ui;

/* Who calls the method, the hottest lines of its file, and what is called from a line (heat->callees). */
void view_detail_source(struct ui *ui, const struct detail *detail, const struct source_heat *heat,
                        const struct source_file *file, uint32_t line, struct rect rect);

#endif
