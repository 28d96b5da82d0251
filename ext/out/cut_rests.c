/* SPDX-License-Identifier: MIT */
/* Repeats the rows of sleeping threads from the previous window. */
#include "cut_rests.h"

#include "cut.h"
#include "ext/sampling/lock_waits.h"
#include "shm/base/clock.h"
#include <stdlib.h>
#include <string.h>

enum { RESTS_MORE = 256 };
/* CPU clocks of sleeping threads are not read while all of them together used at most UNREAD_MAX_NS. */
#define UNREAD_MAX_NS (CLOCK_NS_PER_SECOND / 1000)
#define LOOK_AGAIN_NS (3 * CLOCK_NS_PER_SECOND)

/* Makes room for the thread with this index. Returns false when memory ran out: the thread then does not count as
 * resting, and is examined in full as usual. */
static bool make_room(struct cut_rests *rests, uint32_t index)
{
  if (index < rests->capacity) return true;
  uint32_t capacity = (index / RESTS_MORE + 1) * RESTS_MORE;
  struct cut_rest *more = realloc(rests->of, capacity * sizeof *more);
  if (!more) return false;
  memset(more + rests->capacity, 0, (capacity - rests->capacity) * sizeof *more);
  rests->of = more;
  rests->capacity = capacity;
  return true;
}

void cut_rests_begin(struct cut *cut)
{
  struct cut_rests *rests = &cut->rests;
  uint64_t renamed = atomic_load_explicit(&cut->sampler->threads.renamed, memory_order_acquire);
  rests->names = renamed != rests->renamed;
  rests->renamed = renamed;
}

/* Tells whether the thread is still asleep, from a single cache line. As in read_totals() of cut_threads.c, either the
 * thread reads the new floor_ns, or the publisher reads an odd `turn`, which means that the thread is changing its
 * state. */
static bool sleeps_on(struct thread_data *data, const struct cut_rest *rest, int64_t end_ns)
{
  uint64_t word = rest->word;
  atomic_store_explicit(&data->floor_ns, end_ns, memory_order_seq_cst);
  atomic_thread_fence(memory_order_seq_cst);
  if (atomic_load_explicit(&data->turn, memory_order_acquire) & 1) return false;
  if (atomic_load_explicit(&data->word, memory_order_acquire) != word || threads_since_ns(word) >= end_ns) return false;
  if (atomic_load_explicit(&data->ended, memory_order_acquire) ||
      !atomic_load_explicit(&data->stack_known, memory_order_acquire) ||
      atomic_load_explicit(&data->node, memory_order_acquire) != rest->node ||
      atomic_load_explicit(&data->state_since_ns, memory_order_relaxed) != rest->since_ns)
    return false;
  return atomic_compare_exchange_strong(&data->word, &word, threads_pack(end_ns, RTOP_BLOCKED));
}

uint64_t cut_rest_epochs(struct pool *pool)
{
  uint64_t epochs = axis_epoch(&pool->strata.short_axis);
  for (int state = 0; state < RTOP_STATE_COUNT; state++) epochs += axis_epoch(&pool->axes[state]);
  return epochs;
}

/* Tells whether the pool has got a point that may settle waiting time in the thread's lanes. */
static bool may_settle(const struct cut *cut, const struct cut_rest *rest)
{
  if (!rest->open) return false;
  return cut->rests.divided >> rest->pool & 1 ||
         cut_rest_epochs(&cut->sampler->pools.entries[rest->pool]) != rest->epochs;
}

bool cut_rest_goes_on(const struct cut *cut, struct thread_data *data, struct cut_rest *rest)
{
  int64_t end = cut->window.end_mono_ns;
  if (end >= rest->look_ns && cut->cpu.unknown_ns - rest->unknown_ns <= UNREAD_MAX_NS)
    rest->look_ns = end + LOOK_AGAIN_NS;
  if (end >= rest->look_ns || (cut->cpu.look_at_all && rest->look_ns != INT64_MAX)) return false;
  if (cut->rests.names && atomic_load_explicit(&data->name_version, memory_order_acquire) != rest->name_version)
    return false;
  if (may_settle(cut, rest) || !sleeps_on(data, rest, end)) return false;
  rest->wall_ns = end - threads_since_ns(rest->word);
  rest->word = threads_pack(end, RTOP_BLOCKED);
  return true;
}

bool cut_rest_list(struct cut *cut, struct cut_rest *rest)
{
  int64_t end = cut->window.end_mono_ns, seen = end - rest->node_seen_ns, age = end - rest->since_ns;
  struct rtop_window_thread *row = rtop_window_add_thread(&cut->window);
  if (!row) return false;
  rest->row = (uint32_t)cut->window.thread_count - 1;
  *row = (struct rtop_window_thread){
    .slot = rest->slot,
    .state = RTOP_BLOCKED,
    .node = rest->node,
    .serial = rest->serial,
    .state_age_ns = age > 0 ? (uint64_t)age : 1,
    .stack_age_ns = seen > 0 ? (uint64_t)seen : 0,
  };
  return true;
}

