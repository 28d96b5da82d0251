/* SPDX-License-Identifier: MIT */
/* Collects slow calls from windows into a list. */
#include "slow_list.h"

#include "tui/history/lens.h"
#include "tui/text/reserve.h"
#include <stdio.h>
#include <stdlib.h>

struct slow_walk {
  struct slow_list *list;
  const struct rtop_profile *profile;
  const struct rtop_symbols *symbols;
  /* blocks, not calls: */
  bool blocks;
  struct rtop_lens *lens;
  uint64_t least_ns;
  uint32_t only_source;
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

static int slow_compare_label(const void *left, const void *right)
{
  const struct slow_row *a = left, *b = right;
  if (a->source != b->source) return a->source < b->source ? -1 : 1;
  if (a->call.node != b->call.node) return a->call.node < b->call.node ? -1 : 1;
  if (a->call.own != b->call.own) return a->call.own < b->call.own ? -1 : 1;
  return slow_compare_length(left, right);
}

/* Keeps the slowest few blocks of each label, when no threshold is set: those of rare and quick labels must not give
 * way to those of one that is always slow. */
static void slow_leave_few(struct slow_list *list)
{
  size_t kept = 0, of_label = 0;
  qsort(list->rows, list->count, sizeof *list->rows, slow_compare_label);
  for (size_t i = 0; i < list->count; i++) {
    const struct slow_row *row = &list->rows[i], *last = kept ? &list->rows[kept - 1] : NULL;
    bool same =
        last && last->source == row->source && last->call.node == row->call.node && last->call.own == row->call.own;
    of_label = same ? of_label + 1 : 0;
    if (of_label < SLOW_LIST_FEW) list->rows[kept++] = *row;
  }
  list->count = kept;
}

static void slow_bound(struct slow_list *list, bool few)
{
  if (list->count > SLOW_LIST_MAX && few) slow_leave_few(list);
  if (list->count <= SLOW_LIST_MAX) return;
  qsort(list->rows, list->count, sizeof *list->rows, slow_compare_length);
  list->count = SLOW_LIST_MAX;
}

static bool slow_wanted(const struct slow_walk *walk, uint32_t source, const struct rtop_slow_call *call)
{
  if ((call->own != 0) != walk->blocks) return false;
  if (!walk->blocks) return true;
  return call->total_ns >= walk->least_ns && (!walk->only_source || source + 1 == walk->only_source) &&
         rtop_lens_node(walk->lens, source, call->node) != RTOP_LENS_OUT;
}

static void slow_visit(void *context, uint32_t source, const struct rtop_slow_call *call)
{
  struct slow_walk *walk = context;
  struct slow_list *list = walk->list;
  struct rtop_source_thread thread;
  if (!slow_wanted(walk, source, call)) return;
  if (list->count == 2 * SLOW_LIST_MAX) slow_bound(list, walk->blocks && !walk->least_ns);
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
    .native_id = known ? thread.native_id : 0,
  };
  row->call.args = NULL;
  if (call->args) snprintf(row->args, sizeof row->args, "%s", call->args);
}

static bool slow_build(struct slow_walk *walk, struct rtop_span span)
{
  struct slow_list *list = walk->list;
  list->count = 0;
  list->failed = false;
  rtop_profile_each_slow(walk->profile, span, slow_visit, walk);
  slow_bound(list, walk->blocks && !walk->least_ns);
  if (list->count) qsort(list->rows, list->count, sizeof *list->rows, slow_compare_time);
  return !list->failed;
}

bool slow_list_build(struct slow_list *list, const struct rtop_profile *profile, struct rtop_span span)
{
  struct slow_walk walk = { .list = list,
                            .profile = profile,
                            .symbols = rtop_profile_symbols((struct rtop_profile *)profile) };
  return slow_build(&walk, span);
}

bool slow_list_build_blocks(struct slow_list *list, struct rtop_profile *profile, struct rtop_span span,
                            uint64_t least_ns, uint32_t only_source)
{
  struct slow_walk walk = { .list = list,
                            .profile = profile,
                            .symbols = rtop_profile_symbols(profile),
                            .blocks = true,
                            .lens = rtop_profile_lens(profile),
                            .least_ns = least_ns,
                            .only_source = only_source };
  return slow_build(&walk, span);
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
