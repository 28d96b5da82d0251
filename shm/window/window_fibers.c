/* Adds up fibers that wait. */
#include "window_fibers.h"

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

static int fibers_compare(const struct rtop_fibers *a, const struct rtop_fibers *b)
{
  if (a->serial != b->serial) return a->serial < b->serial ? -1 : 1;
  if (a->name != b->name) return a->name < b->name ? -1 : 1;
  return (a->node > b->node) - (a->node < b->node);
}

/* Where it stands, or would stand. */
static size_t fibers_place(const struct rtop_window *window, const struct rtop_fibers *fibers)
{
  size_t from = 0, to = window->fibers_count;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    if (fibers_compare(&window->fibers[middle], fibers) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

/* The last place is for the rest, of no thread. */
static bool merge_one(struct rtop_window *to, const struct rtop_fibers *fibers)
{
  size_t place = fibers_place(to, fibers);
  struct rtop_fibers *there = &to->fibers[place];
  if (place < to->fibers_count && fibers_compare(there, fibers) == 0) {
    fibers_add(there, fibers);
    return true;
  }
  if (to->fibers_count + 1 >= to->fibers_capacity && fibers->serial != 0) {
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
