/* SPDX-License-Identifier: MIT */
/* One screen, drawn where nobody sees it, as text or as a picture: for the manual, for bug reports and
 * for tests. Needs no terminal. For app.c.
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

/* "80x24", "80x24:FILE.svg" (light on dark), "80x24:FILE.light.svg", "80x24:FILE.txt". False: not of this form, or not within 1x1 to 500x200. */
bool app_dump_parse(struct app_dump_target *target, const char *text);

/* Waits until one span of data is there (or the target ended), draws, writes. Returns the exit status. */
int app_dump(const struct rtop_options *options);

#endif
