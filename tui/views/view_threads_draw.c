/* SPDX-License-Identifier: MIT */
/* How the threads look. */
#include "view_threads.h"
#include "viewer.h"
#include "tui/tables/thread_locks.h"
#include "tui/methods/states.h"
#include "tui/tables/thread_words.h"
#include "tui/term/draw.h"
#include "tui/text/text.h"
#include "tui/ui/ui.h"
#include "tui/ui/ui_waits.h"
#include <ncurses.h>
#include <string.h>

enum { LANE_LEAST = 8, LEAF_LEAST = 16, WIDE = 120, KERNEL_FROM = 200, FIBERS_COLUMNS = 35, BOTH_ROWS_LEAST = 6 };

enum field {
  FIELD_TID,
  FIELD_NAME,
  FIELD_STATE,
  FIELD_HELD,
  FIELD_BLAME,
  FIELD_CPU,
  FIELD_WANT,
  FIELD_WAIT,
  FIELD_IO,
  FIELD_GC,
  FIELD_ALLOC,
  FIELD_READ,
  FIELD_WRITE,
  FIELD_SWITCHES,
  FIELD_LANE,
  FIELD_ON,
  FIELD_COUNT,
};

static const struct {
  const char *title;
  int columns; /* width of the column with the blank after it; 0: computed */
  int from;    /* table width from which the column is shown */
  int sort;    /* enum rtop_sort_key; -1: cannot be sorted by */
} fields[FIELD_COUNT] = {
  [FIELD_TID] = { "TID", 8, 120, -1 },
  [FIELD_NAME] = { "NAME", 0, 0, RTOP_SORT_NAME },
  [FIELD_STATE] = { "ST", 8, 0, -1 },
  [FIELD_HELD] = { "HELD%", 7, 30, RTOP_SORT_RUNNING },
  [FIELD_BLAME] = { "BLAME%", 8, 46, RTOP_SORT_BLAME },
  [FIELD_CPU] = { "CPU%", 7, 100, RTOP_SORT_CPU },
  [FIELD_WANT] = { "WANT%", 7, 140, RTOP_SORT_TOTAL },
  [FIELD_WAIT] = { "WAIT%", 7, 100, RTOP_SORT_WAITING },
  [FIELD_IO] = { "BLOCK%", 8, 180, RTOP_SORT_BLOCKED },
  [FIELD_GC] = { "GC%", 7, 150, RTOP_SORT_GC },
  [FIELD_ALLOC] = { "ALLOC/s", 9, 190, RTOP_SORT_ALLOC },
  [FIELD_READ] = { "READ/s", 8, KERNEL_FROM, -1 },
  [FIELD_WRITE] = { "WRITE/s", 8, KERNEL_FROM, -1 },
  [FIELD_SWITCHES] = { "CTX/s", 7, KERNEL_FROM, -1 },
  [FIELD_LANE] = { "", 0, 64, -1 },
  [FIELD_ON] = { "ON (leaf)", 0, 40, -1 },
};

struct columns {
  int x[FIELD_COUNT], columns[FIELD_COUNT]; /* 0 columns: not shown */
};

/* Is the table sorted by this column? Sort keys without a column put threads to blame first. */
static bool sorted_by(const struct ui *ui, int field)
{
  enum rtop_sort_key sort = rtop_sort_key_plain(ui->wanted.sort);
  return fields[field].sort == (int)(thread_table_by_blame(sort) ? RTOP_SORT_BLAME : sort);
}

static void choose_columns(struct columns *columns, const struct ui *ui, int width)
{
  int fixed = 1;
  memset(columns, 0, sizeof *columns);
  for (int field = 0; field < FIELD_COUNT; field++) {
    bool shown = width >= fields[field].from || (field == FIELD_WANT && ui->baseline.comparing && width >= 40) ||
                 (sorted_by(ui, field) && width >= 60);
    columns->columns[field] = shown ? fields[field].columns : 0;
    fixed += columns->columns[field];
  }
  int left = width - fixed;
  int name = width < fields[FIELD_ON].from ? left : width >= WIDE ? 24 : width >= 72 ? 17 : left / 2;
  left -= columns->columns[FIELD_NAME] = name < left ? name : left > 0 ? left : 0;
  if (width >= fields[FIELD_LANE].from && left >= LANE_LEAST + LEAF_LEAST) {
    int lane = left * 3 / 5 < left - LEAF_LEAST ? left * 3 / 5 : left - LEAF_LEAST;
    columns->columns[FIELD_LANE] = lane > THREAD_LANES_MAX ? THREAD_LANES_MAX : lane;
    left -= columns->columns[FIELD_LANE];
  }
  columns->columns[FIELD_ON] = width >= fields[FIELD_ON].from && left > 0 ? left : 0;
  int x = 1;
  for (int field = 0; field < FIELD_COUNT; field++) {
    columns->x[field] = x;
    x += columns->columns[field];
  }
}

