/* Quantiles of labelled work: buckets are wide, but the longest piece is known exactly. */
#include "tui/methods/work_figures.h"
#include "shm/base/latency.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static struct work_numbers numbers;

static void add(struct work_figures *figures, uint32_t what, uint32_t bucket, uint64_t value)
{
  struct rtop_exact_number number = { .what = what, .key = rtop_work_key(0, RTOP_WORK_WHOLE, bucket), .value = value };
  assert_true(work_numbers_add(&numbers, figures, 0, &number));
}

/* So many pieces of each length; the last one is the longest. */
static const struct work_time *told(const uint64_t *lengths_ns, const uint64_t *counts, size_t kinds)
{
  static struct work_figures figures;
  figures = (struct work_figures){ 0 };
  work_numbers_clear(&numbers);
  for (size_t i = 0; i < kinds; i++) {
    add(&figures, RTOP_WORK_ENDED, 0, counts[i]);
    add(&figures, RTOP_WORK_LONGEST_NS, 0, lengths_ns[i]);
    add(&figures, RTOP_WORK_TIMES, rtop_latency_bucket(lengths_ns[i]), counts[i]);
  }
  work_numbers_finish(&numbers);
  assert_true(figures.of[RTOP_WORK_WHOLE].known);
  return &figures.of[RTOP_WORK_WHOLE];
}

static void test_one_piece_is_each_of_its_quantiles(void **state)
{
  (void)state;
  for (uint64_t ns = 900; ns < UINT64_C(50000000000); ns = ns * 4 / 3 + 7) {
    const struct work_time *time = told(&ns, (uint64_t[]){ 1 }, 1);
    assert_int_equal(time->p50_ns, ns);
    assert_int_equal(time->p99_ns, ns);
    assert_int_equal(time->longest_ns, ns);
  }
}

/* Of a hundred, one much longer: p99 is that of the others, which lie somewhere in their bucket. */
static void test_the_longest_of_many(void **state)
{
  const uint64_t lengths_ns[] = { 105000000, 733000000 };
  (void)state;
  const struct work_time *time = told(lengths_ns, (uint64_t[]){ 99, 1 }, 2);
  assert_int_equal(time->p99_ns, rtop_latency_ns(rtop_latency_bucket(105000000)));
  time = told(lengths_ns, (uint64_t[]){ 9, 1 }, 2);
  assert_int_equal(time->p90_ns, rtop_latency_ns(rtop_latency_bucket(105000000)));
  assert_int_equal(time->p99_ns, 733000000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_one_piece_is_each_of_its_quantiles),
    cmocka_unit_test(test_the_longest_of_many),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  work_numbers_destroy(&numbers);
  return failed;
}
