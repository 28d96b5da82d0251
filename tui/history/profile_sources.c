/* SPDX-License-Identifier: MIT */
/* The sources of a profile: those of feeds, and ended ones. */
#include "profile_sources.h"

#include "profile_carry.h"
#include "profile_counters.h"
#include "profile_memory.h"
#include "profile_windows.h"
#include <stdlib.h>
#include <string.h>

/* Maximum number of ended sources that may still have windows; beyond it the oldest windows are dropped. */
enum { SOURCES_OVER_MAX = 1024 };

static bool source_is_over(const struct profile_source *source)
{
  return source->source > RTOP_SOURCE_GONE;
}

struct profile_source *profile_source(struct rtop_profile *profile, uint32_t number, int64_t start_ns)
{
  struct profile_source *free_one = NULL;
  for (uint32_t i = 0; i < profile->source_count; i++) {
    if (profile->sources[i].source == number) return &profile->sources[i];
    if (profile->sources[i].source == PROFILE_SOURCE_FREE) free_one = &profile->sources[i];
  }
  if (!free_one) {
    struct profile_source *sources = realloc(profile->sources, (profile->source_count + 1) * sizeof *sources);
    if (!sources) return NULL;
    profile->sources = sources;
    free_one = &sources[profile->source_count++];
  }
  *free_one = (struct profile_source){ .source = number, .last_end_ns = start_ns };
  return free_one;
}

/* Adds the source's carried sums to those of all earlier ended sources. */
static bool source_leave_carry(struct rtop_profile *profile, const struct profile_source *from)
{
  if (!profile_carries(from)) return true;
  struct profile_source copy = *from; /* the places may move */
  struct profile_source *to = profile_source(profile, RTOP_SOURCE_GONE, copy.last_end_ns);
  if (!to) return false;
  if (!profile_carries(to) || copy.carry_start_ns < to->carry_start_ns) to->carry_start_ns = copy.carry_start_ns;
  if (copy.carry_end_ns > to->carry_end_ns) to->carry_end_ns = copy.carry_end_ns;
  if (copy.last_end_ns > to->last_end_ns) to->last_end_ns = copy.last_end_ns;
  to->carry_gaps += copy.carry_gaps;
  profile_counters_merge(&to->carry_counters, &copy.carry_counters);
  return true;
}

/* Frees entries of sources that no window refers to. Returns the number of ended sources that have windows. */
static uint32_t sources_tidy(struct rtop_profile *profile)
{
  uint32_t over = 0;
  bool tidied = false;
  for (uint32_t i = 0; i < profile->source_count; i++) profile->sources[i].held = false;
  for (size_t i = 0; i < profile->count; i++) profile->sources[profile_window_at(profile, i)->source].held = true;
  for (uint32_t i = 0; i < profile->source_count; i++) {
    bool is_over = source_is_over(&profile->sources[i]) && profile->sources[i].source != PROFILE_SOURCE_FREE;
    over += is_over && profile->sources[i].held;
    if (!is_over || profile->sources[i].held || !source_leave_carry(profile, &profile->sources[i])) continue;
    profile->sources[i] = (struct profile_source){ .source = PROFILE_SOURCE_FREE };
    tidied = true;
  }
  if (tidied && profile->carry.wanted) profile_carry_compact(profile); /* threads that had its number */
  return over;
}

/* Renumbers the threads of a source, since they are identified by the number of their source. */
static void threads_renumber(struct rtop_profile *profile, uint32_t source, uint32_t number)
{
  struct profile_threads *threads = &profile->threads;
  for (uint32_t id = 0; id < threads->count; id++) {
    struct profile_thread *thread = threads->all[id];
    if (!thread || thread->lost || !threads->by_key || thread->key.source != source) continue;
    HASH_DEL(threads->by_key, thread);
    thread->key.source = number;
    HASH_ADD(hh, threads->by_key, key, sizeof thread->key, thread);
  }
}

bool rtop_profile_retired(const struct rtop_profile *profile, uint64_t *seen, struct rtop_profile_retired *retired)
{
  if (*seen >= profile->retired_count) return false;
  if (profile->retired_count - *seen > PROFILE_RETIRED) *seen = profile->retired_count - PROFILE_RETIRED;
  *retired = profile->retired[(*seen)++ % PROFILE_RETIRED];
  return true;
}

uint32_t rtop_profile_retire(struct rtop_profile *profile, uint32_t source)
{
  struct profile_source *known = NULL;
  if (profile->loader.load || source >= RTOP_SOURCES_MAX) return source;
  while (sources_tidy(profile) >= SOURCES_OVER_MAX && profile_drop_oldest(profile))
    ;
  for (uint32_t i = 0; i < profile->source_count && !known; i++)
    if (profile->sources[i].source == source) known = &profile->sources[i];
  uint32_t number = known ? RTOP_SOURCE_GONE + 1 + (uint32_t)(known - profile->sources) : RTOP_SOURCE_GONE;
  if (known) known->source = number;
  threads_renumber(profile, source, number);
  for (size_t i = 0; i < profile->marks.count; i++)
    if (profile->marks.all[i].source == source) profile->marks.all[i].source = number;
  profile->retired[profile->retired_count++ % PROFILE_RETIRED] =
      (struct rtop_profile_retired){ .source = source, .number = number };
  rtop_lens_renumber(profile->lens, source, number);
  if (profile->whole) rtop_lens_renumber(profile->whole, source, number);
  sources_tidy(profile);
  return number;
}
