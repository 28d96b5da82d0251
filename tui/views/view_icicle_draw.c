/* SPDX-License-Identifier: MIT */
/* Draws the icicle: cells, and a description of the cell under the cursor. */
#include "view_icicle.h"
#include "viewer.h"
#include "tui/methods/states.h"
#include "tui/term/draw.h"
#include "tui/text/text.h"
#include "tui/ui/ui.h"
#include <ncurses.h>
#include <string.h>

enum { PERCENT_FROM = 12, PATH_NAMES_MAX = 64 };

static const char *label_of(const struct ui *ui, uint32_t node)
{
  uint32_t frame = ui->tree.nodes[node].frame;
  return node == 0 ? "all" : rtop_symbol_words(rtop_symbols_get(rtop_profile_symbols(ui->profile), frame));
}

/* Against the baseline; 0 without one. */
static double icicle_change_of(const struct ui *ui, uint32_t tree_node)
{
  struct rtop_cost self, total;
  const struct rtop_tree_node *node = &ui->tree.nodes[tree_node];
  return ui_baseline_node(ui, tree_node, &self, &total)
             ? ui_baseline_change(ui, rtop_tree_clock(&node->total, ui->wanted.mode),
                                  rtop_tree_clock(&total, ui->wanted.mode))
             : 0;
}

struct cell_look {
  const struct icicle_view *view;
  int y, rows; /* rows that are filled */
  bool fine;   /* room for digits after the point */
  enum face face, ground;
  bool same; /* highlighted as the method under the cursor */
  double change;
};

static const char *mark_of(const struct cell_look *look, const char *plain)
{
  return look->same ? "=" : look->change >= 0.005 ? "+" : look->change <= -0.005 ? "-" : plain;
}

/* Returns the part of the mode's time in a state; a cost without states counts as running. */
static uint64_t state_ns(const struct ui *ui, const struct rtop_cost *cost, int state)
{
  return rtop_mode_state(cost, ui->wanted.mode, (enum rtop_state)state);
}

static enum rtop_state most_of(const struct ui *ui, const struct rtop_cost *cost)
{
  int best = RTOP_STATE_RUNNING;
  for (int state = 0; state < RTOP_STATES; state++)
    if (state_ns(ui, cost, state) > state_ns(ui, cost, best)) best = state;
  return (enum rtop_state)best;
}

static enum face fill_of(enum rtop_state state, enum shade shade)
{
  static const enum face fills[RTOP_STATES] = { FACE_FILL_RUN, FACE_FILL_WAIT, FACE_FILL_BLOCKED, FACE_FILL_GC,
                                                FACE_FILL_GC };
  return fills[state] + (unsigned)shade;
}

/* The larger its share of what is shown, the brighter the cell. */
static enum shade shade_of(const struct icicle_view *view, const struct rtop_icicle_cell *cell, bool lit)
{
  return lit                                       ? SHADE_LIT
         : cell->columns * 10 >= view->columns * 4 ? SHADE_LARGE
         : cell->columns * 10 >= view->columns     ? SHADE_MIDDLE
                                                   : SHADE_SMALL;
}

/* Levels of heat: self time as a share of one thread. */
static const struct {
  double from;
  enum face face;
  char sign;
  const char *word;
} heats[] = { { 0, FACE_HEAT_0, '_', "less" },
              { 0.01, FACE_HEAT_1, '.', "1%" },
              { 0.05, FACE_HEAT_2, ':', "5%" },
              { 0.2, FACE_HEAT_3, '+', "20%" },
              { 0.5, FACE_HEAT_4, '#', "50%" } };
enum { HEATS = sizeof heats / sizeof heats[0] };

static int heat_of(const struct ui *ui, const struct rtop_tree_node *node)
{
  double share = ui_share(ui, rtop_tree_clock(&node->self, ui->wanted.mode));
  int heat = 0;
  while (heat + 1 < HEATS && share >= heats[heat + 1].from) heat++;
  return heat;
}

static enum face cell_fill(const struct ui *ui, const struct icicle_view *view, const struct rtop_icicle_cell *cell,
                           bool lit)
{
  const struct rtop_tree_node *node = &ui->tree.nodes[cell->node];
  if (!view->heat) return fill_of(most_of(ui, &node->total), shade_of(view, cell, lit));
  return lit ? FACE_LIT : heats[heat_of(ui, node)].face;
}

