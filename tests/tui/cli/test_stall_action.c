/* What is done about stalls, with stalls made by hand and a recording as the session. */
#include "tests/tui/recording_fixture.h"

#include "tui/cli/options.h"
#include "tui/cli/stall_action.h"
#include "tui/feed/session.h"
#include <glob.h>
#include <time.h>

static struct rtop_session *session;
static struct stall_action action;
static struct stall list[4];
static struct stalls stalls;
static struct rtop_span held;

static int set_up(void **state)
{
  struct rtop_error error = { 0 };
  if (recording_folder_make(state) != 0) return -1;
  setenv("TMPDIR", recording_folder, 1);
  struct life life = life_record(recording_path("life.rpt"), 100, 1, 0);
  life_end(&life);
  session = rtop_session_open_replay(recording_path("life.rpt"), &error);
  if (!session) return -1;
  rtop_session_poll(session);
  held = rtop_profile_bounds(rtop_session_profile(session));
  stalls = (struct stalls){ .list = list };
  return 0;
}

static int tear_down(void **state)
{
  stall_action_close(&action, session, &stalls);
  rtop_session_close(&session);
  return recording_folder_remove(state);
}

static void open_action(const char *command, const char *folder)
{
  struct rtop_options options = { .on_stall = command, .save_on_stall = folder };
  stall_action_open(&action, &options);
}

static void poll_action(bool more)
{
  stall_action_poll(&action, session, &stalls, more);
}

static void found(enum stall_cause cause, bool goes_on)
{
  list[stalls.count++] = (struct stall){
    .id = ++stalls.found,
    .cause = cause,
    .start_ns = held.start_ns + 1000 * MS,
    .end_ns = held.start_ns + 3500 * MS,
    .open = goes_on,
    .thread = "worker 3",
    .mark = "",
  };
}

static size_t files(const char *pattern)
{
  glob_t matches = { 0 };
  size_t count = glob(recording_path(pattern), 0, NULL, &matches) == 0 ? matches.gl_pathc : 0;
  globfree(&matches);
  return count;
}

/* Until the command that runs is done; fails after a minute. */
static void await_command(void)
{
  struct timespec pause = { .tv_nsec = 5 * MS };
  for (int i = 0; action.running; i++) {
    assert_true(i < 12000);
    nanosleep(&pause, NULL);
    poll_action(false);
  }
}

static const char write_down[] =
    "echo \"$RPERF_TOP_STALL_CAUSE|$RPERF_TOP_STALL_THREAD|$RPERF_TOP_STALL_SECONDS|$RPERF_TOP_STALL_PID|"
    "$RPERF_TOP_STALL_START\" >> \"$TMPDIR/told\"";

static void assert_told(const char *wanted)
{
  size_t bytes;
  unsigned char *text = recording_load_file(recording_path("told"), &bytes);
  assert_int_equal(bytes, strlen(wanted));
  assert_memory_equal(text, wanted, bytes);
  free(text);
}

static void test_nothing_for_the_history(void **state)
{
  (void)state;
  open_action(write_down, recording_folder);
  found(STALL_GC, false);
  poll_action(true);
  assert_false(action.armed);
  poll_action(false);
  assert_true(action.armed);
  poll_action(false);
  assert_int_equal(action.running, 0);
  assert_int_equal(action.saved, 0);
  assert_string_equal(action.said, "");
}

static void test_the_command_is_told(void **state)
{
  (void)state;
  open_action(write_down, NULL);
  poll_action(false);
  found(STALL_BLOCKED, false);
  poll_action(false);
  assert_true(action.running > 0);
  assert_non_null(strstr(action.said, "blocked"));
  await_command();
  assert_told("blocked|worker 3|2.5|4711|1700000002.000\n");
  poll_action(false); /* once only */
  assert_int_equal(action.running, 0);
}

static void test_one_at_a_time(void **state)
{
  (void)state;
  open_action("echo x >> \"$TMPDIR/told\"; while [ ! -e \"$TMPDIR/go\" ]; do sleep 0.01; done", NULL);
  poll_action(false);
  found(STALL_GC, false);
  poll_action(false);
  pid_t first = action.running;
  assert_true(first > 0);
  found(STALL_WAITING, false);
  poll_action(false);
  assert_int_equal(action.running, first);
  recording_save_file(recording_path("go"), "", 0);
  await_command();
  poll_action(false);
  assert_int_equal(action.running, 0);
  assert_told("x\n");
}

static void test_marks_are_no_stalls(void **state)
{
  (void)state;
  open_action(write_down, recording_folder);
  poll_action(false);
  found(STALL_MARK, false);
  poll_action(false);
  assert_int_equal(action.running, 0);
  assert_int_equal(files("stall-*.rpt"), 0);
}

static void test_the_log(void **state)
{
  (void)state;
  open_action("echo words; echo more >&2", NULL);
  poll_action(false);
  found(STALL_GC, false);
  poll_action(false);
  await_command();
  stall_action_close(&action, session, &stalls);
  assert_int_equal(files("rperf-top-*-stall-*.log"), 1);
  open_action("true", NULL); /* an empty one is not left behind */
  poll_action(false);
  found(STALL_GC, false);
  poll_action(false);
  await_command();
  stall_action_close(&action, session, &stalls);
  assert_int_equal(files("rperf-top-*-stall*.log"), 1);
}

/* When it is over; one that goes on, at the end. */
static void test_recordings_are_saved(void **state)
{
  (void)state;
  struct rtop_error error = { 0 };
  glob_t matches = { 0 };
  open_action(NULL, recording_folder);
  poll_action(false);
  found(STALL_BLOCKED, false);
  found(STALL_GC, true);
  poll_action(false);
  assert_int_equal(action.saved, 1);
  assert_int_equal(files("stall-4711-*-blocked-1.rpt"), 1);
  assert_non_null(strstr(action.said, "saved "));
  stall_action_close(&action, session, &stalls);
  assert_int_equal(files("stall-4711-*.rpt"), 2);
  assert_int_equal(glob(recording_path("stall-4711-*-blocked-1.rpt"), 0, NULL, &matches), 0);
  struct rtop_session *saved = rtop_session_open_replay(matches.gl_pathv[0], &error);
  assert_non_null(saved);
  rtop_session_poll(saved);
  struct rtop_span span = rtop_profile_bounds(rtop_session_profile(saved));
  assert_int_equal(span.start_ns, held.start_ns);
  assert_in_range(span.end_ns - held.start_ns, 4400 * MS, 4600 * MS);
  rtop_session_close(&saved);
  globfree(&matches);
}

static void test_where_nothing_can_be_saved(void **state)
{
  (void)state;
  open_action(NULL, "/proc/nothing");
  poll_action(false);
  found(STALL_GC, false);
  poll_action(false);
  assert_int_equal(action.saved, 0);
  assert_true(action.said[0] != '\0');
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_nothing_for_the_history, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_the_command_is_told, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_one_at_a_time, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_marks_are_no_stalls, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_the_log, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_recordings_are_saved, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_where_nothing_can_be_saved, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
