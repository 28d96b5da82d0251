/* SPDX-License-Identifier: MIT */
/* Adds up figures of windows by process and site, and computes estimates.
 *
 * The number of all objects of a process is known, and the number of those made in sampled intervals. For all other
 * objects the samples give shares only, since sampled intervals are slower and so contain fewer objects. The standard
 * error is that of such a ratio, from the sums of squares over intervals. */
#include "sites_table.h"

#include "tui/history/profile_lists.h"
#include "tui/text/reserve.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#define SITES_MOST 9e18

/* Of a process. */
struct sites_process {
  uint64_t time_ns;
  double objects, seen, looked, square;
};

struct sites_sum {
  uint64_t key; /* node, then process */
  UT_hash_handle hh;
  uint64_t samples;
  double objects, looked, bytes, square, cross, judged, live, live_bytes;
};

struct sites_walk {
  struct sites_table *table;
  struct sites_sum *sums;
  struct sites_process processes[RTOP_SOURCES_MAX + 1];
  bool failed;
};

static struct sites_sum *sites_find(struct sites_walk *walk, uint32_t source, uint32_t node)
{
  uint64_t key = (uint64_t)node << 32 | source;
  struct sites_sum *sum;
  HASH_FIND(hh, walk->sums, &key, sizeof key, sum);
  if (sum) return sum;
  sum = calloc(1, sizeof *sum);
  if (!sum) {
    walk->failed = true;
    return NULL;
  }
  sum->key = key;
  HASH_ADD(hh, walk->sums, key, sizeof key, sum);
  return sum;
}

static void sites_add_sum(struct sites_walk *walk, struct sites_process *process,
                          const struct rtop_exact_number *number)
{
  struct sites_table *table = walk->table;
  switch (number->key) {
  case RTOP_SITES_SUM_TIME_NS:
    process->time_ns += number->value;
    if (process->time_ns > table->time_ns) table->time_ns = process->time_ns;
    break;
  case RTOP_SITES_SUM_OWN_NS: table->own_ns += number->value; break;
  case RTOP_SITES_SUM_OBJECTS:
    table->objects += number->value;
    process->objects += (double)number->value;
    break;
  case RTOP_SITES_SUM_SEEN: process->seen += (double)number->value; break;
  case RTOP_SITES_SUM_SQUARE: process->square += (double)number->value; break;
  case RTOP_SITES_SUM_LOOKED:
    table->looked += number->value;
    process->looked += (double)number->value;
    break;
  case RTOP_SITES_SUM_FULL: table->full += number->value; break;
  default: break;
  }
}

static void sites_add_number(struct sites_sum *sum, const struct rtop_exact_number *number)
{
  double value = (double)number->value;
  switch (number->what) {
  case RTOP_SITES_OBJECTS:
    if (number->key == 0) sum->objects += value;
    else if (number->key == 1) sum->looked += value;
    break;
  case RTOP_SITES_BYTES: sum->bytes += value; break;
  case RTOP_SITES_SAMPLES: sum->samples += number->value; break;
  case RTOP_SITES_SQUARE: sum->square += value; break;
  case RTOP_SITES_CROSS: sum->cross += value; break;
  default:
    if (number->key == RTOP_SITES_JUDGED) sum->judged += value;
    else if (number->key == RTOP_SITES_LIVE) sum->live += value;
    else if (number->key == RTOP_SITES_LIVE_BYTES) sum->live_bytes += value;
    break;
  }
}

static void sites_visit(void *context, uint32_t source, const struct rtop_exact_number *number)
{
  struct sites_walk *walk = context;
  if (source > RTOP_SOURCES_MAX) source = RTOP_SOURCES_MAX;
  if (walk->failed || number->what < RTOP_SITES_STATE || number->what > RTOP_SITES_ALIVE) return;
  walk->table->told = true;
  if (number->what == RTOP_SITES_STATE) {
    walk->table->state = number->value < RTOP_SITES_STATE_END ? (enum rtop_sites_state)number->value : 0;
  } else if (number->what == RTOP_SITES_SUM) {
    sites_add_sum(walk, &walk->processes[source], number);
  } else {
    struct sites_sum *sum = sites_find(walk, source, number->node);
    if (sum) sites_add_number(sum, number);
  }
}

static bool sites_row_of(struct sites_table *table, const struct rtop_symbols *symbols, uint32_t node,
                         struct sites_row **row)
{
  if (table->count == 0 || table->rows[table->count - 1].node != node) {
    if (!rtop_reserve(&table->rows, &table->capacity, table->count + 1, sizeof *table->rows)) return false;
    uint32_t above = rtop_symbols_get_node(symbols, node)->parent;
    bool site = node != RTOP_NODE_FOLDED && above && above < node;
    table->rows[table->count++] = (struct sites_row){
      .node = node,
      .class = rtop_symbols_get_node(symbols, node)->frame,
      .method = rtop_symbols_get_node(symbols, site ? above : node)->frame,
      .line = site ? rtop_symbols_get_node(symbols, above)->line : 0,
      .judged = true,
    };
  }
  *row = &table->rows[table->count - 1];
  return true;
}

