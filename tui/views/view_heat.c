/* The two tones of heat. */
#include "view_heat.h"
#include "tui/term/draw.h"
#include <math.h>

static int cells(uint64_t ns, uint64_t full_ns, int columns)
{
  double share = full_ns > 0 ? (double)ns / (double)full_ns : 0;
  int filled = (int)lround((share < 1 ? share : 1) * columns);
  return ns > 0 && filled == 0 && columns > 0 ? 1 : filled;
}

void view_heat_bar(int y, int x, int columns, const struct heat_line *heat, uint64_t full_ns, bool selected)
{
  uint64_t both_ns = heat->self_ns > heat->total_ns ? heat->self_ns : heat->total_ns;
  int own = cells(heat->self_ns, full_ns, columns), filled = cells(both_ns, full_ns, columns);
  enum face hot = heat->self_ns * 2 >= full_ns ? FACE_HOT : FACE_STRIP;
  for (int i = 0; i < filled; i++)
    draw_text(y, x + i, 1, selected ? FACE_CURSOR : i < own ? hot : FACE_PLACE, i < own ? "#" : "+");
}

void view_heat_legend(int y, int x, int columns, const char *heading)
{
  int used = draw_text(y, x, columns, FACE_LABEL, heading);
  used += draw_text(y, x + used, columns - used, FACE_STRIP, " #");
  used += draw_text(y, x + used, columns - used, FACE_LABEL, " own ");
  used += draw_text(y, x + used, columns - used, FACE_PLACE, "+");
  draw_text(y, x + used, columns - used, FACE_LABEL, " called");
}
