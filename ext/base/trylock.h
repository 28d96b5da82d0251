/* SPDX-License-Identifier: MIT */
/* The sampler's only lock. Application threads only try to take it and never wait; the publisher may wait for it by
 * spinning.
 *
 * Threads: any. Async-signal-safe; no allocation.
 */
#ifndef RTOP_EXT_TRYLOCK_H
#define RTOP_EXT_TRYLOCK_H

#include <stdatomic.h>
#include <stdbool.h>

/* The holder of the lock. A forked child must know the holder at the fork: a thread of another Ractor may have left
 * half-written tables, whereas the publisher never does. */
enum trylock_holder { TRYLOCK_FREE, TRYLOCK_TAKEN, TRYLOCK_PUBLISHER };

struct trylock {
  _Atomic unsigned char holder;
};

static inline bool trylock_take_as(struct trylock *lock, enum trylock_holder holder)
{
  unsigned char nobody = TRYLOCK_FREE;
  return atomic_compare_exchange_strong_explicit(&lock->holder, &nobody, (unsigned char)holder, memory_order_acquire,
                                                 memory_order_relaxed);
}

static inline bool trylock_take(struct trylock *lock)
{
  return trylock_take_as(lock, TRYLOCK_TAKEN);
}

static inline enum trylock_holder trylock_holder(const struct trylock *lock)
{
  return (enum trylock_holder)atomic_load_explicit(&lock->holder, memory_order_acquire);
}

static inline void trylock_release(struct trylock *lock)
{
  atomic_store_explicit(&lock->holder, TRYLOCK_FREE, memory_order_release);
}

#endif
