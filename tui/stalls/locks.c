/* SPDX-License-Identifier: MIT */
/* Follows waiting threads to the owners of their locks. */
#include "locks.h"

#include "shm/base/sorted.h"
#include <string.h>

enum { LOCKS_DEPTH_MAX = 4096 };
/* Minimum time (ns) that all threads of a circle must have been blocked, since they are not examined at
   the same instant. */
#define LOCKS_BLOCKED_NS UINT64_C(100000000)

const char *rtop_wants_name(enum rtop_wants wants)
{
  static const char *const names[] = {
    [RTOP_WANTS_MUTEX] = "Mutex",          [RTOP_WANTS_MONITOR] = "Monitor",     [RTOP_WANTS_ITEM] = "Queue",
    [RTOP_WANTS_ROOM] = "SizedQueue",      [RTOP_WANTS_CONDITION] = "condition", [RTOP_WANTS_LOAD] = "file",
    [RTOP_WANTS_THREAD] = "thread to end",
  };
  return wants > RTOP_WANTS_NOTHING && wants < RTOP_WANTS_END ? names[wants] : "lock";
}

const char *rtop_wants_verb(enum rtop_wants wants)
{
  return wants == RTOP_WANTS_LOAD ? "loads" : wants == RTOP_WANTS_THREAD ? "is" : "has";
}

/* Rows stand by source and serial. */
static bool row_before(const void *row, const void *key)
{
  const struct rtop_thread_row *a = row, *b = key;
  return a->source != b->source ? a->source < b->source : a->serial < b->serial;
}

size_t rtop_lock_thread(const struct rtop_sum *sum, uint32_t source, uint64_t serial)
{
  const struct rtop_thread_row key = { .source = source, .serial = serial };
  size_t row = sorted_place(sum->threads, sum->thread_count, sizeof *sum->threads, &key, row_before);
  return row < sum->thread_count && !row_before(&key, &sum->threads[row]) ? row : SIZE_MAX;
}

static bool joins(const struct rtop_thread_row *thread)
{
  return !thread->ended && thread->state == RTOP_STATE_BLOCKED && thread->lock.wants == RTOP_WANTS_THREAD;
}

/* The thread without which this one cannot go on; SIZE_MAX: unknown, or there is none. */
static size_t chain_next(const struct rtop_sum *sum, size_t row)
{
  const struct rtop_thread_row *thread = &sum->threads[row];
  if ((!rtop_lock_waits(thread) && !joins(thread)) || thread->lock.holder == 0) return SIZE_MAX;
  size_t holder = rtop_lock_thread(sum, thread->source, thread->lock.holder);
  return holder == SIZE_MAX || holder == row || sum->threads[holder].ended ? SIZE_MAX : holder;
}

size_t rtop_lock_holder(const struct rtop_sum *sum, size_t row)
{
  return rtop_lock_waits(&sum->threads[row]) ? chain_next(sum, row) : SIZE_MAX;
}

uint32_t rtop_lock_loads(const struct rtop_symbols *symbols, uint32_t node)
{
  uint32_t loads = 0;
  for (int i = 0; node && i < LOCKS_DEPTH_MAX; i++) {
    const struct rtop_call_node *call = rtop_symbols_get_node(symbols, node);
    if (strcmp(rtop_symbols_get(symbols, call->frame)->label, "<top (required)>") == 0) {
      if (loads) return 0;
      loads = call->frame;
    }
    node = call->parent < node ? call->parent : 0;
  }
  return loads;
}

unsigned rtop_lock_waiters(const struct rtop_sum *sum, size_t row)
{
  const struct rtop_thread_row *thread = &sum->threads[row];
  unsigned count = 0;
  if (thread->lock.number == 0 || thread->lock.wants == RTOP_WANTS_NOTHING) return 0;
  for (size_t i = 0; i < sum->thread_count; i++) {
    const struct rtop_thread_row *other = &sum->threads[i];
    count += !other->ended && other->state == RTOP_STATE_BLOCKED && rtop_lock_same(other, thread) &&
             other->lock.wants == thread->lock.wants;
  }
  return count;
}

