/* The table of methods: order, cursor, search, columns. Rows are drawn in view_methods_draw.c. */
#include "view_methods.h"
#include "draw.h"
#include "screen.h"
#include "text.h"
#include "ui.h"
#include <stdlib.h>
#include <string.h>

enum { HOLD_NS = 2000000000 };

static struct methods_view *self(const struct ui *ui)
{
  return ui->data[VIEW_METHODS];
}

static bool create(struct ui *ui)
{
  ui->data[VIEW_METHODS] = calloc(1, sizeof(struct methods_view));
  return ui->data[VIEW_METHODS] != NULL;
}

static void forget(struct ui *ui)
{
  struct methods_view *view = self(ui);
  order_destroy(&view->order);
  history_destroy(&view->history);
  detail_destroy(&view->detail);
  memset(view, 0, sizeof *view);
}

static void destroy(struct ui *ui)
{
  if (self(ui) != NULL) {
    forget(ui);
    free(self(ui));
    ui->data[VIEW_METHODS] = NULL;
  }
}

const struct rtop_method_row *methods_view_row(const struct ui *ui, size_t place)
{
  const struct methods_view *view = self(ui);
  return place < view->order.count ? &ui->methods.rows[view->order.rows[place]] : NULL;
}

bool methods_view_matches(const struct ui *ui, const struct rtop_method_row *row)
{
  const struct rtop_symbol *symbol = rtop_symbols_get(rtop_profile_symbols(ui->profile), row->frame);
  return ui->search[0] != '\0'
    && (rtop_text_contains(symbol->label, ui->search) || rtop_text_contains(symbol->path, ui->search));
}

static void count_matches(struct ui *ui)
{
  struct methods_view *view = self(ui);
  ui->match_count = ui->match_at = 0;
  for (size_t i = 0; ui->search[0] != '\0' && i < view->order.count; i++) {
    if (methods_view_matches(ui, methods_view_row(ui, i))) {
      ui->match_count++;
      ui->match_at = i == view->pager.cursor ? ui->match_count : ui->match_at;
    }
  }
}

static int page_rows(const struct ui *ui)
{
  int rows = ui->layout.part[PART_TABLE].rows - 1;
  return rows > 1 ? rows : 1;
}

static void keep_in_view(const struct ui *ui)
{
  struct methods_view *view = self(ui);
  pager_fit(&view->pager, view->order.count, (size_t)page_rows(ui));
}

/* The cursor goes where its method went; when the method is not in the table it waits on its row. */
static void follow(struct ui *ui)
{
  struct methods_view *view = self(ui);
  if (!view->anchored || !ui->follow) {
    return;
  }
  for (size_t i = 0; i < view->order.count; i++) {
    if (methods_view_row(ui, i)->frame == view->anchor) {
      view->pager.cursor = i;
      return;
    }
  }
}

static void anchor_here(struct ui *ui)
{
  struct methods_view *view = self(ui);
  const struct rtop_method_row *row = methods_view_row(ui, view->pager.cursor);
  view->anchored = row != NULL;
  view->anchor = row != NULL ? row->frame : 0;
}

static bool details_shown(const struct ui *ui)
{
  return ui->layout.part[PART_DETAIL].rows > 0 || self(ui)->details_open;
}

static void update_detail(struct ui *ui)
{
  struct methods_view *view = self(ui);
  const struct rtop_method_row *row = methods_view_row(ui, view->pager.cursor);
  view->detail_ready = row != NULL && details_shown(ui)
    && detail_build(&view->detail, &ui->sum, rtop_profile_symbols(ui->profile), row->frame,
                    ui->wanted.mode);
}

