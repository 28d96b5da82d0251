/* SPDX-License-Identifier: MIT */
/* The labels view: endpoints and jobs, their time, and how many times they began. view_labels_draw.c draws the rows. */
#include "view_labels.h"

#include "tui/text/text.h"
#include "tui/ui/ui_row_menu.h"
#include <stdlib.h>
#include <string.h>

static struct labels_view *labels_view(const struct ui *ui)
{
  return ui->data[VIEW_LABELS];
}

static const struct labels_column columns[LABELS_COLUMNS] = {
  { RTOP_SORT_SELF, "BUSY%", "BUSY", 7, 0, 100 },     { RTOP_SORT_TOTAL, "TOTAL%", "TOTAL", 8, 30, 30 },
  { RTOP_SORT_WAITING, "WAIT%", "WAIT", 7, 60, 130 }, { RTOP_SORT_BLOCKED, "BLOCK%", "BLOCK", 8, 70, 140 },
  { RTOP_SORT_GC, "GC%", "GC", 7, 90, 150 },          { RTOP_SORT_ALLOC, "ALLOC/s", "ALLOC/s", 9, 100, 160 },
  { RTOP_SORT_SAMPLES, "COUNT", "COUNT", 8, 40, 48 }, { RTOP_SORT_RATIO, "EACH", "EACH", 8, 48, 110 },
};

bool labels_are_timed(const struct ui *ui)
{
  const struct label_table *table = &labels_view(ui)->table;
  return table->worked && table->counted;
}

const struct labels_column *labels_column(int index)
{
  return &columns[index];
}

static bool labels_have_no_order(const struct ui *ui)
{
  bool as_it_was = ui->wanted.sort == RTOP_SORT_SELF && ui->wanted.mode == RTOP_MODE_BUSY;
  return as_it_was && !labels_view(ui)->by_self;
}

/* Are rows sorted by time per begin? Yes, while the user has not chosen an order and sorting by busy time would hide a
   slow endpoint below busy ones. */
static bool labels_are_by_each(const struct ui *ui)
{
  const struct labels_view *view = labels_view(ui);
  return view->by_each && view->table.counted && labels_have_no_order(ui);
}

/* Does all time of the blocks count? Yes, where blocks are timed. */
static bool labels_are_by_total(const struct ui *ui)
{
  return labels_are_timed(ui) && !labels_are_by_each(ui) && labels_have_no_order(ui);
}

enum rtop_sort_key labels_view_sort(const struct ui *ui)
{
  enum rtop_sort_key sort = label_table_key(ui->wanted.sort);
  if (labels_are_by_each(ui)) return RTOP_SORT_RATIO;
  if (labels_are_by_total(ui)) return RTOP_SORT_TOTAL;
  return sort == RTOP_SORT_SELF && ui->wanted.mode == RTOP_MODE_WALL ? RTOP_SORT_TOTAL : sort;
}

bool labels_column_is_shown(const struct ui *ui, int index)
{
  const struct labels_column *column = &columns[index];
  bool twice = column->sort == RTOP_SORT_SELF && ui->wanted.mode == RTOP_MODE_WALL;
  bool sorted = labels_view_sort(ui) == column->sort;
  int width = ui->layout.part[PART_TABLE].columns;
  bool narrow = width < columns[1].from; /* then there is room for one */
  int from = labels_are_timed(ui) && !narrow ? column->from_timed : column->from;
  return !twice && (sorted || width >= from);
}

const struct label_row *labels_view_row(const struct ui *ui, size_t place)
{
  const struct label_table *table = &labels_view(ui)->table;
  return place < table->count ? table->rows[place] : NULL;
}

struct ui_rows labels_view_rows(const struct ui *ui)
{
  return ui_rows_of(ui, &labels_view(ui)->pager, labels_view(ui)->table.count, 1, labels_slow_rows(ui));
}

static void labels_anchor_here(struct ui *ui)
{
  struct labels_view *view = labels_view(ui);
  const struct label_row *row = labels_view_row(ui, view->pager.cursor);
  view->anchored = row != NULL;
  view->anchor = row != NULL ? row->id : 0;
}

