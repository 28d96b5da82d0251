/* SPDX-License-Identifier: MIT */
/* Windows' lists of fibers, as rows. */
#include "fiber_table.h"

#include "shm/base/format.h"
#include "shm/base/origin.h"
#include "tui/history/profile_lists.h"
#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

enum { KNOWN_CODES = 64 };

struct fiber_walk {
  struct fiber_table *table;
  const struct rtop_symbols *symbols;
  const struct rtop_sum *sum;
  const struct rtop_fibers_look *look;
  struct fiber_code {
    uint32_t node, code;
  } known[KNOWN_CODES]; /* cache by node modulo its size, since the same nodes occur in every window */
  bool failed;
};

static const struct rtop_symbol *frame_at(const struct rtop_symbols *symbols, uint32_t node)
{
  return rtop_symbols_get(symbols, rtop_symbols_get_node(symbols, node)->frame);
}

static uint32_t caller_of(const struct rtop_symbols *symbols, uint32_t node)
{
  uint32_t parent = rtop_symbols_get_node(symbols, node)->parent;
  return parent < node ? parent : 0;
}

static bool same_gem(const struct rtop_gem_name *gem, const char *path)
{
  struct rtop_gem_name other = { 0 };
  rtop_origin_of_path(path, strlen(path), &other);
  return other.bytes == gem->bytes && memcmp(other.text, gem->text, gem->bytes) == 0;
}

/* Returns the outermost Ruby frame that is not in this gem; 0: none. */
static uint32_t outermost(const struct rtop_symbols *symbols, uint32_t node, const struct rtop_gem_name *but)
{
  uint32_t found = 0;
  for (; node != 0; node = caller_of(symbols, node)) {
    const struct rtop_symbol *symbol = frame_at(symbols, node);
    if (rtop_symbol_is_program(symbol) && !(but && same_gem(but, symbol->path)))
      found = rtop_symbols_get_node(symbols, node)->frame;
  }
  return found;
}

/* Returns the frame that identifies a fiber's code; if there is none, the innermost frame (for stacks that
   found no room). */
static uint32_t code_of(const struct rtop_symbols *symbols, uint32_t node)
{
  struct rtop_gem_name gem = { 0 };
  uint32_t first = node ? outermost(symbols, node, NULL) : 0;
  if (!node) return 0;
  if (!first) return rtop_symbols_get_node(symbols, node)->frame;
  const char *path = rtop_symbols_get(symbols, first)->path;
  rtop_origin_of_path(path, strlen(path), &gem);
  uint32_t code = gem.bytes ? outermost(symbols, node, &gem) : 0;
  return code ? code : first;
}

static uint32_t known_code_of(struct fiber_walk *walk, uint32_t node)
{
  struct fiber_code *known = &walk->known[node % KNOWN_CODES];
  if (known->node != node) *known = (struct fiber_code){ node, code_of(walk->symbols, node) };
  return known->code;
}

/* Returns the frame of a fiber's name; 0 if the node is not one that the process uses for names. */
static uint32_t name_of(const struct rtop_symbols *symbols, uint32_t node)
{
  const struct rtop_symbol *symbol = frame_at(symbols, node);
  bool is_name = symbol->kind == RTOP_SYMBOL_SPECIAL && strcmp(symbol->namespace_label, RTOP_FIBERS_NAMESPACE) == 0;
  return is_name ? rtop_symbols_get_node(symbols, node)->frame : 0;
}

/* Returns the thread's row; NULL when the sum lacks the thread or hides it. */
static const struct rtop_thread_row *thread_of(const struct rtop_sum *sum, uint32_t source, uint64_t serial)
{
  for (size_t i = 0; i < sum->thread_count; i++)
    if (sum->threads[i].serial == serial && sum->threads[i].source == source)
      return sum->threads[i].hidden ? NULL : &sum->threads[i];
  return NULL;
}

