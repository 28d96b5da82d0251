#include "tests/tui/recording_fixture.h"

#include "tui/recording/recording_format.h"
#include "tui/recording/recording_read.h"
#include <signal.h>
#include <sys/resource.h>

static void test_replay_is_what_was_live(void **state)
{
  (void)state;
  for (uint32_t sources = 1; sources <= 2; sources++) {
    struct life life = life_record(recording_path("a.rpt"), 200, sources, 0);
    struct replayed replayed;
    struct rtop_error error = { 0 };
    assert_true(replay_open(&replayed, recording_path("a.rpt"), &error));
    assert_int_equal(replayed.count, sources);
    struct rtop_span all = rtop_profile_bounds(life.profile);
    assert_int_equal(all.start_ns, 1000 * MS);
    assert_int_equal(all.end_ns, life.now_ns);
    replay_assert_same(life.profile, replayed.profile, all);
    for (int64_t at = all.start_ns; at < all.end_ns; at += 700 * MS)
      replay_assert_same(life.profile, replayed.profile, fixture_span(at, at + 1000 * MS));
    replay_close(&replayed);
    life_end(&life);
  }
}

static void test_who_was_recorded(void **state)
{
  (void)state;
  struct life life = life_record(recording_path("a.rpt"), 10, 2, 0);
  struct replayed replayed;
  struct rtop_error error = { 0 };
  assert_true(replay_open(&replayed, recording_path("a.rpt"), &error));
  for (int i = 0; i < 2; i++) {
    const struct rtop_feed_info *info = rtop_feed_info(replayed.feeds[i]);
    assert_int_equal(info->pid, life_info[i].pid);
    assert_string_equal(info->command, life_info[i].command);
    assert_string_equal(info->ruby, "3.3.8");
    assert_string_equal(info->folder, life_info[i].folder ? life_info[i].folder : "");
    assert_int_equal(info->window_ns, LIFE_WINDOW_NS);
    assert_int_equal(info->clock_offset_ns, life_info[i].clock_offset_ns);
    assert_int_equal(info->started_real_ns, life_info[i].started_real_ns);
  }
  replay_close(&replayed);
  life_end(&life);
}

static void test_marks(void **state)
{
  (void)state;
  struct rtop_profile_mark before[16], after[16];
  struct life life = life_record(recording_path("a.rpt"), 100, 1, 0);
  struct replayed replayed;
  assert_true(replay_open(&replayed, recording_path("a.rpt"), NULL));
  struct rtop_span all = rtop_profile_bounds(life.profile);
  size_t count = rtop_profile_marks(life.profile, all, before, 16);
  assert_int_equal(count, 5);
  assert_int_equal(rtop_profile_marks(replayed.profile, all, after, 16), count);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(before[i].time_ns, after[i].time_ns);
    assert_string_equal(after[i].name, "deploy");
  }
  replay_close(&replayed);
  life_end(&life);
}

/* A span that was saved from a profile is that span. */
static void test_save_span(void **state)
{
  (void)state;
  struct life life = life_record(recording_path("a.rpt"), 150, 2, 0);
  const struct rtop_feed_info *const infos[] = { &life_info[0], &life_info[1] };
  struct rtop_span span = fixture_span(4000 * MS, 9000 * MS);
  struct rtop_error error = { 0 };
  if (!rtop_recording_save_span(life.profile, span, infos, 2, recording_path("b.rpt"), &error))
    fail_msg("%s", error.text);
  struct replayed replayed;
  assert_true(replay_open(&replayed, recording_path("b.rpt"), &error));
  struct rtop_span held = rtop_profile_bounds(replayed.profile);
  assert_memory_equal(&held, &span, sizeof held);
  replay_assert_same(life.profile, replayed.profile, span);
  replay_assert_same(life.profile, replayed.profile, fixture_span(5000 * MS, 6000 * MS));
  replay_close(&replayed);
  life_end(&life);
}

/* Saving a span does not stop what is being recorded. */
static void test_save_span_while_recording(void **state)
{
  (void)state;
  struct life life;
  const struct rtop_feed_info *const infos[] = { &life_info[0] };
  life_start(&life, rtop_profile_create(64 << 20));
  struct rtop_recorder *recorder = rtop_recorder_create(recording_path("a.rpt"), life.profile, 0, NULL);
  rtop_recorder_source(recorder, 0, &life_info[0]);
  for (int i = 0; i < 60; i++) {
    if (i == 30)
      assert_true(rtop_recording_save_span(life.profile, rtop_profile_bounds(life.profile), infos, 1,
                                           recording_path("b.rpt"), NULL));
    life_step(&life, 1);
  }
  assert_int_equal(rtop_recorder_windows(recorder), 60);
  assert_true(rtop_recorder_close(&recorder, NULL));
  struct replayed replayed;
  assert_true(replay_open(&replayed, recording_path("a.rpt"), NULL));
  replay_assert_same(life.profile, replayed.profile, rtop_profile_bounds(life.profile));
  replay_close(&replayed);
  life_end(&life);
}

