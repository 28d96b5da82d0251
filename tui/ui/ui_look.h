/* SPDX-License-Identifier: MIT */
/* Appearance of the screen, as set by the user. Threads: one. */
#ifndef RTOP_TUI_UI_LOOK_H
#define RTOP_TUI_UI_LOOK_H

#include "tui/tables/columns.h"
#include <stdbool.h>

enum ui_footer { FOOTER_KEYS, FOOTER_LETTERS, FOOTER_OFF };
/* AUTO: as the terminal wants it. */
enum ui_ascii { UI_ASCII_AUTO, UI_ASCII_ON, UI_ASCII_OFF };
enum ui_units { UNITS_PERCENT, UNITS_TIME, UNITS_SAMPLES };

struct ui_look {
  struct columns_choice columns; /* of the table of methods */
  int scroll;                    /* of them */
  enum ui_units units;
  bool header;
  enum ui_footer footer;
  bool mouse;
  bool clipboard; /* the terminal's is used (OSC 52) */
  bool sync;      /* the terminal is informed where each frame begins and ends */
  enum ui_ascii ascii;
  bool wide; /* the terminal draws blocks and lines in two columns */
};

#endif