int threads_view_lane_columns(const struct ui *ui)
{
  struct columns columns;
  if (ui->layout.tiny) return 0;
  choose_columns(&columns, ui, ui->layout.part[PART_TABLE].columns);
  return columns.columns[FIELD_LANE] > 1 ? columns.columns[FIELD_LANE] - 1 : 0;
}

static bool is_figure(int field)
{
  return field >= FIELD_HELD && field <= FIELD_SWITCHES;
}

static void threads_draw_heading(const struct ui *ui, const struct threads_view *view, const struct columns *columns,
                                 struct rect table)
{
  draw_blank(table.y, table.x, table.columns, FACE_HEADING);
  for (int field = 0; field < FIELD_COUNT; field++) {
    char text[THREAD_LANES_MAX + 1], title[24];
    bool here = sorted_by(ui, field);
    bool delta = field == FIELD_WANT && ui->baseline.comparing && !ui->baseline.all;
    snprintf(title, sizeof title, "%s", delta ? "DELTA" : fields[field].title);
    char *sign = strchr(title, '%');
    if (ui->look.units != UNITS_PERCENT && sign != NULL) *sign = '\0';
    bool up = ui->wanted.reverse != (field == FIELD_NAME);
    snprintf(text, sizeof text, "%s%s", title, here ? up ? "^" : "v" : is_figure(field) ? " " : "");
    if (field == FIELD_LANE && columns->columns[field] > 0)
      thread_lanes_axis(text, sizeof text, view->before, view->after, ui->frozen ? "v" : "now");
    enum face face = here ? FACE_HEADING_SORT : FACE_HEADING;
    int x = table.x + columns->x[field], room = columns->columns[field];
    if (is_figure(field)) draw_right(table.y, x, room, face, text);
    else draw_text(table.y, x, room, face, text);
  }
}

static const char *threads_state_word(const struct ui *ui, const struct rtop_thread_row *thread)
{
  switch (rests_of(&ui->rests, &ui->sum, thread)) {
  case REST_QUIET: return thread_word(THREAD_QUIET);
  case REST_PARKED: return thread_word(THREAD_PARKED);
  case REST_STUCK: return thread_word(THREAD_STUCK);
  case REST_NOT:
  case REST_BLAMED: break;
  }
  return thread->ended ? thread_word(THREAD_ENDED) : state_word(thread->state);
}

/* Writes the change of a thread's figure; the column for time not blocked shows that of the sort figure. */
static void threads_change_text(const struct ui *ui, const struct rtop_thread_row *thread, int field, char *out,
                                size_t bytes)
{
  const struct rtop_thread_row *before = ui_baseline_thread(ui, thread);
  enum rtop_sort_key key = (enum rtop_sort_key)fields[field].sort;
  if (!ui->baseline.all) key = sorted_by(ui, FIELD_NAME) ? RTOP_SORT_SELF : rtop_sort_key_plain(ui->wanted.sort);
  double now = thread_table_key(thread, key), was = before != NULL ? thread_table_key(before, key) : 0;
  uint64_t before_ns = ui->baseline.sum.length_ns;
  double change =
      now / (ui->sum.length_ns > 0 ? (double)ui->sum.length_ns : 1) - was / (before_ns > 0 ? (double)before_ns : 1);
  if (key == RTOP_SORT_ALLOC || key == RTOP_SORT_SAMPLES) {
    char size[16];
    rtop_text_count(size, sizeof size, 1e9 * (change < 0 ? -change : change));
    snprintf(out, bytes, "%s%s", change < 0 ? "-" : change > 0 ? "+" : "", size);
  } else {
    ui_baseline_text(out, bytes, change);
  }
}

