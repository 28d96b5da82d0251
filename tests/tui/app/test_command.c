#include "tests/tui/screen_model.h"
#include "tui/app/command.h"
#include "tui/export/file_formats.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static const struct screen_case plain = { .rows = 24, .columns = 80 };
static struct ui ui;
static struct rtop_profile *profile;
static char folder[64];

static int set_up(void **state)
{
  (void)state;
  strcpy(folder, "/tmp/rtop-command.XXXXXX");
  if (mkdtemp(folder) == NULL) return -1;
  profile = model_profile();
  model_screen_open(&plain, &ui, profile);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  char line[128];
  snprintf(line, sizeof line, "rm -rf '%s'", folder);
  model_screen_close(&ui, &profile);
  return system(line);
}

static void run(const char *format, ...)
{
  char line[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  command_run(&ui, line);
}

static char *content(const char *name)
{
  char path[128], *text = calloc(1, 1 << 20);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *in = fopen(path, "re");
  if (in == NULL) {
    free(text);
    return NULL;
  }
  assert_non_null(text);
  text[fread(text, 1, (1 << 20) - 1, in)] = '\0';
  fclose(in);
  return text;
}

static void check_is_screen(const char *name)
{
  ui.message[0] = '\0';
  model_redraw(&ui);
  char *screen = model_screen_text(), *text = content(name);
  assert_non_null(text);
  assert_string_equal(text, screen);
  free(screen);
  free(text);
}

static void test_saves_the_screen_as_text(void **state)
{
  (void)state;
  ui_say(&ui, "an old message");
  run("save-display %s/a file.txt", folder);
  assert_non_null(strstr(ui.message, "wrote"));
  check_is_screen("a file.txt");
  run("  export   screen %s/b.txt", folder);
  check_is_screen("b.txt");
}

/* As people type them in other programs. */
static void test_help_quit_and_set_alone(void **state)
{
  (void)state;
  run("set");
  assert_non_null(strstr(ui.message, "F2"));
  run("help");
  assert_int_equal(ui.view->id, VIEW_HELP);
  assert_false(ui.wish.quit);
  run("q");
  assert_true(ui.wish.quit);
}

/* Only time in some states, until it is all again; the tabs say so. */
static void test_states(void **state)
{
  (void)state;
  run("state waiting");
  model_redraw(&ui);
  assert_true(shows("waiting"));
  assert_int_equal(ui.lens.states, 1u << RTOP_STATE_WAITING);
  run("state blocked,gc");
  assert_true(ui.lens.states & 1u << RTOP_STATE_BLOCKED);
  assert_false(ui.lens.states & 1u << RTOP_STATE_WAITING);
  run("state nowhere");
  assert_non_null(strstr(ui.message, "state takes running"));
  assert_true(ui.lens.states & 1u << RTOP_STATE_BLOCKED);
  model_press(&ui, 27);
  assert_int_equal(ui.lens.states, 0);
  run("state running");
  run("state all");
  assert_int_equal(ui.lens.states, 0);
}

static void test_saves_the_screen_as_a_picture(void **state)
{
  (void)state;
  run("export svg %s/a.svg", folder);
  run("ex svg %s/a.light.svg", folder);
  char *dark = content("a.svg"), *light = content("a.light.svg");
  assert_non_null(dark);
  assert_non_null(light);
  assert_non_null(strstr(dark, "OrdersController#index"));
  assert_non_null(strstr(dark, "</svg>"));
  assert_non_null(strstr(dark, "rx=\"6\" fill=\"#1b1e24\""));
  assert_non_null(strstr(light, "rx=\"6\" fill=\"#ffffff\""));
  free(dark);
  free(light);
  run("view skyline");
  model_redraw(&ui);
  run("export svg %s/city.svg", folder);
  dark = content("city.svg");
  assert_non_null(strstr(dark, "fill-opacity")); /* shades are no text: fonts leave gaps */
  assert_null(strstr(dark, "\xe2\x96\x92<"));
  free(dark);
}

/* Every format of the command line can be had from the screen; what is filtered is left out of it. */
static void test_exports_what_is_shown(void **state)
{
  (void)state;
  for (int i = 0; i < RTOP_FILE_FORMATS; i++) {
    run("export %s %s/profile", rtop_file_format_name((enum rtop_file_format)i), folder);
    if (strncmp(ui.message, "wrote ", 6) != 0) fail_msg("%s", ui.message);
    char *text = content("profile");
    assert_true(text != NULL && text[0] != '\0');
    free(text);
  }
  run("export collapsed %s/all", folder);
  char *text = content("all");
  assert_non_null(strstr(text, "Queue#pop"));
  free(text);
  model_type(&ui, "3");
  ui_focus_only(&ui, &ui.sum.threads[1]);
  model_redraw(&ui);
  run("export collapsed %s/one", folder);
  text = content("one");
  assert_non_null(text);
  assert_null(strstr(text, "IO.select"));
  assert_non_null(strstr(text, "OrdersController#index"));
  free(text);
  run("export collapsed %s/x.gz", folder);
  text = content("x.gz");
  assert_memory_equal(text, "\x1f\x8b", 2);
  free(text);
}

static void test_home_is_found(void **state)
{
  (void)state;
  setenv("HOME", folder, 1);
  run("save-display ~/home.txt");
  check_is_screen("home.txt");
}

static void test_what_cannot_be_written_is_said(void **state)
{
  (void)state;
  run("export svg /nowhere/at/all.svg");
  assert_non_null(strstr(ui.message, "cannot write /nowhere/at/all.svg: No such file"));
  run("save-display");
  assert_non_null(strstr(ui.message, "file name"));
  run("export gif %s/a.gif", folder);
  assert_null(content("a.gif"));
  assert_non_null(strstr(ui.message, "export "));
}

static void test_unknown_and_ambiguous_commands(void **state)
{
  (void)state;
  ui.message[0] = '\0';
  run("");
  run("   ");
  assert_string_equal(ui.message, "");
  run("frobnicate now");
  assert_non_null(strstr(ui.message, "frobnicate is not one of:"));
  ui.view = ui_view(VIEW_METHODS);
  run("view skyline");
  assert_int_equal(ui.view->id, VIEW_SKYLINE);
  run("v methods");
  assert_int_equal(ui.view->id, VIEW_METHODS);
  run("view nothing");
  assert_non_null(strstr(ui.message, "no view nothing"));
}

/* The loop traces it, or says why not. */
static void test_methods_to_trace(void **state)
{
  (void)state;
  static const char *const right[] = { "Integer#gcd", "IO.select", "Integer#gcd,force" };
  static const char *const wrong[] = { "gcd", "Integer#", "Integer#,force", ",force", "" };
  for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
    run("trace %s", right[i]);
    assert_string_equal(ui.wish.trace, right[i]);
  }
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    ui.wish.trace[0] = '\0';
    run("trace %s", wrong[i]);
    assert_string_equal(ui.wish.trace, "");
    assert_string_equal(ui.message, "trace Class#method, or Class.method");
  }
}

static void test_the_prompt_hands_the_line_to_the_loop(void **state)
{
  (void)state;
  ui.wish.command[0] = '\0';
  model_press(&ui, ':');
  model_type(&ui, "view tree");
  assert_true(shows("\n:view tree\n"));
  assert_string_equal(ui.wish.command, "");
  model_press(&ui, '\r');
  assert_string_equal(ui.wish.command, "view tree");
  ui.wish.command[0] = '\0';
  model_press(&ui, 'x');
  assert_string_equal(ui.ask.prompt.text, "export ");
  model_press(&ui, 27);
  assert_string_equal(ui.wish.command, "");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_saves_the_screen_as_text, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_saves_the_screen_as_a_picture, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_help_quit_and_set_alone, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_states, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_exports_what_is_shown, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_home_is_found, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_what_cannot_be_written_is_said, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_unknown_and_ambiguous_commands, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_methods_to_trace, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_the_prompt_hands_the_line_to_the_loop, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
