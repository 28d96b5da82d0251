/* SPDX-License-Identifier: MIT */
/* The inhabitants of the city: buildings, blocks, and their names. */
#include "city_impl.h"
#include "tui/text/reserve.h"
#include "tui/text/text.h"
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(element) ((element)->lost = true)
#include <uthash.h>

struct city_name {
  uint32_t building;
  bool lost;
  struct city_name *before; /* made before it */
  UT_hash_handle hh;
  char text[]; /* 'c' or 'p', then the name */
};

enum city_level city_level_of(const struct city *city, const struct city_block *block)
{
  return block->folded ? CITY_PACKAGES : city->level;
}

static struct city_building *add_building(struct city *city, enum city_level level, uint32_t block)
{
  if (!rtop_reserve(&city->buildings, &city->capacity, city->count + 1, sizeof *city->buildings) ||
      !rtop_reserve(&city->pulses, &city->pulse_capacity, city->count + 1, sizeof *city->pulses))
    return NULL;
  city->pulses[city->count] = (struct city_pulse){ 0 };
  struct city_building *building = &city->buildings[city->count++];
  *building = (struct city_building){ .level = level, .block = block };
  if (level != CITY_PACKAGES) {
    struct city_block *home = &city->blocks[block];
    if (home->last[level] != 0) city->buildings[home->last[level] - 1].next = city->count;
    else home->first[level] = city->count;
    home->last[level] = city->count;
  }
  return building;
}

static struct city_name *find_name(struct city *city, const char *key, size_t bytes)
{
  struct city_name *names = city->names, *name = NULL;
  HASH_FIND(hh, names, key, bytes, name);
  return name;
}

static bool add_name(struct city *city, const char *key, size_t bytes, uint32_t building)
{
  struct city_name *names = city->names;
  struct city_name *name = calloc(1, sizeof *name + bytes + 1);
  if (name == NULL) return false;
  memcpy(name->text, key, bytes);
  name->building = building;
  HASH_ADD_KEYPTR(hh, names, name->text, bytes, name);
  city->names = names;
  if (name->lost) {
    free(name);
    return false;
  }
  name->before = city->last_name;
  city->last_name = name;
  city->buildings[building].name = name->text + 1;
  return true;
}

/* Writes the first part of a namespace: "ActiveRecord" of "ActiveRecord::Relation". Files without a class form one
 * package, and frames that are not methods another. */
static size_t package_key(char *key, size_t bytes, const struct rtop_symbol *symbol)
{
  const char *space = symbol->kind == RTOP_SYMBOL_SPECIAL ? "ruby" : symbol->namespace_label;
  if (space[0] == '\0') space = symbol->label[0] == '(' ? "ruby" : "top";
  const char *end = strstr(space, "::");
  size_t count = end != NULL && end > space ? (size_t)(end - space) : strlen(space);
  key[0] = 'p';
  return 1 + rtop_text_sanitize(key + 1, bytes - 1, space, count);
}

/* Finds or adds a block; returns its index, or UINT32_MAX when memory ran out. */
static uint32_t block_of(struct city *city, const struct rtop_symbol *symbol)
{
  char key[256];
  size_t bytes = package_key(key, sizeof key, symbol);
  struct city_name *known = find_name(city, key, bytes);
  if (known != NULL) return city->buildings[known->building].block;
  if (!rtop_reserve(&city->blocks, &city->block_capacity, city->block_count + 1, sizeof *city->blocks))
    return UINT32_MAX;
  uint32_t block = city->block_count;
  if (add_building(city, CITY_PACKAGES, block) == NULL || !add_name(city, key, bytes, city->count - 1))
    return UINT32_MAX;
  city->blocks[block] = (struct city_block){
    .name = city->buildings[city->count - 1].name,
    .package = city->count - 1,
  };
  city->block_count++;
  return block;
}

static uint32_t class_of(struct city *city, const struct rtop_symbol *symbol, uint32_t block)
{
  char key[512];
  bool has_space = symbol->namespace_label[0] != '\0';
  const char *space = has_space ? symbol->namespace_label : city->blocks[block].name;
  key[0] = 'c';
  size_t bytes = 1 + rtop_text_sanitize(key + 1, sizeof key - 1, space, strlen(space));
  struct city_name *known = find_name(city, key, bytes);
  if (known != NULL) return known->building + 1;
  if (add_building(city, CITY_CLASSES, block) == NULL || !add_name(city, key, bytes, city->count - 1)) return 0;
  return city->count;
}

struct city_building *city_settle(struct city *city, const struct rtop_symbols *symbols, uint32_t frame)
{
  if (!rtop_reserve(&city->frames, &city->frame_capacity, rtop_symbols_frame_count(symbols), sizeof *city->frames))
    return NULL;
  struct city_frame *known = &city->frames[frame];
  uint32_t serial = rtop_symbols_serial(symbols, frame);
  if (known->method == 0 || known->serial != serial) {
    const struct rtop_symbol *symbol = rtop_symbols_get(symbols, frame);
    uint32_t block = block_of(city, symbol);
    if (block == UINT32_MAX) return NULL;
    known->kind = class_of(city, symbol, block);
    if (known->kind == 0 || add_building(city, CITY_METHODS, block) == NULL) return NULL;
    known->package = city->blocks[block].package + 1;
    known->method = city->count;
    known->serial = serial;
    city->buildings[city->count - 1].frame = frame;
  }
  return &city->buildings[known->method - 1];
}

struct city_building *city_of(struct city *city, uint32_t frame)
{
  if (frame >= city->frame_capacity || city->frames[frame].method == 0) return NULL;
  const struct city_frame *known = &city->frames[frame];
  const struct city_block *block = &city->blocks[city->buildings[known->method - 1].block];
  switch (city_level_of(city, block)) {
  case CITY_CLASSES: return &city->buildings[known->kind - 1];
  case CITY_PACKAGES: return &city->buildings[known->package - 1];
  default: return &city->buildings[known->method - 1];
  }
}

void city_fold(struct city *city, uint32_t block)
{
  city->blocks[block].folded = !city->blocks[block].folded;
  city->replan = true;
}

void city_next_level(struct city *city)
{
  city->level = (enum city_level)((city->level + 1) % CITY_LEVELS);
  for (uint32_t i = 0; i < city->block_count; i++) city->blocks[i].folded = false;
  city->replan = true;
}

void city_destroy(struct city *city)
{
  struct city_name *names = city->names;
  HASH_CLEAR(hh, names);
  for (struct city_name *name = city->last_name, *before; name != NULL; name = before) {
    before = name->before;
    free(name);
  }
  free(city->buildings);
  free(city->blocks);
  free(city->street);
  free(city->frames);
  free(city->wall_ns);
  for (int way = 0; way < CITY_WAYS; way++) free(city->climbs[way]);
  free(city->risen);
  free(city->pulses);
  free(city->touched);
  free(city->cells);
  free(city->from);
  memset(city, 0, sizeof *city);
}