static struct fiber_row *row_of(struct fiber_walk *walk, const struct rtop_fibers_wait *fibers)
{
  struct fiber_table *table = walk->table;
  uint32_t source = walk->look->source, name = name_of(walk->symbols, fibers->name);
  uint32_t kind = name ? name : known_code_of(walk, fibers->node);
  for (size_t i = 0; i < table->count; i++) {
    struct fiber_row *row = &table->rows[i];
    if (row->kind == kind && row->serial == fibers->serial && row->source == source) return row;
  }
  const struct rtop_thread_row *thread = thread_of(walk->sum, source, fibers->serial);
  if (!thread) return NULL;
  walk->failed = !rtop_reserve(&table->rows, &table->capacity, table->count + 1, sizeof *table->rows) || walk->failed;
  if (walk->failed) return NULL;
  struct fiber_row *row = &table->rows[table->count++];
  *row = (struct fiber_row){
    .source = source, .serial = fibers->serial, .thread = thread->name, .kind = kind, .named = name != 0
  };
  return row;
}

static void take_fibers(struct fiber_walk *walk, const struct rtop_fibers_wait *fibers)
{
  struct fiber_row *row = row_of(walk, fibers);
  uint64_t wait_ns = rtop_fibers_share(walk->look, fibers->wait_ns);
  if (!row) return;
  row->alive += fibers->alive;
  row->waiting += fibers->waiting;
  row->wait_ns += wait_ns;
  if (row->longest_ns < fibers->longest_ns) row->longest_ns = fibers->longest_ns;
  if (row->node_ns <= wait_ns) {
    row->node = fibers->node;
    row->node_ns = wait_ns;
  }
}

/* Adds a window. Counts are taken from the last window of a process. */
static void take_window(void *context, const struct rtop_fibers_look *look)
{
  struct fiber_walk *walk = context;
  walk->look = look;
  for (size_t i = 0; i < walk->table->count; i++)
    if (walk->table->rows[i].source == look->source) walk->table->rows[i].alive = walk->table->rows[i].waiting = 0;
  for (size_t i = 0; i < look->count; i++) take_fibers(walk, &look->all[i]);
}

static int compare_rows(const void *left, const void *right)
{
  const struct fiber_row *a = left, *b = right;
  if (a->source != b->source) return a->source < b->source ? -1 : 1;
  if (a->serial != b->serial) return a->serial < b->serial ? -1 : 1;
  if (a->wait_ns != b->wait_ns) return a->wait_ns < b->wait_ns ? 1 : -1;
  return (a->kind > b->kind) - (a->kind < b->kind);
}

static void share_out(struct fiber_table *table)
{
  for (size_t from = 0, to; from < table->count; from = to) {
    uint64_t all_ns = 0;
    for (to = from; to < table->count && table->rows[to].serial == table->rows[from].serial &&
                    table->rows[to].source == table->rows[from].source;
         to++)
      all_ns += table->rows[to].wait_ns;
    for (size_t i = from; i < to && all_ns; i++) table->rows[i].share = (double)table->rows[i].wait_ns / (double)all_ns;
  }
}

bool fiber_table_build(struct fiber_table *table, struct rtop_profile *profile, const struct rtop_sum *sum)
{
  struct fiber_walk walk = { .table = table, .symbols = rtop_profile_symbols(profile), .sum = sum };
  table->count = 0;
  rtop_profile_each_fibers(profile, sum->span, take_window, &walk);
  if (table->count > 1) qsort(table->rows, table->count, sizeof *table->rows, compare_rows);
  share_out(table);
  return !walk.failed;
}

size_t fiber_table_of(const struct fiber_table *table, uint32_t source, uint64_t serial, size_t *from)
{
  size_t count = 0;
  for (size_t i = 0; i < table->count; i++) {
    if (table->rows[i].source != source || table->rows[i].serial != serial) continue;
    if (count++ == 0) *from = i;
  }
  return count;
}

const char *fiber_row_name(const struct fiber_row *row, const struct rtop_symbols *symbols)
{
  return row->kind ? rtop_symbols_get(symbols, row->kind)->label : "(not known)";
}

const char *fiber_row_wait(const struct fiber_row *row, const struct rtop_symbols *symbols)
{
  return row->node ? frame_at(symbols, row->node)->label : "";
}

void fiber_table_destroy(struct fiber_table *table)
{
  free(table->rows);
  *table = (struct fiber_table){ 0 };
}
