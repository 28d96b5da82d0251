/* SPDX-License-Identifier: MIT */
/* pprof's protocol buffer. */
#include "export_impl.h"

#include "export_pprof_tables.h"
#include "shm/base/label_text.h"
#include "shm/base/version.h"
#include "tui/methods/states.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* pprof: one sample per (thread, stack with lines, state). Wall time is known by state, CPU time is not: CPU time is
 * assigned to states in which it can have been used, first to running, then to GC, then off the GVL (C code). Samples,
 * blame and allocations are assigned to running, or else to the largest state.
 *
 * The file is written in pieces, so that memory holds one sample at a time. */

enum pprof_value { PPROF_SAMPLES, PPROF_CPU, PPROF_WALL, PPROF_BLAME, PPROF_ALLOCATIONS, PPROF_VALUES };
enum pprof_calls_value { PPROF_CALLS, PPROF_SELF, PPROF_CALLS_VALUES };
enum { PPROF_LABELS = 4, PPROF_LABELS_MAX = PPROF_LABELS + RTOP_LABEL_PAIRS_MAX };

struct pprof {
  struct export_job *job;
  struct pprof_tables tables;
  uint64_t *stack; /* locations, leaf first */
  size_t stack_capacity;
  bool failed;
};

/* Adds the program's own labels (RperfTop.label). Returns the number of labels. */
static size_t pprof_user_labels(struct pprof *pprof, uint32_t node, Rtop__Pprof__Label *labels, size_t count)
{
  const struct rtop_symbols *symbols = pprof->job->symbols;
  uint32_t set = rtop_symbols_get_node(symbols, node)->labels;
  const char *text = rtop_symbols_get(symbols, set)->label;
  size_t bytes = set ? strlen(text) : 0, at = 0;
  struct rtop_label_buffer label;
  while (count < PPROF_LABELS_MAX && rtop_label_text_next(text, bytes, &at, &label)) {
    if (!*label.key) continue;
    labels[count].key = pprof_string(&pprof->tables, label.key);
    labels[count++].str = pprof_string(&pprof->tables, label.value);
  }
  return count;
}

static void pprof_labels(struct pprof *pprof, const struct rtop_thread_row *thread, const char *state,
                         Rtop__Pprof__Label *labels)
{
  struct pprof_tables *tables = &pprof->tables;
  const struct rtop_export *given = pprof->job->given;
  bool known = given->pid_count > 0 && thread->source < (uint32_t)given->pid_count;
  char name[32];
  snprintf(name, sizeof name, "thread %" PRIu64, thread->serial);
  labels[0].key = pprof_string(tables, "state");
  labels[0].str = pprof_string(tables, state);
  labels[1].key = pprof_string(tables, "thread");
  labels[1].str = pprof_string(tables, *thread->name ? thread->name : name);
  labels[2].key = pprof_string(tables, "thread_id");
  labels[2].num = thread->native_id;
  labels[3].key = pprof_string(tables, "pid");
  labels[3].num = known ? given->pids[thread->source] : 0;
}

/* Writes a sample. For calls neither state nor thread is known. */
static void pprof_sample(struct pprof *pprof, const struct rtop_sum_cell *cell, const char *state, size_t depth,
                         int64_t *values)
{
  struct export_job *job = pprof->job;
  bool calls = job->given->calls != NULL;
  Rtop__Pprof__Label labels[PPROF_LABELS_MAX], *list[PPROF_LABELS_MAX];
  for (int i = 0; i < PPROF_LABELS_MAX; i++) {
    rtop__pprof__label__init(&labels[i]);
    list[i] = &labels[i];
  }
  if (!calls) pprof_labels(pprof, &job->sum.threads[cell->thread], state, labels);
  Rtop__Pprof__Sample sample = RTOP__PPROF__SAMPLE__INIT, *samples[] = { &sample };
  Rtop__Pprof__Profile piece = RTOP__PPROF__PROFILE__INIT;
  sample.location_id = pprof->stack;
  sample.n_location_id = depth;
  sample.value = values;
  sample.n_value = calls ? (size_t)PPROF_CALLS_VALUES : (size_t)PPROF_VALUES;
  sample.label = list;
  sample.n_label = calls ? 0 : pprof_user_labels(pprof, cell->node, labels, PPROF_LABELS);
  piece.sample = samples;
  piece.n_sample = 1;
  pprof_emit(&pprof->tables, &piece, job->out);
}

/* Returns the state to which figures are assigned that are not known by state. */
static enum rtop_state pprof_home(const struct rtop_cost *cost)
{
  enum rtop_state home = RTOP_STATE_RUNNING;
  if (cost->wall_ns[RTOP_STATE_RUNNING]) return home;
  for (int state = 0; state < RTOP_STATES; state++)
    if (cost->wall_ns[state] > cost->wall_ns[home]) home = (enum rtop_state)state;
  return home;
}

/* Distributes CPU time over states; the part that fits none goes to `home`. */
static void pprof_spread_cpu(const struct rtop_cost *cost, enum rtop_state home, uint64_t *cpu_ns)
{
  static const enum rtop_state order[] = { RTOP_STATE_RUNNING, RTOP_STATE_MARKING, RTOP_STATE_SWEEPING,
                                           RTOP_STATE_BLOCKED };
  uint64_t left_ns = cost->cpu_ns;
  for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
    uint64_t room_ns = cost->wall_ns[order[i]];
    uint64_t part_ns = left_ns < room_ns ? left_ns : room_ns;
    cpu_ns[order[i]] = part_ns;
    left_ns -= part_ns;
  }
  cpu_ns[home] += left_ns;
}

