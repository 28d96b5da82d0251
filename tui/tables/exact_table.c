/* SPDX-License-Identifier: MIT */
/* Puts numbers of windows together to rows. */
#include "exact_table.h"

#include "shm/channel/control.h"
#include "tui/history/profile_lists.h"
#include "tui/text/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct exact_walk {
  struct exact_table *table;
  const struct rtop_symbols *symbols;
  const char *const *names;
  size_t name_count;
  bool failed;
};

static struct exact_row *exact_add(struct exact_table *table, uint32_t frame, const char *name)
{
  if (table->count == EXACT_ROWS_MAX) return NULL;
  struct exact_row **row = &table->rows[table->count];
  if (table->count == table->made) {
    *row = malloc(sizeof **row);
    if (!*row) return NULL;
    table->made++;
  }
  memset(*row, 0, sizeof **row);
  (*row)->frame = frame;
  (*row)->name = name;
  table->count++;
  return *row;
}

/* Finds or adds the row of a method, including methods that other viewers requested. NULL: there are too many. */
static struct exact_row *exact_find(struct exact_walk *walk, uint32_t frame)
{
  struct exact_table *table = walk->table;
  for (size_t i = 0; i < table->count; i++)
    if (table->rows[i]->frame == frame) return table->rows[i];
  struct exact_row *row = exact_add(table, frame, NULL);
  if (!row && table->count < EXACT_ROWS_MAX) walk->failed = true;
  return row;
}

static struct exact_row *exact_asked(const struct exact_walk *walk, uint32_t key)
{
  for (size_t i = 0; i < walk->name_count && i < walk->table->count; i++)
    if (rtop_trace_key(walk->names[i], strlen(walk->names[i])) == key) return walk->table->rows[i];
  return NULL;
}

/* Stores the state of a request in its row, and the frame of the method, once known. A state without a request in the
 * list is stored in the row of the frame. */
static void exact_state(struct exact_walk *walk, uint32_t frame, const struct rtop_exact_number *number)
{
  bool known = number->value > 0 && number->value < RTOP_TRACE_STATE_END;
  struct exact_row *row = exact_asked(walk, number->key);
  if (row && frame && !row->frame) row->frame = frame;
  if (!row && frame) row = exact_find(walk, frame);
  if (row) row->state = known ? (enum rtop_trace_state)number->value : 0;
}

static void exact_caller(struct exact_row *row, uint32_t frame, uint64_t calls)
{
  size_t at = 0;
  while (at < row->caller_count && row->callers[at].frame != frame) at++;
  if (at == EXACT_CALLERS_MAX) {
    at--;
    row->callers[at].frame = 0;
  } else if (at == row->caller_count) {
    row->callers[row->caller_count++] = (struct exact_caller){ .frame = frame };
  }
  row->callers[at].calls += calls;
}

static void exact_bucket(struct exact_times *times, uint32_t bucket, uint64_t calls)
{
  if (bucket >= RTOP_LATENCY_BUCKETS) return;
  times->buckets[bucket] += calls;
  times->count += calls;
}

static void exact_most(uint64_t *most, uint64_t value)
{
  if (value > *most) *most = value;
}

static void exact_traced(struct exact_row *row, uint32_t source, uint64_t ns)
{
  uint64_t *of_source = &row->sources_ns[source < RTOP_SOURCES_MAX ? source : RTOP_SOURCES_MAX];
  *of_source += ns;
  exact_most(&row->traced_ns, *of_source);
}

