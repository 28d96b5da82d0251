/* SPDX-License-Identifier: MIT */
/* Opens and restores the terminal. */
#include "screen.h"
#include "draw.h"
#include "screen_gather.h"
#include "screen_input.h"
#include "screen_shift.h"
#include "screen_term.h"
#include "theme.h"
#include "tui/text/signals.h"
#include <ncurses.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

static struct {
  SCREEN *terminal;
  FILE *input, *output;
  bool utf8, headless, gathers;
  enum screen_width width;
} state;

static bool names_utf8(const char *locale)
{
  return locale != NULL && (strcasestr(locale, "utf-8") != NULL || strcasestr(locale, "utf8") != NULL);
}

static const char *locale_wanted(void)
{
  static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const char *value = getenv(names[i]);
    if (value != NULL && value[0] != '\0') return value;
  }
  return NULL;
}

bool screen_locale(void)
{
  if (setlocale(LC_CTYPE, "") == NULL && names_utf8(locale_wanted())) setlocale(LC_CTYPE, "C.UTF-8");
  return strcasecmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static void set_up(const struct screen_options *options)
{
  cbreak();
  noecho();
  nonl();
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  leaveok(stdscr, FALSE);
  if (getenv("ESCDELAY") == NULL) set_escdelay(60);
  curs_set(0);
  int colors, pairs;
  screen_term_colors(&colors, &pairs);
  /* Without colours start_color() must not run, since it would set white on black. */
  theme_use(options->theme);
  theme_init(theme_choose(options->color, getenv("NO_COLOR"), colors, pairs));
  draw_charset(options->ascii, state.utf8);
}

static void ask_width(void)
{
  if (!state.utf8) return;
  bool asked = screen_width_ask(fileno(state.input), fileno(state.output));
  state.width = screen_width_of_locale(locale_wanted(), !asked);
  if (asked) screen_input_expect();
}

int screen_open(const struct screen_options *options)
{
  if (!screen_possible(NULL)) return -1;
  state.utf8 = screen_locale();
  state.headless = false;
  state.gathers = (state.output = screen_gather_open(stdout)) != NULL;
  state.output = state.gathers ? state.output : stdout;
  state.input = isatty(STDIN_FILENO) ? stdin : fopen("/dev/tty", "re");
  if (state.input == NULL) {
    screen_gather_close();
    return -1;
  }
  /* The standard descriptor is used, because during a refresh the stream's descriptor is not a terminal. */
  signals_save_terminal(fileno(state.input), fileno(stdout));
  const char *term = screen_term_name();
  state.terminal = newterm(term, state.output, state.input);
  if (state.terminal == NULL) {
    screen_gather_close();
    return -1;
  }
  screen_term_remember_exit();
  if (screen_term_plain_sgr()) screen_gather_squeeze();
  set_up(options);
  screen_resize();
  screen_input_open(fileno(state.input));
  ask_width();
  return 0;
}

int screen_open_headless(const struct screen_options *options, int rows, int columns)
{
  state.utf8 = screen_locale();
  state.headless = true;
  state.output = fopen("/dev/null", "we");
  state.input = fopen("/dev/null", "re");
  if (state.output == NULL || state.input == NULL) return -1;
  state.terminal = newterm("xterm-256color", state.output, state.input);
  if (state.terminal == NULL) return -1;
  set_up(options);
  resizeterm(rows, columns);
  return 0;
}

void screen_close(void)
{
  if (state.terminal == NULL) return;
  if (!state.headless && !isendwin()) screen_input_await();
  if (!isendwin() && signals_in_foreground(fileno(state.input))) endwin();
  delscreen(state.terminal);
  if (state.headless) fclose(state.output);
  screen_gather_close();
  if (state.input != stdin) fclose(state.input);
  memset(&state, 0, sizeof state);
}

bool screen_utf8(void)
{
  return state.utf8;
}

enum screen_width screen_width(void)
{
  return state.width;
}

int screen_input_fd(void)
{
  return fileno(state.input);
}

int screen_key(void)
{
  int row, column, key = screen_input_key();
  if (screen_input_answer(&row, &column) && state.width == SCREEN_WIDTH_UNKNOWN) {
    state.width = screen_width_judge(row, column);
    state.utf8 = state.utf8 && state.width != SCREEN_WIDTH_NOT_UTF8;
  }
  return key;
}

bool screen_has_key(void)
{
  return screen_input_holds();
}

void screen_resize(void)
{
  struct winsize size;
  if (!state.headless && ioctl(fileno(state.output), TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
    resizeterm(size.ws_row, size.ws_col);
}

void screen_refresh(bool sync)
{
  /* After taking back the terminal, curses first sets its modes, which must not be delayed. */
  if (state.gathers && !isendwin()) screen_gather_begin();
  if (sync && !state.headless) {
    fputs("\033[?2026h", state.output);
    fflush(state.output);
  }
  screen_shift_send(state.output, state.gathers && !state.headless);
  doupdate();
  if (sync && !state.headless) {
    fputs("\033[?2026l", state.output);
    fflush(state.output);
  }
  screen_gather_end();
}

void screen_shifts(int y, int x, int columns)
{
  screen_shift_hint(y, x, columns);
}

void screen_repaint(void)
{
  clearok(curscr, TRUE);
}

void screen_leave(void)
{
  screen_input_await();
  endwin();
}

void screen_return(void)
{
  refresh();
  screen_resize();
  screen_repaint();
}

bool screen_suspend(void)
{
  screen_leave();
  if (!signals_stop_self(fileno(state.input))) return false;
  screen_return();
  return true;
}

bool screen_continued(void)
{
  int fd = fileno(state.input);
  if (!signals_in_foreground(fd) && !signals_stop_self(fd)) return false;
  reset_prog_mode(); /* Another program in the foreground may have changed the modes. */
  return true;
}

void screen_copy(const char *text)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  size_t count = strlen(text);
  if (state.headless || count > 1024) return;
  fputs("\033]52;c;", state.output);
  for (size_t i = 0; i < count; i += 3) {
    unsigned group = 0;
    for (size_t k = 0; k < 3; k++) group = group << 8 | (i + k < count ? (unsigned char)text[i + k] : 0);
    for (size_t k = 0; k < 4; k++) fputc(i + k <= count ? digits[group >> (18 - 6 * k) & 63] : '=', state.output);
  }
  fputs("\a", state.output);
  fflush(state.output);
}
