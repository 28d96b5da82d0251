/* SPDX-License-Identifier: MIT */
/* Primitives on the curses screen: text that is cut by columns, bars of several states, cells of
 * strips, figures. All take a rectangle's part and never write outside of it.
 *
 * Text must be sanitised (text.h). Threads: one, while the screen is open. Nothing here allocates.
 */
#ifndef RTOP_TUI_DRAW_H
#define RTOP_TUI_DRAW_H

#include "theme.h"
#include "tui/history/profile.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `ascii`: no block characters. `utf8`: the terminal takes UTF-8; without it every character of a name
 * that is not ASCII becomes '?' (curses would print blanks, silently). */
void draw_charset(bool ascii, bool utf8);
bool draw_is_ascii(void);
/* The terminal draws characters of ambiguous width in two columns: those of names become '?'. */
void draw_wide(bool wide);
bool draw_utf8(void);

/* Returns the columns used, at most `columns`; a cut is marked by '~'. The rest stays untouched. */
int draw_text(int y, int x, int columns, enum face face, const char *text);
/* Cut at the start: for paths, their end matters. */
int draw_tail(int y, int x, int columns, enum face face, const char *text);
/* Flush right. */
void draw_right(int y, int x, int columns, enum face face, const char *text);
int draw_format(int y, int x, int columns, enum face face, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Blanks. */
void draw_blank(int y, int x, int columns, enum face face);
/* Changes the face of cells that are drawn already. */
void draw_paint(int y, int x, int columns, enum face face);

/* Bytes of `text`, less than DRAW_SENTENCE_BYTES, that fit into `columns`: up to a blank where there is one, else up to a
 * character. */
enum { DRAW_SENTENCE_BYTES = 512 };
size_t draw_sentence_break(const char *text, int columns);
/* A sentence wrapped into rows with a blank at both sides: how many it takes in columns without these, at most `most`. */
int draw_sentence_rows(const char *text, int columns, int most);
void draw_sentence(int y, int x, int rows, int columns, enum face face, const char *text);

/* A state's sign and face (states.def). */
char draw_state_glyph(enum rtop_state state);
enum face draw_state_face(enum rtop_state state);

/* A bar: shares of 0 to 1, left to right; what is above 1 in sum is cut, what is missing is blank. A
 * share that is not 0 gets a cell when there is room. */
struct draw_segment {
  double share;
  enum rtop_state state;
};
void draw_bar(int y, int x, int columns, const struct draw_segment *segments, int count);

/* What something cost as a bar of two tones: '#' its own time, '+' what it called. `full_ns` fills the bar; whatever
 * there is gets a cell. `selected`: the row stands under the cursor. */
struct draw_heat {
  uint64_t own_ns, both_ns, full_ns;
};
void draw_heat(int y, int x, int columns, struct draw_heat heat, bool selected);
/* A heading, then what the tones mean as far as there is room. */
void draw_heat_legend(int y, int x, int columns, const char *heading);

/* One cell that is filled from below: 0 to 1; below 0: nothing is known, blank. */
void draw_level(int y, int x, enum face face, double share);

/* A cell of a history (strip.h): like a level; what was lost is hatched. */
void draw_history_cell(int y, int x, enum face face, double share);

/* "38.2", at most 6 columns. "412ms", "1.50s", "2m14s": at most 6 columns. */
void draw_percent(char *out, size_t out_bytes, double percent);
void draw_time(char *out, size_t out_bytes, uint64_t nanoseconds);

#endif
