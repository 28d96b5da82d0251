/* SPDX-License-Identifier: MIT */
/* Windows of a recording: fetched when needed, dropped when memory is short. */
#include "profile_load.h"

#include "profile_counters.h"
#include "profile_intake.h"
#include "profile_windows.h"
#include "shm/window/window.h"
#include <stdlib.h>
#include <string.h>

void rtop_profile_set_loader(struct rtop_profile *profile, const struct rtop_profile_loader *loader)
{
  profile->loader = loader ? *loader : (struct rtop_profile_loader){ 0 };
}

bool rtop_profile_add_known(struct rtop_profile *profile, uint32_t source, const struct rtop_window *from,
                            const uint64_t wall_ns[RTOP_STATES], uint32_t thread_count, uint64_t place)
{
  int64_t start_ns = from->start_mono_ns;
  struct profile_source *known = profile_place(profile, source, &start_ns, from->end_mono_ns);
  struct profile_window *window = known ? calloc(1, sizeof *window) : NULL;
  if (!window) return false;
  *window = (struct profile_window){
    .start_ns = start_ns,
    .end_ns = from->end_mono_ns,
    .source = (uint32_t)(known - profile->sources),
    .place = place,
    .absent = true,
    .alive = thread_count,
  };
  profile_counters_read(window, from);
  for (int state = 0; state < RTOP_STATES; state++)
    window->wall_ns[state] = wall_ns[state] < PROFILE_CELL_MAX ? wall_ns[state] : PROFILE_CELL_MAX;
  if (!profile_window_insert(profile, window)) {
    profile_window_free(window);
    return false;
  }
  known->last_end_ns = window->end_ns;
  return true;
}

/* Position of the window of a source that ends at the same time; profile->count: there is none. The start of the window
 * may have been moved up, never down. */
static size_t load_find(const struct rtop_profile *profile, uint32_t source, const struct rtop_window *from)
{
  for (size_t i = profile_first_from(profile, from->start_mono_ns); i < profile->count; i++) {
    const struct profile_window *window = profile_window_at(profile, i);
    if (window->start_ns >= from->end_mono_ns) break;
    if (window->end_ns == from->end_mono_ns && !window->gap && profile->sources[window->source].source == source)
      return i;
  }
  return profile->count;
}

/* Pins a thread of windows that can be fetched again, so that it keeps its id. */
static void load_pin(struct rtop_profile *profile, uint32_t id)
{
  struct profile_thread *thread = profile_thread_at(profile, id);
  thread->windows += thread->pinned ? 1 : 2;
  thread->pinned = true;
}

static void load_fill(struct rtop_profile *profile, struct profile_window *window, const struct profile_input *input)
{
  struct profile_window *made = profile_window_make(profile, input, window->start_ns);
  if (!made) return;
  profile->memory.bytes -= profile_window_bytes(window);
  window->threads = made->threads;
  window->thread_count = made->thread_count;
  window->cells = made->cells;
  window->cell_count = made->cell_count;
  window->cell_capacity = made->cell_capacity;
  window->unsampled_count = made->unsampled_count;
  window->longs = made->longs;
  window->long_count = made->long_count;
  made->longs = NULL;
  profile_begun_destroy(&window->begun);
  window->begun = made->begun;
  made->begun = (struct profile_begun){ 0 };
  profile_fibers_destroy(&window->fibers);
  window->fibers = made->fibers;
  made->fibers = NULL;
  profile_exact_destroy(&window->exact);
  window->exact = made->exact;
  profile_exact_note(profile, window->exact);
  made->exact = NULL;
  profile_raised_destroy(&window->raised);
  window->raised = made->raised;
  made->raised = NULL;
  profile_pairs_destroy(&window->pairs);
  window->pairs = made->pairs;
  made->pairs = NULL;
  memcpy(window->wall_ns, made->wall_ns, sizeof window->wall_ns);
  profile_window_changes(profile, window);
  window->absent = false;
  window->used = window->loaded = profile->loads;
  made->threads = NULL;
  made->cells = NULL;
  profile_window_free(made);
  profile->memory.bytes += profile_window_bytes(window);
  for (size_t i = 0; i < window->thread_count; i++) load_pin(profile, window->threads[i].thread);
}

void rtop_profile_load_window(struct rtop_profile *profile, uint64_t place, uint32_t source,
                              const struct rtop_window *from, const uint32_t *nodes, size_t node_count,
                              const uint32_t *threads)
{
  struct profile_input input = { from, nodes, threads, node_count };
  size_t position = load_find(profile, source, from);
  if (position == profile->count) return;
  struct profile_window *window = profile_window_at(profile, position);
  if (window->place == place && window->absent) {
    load_fill(profile, window, &input);
    profile_age_stacks(profile, window, position);
  }
  profile_add_late(profile, window, &input, true, position + 1);
}

static void load_drop(struct rtop_profile *profile, struct profile_window *window)
{
  profile->memory.bytes -= profile_window_bytes(window);
  window->alive = 0;
  for (size_t i = 0; i < window->thread_count; i++) {
    window->alive += !window->threads[i].ended;
    profile_thread_unlist(profile, window->threads[i].thread);
  }
  free(window->threads);
  free(window->cells);
  free(window->longs);
  profile_begun_destroy(&window->begun);
  profile_fibers_destroy(&window->fibers);
  profile_exact_destroy(&window->exact);
  profile_raised_destroy(&window->raised);
  profile_pairs_destroy(&window->pairs);
  window->longs = NULL;
  window->long_count = 0;
  window->threads = NULL;
  window->cells = NULL;
  window->thread_count = window->cell_count = window->cell_capacity = window->unsampled_count = 0;
  window->absent = true;
  profile->memory.bytes += profile_window_bytes(window);
}

/* Unloads the older half of the loaded windows, until there is room or only the most recently needed ones are left. */
void profile_unload(struct rtop_profile *profile)
{
  while (profile->memory.bytes > profile->memory.bytes_max) {
    uint64_t oldest = profile->loads;
    for (size_t i = 0; i < profile->count; i++) {
      const struct profile_window *window = profile_window_at(profile, i);
      if (window->place && !window->absent && window->used < oldest) oldest = window->used;
    }
    if (oldest == profile->loads) return;
    uint64_t bound = oldest + (profile->loads - oldest) / 2;
    for (size_t i = 0; i < profile->count; i++) {
      struct profile_window *window = profile_window_at(profile, i);
      if (window->place && !window->absent && window->used <= bound && window->used < profile->loads)
        load_drop(profile, window);
    }
  }
}

void profile_load(struct rtop_profile *profile, struct profile_window *window)
{
  uint64_t place = window->place;
  profile->loads++;
  if (profile->loader.load) profile->loader.load(profile->loader.context, place);
  if (window->absent) { /* The window cannot be read: its time becomes unknown. */
    window->absent = false;
    window->gap = true;
    profile_window_changes(profile, window);
    memset(window->wall_ns, 0, sizeof window->wall_ns);
    return;
  }
  profile_unload(profile);
}