static void update(struct ui *ui)
{
  struct methods_view *view = self(ui);
  if (ui->profile == NULL) {
    return;
  }
  size_t frames = rtop_symbols_frame_count(rtop_profile_symbols(ui->profile));
  bool hold = ui->now_ns < view->hold_until_ns;
  if (!order_apply(&view->order, &ui->methods, layout_column_of(ui->wanted.sort), ui->wanted.reverse, hold,
                   frames)) {
    view->order.count = 0;
  }
  follow(ui);
  keep_in_view(ui);
  count_matches(ui);
  update_detail(ui);
  ui->more = view->has_history
    && history_update(&view->history, ui->profile, ui->span.end_ns, ui->wanted.mode);
}

/* The cursor was moved to where it is. */
static void moved(struct ui *ui)
{
  self(ui)->hold_until_ns = ui->now_ns + HOLD_NS;
  anchor_here(ui);
  keep_in_view(ui);
  count_matches(ui);
  update_detail(ui);
}

static void find(struct ui *ui, size_t from, int step)
{
  struct methods_view *view = self(ui);
  size_t count = view->order.count;
  for (size_t i = 0; i < count; i++) {
    size_t place = (from + (step > 0 ? i : count - 1 - i)) % count;
    if (methods_view_matches(ui, methods_view_row(ui, place))) {
      view->pager.cursor = place;
      moved(ui);
      return;
    }
  }
  count_matches(ui);
}

static void sort_changed(struct ui *ui)
{
  struct methods_view *view = self(ui);
  order_forget(&view->order);
  view->hold_until_ns = 0;
  ui->scroll = 0;
  ui->stale = true;
}

static bool sort_by(struct ui *ui, enum rtop_sort_key key)
{
  ui->wanted.reverse = ui->wanted.sort == key && key != RTOP_SORT_NAME ? ui->wanted.reverse : false;
  ui->wanted.sort = key;
  sort_changed(ui);
  return true;
}

/* The next column that can be sorted by, in the order on the screen. */
static bool sort_step(struct ui *ui, int step)
{
  int column = (int)layout_column_of(ui->wanted.sort) + step;
  while (column >= 0 && column < COLUMN_COUNT) {
    int sort = layout_column((enum column)column)->sort;
    if (sort >= 0) {
      return sort_by(ui, (enum rtop_sort_key)sort);
    }
    column += step;
  }
  return true;
}

static bool sort_menu(struct ui *ui)
{
  menu_start(&ui->menu, "Sort by");
  for (int column = 0; column < COLUMN_COUNT; column++) {
    const struct column_info *info = layout_column((enum column)column);
    if (info->sort >= 0) {
      menu_add(&ui->menu, info->title, info->sort, info->sort == (int)ui->wanted.sort);
    }
  }
  return true;
}

static void next_window(struct ui *ui)
{
  static const int64_t seconds[] = { 1, 10, 60 };
  int64_t next = 0;
  if (ui->length_ns <= 0) {
    next = seconds[0];
  } else {
    for (size_t i = 0; i < sizeof seconds / sizeof seconds[0] && next == 0; i++) {
      next = seconds[i] * 1000000000 > ui->length_ns ? seconds[i] : 0;
    }
  }
  ui->length_ns = next * 1000000000;
  ui->stale = true;
  if (next == 0) {
    ui_say(ui, "window: everything there is");
  } else {
    ui_say(ui, "window: %d s", (int)next);
  }
}

static bool copy(struct ui *ui)
{
  char text[1024];
  const struct rtop_method_row *row = methods_view_row(ui, self(ui)->pager.cursor);
  if (row != NULL) {
    const struct rtop_symbol *symbol = rtop_symbols_get(rtop_profile_symbols(ui->profile), row->frame);
    char place[800];
    ui_place(place, sizeof place, symbol);
    snprintf(text, sizeof text, "%.200s %s", symbol->label, place);
    screen_copy(text);
    ui_say(ui, "copied %s", symbol->label);
  }
  return true;
}

static bool scroll_columns(struct ui *ui, int step)
{
  int max = layout_scroll_max(ui->layout.part[PART_TABLE].columns);
  int scroll = ui->scroll + step;
  ui->scroll = scroll < 0 ? 0 : scroll > max ? max : scroll;
  return true;
}

