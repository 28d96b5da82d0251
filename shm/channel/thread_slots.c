/* SPDX-License-Identifier: MIT */
/* Assigns slots to threads, and writes the slots that changed. */
#include "thread_slots.h"
#include "shm/base/outlet.h"
#include "shm/base/utf8.h"

#include <string.h>

/* Of this part of the slots those whose threads ended are kept while others were never used. */
enum { ENDED_SHARE = 8 };

size_t thread_slots_memory_bytes(uint64_t capacity)
{
  return (size_t)capacity * (sizeof(struct rtop_thread_entry) + 2 * sizeof(uint32_t) + sizeof(bool));
}

/* Stores an entry: first an odd version, a fence, the words, and an even version. So a reader that sees a new word also
 * sees the new version. */
static void thread_slots_store(struct thread_slots *slots, uint32_t slot)
{
  struct rtop_thread_entry *entry = &slots->mirror[slot];
  struct rtop_thread_entry *shared = &slots->parts->threads[slot];
  struct outlet *outlet = slots->parts->outlet;
  const size_t skip = sizeof entry->version;
  const uint64_t odd = entry->version + 1;
  outlet_store(outlet, &shared->version, &odd, sizeof odd);
  outlet_fence(outlet); /* pairs with the acquire fence of reader_tables.c */
  outlet_store(outlet, (unsigned char *)shared + skip, (unsigned char *)entry + skip, sizeof *entry - skip);
  entry->version += 2;
  outlet_release(outlet, &shared->version, entry->version);
}

void thread_slots_flush(struct thread_slots *slots)
{
  for (uint64_t i = 0; i < slots->changed_count; i++) {
    thread_slots_store(slots, slots->changed[i]);
    slots->is_changed[slots->changed[i]] = false;
  }
  slots->changed_count = 0;
}

static void thread_slots_change(struct thread_slots *slots, uint32_t slot)
{
  if (slots->is_changed[slot]) return;
  slots->is_changed[slot] = true;
  slots->changed[slots->changed_count++] = slot;
}

static void thread_slots_set_name(struct rtop_thread_entry *entry, const char *name, size_t bytes)
{
  size_t kept = rtop_utf8_cut(name, bytes, sizeof entry->name);
  memset(entry->name, 0, sizeof entry->name);
  if (kept) memcpy(entry->name, name, kept);
  entry->name_bytes = (uint32_t)kept;
}

void thread_slots_init(struct thread_slots *slots, const struct channel_parts *parts, void *memory)
{
  static const char others[] = "(other threads)";
  *slots = (struct thread_slots){ .parts = parts, .mirror = memory, .used = 1 };
  slots->ended = (uint32_t *)(void *)(slots->mirror + parts->thread_capacity);
  slots->changed = slots->ended + parts->thread_capacity;
  slots->is_changed = (bool *)(void *)(slots->changed + parts->thread_capacity);
  slots->mirror[0].flags = RTOP_THREAD_OTHERS;
  thread_slots_set_name(&slots->mirror[0], others, sizeof others - 1);
  thread_slots_change(slots, 0);
}

/* Takes a slot that was never used; 0: there is none, or no room in the file system for one more. */
static uint32_t thread_slots_take_new(struct thread_slots *slots)
{
  const struct rtop_thread_entry *shared = &slots->parts->threads[slots->used];
  if (slots->used == slots->parts->thread_capacity || !outlet_reserve(slots->parts->outlet, shared, sizeof *shared))
    return 0;
  return (uint32_t)slots->used++;
}

static uint32_t thread_slots_take(struct thread_slots *slots)
{
  uint64_t capacity = slots->parts->thread_capacity;
  uint32_t unused = slots->ended_count <= capacity / ENDED_SHARE ? thread_slots_take_new(slots) : 0;
  if (unused || slots->ended_count == 0) return unused;
  uint32_t slot = slots->ended[slots->ended_first];
  slots->ended_first = (slots->ended_first + 1) % capacity;
  slots->ended_count--;
  return slot;
}

uint32_t thread_slots_start(struct thread_slots *slots, const struct rtop_thread_entry *thread, const char *name,
                            size_t bytes)
{
  if (thread->serial > slots->serial_max) slots->serial_max = thread->serial;
  uint32_t slot = thread_slots_take(slots);
  if (slot == 0) {
    slots->overflowed++;
    return 0;
  }
  uint64_t version = slots->mirror[slot].version;
  slots->mirror[slot] = *thread;
  slots->mirror[slot].version = version;
  thread_slots_set_name(&slots->mirror[slot], name, bytes);
  thread_slots_change(slots, slot);
  return slot;
}

static struct rtop_thread_entry *thread_slots_living(struct thread_slots *slots, uint32_t slot, uint64_t serial)
{
  if (slot == 0 || slot >= slots->used) return NULL;
  struct rtop_thread_entry *entry = &slots->mirror[slot];
  return entry->serial == serial && !(entry->flags & RTOP_THREAD_ENDED) ? entry : NULL;
}

void thread_slots_name(struct thread_slots *slots, uint32_t slot, uint64_t serial, const char *name, size_t bytes)
{
  struct rtop_thread_entry *entry = thread_slots_living(slots, slot, serial);
  if (!entry) return;
  thread_slots_set_name(entry, name, bytes);
  thread_slots_change(slots, slot);
}

void thread_slots_native_id(struct thread_slots *slots, uint32_t slot, uint64_t serial, uint32_t native_id)
{
  struct rtop_thread_entry *entry = thread_slots_living(slots, slot, serial);
  if (!entry) return;
  entry->native_id = native_id;
  thread_slots_change(slots, slot);
}

bool thread_slots_entry(const struct thread_slots *slots, uint32_t slot, uint64_t serial,
                        struct rtop_thread_entry *thread)
{
  if (slot >= slots->parts->thread_capacity || slots->mirror[slot].serial != serial) return false;
  *thread = slots->mirror[slot];
  return true;
}

void thread_slots_end(struct thread_slots *slots, uint32_t slot, uint64_t serial, int64_t end_mono_ns)
{
  struct rtop_thread_entry *entry = thread_slots_living(slots, slot, serial);
  if (!entry) return;
  entry->flags |= RTOP_THREAD_ENDED;
  entry->end_mono_ns = end_mono_ns;
  thread_slots_change(slots, slot);
  uint64_t last = (slots->ended_first + slots->ended_count) % slots->parts->thread_capacity;
  slots->ended[last] = slot;
  slots->ended_count++;
}
