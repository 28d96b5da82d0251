/* SPDX-License-Identifier: MIT */
/* Decides which names get a series of their own. */
#include "metrics_top.h"

#include "tui/text/text.h"
#include <assert.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(element) ((element)->lost = true)
#include <uthash.h>

struct metrics_entry {
  struct metrics_item item; /* the first member: metrics_top_next() relies on it */
  uint64_t *before;         /* told at the last look */
  double lately;
  bool shown;
  bool lost; /* uthash ran out of memory */
  UT_hash_handle hh;
  size_t key_bytes;
  char *key; /* both names with their ends; behind the entry, as the arrays of figures */
};

/* Weight of the previous updates against new figures. Names are compared by nanoseconds, or by counts where
   there are none. */
static const double top_memory = 0.8;

static void top_begin_item(const struct metrics_top *top, struct metrics_item *item)
{
  for (int i = 0; i < top->figures; i++) item->figures[i].pending = 0;
  item->open = (struct metrics_open){ 0 };
}

void metrics_top_begin(struct metrics_top *top)
{
  assert(top->figures <= METRICS_FIGURES_MAX);
  top->rest.figures = top->rest_figures;
  for (struct metrics_entry *entry = top->entries; entry; entry = entry->hh.next) top_begin_item(top, &entry->item);
  top_begin_item(top, &top->rest);
}

static struct metrics_entry *top_new(struct metrics_top *top, const char *key, size_t key_bytes)
{
  size_t figures = (size_t)top->figures;
  size_t figures_bytes = figures * (sizeof(struct metrics_figure) + 2 * sizeof(uint64_t));
  static_assert(sizeof(struct metrics_entry) % alignof(struct metrics_figure) == 0, "figures stand behind it");
  struct metrics_entry *entry = calloc(1, sizeof *entry + figures_bytes + key_bytes);
  if (!entry) return NULL;
  entry->item.figures = (struct metrics_figure *)(void *)(entry + 1);
  entry->item.from = (uint64_t *)(void *)(entry->item.figures + figures);
  entry->before = entry->item.from + figures;
  entry->key = (char *)(entry->before + figures);
  memcpy(entry->key, key, key_bytes);
  entry->key_bytes = key_bytes;
  entry->item.first = entry->key;
  entry->item.second = entry->key + strlen(entry->key) + 1;
  HASH_ADD_KEYPTR(hh, top->entries, entry->key, entry->key_bytes, entry);
  if (!entry->lost) return entry;
  free(entry);
  return NULL;
}

/* Copies a sanitised name with its terminator. */
static size_t top_copy(char *out, const char *name)
{
  size_t bytes = strlen(name);
  if (bytes >= METRICS_TEXT_BYTES) return rtop_text_sanitize(out, METRICS_TEXT_BYTES, name, bytes) + 1;
  memcpy(out, name, bytes + 1);
  return bytes + 1;
}

/* NULL: it is one of the others. */
static struct metrics_entry *top_find(struct metrics_top *top, const char *first, const char *second)
{
  char key[2 * METRICS_TEXT_BYTES];
  struct metrics_entry *entry;
  size_t bytes = top_copy(key, first);
  bytes += top_copy(key + bytes, second);
  if (strcmp(key, METRICS_OTHER) == 0 && bytes == sizeof METRICS_OTHER + 1) return NULL;
  HASH_FIND(hh, top->entries, key, bytes, entry);
  if (entry || HASH_COUNT(top->entries) >= 2 * METRICS_NAMES_MAX) return entry;
  return top_new(top, key, bytes);
}

struct metrics_item *metrics_top_item(struct metrics_top *top, const char *first, const char *second)
{
  struct metrics_entry *entry = top_find(top, first, second);
  return entry ? &entry->item : &top->rest;
}

void metrics_top_add(struct metrics_top *top, const char *first, const char *second, int figure, uint64_t settled,
                     uint64_t pending)
{
  struct metrics_figure *to = &metrics_top_item(top, first, second)->figures[figure];
  to->settled += settled;
  to->pending += pending;
}

