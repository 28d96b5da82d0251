/* Groups of the call graph: opening, jumping from a reference to its group and back, the threshold. Rows
 * are drawn in view_groups_draw.c. */
#include "view_groups.h"
#include "viewer.h"
#include "tui/ui/ui.h"
#include "tui/ui/ui_outline.h"
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 2, LEVELS_ALL = UINT16_MAX };
static const double thresholds[] = { 0, 0.1, 0.5, 1, 2, 5, 10, 20 };
enum { THRESHOLDS = sizeof thresholds / sizeof thresholds[0], THRESHOLD_FIRST = 1 };

_Static_assert(offsetof(struct rtop_group_row, key) == offsetof(struct ui_outline_row, key) &&
                   offsetof(struct rtop_group_row, frame) == offsetof(struct ui_outline_row, frame) &&
                   offsetof(struct rtop_group_row, depth) == offsetof(struct ui_outline_row, depth),
               "rows are those of an outline");

static struct groups_view *self(const struct ui *ui)
{
  return ui->data[VIEW_GROUPS];
}

static void begin(struct groups_view *view)
{
  view->groups.levels = LEVELS;
  view->threshold = THRESHOLD_FIRST;
}

static bool create(struct ui *ui)
{
  struct groups_view *view = ui->data[VIEW_GROUPS] = calloc(1, sizeof *view);
  if (view != NULL) begin(view);
  return view != NULL;
}

static void forget(struct ui *ui)
{
  struct groups_view *view = self(ui);
  rtop_groups_destroy(&view->groups);
  memset(view, 0, sizeof *view);
  begin(view);
}

static void destroy(struct ui *ui)
{
  if (self(ui) != NULL) {
    forget(ui);
    free(self(ui));
    ui->data[VIEW_GROUPS] = NULL;
  }
}

bool groups_view_is_method(const struct rtop_group_row *row)
{
  /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a row that is counted is there */
  return row->key != 0;
}

double groups_view_threshold(const struct ui *ui, const struct groups_view *view)
{
  double chosen = thresholds[view->threshold];
  return chosen > ui->wanted.min_percent ? chosen : ui->wanted.min_percent;
}

int groups_view_page(const struct ui *ui)
{
  int rows = ui->layout.part[PART_TABLE].rows - 1;
  return rows > 1 ? rows : 1;
}

static const struct rtop_group_row *row_at(const struct ui *ui, size_t place)
{
  const struct rtop_groups *groups = &self(ui)->groups;
  return place < groups->count ? &groups->rows[place] : NULL;
}

static struct ui_outline outline(const struct ui *ui)
{
  const struct rtop_groups *groups = &self(ui)->groups;
  return (struct ui_outline){ groups->rows, groups->count, sizeof *groups->rows, &self(ui)->pager.cursor };
}

static struct rtop_groups_look look_of(const struct ui *ui)
{
  return (struct rtop_groups_look){
    .sort = rtop_sort_key_of_calls(ui->wanted.sort),
    .reverse = ui->wanted.reverse,
    .mode = ui->wanted.mode,
    .least_percent = groups_view_threshold(ui, self(ui)),
  };
}

static void build(struct ui *ui)
{
  struct groups_view *view = self(ui);
  struct rtop_groups_look look = look_of(ui);
  if (!rtop_groups_build(&view->groups, rtop_profile_symbols(ui->profile), &look))
    ui_say(ui, "out of memory: groups are missing");
}

static bool go_to_key(struct ui *ui, uint64_t key)
{
  struct ui_outline rows = outline(ui);
  return ui_outline_go_to(&rows, key);
}

/* The cursor was moved to where it is. */
static void moved(struct ui *ui)
{
  struct groups_view *view = self(ui);
  pager_fit(&view->pager, view->groups.count, (size_t)groups_view_page(ui));
  const struct rtop_group_row *row = row_at(ui, view->pager.cursor);
  if (row != NULL && groups_view_is_method(row)) {
    view->anchor = row->key;
    ui->selected = row->frame;
  }
  struct ui_outline rows = outline(ui);
  ui_outline_count(ui, &rows);
}

/* To the place where a method stands, opening what hides it. */
static bool seek(struct ui *ui, uint32_t frame)
{
  const struct rtop_group_row *here = row_at(ui, self(ui)->pager.cursor);
  if (here != NULL && groups_view_is_method(here) && here->frame == frame) return true;
  uint64_t key = rtop_groups_reveal(&self(ui)->groups, frame);
  if (key == 0) return false;
  build(ui);
  return go_to_key(ui, key);
}

/* What opens, closes or changes its figures selects nothing. */
static void show(struct ui *ui)
{
  struct groups_view *view = self(ui);
  uint32_t selected = ui->selected;
  build(ui);
  go_to_key(ui, view->anchor);
  if (view->seek) {
    view->seek = false;
    seek(ui, selected);
  }
  moved(ui);
  ui->selected = selected != 0 ? selected : ui->selected;
}

static bool take(struct ui *ui)
{
  const struct rtop_symbols *symbols = rtop_profile_symbols(ui->profile);
  struct rtop_groups_look look = look_of(ui);
  return rtop_tree_build(&ui->tree, &ui->sum, symbols, &ui->wanted, ui->fold) &&
         rtop_groups_take(&self(ui)->groups, &ui->tree, symbols, &look);
}

