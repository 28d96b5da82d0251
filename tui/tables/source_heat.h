/* SPDX-License-Identifier: MIT */
/* Cost of every line of a file in a sum: as the innermost frame (self), in called methods without lines (called), and
 * anywhere on a stack (total, once per stack). No screen.
 *
 * Only lines that occur are stored. Threads: one. The heat owns its memory and reuses it.
 */
#ifndef RTOP_TUI_SOURCE_HEAT_H
#define RTOP_TUI_SOURCE_HEAT_H

#include "tui/methods/live.h"
#include "tui/methods/methods.h"

enum { HEAT_LINES_MAX = 1 << 17 }; /* higher lines only count for the file */

struct heat_line {
  uint32_t line;
  uint64_t self_ns, total_ns;       /* by mode */
  uint64_t called_ns;               /* self time of methods without lines (C, or
                                       Ruby's own) called from this line (ns) */
  uint64_t waiting_ns, allocations; /* as the leaf */
};

struct heat_callee {
  uint32_t frame; /* of source_heat_calling_line(): a line */
  uint64_t total_ns;
};

struct source_heat {
  struct heat_line *lines; /* lines with any cost, hottest first: by self plus called, then by total */
  uint32_t count;
  size_t capacity;             /* private */
  uint64_t file_ns;            /* time of stacks with any line of the file (ns) */
  uint64_t hottest_ns;         /* heat of the hottest line */
  struct heat_callee *callees; /* callees of the last requested line, largest first */
  size_t callee_count, callee_capacity;
  uint32_t *at; /* private: by line, index + 1 into lines */
  size_t at_capacity;
  unsigned char *in_file; /* private: is the frame in the file? By frame: 0 not tested, 1 no, 2 yes */
  size_t in_file_capacity;
  char *path;       /* private: that in_file is about */
  uint32_t process; /* private: process of the file, where processes are shown separately; 0: all */
};

/* Returns the heat of a line: its self time, plus that of called methods without lines. */
static inline uint64_t heat_of(const struct heat_line *line)
{
  return line->self_ns + line->called_ns;
}

/* Computes the heat of a method's file from the nodes of a live sum; where processes are shown separately, for the
 * method's process only. Costs a walk over nodes, not stacks. False when memory ran out. */
bool source_heat_build(struct source_heat *heat, const struct rtop_live *live, const struct rtop_symbols *symbols,
                       const struct rtop_symbol *method, enum rtop_mode mode);
/* Like source_heat_build(), for a sum that does not slide. */
bool source_heat_of_sum(struct source_heat *heat, const struct rtop_sum *sum, const struct rtop_symbols *symbols,
                        const struct rtop_symbol *method, enum rtop_mode mode);
/* Fills heat->callees with the methods that a line of the current file calls, in the same live sum. False when
   memory ran out. */
bool source_heat_callees(struct source_heat *heat, const struct rtop_live *live, const struct rtop_symbols *symbols,
                         uint32_t line, enum rtop_mode mode);
/* Returns the node of the call if it has lines, else its nearest caller with lines, among the symbols'
   nodes. 0: none. */
uint32_t source_heat_call(const struct rtop_symbols *symbols, uint32_t node);
/* Returns the method with lines that called most of a method without lines, possibly through others; `before` is kept
 * if it called at least half as much. Returns the frame itself if it has lines; 0: no caller has lines. Uses
 * heat->callees, as does source_heat_calling_line(). */
uint32_t source_heat_caller(struct source_heat *heat, const struct rtop_live *live, const struct rtop_symbols *symbols,
                            uint32_t frame, enum rtop_mode mode, uint32_t before);
/* Returns the line of the calling method from which most calls came; 0: none. */
uint32_t source_heat_calling_line(struct source_heat *heat, const struct rtop_live *live,
                                  const struct rtop_symbols *symbols, uint32_t frame, uint32_t caller,
                                  enum rtop_mode mode);
/* NULL: the line cost nothing. */
const struct heat_line *source_heat_line(const struct source_heat *heat, uint32_t line);
void source_heat_destroy(struct source_heat *heat);

#endif
