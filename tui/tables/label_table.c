/* SPDX-License-Identifier: MIT */
/* Sets of labels, taken apart into rows. */
#include "label_table.h"

#include "shm/base/latency.h"
#include "tui/history/lens.h"
#include "tui/history/profile_lists.h"
#include "tui/text/fnv.h"
#include "tui/text/regexp.h"
#include "tui/text/reserve.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(element) ((element)->lost = true)
#include <uthash.h>

struct label_entry {
  struct label_row row;
  bool lost; /* uthash ran out of memory */
  UT_hash_handle hh;
};

struct label_walk {
  struct label_table *table;
  const struct rtop_symbols *symbols;
  struct rtop_lens *lens;
  const struct label_table_options *options;
  bool failed;
};

static struct label_row *row_of(struct label_walk *walk, const struct rtop_label_buffer *label)
{
  struct label_entry *entry;
  char name[sizeof entry->row.name];
  int bytes = snprintf(name, sizeof name, "%s=%s", label->key, label->value);
  HASH_FIND(hh, walk->table->index, name, (size_t)bytes, entry);
  if (entry) return &entry->row;
  entry = calloc(1, sizeof *entry);
  if (entry) {
    memcpy(entry->row.name, name, (size_t)bytes + 1);
    entry->row.key_bytes = strlen(label->key);
    entry->row.id = rtop_fnv(RTOP_FNV_START, name, (size_t)bytes);
    HASH_ADD(hh, walk->table->index, row.name, (size_t)bytes, entry);
    if (!entry->lost) return &entry->row;
    free(entry);
  }
  walk->failed = true;
  return NULL;
}

static void note_key(struct label_table *table, const char *key, uint64_t ns)
{
  int at = 0;
  while (at < table->key_count && strcmp(table->keys[at].name, key) < 0) at++;
  if (at == table->key_count || strcmp(table->keys[at].name, key) != 0) {
    if (table->key_count == LABEL_KEYS_MAX) return;
    memmove(&table->keys[at + 1], &table->keys[at], (size_t)(table->key_count - at) * sizeof *table->keys);
    table->keys[at] = (struct label_table_key){ 0 };
    memcpy(table->keys[at].name, key, strlen(key) + 1);
    table->key_count++;
  }
  table->keys[at].ns += ns;
}

/* Returns the text of the label set that a node represents; NULL if the node is not a label set. */
static const char *set_of(const struct label_walk *walk, uint32_t node)
{
  const struct rtop_symbol *symbol = rtop_symbols_get(walk->symbols, rtop_symbols_get_node(walk->symbols, node)->frame);
  return rtop_symbol_is_labels(symbol) ? symbol->label : NULL;
}

static bool wanted(const struct label_walk *walk, const struct rtop_label_buffer *label)
{
  return !walk->options->key || strcmp(walk->options->key, label->key) == 0;
}

static void take_cell(struct label_walk *walk, const struct rtop_sum_cell *cell)
{
  const char *set = set_of(walk, cell->node);
  struct rtop_label_buffer label;
  bool any = false;
  for (size_t at = 0; set && rtop_label_text_next(set, strlen(set), &at, &label);) {
    note_key(walk->table, label.key, rtop_cost_wall(&cell->cost));
    struct label_row *row = wanted(walk, &label) ? row_of(walk, &label) : NULL;
    if (row) rtop_cost_add(&row->cost, &cell->cost);
    any = any || row;
  }
  if (!any) rtop_cost_add(&walk->table->rest, &cell->cost);
}

static void take_begun(void *context, uint32_t source, const struct rtop_begun_count *begun)
{
  struct label_walk *walk = context;
  const char *set = set_of(walk, begun->node);
  struct rtop_label_buffer label;
  uint32_t place = 0;
  if (walk->options->only_source && source + 1 != walk->options->only_source) return;
  for (size_t at = 0; set && rtop_label_text_next(set, strlen(set), &at, &label); place++) {
    if (place != begun->label) continue;
    note_key(walk->table, label.key, 0);
    struct label_row *row = wanted(walk, &label) ? row_of(walk, &label) : NULL;
    if (row) row->count += begun->count;
    return;
  }
}

/* Figures of one label are adjacent. */
struct work_walk {
  struct label_walk *walk;
  uint32_t node, label;
  struct label_row *row;
};

