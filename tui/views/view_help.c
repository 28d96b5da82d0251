/* SPDX-License-Identifier: MIT */
/* The help screen: explains the screen from which it was opened, from top to bottom, then the most useful keys. Two
 * pages of 80x24 for every view; rperf-top(1) has all keys. */
#include "viewer.h"
#include "tui/report/vm_missing.h"
#include "tui/term/draw.h"
#include "tui/term/pager.h"
#include "tui/ui/ui.h"
#include <ncurses.h>
#include <stdio.h>
#include <string.h>

enum {
  IN_METHODS = 1 << VIEW_METHODS | 1 << VIEW_TIME,
  IN_TREES = 1 << VIEW_TREE | 1 << VIEW_GROUPS,
  IN_ALL = (1 << VIEW_COUNT) - 1,
};

static const struct legend {
  unsigned views; /* a bit for each that has it */
  const char *term, *text;
} legend[] = {
  { IN_ALL, "title",
    "process, its ruby, time up; samples a second (Hz); busy (with the GVL), cpu or wall (all); length of the "
    "span; LIVE, FROZEN" },
  { IN_ALL, "row 2", "what it does, who is to blame, since when; [(] newest stall, ! all" },
  { IN_ALL, "GVL", "how long it was held, by whom; threads waited for it how long" },
  { IN_ALL, "GC", "mark and sweep; collections: minor, major, a minute (/m, /min)" },
  { IN_ALL, "Thr",
    "Threads now: run with the GVL, wait for it, blocked: off it (I/O, sleep, locks), STUCK: to blame, quiet: at "
    "rest" },
  { IN_ALL, "figures", "CPU: cores had (of those wanted); obj/s made, raised/s: exceptions; cost: of rperf-top; rss" },
  { IN_ALL, "now", "the GVL held in each second; ! a stall, M a mark, / not known" },
  { 1 << VIEW_TIME, "graphs", "threads by state, GC, CPU; DELTA: change of SELF% since before" },
  { IN_METHODS, "SELF%", "the method itself, TOTAL%: and what it calls; 100% is one thread" },
  { 1 << VIEW_METHODS, "v ^ =", "sorted by it; =: the cursor moved, rows stay for two seconds" },
  { IN_METHODS, "WAIT%", "waiting for the GVL; BLOCK%: off it; GC%, CPU%" },
  { IN_METHODS, "BLAME%", "others waited for the GVL meanwhile; RATIO%: of its busiest thread" },
  { IN_METHODS, "THR", "threads in it; ALLOC/s: objects; HIST: SELF% of the last minute" },
  { IN_METHODS, "METHOD", "after its state | : . # = (run, wait, blocked, mark, sweep); LOCATION" },
  { IN_TREES, "TOTAL%",
    "a call and what it calls; SELF%: itself; 100% is one thread all the time; LOCATION: file:line" },
  { 1 << VIEW_TREE, "CALL TREE",
    "[+] closed, [-] open; | : . # = a thread is here now, in that state; * holds the GVL; SPLIT, LOCATION: where "
    "there is room" },
  { 1 << VIEW_TREE, "CALLERS", "who called a method: callees and callers change places with i" },
  { 1 << VIEW_GROUPS, "GROUPS",
    "a method with several callers is a group of its own; -> leads there; ^ who calls row 1" },
  { 1 << VIEW_GROUPS, "TIME", "bars: time, or samples (%); a shade: counted elsewhere; threshold: less is hidden" },
  { IN_TREES, "filter", "keeps whole stacks: those that contain a method that matches" },
  { 1 << VIEW_THREADS, "HELD%", "of the window it held the GVL, GC included; BLAME%: others waited meanwhile" },
  { 1 << VIEW_THREADS, "WANT%", "not blocked; WAIT%: wants the GVL; GC%, CPU%; ST: state; TID: Linux's thread id" },
  { 1 << VIEW_THREADS, "lanes", "100 ms a cell: @ or a block held it, : or a shade waited, | ran, . blocked, # = GC" },
  { 1 << VIEW_THREADS, "ON (leaf)", "where each NAME is, and who called it; READ/s, WRITE/s: bytes; CTX/s: switches" },
  { 1 << VIEW_ICICLE, "cells", "calls below their callers, as wide as their time; | : . # = run, wait, blocked, GC" },
  { 1 << VIEW_ICICLE, "lit", "the way to the cursor; +3: three cells too narrow to be drawn" },
  { 1 << VIEW_SOURCE, "HEAT", "# own: the LINE itself (SELF%), + call: what it calls, both TOTAL%" },
  { 1 << VIEW_SOURCE, "WAIT%", "waiting for the GVL; ALLOC/s: objects. ^9: its time counts for line 9, of its loop" },
  { 1 << VIEW_SOURCE, "SOURCE", "file 9%: share of the file; ? after a line: may not be what was loaded" },
  { 1 << VIEW_SKYLINE, "height", "time of the method itself; streets are packages; ^ cut; a dot: not in this span" },
  { 1 << VIEW_SKYLINE, "names",
    "of the highest; a number: threads that are in it now; run, gc, wait, blocked: shades" },
  { 1 << VIEW_LABELS, "BUSY%", "with the GVL; TOTAL%: all time; WAIT%: for it; BLOCK%: off it; GC%; ALLOC/s: objects" },
  { 1 << VIEW_LABELS, "COUNT", "how often the label began: requests, jobs; EACH: all its time for each of them" },
  { 1 << VIEW_LABELS, "LABEL", "c: next key, endpoint or job; WHERE ITS TIME GOES: | run : wait # = GC . blocked" },
};
enum { LEGEND_COUNT = sizeof legend / sizeof legend[0] };

