/* SPDX-License-Identifier: MIT */
/* Cost of the lines of a file, computed from the nodes of a live sum. */
#include "source_heat.h"
#include "tui/text/reserve.h"
#include "tui/trees/tree.h"
#include <stdlib.h>
#include <string.h>

static bool in_file(struct source_heat *heat, const struct rtop_symbols *symbols, uint32_t frame)
{
  unsigned char *answer = &heat->in_file[frame];
  if (*answer == 0) {
    const struct rtop_symbol *symbol = rtop_symbols_get(symbols, frame);
    bool of_process = heat->process == 0 || symbol->process == heat->process;
    *answer = of_process && rtop_symbol_has_source(symbol) && strcmp(symbol->path, heat->path) == 0 ? 2 : 1;
  }
  return *answer == 2;
}

/* NULL: out of bounds or of memory. */
static struct heat_line *line_of(struct source_heat *heat, uint32_t line)
{
  if (line == 0 || line > HEAT_LINES_MAX || !rtop_reserve(&heat->at, &heat->at_capacity, line + 1, sizeof *heat->at))
    return NULL;
  if (heat->at[line] == 0) {
    if (!rtop_reserve(&heat->lines, &heat->capacity, heat->count + 1, sizeof *heat->lines)) return NULL;
    heat->lines[heat->count] = (struct heat_line){ .line = line };
    heat->at[line] = ++heat->count;
  }
  return &heat->lines[heat->at[line] - 1];
}

/* Is the method in C, or a method of Ruby itself, whose lines are of no interest? */
static bool has_no_lines(const struct rtop_symbols *symbols, uint32_t frame)
{
  const struct rtop_symbol *symbol = rtop_symbols_get(symbols, frame);
  return symbol->kind == RTOP_SYMBOL_C ||
         (symbol->kind == RTOP_SYMBOL_RUBY && strncmp(symbol->path, "<internal:", 10) == 0);
}

uint32_t source_heat_call(const struct rtop_symbols *symbols, uint32_t node)
{
  while (node != 0 && has_no_lines(symbols, rtop_symbols_get_node(symbols, node)->frame)) {
    uint32_t parent = rtop_symbols_get_node(symbols, node)->parent;
    node = parent < node ? parent : 0;
  }
  return node;
}

/* Adds the time of an innermost frame without lines to the line that called it. */
static void add_called(struct source_heat *heat, const struct rtop_symbols *symbols, uint32_t leaf, uint64_t ns)
{
  uint32_t node = source_heat_call(symbols, leaf);
  if (node == 0 || node == leaf || !in_file(heat, symbols, rtop_symbols_get_node(symbols, node)->frame)) return;
  struct heat_line *line = line_of(heat, rtop_symbols_line(symbols, node));
  if (line != NULL) line->called_ns += ns;
}

static int by_heat(const void *left, const void *right)
{
  const struct heat_line *a = left, *b = right;
  if (heat_of(a) != heat_of(b)) return heat_of(a) > heat_of(b) ? -1 : 1;
  if (a->total_ns != b->total_ns) return a->total_ns > b->total_ns ? -1 : 1;
  return a->line < b->line ? -1 : a->line > b->line;
}

static void order(struct source_heat *heat)
{
  if (heat->count > 0) {
    qsort(heat->lines, heat->count, sizeof *heat->lines, by_heat);
    heat->hottest_ns = heat_of(&heat->lines[0]);
  }
  for (uint32_t i = 0; i < heat->count; i++) heat->at[heat->lines[i].line] = i + 1;
}

static bool start(struct source_heat *heat, const struct rtop_symbols *symbols, const struct rtop_symbol *method)
{
  for (uint32_t i = 0; i < heat->count; i++) heat->at[heat->lines[i].line] = 0;
  heat->count = 0;
  heat->file_ns = heat->hottest_ns = 0;
  if (heat->path == NULL || strcmp(heat->path, method->path) != 0 || heat->process != method->process) {
    char *copy = strdup(method->path);
    if (copy == NULL) return false;
    free(heat->path);
    heat->path = copy;
    heat->process = method->process;
    if (heat->in_file_capacity > 0) memset(heat->in_file, 0, heat->in_file_capacity);
  }
  return rtop_reserve(&heat->in_file, &heat->in_file_capacity, rtop_symbols_frame_count(symbols), 1);
}

