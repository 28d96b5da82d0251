/* SPDX-License-Identifier: MIT */
/* Maps meanings to attributes: drawing code names what a cell is, and only this file knows colours.
 *
 * There are palettes of 256 colours, 8 colours and none, and the themes of theme_name.h. Text keeps the terminal's
 * foreground and background, so it is readable on light and dark; nothing is bright black; and no state is shown by
 * colour alone, since each has a glyph (draw.h).
 *
 * Threads: one; after the screen was opened. Nothing allocates.
 */
#ifndef RTOP_TUI_THEME_H
#define RTOP_TUI_THEME_H

#include "theme_name.h"
#include <ncurses.h>
#include <stdbool.h>

/* Shades of a filled cell: a small, middling and large share; on the way to the cursor. */
enum shade { SHADE_SMALL, SHADE_MIDDLE, SHADE_LARGE, SHADE_LIT, SHADES };

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
  FACE_LIT,      /* cells by heat on the way to the cursor */
  FACE_FILL_RUN, /* cells by state, each in shades of share (enum shade) */
  FACE_FILL_WAIT = FACE_FILL_RUN + SHADES,
  FACE_FILL_BLOCKED = FACE_FILL_WAIT + SHADES,
  FACE_FILL_GC = FACE_FILL_BLOCKED + SHADES,
  FACE_HEAT_0 = FACE_FILL_GC + SHADES,
  FACE_HEAT_1,
  FACE_HEAT_2,
  FACE_HEAT_3,
  FACE_HEAT_4,
  FACE_BODY_RUN, /* graphs below their crest */
  FACE_BODY_WAIT,
  FACE_BODY_BLOCKED,
  FACE_BODY_MEMORY,
  FACE_COUNT,
};

enum theme_palette { THEME_MONO, THEME_8, THEME_256 };

/* Chooses the palette. `wanted`: colours never (-1), automatically (0), always (1); NO_COLOR (set and not empty) means
 * never in automatic mode. */
enum theme_palette theme_choose(int wanted, const char *no_color, int terminal_colors, int terminal_pairs);

/* Changes the theme at once; an open screen must be painted again. */
void theme_use(enum theme_name name);
enum theme_name theme_used(void);

/* Defines the colour pairs. To be called once after the screen is open; has_colors() may be false. */
void theme_init(enum theme_palette palette);
enum theme_palette theme_palette(void);

attr_t theme_attr(enum face face);

/* Returns, for pictures, the colours of a pair as 0xRRGGBB, -1 for the terminal's own. */
void theme_rgb(short pair, int *foreground, int *background);

#endif