static void test_a_bound_drops_the_oldest(void **state)
{
  (void)state;
  struct stat status;
  const char *path = recording_path("a.rpt");
  struct life life;
  life_start(&life, rtop_profile_create(512 << 20));
  struct rtop_recorder *recorder = rtop_recorder_create(path, life.profile, RTOP_RECORDING_BYTES_MIN, NULL);
  rtop_recorder_source(recorder, 0, &life_info[0]);
  int64_t dropped = 0;
  for (int i = 0; i < 12000; i++) {
    life_step(&life, 1);
    if (i % 500 != 499) continue;
    assert_int_equal(stat(path, &status), 0);
    assert_in_range(status.st_size, 1, RTOP_RECORDING_BYTES_MIN);
    struct replayed replayed; /* openable at every moment */
    assert_true(replay_open(&replayed, path, NULL));
    struct rtop_span held = rtop_profile_bounds(replayed.profile);
    assert_true(held.end_ns > life.now_ns - 1500 * MS);
    dropped = held.start_ns - 1000 * MS;
    /* What is late and still to be written changes the last of what is in the file. */
    replay_assert_same(life.profile, replayed.profile, fixture_span(held.end_ns - 2500 * MS, held.end_ns - 500 * MS));
    replay_assert_same(life.profile, replayed.profile,
                       fixture_span(held.start_ns + 500 * MS, held.start_ns + 2000 * MS));
    replay_close(&replayed);
  }
  assert_true(dropped > 0);
  assert_true(rtop_recorder_close(&recorder, NULL));
  life_end(&life);
}

static void test_a_file_that_cannot_be_made(void **state)
{
  (void)state;
  struct rtop_error error = { 0 };
  struct rtop_profile *profile = rtop_profile_create(1 << 20);
  assert_null(rtop_recorder_create("/nowhere/at/all.rpt", profile, 0, &error));
  assert_non_null(strstr(error.text, "/nowhere/at/all.rpt"));
  assert_null(rtop_recorder_create("/dev/null", profile, 0, &error));
  assert_null(rtop_recorder_create(recording_folder, profile, 0, &error));
  rtop_profile_destroy(&profile);
}

/* The disk is full: what is there stays readable, and it is said. */
static void test_the_disk_is_full(void **state)
{
  (void)state;
  struct life life;
  struct rtop_error error = { 0 };
  life_start(&life, rtop_profile_create(64 << 20));
  struct rtop_recorder *recorder = rtop_recorder_create(recording_path("a.rpt"), life.profile, 0, NULL);
  rtop_recorder_source(recorder, 0, &life_info[0]);
  struct rlimit before, limit;
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &before);
  limit = before;
  limit.rlim_cur = 20000;
  setrlimit(RLIMIT_FSIZE, &limit);
  for (int i = 0; i < 200; i++) life_step(&life, 1);
  assert_non_null(rtop_recorder_problem(recorder));
  assert_false(rtop_recorder_close(&recorder, &error));
  setrlimit(RLIMIT_FSIZE, &before);
  assert_non_null(strstr(error.text, "cannot write"));
  struct replayed replayed;
  assert_true(replay_open(&replayed, recording_path("a.rpt"), NULL));
  struct rtop_span held = rtop_profile_bounds(replayed.profile);
  assert_true(held.end_ns - held.start_ns > 2000 * MS);
  replay_assert_same(life.profile, replayed.profile, fixture_span(held.start_ns, held.start_ns + 1000 * MS));
  replay_close(&replayed);
  life_end(&life);
}

static void test_discard_leaves_nothing(void **state)
{
  (void)state;
  struct rtop_profile *profile = rtop_profile_create(1 << 20);
  struct rtop_recorder *recorder = rtop_recorder_create(recording_path("gone.rpt"), profile, 0, NULL);
  assert_int_equal(access(recording_path("gone.rpt"), F_OK), 0);
  rtop_recorder_discard(&recorder);
  assert_null(recorder);
  assert_int_equal(access(recording_path("gone.rpt"), F_OK), -1);
  rtop_profile_destroy(&profile);
}

/* Other programs see frames of LZ4 and nothing else. */
static void test_lz4_unpacks_it(void **state)
{
  (void)state;
  char command[256];
  if (system("command -v lz4 > /dev/null") != 0) skip();
  struct life life = life_record(recording_path("a.rpt"), 100, 1, 0);
  snprintf(command, sizeof command, "lz4 -q -t '%s'", recording_path("a.rpt"));
  assert_int_equal(system(command), 0);
  life_end(&life);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_replay_is_what_was_live),
    cmocka_unit_test(test_who_was_recorded),
    cmocka_unit_test(test_marks),
    cmocka_unit_test(test_save_span),
    cmocka_unit_test(test_save_span_while_recording),
    cmocka_unit_test(test_a_bound_drops_the_oldest),
    cmocka_unit_test(test_a_file_that_cannot_be_made),
    cmocka_unit_test(test_the_disk_is_full),
    cmocka_unit_test(test_discard_leaves_nothing),
    cmocka_unit_test(test_lz4_unpacks_it),
  };
  return cmocka_run_group_tests(tests, recording_folder_make, recording_folder_remove);
}
