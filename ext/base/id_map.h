/* SPDX-License-Identifier: MIT */
/* 64-bit key -> 32-bit id, in memory that is reserved at once and touched as it fills.
 *
 * Open addressing over the first slots of its arrays; when half of these are taken there are twice as many, and
 * all are put in their new places. So few entries lie on few pages, and nothing is allocated after create (the
 * memory is address space only until then): entries may be added in hooks.
 *
 * Threads: the caller's lock. No allocation after create.
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

/* Of up to `most` entries. 0, or -1 when memory ran out. */
int id_map_create(struct id_map *map, uint32_t most);
void id_map_destroy(struct id_map *map);

/* `key` is not 0 and well mixed from bit 20 on. 0 when it is not there. */
uint32_t id_map_find(const struct id_map *map, uint64_t key);

/* A key that is not there, with an id other than 0. At most `most` times. */
void id_map_add(struct id_map *map, uint64_t key, uint32_t id);

#endif
