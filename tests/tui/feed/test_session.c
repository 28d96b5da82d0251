#include "shm/base/clock.h"
#include "tests/tui/channel_fixture.h"

#include "shm/base/error.h"
#include "tui/cli/options.h"
#include "tui/cli/options_session.h"
#include "tui/feed/session_impl.h"

/* Polls until the condition holds; fails after a minute. */
#define WAIT_UNTIL(session, condition)                                                                                 \
  for (int64_t deadline = clock_now_ms() + 60000; rtop_session_poll(session), !(condition);) {                         \
    if (clock_now_ms() > deadline) fail_msg("waited in vain for %s", #condition);                                      \
    usleep(1000 * (unsigned)rtop_session_wait_ms(session) / 10);                                                       \
  }

static uint32_t windows_of(struct rtop_session *session)
{
  struct rtop_sum sum = { 0 };
  struct rtop_profile *profile = rtop_session_profile(session);
  assert_true(rtop_profile_sum(profile, rtop_profile_bounds(profile), &sum));
  uint32_t windows = sum.window_count;
  rtop_sum_destroy(&sum);
  return windows;
}

static struct rtop_session *session_of(struct channel *channels, int count)
{
  struct rtop_options options = { .action = RTOP_ACTION_WATCH, .rate_hz = 1000, .frame_seconds = 1 };
  struct rtop_error error = { 0 };
  int status;
  for (int i = 0; i < count; i++) options.pids[options.pid_count++] = channels[i].pid;
  struct rtop_session *session = rtop_session_open(&options, &status, &error);
  if (!session) fail_msg("%s", error.text);
  return session;
}

static void test_one_process_until_it_ends(void **state)
{
  (void)state;
  struct channel channel;
  channel_open(&channel);
  channel_tell(&channel, "ww");
  struct rtop_session *session = session_of(&channel, 1);
  assert_true(rtop_session_ready(session));
  assert_int_equal(rtop_session_poll(session), 2);
  assert_int_equal(rtop_session_state(session), RTOP_FEED_LIVE);
  assert_false(rtop_session_over(session));
  assert_null(rtop_session_problem(session));
  assert_null(rtop_session_launch(session));
  assert_int_equal(rtop_session_info(session, 0)->pid, channel.pid);
  assert_null(rtop_session_info(session, 1));
  assert_null(rtop_session_info(session, -1));
  assert_true(rtop_session_clock_offset_ns(session) != 0);
  channel_tell(&channel, "wx");
  channel_wait(&channel);
  WAIT_UNTIL(session, rtop_session_over(session));
  assert_int_equal(rtop_session_state(session), RTOP_FEED_ENDED);
  assert_int_equal(windows_of(session), 3);
  rtop_session_close(&session);
  rtop_session_close(&session);
}

static void test_two_processes_are_merged(void **state)
{
  (void)state;
  struct channel channels[2];
  for (int i = 0; i < 2; i++) {
    channel_open(&channels[i]);
    channel_tell(&channels[i], "w");
  }
  struct rtop_session *session = session_of(channels, 2);
  assert_int_equal(rtop_session_poll(session), 2);
  assert_int_equal(rtop_session_count(session), 2);
  channel_kill(&channels[0]);
  WAIT_UNTIL(session, rtop_session_feed_state(session, 0) == RTOP_FEED_DEAD);
  assert_int_equal(rtop_session_state(session), RTOP_FEED_LIVE);
  assert_false(rtop_session_over(session));
  channel_kill(&channels[1]);
  WAIT_UNTIL(session, rtop_session_over(session));
  assert_int_equal(rtop_session_state(session), RTOP_FEED_DEAD);
  rtop_session_close(&session);
}

static void test_exec_is_followed(void **state)
{
  (void)state;
  struct channel channel;
  channel_open(&channel);
  channel_tell(&channel, "ww");
  struct rtop_session *session = session_of(&channel, 1);
  assert_int_equal(rtop_session_poll(session), 2);
  channel_tell(&channel, "ew");
  WAIT_UNTIL(session, rtop_session_count(session) == 2);
  WAIT_UNTIL(session, windows_of(session) >= 1 && rtop_session_feed_state(session, 1) == RTOP_FEED_LIVE);
  assert_int_equal(rtop_session_state(session), RTOP_FEED_LIVE);
  assert_false(rtop_session_over(session));
  channel_kill(&channel);
  WAIT_UNTIL(session, rtop_session_over(session));
  rtop_session_close(&session);
}

/* What was chosen from the list is found again under another number when it was restarted; what was asked for by its
 * number is not. */
static void test_restarted(void **state)
{
  (void)state;
  struct rtop_error error = { 0 };
  struct channel channel, again;
  channel_open(&channel);
  channel_tell(&channel, "ww");
  struct rtop_session *chosen = rtop_session_open_pid(channel.pid, 1000, false, &error);
  struct rtop_session *numbered = session_of(&channel, 1);
  assert_non_null(chosen);
  WAIT_UNTIL(chosen, windows_of(chosen) == 2);
  channel_kill(&channel);
  WAIT_UNTIL(chosen, rtop_session_state(chosen) == RTOP_FEED_DEAD);
  channel_open(&again);
  channel_tell(&again, "w");
  WAIT_UNTIL(chosen, rtop_session_count(chosen) == 2 && rtop_session_state(chosen) == RTOP_FEED_LIVE);
  assert_int_equal(rtop_session_count(chosen), 2);
  assert_int_equal(rtop_session_info(chosen, 1)->pid, again.pid);
  assert_false(rtop_session_feed_replaced(chosen, 0));
  WAIT_UNTIL(numbered, rtop_session_over(numbered));
  assert_int_equal(rtop_session_count(numbered), 1);
  channel_kill(&again);
  rtop_session_close(&chosen);
  rtop_session_close(&numbered);
}

static void test_dead_ring_is_over_at_once(void **state)
{
  (void)state;
  struct channel channel;
  channel_open(&channel);
  channel_tell(&channel, "www");
  channel_kill(&channel);
  struct rtop_error error = { 0 };
  struct rtop_session *session = rtop_session_open_pid(channel.pid, 1000, false, &error);
  assert_non_null(session);
  assert_int_equal(rtop_session_poll(session), 3);
  assert_true(rtop_session_over(session));
  assert_int_equal(rtop_session_state(session), RTOP_FEED_DEAD);
  rtop_session_close(&session);
}

static void test_a_command_without_a_channel(void **state)
{
  (void)state;
  char *command[] = { "sh", "-c", "exit 5", NULL };
  struct rtop_options options = {
    .action = RTOP_ACTION_RUN,
    .command = command,
    .rate_hz = 1000,
    .frame_seconds = 1,
    .batch = true,
  };
  struct rtop_error error = { 0 };
  int status;
  struct rtop_session *session = rtop_session_open(&options, &status, &error);
  assert_non_null(session);
  assert_false(rtop_session_ready(session));
  assert_int_equal(rtop_session_state(session), RTOP_FEED_LIVE);
  WAIT_UNTIL(session, rtop_session_over(session));
  assert_non_null(rtop_session_problem(session));
  assert_int_equal(rtop_launch_status(rtop_session_launch(session)), 5);
  rtop_session_close(&session);
}

/* The command is a shell; its child has the channel. */
static void test_a_descendant_of_the_command_is_found(void **state)
{
  (void)state;
  char *command[] = { "sh", "-c", "\"$0\" --serve 0 1 >/dev/null; exit 3", NULL, NULL };
  char self[512] = "";
  struct rtop_options options = {
    .action = RTOP_ACTION_RUN,
    .command = command,
    .rate_hz = 1000,
    .frame_seconds = 1,
    .batch = true,
  };
  struct rtop_error error = { 0 };
  int status, input[2], kept = dup(STDIN_FILENO);
  assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
  command[3] = self;
  char *full[] = { command[0], command[1], command[2], self, NULL };
  options.command = full;
  assert_int_equal(pipe(input), 0);
  dup2(input[0], STDIN_FILENO);
  struct rtop_session *session = rtop_session_open(&options, &status, &error);
  dup2(kept, STDIN_FILENO);
  close(kept);
  close(input[0]);
  assert_non_null(session);
  WAIT_UNTIL(session, rtop_session_ready(session));
  assert_int_not_equal(rtop_session_info(session, 0)->pid, rtop_launch_pid(rtop_session_launch(session)));
  assert_int_equal(write(input[1], "wwwx", 4), 4);
  close(input[1]);
  WAIT_UNTIL(session, rtop_session_over(session));
  assert_int_equal(windows_of(session), 3);
  assert_int_equal(rtop_session_state(session), RTOP_FEED_ENDED);
  assert_int_equal(rtop_launch_status(rtop_session_launch(session)), 3);
  /* It failed soon: that is said, even though there was something to watch. */
  assert_non_null(rtop_session_problem(session));
  assert_non_null(strstr(rtop_session_problem(session), "the command ended with status 3"));
  rtop_session_close(&session);
}

/* A recording knows how what it was made of ended; when one of several went on, nothing ended. */
static void test_the_end_in_a_recording(void **state)
{
  (void)state;
  struct channel channels[2];
  struct rtop_error error = { 0 };
  struct rtop_feed_end live, told;
  char path[256];
  snprintf(path, sizeof path, "%s/end.rpt", getenv("RPERF_TOP_DIR"));
  for (int both = 0; both < 2; both++) {
    for (int i = 0; i < 2; i++) {
      channel_open(&channels[i]);
      channel_tell(&channels[i], "ww");
    }
    struct rtop_session *session = session_of(channels, 2);
    assert_true(rtop_session_record(session, path, 0, &error));
    rtop_session_poll(session);
    channel_kill(&channels[0]);
    if (both) channel_kill(&channels[1]);
    WAIT_UNTIL(session, rtop_session_feed_state(session, both) != RTOP_FEED_LIVE || !both);
    WAIT_UNTIL(session, rtop_session_feed_state(session, 0) == RTOP_FEED_DEAD);
    assert_int_equal(rtop_session_end(session, &live), both);
    assert_true(rtop_session_end_recording(session, &error));
    struct rtop_session *replay = rtop_session_open_replay(path, &error);
    assert_non_null(replay);
    rtop_session_poll(replay);
    assert_int_equal(rtop_session_end(replay, &told), both);
    if (both) {
      assert_string_equal(told.cause, "vanished");
      assert_int_equal(told.real_ns, live.real_ns);
    } else {
      channel_kill(&channels[1]);
    }
    rtop_session_close(&replay);
    rtop_session_close(&session);
    unlink(path);
  }
}

/* A number was used again by a child of the child of the one that had it: each is now the other's parent, by number. */
static void test_parents_in_a_circle(void **state)
{
  (void)state;
  struct channel channels[3];
  struct rtop_error error = { 0 };
  for (int i = 0; i < 3; i++) channel_open(&channels[i]);
  struct rtop_session *session = rtop_session_open_pid(channels[0].pid, 1000, false, &error);
  assert_non_null(session);
  for (int i = 1; i < 3; i++) assert_true(rtop_family_add(&session->family, channels[i].pid));
  struct rtop_kin *child = rtop_family_find(&session->family, channels[1].pid);
  struct rtop_kin *grandchild = rtop_family_find(&session->family, channels[2].pid);
  child->parent = grandchild->pid;
  child->parent_start_ticks = grandchild->start_ticks - 1; /* who had the number before */
  grandchild->parent = child->pid;
  grandchild->parent_start_ticks = child->start_ticks;
  session_tree_look(session);
  assert_int_equal(rtop_session_count(session), 3);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(rtop_session_info(session, i)->pid, channels[i].pid);
    channel_kill(&channels[i]);
  }
  rtop_session_close(&session);
}

