/* SPDX-License-Identifier: MIT */
/* Hands out windows one by one. */
#include "profile_each.h"

#include "profile_load.h"
#include "profile_windows.h"

static void each_window(const struct rtop_profile *profile, struct rtop_span span, bool whole,
                        void (*visit)(void *context, const struct rtop_look *look), void *context)
{
  static const uint64_t nothing_ns[RTOP_STATES];
  static const struct rtop_span_counters nothing;
  for (size_t i = profile_find(profile, span.start_ns); i < profile->count; i++) {
    struct profile_window *window = profile_window_at(profile, i);
    if (window->start_ns >= span.end_ns) break;
    if (window->end_ns <= span.start_ns) continue;
    /* The cast is harmless: for the caller the profile is unchanged. */
    if (whole) profile_need((struct rtop_profile *)profile, window);
    struct rtop_look look = {
      .start_ns = window->start_ns,
      .end_ns = window->end_ns,
      .gap = window->gap,
      .window = window,
      .source = profile->sources[window->source].source,
      .wall_ns = window->gap ? nothing_ns : window->wall_ns,
      .counters = window->gap ? &nothing : &window->counters,
      .thread_count = window->gap || !whole ? 0 : window->thread_count,
      .cell_count = window->gap || !whole ? 0 : window->cell_count,
      .begun_count = window->gap || !whole ? 0 : window->begun.count,
      .raised_count = window->gap || !whole ? 0 : profile_raised_count(window->raised),
      .exact_count = window->gap || !whole ? 0 : profile_exact_count(window->exact),
      .slow_count = window->gap || !whole ? 0 : profile_slow_count(window->exact),
      .long_count = window->gap || !whole ? 0 : window->long_count,
    };
    visit(context, &look);
  }
}

void rtop_profile_each(const struct rtop_profile *profile, struct rtop_span span,
                       void (*visit)(void *context, const struct rtop_look *look), void *context)
{
  each_window(profile, span, true, visit, context);
}

void rtop_profile_each_summary(const struct rtop_profile *profile, struct rtop_span span,
                               void (*visit)(void *context, const struct rtop_look *look), void *context)
{
  each_window(profile, span, false, visit, context);
}

struct rtop_look_thread rtop_look_thread(const struct rtop_look *look, size_t index)
{
  const struct profile_presence *presence = &look->window->threads[index];
  return (struct rtop_look_thread){
    .thread = presence->thread,
    .node = presence->node,
    .state = (enum rtop_state)presence->state,
    .ended = presence->ended,
    .stale = presence->stale,
    .state_age_ns = presence->state_age_ns,
    .stack_age_ns = presence->stack_age_ns,
    .provisional_ns = presence->provisional_ns,
    .lock = presence->lock,
  };
}

struct rtop_look_long rtop_look_long(const struct rtop_look *look, size_t index)
{
  const struct profile_long *known = &look->window->longs[index];
  return (struct rtop_look_long){
    .thread = known->thread,
    .node = known->node,
    .state = (enum rtop_state)known->state,
    .start_ns = known->start_ns,
    .end_ns = known->end_ns,
  };
}

struct rtop_look_cell rtop_look_cell(const struct rtop_look *look, size_t index)
{
  const struct profile_cell *cell = &look->window->cells[index];
  return (struct rtop_look_cell){
    .node = cell->node,
    .thread = cell->thread,
    .state = (enum rtop_state)cell->state,
    .wall_ns = cell->wall_ns,
    .cpu_ns = cell->cpu_ns,
    .blame_ns = cell->blame_ns,
    .samples = cell->samples,
  };
}

struct rtop_begun_count rtop_look_begun(const struct rtop_look *look, size_t index)
{
  return look->window->begun.all[index];
}

struct rtop_raised_count rtop_look_raised(const struct rtop_look *look, size_t index)
{
  return look->window->raised->all[index];
}

struct rtop_exact_number rtop_look_exact(const struct rtop_look *look, size_t index)
{
  return look->window->exact->all[index];
}

struct rtop_slow_call rtop_look_slow(const struct rtop_look *look, size_t index)
{
  return look->window->exact->slow[index];
}

uint64_t rtop_look_share(const struct rtop_look *look, struct rtop_span span, uint64_t value)
{
  struct profile_part part;
  return profile_part_of(look->window, &span, &part) ? profile_part_share(&part, value) : 0;
}

const char *rtop_profile_thread_name(const struct rtop_profile *profile, uint32_t thread)
{
  const struct profile_thread *known = profile_thread_at(profile, thread);
  return known && known->name ? known->name : "";
}

uint64_t rtop_profile_thread_serial(const struct rtop_profile *profile, uint32_t thread)
{
  const struct profile_thread *known = profile_thread_at(profile, thread);
  return known ? known->key.serial : 0;
}