/* Keys with short explanations: one, or two that belong together. Keys of particular views come first. */
static const struct help_keys {
  enum request first, second; /* REQUEST_NONE: just one */
  const char *text;
} help_keys[] = {
  { REQUEST_LISTS, 0, "details, lists of callers" },
  { REQUEST_OFF_ROW, 0, "open: (more), (off the GVL)" },
  { REQUEST_LEFT, REQUEST_RIGHT, "more columns" },
  { REQUEST_COLUMNS, 0, "choose columns" },
  { REQUEST_FOLLOW, 0, "cursor follows, or stays" },
  { REQUEST_STALL_LIST, 0, "list of stalls, methods" },
  { REQUEST_ZOOM_IN, REQUEST_ZOOM_OUT, "zoom" },
  { REQUEST_HOTTER, REQUEST_COOLER, "hotter, cooler line" },
  { REQUEST_EDIT, 0, "edit the line" },
  { REQUEST_TEXT_LEFT, REQUEST_TEXT_RIGHT, "scroll long lines" },
  { REQUEST_CITY_LEFT, REQUEST_CITY_RIGHT, "building; Up Down: street" },
  { REQUEST_CITY_FOLD, 0, "fold the block" },
  { REQUEST_CITY_LEVEL, 0, "methods, classes, packages" },
  { REQUEST_CITY_HIGHER, REQUEST_CITY_LOWER, "higher, lower" },
  { REQUEST_CHOOSE_THREAD, 0, "only this thread; again: all" },
  { REQUEST_CHOOSE_MORE, 0, "several threads" },
  { REQUEST_STACK, 0, "stack of the thread" },
  { REQUEST_TREE_OUT, REQUEST_TREE_IN, "close, open" },
  { REQUEST_TREE_ALL, 0, "open everything" },
  { REQUEST_TREE_MORE, REQUEST_TREE_FEWER, "one level more, less" },
  { REQUEST_TREE_INVERT, 0, "callees, or callers" },
  { REQUEST_TREE_FOLD, 0, "fold recursion" },
  { REQUEST_CELL_LEFT, REQUEST_CELL_RIGHT, "next cell" },
  { REQUEST_ZOOM, 0, "zoom in (Esc: out)" },
  { REQUEST_CELL_COLOR, 0, "fill by state, or heat" },
  { REQUEST_SAME, 0, "all calls of the method" },
  { REQUEST_FLIP, 0, "upside down" },
  { REQUEST_JUMP, 0, "go to the group, or open" },
  { REQUEST_THRESHOLD_UP, REQUEST_THRESHOLD_DOWN, "hide more, less" },
  { REQUEST_ROW_MENU, 0, "menu of the row" },
  { REQUEST_BACK, 0, "back" },
  { REQUEST_STALL_BACK, REQUEST_STALL_NEXT, "stalls" },
  { REQUEST_STALLS, 0, "list of stalls" },
  { REQUEST_FREEZE, 0, "freeze, live" },
  { REQUEST_STEP_BACK, REQUEST_STEP, "step in time" },
  { REQUEST_PLAY_BACK, REQUEST_PLAY, "play" },
  { REQUEST_GOTO, 0, "go to a time" },
  { REQUEST_WINDOW, 0, "span: 1 10 60 s" },
  { REQUEST_MODE_CPU, REQUEST_MODE_WALL, "count CPU, wall" },
  { REQUEST_UNITS, 0, "time, samples" },
  { REQUEST_SEARCH, 0, "search (n N)" },
  { REQUEST_FILTER, 0, "filter" },
  { REQUEST_EXCLUDE, 0, "hide by pattern" },
  { REQUEST_ONLY_MINE, REQUEST_HIDE_C, "only mine, no C" },
  { REQUEST_ONLY_BUSY, 0, "no quiet threads" },
  { REQUEST_MERGE_MENU, 0, "merge by class ..." },
  { REQUEST_SORT_MENU, 0, "sort" },
  { REQUEST_SORT_SELF, REQUEST_SORT_TOTAL, "by self, by total" },
  { REQUEST_PROCESSES, 0, "processes" },
  { REQUEST_TRACE_ALL, 0, "all calls, exactly" },
  { REQUEST_BASELINE, 0, "compare with now" },
  { REQUEST_RECORD, REQUEST_EXPORT, "record, export" },
  { REQUEST_COMMAND, 0, "command line" },
  { REQUEST_SETUP, 0, "settings" },
  { REQUEST_OUTPUT, 0, "output" },
  { REQUEST_QUIT, 0, "quit" },
};

