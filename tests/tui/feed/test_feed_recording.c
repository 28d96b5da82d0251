#include "tests/tui/recording_fixture.h"

#include "tui/feed/feed.h"

/* Seconds of a recording in some order; every span asked for is compared with what was live. */
static void ask(const struct life *life, struct replayed *replayed, int count, int (*order)(struct life *, int))
{
  struct life dice = { .random = 7 };
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

static int (*const orders[])(struct life *, int) = { order_forwards, order_backwards, order_random };

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
  struct rtop_sum sum = { 0 };
  assert_true(replay_open(&replayed, recording_path("a.rpt"), NULL));
  rtop_feed_close(&replayed.feeds[0]);
  assert_true(rtop_profile_sum(replayed.profile, rtop_profile_bounds(replayed.profile), &sum));
  assert_int_equal(sum.cell_count, 0);
  rtop_sum_destroy(&sum);
  replayed.count = 0;
  replay_close(&replayed);
  life_end(&life);
}

/* What a source of the two has in a span. */
static uint64_t wall_of(struct rtop_profile *profile, struct rtop_span span, uint32_t source)
{
  struct rtop_sum sum = { 0 };
  uint64_t wall_ns = 0;
  assert_true(rtop_profile_sum(profile, span, &sum));
  for (size_t i = 0; i < sum.cell_count; i++)
    if (sum.threads[sum.cells[i].thread].source == source) wall_ns += rtop_cost_wall(&sum.cells[i].cost);
  rtop_sum_destroy(&sum);
  return wall_ns;
}

/* A life of two sources whose clocks differ by so much, with a mark of each; then opened. */
static void two_clocks(struct life *life, struct replayed *replayed, int64_t shift_ns)
{
  struct rtop_error error = { 0 };
  struct rtop_feed_info second = life_info[1];
  second.clock_offset_ns += shift_ns;
  life_start(life, rtop_profile_create(256 << 20));
  struct rtop_recorder *recorder = rtop_recorder_create(recording_path("two.rpt"), life->profile, 0, &error);
  assert_non_null(recorder);
  rtop_recorder_source(recorder, 0, &life_info[0]);
  rtop_recorder_source(recorder, 1, &second);
  for (int i = 0; i < 100; i++) life_step(life, 2);
  rtop_profile_add_mark(life->profile, 1, life->now_ns - 7 * MS, "second", 6);
  life_step(life, 2);
  assert_true(rtop_recorder_close(&recorder, &error));
  assert_true(replay_open(replayed, recording_path("two.rpt"), NULL));
  assert_int_equal(replayed->count, 2);
}

static void assert_mark_of_second(struct rtop_profile *profile, int64_t time_ns)
{
  struct rtop_profile_mark marks[64];
  size_t count = rtop_profile_marks(profile, rtop_profile_bounds(profile), marks, 64), found = 0;
  for (size_t i = 0; i < count; i++)
    if (strcmp(marks[i].name, "second") == 0) {
      assert_int_equal(marks[i].time_ns, time_ns);
      found++;
    }
  assert_int_equal(found, 1);
}

/* The clock that began first stays; the other's times are moved by so much, and none becomes negative. */
static void assert_aligned(int64_t shift_ns, int64_t wanted_ns)
{
  uint32_t later = shift_ns < 0 ? 0 : 1;
  struct life life;
  struct replayed replayed;
  two_clocks(&life, &replayed, shift_ns);
  struct rtop_span live = rtop_profile_bounds(life.profile);
  struct rtop_span moved = fixture_span(live.start_ns + wanted_ns, live.end_ns + wanted_ns);
  int64_t mark_ns = life.now_ns - LIFE_WINDOW_NS - 7 * MS + (later == 1 ? wanted_ns : 0);
  struct rtop_span all = rtop_profile_bounds(replayed.profile);
  assert_int_equal(all.start_ns, live.start_ns);
  assert_int_equal(all.end_ns, moved.end_ns);
  assert_int_equal(wall_of(replayed.profile, live, !later), wall_of(life.profile, live, !later));
  assert_int_equal(wall_of(replayed.profile, moved, later), wall_of(life.profile, live, later));
  if (wanted_ns != 0) {
    assert_int_equal(wall_of(replayed.profile, live, later), 0);
    assert_int_equal(wall_of(replayed.profile, moved, !later), 0);
  }
  assert_mark_of_second(replayed.profile, mark_ns);
  int64_t between_ns =
      rtop_feed_info(replayed.feeds[1])->clock_offset_ns - rtop_feed_info(replayed.feeds[0])->clock_offset_ns;
  assert_int_equal(between_ns, wanted_ns == 0 ? shift_ns : 0);
  assert_int_equal(rtop_feed_info(replayed.feeds[!later])->clock_offset_ns,
                   life_info[0].clock_offset_ns + (later == 0 ? shift_ns : 0));
  replay_close(&replayed);
  life_end(&life);
}

