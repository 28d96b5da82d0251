/* Chooses and orders the rows of threads. */
#include "thread_table.h"
#include "thread_filter.h"
#include "thread_locks.h"
#include "tui/text/reserve.h"
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
  uint64_t blocked_ns = thread->cost.wall_ns[RTOP_STATE_BLOCKED];
  return !thread->ended && thread->state == RTOP_STATE_BLOCKED && length_ns > 0 &&
         rtop_cost_wall(&thread->cost) == blocked_ns && blocked_ns >= length_ns - length_ns / 10;
}

bool thread_table_quiet(const struct rtop_thread_row *thread, const struct rtop_symbols *symbols, uint64_t length_ns)
{
  if (!thread_table_idle(thread, length_ns) || rtop_lock_waits(thread) || thread->behind.threads > 0) return false;
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

enum { THREAD_TENTH = 10 };

struct sorted {
  uint32_t row;
  int64_t key[THREAD_TABLE_KEYS]; /* the first one that differs decides */
  uint32_t rank;                  /* where it stood; UINT32_MAX: nowhere */
  const struct rtop_thread_row *thread;
  bool quiet;
};

static int by_place(const struct rtop_thread_row *a, const struct rtop_thread_row *b)
{
  if (a->source != b->source) return a->source < b->source ? -1 : 1;
  return a->serial < b->serial ? -1 : a->serial > b->serial;
}

static int by_key(const void *left, const void *right)
{
  const struct sorted *a = left, *b = right;
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

/* ---- keys that stand still ------------------------------------------------------------------------- */

static struct thread_calm *calm_of(struct thread_table *table, const struct rtop_thread_row *thread)
{
  static struct thread_calm none;
  none = (struct thread_calm){ 0 };
  if (!rtop_reserve(&table->calm, &table->calm_capacity, (size_t)thread->thread + 1, sizeof *table->calm)) return &none;
  struct thread_calm *calm = &table->calm[thread->thread];
  if (!calm->known || calm->serial != thread->serial || calm->source != thread->source)
    *calm = (struct thread_calm){ .serial = thread->serial, .source = thread->source, .rank = UINT32_MAX };
  return calm;
}

/* A figure that swings is what it was. Returns how many steps it is. */
static int64_t calm_key(struct thread_calm *calm, int at, double key, double step)
{
  double *before = &calm->key[at];
  *before = calm->known ? rtop_calm_figure(*before, key, step + *before / THREAD_TENTH) : key;
  return (int64_t)(*before / step + 0.5);
}

static void keys_of(struct sorted *sorted, struct thread_table *table, const struct rtop_sum *sum,
                    enum rtop_sort_key sort)
{
  const struct rtop_cost *cost = &sorted->thread->cost;
  struct thread_calm *calm = calm_of(table, sorted->thread);
  const double length = sum->length_ns > 0 ? (double)sum->length_ns : 1, step = 0.01;
  int figure = 0; /* the key that is shown */
  if (thread_table_by_blame(sort)) {
    double blame = (double)cost->blame_ns / length, behind = (double)sorted->thread->behind.wait_ns / length;
    figure = THREAD_TABLE_KEYS;
    calm_key(calm, figure, blame, step);
    sorted->key[0] = calm_key(calm, 0, blame + behind, step);
    sorted->key[1] = calm_key(calm, 1, (double)rtop_cost_held(cost) / length, step);
    sorted->key[2] = sorted->thread->behind.threads;
    sorted->key[3] = calm_key(calm, 3, (double)cost->wall_ns[RTOP_STATE_WAITING] / length, step);
    sorted->key[4] = !sorted->quiet && !sorted->thread->ended;
  } else if (sort == RTOP_SORT_ALLOC) {
    sorted->key[0] = calm_key(calm, 0, thread_table_key(sorted->thread, sort), 64);
  } else {
    sorted->key[0] = calm_key(calm, 0, thread_table_key(sorted->thread, sort) / length, step);
  }
  calm->known = true;
  calm->shown = calm->key[figure];
  sorted->rank = calm->rank;
}

double thread_table_shown(const struct thread_table *table, const struct rtop_thread_row *thread, double value)
{
  const struct thread_calm *calm =
      thread->thread < table->calm_capacity ? &table->calm[thread->thread] : &(struct thread_calm){ 0 };
  return calm->known && calm->serial == thread->serial && calm->source == thread->source ? calm->shown : value;
}

/* Another order, or figures as they are: nothing is kept. */
static void calm_begin(struct thread_table *table, enum rtop_sort_key sort, bool exact)
{
  if (table->sort != sort || exact)
    for (size_t i = 0; i < table->calm_capacity; i++) table->calm[i].known = false;
  table->sort = sort;
}

/* ---------------------------------------------------------------------------------------------------- */

/* Those with the same figure stand side by side, in the order of what decides then. */
static void rank_rows(struct rtop_calm_row *rows, const struct sorted *sorted, size_t count)
{
  for (size_t from = 0, end; from < count; from = end) {
    uint32_t rank = UINT32_MAX;
    for (end = from; end < count && sorted[end].key[0] == sorted[from].key[0]; end++)
      rank = sorted[end].rank < rank ? sorted[end].rank : rank;
    for (size_t i = from; i < end; i++)
      rows[i] = (struct rtop_calm_row){ .worth = (double)sorted[i].key[0], .rank = rank };
  }
}

/* Those that have something of the figure: within its tolerance they keep their places. */
static bool keep_places(struct sorted *sorted, size_t count)
{
  size_t some = 0;
  while (some < count && sorted[some].key[0] > 0) some++;
  struct rtop_calm_row *rows = malloc((some + 1) * sizeof *rows);
  uint64_t *heap = malloc((some + 1) * sizeof *heap);
  uint32_t *order = malloc((some + 1) * sizeof *order);
  struct sorted *before = malloc((some + 1) * sizeof *before);
  bool fine = rows != NULL && heap != NULL && order != NULL && before != NULL;
  if (fine && some > 1) {
    rank_rows(rows, sorted, some);
    rtop_calm_order(rows, some, 0, THREAD_TENTH, heap, order);
    memcpy(before, sorted, some * sizeof *sorted);
    for (size_t i = 0; i < some; i++) sorted[i] = before[order[i]];
  }
  free(rows);
  free(heap);
  free(order);
  free(before);
  return fine;
}

static size_t choose(struct sorted *sorted, struct thread_table *table, const struct rtop_sum *sum,
                     const struct rtop_symbols *symbols, const bool *passes, const struct thread_table_options *options)
{
  size_t count = 0;
  for (size_t i = 0; i < sum->thread_count; i++) {
    const struct rtop_thread_row *thread = &sum->threads[i];
    bool wanted = options->only_source == 0 || options->only_source == thread->source + 1;
    bool quiet = thread_table_quiet(thread, symbols, sum->length_ns);
    if (!wanted || !passes[i] || (options->no_idle && quiet)) continue;
    sorted[count] = (struct sorted){ .row = (uint32_t)i, .thread = thread, .quiet = quiet };
    if (options->sort != RTOP_SORT_NAME) keys_of(&sorted[count], table, sum, options->sort);
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
  calm_begin(table, options->sort, options->exact);
  thread_locks_note(sum, symbols);
  size_t count = fine ? choose(sorted, table, sum, symbols, passes, options) : 0;
  if (count > 0) qsort(sorted, count, sizeof *sorted, options->sort == RTOP_SORT_NAME ? by_name : by_key);
  if (options->sort != RTOP_SORT_NAME) fine = keep_places(sorted, count) && fine;
  for (size_t i = 0; i < count; i++) {
    table->rows[options->reverse ? count - 1 - i : i] = sorted[i].row;
    if (options->sort != RTOP_SORT_NAME) calm_of(table, sorted[i].thread)->rank = (uint32_t)i;
  }
  table->count = count;
  free(sorted);
  free(passes);
  return fine;
}

void thread_table_destroy(struct thread_table *table)
{
  free(table->rows);
  free(table->calm);
  memset(table, 0, sizeof *table);
}