/* What is asked in vain is asked ever less often; when one is gone the others keep their turns. */
static void test_asked_in_vain(void **state)
{
  (void)state;
  struct channel channel;
  struct rtop_error error = { 0 };
  pid_t pids[3];
  channel_open(&channel);
  struct rtop_session *session = rtop_session_open_pid(channel.pid, 1000, false, &error);
  assert_non_null(session);
  for (int i = 0; i < 3; i++) {
    pids[i] = fork();
    if (pids[i] == 0)
      for (;;) pause();
    assert_true(rtop_family_add(&session->family, pids[i]));
  }
  session_tree_look(session);
  assert_int_equal(session->try_count, 4);
  for (int i = 1; i < 4; i++) {
    assert_int_equal(session->tries[i].pid, pids[i - 1]);
    assert_int_equal(session->tries[i].count, 1);
  }
  session->tries[3].count = 7;
  kill(pids[1], SIGKILL);
  waitpid(pids[1], NULL, 0);
  session_tree_look(session);
  assert_int_equal(session->try_count, 3);
  assert_int_equal(session->tries[2].pid, pids[2]);
  assert_in_range(session->tries[2].count, 7, 8);
  assert_int_equal(rtop_session_count(session), 1);
  for (int i = 0; i < 3; i += 2) {
    kill(pids[i], SIGKILL);
    waitpid(pids[i], NULL, 0);
  }
  channel_kill(&channel);
  rtop_session_close(&session);
}

