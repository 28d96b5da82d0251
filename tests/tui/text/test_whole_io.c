/* All bytes arrive in however many pieces they come; a limit in time and the end of the other side are told. */
#include "shm/base/clock.h"
#include "tui/text/whole_io.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 1 << 20 };
static char sent[BYTES], received[BYTES];

static void on_signal(int number)
{
  (void)number;
}

/* More than a socket takes at once, by a process that is interrupted all the time. */
static void test_large_and_interrupted(void **state)
{
  int ends[2];
  const struct sigaction action = { .sa_handler = on_signal }; /* no SA_RESTART: read and write fail with EINTR */
  (void)state;
  for (size_t i = 0; i < BYTES; i++) sent[i] = (char)(i * 31 >> 3);
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    _exit(io_send(ends[1], sent, sizeof sent) ? 0 : 1);
  }
  close(ends[1]);
  size_t got = 0;
  for (size_t piece = 1; got < BYTES; piece = piece * 2 + 1) {
    kill(child, SIGUSR1);
    size_t want = piece < BYTES - got ? piece : BYTES - got;
    assert_int_equal(io_receive(ends[0], received + got, want, got % 2 ? 0 : clock_now_ms() + 20000), want);
    got += want;
  }
  assert_memory_equal(received, sent, BYTES);
  assert_int_equal(io_receive(ends[0], received, 1, 0), 0); /* the other side has ended */
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  close(ends[0]);
}

static void test_what_comes_in_time(void **state)
{
  int ends[2];
  (void)state;
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  assert_true(io_send(ends[1], "abc", 3));
  int64_t before_ms = clock_now_ms(), until_ms = before_ms + 30;
  assert_int_equal(io_receive(ends[0], received, 10, until_ms), 3);
  assert_true(clock_now_ms() >= until_ms);
  assert_memory_equal(received, "abc", 3);
  assert_true(io_send(ends[1], "d", 1));
  assert_int_equal(io_receive(ends[0], received, 1, before_ms), 0); /* too late: not even what is there */
  close(ends[0]);
  signal(SIGPIPE, SIG_IGN);
  assert_false(io_send(ends[1], sent, sizeof sent));
  close(ends[1]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_large_and_interrupted),
    cmocka_unit_test(test_what_comes_in_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
