/* SPDX-License-Identifier: MIT */
/* Divides the history into intervals, and the intervals into processes. */
#include "push.h"

#include "tui/history/profile_each.h"
#include <stdlib.h>
#include <string.h>

/* ---- how far it has come ------------------------------------------------------------------------------------ */

struct push_reach {
  /* start of each source's oldest window and end of its newest one, by source; 0: none */
  int64_t start_ns[RTOP_SOURCES_MAX], end_ns[RTOP_SOURCES_MAX];
};

static void reach_note(void *context, const struct rtop_look *look)
{
  struct push_reach *reach = context;
  if (look->source >= RTOP_SOURCES_MAX) return;
  if (!reach->start_ns[look->source]) reach->start_ns[look->source] = look->start_ns;
  if (look->end_ns > reach->end_ns[look->source]) reach->end_ns[look->source] = look->end_ns;
}

/* Windows that were lost, by their ends. */
struct push_gaps {
  struct rtop_span span;
  uint64_t count;
};

static void gaps_note(void *context, const struct rtop_look *look)
{
  struct push_gaps *gaps = context;
  gaps->count += look->gap && look->end_ns > gaps->span.start_ns && look->end_ns <= gaps->span.end_ns;
}

/* Returns the latest time up to which all living processes have reported, without waiting for a process whose last
 * report is some seconds older than the newest one. */
static int64_t reach_end(const struct push_reach *reach, const struct push_source *sources, size_t count, bool last,
                         int64_t newest_ns)
{
  static const int64_t patience_ns = INT64_C(3000000000);
  int64_t end_ns = newest_ns;
  for (size_t i = 0; i < count && !last; i++)
    if (sources[i].live && reach->end_ns[i] && reach->end_ns[i] < end_ns && reach->end_ns[i] > newest_ns - patience_ns)
      end_ns = reach->end_ns[i];
  return end_ns;
}

/* ---- dividing a sum by process ------------------------------------------------------------------------------- */

static void push_put(struct push *push, struct rtop_profile *profile, const struct push_process *process,
                     uint32_t source, struct rtop_sum *part)
{
  if (source < RTOP_SOURCES_MAX) rtop_profile_alone(profile, source, part);
  struct push_item *item = push_item_make(push->kind, process, profile, part);
  push->profiles++;
  if (item) push_queue_add(&push->queue, item);
  else push->failed++;
}

/* Sends the wanted processes of a span; `wanted` NULL: all of them. */
static void push_span(struct push *push, struct rtop_profile *profile, const struct push_source *sources, size_t count,
                      struct rtop_span span, const bool *wanted)
{
  struct rtop_sum sum = { 0 };
  size_t first[RTOP_SUM_PARTS + 1];
  bool fine = rtop_profile_sum(profile, span, &sum);
  struct rtop_sum_cell *cells = fine ? rtop_sum_divide(&sum, first) : NULL;
  if (!cells) push->failed++;
  for (uint32_t i = 0; cells && i < PUSH_PROCESSES; i++) {
    struct push_process gone = { .name = push->name, .host = push->host, .command = "(ended)", .ruby = "" };
    struct rtop_sum part = sum;
    if (first[i] == first[i + 1] || (wanted && !wanted[i])) continue;
    gone.clock_offset_ns = count ? sources[0].process.clock_offset_ns : 0;
    part.cells = cells + first[i];
    part.cell_count = first[i + 1] - first[i];
    push_put(push, profile, i < count && sources[i].opened ? &sources[i].process : &gone, i, &part);
  }
  free(cells);
  rtop_sum_destroy(&sum);
}

/* ---- intervals ------------------------------------------------------------------------------------------------ */

/* Notes sources that now belong to another process, whose history may not have been sent yet. */
static void push_places(struct push *push, const struct push_source *sources, size_t count,
                        const struct push_reach *reach)
{
  for (size_t i = 0; i < count; i++) {
    if (push->opened[i] == sources[i].opened || !reach->start_ns[i]) continue;
    push->opened[i] = sources[i].opened;
    push->told_ns[i] = reach->start_ns[i] < push->start_ns ? reach->start_ns[i] : 0;
  }
}

/* Sends the time of processes that were behind at the end of the last interval, and have reported it since. */
static void push_behind(struct push *push, struct rtop_profile *profile, const struct push_source *sources,
                        size_t count, const struct push_reach *reach)
{
  for (size_t i = 0; i < count; i++) {
    bool wanted[PUSH_PROCESSES] = { false };
    if (!push->told_ns[i] || reach->end_ns[i] <= push->told_ns[i]) continue;
    wanted[i] = true;
    push_span(push, profile, sources, count, (struct rtop_span){ push->told_ns[i], push->start_ns }, wanted);
    push->told_ns[i] = reach->end_ns[i] < push->start_ns ? reach->end_ns[i] : 0;
  }
}

void push_interval(struct push *push, struct rtop_profile *profile, const struct push_source *sources, size_t count,
                   bool last)
{
  struct push_reach reach = { 0 };
  struct rtop_span bounds = rtop_profile_bounds(profile);
  if (bounds.start_ns == bounds.end_ns) return;
  if (push->start_ns && bounds.start_ns > push->start_ns) push->lost_ns += (uint64_t)(bounds.start_ns - push->start_ns);
  rtop_profile_each_summary(profile, bounds, reach_note, &reach);
  push_places(push, sources, count, &reach);
  if (push->start_ns) push_behind(push, profile, sources, count, &reach);
  struct rtop_span span = { push->start_ns, reach_end(&reach, sources, count, last, bounds.end_ns) };
  if (span.start_ns < bounds.start_ns) span.start_ns = bounds.start_ns;
  if (!last) span.end_ns -= PUSH_LATE_NS;
  if (span.end_ns <= span.start_ns) return;
  struct push_gaps gaps = { .span = span };
  rtop_profile_each_summary(profile, span, gaps_note, &gaps);
  push->gaps += gaps.count;
  push_span(push, profile, sources, count, span, NULL);
  push->start_ns = span.end_ns;
  for (size_t i = 0; i < count; i++)
    if (sources[i].live && reach.end_ns[i] && reach.end_ns[i] < span.end_ns && !push->told_ns[i])
      push->told_ns[i] = reach.end_ns[i] > span.start_ns ? reach.end_ns[i] : span.start_ns;
}
