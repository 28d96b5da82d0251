/* SPDX-License-Identifier: MIT */
/* How the tree of calls looks. */
#include "view_tree.h"
#include "viewer.h"
#include "tui/term/draw.h"
#include "tui/text/text.h"
#include "tui/ui/ui.h"
#include <ncurses.h>
#include <string.h>

enum {
  FIGURE_COLUMNS = 7,
  CALLS_COLUMNS = 11,
  CALLS_SHARE_FROM = 60,
  CALLS_PLACE_FROM = 100,
  SELF_FROM = 48,
  PLACE_FROM = 72,
  SPLIT_FROM = 120,
  SPLIT_COLUMNS = 30,
  LABEL_COLUMNS_MIN = 20,
  FRAME_COLUMNS = 6, /* "|-[-] " */
};

struct tree_columns {
  int tree, tree_columns;
  int figures; /* column of the total, which self follows; for calls their number comes first */
  bool self;
  int share;                /* column of the share in the caller's total; 0: not shown */
  int place, place_columns; /* 0: not shown */
  int split;                /* 0: not shown */
};

struct tree_pen {
  struct ui *ui;
  const struct tree_view *view;
  bool calls; /* of all calls, not of samples */
  struct tree_columns columns;
  int shift;         /* number of columns by which deep trees are scrolled to the left */
  uint64_t whole_ns; /* what a full split bar is */
};

static struct tree_columns tree_choose(int width, bool calls, bool callers)
{
  struct tree_columns columns = { .figures = 1 + (calls ? CALLS_COLUMNS : 0), .self = width >= SELF_FROM };
  int right = width;
  columns.tree = columns.figures + (columns.self ? 2 : 1) * FIGURE_COLUMNS;
  if (calls && !callers && width >= CALLS_SHARE_FROM) {
    columns.share = columns.tree;
    columns.tree += FIGURE_COLUMNS;
  }
  columns.tree++;
  if (width >= SPLIT_FROM && !calls) columns.split = right -= SPLIT_COLUMNS;
  if (width >= (calls ? CALLS_PLACE_FROM : PLACE_FROM)) {
    columns.place_columns = width / 4 - 1 < 40 ? width / 4 - 1 : 40;
    columns.place = right -= columns.place_columns;
    columns.place_columns -= columns.split > 0 ? 1 : 0;
  }
  columns.tree_columns = right - columns.tree;
  return columns;
}

static void tree_draw_calls_heading(const struct tree_pen *pen, struct rect at, const char *mark)
{
  char text[16];
  bool sorted = pen->ui->wanted.sort == RTOP_SORT_COUNT;
  snprintf(text, sizeof text, "CALLS%s", sorted ? mark : " ");
  draw_right(at.y, at.x + 1, CALLS_COLUMNS, sorted ? FACE_HEADING_SORT : FACE_HEADING, text);
  if (pen->columns.share > 0) draw_right(at.y, at.x + pen->columns.share, FIGURE_COLUMNS, FACE_HEADING, "%PARENT");
}