static void labels_follow(struct ui *ui)
{
  struct labels_view *view = labels_view(ui);
  for (size_t i = 0; view->anchored && ui->follow && i < view->table.count; i++)
    if (view->table.rows[i]->id == view->anchor) view->pager.cursor = i;
}

/* The same threads as in all views. */
static bool labels_sum(struct ui *ui)
{
  struct labels_view *view = labels_view(ui);
  if (view->live == NULL) view->live = rtop_live_create_sets(ui->profile);
  if (view->live == NULL || !rtop_live_sum(view->live, ui->span, &view->sum)) return false;
  ui_focus_apply_to(ui, &view->sum);
  return true;
}

static bool labels_build(struct ui *ui)
{
  struct labels_view *view = labels_view(ui);
  uint32_t alone = ui_processes_alone(ui);
  const struct label_table_options options = {
    .key = view->key[0] != '\0' ? view->key : NULL,
    .sort = labels_are_by_each(ui)    ? RTOP_SORT_RATIO
            : labels_are_by_total(ui) ? RTOP_SORT_TOTAL
                                      : ui->wanted.sort,
    .mode = ui->wanted.mode,
    .reverse = ui->wanted.reverse,
    .filter = ui->wanted.filter,
    .filter_invert = ui->wanted.filter_invert,
    .only_source = alone != UI_ALL_SOURCES ? alone + 1 : 0,
    .slower_ns = (uint64_t)ui->stalls.limits.request_ns,
  };
  return label_table_build(&view->table, ui->profile, &view->sum, &options) &&
         label_order_apply(&view->order, &view->table, &options, view->sum.length_ns, ui->look.units == UNITS_PERCENT);
}

/* Chooses the order, which is stable by hysteresis: by time per begin, from three quarters of the time off the GVL
 * until this falls below a half. */
static bool labels_choose_order(struct labels_view *view)
{
  double off = 0, all = 0;
  bool before = view->by_each;
  for (size_t i = 0; i < view->table.count; i++) {
    const struct rtop_cost *cost = &view->table.rows[i]->cost;
    off += (double)cost->wall_ns[RTOP_STATE_BLOCKED];
    all += (double)rtop_cost_wall(cost);
  }
  if (all > 0) view->by_each = off > (before ? 0.5 : 0.75) * all;
  return view->by_each != before;
}

static void labels_note_order(struct ui *ui)
{
  struct labels_view *view = labels_view(ui);
  bool again = ui->wanted.sort == RTOP_SORT_SELF && view->sort_before != RTOP_SORT_SELF;
  view->by_self = view->by_self || (again && view->live != NULL);
  view->sort_before = ui->wanted.sort;
}

static int key_place(const struct labels_view *view)
{
  for (int i = 0; i < view->table.key_count; i++)
    if (strcmp(view->table.keys[i].name, view->key) == 0) return i;
  return -1;
}

static void take_key(struct labels_view *view, int place)
{
  memcpy(view->key, view->table.keys[place].name, sizeof view->key);
}

/* Chooses, unless the user did, the key with most time, which stays chosen as long as it has any. */
static bool choose_key(struct labels_view *view)
{
  int most = -1;
  if (view->chosen || (view->key[0] != '\0' && key_place(view) >= 0)) return false;
  for (int i = 0; i < view->table.key_count; i++)
    if (most < 0 || view->table.keys[i].ns > view->table.keys[most].ns) most = i;
  if (most >= 0) take_key(view, most);
  return most >= 0;
}

static void labels_update(struct ui *ui)
{
  if (ui->profile == NULL) return;
  labels_note_order(ui);
  bool timed = labels_are_timed(ui), fine = labels_sum(ui) && labels_build(ui);
  if (fine && timed != labels_are_timed(ui)) fine = labels_build(ui);
  if (fine && choose_key(labels_view(ui))) fine = labels_build(ui);
  if (fine && labels_choose_order(labels_view(ui))) fine = labels_build(ui);
  if (!fine) ui_say(ui, "out of memory: labels are not complete");
  labels_follow(ui);
  ui_rows_fit(ui);
  ui_rows_count(ui);
}

