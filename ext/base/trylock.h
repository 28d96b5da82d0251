/* The one lock of the sampler: application threads only ever try; the publisher, which may wait, spins on it.
 *
 * Threads: any. Async-signal-safe; no allocation.
 */
#ifndef RTOP_EXT_TRYLOCK_H
#define RTOP_EXT_TRYLOCK_H

#include <stdatomic.h>
#include <stdbool.h>

struct trylock {
  atomic_flag taken;
};

static inline bool trylock_take(struct trylock *lock)
{
  return !atomic_flag_test_and_set_explicit(&lock->taken, memory_order_acquire);
}

static inline void trylock_release(struct trylock *lock)
{
  atomic_flag_clear_explicit(&lock->taken, memory_order_release);
}

#endif
