#include "shm/base/clock.h"
#include "tests/tui/channel_fixture.h"

#include "shm/base/error.h"
#include "tui/feed/feed_impl.h"
#include <fcntl.h>
#include <glob.h>

struct watch {
  struct channel channel;
  struct rtop_profile *profile;
  struct rtop_feed *feed;
  struct rtop_sum sum;
  enum rtop_feed_state state;
};

static void watch_open(struct watch *watch, const char *orders)
{
  struct rtop_error error = { 0 };
  memset(watch, 0, sizeof *watch);
  channel_open(&watch->channel);
  channel_tell(&watch->channel, orders);
  watch->profile = rtop_profile_create(64 << 20);
  watch->feed = rtop_feed_open_process(watch->channel.pid, 0, 1000, &error);
  if (!watch->feed) fail_msg("%s", error.text);
}

static size_t watch_poll(struct watch *watch)
{
  size_t moved = rtop_feed_poll(watch->feed, watch->profile, &watch->state);
  assert_true(rtop_profile_sum(watch->profile, rtop_profile_bounds(watch->profile), &watch->sum));
  return moved;
}

static void watch_close(struct watch *watch)
{
  rtop_feed_close(&watch->feed);
  rtop_feed_close(&watch->feed);
  rtop_sum_destroy(&watch->sum);
  rtop_profile_destroy(&watch->profile);
}

static const char *label_of(const struct watch *watch, uint32_t node)
{
  struct rtop_symbols *symbols = rtop_profile_symbols(watch->profile);
  return rtop_symbols_get(symbols, rtop_symbols_get_node(symbols, node)->frame)->label;
}

static void test_windows_become_history(void **state)
{
  (void)state;
  struct watch watch;
  watch_open(&watch, "www");
  assert_int_equal(watch_poll(&watch), 3);
  assert_int_equal(watch.state, RTOP_FEED_LIVE);
  assert_string_equal(rtop_feed_state_name(watch.state), "live");
  assert_int_equal(watch.sum.window_count, 3);
  assert_int_equal(watch.sum.gap_count, 0);
  assert_int_equal(rtop_cost_wall(&watch.sum.total), 3 * (uint64_t)CHANNEL_WINDOW_NS);
  assert_string_equal(watch.sum.threads[0].name, "main");
  assert_true(watch.sum.threads[0].is_main);
  assert_int_equal(watch.sum.threads[0].native_id, watch.channel.pid);
  assert_string_equal(label_of(&watch, watch.sum.cells[0].node), "leaf");
  const struct rtop_symbols *symbols = rtop_profile_symbols(watch.profile);
  uint32_t parent = rtop_symbols_get_node(symbols, watch.sum.cells[0].node)->parent;
  assert_string_equal(label_of(&watch, parent), "root method");
  assert_int_equal(watch_poll(&watch), 0);
  channel_tell(&watch.channel, "nw");
  assert_int_equal(watch_poll(&watch), 1);
  assert_string_equal(label_of(&watch, watch.sum.threads[0].node), "new ? one");
  assert_int_equal(watch.sum.cell_count, 2);
  watch_close(&watch);
  channel_kill(&watch.channel);
}

static void test_marks_come_along(void **state)
{
  (void)state;
  struct watch watch;
  struct rtop_profile_mark marks[4];
  watch_open(&watch, "wkww");
  assert_int_equal(watch_poll(&watch), 3);
  struct rtop_span held = rtop_profile_bounds(watch.profile);
  assert_int_equal(rtop_profile_marks(watch.profile, held, marks, 4), 1);
  assert_int_equal(marks[0].time_ns, held.start_ns + 3 * CHANNEL_WINDOW_NS / 2);
  assert_string_equal(marks[0].name, "a ? mark");
  channel_tell(&watch.channel, "kw");
  assert_int_equal(watch_poll(&watch), 1);
  assert_int_equal(rtop_profile_marks(watch.profile, rtop_profile_bounds(watch.profile), marks, 4), 2);
  watch_close(&watch);
  channel_kill(&watch.channel);
}

