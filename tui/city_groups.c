#include "city_impl.h"
#include "reserve.h"
#include <string.h>

/* A group is on a stack when any of its methods is: counted once per stack, the largest thread wins. */
struct walk {
  struct city *city;
  const struct rtop_symbols *symbols;
  uint64_t stack;
  uint64_t wall_ns;
  uint32_t touched;                    /* groups with wall_ns > 0, of the thread at hand */
};

static void add(struct walk *walk, uint32_t building)
{
  struct city *city = walk->city;
  if (building != 0 && city->stamp[building - 1] != walk->stack) {
    city->stamp[building - 1] = walk->stack;
    if (city->wall_ns[building - 1] == 0 && walk->wall_ns > 0) {
      city->touched[walk->touched++] = building - 1;
    }
    city->wall_ns[building - 1] += walk->wall_ns;
  }
}

static void add_stack(struct walk *walk, uint32_t node)
{
  struct city *city = walk->city;
  while (node != 0) {
    const struct rtop_call_node *call = rtop_symbols_get_node(walk->symbols, node);
    const struct city_frame *frame = call->frame < city->frame_capacity ? &city->frames[call->frame] : NULL;
    if (frame != NULL && frame->method != 0) {
      add(walk, frame->kind);
      add(walk, frame->package);
    }
    node = call->parent < node ? call->parent : 0;
  }
}

static void end_thread(struct walk *walk)
{
  struct city *city = walk->city;
  for (uint32_t i = 0; i < walk->touched; i++) {
    uint32_t at = city->touched[i];
    uint64_t *most_ns = &city->pulses[at].most_ns;
    *most_ns = city->wall_ns[at] > *most_ns ? city->wall_ns[at] : *most_ns;
    city->wall_ns[at] = 0;
  }
  walk->touched = 0;
}

static bool has_groups(const struct city *city)
{
  for (uint32_t i = 0; i < city->block_count; i++) {
    if (city_level_of(city, &city->blocks[i]) != CITY_METHODS) {
      return true;
    }
  }
  return false;
}

static void forget_groups(struct city *city)
{
  for (uint32_t i = 0; i < city->count; i++) {
    if (city->buildings[i].level != CITY_METHODS) {
      city->pulses[i].most_ns = 0;
    }
  }
}

/* The cells of one thread after those of another: counted, then placed. */
static bool by_thread(struct city *city, const struct rtop_sum *sum)
{
  size_t threads = 0;
  for (size_t i = 0; i < sum->cell_count; i++) {
    threads = sum->cells[i].thread >= threads ? sum->cells[i].thread + (size_t)1 : threads;
  }
  if (!rtop_reserve(&city->cells, &city->cells_capacity, sum->cell_count + 1, sizeof *city->cells)
      || !rtop_reserve(&city->from, &city->from_capacity, threads + 2, sizeof *city->from)) {
    return false;
  }
  memset(city->from, 0, (threads + 2) * sizeof *city->from);
  for (size_t i = 0; i < sum->cell_count; i++) {
    city->from[sum->cells[i].thread + 2]++;
  }
  for (size_t i = 2; i < threads + 2; i++) {
    city->from[i] += city->from[i - 1];
  }
  for (size_t i = 0; i < sum->cell_count; i++) {
    city->cells[city->from[sum->cells[i].thread + 1]++] = (uint32_t)i;
  }
  return true;
}

bool city_groups(struct city *city, const struct rtop_sum *sum, const struct rtop_symbols *symbols)
{
  struct walk walk = { .city = city, .symbols = symbols };
  if (city->groups_known) {
    forget_groups(city);
  }
  city->groups_known = has_groups(city) && sum->length_ns > 0;
  if (!city->groups_known) {
    return true;
  }
  if (!rtop_reserve(&city->wall_ns, &city->wall_capacity, city->count, sizeof *city->wall_ns)
      || !rtop_reserve(&city->stamp, &city->stamp_capacity, city->count, sizeof *city->stamp)
      || !rtop_reserve(&city->touched, &city->touched_capacity, city->count, sizeof *city->touched)) {
    return false;
  }
  memset(city->stamp, 0, city->count * sizeof *city->stamp);
  if (!by_thread(city, sum)) {
    return false;
  }
  for (size_t i = 0; i < sum->cell_count; i++) {
    const struct rtop_sum_cell *cell = &sum->cells[city->cells[i]];
    walk.stack = i + 1;
    walk.wall_ns = rtop_sum_hides(sum, cell) ? 0 : rtop_cost_wall(&cell->cost);
    add_stack(&walk, cell->node);
    if (i + 1 == sum->cell_count || sum->cells[city->cells[i + 1]].thread != cell->thread) {
      end_thread(&walk);
    }
  }
  return true;
}