static void update(struct ui *ui)
{
  if (ui->profile == NULL) return;
  if (!take(ui)) ui_say(ui, "out of memory: groups are not complete");
  show(ui);
}

static void open_view(struct ui *ui)
{
  self(ui)->seek = ui->selected != 0;
}

static bool set_open(struct ui *ui, bool open)
{
  const struct rtop_group_row *row = row_at(ui, self(ui)->pager.cursor);
  if (row == NULL || row->below == 0 || row->open == open) return false;
  rtop_tree_choose(&self(ui)->groups.choices, row->key, open);
  show(ui);
  return true;
}

static bool go_to_parent(struct ui *ui)
{
  struct ui_outline rows = outline(ui);
  ui_outline_go_up(&rows);
  moved(ui);
  return true;
}

static bool go_in(struct ui *ui)
{
  const struct rtop_group_row *row = row_at(ui, self(ui)->pager.cursor);
  if (row != NULL && row->open) {
    self(ui)->pager.cursor++;
    moved(ui);
  }
  return true;
}

static bool open_all(struct ui *ui)
{
  struct groups_view *view = self(ui);
  view->all_open = !view->all_open;
  rtop_tree_choices_clear(&view->groups.choices);
  view->groups.levels = view->all_open ? LEVELS_ALL : LEVELS;
  show(ui);
  return true;
}

/* From a reference to its group; anything else opens or closes. */
static bool jump(struct ui *ui)
{
  struct groups_view *view = self(ui);
  const struct rtop_group_row *row = row_at(ui, view->pager.cursor);
  if (row == NULL || !row->reference) return row == NULL || set_open(ui, !row->open) || true;
  uint64_t from = row->key;
  if (go_to_key(ui, rtop_groups_root_key(row->frame))) {
    if (view->jump_count == GROUPS_JUMPS_MAX) {
      memmove(view->jumps, view->jumps + 1, sizeof view->jumps - sizeof view->jumps[0]);
      view->jump_count--;
    }
    view->jumps[view->jump_count++] = from;
    moved(ui);
  }
  return true;
}

static bool jump_back(struct ui *ui)
{
  struct groups_view *view = self(ui);
  while (view->jump_count > 0) {
    if (go_to_key(ui, view->jumps[--view->jump_count])) {
      moved(ui);
      return true;
    }
  }
  return false;
}

static bool set_threshold(struct ui *ui, int step)
{
  struct groups_view *view = self(ui);
  int next = view->threshold + step;
  view->threshold = next < 0 ? 0 : next >= THRESHOLDS ? THRESHOLDS - 1 : next;
  show(ui);
  return true;
}

static bool find(struct ui *ui, enum request request)
{
  struct groups_view *view = self(ui);
  struct ui_outline rows = outline(ui);
  if (request != REQUEST_SEARCH && ui->search[0] == '\0') return request == REQUEST_NEXT;
  if (ui_outline_find(ui, &rows, view->pager.cursor + (request == REQUEST_NEXT), request == REQUEST_PREVIOUS)) {
    moved(ui);
    return true;
  }
  uint32_t frames = rtop_symbols_frame_count(rtop_profile_symbols(ui->profile));
  for (uint32_t frame = 1; frame < frames; frame++) {
    if (rtop_groups_has(&view->groups, frame) && ui_matches(ui, frame) && seek(ui, frame)) {
      moved(ui);
      return true;
    }
  }
  rows = outline(ui); /* it may have been built again */
  ui_outline_count(ui, &rows);
  return true;
}

static void click(struct ui *ui, int row, int x)
{
  struct groups_view *view = self(ui);
  (void)x;
  if (pager_click(&view->pager, row - 1, view->groups.count, (size_t)groups_view_page(ui))) moved(ui);
}

static bool handle(struct ui *ui, enum request request)
{
  struct groups_view *view = self(ui);
  if (ui->profile == NULL) return false;
  switch (request) {
  case REQUEST_SEARCH:
  case REQUEST_NEXT:
  case REQUEST_PREVIOUS: return find(ui, request);
  case REQUEST_JUMP: return jump(ui);
  case REQUEST_BACK: return jump_back(ui);
  case REQUEST_TREE_OPEN: return set_open(ui, true) || true;
  case REQUEST_TREE_CLOSE: return set_open(ui, false) || true;
  case REQUEST_TREE_ALL: return open_all(ui);
  case REQUEST_TREE_IN: return set_open(ui, true) || go_in(ui);
  case REQUEST_TREE_OUT: return set_open(ui, false) || go_to_parent(ui);
  case REQUEST_THRESHOLD_UP: return set_threshold(ui, 1);
  case REQUEST_THRESHOLD_DOWN: return set_threshold(ui, -1);
  default:
    if (!pager_request(&view->pager, request, view->groups.count, (size_t)groups_view_page(ui))) return false;
    moved(ui);
    return true;
  }
}

static void note(const struct ui *ui, char *out, size_t bytes)
{
  snprintf(out, bytes, "%zu groups  ( %g%% )", self(ui)->groups.group_count, groups_view_threshold(ui, self(ui)));
}

const struct view_ops view_groups = {
  .id = VIEW_GROUPS,
  .name = "Groups",
  .key = '8',
  .calls = true,
  .create = create,
  .update = update,
  .open = open_view,
  .note = note,
  .draw = groups_view_draw,
  .handle = handle,
  .click = click,
  .forget = forget,
  .destroy = destroy,
};