static void test_info(void **state)
{
  (void)state;
  struct watch watch;
  watch_open(&watch, "w");
  const struct rtop_feed_info *info = rtop_feed_info(watch.feed);
  struct timespec real, mono;
  clock_gettime(CLOCK_REALTIME, &real);
  clock_gettime(CLOCK_MONOTONIC, &mono);
  assert_int_equal(info->pid, watch.channel.pid);
  assert_string_equal(info->command, "ruby te?st.rb");
  assert_string_equal(info->ruby, "3.3.8");
  assert_int_equal(info->window_ns, CHANNEL_WINDOW_NS);
  int64_t seconds = info->clock_offset_ns / 1000000000 - (real.tv_sec - mono.tv_sec);
  assert_in_range(seconds + 2, 0, 4);
  assert_in_range(rtop_feed_wait_ms(watch.feed), 1, 1000);
  /* A new name is seen a second later, and stays when the process is gone. */
  channel_tell(&watch.channel, "t");
  int64_t deadline_ns = clock_now_ns() + INT64_C(60000000000);
  while (strcmp(info->command, "puma: worker 3") != 0 && clock_now_ns() < deadline_ns) {
    usleep(10000);
    watch_poll(&watch);
  }
  assert_string_equal(info->command, "puma: worker 3");
  kill(watch.channel.pid, SIGKILL);
  while (watch.state != RTOP_FEED_DEAD && clock_now_ns() < deadline_ns) watch_poll(&watch);
  assert_int_equal(watch.state, RTOP_FEED_DEAD);
  assert_string_equal(info->command, "puma: worker 3");
  watch_close(&watch);
  channel_kill(&watch.channel);
}

static void test_losses(void **state)
{
  (void)state;
  struct watch watch;
  watch_open(&watch, "w");
  const struct rtop_feed_info *info = rtop_feed_info(watch.feed);
  watch_poll(&watch);
  assert_true(info->tells_losses);
  for (int loss = 0; loss < RTOP_LOSSES; loss++) assert_int_equal(info->losses[loss], 0);
  channel_tell(&watch.channel, "lwlw");
  watch_poll(&watch);
  assert_int_equal(info->losses[RTOP_LOSS_NODES], 14);
  assert_int_equal(info->losses[RTOP_LOSS_THREADS], 4);
  assert_int_equal(info->losses[RTOP_LOSS_SAMPLES], 2);
  assert_int_equal(info->losses[RTOP_LOSS_FRAMES], 0);
  watch_close(&watch);
  channel_kill(&watch.channel);
}

/* Of a living process; of a dead one there is nothing else. */
static void test_the_past_can_be_skipped(void **state)
{
  (void)state;
  struct watch watch;
  watch_open(&watch, "www");
  rtop_feed_skip_past(watch.feed, 0);
  assert_int_equal(watch_poll(&watch), 0);
  channel_tell(&watch.channel, "ww");
  assert_int_equal(watch_poll(&watch), 2);
  assert_int_equal(watch.sum.window_count, 2);
  assert_int_equal(watch.sum.gap_count, 0);
  rtop_feed_close(&watch.feed);
  channel_kill(&watch.channel);
  watch.feed = rtop_feed_open_process(watch.channel.pid, 1, 0, NULL);
  rtop_feed_skip_past(watch.feed, 0);
  assert_int_equal(watch_poll(&watch), 5);
  watch_close(&watch);
}

/* Longer ago than any tier reaches back. */
static void test_lost_windows_are_one_gap(void **state)
{
  (void)state;
  struct watch watch;
  watch_open(&watch, "ww");
  assert_int_equal(watch_poll(&watch), 2);
  channel_tell(&watch.channel, "mmmm");
  size_t moved = watch_poll(&watch);
  assert_in_range(moved, 1, 19999);
  assert_int_equal(watch.sum.gap_count, 1);
  assert_int_equal(watch.sum.window_count, 2 + moved);
  assert_true(watch.sum.length_ns > 5000 * UINT64_C(1000000000));
  channel_tell(&watch.channel, "w");
  assert_int_equal(watch_poll(&watch), 1);
  assert_int_equal(watch.sum.gap_count, 1);
  watch_close(&watch);
  channel_kill(&watch.channel);
}

