/* SPDX-License-Identifier: MIT */
/* Adds up fibers that wait. */
#include "window_fibers.h"

#include "shm/base/sorted.h"
#include <string.h>

static uint64_t fibers_sum(uint64_t a, uint64_t b)
{
  return a + b < a ? UINT64_MAX : a + b;
}

static void fibers_add(struct rtop_fibers *to, const struct rtop_fibers *from)
{
  to->alive += from->alive;
  to->waiting += from->waiting;
  to->wait_ns = fibers_sum(to->wait_ns, from->wait_ns);
  if (to->longest_ns < from->longest_ns) to->longest_ns = from->longest_ns;
}

void window_fold_fibers(struct rtop_window *window, uint64_t most_ns)
{
  size_t kept = 0, folded = SIZE_MAX;
  for (size_t i = 0; i < window->fibers_count; i++) {
    struct rtop_fibers fibers = window->fibers[i];
    bool goes = fibers.wait_ns <= most_ns || fibers.node == RTOP_NODE_FOLDED;
    if (goes && folded != SIZE_MAX && window->fibers[folded].serial == fibers.serial) {
      fibers_add(&window->fibers[folded], &fibers);
      continue;
    }
    if (goes) {
      folded = kept;
      fibers.name = RTOP_NODE_ROOT;
      fibers.node = RTOP_NODE_FOLDED;
    }
    window->fibers[kept++] = fibers;
  }
  window->fibers_count = kept;
}

static bool fibers_before(const void *row, const void *key)
{
  const struct rtop_fibers *a = row, *b = key;
  if (a->serial != b->serial) return a->serial < b->serial;
  if (a->name != b->name) return a->name < b->name;
  return a->node < b->node;
}

static bool fibers_are_rest(const struct rtop_fibers *fibers)
{
  return fibers->serial == 0 && fibers->name == RTOP_NODE_ROOT && fibers->node == RTOP_NODE_FOLDED;
}

/* The last entry is for the rest, without a thread. */
static bool merge_one(struct rtop_window *to, const struct rtop_fibers *fibers)
{
  size_t place = sorted_place(to->fibers, to->fibers_count, sizeof *to->fibers, fibers, fibers_before);
  struct rtop_fibers *there = &to->fibers[place];
  if (place < to->fibers_count && !fibers_before(fibers, there)) {
    fibers_add(there, fibers);
    return true;
  }
  if (to->fibers_count + 1 >= to->fibers_capacity && !fibers_are_rest(fibers)) {
    struct rtop_fibers rest = *fibers;
    rest.serial = 0;
    rest.name = RTOP_NODE_ROOT;
    rest.node = RTOP_NODE_FOLDED;
    merge_one(to, &rest);
    return false;
  }
  memmove(there + 1, there, (to->fibers_count - place) * sizeof *there);
  *there = *fibers;
  to->fibers_count++;
  return true;
}

bool window_merge_fibers(struct rtop_window *to, const struct rtop_window *from)
{
  bool whole = true;
  for (size_t i = 0; i < to->fibers_count; i++) to->fibers[i].alive = to->fibers[i].waiting = 0;
  for (size_t i = 0; i < from->fibers_count; i++) whole = merge_one(to, &from->fibers[i]) && whole;
  return whole;
}