static void threads_figure_text(const struct ui *ui, const struct rtop_thread_row *thread, int field, char *out,
                                size_t bytes)
{
  double length = ui->sum.length_ns > 0 ? (double)ui->sum.length_ns : 1;
  double key = thread_table_key(thread, (enum rtop_sort_key)fields[field].sort);
  if (ui->baseline.comparing && (ui->baseline.all || field == FIELD_WANT)) {
    threads_change_text(ui, thread, field, out, bytes);
    return;
  }
  if (field == FIELD_ALLOC) rtop_text_count(out, bytes, key * 1e9 / length);
  else if (ui->look.units == UNITS_PERCENT) draw_percent(out, bytes, 100 * key / length);
  else draw_time(out, bytes, (uint64_t)key);
}

/* Returns the kernel's rates, which are those of the present: only for a living process while the display
   is not frozen. */
static const struct task_rates *rates_of(const struct ui *ui, struct threads_view *view,
                                         const struct rtop_thread_row *thread)
{
  bool several = ui->source.count > 1 && thread->source < UI_SOURCES_MAX;
  const struct ui_process *process = several ? &ui->source.at[thread->source] : &ui->source.main;
  if (!ui_lives(process->state) || process->host[0] != '\0' || ui->frozen || thread->ended) return NULL;
  return task_stats_get(&view->tasks, process->pid, thread->native_id, ui->now_ns);
}

static void kernel_text(const struct task_rates *rates, int field, char *out, size_t bytes)
{
  bool known = rates != NULL && (field == FIELD_SWITCHES ? rates->has_switches : rates->has_io);
  if (!known) snprintf(out, bytes, "-");
  else if (field == FIELD_SWITCHES) rtop_text_count(out, bytes, rates->switches);
  else rtop_text_bytes(out, bytes, (uint64_t)(field == FIELD_READ ? rates->read_bytes : rates->written_bytes));
}

static enum face threads_figure_face(const struct ui *ui, const struct rtop_thread_row *thread, int field)
{
  if (field != FIELD_WAIT && field != FIELD_BLAME) return FACE_NORMAL;
  bool much = thread_table_key(thread, (enum rtop_sort_key)fields[field].sort) > (double)ui->sum.length_ns / 10;
  if (field == FIELD_WAIT && much) return FACE_WAIT;
  if (field == FIELD_BLAME && much) return FACE_HOT;
  return FACE_NORMAL;
}

/* Returns the glyph of a lane's cell. Each one is readable without colour, and that of the GVL holder stands out. */
static const char *lane_glyph(enum thread_lane lane)
{
  static const char *const plain[] = {
    [LANE_ABSENT] = " ", [LANE_LOST] = "/",    [LANE_HOLDS] = "@", [LANE_RAN] = "|",
    [LANE_WAITS] = ":",  [LANE_BLOCKED] = ".", [LANE_MARKS] = "#", [LANE_SWEEPS] = "=",
  };
  if (!draw_is_ascii() && lane == LANE_HOLDS) return "█";
  if (!draw_is_ascii() && lane == LANE_WAITS) return "▒";
  return plain[lane];
}

static enum face lane_face(enum thread_lane lane)
{
  static const enum face faces[] = {
    [LANE_ABSENT] = FACE_NORMAL, [LANE_LOST] = FACE_WARN,       [LANE_HOLDS] = FACE_RUN,  [LANE_RAN] = FACE_RUN,
    [LANE_WAITS] = FACE_WAIT,    [LANE_BLOCKED] = FACE_BLOCKED, [LANE_MARKS] = FACE_MARK, [LANE_SWEEPS] = FACE_SWEEP,
  };
  return faces[lane];
}

/* Draws a thread's lane; it is empty for a thread that is idle and not blamed, so that activity stands out; also in the
 * cursor's row, where cells in reverse video would look like holes. */
static void draw_lane(const struct ui *ui, const struct threads_view *view, const struct rtop_thread_row *thread, int y,
                      int x)
{
  int moment = ui->frozen ? view->before - 1 : -1;
  bool quiet = rest_is_idle(rests_of(&ui->rests, &ui->sum, thread));
  for (int i = 0; i < view->before + view->after; i++) {
    enum thread_lane lane = thread_lanes_at(&view->lanes, thread->source, thread->thread, i);
    if (quiet && lane == LANE_BLOCKED) lane = LANE_ABSENT;
    draw_text(y, x + i, 1, i == moment ? FACE_FROZEN : lane_face(lane), lane_glyph(lane));
  }
}

