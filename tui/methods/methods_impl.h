/* SPDX-License-Identifier: MIT */
/* Regular expressions by which rows, trees, threads and exports are filtered. */
#ifndef RTOP_TUI_METHODS_IMPL_H
#define RTOP_TUI_METHODS_IMPL_H

#include "methods.h"

/* A compiled expression with its text. methods_matches() is true when the frame passes the filter; no frame passes an
 * invalid expression. */
struct methods_regex {
  char *text; /* what is compiled; NULL: nothing */
  regex_t compiled;
};
bool methods_regex_use(struct methods_regex *regex, const char *expression);
void methods_regex_free(struct methods_regex *regex);
/* On "label path". `regex` holds one. */
bool methods_regex_matches(const struct methods_regex *regex, const struct rtop_symbol *symbol);

#endif
