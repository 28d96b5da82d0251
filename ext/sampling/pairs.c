/* SPDX-License-Identifier: MIT */
/* Divides waits among the threads that held the GVL or the lock meanwhile. */
#include "pairs.h"

#include "lock_waits.h"
#include "sampler.h"
#include "shm/base/clock.h"
#include <assert.h>
#include <sched.h>
#include <string.h>

/* Fields of a key: waiter + 1, holder, cause, place. */
enum { PARTY_BITS = 12, CAUSE_BITS = 3, PLACE_BITS = 32, PROBES = 16, TAKE_TRIES = 1000, OWNER_PROBES = 8 };
static_assert(PAIRS_UNKNOWN + 1 < 1 << PARTY_BITS && RTOP_PAIR_CAUSES <= 1 << CAUSE_BITS, "a key");
static_assert(2 * PARTY_BITS + CAUSE_BITS + PLACE_BITS <= 64, "a key");

static uint64_t make_key(uint32_t waiter, uint32_t holder, uint32_t cause, uint32_t place)
{
  uint64_t parties = (uint64_t)(waiter + 1) << PARTY_BITS | holder;
  return (parties << CAUSE_BITS | cause) << PLACE_BITS | place;
}

struct pairs_key pairs_key_of(uint64_t key)
{
  uint64_t above = key >> PLACE_BITS, parties = above >> CAUSE_BITS;
  return (struct pairs_key){ .waiter = (uint32_t)(parties >> PARTY_BITS) - 1,
                             .holder = parties & ((1 << PARTY_BITS) - 1),
                             .cause = above & ((1 << CAUSE_BITS) - 1),
                             .place = (uint32_t)key };
}

void pairs_forget(struct pairs *pairs)
{
  pairs->begin_ns = pairs->gc_begin_ns = 0;
  pairs->held_count = pairs->turn_count = 0;
  memset(pairs->owners, 0, sizeof pairs->owners);
}

void pairs_clear(struct pairs *pairs)
{
  pairs_forget(pairs);
  atomic_store(&pairs->writers, 0);
  for (int i = 0; i < 2; i++)
    if (atomic_exchange(&pairs->buffers[i].used, false)) memset(&pairs->buffers[i], 0, sizeof pairs->buffers[i]);
}

/* ---- counting ----------------------------------------------------------------------------------------- */

/* begin_counting() returns the open buffer; the publisher does not take it before end_counting(). */
static struct pairs_buffer *begin_counting(struct pairs *pairs)
{
  atomic_fetch_add(&pairs->writers, 1);
  struct pairs_buffer *buffer = &pairs->buffers[atomic_load(&pairs->open)];
  atomic_store_explicit(&buffer->used, true, memory_order_relaxed);
  return buffer;
}

static void end_counting(struct pairs *pairs)
{
  atomic_fetch_sub_explicit(&pairs->writers, 1, memory_order_release);
}

static struct pairs_row *row_of(struct pairs_buffer *buffer, uint64_t key, uint32_t cause)
{
  uint32_t at = (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 40);
  for (int i = 0; i < PROBES; i++, at++) {
    struct pairs_row *row = &buffer->rows[at % PAIRS_ROWS_MAX];
    uint64_t there = atomic_load_explicit(&row->key, memory_order_relaxed);
    if (there == key) return row;
    if (there) continue;
    atomic_store_explicit(&row->key, key, memory_order_relaxed);
    return row;
  }
  return &buffer->rest[cause];
}

static void count(struct pairs_row *row, int64_t wait_ns)
{
  atomic_fetch_add_explicit(&row->count, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&row->wait_ns, (uint64_t)wait_ns, memory_order_relaxed);
}

static void count_pair(struct pairs_buffer *buffer, const struct pairs_key *key, int64_t wait_ns)
{
  if (wait_ns <= 0) return;
  count(row_of(buffer, make_key(key->waiter, key->holder, key->cause, key->place), key->cause), wait_ns);
}

static void count_rest(struct pairs *pairs, uint32_t cause, int64_t wait_ns)
{
  if (wait_ns <= 0) return;
  count(&begin_counting(pairs)->rest[cause], wait_ns);
  end_counting(pairs);
}

static uint32_t party_of_set(const struct thread_data *data, uint32_t set)
{
  return set ? set : PAIRS_POOL + atomic_load_explicit(&data->pool, memory_order_relaxed);
}

