/* SPDX-License-Identifier: MIT */
/* Details of one method, in a pane beside the table or in place of it. */
#include "view_detail.h"
#include "tui/methods/raised_list.h"
#include "tui/methods/states.h"
#include "tui/tables/detail.h"
#include "tui/tables/label_shares.h"
#include "tui/tables/source_heat.h"
#include "tui/term/draw.h"
#include "tui/text/source_file.h"
#include "tui/text/text.h"
#include "tui/traces/traced.h"
#include "tui/ui/ui.h"
#include <ctype.h>
#include <math.h>
#include <ncurses.h>
#include <string.h>

enum {
  STATES_ROWS_MIN = 26,
  HOTTEST_LINES = 5,
  LINE_FIGURES = 19,
  LINE_TEXT_FROM = 36,
  LINE_WIDE = 50,
  STATES_WIDE = 62,
  TEXT_COLUMNS = 40, /* least width of the pane (columns) for the method's text */
  TEXT_ROWS = 20,
  BESIDE_TEXT = 4, /* rows of each list above the text */
  RAISES_MOST = 3,
};

enum { METHOD_LINES_MAX = 2000, NUMBER_COLUMNS = 5, FIGURE_COLUMNS = 7, BAR_COLUMNS = 7 };

struct writer {
  struct ui *ui;
  const struct detail *detail;
  struct rect rect;
  int y; /* next row, relative */
};

static bool room(const struct writer *writer)
{
  return writer->y < writer->rect.rows;
}

static int row_of(struct writer *writer)
{
  return writer->rect.y + writer->y++;
}

static void heading(struct writer *writer, const char *text)
{
  writer->y++;
  if (room(writer)) draw_text(row_of(writer), writer->rect.x, writer->rect.columns, FACE_LABEL, text);
}

static void detail_figure(const struct writer *writer, char *out, size_t bytes, uint64_t ns)
{
  if (writer->ui->look.units == UNITS_PERCENT) {
    double length = writer->ui->methods.length_ns > 0 ? (double)writer->ui->methods.length_ns : 1;
    draw_percent(out, bytes, 100 * (double)ns / length);
  } else {
    draw_time(out, bytes, ns);
  }
}

/* Draws name and place. Blocks often share a name, so their file is shown if there is room. */
static void name_and_place(const struct writer *writer, int y, const struct rtop_symbol *symbol)
{
  char place[1100];
  int x = writer->rect.x + 9, columns = writer->rect.columns - 9;
  int used = draw_text(y, x, columns, FACE_NORMAL, rtop_symbol_words(symbol));
  ui_place(place, sizeof place, symbol);
  const char *base = strrchr(place, '/');
  base = base != NULL ? base + 1 : place;
  if (rtop_symbol_has_source(symbol) && columns - used - 2 >= rtop_text_width(base))
    draw_right(y, x + used + 2, columns - used - 2, FACE_PLACE, base);
}

static void frames(struct writer *writer, const char *title, const struct detail_list *list, int most)
{
  const struct rtop_symbols *symbols = rtop_profile_symbols(writer->ui->profile);
  heading(writer, title);
  for (int i = 0; i < list->count && i < most && room(writer); i++) {
    char text[32];
    int y = row_of(writer);
    detail_figure(writer, text, sizeof text, list->row[i].total_ns);
    draw_right(y, writer->rect.x, 7, FACE_NORMAL, text);
    bool led = list == &writer->detail->callers && i == 0 && list->row[i].id == writer->detail->led_from;
    if (led) draw_text(y, writer->rect.x + 7, 1, FACE_WARN, ">");
    name_and_place(writer, y, rtop_symbols_get(symbols, list->row[i].id));
  }
  if (list->count == 0 && room(writer)) {
    draw_text(row_of(writer), writer->rect.x + 2, writer->rect.columns - 2, FACE_NORMAL, "(none)");
  } else if (list->count > most && room(writer)) {
    draw_format(row_of(writer), writer->rect.x + 2, writer->rect.columns - 2, FACE_NORMAL, "and %d more",
                list->count - most);
  }
}

