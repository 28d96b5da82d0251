/* SPDX-License-Identifier: MIT */
/* Open addressing with at most half of the slots in use, so that searches are short. */
#include "pairs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS_SLOTS_MIN = 1024 };

static struct rtop_pair *pairs_slot(const struct rtop_pairs *pairs, uint32_t first, uint32_t second)
{
  uint64_t hash = ((uint64_t)first << 32 | second) * UINT64_C(0x9E3779B97F4A7C15);
  size_t mask = pairs->slot_count - 1, at = (size_t)(hash >> 32) & mask;
  while (pairs->slots[at].value && (pairs->slots[at].first != first || pairs->slots[at].second != second))
    at = (at + 1) & mask;
  return &pairs->slots[at];
}

static bool pairs_grow(struct rtop_pairs *pairs)
{
  struct rtop_pairs wider = { .slot_count = pairs->slot_count ? pairs->slot_count * 2 : PAIRS_SLOTS_MIN,
                              .count = pairs->count };
  wider.slots = calloc(wider.slot_count, sizeof *wider.slots);
  if (!wider.slots) return false;
  for (size_t i = 0; i < pairs->slot_count; i++)
    if (pairs->slots[i].value) *pairs_slot(&wider, pairs->slots[i].first, pairs->slots[i].second) = pairs->slots[i];
  free(pairs->slots);
  *pairs = wider;
  return true;
}

uint32_t rtop_pairs_find(const struct rtop_pairs *pairs, uint32_t first, uint32_t second)
{
  return pairs->slot_count ? pairs_slot(pairs, first, second)->value : 0;
}

uint32_t *rtop_pairs_at(struct rtop_pairs *pairs, uint32_t first, uint32_t second)
{
  if ((pairs->count + 1) * 2 > pairs->slot_count && !pairs_grow(pairs)) return NULL;
  struct rtop_pair *slot = pairs_slot(pairs, first, second);
  if (!slot->value) {
    slot->first = first;
    slot->second = second;
    pairs->count++;
  }
  return &slot->value;
}

void rtop_pairs_clear(struct rtop_pairs *pairs)
{
  if (pairs->slots) memset(pairs->slots, 0, pairs->slot_count * sizeof *pairs->slots);
  pairs->count = 0;
}

void rtop_pairs_destroy(struct rtop_pairs *pairs)
{
  free(pairs->slots);
  *pairs = (struct rtop_pairs){ 0 };
}
