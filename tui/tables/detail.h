/* SPDX-License-Identifier: MIT */
/* One method looked at closely: who calls it, whom it calls, which of its lines cost, in which states
 * its time was spent. No screen.
 *
 * A stack counts once, however often the method recurs on it: its caller is that of the outermost
 * occurrence, callee and line are those of the innermost one. Of the root (frame 0), which is on every stack, it
 * is the time that nobody else has, as in the table of methods.
 *
 * Threads: one. Memory belongs to the detail.
 */
#ifndef RTOP_TUI_DETAIL_H
#define RTOP_TUI_DETAIL_H

#include "tui/methods/live.h"
#include "tui/methods/methods.h"

enum { DETAIL_ROWS_MAX = 64 };

struct detail_row {
  uint32_t id; /* frame, or line */
  uint64_t total_ns;
  uint64_t self_ns; /* lines: as the leaf; else 0 */
};

struct detail_list {
  struct detail_row row[DETAIL_ROWS_MAX];
  int count; /* largest first; what is beyond the bound is left out */
};

struct detail {
  uint32_t frame;
  enum rtop_mode mode;
  uint32_t led_from;      /* this caller stands first, whatever its time (detail_lead); 0: none does */
  struct rtop_cost total; /* of stacks with the frame */
  uint64_t self_ns;
  struct detail_list callers, callees, lines;
  struct detail_row *scratch; /* private */
  size_t scratch_capacity;
  void *passages; /* private */
  size_t passage_capacity;
};

/* From the nodes of a live sum: one walk over what there is, however deep its stacks are. False when memory ran
 * out. */
bool detail_build(struct detail *detail, const struct rtop_live *live, const struct rtop_symbols *symbols,
                  uint32_t frame, enum rtop_mode mode);
/* Of the callers the one that this call (a symbols' node of the frame) was made from stands first. */
void detail_lead(struct detail *detail, const struct rtop_symbols *symbols, uint32_t node);
void detail_destroy(struct detail *detail);

#endif
