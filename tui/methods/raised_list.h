/* SPDX-License-Identifier: MIT */
/* Exceptions of a span by class and place, most first. No screen.
 *
 * Threads: one. Memory belongs to the list and is used again; a zeroed struct is empty.
 */
#ifndef RTOP_TUI_RAISED_LIST_H
#define RTOP_TUI_RAISED_LIST_H

#include "tui/history/profile.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RAISED_LIST_MAX = 512 };

struct rtop_raised_count; /* profile_lists.h */

/* What is told of one: frames are those of the process. */
struct raised_place {
  uint32_t class_frame; /* its label is the name of the class; 0: of any, they found no room */
  uint32_t frame, line; /* the program's method, and the line in it; 0: not known */
  uint32_t node;        /* its node, or that of what is known */
  uint32_t called; /* what that called in C, or in Ruby's own code, and what raised it; 0: nothing, or Kernel#raise */
};

struct raised_row {
  struct raised_place place;
  uint32_t shown; /* the frame that stands for the method, by the lens; 0: it is hidden */
  uint64_t count;
  int64_t first_ns, last_ns;
};

struct raised_list {
  struct raised_row *rows;
  size_t count, capacity;
  uint64_t all;  /* exceptions that have a class */
  uint64_t rest; /* of those, in rows that are left out: there are too many */
  bool failed;   /* private */
};

/* False: memory ran out. */
bool raised_list_build(struct raised_list *list, const struct rtop_profile *profile, struct rtop_span span);
void raised_list_destroy(struct raised_list *list);

struct raised_place raised_place_of(const struct rtop_symbols *symbols, const struct rtop_raised_count *raised);
/* The name of its class: "(others)" where they found no room. */
const char *raised_class(const struct rtop_symbols *symbols, const struct raised_place *place);

#endif