struct pen {
  struct ui *ui;
  struct threads_view *view;
  const struct columns *columns;
  const struct rtop_thread_row *thread;
  int y, left;
  bool selected, elsewhere; /* elsewhere: the cursor is in another table, and this row is only marked */
};

static enum face face_of(const struct pen *pen, enum face face)
{
  return pen->selected ? FACE_CURSOR : face;
}

/* Removes "Thread::" before Mutex, Queue and the like, which are well known without it. */
static void without_core(char *text)
{
  static const char core[] = "Thread::";
  size_t cut = sizeof core - 1;
  if (strncmp(text, core, cut) == 0) memmove(text, text + cut, strlen(text) - cut + 1);
}

/* Writes the leaf with the nearest method of the program if there is room, else the leaf, else the shortest
   form of it. */
static void leaf_text(const struct rtop_thread_row *thread, const struct rtop_symbols *symbols, int columns, char *out,
                      size_t bytes)
{
  bool old = thread_stack_is_old(thread);
  if (old) thread_stack_leaf(out, bytes, thread, symbols, false);
  else thread_where(out, bytes, symbols, thread->node);
  if (rtop_text_width(out) > columns) without_core(out);
  if (rtop_text_width(out) <= columns) return;
  thread_stack_leaf(out, bytes, thread, symbols, true);
  if (rtop_text_width(out) > columns) without_core(out);
}

/* Writes "Mutex #3 of puma 002, Mutex#lock < App#call", or as much as fits, dropping the owner last. False: the thread
 * waits for no lock of another thread, or there is no room. */
static bool lock_text(const struct ui *ui, const struct rtop_thread_row *thread, int columns, char *out, size_t bytes)
{
  char lock[64], name[64], leaf[1200];
  size_t holder = rtop_lock_holder(&ui->sum, (size_t)(thread - ui->sum.threads));
  if (holder == SIZE_MAX) return false;
  thread_lock_name(lock, sizeof lock, &thread->lock);
  thread_lock_thread(name, sizeof name, &ui->sum.threads[holder]);
  leaf_text(thread, rtop_profile_symbols(ui->profile), columns, leaf, sizeof leaf);
  snprintf(out, bytes, "%s of %s, %s", lock, name, leaf);
  if (rtop_text_width(out) > columns) snprintf(out, bytes, "%s of %s", lock, name);
  if (rtop_text_width(out) > columns) snprintf(out, bytes, "#%u of %s", thread->lock.number, name);
  if (rtop_text_width(out) > columns) snprintf(out, bytes, "of %s", name);
  return rtop_text_width(out) <= columns;
}

/* Writes, for a stuck thread, its call and the application's method, or only the method. */
static bool stuck_text(const struct ui *ui, const struct rtop_thread_row *thread, int columns, char *out, size_t bytes)
{
  uint64_t since_ns;
  uint32_t own;
  if (!rests_stuck(&ui->rests, &ui->sum, thread, &since_ns, &own) || own == 0 || thread_stack_is_old(thread))
    return false;
  thread_where(out, bytes, rtop_profile_symbols(ui->profile), thread->node);
  if (rtop_text_width(out) > columns)
    snprintf(out, bytes, "%s", rtop_symbols_get(rtop_profile_symbols(ui->profile), own)->label);
  return true;
}

static void draw_leaf(const struct pen *pen, int x, int columns)
{
  char text[1400];
  const struct rtop_thread_row *thread = pen->thread;
  const struct rtop_symbols *symbols = rtop_profile_symbols(pen->ui->profile);
  const struct rtop_call_node *leaf = rtop_symbols_get_node(symbols, thread->node);
  bool code = rtop_symbol_is_code(rtop_symbols_get(symbols, leaf->frame)) && !thread_stack_is_old(thread);
  if (!lock_text(pen->ui, thread, columns, text, sizeof text) &&
      !stuck_text(pen->ui, thread, columns, text, sizeof text))
    leaf_text(thread, symbols, columns, text, sizeof text);
  draw_text(pen->y, x, columns, face_of(pen, code ? FACE_NORMAL : FACE_C), text);
}

