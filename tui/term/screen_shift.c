/* SPDX-License-Identifier: MIT */
/* Finds how far rows have moved, and moves them on the terminal. */
#include "screen_shift.h"
#include "screen_term.h"
#include <ncurses.h>
#include <string.h>
#include <wchar.h>

enum { HINTS_MAX = 128, CELLS_MAX = 512, STEPS_MAX = 32, LEAST_CELLS = 8, LEAST_SAVED = 32 /* bytes of a shift */ };
enum { MOTION = 7, COLOR = 9 }; /* bytes, about */

static struct {
  struct {
    int y, x, columns;
  } hint[HINTS_MAX];
  int count;
} shifts;

void screen_shift_hint(int y, int x, int columns)
{
  if (shifts.count < HINTS_MAX && columns >= LEAST_CELLS) {
    shifts.hint[shifts.count].y = y;
    shifts.hint[shifts.count].x = x;
    shifts.hint[shifts.count++].columns = columns;
  }
}

/* Reads a row from a column to its end. False: the row contains characters two columns wide, which cannot be cut. */
static bool read_row(WINDOW *window, int y, int x, cchar_t *out)
{
  int at_y, at_x, columns = COLS - x;
  getyx(window, at_y, at_x);
  bool fine = mvwin_wchnstr(window, y, x, out, columns) == OK;
  wmove(window, at_y, at_x);
  for (int i = 0; fine && i < columns; i++) fine = wcwidth(out[i].chars[0]) == 1;
  return fine;
}

static bool alike(const cchar_t *a, const cchar_t *b)
{
  return a->attr == b->attr && wcscmp(a->chars, b->chars) == 0;
}

static int bytes_of(const cchar_t *cell)
{
  return cell->chars[0] < 0x80 ? 1 : cell->chars[0] < 0x800 ? 2 : 3;
}

/* Number of bytes to send after the old cells have moved by `step`: for differing cells with their colours, and for
 * skipping or repeating those in between. */
static int bytes_left(const cchar_t *old, const cchar_t *new, int columns, int step)
{
  int bytes = 0, between = 0;
  attr_t sent = A_NORMAL;
  for (int i = 0; i < columns; i++) {
    int cell = bytes_of(&new[i]);
    if (i + step < columns && alike(&old[i + step], &new[i])) {
      between = between + cell < MOTION ? between + cell : MOTION;
      continue;
    }
    bytes += between + cell + (new[i].attr != sent &&new[i].chars[0] != L' ' ? COLOR : 0);
    sent = new[i].attr;
    between = 0;
  }
  return bytes;
}

static int best_step(const cchar_t *old, const cchar_t *new, int columns)
{
  int best = 0, still = bytes_left(old, new, columns, 0), least = still;
  for (int step = 1; step <= STEPS_MAX && step < columns && least > LEAST_SAVED; step++) {
    int left = bytes_left(old, new, columns, step);
    if (left < least) {
      least = left;
      best = step;
    }
  }
  return still - least > LEAST_SAVED ? best : 0;
}

/* Updates curses' copy of the terminal's content. */
static void move_known(int y, int x, int columns, int step)
{
  int at_y, at_x;
  getyx(curscr, at_y, at_x);
  for (int i = 0; i < step; i++) mvwdelch(curscr, y, x);
  for (int i = 0; i < step; i++) mvwinsch(curscr, y, x + columns - step, ' ');
  wmove(curscr, at_y, at_x);
}

static bool send_one(FILE *terminal, int y, int x, int columns)
{
  static cchar_t old[CELLS_MAX + 1], new[CELLS_MAX + 1];
  if (y < 0 || y >= LINES || x < 0 || x + columns > COLS || COLS - x > CELLS_MAX) return false;
  if (!read_row(curscr, y, x, old) || !read_row(stdscr, y, x, new)) return false;
  int step = best_step(old, new, columns);
  if (step == 0) return false;
  screen_term_shift(terminal, y, x, columns, step);
  move_known(y, x, columns, step);
  return true;
}

void screen_shift_send(FILE *terminal, bool possible)
{
  static bool moved[HINTS_MAX];
  bool any = false;
  possible = possible && !isendwin() && !is_cleared(curscr) && !is_cleared(stdscr) && screen_term_shifts();
  for (int i = 0; i < shifts.count; i++) {
    moved[i] = possible && send_one(terminal, shifts.hint[i].y, shifts.hint[i].x, shifts.hint[i].columns);
    any = any || moved[i];
  }
  if (any) screen_term_back_to(terminal, getcury(curscr), getcurx(curscr));
  wnoutrefresh(stdscr);
  for (int i = 0; i < shifts.count; i++)
    if (moved[i]) wtouchln(newscr, shifts.hint[i].y, 1, 1);
  shifts.count = 0;
}
