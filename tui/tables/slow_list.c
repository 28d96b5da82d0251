/* SPDX-License-Identifier: MIT */
/* Collects slow calls from windows into a list. */
#include "slow_list.h"

#include "tui/text/reserve.h"
#include <stdio.h>
#include <stdlib.h>

struct slow_walk {
  struct slow_list *list;
  const struct rtop_profile *profile;
  const struct rtop_symbols *symbols;
};

static int slow_compare_length(const void *left, const void *right)
{
  const struct slow_row *a = left, *b = right;
  if (a->call.total_ns != b->call.total_ns) return a->call.total_ns > b->call.total_ns ? -1 : 1;
  return (a->call.end_ns < b->call.end_ns) - (a->call.end_ns > b->call.end_ns);
}

static int slow_compare_time(const void *left, const void *right)
{
  const struct slow_row *a = left, *b = right;
  if (a->call.end_ns != b->call.end_ns) return a->call.end_ns < b->call.end_ns ? -1 : 1;
  return (a->call.total_ns > b->call.total_ns) - (a->call.total_ns < b->call.total_ns);
}

static void slow_bound(struct slow_list *list)
{
  if (list->count <= SLOW_LIST_MAX) return;
  qsort(list->rows, list->count, sizeof *list->rows, slow_compare_length);
  list->count = SLOW_LIST_MAX;
}

static void slow_visit(void *context, uint32_t source, const struct rtop_slow_call *call)
{
  struct slow_walk *walk = context;
  struct slow_list *list = walk->list;
  struct rtop_source_thread thread;
  if (list->count == 2 * SLOW_LIST_MAX) slow_bound(list);
  if (!rtop_reserve(&list->rows, &list->capacity, list->count + 1, sizeof *list->rows)) {
    list->failed = true;
    return;
  }
  bool known = call->serial && rtop_profile_thread_about(walk->profile, source, call->serial, &thread);
  struct slow_row *row = &list->rows[list->count++];
  *row = (struct slow_row){
    .call = *call,
    .frame = rtop_symbols_get_node(walk->symbols, call->node)->frame,
    .labels = rtop_symbols_get_node(walk->symbols, call->stack)->labels,
    .source = source,
    .thread = known ? thread.name : "",
  };
  row->call.args = NULL;
  if (call->args) snprintf(row->args, sizeof row->args, "%s", call->args);
}

bool slow_list_build(struct slow_list *list, const struct rtop_profile *profile, struct rtop_span span)
{
  struct slow_walk walk = { list, profile, rtop_profile_symbols((struct rtop_profile *)profile) };
  list->count = 0;
  list->failed = false;
  rtop_profile_each_slow(profile, span, slow_visit, &walk);
  slow_bound(list);
  if (list->count) qsort(list->rows, list->count, sizeof *list->rows, slow_compare_time);
  return !list->failed;
}

void slow_list_destroy(struct slow_list *list)
{
  free(list->rows);
  *list = (struct slow_list){ 0 };
}

const struct slow_row *slow_list_next(const struct slow_list *list, uint32_t frame, size_t *at)
{
  for (; *at < list->count; (*at)++)
    if (list->rows[*at].frame == frame) return &list->rows[(*at)++];
  return NULL;
}

size_t slow_list_of(const struct slow_list *list, uint32_t frame)
{
  size_t count = 0;
  for (size_t i = 0; i < list->count; i++) count += list->rows[i].frame == frame;
  return count;
}

size_t slow_list_with_args(const struct slow_list *list, uint32_t frame)
{
  size_t count = 0;
  for (size_t i = 0; i < list->count; i++) count += list->rows[i].frame == frame && list->rows[i].args[0];
  return count;
}
