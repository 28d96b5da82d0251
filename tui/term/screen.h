/* SPDX-License-Identifier: MIT */
/* The terminal: opened for any TERM and locale, restored in any case; keys and size.
 *
 * It is lenient: an unknown TERM is treated as xterm, a UTF-8 locale that is not installed as C.UTF-8. A terminal that
 * cannot position the cursor is rejected.
 *
 * Threads: one; curses allows one screen per process. The handlers of signals.h must be installed before the
 * screen is opened.
 */
#ifndef RTOP_TUI_SCREEN_H
#define RTOP_TUI_SCREEN_H

#include "screen_width.h"
#include "theme.h"
#include <stdbool.h>
#include <stdio.h>

struct screen_options {
  int color;  /* -1 never, 0 automatic, 1 always */
  bool ascii; /* -U */
  enum theme_name theme;
};

enum { SCREEN_KEY_NONE = -1, SCREEN_KEY_GONE = -2 };

/* Sets LC_CTYPE from the environment. True: the terminal uses UTF-8. */
bool screen_locale(void);

/* Can there be a screen? See rtop_app_screen_possible(). */
bool screen_possible(const char **reason);

/* Opens the screen. Returns 0, or -1 when there can be no screen. */
int screen_open(const struct screen_options *options);
/* Opens an invisible screen of this size, for pictures and tests. Needs neither terminal nor signals. */
int screen_open_headless(const struct screen_options *options, int rows, int columns);
void screen_close(void);

bool screen_utf8(void);
/* Returns the width of ambiguous characters according to the terminal's answer so far, or else the locale. */
enum screen_width screen_width(void);
int screen_input_fd(void);

/* Returns the next key as in keys.h, SCREEN_KEY_NONE, or SCREEN_KEY_GONE when the terminal is gone. Sequences for keys
 * without a name give no key. */
int screen_key(void);
/* Is a key buffered that polling the descriptor does not show? */
bool screen_has_key(void);

/* Reads the size again; the caller must redraw everything. */
void screen_resize(void);
/* Sends what was drawn to the terminal. `sync`: between the marks of mode 2026, so that a terminal that supports this
 * mode shows the frame at once; others ignore the marks. */
void screen_refresh(bool sync);
/* Declares that these cells of a row move to the left from refresh to refresh, as a history does. This saves bytes, and
 * changes nothing else. To be called each time the cells are drawn (screen_shift.h). */
void screen_shifts(int y, int x, int columns);
/* The next refresh paints every cell. */
void screen_repaint(void);
/* Give the terminal to another program, and take it back. */
void screen_leave(void);
void screen_return(void);
/* Gives up the terminal, stops the program, and takes the terminal back when continued. False: it cannot
   be taken back. */
bool screen_suspend(void);
/* To be called after SIGCONT, for any stop. False: the terminal cannot be taken back. */
bool screen_continued(void);

/* Copies a text of at most 1 kB to the clipboard of the user's terminal (OSC 52). */
void screen_copy(const char *text);

/* Writes the text on the screen, one line per row, without trailing blanks. */
void screen_write_text(FILE *out);
/* Writes one character per cell for its attributes: '.' plain, 'a' + pair (upper case: bold), '#' reverse without
 * colour, 'B' bold, '_' underlined. For tests. */
void screen_write_attributes(FILE *out);
/* Writes a picture: light text on a dark ground if `dark`, else dark on light. */
void screen_write_svg(FILE *out, bool dark);
/* Is the picture to be light, by its file name? "x.light.svg" is dark text on light ground. */
bool screen_svg_is_light(const char *file);

#endif
