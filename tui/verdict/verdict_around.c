/* SPDX-License-Identifier: MIT */
/* Finds the calls around the place of a verdict on its stacks: a loop, or a connection pool. */
#include "verdict_around.h"

#include <ctype.h>
#include <string.h>

static const struct rtop_symbol *symbol_at(const struct verdict_stacks *stacks, uint32_t node)
{
  return rtop_symbols_get(stacks->symbols, rtop_symbols_get_node(stacks->symbols, node)->frame);
}

/* 0: there is none. */
static uint32_t parent_of(const struct verdict_stacks *stacks, uint32_t node)
{
  uint32_t parent = rtop_symbols_get_node(stacks->symbols, node)->parent;
  return parent < node ? parent : 0;
}

static bool is_one_of(const char *name, const char *const *list, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(name, list[i]) == 0) return true;
  return false;
}

/* Is it a method of Ruby that calls a block repeatedly, such as Array#each or Integer#times? Kernel#loop does not
 * count, since workers live in one. */
static bool calls_again(const struct rtop_symbol *symbol)
{
  static const char *const classes[] = {
    "Array", "Hash", "Range", "Integer", "Enumerable", "Enumerator", "Enumerator::Lazy", "Struct", "Set", "Dir"
  };
  static const char *const once[] = { "fetch", "dig",    "key?",    "has_key?", "include?", "member?",
                                      "store", "delete", "default", "hash",     "digits",   "freeze" };
  char class[24];
  const char *sharp = strrchr(symbol->label, '#');
  size_t length = sharp ? (size_t)(sharp - symbol->label) : 0;
  if (!rtop_symbol_is_core(symbol) || length == 0 || length >= sizeof class || !isalpha((unsigned char)sharp[1]))
    return false;
  memcpy(class, symbol->label, length);
  class[length] = '\0';
  return is_one_of(class, classes, sizeof classes / sizeof classes[0]) &&
         !is_one_of(sharp + 1, once, sizeof once / sizeof once[0]);
}

uint32_t verdict_loop_of(const struct verdict_stacks *stacks, uint32_t node, uint32_t own)
{
  bool again = false, its_own = false;
  while (node && rtop_symbols_get_node(stacks->symbols, node)->frame != own) node = parent_of(stacks, node);
  while (node && (node = parent_of(stacks, node)) != 0) {
    const struct rtop_symbol *symbol = symbol_at(stacks, node);
    again = again || calls_again(symbol);
    if (!rtop_symbol_is_program(symbol)) continue;
    if (!rtop_lens_is_mine(stacks->lens, symbol)) break;
    uint32_t frame = rtop_symbols_get_node(stacks->symbols, node)->frame;
    if (again && frame != own) return frame;
    its_own = its_own || again;
    again = false;
  }
  return its_own ? own : 0;
}

/* connection_pool, ActiveRecord and Sequel call theirs so. */
static bool is_pool(const struct verdict_stacks *stacks, const struct rtop_symbol *symbol)
{
  return rtop_symbol_is_program(symbol) && strstr(symbol->namespace_label, "ConnectionPool") != NULL &&
         !rtop_lens_is_mine(stacks->lens, symbol);
}

bool verdict_waits_for_pool(const struct verdict_stacks *stacks, uint32_t node, uint32_t own)
{
  for (; node && rtop_symbols_get_node(stacks->symbols, node)->frame != own; node = parent_of(stacks, node))
    if (is_pool(stacks, symbol_at(stacks, node))) return true;
  return false;
}

bool verdict_uses_pool(const struct verdict_stacks *stacks, uint32_t node, uint32_t own)
{
  while (node && rtop_symbols_get_node(stacks->symbols, node)->frame != own) {
    if (is_pool(stacks, symbol_at(stacks, node))) return false;
    node = parent_of(stacks, node);
  }
  for (; node; node = parent_of(stacks, node))
    if (is_pool(stacks, symbol_at(stacks, node))) return true;
  return false;
}