/* Does the path from a node's caller to the root contain the file, or this line of it (0: any)? */
static bool above_has(struct source_heat *heat, const struct rtop_symbols *symbols, const struct rtop_live_node *nodes,
                      uint32_t index, uint32_t line)
{
  while (index != 0) {
    index = nodes[index].parent;
    if (index != 0 && in_file(heat, symbols, nodes[index].frame) &&
        (line == 0 || rtop_symbols_line(symbols, nodes[index].node) == line))
      return true;
  }
  return false;
}

static void add_node(struct source_heat *heat, const struct rtop_symbols *symbols, const struct rtop_live_node *nodes,
                     uint32_t index, const struct rtop_live_spent *spent, enum rtop_mode mode)
{
  uint32_t number = rtop_symbols_line(symbols, nodes[index].node);
  struct heat_line *line = line_of(heat, number);
  uint64_t ns = rtop_tree_clock(&spent->total, mode);
  heat->file_ns += above_has(heat, symbols, nodes, index, 0) ? 0 : ns;
  if (line != NULL) {
    line->total_ns += above_has(heat, symbols, nodes, index, number) ? 0 : ns;
    line->self_ns += rtop_tree_clock(&spent->self, mode);
    line->waiting_ns += spent->self.wall_ns[RTOP_STATE_WAITING];
    line->allocations += spent->self.allocations;
  }
}

bool source_heat_build(struct source_heat *heat, const struct rtop_live *live, const struct rtop_symbols *symbols,
                       const struct rtop_symbol *method, enum rtop_mode mode)
{
  uint32_t count;
  const struct rtop_live_node *nodes = rtop_live_nodes(live, &count);
  const struct rtop_live_spent *spent = rtop_live_spent(live);
  if (!spent || !start(heat, symbols, method)) return false;
  for (uint32_t i = 1; i < count; i++)
    if (in_file(heat, symbols, nodes[i].frame) && spent[i].cells > 0)
      add_node(heat, symbols, nodes, i, &spent[i], mode);
    else if (spent[i].cells > 0 && has_no_lines(symbols, nodes[i].frame))
      add_called(heat, symbols, nodes[i].node, rtop_tree_clock(&spent[i].self, mode));
  order(heat);
  return true;
}

bool source_heat_of_sum(struct source_heat *heat, const struct rtop_sum *sum, const struct rtop_symbols *symbols,
                        const struct rtop_symbol *method, enum rtop_mode mode)
{
  struct rtop_live *live = rtop_live_of(symbols);
  bool fine = live && rtop_live_take(live, sum) && source_heat_build(heat, live, symbols, method, mode);
  rtop_live_destroy(&live);
  return fine;
}

static bool add_callee(struct source_heat *heat, uint32_t frame, uint64_t ns)
{
  for (size_t i = 0; i < heat->callee_count; i++) {
    if (heat->callees[i].frame == frame) {
      heat->callees[i].total_ns += ns;
      return true;
    }
  }
  if (!rtop_reserve(&heat->callees, &heat->callee_capacity, heat->callee_count + 1, sizeof *heat->callees))
    return false;
  heat->callees[heat->callee_count++] = (struct heat_callee){ frame, ns };
  return true;
}

static int by_total(const void *left, const void *right)
{
  const struct heat_callee *a = left, *b = right;
  if (a->total_ns != b->total_ns) return a->total_ns > b->total_ns ? -1 : 1;
  return a->frame < b->frame ? -1 : a->frame > b->frame;
}

