/* SPDX-License-Identifier: MIT */
/* Every atomic access and every fence of the channel. No other code in shm/ accesses shared words.
 *
 * The payload of the ring is copied in 64-bit relaxed words: a plain memcpy under a concurrent writer would be a data
 * race (Boehm, "Can seqlocks get along with programming language memory models?", MSPC 2012). The fences named in
 * ring.h provide the order.
 */
#ifndef RTOP_SHM_ATOMICS_H
#define RTOP_SHM_ATOMICS_H

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A word of shared memory, whatever struct contains it. */
typedef uint64_t rtop_shared_word __attribute__((may_alias));

static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "64-bit atomics must be lock-free to work across processes");

static inline uint64_t rtop_load_relaxed(const uint64_t *word)
{
  return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static inline uint64_t rtop_load_acquire(const uint64_t *word)
{
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static inline void rtop_store_relaxed(uint64_t *word, uint64_t value)
{
  __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

static inline void rtop_store_release(uint64_t *word, uint64_t value)
{
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static inline void rtop_fence_acquire(void)
{
  atomic_thread_fence(memory_order_acquire);
}

static inline void rtop_fence_release(void)
{
  atomic_thread_fence(memory_order_release);
}

/* A full fence, which also orders the copies that the kernel makes for us in system calls. */
static inline void rtop_fence_full(void)
{
  atomic_thread_fence(memory_order_seq_cst);
}

/* Copies from shared memory. `shared` is 8-byte aligned; the last partial word is read as a whole, so the shared area
 * must extend to the next multiple of 8. */
static inline void rtop_copy_from_shared(void *private_copy, const void *shared, size_t bytes)
{
  const rtop_shared_word *from = shared;
  unsigned char *to = private_copy;
  while (bytes >= sizeof(uint64_t)) {
    uint64_t word = __atomic_load_n(from++, __ATOMIC_RELAXED);
    memcpy(to, &word, sizeof word);
    to += sizeof word;
    bytes -= sizeof word;
  }
  if (bytes) {
    uint64_t word = __atomic_load_n(from, __ATOMIC_RELAXED);
    memcpy(to, &word, bytes);
  }
}

/* Copies to shared memory, the last partial word padded with zeros. The alignment must be as for
 * rtop_copy_from_shared(). */
static inline void rtop_copy_to_shared(void *shared, const void *private_copy, size_t bytes)
{
  rtop_shared_word *to = shared;
  const unsigned char *from = private_copy;
  while (bytes >= sizeof(uint64_t)) {
    uint64_t word;
    memcpy(&word, from, sizeof word);
    __atomic_store_n(to++, word, __ATOMIC_RELAXED);
    from += sizeof word;
    bytes -= sizeof word;
  }
  if (bytes) {
    uint64_t word = 0;
    memcpy(&word, from, bytes);
    __atomic_store_n(to, word, __ATOMIC_RELAXED);
  }
}

#endif