static void labels_go(struct ui *ui, size_t place)
{
  labels_view(ui)->pager.cursor = place;
  labels_anchor_here(ui);
  ui_rows_fit(ui);
  ui_rows_count(ui);
}

static bool next_key(struct ui *ui)
{
  struct labels_view *view = labels_view(ui);
  int count = view->table.key_count;
  if (count == 0) return true;
  take_key(view, (key_place(view) + 1) % count);
  view->chosen = true;
  view->anchored = false;
  view->pager.cursor = 0;
  ui_say(ui, count == 1 ? "labels have no other key than %s" : "values of %s", view->key);
  ui->stale = true;
  return true;
}

/* Writes "!key=value" (without `without`, no '!') with the characters escaped that are special in patterns. False:
   there is no room. */
static bool label_pattern(char *out, size_t bytes, const struct label_row *row, bool without)
{
  size_t used = (size_t)snprintf(out, bytes, "%s%.*s=", without ? "!" : "", (int)row->key_bytes, row->name);
  for (const char *at = label_row_value(row); *at != '\0'; at++) {
    if (used + 3 > bytes || *at == '\n') return false;
    if (strchr("*?\\", *at) != NULL) out[used++] = '\\';
    out[used++] = *at;
  }
  if (used >= bytes) return false;
  out[used] = '\0';
  return true;
}

/* Makes all views show only the label's work, or all other work. Earlier choices stay active. */
static bool choose_label(struct ui *ui, bool without)
{
  char pattern[2 * RTOP_LABEL_VALUE_MAX + RTOP_LABEL_KEY_MAX + 4];
  const struct label_row *row = labels_view_row(ui, labels_view(ui)->pager.cursor);
  size_t used = strlen(ui->lens.label);
  if (row == NULL) return true;
  bool fits = label_pattern(pattern, sizeof pattern, row, without);
  if (fits && !without && strstr(ui->lens.label, pattern) != NULL) {
    ui->lens.label[0] = '\0';
    ui_say(ui, "all labels again");
  } else if (!fits || used + strlen(pattern) + 2 > sizeof ui->lens.label) {
    ui_say(ui, "that does not fit any more: Esc shows all labels again");
  } else {
    if (used > 0) ui->lens.label[used++] = '\n';
    memcpy(ui->lens.label + used, pattern, strlen(pattern) + 1);
    ui_say(ui, without ? "without %s: Esc shows all labels again" : "only %s: Esc shows all labels again", row->name);
  }
  ui->stale = true;
  return true;
}

static bool toggle_roots(struct ui *ui)
{
  ui->lens.labels = !ui->lens.labels;
  ui_say(ui, ui->lens.labels ? "sets of labels stand as callers in all views" : "labels are no callers any more");
  ui->stale = true;
  return true;
}

/* Of the key that is shown. */
static bool toggle_end(struct ui *ui, char *keys, const char *end)
{
  const char *key = labels_view(ui)->key;
  if (key[0] == '\0') return true;
  bool dropped = rtop_lens_drop_key(keys, key);
  const char *problem = dropped ? NULL : rtop_lens_add_key(keys, key);
  if (problem != NULL) ui_say(ui, "%s", problem);
  else if (dropped) ui_say(ui, "%s stands at the %s of stacks no more", key, end);
  else ui_say(ui, "values of %s stand at the %s of stacks in all views: Esc takes them away", key, end);
  ui->stale = true;
  return true;
}

/* The next column that is there. */
static bool sort_step(struct ui *ui, int step)
{
  int at = 0;
  while (at < LABELS_COLUMNS && columns[at].sort != labels_view_sort(ui)) at++;
  do at += step;
  while (at >= 0 && at < LABELS_COLUMNS && !labels_column_is_shown(ui, at));
  if (at < 0 || at > LABELS_COLUMNS) return true;
  ui->wanted.sort = at < LABELS_COLUMNS ? columns[at].sort : RTOP_SORT_NAME;
  labels_view(ui)->by_self = ui->wanted.sort == RTOP_SORT_SELF;
  ui->wanted.reverse = false;
  ui->stale = true;
  return true;
}

