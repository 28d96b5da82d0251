/* SPDX-License-Identifier: MIT */
/* A screen drawn invisibly, as text or as a picture: for the manual, bug reports and tests. Needs no terminal. Private
 * to app.c.
 */
#ifndef RTOP_TUI_APP_DUMP_H
#define RTOP_TUI_APP_DUMP_H

#include <stdbool.h>

struct rtop_options;

struct app_dump_target {
  int columns, rows;
  const char *file; /* "": standard output, as text */
  bool svg;
  bool light; /* dark text on a light ground */
};

/* Parses "80x24", "80x24:FILE.svg" (light on dark), "80x24:FILE.light.svg" or "80x24:FILE.txt". False: invalid, or
 * not within 1x1 to 500x200. */
bool app_dump_parse(struct app_dump_target *target, const char *text);

/* Waits until there is a full span of data (or the target has ended), then draws and writes. Returns
   the exit status. */
int app_dump(const struct rtop_options *options);

#endif
