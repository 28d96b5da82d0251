/* A crash in the middle of a refresh, where the stream of curses is no terminal, puts the terminal right. */
#include "tui/term/screen.h"
#include "tui/term/screen_gather.h"
#include "tui/text/signals.h"
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <cmocka.h>

static void crash_in_a_refresh(const char *path)
{
  const struct screen_options options = { .color = -1 };
  setsid();
  int slave = open(path, O_RDWR);
  for (int fd = 0; fd <= 2; fd++) dup2(slave, fd);
  setenv("TERM", "xterm", 1);
  setenv("LC_ALL", "C", 1);
  if (signals_open() < 0 || screen_open(&options) != 0) _exit(1);
  screen_refresh(false);
  if (!screen_gather_begin()) _exit(2);
  raise(SIGSEGV);
  _exit(3);
}

/* What was written to a terminal comes to its other end a little later. */
static void read_to_end(int master, char *got, size_t size)
{
  ssize_t count;
  while (size > 1 && (count = read(master, got, size - 1)) > 0) {
    got += count;
    size -= (size_t)count;
  }
}

static void test_crash_in_a_refresh(void **state)
{
  struct termios before, after;
  char path[64], got[4096] = "";
  int status = 0, master = posix_openpt(O_RDWR | O_NOCTTY);
  (void)state;
  assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
  assert_int_equal(ptsname_r(master, path, sizeof path), 0);
  int held = open(path, O_RDWR | O_NOCTTY);
  assert_int_equal(tcgetattr(held, &before), 0);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) crash_in_a_refresh(path);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFSIGNALED(status));
  assert_int_equal(WTERMSIG(status), SIGSEGV);
  assert_int_equal(tcgetattr(held, &after), 0);
  assert_int_equal(after.c_lflag, before.c_lflag);
  close(held);
  read_to_end(master, got, sizeof got);
  assert_non_null(strstr(got, "\033[?1049h"));
  assert_non_null(strstr(got, "\033[?1049l"));
  close(master);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_crash_in_a_refresh) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
