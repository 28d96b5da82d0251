/* Finds the application's own method that a stack is known by. */
#include "verdict_ways.h"

#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

/* In Ruby, but not Ruby's own. */
static bool ways_is_program(const struct rtop_symbol *symbol)
{
  return symbol->kind == RTOP_SYMBOL_RUBY && strncmp(symbol->path, "<internal:", 10) != 0;
}

bool verdict_ways_begin(struct verdict_ways *ways, struct rtop_profile *profile)
{
  const struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  uint32_t reuses = rtop_symbols_reuses(symbols), version = rtop_lens_version(rtop_profile_lens(profile));
  if (ways->of && (reuses != ways->reuses || version != ways->version))
    memset(ways->of, 0, ways->capacity * sizeof *ways->of);
  ways->reuses = reuses;
  ways->version = version;
  return rtop_reserve(&ways->of, &ways->capacity, rtop_symbols_node_count(symbols), sizeof *ways->of);
}

/* What a call adds to the way of its caller. */
static struct verdict_way ways_step(struct rtop_profile *profile, const struct rtop_symbol *symbol, uint32_t frame,
                                    struct verdict_way way)
{
  way.known = true;
  if (!ways_is_program(symbol)) return way;
  bool mine = rtop_lens_is_mine(rtop_profile_lens(profile), symbol);
  if (way.depth == 0) way.mine_outside = mine;
  if (mine || !way.mine) way.own = frame;
  way.mine = way.mine || mine;
  if (way.depth < UINT8_MAX) way.depth++;
  return way;
}

/* Parents have smaller ids: a parent that is not known is gone to first. */
struct verdict_way verdict_ways_get(struct verdict_ways *ways, struct rtop_profile *profile, uint32_t node)
{
  const struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  enum { STACK_MAX = 512 };
  uint32_t path[STACK_MAX];
  int count = 0;
  struct verdict_way way = { 0 };
  while (node && node < ways->capacity && !ways->of[node].known && count < STACK_MAX) {
    path[count++] = node;
    uint32_t parent = rtop_symbols_get_node(symbols, node)->parent;
    node = parent < node ? parent : 0;
  }
  if (node && node < ways->capacity && ways->of[node].known) way = ways->of[node];
  else if (node) way = verdict_ways_get(ways, profile, node);
  while (count-- > 0) {
    uint32_t frame = rtop_symbols_get_node(symbols, path[count])->frame;
    way = ways_step(profile, rtop_symbols_get(symbols, frame), frame, way);
    ways->of[path[count]] = way;
  }
  return way;
}

void verdict_ways_destroy(struct verdict_ways *ways)
{
  free(ways->of);
  memset(ways, 0, sizeof *ways);
}
