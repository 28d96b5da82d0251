/* SPDX-License-Identifier: MIT */
/* Sums of windows that memory could not hold, one per (thread, node); kept only on request (rtop_profile_keep_sums).
 * Provisional time is kept separately per thread while a late record may replace it: windows are carried oldest first,
 * so each thread has at most one such stretch.
 */
#include "profile_carry.h"

#include "profile_counters.h"
#include "profile_slide.h"
#include <stdlib.h>
#include <string.h>

static void carry_add(struct rtop_profile *profile, const struct profile_cell *cell)
{
  struct profile_thread *thread = profile_thread_at(profile, cell->thread);
  struct rtop_cost *cost = thread ? cost_table_at(&profile->carry.costs, cell->thread, cell->node) : NULL;
  if (!cost) return;
  thread->carried = true;
  profile_cost_add_cell(cost, cell);
}

/* Makes provisional time that nothing replaced final. */
static void carry_settle(struct rtop_profile *profile, struct profile_thread *thread)
{
  struct profile_cell cell = {
    .node = thread->pending_node,
    .thread = thread->id,
    .state = thread->pending_state,
    .wall_ns = thread->pending_ns,
  };
  if (thread->pending_ns) carry_add(profile, &cell);
  thread->pending_ns = 0;
}

static void carry_presence(struct rtop_profile *profile, const struct profile_presence *presence)
{
  struct profile_thread *thread = profile_thread_at(profile, presence->thread);
  if (!thread) return;
  if (presence->provisional_ns == 0) {
    carry_settle(profile, thread);
    return;
  }
  thread->carried = true;
  thread->pending_ns += presence->provisional_ns;
  thread->pending_node = presence->node;
  thread->pending_state = presence->state;
}

void profile_carry_window(struct rtop_profile *profile, const struct profile_window *window)
{
  struct profile_source *source = &profile->sources[window->source];
  profile_slides_restart(profile);
  if (!profile_carries(source)) source->carry_start_ns = window->start_ns;
  source->carry_end_ns = window->end_ns;
  if (window->gap) {
    source->carry_gaps++;
    return;
  }
  profile_cover_add(&profile->carry.cover, window->start_ns, window->end_ns);
  profile_counters_add(&source->carry_counters, &window->counters, window->counters_present);
  for (size_t i = 0; i < window->cell_count; i++) carry_add(profile, &window->cells[i]);
  profile_begun_carry(&profile->carry.begun, &window->begun);
  profile_exact_carry(&profile->carry.exact, window->exact);
  profile_raised_carry(&profile->carry.raised, window->raised);
  profile_pairs_carry(&profile->carry.pairs, window->pairs);
  for (size_t i = 0; i < window->thread_count; i++) carry_presence(profile, &window->threads[i]);
}

/* Subtracts time that became known from the time that was not sampled, as far as the latter suffices. */
static void carry_take_unsampled(struct rtop_profile *profile, const struct profile_cell *known)
{
  struct rtop_cost *cost =
      cost_table_find(&profile->carry.costs, known->thread, rtop_symbols_unsampled(profile->symbols));
  if (!cost) return;
  profile_take_up_to(&cost->wall_ns[known->state], known->wall_ns);
  profile_take_up_to(&cost->cpu_ns, known->cpu_ns);
}

void profile_carry_late(struct rtop_profile *profile, const struct profile_cell *share)
{
  struct profile_thread *thread = profile_thread_at(profile, share->thread);
  if (!thread) return;
  if (thread->pending_ns == 0) carry_take_unsampled(profile, share);
  thread->pending_ns = 0;
  carry_add(profile, share);
  profile_slides_restart(profile);
}

/* Returns the thread that stands for all ended threads of this name. */
static struct profile_thread *carry_stand_in(struct rtop_profile *profile, const struct profile_thread *gone)
{
  struct profile_thread_key key;
  memset(&key, 0, sizeof key);
  key.source = gone->key.source < RTOP_SOURCE_GONE ? gone->key.source : RTOP_SOURCE_GONE;
  key.kind = PROFILE_THREAD_ENDED;
  key.name = gone->name;
  struct profile_thread *thread = profile_thread_make(&profile->threads, &key);
  if (thread) thread->name = gone->name;
  return thread;
}

static bool carry_is_gone(const struct profile_thread *thread)
{
  bool stays = thread && thread->key.kind == PROFILE_THREAD_ENDED && thread->key.source <= RTOP_SOURCE_GONE;
  return thread && thread->carried && thread->windows == 0 && !stays;
}

void profile_carry_compact(struct rtop_profile *profile)
{
  struct cost_table old = profile->carry.costs;
  memset(&profile->carry.costs, 0, sizeof profile->carry.costs);
  profile->carry.gone = 0;
  for (uint32_t id = 0; id < profile->threads.count; id++)
    if (carry_is_gone(profile->threads.all[id]) && profile->threads.all[id]->pending_ns) {
      struct profile_thread *thread = profile->threads.all[id];
      struct rtop_cost *cost = cost_table_at(&old, id, thread->pending_node);
      if (cost) cost->wall_ns[thread->pending_state] += thread->pending_ns;
      thread->pending_ns = 0;
    }
  for (size_t i = 0; i < old.count; i++) {
    struct profile_thread *thread = profile_thread_at(profile, old.cells[i].thread);
    if (carry_is_gone(thread)) thread = carry_stand_in(profile, thread);
    uint32_t node = old.cells[i].node;
    struct rtop_cost *cost = thread ? cost_table_at(&profile->carry.costs, thread->id, node) : NULL;
    if (!cost) continue;
    thread->carried = true;
    rtop_cost_add(cost, &old.cells[i].cost);
  }
  cost_table_destroy(&old);
  for (uint32_t id = 0; id < profile->threads.count; id++)
    if (carry_is_gone(profile->threads.all[id])) profile_thread_free(&profile->threads, id);
}