/* What the colour says, as a character. */
static char cell_sign(const struct ui *ui, const struct icicle_view *view, const struct rtop_tree_node *node)
{
  return view->heat ? heats[heat_of(ui, node)].sign : draw_state_glyph(most_of(ui, &node->total));
}

/* Writes a bar of signs: the states of the cell's time, or its share of own time. */
static void cell_bar(const struct ui *ui, const struct icicle_view *view, uint32_t of, char *bar, int columns)
{
  const struct rtop_tree_node *node = &ui->tree.nodes[of];
  double whole = (double)rtop_tree_clock(&node->total, ui->wanted.mode), until = 0;
  int used = 0;
  if (view->heat) {
    until = (double)rtop_tree_clock(&node->self, ui->wanted.mode);
    int own = whole > 0 ? (int)(until / whole * columns + 0.5) : 0;
    memset(bar, heats[heat_of(ui, node)].sign, (size_t)(used = own < columns ? own : columns));
  }
  for (int state = 0; state < RTOP_STATES && !view->heat && whole > 0; state++) {
    until += (double)state_ns(ui, &node->total, state);
    double end_share = ui_hysteresis_share(ui, of, (uint32_t)state, until / whole);
    int end = (int)(end_share * columns + 0.5);
    for (end = end < columns ? end : columns; used < end; used++) bar[used] = draw_state_glyph((enum rtop_state)state);
  }
  bar[used] = '\0';
}

/* Writes the share: "41%", in a comparison "41% +12"; if there is room "41.2%". */
static void icicle_share_text(const struct ui *ui, const struct cell_look *look, uint64_t ns, char *out, size_t bytes)
{
  char share[32];
  snprintf(share, sizeof share, "%.0f", 100 * ui_share(ui, ns));
  if (look->fine) draw_percent(share, sizeof share, 100 * ui_share(ui, ns));
  if (!ui->baseline.comparing) snprintf(out, bytes, "%s%%", share);
  else if (ui->baseline.all) snprintf(out, bytes, "%+.0f", 100 * look->change);
  else snprintf(out, bytes, "%s%% %+.0f", share, 100 * look->change);
}

/* Draws the total and, if there is room, self. Returns the number of columns used; 0: not even the total fits. */
static int draw_share(const struct ui *ui, const struct cell_look *look, uint32_t node, int y, int x, int columns)
{
  char text[112], total[64], self[32];
  const struct rtop_tree_node *of = &ui->tree.nodes[node];
  uint64_t total_ns = rtop_tree_clock(&of->total, ui->wanted.mode);
  uint64_t self_ns = rtop_tree_clock(&of->self, ui->wanted.mode);
  icicle_share_text(ui, look, total_ns, total, sizeof total);
  snprintf(text, sizeof text, "%s", total);
  if (look->fine) {
    draw_percent(self, sizeof self, 100 * ui_share(ui, self_ns));
    snprintf(text, sizeof text, "%s  self %s%%", total, self);
  }
  bool both = columns >= (int)strlen(text), any = columns >= (int)strlen(total);
  return any ? draw_text(y, x, columns, look->face, both ? text : total) : 0;
}

/* Columns beside the left edge; a blank at the right if the cell is wide. */
static int inner_columns(const struct rtop_icicle_cell *cell)
{
  return cell->columns - (cell->columns >= PERCENT_FROM ? 2 : 1);
}

/* Draws what fills the cell, and its left edge; what is highlighted as the same method has '=' on both sides. */
static void draw_ground(const struct cell_look *look, const struct rtop_icicle_cell *cell)
{
  const char *edge = look->same ? "=" : draw_is_ascii() ? "|" : "▎";
  for (int row = 0; row < look->rows; row++) {
    int y = look->y + row;
    draw_blank(y, cell->x, cell->columns, look->ground);
    draw_text(y, cell->x, 1, look->face, row == 0 ? mark_of(look, edge) : edge);
    if (look->same && cell->columns > 1) draw_text(y, cell->x + cell->columns - 1, 1, look->face, edge);
  }
}

/* Draws the states of the cell after the text of the row, of which `room` columns are left, if these are enough; else
 * the main one at the cell's corner. */
