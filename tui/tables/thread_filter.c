/* SPDX-License-Identifier: MIT */
/* Selects threads by an expression on names and stacks. */
#include "thread_filter.h"
#include "tui/methods/methods_impl.h"
#include <stdlib.h>

enum { UNKNOWN, MATCHES, DIFFERS };

struct filter {
  const struct rtop_symbols *symbols;
  struct methods_regex regex;
  unsigned char *frames, *nodes; /* cached answers, by frame, and by node for the whole path to the root */
};

static bool frame_matches(struct filter *filter, uint32_t frame)
{
  unsigned char *answer = &filter->frames[frame];
  if (*answer == UNKNOWN) {
    bool matches = methods_regex_matches(&filter->regex, rtop_symbols_get(filter->symbols, frame));
    *answer = matches ? MATCHES : DIFFERS;
  }
  return *answer == MATCHES;
}

/* Does any frame of the stack match? Walks up to a known node or a match, and stores the answer for the nodes in
 * between. */
static bool stack_matches(struct filter *filter, uint32_t node)
{
  const struct rtop_symbols *symbols = filter->symbols;
  uint32_t top = node;
  while (top != 0 && filter->nodes[top] == UNKNOWN &&
         !frame_matches(filter, rtop_symbols_get_node(symbols, top)->frame))
    top = rtop_symbols_get_node(symbols, top)->parent;
  bool matches = top != 0 && filter->nodes[top] != DIFFERS;
  for (uint32_t at = node; at != top; at = rtop_symbols_get_node(symbols, at)->parent)
    filter->nodes[at] = matches ? MATCHES : DIFFERS;
  if (top != 0) filter->nodes[top] = matches ? MATCHES : DIFFERS;
  return matches;
}

static void apply(struct filter *filter, bool *passes, const struct rtop_sum *sum, bool invert)
{
  for (size_t i = 0; i < sum->thread_count; i++) {
    const struct rtop_thread_row *thread = &sum->threads[i];
    bool matches =
        regexec(&filter->regex.compiled, thread->name, 0, NULL, 0) == 0 || stack_matches(filter, thread->node);
    passes[i] = matches != invert;
  }
  for (size_t i = 0; !invert && i < sum->cell_count; i++) {
    const struct rtop_sum_cell *cell = &sum->cells[i];
    if (cell->thread < sum->thread_count && !passes[cell->thread])
      passes[cell->thread] = stack_matches(filter, cell->node);
  }
}

bool thread_filter(bool *passes, const struct rtop_sum *sum, const struct rtop_symbols *symbols, const char *expression,
                   bool invert)
{
  struct filter filter = { .symbols = symbols };
  for (size_t i = 0; i < sum->thread_count; i++) passes[i] = true;
  if (expression == NULL) return true;
  filter.frames = calloc((size_t)rtop_symbols_frame_count(symbols) + 1, 1);
  filter.nodes = calloc((size_t)rtop_symbols_node_count(symbols) + 1, 1);
  bool fine = filter.frames != NULL && filter.nodes != NULL && methods_regex_use(&filter.regex, expression);
  if (fine) apply(&filter, passes, sum, invert);
  methods_regex_free(&filter.regex);
  free(filter.frames);
  free(filter.nodes);
  return fine;
}