static bool move_request(struct ui *ui, enum request request)
{
  struct methods_view *view = self(ui);
  if (!pager_request(&view->pager, request, view->order.count, (size_t)page_rows(ui))) {
    return false;
  }
  moved(ui);
  if (request == REQUEST_FIRST) {
    view->anchored = false;             /* at the top the place counts, not the method */
  }
  return true;
}

static bool close_details(struct ui *ui)
{
  struct methods_view *view = self(ui);
  bool was_open = view->details_open;
  view->details_open = false;
  return was_open;
}

static bool find_request(struct ui *ui, enum request request)
{
  struct methods_view *view = self(ui);
  if (request != REQUEST_SEARCH && ui->search[0] == '\0') {
    return request == REQUEST_NEXT;
  }
  switch (request) {
  case REQUEST_SEARCH: find(ui, view->pager.cursor, 1); return true;
  case REQUEST_NEXT: find(ui, view->pager.cursor + 1, 1); return true;
  default: find(ui, view->pager.cursor, -1); return true;
  }
}

static bool handle(struct ui *ui, enum request request)
{
  struct methods_view *view = self(ui);
  switch (request) {
  case REQUEST_SEARCH: case REQUEST_NEXT: case REQUEST_PREVIOUS: return find_request(ui, request);
  case REQUEST_SORT_MENU:
    if (ui->menu.count > 0 && !ui->menu.open) {   /* a choice was made */
      ui->menu.count = 0;
      sort_changed(ui);
      return true;
    }
    return sort_menu(ui);
  case REQUEST_SORT_LEFT: return sort_step(ui, -1);
  case REQUEST_SORT_RIGHT: return sort_step(ui, 1);
  case REQUEST_SORT_SELF: return sort_by(ui, RTOP_SORT_SELF);
  case REQUEST_SORT_TOTAL: return sort_by(ui, RTOP_SORT_TOTAL);
  case REQUEST_SORT_ALLOC: return sort_by(ui, RTOP_SORT_ALLOC);
  case REQUEST_SORT_NAME: return sort_by(ui, RTOP_SORT_NAME);
  case REQUEST_REVERSE:
    ui->wanted.reverse = !ui->wanted.reverse;
    sort_changed(ui);
    return true;
  case REQUEST_FOLLOW:
    ui->follow = !ui->follow;
    anchor_here(ui);
    ui_say(ui, ui->follow ? "the cursor follows its method" : "the cursor stays on its row");
    return true;
  case REQUEST_LEFT: return scroll_columns(ui, -1);
  case REQUEST_RIGHT: return scroll_columns(ui, 1);
  case REQUEST_ENTER:
    view->details_open = !view->details_open && ui->layout.part[PART_DETAIL].rows == 0;
    update_detail(ui);
    return true;
  case REQUEST_BACK: case REQUEST_QUIT: return close_details(ui);
  case REQUEST_WINDOW: next_window(ui); return true;
  case REQUEST_UNITS: ui->units = (enum ui_units)((ui->units + 1) % 3); return true;
  case REQUEST_COPY: return copy(ui);
  default: return move_request(ui, request);
  }
}

static void draw(struct ui *ui)
{
  struct methods_view *view = self(ui);
  keep_in_view(ui);
  if (details_shown(ui) && (!view->detail_ready || methods_view_row(ui, view->pager.cursor) == NULL
                            || view->detail.frame != methods_view_row(ui, view->pager.cursor)->frame)) {
    update_detail(ui);
  }
  methods_view_draw(ui, view);
}

const struct view_ops view_methods = {
  .id = VIEW_METHODS,
  .name = "Methods",
  .key = '1',
  .detail = true,
  .create = create,
  .update = update,
  .draw = draw,
  .handle = handle,
  .forget = forget,
  .destroy = destroy,
};