static int64_t pprof_value(uint64_t value)
{
  return value < INT64_MAX ? (int64_t)value : INT64_MAX;
}

static bool pprof_cell(struct pprof *pprof, const struct rtop_sum_cell *cell)
{
  struct export_job *job = pprof->job;
  const struct rtop_cost *cost = &cell->cost;
  enum rtop_state home = pprof_home(cost);
  enum rtop_mode mode = job->options.mode;
  uint64_t cpu_ns[RTOP_STATES] = { 0 };
  size_t depth = pprof_stack(&pprof->tables, job->symbols, cell->node, &pprof->stack, &pprof->stack_capacity);
  if (depth == 0) return false;
  if (job->given->calls) {
    int64_t values[PPROF_CALLS_VALUES] = { pprof_value(cost->samples), pprof_value(export_clock(job, cost)) };
    pprof_sample(pprof, cell, "", depth, values);
    return true;
  }
  pprof_spread_cpu(cost, home, cpu_ns);
  for (int state = 0; state < RTOP_STATES; state++) {
    bool rest = state == (int)home;
    int64_t values[PPROF_VALUES] = {
      [PPROF_WALL] = rtop_mode_counts(mode, (enum rtop_state)state) ? pprof_value(cost->wall_ns[state]) : 0,
      [PPROF_CPU] = pprof_value(cpu_ns[state]),
      [PPROF_SAMPLES] = rest ? pprof_value(cost->samples) : 0,
      [PPROF_BLAME] = rest ? pprof_value(cost->blame_ns) : 0,
      [PPROF_ALLOCATIONS] = rest ? pprof_value(cost->allocations) : 0,
    };
    int64_t any = 0;
    for (int i = 0; i < PPROF_VALUES; i++) any |= values[i];
    if (any) pprof_sample(pprof, cell, state_key((enum rtop_state)state), depth, values);
  }
  return true;
}

struct pprof_kind {
  const char *type, *unit;
};
static const struct pprof_kind pprof_kinds[PPROF_VALUES] = {
  [PPROF_SAMPLES] = { "samples", "count" },         [PPROF_CPU] = { "cpu", "nanoseconds" },
  [PPROF_WALL] = { "wall", "nanoseconds" },         [PPROF_BLAME] = { "blame", "nanoseconds" },
  [PPROF_ALLOCATIONS] = { "allocations", "count" },
};
static const struct pprof_kind pprof_calls_kinds[PPROF_CALLS_VALUES] = {
  [PPROF_CALLS] = { "calls", "count" },
  [PPROF_SELF] = { "self", "nanoseconds" },
};

static void pprof_head(struct pprof *pprof)
{
  const struct export_job *job = pprof->job;
  const struct rtop_export *given = job->given;
  struct pprof_tables *tables = &pprof->tables;
  bool calls = given->calls != NULL;
  const struct pprof_kind *kinds = calls ? pprof_calls_kinds : pprof_kinds;
  int count = calls ? (int)PPROF_CALLS_VALUES : (int)PPROF_VALUES;
  int clock = calls ? (int)PPROF_SELF : job->options.mode == RTOP_MODE_CPU ? (int)PPROF_CPU : (int)PPROF_WALL;
  Rtop__Pprof__Profile piece = RTOP__PPROF__PROFILE__INIT;
  Rtop__Pprof__ValueType types[PPROF_VALUES], *list[PPROF_VALUES], period;
  for (int i = 0; i < count; i++) {
    rtop__pprof__value_type__init(&types[i]);
    types[i].type = pprof_string(tables, kinds[i].type);
    types[i].unit = pprof_string(tables, kinds[i].unit);
    list[i] = &types[i];
  }
  period = types[clock];
  piece.sample_type = list;
  piece.n_sample_type = (size_t)count;
  piece.default_sample_type = types[clock].type;
  piece.period_type = &period;
  piece.period = job->sum.counters.rate_hz ? pprof_value(1000000000 / job->sum.counters.rate_hz) : 0;
  piece.time_nanos = job->sum.span.start_ns + given->clock_offset_ns;
  piece.duration_nanos = pprof_value(job->sum.length_ns);
  char ruby[80];
  snprintf(ruby, sizeof ruby, "ruby %.70s", given->ruby);
  int64_t comments[] = { pprof_string(tables, "rperf-top " RPERF_TOP_VERSION), pprof_string(tables, ruby),
                         pprof_string(tables, given->command) };
  piece.comment = comments;
  piece.n_comment = sizeof comments / sizeof comments[0];
  pprof_emit(tables, &piece, job->out);
}

bool export_pprof(struct export_job *job)
{
  struct pprof pprof = { .job = job };
  bool fine = pprof_tables_open(&pprof.tables, job->symbols);
  if (fine) pprof_head(&pprof);
  for (size_t i = 0; fine && i < job->sum.cell_count; i++)
    fine = pprof_cell(&pprof, &job->sum.cells[i]) && export_goes_on(job);
  fine = fine && pprof_tables_write(&pprof.tables, job->symbols, job->given->command, job->out);
  pprof_tables_close(&pprof.tables);
  free(pprof.stack);
  return fine;
}
