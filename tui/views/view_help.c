/* The help screen: the key table of the view it was opened from, then how to read the screen. */
#include "viewer.h"
#include "tui/term/draw.h"
#include "tui/term/pager.h"
#include "tui/ui/ui.h"
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>

static const char *const legend[] = {
  "Bars and glyphs",
  "  |   runs with the GVL          :   waits for the GVL",
  "  .   blocked: I/O, sleep, locks  #   GC marking    =   GC sweeping",
  "  before a method: the state it spent most of its own time in",
  "  timeline: share of each second that the GVL was held; blank: not known",
  "  source: lines of the method are bold; ? the file has changed since the start",
  "  heat of a line: # its own time, + C functions that it calls; ^9 its time",
  "  counts for line 9, of its loop: safepoints are at the end of each turn",
  "  skyline: width SELF, height RATIO, number THR, * just became active, ^ cut",
  "Trees, icicle, groups",
  "  [-] open   [+] closed   * path of the thread that holds the GVL",
  "  | : . # =  before a method of the tree: a thread is here now, in that state",
  "  ->  in groups: a reference to a method that has several callers",
  "  A filter keeps whole stacks: those that contain a matching method.",
  "Figures",
  "  100% is one thread for the whole window; several threads can add up to more.",
  "  SELF%   the method itself, in any state     TOTAL%  it and what it calls",
  "  WAIT%   part of SELF: waiting for the GVL   BLOCK% part of SELF: I/O, sleep",
  "  GC%     part of SELF: garbage collection    CPU%    CPU time of SELF",
  "  BLAME%  others waited for the GVL it held   THR     threads in it now",
  "  HELD%   threads: share of the window that it held the GVL, GC included",
  "  lanes of threads: a cell is 100 ms; @ or a block: held the GVL longest",
  "  RATIO%  share of the window on the stack of its busiest thread",
  "  ALLOC/s objects allocated per second by the method itself",
  "  READ/s, WRITE/s  bytes that a thread reads and writes: files, pipes, sockets;",
  "          but not by recv and send (read_nonblock and write_nonblock)",
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
  for (int i = 0; i < LEGEND_ROWS; i++) help_add(view, NULL, legend[i], legend[i][0] != ' ');
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
  draw_format(at.y, at.x + 1, at.columns - 1, FACE_HEADING, "KEYS  %zu-%zu of %zu", view->pager.top + 1,
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
