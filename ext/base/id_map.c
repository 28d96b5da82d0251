/* SPDX-License-Identifier: MIT */
/* A hash table from 64-bit keys to ids, with open addressing in memory reserved at the start. */
#include "id_map.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 1024 };

int id_map_create(struct id_map *map, uint32_t most)
{
  uint32_t slots = FIRST_SLOTS;
  while (slots < 2 * most) slots *= 2;
  *map = (struct id_map){ .mask = FIRST_SLOTS - 1, .mask_most = slots - 1 };
  /* The arrays have an extra half, which holds the old entries while the table is rehashed. */
  map->keys = calloc(slots + slots / 2, sizeof *map->keys);
  map->ids = calloc(slots + slots / 2, sizeof *map->ids);
  if (map->keys && map->ids) return 0;
  id_map_destroy(map);
  return -1;
}

void id_map_destroy(struct id_map *map)
{
  free(map->keys);
  free(map->ids);
  *map = (struct id_map){ 0 };
}

/* Finds the slot that contains the key, or the free slot for it. */
static uint32_t slot_of(const struct id_map *map, uint64_t key)
{
  uint32_t slot = (uint32_t)(key >> 20) & map->mask;
  while (map->keys[slot] && map->keys[slot] != key) slot = (slot + 1) & map->mask;
  return slot;
}

static void put(struct id_map *map, uint64_t key, uint32_t id)
{
  uint32_t slot = slot_of(map, key);
  map->keys[slot] = key;
  map->ids[slot] = id;
}

/* Rehashes into twice as many slots; meanwhile the old entries are copied behind the new slots. */
static void grow(struct id_map *map)
{
  uint32_t before = map->mask + 1, aside = 2 * before;
  memcpy(map->keys + aside, map->keys, before * sizeof *map->keys);
  memcpy(map->ids + aside, map->ids, before * sizeof *map->ids);
  memset(map->keys, 0, before * sizeof *map->keys);
  map->mask = 2 * before - 1;
  for (uint32_t slot = aside; slot < aside + before; slot++)
    if (map->keys[slot]) put(map, map->keys[slot], map->ids[slot]);
  memset(map->keys + aside, 0, before * sizeof *map->keys);
}

uint32_t id_map_find(const struct id_map *map, uint64_t key)
{
  uint32_t slot = slot_of(map, key);
  return map->keys[slot] ? map->ids[slot] : 0;
}

void id_map_add(struct id_map *map, uint64_t key, uint32_t id)
{
  if (map->count > map->mask / 2 && map->mask < map->mask_most) grow(map);
  put(map, key, id);
  map->count++;
}
