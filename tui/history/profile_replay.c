/* SPDX-License-Identifier: MIT */
/* Passes the profile's contents to a tap, as a feed would. Late records have been applied already, so none are
   passed. */
#include "profile_counters.h"
#include "profile_load.h"
#include "profile_windows.h"

#include "shm/window/window.h"
#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

struct replay {
  struct rtop_profile *profile;
  const struct rtop_profile_tap *to;
  struct rtop_window window;
  uint32_t *index_of; /* by thread: its index in the window, plus one */
  size_t index_capacity;
};

/* Makes room for all threads: more may become known while windows are loaded. */
static bool replay_reserve(struct replay *replay)
{
  return rtop_reserve(&replay->index_of, &replay->index_capacity, replay->profile->threads.count + 1u,
                      sizeof *replay->index_of);
}

static bool replay_threads(struct replay *replay, const struct profile_window *from, const struct profile_part *part)
{
  for (size_t i = 0; i < from->thread_count; i++) {
    const struct profile_presence *presence = &from->threads[i];
    const struct profile_thread *thread = profile_thread_at(replay->profile, presence->thread);
    struct rtop_window_thread *to = thread ? rtop_window_add_thread(&replay->window) : NULL;
    if (!to) return false;
    to->serial = thread->key.serial;
    to->state = presence->state;
    to->node = presence->node;
    to->state_age_ns = presence->state_age_ns;
    to->stack_age_ns = presence->stack_age_ns;
    to->provisional_ns = profile_part_share(part, presence->provisional_ns);
    to->lock_kind = (uint32_t)presence->lock.wants;
    to->lock = presence->lock.number;
    to->lock_holder = presence->lock.holder;
    to->flags = (presence->provisional_ns ? (uint32_t)RTOP_WINDOW_THREAD_PROVISIONAL : 0) |
                (presence->stale ? (uint32_t)RTOP_WINDOW_THREAD_STALE : 0) |
                (presence->ended ? (uint32_t)RTOP_WINDOW_THREAD_ENDED : 0);
    replay->index_of[presence->thread] = (uint32_t)replay->window.thread_count;
  }
  return true;
}

/* Adds a thread that the window does not list, but to which a late record gave time. */
static bool replay_unlisted(struct replay *replay, uint32_t id)
{
  const struct profile_thread *thread = profile_thread_at(replay->profile, id);
  struct rtop_window_thread *to = thread ? rtop_window_add_thread(&replay->window) : NULL;
  if (!to) return false;
  to->serial = thread->key.serial;
  to->flags = RTOP_WINDOW_THREAD_ENDED;
  replay->index_of[id] = (uint32_t)replay->window.thread_count;
  return true;
}

static bool replay_cells(struct replay *replay, const struct profile_window *from, const struct profile_part *part)
{
  for (size_t i = 0; i < from->cell_count; i++) {
    const struct profile_cell share = profile_part_cell(part, &from->cells[i]), *cell = &share;
    if (profile_cell_is_empty(&from->cells[i])) continue;
    if (!replay->index_of[cell->thread] && !replay_unlisted(replay, cell->thread)) return false;
    struct rtop_cell *to = rtop_window_add_cell(&replay->window);
    if (!to) return false;
    *to = (struct rtop_cell){
      .node = cell->node,
      .thread = replay->index_of[cell->thread] - 1,
      .state = cell->state,
      .samples = cell->samples,
      .wall_ns = cell->wall_ns,
      .cpu_ns = cell->cpu_ns,
      .allocations = cell->allocations,
      .blame_ns = cell->blame_ns,
    };
  }
  return true;
}

static bool replay_begun(struct replay *replay, const struct profile_window *from, const struct profile_part *part)
{
  for (size_t i = 0; i < from->begun.count; i++) {
    const struct rtop_begun_count *begun = &from->begun.all[i];
    uint64_t count = profile_part_share(part, begun->count);
    struct rtop_begun *to = count ? rtop_window_add_begun(&replay->window) : NULL;
    if (count && !to) return false;
    if (to) *to = (struct rtop_begun){ .node = begun->node, .label = begun->label, .count = count };
  }
  return true;
}

static bool replay_fibers(struct replay *replay, const struct profile_window *from, const struct profile_part *part)
{
  for (size_t i = 0; from->fibers && i < from->fibers->count; i++) {
    const struct rtop_fibers_wait *fibers = &from->fibers->all[i];
    struct rtop_fibers *to = rtop_window_add_fibers(&replay->window);
    if (!to) return false;
    *to = (struct rtop_fibers){
      .serial = fibers->serial,
      .name = fibers->name,
      .node = fibers->node,
      .alive = fibers->alive,
      .waiting = fibers->waiting,
      .wait_ns = profile_part_share(part, fibers->wait_ns),
      .longest_ns = fibers->longest_ns,
    };
  }
  return true;
}

static bool replay_exact(struct replay *replay, const struct profile_window *from, const struct profile_part *part)
{
  for (size_t i = 0; i < profile_exact_count(from->exact); i++) {
    const struct rtop_exact_number *number = &from->exact->all[i];
    uint64_t value = profile_exact_share(part, number);
    struct rtop_exact *to = value ? rtop_window_add_exact(&replay->window) : NULL;
    if (value && !to) return false;
    if (to) *to = (struct rtop_exact){ number->node, number->what, number->key, value };
  }
  return true;
}