/* A process without a channel whose child has one: that is watched, and there is nothing to complain about. */
static void test_a_child_is_enough(void **state)
{
  (void)state;
  struct rtop_error error = { 0 };
  int told[2];
  char byte;
  assert_int_equal(pipe(told), 0);
  pid_t pid = fork();
  if (pid == 0) {
    struct channel channel;
    channel_open(&channel);
    if (write(told[1], "x", 1) < 0) _exit(1);
    for (;;) pause();
  }
  assert_int_equal(read(told[0], &byte, 1), 1);
  struct rtop_session *session = rtop_session_open_pid(pid, 1000, false, &error);
  assert_non_null(session);
  assert_int_equal(error.code, RTOP_ERROR_NONE);
  assert_string_equal(error.text, "");
  pid_t child = rtop_session_info(session, 0)->pid;
  rtop_session_close(&session);
  kill(child, SIGKILL);
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  close(told[0]);
  close(told[1]);
}

static int setup(void **state)
{
  char path[128];
  if (channel_folder(state) != 0) return -1;
  snprintf(path, sizeof path, "%s/rperf_top.rb", getenv("RPERF_TOP_DIR"));
  FILE *file = fopen(path, "w");
  if (!file) return -1;
  setenv("RPERF_TOP_LIB", getenv("RPERF_TOP_DIR"), 1);
  setenv("TMPDIR", getenv("RPERF_TOP_DIR"), 1);
  return fclose(file);
}

