/* Ruby processes without the extension are found: by the file that they run, as far as we may look. */
#include "tui/feed/bare.h"
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static struct rtop_bare rows[RTOP_BARE_MAX];

static bool is_there(pid_t pid)
{
  size_t count = rtop_bare_read(rows);
  for (size_t i = 0; i < count && i < RTOP_BARE_MAX; i++)
    if (rows[i].pid == pid) return true;
  return count > RTOP_BARE_MAX; /* this machine has more of them than are told of one by one */
}

/* This very program under another name: it waits until its standard input ends. */
static pid_t start_as(const char *name, char *folder, int *input)
{
  char own[512], path[600];
  int ends[2], ready[2];
  ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
  assert_true(length > 0);
  own[length] = '\0';
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "cp '%s' '%s/%s'", own, folder, name);
  assert_int_equal(system(path), 0);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  assert_int_equal(pipe(ends) | pipe(ready), 0);
  pid_t pid = fork();
  if (pid == 0) {
    dup2(ends[0], STDIN_FILENO);
    dup2(ready[1], STDOUT_FILENO);
    close(ends[1]);
    execl(path, path, "app.rb", (char *)NULL);
    _exit(127);
  }
  char byte;
  assert_int_equal(read(ready[0], &byte, 1), 1);
  close(ends[0]), close(ready[0]), close(ready[1]);
  unlink(path);
  rmdir(folder);
  *input = ends[1];
  return pid;
}

static void stop(pid_t pid, int input)
{
  close(input);
  waitpid(pid, NULL, 0);
}

static void test_one_that_is_called_ruby(void **state)
{
  (void)state;
  int input;
  char folder[] = "/tmp/rtop-bare.XXXXXX";
  pid_t pid = start_as("ruby3.3", folder, &input);
  assert_true(is_there(pid));
  for (size_t i = 0; i + 1 < RTOP_BARE_MAX && rows[i + 1].pid; i++) assert_true(rows[i].pid < rows[i + 1].pid);
  stop(pid, input);
  memset(rows, 0, sizeof rows);
  if (rtop_bare_read(rows) <= RTOP_BARE_MAX) assert_false(is_there(pid));
}

static void test_another_program(void **state)
{
  (void)state;
  int input;
  char folder[] = "/tmp/rtop-bare.XXXXXX";
  pid_t pid = start_as("python3", folder, &input);
  rtop_bare_read(rows);
  for (size_t i = 0; i < RTOP_BARE_MAX; i++) assert_int_not_equal(rows[i].pid, pid);
  stop(pid, input);
}

int main(int argc, char **argv)
{
  char byte;
  if (argc > 1 && strcmp(argv[1], "app.rb") == 0) {
    if (write(STDOUT_FILENO, "r", 1) != 1) return 1;
    while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR)
      ;
    return 0;
  }
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_one_that_is_called_ruby),
    cmocka_unit_test(test_another_program),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
