/* SPDX-License-Identifier: MIT */
/* Counts windows into the figures of processes. */
#include "metrics.h"

#include "metrics_text.h"
#include "metrics_walk.h"
#include "metrics_work.h"
#include "shm/base/clock.h"
#include "tui/text/text.h"
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

/* a time earlier than all times, and far enough from the smallest number to avoid overflow */
#define METRICS_NEVER_NS (INT64_MIN / 4)

struct metrics *metrics_create(size_t top)
{
  struct metrics *metrics = calloc(1, sizeof *metrics);
  if (metrics) metrics->top = top;
  return metrics;
}

static void metrics_drop(struct metrics *metrics, uint32_t source)
{
  struct metrics_process *process = metrics->processes[source];
  metrics->processes[source] = NULL;
  if (!process) return;
  metrics_top_destroy(&process->methods);
  metrics_top_destroy(&process->named);
  free(process->labels);
  free(process->about);
  free(process);
}

void metrics_destroy(struct metrics **handle)
{
  struct metrics *metrics = *handle;
  *handle = NULL;
  if (!metrics) return;
  for (uint32_t i = 0; i < RTOP_SOURCES_MAX; i++) metrics_drop(metrics, i);
  free(metrics);
}

/* "" and NULL: there is no memory. */
static char *process_labels(const struct rtop_feed_info *info)
{
  char *text = NULL;
  int64_t ms = info->started_real_ns / 1000000;
  if (ms < 0) ms = 0;
  if (asprintf(&text, "pid=\"%d\",start=\"%lld.%03lld\"", (int)info->pid, (long long)(ms / 1000),
               (long long)(ms % 1000)) < 0)
    return NULL;
  return text;
}

static char *process_about(const struct rtop_feed_info *info)
{
  char *text = NULL, user[64];
  size_t bytes;
  const struct passwd *entry = getpwuid(info->owner);
  FILE *out = open_memstream(&text, &bytes);
  if (!out) return NULL;
  if (entry) rtop_text_sanitize(user, sizeof user, entry->pw_name, strlen(entry->pw_name));
  else snprintf(user, sizeof user, "%u", (unsigned)info->owner);
  fputs(",command=", out);
  metrics_quote(out, info->command);
  fputs(",ruby=", out);
  metrics_quote(out, info->ruby);
  fputs(",user=", out);
  metrics_quote(out, user);
  if (fclose(out) == 0) return text;
  free(text);
  return NULL;
}

/* Removes an older process with the same labels, since two such processes would make the whole page invalid. */
static void metrics_alone(struct metrics *metrics, uint32_t source)
{
  for (uint32_t i = 0; i < RTOP_SOURCES_MAX; i++)
    if (i != source && metrics->processes[i] &&
        strcmp(metrics->processes[i]->labels, metrics->processes[source]->labels) == 0)
      metrics->processes[i]->gone = true;
}

static void metrics_join(struct metrics *metrics, uint32_t source, const struct metrics_source *about)
{
  struct metrics_process *process = calloc(1, sizeof *process);
  metrics_drop(metrics, source);
  if (!process) return;
  *process = (struct metrics_process){
    .opened = about->opened,
    .labels = process_labels(about->info),
    .about = process_about(about->info),
    .methods = { .size = metrics->top, .figures = 1, .ranked = 1 },
    .named = { .size = metrics->top, .figures = METRICS_NAMED_FIGURES, .ranked = METRICS_NAMED_RANKED },
    .window_ns = about->info->window_ns ? about->info->window_ns : 1,
    .settled_ns = METRICS_NEVER_NS,
    .end_ns = METRICS_NEVER_NS,
    .last_start_ns = METRICS_NEVER_NS,
    .last_ns = METRICS_NEVER_NS,
    .stale_ns = INT64_MAX,
  };
  metrics->processes[source] = process;
  if (process->labels && process->about) metrics_alone(metrics, source);
  else metrics_drop(metrics, source);
}

void metrics_source(struct metrics *metrics, uint32_t source, const struct metrics_source *about)
{
  int64_t now_ns = clock_now_ns();
  if (source >= RTOP_SOURCES_MAX) return;
  if (!metrics->processes[source] || metrics->processes[source]->opened != about->opened)
    metrics_join(metrics, source, about);
  struct metrics_process *process = metrics->processes[source];
  if (!process) return;
  process->up = about->live;
  if (!about->over) process->over_ns = 0;
  else if (!process->over_ns) process->over_ns = now_ns;
  if (process->over_ns && now_ns - process->over_ns > METRICS_LINGER_NS) process->gone = true;
  for (int i = 0; i < RTOP_LOSSES; i++) {
    process->counts[METRICS_LOSSES + i].settled = about->info->losses[i];
    metrics_figure_tell(&process->counts[METRICS_LOSSES + i]);
  }
}

void metrics_stalls(struct metrics *metrics, const struct stalls *stalls)
{
  for (size_t i = 0; i < stalls->count; i++) {
    const struct stall *stall = &stalls->list[i];
    struct metrics_process *process = stall->source < RTOP_SOURCES_MAX ? metrics->processes[stall->source] : NULL;
    if (stall->id <= metrics->stalls_seen || !process || stall->cause >= STALL_REQUEST) continue;
    process->counts[METRICS_STALLS + stall->cause].settled++;
    metrics_figure_tell(&process->counts[METRICS_STALLS + stall->cause]);
  }
  metrics->stalls_seen = stalls->found;
}

void metrics_look(struct metrics *metrics, struct rtop_profile *profile)
{
  if (profile) metrics_walk(metrics, profile);
  for (uint32_t i = 0; i < RTOP_SOURCES_MAX; i++) {
    struct metrics_process *process = metrics->processes[i];
    for (int k = 0; process && k < METRICS_COUNTS; k++) metrics_figure_tell(&process->counts[k]);
    if (!process || process->gone) continue;
    metrics_top_end(&process->methods);
    metrics_top_end(&process->named);
  }
  metrics->real_ns = clock_real_ns();
  if (profile) metrics->late_ns = rtop_profile_late_dropped_ns(profile);
  metrics->snapshots++;
}