static void heat(const struct writer *writer, int y, int columns, uint64_t ns, uint64_t hottest_ns)
{
  int filled = hottest_ns > 0 ? (int)lround((double)ns / (double)hottest_ns * columns) : 0;
  filled = ns > 0 && filled == 0 ? 1 : filled;
  for (int i = 0; i < filled && i < columns; i++)
    draw_text(y, writer->rect.x + LINE_FIGURES + 1 + i, 1, ns * 2 >= hottest_ns ? FACE_HOT : FACE_STRIP, "#");
}

/* Draws a line of the file, marked with '?' if the running code may be different. */
static void line_text(const struct writer *writer, const struct source_file *file, int y, int x, uint32_t line)
{
  char text[512];
  const struct ui_process *process = ui_process(writer->ui);
  source_file_line(file, line, text, sizeof text);
  int columns = writer->rect.columns - x;
  if (source_file_is_doubtful(file, process->code_real_ns, process->started_real_ns))
    draw_text(y, writer->rect.x + x - 1, columns > 0 ? 1 : 0, FACE_WARN, "?");
  draw_text(y, writer->rect.x + x, columns, FACE_NORMAL, text + strspn(text, " "));
}

/* Draws lines of the file: number, self, total, heat of self, and text. */
static void lines_of_file(struct writer *writer, const struct source_file *file, int most)
{
  const struct detail_list *list = &writer->detail->lines;
  int bar = writer->rect.columns < LINE_WIDE ? 4 : 8;
  uint64_t hottest_ns = 0;
  for (int i = 0; i < list->count; i++)
    hottest_ns = list->row[i].self_ns > hottest_ns ? list->row[i].self_ns : hottest_ns;
  heading(writer, "LINES   self  total");
  for (int i = 0; i < list->count && i < most && room(writer); i++) {
    char self[32], total[32], number[16];
    int y = row_of(writer), x = writer->rect.x;
    snprintf(number, sizeof number, "%u", list->row[i].id);
    detail_figure(writer, self, sizeof self, list->row[i].self_ns);
    detail_figure(writer, total, sizeof total, list->row[i].total_ns);
    draw_right(y, x, 5, FACE_PLACE, list->row[i].id == 0 ? "?" : number);
    draw_right(y, x + 5, 7, FACE_NORMAL, self);
    draw_right(y, x + 12, 7, FACE_NORMAL, total);
    heat(writer, y, bar, list->row[i].self_ns, hottest_ns);
    line_text(writer, file, y, LINE_FIGURES + bar + 2, list->row[i].id);
  }
}

static void lines(struct writer *writer, const struct source_file *file, int most)
{
  const struct detail_list *list = &writer->detail->lines;
  if (list->count == 1 && list->row[0].id == 0) return; /* written in C: it has none */
  if (file != NULL && file->state == SOURCE_READY && writer->rect.columns >= LINE_TEXT_FROM) {
    lines_of_file(writer, file, most);
    return;
  }
  heading(writer, "LINES              self   total");
  for (int i = 0; i < list->count && i < most && room(writer); i++) {
    char self[32], total[32];
    int y = row_of(writer);
    detail_figure(writer, self, sizeof self, list->row[i].self_ns);
    detail_figure(writer, total, sizeof total, list->row[i].total_ns);
    if (list->row[i].id == 0) draw_text(y, writer->rect.x + 2, writer->rect.columns - 2, FACE_NORMAL, "not known");
    else draw_format(y, writer->rect.x + 2, writer->rect.columns - 2, FACE_NORMAL, "line %u", list->row[i].id);
    draw_right(y, writer->rect.x + 16, writer->rect.columns - 16 < 7 ? 0 : 7, FACE_NORMAL, self);
    draw_right(y, writer->rect.x + 24, writer->rect.columns - 24 < 7 ? 0 : 7, FACE_NORMAL, total);
  }
}