enum { ROWS_MAX = 160, CELLS_MAX = 8, OWN_COLUMNS = 39, COMMON_COLUMNS = 26, TERM_COLUMNS = 10 };

struct help_row {
  const char *term, *text; /* term NULL: the row is a heading; "": the row continues the previous one */
  int bytes;               /* of text, in this row */
  const struct help_keys *cell[CELLS_MAX];
  int cells; /* 0: a row of text */
};

struct help_view {
  char missing[VM_MISSING_BYTES + 32];
  struct help_row row[ROWS_MAX];
  size_t count;
  struct pager pager;
};

static struct help_view *help_view(const struct ui *ui)
{
  return ui->data[VIEW_HELP];
}

static struct help_row *help_add(struct help_view *view)
{
  if (view->count == ROWS_MAX) view->count--;
  view->row[view->count] = (struct help_row){ 0 };
  return &view->row[view->count++];
}

static void add_heading(struct help_view *view, const char *text)
{
  struct help_row *row = help_add(view);
  row->text = text;
  row->bytes = (int)strlen(text);
}

static void add_legend(struct help_view *view, const struct legend *at, int columns)
{
  const char *text = at->text, *term = at->term;
  while (*text != '\0') {
    struct help_row *row = help_add(view);
    row->term = term;
    row->text = text;
    row->bytes = (int)draw_sentence_break(text, columns);
    text += row->bytes;
    text += strspn(text, " ");
    term = "";
  }
}

static const struct key_row *key_of(enum request request, unsigned views)
{
  for (size_t i = 0; i < keys_count; i++)
    if (keys_table[i].request == request && (keys_table[i].views & views) != 0) return &keys_table[i];
  return NULL;
}

static bool is_common(const struct key_row *key)
{
  enum { DATA = (1 << VIEW_DATA_COUNT) - 1 };
  return (key->views & DATA) == DATA;
}

/* Adds the keys of the view, or those of all views, from left to right. */
static void add_keys(struct help_view *view, unsigned views, bool common, int columns)
{
  struct help_row *row = NULL;
  int most = columns / (common ? COMMON_COLUMNS : OWN_COLUMNS);
  most = most < 1 ? 1 : most > CELLS_MAX ? CELLS_MAX : most;
  for (size_t i = 0; i < sizeof help_keys / sizeof help_keys[0]; i++) {
    const struct key_row *key = key_of(help_keys[i].first, views);
    if (key == NULL || is_common(key) != common) continue;
    if (row == NULL && !common) add_heading(view, "Keys of this view");
    if (row == NULL && common) add_heading(view, "Keys of all views (more: man rperf-top)");
    if (row == NULL || row->cells == most) row = help_add(view);
    row->cell[row->cells++] = &help_keys[i];
  }
}

/* Adds the features that are unavailable because the watched Ruby cannot be read. */
static void add_missing(struct help_view *view, const struct rtop_span_counters *counters, int columns)
{
  char words[VM_MISSING_BYTES];
  if (!vm_missing_words(counters, words)) return;
  snprintf(view->missing, sizeof view->missing, "not available on this Ruby: %s", words);
  add_legend(view, &(struct legend){ IN_ALL, "missing", view->missing }, columns);
}

