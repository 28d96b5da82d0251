/* SPDX-License-Identifier: MIT */
/* What every line of a file cost in a sum: as the leaf (self), in methods written in C that it calls, and
 * anywhere on a stack (total, once per stack however often the line is on it). No screen.
 *
 * Only lines that occur are touched. Threads: one. Memory belongs to the heat and is used again.
 */
#ifndef RTOP_TUI_SOURCE_HEAT_H
#define RTOP_TUI_SOURCE_HEAT_H

#include "tui/methods/live.h"
#include "tui/methods/methods.h"

enum { HEAT_LINES_MAX = 1 << 17 }; /* lines beyond are counted in the file only */

struct heat_line {
  uint32_t line;
  uint64_t self_ns, total_ns;       /* by mode */
  uint64_t called_ns;               /* self of methods without lines (in C, or Ruby's own) called from here */
  uint64_t waiting_ns, allocations; /* as the leaf */
};

struct heat_callee {
  uint32_t frame; /* of source_heat_calling_line(): a line */
  uint64_t total_ns;
};

struct source_heat {
  struct heat_line *lines; /* hottest first: self and what was called, then total */
  uint32_t count;
  size_t capacity;             /* private */
  uint64_t file_ns;            /* time of stacks with any line of the file */
  uint64_t hottest_ns;         /* heat of the hottest line */
  struct heat_callee *callees; /* of the line asked for last, largest first */
  size_t callee_count, callee_capacity;
  uint32_t *at; /* private: by line, index + 1 into lines */
  size_t at_capacity;
  unsigned char *in_file; /* private: by frame, 0 not asked, 1 no, 2 yes */
  size_t in_file_capacity;
  char *path;       /* private: that in_file is about */
  uint32_t process; /* private: with it, of one process where they are told apart; 0: of all */
};

/* What a line is hot of: its own time, and that of methods it calls which have no lines to be hot. */
static inline uint64_t heat_of(const struct heat_line *line)
{
  return line->self_ns + line->called_ns;
}

/* The file of a method, and where processes are told apart only what its process spends there. From the nodes of a live
 * sum: costs the nodes, not the stacks. False when memory ran out. */
bool source_heat_build(struct source_heat *heat, const struct rtop_live *live, const struct rtop_symbols *symbols,
                       const struct rtop_symbol *method, enum rtop_mode mode);
/* The same of a sum that does not slide. */
bool source_heat_of_sum(struct source_heat *heat, const struct rtop_sum *sum, const struct rtop_symbols *symbols,
                        const struct rtop_symbol *method, enum rtop_mode mode);
/* What is called from a line of the file that source_heat_build was for, of the same live sum: heat->callees.
 * False when memory ran out. */
bool source_heat_callees(struct source_heat *heat, const struct rtop_live *live, const struct rtop_symbols *symbols,
                         uint32_t line, enum rtop_mode mode);
/* The call itself, if it has lines, else the nearest one with lines that it was called from, among the symbols' nodes. 0: none. */
uint32_t source_heat_call(const struct rtop_symbols *symbols, uint32_t node);
/* Who called most of a method without lines, through others such; `before`, if it called half as much as that. 0: nobody with
 * lines. The same frame, if it has lines itself. Both of these use heat->callees. */
uint32_t source_heat_caller(struct source_heat *heat, const struct rtop_live *live, const struct rtop_symbols *symbols,
                            uint32_t frame, enum rtop_mode mode, uint32_t before);
/* From which line of that caller most of it came; 0: none. */
uint32_t source_heat_calling_line(struct source_heat *heat, const struct rtop_live *live,
                                  const struct rtop_symbols *symbols, uint32_t frame, uint32_t caller,
                                  enum rtop_mode mode);
/* NULL: the line cost nothing. */
const struct heat_line *source_heat_line(const struct source_heat *heat, uint32_t line);
void source_heat_destroy(struct source_heat *heat);

#endif
