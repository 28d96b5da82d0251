/* SPDX-License-Identifier: MIT */
/* Puts exceptions of windows into a list. */
#include "raised_list.h"

#include "shm/base/format.h"
#include "tui/history/profile_lists.h"
#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

/* maximum number of frames of a place: the function that the program called, and the calls below it */
enum { RAISED_PLACE_DEPTH = 16 };

struct raised_walk {
  struct raised_list *list;
  const struct rtop_symbols *symbols;
  struct rtop_lens *lens;
};

static bool raised_is_plain(const struct rtop_symbol *symbol)
{
  return strcmp(symbol->label, "Kernel#raise") == 0 || strcmp(symbol->label, "Kernel#fail") == 0;
}

struct raised_place raised_place_of(const struct rtop_symbols *symbols, const struct rtop_raised_count *raised)
{
  const struct rtop_call_node *name = rtop_symbols_get_node(symbols, raised->name);
  const struct rtop_call_node *leaf = rtop_symbols_get_node(symbols, raised->node), *node = leaf;
  const struct rtop_symbol *class = rtop_symbols_get(symbols, name->frame);
  struct raised_place place = { .node = raised->node };
  if (raised->name && class->kind == RTOP_SYMBOL_SPECIAL && strcmp(class->namespace_label, RTOP_RAISED_NAMESPACE) == 0)
    place.class_frame = name->frame;
  uint32_t at = raised->node;
  for (int i = 0; at && !rtop_symbol_is_program(rtop_symbols_get(symbols, node->frame)); i++) {
    at = node->parent < at && i < RAISED_PLACE_DEPTH ? node->parent : 0;
    node = rtop_symbols_get_node(symbols, at);
  }
  bool called = node != leaf && !raised_is_plain(rtop_symbols_get(symbols, leaf->frame));
  if (at) {
    place.node = at;
    place.frame = node->frame;
    place.line = node->line;
  }
  if (called && rtop_symbols_get(symbols, leaf->frame)->kind != RTOP_SYMBOL_SPECIAL) place.called = leaf->frame;
  return place;
}

const char *raised_class(const struct rtop_symbols *symbols, const struct raised_place *place)
{
  return place->class_frame ? rtop_symbols_get(symbols, place->class_frame)->label : "(others)";
}

static int raised_compare_place(const void *left, const void *right)
{
  const struct raised_row *a = left, *b = right;
  const uint32_t left_keys[] = { a->place.class_frame, a->place.frame, a->place.line, a->place.called, a->shown };
  const uint32_t right_keys[] = { b->place.class_frame, b->place.frame, b->place.line, b->place.called, b->shown };
  for (size_t i = 0; i < sizeof left_keys / sizeof left_keys[0]; i++)
    if (left_keys[i] != right_keys[i]) return left_keys[i] < right_keys[i] ? -1 : 1;
  return 0;
}

static int raised_compare_count(const void *left, const void *right)
{
  const struct raised_row *a = left, *b = right;
  if (a->count != b->count) return a->count > b->count ? -1 : 1;
  return raised_compare_place(left, right);
}

static void raised_visit(void *context, uint32_t source, const struct rtop_raised_count *raised)
{
  struct raised_walk *walk = context;
  struct raised_list *list = walk->list;
  if (!rtop_reserve(&list->rows, &list->capacity, list->count + 1, sizeof *list->rows)) {
    list->failed = true;
    return;
  }
  struct raised_place place = raised_place_of(walk->symbols, raised);
  uint32_t shown = rtop_lens_node(walk->lens, source, place.node);
  list->rows[list->count++] = (struct raised_row){
    .place = place,
    .shown = shown == RTOP_LENS_OUT ? 0 : rtop_symbols_get_node(walk->symbols, shown)->frame,
    .count = raised->count,
    .first_ns = raised->first_ns,
    .last_ns = raised->last_ns,
  };
}

/* Rows of one place become one. */
static void raised_join(struct raised_list *list)
{
  size_t kept = 0;
  if (list->count) qsort(list->rows, list->count, sizeof *list->rows, raised_compare_place);
  for (size_t i = 0; i < list->count; i++) {
    const struct raised_row row = list->rows[i];
    struct raised_row *last = kept ? &list->rows[kept - 1] : NULL;
    list->all += row.count;
    if (!last || raised_compare_place(last, &row) != 0) {
      list->rows[kept++] = row;
      continue;
    }
    last->count += row.count;
    if (row.first_ns < last->first_ns) last->first_ns = row.first_ns;
    if (row.last_ns > last->last_ns) last->last_ns = row.last_ns;
  }
  list->count = kept;
}

bool raised_list_build(struct raised_list *list, const struct rtop_profile *profile, struct rtop_span span)
{
  struct raised_walk walk = { list, rtop_profile_symbols((struct rtop_profile *)profile), rtop_profile_lens(profile) };
  list->count = 0;
  list->all = list->rest = 0;
  list->failed = false;
  rtop_profile_each_raised(profile, span, raised_visit, &walk);
  raised_join(list);
  if (list->count) qsort(list->rows, list->count, sizeof *list->rows, raised_compare_count);
  for (; list->count > RAISED_LIST_MAX; list->count--) list->rest += list->rows[list->count - 1].count;
  return !list->failed;
}

void raised_list_destroy(struct raised_list *list)
{
  free(list->rows);
  *list = (struct raised_list){ 0 };
}