static int top_by_lately(const void *left, const void *right)
{
  const struct metrics_entry *a = *(struct metrics_entry *const *)left, *b = *(struct metrics_entry *const *)right;
  if (a->lately != b->lately) return a->lately > b->lately ? -1 : 1;
  if (a->key_bytes != b->key_bytes) return a->key_bytes < b->key_bytes ? -1 : 1;
  return memcmp(a->key, b->key, a->key_bytes);
}

/* Forgets an entry. Its pending figures are counted again at the next update, under any name. */
static void top_forget(struct metrics_top *top, struct metrics_entry *entry)
{
  for (int i = 0; i < top->figures; i++) top->rest.figures[i].settled += entry->item.figures[i].settled;
  HASH_DEL(top->entries, entry);
  free(entry);
}

static void top_tell(struct metrics_top *top)
{
  for (int i = 0; i < top->figures; i++) metrics_figure_tell(&top->rest.figures[i]);
  for (struct metrics_entry *entry = top->entries; entry; entry = entry->hh.next) {
    entry->lately *= top_memory;
    for (int i = 0; i < top->figures; i++) {
      metrics_figure_tell(&entry->item.figures[i]);
      if (i < top->ranked) entry->lately += (double)(entry->item.figures[i].told - entry->before[i]);
    }
  }
}

static void top_tell_open(struct metrics_top *top, const struct metrics_open *open)
{
  top->other_open.count += open->count;
  if (open->oldest_ns > top->other_open.oldest_ns) top->other_open.oldest_ns = open->oldest_ns;
}

/* Updates "other", which includes the figures that names had before they got a series. */
static void top_tell_other(struct metrics_top *top)
{
  uint64_t other[METRICS_FIGURES_MAX];
  top->other_open = top->rest.open;
  for (int i = 0; i < top->figures; i++) other[i] = top->rest.figures[i].told;
  for (struct metrics_entry *entry = top->entries; entry; entry = entry->hh.next) {
    if (!entry->shown) top_tell_open(top, &entry->item.open);
    for (int i = 0; i < top->figures; i++) {
      uint64_t told = entry->item.figures[i].told;
      other[i] += entry->shown ? entry->item.from[i] : told;
      entry->before[i] = told;
    }
  }
  for (int i = 0; i < top->figures; i++)
    if (other[i] > top->other[i]) top->other[i] = other[i];
}

static void top_show(struct metrics_top *top, struct metrics_entry *entry)
{
  if (entry->shown || entry->lately <= 0 || top->shown >= METRICS_PLACES * top->size) return;
  entry->shown = true;
  top->shown++;
  for (int i = 0; i < top->figures; i++) entry->item.from[i] = entry->before[i];
}

static void top_rank(struct metrics_top *top, struct metrics_entry **order, size_t count)
{
  qsort(order, count, sizeof(struct metrics_entry *), top_by_lately);
  for (size_t i = 0; i < count && i < top->size; i++) top_show(top, order[i]);
}

static void top_forget_least(struct metrics_top *top, struct metrics_entry **order, size_t count)
{
  for (size_t i = count; i-- > METRICS_NAMES_MAX;)
    if (!order[i]->shown) top_forget(top, order[i]);
}

void metrics_top_end(struct metrics_top *top)
{
  size_t count = 0;
  struct metrics_entry **order = calloc((size_t)HASH_COUNT(top->entries) + 1, sizeof(struct metrics_entry *));
  top_tell(top);
  for (struct metrics_entry *entry = top->entries; entry && order; entry = entry->hh.next) order[count++] = entry;
  if (order) top_rank(top, order, count);
  top_tell_other(top);
  top_forget_least(top, order, count);
  free(order);
}

const struct metrics_item *metrics_top_next(const struct metrics_top *top, const struct metrics_item *item)
{
  const struct metrics_entry *entry = (const struct metrics_entry *)(const void *)item;
  entry = entry ? entry->hh.next : top->entries;
  while (entry && !entry->shown) entry = entry->hh.next;
  return entry ? &entry->item : NULL;
}

void metrics_top_destroy(struct metrics_top *top)
{
  struct metrics_entry *entry = top->entries;
  HASH_CLEAR(hh, top->entries);
  while (entry) { /* entries of the former hash table are still a linked list */
    struct metrics_entry *next = entry->hh.next;
    free(entry);
    entry = next;
  }
  *top = (struct metrics_top){ 0 };
}