static struct label_row *work_row(struct work_walk *work, uint32_t source, uint32_t node, uint32_t label)
{
  struct label_walk *walk = work->walk;
  const char *set = set_of(walk, node);
  struct rtop_label_buffer text;
  size_t at = 0;
  bool left_out = rtop_lens_node(walk->lens, source, node) == RTOP_LENS_OUT;
  for (uint32_t place = 0; set && !left_out && rtop_label_text_next(set, strlen(set), &at, &text); place++)
    if (place == label) {
      note_key(walk->table, text.key, 0);
      return wanted(walk, &text) ? row_of(walk, &text) : NULL;
    }
  return NULL;
}

static void take_work(void *context, uint32_t source, const struct rtop_exact_number *number)
{
  struct work_walk *work = context;
  struct label_walk *walk = work->walk;
  uint32_t label = rtop_work_key_label(number->key);
  if (!work_is(number->what) || walk->failed) return;
  if (walk->options->only_source && source + 1 != walk->options->only_source) return;
  if (number->node != work->node || label != work->label) {
    work->row = work_row(work, source, number->node, label);
    work->node = number->node;
    work->label = label;
  }
  if (!work->row) return;
  if (!work->row->work) work->row->work = calloc(1, sizeof *work->row->work);
  if (!work->row->work || !work_numbers_add(&walk->table->numbers, work->row->work, source, number))
    walk->failed = true;
  walk->table->worked = true;
}

/* ---- slow blocks ---------------------------------------------------------------------------------------- */

/* A block in the list of a row; one block may be in several lists. */
struct label_block {
  struct label_row *row;
  uint32_t block; /* in the list */
};

static bool link_block(struct label_walk *walk, struct label_row *row, uint32_t block)
{
  struct label_table *table = walk->table;
  if (!rtop_reserve(&table->links, &table->link_capacity, table->link_count + 1, sizeof *table->links)) return false;
  table->links[table->link_count++] = (struct label_block){ row, block };
  return true;
}

static bool link_rows(struct label_walk *walk, uint32_t block)
{
  const struct slow_row *slow = &walk->table->blocks.rows[block];
  const char *set = set_of(walk, slow->call.node);
  struct rtop_label_buffer label;
  uint32_t place = 0;
  for (size_t at = 0; set && rtop_label_text_next(set, strlen(set), &at, &label); place++) {
    bool own = place < 32 && slow->call.own >> place & 1;
    struct label_row *row = own && wanted(walk, &label) ? row_of(walk, &label) : NULL;
    if (row && !link_block(walk, row, block)) return false;
  }
  return true;
}

static int by_address(const struct label_block *a, const struct label_block *b)
{
  return (a->row > b->row) - (a->row < b->row);
}

static int by_length(const void *left, const void *right, void *blocks)
{
  const struct label_block *a = left, *b = right;
  const struct slow_row *rows = blocks;
  uint64_t x = rows[a->block].call.total_ns, y = rows[b->block].call.total_ns;
  if (a->row != b->row) return by_address(a, b);
  return x != y ? (x > y ? -1 : 1) : (a->block < b->block) - (a->block > b->block);
}

static int by_time(const void *left, const void *right)
{
  const struct label_block *a = left, *b = right;
  if (a->row != b->row) return by_address(a, b);
  return (a->block > b->block) - (a->block < b->block);
}

/* Removes blocks that belong to no row from the list. */
static void leave_linked(struct label_table *table)
{
  struct slow_list *blocks = &table->blocks;
  uint32_t kept = 0, *place = calloc(blocks->count, sizeof *place);
  if (!place) return; /* then they stay */
  for (size_t i = 0; i < table->link_count; i++) place[table->links[i].block] = 1;
  for (size_t i = 0; i < blocks->count; i++) {
    if (!place[i]) continue;
    blocks->rows[kept] = blocks->rows[i];
    place[i] = kept++;
  }
  for (size_t i = 0; i < table->link_count; i++) table->links[i].block = place[table->links[i].block];
  blocks->count = kept;
  free(place);
}

/* Keeps the slowest few blocks of each row, when no threshold is set. */
static void leave_few(struct label_table *table)
{
  size_t kept = 0, of_row = 0;
  qsort_r(table->links, table->link_count, sizeof *table->links, by_length, table->blocks.rows);
  for (size_t i = 0; i < table->link_count; i++) {
    of_row = i && table->links[i].row == table->links[i - 1].row ? of_row + 1 : 0;
    if (of_row < LABEL_BLOCKS_FEW) table->links[kept++] = table->links[i];
  }
  table->link_count = kept;
}

