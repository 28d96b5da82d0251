/* The list of processes: what Enter means while the list changes. */
#include "tests/tui/screen_model.h"
#include "tui/app/app_dump.h"
#include "tui/term/screen.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <ncurses.h>

static struct ui ui;
static struct rtop_profile *profile;

static void put(size_t place, pid_t pid, enum rperf_top_process_state state, const char *command)
{
  static struct rperf_top_process rows[UI_LIST_MAX];
  ui.list.processes[place] = &rows[place];
  rows[place] = (struct rperf_top_process){
    .pid = pid,
    .state = state,
    .age_ns = 12000000000,
    .rate_hz = 100,
    .threads = 3,
    .ruby = "3.3.8",
    .command = command,
    .user = "deploy",
    .cores = state == RPERF_TOP_LIVE ? 0.97 : 0,
    .held = state == RPERF_TOP_LIVE ? 0.98 : 0,
    .does = state == RPERF_TOP_LIVE ? "GVL" : "",
    .end = state == RPERF_TOP_DEAD ? "killed, crashed, exit! or exec" : "",
  };
  ui.list.process_count = place + 1 > ui.list.process_count ? place + 1 : ui.list.process_count;
}

static int set_up(void **state)
{
  static const struct screen_case plain = { .rows = 24, .columns = 80 };
  (void)state;
  profile = model_profile();
  model_screen_open(&plain, &ui, profile);
  ui_watch(&ui, NULL);
  ui.list.choosing = true;
  ui_open_view(&ui, VIEW_CHOOSER);
  model_redraw(&ui);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  model_screen_close(&ui, &profile);
  return 0;
}

static void refresh_list(void)
{
  ui.stale = true;
  model_redraw(&ui);
}

static void test_empty(void **state)
{
  (void)state;
  char *text = model_screen_text();
  golden_check("chooser-empty", text);
  free(text);
  model_press(&ui, '\r');
  assert_int_equal(ui.wish.chosen, 0);
}

static void test_empty_but_for_others(void **state)
{
  (void)state;
  for (size_t i = 0; i < RTOP_BARE_MAX; i++)
    ui.list.bare[i] = (struct rtop_bare){ .pid = 4711 + (pid_t)i, .command = "/opt/ruby/bin/ruby app.rb" };
  ui.list.bare_count = 1;
  refresh_list();
  char *text = model_screen_text();
  golden_check("chooser-inject", text);
  free(text);
  ui.list.bare_count = 1000;
  refresh_list();
  text = model_screen_text();
  golden_check("chooser-inject-many", text);
  free(text);
}

static void test_list(void **state)
{
  (void)state;
  put(0, 4711, RPERF_TOP_LIVE, "puma: cluster worker 0: 4700 [shop]");
  put(1, 4712, RPERF_TOP_STALLED, "sidekiq 7.3.9 shop [0 of 10 busy]");
  put(2, 1234567, RPERF_TOP_DEAD, "ruby 注文.rb with a very long command line that does not fit at all");
  refresh_list();
  model_press(&ui, 'j');
  char *text = model_screen_text();
  golden_check("chooser-80x24", text);
  free(text);
}

static void test_enter_means_the_row_that_was_looked_at(void **state)
{
  (void)state;
  put(0, 10, RPERF_TOP_LIVE, "ten");
  refresh_list();
  model_press(&ui, 'k'); /* until then the cursor is on the top row, whose ever that is */
  put(1, 10, RPERF_TOP_LIVE, "ten");
  put(0, 20, RPERF_TOP_LIVE, "twenty");
  refresh_list();
  model_press(&ui, '\r');
  assert_int_equal(ui.wish.chosen, 10);
  model_press(&ui, 'k');
  model_press(&ui, '\n');
  assert_int_equal(ui.wish.chosen, 20);
  ui.list.process_count = 0;
  refresh_list();
  model_press(&ui, '\r');
  assert_int_equal(ui.wish.chosen, 0);
}

static void test_leaving(void **state)
{
  (void)state;
  model_press(&ui, '?');
  model_press(&ui, 'q');
  assert_false(ui.wish.quit);
  assert_int_equal(ui.view->id, VIEW_CHOOSER);
  model_press(&ui, 27);
  assert_true(ui.wish.quit);
}

static void test_short_commands(void **state)
{
  (void)state;
  assert_string_equal(ui_short_command("/opt/ruby 3/bin/ruby app.rb"), "ruby 3/bin/ruby app.rb");
  assert_string_equal(ui_short_command("/opt/bin/ruby /app/a.rb"), "ruby /app/a.rb");
  assert_string_equal(ui_short_command("puma: cluster worker 0: 4700 [/srv/shop]"),
                      "puma: cluster worker 0: 4700 [/srv/shop]");
  assert_string_equal(ui_short_command("ruby /app/a.rb"), "ruby /app/a.rb");
  assert_string_equal(ui_short_command("/"), "/");
  assert_string_equal(ui_short_command("/bin/ x"), "bin/ x");
  assert_string_equal(ui_short_command(""), "");
}

static void test_dump_sizes(void **state)
{
  static const char *const wrong[] = {
    "", "80", "80x", "x24", "0x24", "80x0", "501x24", "80x201", "80x24:", "80x24,a.svg", "-80x24",
  };
  struct app_dump_target target;
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) assert_false(app_dump_parse(&target, wrong[i]));
  assert_true(app_dump_parse(&target, "80x24"));
  assert_true(target.columns == 80 && target.rows == 24 && target.file[0] == '\0' && !target.svg);
  assert_true(app_dump_parse(&target, "160x50:dir.d/a:b.svg"));
  assert_true(target.svg && strcmp(target.file, "dir.d/a:b.svg") == 0);
  assert_false(target.light);
  assert_true(app_dump_parse(&target, "160x50:a.light.svg"));
  assert_true(target.svg && target.light);
  assert_true(app_dump_parse(&target, "160x50:a.txt"));
  assert_false(target.svg);
}

#define VIEW_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
    VIEW_TEST(test_empty),
    VIEW_TEST(test_empty_but_for_others),
    VIEW_TEST(test_list),
    VIEW_TEST(test_enter_means_the_row_that_was_looked_at),
    VIEW_TEST(test_leaving),
    cmocka_unit_test(test_short_commands),
    cmocka_unit_test(test_dump_sizes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