static uint32_t replay_slow_flags(const struct rtop_slow_call *call)
{
  uint32_t block = call->own ? RTOP_SLOW_BLOCK | call->own << RTOP_SLOW_LABELS_SHIFT : 0;
  return (call->raised ? RTOP_SLOW_RAISED : 0) | block;
}

static bool replay_slow(struct replay *replay, const struct profile_window *from, const struct profile_part *part)
{
  for (size_t i = 0; i < profile_slow_count(from->exact); i++) {
    const struct rtop_slow_call *call = &from->exact->slow[i];
    if (!profile_slow_is_in(call, from, part)) continue;
    struct rtop_slow *to = rtop_window_add_slow(&replay->window);
    if (!to) return false;
    *to = (struct rtop_slow){ .end_mono_ns = call->end_ns,
                              .serial = call->serial,
                              .node = call->node,
                              .stack = call->stack,
                              .flags = replay_slow_flags(call),
                              .total_ns = call->total_ns,
                              .self_ns = call->self_ns,
                              .wait_ns = call->wait_ns,
                              .off_ns = call->off_ns,
                              .args_bytes = (uint32_t)profile_slow_args_bytes(call) };
    if (to->args_bytes) memcpy(to->args, call->args, to->args_bytes);
    memcpy(to->work_ns, call->work_ns, sizeof to->work_ns);
  }
  return true;
}

static bool replay_raised(struct replay *replay, const struct profile_window *from, const struct profile_part *part)
{
  for (size_t i = 0; i < profile_raised_count(from->raised); i++) {
    const struct rtop_raised_count *raised = &from->raised->all[i];
    uint64_t count = profile_part_share(part, raised->count);
    struct rtop_raised *to = count ? rtop_window_add_raised(&replay->window) : NULL;
    if (count && !to) return false;
    int64_t end_ns = replay->window.end_mono_ns;
    if (to)
      *to = (struct rtop_raised){ .first_mono_ns = raised->first_ns < end_ns ? raised->first_ns : end_ns,
                                  .last_mono_ns = raised->last_ns < end_ns ? raised->last_ns : end_ns,
                                  .serial = raised->serial,
                                  .name = raised->name,
                                  .node = raised->node,
                                  .count = count };
  }
  return true;
}

static bool replay_pairs(struct replay *replay, const struct profile_window *from, const struct profile_part *part)
{
  for (size_t i = 0; i < profile_pairs_count(from->pairs); i++) {
    const struct rtop_behind_count *pair = &from->pairs->all[i];
    uint64_t wait_ns = profile_part_share(part, pair->wait_ns);
    struct rtop_behind *to = wait_ns ? rtop_window_add_pair(&replay->window) : NULL;
    if (wait_ns && !to) return false;
    if (to)
      *to = (struct rtop_behind){ .node = pair->node,
                                  .holder = pair->holder,
                                  .cause = pair->cause,
                                  .place = pair->place,
                                  .count = profile_part_share(part, pair->count),
                                  .wait_ns = wait_ns };
  }
  return true;
}

static bool replay_window(struct replay *replay, struct profile_window *from, const struct profile_part *part)
{
  uint32_t source = replay->profile->sources[from->source].source;
  profile_need(replay->profile, from);
  if (!replay_reserve(replay)) return false;
  int64_t start_ns = from->start_ns + part->from_ns, end_ns = from->start_ns + part->to_ns;
  if (from->gap) {
    replay->to->gap(replay->to->context, source, start_ns, end_ns);
    return true;
  }
  rtop_window_reset(&replay->window);
  replay->window.start_mono_ns = start_ns;
  replay->window.end_mono_ns = end_ns;
  struct rtop_span_counters counters = profile_counters_part(from, part);
  profile_counters_write(&replay->window, &counters, from->counters_present);
  bool fine = replay_threads(replay, from, part) && replay_cells(replay, from, part) &&
              replay_begun(replay, from, part) && replay_fibers(replay, from, part) &&
              replay_exact(replay, from, part) && replay_slow(replay, from, part) &&
              replay_raised(replay, from, part) && replay_pairs(replay, from, part);
  for (size_t i = 0; i < from->cell_count; i++) replay->index_of[from->cells[i].thread] = 0;
  for (size_t i = 0; i < from->thread_count; i++) replay->index_of[from->threads[i].thread] = 0;
  if (fine) replay->to->window(replay->to->context, source, &replay->window, NULL, 0);
  return fine;
}

static void replay_marks(const struct rtop_profile *profile, const struct rtop_span *span,
                         const struct rtop_profile_tap *to)
{
  for (size_t i = 0; i < profile->marks.count; i++) {
    const struct rtop_profile_mark *mark = &profile->marks.all[i];
    if (mark->time_ns >= span->start_ns && mark->time_ns < span->end_ns)
      to->mark(to->context, mark->source, mark->time_ns, mark->name, strlen(mark->name));
  }
}

bool rtop_profile_replay(struct rtop_profile *profile, struct rtop_span span, const struct rtop_profile_tap *to)
{
  struct replay replay = { .profile = profile, .to = to };
  bool fine = true;
  struct profile_walk walk = profile_walk(profile, span);
  for (struct profile_window *window; fine && (window = profile_walk_next(&walk));)
    fine = replay_window(&replay, window, &walk.part);
  if (fine) replay_marks(profile, &span, to);
  rtop_window_destroy(&replay.window);
  free(replay.index_of);
  return fine;
}
