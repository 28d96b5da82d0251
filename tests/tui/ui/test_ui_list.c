/* The list that the chooser shows is that of the library, read again and again. */
#include "tests/tui/channel_fixture.h"

#include "tui/ui/ui.h"

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

int main(int argc, char **argv)
{
  channel_serve_if_told(argc, argv);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_read_and_forgotten),
  };
  return cmocka_run_group_tests(tests, channel_folder, channel_remove_folder);
}