static void draw_sign(const struct ui *ui, const struct cell_look *look, const struct rtop_icicle_cell *cell, int y,
                      int used, int room)
{
  enum { BAR_LEAST = 3, BAR_MOST = 40, BEFORE = 2 };
  const struct rtop_tree_node *node = &ui->tree.nodes[cell->node];
  char bar[BAR_MOST + 1];
  room -= BEFORE;
  if (room >= BAR_LEAST) {
    cell_bar(ui, look->view, cell->node, bar, room < BAR_MOST ? room : BAR_MOST);
    draw_text(y, cell->x + 1 + used + BEFORE, room, look->face, bar);
  } else if (mark_of(look, "")[0] == '\0') {
    draw_format(look->y, cell->x, 1, look->face, "%c", cell_sign(ui, look->view, node));
  }
}

/* The name of the call, or of the last one of a chain; before it, with enough room, that it is one. */
static int draw_name(const struct ui *ui, const struct cell_look *look, const struct rtop_icicle_cell *cell, int y,
                     int room)
{
  char text[2048];
  const char *last = label_of(ui, cell->node), *name = ui_label_that_fits(last, room);
  if (cell->chain > 0 &&
      ui_chain_text(cell->chain, label_of(ui, cell->first), last, last, text, sizeof text, room) <= room)
    name = text;
  return draw_text(y, cell->x + 1, room, look->face, name);
}

/* Draws a cell: with one row "|name 41%  ||||::", else "|name" above "|41.2%  self 3.0%  ||||::". In a comparison '+' or
 * '-' takes the place of the edge; highlighted cells are between '=' (the same method) or marked by their face. */
static void draw_node(const struct ui *ui, const struct cell_look *look, const struct rtop_icicle_cell *cell)
{
  int room = inner_columns(cell) - (look->same && cell->columns < PERCENT_FROM ? 1 : 0);
  draw_ground(look, cell);
  int used = draw_name(ui, look, cell, look->y, room);
  if (look->rows > 1) {
    used = draw_share(ui, look, cell->node, look->y + 1, cell->x + 1, room);
  } else if (cell->columns >= PERCENT_FROM) {
    int share = draw_share(ui, look, cell->node, look->y, cell->x + 2 + used, room - used - 1);
    used += share > 0 ? 1 + share : 0;
  }
  draw_sign(ui, look, cell, look->y + look->rows - 1, used, room - used);
}

/* Is the cell on the path from the root to the cursor? */
static bool is_lit(const struct ui *ui, const struct icicle_view *view, const struct rtop_icicle_cell *cell)
{
  uint32_t node = view->node, depth = ui->tree.nodes[cell->node].depth;
  while (ui->tree.nodes[node].depth > depth) node = ui->tree.nodes[node].parent;
  return node == cell->node;
}

static void icicle_draw_cell(const struct ui *ui, const struct icicle_view *view, const struct rtop_icicle_cell *cell,
                             int y)
{
  if (cell->merged > 0) {
    char text[16];
    int width = snprintf(text, sizeof text, "+%u", cell->merged);
    draw_text(y, cell->x, cell->columns, FACE_LABEL, width <= cell->columns ? text : "+");
    return;
  }
  bool here = cell->node == view->node, hit = icicle_view_is_hit(ui, view, cell);
  bool lit = is_lit(ui, view, cell);
  enum face fill = cell_fill(ui, view, cell, lit);
  struct cell_look look = {
    .view = view,
    .y = y,
    .rows = view->cell_rows > 1 ? 2 : 1, /* a third one is the space below the cell */
    .fine = view->cell_rows > 1,
    .same = hit && view->same,
    .change = icicle_change_of(ui, cell->node),
    .face = here  ? FACE_CURSOR
            : hit ? FACE_MATCH
                  : fill,
    .ground = here ? FACE_CURSOR : fill,
  };
  draw_node(ui, &look, cell);
}

static void draw_cells(struct ui *ui, const struct icicle_view *view, struct rect at)
{
  const struct rtop_icicle *icicle = &view->icicle;
  int cursor_y = at.y, cursor_x = at.x, high = view->cell_rows;
  for (int i = 0; i < icicle_view_page(ui) && view->top + (size_t)i < icicle->depths; i++) {
    size_t depth = view->top + (size_t)i;
    int y = view->flipped ? at.y + at.rows - (i + 1) * high : at.y + i * high;
    for (size_t k = icicle->first[depth]; k < icicle->first[depth + 1]; k++) {
      const struct rtop_icicle_cell *cell = &icicle->cells[k];
      icicle_draw_cell(ui, view, cell, y);
      if (cell->merged == 0 && cell->node == view->node) {
        cursor_y = y;
        cursor_x = cell->x;
      }
    }
  }
  move(cursor_y, cursor_x);
}

