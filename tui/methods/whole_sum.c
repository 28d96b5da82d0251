/* SPDX-License-Identifier: MIT */
/* Adds figures of windows up by process and call tree node, and makes cells of them. */
#include "whole_sum.h"

#include "tui/history/profile_each.h"

#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

struct whole_walk {
  struct whole_numbers *numbers;
  bool old[RTOP_SOURCES_MAX + 1]; /* by source: its figures belong to an earlier request and are left out */
  bool failed;
};

static uint32_t whole_source(uint32_t source)
{
  return source < RTOP_SOURCES_MAX ? source : RTOP_SOURCES_MAX;
}

/* NULL: memory ran out. */
static struct whole_number *whole_number_of(struct whole_numbers *numbers, uint32_t source, uint32_t node)
{
  uint32_t *at = rtop_pairs_at(&numbers->of, source, node);
  if (!at) return NULL;
  if (!*at) {
    if (!rtop_reserve(&numbers->all, &numbers->capacity, numbers->count + 1, sizeof *numbers->all)) return NULL;
    numbers->all[numbers->count++] = (struct whole_number){ .source = source, .node = node };
    *at = (uint32_t)numbers->count;
  }
  return &numbers->all[*at - 1];
}

/* Calls of the root are none. */
static void whole_node_number(struct whole_walk *walk, uint32_t source, const struct rtop_exact_number *number)
{
  struct whole_number *to = number->node ? whole_number_of(walk->numbers, source, number->node) : NULL;
  walk->failed = walk->failed || (number->node && !to);
  if (!to) return;
  if (number->what == RTOP_WHOLE_TOTAL_NS) to->total_ns += number->value;
  else if (number->what == RTOP_WHOLE_SELF_NS) to->self_ns += number->value;
  else {
    to->calls += number->value;
    walk->numbers->head.calls += number->value;
  }
}

static void whole_visit(void *context, uint32_t source, const struct rtop_exact_number *number)
{
  struct whole_walk *walk = context;
  struct whole_numbers *numbers = walk->numbers;
  struct whole_head *head = &numbers->head;
  uint64_t *source_ns = &numbers->sources_ns[whole_source(source)];
  bool *old = &walk->old[whole_source(source)];
  if (number->what == RTOP_WHOLE_STATE) *old = whole_is_before(&numbers->before, source, number);
  if (walk->failed || *old) return;
  switch (number->what) {
  case RTOP_WHOLE_STATE:
    head->told = true;
    numbers->states[whole_source(source)] = number->value < RTOP_WHOLE_STATE_END ? (uint8_t)number->value : 0;
    break;
  case RTOP_WHOLE_TRACED_NS:
    *source_ns += number->value;
    if (*source_ns > head->traced_ns) head->traced_ns = *source_ns;
    break;
  case RTOP_WHOLE_OWN_NS: head->own_ns += number->value; break;
  case RTOP_WHOLE_UNTIMED: head->untimed += number->value; break;
  case RTOP_WHOLE_UNNAMED: head->unnamed += number->value; break;
  case RTOP_WHOLE_CALLS:
  case RTOP_WHOLE_TOTAL_NS:
  case RTOP_WHOLE_SELF_NS: whole_node_number(walk, source, number); break;
  default: break;
  }
}

/* Where a walk for earlier countings ends. */
struct whole_earlier {
  struct whole_before before;
  int64_t end_ns;
};

static void whole_note_serials(void *context, const struct rtop_look *look)
{
  struct whole_earlier *earlier = context;
  if (look->end_ns > earlier->end_ns) return; /* may be of a request after that instant */
  for (size_t i = 0; i < look->exact_count; i++) {
    struct rtop_exact_number number = rtop_look_exact(look, i);
    if (number.what == RTOP_WHOLE_STATE) earlier->before.serials[whole_source(look->source)] = number.key;
  }
}

struct whole_before whole_before(const struct rtop_profile *profile, struct rtop_span span)
{
  struct whole_earlier earlier = { .end_ns = span.end_ns };
  int64_t from_ns = span.end_ns - 10 * WHOLE_EARLIER_NS; /* what ended before is in no window that is searched */
  if (span.start_ns < from_ns) span.start_ns = from_ns;
  rtop_profile_each(profile, span, whole_note_serials, &earlier);
  return earlier.before;
}

bool whole_is_before(const struct whole_before *before, uint32_t source, const struct rtop_exact_number *state)
{
  uint32_t serial = before->serials[whole_source(source)];
  return serial != 0 && state->key <= serial;
}

static void whole_judge(struct whole_numbers *numbers)
{
  struct whole_head *head = &numbers->head;
  for (uint32_t source = 0; source <= RTOP_SOURCES_MAX; source++) {
    enum rtop_whole_state state = (enum rtop_whole_state)numbers->states[source];
    if (!state) continue;
    head->processes++;
    head->refused += state == RTOP_WHOLE_YJIT || state == RTOP_WHOLE_REFUSED;
    if (!head->state || state < head->state) head->state = state;
  }
  head->told = head->told || numbers->count > 0;
}

