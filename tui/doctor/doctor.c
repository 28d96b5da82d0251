/* SPDX-License-Identifier: MIT */
/* Divides a sum into its processes, and judges each. */
#include "doctor.h"

#include "doctor_work.h"
#include "tui/text/reserve.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int64_t minute_ns = INT64_C(60000000000);
/* A process with less time of work than this (ns) is not compared with others. */
static const uint64_t short_ns = 20000000;
enum { FEW_PIECES = 20 };
static const double calm = 0.25;

/* ---- one process ---------------------------------------------------------------------------------------------- */

static void take_figures(struct doctor_process *process, const struct rtop_sum *sum)
{
  double length = (double)sum->length_ns;
  const uint64_t *wall_ns = sum->total.wall_ns;
  uint64_t gc_ns = wall_ns[RTOP_STATE_MARKING] + wall_ns[RTOP_STATE_SWEEPING];
  process->known = true;
  process->gc = (double)gc_ns / length;
  process->held = process->verdict.gvl.held;
  process->waiting = (double)wall_ns[RTOP_STATE_WAITING] / length;
  process->cores = (double)(sum->counters.cpu_ns ? sum->counters.cpu_ns : sum->total.cpu_ns) / length;
  process->rss_bytes = sum->counters.rss_bytes;
}

static void take_work(struct doctor_process *process, const struct work_figures *work)
{
  process->ended = work ? work->ended : 0;
  process->p99_known = work && work->ended && work->of[RTOP_WORK_WHOLE].known;
  process->p99_ns = process->p99_known ? work->of[RTOP_WORK_WHOLE].p99_ns : 0;
}

static double at_most(double value, double most)
{
  return value < most ? value : most;
}

/* Returns the trouble by the verdict: the part of the process's threads that are kept from running. */
static double trouble_of_verdict(const struct verdict *verdict, const struct doctor_process *process)
{
  if (verdict->deadlock.count) return 3;
  switch (verdict->kind) {
  case VERDICT_GC: return 1.5 + at_most(verdict->gc, 1);
  case VERDICT_NO_CPU: return 1.25 + at_most(verdict->without, 1);
  case VERDICT_LOCK: return 1 + at_most(verdict->blocked / 4, 1);
  case VERDICT_GVL: return 1 + at_most(process->waiting / 4, 1);
  case VERDICT_RUNNING: return at_most(process->held, 1) + at_most(process->waiting, 0.5);
  case VERDICT_BLOCKED: return at_most(verdict->blocked / 2, 0.75);
  case VERDICT_NONE:
  case VERDICT_IDLE:
  case VERDICT_KINDS: break;
  }
  return 0;
}

static void count_stalls(struct doctor *doctor, const struct doctor_look *look)
{
  const struct stalls *stalls = look->stalls;
  for (size_t i = 0; stalls && i < stalls->count; i++) {
    const struct stall *stall = &stalls->list[i];
    if (stall->source >= doctor->count || stall->cause == STALL_MARK) continue;
    if (!stall->open && stall->end_ns < look->span.end_ns - minute_ns) continue;
    doctor->of[stall->source].stalls++;
    doctor->of[stall->source].stalls_on = doctor->of[stall->source].stalls_on || stall->open;
  }
}

/* ---- all of them ---------------------------------------------------------------------------------------------- */

