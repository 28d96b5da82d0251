#include "recording_fixture.h"

#include "tui/feed.h"

/* Seconds of a recording in some order; every span asked for is compared with what was live. */
static void ask(const struct life *life, struct replayed *replayed, int count,
                int (*order)(struct life *, int))
{
  struct life dice = {.random = 7};
  for (int i = 0; i < count; i++) {
    int64_t start_ns = 1000 * MS + order(&dice, i) * 500 * MS;
    replay_assert_same(life->profile, replayed->profile, fixture_span(start_ns, start_ns + 1200 * MS));
  }
}

static int order_forwards(struct life *dice, int i)
{
  (void)dice;
  return i;
}

static int order_backwards(struct life *dice, int i)
{
  (void)dice;
  return 39 - i;
}

static int order_random(struct life *dice, int i)
{
  (void)i;
  return (int)life_random(dice, 40);
}

static int (*const orders[])(struct life *, int) = {order_forwards, order_backwards, order_random};

static void test_any_order(void **state)
{
  (void)state;
  struct life life = life_record(recording_path("a.rpt"), 200, 2, 0);
  for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
    struct replayed replayed;
    assert_true(replay_open(&replayed, recording_path("a.rpt"), NULL));
    ask(&life, &replayed, 40, orders[i]);
    replay_close(&replayed);
  }
  life_end(&life);
}

/* Memory for some windows only: they come and go, and every sum stays what it is. */
static void test_any_order_in_little_memory(void **state)
{
  (void)state;
  struct life life = life_record(recording_path("a.rpt"), 200, 2, 0);
  for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
    struct replayed replayed;
    assert_true(replay_open_within(&replayed, recording_path("a.rpt"), 200 << 10, NULL));
    ask(&life, &replayed, 100, orders[i]);
    replay_assert_same(life.profile, replayed.profile, rtop_profile_bounds(life.profile));
    ask(&life, &replayed, 40, orders[i]);
    replay_close(&replayed);
  }
  life_end(&life);
}

/* The timeline is there at once; when everything was looked at, it is that of the live profile exactly. */
static void test_summaries(void **state)
{
  (void)state;
  static struct rtop_window_summary live[512], told[512], loaded[512];
  struct life life = life_record(recording_path("a.rpt"), 200, 1, 0);
  struct replayed replayed;
  assert_true(replay_open(&replayed, recording_path("a.rpt"), NULL));
  struct rtop_span all = rtop_profile_bounds(life.profile);
  size_t count = rtop_profile_windows(life.profile, all, live, 512);
  assert_in_range(count, 200, 260);
  assert_int_equal(rtop_profile_windows(replayed.profile, all, told, 512), count);
  free(replay_print(replayed.profile, all));
  assert_int_equal(rtop_profile_windows(replayed.profile, all, loaded, 512), count);
  for (size_t i = 0; i < count; i++) {
    assert_memory_equal(&live[i], &loaded[i], sizeof live[i]);
    assert_memory_equal(&live[i].counters, &told[i].counters, sizeof live[i].counters);
    assert_memory_equal(live[i].wall_ns, told[i].wall_ns, sizeof live[i].wall_ns);
    assert_int_equal(live[i].start_ns, told[i].start_ns);
    assert_int_equal(live[i].end_ns, told[i].end_ns);
    assert_int_equal(live[i].gap, told[i].gap);
    assert_int_equal(live[i].thread_count, told[i].thread_count);
  }
  replay_close(&replayed);
  life_end(&life);
}

static void test_it_is_a_replay(void **state)
{
  (void)state;
  struct life life = life_record(recording_path("a.rpt"), 20, 1, 0);
  struct replayed replayed;
  enum rtop_feed_state feed_state;
  assert_true(replay_open(&replayed, recording_path("a.rpt"), NULL));
  assert_int_equal(rtop_feed_poll(replayed.feeds[0], replayed.profile, &feed_state), 0);
  assert_int_equal(feed_state, RTOP_FEED_REPLAY);
  assert_string_equal(rtop_feed_state_name(feed_state), "replay");
  assert_true(rtop_feed_wait_ms(replayed.feeds[0]) > 0);
  replay_close(&replayed);
  life_end(&life);
}

/* Whoever asks after the file was closed gets no figures, and no crash. */
static void test_closed_before_it_was_read(void **state)
{
  (void)state;
  struct life life = life_record(recording_path("a.rpt"), 20, 1, 0);
  struct replayed replayed;
  struct rtop_sum sum = {0};
  assert_true(replay_open(&replayed, recording_path("a.rpt"), NULL));
  rtop_feed_close(&replayed.feeds[0]);
  assert_true(rtop_profile_sum(replayed.profile, rtop_profile_bounds(replayed.profile), &sum));
  assert_int_equal(sum.cell_count, 0);
  rtop_sum_destroy(&sum);
  replayed.count = 0;
  replay_close(&replayed);
  life_end(&life);
}

static void test_what_cannot_be_opened(void **state)
{
  (void)state;
  struct replayed replayed;
  struct rtop_error error = {0};
  assert_false(replay_open(&replayed, recording_path("nothing.rpt"), &error));
  assert_non_null(strstr(error.text, "nothing.rpt"));
  replay_close(&replayed);
  recording_save_file(recording_path("text.rpt"),
                      "This is no recording, but a text that is long enough to be one.\n", 65);
  assert_false(replay_open(&replayed, recording_path("text.rpt"), &error));
  assert_non_null(strstr(error.text, "is no recording"));
  replay_close(&replayed);
  assert_false(replay_open(&replayed, recording_folder, &error));
  replay_close(&replayed);
  assert_false(replay_open(&replayed, "/dev/zero", &error));
  replay_close(&replayed);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_any_order),
    cmocka_unit_test(test_any_order_in_little_memory),
    cmocka_unit_test(test_summaries),
    cmocka_unit_test(test_it_is_a_replay),
    cmocka_unit_test(test_closed_before_it_was_read),
    cmocka_unit_test(test_what_cannot_be_opened),
  };
  return cmocka_run_group_tests(tests, recording_folder_make, recording_folder_remove);
}
