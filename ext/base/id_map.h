/* SPDX-License-Identifier: MIT */
/* A hash table from 64-bit keys to 32-bit ids, for use in hooks.
 *
 * All memory is reserved by id_map_create() as address space, and becomes resident only as entries are added. Open
 * addressing uses the first slots of the arrays; when half of these are occupied, twice as many slots are used and all
 * entries are rehashed. So a small table touches few pages, and adding never allocates.
 *
 * Threads: under the caller's lock.
 */
#ifndef RTOP_EXT_ID_MAP_H
#define RTOP_EXT_ID_MAP_H

#include <stdint.h>

struct id_map {
  uint64_t *keys; /* 0: free */
  uint32_t *ids;
  uint32_t mask, mask_most;
  uint32_t count;
};

/* Makes a table for up to `most` entries. Returns 0, or -1 when memory ran out. */
int id_map_create(struct id_map *map, uint32_t most);
void id_map_destroy(struct id_map *map);

/* Returns the id stored for `key`, or 0 when there is none. The key must not be 0, and its bits from 20 up must be well
 * mixed. */
uint32_t id_map_find(const struct id_map *map, uint64_t key);

/* Adds a key that is not in the table yet, with an id other than 0. At most as many keys may be added as were given to
 * id_map_create(). */
void id_map_add(struct id_map *map, uint64_t key, uint32_t id);

#endif
