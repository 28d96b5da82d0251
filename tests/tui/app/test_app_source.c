/* Which process the title tells of, and how many others there are: of recordings, which hold several. */
#include "tests/tui/model_fixture.h"
#include "tests/tui/screen_model.h"

#include "shm/base/error.h"
#include "tui/app/app_source.h"
#include "tui/cli/options.h"
#include "tui/feed/session.h"
#include "tui/recording/recording_write.h"
#include "tui/ui/ui.h"
#include <stdlib.h>
#include <unistd.h>

#define REAL_NS INT64_C(1700000000000000000)

static struct ui ui;
static struct rtop_session *session;
static char path[] = "/tmp/rtop-source-XXXXXX";
static bool drawn;

/* A process of the recording. */
struct teller {
  pid_t pid;
  int windows; /* that it told */
  enum rtop_feed_state state;
};

static void tell(struct rtop_profile *profile, uint32_t source, int at)
{
  struct rtop_window window = { 0 };
  fixture_window(&window, 1000 * MS + at * 100 * MS, 1100 * MS + at * 100 * MS);
  fixture_thread(&window, 1, RTOP_STATE_BLOCKED, 0, 0);
  assert_true(fixture_add(profile, source, &window));
  rtop_window_destroy(&window);
}

static void record(const struct teller *tellers, uint32_t count)
{
  struct rtop_error error = { 0 };
  struct rtop_profile *profile = rtop_profile_create(16 << 20);
  struct rtop_recorder *recorder = rtop_recorder_create(path, profile, 0, &error);
  if (!recorder) fail_msg("%s", error.text);
  for (uint32_t i = 0; i < count; i++) {
    char command[32];
    snprintf(command, sizeof command, "program %u", i);
    struct rtop_feed_info info = { .pid = tellers[i].pid, .command = command, .ruby = "3.3.8", .window_ns = 100 * MS };
    info.clock_offset_ns = REAL_NS;
    info.started_real_ns = REAL_NS + 1000 * MS;
    assert_true(rtop_recorder_source(recorder, i, &info));
    for (int at = 0; at < tellers[i].windows; at++) tell(profile, i, at);
    rtop_recorder_ended(recorder, i, tellers[i].state);
  }
  if (!rtop_recorder_close(&recorder, &error)) fail_msg("%s", error.text);
  rtop_profile_destroy(&profile);
}

/* What is known of the recording. */
static void look(const struct teller *tellers, uint32_t count)
{
  static struct rtop_options options;
  struct rtop_error error = { 0 };
  options.replays[0] = path;
  options.replay_count = 1;
  int fd = mkstemp(path);
  assert_true(fd >= 0 && close(fd) == 0);
  record(tellers, count);
  session = rtop_session_open_replay(path, &error);
  if (!session) fail_msg("%s", error.text);
  rtop_session_poll(session);
  model_ui(&ui, rtop_session_profile(session));
  drawn = true;
  app_source_update(&ui, session, &options);
}

static int tear_down(void **state)
{
  (void)state;
  if (drawn) ui_destroy(&ui);
  rtop_session_close(&session);
  int gone = unlink(path);
  memcpy(path + sizeof path - 7, "XXXXXX", 6);
  return gone;
}

/* A master with its workers: one was killed, another one is in its place, and all that live went on behind the end. */
static void test_first_that_goes_on(void **state)
{
  static const struct teller tellers[] = {
    { 4711, 9, RTOP_FEED_LIVE }, { 4712, 4, RTOP_FEED_DEAD }, { 4713, 9, RTOP_FEED_LIVE }, { 4714, 3, RTOP_FEED_LIVE }
  };
  const struct ui_process *last;
  (void)state;
  look(tellers, 4);
  assert_int_equal(ui.source.main.pid, 4711);
  assert_int_equal(ui.source.processes, 3);
  assert_int_equal(ui_processes_gone(&ui, &last), 1);
  assert_int_equal(last->pid, 4712);
  assert_false(ui_processes_one_tree(&ui)); /* who descends from whom is not recorded */
}

/* A program that became another one is that one. */
static void test_exec(void **state)
{
  static const struct teller tellers[] = { { 4711, 2, RTOP_FEED_DEAD }, { 4711, 9, RTOP_FEED_LIVE } };
  const struct ui_process *last;
  (void)state;
  look(tellers, 2);
  assert_string_equal(ui.source.main.command, "program 1");
  assert_int_equal(ui.source.processes, 1);
  assert_int_equal(ui_processes_gone(&ui, &last), 0);
}

/* All have ended: the one whose end is told, and all that are in the file. */
static void test_all_ended(void **state)
{
  static const struct teller tellers[] = { { 4711, 9, RTOP_FEED_ENDED },
                                           { 4712, 4, RTOP_FEED_DEAD },
                                           { 4713, 8, RTOP_FEED_ENDED } };
  const struct ui_process *last;
  (void)state;
  look(tellers, 3);
  assert_int_equal(ui.source.main.pid, 4711);
  assert_int_equal(ui.source.main.ended_real_ns, REAL_NS + 1900 * MS);
  assert_int_equal(ui.source.processes, 3);
  assert_int_equal(ui_processes_gone(&ui, &last), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_teardown(test_first_that_goes_on, tear_down),
    cmocka_unit_test_teardown(test_exec, tear_down),
    cmocka_unit_test_teardown(test_all_ended, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