/* Draws the name. After a process number there is little room; names of pool threads differ at their end. */
static void draw_name(const struct pen *pen, bool chosen, enum face face)
{
  const struct rtop_thread_row *thread = pen->thread;
  int x = pen->left + pen->columns->x[FIELD_NAME], end = x + pen->columns->columns[FIELD_NAME] - 1;
  const char *name = thread->name[0] != '\0' ? thread->name : "-";
  char process[UI_WHO_BYTES + 2];
  ui_processes_prefix(pen->ui, thread->source, process, sizeof process);
  x += draw_format(pen->y, x, end - x, face, "%s%s", chosen ? "*" : "", process);
  if (process[0] != '\0') draw_tail(pen->y, x, end - x, face, name);
  else draw_text(pen->y, x, end - x, face, name);
}

/* Draws "STUCK 4 s" in place of the figures, which are zero for that time. */
static bool draw_stuck(const struct pen *pen)
{
  char text[48], age[24];
  uint64_t since_ns;
  uint32_t own;
  int columns = pen->columns->columns[FIELD_STATE] + pen->columns->columns[FIELD_HELD];
  if (!rests_stuck(&pen->ui->rests, &pen->ui->sum, pen->thread, &since_ns, &own)) return false;
  snprintf(age, sizeof age, "%u s", (unsigned)(since_ns / 1000000000 % 60));
  if (since_ns / 1000000000 >= 60) thread_age_text(age, sizeof age, since_ns);
  snprintf(text, sizeof text, "%s %s", thread_word(THREAD_STUCK), age);
  if (pen->columns->columns[FIELD_HELD] == 0) snprintf(text, sizeof text, "%s", thread_word(THREAD_STUCK));
  draw_text(pen->y, pen->left + pen->columns->x[FIELD_STATE], columns - 1, face_of(pen, FACE_HOT), text);
  return true;
}

static void draw_names(const struct pen *pen)
{
  char tid[16];
  const struct rtop_thread_row *thread = pen->thread;
  bool match = threads_view_matches(pen->ui, thread);
  const int *x = pen->columns->x, *columns = pen->columns->columns;
  snprintf(tid, sizeof tid, "%u", thread->native_id);
  draw_text(pen->y, pen->left + x[FIELD_TID], columns[FIELD_TID] - 1, face_of(pen, FACE_NORMAL), tid);
  bool chosen = ui_focus_has(pen->ui, thread);
  draw_name(pen, chosen, match ? FACE_MATCH : face_of(pen, chosen ? FACE_TITLE : FACE_NORMAL));
  if (!draw_stuck(pen))
    draw_text(pen->y, pen->left + x[FIELD_STATE], columns[FIELD_STATE] - 1,
              face_of(pen, thread->ended ? FACE_NORMAL : draw_state_face(thread->state)),
              threads_state_word(pen->ui, thread));
  draw_leaf(pen, pen->left + x[FIELD_ON], columns[FIELD_ON]);
}

static void threads_draw_row(const void *table, size_t place, int y, bool selected)
{
  struct pen row = *(const struct pen *)table, *pen = &row;
  const int *columns = pen->columns->columns;
  pen->thread = threads_view_row(pen->ui, place);
  pen->y = y;
  pen->selected = selected && !pen->elsewhere;
  draw_names(pen);
  bool kernel = columns[FIELD_READ] > 0;
  const struct task_rates *rates = kernel ? rates_of(pen->ui, pen->view, pen->thread) : NULL;
  for (int field = FIELD_HELD; field <= FIELD_SWITCHES; field++) {
    char text[32];
    if (field == FIELD_HELD && rests_of(&pen->ui->rests, &pen->ui->sum, pen->thread) == REST_STUCK) continue;
    if (field >= FIELD_READ) kernel_text(rates, field, text, sizeof text);
    else threads_figure_text(pen->ui, pen->thread, field, text, sizeof text);
    draw_right(pen->y, pen->left + pen->columns->x[field], columns[field] - 1,
               face_of(pen, threads_figure_face(pen->ui, pen->thread, field)), text);
  }
  if (columns[FIELD_LANE] > 0)
    draw_lane(pen->ui, pen->view, pen->thread, pen->y, pen->left + pen->columns->x[FIELD_LANE]);
}

