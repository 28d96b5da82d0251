/* SPDX-License-Identifier: MIT */
/* A single method in detail: its callers, callees, lines, and the states of its time. No screen.
 *
 * A stack counts once however often the method recurs: the caller is that of the outermost occurrence, callee and line
 * are those of the innermost occurrence. For the root (frame 0), which is on every stack, only its own time counts, as
 * in the method table.
 *
 * Threads: one. The detail owns its memory.
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
  int count; /* number of rows, which are sorted largest first; rows beyond the limit are dropped */
};

struct detail {
  uint32_t frame;
  enum rtop_mode mode;
  uint32_t led_from;      /* caller that comes first regardless of its time (detail_lead()); 0: none */
  struct rtop_cost total; /* of stacks with the frame */
  uint64_t self_ns;
  uint64_t waits_ns; /* set by the owner of the detail: time that the method waited in its callees (ns); 0: not set */
  struct detail_list callers, callees, lines;
  struct detail_row *scratch; /* private */
  size_t scratch_capacity;
  void *passages; /* private */
  size_t passage_capacity;
};

/* Computes the detail in one walk over the nodes of a live sum, whatever the depth of stacks. False when memory ran
 * out. */
bool detail_build(struct detail *detail, const struct rtop_live *live, const struct rtop_symbols *symbols,
                  uint32_t frame, enum rtop_mode mode);
/* Puts the caller of this call (a node of the symbols with the frame) first in the list. */
void detail_lead(struct detail *detail, const struct rtop_symbols *symbols, uint32_t node);
void detail_destroy(struct detail *detail);

#endif