/* What was overwritten in the fine tier is told by the others: at first, and when a viewer was overtaken. */
static void test_merged_tiers_fill_what_was_overwritten(void **state)
{
  (void)state;
  struct watch watch;
  const uint64_t told_ns = UINT64_C(2000000000000), ten_ns = UINT64_C(10000000000);
  watch_open(&watch, "m");
  assert_in_range(watch_poll(&watch), 1, 19999);
  assert_int_equal(watch.sum.gap_count, 0);
  assert_int_equal(watch.sum.length_ns, told_ns);
  assert_int_equal(rtop_cost_wall(&watch.sum.total), told_ns);
  assert_true(watch.sum.counters.rate_hz == 100);
  channel_tell(&watch.channel, "m");
  assert_in_range(watch_poll(&watch), 1, 19999);
  /* Where the viewer was overtaken a merged window may have begun before: that one cannot be told. */
  assert_in_range(watch.sum.gap_count, 0, 1);
  assert_in_range(watch.sum.length_ns, 2 * told_ns - ten_ns, 2 * told_ns);
  assert_int_equal(rtop_cost_wall(&watch.sum.total), watch.sum.length_ns);
  watch_close(&watch);
  channel_kill(&watch.channel);
}

static void test_a_stretch_without_windows_is_a_gap(void **state)
{
  (void)state;
  struct watch watch;
  watch_open(&watch, "wbw");
  assert_int_equal(watch_poll(&watch), 3);
  assert_int_equal(watch.sum.gap_count, 1);
  assert_int_equal(watch.sum.length_ns, 3 * (uint64_t)CHANNEL_WINDOW_NS);
  watch_close(&watch);
  channel_kill(&watch.channel);
}

static void test_killed_process_keeps_its_last_windows(void **state)
{
  (void)state;
  struct watch watch;
  watch_open(&watch, "w");
  assert_int_equal(watch_poll(&watch), 1);
  channel_tell(&watch.channel, "ww");
  channel_kill(&watch.channel);
  assert_int_equal(watch_poll(&watch), 2);
  assert_int_equal(watch.state, RTOP_FEED_DEAD);
  assert_int_equal(watch.sum.window_count, 3);
  struct rtop_feed_end end;
  assert_true(rtop_feed_end(watch.feed, &end));
  assert_string_equal(end.cause, "vanished");
  assert_string_equal(end.text, "killed, crashed, exit! or exec");
  rtop_feed_close(&watch.feed);
  /* And afterwards it opens again. */
  struct rtop_error error = { 0 };
  watch.feed = rtop_feed_open_process(watch.channel.pid, 1, 1000, &error);
  assert_non_null(watch.feed);
  assert_int_equal(watch_poll(&watch), 3);
  assert_int_equal(watch.state, RTOP_FEED_DEAD);
  watch_close(&watch);
}

/* While its parent has not asked for it the kernel knows how a process ended. */
static void test_how_a_process_ended(void **state)
{
  (void)state;
  struct watch watch;
  struct rtop_feed_end end;
  watch_open(&watch, "www");
  watch_poll(&watch);
  assert_false(rtop_feed_end(watch.feed, &end));
  kill(watch.channel.pid, SIGKILL);
  siginfo_t info;
  assert_int_equal(waitid(P_PID, (id_t)watch.channel.pid, &info, WEXITED | WNOWAIT), 0);
  watch_poll(&watch);
  assert_int_equal(watch.state, RTOP_FEED_DEAD);
  assert_true(rtop_feed_end(watch.feed, &end));
  assert_string_equal(end.cause, "signal");
  assert_string_equal(end.text, "killed by signal 9");
  /* Three windows after the segment was made, by the clock of the fixture. */
  assert_in_range(end.lived_ns, 3 * (int64_t)CHANNEL_WINDOW_NS - 100000000,
                  3 * (int64_t)CHANNEL_WINDOW_NS + 5000000000);
  struct rtop_span held = rtop_profile_bounds(watch.profile);
  assert_int_equal(end.real_ns, held.end_ns + rtop_feed_info(watch.feed)->clock_offset_ns);
  watch_close(&watch);
  channel_wait(&watch.channel);
}

static void test_ended_channel(void **state)
{
  (void)state;
  struct watch watch;
  watch_open(&watch, "w");
  channel_tell(&watch.channel, "wx");
  channel_wait(&watch.channel);
  assert_int_equal(watch_poll(&watch), 2);
  assert_int_equal(watch.state, RTOP_FEED_ENDED);
  assert_int_equal(watch_poll(&watch), 0);
  assert_int_equal(watch.sum.window_count, 2);
  watch_close(&watch);
}

