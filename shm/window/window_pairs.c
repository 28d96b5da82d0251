/* SPDX-License-Identifier: MIT */
/* Sums up pairs. */
#include "window_pairs.h"

#include "shm/base/sorted.h"
#include <string.h>

enum { PAIRS_REST_ROWS = 2 * RTOP_PAIR_CAUSES }; /* room for the rests of all known causes */

static uint64_t pairs_sum(uint64_t a, uint64_t b)
{
  return a + b < a ? UINT64_MAX : a + b;
}

static void pairs_add(struct rtop_behind *to, const struct rtop_behind *from)
{
  to->count = pairs_sum(to->count, from->count);
  to->wait_ns = pairs_sum(to->wait_ns, from->wait_ns);
}

static struct rtop_behind pairs_rest(const struct rtop_behind *pair)
{
  uint32_t holder = pair->holder == RTOP_NODE_ROOT ? RTOP_NODE_ROOT : RTOP_NODE_FOLDED;
  return (struct rtop_behind){ RTOP_NODE_FOLDED, holder, pair->cause, RTOP_NODE_ROOT, pair->count, pair->wait_ns };
}

static bool pairs_before(const void *row, const void *key)
{
  const struct rtop_behind *a = row, *b = key;
  if (a->node != b->node) return a->node < b->node;
  if (a->holder != b->holder) return a->holder < b->holder;
  return a->cause != b->cause ? a->cause < b->cause : a->place < b->place;
}

static bool pairs_alike(const struct rtop_behind *a, const struct rtop_behind *b)
{
  return !pairs_before(a, b) && !pairs_before(b, a);
}

static bool pairs_is_rest(const struct rtop_behind *pair)
{
  const struct rtop_behind rest = pairs_rest(pair);
  return pairs_alike(pair, &rest);
}

/* Each row that goes is added to the rest of its kind, which takes the place of the first that goes. */
void window_fold_pairs(struct rtop_window *window, uint64_t most_ns)
{
  size_t kept = 0, rests[RTOP_PAIR_CAUSES][2] = { { 0 } }; /* place + 1 */
  for (size_t i = 0; i < window->pair_count; i++) {
    struct rtop_behind pair = window->pairs[i];
    size_t *rest = NULL;
    if (pair.cause < RTOP_PAIR_CAUSES && (pair.wait_ns <= most_ns || pairs_is_rest(&pair))) {
      pair = pairs_rest(&pair);
      rest = &rests[pair.cause][pair.holder == RTOP_NODE_ROOT];
    }
    if (rest && *rest) pairs_add(&window->pairs[*rest - 1], &pair);
    else window->pairs[kept++] = pair;
    if (rest && !*rest) *rest = kept;
  }
  window->pair_count = kept;
}

/* The last places are for the rests; a row for which there is none even there is dropped: of a cause not known here. */
static bool pairs_merge_one(struct rtop_window *to, const struct rtop_behind *pair)
{
  size_t place = sorted_place(to->pairs, to->pair_count, sizeof *to->pairs, pair, pairs_before);
  struct rtop_behind *there = &to->pairs[place];
  if (place < to->pair_count && pairs_alike(there, pair)) {
    pairs_add(there, pair);
    return true;
  }
  size_t room = pairs_is_rest(pair) ? to->pair_capacity : to->pair_capacity - PAIRS_REST_ROWS;
  if (to->pair_count >= room) {
    const struct rtop_behind rest = pairs_rest(pair);
    if (!pairs_is_rest(pair)) pairs_merge_one(to, &rest);
    return false;
  }
  memmove(there + 1, there, (to->pair_count - place) * sizeof *there);
  *there = *pair;
  to->pair_count++;
  return true;
}

bool window_merge_pairs(struct rtop_window *to, const struct rtop_window *from)
{
  bool whole = true;
  for (size_t i = 0; i < from->pair_count; i++) whole = pairs_merge_one(to, &from->pairs[i]) && whole;
  return whole;
}
