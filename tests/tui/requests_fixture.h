/* Tables of labels whose requests took known times. For one test file each: the functions are static. */
#ifndef RTOP_TESTS_REQUESTS_FIXTURE_H
#define RTOP_TESTS_REQUESTS_FIXTURE_H

#include "shm/base/latency.h"
#include "tui/tables/label_table.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

/* So many requests of 10 ms, and so many of `slow_ns`. */
struct requests {
  const char *name;
  uint64_t usual, slow, slow_ns;
};

enum { LABELS_MAX = 4 };

struct made {
  struct label_table table;
  struct label_row rows[LABELS_MAX], *at[LABELS_MAX];
  struct work_figures work[LABELS_MAX];
};

static inline void add(struct made *made, struct work_figures *work, uint32_t what, uint64_t ns, uint64_t value)
{
  struct rtop_exact_number number = { .what = what, .value = value };
  if (what == RTOP_WORK_TIMES) number.key = rtop_work_key(0, RTOP_WORK_WHOLE, rtop_latency_bucket(ns));
  else number.key = rtop_work_key(0, RTOP_WORK_WHOLE, 0);
  assert_true(work_numbers_add(&made->table.numbers, work, 0, &number));
}

static inline void make(struct made *made, const struct requests *requests)
{
  *made = (struct made){ 0 };
  for (size_t i = 0; i < LABELS_MAX && requests[i].name; i++) {
    struct label_row *row = &made->rows[i];
    strcpy(row->name, requests[i].name);
    row->key_bytes = strcspn(row->name, "=");
    row->work = &made->work[i];
    made->at[made->table.count++] = row;
    add(made, row->work, RTOP_WORK_ENDED, 0, requests[i].usual + requests[i].slow);
    add(made, row->work, RTOP_WORK_LONGEST_NS, 0, requests[i].slow ? requests[i].slow_ns : 10000000);
    add(made, row->work, RTOP_WORK_TIME_NS, 0, requests[i].usual * 10000000 + requests[i].slow * requests[i].slow_ns);
    if (requests[i].usual) add(made, row->work, RTOP_WORK_TIMES, 10000000, requests[i].usual);
    if (requests[i].slow) add(made, row->work, RTOP_WORK_TIMES, requests[i].slow_ns, requests[i].slow);
  }
  made->table.rows = made->at;
  work_numbers_finish(&made->table.numbers);
}

#endif