static void tree_draw_heading(const struct tree_pen *pen, struct rect at)
{
  const struct ui *ui = pen->ui;
  bool percent = ui->look.units == UNITS_PERCENT;
  enum rtop_sort_key sort = rtop_sort_key_of_calls(ui->wanted.sort);
  bool compared = ui->baseline.comparing && !ui->baseline.all;
  bool delta = compared && tree_view_by_delta(ui, pen->view), total = sort == RTOP_SORT_TOTAL && !delta;
  char text[64];
  draw_blank(at.y, at.x, at.columns, FACE_HEADING);
  const char *mark = ui->wanted.reverse ? "^" : "v";
  int x = at.x + pen->columns.figures;
  if (pen->calls) tree_draw_calls_heading(pen, at, mark);
  snprintf(text, sizeof text, "%s%s", percent ? "TOTAL%" : "TOTAL", total ? mark : " ");
  draw_right(at.y, x, FIGURE_COLUMNS, total ? FACE_HEADING_SORT : FACE_HEADING, text);
  if (pen->columns.self) {
    snprintf(text, sizeof text, "%s%s", compared ? "DELTA" : percent ? "SELF%" : "SELF", delta ? mark : " ");
    draw_right(at.y, x + FIGURE_COLUMNS, FIGURE_COLUMNS, delta ? FACE_HEADING_SORT : FACE_HEADING, text);
  }
  snprintf(text, sizeof text, "%s", pen->view->callers ? "CALLERS" : "CALL TREE");
  if (!total && !delta && !(pen->calls && sort == RTOP_SORT_COUNT)) {
    snprintf(text + strlen(text), sizeof text - strlen(text), "  (by %s%s)", rtop_sort_key_name(sort),
             sort == RTOP_SORT_NAME ? "" : mark);
  }
  draw_text(at.y, at.x + pen->columns.tree, pen->columns.tree_columns, FACE_HEADING, text);
  if (pen->columns.place > 0)
    draw_text(at.y, at.x + pen->columns.place, pen->columns.place_columns, FACE_HEADING, "LOCATION");
  if (pen->columns.split > 0)
    draw_text(at.y, at.x + pen->columns.split, SPLIT_COLUMNS, FACE_HEADING, "SPLIT |run :wait .blocked #=GC");
}

/* Returns the glyph for threads that have this call on their stack now: a thread's state if this is its innermost call,
 * '*' if the GVL's holder is in a call below. */
static char now_glyph(const struct ui *ui, const struct rtop_tree_row *row, enum face *face)
{
  if (row->node == 0 || row->gone || ui_calls_are_shown(ui)) return ' ';
  const struct rtop_tree_node *node = &ui->tree.nodes[row->node];
  for (int state = 0; state < RTOP_STATES; state++) {
    if (node->leaves[state] > 0) {
      *face = draw_state_face((enum rtop_state)state);
      return draw_state_glyph((enum rtop_state)state);
    }
  }
  *face = FACE_RUN;
  return node->runs ? '*' : ' ';
}

static void tree_frame_text(const struct rtop_tree_row *row, char *out, size_t bytes)
{
  bool ascii = draw_is_ascii();
  size_t used = 0;
  out[0] = '\0';
  for (uint32_t depth = 0; depth + 1 < row->depth && used + 8 < bytes; depth++) {
    bool goes_on = depth + 1 < 64 && (row->lines >> (depth + 1) & 1) != 0;
    used += (size_t)snprintf(out + used, bytes - used, "%s", goes_on ? ascii ? "| " : "│ " : "  ");
  }
  if (row->depth > 0 && used + 8 < bytes)
    used += (size_t)snprintf(out + used, bytes - used, "%s", row->last ? ascii ? "`-" : "└─" : ascii ? "|-" : "├─");
  const char *box = row->below == 0 ? ascii ? "--- " : "─── " : row->open ? "[-] " : "[+] ";
  snprintf(out + used, bytes - used, "%s", box);
}

/* Returns the text from a column on, for frames whose characters are one column wide. */
static const char *from_column(const char *text, int columns)
{
  for (; columns > 0 && *text != '\0'; columns--) do {
      text++;
    } while (((unsigned char)*text & 0xc0) == 0x80);
  return text;
}

