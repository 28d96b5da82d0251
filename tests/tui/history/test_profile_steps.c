/* From window to window: back is the way there, over gaps, over windows of any length, of any source. */
#include "tests/tui/model_fixture.h"

#include <stdlib.h>

static struct rtop_profile *make(void)
{
  struct rtop_profile *profile = rtop_profile_create(64 << 20);
  assert_non_null(profile);
  return profile;
}

static void add(struct rtop_profile *profile, uint32_t source, int64_t start_ms, int64_t end_ms)
{
  struct rtop_window window = { 0 };
  fixture_window(&window, start_ms * MS, end_ms * MS);
  uint32_t thread = fixture_thread(&window, 1, RTOP_RUNNING, 0, 0);
  fixture_cell(&window, thread, 0, RTOP_RUNNING, (uint64_t)((end_ms - start_ms) * MS));
  assert_true(fixture_add(profile, source, &window));
  rtop_window_destroy(&window);
}

static int64_t end_of(struct rtop_span span)
{
  return span.end_ns / MS;
}

static void test_empty(void **state)
{
  (void)state;
  struct rtop_profile *profile = make();
  struct rtop_span span = rtop_profile_window_of(profile, 5);
  assert_true(span.start_ns == span.end_ns);
  span = rtop_profile_step(profile, 5, -3);
  assert_true(span.start_ns == span.end_ns);
  rtop_profile_destroy(&profile);
}

static void test_window_of(void **state)
{
  (void)state;
  struct rtop_profile *profile = make();
  add(profile, 0, 1000, 1100);
  add(profile, 0, 1100, 1200);
  add(profile, 0, 1500, 1600); /* a gap before it */
  assert_int_equal(end_of(rtop_profile_window_of(profile, 1100 * MS)), 1100);
  assert_int_equal(end_of(rtop_profile_window_of(profile, 1100 * MS + 1)), 1200);
  assert_int_equal(end_of(rtop_profile_window_of(profile, 1050 * MS)), 1100);
  assert_int_equal(end_of(rtop_profile_window_of(profile, 1300 * MS)), 1500); /* the gap itself */
  assert_int_equal(rtop_profile_window_of(profile, 1300 * MS).start_ns, 1200 * MS);
  assert_int_equal(end_of(rtop_profile_window_of(profile, 9000 * MS)), 1600);
  assert_int_equal(end_of(rtop_profile_window_of(profile, 5)), 1100);
  rtop_profile_destroy(&profile);
}

static void test_steps(void **state)
{
  (void)state;
  struct rtop_profile *profile = make();
  for (int i = 0; i < 20; i++) add(profile, 0, 1000 + 100 * i, 1100 + 100 * i);
  add(profile, 0, 6000, 6100); /* after a gap */
  add(profile, 0, 6100, 7100); /* merged ones are longer */
  add(profile, 0, 7100, 17100);
  assert_int_equal(end_of(rtop_profile_step(profile, 1500 * MS, 1)), 1600);
  assert_int_equal(end_of(rtop_profile_step(profile, 1500 * MS, -1)), 1400);
  assert_int_equal(end_of(rtop_profile_step(profile, 1500 * MS, 10)), 2500);
  assert_int_equal(end_of(rtop_profile_step(profile, 1500 * MS, -10)), 1100);
  assert_int_equal(end_of(rtop_profile_step(profile, 3000 * MS, 1)), 6100);
  assert_int_equal(end_of(rtop_profile_step(profile, 6100 * MS, -1)), 3000);
  assert_int_equal(end_of(rtop_profile_step(profile, 6100 * MS, 2)), 17100);
  assert_int_equal(end_of(rtop_profile_step(profile, 17100 * MS, 1)), 17100);
  assert_int_equal(end_of(rtop_profile_step(profile, 12000 * MS, -1)), 7100);
  rtop_profile_destroy(&profile);
}

/* Two processes whose windows do not begin at the same time, one of which starts later and stops for a
 * while:
 * one step is one window, not one of each. */
static void test_sources(void **state)
{
  (void)state;
  struct rtop_profile *profile = make();
  for (int i = 0; i < 60; i++) {
    if (i < 30 || i >= 40) add(profile, 0, 1000 + 100 * i, 1100 + 100 * i);
    if (i >= 10) add(profile, 1, 1030 + 100 * i, 1130 + 100 * i);
  }
  int64_t at = rtop_profile_window_of(profile, 1).end_ns, path[200];
  int count = 0;
  for (path[count++] = at; count < 200; path[count++] = at) {
    int64_t next = rtop_profile_step(profile, at, 1).end_ns;
    if (next == at) break;
    assert_in_range(next - at, 70 * MS, 170 * MS);
    at = next;
  }
  assert_in_range(count, 58, 64);
  assert_int_equal(rtop_profile_step(profile, path[0], 20).end_ns, path[20]);
  assert_int_equal(rtop_profile_step(profile, path[20], -20).end_ns, path[0]);
  rtop_profile_destroy(&profile);
}

/* Random histories of one source: there and back is the same path, and every window is on it. */
static void test_there_and_back(void **state)
{
  (void)state;
  srandom(7);
  for (int round = 0; round < 20; round++) {
    struct rtop_profile *profile = make();
    int64_t ends[300], at_ms = 1000;
    int count = 0;
    for (; count < 300; count++) {
      int64_t length_ms = random() % 10 == 0 ? 1000 : 100;
      at_ms += random() % 15 == 0 ? 300 + random() % 5000 : 0;
      add(profile, 0, at_ms, at_ms + length_ms);
      at_ms += length_ms;
      ends[count] = at_ms * MS;
    }
    for (int i = 0; i + 1 < count; i++) {
      assert_int_equal(rtop_profile_step(profile, ends[i], 1).end_ns, ends[i + 1]);
      assert_int_equal(rtop_profile_step(profile, ends[i + 1], -1).end_ns, ends[i]);
    }
    assert_int_equal(rtop_profile_step(profile, ends[0], count - 1).end_ns, ends[count - 1]);
    assert_int_equal(rtop_profile_step(profile, ends[count - 1], 1 - count).end_ns, ends[0]);
    rtop_profile_destroy(&profile);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_empty),   cmocka_unit_test(test_window_of),      cmocka_unit_test(test_steps),
    cmocka_unit_test(test_sources), cmocka_unit_test(test_there_and_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
