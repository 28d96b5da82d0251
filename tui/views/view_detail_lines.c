/* The text of a method beside the table, with what its lines cost. */
#include "view_detail.h"
#include "view_heat.h"
#include "tui/term/draw.h"
#include "tui/text/text.h"
#include "tui/ui/ui.h"
#include <ctype.h>
#include <ncurses.h>
#include <string.h>

enum { METHOD_LINES_MAX = 2000, NUMBER_COLUMNS = 5, FIGURE_COLUMNS = 7, BAR_COLUMNS = 7 };

struct lines_pen {
  const struct ui *ui;
  const struct source_heat *heat;
  const struct source_file *file;
  struct rect rect;
  size_t outdent; /* blanks that all lines lack */
  uint64_t most_ns;
  bool newer;
};

static size_t blanks_of(const char *text)
{
  return strspn(text, " ");
}

/* A line as far out as the first one that belongs to what began there: "end", "}", and parts of it. */
static bool closes(const char *text)
{
  static const char *const part[] = { "rescue", "ensure", "else", "elsif", "when", "in", "then" };
  for (size_t i = 0; i < sizeof part / sizeof part[0]; i++)
    if (strncmp(text, part[i], strlen(part[i])) == 0 && !isalnum((unsigned char)text[strlen(part[i])])) return true;
  return strncmp(text, "end", 3) == 0 || strchr("})].", text[0]) != NULL;
}

/* The last line of what begins in `first`. Only its text tells, so it is a guess: what cost something belongs to it. */
static uint32_t last_line(const struct source_file *file, const struct detail *detail, uint32_t first)
{
  char text[512];
  uint32_t last = first;
  source_file_line(file, first, text, sizeof text);
  size_t blanks = blanks_of(text);
  for (uint32_t line = first + 1; line <= file->line_count && line - first < METHOD_LINES_MAX; line++) {
    source_file_line(file, line, text, sizeof text);
    size_t here = blanks_of(text);
    if (text[here] == '\0' || text[here] == '#') continue;
    if (here < blanks || (here == blanks && !closes(text + here))) break;
    last = line;
    if (here == blanks && strncmp(text + here, "end", 3) == 0) break;
  }
  for (int i = 0; i < detail->lines.count; i++) {
    uint32_t line = detail->lines.row[i].id;
    if (line > last && line <= file->line_count && line - first < METHOD_LINES_MAX) last = line;
  }
  return last;
}

/* From the beginning when all fits, else with the line that costs most in the middle. */
static uint32_t top_line(const struct detail *detail, uint32_t first, uint32_t last, int rows)
{
  uint32_t hottest = detail->lines.count > 0 ? detail->lines.row[0].id : first;
  uint32_t page = rows > 0 ? (uint32_t)rows : 1, most = last >= page ? last - page + 1 : 1;
  if (last - first < page || hottest < first + page / 2) return first;
  uint32_t top = hottest - page / 2;
  return top < most ? top : most > first ? most : first;
}

static void draw_line(const struct lines_pen *pen, int y, uint32_t line)
{
  char text[512], figure[32];
  struct rect at = pen->rect;
  const struct heat_line *heat = source_heat_line(pen->heat, line);
  draw_format(y, at.x, NUMBER_COLUMNS, FACE_PLACE, "%5u", line);
  if (heat != NULL) {
    if (pen->ui->look.units == UNITS_PERCENT)
      draw_percent(figure, sizeof figure, 100 * ui_share(pen->ui, heat->total_ns));
    else draw_time(figure, sizeof figure, heat->total_ns);
    draw_right(y, at.x + NUMBER_COLUMNS, FIGURE_COLUMNS, FACE_NORMAL, figure);
    view_heat_bar(y, at.x + NUMBER_COLUMNS + FIGURE_COLUMNS + 1, BAR_COLUMNS, heat, pen->most_ns, false);
  }
  int x = at.x + NUMBER_COLUMNS + FIGURE_COLUMNS + 1 + BAR_COLUMNS;
  source_file_line(pen->file, line, text, sizeof text);
  size_t blanks = blanks_of(text), cut = blanks < pen->outdent ? blanks : pen->outdent;
  if (pen->newer) draw_text(y, x, 1, FACE_WARN, "?");
  draw_text(y, x + 1, at.x + at.columns - x - 1, FACE_NORMAL, text + cut);
}

static uint64_t most_of(const struct source_heat *heat, uint32_t first, uint32_t last)
{
  uint64_t most_ns = 0;
  for (uint32_t line = first; line <= last; line++) {
    const struct heat_line *at = source_heat_line(heat, line);
    most_ns = at != NULL && at->total_ns > most_ns ? at->total_ns : most_ns;
  }
  return most_ns;
}

void view_detail_lines(const struct ui *ui, const struct detail *detail, const struct detail_beside *beside,
                       struct rect rect)
{
  char text[512];
  const struct rtop_symbol *symbol = rtop_symbols_get(rtop_profile_symbols(ui->profile), detail->frame);
  const struct source_file *file = beside->file;
  uint32_t first = symbol->line > 0 && symbol->line <= file->line_count ? symbol->line : 1;
  for (int i = 0; i < detail->lines.count; i++) /* a changed file may have them elsewhere */
    if (detail->lines.row[i].id != 0 && detail->lines.row[i].id < first) first = detail->lines.row[i].id;
  uint32_t last = last_line(file, detail, first);
  struct lines_pen pen = { .ui = ui, .heat = beside->heat, .file = file, .rect = rect };
  pen.newer = source_file_is_newer(file, ui_process(ui)->started_real_ns);
  pen.most_ns = most_of(beside->heat, first, last);
  source_file_line(file, first, text, sizeof text);
  pen.outdent = blanks_of(text);
  view_heat_legend(rect.y, rect.x, rect.columns, ui->look.units == UNITS_PERCENT ? " LINE TOTAL%" : " LINE  TOTAL");
  uint32_t top = top_line(detail, first, last, rect.rows - 1);
  for (int row = 1; row < rect.rows && top + (uint32_t)row - 1 <= last; row++)
    draw_line(&pen, rect.y + row, top + (uint32_t)row - 1);
}