/* Writes ", seen 0.8 s ago, no safepoint since" for a stack that is out of date, else nothing. */
static void seen_text(const struct rtop_thread_row *thread, char *out, size_t bytes)
{
  char age[16];
  bool off = thread->state == RTOP_STATE_BLOCKED || thread->state == RTOP_STATE_WAITING;
  draw_time(age, sizeof age, thread->stack_age_ns);
  bool known = thread->stack_age_ns > 0;
  out[0] = '\0';
  if (thread_stack_is_old(thread)) {
    snprintf(out, bytes, ", seen %s%s, %s since", known ? age : "earlier", known ? " ago" : "",
             off ? "none taken" : "no safepoint");
  }
}

static void stack_title(const struct rtop_thread_row *thread, int y, int columns)
{
  char age[16], text[320], seen[64], taken[48];
  seen_text(thread, seen, sizeof seen);
  thread_stack_age(taken, sizeof taken, thread);
  draw_time(age, sizeof age, thread->state_age_ns);
  char name[64];
  rtop_text_sanitize(name, sizeof name, thread->name, strlen(thread->name));
  const char *does = thread->ended || thread->state >= RTOP_STATES ? "ended" : state_does(thread->state);
  bool since = strncmp(taken, "in it", 5) == 0, has_age = thread->state_age_ns > 0 && !thread->ended && !since;
  snprintf(text, sizeof text, "-- %sstack of %s (%u)%s%s %s%s%s%s%s ", seen[0] != '\0' ? "last " : "",
           name[0] != '\0' ? name : "-", thread->native_id, seen, seen[0] != '\0' ? ";" : ",", does,
           has_age ? " for " : "", has_age ? age : "", taken[0] != '\0' ? "; " : "", taken);
  int x = draw_text(y, 0, columns, FACE_LABEL, text);
  for (; x < columns; x++) draw_text(y, x, 1, FACE_LABEL, "-");
}

static void fibers_title(const struct ui *ui, const struct rtop_thread_row *thread, const struct fiber_row *fiber,
                         struct rect at)
{
  char name[64];
  rtop_text_sanitize(name, sizeof name, thread->name, strlen(thread->name));
  draw_blank(at.y, 0, at.columns, FACE_LABEL);
  draw_format(at.y, 0, at.columns, FACE_LABEL, "-- where most fibers of %s (%u) wait: %s ",
              name[0] != '\0' ? name : "-", thread->native_id,
              fiber_row_name(fiber, rtop_profile_symbols(ui->profile)));
}

/* Returns the position at which to break a text longer than a row: after as many parts as fit, or after the first.
 * NULL: there is only one part. */
static char *pieces_end(char *text, int room)
{
  char *end = NULL;
  for (char *at = strstr(text, "; "); at != NULL; at = strstr(at + 2, "; ")) {
    *at = '\0';
    bool fits = rtop_text_width(text) <= room;
    *at = ';';
    if (fits || end == NULL) end = at;
    if (!fits) break;
  }
  return end;
}

/* Draws a text in rows, broken at "; ". Returns the number of rows. */
static int draw_pieces(char *text, struct rect at)
{
  int rows = 0;
  while (text != NULL && rows < at.rows) {
    int x = rows == 0 ? 3 : 5, room = at.columns - x;
    bool longer = rtop_text_width(text) > room && rows + 1 < at.rows;
    char *end = longer ? pieces_end(text, room) : NULL;
    if (end != NULL) *end = '\0';
    draw_text(at.y + rows++, x, room, FACE_HOT, text);
    text = end != NULL ? end + 2 : NULL;
  }
  return rows;
}

/* Draws what the thread waits for and who owns it, and the locks of the thread that others wait for. Returns the number
   of rows used. */
static int draw_locks(const struct ui *ui, const struct rtop_thread_row *thread, struct rect at)
{
  char text[1700];
  const struct rtop_symbols *symbols = rtop_profile_symbols(ui->profile);
  size_t row = (size_t)(thread - ui->sum.threads);
  unsigned waiting = threads_view_waiting(ui, row);
  int rows = 0;
  bool told = thread->lock.wants != RTOP_WANTS_NOTHING;
  if (told || thread_lock_of(&ui->sum, symbols, row).waits) {
    thread_lock_words(text, sizeof text, &ui->sum, symbols, row);
    rows += draw_pieces(text, at);
  }
  if (waiting > 0 && rows < at.rows)
    draw_format(at.y + rows++, 3, at.columns - 3, FACE_HOT, "%u thread%s for a lock that this one %s", waiting,
                waiting == 1 ? " waits" : "s wait", threads_view_has(ui, row) ? "has" : "is inside");
  return rows;
}

