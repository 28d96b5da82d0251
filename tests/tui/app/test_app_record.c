#include "tests/tui/channel_fixture.h"

#include "shm/base/error.h"
#include "tui/app/app_record.h"
#include "tui/cli/options.h"
#include <glob.h>

static struct ui ui;
static struct channel channel;
static struct rtop_session *session;
static char folder[] = "/tmp/rtop-record-XXXXXX";

static int set_up(void **state)
{
  (void)state;
  memset(&ui, 0, sizeof ui);
  channel_open(&channel);
  channel_tell(&channel, "ww");
  session = rtop_session_open_pid(channel.pid, 100, false, NULL);
  ui.profile = rtop_session_profile(session);
  ui.source.main.pid = channel.pid;
  ui.now_real_ns = INT64_C(1700000000000000000);
  rtop_session_poll(session);
  return session ? 0 : -1;
}

static int tear_down(void **state)
{
  (void)state;
  rtop_session_close(&session);
  channel_kill(&channel);
  return system("rm -f rperf-top-*.rpt saved.rpt");
}

static void press(void)
{
  ui.wish.record.toggle = true;
  app_record(&ui, session);
  assert_false(ui.wish.record.toggle);
}

static size_t files(char *path, size_t bytes)
{
  glob_t found = { 0 };
  glob("*.rpt", 0, NULL, &found);
  size_t count = found.gl_pathc;
  if (count > 0) snprintf(path, bytes, "%s", found.gl_pathv[0]);
  globfree(&found);
  return count;
}

static size_t windows_of(const char *path)
{
  struct rtop_window_summary windows[64];
  struct rtop_error error = { 0 };
  struct rtop_session *replay = rtop_session_open_replay(path, &error);
  if (!replay) fail_msg("%s", error.text);
  rtop_session_poll(replay);
  assert_int_equal(rtop_session_state(replay), RTOP_FEED_REPLAY);
  assert_true(rtop_session_over(replay));
  assert_int_equal(rtop_session_info(replay, 0)->pid, channel.pid);
  struct rtop_profile *profile = rtop_session_profile(replay);
  size_t count = rtop_profile_windows(profile, rtop_profile_bounds(profile), windows, 64);
  rtop_session_close(&replay);
  return count;
}

static void test_start_and_stop(void **state)
{
  (void)state;
  char path[256];
  press();
  assert_non_null(rtop_session_recorder(session));
  assert_non_null(strstr(ui.message, "recording to rperf-top-"));
  channel_tell(&channel, "www");
  rtop_session_poll(session);
  press();
  assert_null(rtop_session_recorder(session));
  assert_non_null(strstr(ui.message, "recorded rperf-top-"));
  assert_int_equal(files(path, sizeof path), 1);
  assert_int_equal(windows_of(path), 3); /* what came meanwhile */
}

static void test_nothing_came(void **state)
{
  (void)state;
  char path[256];
  press();
  press();
  assert_non_null(strstr(ui.message, "nothing was recorded"));
  assert_int_equal(files(path, sizeof path), 0);
}

static void test_a_file_of_that_name(void **state)
{
  (void)state;
  char path[256];
  app_record_name(path, sizeof path, channel.pid, ui.now_real_ns);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fclose(file);
  press();
  assert_null(rtop_session_recorder(session));
  assert_non_null(strstr(ui.message, "already exists"));
}

static void test_save_what_is_held(void **state)
{
  (void)state;
  ui.span = rtop_profile_bounds(ui.profile);
  strcpy(ui.wish.record.path, "saved.rpt");
  app_record(&ui, session);
  assert_string_equal(ui.message, "wrote saved.rpt");
  assert_string_equal(ui.wish.record.path, "");
  assert_int_equal(windows_of("saved.rpt"), 2);
  strcpy(ui.wish.record.path, "/nowhere/saved.rpt");
  app_record(&ui, session);
  assert_non_null(strstr(ui.message, "cannot write /nowhere/saved.rpt"));
}

/* Leaving without stopping ends the recording as it should be. */
static void test_closing_ends_it(void **state)
{
  (void)state;
  char path[256];
  press();
  channel_tell(&channel, "w");
  rtop_session_poll(session);
  rtop_session_close(&session);
  assert_int_equal(files(path, sizeof path), 1);
  assert_int_equal(windows_of(path), 1);
}

static void test_a_process_that_ended(void **state)
{
  (void)state;
  channel_tell(&channel, "x");
  for (int i = 0; i < 6000 && !rtop_session_over(session); i++) {
    rtop_session_poll(session);
    usleep(10000);
  }
  press();
  assert_null(rtop_session_recorder(session));
  assert_non_null(strstr(ui.message, "nothing to record"));
}

static int make_folders(void **state)
{
  if (!mkdtemp(folder) || chdir(folder) != 0) return -1;
  return channel_folder(state);
}

static int remove_folders(void **state)
{
  return chdir("/") == 0 && rmdir(folder) == 0 ? channel_remove_folder(state) : -1;
}

#define RECORD_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(int argc, char **argv)
{
  channel_serve_if_told(argc, argv);
  const struct CMUnitTest tests[] = {
    RECORD_TEST(test_start_and_stop),    RECORD_TEST(test_nothing_came),    RECORD_TEST(test_a_file_of_that_name),
    RECORD_TEST(test_save_what_is_held), RECORD_TEST(test_closing_ends_it), RECORD_TEST(test_a_process_that_ended),
  };
  return cmocka_run_group_tests(tests, make_folders, remove_folders);
}
