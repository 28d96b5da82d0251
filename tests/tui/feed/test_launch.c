#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "shm/base/clock.h"
#include "shm/base/error.h"
#include "tui/feed/family.h"
#include "tui/feed/launch.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[128];

#define WAIT_UNTIL(condition)                                                                                          \
  for (int64_t deadline = clock_now_ms() + 60000; !(condition); usleep(1000))                                          \
    if (clock_now_ms() > deadline) fail_msg("waited in vain for %s", #condition)

static struct rtop_launch *start(char *const *command, bool screen)
{
  struct rtop_error error = { 0 };
  int status;
  struct rtop_launch *launch = rtop_launch_start(command, screen, &status, &error);
  if (!launch) fail_msg("%s", error.text);
  return launch;
}

static struct rtop_launch *shell(const char *script, bool screen)
{
  char *command[] = { "sh", "-c", (char *)script, NULL };
  return start(command, screen);
}

static void assert_output(const char *script, const char *expected)
{
  char output[256];
  off_t total;
  struct rtop_launch *launch = shell(script, false);
  WAIT_UNTIL(rtop_launch_ended(launch));
  rtop_launch_log_tail(launch, output, sizeof output, &total);
  assert_string_equal(output, expected);
  assert_int_equal(total, strlen(expected));
  unlink(rtop_launch_log_path(launch));
  rtop_launch_close(&launch);
}

static void assert_refused(const char *name, int expected_status, const char *words)
{
  char *command[] = { (char *)name, NULL };
  struct rtop_error error = { 0 };
  int status = 0;
  assert_null(rtop_launch_start(command, false, &status, &error));
  assert_int_equal(status, expected_status);
  assert_non_null(strstr(error.text, words));
}

static void test_not_found_and_not_executable(void **state)
{
  (void)state;
  char plain[160];
  assert_refused("no-such-command-anywhere", 127, "'no-such-command-anywhere': No such file");
  assert_refused("/nowhere/at/all", 127, "No such file");
  assert_refused("evil\x1b[2J", 127, "'evil?[2J'");
  snprintf(plain, sizeof plain, "%s/rperf_top.rb", folder);
  assert_refused(plain, 126, "Permission denied");
  assert_refused(folder, 126, "denied");
}

static void test_statuses(void **state)
{
  (void)state;
  static const struct {
    const char *script;
    int status;
  } cases[] = {
    { "exit 0", 0 },
    { "exit 7", 7 },
    { "exit 255", 255 },
    { "kill -TERM $$", 128 + SIGTERM },
    { "kill -KILL $$", 128 + SIGKILL },
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct rtop_launch *launch = shell(cases[i].script, false);
    WAIT_UNTIL(rtop_launch_ended(launch));
    assert_int_equal(rtop_launch_status(launch), cases[i].status);
    rtop_launch_close(&launch);
    assert_null(launch);
  }
}

static void test_extension_is_appended(void **state)
{
  (void)state;
  char expected[400];
  unsetenv("RUBYLIB");
  unsetenv("RUBYOPT");
  snprintf(expected, sizeof expected, "%s|-rrperf_top", folder);
  assert_output("printf '%s|%s' \"$RUBYLIB\" \"$RUBYOPT\"", expected);
  setenv("RUBYLIB", "/one two:/three", 1);
  setenv("RUBYOPT", "-W0 -rbundler/setup", 1);
  snprintf(expected, sizeof expected, "/one two:/three:%s|-W0 -rbundler/setup -rrperf_top", folder);
  assert_output("printf '%s|%s' \"$RUBYLIB\" \"$RUBYOPT\"", expected);
  /* Not twice. */
  snprintf(expected, sizeof expected, "/x:%s", folder);
  setenv("RUBYLIB", expected, 1);
  setenv("RUBYOPT", "-rrperf_top", 1);
  snprintf(expected, sizeof expected, "/x:%s|-rrperf_top", folder);
  assert_output("printf '%s|%s' \"$RUBYLIB\" \"$RUBYOPT\"", expected);
  unsetenv("RUBYLIB");
  unsetenv("RUBYOPT");
}

static void write_file(const char *name, const char *text)
{
  char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  if (!file || fputs(text, file) < 0 || fchmod(fileno(file), 0755) != 0 || fclose(file) != 0) fail_msg("%s", path);
}

static void assert_says_its_path(const char *name, bool note, const char *path)
{
  char output[256], *command[] = { (char *)name, NULL };
  struct rtop_launch *launch = start(command, false);
  WAIT_UNTIL(rtop_launch_ended(launch));
  assert_int_equal(*rtop_launch_note(launch) != '\0', note);
  if (note) assert_non_null(strstr(rtop_launch_note(launch), "'only-there' is not in PATH"));
  rtop_launch_log_tail(launch, output, sizeof output, NULL);
  assert_string_equal(output, path);
  unlink(rtop_launch_log_path(launch));
  rtop_launch_close(&launch);
}

/* Neither a Ruby that was only built for us nor its programs are in PATH: they are found, and see each other. */
static void test_beside_the_own_ruby(void **state)
{
  (void)state;
  char text[300], bin[160], found[400], *usual = strdup(getenv("PATH"));
  snprintf(bin, sizeof bin, "%s/bin", folder);
  assert_int_equal(mkdir(bin, 0755), 0);
  write_file("bin/only-there", "#!/bin/sh\nprintf %s \"$PATH\"\n");
  assert_refused("only-there", 127, "No such file");
  snprintf(text, sizeof text, "    BUILT_WITH = \"%s/ruby\" # there is none\n", bin);
  write_file("rperf_top.rb", text);
  assert_false(rtop_launch_own_ruby(folder, found, sizeof found));
  assert_refused("only-there", 127, "No such file");
  write_file("bin/ruby", "#!/bin/sh\n");
  assert_true(rtop_launch_own_ruby(folder, found, sizeof found));
  assert_false(rtop_launch_own_ruby(folder, found, strlen(found)));
  snprintf(text, sizeof text, "%s:%s", usual, bin);
  assert_says_its_path("only-there", true, text);
  setenv("PATH", text, 1);
  assert_says_its_path("only-there", false, text); /* found by itself */
  setenv("PATH", usual, 1);
  assert_refused("no-such-command-anywhere", 127, "No such file");
  write_file("rperf_top.rb", "    BUILT_WITH = \"@RUBY_PATH@\"\n");
  assert_false(rtop_launch_own_ruby(folder, found, sizeof found));
  write_file("rperf_top.rb", "");
  chmod(strcat(strcpy(found, folder), "/rperf_top.rb"), 0644);
  free(usual);
}

static void test_no_extension(void **state)
{
  (void)state;
  char found[4096];
  setenv("RPERF_TOP_LIB", "/nowhere", 1);
  bool besides = rtop_launch_extension_folder(found, sizeof found);
  if (!besides) assert_refused("true", 1, "RPERF_TOP_LIB");
  setenv("RPERF_TOP_LIB", folder, 1);
  assert_true(rtop_launch_extension_folder(found, sizeof found));
  assert_string_equal(found, folder);
  assert_false(rtop_launch_extension_folder(found, 3));
}

static void test_log(void **state)
{
  (void)state;
  char tail[8];
  struct stat status;
  off_t total;
  struct rtop_launch *launch = shell("echo out; echo err >&2", false);
  char path[4096];
  snprintf(path, sizeof path, "%s", rtop_launch_log_path(launch));
  assert_int_equal(strncmp(path, folder, strlen(folder)), 0);
  assert_int_equal(stat(path, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0600);
  WAIT_UNTIL(rtop_launch_ended(launch));
  assert_int_equal(rtop_launch_log_tail(launch, tail, sizeof tail, &total), 7);
  assert_string_equal(tail, "ut\nerr\n");
  assert_int_equal(total, 8);
  rtop_launch_close(&launch);
  assert_int_equal(access(path, F_OK), 0); /* it says something: it stays */
  unlink(path);
  launch = shell(":", false);
  snprintf(path, sizeof path, "%s", rtop_launch_log_path(launch));
  rtop_launch_close(&launch);
  assert_int_equal(access(path, F_OK), -1); /* empty: gone */
}

/* A file of the same name, or a link, is never written to. */
static void test_log_is_never_shared(void **state)
{
  (void)state;
  char path[256], target[256];
  struct stat status;
  snprintf(path, sizeof path, "%s/rperf-top-%d.log", folder, (int)getpid());
  snprintf(target, sizeof target, "%s/victim", folder);
  assert_int_equal(symlink(target, path), 0);
  struct rtop_launch *launch = shell("echo hello", false);
  assert_string_not_equal(rtop_launch_log_path(launch), path);
  WAIT_UNTIL(rtop_launch_ended(launch));
  assert_int_equal(stat(target, &status), -1);
  unlink(rtop_launch_log_path(launch));
  rtop_launch_close(&launch);
  unlink(path);
}

static void test_screen_keeps_the_terminal(void **state)
{
  (void)state;
  struct rtop_launch *launch = shell("read line; echo \"$? $line\"; sleep 100", true);
  char output[64] = "";
  WAIT_UNTIL(rtop_launch_log_tail(launch, output, sizeof output, NULL) > 0);
  assert_string_equal(output, "1 \n"); /* end of file */
  assert_int_equal(getpgid(rtop_launch_pid(launch)), rtop_launch_pid(launch));
  rtop_launch_stop(launch);
  assert_int_equal(rtop_launch_status(launch), 128 + SIGTERM);
  unlink(rtop_launch_log_path(launch));
  rtop_launch_close(&launch);
}

/* The stubborn one ignores SIGTERM; its child is ended too. */
static void test_stop_ends_descendants(void **state)
{
  (void)state;
  static const char stubborn[] = "trap '' TERM; sh -c 'trap \"\" TERM; echo $$;"
                                 " while :; do sleep 0.05; done' & while :; do sleep 0.05; done";
  struct rtop_launch *launch = shell(stubborn, false);
  char output[64] = "";
  pid_t pids[16], child;
  WAIT_UNTIL(rtop_launch_log_tail(launch, output, sizeof output, NULL) > 1 && strchr(output, '\n'));
  child = (pid_t)atoi(output);
  size_t count = rtop_family_descendants(rtop_launch_pid(launch), pids, 16);
  bool listed = false;
  for (size_t i = 0; i < count; i++) listed = listed || pids[i] == child;
  assert_true(listed);
  rtop_launch_stop(launch);
  assert_true(rtop_launch_ended(launch));
  assert_int_equal(rtop_launch_status(launch), 128 + SIGKILL);
  WAIT_UNTIL(rtop_family_descendants(getpid(), pids, 16) == 0);
  char path[64], line[256] = "";
  snprintf(path, sizeof path, "/proc/%d/stat", (int)child);
  FILE *stat_file = fopen(path, "r");
  if (stat_file) { /* not reaped yet by whoever adopted it */
    assert_non_null(fgets(line, sizeof line, stat_file));
    assert_non_null(strstr(line, ") Z"));
    fclose(stat_file);
  }
  unlink(rtop_launch_log_path(launch));
  rtop_launch_close(&launch);
}

static void test_signals_are_clean_in_the_command(void **state)
{
  (void)state;
  sigset_t mask, before;
  sigemptyset(&mask);
  sigaddset(&mask, SIGTERM);
  sigprocmask(SIG_BLOCK, &mask, &before);
  signal(SIGPIPE, SIG_IGN);
  /* The signals 1 to 31: the two after them belong to the C library, and whoever started us may have
   * left them ignored. */
  assert_output("sed -nE 's/^(Sig(Blk|Ign)):.*([0-9a-f]{8})$/\\1 \\3/p' /proc/self/status |"
                " sed -E 's/[89a-f]([0-9a-f]{7})$/0\\1/'",
                "SigBlk 00000000\nSigIgn 00000000\n");
  signal(SIGPIPE, SIG_DFL);
  sigprocmask(SIG_SETMASK, &before, NULL);
}

static int setup(void **state)
{
  char path[160];
  (void)state;
  strcpy(folder, "/tmp/rtop-test-XXXXXX");
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/rperf_top.rb", folder);
  FILE *file = fopen(path, "w");
  setenv("RPERF_TOP_LIB", folder, 1);
  setenv("TMPDIR", folder, 1);
  return file ? fclose(file) : -1;
}

static int teardown(void **state)
{
  char command[160];
  (void)state;
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_not_found_and_not_executable),
    cmocka_unit_test(test_statuses),
    cmocka_unit_test(test_extension_is_appended),
    cmocka_unit_test(test_beside_the_own_ruby),
    cmocka_unit_test(test_no_extension),
    cmocka_unit_test(test_log),
    cmocka_unit_test(test_log_is_never_shared),
    cmocka_unit_test(test_screen_keeps_the_terminal),
    cmocka_unit_test(test_stop_ends_descendants),
    cmocka_unit_test(test_signals_are_clean_in_the_command),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
