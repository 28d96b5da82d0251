/* SPDX-License-Identifier: MIT */
/* This file is the only one that uses terminfo, whose macros (columns, lines, …) must not affect other code. */
#include "screen_term.h"
#include "screen.h"
#include "tui/text/signals.h"
#include <curses.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

/* Finds a description for the terminal, which becomes terminfo's current one. */
static const char *find_term(void)
{
  static const char *const fallback[] = { "xterm-256color", "xterm", "vt100", "ansi" };
  const char *term = getenv("TERM");
  int error = 0;
  if (term == NULL || term[0] == '\0') return NULL;
  if (setupterm(term, STDOUT_FILENO, &error) == OK) return term;
  for (size_t i = 0; i < sizeof fallback / sizeof fallback[0]; i++)
    if (setupterm(fallback[i], STDOUT_FILENO, &error) == OK) return fallback[i];
  return NULL;
}

const char *screen_term_name(void)
{
  const char *term = find_term();
  if (term != NULL) del_curterm(cur_term);
  return term;
}

bool screen_possible(const char **reason)
{
  const char *ignored;
  reason = reason != NULL ? reason : &ignored;
  if (!isatty(STDOUT_FILENO)) {
    *reason = "standard output is not a terminal";
    return false;
  }
  if (!isatty(STDIN_FILENO) && access("/dev/tty", R_OK | W_OK) != 0) {
    *reason = "standard input is not a terminal";
    return false;
  }
  const char *term = getenv("TERM");
  if (term == NULL || term[0] == '\0') {
    *reason = "TERM is not set";
    return false;
  }
  if (find_term() == NULL) {
    *reason = "TERM is unknown, and no description of a common terminal is installed";
    return false;
  }
  bool moves = cursor_address != NULL;
  del_curterm(cur_term);
  if (!moves) *reason = "the terminal (TERM) cannot place the cursor";
  return moves;
}

void screen_term_remember_exit(void)
{
  static const char *const names[] = { "sgr0", "op", "rmkx", "cnorm", "rmcup" };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const char *bytes = tigetstr(names[i]);
    if (bytes != NULL && bytes != (const char *)-1) signals_crash_bytes(bytes, strlen(bytes));
  }
}

/* Does the terminal answer queries? Judged by its description, or by a name that means xterm. */
static bool answers(void)
{
  const char *term = getenv("TERM"), *request = tigetstr("u7"), *described = termname();
  bool own = term != NULL && described != NULL && strncmp(term, described, strlen(described)) == 0;
  if (!own) return term != NULL && strncmp(term, "xterm", 5) == 0;
  return request != NULL && request != (const char *)-1 && strcmp(request, "\033[6n") == 0;
}

static int put_byte(int byte)
{
  return putchar(byte);
}

bool screen_term_ask_position(int row, const char *text)
{
  if (!answers()) return false;
  refresh(); /* The first refresh() enters the alternate screen, so the user's earlier output stays unchanged. */
  tputs(tparm(cursor_address, (long)row, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L), 1, put_byte);
  fputs(text, stdout);
  fputs("\033[6n\r", stdout);
  tputs(clr_eol != NULL ? clr_eol : "", 1, put_byte);
  fflush(stdout);
  clearok(curscr, TRUE); /* curses no longer knows the cursor position. */
  return true;
}

void screen_term_colors(int *colors, int *pairs)
{
  int color_count = tigetnum("colors"), pair_count = tigetnum("pairs");
  *colors = color_count > 0 ? color_count : 0;
  *pairs = pair_count > 0 ? pair_count : 0;
}

bool screen_term_plain_sgr(void)
{
  static const char *const off[] = { "\033[m", "\033[0m", "\033[0;10m", "\033(B\033[m" };
  const char *own = exit_attribute_mode;
  for (size_t i = 0; own != NULL && i < sizeof off / sizeof off[0]; i++)
    if (strncmp(own, off[i], strlen(off[i])) == 0) return move_standout_mode && magic_cookie_glitch <= 0;
  return false;
}

bool screen_term_shifts(void)
{
  return parm_dch != NULL && parm_ich != NULL && cursor_address != NULL;
}

/* tputs() hands over bytes one by one. */
static FILE *tputs_to;

static int put_to(int byte)
{
  return fputc(byte, tputs_to);
}

static void put_numbers(FILE *terminal, const char *what, int first, int second)
{
  tputs_to = terminal;
  tputs(tparm(what, (long)first, (long)second, 0L, 0L, 0L, 0L, 0L, 0L, 0L), 1, put_to);
}

void screen_term_shift(FILE *terminal, int y, int x, int width, int step)
{
  put_numbers(terminal, cursor_address, y, x);
  put_numbers(terminal, parm_dch, step, 0);
  put_numbers(terminal, cursor_address, y, x + width - step);
  put_numbers(terminal, parm_ich, step, 0);
}

void screen_term_back_to(FILE *terminal, int y, int x)
{
  put_numbers(terminal, cursor_address, y, x);
  fflush(terminal);
}