static void draw_figures(struct ui *ui, const struct icicle_view *view, struct rect at, int y)
{
  const struct rtop_tree_node *node = &ui->tree.nodes[view->node];
  char total[32], self[32], wait[32], time[32], span[32], alloc[32];
  enum rtop_mode mode = ui->wanted.mode;
  uint64_t length_ns = ui_shown_sum(ui)->length_ns;
  double seconds = (double)length_ns / 1e9;
  uint64_t total_ns = rtop_tree_clock(&node->total, mode);
  uint64_t self_ns = rtop_tree_clock(&node->self, mode);
  uint64_t wait_ns = node->total.wall_ns[RTOP_STATE_WAITING];
  double rate = seconds > 0 ? (double)node->total.allocations / seconds : 0;
  if (ui_calls_are_shown(ui)) {
    draw_time(time, sizeof time, total_ns);
    draw_time(span, sizeof span, self_ns);
    draw_format(y, at.x + 2, at.columns - 2, FACE_NORMAL, "%llu calls  total %s  self %s  depth %u",
                (unsigned long long)node->self.samples, time, span, node->depth);
    return;
  }
  draw_percent(total, sizeof total, 100 * ui_share(ui, total_ns));
  draw_percent(self, sizeof self, 100 * ui_share(ui, self_ns));
  draw_percent(wait, sizeof wait, 100 * ui_share(ui, wait_ns));
  draw_time(time, sizeof time, total_ns);
  draw_time(span, sizeof span, length_ns);
  rtop_text_count(alloc, sizeof alloc, rate);
  draw_format(y, at.x + 2, at.columns - 2, FACE_NORMAL,
              "total %s%% (%s of %s)  self %s%%  wait %s%%  alloc %s/s  depth %u", total, time, span, self, wait, alloc,
              node->depth);
}

/* Draws the path from the root to the node; if cut, its end is shown. */
static void draw_path(struct ui *ui, const struct icicle_view *view, struct rect at, int y)
{
  uint32_t path[PATH_NAMES_MAX];
  char text[2048];
  size_t count = 0, used = 0;
  uint32_t node = view->node;
  for (; node != 0 && count < PATH_NAMES_MAX; node = ui->tree.nodes[node].parent) path[count++] = node;
  text[0] = '\0';
  while (count > 0 && used < sizeof text - 256) {
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%.200s", used > 0 ? " > " : "",
                             label_of(ui, path[--count]));
  }
  int x = at.x + 2 + draw_text(y, at.x + 2, at.columns - 2, FACE_LABEL, "path ");
  draw_tail(y, x, at.columns - x, FACE_NORMAL, text);
}

static void draw_hits(struct ui *ui, const struct icicle_view *view, struct rect at, int y)
{
  char share[32];
  draw_percent(share, sizeof share, 100 * ui_share(ui, view->hit_ns));
  if (view->same) {
    draw_format(y, at.x + 2, at.columns - 2, FACE_MATCH, "same method: %zu nodes, %s%%   = off", view->hits, share);
  } else if (ui->search[0] != '\0') {
    draw_format(y, at.x + 2, at.columns - 2, FACE_MATCH,
                "match /%s/: %zu nodes, %s%%   n next  N previous  = same method", ui->search, view->hits, share);
  } else {
    draw_text(y, at.x + 2, at.columns - 2, FACE_LABEL,
              "Enter menu  + zoom  Esc out  arrows move  / search  = same method  i flip");
  }
}

/* Writes which depths are visible if not all are: "levels 4 to 9 of 31", or "4-9/31". Returns the number of columns. */
static int levels_text(const struct ui *ui, const struct icicle_view *view, const char *format, char *out, size_t bytes)
{
  size_t depths = view->icicle.depths, end = view->top + (size_t)icicle_view_page(ui);
  end = end < depths ? end : depths;
  out[0] = '\0';
  return view->top > 0 || end < depths ? snprintf(out, bytes, format, (size_t)view->top + 1, end, depths) : 0;
}

/* Writes below the cells which nodes have no visible cell: how many are too narrow, and which levels are scrolled
   out of view. */
