/* What memory could not hold: one sum per (thread, node) over every window that went, kept only on wish
 * (rtop_profile_keep_sums). Provisional time stays apart per thread while a late record may still
 * replace it: windows go oldest first, so a thread has one open stretch here at the most.
 */
#include "profile_impl.h"

#include <stdlib.h>
#include <string.h>

static void carry_add(struct rtop_profile *profile, const struct profile_cell *cell)
{
  struct profile_thread *thread = profile_thread_at(profile, cell->thread);
  struct rtop_cost *cost = thread ? cost_table_at(&profile->carry, cell->thread, cell->node) : NULL;
  if (!cost) return;
  thread->carried = true;
  profile_cost_add_cell(cost, cell);
}

/* Nothing came to replace it: it stays as it is. */
static void carry_settle(struct rtop_profile *profile, struct profile_thread *thread)
{
  struct profile_cell cell = {
    .node = thread->open_node,
    .thread = thread->id,
    .state = thread->open_state,
    .wall_ns = thread->open_ns,
  };
  if (thread->open_ns) carry_add(profile, &cell);
  thread->open_ns = 0;
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
  thread->open_ns += presence->provisional_ns;
  thread->open_node = presence->node;
  thread->open_state = presence->state;
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
  profile_cover_add(&profile->carry_cover, window->start_ns, window->end_ns);
  profile_counters_add(&source->carry_counters, &window->counters, window->counters_present);
  for (size_t i = 0; i < window->cell_count; i++) carry_add(profile, &window->cells[i]);
  for (size_t i = 0; i < window->thread_count; i++) carry_presence(profile, &window->threads[i]);
}

void profile_carry_late(struct rtop_profile *profile, const struct profile_cell *share)
{
  struct profile_thread *thread = profile_thread_at(profile, share->thread);
  if (!thread) return;
  if (thread->open_ns == 0) profile_unsampled_carry(profile, share);
  thread->open_ns = 0;
  carry_add(profile, share);
  profile_slides_restart(profile);
}

/* The one that stands for all ended threads of this name. */
static struct profile_thread *carry_stand_in(struct rtop_profile *profile, const struct profile_thread *gone)
{
  struct profile_thread_key key;
  memset(&key, 0, sizeof key);
  key.source = gone->key.source;
  key.kind = PROFILE_THREAD_ENDED;
  key.name = gone->name;
  struct profile_thread *thread = profile_thread_make(profile, &key);
  if (thread) thread->name = gone->name;
  return thread;
}

static bool carry_is_gone(const struct profile_thread *thread)
{
  return thread && thread->carried && thread->windows == 0 && thread->key.kind == PROFILE_THREAD_REAL;
}

void profile_carry_compact(struct rtop_profile *profile)
{
  struct cost_table old = profile->carry;
  memset(&profile->carry, 0, sizeof profile->carry);
  profile->carried_gone = 0;
  for (uint32_t id = 0; id < profile->thread_count; id++)
    if (carry_is_gone(profile->threads[id]) && profile->threads[id]->open_ns) {
      struct profile_thread *thread = profile->threads[id];
      struct rtop_cost *cost = cost_table_at(&old, id, thread->open_node);
      if (cost) cost->wall_ns[thread->open_state] += thread->open_ns;
      thread->open_ns = 0;
    }
  for (size_t i = 0; i < old.count; i++) {
    struct profile_thread *thread = profile_thread_at(profile, old.cells[i].thread);
    if (carry_is_gone(thread)) thread = carry_stand_in(profile, thread);
    uint32_t node = old.cells[i].node;
    struct rtop_cost *cost = thread ? cost_table_at(&profile->carry, thread->id, node) : NULL;
    if (!cost) continue;
    thread->carried = true;
    rtop_cost_add(cost, &old.cells[i].cost);
  }
  cost_table_destroy(&old);
  for (uint32_t id = 0; id < profile->thread_count; id++)
    if (carry_is_gone(profile->threads[id])) profile_thread_free(profile, id);
}
