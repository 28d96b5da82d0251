/* SPDX-License-Identifier: MIT */
/* What the files of a sum share. Private to reader_sum.c and reader_requests.c. */
#ifndef RTOP_TUI_READER_SUM_H
#define RTOP_TUI_READER_SUM_H

#include "reader_impl.h"
#include "tui/methods/methods.h"
#include "tui/tables/label_table.h"
#include "tui/tables/thread_table.h"

struct sum_chunk;
struct rperf_top_sum {
  struct rperf_top_totals totals;
  struct rperf_top_method *methods;
  struct rperf_top_thread *threads;
  struct rperf_top_label *labels;
  struct rperf_top_latency *latencies; /* RPERF_TOP_CAUSES for each label */
  struct rperf_top_request *requests;
  struct rperf_top_behind *behind;
  size_t method_count, thread_count, label_count, request_count, behind_count, behind_capacity;
  bool timed; /* latencies are known */
  struct sum_chunk *chunks;
};

/* One sum that is being made. */
struct sum_work {
  struct rperf_top_reader *reader;
  struct rtop_profile *profile;
  const struct rtop_symbols *symbols;
  struct rperf_top_filter filter;
  struct rtop_methods_options options;
  int source; /* -1: of all */
  struct rtop_sum sum, sets_sum;
  struct rtop_methods methods;
  struct thread_table threads;
  struct label_table labels;
};

/* A copy of the text that lives as long as the sum; NULL: memory ran out. */
const char *sum_text(struct rperf_top_sum *sum, const char *text);

/* reader_requests.c: copies the latency of the label that is copied next, with whom it waits behind; then the slow
   requests. False: memory ran out. */
bool sum_copy_latency(struct rperf_top_sum *to, const struct sum_work *work, const struct label_row *row,
                      struct rperf_top_label *label);
bool sum_copy_requests(struct rperf_top_sum *to, const struct sum_work *work);

#endif