/* Finds the callees. For a line that is on a stack several times, the outermost call counts. */
bool source_heat_callees(struct source_heat *heat, const struct rtop_live *live, const struct rtop_symbols *symbols,
                         uint32_t line, enum rtop_mode mode)
{
  uint32_t count;
  const struct rtop_live_node *nodes = rtop_live_nodes(live, &count);
  const struct rtop_live_spent *spent = rtop_live_spent(live);
  heat->callee_count = 0;
  if (!spent) return false;
  for (uint32_t i = 1; i < count; i++) {
    uint32_t at = nodes[i].parent;
    uint64_t ns = rtop_tree_clock(&spent[i].total, mode);
    if (at != 0 && ns > 0 && in_file(heat, symbols, nodes[at].frame) &&
        rtop_symbols_line(symbols, nodes[at].node) == line && !above_has(heat, symbols, nodes, at, line) &&
        !add_callee(heat, nodes[i].frame, ns))
      return false;
  }
  if (heat->callee_count > 0) qsort(heat->callees, heat->callee_count, sizeof *heat->callees, by_total);
  return true;
}

/* Is a node without lines inside another call of the same method? The outer call counts then. */
static bool is_inner(const struct rtop_symbols *symbols, const struct rtop_live_node *nodes, uint32_t index)
{
  uint32_t frame = nodes[index].frame;
  for (index = nodes[index].parent; index != 0 && has_no_lines(symbols, nodes[index].frame);
       index = nodes[index].parent)
    if (nodes[index].frame == frame) return true;
  return false;
}

/* Fills heat->callees, largest first: with the callers of `frame`, or if `caller` is set, with the lines from
   which it called. */
static bool sum_callers(struct source_heat *heat, const struct rtop_live *live, const struct rtop_symbols *symbols,
                        uint32_t frame, uint32_t caller, enum rtop_mode mode)
{
  uint32_t count;
  const struct rtop_live_node *nodes = rtop_live_nodes(live, &count);
  const struct rtop_live_spent *spent = rtop_live_spent(live);
  heat->callee_count = 0;
  for (uint32_t i = 1; spent && i < count; i++) {
    uint64_t ns = nodes[i].frame == frame ? rtop_tree_clock(&spent[i].total, mode) : 0;
    uint32_t node = ns > 0 && !is_inner(symbols, nodes, i) ? source_heat_call(symbols, nodes[i].node) : 0;
    uint32_t who = rtop_symbols_get_node(symbols, node)->frame;
    bool counts = node != 0 && (caller == 0 ? rtop_symbol_has_source(rtop_symbols_get(symbols, who)) : who == caller);
    if (counts && !add_callee(heat, caller == 0 ? who : rtop_symbols_line(symbols, node), ns)) return false;
  }
  if (heat->callee_count > 0) qsort(heat->callees, heat->callee_count, sizeof *heat->callees, by_total);
  return heat->callee_count > 0;
}

uint32_t source_heat_caller(struct source_heat *heat, const struct rtop_live *live, const struct rtop_symbols *symbols,
                            uint32_t frame, enum rtop_mode mode, uint32_t before)
{
  if (!has_no_lines(symbols, frame)) return frame;
  if (!sum_callers(heat, live, symbols, frame, 0, mode)) return 0;
  for (size_t i = 1; i < heat->callee_count; i++)
    if (heat->callees[i].frame == before && heat->callees[i].total_ns * 2 >= heat->callees[0].total_ns) return before;
  return heat->callees[0].frame;
}

uint32_t source_heat_calling_line(struct source_heat *heat, const struct rtop_live *live,
                                  const struct rtop_symbols *symbols, uint32_t frame, uint32_t caller,
                                  enum rtop_mode mode)
{
  return sum_callers(heat, live, symbols, frame, caller, mode) ? heat->callees[0].frame : 0;
}

const struct heat_line *source_heat_line(const struct source_heat *heat, uint32_t line)
{
  return line < heat->at_capacity && heat->at[line] != 0 ? &heat->lines[heat->at[line] - 1] : NULL;
}

void source_heat_destroy(struct source_heat *heat)
{
  free(heat->lines);
  free(heat->callees);
  free(heat->at);
  free(heat->in_file);
  free(heat->path);
  memset(heat, 0, sizeof *heat);
}
