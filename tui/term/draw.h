/* SPDX-License-Identifier: MIT */
/* Drawing primitives on the curses screen: text cut by columns, bars of several states, cells of strips, figures. Each
 * function takes a rectangle or part of a row and never writes outside of it.
 *
 * Text must be sanitised (text.h). Threads: one, while the screen is open. Nothing allocates.
 */
#ifndef RTOP_TUI_DRAW_H
#define RTOP_TUI_DRAW_H

#include "theme.h"
#include "tui/history/profile.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `ascii`: no block characters. `utf8`: the terminal supports UTF-8; without it non-ASCII characters of names become
 * '?', since curses would silently print blanks. */
void draw_charset(bool ascii, bool utf8);
bool draw_is_ascii(void);
/* Set when the terminal draws characters of ambiguous width in two columns: in names, such characters become '?'. */
void draw_wide(bool wide);
bool draw_utf8(void);

/* Draws text and returns the number of columns used, at most `columns`; a cut is marked by '~'. Other
   columns stay unchanged. */
int draw_text(int y, int x, int columns, enum face face, const char *text);
/* Like draw_text(), but cut at the start, for paths, whose end matters. */
int draw_tail(int y, int x, int columns, enum face face, const char *text);
/* Flush right. */
void draw_right(int y, int x, int columns, enum face face, const char *text);
/* Flush right; a zero is dim, so that it does not cover what counts. */
void draw_figure(int y, int x, int columns, enum face face, const char *text);
int draw_format(int y, int x, int columns, enum face face, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Blanks. */
void draw_blank(int y, int x, int columns, enum face face);
/* Changes the face of cells that have been drawn. */
void draw_paint(int y, int x, int columns, enum face face);

/* Number of bytes of `text`, below DRAW_SENTENCE_BYTES, that fit into `columns`: up to a blank if possible, else up to
 * the end of a character. */
enum { DRAW_SENTENCE_BYTES = 512 };
size_t draw_sentence_break(const char *text, int columns);
/* Draw a sentence wrapped into rows, with a blank on both sides. draw_sentence_rows() returns the number of rows that
 * the sentence needs in `columns` without these blanks, at most `most`. */
int draw_sentence_rows(const char *text, int columns, int most);
void draw_sentence(int y, int x, int rows, int columns, enum face face, const char *text);

/* A state's sign and face (states.def). */
char draw_state_glyph(enum rtop_state state);
enum face draw_state_face(enum rtop_state state);

/* Draws shares (0 to 1) as a bar from left to right; a sum above 1 is cut, below 1 the remaining cells are blank. A
 * share other than 0 gets at least one cell if there is room. */
struct draw_segment {
  double share;
  enum rtop_state state;
};
void draw_bar(int y, int x, int columns, const struct draw_segment *segments, int count);

/* Draws a cost as a bar of two tones: '#' for own time, '+' for called time. `full_ns` fills the bar; any cost gets at
 * least one cell. `selected`: the row is under the cursor. */
struct draw_heat {
  uint64_t own_ns, both_ns, full_ns;
};
void draw_heat(int y, int x, int columns, struct draw_heat heat, bool selected);
/* Draws a heading, and explains the tones if there is room. */
void draw_heat_legend(int y, int x, int columns, const char *heading);

/* Draws a cell that is filled from below, 0 to 1; negative: unknown, drawn blank. */
void draw_level(int y, int x, enum face face, double share);

/* Draws a cell of a history (strip.h): like draw_level(), with lost time hatched. */
void draw_history_cell(int y, int x, enum face face, double share);

/* Format: a percentage, "38.2", at most 6 columns; a time, "412ms", "1.50s", "2m14s", at most 6 columns. */
void draw_percent(char *out, size_t out_bytes, double percent);
void draw_time(char *out, size_t out_bytes, uint64_t nanoseconds);

#endif
