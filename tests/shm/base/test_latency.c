#include "tests/shm/support.h"

#include "shm/base/latency.h"

static void test_buckets_follow_one_another(void **state)
{
  (void)state;
  uint32_t before = 0;
  for (uint64_t ns = 1; ns <= RTOP_LATENCY_MAX_NS; ns += ns / 500 + 1) {
    uint32_t bucket = rtop_latency_bucket(ns);
    assert_in_range(bucket, before, before + 1);
    before = bucket;
  }
  assert_int_equal(rtop_latency_bucket(RTOP_LATENCY_MAX_NS), RTOP_LATENCY_BUCKETS - 1);
  assert_int_equal(rtop_latency_bucket(UINT64_MAX), RTOP_LATENCY_BUCKETS - 1);
}

static void test_within_a_hundredth(void **state)
{
  (void)state;
  for (uint64_t ns = 0; ns < 128; ns++) assert_int_equal(rtop_latency_ns(rtop_latency_bucket(ns)), ns);
  for (uint64_t ns = 128; ns <= RTOP_LATENCY_MAX_NS; ns += ns / 700 + 1) {
    uint64_t told = rtop_latency_ns(rtop_latency_bucket(ns));
    uint64_t off = told > ns ? told - ns : ns - told;
    assert_in_range(off * 1000, 0, ns * 8);
    assert_int_equal(rtop_latency_bucket(told), rtop_latency_bucket(ns));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_buckets_follow_one_another),
    cmocka_unit_test(test_within_a_hundredth),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
