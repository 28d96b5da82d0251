/* SPDX-License-Identifier: MIT */
/* All calls of the program during a counting: exact counts and times, by method and as the calling context
 * tree. No screen.
 *
 * Threads: one. The table owns its memory and reuses it; a struct of zeros is empty.
 */
#ifndef RTOP_TUI_WHOLE_TABLE_H
#define RTOP_TUI_WHOLE_TABLE_H

#include "tui/methods/whole_sum.h"

enum { WHOLE_NO_PARENT = -1 };

struct whole_figures {
  uint64_t calls, total_ns, self_ns;
};

/* A row of the tree. Rows are in the order of a walk from the root: callers before callees, siblings by total time. */
struct whole_call {
  uint32_t node, frame;
  int parent; /* index of the caller's row; WHOLE_NO_PARENT: the caller was not seen */
  int depth;
  struct whole_figures figures;
  double share; /* share of the caller's total (0 to 1), or without a caller of the total of all calls without one */
};

struct whole_method {
  uint32_t frame;
  struct whole_figures figures; /* the total counts recursive calls once */
};

struct whole_table {
  struct whole_numbers numbers; /* its head is told with the rows */
  uint64_t top_ns;
  struct whole_call *tree;
  size_t tree_count, tree_capacity;
  struct whole_method *methods; /* by self time */
  size_t method_count, method_capacity;
  struct whole_slot *slots; /* private, as all that follow */
  size_t slot_count, slot_capacity;
  uint32_t *slot_of, *depth_of; /* by node; by frame */
  size_t node_capacity, frame_capacity;
};

/* False: memory ran out. */
bool whole_table_build(struct whole_table *table, const struct rtop_profile *profile, struct rtop_span span);
void whole_table_destroy(struct whole_table *table);

/* whole_state_name(): a word for the state; whole_state_text(): a sentence for people; "" while counting, and when
   all went well. */
const char *whole_state_name(enum rtop_whole_state state);
const char *whole_state_text(enum rtop_whole_state state);
/* Is there nothing more to come? */
bool whole_state_final(enum rtop_whole_state state);

#endif