static void draw_missing(struct ui *ui, const struct icicle_view *view, struct rect at)
{
  char levels[64];
  int width = levels_text(ui, view, "levels %zu to %zu of %zu", levels, sizeof levels);
  if (view->icicle.merged > 0) {
    draw_format(at.y, at.x + 1, at.columns - 1 - (width > 0 ? width + 3 : 0), FACE_LABEL,
                "too narrow, merged as \"+N\": %zu nodes", view->icicle.merged);
  }
  if (width > 0) draw_right(at.y, at.x + at.columns - width - 1, width, FACE_LABEL, levels);
}

/* Draws a line between cells and text, which explains how cells are filled. */
static void draw_cell_legend(const struct icicle_view *view, struct rect at, int y)
{
  static const enum rtop_state states[] = { RTOP_STATE_RUNNING, RTOP_STATE_WAITING, RTOP_STATE_BLOCKED,
                                            RTOP_STATE_MARKING, RTOP_STATE_SWEEPING };
  int x = at.x + 1, end = at.x + at.columns;
  x += draw_text(y, x, end - x, FACE_TITLE, view->heat ? "self " : "state ");
  for (int i = 0; i < HEATS; i++) {
    char sign = view->heat ? heats[i].sign : draw_state_glyph(states[i]);
    enum face face = view->heat ? heats[i].face : fill_of(states[i], SHADE_MIDDLE);
    x += draw_format(y, x, end - x, face, " %c %s ", sign, view->heat ? heats[i].word : state_word(states[i])) + 1;
  }
  draw_text(y, x + 1, end - x - 1, FACE_LABEL, view->heat ? "c: by state" : "c: by heat (self)");
}

static void draw_pane(struct ui *ui, const struct icicle_view *view, struct rect at)
{
  char place[1100];
  int y = at.y;
  if (at.rows > 1) {
    draw_missing(ui, view, at);
    y++;
    draw_cell_legend(view, at, y);
    y++;
  }
  const struct rtop_symbol *symbol =
      rtop_symbols_get(rtop_profile_symbols(ui->profile), ui->tree.nodes[view->node].frame);
  int columns = at.columns;
  if (at.rows == 1) {
    char levels[64];
    int width = levels_text(ui, view, "%zu-%zu/%zu", levels, sizeof levels);
    draw_right(y, at.x + columns - width, width, FACE_LABEL, levels);
    columns -= width > 0 ? width + 1 : 0;
  }
  draw_text(y, at.x, 2, FACE_TITLE, "> ");
  int used = 2 + draw_text(y, at.x + 2, columns - 2, FACE_TITLE, label_of(ui, view->node));
  if (view->node != 0) {
    ui_place(place, sizeof place, symbol);
    draw_tail(y, at.x + used + 3, columns - used - 3, FACE_PLACE, place);
  }
  if (at.rows > 1) {
    draw_figures(ui, view, at, y + 1);
    draw_path(ui, view, at, y + 2);
    draw_hits(ui, view, at, y + 3);
  }
}

void icicle_draw(struct ui *ui)
{
  struct icicle_view *view = ui->data[VIEW_ICICLE];
  struct rect table = ui->layout.part[PART_TABLE];
  if (!ui->layout.tiny && (view->columns != table.columns || view->rows != table.rows)) icicle_view_rebuild(ui);
  if (ui->layout.tiny) {
    bool any = ui->profile != NULL && rtop_tree_has(&ui->tree, view->node);
    draw_text(0, 0, ui->layout.columns, FACE_NORMAL, any ? label_of(ui, view->node) : ui_why_empty(ui));
    return;
  }
  if (view->icicle.count == 0) {
    bool zoomed = view->root != 0 && view->root < ui->tree.count && ui->sum.length_ns > 0;
    if (zoomed)
      draw_format(table.y, table.x + 1, table.columns - 1, FACE_NORMAL, "not in this span (Esc zooms out): %.200s",
                  label_of(ui, view->root));
    else draw_text(table.y, table.x + 1, table.columns - 1, FACE_NORMAL, ui_why_empty(ui));
    return;
  }
  int pane = icicle_view_pane_rows(ui);
  if (table.rows > pane)
    draw_pane(ui, view, (struct rect){ table.y + table.rows - pane, table.x, pane, table.columns });
  draw_cells(ui, view, (struct rect){ table.y, table.x, icicle_view_rows(ui), table.columns });
}