static uint32_t party_of(struct sampler *sampler, const struct thread_data *data)
{
  VALUE thread = atomic_load_explicit(&data->thread, memory_order_relaxed);
  return party_of_set(data, label_sets_of(&sampler->labels, thread));
}

static int64_t within(int64_t value, int64_t least, int64_t most)
{
  if (value > most) value = most;
  return value < least ? least : value;
}

/* ---- the GVL ------------------------------------------------------------------------------------------ */

static bool anyone_waits(const struct sampler *sampler)
{
  return atomic_load_explicit(&sampler->waiting.word, memory_order_relaxed) & UINT16_MAX;
}

static void log_held(struct sampler *sampler, uint32_t party, int64_t now_ns)
{
  struct pairs *pairs = &sampler->pairs;
  pairs->log[pairs->held_count++ % PAIRS_LOG_MAX] = (struct pairs_held){
    .begin_ns = pairs->begin_ns,
    .end_ns = now_ns,
    .gc_begin_ns = pairs->gc_begin_ns,
    .gc_end_ns = work_gc_until(&sampler->work, now_ns),
    .party = party,
  };
}

static void begin_held(struct sampler *sampler, int64_t now_ns)
{
  sampler->pairs.begin_ns = now_ns;
  sampler->pairs.gc_begin_ns = work_gc_until(&sampler->work, now_ns);
}

void pairs_relabel(struct sampler *sampler, VALUE thread)
{
  if (!atomic_load_explicit(&sampler->active, memory_order_relaxed) || !anyone_waits(sampler)) return;
  struct thread_data *data = threads_of(&sampler->threads, thread);
  if (!data || !data->main_ractor) return;
  int64_t now = clock_now_ns();
  log_held(sampler, party_of(sampler, data), now);
  begin_held(sampler, now);
}

void pairs_switch(struct sampler *sampler, struct thread_data *data, uint32_t set)
{
  uint32_t before = data->pair_set;
  data->pair_set = set;
  if (before == set || !anyone_waits(sampler)) return;
  int64_t now = clock_now_ns();
  log_held(sampler, party_of_set(data, before), now);
  begin_held(sampler, now);
}

/* Divides the wait for the GVL from from_ns to now_ns among the holders. gc_from_ns: total time of collections at
 * from_ns. */
static void divide_wait(struct pairs *pairs, struct pairs_buffer *buffer, struct pairs_key key, int64_t from_ns,
                        int64_t gc_from_ns, int64_t now_ns)
{
  int64_t until = now_ns, left = now_ns - from_ns;
  uint64_t at = pairs->held_count, oldest = at > PAIRS_LOG_MAX ? at - PAIRS_LOG_MAX : 0;
  for (int steps = 0; at > oldest && pairs->log[(at - 1) % PAIRS_LOG_MAX].end_ns > from_ns; at--) {
    if (++steps > PAIRS_WALK_MAX) break;
    const struct pairs_held *held = &pairs->log[(at - 1) % PAIRS_LOG_MAX];
    int64_t begin = held->begin_ns > from_ns ? held->begin_ns : from_ns, end = within(held->end_ns, begin, until);
    int64_t gc_begin = held->begin_ns > from_ns ? held->gc_begin_ns : gc_from_ns;
    int64_t gc = within(held->gc_end_ns - gc_begin, 0, end - begin);
    key.holder = held->party;
    key.cause = RTOP_PAIR_GC;
    count_pair(buffer, &key, gc);
    key.cause = RTOP_PAIR_GVL;
    count_pair(buffer, &key, end - begin - gc);
    left -= end - begin;
    if (begin < until) until = begin;
  }
  key.holder = PAIRS_UNKNOWN;
  key.cause = RTOP_PAIR_GVL;
  bool more = at > oldest && pairs->log[(at - 1) % PAIRS_LOG_MAX].end_ns > from_ns;
  int64_t older = more ? until - from_ns : 0;
  count_pair(buffer, &key, older);
  key.cause = RTOP_PAIR_HANDOVER;
  count_pair(buffer, &key, left - older);
}

/* ---- locks -------------------------------------------------------------------------------------------- */

/* Returns the entry of a lock. If the lock has none, returns the first free entry, or the oldest of the entries that
 * the lock may use. */
