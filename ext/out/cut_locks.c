/* SPDX-License-Identifier: MIT */
/* Numbers the locks that threads wait for, and finds the owner of each. */
#include "cut_locks.h"

#include "ext/sampling/lock_waits.h"
#include "shm/base/clock.h"
#include <string.h>

#define LOCKS_KEPT_NS (10 * CLOCK_NS_PER_SECOND)

static struct cut_lock *place(struct cut_lock *of, uint64_t lock)
{
  size_t at = (size_t)(lock * UINT64_C(0x9E3779B97F4A7C15) >> 40) % CUT_LOCKS_PLACES;
  while (of[at].lock && of[at].lock != lock) at = (at + 1) % CUT_LOCKS_PLACES;
  return &of[at];
}

/* Removes the locks for which no thread has waited for LOCKS_KEPT_NS. */
static void make_room(struct cut_locks *locks, int64_t now_ns)
{
  struct cut_lock before[CUT_LOCKS_PLACES];
  memcpy(before, locks->of, sizeof before);
  memset(locks->of, 0, sizeof locks->of);
  locks->count = 0;
  for (size_t i = 0; i < CUT_LOCKS_PLACES; i++) {
    if (!before[i].lock || now_ns - before[i].seen_ns > LOCKS_KEPT_NS) continue;
    *place(locks->of, before[i].lock) = before[i];
    locks->count++;
  }
}

static bool is_queue(uint32_t kind)
{
  return kind == RTOP_LOCK_QUEUE || kind == RTOP_LOCK_SIZED_QUEUE;
}

/* Finds or adds the entry of the lock that a thread waits for, with no owner yet; NULL when there are too many
 * locks. */
static struct cut_lock *meet(struct cut_locks *locks, const struct lock_wait *wait, int64_t now_ns)
{
  struct cut_lock *lock = place(locks->of, wait->lock);
  bool another = lock->lock && (now_ns - lock->seen_ns > LOCKS_KEPT_NS || lock->queue != is_queue(wait->kind));
  if (!lock->lock && locks->count >= CUT_LOCKS_MAX) {
    if (locks->full_ns == now_ns) return NULL;
    make_room(locks, now_ns);
    locks->full_ns = now_ns;
    if (locks->count >= CUT_LOCKS_MAX) return NULL;
    lock = place(locks->of, wait->lock);
  }
  if (!lock->lock || another) {
    locks->count += !lock->lock;
    *lock = (struct cut_lock){ .lock = wait->lock, .number = ++locks->numbers, .queue = is_queue(wait->kind) };
  }
  if (lock->seen_ns != now_ns) lock->holder = 0;
  lock->seen_ns = now_ns;
  return lock;
}

static struct rtop_window_thread *row_of(struct cut *cut, const struct thread_data *data)
{
  struct rtop_window *window = &cut->window;
  if (!data || data->window_index >= window->thread_count) return NULL;
  struct rtop_window_thread *row = &window->threads[data->window_index];
  return row->serial == data->serial ? row : NULL;
}

static struct thread_data *thread_at(const struct cut *cut, uint32_t index)
{
  return atomic_load_explicit(&cut->sampler->threads.table[index], memory_order_acquire);
}

static void count_waits(struct cut *cut, struct thread_data *data)
{
  uint64_t waits = atomic_load_explicit(&data->lock_waits, memory_order_relaxed);
  cut->lock_waits += waits - data->lock_waits_seen;
  data->lock_waits_seen = waits;
}

/* Stores in the row what its thread waits for. Returns false when that is no numbered lock. */
static bool find_wait(struct cut *cut, const struct lock_wait *wait, struct rtop_window_thread *row)
{
  row->lock_kind = wait->kind;
  if (wait->kind == RTOP_LOCK_THREAD) {
    if (wait->lock != row->serial) row->lock_holder = wait->lock;
    return false;
  }
  struct cut_lock *lock = meet(&cut->locks, wait, cut->window.end_mono_ns);
  row->lock = lock ? lock->number : 0;
  return lock;
}

/* Finds the locks that threads wait for. Returns false when there are none. */
static bool find_waits(struct cut *cut, uint32_t high)
{
  bool any = false;
  for (uint32_t index = 0; index < high; index++) {
    const struct cut_rest *rest = cut_rest_of(&cut->rests, index);
    struct thread_data *data = rest ? NULL : thread_at(cut, index);
    struct rtop_window_thread *row = rest ? cut_rest_row(cut, rest) : row_of(cut, data);
    if (row && rest && rest->wait.kind != RTOP_LOCK_NONE) any = find_wait(cut, &rest->wait, row) || any;
    if (!row || rest) continue;
    count_waits(cut, data);
    data->window_wait = (struct lock_wait){ 0 };
    if (row->state != RTOP_BLOCKED || data->last_window || !lock_waits_of(data, &data->window_wait)) continue;
    any = find_wait(cut, &data->window_wait, row) || any;
  }
  return any;
}

static void find_holders(struct cut *cut, uint32_t high)
{
  uint64_t held[LOCK_WORDS_HELD_MAX];
  for (uint32_t index = 0; index < high; index++) {
    /* a resting thread owns no lock */
    const struct thread_data *data = cut_rest_of(&cut->rests, index) ? NULL : thread_at(cut, index);
    if (!data || data->last_window || atomic_load_explicit(&data->ended, memory_order_relaxed)) continue;
    uint32_t count = lock_waits_held(data, held);
    for (uint32_t i = 0; i < count; i++) {
      struct cut_lock *lock = place(cut->locks.of, held[i]);
      if (lock->lock && lock->seen_ns == cut->window.end_mono_ns) lock->holder = data->serial;
    }
  }
}

static void tell_holders(struct cut *cut, uint32_t high)
{
  for (uint32_t index = 0; index < high; index++) {
    const struct cut_rest *rest = cut_rest_of(&cut->rests, index);
    const struct thread_data *data = rest ? NULL : thread_at(cut, index);
    struct rtop_window_thread *row = rest ? cut_rest_row(cut, rest) : row_of(cut, data);
    if (!row || !row->lock) continue;
    bool owned =
        row->lock_kind == RTOP_LOCK_MUTEX || row->lock_kind == RTOP_LOCK_MONITOR || row->lock_kind == RTOP_LOCK_LOAD;
    const struct cut_lock *lock = place(cut->locks.of, rest ? rest->wait.lock : data->window_wait.lock);
    if (owned && lock->lock && lock->holder != row->serial) row->lock_holder = lock->holder;
  }
}

void cut_locks_add(struct cut *cut)
{
  uint32_t high = atomic_load_explicit(&cut->sampler->threads.high, memory_order_acquire);
  cut->lock_waits = 0;
  if (find_waits(cut, high)) {
    find_holders(cut, high);
    tell_holders(cut, high);
  }
  if (lock_words_known()) rtop_window_set_counter(&cut->window, RTOP_COUNTER_LOCK_WAITS, cut->lock_waits);
  else rtop_window_set_counter(&cut->window, RTOP_COUNTER_LOCKS_UNKNOWN, 1);
}
