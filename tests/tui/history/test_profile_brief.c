/* What a span amounts to is what its windows say, and who keeps it hears when that becomes another thing. */
#include "tests/tui/live_fixture.h"

#include "tui/tables/strip.h"

static void check_sum(struct rtop_span span)
{
  static struct rtop_window_summary windows[4096];
  struct rtop_span_brief brief;
  struct rtop_span_brief expected = { 0 };
  size_t count = rtop_profile_windows(m.profile, span, windows, 4096);
  rtop_profile_brief(m.profile, span, &brief);
  for (size_t i = 0; i < count; i++) {
    expected.gap = expected.gap || windows[i].gap;
    expected.gc_minor += windows[i].counters.gc_minor;
    expected.gc_major += windows[i].counters.gc_major;
    for (int state = 0; state < RTOP_STATES; state++) expected.wall_ns[state] += windows[i].wall_ns[state];
  }
  assert_memory_equal(brief.wall_ns, expected.wall_ns, sizeof brief.wall_ns);
  assert_int_equal(brief.gc_minor, expected.gc_minor);
  assert_int_equal(brief.gc_major, expected.gc_major);
  assert_int_equal(brief.gap, expected.gap);
  assert_true(rtop_profile_sum(m.profile, span, &m.fresh));
  assert_int_equal(brief.covered_ns, m.fresh.length_ns);
}

static void compare_strips(const struct strip *kept, const struct strip *fresh)
{
  assert_int_equal(kept->cells, fresh->cells);
  assert_memory_equal(kept->busy, fresh->busy, (size_t)fresh->cells * sizeof *fresh->busy);
  assert_int_equal(kept->has_gap, fresh->has_gap);
  assert_true(kept->minor_per_minute == fresh->minor_per_minute);
  assert_true(kept->major_per_minute == fresh->major_per_minute);
}

/* Late records, lost stretches and windows put together or forgotten change cells that were complete. */
static void follow(uint64_t memory_bytes, uint32_t seed)
{
  struct strip kept = { 0 };
  open_model(memory_bytes, seed);
  for (int i = 0; i < 900; i++) {
    struct strip fresh = { 0 };
    add_window(0);
    int64_t end_ns = below(8) ? m.end_ns : m.end_ns - (int64_t)below(20000) * MS;
    int cells = below(8) ? 71 : 1 + (int)below(200);
    assert_true(strip_build(&kept, m.profile, end_ns, cells, m.end_ns, STRIP_ALL_SOURCES));
    assert_true(strip_build(&fresh, m.profile, end_ns, cells, m.end_ns, STRIP_ALL_SOURCES));
    compare_strips(&kept, &fresh);
    if (i % 20 == 0) check_sum(fixture_span(end_ns - (int64_t)below(9000) * MS, end_ns));
    strip_destroy(&fresh);
  }
  strip_destroy(&kept);
  close_model();
}

static void test_kept_strip(void **state)
{
  (void)state;
  follow(1 << 30, 1);
}

static void test_kept_strip_when_memory_is_short(void **state)
{
  (void)state;
  follow(200 << 10, 2);
  follow(60 << 10, 3);
}

static void test_change(void **state)
{
  (void)state;
  open_model(1 << 30, 4);
  struct rtop_span early = fixture_span(0, 1000 * MS), late = fixture_span(5000 * MS, 6000 * MS);
  assert_int_equal(rtop_profile_change(m.profile, early), 0);
  fixture_window(&m.window, 0, 100 * MS);
  assert_true(fixture_add(m.profile, 0, &m.window));
  uint64_t first = rtop_profile_change(m.profile, early);
  assert_true(first > 0);
  assert_int_equal(rtop_profile_change(m.profile, late), 0);
  fixture_window(&m.window, 5000 * MS, 5100 * MS);
  assert_true(fixture_add(m.profile, 0, &m.window));
  assert_true(rtop_profile_change(m.profile, late) > first);
  assert_true(rtop_profile_change(m.profile, fixture_span(0, 100 * MS)) > first); /* a gap came after it */
  close_model();
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_kept_strip),
    cmocka_unit_test(test_kept_strip_when_memory_is_short),
    cmocka_unit_test(test_change),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