static struct pairs_owner *owner_place(struct pairs *pairs, uint64_t lock)
{
  uint32_t at = (uint32_t)(lock * UINT64_C(0x9E3779B97F4A7C15) >> 40);
  struct pairs_owner *oldest = &pairs->owners[at % PAIRS_LOCKS_MAX];
  for (int i = 0; i < OWNER_PROBES; i++, at++) {
    struct pairs_owner *owner = &pairs->owners[at % PAIRS_LOCKS_MAX];
    if (owner->lock == lock || !owner->lock) return owner;
    if (owner->from_ns < oldest->from_ns) oldest = owner;
  }
  return oldest;
}

static void own(struct pairs *pairs, struct pairs_owner *owner, const struct pairs_owner *next)
{
  if (owner->lock == next->lock && owner->serial == next->serial && owner->party == next->party) return;
  if (owner->lock == next->lock) {
    struct pairs_owner *turn = &pairs->turns[pairs->turn_count++ % PAIRS_TURNS_MAX];
    *turn = *owner;
    turn->until_ns = next->from_ns;
  }
  *owner = *next;
}

static void note_owned(struct sampler *sampler, const struct thread_data *data, int64_t now_ns)
{
  struct pairs *pairs = &sampler->pairs;
  uint32_t count = atomic_load_explicit(&data->held_count, memory_order_relaxed);
  uint32_t party = count ? party_of(sampler, data) : 0;
  for (uint32_t i = 0; i < count && i < LOCK_WORDS_HELD_MAX; i++) {
    uint64_t lock = atomic_load_explicit(&data->held[i], memory_order_relaxed);
    const struct pairs_owner next = {
      .lock = lock, .serial = data->serial, .from_ns = within(data->running_since_ns, 0, now_ns), .party = party
    };
    own(pairs, owner_place(pairs, lock), &next);
  }
}

static bool has_owner(uint32_t kind)
{
  return kind == RTOP_LOCK_MUTEX || kind == RTOP_LOCK_MONITOR || kind == RTOP_LOCK_LOAD;
}

/* Counts the part of a wait that is due to this owner, who had the lock until until_ns. The wait lasted from from_ns to
 * *until; *until moves back to the begin of the counted part. */
static void count_owner(struct pairs_buffer *buffer, struct pairs_key *key, const struct pairs_owner *owner,
                        int64_t from_ns, int64_t until_ns, int64_t *until)
{
  int64_t begin = within(owner->from_ns, from_ns, *until), end = within(until_ns, begin, *until);
  key->holder = PAIRS_UNKNOWN; /* between two owners, of which the later one was noticed late */
  count_pair(buffer, key, *until - end);
  key->holder = owner->party;
  count_pair(buffer, key, end - begin);
  *until = begin;
}

static void divide_lock_wait(struct pairs *pairs, struct pairs_buffer *buffer, struct pairs_key key, uint64_t lock,
                             const struct thread_data *data, const struct pairs_wait *wait)
{
  const struct pairs_owner *owner = owner_place(pairs, lock);
  int64_t from = wait->off_since_ns, until = from + wait->off_ns;
  key.cause = RTOP_PAIR_LOCK;
  key.place = wait->node;
  if (owner->lock == lock && owner->serial != data->serial) count_owner(buffer, &key, owner, from, INT64_MAX, &until);
  uint64_t at = pairs->turn_count, oldest = at > PAIRS_WALK_MAX ? at - PAIRS_WALK_MAX : 0;
  for (; at > oldest && until > from; at--) {
    const struct pairs_owner *turn = &pairs->turns[(at - 1) % PAIRS_TURNS_MAX];
    if (turn->lock == lock && turn->until_ns > from && turn->serial != data->serial)
      count_owner(buffer, &key, turn, from, turn->until_ns, &until);
  }
  key.holder = PAIRS_UNKNOWN;
  count_pair(buffer, &key, until - from);
}

/* Records that the lock's owner has passed the lock to this thread, if the owner had the GVL when this thread became
 * ready. */
