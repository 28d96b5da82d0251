/* SPDX-License-Identifier: MIT */
/* Exceptions of a span by class and place, most frequent first. No screen.
 *
 * Threads: one. The list owns its memory and reuses it; a struct of zeros is empty.
 */
#ifndef RTOP_TUI_RAISED_LIST_H
#define RTOP_TUI_RAISED_LIST_H

#include "tui/history/profile.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RAISED_LIST_MAX = 512 };

struct rtop_raised_count; /* profile_lists.h */

/* Where an exception was raised; frames are those of the process. */
struct raised_place {
  uint32_t class_frame; /* frame whose label is the class name; 0: any class, for exceptions that found no room */
  uint32_t frame, line; /* the program's method that raised and the line in it; 0: unknown */
  uint32_t node;        /* node of that method, or of the known part of the stack */
  uint32_t called;      /* the C function or method of Ruby itself that the program's
                      method called and that raised; 0: none, or Kernel#raise */
};

struct raised_row {
  struct raised_place place;
  uint32_t shown; /* frame shown for the method by the lens; 0: hidden */
  uint64_t count;
  int64_t first_ns, last_ns;
};

struct raised_list {
  struct raised_row *rows;
  size_t count, capacity;
  uint64_t all;  /* exceptions that have a class */
  uint64_t rest; /* number of exceptions in rows that are left out because there are too many */
  bool failed;   /* private */
};

/* False: memory ran out. */
bool raised_list_build(struct raised_list *list, const struct rtop_profile *profile, struct rtop_span span);
void raised_list_destroy(struct raised_list *list);

struct raised_place raised_place_of(const struct rtop_symbols *symbols, const struct rtop_raised_count *raised);
/* Returns the name of the class; "(others)" for exceptions that found no room. */
const char *raised_class(const struct rtop_symbols *symbols, const struct raised_place *place);

#endif