/* row->error holds the square of the error until everything is added. */
static void sites_add_row(struct sites_row *row, const struct sites_sum *sum, const struct sites_process *process)
{
  double rest = process->objects - process->looked, weight = process->seen - process->looked;
  double share = weight > 0 ? (sum->objects - sum->looked) / weight : 0, scale = weight > 0 ? rest / weight : 1;
  double variance = sum->square - 2 * share * sum->cross + share * share * process->square;
  double objects = sum->looked + share * rest;
  /* without information on the unsampled objects, either as many as sampled or none are assumed */
  if (weight <= 0 && rest > 0 && process->looked > 0) {
    objects = sum->looked * process->objects / process->looked;
    variance = objects * objects;
  }
  if (!(objects >= 0)) objects = 0; /* numbers that do not fit together */
  row->samples += sum->samples;
  row->objects += objects;
  if (sum->objects > 0) row->bytes += objects * sum->bytes / sum->objects;
  if (variance > 0) row->error += scale * scale * variance;
  row->judged = row->judged && sum->judged > 0;
  if (sum->judged <= 0) return;
  row->live += objects * sum->live / sum->judged;
  row->live_bytes += objects * sum->live_bytes / sum->judged;
}

static int sites_compare_keys(const struct sites_sum *a, const struct sites_sum *b)
{
  return (a->key > b->key) - (a->key < b->key);
}

static int sites_compare(double a, double b, const struct sites_row *left, const struct sites_row *right)
{
  if (a != b) return a > b ? -1 : 1;
  return (left->node > right->node) - (left->node < right->node);
}

static int sites_by_objects(const void *left, const void *right)
{
  const struct sites_row *a = left, *b = right;
  return sites_compare(a->objects, b->objects, a, b);
}

static int sites_by_bytes(const void *left, const void *right)
{
  const struct sites_row *a = left, *b = right;
  return sites_compare(a->bytes, b->bytes, a, b);
}

/* Limits estimates that come from inconsistent figures and would not fit any integer. */
static void sites_bound_row(struct sites_row *row)
{
  double *const figures[] = { &row->objects, &row->error, &row->bytes, &row->live, &row->live_bytes };
  for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
    if (!(*figures[i] < SITES_MOST)) *figures[i] = SITES_MOST;
}

static bool sites_make_rows(struct sites_walk *walk, const struct rtop_symbols *symbols, enum sites_order order)
{
  struct sites_table *table = walk->table;
  struct sites_sum *sum, *next;
  HASH_SORT(walk->sums, sites_compare_keys);
  HASH_ITER(hh, walk->sums, sum, next)
  {
    struct sites_row *row;
    uint32_t node = (uint32_t)(sum->key >> 32);
    if (node >= rtop_symbols_node_count(symbols)) continue;
    if (!sites_row_of(table, symbols, node, &row)) return false;
    sites_add_row(row, sum, &walk->processes[(uint32_t)sum->key]);
    table->samples += sum->samples;
  }
  for (size_t i = 0; i < table->count; i++) {
    table->rows[i].error = sqrt(table->rows[i].error);
    sites_bound_row(&table->rows[i]);
  }
  if (table->count)
    qsort(table->rows, table->count, sizeof *table->rows, order == SITES_BY_BYTES ? sites_by_bytes : sites_by_objects);
  table->distance = table->samples ? (double)table->objects / (double)table->samples : 0;
  return true;
}

bool sites_table_build(struct sites_table *table, const struct rtop_profile *profile, struct rtop_span span,
                       enum sites_order order)
{
  struct sites_row *rows = table->rows;
  size_t capacity = table->capacity;
  struct sites_walk *walk = calloc(1, sizeof *walk);
  if (!walk) return false;
  *table = (struct sites_table){ .rows = rows, .capacity = capacity };
  walk->table = table;
  rtop_profile_each_exact(profile, span, sites_visit, walk);
  bool fine = !walk->failed && sites_make_rows(walk, rtop_profile_symbols((struct rtop_profile *)profile), order);
  struct sites_sum *sum = walk->sums;
  HASH_CLEAR(hh, walk->sums);
  while (sum) {
    struct sites_sum *next = sum->hh.next;
    free(sum);
    sum = next;
  }
  free(walk);
  return fine;
}

void sites_table_destroy(struct sites_table *table)
{
  free(table->rows);
  *table = (struct sites_table){ 0 };
}

static const struct {
  const char *name, *text;
} sites_states[RTOP_SITES_STATE_END] = {
  [0] = { "ended", "" },
  [RTOP_SITES_ON] = { "on", "it goes on" },
  [RTOP_SITES_WAITS] = { "waits", "what is alive is not known yet: that is seen after the next major GC" },
  [RTOP_SITES_TELLING] = { "telling", "it has ended, and not all of it is told yet" },
  [RTOP_SITES_DONE] = { "done", "" },
  [RTOP_SITES_NO_GC] = { "no_gc", "what is alive is not known: no major GC came in time" },
  [RTOP_SITES_REFUSED] = { "refused", "not done: the process has no memory for it" },
};

const char *sites_state_name(enum rtop_sites_state state)
{
  return sites_states[state].name;
}

const char *sites_state_text(enum rtop_sites_state state)
{
  return sites_states[state].text;
}

bool sites_state_final(enum rtop_sites_state state)
{
  return state >= RTOP_SITES_DONE;
}
