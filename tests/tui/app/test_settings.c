#include "tests/tui/screen_model.h"
#include "tui/app/settings.h"
#include "tui/cli/options.h"
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
static struct rtop_options options;
static char folder[64], file[128];

static int set_up(void **state)
{
  (void)state;
  strcpy(folder, "/tmp/rtop-settings.XXXXXX");
  if (mkdtemp(folder) == NULL) return -1;
  snprintf(file, sizeof file, "%s/config", folder);
  unsetenv("RPERF_TOP_CONFIG");
  setenv("XDG_CONFIG_HOME", folder, 1);
  options = (struct rtop_options){ .config = file };
  profile = model_profile();
  model_screen_open(&plain, &ui, profile);
  ui.message[0] = '\0';
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

static void write_text(const char *text, size_t bytes)
{
  FILE *out = fopen(file, "we");
  assert_non_null(out);
  assert_int_equal(fwrite(text, 1, bytes, out), bytes);
  fclose(out);
}

static void load(const char *text)
{
  write_text(text, strlen(text));
  ui.message[0] = '\0';
  settings_load(&ui, &options);
}

static char *content(const char *path)
{
  static char text[1 << 16];
  FILE *in = fopen(path, "re");
  if (in == NULL) return NULL;
  text[fread(text, 1, sizeof text - 1, in)] = '\0';
  fclose(in);
  return text;
}

static void test_where_it_is(void **state)
{
  (void)state;
  char path[256];
  struct rtop_options plainly = { 0 };
  assert_true(settings_path(&options, path, sizeof path));
  assert_string_equal(path, file);
  setenv("XDG_CONFIG_HOME", "/x/y", 1);
  assert_true(settings_path(&plainly, path, sizeof path));
  assert_string_equal(path, "/x/y/rperf-top/config");
  setenv("XDG_CONFIG_HOME", "not/absolute", 1);
  setenv("HOME", "/home/me", 1);
  assert_true(settings_path(&plainly, path, sizeof path));
  assert_string_equal(path, "/home/me/.config/rperf-top/config");
  setenv("RPERF_TOP_CONFIG", "/z/mine", 1);
  assert_true(settings_path(&plainly, path, sizeof path));
  assert_string_equal(path, "/z/mine");
  assert_true(settings_path(&options, path, sizeof path));
  assert_string_equal(path, file);
  setenv("RPERF_TOP_CONFIG", "none", 1);
  assert_false(settings_path(&plainly, path, sizeof path));
  unsetenv("RPERF_TOP_CONFIG");
  unsetenv("XDG_CONFIG_HOME");
  unsetenv("HOME");
  assert_false(settings_path(&plainly, path, sizeof path));
}

static void test_read(void **state)
{
  (void)state;
  load("# a comment\n\n  sort =  total \r\nunits=time\n\tcolumns\t=\tself,gc\nframe = 10");
  assert_string_equal(ui.message, "");
  assert_int_equal(ui.wanted.sort, RTOP_SORT_TOTAL);
  assert_int_equal(ui.look.units, UNITS_TIME);
  assert_int_equal(ui.look.columns.count, 3);
  assert_int_equal(ui.length_ns, 10000000000);
}

static void test_the_command_line_wins(void **state)
{
  (void)state;
  ui.wanted.sort = RTOP_SORT_GC;
  options.given = RTOP_GIVEN_SORT;
  load("sort = total\nmode = cpu\n");
  assert_int_equal(ui.wanted.sort, RTOP_SORT_GC);
  assert_int_equal(ui.wanted.mode, RTOP_MODE_CPU);
}

/* The first thing that is wrong is told, the rest is taken all the same. */
static void test_bad_lines_are_told_and_skipped(void **state)
{
  (void)state;
  load("units = time\nsortt = total\nsort = nothing\nmode = cpu\n");
  assert_non_null(strstr(ui.message, ":2: there is no setting 'sortt'"));
  assert_int_equal(ui.wanted.mode, RTOP_MODE_CPU);
  load("just words\n");
  assert_non_null(strstr(ui.message, ":1: no 'name = value'"));
  load("=\n= =\n=x");
  assert_non_null(strstr(ui.message, ":1: there is no setting ''"));
  load("\033]0;evil\a\033[2J = 1\n");
  assert_null(strchr(ui.message, '\033'));
  assert_null(strchr(ui.message, '\a'));
  char *endless = calloc(1, 8192);
  memset(endless, 'x', 8000);
  strcpy(endless + 8000, "\nmode = wall\n");
  load(endless);
  assert_non_null(strstr(ui.message, ":1: too long"));
  assert_int_equal(ui.wanted.mode, RTOP_MODE_WALL);
  free(endless);
}

/* Anything at all may stand there: the settings are kept beside it, and keeping them again changes
 * nothing. */
static void test_garbage(void **state)
{
  unsigned seed = 3;
  char bytes[3000];
  (void)state;
  for (int round = 0; round < 300; round++) {
    for (size_t i = 0; i < sizeof bytes; i++) {
      int dice = rand_r(&seed) % 8;
      bytes[i] = (char)(dice == 0 ? '\n' : dice == 1 ? '=' : 1 + rand_r(&seed) % 255); /* with a NUL it is no text */
    }
    write_text(bytes, (size_t)rand_r(&seed) % sizeof bytes);
    settings_load(&ui, &options);
    settings_save(&ui, &options);
    char *kept = strdup(content(file));
    assert_true(strstr(kept, "\nsort = self\n") != NULL && strstr(kept, "\nframe = 1\n") != NULL);
    settings_load(&ui, &options);
    settings_save(&ui, &options);
    assert_string_equal(content(file), kept);
    free(kept);
  }
  model_redraw(&ui);
  assert_true(shows("SELF%") && shows("[LIVE]"));
}

static void test_what_is_no_file_is_refused(void **state)
{
  (void)state;
  assert_int_equal(mkdir(file, 0700), 0);
  settings_load(&ui, &options);
  assert_non_null(strstr(ui.message, "settings /tmp/"));
  settings_save(&ui, &options);
  assert_non_null(strstr(ui.message, "cannot save settings"));
  assert_int_equal(rmdir(file), 0);
  assert_int_equal(mkfifo(file, 0600), 0);
  settings_load(&ui, &options); /* does not wait for a writer */
  settings_save(&ui, &options);
  assert_non_null(strstr(ui.message, "cannot save settings"));
  unlink(file);
  write_text("sort = gc\n\0units = time\n", 24);
  settings_load(&ui, &options);
  assert_non_null(strstr(ui.message, "Invalid argument"));
  assert_int_equal(ui.wanted.sort, RTOP_SORT_SELF);
  char *large = malloc(70000);
  memset(large, '\n', 70000);
  write_text(large, 70000);
  settings_load(&ui, &options);
  assert_non_null(strstr(ui.message, "large"));
  free(large);
  unlink(file);
  ui.message[0] = '\0';
  settings_load(&ui, &options); /* asked for, and not there */
  assert_non_null(strstr(ui.message, "No such file"));
  options.config = NULL;
  ui.message[0] = '\0';
  settings_load(&ui, &options);
  assert_string_equal(ui.message, "");
}

/* Read beforehand, it may be out of reach when the screen opens; and is read once. */
static void test_read_beforehand(void **state)
{
  (void)state;
  write_text("sort = total\n", 13);
  settings_read(&options);
  write_text("sort = alloc\n", 13);
  settings_load(&ui, &options);
  assert_int_equal(ui.wanted.sort, RTOP_SORT_TOTAL);
  settings_load(&ui, &options);
  assert_int_equal(ui.wanted.sort, RTOP_SORT_ALLOC);
}

static void test_written_and_read_again(void **state)
{
  struct stat status;
  (void)state;
  snprintf(file, sizeof file, "%s/a/b/config", folder);
  ui.wanted.sort = RTOP_SORT_BLAME;
  ui.look.units = UNITS_SAMPLES;
  ui.look.footer = FOOTER_LETTERS;
  settings_save(&ui, &options);
  assert_non_null(strstr(ui.message, "settings saved in"));
  assert_int_equal(stat(file, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0600);
  ui.wanted.sort = RTOP_SORT_SELF;
  ui.look.units = UNITS_PERCENT;
  ui.look.footer = FOOTER_KEYS;
  settings_load(&ui, &options);
  assert_true(ui.wanted.sort == RTOP_SORT_BLAME && ui.look.units == UNITS_SAMPLES);
  assert_int_equal(ui.look.footer, FOOTER_LETTERS);
}

/* Comments, unknown names and order stay; what stood twice stands once. */
static void test_old_content_is_kept(void **state)
{
  (void)state;
  ui.wanted.sort = RTOP_SORT_TOTAL;
  const char *old = "# mine\nfuture-thing = 7\nsort=self\n\n   # more\nsort = name\nno sense\n";
  write_text(old, strlen(old));
  settings_save(&ui, &options);
  char *text = content(file);
  assert_memory_equal(text, "# mine\nfuture-thing = 7\nsort = total\n\n   # more\nno sense\n", 57);
  assert_null(strstr(text, "sort = name"));
  assert_non_null(strstr(text, "\nunits = percent\n"));
}

static void test_through_a_link(void **state)
{
  char target[128];
  struct stat status;
  (void)state;
  snprintf(target, sizeof target, "%s/dotfiles", folder);
  snprintf(file, sizeof file, "%s/dotfiles", folder);
  write_text("sort = gc\n", 10);
  snprintf(file, sizeof file, "%s/config", folder);
  assert_int_equal(symlink(target, file), 0);
  settings_save(&ui, &options);
  assert_int_equal(lstat(file, &status), 0);
  assert_true(S_ISLNK(status.st_mode));
  assert_non_null(strstr(content(target), "sort = self"));
}

enum { NOBODY = 65534 };

/* Root saves; what stands in `target` afterwards. */
static const char *saved_by_root(const char *target)
{
  ui.message[0] = '\0';
  settings_save(&ui, &options);
  assert_int_equal(strncmp(ui.message, "cannot save settings", 20), 0);
  return content(target);
}

/* Another user's link leads root to a third one's file, or root's own link into another's hands. */
static void test_root_follows_nobody(void **state)
{
  char target[128], below[160];
  (void)state;
  if (geteuid() != 0) skip(); /* only root may write more than its own */
  snprintf(target, sizeof target, "%s/victim", folder);
  snprintf(file, sizeof file, "%s/victim", folder);
  write_text("secret = 1\n", 11);
  snprintf(file, sizeof file, "%s/config", folder);
  assert_int_equal(symlink(target, file), 0);
  assert_int_equal(lchown(file, NOBODY, NOBODY), 0);
  assert_string_equal(saved_by_root(target), "secret = 1\n");
  assert_int_equal(lchown(file, 0, 0), 0);
  assert_int_equal(chown(target, NOBODY, NOBODY), 0);
  assert_string_equal(saved_by_root(target), "secret = 1\n");
  assert_int_equal(unlink(file), 0);
  snprintf(below, sizeof below, "%s/his", folder);
  assert_int_equal(mkdir(below, 0755), 0);
  assert_int_equal(chown(below, NOBODY, NOBODY), 0);
  snprintf(below, sizeof below, "%s/his/config", folder);
  snprintf(file, sizeof file, "%s/his/config", folder);
  write_text("secret = 2\n", 11); /* root's file where another can put anything */
  snprintf(file, sizeof file, "%s/config", folder);
  assert_int_equal(symlink(below, file), 0);
  assert_string_equal(saved_by_root(below), "secret = 2\n");
  options.config = below;
  assert_string_equal(saved_by_root(below), "secret = 2\n");
  options.config = file;
  assert_int_equal(unlink(file), 0);
  assert_int_equal(chmod(folder, 0777), 0); /* not sticky: anybody may replace what is in it */
  assert_null(saved_by_root(file));
  assert_int_equal(chmod(folder, 0700), 0);
  settings_save(&ui, &options);
  assert_non_null(strstr(content(file), "sort = self"));
}

static void test_nothing_is_written_unasked(void **state)
{
  (void)state;
  model_type(&ui, "T%f \033?q");
  ui.wish.quit = true;
  settings_load(&ui, &options);
  assert_null(content(file));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_where_it_is, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_read, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_the_command_line_wins, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_bad_lines_are_told_and_skipped, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_garbage, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_what_is_no_file_is_refused, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_read_beforehand, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_written_and_read_again, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_old_content_is_kept, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_through_a_link, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_root_follows_nobody, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_nothing_is_written_unasked, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