/* What is printed and gone needs no history of hours. */
static void test_a_long_batch_holds_little(void **state)
{
  (void)state;
  struct rtop_options options = { .action = RTOP_ACTION_WATCH, .batch = true, .frame_seconds = 1 };
  assert_int_equal(rtop_session_memory(&options), RTOP_SESSION_BATCH_BYTES);
  options.frame_seconds = 60;
  assert_int_equal(rtop_session_memory(&options), RTOP_SESSION_MEMORY_BYTES);
  options.frame_seconds = 0; /* everything */
  assert_int_equal(rtop_session_memory(&options), RTOP_SESSION_MEMORY_BYTES);
  options = (struct rtop_options){ .action = RTOP_ACTION_WATCH, .frame_seconds = 1 };
  assert_int_equal(rtop_session_memory(&options), RTOP_SESSION_MEMORY_BYTES);
  options = (struct rtop_options){ .action = RTOP_ACTION_REPLAY, .batch = true, .frame_seconds = 1 };
  assert_int_equal(rtop_session_memory(&options), RTOP_SESSION_REPLAY_BYTES);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_one_process_until_it_ends),
    cmocka_unit_test(test_two_processes_are_merged),
    cmocka_unit_test(test_exec_is_followed),
    cmocka_unit_test(test_restarted),
    cmocka_unit_test(test_dead_ring_is_over_at_once),
    cmocka_unit_test(test_the_end_in_a_recording),
    cmocka_unit_test(test_a_long_batch_holds_little),
    cmocka_unit_test(test_parents_in_a_circle),
    cmocka_unit_test(test_asked_in_vain),
    cmocka_unit_test(test_a_child_is_enough),
    cmocka_unit_test(test_a_command_without_a_channel),
    cmocka_unit_test(test_a_descendant_of_the_command_is_found),
  };
  channel_serve_if_told(argc, argv);
  return cmocka_run_group_tests(tests, setup, channel_remove_folder);
}
