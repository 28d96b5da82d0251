#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "shm/base/error.h"
#include "tui/feed/target.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char text[320];

static void explain(pid_t pid, enum rtop_error_code code, const char *cause_text)
{
  struct rtop_error cause = { .code = code };
  snprintf(cause.text, sizeof cause.text, "%s", cause_text);
  rtop_target_explain(pid, &cause, text, sizeof text);
  assert_null(strchr(text, '\n'));
}

static void assert_says(const char *words)
{
  if (!strstr(text, words)) fail_msg("'%s' is not in: %s", words, text);
}

static void test_ourselves(void **state)
{
  (void)state;
  struct rtop_target target;
  rtop_target_look(getpid(), &target);
  assert_true(target.exists && target.readable);
  assert_false(target.zombie || target.ruby || target.extension);
  assert_int_equal(target.uid, geteuid());
  assert_non_null(strstr(target.command, "test_target"));
  assert_true(strlen(target.user) > 0);
}

static void test_no_such_process(void **state)
{
  (void)state;
  struct rtop_target target;
  rtop_target_look(0x7ffffff0, &target);
  assert_false(target.exists);
  rtop_target_look(-1, &target);
  assert_false(target.exists);
  rtop_target_look(0, &target);
  assert_false(target.exists);
  explain(0x7ffffff0, RTOP_ERROR_NOT_FOUND, "nothing");
  assert_says("there is no process 2147483632");
  assert_says("--list");
  rtop_target_explain(0x7ffffff0, NULL, text, sizeof text);
  assert_says("there is no process");
}

static void test_not_ruby(void **state)
{
  (void)state;
  explain(getpid(), RTOP_ERROR_NOT_FOUND, "nothing");
  assert_says("is not a Ruby process");
  assert_says("test_target");
}

static void test_ruby_by_name_and_hostile_command_line(void **state)
{
  (void)state;
  int ready[2], input[2];
  char byte;
  assert_int_equal(pipe(input), 0);
  assert_int_equal(pipe(ready), 0);
  pid_t pid = fork();
  if (pid == 0) {
    dup2(input[0], STDIN_FILENO);
    dup2(ready[1], STDOUT_FILENO);
    close(input[1]);
    execl("/bin/sh", "/opt/bin/ruby3.3", "-c", "echo; read line", "a\x1b[2J", (char *)NULL);
    _exit(1);
  }
  assert_int_equal(read(ready[0], &byte, 1), 1);
  struct rtop_target target;
  rtop_target_look(pid, &target);
  assert_true(target.ruby);
  assert_false(target.extension);
  assert_non_null(strstr(target.command, "a?[2J"));
  assert_null(strchr(target.command, '\x1b'));
  explain(pid, RTOP_ERROR_NOT_FOUND, "nothing");
  assert_says("without the extension");
  assert_says("rperf-top -- ruby app.rb");
  assert_says("RUBYOPT=-rrperf_top");
  close(input[0]);
  close(input[1]);
  waitpid(pid, NULL, 0);
  close(ready[0]);
  close(ready[1]);
}

static void test_zombie(void **state)
{
  (void)state;
  siginfo_t info;
  pid_t pid = fork();
  if (pid == 0) _exit(0);
  assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
  struct rtop_target target;
  rtop_target_look(pid, &target);
  assert_true(target.exists && target.zombie);
  explain(pid, RTOP_ERROR_NOT_FOUND, "nothing");
  assert_says("has ended");
  waitpid(pid, NULL, 0);
}

/* What the channel's side said goes first, but names no process: that is added. */
static void test_words_of_the_channel(void **state)
{
  (void)state;
  explain(getpid(), RTOP_ERROR_VERSION, "made by version 9; use its rperf-top");
  assert_says("the channel of process");
  assert_says("made by version 9");
  explain(0x7ffffff0, RTOP_ERROR_CORRUPT, "cut short");
  assert_says("cut short");
  explain(getpid(), RTOP_ERROR_PERMISSION, "no");
  assert_says("belongs to user");
  assert_says("sudo -u");
}

static void test_another_user(void **state)
{
  (void)state;
  if (geteuid() != 0) skip(); /* only root can become somebody else */
  pid_t parent = getpid();
  pid_t pid = fork();
  if (pid == 0) {
    if (setresuid(65534, 65534, 65534) != 0) _exit(2);
    explain(parent, RTOP_ERROR_NOT_FOUND, "nothing");
    _exit(strstr(text, "belongs to user root") ? 0 : 1);
  }
  int status;
  waitpid(pid, &status, 0);
  assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ourselves),    cmocka_unit_test(test_no_such_process),
    cmocka_unit_test(test_not_ruby),     cmocka_unit_test(test_ruby_by_name_and_hostile_command_line),
    cmocka_unit_test(test_zombie),       cmocka_unit_test(test_words_of_the_channel),
    cmocka_unit_test(test_another_user),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
