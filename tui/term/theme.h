/* SPDX-License-Identifier: MIT */
/* From meaning to attributes. Code that draws names what a cell *is*; only this file knows colours.
 *
 * Three palettes: 256 colours, 8 colours, none; and the themes of theme_name.h. Text keeps the terminal's
 * own foreground and background (so that it is readable on light and on dark), nothing is bright black,
 * and no state is told by colour alone: each has its glyph (draw.h).
 *
 * Threads: one; after the screen was opened. Nothing here allocates.
 */
#ifndef RTOP_TUI_THEME_H
#define RTOP_TUI_THEME_H

#include "theme_name.h"
#include <ncurses.h>
#include <stdbool.h>

enum face {
  FACE_NORMAL,
  FACE_TITLE, /* what is watched */
  FACE_GOOD,  /* [LIVE] */
  FACE_WARN,  /* [STALLED], [ENDED], [DEAD], gaps, drops */
  FACE_FROZEN,
  FACE_LABEL,        /* names of figures */
  FACE_HEADING,      /* row of column names */
  FACE_HEADING_SORT, /* the column sorted by */
  FACE_CURSOR,       /* the selected row */
  FACE_MATCH,        /* found by the search */
  FACE_TAB,
  FACE_MESSAGE,
  FACE_KEY,       /* footer: the key */
  FACE_KEY_LABEL, /* footer: what it does */
  FACE_RUN,
  FACE_WAIT,
  FACE_BLOCKED,
  FACE_MARK,
  FACE_SWEEP,
  FACE_STRIP,    /* timeline */
  FACE_HOT,      /* figures worth a look */
  FACE_PLACE,    /* path:line */
  FACE_C,        /* methods written in C, made-up frames */
  FACE_LIT,      /* cells on the way to the cursor */
  FACE_FILL_RUN, /* cells that are filled, by state and by heat */
  FACE_FILL_WAIT,
  FACE_FILL_BLOCKED,
  FACE_FILL_GC,
  FACE_HEAT_0,
  FACE_HEAT_1,
  FACE_HEAT_2,
  FACE_HEAT_3,
  FACE_HEAT_4,
  FACE_COUNT,
};

enum theme_palette { THEME_MONO, THEME_8, THEME_256 };

/* What the environment and the terminal allow: `wanted` is -1 never, 0 automatic, 1 always; NO_COLOR
 * (set and not empty) means never in automatic. */
enum theme_palette theme_choose(int wanted, const char *no_color, int terminal_colors, int terminal_pairs);

/* Takes effect at once, also while a screen is open, which is then to be painted again. */
void theme_use(enum theme_name name);
enum theme_name theme_used(void);

/* Defines the colour pairs. Call once after the screen is open; has_colors() may be false. */
void theme_init(enum theme_palette palette);
enum theme_palette theme_palette(void);

attr_t theme_attr(enum face face);

/* For pictures: the colours behind a cell's pair as 0xRRGGBB, -1 for the terminal's own. */
void theme_rgb(short pair, int *foreground, int *background);

#endif