static bool add_blocks(struct label_walk *walk, struct rtop_profile *profile, struct rtop_span span)
{
  struct label_table *table = walk->table;
  const struct label_table_options *options = walk->options;
  if (!slow_list_build_blocks(&table->blocks, profile, span, options->slower_ns, options->only_source)) return false;
  for (uint32_t i = 0; i < table->blocks.count; i++)
    if (!link_rows(walk, i)) return false;
  if (table->link_count && !options->slower_ns) leave_few(table);
  leave_linked(table);
  if (!table->link_count) return true;
  qsort(table->links, table->link_count, sizeof *table->links, by_time);
  for (size_t i = 0; i < table->link_count; i++) {
    struct label_row *row = table->links[i].row;
    if (row->block_count++ == 0) row->block = i;
  }
  return true;
}

const struct slow_row *label_row_block(const struct label_table *table, const struct label_row *row, size_t index)
{
  return index < row->block_count ? &table->blocks.rows[table->links[row->block + index].block] : NULL;
}

/* Times are counted in buckets: in the bucket of the limit, the number of blocks above the limit is unknown. */
bool label_row_left_out(const struct label_table *table, const struct label_row *row, uint64_t *count)
{
  uint64_t over = row->work ? row->work->over : 0, told = 0;
  for (size_t i = 0; i < row->block_count; i++) {
    uint64_t ns = label_row_block(table, row, i)->call.total_ns;
    told += rtop_latency_bucket(ns) > rtop_latency_bucket(table->numbers.over_ns);
  }
  *count = over > told ? over - told : 0;
  return !row->work || !row->work->ended || row->work->of[RTOP_WORK_WHOLE].known;
}

void label_row_behind(const struct label_table *table, const struct label_row *row, const struct rtop_symbols *symbols,
                      struct behind_rows *out)
{
  behind_of_label(out, &table->behind, symbols, row->name, row->key_bytes, label_row_value(row));
}

uint64_t label_row_each_ns(const struct label_row *row)
{
  if (row->work && row->work->ended) return work_mean_ns(row->work, RTOP_WORK_WHOLE);
  return row->count ? rtop_cost_wall(&row->cost) / row->count : 0;
}

enum rtop_sort_key label_table_key(enum rtop_sort_key sort)
{
  sort = rtop_sort_key_plain(sort);
  switch (sort) {
  case RTOP_SORT_TOTAL:
  case RTOP_SORT_CPU:
  case RTOP_SORT_WAITING:
  case RTOP_SORT_BLOCKED:
  case RTOP_SORT_GC:
  case RTOP_SORT_ALLOC:
  case RTOP_SORT_SAMPLES:
  case RTOP_SORT_RATIO:
  case RTOP_SORT_NAME: return sort;
  default: return RTOP_SORT_SELF;
  }
}

double label_table_value(const struct label_row *row, enum rtop_sort_key sort, enum rtop_mode mode)
{
  const struct rtop_cost *cost = &row->cost;
  switch (label_table_key(sort)) {
  case RTOP_SORT_NAME: return 0;
  case RTOP_SORT_TOTAL: return (double)rtop_cost_wall(cost);
  case RTOP_SORT_CPU: return (double)cost->cpu_ns;
  case RTOP_SORT_WAITING: return (double)cost->wall_ns[RTOP_STATE_WAITING];
  case RTOP_SORT_BLOCKED: return (double)cost->wall_ns[RTOP_STATE_BLOCKED];
  case RTOP_SORT_GC: return (double)(cost->wall_ns[RTOP_STATE_MARKING] + cost->wall_ns[RTOP_STATE_SWEEPING]);
  case RTOP_SORT_ALLOC: return (double)cost->allocations;
  case RTOP_SORT_SAMPLES: return (double)row->count;
  case RTOP_SORT_RATIO:
    return (double)(row->count || (row->work && row->work->ended) ? label_row_each_ns(row) : rtop_cost_wall(cost));
  default: return (double)rtop_mode_clock(cost, mode);
  }
}