size_t rtop_lock_counts(const struct rtop_sum *sum, struct rtop_lock_count counts[RTOP_LOCK_COUNTS_MAX])
{
  size_t count = 0;
  for (size_t i = 0; i < sum->thread_count; i++) {
    const struct rtop_thread_row *thread = &sum->threads[i];
    size_t at = 0;
    if (!rtop_lock_waits(thread) || thread->lock.number == 0) continue;
    while (at < count && !rtop_lock_same(&sum->threads[counts[at].row], thread)) at++;
    if (at == RTOP_LOCK_COUNTS_MAX) continue;
    if (at == count) counts[count++] = (struct rtop_lock_count){ .row = i };
    counts[at].waiters++;
    if (thread->state_age_ns > sum->threads[counts[at].row].state_age_ns) counts[at].row = i;
  }
  return count;
}

static bool chain_has(const struct rtop_lock_chain *chain, size_t row, unsigned *place)
{
  for (*place = 0; *place < chain->count; (*place)++)
    if (chain->rows[*place] == row) return true;
  return false;
}

bool rtop_lock_has_timeout(const struct rtop_symbols *symbols, uint32_t node)
{
  for (int i = 0; node && i < LOCKS_DEPTH_MAX; i++) {
    const struct rtop_call_node *call = rtop_symbols_get_node(symbols, node);
    const char *label = rtop_symbols_get(symbols, call->frame)->label;
    if (strcmp(label, "Timeout.timeout") == 0 || strcmp(label, "Timeout#timeout") == 0) return true;
    node = call->parent < node ? call->parent : 0;
  }
  return false;
}

static bool chain_lasts(const struct rtop_lock_chain *chain, const struct rtop_sum *sum,
                        const struct rtop_symbols *symbols)
{
  for (unsigned i = chain->closes; i < chain->count; i++) {
    const struct rtop_thread_row *thread = &sum->threads[chain->rows[i]];
    if (thread->state_age_ns < LOCKS_BLOCKED_NS || rtop_lock_has_timeout(symbols, thread->node)) return false;
  }
  return true;
}

void rtop_lock_chain(struct rtop_lock_chain *chain, const struct rtop_sum *sum, const struct rtop_symbols *symbols,
                     size_t row)
{
  unsigned place;
  *chain = (struct rtop_lock_chain){ .rows = { row }, .count = 1 };
  for (size_t next = row; (next = chain_next(sum, next)) != SIZE_MAX;) {
    if (chain_has(chain, next, &place)) {
      chain->closes = place;
      chain->circle = chain_lasts(chain, sum, symbols);
      chain->longer = !chain->circle;
      return;
    }
    if (chain->count == RTOP_LOCK_CHAIN_MAX) {
      chain->longer = true;
      return;
    }
    chain->rows[chain->count++] = next;
  }
}

/* Cuts a chain down to its circle. */
static void circle_of(struct rtop_lock_chain *circle, const struct rtop_lock_chain *chain)
{
  unsigned count = chain->count - chain->closes, first = 0;
  const size_t *rows = chain->rows + chain->closes;
  for (unsigned i = 1; i < count; i++)
    if (rows[i] < rows[first]) first = i;
  *circle = (struct rtop_lock_chain){ .count = count, .circle = true };
  for (unsigned i = 0; i < count; i++) circle->rows[i] = rows[(first + i) % count];
}

static bool deadlock_from(struct rtop_lock_chain *circle, const struct rtop_sum *sum,
                          const struct rtop_symbols *symbols, size_t row)
{
  struct rtop_lock_chain chain;
  rtop_lock_chain(&chain, sum, symbols, row);
  if (chain.circle) circle_of(circle, &chain);
  return chain.circle;
}

bool rtop_lock_deadlock(struct rtop_lock_chain *circle, const struct rtop_sum *sum, const struct rtop_symbols *symbols)
{
  struct rtop_lock_count locks[RTOP_LOCK_COUNTS_MAX];
  size_t count = rtop_lock_counts(sum, locks), ends = 0;
  for (size_t i = 0; i < count; i++)
    if (deadlock_from(circle, sum, symbols, locks[i].row)) return true;
  /* Threads that wait for one another to end need no lock for it. */
  for (size_t row = 0; row < sum->thread_count && ends < RTOP_LOCK_COUNTS_MAX; row++) {
    if (!joins(&sum->threads[row])) continue;
    if (deadlock_from(circle, sum, symbols, row)) return true;
    ends++;
  }
  return false;
}
