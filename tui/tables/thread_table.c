/* SPDX-License-Identifier: MIT */
/* Chooses and orders the rows of threads. */
#include "thread_table.h"
#include "thread_filter.h"
#include "thread_locks.h"
#include "tui/text/text.h"
#include "tui/verdict/rests.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

double thread_table_key(const struct rtop_thread_row *thread, enum rtop_sort_key sort)
{
  const struct rtop_cost *cost = &thread->cost;
  switch (sort) {
  case RTOP_SORT_CPU: return (double)cost->cpu_ns;
  case RTOP_SORT_RUNNING: return (double)rtop_cost_held(cost);
  case RTOP_SORT_SAMPLES: return (double)cost->samples;
  case RTOP_SORT_WAITING: return (double)cost->wall_ns[RTOP_STATE_WAITING];
  case RTOP_SORT_BLOCKED: return (double)cost->wall_ns[RTOP_STATE_BLOCKED];
  case RTOP_SORT_GC: return (double)(cost->wall_ns[RTOP_STATE_MARKING] + cost->wall_ns[RTOP_STATE_SWEEPING]);
  case RTOP_SORT_BLAME: return (double)cost->blame_ns;
  case RTOP_SORT_ALLOC: return (double)cost->allocations;
  case RTOP_SORT_NAME: return 0;
  default: return (double)(rtop_cost_wall(cost) - cost->wall_ns[RTOP_STATE_BLOCKED]);
  }
}

bool thread_table_idle(const struct rtop_thread_row *thread, uint64_t length_ns)
{
  return rest_is_all(thread, length_ns);
}

bool thread_table_quiet(const struct rtop_thread_row *thread, const struct rtop_symbols *symbols, uint64_t length_ns)
{
  if (!thread_table_idle(thread, length_ns) || thread->blamed) return false;
  if (rtop_lock_waits(thread) || thread->behind.threads > 0) return false;
  return !thread_lock_is(rtop_symbols_get(symbols, rtop_symbols_get_node(symbols, thread->node)->frame));
}

bool thread_table_by_blame(enum rtop_sort_key sort)
{
  switch (sort) {
  case RTOP_SORT_NAME:
  case RTOP_SORT_TOTAL:
  case RTOP_SORT_CPU:
  case RTOP_SORT_RUNNING:
  case RTOP_SORT_WAITING:
  case RTOP_SORT_BLOCKED:
  case RTOP_SORT_GC:
  case RTOP_SORT_ALLOC: return false;
  default: return true;
  }
}

enum { THREAD_TABLE_KEYS = 5 };

struct sorted {
  uint32_t row;
  double key[THREAD_TABLE_KEYS]; /* the first one that differs decides */
  const struct rtop_thread_row *thread;
  bool quiet, top;
};

static int by_place(const struct rtop_thread_row *a, const struct rtop_thread_row *b)
{
  if (a->source != b->source) return a->source < b->source ? -1 : 1;
  return a->serial < b->serial ? -1 : a->serial > b->serial;
}

static int by_key(const void *left, const void *right)
{
  const struct sorted *a = left, *b = right;
  if (a->top != b->top) return a->top ? -1 : 1;
  for (int i = 0; i < THREAD_TABLE_KEYS; i++)
    if (a->key[i] != b->key[i]) return a->key[i] > b->key[i] ? -1 : 1;
  return by_place(a->thread, b->thread);
}

static int by_name(const void *left, const void *right)
{
  const struct sorted *a = left, *b = right;
  int order = strcmp(a->thread->name, b->thread->name);
  return order != 0 ? order : by_place(a->thread, b->thread);
}

static bool reserve(struct thread_table *table, size_t count)
{
  if (count > table->capacity) {
    uint32_t *rows = realloc(table->rows, count * sizeof *rows);
    if (rows == NULL) return false;
    table->rows = rows;
    table->capacity = count;
  }
  return true;
}

static void keys_of(struct sorted *sorted, const struct rtop_sum *sum, enum rtop_sort_key sort)
{
  const struct rtop_thread_row *thread = sorted->thread;
  const struct rtop_cost *cost = &thread->cost;
  const double percent = sum->length_ns > 0 ? (double)sum->length_ns / 100 : 1;
  if (thread_table_by_blame(sort)) {
    sorted->key[0] = rtop_text_tenths(((double)cost->blame_ns + (double)thread->behind.wait_ns) / percent);
    sorted->key[1] = nearbyint((double)rtop_cost_held(cost) / percent);
    sorted->key[2] = thread->behind.threads;
    sorted->key[3] = nearbyint((double)cost->wall_ns[RTOP_STATE_WAITING] / percent);
    sorted->key[4] = !sorted->quiet && !thread->ended;
  } else {
    double key = thread_table_key(thread, sort);
    sorted->key[0] = sort == RTOP_SORT_ALLOC ? key : rtop_text_tenths(key / percent);
  }
}

static size_t choose(struct sorted *sorted, const struct rtop_sum *sum, const struct rtop_symbols *symbols,
                     const bool *passes, const struct thread_table_options *options)
{
  size_t count = 0;
  for (size_t i = 0; i < sum->thread_count; i++) {
    const struct rtop_thread_row *thread = &sum->threads[i];
    bool wanted = options->only_source == 0 || options->only_source == thread->source + 1;
    bool quiet = thread_table_quiet(thread, symbols, sum->length_ns);
    if (!wanted || !passes[i] || (options->no_idle && quiet)) continue;
    bool top = thread->blamed && thread_table_by_blame(options->sort);
    sorted[count] = (struct sorted){ .row = (uint32_t)i, .thread = thread, .quiet = quiet, .top = top };
    if (options->sort != RTOP_SORT_NAME) keys_of(&sorted[count], sum, options->sort);
    count++;
  }
  return count;
}

bool thread_table_build(struct thread_table *table, struct rtop_sum *sum, const struct rtop_symbols *symbols,
                        const struct thread_table_options *options)
{
  struct sorted *sorted = malloc((sum->thread_count + 1) * sizeof *sorted);
  bool *passes = malloc((sum->thread_count + 1) * sizeof *passes);
  bool fine = sorted != NULL && passes != NULL && reserve(table, sum->thread_count + 1) &&
              thread_filter(passes, sum, symbols, options->filter, options->filter_invert);
  thread_locks_note(sum, symbols);
  size_t count = fine ? choose(sorted, sum, symbols, passes, options) : 0;
  if (count > 0) qsort(sorted, count, sizeof *sorted, options->sort == RTOP_SORT_NAME ? by_name : by_key);
  for (size_t i = 0; i < count; i++) table->rows[options->reverse ? count - 1 - i : i] = sorted[i].row;
  table->count = count;
  free(sorted);
  free(passes);
  return fine;
}

void thread_table_destroy(struct thread_table *table)
{
  free(table->rows);
  memset(table, 0, sizeof *table);
}