static void test_clocks_of_two_boots(void **state)
{
  (void)state;
  assert_aligned(3600 * INT64_C(1000000000), 3600 * INT64_C(1000000000));
  assert_aligned(-3600 * INT64_C(1000000000), 3600 * INT64_C(1000000000));
  assert_aligned(30 * MS, 0);
  assert_aligned(-30 * MS, 0);
}

/* What is saved from it is by one clock, and opens the same. */
static void test_two_boots_saved_again(void **state)
{
  (void)state;
  const int64_t hour_ns = 3600 * INT64_C(1000000000);
  struct life life;
  struct replayed replayed, again;
  struct rtop_error error = { 0 };
  two_clocks(&life, &replayed, hour_ns);
  struct rtop_span all = rtop_profile_bounds(replayed.profile);
  const struct rtop_feed_info *infos[] = { rtop_feed_info(replayed.feeds[0]), rtop_feed_info(replayed.feeds[1]) };
  assert_true(rtop_recording_save_span(replayed.profile, all, infos, 2, recording_path("again.rpt"), &error));
  assert_true(replay_open(&again, recording_path("again.rpt"), NULL));
  struct rtop_span held = rtop_profile_bounds(again.profile);
  assert_int_equal(held.start_ns, all.start_ns);
  assert_int_equal(held.end_ns, all.end_ns);
  assert_int_equal(wall_of(again.profile, all, 1), wall_of(replayed.profile, all, 1));
  replay_close(&again);
  replay_close(&replayed);
  life_end(&life);
}

/* Of the two only the first ended while it was recorded. */
static void test_how_it_ended(void **state)
{
  (void)state;
  struct life life = life_record(recording_path("a.rpt"), 20, 2, 0);
  struct replayed replayed;
  struct rtop_feed_end end;
  assert_true(replay_open(&replayed, recording_path("a.rpt"), NULL));
  assert_true(rtop_feed_end(replayed.feeds[0], &end));
  assert_string_equal(end.cause, "closed");
  assert_string_equal(end.text, "ended by itself");
  assert_int_equal(end.real_ns, life.now_ns + life_info[0].clock_offset_ns);
  assert_int_equal(end.lived_ns, end.real_ns - life_info[0].started_real_ns);
  assert_false(rtop_feed_end(replayed.feeds[1], &end));
  replay_close(&replayed);
  life_end(&life);
}

/* What was known of how it ended comes across, and its words are as hostile as any. */
static void test_how_it_was_killed(void **state)
{
  (void)state;
  struct life life;
  struct replayed replayed;
  struct rtop_feed_end end;
  struct rtop_error error = { 0 };
  struct rtop_pulse pulse = { .state = RTOP_FEED_DEAD, .cause = "signal", .text = "killed by\a signal 9" };
  life_start(&life, rtop_profile_create(256 << 20));
  struct rtop_recorder *recorder = rtop_recorder_create(recording_path("a.rpt"), life.profile, 0, &error);
  assert_non_null(recorder);
  for (uint32_t i = 0; i < 2; i++) rtop_recorder_source(recorder, i, &life_info[i]);
  for (int i = 0; i < 20; i++) life_step(&life, 2);
  rtop_recorder_ended(recorder, 0, RTOP_FEED_DEAD);
  rtop_recorder_pulse(recorder, 0, &pulse);
  rtop_recorder_ended(recorder, 1, RTOP_FEED_ENDED);
  pulse = (struct rtop_pulse){ .state = RTOP_FEED_ENDED, .cause = "x", .text = "y" };
  rtop_recorder_pulse(recorder, 1, &pulse);
  assert_true(rtop_recorder_close(&recorder, &error));
  assert_true(replay_open(&replayed, recording_path("a.rpt"), NULL));
  assert_true(rtop_feed_end(replayed.feeds[0], &end));
  assert_string_equal(end.cause, "signal");
  assert_string_equal(end.text, "killed by? signal 9");
  assert_int_equal(end.real_ns, life.now_ns + life_info[0].clock_offset_ns);
  assert_true(rtop_feed_end(replayed.feeds[1], &end));
  assert_string_equal(end.cause, "closed"); /* what was told is no cause */
  assert_string_equal(end.text, "ended by itself");
  replay_close(&replayed);
  life_end(&life);
}

static void test_what_cannot_be_opened(void **state)
{
  (void)state;
  struct replayed replayed;
  struct rtop_error error = { 0 };
  assert_false(replay_open(&replayed, recording_path("nothing.rpt"), &error));
  assert_non_null(strstr(error.text, "nothing.rpt"));
  replay_close(&replayed);
  recording_save_file(recording_path("text.rpt"), "This is no recording, but a text that is long enough to be one.\n",
                      65);
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
    cmocka_unit_test(test_how_it_was_killed),
    cmocka_unit_test(test_clocks_of_two_boots),
    cmocka_unit_test(test_two_boots_saved_again),
    cmocka_unit_test(test_how_it_ended),
    cmocka_unit_test(test_what_cannot_be_opened),
  };
  return cmocka_run_group_tests(tests, recording_folder_make, recording_folder_remove);
}
