/* SPDX-License-Identifier: MIT */
/* The terminal: opening it whatever TERM and locale say, giving it back whatever happens, keys, size.
 *
 * Never refuses where something can be done: an unknown TERM is taken for an xterm, a locale that names
 * UTF-8 but is not installed for C.UTF-8. A terminal that cannot place the cursor is no screen.
 *
 * Threads: one; curses allows one screen per process. Handlers of signals.h are to be open.
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

/* Sets LC_CTYPE from the environment. True: the terminal takes UTF-8. */
bool screen_locale(void);

/* Can there be a screen? See rtop_app_screen_possible(). */
bool screen_possible(const char **reason);

/* 0, or -1 when there can be no screen. */
int screen_open(const struct screen_options *options);
/* A screen of this size that nobody sees, for pictures and tests. Needs no terminal and no signals. */
int screen_open_headless(const struct screen_options *options, int rows, int columns);
void screen_close(void);

bool screen_utf8(void);
/* What the terminal has answered so far, or the locale says. */
enum screen_width screen_width(void);
int screen_input_fd(void);

/* The next key as in keys.h, SCREEN_KEY_NONE, or SCREEN_KEY_GONE when the terminal went away. Sequences
 * of keys without a name are no keys. */
int screen_key(void);
/* A key is here that input_fd does not tell of. */
bool screen_has_key(void);

/* Reads the size again; everything is to be drawn afresh after it. */
void screen_resize(void);
/* Brings what was drawn to the terminal. `sync`: between the marks of mode 2026, so that a terminal that
 * knows it shows the frame as a whole; others ignore them. */
void screen_refresh(bool sync);
/* Cells of a row that move to the left from refresh to refresh, as history does: saves bytes and changes nothing else.
 * To be said each time they are drawn (screen_shift.h). */
void screen_shifts(int y, int x, int columns);
/* The next refresh paints every cell. */
void screen_repaint(void);
/* Gives the terminal to another program, and takes it again. */
void screen_leave(void);
void screen_return(void);
/* Gives the terminal back, stops, and takes it again when continued. False: it cannot be had again. */
bool screen_suspend(void);
/* After SIGCONT, whoever stopped us. False: the terminal cannot be had again. */
bool screen_continued(void);

/* Copies text to the clipboard of the user's terminal (OSC 52), when text is at most 1 kB. */
void screen_copy(const char *text);

/* What stands on the screen, one line per row without trailing blanks. */
void screen_write_text(FILE *out);
/* One character per cell for its attributes: '.' plain, 'a' + pair, upper case when bold, then '#' for
 * reverse without a colour, 'B' bold, '_' underlined. For tests. */
void screen_write_attributes(FILE *out);
/* A picture: light text on a dark ground when `dark`, else dark on light. */
void screen_write_svg(FILE *out, bool dark);
/* By the file's name: "x.light.svg" is dark on light. */
bool screen_svg_is_light(const char *file);

#endif