struct fibers_pen {
  const struct ui *ui;
  int columns;
};

static void draw_fibers_row(const void *context, size_t place, int y, bool selected)
{
  const struct fibers_pen *pen = context;
  const struct rtop_symbols *symbols = rtop_profile_symbols(pen->ui->profile);
  const struct fiber_row *row = threads_view_fiber(pen->ui, place);
  char place_text[1100] = "", longest[16];
  int left = FIBERS_COLUMNS, columns = pen->columns, names = (columns - left) * 2 / 5, places = (columns - left) / 4;
  enum face face = selected ? FACE_CURSOR : FACE_NORMAL, other = selected ? FACE_CURSOR : FACE_C;
  bool match = threads_view_fiber_matches(pen->ui, row);
  draw_time(longest, sizeof longest, row->longest_ns);
  if (row->kind) ui_place(place_text, sizeof place_text, rtop_symbols_get(symbols, row->kind));
  draw_format(y, 1, left - 1, face, "%6u %8u %7.1f %8s", row->alive, row->waiting, 100 * row->share, longest);
  draw_text(y, left, names - 1, match ? FACE_MATCH : row->kind ? face : other, fiber_row_name(row, symbols));
  draw_tail(y, left + names, places - 1, selected ? FACE_CURSOR : FACE_PLACE, place_text);
  draw_text(y, left + names + places, columns - left - names - places, face, fiber_row_wait(row, symbols));
}

/* Draws the heading. The sort column has a mark, as in all tables. */
static void draw_fibers_heading(const struct threads_view *view, int y, int columns)
{
  static const char *const titles[FIBER_SORTS] = { "ALIVE", "WAITING", "SHARE%", "LONGEST", "FIBERS" };
  static const int ends[FIBER_SORTS] = { 7, 16, 24, 33, 0 };
  draw_blank(y, 0, columns, FACE_LABEL);
  for (int i = 0; i < FIBER_SORTS; i++) {
    char text[16];
    bool here = threads_view_fiber_sort(view) == (enum fiber_sort)i, up = view->fiber_reverse != (i == FIBER_SORT_NAME);
    int width = (int)strlen(titles[i]);
    snprintf(text, sizeof text, "%s%s", titles[i], here ? up ? "^" : "v" : "");
    draw_text(y, ends[i] ? ends[i] - width : FIBERS_COLUMNS, width + 1, FACE_LABEL, text);
  }
}

/* Draws the fibers of the thread's scheduler by kind, above the stack. Returns the number of rows used. */
static int draw_fibers(const struct ui *ui, const struct threads_view *view)
{
  struct ui_rows rows = threads_view_fibers(ui);
  struct rect table = ui->layout.part[PART_TABLE];
  struct fibers_pen pen = { ui, table.columns };
  if (rows.count == 0) return 0;
  draw_fibers_heading(view, table.y + rows.heading - 1, table.columns);
  ui_rows_draw(&rows, table, draw_fibers_row, &pen);
  return (int)rows.page + 1;
}

/* From the row below at.y on. */
static void draw_frames(const struct ui *ui, uint32_t leaf, bool old, struct rect at)
{
  const struct rtop_symbols *symbols = rtop_profile_symbols(ui->profile);
  int row = 0, names = at.columns * 3 / 5;
  for (uint32_t node = leaf; node != 0 && row + 1 < at.rows; row++) {
    char place[1100];
    const struct rtop_call_node *call = rtop_symbols_get_node(symbols, node);
    const struct rtop_symbol *symbol = rtop_symbols_get(symbols, call->frame);
    struct rtop_symbol here = *symbol;
    here.line = call->line != 0 ? call->line : symbol->line;
    ui_place(place, sizeof place, &here);
    int y = at.y + 1 + row;
    if (row + 2 == at.rows && call->parent != 0) {
      draw_format(y, 0, at.columns, FACE_NORMAL, "      and %u more", call->depth);
      return;
    }
    draw_format(y, 0, 6, FACE_NORMAL, "%c%3d", old ? '?' : ' ', row);
    draw_text(y, 6, names - 8, rtop_symbol_is_code(symbol) && !old ? FACE_NORMAL : FACE_C, rtop_symbol_words(symbol));
    draw_tail(y, names, at.columns - names, FACE_PLACE, place);
    node = call->parent < node ? call->parent : 0;
  }
  if (leaf == 0) draw_text(at.y + 1, 6, at.columns - 6, FACE_NORMAL, "(not known)");
}

