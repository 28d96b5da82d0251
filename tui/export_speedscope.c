#include "export_impl.h"

#include <inttypes.h>
#include <stdlib.h>

/* https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources: frames are shared, a profile is
 * a list of stacks (root first) and one of their weights.
 *
 * The first profile holds all threads by the clock that was asked for. Then comes one for each state that
 * any of them was in, and one for each thread, when there are several. */

enum { SPEEDSCOPE_THREADS_MAX = 256, SPEEDSCOPE_CLOCK = RTOP_STATES };

struct speedscope {
  struct export_job *job;
  uint32_t *numbers;                   /* by frame: in the file + 1 */
  uint32_t *frames;                    /* by number in the file */
  uint32_t frame_count;
  bool first;                          /* of a list that is being written */
  int part;                            /* a state, or SPEEDSCOPE_CLOCK */
  uint64_t total;
};

static uint64_t speedscope_weight(const struct speedscope *scope, const struct rtop_cost *cost)
{
  return scope->part == SPEEDSCOPE_CLOCK ? export_clock(scope->job, cost) : cost->wall_ns[scope->part];
}

static bool speedscope_number(void *context, const struct export_walk *stack)
{
  struct speedscope *scope = context;
  for (size_t i = 0; i < stack->depth; i++) {
    uint32_t frame = stack->frames[i];
    if (scope->numbers[frame])
      continue;
    scope->frames[scope->frame_count] = frame;
    scope->numbers[frame] = ++scope->frame_count;
  }
  return true;
}

static bool speedscope_sample(void *context, const struct export_walk *stack)
{
  struct speedscope *scope = context;
  FILE *out = scope->job->out;
  if (speedscope_weight(scope, stack->cost) == 0)
    return true;
  fputs(scope->first ? "[" : ",\n[", out);
  scope->first = false;
  for (size_t i = stack->depth; i-- > 0;)
    fprintf(out, i ? "%" PRIu32 "," : "%" PRIu32 "]", scope->numbers[stack->frames[i]] - 1);
  return true;
}

static bool speedscope_weigh(void *context, const struct export_walk *stack)
{
  struct speedscope *scope = context;
  uint64_t weight = speedscope_weight(scope, stack->cost);
  if (weight == 0)
    return true;
  fprintf(scope->job->out, scope->first ? "%" PRIu64 : ",%" PRIu64, weight);
  scope->first = false;
  return true;
}

static bool speedscope_profile(struct speedscope *scope, const struct rtop_sum *sum, const char *name)
{
  FILE *out = scope->job->out;
  uint64_t total = speedscope_weight(scope, &sum->total);
  fputs("{\"type\":\"sampled\",\"name\":", out);
  export_json_text(out, name);
  fprintf(out, ",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":%" PRIu64 ",\n\"samples\":[",
          total);
  scope->first = true;
  bool fine = export_walk(scope->job, sum, speedscope_sample, scope);
  fputs("],\n\"weights\":[", out);
  scope->first = true;
  fine = fine && export_walk(scope->job, sum, speedscope_weigh, scope);
  fputs("]}", out);
  return fine;
}

static bool speedscope_states(struct speedscope *scope)
{
  static const char *const names[RTOP_STATES] = {
    [RTOP_STATE_RUNNING] = "running", [RTOP_STATE_WAITING] = "waiting for the GVL",
    [RTOP_STATE_BLOCKED] = "blocked", [RTOP_STATE_MARKING] = "marking", [RTOP_STATE_SWEEPING] = "sweeping",
  };
  bool fine = true;
  for (scope->part = 0; fine && scope->part < RTOP_STATES; scope->part++)
    if (scope->job->sum.total.wall_ns[scope->part]) {
      fputs(",\n", scope->job->out);
      fine = speedscope_profile(scope, &scope->job->sum, names[scope->part]);
    }
  scope->part = SPEEDSCOPE_CLOCK;
  return fine;
}

static bool speedscope_thread(struct speedscope *scope, size_t from, size_t to)
{
  struct rtop_sum part = scope->job->sum;
  const struct rtop_thread_row *thread = &part.threads[part.cells[from].thread];
  char name[600];
  part.cells += from;
  part.cell_count = to - from;
  part.total = thread->cost;
  snprintf(name, sizeof name, "thread %" PRIu64 "%s%.500s", thread->serial, *thread->name ? " " : "",
           thread->name);
  fputs(",\n", scope->job->out);
  return speedscope_profile(scope, &part, name);
}

static bool speedscope_threads(struct speedscope *scope)
{
  const struct rtop_sum *sum = &scope->job->sum;
  bool fine = true;
  int count = 0;
  for (size_t from = 0, to; fine && from < sum->cell_count && count < SPEEDSCOPE_THREADS_MAX; from = to) {
    for (to = from + 1; to < sum->cell_count && sum->cells[to].thread == sum->cells[from].thread; to++)
      ;
    if (from == 0 && to == sum->cell_count)
      break;                           /* the only one: it is what all of them are */
    fine = speedscope_thread(scope, from, to);
    count++;
  }
  return fine;
}

static void speedscope_frames(struct speedscope *scope)
{
  FILE *out = scope->job->out;
  fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"rperf-top\","
        "\"name\":", out);
  export_json_text(out, scope->job->given->command);
  fputs(",\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[", out);
  for (uint32_t i = 0; i < scope->frame_count; i++) {
    const struct rtop_symbol *symbol = rtop_symbols_get(scope->job->symbols, scope->frames[i]);
    fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
    export_json_text(out, symbol->label);
    if (*symbol->path) {
      fputs(",\"file\":", out);
      export_json_text(out, symbol->path);
      fprintf(out, ",\"line\":%" PRIu32, symbol->line);
    }
    fputc('}', out);
  }
  fputs("]},\n\"profiles\":[", out);
}

bool export_speedscope(struct export_job *job)
{
  size_t frames = rtop_symbols_frame_count(job->symbols);
  struct speedscope scope = {
    .job = job, .part = SPEEDSCOPE_CLOCK,
    .numbers = calloc(frames, sizeof *scope.numbers), .frames = calloc(frames, sizeof *scope.frames),
  };
  bool fine = scope.numbers && scope.frames && export_walk(job, &job->sum, speedscope_number, &scope);
  if (fine) {
    speedscope_frames(&scope);
    fine = speedscope_profile(&scope, &job->sum, "all threads") && speedscope_states(&scope) &&
           speedscope_threads(&scope);
    fputs("]}\n", job->out);
  }
  free(scope.numbers);
  free(scope.frames);
  return fine;
}
