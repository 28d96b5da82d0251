/* How the icicle looks: cells, and what is known about the one under the cursor. */
#include "draw.h"
#include "text.h"
#include "ui.h"
#include "view_icicle.h"
#include <ncurses.h>
#include <string.h>

enum { PERCENT_FROM = 12, PATH_NAMES_MAX = 64 };

static const char *label_of(const struct ui *ui, uint32_t node)
{
  uint32_t frame = ui->tree.nodes[node].frame;
  return node == 0 ? "all" : rtop_symbols_get(rtop_profile_symbols(ui->profile), frame)->label;
}

/* Against the baseline; 0 without one. */
static double change_of(const struct ui *ui, uint32_t tree_node)
{
  struct rtop_cost self, total;
  const struct rtop_tree_node *node = &ui->tree.nodes[tree_node];
  return ui_baseline_node(ui, tree_node, &self, &total)
    ? ui_baseline_change(ui, rtop_tree_clock(&node->total, ui->wanted.mode),
                         rtop_tree_clock(&total, ui->wanted.mode))
    : 0;
}

/* "[name 41%   ]"; compared "+name 41% +12 ]" or "-name ..."; highlighted cells stand between '=' (the same
 * method) or are marked by their face. */
static void draw_cell(const struct ui *ui, const struct icicle_view *view,
                      const struct rtop_icicle_cell *cell, int y)
{
  const struct rtop_tree_node *node = &ui->tree.nodes[cell->node];
  bool here = cell->merged == 0 && cell->node == view->node;
  bool hit = cell->merged == 0 && cell->node != 0 && icicle_view_is_hit(ui, view, node->frame);
  enum rtop_symbol_kind kind = rtop_symbols_get(rtop_profile_symbols(ui->profile), node->frame)->kind;
  enum face face = here ? FACE_CURSOR : hit ? FACE_MATCH : kind == RTOP_SYMBOL_C ? FACE_C : FACE_NORMAL;
  char text[400], share[32];
  if (cell->merged > 0) {
    snprintf(text, sizeof text, "+%u", cell->merged);
    int width = (int)strlen(text);
    draw_text(y, cell->x, cell->columns, FACE_LABEL, width <= cell->columns ? text : "+");
    return;
  }
  draw_blank(y, cell->x, cell->columns, here ? face : FACE_NORMAL);
  double change = change_of(ui, cell->node);
  draw_text(y, cell->x, 1, face,
            hit && view->same ? "=" : change >= 0.005 ? "+" : change <= -0.005 ? "-" : "[");
  draw_text(y, cell->x + cell->columns - 1, 1, face, hit && view->same ? "=" : "]");
  snprintf(share, sizeof share, "%.0f%%", 100 * ui_share(ui, rtop_tree_clock(&node->total,
                                                                             ui->wanted.mode)));
  if (ui->baseline.comparing) {
    size_t length = ui->baseline.all ? 0 : strlen(share);
    snprintf(share + length, sizeof share - length, length > 0 ? " %+.0f" : "%+.0f", 100 * change);
  }
  int room = cell->columns - 2;
  int used = draw_text(y, cell->x + 1, room, face, label_of(ui, cell->node));
  int left = room - used - 1;
  snprintf(text, sizeof text, "%s", share);
  if (cell->columns >= PERCENT_FROM && left >= (int)strlen(text)) {
    draw_text(y, cell->x + 2 + used, left, face, text);
  }
}