/* Opens or closes the slow blocks, which are open at first if a threshold was given. */
static bool toggle_slow(struct ui *ui)
{
  struct labels_view *view = labels_view(ui);
  bool shown = labels_slow_rows(ui) > 0;
  view->open = !shown;
  view->closed = shown;
  ui_rows_fit(ui);
  return true;
}

static bool labels_handle(struct ui *ui, enum request request)
{
  if (ui->profile == NULL) return false;
  switch (request) {
  case REQUEST_SLOW: return toggle_slow(ui);
  case REQUEST_LABEL_ONLY: return choose_label(ui, false);
  case REQUEST_LABEL_NOT: return choose_label(ui, true);
  case REQUEST_LABEL_ROOTS: return toggle_roots(ui);
  case REQUEST_LABEL_ROOT: return toggle_end(ui, ui->lens.label_root, "root");
  case REQUEST_LABEL_LEAF: return toggle_end(ui, ui->lens.label_leaf, "leaf");
  case REQUEST_LABEL_KEY: return next_key(ui);
  case REQUEST_SORT_SELF: labels_view(ui)->by_self = true; return false;
  case REQUEST_SORT_LEFT: return sort_step(ui, -1);
  case REQUEST_SORT_RIGHT: return sort_step(ui, 1);
  default: return false;
  }
}

static void labels_menu(struct ui *ui, struct ui_row *row)
{
  const struct label_row *here = labels_view_row(ui, labels_view(ui)->pager.cursor);
  row->frame = 0;
  if (here == NULL) return;
  row->name = row->text;
  snprintf(row->text, sizeof row->text, "%s", here->name);
  labels_anchor_here(ui);
  ui_row_can(row, 'D', labels_slow_rows(ui) > 0 ? "hide slow requests" : "its slowest requests", REQUEST_SLOW);
  ui_row_can(row, '=', "only this label, in all views", REQUEST_LABEL_ONLY);
  ui_row_can(row, 'i', "leave it out of all views", REQUEST_LABEL_NOT);
  ui_row_can(row, 'm', "methods of this label", ROW_LABEL_METHODS);
  ui_row_can(row, 't', "tree of this label", ROW_LABEL_TREE);
  ui_row_can(row, 'v', ui->lens.labels ? "labels are no callers" : "labels as callers", REQUEST_LABEL_ROOTS);
  ui_row_can(row, 'u', "this key at the root of stacks, or not", REQUEST_LABEL_ROOT);
  ui_row_can(row, 'U', "this key at the leaf of stacks, or not", REQUEST_LABEL_LEAF);
  if (labels_view(ui)->table.key_count > 1) ui_row_can(row, 'c', "values of the next key", REQUEST_LABEL_KEY);
}

static bool labels_matches(const struct ui *ui, size_t place)
{
  const struct label_row *row = labels_view_row(ui, place);
  return row != NULL && ui->search[0] != '\0' && rtop_text_contains(row->name, ui->search);
}

/* The heading names the key, too. */
static void labels_note(const struct ui *ui, char *out, size_t bytes)
{
  const struct labels_view *view = labels_view(ui);
  int place = key_place(view);
  out[0] = '\0';
  if (place < 0 || (view->table.key_count == 1 && !ui->layout.wide)) return;
  if (view->table.key_count == 1) snprintf(out, bytes, "key: %s", view->key);
  else snprintf(out, bytes, "key: %s (%d/%d)  c: next", view->key, place + 1, view->table.key_count);
}

static void labels_forget(struct ui *ui)
{
  struct labels_view *view = labels_view(ui);
  rtop_live_destroy(&view->live);
  rtop_sum_destroy(&view->sum);
  label_table_destroy(&view->table);
  label_order_destroy(&view->order);
  off_ways_destroy(&view->ways);
  memset(view, 0, sizeof *view);
}

const struct view_ops view_labels = {
  .id = VIEW_LABELS,
  .threads = true,
  .bytes = sizeof(struct labels_view),
  .update = labels_update,
  .note = labels_note,
  .handle = labels_handle,
  .click = ui_rows_click,
  .row = labels_menu,
  .rows = labels_view_rows,
  .matches = labels_matches,
  .go = labels_go,
  .forget = labels_forget,
};
