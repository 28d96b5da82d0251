/* What a line of a file cost, as a bar of two tones: '#' its own time, '+' that of what was called from it, methods
 * written in C included. */
#ifndef RTOP_TUI_VIEW_HEAT_H
#define RTOP_TUI_VIEW_HEAT_H

#include "tui/tables/source_heat.h"
#include <stdbool.h>

/* `full_ns` fills the bar; whatever there is gets a cell. `selected`: the row stands under the cursor. */
void view_heat_bar(int y, int x, int columns, const struct heat_line *heat, uint64_t full_ns, bool selected);
/* A heading, then what the tones mean as far as there is room. */
void view_heat_legend(int y, int x, int columns, const char *heading);

#endif