static void draw_cells(struct ui *ui, const struct icicle_view *view, struct rect at)
{
  const struct rtop_icicle *icicle = &view->icicle;
  int cursor_y = at.y, cursor_x = at.x;
  for (int i = 0; i < at.rows && view->top + (size_t)i < icicle->depths; i++) {
    size_t depth = view->top + (size_t)i;
    int y = view->flipped ? at.y + at.rows - 1 - i : at.y + i;
    for (size_t k = icicle->first[depth]; k < icicle->first[depth + 1]; k++) {
      const struct rtop_icicle_cell *cell = &icicle->cells[k];
      draw_cell(ui, view, cell, y);
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
  double seconds = (double)ui->sum.length_ns / 1e9;
  draw_percent(total, sizeof total, 100 * ui_share(ui, rtop_tree_clock(&node->total, mode)));
  draw_percent(self, sizeof self, 100 * ui_share(ui, rtop_tree_clock(&node->self, mode)));
  draw_percent(wait, sizeof wait, 100 * ui_share(ui, node->total.wall_ns[RTOP_STATE_WAITING]));
  draw_time(time, sizeof time, rtop_tree_clock(&node->total, mode));
  draw_time(span, sizeof span, ui->sum.length_ns);
  rtop_text_count(alloc, sizeof alloc, seconds > 0 ? (double)node->total.allocations / seconds : 0);
  draw_format(y, at.x + 2, at.columns - 2, FACE_NORMAL,
              "total %s%% (%s of %s)  self %s%%  wait %s%%  alloc %s/s  depth %u", total, time, span, self,
              wait, alloc, node->depth);
}

/* From the root to the node, its end is what matters. */
static void draw_path(struct ui *ui, const struct icicle_view *view, struct rect at, int y)
{
  uint32_t path[PATH_NAMES_MAX];
  char text[2048];
  size_t count = 0, used = 0;
  uint32_t node = view->node;
  for (; node != 0 && count < PATH_NAMES_MAX; node = ui->tree.nodes[node].parent) {
    path[count++] = node;
  }
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
    draw_format(y, at.x + 2, at.columns - 2, FACE_MATCH, "same method: %zu nodes, %s%%   = off", view->hits,
                share);
  } else if (ui->search[0] != '\0') {
    draw_format(y, at.x + 2, at.columns - 2, FACE_MATCH,
                "match /%s/: %zu nodes, %s%%   n next  N previous  = same method", ui->search, view->hits,
                share);
  } else {
    draw_text(y, at.x + 2, at.columns - 2, FACE_LABEL,
              "Enter zoom  Esc out  arrows move  / search  = same method  i flip");
  }
}

static void draw_pane(struct ui *ui, const struct icicle_view *view, struct rect at)
{
  char place[1100];
  int y = at.y;
  if (at.rows > 1) {
    if (view->icicle.merged > 0) {
      draw_format(y, at.x + 1, at.columns - 1, FACE_LABEL,
                  "too narrow for a cell of their own, merged as \"+N\": %zu nodes", view->icicle.merged);
    }
    y++;
    attrset((int)theme_attr(FACE_LABEL));
    for (int x = 0; x < at.columns; x++) {
      mvaddstr(y, at.x + x, draw_is_ascii() ? "=" : "═");
    }
    attrset(A_NORMAL);
    y++;
  }
  const struct rtop_symbol *symbol =
    rtop_symbols_get(rtop_profile_symbols(ui->profile), ui->tree.nodes[view->node].frame);
  draw_text(y, at.x, 2, FACE_TITLE, "> ");
  int used = 2 + draw_text(y, at.x + 2, at.columns - 2, FACE_TITLE, label_of(ui, view->node));
  if (view->node != 0) {
    ui_place(place, sizeof place, symbol);
    draw_tail(y, at.x + used + 3, at.columns - used - 3, FACE_PLACE, place);
  }
  if (at.rows > 1) {
    draw_figures(ui, view, at, y + 1);
    draw_path(ui, view, at, y + 2);
    draw_hits(ui, view, at, y + 3);
  }
}

void icicle_view_draw(struct ui *ui)
{
  struct icicle_view *view = ui->data[VIEW_ICICLE];
  struct rect table = ui->layout.part[PART_TABLE];
  if (!ui->layout.tiny && view->columns != table.columns) {
    icicle_view_rebuild(ui);
  }
  if (ui->layout.tiny) {
    bool any = ui->profile != NULL && rtop_tree_has(&ui->tree, view->node);
    draw_text(0, 0, ui->layout.columns, FACE_NORMAL, any ? label_of(ui, view->node) : ui_why_empty(ui));
    return;
  }
  if (view->icicle.count == 0) {
    draw_text(table.y, table.x + 1, table.columns - 1, FACE_NORMAL, ui_why_empty(ui));
    return;
  }
  int pane = icicle_view_pane_rows(ui), page = icicle_view_page(ui);
  if (table.rows > pane) {
    draw_pane(ui, view, (struct rect){ table.y + table.rows - pane, table.x, pane, table.columns });
  }
  draw_cells(ui, view, (struct rect){ table.y, table.x, page, table.columns });
}
