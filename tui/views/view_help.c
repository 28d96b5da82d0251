/* The help screen: what stands on the screen that it was opened from, then its keys. */
#include "viewer.h"
#include "tui/term/draw.h"
#include "tui/term/pager.h"
#include "tui/ui/ui.h"
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>

enum {
  IN_METHODS = 1 << VIEW_METHODS | 1 << VIEW_TIME,
  IN_TREES = 1 << VIEW_TREE | 1 << VIEW_GROUPS,
  IN_FIGURES = IN_METHODS | IN_TREES,
  IN_ALL = (1 << VIEW_COUNT) - 1,
};

/* What stands on the page that the help was opened from, from top to bottom. */
static const struct legend {
  unsigned views; /* a bit for each that has it */
  const char *text;
} legend[] = {
  { IN_ALL, "  2nd row  what the process does, who is to blame, since when; then the" },
  { IN_ALL, "           newest stall: ( goes there, ! lists all" },
  { IN_ALL, "  GVL      how much of the window it was held, by whom; how many waited for" },
  { IN_ALL, "           it, and how long each" },
  { IN_ALL, "  GC       share of the window; collections a minute (/m)" },
  { IN_ALL, "  Thr      run: with the GVL, wait: for it, blocked: off it (I/O, sleep," },
  { IN_ALL, "           locks), idle: blocked all the time" },
  { IN_ALL, "  ovh smp rss  cost of the profiler; samples a second; memory" },
  { IN_ALL, "  timeline how much of each second the GVL was held; ! a stall, M a mark" },
  { IN_ALL, "  title    busy: all but blocked time (C: CPU, W: all); length of the window" },
  { IN_FIGURES, "  100% is one thread for the whole window; several can add up to more" },
  { IN_FIGURES, "  SELF%   the method itself            TOTAL%  it and what it calls" },
  { IN_METHODS, "  WAIT%   of SELF: waits for the GVL   BLOCK%  I/O, sleep, locks" },
  { IN_METHODS, "  GC%     of SELF: garbage collection  CPU%    CPU time of SELF" },
  { IN_METHODS, "  BLAME%  others waited for the GVL meanwhile   THR  threads in it now" },
  { IN_METHODS, "  RATIO%  share of the window on the stack of its busiest thread" },
  { IN_METHODS, "  ALLOC/s objects made per second   HIST  its last minute" },
  { IN_METHODS, "  | : . # =  what it does most: run, wait, blocked, GC mark, GC sweep" },
  { IN_TREES, "  [-] open   [+] closed   | : . # = a thread is here now, in that state" },
  { 1 << VIEW_TREE, "  *       the path of the thread that holds the GVL" },
  { 1 << VIEW_GROUPS, "  ->      a method with several callers stands elsewhere; ^ callers of row 1" },
  { IN_TREES, "  A filter keeps whole stacks: those that contain a matching method." },
  { 1 << VIEW_THREADS, "  HELD%   share of the window that it held the GVL, GC included" },
  { 1 << VIEW_THREADS, "  BLAME%  others waited for the GVL while it held it" },
  { 1 << VIEW_THREADS, "  lanes   a cell is 100 ms: @ or a block held the GVL longest, : or a shade" },
  { 1 << VIEW_THREADS, "          waited for it, | ran, . blocked, # = GC, blank idle" },
  { 1 << VIEW_THREADS, "  READ/s, WRITE/s  bytes to and from files, pipes, sockets; but not by" },
  { 1 << VIEW_THREADS, "          recv and send (read_nonblock and write_nonblock)" },
  { 1 << VIEW_ICICLE, "  A cell is a call below its caller, as wide as its time; | : . # = its state" },
  { 1 << VIEW_SOURCE, "  bold: lines of the method; ? the file has changed since the start" },
  { 1 << VIEW_SOURCE, "  # own time of a line, + what it calls; ^9 its time counts for line 9, of" },
  { 1 << VIEW_SOURCE, "  its loop: safepoints are at the end of each turn" },
  { 1 << VIEW_SKYLINE, "  height SELF, names: the highest, number THR, * just active, ^ cut" },
};
enum { LEGEND_ROWS = sizeof legend / sizeof legend[0], ROWS_MAX = 128 };

struct help_row {
  const struct key_row *key; /* NULL: text is a heading or a line of the legend */
  const char *text;
  bool heading;
};

struct help_view {
  struct help_row row[ROWS_MAX];
  size_t count;
  struct pager pager;
};

static struct help_view *help_view(const struct ui *ui)
{
  return ui->data[VIEW_HELP];
}

static void help_add(struct help_view *view, const struct key_row *key, const char *text, bool heading)
{
  if (view->count < ROWS_MAX) view->row[view->count++] = (struct help_row){ key, text, heading };
}

static void help_update(struct ui *ui)
{
  struct help_view *view = help_view(ui);
  unsigned views = 1u << (ui->back != NULL ? ui->back->id : VIEW_METHODS);
  view->count = 0;
  help_add(view, NULL, "On this screen", true);
  for (int i = 0; i < LEGEND_ROWS; i++)
    if ((legend[i].views & views) != 0) help_add(view, NULL, legend[i].text, false);
  for (int group = 0; group < KEY_GROUPS; group++) {
    bool titled = false;
    for (size_t i = 0; i < keys_count; i++) {
      const struct key_row *key = &keys_table[i];
      if ((int)key->group != group || (key->views & views) == 0) continue;
      if (!titled) {
        help_add(view, NULL, keys_group_name(key->group), true);
        titled = true;
      }
      help_add(view, key, NULL, false);
    }
  }
}

static bool help_handle(struct ui *ui, enum request request)
{
  struct help_view *view = help_view(ui);
  size_t page = ui_rows_page(ui, 1), last = view->count > page ? view->count - page : 0;
  /* There is nothing to select: the page itself moves. */
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

static void help_draw_row(const struct help_row *row, int y, struct rect at)
{
  char names[64];
  if (row->key == NULL) {
    draw_text(y, at.x + 1, at.columns - 1, row->heading ? FACE_LABEL : FACE_NORMAL, row->text);
    return;
  }
  int names_columns = at.columns >= 60 ? 20 : 12;
  keys_names(names, sizeof names, row->key);
  draw_text(y, at.x + 3, names_columns - 3, FACE_TITLE, names);
  draw_text(y, at.x + names_columns + 1, at.columns - names_columns - 1, FACE_NORMAL, row->key->help);
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
  draw_format(at.y, at.x + 1, at.columns - 1, FACE_HEADING, "HELP  %zu-%zu of %zu", view->pager.top + 1,
              view->pager.top + page < view->count ? view->pager.top + page : view->count, view->count);
  for (size_t i = 0; i < page && view->pager.top + i < view->count; i++)
    help_draw_row(&view->row[view->pager.top + i], at.y + 1 + (int)i, at);
  move(at.y, at.x);
}

const struct view_ops view_help = {
  .id = VIEW_HELP,
  .threads = true,
  .bytes = sizeof(struct help_view),
  .update = help_update,
  .handle = help_handle,
};
