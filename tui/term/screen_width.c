/* SPDX-License-Identifier: MIT */
/* Asks the terminal how wide it draws. */
#include "screen_width.h"
#include "screen_term.h"
#include <ncurses.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

/* The probe is printed in the second row, because an answer from the first row looks like Shift-F3 of an xterm. The
 * last three characters are narrow everywhere; a terminal without UTF-8 shows them as six. */
static const char probe[] = "▁─ëëë";
enum { PROBE_ROW = 1, PROBE_COLUMNS = 5, PROBE_COLUMNS_WIDE = 7, PROBE_ROOM = 20 };

enum screen_width screen_width_of_locale(const char *locale, bool cannot_tell)
{
  static const char *const languages[] = { "ja", "ko", "zh" };
  if (wcwidth(L'▁') > 1 || wcwidth(L'─') > 1) return SCREEN_WIDTH_WIDE;
  for (size_t i = 0; cannot_tell && locale != NULL && i < sizeof languages / sizeof languages[0]; i++)
    if (strncmp(locale, languages[i], 2) == 0) return SCREEN_WIDTH_WIDE;
  return SCREEN_WIDTH_UNKNOWN;
}

/* Are both the same terminal? /dev/tty has a device number of its own, but stands for the terminal of this session. */
static bool same_terminal(int input_fd, int output_fd)
{
  struct stat input, output;
  if (fstat(input_fd, &input) != 0 || fstat(output_fd, &output) != 0) return false;
  return input.st_rdev == output.st_rdev || (tcgetsid(input_fd) > 0 && tcgetsid(input_fd) == tcgetsid(output_fd));
}

bool screen_width_ask(int input_fd, int output_fd)
{
  if (LINES <= PROBE_ROW || COLS < PROBE_ROOM || !same_terminal(input_fd, output_fd)) return false;
  return screen_term_ask_position(PROBE_ROW, probe);
}

enum screen_width screen_width_judge(int row, int column)
{
  int used = column - 1;
  if (row != PROBE_ROW + 1 || used < PROBE_COLUMNS || used > PROBE_ROOM) return SCREEN_WIDTH_UNKNOWN;
  return used == PROBE_COLUMNS        ? SCREEN_WIDTH_NARROW
         : used <= PROBE_COLUMNS_WIDE ? SCREEN_WIDTH_WIDE
                                      : SCREEN_WIDTH_NOT_UTF8;
}