static void tree_draw_method(const struct tree_pen *pen, const struct rtop_tree_row *row, int y, bool selected)
{
  char frame[2048], below[32] = "";
  const struct rtop_symbol *symbol = rtop_symbols_get(rtop_profile_symbols(pen->ui->profile), row->frame);
  enum face face = rtop_symbol_is_code(symbol) ? FACE_NORMAL : FACE_C, now_face = FACE_NORMAL;
  int x = pen->columns.tree, end = x + pen->columns.tree_columns - 1;
  tree_frame_text(row, frame, sizeof frame);
  x += draw_text(y, x, end - x, selected ? FACE_CURSOR : FACE_NORMAL, from_column(frame, pen->shift));
  const char now[2] = { now_glyph(pen->ui, row, &now_face), '\0' };
  if (now[0] != ' ' && end - x > 2) {
    draw_text(y, x, 1, selected ? FACE_CURSOR : now_face, now);
    x += 2;
  }
  if (row->below > 0 && !row->open && !pen->view->callers) snprintf(below, sizeof below, "  (%u below)", row->below);
  int room = end - x - (int)strlen(below);
  face = ui_matches(pen->ui, row->frame) ? FACE_MATCH : selected ? FACE_CURSOR : face;
  const char *name =
      row->depth == 0 || pen->shift > 0 ? rtop_symbol_shown(symbol, frame, sizeof frame) : rtop_symbol_words(symbol);
  char chain[2048];
  if (row->chain > 0) {
    const struct rtop_symbol *first = rtop_symbols_get(rtop_profile_symbols(pen->ui->profile), row->first);
    char whole[512];
    const char *label = row->depth == 0 ? rtop_symbol_shown(first, whole, sizeof whole) : rtop_symbol_words(first);
    /* the process stands before the first one */
    ui_chain_text(row->chain, label, rtop_symbol_words(symbol), name, chain, sizeof chain, room > 12 ? room : end - x);
    name = chain;
  }
  x += draw_text(y, x, room > 12 ? room : end - x, face, name);
  draw_text(y, x, end - x, selected ? FACE_CURSOR : FACE_NORMAL, below);
  if (pen->columns.place > 0) {
    char place[1100];
    ui_place(place, sizeof place, symbol);
    draw_tail(y, pen->columns.place, pen->columns.place_columns, selected ? FACE_CURSOR : FACE_PLACE, place);
  }
}

static void draw_split(const struct tree_pen *pen, const struct rtop_tree_row *row, int y)
{
  struct draw_segment segments[RTOP_STATES];
  uint64_t all = rtop_cost_wall(&row->total);
  int columns = (int)((double)(SPLIT_COLUMNS - 1) * (double)all / (double)pen->whole_ns + 0.5);
  for (int state = 0; state < RTOP_STATES; state++) {
    segments[state] = (struct draw_segment){
      all > 0 ? (double)row->total.wall_ns[state] / (double)all : 0,
      (enum rtop_state)state,
    };
  }
  if (columns > 0)
    draw_bar(y, pen->columns.split, columns < SPLIT_COLUMNS ? columns : SPLIT_COLUMNS - 1, segments, RTOP_STATES);
}

/* Returns the cost of a row in the baseline; callers have only the self time of their method there. False: unknown. */
static bool cost_before(const struct ui *ui, const struct rtop_tree_row *row, struct rtop_cost *self,
                        struct rtop_cost *total)
{
  if (row->node != 0) return ui_baseline_node(ui, row->node, self, total);
  const struct rtop_method_row *before = ui_baseline_row(ui, row->frame);
  *self = before != NULL ? before->self : (struct rtop_cost){ 0 };
  *total = *self;
  return row->depth == 0 && row->key != 0;
}

/* Writes total and self; in a comparison the total and its change, or both changes. */
static void figures_text(const struct ui *ui, const struct rtop_tree_row *row, char (*text)[32])
{
  struct rtop_cost self, total;
  ui_cost_text(ui, text[0], sizeof text[0], &row->total);
  ui_cost_text(ui, text[1], sizeof text[1], &row->self);
  if (!ui->baseline.comparing) return;
  bool known = cost_before(ui, row, &self, &total);
  text[1][0] = '\0';
  if (known && !ui->baseline.all) {
    ui_baseline_cost_text(ui, text[1], sizeof text[1], &row->total, &total);
  } else if (ui->baseline.all) {
    text[0][0] = '\0';
    if (known) {
      ui_baseline_cost_text(ui, text[0], sizeof text[0], &row->total, &total);
      ui_baseline_cost_text(ui, text[1], sizeof text[1], &row->self, &self);
    }
  }
}

/* Draws the number of calls (for callers of a method, how often they called the method) and the share in the caller's
 * total, or in all. */