/* Draws the hottest lines of the whole file with their text. */
static void detail_hottest(struct writer *writer, const struct source_heat *heat, const struct source_file *file)
{
  uint64_t least_ns = writer->ui->methods.length_ns / 2000; /* less would read 0.0 */
  heading(writer, "HOTTEST LINES IN FILE");
  for (uint32_t i = 0; i < heat->count && i < HOTTEST_LINES && room(writer); i++) {
    if (i > 0 && heat_of(&heat->lines[i]) < least_ns) break;
    char share[32], text[512];
    int y = row_of(writer), columns = writer->rect.columns;
    const char *start = text;
    detail_figure(writer, share, sizeof share, heat_of(&heat->lines[i]));
    source_file_line(file, heat->lines[i].line, text, sizeof text);
    draw_format(y, writer->rect.x, 6, FACE_PLACE, "%6u", heat->lines[i].line);
    draw_right(y, writer->rect.x + 6, columns < 13 ? 0 : 7, FACE_NORMAL, share);
    while (*start == ' ') start++;
    draw_text(y, writer->rect.x + 15, columns - 15, FACE_NORMAL, start);
  }
}

static void called_from(struct writer *writer, const struct source_heat *heat, uint32_t line, int most)
{
  char title[48];
  struct detail_list list = { .count = 0 };
  for (size_t i = 0; i < heat->callee_count && list.count < DETAIL_ROWS_MAX; i++) {
    list.row[list.count].id = heat->callees[i].frame;
    list.row[list.count++].total_ns = heat->callees[i].total_ns;
  }
  snprintf(title, sizeof title, "CALLED FROM LINE %u", line);
  frames(writer, title, &list, most);
}

/* What its total was spent for. */
static void labels(struct writer *writer, const struct label_shares *shares, int most)
{
  const struct rtop_symbols *symbols = rtop_profile_symbols(writer->ui->profile);
  int shown = shares->count < most ? shares->count : most, more = shares->more + shares->count - shown;
  heading(writer, shares->cut ? "LABELS of its last minute" : "LABELS of its total");
  for (int i = 0; i < shown && room(writer); i++) {
    int y = row_of(writer), columns = writer->rect.columns;
    const struct label_share *share = &shares->row[i];
    draw_text(y, writer->rect.x + 2, columns - 10, FACE_NORMAL,
              share->labels != 0 ? rtop_symbols_get(symbols, share->labels)->label : "(no labels)");
    draw_format(y, writer->rect.x + columns - 7, 7, FACE_NORMAL, "%5.1f%%",
                100 * (double)share->ns / (double)(shares->all_ns + (shares->all_ns == 0)));
  }
  if (more > 0 && room(writer))
    draw_format(row_of(writer), writer->rect.x + 2, writer->rect.columns - 2, FACE_NORMAL, "and %d more", more);
}

static void states(struct writer *writer)
{
  uint64_t all = rtop_cost_wall(&writer->detail->total);
  heading(writer, "STATES of its total");
  for (int state = 0; state < RTOP_STATES && room(writer); state++) {
    uint64_t ns = writer->detail->total.wall_ns[state];
    struct draw_segment segment = { all > 0 ? (double)ns / (double)all : 0, (enum rtop_state)state };
    int y = row_of(writer), bar = writer->rect.columns - 20;
    draw_text(y, writer->rect.x + 2, 8, FACE_NORMAL, state_word((enum rtop_state)state));
    if (bar > 0) {
      draw_bar(y, writer->rect.x + 10, bar, &segment, 1);
      draw_format(y, writer->rect.x + 11 + bar, 8, FACE_NORMAL, "%5.1f%%", 100 * segment.share);
    }
  }
}