static void take_over(struct sampler *sampler, const struct thread_data *data, uint64_t lock, uint32_t party,
                      int64_t ready_ns)
{
  struct pairs_owner *owner = owner_place(&sampler->pairs, lock);
  if (owner->lock != lock || data->pair_runner >= THREADS_CAPACITY) return;
  const struct thread_data *runner =
      atomic_load_explicit(&sampler->threads.table[data->pair_runner], memory_order_acquire);
  if (!runner || runner->serial != owner->serial) return;
  const struct pairs_owner next = { .lock = lock, .serial = data->serial, .from_ns = ready_ns, .party = party };
  own(&sampler->pairs, owner, &next);
}

/* Corrects the owner of the lock that the thread waits for: take_over() may have made the thread itself the owner. An
 * owner that unlocks a Mutex wakes up the first thread in line, but may lock the Mutex again before that thread runs.
 * The earlier owner has then owned the lock all the time. */
static void take_back(struct pairs *pairs, const struct thread_data *data)
{
  uint64_t lock = lock_waits_lock(data);
  if (!has_owner(lock_waits_kind(data))) return;
  struct pairs_owner *owner = owner_place(pairs, lock);
  if (owner->lock != lock || owner->serial != data->serial) return;
  uint64_t at = pairs->turn_count, oldest = at > PAIRS_WALK_MAX ? at - PAIRS_WALK_MAX : 0;
  for (; at > oldest; at--) {
    struct pairs_owner *turn = &pairs->turns[(at - 1) % PAIRS_TURNS_MAX];
    if (turn->lock != lock) continue;
    *owner = *turn;
    turn->lock = 0;
    return;
  }
  *owner = (struct pairs_owner){ .lock = lock, .from_ns = owner->from_ns, .party = PAIRS_UNKNOWN };
}

/* ---- hooks -------------------------------------------------------------------------------------------- */

void pairs_gave_up(struct sampler *sampler, int64_t wait_ns)
{
  count_rest(&sampler->pairs, RTOP_PAIR_GVL, wait_ns);
}

static void count_elsewhere(struct pairs *pairs, const struct pairs_wait *wait, bool for_lock)
{
  count_rest(pairs, RTOP_PAIR_GVL, wait->wait_ns);
  if (for_lock) count_rest(pairs, RTOP_PAIR_LOCK, wait->off_ns);
}

void pairs_resumed(struct sampler *sampler, struct thread_data *data, const struct pairs_wait *wait, int64_t now_ns)
{
  struct pairs *pairs = &sampler->pairs;
  bool for_lock = wait->off_ns > 0 && has_owner(lock_waits_kind(data));
  if (!data->main_ractor) {
    count_elsewhere(pairs, wait, for_lock);
    return;
  }
  if (wait->wait_ns > 0 || for_lock) {
    struct pairs_buffer *buffer = begin_counting(pairs);
    const struct pairs_key key = { .waiter = party_of(sampler, data) };
    if (wait->wait_ns > 0) divide_wait(pairs, buffer, key, now_ns - wait->wait_ns, data->work_gc_ns, now_ns);
    if (for_lock) {
      uint64_t lock = lock_waits_lock(data);
      divide_lock_wait(pairs, buffer, key, lock, data, wait);
      take_over(sampler, data, lock, key.waiter, wait->off_since_ns + wait->off_ns);
    }
    end_counting(pairs);
  }
  begin_held(sampler, now_ns);
}

void pairs_go_off(struct sampler *sampler, struct thread_data *data, int64_t now_ns)
{
  if (!data->main_ractor) return;
  if (anyone_waits(sampler)) log_held(sampler, party_of(sampler, data), now_ns);
  data->pair_runner = THREADS_CAPACITY; /* no runner until the thread is ready again */
  take_back(&sampler->pairs, data);
  note_owned(sampler, data, now_ns);
}

/* ---- the publisher ------------------------------------------------------------------------------------ */

struct pairs_buffer *pairs_take(struct pairs *pairs)
{
  uint32_t full = atomic_load(&pairs->open);
  atomic_store(&pairs->open, 1 - full);
  for (int i = 0; i < TAKE_TRIES; i++) {
    if (atomic_load(&pairs->writers) == 0) return &pairs->buffers[full];
    sched_yield();
  }
  return NULL;
}

void pairs_drop(struct pairs *pairs)
{
  for (int i = 0; i < 2; i++) {
    struct pairs_buffer *buffer = pairs_take(pairs);
    if (buffer && atomic_load(&buffer->used)) memset(buffer, 0, sizeof *buffer);
  }
}
