/* A span that slides over a recording whose windows are fetched when they are needed and given back when
 * memory is short: what is kept from step to step is what a fresh sum says. The rest of the slide is seen
 * through test_live. */
#include "tests/tui/naive.h"
#include "tests/tui/recording_fixture.h"

#include "tui/methods/live.h"

static int compare_cells(const void *left, const void *right)
{
  const struct rtop_sum_cell *a = left, *b = right;
  if (a->thread != b->thread) return a->thread < b->thread ? -1 : 1;
  return a->node < b->node ? -1 : a->node > b->node;
}

static void check(struct rtop_profile *profile, struct rtop_live *live, struct rtop_sum *sum, struct rtop_span span)
{
  struct rtop_sum fresh = { 0 };
  assert_true(rtop_live_sum(live, span, sum));
  assert_true(naive_sum(profile, span, &fresh));
  assert_int_equal(fresh.length_ns, sum->length_ns);
  assert_int_equal(fresh.gap_count, sum->gap_count);
  assert_memory_equal(&fresh.counters, &sum->counters, sizeof fresh.counters);
  assert_memory_equal(&fresh.total, &sum->total, sizeof fresh.total);
  assert_int_equal(fresh.thread_count, sum->thread_count);
  assert_int_equal(fresh.cell_count, sum->cell_count);
  struct rtop_sum_cell *cells = malloc((sum->cell_count + 1) * sizeof *cells);
  assert_non_null(cells);
  if (sum->cell_count) {
    memcpy(cells, sum->cells, sum->cell_count * sizeof *cells);
    qsort(cells, sum->cell_count, sizeof *cells, compare_cells);
    assert_memory_equal(cells, fresh.cells, sum->cell_count * sizeof *cells);
  }
  free(cells);
  rtop_sum_destroy(&fresh);
}

/* Forwards, backwards and by chance, in steps of a window and in far ones. */
static void walk(uint64_t memory_bytes)
{
  struct life life = life_record(recording_path("slide.rpt"), 200, 2, 0);
  struct life dice = { .random = 11 };
  struct replayed replayed;
  struct rtop_sum sum = { 0 };
  int64_t start_ns = 1000 * MS;
  assert_true(replay_open_within(&replayed, recording_path("slide.rpt"), memory_bytes, NULL));
  struct rtop_live *live = rtop_live_create(replayed.profile);
  assert_non_null(live);
  for (int i = 0; i < 260; i++) {
    int64_t length_ns = life_random(&dice, 30) ? 1200 * MS : 9000 * MS;
    start_ns += i < 80 ? 100 * MS : i < 160 ? -100 * MS : ((int64_t)life_random(&dice, 9) - 4) * 100 * MS;
    if (life_random(&dice, 40) == 0) start_ns = (int64_t)life_random(&dice, 20) * 1000 * MS;
    check(replayed.profile, live, &sum, fixture_span(start_ns, start_ns + length_ns));
  }
  check(replayed.profile, live, &sum, rtop_profile_bounds(replayed.profile));
  rtop_sum_destroy(&sum);
  rtop_live_destroy(&live);
  replay_close(&replayed);
  life_end(&life);
}

static void test_windows_that_are_fetched(void **state)
{
  (void)state;
  walk(256 << 20);
}

static void test_windows_that_come_and_go(void **state)
{
  (void)state;
  walk(200 << 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_windows_that_are_fetched),
    cmocka_unit_test(test_windows_that_come_and_go),
  };
  return cmocka_run_group_tests(tests, recording_folder_make, recording_folder_remove);
}
