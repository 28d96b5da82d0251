/* SPDX-License-Identifier: MIT */
/* Adds windows to the cells of the graphs. */
#include "timeline.h"
#include "tui/history/profile_each.h"
#include "tui/text/floor_div.h"
#include <stdlib.h>
#include <string.h>

static const int64_t ms = 1000000, second = INT64_C(1000000000);

/* A cell that is being filled. length_ns is the sum over processes, which may exceed the time that the cell covers. */
struct filling {
  double length_ns, wall_ns[RTOP_STATES], cpu_ns, allocations, rss_ns;
  double of_source_ns[TIMELINE_SOURCES_MAX];
};

struct walk {
  struct timeline *timeline;
  struct filling *filling;
  uint32_t source;
};

int64_t timeline_cell_at(const struct timeline *timeline, int64_t time_ns)
{
  return timeline->cell_ns > 0 ? rtop_floor_div(time_ns, timeline->cell_ns) - timeline->first : -1;
}

static void fill(struct filling *to, const struct rtop_look *look, double part_ns)
{
  double share = part_ns / (double)(look->end_ns - look->start_ns);
  for (int state = 0; state < RTOP_STATES; state++) to->wall_ns[state] += (double)look->wall_ns[state] * share;
  to->length_ns += part_ns;
  to->of_source_ns[look->source % TIMELINE_SOURCES_MAX] += part_ns;
  to->cpu_ns += (double)look->counters->cpu_ns * share;
  to->allocations += (double)look->counters->allocations * share;
  to->rss_ns += (double)look->counters->rss_bytes * part_ns;
}

static void visit(void *context, const struct rtop_look *look)
{
  const struct walk *walk = context;
  struct timeline *timeline = walk->timeline;
  if (walk->source != TIMELINE_ALL_SOURCES && walk->source != look->source) return;
  int64_t length_ns = look->end_ns - look->start_ns, middle_ns = look->start_ns + length_ns / 2;
  bool longer = look->gap || length_ns > timeline->cell_ns;
  int64_t from = timeline_cell_at(timeline, longer ? look->start_ns : middle_ns);
  int64_t to = timeline_cell_at(timeline, longer ? look->end_ns - 1 : middle_ns);
  for (int64_t at = from < 0 ? 0 : from; at <= to && at < timeline->count; at++) {
    if (look->gap) {
      timeline->cell[at].gap = true;
      continue;
    }
    int64_t start_ns = (timeline->first + at) * timeline->cell_ns, end_ns = start_ns + timeline->cell_ns;
    start_ns = longer && look->start_ns > start_ns ? look->start_ns : start_ns;
    end_ns = longer && look->end_ns < end_ns ? look->end_ns : end_ns;
    fill(&walk->filling[at], look, longer ? (double)(end_ns - start_ns) : (double)length_ns);
  }
}

static void finish(struct timeline *timeline, struct timeline_cell *cell, const struct filling *from)
{
  double covered_ns = 0;
  for (int i = 0; i < TIMELINE_SOURCES_MAX; i++)
    covered_ns = from->of_source_ns[i] > covered_ns ? from->of_source_ns[i] : covered_ns;
  cell->known = covered_ns > 0;
  if (!cell->known) return;
  double gc_ns = from->wall_ns[RTOP_STATE_MARKING] + from->wall_ns[RTOP_STATE_SWEEPING];
  cell->gap = false;
  cell->sweeps = from->wall_ns[RTOP_STATE_SWEEPING] > from->wall_ns[RTOP_STATE_MARKING];
  cell->value[TIMELINE_RUN] = (from->wall_ns[RTOP_STATE_RUNNING] + gc_ns) / from->length_ns;
  cell->value[TIMELINE_WAIT] = from->wall_ns[RTOP_STATE_WAITING] / covered_ns;
  cell->value[TIMELINE_BLOCKED] = from->wall_ns[RTOP_STATE_BLOCKED] / covered_ns;
  cell->value[TIMELINE_GC] = gc_ns / from->length_ns;
  cell->value[TIMELINE_CPU] = from->cpu_ns / covered_ns;
  cell->value[TIMELINE_ALLOC] = from->allocations / covered_ns * 1e9;
  cell->value[TIMELINE_RSS] = from->rss_ns / covered_ns;
  for (int graph = 0; graph < TIMELINE_GRAPHS; graph++) {
    double value = cell->value[graph];
    timeline->most[graph] = value > timeline->most[graph] ? value : timeline->most[graph];
  }
}

bool timeline_build(struct timeline *timeline, const struct rtop_profile *profile, int64_t end_ns, int count,
                    int64_t cell_ns, uint32_t source)
{
  if (timeline->scratch == NULL) timeline->scratch = malloc(TIMELINE_CELLS_MAX * sizeof(struct filling));
  timeline->count = count < 1 ? 1 : count > TIMELINE_CELLS_MAX ? TIMELINE_CELLS_MAX : count;
  timeline->cell_ns = cell_ns;
  timeline->first = rtop_floor_div(end_ns - 1, cell_ns) - timeline->count + 1;
  memset(timeline->cell, 0, sizeof timeline->cell);
  memset(timeline->most, 0, sizeof timeline->most);
  if (timeline->scratch == NULL) return false;
  struct filling *filling = timeline->scratch;
  memset(filling, 0, (size_t)timeline->count * sizeof *filling);
  struct walk walk = { timeline, filling, source };
  struct rtop_span span = { timeline->first * cell_ns, (timeline->first + timeline->count) * cell_ns };
  rtop_profile_each_summary(profile, span, visit, &walk);
  for (int i = 0; i < timeline->count; i++) finish(timeline, &timeline->cell[i], &filling[i]);
  return true;
}

void timeline_destroy(struct timeline *timeline)
{
  free(timeline->scratch);
  memset(timeline, 0, sizeof *timeline);
}

int64_t timeline_zoom(int64_t cell_ns, int step, int64_t length_ns, int count)
{
  const int64_t lengths[] = {
    100 * ms,      200 * ms,      500 * ms,       second,         2 * second,     5 * second,
    10 * second,   30 * second,   60 * second,    120 * second,   300 * second,   600 * second,
    1800 * second, 3600 * second, 10800 * second, 43200 * second, 86400 * second,
  };
  enum { LENGTHS = sizeof lengths / sizeof lengths[0] };
  int at = 0, coarsest = 0;
  while (at + 1 < LENGTHS && lengths[at] < cell_ns) at++;
  while (coarsest + 1 < LENGTHS && lengths[coarsest] * (count > 1 ? count - 1 : 1) < length_ns) coarsest++;
  at += step;
  return lengths[at < 0 ? 0 : at > coarsest ? coarsest : at];
}