/* Draws the stacks of a thread that waits for a lock and of the owner: half of the rows for each, or as many as it
 * needs. False: the owner is unknown, or there is no room. */
static bool draw_both(const struct ui *ui, const struct rtop_thread_row *thread, struct rect at)
{
  const struct rtop_symbols *symbols = rtop_profile_symbols(ui->profile);
  size_t holder = rtop_lock_holder(&ui->sum, (size_t)(thread - ui->sum.threads));
  if (holder == SIZE_MAX || at.rows < BOTH_ROWS_LEAST) return false;
  const struct rtop_thread_row *other = &ui->sum.threads[holder];
  int own = (int)rtop_symbols_get_node(symbols, thread->node)->depth + 1;
  int rest = at.rows - 1 - (int)rtop_symbols_get_node(symbols, other->node)->depth;
  int upper = rest > at.rows / 2 ? rest : at.rows / 2;
  upper = upper < own ? upper : own > 1 ? own : 2;
  draw_frames(ui, thread->node, thread_stack_is_old(thread), (struct rect){ at.y, at.x, upper, at.columns });
  stack_title(other, at.y + upper, at.columns);
  draw_frames(ui, other->node, thread_stack_is_old(other),
              (struct rect){ at.y + upper, at.x, at.rows - upper, at.columns });
  return true;
}

/* Draws the stack of the thread, or if the cursor is on fibers, the stack in which they wait. */
static void draw_stack(const struct ui *ui, const struct rtop_thread_row *thread, struct rect at)
{
  const struct threads_view *view = ui->data[VIEW_THREADS];
  const struct fiber_row *fiber = view->in_fibers ? threads_view_fiber(ui, view->fiber_pager.cursor) : NULL;
  if (fiber != NULL) fibers_title(ui, thread, fiber, at);
  else stack_title(thread, at.y, at.columns);
  int above = draw_fibers(ui, view);
  if (fiber == NULL)
    above += draw_locks(ui, thread, (struct rect){ at.y + 1 + above, at.x, at.rows - 2 - above, at.columns });
  at.y += above;
  at.rows -= above;
  if (fiber != NULL) draw_frames(ui, fiber->node, false, at);
  else if (!draw_both(ui, thread, at)) draw_frames(ui, thread->node, thread_stack_is_old(thread), at);
}

void threads_draw(struct ui *ui)
{
  struct threads_view *view = ui->data[VIEW_THREADS];
  struct columns columns;
  struct rect table = ui->layout.part[PART_TABLE];
  if (ui->layout.tiny) {
    draw_format(0, 0, ui->layout.columns, FACE_NORMAL, "%zu threads", view->table.count);
    return;
  }
  int stack_rows = threads_view_stack_rows(ui);
  choose_columns(&columns, ui, table.columns);
  threads_draw_heading(ui, view, &columns, table);
  const struct rtop_thread_row *selected = threads_view_row(ui, view->pager.cursor);
  if (selected == NULL) {
    const char *absent = ui_processes_why_absent(ui);
    draw_text(table.y + 1, 2, table.columns - 2, FACE_NORMAL,
              absent != NULL          ? absent
              : ui->filter[0] != '\0' ? "nothing matches the filter (Esc shows everything again)"
                                      : "no thread is known yet");
  } else if (stack_rows > 0 && !view->in_fibers) {
    struct rect below = { table.y + table.rows - stack_rows, 0, stack_rows, table.columns };
    if (view->waits_open) ui_waits_draw(&view->waits, rtop_profile_symbols(ui->profile), ui->sum.length_ns, below);
    else draw_stack(ui, selected, below);
  }
  struct ui_rows rows = threads_view_threads(ui);
  rows.bare = view->in_fibers;
  struct pen pen = { .ui = ui, .view = view, .columns = &columns, .left = table.x, .elsewhere = rows.bare };
  ui_rows_draw(&rows, table, threads_draw_row, &pen);
  /* This row is drawn last, so that the terminal's cursor stays on it. */
  if (view->in_fibers && selected != NULL && stack_rows > 0)
    draw_stack(ui, selected, (struct rect){ table.y + table.rows - stack_rows, 0, stack_rows, table.columns });
}