static void exact_number(struct exact_row *row, const struct rtop_exact_number *number)
{
  struct exact_times *total = &row->times[EXACT_TOTAL], *self = &row->times[EXACT_SELF];
  switch (number->what) {
  case RTOP_EXACT_CALLS: row->calls += number->value; break;
  case RTOP_EXACT_RETURNED: row->returned += number->value; break;
  case RTOP_EXACT_RAISED: row->raised += number->value; break;
  case RTOP_EXACT_UNTIMED: row->untimed += number->value; break;
  case RTOP_EXACT_WAIT_NS: row->wait_ns += number->value; break;
  case RTOP_EXACT_OFF_NS: row->off_ns += number->value; break;
  case RTOP_EXACT_SLOW: row->slow_calls += number->value; break;
  case RTOP_EXACT_TOO_MANY: row->too_many = number->value; break;
  case RTOP_EXACT_TOTAL_NS: total->sum_ns += number->value; break;
  case RTOP_EXACT_SELF_NS: self->sum_ns += number->value; break;
  case RTOP_EXACT_TOTAL_MAX: exact_most(&total->max_ns, number->value); break;
  case RTOP_EXACT_SELF_MAX: exact_most(&self->max_ns, number->value); break;
  case RTOP_EXACT_TOTAL_TIMES: exact_bucket(total, number->key, number->value); break;
  case RTOP_EXACT_SELF_TIMES: exact_bucket(self, number->key, number->value); break;
  default: break;
  }
}

/* Adds a figure. A caller is a child of the method's node, which is a child of the root. */
static void exact_visit(void *context, uint32_t source, const struct rtop_exact_number *number)
{
  struct exact_walk *walk = context;
  if (number->what >= RTOP_EXACT_WHAT_END) return; /* of all calls: whole_table.h */
  const struct rtop_call_node *node = rtop_symbols_get_node(walk->symbols, number->node);
  const struct rtop_call_node *parent = rtop_symbols_get_node(walk->symbols, node->parent);
  bool caller = number->what == RTOP_EXACT_CALLER && node->parent != 0;
  uint32_t frame = number->node == 0 ? 0 : caller ? parent->frame : node->frame;
  if (number->what == RTOP_EXACT_STATE) {
    exact_state(walk, frame, number);
    return;
  }
  struct exact_row *row = frame ? exact_find(walk, frame) : NULL;
  if (!row) return;
  if (number->what == RTOP_EXACT_TRACED_NS) exact_traced(row, source, number->value);
  else if (number->what == RTOP_EXACT_CALLER) exact_caller(row, caller ? node->frame : 0, number->value);
  else exact_number(row, number);
}

static int exact_compare_callers(const void *left, const void *right)
{
  const struct exact_caller *a = left, *b = right;
  if (a->calls != b->calls) return a->calls > b->calls ? -1 : 1;
  return (a->frame > b->frame) - (a->frame < b->frame);
}

/* Adds a state. States are visited before figures, so that requested rows have their frames by then. */
static void exact_visit_states(void *context, uint32_t source, const struct rtop_exact_number *number)
{
  if (number->what == RTOP_EXACT_STATE) exact_visit(context, source, number);
}

static void exact_visit_rest(void *context, uint32_t source, const struct rtop_exact_number *number)
{
  if (number->what != RTOP_EXACT_STATE) exact_visit(context, source, number);
}

bool exact_table_build(struct exact_table *table, const struct rtop_profile *profile, struct rtop_span span,
                       const char *const *names, size_t name_count)
{
  struct exact_walk walk = { table, rtop_profile_symbols((struct rtop_profile *)profile), names, name_count, false };
  table->count = 0;
  for (size_t i = 0; i < name_count && i < EXACT_ROWS_MAX; i++)
    if (!exact_add(table, 0, names[i])) return false;
  rtop_profile_each_exact(profile, span, exact_visit_states, &walk);
  rtop_profile_each_exact(profile, span, exact_visit_rest, &walk);
  for (size_t i = 0; i < table->count; i++) {
    struct exact_row *row = table->rows[i];
    qsort(row->callers, row->caller_count, sizeof *row->callers, exact_compare_callers);
  }
  return !walk.failed;
}

void exact_table_destroy(struct exact_table *table)
{
  for (size_t i = 0; i < table->made; i++) free(table->rows[i]);
  *table = (struct exact_table){ 0 };
}