static void tree_draw_calls(const struct tree_pen *pen, const struct rtop_tree_row *row, int y, enum face face)
{
  char text[32];
  const struct rtop_tree_node *nodes = pen->ui->tree.nodes;
  snprintf(text, sizeof text, "%llu",
           (unsigned long long)(pen->view->callers ? row->total.samples : row->self.samples));
  draw_figure(y, 1, CALLS_COLUMNS - 1, face, text);
  if (pen->columns.share == 0 || row->node == 0) return;
  uint64_t all_ns = rtop_cost_wall(&nodes[nodes[row->node].parent].total);
  draw_percent(text, sizeof text, all_ns > 0 ? 100 * (double)rtop_cost_wall(&row->total) / (double)all_ns : 0);
  draw_figure(y, pen->columns.share, FIGURE_COLUMNS - 1, face, text);
}

static void tree_draw_row(const void *table, size_t place, int y, bool selected)
{
  const struct tree_pen *pen = table;
  const struct rtop_tree_row *row = &pen->view->trees[pen->view->callers].rows[place];
  char text[2][32];
  enum face face = selected ? FACE_CURSOR : FACE_NORMAL;
  figures_text(pen->ui, row, text);
  draw_figure(y, pen->columns.figures, FIGURE_COLUMNS - 1, face, text[0]);
  if (pen->calls) tree_draw_calls(pen, row, y, face);
  if (pen->columns.self) {
    bool hot = ui_share(pen->ui, rtop_tree_clock(&row->self, pen->ui->wanted.mode)) >= 0.1;
    enum face total = !selected && hot ? FACE_TITLE : face;
    draw_figure(y, pen->columns.figures + FIGURE_COLUMNS, FIGURE_COLUMNS - 1, total, text[1]);
  }
  if (tree_view_is_method(row)) {
    tree_draw_method(pen, row, y, selected);
  } else {
    const struct rtop_tree_rows *rows = &pen->view->trees[pen->view->callers];
    draw_format(y, pen->columns.tree, pen->columns.tree_columns, face, "%s (other: %zu paths < %g%%)",
                draw_is_ascii() ? "---" : "───", rows->other_paths, rows->least_percent);
  }
  if (pen->columns.split > 0) draw_split(pen, row, y);
}

/* Returns the shift to the left (columns) at which the method under the cursor is readable. */
static int shift_for(const struct tree_pen *pen, const struct rtop_tree_row *row)
{
  int frame = (int)row->depth * 2 + FRAME_COLUMNS, room = pen->columns.tree_columns - LABEL_COLUMNS_MIN;
  return frame > room && row->depth > 0 ? frame - (room > FRAME_COLUMNS ? room : FRAME_COLUMNS) : 0;
}

static void draw_side(struct ui *ui, const struct detail_list *list, struct rect at)
{
  uint64_t most = list->count > 0 && list->row[0].total_ns > 0 ? list->row[0].total_ns : 1;
  int bar = at.columns >= 60 ? 20 : at.columns >= 40 ? 10 : 0;
  for (int i = 0; i < list->count && i < at.rows; i++) {
    char text[32];
    struct rtop_cost cost = { .wall_ns = { list->row[i].total_ns }, .cpu_ns = list->row[i].total_ns };
    enum ui_units units = ui->look.units;
    ui->look.units = units == UNITS_SAMPLES ? UNITS_PERCENT : units; /* a list has no samples */
    ui_cost_text(ui, text, sizeof text, &cost);
    ui->look.units = units;
    draw_right(at.y + i, at.x, 7, FACE_NORMAL, text);
    int filled = (int)((double)bar * (double)list->row[i].total_ns / (double)most + 0.5);
    attrset((int)theme_attr(FACE_STRIP));
    for (int column = 0; column < filled; column++) mvaddstr(at.y + i, at.x + 8 + column, draw_is_ascii() ? "#" : "■");
    attrset(A_NORMAL);
    int x = 8 + bar + (bar > 0);
    draw_text(at.y + i, at.x + x, at.columns - x - 1, FACE_NORMAL,
              rtop_symbol_words(rtop_symbols_get(rtop_profile_symbols(ui->profile), list->row[i].id)));
  }
  if (list->count == 0 && at.rows > 0) draw_text(at.y, at.x + 2, at.columns - 2, FACE_NORMAL, "(none)");
}

