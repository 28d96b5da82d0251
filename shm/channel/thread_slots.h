/* SPDX-License-Identifier: MIT */
/* The writer's side of the threads section: assigns slots to threads. Private to shm/.
 *
 * Slot 0 stands for all threads that found no other slot. Slots are reused in the order in which their threads ended,
 * but only when an eighth of all slots are those of ended threads, or when no unused slot is left: so threads that come
 * and go take no more memory than that. The content of slots is kept in private memory and never read back from the
 * segment; thread_slots_flush() writes the changes.
 *
 * Threads: the publisher. Blocks only where the segment grows (outlet.h), never allocates: the caller provides the memory.
 */
#ifndef RTOP_SHM_THREAD_SLOTS_H
#define RTOP_SHM_THREAD_SLOTS_H

#include "channel.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct thread_slots {
  const struct channel_parts *parts;
  struct rtop_thread_entry *mirror; /* private copies of the entries, one per slot */
  uint32_t *ended;                  /* queue of slots whose threads ended, oldest first */
  uint32_t *changed;                /* slots whose private copy is newer than the segment, each once */
  bool *is_changed;
  uint64_t changed_count;
  uint64_t ended_first;
  uint64_t ended_count;
  uint64_t used; /* number of slots that were used at least once */
  uint64_t serial_max;
  uint64_t overflowed;
};

/* Size of the zeroed private memory that thread_slots_init() needs for this many slots. */
size_t thread_slots_memory_bytes(uint64_t capacity);
void thread_slots_init(struct thread_slots *slots, const struct channel_parts *parts, void *memory);

/* Like rtop_writer_thread_*(). */
uint32_t thread_slots_start(struct thread_slots *slots, const struct rtop_thread_entry *thread, const char *name,
                            size_t bytes);
void thread_slots_name(struct thread_slots *slots, uint32_t slot, uint64_t serial, const char *name, size_t bytes);
void thread_slots_native_id(struct thread_slots *slots, uint32_t slot, uint64_t serial, uint32_t native_id);
void thread_slots_end(struct thread_slots *slots, uint32_t slot, uint64_t serial, int64_t end_mono_ns);

bool thread_slots_entry(const struct thread_slots *slots, uint32_t slot, uint64_t serial,
                        struct rtop_thread_entry *thread);

/* Writes the slots that have changed since the last call. */
void thread_slots_flush(struct thread_slots *slots);

#endif
