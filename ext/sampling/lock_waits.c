/* SPDX-License-Identifier: MIT */
/* Records which lock a thread waits for, and which locks it owns. */
#include "lock_waits.h"

#include <assert.h>

enum { READ_TRIES = 100 };
#define KIND_MASK UINT64_C(7) /* these bits are 0 in addresses of locks */
static_assert(RTOP_LOCK_KIND_END <= KIND_MASK + 1, "kinds");

static void write_held(struct thread_data *data, VALUE thread)
{
  uint64_t held[LOCK_WORDS_HELD_MAX];
  uint32_t count = lock_words_held(thread, held);
  uint32_t turn = atomic_load_explicit(&data->held_turn, memory_order_relaxed);
  atomic_store_explicit(&data->held_turn, turn + 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&data->held_count, count, memory_order_relaxed);
  for (uint32_t i = 0; i < count; i++) atomic_store_explicit(&data->held[i], held[i], memory_order_relaxed);
  atomic_store_explicit(&data->held_turn, turn + 2, memory_order_release);
}

/* Writes the locks that the thread owns. Nothing is written for most threads, which own no lock now and owned none at
 * the last call. */
static inline void note_held(struct thread_data *data, VALUE thread)
{
  bool any = atomic_load_explicit(&data->held_count, memory_order_relaxed) || lock_words_holds(thread);
  if (any) write_held(data, thread);
}

void lock_waits_note_held(struct thread_data *data)
{
  VALUE thread = atomic_load_explicit(&data->thread, memory_order_relaxed);
  if (thread) note_held(data, thread);
}

/* Finds a thread's data by its VALUE without reading the Ruby object: a thread whose initialize() has not called
 * Thread#initialize yet has no storage, and threads_of() would crash. Called only for joins without a time limit. */
static const struct thread_data *find_thread(const struct threads *threads, VALUE thread)
{
  uint32_t high = atomic_load_explicit(&threads->high, memory_order_relaxed);
  uint64_t generation = atomic_load_explicit(&threads->generation, memory_order_relaxed);
  for (uint32_t i = 0; i < high; i++) {
    const struct thread_data *data = atomic_load_explicit(&threads->table[i], memory_order_acquire);
    if (data && atomic_load_explicit(&data->thread, memory_order_relaxed) == thread &&
        atomic_load_explicit(&data->generation, memory_order_relaxed) == generation &&
        !atomic_load_explicit(&data->ended, memory_order_relaxed))
      return data;
  }
  return NULL;
}

/* Returns the lock and its kind in one word; 0 when there is none. For a joined thread the word has the thread's
 * serial, because its VALUE may change while it is joined. */
static uint64_t lock_word(struct threads *threads, const struct lock_wait *wait)
{
  uint64_t lock = wait->lock;
  if (wait->kind == RTOP_LOCK_THREAD) {
    const struct thread_data *joined = find_thread(threads, (VALUE)lock);
    lock = joined && joined->serial < UINT64_MAX / (KIND_MASK + 1) ? joined->serial * (KIND_MASK + 1) : 0;
  }
  return !lock || lock & KIND_MASK ? 0 : lock | wait->kind;
}

void lock_waits_go_off(struct threads *threads, struct thread_data *data)
{
  VALUE thread = atomic_load_explicit(&data->thread, memory_order_relaxed);
  if (!thread) return;
  struct lock_wait wait = lock_words_wait(thread);
  uint64_t word = lock_word(threads, &wait);
  note_held(data, thread);
  if (word != atomic_load_explicit(&data->lock_wait, memory_order_relaxed))
    atomic_store_explicit(&data->lock_wait, word, memory_order_relaxed);
  if (wait.kind != RTOP_LOCK_MUTEX && wait.kind != RTOP_LOCK_MONITOR && wait.kind != RTOP_LOCK_LOAD) return;
  uint64_t waits = atomic_load_explicit(&data->lock_waits, memory_order_relaxed);
  atomic_store_explicit(&data->lock_waits, waits + 1, memory_order_relaxed);
}

uint32_t lock_waits_kind(const struct thread_data *data)
{
  return (uint32_t)(atomic_load_explicit(&data->lock_wait, memory_order_relaxed) & KIND_MASK);
}

uint64_t lock_waits_lock(const struct thread_data *data)
{
  return atomic_load_explicit(&data->lock_wait, memory_order_relaxed) & ~KIND_MASK;
}

static bool is_blocked(const struct thread_data *data)
{
  return threads_state(atomic_load_explicit(&data->word, memory_order_acquire)) == RTOP_BLOCKED;
}

bool lock_waits_of(const struct thread_data *data, struct lock_wait *wait)
{
  int64_t since_ns = atomic_load_explicit(&data->state_since_ns, memory_order_acquire);
  if (!is_blocked(data)) return false;
  uint64_t word = atomic_load_explicit(&data->lock_wait, memory_order_relaxed);
  atomic_thread_fence(memory_order_acquire);
  *wait = (struct lock_wait){ .kind = (uint32_t)(word & KIND_MASK), .lock = word & ~KIND_MASK };
  if (wait->kind == RTOP_LOCK_THREAD) wait->lock = word / (KIND_MASK + 1);
  return wait->kind != RTOP_LOCK_NONE && is_blocked(data) &&
         atomic_load_explicit(&data->state_since_ns, memory_order_relaxed) == since_ns;
}

uint32_t lock_waits_held(const struct thread_data *data, uint64_t held[LOCK_WORDS_HELD_MAX])
{
  for (int tries = 0; tries < READ_TRIES; tries++) {
    uint32_t turn = atomic_load_explicit(&data->held_turn, memory_order_acquire);
    uint32_t count = atomic_load_explicit(&data->held_count, memory_order_relaxed);
    if (turn & 1 || count > LOCK_WORDS_HELD_MAX) continue;
    for (uint32_t i = 0; i < count; i++) held[i] = atomic_load_explicit(&data->held[i], memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&data->held_turn, memory_order_relaxed) == turn) return count;
  }
  return 0;
}