static void help_prepare(struct ui *ui)
{
  struct help_view *view = help_view(ui);
  int columns = ui->layout.part[PART_TABLE].columns;
  int text_columns = columns > 2 * TERM_COLUMNS ? columns - TERM_COLUMNS - 1 : TERM_COLUMNS;
  unsigned views = 1u << (ui->back != NULL ? ui->back->id : VIEW_METHODS);
  view->count = 0;
  add_missing(view, &ui->sum.counters, text_columns);
  add_heading(view, "On this screen");
  for (int i = 0; i < LEGEND_COUNT; i++)
    if ((legend[i].views & views) != 0) add_legend(view, &legend[i], text_columns);
  add_keys(view, views, false, columns);
  add_keys(view, views, true, columns);
}

static bool help_handle(struct ui *ui, enum request request)
{
  struct help_view *view = help_view(ui);
  size_t page = ui_rows_page(ui, 1), last = view->count > page ? view->count - page : 0;
  /* The page has no rows to select, so the page itself scrolls. */
  switch (request) {
  case REQUEST_DOWN: view->pager.top++; break;
  case REQUEST_UP: view->pager.top -= view->pager.top > 0; break;
  case REQUEST_PAGE_DOWN: view->pager.top += page; break;
  case REQUEST_HALF_DOWN: view->pager.top += (page + 1) / 2; break;
  case REQUEST_PAGE_UP: view->pager.top -= view->pager.top > page ? page : view->pager.top; break;
  case REQUEST_HALF_UP: view->pager.top -= view->pager.top > page / 2 ? page / 2 : view->pager.top; break;
  case REQUEST_FIRST: view->pager.top = 0; break;
  case REQUEST_LAST: view->pager.top = last; break;
  default: return false;
  }
  view->pager.top = view->pager.top > last ? last : view->pager.top;
  return true;
}

static void draw_cell(const struct help_keys *keys, unsigned views, int y, int x, int columns)
{
  char name[16], names[40] = "";
  const enum request requests[] = { keys->first, keys->second };
  for (int i = 0; i < 2; i++) {
    const struct key_row *key = requests[i] != REQUEST_NONE ? key_of(requests[i], views) : NULL;
    if (key == NULL) continue;
    keys_name(name, sizeof name, key->keys[0]);
    strcat(names, i > 0 ? " " : "");
    strcat(names, name);
  }
  int wide = columns >= OWN_COLUMNS ? 11 : 6;
  wide = (int)strlen(names) >= wide ? (int)strlen(names) + 1 : wide;
  draw_text(y, x, columns, FACE_TITLE, names);
  draw_text(y, x + wide, columns - wide, FACE_NORMAL, keys->text);
}

static void help_draw_row(const struct ui *ui, const struct help_row *row, int y, struct rect at)
{
  unsigned views = 1u << (ui->back != NULL ? ui->back->id : VIEW_METHODS);
  if (row->cells == 0) {
    int indent = row->term == NULL ? 1 : TERM_COLUMNS + 1;
    if (row->term != NULL) draw_text(y, at.x + 1, TERM_COLUMNS - 1, FACE_TITLE, row->term);
    draw_format(y, at.x + indent, at.columns - indent, row->term == NULL ? FACE_LABEL : FACE_NORMAL, "%.*s", row->bytes,
                row->text);
    return;
  }
  bool common = is_common(key_of(row->cell[0]->first, views));
  int columns = common ? COMMON_COLUMNS : OWN_COLUMNS;
  for (int i = 0; i < row->cells; i++) {
    int x = 1 + i * columns, room = at.columns - x;
    draw_cell(row->cell[i], views, y, at.x + x, room < columns ? room : columns);
  }
}

void help_draw(struct ui *ui)
{
  struct help_view *view = help_view(ui);
  struct rect at = ui->layout.part[PART_TABLE];
  if (ui->layout.tiny) {
    draw_text(0, 0, ui->layout.columns, FACE_NORMAL, "q: back");
    return;
  }
  size_t page = ui_rows_page(ui, 1);
  if (view->pager.top + page > view->count) view->pager.top = view->count > page ? view->count - page : 0;
  draw_blank(at.y, at.x, at.columns, FACE_HEADING);
  size_t last = view->pager.top + page < view->count ? view->pager.top + page : view->count;
  draw_format(at.y, at.x + 1, at.columns - 1, FACE_HEADING, "HELP  %zu-%zu of %zu%s", view->pager.top + 1, last,
              view->count, last < view->count ? "  PgDn: keys" : "");
  for (size_t i = 0; i < page && view->pager.top + i < view->count; i++)
    help_draw_row(ui, &view->row[view->pager.top + i], at.y + 1 + (int)i, at);
  move(at.y, at.x);
}

const struct view_ops view_help = {
  .id = VIEW_HELP,
  .threads = true,
  .bytes = sizeof(struct help_view),
  .prepare = help_prepare,
  .handle = help_handle,
};