/* Draws the states in one row, if there is no room for bars. */
static void states_line(struct writer *writer)
{
  const uint64_t *wall = writer->detail->total.wall_ns;
  uint64_t whole = rtop_cost_wall(&writer->detail->total);
  double all = whole > 0 ? (double)whole / 100 : 1;
  draw_format(
      row_of(writer), writer->rect.x, writer->rect.columns, FACE_NORMAL,
      writer->rect.columns < STATES_WIDE ? "| run %.0f%%  : wait %.0f%%  . blocked %.0f%%  # gc %.0f%%"
                                         : "of its total  | run %.1f%%  : wait %.1f%%  . blocked %.1f%%  # gc %.1f%%",
      (double)wall[RTOP_STATE_RUNNING] / all, (double)wall[RTOP_STATE_WAITING] / all,
      (double)wall[RTOP_STATE_BLOCKED] / all, (double)(wall[RTOP_STATE_MARKING] + wall[RTOP_STATE_SWEEPING]) / all);
}

/* Of calls: how many, and how long. */
static void detail_calls(struct writer *writer, const char *self, const char *total, const char *unit)
{
  char mean[24];
  const struct ui *ui = writer->ui;
  for (size_t i = 0; i < ui->methods.count && room(writer); i++) {
    const struct rtop_method_row *row = &ui->methods.rows[i];
    if (row->frame != writer->detail->frame) continue;
    rtop_text_duration(mean, sizeof mean, (int64_t)row->mean_ns);
    draw_format(row_of(writer), writer->rect.x, writer->rect.columns, FACE_NORMAL, "%llu calls  %s a call",
                (unsigned long long)row->calls, mean);
    if (room(writer))
      draw_format(row_of(writer), writer->rect.x, writer->rect.columns, FACE_NORMAL, "self %s%s  total %s%s", self,
                  unit, total, unit);
    return;
  }
}

/* Draws the summary; `brief`: without bars for states. */
static void summary(struct writer *writer, bool brief)
{
  char self[32], total[32], alloc[16], name[1100];
  const struct detail *detail = writer->detail;
  const struct rtop_symbol *symbol = rtop_symbols_get(rtop_profile_symbols(writer->ui->profile), detail->frame);
  double seconds = (double)writer->ui->methods.length_ns / 1e9;
  uint64_t total_ns = rtop_mode_clock(&detail->total, detail->mode);
  draw_text(row_of(writer), writer->rect.x, writer->rect.columns, FACE_TITLE,
            rtop_symbol_shown(symbol, name, sizeof name));
  if (rtop_symbol_has_source(symbol) && room(writer)) {
    char place[1100];
    ui_place(place, sizeof place, symbol);
    draw_tail(row_of(writer), writer->rect.x, writer->rect.columns, FACE_PLACE, place);
  }
  if (symbol->generated && room(writer)) { /* the end tells processes apart */
    int x = draw_text(row_of(writer), writer->rect.x, writer->rect.columns, FACE_LABEL, "generated ");
    draw_tail(writer->rect.y + writer->y - 1, writer->rect.x + x, writer->rect.columns - x, FACE_NORMAL,
              symbol->generated);
  }
  detail_figure(writer, self, sizeof self, detail->waits_ns > 0 ? detail->waits_ns : detail->self_ns);
  detail_figure(writer, total, sizeof total, total_ns);
  rtop_text_count(alloc, sizeof alloc, seconds > 0 ? (double)detail->total.allocations / seconds : 0);
  const char *unit = writer->ui->look.units == UNITS_PERCENT ? "%" : "";
  if (ui_calls_are_shown(writer->ui)) {
    detail_calls(writer, self, total, unit);
    return;
  }
  if (room(writer)) {
    draw_format(row_of(writer), writer->rect.x, writer->rect.columns, FACE_NORMAL, "%s %s%s  total %s%s  %s alloc/s%s",
                detail->waits_ns > 0 ? "waits" : "self", self, unit, total, unit, alloc,
                detail->mode != writer->ui->wanted.mode ? "  all time" : "");
  }
  if ((brief || writer->rect.rows < STATES_ROWS_MIN) && room(writer)) states_line(writer);
}