static int compare_ns(const void *left, const void *right)
{
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

/* Returns the usual duration at the 99th percentile of processes that do such work; 0: there are too few of them. */
static uint64_t usual_p99_ns(const struct doctor *doctor)
{
  uint64_t all[RTOP_SOURCES_MAX];
  size_t count = 0;
  for (size_t i = 0; i < doctor->count && i < RTOP_SOURCES_MAX; i++)
    if (doctor->of[i].known && doctor->of[i].p99_known && doctor->of[i].ended >= FEW_PIECES)
      all[count++] = doctor->of[i].p99_ns;
  if (count < 3) return 0;
  qsort(all, count, sizeof *all, compare_ns);
  return all[count / 2];
}

static double trouble_now(const struct doctor_process *process, uint64_t usual_ns)
{
  double trouble = trouble_of_verdict(&process->verdict, process);
  bool slow = usual_ns && process->p99_known && process->p99_ns > short_ns && process->ended >= FEW_PIECES;
  if (slow && process->p99_ns > 2 * usual_ns) trouble += 0.5;
  return trouble + (process->stalls_on ? 1 : process->stalls ? 0.5 : 0);
}

static void judge_trouble(struct doctor *doctor)
{
  uint64_t usual_ns = usual_p99_ns(doctor);
  for (size_t i = 0; i < doctor->count; i++) {
    struct doctor_process *process = &doctor->of[i];
    double now = process->known ? trouble_now(process, usual_ns) : 0;
    if (fabs(now - process->trouble) >= calm || now == 0) process->trouble = now;
  }
}

/* Prepares the results. The previous ones are kept, since verdict and trouble are compared with them (hysteresis). */
static void begin(struct doctor *doctor, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    struct doctor_process *process = &doctor->of[i];
    if (i >= doctor->count) *process = (struct doctor_process){ 0 };
    process->known = false;
    process->stalls = 0;
    process->stalls_on = false;
  }
  doctor->count = count;
}

static bool judge(struct doctor *doctor, const struct doctor_look *look)
{
  size_t first[RTOP_SUM_PARTS + 1];
  struct rtop_sum_cell *cells = rtop_sum_divide(&doctor->sum, first);
  bool fine = cells != NULL;
  for (uint32_t i = 0; fine && i < doctor->count; i++) {
    struct doctor_process *process = &doctor->of[i];
    struct rtop_sum part = doctor->sum;
    struct verdict before = process->verdict;
    part.cells = cells + first[i];
    part.cell_count = first[i + 1] - first[i];
    rtop_profile_alone(look->profile, i, &part);
    if (part.length_ns == 0) continue;
    fine = verdict_make(&doctor->maker, &part, look->profile, i, before.kind ? &before : NULL, &process->verdict);
    take_figures(process, &part);
    take_work(process, doctor_work_of(doctor->work, i));
  }
  free(cells);
  return fine;
}

bool doctor_update(struct doctor *doctor, const struct doctor_look *look)
{
  size_t count = look->sources < RTOP_SOURCES_MAX ? look->sources : RTOP_SOURCES_MAX;
  struct rtop_span work = look->span;
  if (work.start_ns > work.end_ns - minute_ns) work.start_ns = work.end_ns - minute_ns;
  if (!doctor->work) doctor->work = doctor_work_create();
  if (!doctor->work || !rtop_reserve(&doctor->of, &doctor->capacity, count + 1, sizeof *doctor->of)) return false;
  begin(doctor, count);
  if (!doctor_work_update(doctor->work, look->profile, work) ||
      !rtop_profile_sum(look->profile, look->span, &doctor->sum))
    return false;
  rtop_profile_open_blame(look->profile, &doctor->sum);
  bool fine = judge(doctor, look);
  count_stalls(doctor, look);
  judge_trouble(doctor);
  return fine;
}

const struct doctor_process *doctor_of(const struct doctor *doctor, uint32_t source)
{
  return source < doctor->count && doctor->of[source].known ? &doctor->of[source] : NULL;
}

void doctor_keep(const struct doctor *doctor, struct rtop_symbols *symbols)
{
  rtop_sum_keep(&doctor->sum, symbols);
  for (size_t i = 0; i < doctor->count; i++) verdict_keep(&doctor->of[i].verdict, symbols);
}

void doctor_destroy(struct doctor *doctor)
{
  verdict_maker_destroy(&doctor->maker);
  rtop_sum_destroy(&doctor->sum);
  doctor_work_destroy(&doctor->work);
  free(doctor->of);
  *doctor = (struct doctor){ 0 };
}
