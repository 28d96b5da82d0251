/* The list that the chooser shows is that of the library, read again and again. */
#include "tests/tui/channel_fixture.h"

#include "shm/base/liveness.h"
#include "shm/segment/registry.h"
#include "tui/feed/feed.h"
#include "tui/ui/ui.h"
#include <fcntl.h>

static struct ui ui;

static void test_read_and_forgotten(void **state)
{
  struct channel first, second;
  (void)state;
  ui_list_forget(&ui); /* nothing yet */
  channel_open(&first);
  channel_tell(&first, "w");
  for (int i = 0; i < 3; i++) {
    ui_list_read(&ui);
    assert_int_equal(ui.list.process_count, 1);
    assert_int_equal(ui.list.processes[0]->pid, first.pid);
    assert_string_equal(ui.list.processes[0]->command, "ruby te?st.rb");
    assert_int_equal(ui.list.processes[0]->state, RPERF_TOP_LIVE);
  }
  channel_open(&second);
  channel_tell(&second, "w");
  channel_kill(&first);
  ui_list_read(&ui);
  assert_int_equal(ui.list.process_count, 2);
  assert_int_equal(ui.list.processes[0]->pid, second.pid);
  assert_int_equal(ui.list.processes[1]->state, RPERF_TOP_DEAD);
  ui_list_forget(&ui);
  assert_int_equal(ui.list.process_count, 0);
  assert_null(ui.list.owner);
  ui_list_forget(&ui);
  channel_kill(&second);
}

/* Another process is asked: nobody sees locks of its own. */
static bool is_watched(const char *path)
{
  int status;
  pid_t pid = fork();
  if (pid == 0) _exit(rtop_liveness_watched(open(path, O_RDWR | O_CLOEXEC)) ? 3 : 4);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status) && (WEXITSTATUS(status) == 3 || WEXITSTATUS(status) == 4));
  return WEXITSTATUS(status) == 3;
}

/* How a process is, told without its knowing: nobody holds the lock of viewers. */
static void test_judged_unwatched(void **state)
{
  struct channel live;
  struct rtop_registry_entry entry;
  (void)state;
  channel_open(&live);
  channel_tell(&live, "bbbbbbbb");
  ui_list_read(&ui);
  assert_true(ui.list.process_count > 0 && ui.list.processes[0]->pid == live.pid);
  assert_non_null(ui.list.doctor[0]);
  assert_true(ui.list.doctor[0]->held > 0.9 && ui.list.doctor[0]->verdict.kind == VERDICT_RUNNING);
  assert_non_null(ui.list.symbols);
  assert_int_equal(rtop_registry_find(live.pid, &entry, NULL), 0);
  assert_false(is_watched(entry.path));
  struct rtop_feed *feed = rtop_feed_open_process(live.pid, 0, 0, NULL);
  assert_non_null(feed);
  assert_true(is_watched(entry.path));
  rtop_feed_close(&feed);
  channel_tell(&live, "ss");
  channel_kill(&live);
  ui_list_read(&ui);
  assert_null(ui.list.doctor[0]);
  assert_int_not_equal(ui.list.processes[0]->state, RPERF_TOP_LIVE);
  ui_list_forget(&ui);
}

int main(int argc, char **argv)
{
  channel_serve_if_told(argc, argv);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_read_and_forgotten),
    cmocka_unit_test(test_judged_unwatched),
  };
  return cmocka_run_group_tests(tests, channel_folder, channel_remove_folder);
}
