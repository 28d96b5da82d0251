/* SPDX-License-Identifier: MIT */
/* Processes that can be followed. */
#include "reader_impl.h"
#include "tui/feed/list.h"

#include <stdlib.h>

struct rperf_top_list {
  size_t count;
  struct rperf_top_process processes[RTOP_LIST_MAX];
  struct rtop_list_row rows[RTOP_LIST_MAX]; /* whose strings they point to */
};

struct rperf_top_list *rperf_top_list_read(struct rperf_top_error *error)
{
  struct rperf_top_list *list = calloc(1, sizeof *list);
  if (error) *error = (struct rperf_top_error){ 0 };
  if (!list) {
    reader_refuse(error, RPERF_TOP_ERROR_SYSTEM, "out of memory");
    return NULL;
  }
  list->count = rtop_list_read(list->rows, RTOP_LIST_MAX);
  for (size_t i = 0; i < list->count; i++) {
    const struct rtop_list_row *row = &list->rows[i];
    list->processes[i] = (struct rperf_top_process){
      .pid = row->pid,
      .parent = row->parent,
      .uid = row->uid,
      .state = (uint32_t)row->state,
      .rate_hz = row->rate_hz,
      .threads = row->threads,
      .depth = row->depth,
      .by_exec = row->by_exec,
      .age_ns = row->age_ns,
      .user = row->user,
      .ruby = row->ruby,
      .command = row->command,
      .end = row->end,
      .cores = row->cores,
      .held = row->held,
      .does = row->does,
    };
  }
  return list;
}

size_t rperf_top_list_count(const struct rperf_top_list *list)
{
  return list->count;
}

const struct rperf_top_process *rperf_top_list_get(const struct rperf_top_list *list, size_t index)
{
  return index < list->count ? &list->processes[index] : NULL;
}

void rperf_top_list_free(struct rperf_top_list *list)
{
  free(list);
}
