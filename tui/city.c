#include "city_impl.h"
#include "reserve.h"
#include "text.h"
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(element) ((element)->lost = true)
#include <uthash.h>

struct city_name {
  uint32_t building;
  bool lost;
  struct city_name *before;            /* made before it */
  UT_hash_handle hh;
  char text[];                         /* 'c' or 'p', then the name */
};

enum city_level city_level_of(const struct city *city, const struct city_block *block)
{
  return block->folded ? CITY_PACKAGES : city->level;
}

static struct city_building *add_building(struct city *city, enum city_level level, uint32_t block)
{
  if (!rtop_reserve(&city->buildings, &city->capacity, city->count + 1, sizeof *city->buildings)) {
    return NULL;
  }
  struct city_building *building = &city->buildings[city->count++];
  *building = (struct city_building){ .level = level, .block = block };
  if (level != CITY_PACKAGES) {
    struct city_block *home = &city->blocks[block];
    if (home->last[level] != 0) {
      city->buildings[home->last[level] - 1].next = city->count;
    } else {
      home->first[level] = city->count;
    }
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
  if (name == NULL) {
    return false;
  }
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

/* The first part of a namespace: "ActiveRecord" of "ActiveRecord::Relation"; files without a class are one
 * package, what is no method another. */
static size_t package_key(char *key, size_t bytes, const struct rtop_symbol *symbol)
{
  const char *space = symbol->kind == RTOP_SYMBOL_SPECIAL ? "ruby" : symbol->namespace_label;
  if (space[0] == '\0') {
    space = symbol->label[0] == '(' ? "ruby" : "top";
  }
  const char *end = strstr(space, "::");
  size_t count = end != NULL && end > space ? (size_t)(end - space) : strlen(space);
  key[0] = 'p';
  return 1 + rtop_text_sanitize(key + 1, bytes - 1, space, count);
}

/* Index of the block; UINT32_MAX: memory ran out. */
static uint32_t block_of(struct city *city, const struct rtop_symbol *symbol)
{
  char key[256];
  size_t bytes = package_key(key, sizeof key, symbol);
  struct city_name *known = find_name(city, key, bytes);
  if (known != NULL) {
    return city->buildings[known->building].block;
  }
  if (!rtop_reserve(&city->blocks, &city->block_capacity, city->block_count + 1, sizeof *city->blocks)) {
    return UINT32_MAX;
  }
  uint32_t block = city->block_count;
  if (add_building(city, CITY_PACKAGES, block) == NULL || !add_name(city, key, bytes, city->count - 1)) {
    return UINT32_MAX;
  }
  city->blocks[block] = (struct city_block){
    .name = city->buildings[city->count - 1].name, .package = city->count - 1,
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
  if (known != NULL) {
    return known->building + 1;
  }
  if (add_building(city, CITY_CLASSES, block) == NULL || !add_name(city, key, bytes, city->count - 1)) {
    return 0;
  }
  return city->count;
}

static struct city_building *settle(struct city *city, const struct rtop_symbols *symbols, uint32_t frame)
{
  if (!rtop_reserve(&city->frames, &city->frame_capacity, rtop_symbols_frame_count(symbols),
                    sizeof *city->frames)) {
    return NULL;
  }
  struct city_frame *known = &city->frames[frame];
  if (known->method == 0) {
    const struct rtop_symbol *symbol = rtop_symbols_get(symbols, frame);
    uint32_t block = block_of(city, symbol);
    if (block == UINT32_MAX) {
      return NULL;
    }
    known->kind = class_of(city, symbol, block);
    if (known->kind == 0 || add_building(city, CITY_METHODS, block) == NULL) {
      return NULL;
    }
    known->method = city->count;
    city->buildings[city->count - 1].frame = frame;
  }
  return &city->buildings[known->method - 1];
}

struct city_building *city_of(struct city *city, uint32_t frame)
{
  if (frame >= city->frame_capacity || city->frames[frame].method == 0) {
    return NULL;
  }
  const struct city_frame *known = &city->frames[frame];
  const struct city_block *block = &city->blocks[city->buildings[known->method - 1].block];
  switch (city_level_of(city, block)) {
  case CITY_CLASSES: return &city->buildings[known->kind - 1];
  case CITY_PACKAGES: return &city->buildings[block->package];
  default: return &city->buildings[known->method - 1];
  }
}

/* False: memory ran out. */
static bool see(struct city *city, struct city_building *building, int64_t now_ns, bool first)
{
  if (building->active) {
    return true;
  }
  if (!rtop_reserve(&city->active, &city->active_capacity, city->active_count + 1, sizeof *city->active)) {
    return false;
  }
  city->active[city->active_count++] = (uint32_t)(building - city->buildings);
  /* Refreshes may be far apart: who was there at the last one has not slept. */
  if (!first && building->seen_ns != city->updated_ns && now_ns - building->seen_ns > CITY_ASLEEP_NS) {
    building->woke_ns = now_ns;
  }
  building->active = true;
  building->seen_ns = now_ns;
  return true;
}

static void take_row(struct city_building *building, const struct rtop_method_row *row, double length_ns)
{
  building->ratio = rtop_method_ratio(row->most_ns, (uint64_t)length_ns);
  building->self = (double)row->self_ns / length_ns;
  building->total = (double)row->total_ns / length_ns;
  building->threads = row->threads;
  memcpy(building->wall_ns, row->total.wall_ns, sizeof building->wall_ns);
}

/* Time in the methods themselves adds up; total would count callers and callees of one class twice: it only
 * says which state prevails. */
static void add_to_group(struct city_building *group, const struct city_building *method,
                         const struct rtop_method_row *row)
{
  if (group->frame == 0 || method->self > group->total) {
    group->frame = method->frame;
    group->total = method->self;
  }
  group->self += method->self;
  group->threads = method->threads > group->threads ? method->threads : group->threads;
  for (int state = 0; state < RTOP_STATES; state++) {
    group->wall_ns[state] += row->total.wall_ns[state];
  }
}

static void keep_peak(struct city_building *building)
{
  building->peak = building->self > building->peak ? building->self : building->peak;
  building->high = building->ratio > building->high ? building->ratio : building->high;
}

static void clear_figures(struct city *city)
{
  for (uint32_t i = 0; i < city->active_count; i++) {
    struct city_building *building = &city->buildings[city->active[i]];
    building->active = false;
    building->ratio = building->self = building->total = 0;
    building->threads = 0;
    building->frame = building->level == CITY_METHODS ? building->frame : 0;
    memset(building->wall_ns, 0, sizeof building->wall_ns);
  }
  city->active_count = 0;
}

static bool take(struct city *city, const struct rtop_method_row *row, const struct rtop_symbols *symbols,
                 double length_ns, int64_t now_ns, bool first)
{
  if (settle(city, symbols, row->frame) == NULL) {
    return false;
  }
  const struct city_frame *known = &city->frames[row->frame];
  struct city_building *method = &city->buildings[known->method - 1];
  struct city_building *kind = &city->buildings[known->kind - 1];
  struct city_building *package = &city->buildings[city->blocks[method->block].package];
  take_row(method, row, length_ns);
  add_to_group(kind, method, row);
  add_to_group(package, method, row);
  return see(city, method, now_ns, first) && see(city, kind, now_ns, first)
    && see(city, package, now_ns, first);
}

static int by_rank(const void *left, const void *right, void *context)
{
  const uint32_t *ranks = context;
  uint32_t a = ranks[*(const uint32_t *)left], b = ranks[*(const uint32_t *)right];
  return a < b ? -1 : a > b;
}

/* Where rows stand in no order, those that are new settle in that of their names. */
static bool settle_newcomers(struct city *city, const struct rtop_methods *methods,
                             const struct rtop_symbols *symbols)
{
  uint32_t count = 0;
  bool fine = rtop_reserve(&city->cells, &city->cells_capacity, methods->count + 1, sizeof *city->cells);
  for (size_t i = 0; fine && i < methods->count; i++) {
    uint32_t frame = methods->rows[i].frame;
    if (frame >= city->frame_capacity || city->frames[frame].method == 0) {
      city->cells[count++] = frame;
    }
  }
  if (count > 1) {
    qsort_r(city->cells, count, sizeof *city->cells, by_rank, (void *)(uintptr_t)methods->ranks);
  }
  for (uint32_t i = 0; fine && i < count; i++) {
    fine = settle(city, symbols, city->cells[i]) != NULL;
  }
  return fine;
}

bool city_update(struct city *city, const struct rtop_methods *methods, const struct rtop_sum *sum,
                 const struct rtop_symbols *symbols, int64_t now_ns, int columns)
{
  bool fine = true, first = city->count == 0;
  double length_ns = methods->length_ns > 0 ? (double)methods->length_ns : 1;
  clear_figures(city);
  fine = methods->ranks == NULL || settle_newcomers(city, methods, symbols);
  for (size_t i = 0; i < methods->count; i++) {
    fine = take(city, &methods->rows[i], symbols, length_ns, now_ns, first) && fine;
  }
  city->updated_ns = now_ns;
  fine = city_groups(city, sum, symbols) && fine;
  for (uint32_t i = 0; i < city->active_count; i++) {
    keep_peak(&city->buildings[city->active[i]]);
  }
  if (columns != city->planned_columns) {
    city->replan = true;
    city->planned_columns = columns;
  }
  return city_plan(city, now_ns, columns) && fine;
}

void city_fold(struct city *city, uint32_t block)
{
  city->blocks[block].folded = !city->blocks[block].folded;
  city->replan = true;
}

void city_next_level(struct city *city)
{
  city->level = (enum city_level)((city->level + 1) % CITY_LEVELS);
  for (uint32_t i = 0; i < city->block_count; i++) {
    city->blocks[i].folded = false;
  }
  city->replan = true;
}

enum rtop_state city_state(const struct city_building *building)
{
  int best = RTOP_STATES;
  for (int state = 0; state < RTOP_STATES; state++) {
    if (building->wall_ns[state] > (best < RTOP_STATES ? building->wall_ns[best] : 0)) {
      best = state;
    }
  }
  return (enum rtop_state)best;
}

bool city_awake(const struct city_building *building, int64_t now_ns)
{
  return building->woke_ns > 0 && now_ns - building->woke_ns < CITY_AWAKE_NS;
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
  free(city->stamp);
  free(city->active);
  free(city->touched);
  free(city->cells);
  free(city->from);
  memset(city, 0, sizeof *city);
}