const struct exact_row *exact_table_of(const struct exact_table *table, const struct rtop_symbols *symbols,
                                       uint32_t frame)
{
  const char *label = rtop_symbols_get(symbols, frame)->label;
  for (size_t i = 0; i < table->count; i++)
    if (frame && table->rows[i]->frame == frame) return table->rows[i];
  for (size_t i = 0; i < table->count; i++)
    if (table->rows[i]->frame && strcmp(exact_row_name(table->rows[i], symbols), label) == 0) return table->rows[i];
  return NULL;
}

void exact_table_tell(const struct exact_table *table, const struct rtop_symbols *symbols, struct rtop_methods *methods)
{
  for (size_t i = 0; i < methods->count; i++) {
    struct rtop_method_row *row = &methods->rows[i];
    const struct exact_row *exact = table->count ? exact_table_of(table, symbols, row->frame) : NULL;
    row->traced = exact && exact->calls;
    row->calls = row->traced ? exact->calls : 0;
    row->calls_per_s = row->traced ? exact_row_rate(exact) : 0;
    row->mean_ns = row->traced ? (double)exact_row_mean_ns(exact, EXACT_TOTAL) : 0;
  }
}

double exact_row_rate(const struct exact_row *row)
{
  return row->traced_ns ? 1e9 * (double)row->calls / (double)row->traced_ns : 0;
}

uint64_t exact_row_mean_ns(const struct exact_row *row, enum exact_clock clock)
{
  return row->returned ? row->times[clock].sum_ns / row->returned : 0;
}

uint64_t exact_row_share_ns(const struct exact_row *row, enum exact_clock clock, double share)
{
  const struct exact_times *times = &row->times[clock];
  double wanted = share * (double)times->count;
  uint64_t below = 0;
  for (uint32_t bucket = 0; bucket < RTOP_LATENCY_BUCKETS; bucket++) {
    below += times->buckets[bucket];
    if (below == 0 || (double)below < wanted) continue;
    uint64_t ns = rtop_latency_ns(bucket);
    return times->max_ns && ns > times->max_ns ? times->max_ns : ns;
  }
  return times->max_ns;
}

static const struct {
  const char *name, *text;
} exact_states[RTOP_TRACE_STATE_END] = {
  [0] = { "ended", "not traced any more" },
  [RTOP_TRACE_WAITS] = { "waits", "there is no such method yet" },
  [RTOP_TRACE_ON] = { "traced", "" },
  [RTOP_TRACE_GONE] = { "gone", "it was redefined or removed: what came after is not counted" },
  [RTOP_TRACE_NOT_RUBY] = { "not_ruby", "Ruby does not tell of its calls: only the sampler sees it" },
  [RTOP_TRACE_REFUSED] = { "refused", "the process cannot trace it" },
  [RTOP_TRACE_EXPIRED] = { "expired", "its time was up" },
  [RTOP_TRACE_TOO_MANY] = { "too_many", "too many calls; tracing ended" },
  [RTOP_TRACE_SLOWER] = { "slower", "not in Ruby: the program would stay slower (METHOD,force does it)" },
};

/* Nobody has said anything of it yet. */
static bool exact_is_unheard(const struct exact_row *row)
{
  return row->state == 0 && row->frame == 0;
}

const char *exact_state_name(const struct exact_row *row)
{
  return exact_is_unheard(row) ? "asked" : exact_states[row->state].name;
}

void exact_state_text(const struct exact_row *row, char *out)
{
  char rate[16];
  const char *text =
      exact_is_unheard(row) ? "not begun: the process has not run since it was asked" : exact_states[row->state].text;
  snprintf(out, EXACT_STATE_TEXT, "%s", text);
  if (row->state != RTOP_TRACE_TOO_MANY || !row->too_many) return;
  rtop_text_count(rate, sizeof rate, (double)row->too_many);
  snprintf(out, EXACT_STATE_TEXT, "too many calls: %s/s; tracing ended", rate);
}

const char *exact_row_name(const struct exact_row *row, const struct rtop_symbols *symbols)
{
  return row->frame ? rtop_symbols_get(symbols, row->frame)->label : row->name ? row->name : "";
}
