/* SPDX-License-Identifier: MIT */
/* The reasons why threads of a source had no core: a ring buffer of readings of its process. */
#include "profile_state.h"

static const struct rtop_profile_cores *cores_back(const struct profile_cores *cores, uint32_t back)
{
  return &cores->all[(cores->next + PROFILE_CORES_MAX - 1 - back) % PROFILE_CORES_MAX];
}

void rtop_profile_add_cores(struct rtop_profile *profile, const struct rtop_profile_cores *reading)
{
  struct profile_cores *cores = &profile->cores;
  cores->all[cores->next] = *reading;
  cores->next = (cores->next + 1) % PROFILE_CORES_MAX;
  cores->count += cores->count < PROFILE_CORES_MAX;
}

static uint64_t cores_change(uint64_t from, uint64_t to, double scale)
{
  return (uint64_t)((double)(to - from) * scale);
}

/* Subtracts the readings around the span from each other, of one process and at most half the span's length away from
 * its ends. */
bool rtop_profile_cores(const struct rtop_profile *profile, uint32_t source, struct rtop_span span,
                        struct rtop_profile_cores *change)
{
  const struct profile_cores *cores = &profile->cores;
  const struct rtop_profile_cores *from = NULL, *to = NULL;
  int64_t length_ns = span.end_ns - span.start_ns;
  for (uint32_t back = 0; back < cores->count; back++) {
    const struct rtop_profile_cores *at = cores_back(cores, back);
    if (at->source != source || (to && at->pid != to->pid)) continue;
    if (at->time_ns >= span.end_ns || !to) to = at;
    else from = at;
    if (at->time_ns <= span.start_ns) break;
  }
  if (!from || length_ns <= 0 || to->time_ns < span.end_ns - length_ns / 2 ||
      from->time_ns > span.start_ns + length_ns / 2 || to->time_ns <= from->time_ns)
    return false;
  if (to->delayed_ns < from->delayed_ns || to->throttled_ns < from->throttled_ns) return false; /* tasks have ended */
  double scale = (double)length_ns / (double)(to->time_ns - from->time_ns);
  *change = (struct rtop_profile_cores){
    .source = source,
    .pid = to->pid,
    .time_ns = span.end_ns,
    .delayed_ns = cores_change(from->delayed_ns, to->delayed_ns, scale),
    .throttled_ns = cores_change(from->throttled_ns, to->throttled_ns, scale),
    .tells_throttled = from->tells_throttled && to->tells_throttled,
  };
  return true;
}
