/* SPDX-License-Identifier: MIT */
/* The queue of marks. */
#include "marks.h"

#include "shm/base/utf8.h"
#include <string.h>

void marks_init(struct marks *marks)
{
  atomic_store(&marks->tail, 0);
  marks->head = 0;
  for (uint64_t i = 0; i < MARKS_CAPACITY; i++) atomic_store(&marks->slots[i].turn, i);
}

bool marks_add(struct marks *marks, int64_t mono_ns, const char *name, size_t bytes)
{
  uint64_t tail = atomic_load_explicit(&marks->tail, memory_order_relaxed);
  for (;;) {
    uint64_t slot = tail % MARKS_CAPACITY;
    uint64_t turn = atomic_load_explicit(&marks->slots[slot].turn, memory_order_acquire);
    if (turn < tail) { /* the entry still has a mark of the round before */
      atomic_fetch_add_explicit(&marks->dropped, 1, memory_order_relaxed);
      return false;
    }
    if (turn > tail) tail = atomic_load_explicit(&marks->tail, memory_order_relaxed);
    else if (atomic_compare_exchange_weak_explicit(&marks->tail, &tail, tail + 1, memory_order_relaxed,
                                                   memory_order_relaxed))
      break;
  }
  struct mark *mark = &marks->slots[tail % MARKS_CAPACITY].mark;
  mark->mono_ns = mono_ns;
  mark->bytes = (uint32_t)rtop_utf8_cut(name, bytes, MARKS_NAME_MAX);
  memcpy(mark->name, name, mark->bytes);
  atomic_store_explicit(&marks->slots[tail % MARKS_CAPACITY].turn, tail + 1, memory_order_release);
  return true;
}

bool marks_take(struct marks *marks, struct mark *mark)
{
  uint64_t slot = marks->head % MARKS_CAPACITY;
  if (atomic_load_explicit(&marks->slots[slot].turn, memory_order_acquire) != marks->head + 1) return false;
  *mark = marks->slots[slot].mark;
  atomic_store_explicit(&marks->slots[slot].turn, marks->head + MARKS_CAPACITY, memory_order_release);
  marks->head++;
  return true;
}
