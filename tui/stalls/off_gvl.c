/* SPDX-License-Identifier: MIT */
/* Finds the application's method that represents a stack, and judges what a thread does there. */
#include "off_gvl.h"

#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

enum { PAUSE_DEPTH = 3 };

bool off_ways_begin(struct off_ways *ways, struct rtop_lens *lens, const struct rtop_symbols *symbols)
{
  uint32_t reuses = rtop_symbols_reuses(symbols), version = rtop_lens_version(lens);
  if (ways->of && (reuses != ways->reuses || version != ways->version))
    memset(ways->of, 0, ways->capacity * sizeof *ways->of);
  ways->reuses = reuses;
  ways->version = version;
  return rtop_reserve(&ways->of, &ways->capacity, rtop_symbols_node_count(symbols), sizeof *ways->of);
}

bool off_is_fork(const struct rtop_symbol *symbol)
{
  return rtop_symbol_is_core(symbol) && strcmp(rtop_wait_method(symbol->label), "fork") == 0;
}

static bool is_loaded(const struct rtop_symbol *symbol)
{
  return strcmp(symbol->label, "<top (required)>") == 0;
}

static bool is_script(const struct rtop_symbol *symbol)
{
  return is_loaded(symbol) || strcmp(symbol->label, "<main>") == 0;
}

/* Is it a server's or worker's own program? Then a framework calls the application, and the program's own waits are
 * for its next work, whether a gem's command started it or a script, rake task or thread of the application. */
static bool is_server(const struct rtop_symbol *symbol)
{
  static const char *const programs[] = {
    "Puma::CLI#run",
    "Puma::Launcher#run",
    "Unicorn::HttpServer#start",
    "Unicorn::HttpServer#join",
    "Pitchfork::HttpServer#start",
    "Pitchfork::HttpServer#join",
    "Rack::Server#start",
    "Rackup::Server#start",
    "WEBrick::GenericServer#start",
    "Thin::Server#start",
    "Async::Container::Controller#run",
    "Sidekiq::CLI#run",
    "Resque::Worker#work",
    "Delayed::Worker#start",
    "GoodJob::CLI#start",
    "SolidQueue::Supervisor#start",
    "Karafka::Server.run",
    "GRPC::RpcServer#run",
  };
  for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
    if (strcmp(symbol->label, programs[i]) == 0) return true;
  return false;
}

/* Computes the way of a node from the way of its caller. */
static struct off_way ways_step(const struct rtop_lens *lens, const struct rtop_symbol *symbol, uint32_t frame,
                                struct off_way way)
{
  if (off_is_fork(symbol)) way = (struct off_way){ 0 };
  way.known = true;
  if (!rtop_symbol_is_program(symbol)) return way;
  bool mine = rtop_lens_is_mine(lens, symbol);
  if (!mine && ((way.script && is_loaded(symbol)) || is_server(symbol)))
    way.mine = way.mine_outside = way.script = false;
  if (way.depth == 0) way.mine_outside = mine;
  if (mine) way.script = is_script(symbol) && (way.script || !way.mine);
  if (mine || !way.mine) way.own = frame;
  way.mine = way.mine || mine;
  if (way.depth < UINT8_MAX) way.depth++;
  return way;
}

/* Returns the way of a node. Parents have smaller ids; an unknown parent is computed first. */
struct off_way off_ways_get(struct off_ways *ways, const struct rtop_lens *lens, const struct rtop_symbols *symbols,
                            uint32_t node)
{
  enum { STACK_MAX = 512 };
  uint32_t path[STACK_MAX];
  int count = 0;
  struct off_way way = { 0 };
  if (node >= ways->capacity) return way;
  while (node && !ways->of[node].known && count < STACK_MAX) {
    path[count++] = node;
    uint32_t parent = rtop_symbols_get_node(symbols, node)->parent;
    node = parent < node ? parent : 0;
  }
  if (node && ways->of[node].known) way = ways->of[node];
  else if (node) way = off_ways_get(ways, lens, symbols, node);
  while (count-- > 0) {
    uint32_t frame = rtop_symbols_get_node(symbols, path[count])->frame;
    way = ways_step(lens, rtop_symbols_get(symbols, frame), frame, way);
    ways->of[path[count]] = way;
  }
  return way;
}

void off_ways_destroy(struct off_ways *ways)
{
  free(ways->of);
  memset(ways, 0, sizeof *ways);
}

enum off_gvl off_gvl_of(const struct rtop_symbols *symbols, uint32_t node, const struct off_way *way)
{
  const struct rtop_symbol *leaf = rtop_symbols_get(symbols, rtop_symbols_get_node(symbols, node)->frame);
  enum rtop_wait wait = rtop_symbol_wait(leaf);
  if (node == 0 || leaf->kind == RTOP_SYMBOL_SPECIAL) return OFF_UNKNOWN;
  if (wait == RTOP_WAIT_OTHERS) return OFF_OTHERS;
  if (!way->mine) return OFF_LIBRARY;
  if (wait == RTOP_WAIT_EVENT && way->mine_outside) return OFF_EVENT;
  if (wait == RTOP_WAIT_ANY && way->mine_outside && way->depth <= PAUSE_DEPTH) return OFF_PAUSE;
  return rtop_symbol_is_lock(leaf) ? OFF_LOCK : OFF_WORK;
}

uint32_t off_place(const struct rtop_symbols *symbols, uint32_t node, const struct off_way *way)
{
  return way->own ? way->own : rtop_symbols_get_node(symbols, node)->frame;
}