struct rtop_window_thread *cut_rest_row(struct cut *cut, const struct cut_rest *rest)
{
  struct rtop_window_thread *row = &cut->window.threads[rest->row];
  return rest->row < cut->window.thread_count && row->serial == rest->serial ? row : NULL;
}

bool cut_rest_add_cell(struct cut *cut, const struct cut_rest *rest)
{
  struct rtop_cell *cell = rtop_window_add_cell(&cut->window);
  if (!cell) return false;
  *cell = (struct rtop_cell){
    .node = rest->node,
    .thread = rest->row,
    .state = RTOP_BLOCKED,
    .wall_ns = (uint64_t)rest->wall_ns,
  };
  return true;
}

void cut_rest_end(struct cut_rests *rests, struct thread_data *data)
{
  struct cut_rest *rest = cut_rest_of(rests, data->index);
  if (!rest) return;
  memset(data->charged_ns, 0, sizeof data->charged_ns);
  rest->word = 0;
}

void cut_rests_end_all(struct cut *cut)
{
  for (uint32_t index = 0; index < cut->rests.capacity; index++) {
    struct thread_data *data = cut->rests.of[index].word ? atomic_load(&cut->sampler->threads.table[index]) : NULL;
    if (data) cut_rest_end(&cut->rests, data);
    cut->rests.of[index].word = 0;
  }
}

static bool lanes_are_empty(const struct thread_data *data)
{
  bool empty = atomic_load_explicit(&data->behind.wall_ns, memory_order_relaxed) <= 0;
  for (int state = 0; state < RTOP_STATE_COUNT; state++)
    empty = empty && atomic_load_explicit(&data->lanes[state].wall_ns, memory_order_relaxed) <= 0;
  for (int stratum = 0; stratum < STRATA_COUNT; stratum++)
    empty = empty && atomic_load_explicit(&data->strata[stratum].wall_ns, memory_order_relaxed) <= 0;
  return empty;
}

/* Tells whether the thread's part of the window is complete, with no own work left over. */
static bool is_settled(const struct thread_data *data)
{
  return data->accrued_ns[RTOP_BLOCKED] == data->charged_ns[RTOP_BLOCKED] && !data->ahead_wall_ns &&
         !data->ahead_cpu_ns;
}

/* Returns the time at which the thread's CPU clock must be read next; INT64_MAX when other threads cannot read it. */
static int64_t next_look(const struct thread_data *data, int64_t since_ns, int64_t end_ns)
{
  if (!atomic_load_explicit(&data->native_id, memory_order_acquire) || data->native_shared) return INT64_MAX;
  return data->looks.stretch_ns == since_ns ? data->looks.next_ns : end_ns;
}

void cut_rest_consider(struct cut *cut, struct thread_data *data)
{
  const struct rtop_window_thread *row = &cut->window.threads[data->window_index];
  int64_t end = cut->window.end_mono_ns, since = atomic_load_explicit(&data->state_since_ns, memory_order_relaxed);
  uint64_t word = threads_pack(end, RTOP_BLOCKED);
  uint32_t node = atomic_load_explicit(&data->node, memory_order_acquire);
  if (row->state != RTOP_BLOCKED || row->flags || data->last_window || row->node != node) return;
  if (atomic_load_explicit(&data->word, memory_order_acquire) != word || since > end) return;
  bool known = atomic_load_explicit(&data->stack_known, memory_order_acquire);
  bool plain = !atomic_load(&data->fibers) && !atomic_load_explicit(&data->held_count, memory_order_relaxed);
  int64_t look = next_look(data, since, end);
  if (!known || !plain || look <= end || !is_settled(data) || !make_room(&cut->rests, data->index)) return;
  uint32_t pool = atomic_load_explicit(&data->pool, memory_order_relaxed);
  cut->rests.of[data->index] = (struct cut_rest){
    .word = word,
    .serial = data->serial,
    .name_version = data->name_published,
    .since_ns = since,
    .node_seen_ns = atomic_load_explicit(&data->node_seen_ns, memory_order_relaxed),
    .look_ns = look,
    .unknown_ns = data->looks.unknown_ns,
    .node = node,
    .slot = data->slot,
    .wait = data->window_wait,
    .row = data->window_index,
    .open = !lanes_are_empty(data),
    .pool = pool,
    .epochs = cut_rest_epochs(&cut->sampler->pools.entries[pool]),
  };
}

void cut_rests_destroy(struct cut_rests *rests)
{
  free(rests->of);
  *rests = (struct cut_rests){ 0 };
}
