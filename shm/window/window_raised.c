/* SPDX-License-Identifier: MIT */
/* Adds up exceptions. */
#include "window_raised.h"

#include "shm/base/sorted.h"
#include <string.h>

static bool raised_is_rest(const struct rtop_raised *raised)
{
  return raised->node == RTOP_NODE_FOLDED && raised->name == RTOP_NODE_ROOT && raised->serial == 0;
}

static void raised_become_rest(struct rtop_raised *raised)
{
  raised->serial = 0;
  raised->name = RTOP_NODE_ROOT;
  raised->node = RTOP_NODE_FOLDED;
}

static void raised_add(struct rtop_raised *to, const struct rtop_raised *from)
{
  to->count = to->count + from->count < to->count ? UINT64_MAX : to->count + from->count;
  if (from->first_mono_ns < to->first_mono_ns) to->first_mono_ns = from->first_mono_ns;
  if (from->last_mono_ns > to->last_mono_ns) to->last_mono_ns = from->last_mono_ns;
}

void window_fold_raised(struct rtop_window *window, uint64_t most)
{
  size_t kept = 0, rest = SIZE_MAX;
  for (size_t i = 0; i < window->raised_count; i++) {
    struct rtop_raised raised = window->raised[i];
    bool goes = raised.count <= most || raised_is_rest(&raised);
    if (goes && rest != SIZE_MAX) {
      raised_add(&window->raised[rest], &raised);
      continue;
    }
    if (goes) {
      rest = kept;
      raised_become_rest(&raised);
    }
    window->raised[kept++] = raised;
  }
  window->raised_count = kept;
}

static bool raised_before(const void *row, const void *key)
{
  const struct rtop_raised *a = row, *b = key;
  if (a->name != b->name) return a->name < b->name;
  if (a->node != b->node) return a->node < b->node;
  return a->serial < b->serial;
}

/* The last place is for the rest. */
static bool merge_one(struct rtop_window *to, const struct rtop_raised *raised)
{
  size_t place = sorted_place(to->raised, to->raised_count, sizeof *to->raised, raised, raised_before);
  struct rtop_raised *there = &to->raised[place];
  if (place < to->raised_count && !raised_before(raised, there)) {
    raised_add(there, raised);
    return true;
  }
  if (to->raised_count + 1 >= to->raised_capacity && !raised_is_rest(raised)) {
    struct rtop_raised rest = *raised;
    raised_become_rest(&rest);
    merge_one(to, &rest);
    return false;
  }
  memmove(there + 1, there, (to->raised_count - place) * sizeof *there);
  *there = *raised;
  to->raised_count++;
  return true;
}

bool window_merge_raised(struct rtop_window *to, const struct rtop_window *from)
{
  bool whole = true;
  for (size_t i = 0; i < from->raised_count; i++) whole = merge_one(to, &from->raised[i]) && whole;
  return whole;
}
