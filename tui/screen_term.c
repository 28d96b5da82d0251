/* terminfo alone: its macros (columns, lines, …) must not meet other code. */
#include "screen_term.h"
#include "screen.h"
#include "signals.h"
#include <curses.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

/* On success its description is terminfo's current one. */
static const char *find_term(void)
{
  static const char *const fallback[] = { "xterm-256color", "xterm", "vt100", "ansi" };
  const char *term = getenv("TERM");
  int error = 0;
  if (term == NULL || term[0] == '\0') {
    return NULL;
  }
  if (setupterm(term, STDOUT_FILENO, &error) == OK) {
    return term;
  }
  for (size_t i = 0; i < sizeof fallback / sizeof fallback[0]; i++) {
    if (setupterm(fallback[i], STDOUT_FILENO, &error) == OK) {
      return fallback[i];
    }
  }
  return NULL;
}

const char *screen_term_name(void)
{
  const char *term = find_term();
  if (term != NULL) {
    del_curterm(cur_term);
  }
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
  if (!moves) {
    *reason = "the terminal (TERM) cannot place the cursor";
  }
  return moves;
}

void screen_term_remember_exit(void)
{
  static const char *const names[] = { "sgr0", "op", "rmkx", "cnorm", "rmcup" };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const char *bytes = tigetstr(names[i]);
    if (bytes != NULL && bytes != (const char *)-1) {
      signals_crash_bytes(bytes, strlen(bytes));
    }
  }
}

void screen_term_colors(int *colors, int *pairs)
{
  int color_count = tigetnum("colors"), pair_count = tigetnum("pairs");
  *colors = color_count > 0 ? color_count : 0;
  *pairs = pair_count > 0 ? pair_count : 0;
}