bool whole_numbers_build(struct whole_numbers *numbers, const struct rtop_profile *profile, struct rtop_span span)
{
  struct whole_walk walk = { .numbers = numbers };
  for (size_t i = 0; i <= RTOP_SOURCES_MAX; i++) walk.old[i] = numbers->before.serials[i] != 0;
  numbers->head = (struct whole_head){ 0 };
  numbers->count = 0;
  rtop_pairs_clear(&numbers->of);
  memset(numbers->sources_ns, 0, sizeof numbers->sources_ns);
  memset(numbers->states, 0, sizeof numbers->states);
  rtop_profile_each_exact(profile, span, whole_visit, &walk);
  whole_judge(numbers);
  return !walk.failed;
}

void whole_numbers_keep(const struct whole_numbers *numbers, struct rtop_symbols *symbols)
{
  for (size_t i = 0; i < numbers->count; i++) rtop_symbols_use_node(symbols, numbers->all[i].node);
}

void whole_numbers_destroy(struct whole_numbers *numbers)
{
  free(numbers->all);
  rtop_pairs_destroy(&numbers->of);
  *numbers = (struct whole_numbers){ 0 };
}

uint64_t whole_own_ns(const struct whole_head *head)
{
  return head->calls ? head->own_ns / head->calls : 0;
}

/* Finds or adds the cell of a shown node; NULL: memory ran out. */
static struct rtop_sum_cell *whole_cell(struct rtop_sum *sum, struct rtop_pairs *cells, uint32_t node)
{
  uint32_t *at = rtop_pairs_at(cells, 0, node);
  if (!at) return NULL;
  if (!*at) {
    if (!rtop_reserve(&sum->cells, &sum->cell_capacity, sum->cell_count + 1, sizeof *sum->cells)) return NULL;
    sum->cells[sum->cell_count++] = (struct rtop_sum_cell){ .node = node };
    *at = (uint32_t)sum->cell_count;
  }
  return &sum->cells[*at - 1];
}

/* Does the lens count it as a call? A merged frame may be below itself, and calls within it do not count. */
static bool whole_is_call(const struct rtop_symbols *symbols, uint32_t caller, uint32_t node)
{
  uint32_t frame = rtop_symbols_get_node(symbols, node)->frame;
  if (node == caller) return false;
  return frame != rtop_symbols_get_node(symbols, caller)->frame ||
         rtop_symbols_get(symbols, frame)->kind != RTOP_SYMBOL_GROUP;
}

static bool whole_add(struct rtop_sum *sum, struct rtop_pairs *cells, struct rtop_profile *profile,
                      const struct whole_number *number)
{
  struct rtop_lens *lens = rtop_profile_lens(profile);
  const struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  uint32_t above = rtop_symbols_get_node(symbols, number->node)->parent;
  uint32_t caller = rtop_lens_node(lens, number->source, above);
  uint32_t shown = rtop_lens_node(lens, number->source, number->node);
  if (shown == RTOP_LENS_OUT) return true;
  bool called = caller == RTOP_LENS_OUT || whole_is_call(symbols, caller, shown);
  struct rtop_sum_cell *cell = whole_cell(sum, cells, shown);
  if (!cell) return false;
  cell->cost.wall_ns[RTOP_STATE_RUNNING] += number->self_ns;
  cell->cost.cpu_ns += number->self_ns;
  cell->cost.samples += called ? number->calls : 0;
  return true;
}

static int whole_compare_cells(const void *left, const void *right)
{
  const struct rtop_sum_cell *a = left, *b = right;
  return a->node < b->node ? -1 : a->node > b->node;
}

static bool whole_thread(struct rtop_sum *sum)
{
  if (!rtop_reserve(&sum->threads, &sum->thread_capacity, 1, sizeof *sum->threads)) return false;
  sum->threads[0] = (struct rtop_thread_row){ .name = "", .ended = true };
  sum->thread_count = 1;
  return true;
}

bool whole_sum_build(struct rtop_sum *sum, const struct whole_numbers *numbers, struct rtop_profile *profile,
                     struct rtop_span span, uint32_t source)
{
  struct rtop_pairs cells = { 0 };
  sum->span = span;
  sum->length_ns = numbers->head.traced_ns;
  sum->window_count = sum->gap_count = 0;
  sum->counters = (struct rtop_span_counters){ 0 };
  sum->total = (struct rtop_cost){ 0 };
  sum->cell_count = 0;
  bool fine = whole_thread(sum);
  for (size_t i = 0; fine && i < numbers->count; i++)
    if (source == WHOLE_ALL_SOURCES || source == numbers->all[i].source)
      fine = whole_add(sum, &cells, profile, &numbers->all[i]);
  rtop_pairs_destroy(&cells);
  if (!fine) return false;
  if (sum->cell_count) qsort(sum->cells, sum->cell_count, sizeof *sum->cells, whole_compare_cells);
  for (size_t i = 0; i < sum->cell_count; i++) rtop_cost_add(&sum->total, &sum->cells[i].cost);
  sum->threads[0].cost = sum->total;
  return true;
}
