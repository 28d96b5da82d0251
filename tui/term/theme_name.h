/* SPDX-License-Identifier: MIT */
/* The themes: "default" for any ground, "light" with darker colours for a white ground, "blue" with blue, orange and
 * yellow for red-green colour blindness, "mono" without colours.
 *
 * Threads: any. Independent of the screen.
 */
#ifndef RTOP_TUI_THEME_NAME_H
#define RTOP_TUI_THEME_NAME_H

#include <stdbool.h>

enum theme_name { THEME_DEFAULT, THEME_LIGHT, THEME_BLUE, THEME_NONE, THEME_NAMES };

const char *theme_name_text(enum theme_name name);
bool theme_name_parse(const char *text, enum theme_name *name);

#endif