static void draw_butterfly(struct ui *ui, const struct tree_view *view, struct rect at)
{
  char title[300], self[32], total[32];
  struct rtop_cost own = { .wall_ns = { view->detail.self_ns }, .cpu_ns = view->detail.self_ns };
  const struct rtop_symbol *symbol = rtop_symbols_get(rtop_profile_symbols(ui->profile), view->detail.frame);
  draw_percent(self, sizeof self, 100 * ui_share(ui, rtop_tree_clock(&own, ui->wanted.mode)));
  draw_percent(total, sizeof total, 100 * ui_share(ui, rtop_tree_clock(&view->detail.total, ui->wanted.mode)));
  snprintf(title, sizeof title, " butterfly: %.200s   self %s%%  total %s%% ", rtop_symbol_words(symbol), self, total);
  attrset((int)theme_attr(FACE_LABEL));
  for (int x = 0; x < at.columns; x++) mvaddstr(at.y, at.x + x, draw_is_ascii() ? "-" : "─");
  attrset(A_NORMAL);
  draw_text(at.y, at.x + 2, at.columns - 4, FACE_TITLE, title);
  int half = at.columns / 2;
  draw_text(at.y + 1, at.x + 1, half - 1, FACE_LABEL, "CALLERS");
  draw_text(at.y + 1, at.x + half + 2, half - 2, FACE_LABEL, "CALLEES");
  for (int y = 1; y < at.rows; y++) mvaddstr(at.y + y, at.x + half, draw_is_ascii() ? "|" : "│");
  draw_side(ui, &view->detail.callers, (struct rect){ at.y + 2, at.x, at.rows - 2, half });
  draw_side(ui, &view->detail.callees, (struct rect){ at.y + 2, at.x + half + 1, at.rows - 2, at.columns - half - 1 });
}

static void tree_draw_tiny(struct ui *ui, const struct rtop_tree_rows *rows)
{
  char share[32], text[300];
  if (rows->count == 0 || !tree_view_is_method(&rows->rows[0])) {
    draw_text(0, 0, ui->layout.columns, FACE_NORMAL, ui_why_empty(ui));
    return;
  }
  ui_cost_text(ui, share, sizeof share, &rows->rows[0].total);
  snprintf(text, sizeof text, "%s %.250s", share,
           rtop_symbols_get(rtop_profile_symbols(ui->profile), rows->rows[0].frame)->label);
  draw_text(0, 0, ui->layout.columns, FACE_NORMAL, text);
}

void tree_draw(struct ui *ui)
{
  struct tree_view *view = ui->data[VIEW_TREE];
  const struct rtop_tree_rows *rows = tree_view_rows(view);
  struct rect table = ui->layout.part[PART_TABLE];
  if (ui->layout.tiny) {
    tree_draw_tiny(ui, rows);
    return;
  }
  bool calls = ui_calls_are_shown(ui);
  struct tree_pen pen = { .ui = ui, .view = view, .calls = calls, .whole_ns = 1 };
  pen.columns = tree_choose(table.columns, calls, view->callers);
  for (size_t i = 0; i < rows->count; i++) {
    uint64_t wall_ns = rows->rows[i].depth == 0 ? rtop_cost_wall(&rows->rows[i].total) : 0;
    pen.whole_ns = wall_ns > pen.whole_ns ? wall_ns : pen.whole_ns;
  }
  if (view->at.pager.cursor < rows->count) pen.shift = shift_for(&pen, &rows->rows[view->at.pager.cursor]);
  tree_draw_heading(&pen, table);
  if (rows->count == 0) ui_draw_empty(table, ui_why_empty(ui));
  int butterfly = tree_view_butterfly_rows(ui);
  if (butterfly > 2 && view->detail_ready)
    draw_butterfly(ui, view, (struct rect){ table.y + table.rows - butterfly, table.x, butterfly, table.columns });
  struct ui_rows shown = tree_view_table(ui);
  ui_rows_draw(&shown, table, tree_draw_row, &pen);
}