/* The file is cut under us: what was read stays, nothing crashes. */
static void test_truncated_segment(void **state)
{
  (void)state;
  struct watch watch;
  char pattern[256];
  glob_t found;
  watch_open(&watch, "ww");
  assert_int_equal(watch_poll(&watch), 2);
  snprintf(pattern, sizeof pattern, "%s/rperf-top.*.%d.*", getenv("RPERF_TOP_DIR"), (int)watch.channel.pid);
  assert_int_equal(glob(pattern, 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; i++)
    if (!strstr(found.gl_pathv[i], ".ctl")) assert_int_equal(truncate(found.gl_pathv[i], 4096), 0);
  globfree(&found);
  for (int i = 0; i < 10; i++) assert_int_equal(watch_poll(&watch), 0);
  assert_int_equal(watch.sum.window_count, 2);
  watch_close(&watch);
  channel_kill(&watch.channel);
}

/* The file of a channel, wherever it lies and whatever it is called. */
static void test_segment_by_path(void **state)
{
  (void)state;
  struct watch watch;
  struct rtop_error error = { 0 };
  glob_t found;
  char pattern[256], command[1100];
  watch_open(&watch, "www");
  snprintf(pattern, sizeof pattern, "%s/rperf-top.*.%d.????????????????", getenv("RPERF_TOP_DIR"),
           (int)watch.channel.pid);
  assert_int_equal(glob(pattern, 0, NULL, &found), 0);
  char path[512];
  snprintf(path, sizeof path, "%s/a copy", getenv("RPERF_TOP_DIR"));
  snprintf(command, sizeof command, "cp '%s' '%s'", found.gl_pathv[0], path);
  assert_int_equal(system(command), 0);
  globfree(&found);
  assert_true(rtop_feed_is_segment(path));
  assert_false(rtop_feed_is_segment("/proc/self/exe"));
  assert_false(rtop_feed_is_segment("/nowhere"));
  rtop_feed_close(&watch.feed);
  watch.feed = rtop_feed_open_segment(path, 0, &error);
  if (!watch.feed) fail_msg("%s", error.text);
  assert_int_equal(watch_poll(&watch), 3);
  assert_int_equal(watch.state, RTOP_FEED_DEAD);
  assert_int_equal(rtop_feed_info(watch.feed)->pid, watch.channel.pid);
  assert_null(rtop_feed_open_segment("/proc/self/exe", 0, &error));
  assert_int_equal(unlink(path), 0);
  watch_close(&watch);
  channel_kill(&watch.channel);
}

/* A ring of another boot stands where the wall clock says; one of this boot stays where it is, whatever the
 * wall clock was set to between the starts of the two. */
static void test_clocks_of_two_boots(void **state)
{
  (void)state;
  const int64_t hour_ns = INT64_C(3600000000000);
  struct watch watch;
  struct rtop_error error = { 0 };
  enum rtop_feed_state feed_state;
  watch_open(&watch, "www");
  watch_poll(&watch);
  struct rtop_span first = rtop_profile_bounds(watch.profile);
  for (int boot = 0; boot < 2; boot++) {
    struct rtop_profile *profile = rtop_profile_create(16 << 20);
    struct rtop_feed *second = rtop_feed_open_process(watch.channel.pid, 1, 1000, &error);
    assert_non_null(second);
    second->info.clock_offset_ns += hour_ns;
    second->boot_id[3] = (uint8_t)(second->boot_id[3] ^ boot);
    rtop_feed_align(second, watch.feed);
    assert_int_equal(rtop_feed_info(second)->clock_offset_ns, rtop_feed_info(watch.feed)->clock_offset_ns);
    assert_int_equal(rtop_feed_poll(second, profile, &feed_state), 3);
    struct rtop_span span = rtop_profile_bounds(profile);
    assert_int_equal(span.start_ns, first.start_ns + boot * hour_ns);
    assert_int_equal(span.end_ns, first.end_ns + boot * hour_ns);
    rtop_feed_close(&second);
    rtop_profile_destroy(&profile);
  }
  watch_close(&watch);
  channel_kill(&watch.channel);
}

/* A small segment stays small work: the rest of its names is left out, and that is said. */
static void test_too_many_long_names(void **state)
{
  (void)state;
  struct watch watch;
  if (channel_user > 0) skip(); /* once is enough: the same limit counts what the other process sends */
  channel_ring_bytes = 8 << 20;
  watch_open(&watch, "whw");
  channel_ring_bytes = 1 << 20;
  assert_int_equal(watch_poll(&watch), 2);
  assert_non_null(rtop_feed_problem(watch.feed));
  assert_non_null(strstr(rtop_feed_problem(watch.feed), "unpacks to more than"));
  assert_in_range(rtop_symbols_frame_count(rtop_profile_symbols(watch.profile)), 100, 20000);
  channel_tell(&watch.channel, "w");
  assert_int_equal(watch_poll(&watch), 1);
  watch_close(&watch);
  channel_kill(&watch.channel);
}

/* Names that were let go are read again when a window names them, and only then. */
static void test_names_are_read_again(void **state)
{
  (void)state;
  struct watch watch;
  watch_open(&watch, "wnw");
  assert_int_equal(watch_poll(&watch), 2);
  struct rtop_symbols *symbols = rtop_profile_symbols(watch.profile);
  uint32_t gone = watch.sum.threads[0].node;
  assert_string_equal(label_of(&watch, gone), "new ? one");
  for (int i = 0; i < 2; i++) {
    rtop_symbols_sweep_begin(symbols);
    rtop_symbols_sweep_end(symbols);
    rtop_feed_forget(watch.feed, watch.profile);
  }
  assert_string_equal(label_of(&watch, gone), "(root)");
  uint32_t other = rtop_symbols_frame(symbols, "Other#one", 9, "/o.rb", 5, "Other", 5, 1, RTOP_SYMBOL_RUBY);
  assert_int_equal(rtop_symbols_node(symbols, 0, other, 1), 1);
  channel_tell(&watch.channel, "w");
  assert_int_equal(watch_poll(&watch), 1);
  static const char *const stack[] = { "new ? one", "leaf", "root method" };
  uint32_t node = watch.sum.threads[0].node;
  for (int i = 0; i < 3; i++, node = rtop_symbols_get_node(symbols, node)->parent)
    assert_string_equal(label_of(&watch, node), stack[i]);
  assert_int_equal(node, 0);
  watch_close(&watch);
  channel_kill(&watch.channel);
}

static void test_no_such_process(void **state)
{
  (void)state;
  struct rtop_error error = { 0 };
  assert_null(rtop_feed_open_process(0x7ffffff0, 0, 1000, &error));
  assert_non_null(strstr(error.text, "there is no process"));
  assert_int_not_equal(error.code, RTOP_ERROR_NONE);
  assert_null(rtop_feed_open_process(getpid(), 0, 1000, &error));
  assert_non_null(strstr(error.text, "not a Ruby process"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_windows_become_history),
    cmocka_unit_test(test_marks_come_along),
    cmocka_unit_test(test_info),
    cmocka_unit_test(test_losses),
    cmocka_unit_test(test_the_past_can_be_skipped),
    cmocka_unit_test(test_lost_windows_are_one_gap),
    cmocka_unit_test(test_merged_tiers_fill_what_was_overwritten),
    cmocka_unit_test(test_a_stretch_without_windows_is_a_gap),
    cmocka_unit_test(test_killed_process_keeps_its_last_windows),
    cmocka_unit_test(test_how_a_process_ended),
    cmocka_unit_test(test_ended_channel),
    cmocka_unit_test(test_truncated_segment),
    cmocka_unit_test(test_segment_by_path),
    cmocka_unit_test(test_clocks_of_two_boots),
    cmocka_unit_test(test_too_many_long_names),
    cmocka_unit_test(test_names_are_read_again),
    cmocka_unit_test(test_no_such_process),
  };
  int failed = cmocka_run_group_tests(tests, channel_folder, channel_remove_folder);
  /* Everything once more with a channel of another user, which root reads by another process. */
  if (geteuid() == 0)
    failed += cmocka_run_group_tests_name("another", tests, channel_folder_of_another, channel_remove_folder);
  return failed;
}
