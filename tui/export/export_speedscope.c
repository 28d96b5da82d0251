/* SPDX-License-Identifier: MIT */
/* speedscope's JSON: a profile for each thread. */
#include "export_impl.h"

#include "tui/methods/states.h"
#include "tui/text/reserve.h"
#include <inttypes.h>
#include <stdlib.h>

/* speedscope, https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources: frames are shared; a profile
 * is a list of stacks (root first) and a list of their weights.
 *
 * The first profile has all threads in the chosen clock. Then follows one for each state that occurs, and one for
 * each thread if there are several. */

enum { SPEEDSCOPE_THREADS_MAX = 256, SPEEDSCOPE_CLOCK = RTOP_STATES };

struct speedscope {
  struct export_job *job;
  struct export_stacks stacks;
  uint32_t *path; /* frames of the stack at hand */
  size_t path_capacity;
  char *line; /* it as text */
  size_t line_capacity;
  uint32_t *numbers; /* by frame: in the file + 1 */
  uint32_t *frames;  /* by number in the file */
  uint32_t frame_count;
  int part; /* a state, or SPEEDSCOPE_CLOCK */
};

static uint64_t speedscope_weight(const struct speedscope *scope, const struct rtop_cost *cost)
{
  return scope->part == SPEEDSCOPE_CLOCK ? export_clock(scope->job, cost) : cost->wall_ns[scope->part];
}

/* Numbers the frames in order of first use. */
static bool speedscope_number(struct speedscope *scope)
{
  for (size_t i = 0; i < scope->stacks.count; i++) {
    size_t depth = export_path(&scope->stacks.tree, scope->stacks.list[i].node, &scope->path, &scope->path_capacity);
    for (size_t k = 0; k < depth; k++) {
      uint32_t frame = scope->path[k];
      if (scope->numbers[frame]) continue;
      scope->frames[scope->frame_count] = frame;
      scope->numbers[frame] = ++scope->frame_count;
    }
    if (depth == 0) return false;
  }
  return true;
}

enum { SPEEDSCOPE_NUMBER_BYTES = 11, SPEEDSCOPE_NAME = 4200 };

/* Writes a stack such as "[1,2,3]", root first. As most time is spent in this function, it fills one buffer
   from the end. */
static bool speedscope_stack(struct speedscope *scope, uint32_t node)
{
  size_t depth = export_path(&scope->stacks.tree, node, &scope->path, &scope->path_capacity);
  size_t room = depth * SPEEDSCOPE_NUMBER_BYTES + 2;
  if (depth == 0 || !rtop_reserve(&scope->line, &scope->line_capacity, room, 1)) return false;
  char *at = scope->line + room;
  *--at = ']';
  for (size_t i = 0; i < depth; i++) {
    uint32_t number = scope->numbers[scope->path[i]] - 1;
    if (i) *--at = ',';
    do *--at = (char)('0' + number % 10);
    while ((number /= 10) != 0);
  }
  *--at = '[';
  fwrite(at, 1, (size_t)(scope->line + room - at), scope->job->out);
  return true;
}

/* Writes the stacks [from, to) in the current clock or state. */
static bool speedscope_profile(struct speedscope *scope, size_t from, size_t to, const char *name)
{
  FILE *out = scope->job->out;
  const char *between = "";
  uint64_t total = 0;
  for (size_t i = from; i < to; i++) total += speedscope_weight(scope, &scope->stacks.list[i].cost);
  fputs("{\"type\":\"sampled\",\"name\":", out);
  export_json_text(out, name);
  fprintf(out, ",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":%" PRIu64 ",\n\"samples\":[", total);
  for (size_t i = from; i < to; i++) {
    if (speedscope_weight(scope, &scope->stacks.list[i].cost) == 0) continue;
    fputs(between, out);
    between = ",\n";
    if (!speedscope_stack(scope, scope->stacks.list[i].node) || !export_goes_on(scope->job)) return false;
  }
  fputs("],\n\"weights\":[", out);
  between = "";
  for (size_t i = from; i < to; i++) {
    uint64_t weight = speedscope_weight(scope, &scope->stacks.list[i].cost);
    if (weight == 0) continue;
    fprintf(out, "%s%" PRIu64, between, weight);
    between = ",";
  }
  fputs("]}", out);
  return true;
}

static bool speedscope_states(struct speedscope *scope)
{
  bool fine = true;
  if (scope->job->given->calls) return true; /* no states are known */
  for (scope->part = 0; fine && scope->part < RTOP_STATES; scope->part++)
    if (scope->job->sum.total.wall_ns[scope->part]) {
      fputs(",\n", scope->job->out);
      fine = speedscope_profile(scope, 0, scope->stacks.count, state_name((enum rtop_state)scope->part));
    }
  scope->part = SPEEDSCOPE_CLOCK;
  return fine;
}

static bool speedscope_threads(struct speedscope *scope)
{
  const struct export_stacks *stacks = &scope->stacks;
  bool fine = true;
  int count = 0;
  for (size_t from = 0, to; fine && from < stacks->count && count < SPEEDSCOPE_THREADS_MAX; from = to) {
    uint32_t index = stacks->list[from].thread_index;
    const struct rtop_thread_row *thread = &scope->job->sum.threads[index];
    char name[600];
    for (to = from + 1; to < stacks->count && stacks->list[to].thread_index == index; to++)
      ;
    if (from == 0 && to == stacks->count)
      break; /* there is only one thread, whose profile
                                                    would equal that of all threads */
    snprintf(name, sizeof name, "thread %" PRIu64 "%s%.500s", thread->serial, *thread->name ? " " : "", thread->name);
    fputs(",\n", scope->job->out);
    fine = speedscope_profile(scope, from, to, name);
    count++;
  }
  return fine;
}

static void speedscope_frames(struct speedscope *scope)
{
  FILE *out = scope->job->out;
  fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"rperf-top\","
        "\"name\":",
        out);
  export_json_text(out, scope->job->given->command);
  fputs(",\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[", out);
  for (uint32_t i = 0; i < scope->frame_count; i++) {
    const struct rtop_symbol *symbol = rtop_symbols_get(scope->job->symbols, scope->frames[i]);
    char name[SPEEDSCOPE_NAME];
    fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
    export_json_text(out, rtop_symbol_name(symbol, name, sizeof name));
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
    .job = job,
    .part = SPEEDSCOPE_CLOCK,
    .numbers = calloc(frames, sizeof *scope.numbers),
    .frames = calloc(frames, sizeof *scope.frames),
  };
  bool fine =
      scope.numbers && scope.frames && export_stacks_build(&scope.stacks, job, &job->sum) && speedscope_number(&scope);
  if (fine) {
    speedscope_frames(&scope);
    fine = speedscope_profile(&scope, 0, scope.stacks.count, "all threads") && speedscope_states(&scope) &&
           speedscope_threads(&scope);
    fputs("]}\n", job->out);
  }
  export_stacks_destroy(&scope.stacks);
  free(scope.numbers);
  free(scope.frames);
  free(scope.path);
  free(scope.line);
  return fine;
}