static void raises_row(struct writer *writer, const struct raised_row *row)
{
  char rate[16], place[1100] = "";
  const struct rtop_symbols *symbols = rtop_profile_symbols(writer->ui->profile);
  const char *path = rtop_symbols_get(symbols, row->place.frame)->path, *slash = strrchr(path, '/');
  double seconds = (double)writer->ui->methods.length_ns / 1e9;
  rtop_text_count(rate, sizeof rate, seconds > 0 ? (double)row->count / seconds : 0);
  if (row->place.frame) snprintf(place, sizeof place, " at %s:%u", slash ? slash + 1 : path, row->place.line);
  draw_format(row_of(writer), writer->rect.x, writer->rect.columns, FACE_NORMAL, "raises %s %s/s%s",
              raised_class(symbols, &row->place), rate, place);
}

/* Draws the most frequent exceptions that the method raises, itself or in a C function that it calls. */
static void raises(struct writer *writer, const struct raised_list *list)
{
  int count = 0;
  for (size_t i = 0; list != NULL && i < list->count; i++)
    if (list->rows[i].shown == writer->detail->frame && count++ < RAISES_MOST && room(writer))
      raises_row(writer, &list->rows[i]);
  if (count > RAISES_MOST && room(writer))
    draw_format(row_of(writer), writer->rect.x, writer->rect.columns, FACE_NORMAL, "raises %d more",
                count - RAISES_MOST);
}

static struct writer detail_start(struct ui *ui, const struct detail *detail, struct rect rect)
{
  bool pane = rect.x > 0;
  int inset = pane ? 2 : 1;
  for (int i = 0; i < rect.rows; i++) {
    draw_blank(rect.y + i, rect.x, rect.columns, FACE_NORMAL);
    if (pane) draw_text(rect.y + i, rect.x, 1, FACE_NORMAL, "|");
  }
  return (struct writer){ ui, detail, { rect.y, rect.x + inset, rect.rows, rect.columns - inset }, 0 };
}

struct lines_pen {
  const struct ui *ui;
  const struct source_heat *heat;
  const struct source_file *file;
  struct rect rect;
  size_t outdent; /* blanks that all lines lack */
  uint64_t most_ns;
  bool doubtful;
};

static size_t blanks_of(const char *text)
{
  return strspn(text, " ");
}

/* Does a line with the same indentation as the first line of the method still belong to the method, as "rescue", "end"
 * or "}" do? */
static bool closes(const char *text)
{
  static const char *const part[] = { "rescue", "ensure", "else", "elsif", "when", "in", "then" };
  for (size_t i = 0; i < sizeof part / sizeof part[0]; i++)
    if (strncmp(text, part[i], strlen(part[i])) == 0 && !isalnum((unsigned char)text[strlen(part[i])])) return true;
  return strncmp(text, "end", 3) == 0 || strchr("})].", text[0]) != NULL;
}

/* Returns the last line of the definition that begins in `first`, guessed from the text; lines with cost certainly
 * belong to it. */
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

/* Returns the first line to show: that of the definition if all lines fit, else a line such that the most expensive one
   is in the middle. */
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
    draw_heat(y, at.x + NUMBER_COLUMNS + FIGURE_COLUMNS + 1, BAR_COLUMNS,
              (struct draw_heat){ heat->self_ns, heat->total_ns, pen->most_ns }, false);
  }
  int x = at.x + NUMBER_COLUMNS + FIGURE_COLUMNS + 1 + BAR_COLUMNS;
  source_file_line(pen->file, line, text, sizeof text);
  size_t blanks = blanks_of(text), cut = blanks < pen->outdent ? blanks : pen->outdent;
  if (pen->doubtful) draw_text(y, x, 1, FACE_WARN, "?");
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