static int compare_rows(const void *left, const void *right, void *context)
{
  const struct label_table_options *options = context;
  const struct label_row *a = *(struct label_row *const *)left, *b = *(struct label_row *const *)right;
  double x = label_table_value(a, options->sort, options->mode), y = label_table_value(b, options->sort, options->mode);
  int order = x != y ? (x < y ? 1 : -1) : strcmp(a->name, b->name);
  return options->reverse ? -order : order;
}

static bool list_rows(struct label_walk *walk)
{
  struct label_table *table = walk->table;
  const struct label_table_options *options = walk->options;
  struct label_entry *entry, *next;
  regex_t filter;
  if (options->filter && rtop_regexp_compile(&filter, options->filter) != 0) return false;
  bool room = rtop_reserve(&table->rows, &table->capacity, HASH_COUNT(table->index) + 1, sizeof(struct label_row *));
  HASH_ITER(hh, table->index, entry, next)
  if (room && (!options->filter || (regexec(&filter, entry->row.name, 0, NULL, 0) == 0) != options->filter_invert))
    table->rows[table->count++] = &entry->row;
  if (options->filter) regfree(&filter);
  if (table->count > 1) qsort_r(table->rows, table->count, sizeof(struct label_row *), compare_rows, (void *)options);
  return room;
}

static void forget_rows(struct label_table *table)
{
  struct label_entry *entry = table->index, *next;
  HASH_CLEAR(hh, table->index); /* the entries stay, in their order */
  for (; entry; entry = next) {
    next = entry->hh.next;
    free(entry->row.work);
    free(entry);
  }
  table->count = 0;
  table->key_count = 0;
  table->worked = false;
  work_numbers_clear(&table->numbers);
  table->rest = (struct rtop_cost){ 0 };
  table->link_count = table->blocks.count = table->behind.count = 0;
}

bool label_table_build(struct label_table *table, struct rtop_profile *profile, const struct rtop_sum *sum,
                       const struct label_table_options *options)
{
  struct label_walk walk = { table, rtop_profile_symbols(profile), rtop_profile_lens(profile), options, false };
  forget_rows(table);
  table->counted = true;
  for (size_t i = 0; i < sum->thread_count; i++) {
    bool other = options->only_source && sum->threads[i].source + 1 != options->only_source;
    table->counted = table->counted && (other || !sum->threads[i].hidden);
  }
  for (size_t i = 0; i < sum->cell_count; i++)
    if (!rtop_sum_hides(sum, &sum->cells[i])) take_cell(&walk, &sum->cells[i]);
  rtop_profile_each_begun(profile, sum->span, take_begun, &walk);
  struct work_walk work = { .walk = &walk, .node = UINT32_MAX };
  if (rtop_profile_has_work(profile)) rtop_profile_each_exact(profile, sum->span, take_work, &work);
  table->numbers.over_ns = options->slower_ns;
  work_numbers_finish(&table->numbers);
  if (rtop_profile_has_work(profile) && !add_blocks(&walk, profile, sum->span)) return false;
  if (table->counted && !behind_list_build(&table->behind, profile, sum->span, options->only_source)) return false;
  return list_rows(&walk) && !walk.failed;
}

bool label_table_of(struct label_table *table, struct rtop_profile *profile, struct rtop_span span)
{
  struct rtop_sum sum = { 0 };
  const struct label_table_options options = { .sort = RTOP_SORT_NAME };
  bool fine = rtop_profile_sum_sets(profile, span, &sum) && label_table_build(table, profile, &sum, &options);
  rtop_sum_destroy(&sum);
  return fine;
}

static int compare_name(const void *name, const void *row)
{
  return strcmp(name, (*(struct label_row *const *)row)->name);
}

const struct label_row *label_table_named(const struct label_table *table, const char *name)
{
  if (table->count == 0) return NULL;
  struct label_row **row = bsearch(name, table->rows, table->count, sizeof(struct label_row *), compare_name);
  return row ? *row : NULL;
}

const struct work_figures *label_row_latency(const struct label_row *row)
{
  const struct work_figures *work = row && row->key_bytes ? row->work : NULL;
  return work && work->ended && work->of[RTOP_WORK_WHOLE].known ? work : NULL;
}

void label_table_destroy(struct label_table *table)
{
  forget_rows(table);
  free(table->rows);
  work_numbers_destroy(&table->numbers);
  slow_list_destroy(&table->blocks);
  behind_list_destroy(&table->behind);
  free(table->links);
  *table = (struct label_table){ 0 };
}
