#include "tests/tui/screen_fixture.h"
#include "tui/cli/options.h"
#include "tui/term/theme.h"
#include "tui/ui/ui_settings.h"

static int tear_down_theme(void **state)
{
  theme_use(THEME_DEFAULT);
  return tear_down(state);
}

static const char *value_of(const char *name)
{
  static char text[UI_SETTING_BYTES];
  int index = ui_setting_find(name);
  assert_true(index >= 0);
  ui_setting_get(&ui, index, text, sizeof text);
  return text;
}

static bool set(const char *name, const char *value)
{
  const char *problem = NULL;
  bool taken = ui_setting_set(&ui, ui_setting_find(name), value, &problem);
  assert_true(taken || problem != NULL);
  return taken;
}

/* Whatever a setting says of itself it also takes. */
static void test_what_is_got_can_be_set(void **state)
{
  (void)state;
  for (int i = 0; i < ui_settings_count(); i++) {
    char before[UI_SETTING_BYTES], after[UI_SETTING_BYTES], values[UI_SETTING_BYTES];
    const char *problem;
    ui_setting_get(&ui, i, before, sizeof before);
    assert_true(ui_setting_set(&ui, i, before, &problem));
    ui_setting_get(&ui, i, after, sizeof after);
    assert_string_equal(after, before);
    ui_setting_values(i, values, sizeof values);
    assert_true(values[0] != '\0' && ui_setting_help(i)[0] != '\0');
    for (char *value = strtok(values, ", "); value != NULL && strchr(value, ' ') == NULL; value = strtok(NULL, ", ")) {
      if (ui_setting_set(&ui, i, value, &problem)) {
        ui_setting_get(&ui, i, after, sizeof after);
        assert_string_equal(after, value);
      }
    }
    model_redraw(&ui);
  }
}

static void test_every_value_has_its_effect(void **state)
{
  (void)state;
  assert_true(set("sort", "total-cpu") && ui.wanted.sort == RTOP_SORT_TOTAL_CPU);
  assert_true(set("reverse", "on") && ui.wanted.reverse);
  assert_true(set("frame", "all") && ui.length_ns == 0);
  assert_true(set("frame", "2.5") && ui.length_ns == 2500000000);
  assert_string_equal(value_of("frame"), "2.5");
  assert_true(set("delay", "0.5") && ui.delay_seconds == 0.5);
  assert_true(set("mode", "cpu") && ui.wanted.mode == RTOP_MODE_CPU);
  assert_true(set("units", "samples") && ui.look.units == UNITS_SAMPLES);
  assert_true(set("columns", "self,gc") && ui.look.columns.count == 3);
  assert_true(set("header", "off") && !ui.look.header);
  assert_true(set("footer", "off") && ui.look.footer == FOOTER_OFF);
  assert_true(set("idle", "off") && ui.focus.no_idle);
  assert_true(set("theme", "blue") && theme_used() == THEME_BLUE);
  assert_true(set("view", "skyline") && ui.first_view == VIEW_SKYLINE);
  assert_true(set("mouse", "on") && ui.look.mouse);
  assert_true(set("mouse", "off") && !ui.look.mouse);
}

static void test_bad_values_change_nothing(void **state)
{
  static const char *const bad[][2] = {
    { "sort", "size" },  { "sort", "" },     { "reverse", "yes" }, { "frame", "0" },
    { "frame", "1x" },   { "frame", "nan" }, { "frame", "inf" },   { "frame", "" },
    { "delay", "0.01" }, { "delay", "1e9" }, { "theme", "pink" },  { "columns", "self,moon" },
    { "view", "help" },  { "mouse", "1" },
  };
  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    char before[UI_SETTING_BYTES];
    snprintf(before, sizeof before, "%s", value_of(bad[i][0]));
    if (set(bad[i][0], bad[i][1])) fail_msg("%s took '%s'", bad[i][0], bad[i][1]);
    assert_string_equal(value_of(bad[i][0]), before);
  }
  assert_int_equal(ui_setting_find("Sort"), -1);
  assert_int_equal(ui_setting_find(""), -1);
}

static void test_what_the_command_line_gave(void **state)
{
  (void)state;
  assert_true(ui_setting_given(ui_setting_find("sort"), RTOP_GIVEN_SORT | RTOP_GIVEN_VIEW));
  assert_false(ui_setting_given(ui_setting_find("sort"), RTOP_GIVEN_VIEW));
  assert_false(ui_setting_given(ui_setting_find("units"), ~0u));
}

/* The menu: one after the other, back, by typing, for good. */
static void test_menu(void **state)
{
  (void)state;
  model_press(&ui, 'S');
  assert_true(ui.ask.menu.open && ui.ask.menu_for == UI_MENU_SETUP);
  model_press(&ui, '\r');
  assert_string_equal(value_of("view"), "tree");
  model_press(&ui, KEY_LEFT | KEY_FUNCTION);
  model_press(&ui, KEY_LEFT | KEY_FUNCTION);
  assert_string_not_equal(value_of("view"), "methods");
  model_press(&ui, ' ');
  assert_string_equal(value_of("view"), "methods");
  assert_true(ui.ask.menu.open);
  model_type(&ui, "jjj\r"); /* frame */
  assert_false(ui.ask.menu.open);
  assert_int_equal(ui.ask.prompting, UI_PROMPT_COMMAND);
  assert_string_equal(ui.ask.prompt.text, "set frame 1");
  model_press(&ui, 27);
  model_type(&ui, "SW");
  assert_string_equal(ui.wish.command, "write-settings");
  model_press(&ui, 27);
  assert_false(ui.ask.menu.open);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_what_is_got_can_be_set, set_up, tear_down_theme),
    cmocka_unit_test_setup_teardown(test_every_value_has_its_effect, set_up, tear_down_theme),
    cmocka_unit_test_setup_teardown(test_bad_values_change_nothing, set_up, tear_down_theme),
    cmocka_unit_test_setup_teardown(test_what_the_command_line_gave, set_up, tear_down_theme),
    cmocka_unit_test_setup_teardown(test_menu, set_up, tear_down_theme),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