static void detail_lines(const struct ui *ui, const struct detail *detail, const struct detail_beside *beside,
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
  pen.doubtful = source_file_is_doubtful(file, ui_process(ui)->code_real_ns, ui_process(ui)->started_real_ns);
  pen.most_ns = most_of(beside->heat, first, last);
  source_file_line(file, first, text, sizeof text);
  pen.outdent = blanks_of(text);
  draw_heat_legend(rect.y, rect.x, rect.columns, ui->look.units == UNITS_PERCENT ? " LINE TOTAL%" : " LINE  TOTAL");
  uint32_t top = top_line(detail, first, last, rect.rows - 1);
  for (int row = 1; row < rect.rows && top + (uint32_t)row - 1 <= last; row++)
    draw_line(&pen, rect.y + row, top + (uint32_t)row - 1);
}

/* Draws the method's text in the rows that the lists leave free. */
static void detail_text(struct writer *writer, const struct detail_beside *beside)
{
  const struct label_shares *shares = beside->labels;
  frames(writer, "CALLERS", &writer->detail->callers, BESIDE_TEXT - 1);
  frames(writer, "CALLEES", &writer->detail->callees, BESIDE_TEXT);
  if (shares != NULL && label_shares_any(shares)) labels(writer, shares, BESIDE_TEXT - 1);
  writer->y++;
  struct rect rest = writer->rect;
  rest.y += writer->y;
  rest.rows -= writer->y;
  if (rest.rows > 1) detail_lines(writer->ui, writer->detail, beside, rest);
}

static bool has_text(const struct writer *writer, const struct detail_beside *beside)
{
  return beside != NULL && beside->heat != NULL && beside->file != NULL && beside->file->state == SOURCE_READY &&
         writer->rect.columns >= TEXT_COLUMNS && writer->rect.rows >= TEXT_ROWS;
}

void view_detail_draw(struct ui *ui, const struct detail *detail, const struct detail_beside *beside, struct rect rect)
{
  struct writer writer = detail_start(ui, detail, rect);
  const struct label_shares *shares = beside != NULL ? beside->labels : NULL;
  bool labelled = shares != NULL && label_shares_any(shares);
  int most = (rect.rows - (rect.rows < STATES_ROWS_MIN ? 10 : 16) - 2 * labelled) / (3 + labelled);
  most = most < 2 ? 2 : most;
  summary(&writer, has_text(&writer, beside));
  if (beside != NULL) raises(&writer, beside->raised);
  struct rect rest = { writer.rect.y + writer.y, writer.rect.x, rect.rows - writer.y, writer.rect.columns };
  bool calls = ui_calls_are_shown(ui);
  int traced = calls ? 0 : traced_draw(ui, detail->frame, rest);
  writer.y += traced;
  if (traced == 0 && has_text(&writer, beside)) {
    detail_text(&writer, beside);
    return;
  }
  frames(&writer, "CALLERS", &detail->callers, most);
  frames(&writer, "CALLEES", &detail->callees, most);
  lines(&writer, beside != NULL ? beside->file : NULL, most);
  if (labelled) labels(&writer, shares, most);
  if (rect.rows >= STATES_ROWS_MIN && !calls) states(&writer);
}

void view_detail_source(struct ui *ui, const struct detail *detail, const struct source_heat *heat,
                        const struct source_file *file, uint32_t line, struct rect rect)
{
  struct writer writer = detail_start(ui, detail, rect);
  int most = (rect.rows - (rect.rows < STATES_ROWS_MIN ? 11 : 17) - HOTTEST_LINES) / 2;
  most = most < 2 ? 2 : most;
  summary(&writer, false);
  detail_hottest(&writer, heat, file);
  called_from(&writer, heat, line, most);
  frames(&writer, "CALLERS", &detail->callers, most);
  if (rect.rows >= STATES_ROWS_MIN) states(&writer);
}
