#include "tests/shm/support.h"

#include "shm/base/clock.h"
#include "shm/base/ring.h"
#include "shm/channel/control.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

static struct rtop_control writer, viewer;

static int set_up(void **state)
{
  support_empty(state);
  return rtop_control_create(&writer, support_path("seg"), NULL) ||
         rtop_control_open(&viewer, support_path("seg"), (uid_t)-1, NULL);
}

static int tear_down(void **state)
{
  (void)state;
  rtop_control_close(&viewer, false);
  rtop_control_close(&writer, true);
  return (int)support_count_files();
}

static uint32_t read_rate(uint32_t *futex_value)
{
  struct rtop_request request = { .rate_hz = 12345 };
  uint32_t value;
  rtop_control_read(&writer, &request, futex_value ? futex_value : &value);
  return request.rate_hz;
}

static void test_no_wish_at_first(void **state)
{
  (void)state;
  struct stat status;
  assert_int_equal(read_rate(NULL), 0);
  assert_int_equal(stat(writer.path, &status), 0);
  assert_int_equal(status.st_mode & 07777, 0600);
  assert_int_equal(status.st_size, RTOP_PAGE_BYTES);
}

static void test_request_is_bounded_and_wakes(void **state)
{
  (void)state;
  static const struct {
    uint32_t asked, got;
  } rates[] = { { 0, 0 }, { 1, 1 }, { 1000, 1000 }, { 10000, 10000 }, { 10001, 10000 }, { UINT32_MAX, 10000 } };
  for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
    uint32_t before, after;
    read_rate(&before);
    struct rtop_request request = { .rate_hz = rates[i].asked };
    assert_int_equal(rtop_control_request(&viewer, &request), 0);
    assert_int_equal(read_rate(&after), rates[i].got);
    assert_int_not_equal(before, after);
    assert_true(rtop_control_wait(&writer, before, 100 * SECOND));
  }
}

/* A viewer in a process of its own: a process does not see its own locks. */
struct trace_viewer {
  const char *const *names;
  size_t count;
  pid_t pid;
  int report[2], stay[2];
};

_Noreturn static void trace_viewer(const struct trace_viewer *of)
{
  struct rtop_control own;
  uint32_t slots = 0;
  char byte;
  close(of->stay[1]);
  if (rtop_control_open(&own, support_path("seg"), (uid_t)-1, NULL) != 0) _exit(1);
  for (size_t i = 0; i < of->count; i++) {
    int slot = rtop_control_trace(&own, of->names[i], 5, 50000);
    if (slot >= 0) slots |= 1u << slot;
  }
  if (write(of->report[1], &slots, sizeof slots) != sizeof slots || read(of->stay[0], &byte, 1) < 0) _exit(1);
  _exit(0);
}

/* The slots that it got. */
static uint32_t begin_viewer(struct trace_viewer *of, const char *const *names, size_t count)
{
  uint32_t slots;
  of->names = names;
  of->count = count;
  assert_int_equal(pipe(of->report), 0);
  assert_int_equal(pipe(of->stay), 0);
  of->pid = fork();
  if (of->pid == 0) trace_viewer(of);
  assert_true(of->pid > 0);
  assert_int_equal(read(of->report[0], &slots, sizeof slots), sizeof slots);
  return slots;
}

static void kill_viewer(struct trace_viewer *of)
{
  kill(of->pid, SIGKILL);
  assert_int_equal(waitpid(of->pid, NULL, 0), of->pid);
  for (int i = 0; i < 2; i++) {
    close(of->report[i]);
    close(of->stay[i]);
  }
}

static void test_traces_end_with_their_viewer(void **state)
{
  (void)state;
  static const char *const names[] = { "A#b", "C.d" };
  static struct rtop_trace_wish wishes[RTOP_TRACE_SLOTS];
  struct trace_viewer one, two;
  assert_int_equal(rtop_control_traces(&writer, wishes), 0);
  assert_int_equal(begin_viewer(&one, names, 2), 3);
  assert_int_equal(begin_viewer(&two, names, 1), 4);
  assert_int_equal(rtop_control_traces(&writer, wishes), 7);
  assert_string_equal(wishes[0].name, "A#b");
  assert_string_equal(wishes[1].name, "C.d");
  assert_int_equal(wishes[1].bytes, 3);
  assert_int_equal(wishes[1].seconds, 5);
  assert_int_equal(wishes[1].slower_us, 50000);
  kill_viewer(&one);
  assert_int_equal(rtop_control_traces(&writer, wishes), 4);
  kill_viewer(&two);
  assert_int_equal(rtop_control_traces(&writer, wishes), 0);
}

static void test_traces_are_bounded(void **state)
{
  (void)state;
  enum { EVERY = (1 << RTOP_TRACE_SLOTS) - 1 };
  static char longest[RTOP_TRACE_NAME_BYTES + 1], longer[RTOP_TRACE_NAME_BYTES + 2];
  static struct rtop_trace_wish wishes[RTOP_TRACE_SLOTS];
  const char *names[RTOP_TRACE_SLOTS + 2] = { longest, longer, "" };
  struct trace_viewer one;
  memset(longest, 'x', RTOP_TRACE_NAME_BYTES);
  memset(longer, 'x', RTOP_TRACE_NAME_BYTES + 1);
  for (size_t i = 3; i < RTOP_TRACE_SLOTS + 2; i++) names[i] = "A#b";
  assert_int_equal(begin_viewer(&one, names, RTOP_TRACE_SLOTS + 2), EVERY);
  assert_int_equal(rtop_control_traces(&writer, wishes), EVERY);
  assert_string_equal(wishes[0].name, longest);
  for (size_t at = 0; at < sizeof(struct rtop_trace_slot); at++) { /* what is damaged is no wish */
    unsigned char byte, other;
    off_t offset = RTOP_TRACE_OFFSET + (off_t)at;
    assert_int_equal(pread(writer.fd, &byte, 1, offset), 1);
    other = byte ^ 0x55;
    assert_int_equal(pwrite(writer.fd, &other, 1, offset), 1);
    assert_int_equal(rtop_control_traces(&writer, wishes), EVERY - 1);
    assert_int_equal(pwrite(writer.fd, &byte, 1, offset), 1);
  }
  kill_viewer(&one);
}

/* A viewer gives back what it does not want any more. */
static void test_traces_are_given_back(void **state)
{
  (void)state;
  int first = rtop_control_trace(&viewer, "A#b", 0, 0), second = rtop_control_trace(&viewer, "C.d", 0, 0);
  assert_int_equal(first, 0);
  assert_int_equal(second, 1);
  rtop_control_untrace(&viewer, first);
  rtop_control_untrace(&viewer, first);
  rtop_control_untrace(&viewer, 99);
  assert_int_equal(rtop_control_trace(&viewer, "E#f", 0, 0), 0);
}

static void test_wait_runs_out(void **state)
{
  (void)state;
  uint32_t value;
  read_rate(&value);
  assert_false(rtop_control_wait(&writer, value, 0));
  assert_false(rtop_control_wait(&writer, value, 1000000));
}

static void test_wake_by_the_own_process(void **state)
{
  (void)state;
  uint32_t value;
  read_rate(&value);
  rtop_control_wake(&writer);
  assert_true(rtop_control_wait(&writer, value, -1));
}

static void nothing(int signal)
{
  (void)signal;
}

/* Who waits looks again: perhaps it is to end, and nobody can wake it. */
static void test_interrupted_wait_returns(void **state)
{
  (void)state;
  uint32_t value;
  const struct sigaction handler = { .sa_handler = nothing };
  const struct itimerval often = { .it_interval.tv_usec = 1000, .it_value.tv_usec = 1000 }, never = { 0 };
  read_rate(&value);
  assert_int_equal(sigaction(SIGALRM, &handler, NULL), 0);
  assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
  bool woken = rtop_control_wait(&writer, value, -1);
  setitimer(ITIMER_REAL, &never, NULL);
  signal(SIGALRM, SIG_DFL);
  assert_true(woken);
}

static int ask(struct support_pipes pipes, void *argument)
{
  (void)argument;
  struct rtop_request request = { .rate_hz = 500 };
  struct rtop_control control;
  if (rtop_control_open(&control, support_path("seg"), (uid_t)-1, NULL) != 0) return 1;
  support_hear(pipes.in);
  return rtop_control_request(&control, &request);
}

/* Nobody wakes it where the kernel cannot wait for two words, or a filter of system calls is installed. */
static void test_wait_for_either_of_two_words(void **state)
{
  (void)state;
  uint32_t value, word = 7;
  int64_t soon = clock_now_ns() + 1000000, never = clock_now_ns() + 1000 * SECOND;
  read_rate(&value);
  if (!rtop_control_wait_either(&writer, value, &word, word, soon)) skip();
  assert_true(clock_now_ns() >= soon);
  assert_true(rtop_control_wait_either(&writer, value, &word, word + 1, never));
  assert_true(rtop_control_wait_either(&writer, value + 1, &word, word, never));
  for (int round = 0; round < 20; round++) {
    struct support_child child = support_fork(ask, NULL);
    read_rate(&value);
    support_tell(child.to);
    assert_true(rtop_control_wait_either(&writer, value, &word, word, never));
    assert_int_equal(support_join(&child), 0);
  }
}

/* Sleeps for ever, and another process wakes it: whether the request comes before or after the sleep
 * begins. */
static void test_another_process_wakes(void **state)
{
  (void)state;
  for (int round = 0; round < 20; round++) {
    struct support_child child = support_fork(ask, NULL);
    uint32_t value;
    read_rate(&value);
    support_tell(child.to);
    assert_true(rtop_control_wait(&writer, value, -1));
    assert_int_equal(support_join(&child), 0);
    assert_int_equal(read_rate(NULL), 500);
  }
}

static void test_garbage_reads_as_no_wish(void **state)
{
  (void)state;
  struct rtop_request request = { .rate_hz = 700 };
  unsigned char page[sizeof(struct rtop_control_page)];
  rtop_control_request(&viewer, &request);
  assert_int_equal(pread(viewer.fd, page, sizeof page, 0), sizeof page);
  for (size_t i = 0; i < sizeof page; i++) {
    unsigned char wrong = page[i] ^ 0x21;
    assert_int_equal(pwrite(viewer.fd, &wrong, 1, (off_t)i), 1);
    bool beside = i >= offsetof(struct rtop_control_page, futex) && i < offsetof(struct rtop_control_page, rate_hz);
    assert_int_equal(read_rate(NULL), beside ? 700 : 0);
    assert_int_equal(pwrite(viewer.fd, &page[i], 1, (off_t)i), 1);
  }
  assert_int_equal(read_rate(NULL), 700);
  srand(5);
  for (int round = 0; round < 1000; round++) {
    for (size_t i = 0; i < sizeof page; i++) page[i] = (unsigned char)rand();
    assert_int_equal(pwrite(viewer.fd, page, sizeof page, 0), sizeof page);
    assert_int_equal(read_rate(NULL), 0);
  }
}

/* Neither a fault nor an endless loop, on either side. */
static void test_truncated_underneath(void **state)
{
  (void)state;
  uint32_t value;
  struct rtop_request request = { .rate_hz = 700 };
  static const off_t sizes[] = { 0, 1, 8, 12, 23 };
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    assert_int_equal(ftruncate(viewer.fd, sizes[i]), 0);
    assert_int_equal(read_rate(&value), 0);
    rtop_control_wake(&writer);
    rtop_control_wait(&writer, value, 1000000);
  }
  assert_int_equal(ftruncate(viewer.fd, 0), 0);
  assert_true(rtop_control_wait(&writer, 0, -1));
  assert_int_equal(rtop_control_request(&viewer, &request), 0);
  assert_int_equal(read_rate(NULL), 0);
}

/* Who sleeps already when the file is truncated is woken all the same. */
static int sleep_on_it(struct support_pipes pipes, void *argument)
{
  struct rtop_control own;
  uint32_t value;
  struct rtop_request request;
  (void)argument;
  if (rtop_control_create(&own, support_path("cut"), NULL) != 0) return 1;
  rtop_control_read(&own, &request, &value);
  support_tell(pipes.out);
  bool woken = rtop_control_wait(&own, value, -1);
  rtop_control_close(&own, true);
  return woken ? 0 : 2;
}

static bool is_asleep(void *pid)
{
  char path[64], state = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", *(pid_t *)pid);
  FILE *file = fopen(path, "re");
  bool read = file && fscanf(file, "%*d (%*[^)]) %c", &state) == 1;
  if (file) fclose(file);
  return read && state == 'S';
}

static void test_truncated_under_a_sleeper(void **state)
{
  (void)state;
  struct rtop_control waker;
  struct support_child child = support_fork(sleep_on_it, NULL);
  assert_true(support_hear(child.from));
  assert_int_equal(rtop_control_open(&waker, support_path("cut"), (uid_t)-1, NULL), 0);
  assert_true(support_wait_for(is_asleep, &child.pid));
  assert_int_equal(truncate(support_path("cut.ctl"), 0), 0);
  rtop_control_wake(&waker);
  assert_int_equal(support_join(&child), 0);
  rtop_control_close(&waker, false);
}

static void test_refuses_unsafe_files(void **state)
{
  (void)state;
  struct rtop_control other;
  struct rtop_error error;
  assert_int_equal(rtop_control_open(&other, support_path("missing"), (uid_t)-1, &error), -1);
  assert_int_equal(error.code, RTOP_ERROR_NOT_FOUND);
  assert_int_equal(symlink(support_path("seg.ctl"), support_path("link.ctl")), 0);
  assert_int_equal(rtop_control_open(&other, support_path("link"), (uid_t)-1, &error), -1);
  assert_int_equal(error.code, RTOP_ERROR_UNSAFE);
  unlink(support_path("link.ctl"));
  assert_int_equal(rtop_control_open(&other, support_path("seg"), geteuid() + 1, &error), -1);
  assert_int_equal(error.code, RTOP_ERROR_UNSAFE);
  assert_int_equal(ftruncate(writer.fd, 100), 0);
  assert_int_equal(rtop_control_open(&other, support_path("seg"), (uid_t)-1, &error), -1);
  assert_int_equal(error.code, RTOP_ERROR_CORRUPT);
}

static void test_name_must_be_free(void **state)
{
  (void)state;
  struct rtop_control other;
  struct rtop_error error;
  assert_int_equal(rtop_control_create(&other, support_path("seg"), &error), -1);
  assert_int_equal(error.code, RTOP_ERROR_SYSTEM);
}

/* Somebody else's file of that name stays. */
static void test_close_unlinks_only_its_own(void **state)
{
  (void)state;
  struct rtop_control first;
  assert_int_equal(rtop_control_create(&first, support_path("other"), NULL), 0);
  unlink(support_path("other.ctl"));
  int fd = open(support_path("other.ctl"), O_CREAT | O_RDWR, 0600);
  rtop_control_close(&first, true);
  assert_int_equal(access(support_path("other.ctl"), F_OK), 0);
  close(fd);
  unlink(support_path("other.ctl"));
}

static void test_closed_control_is_harmless(void **state)
{
  (void)state;
  struct rtop_control none = { .fd = -1 };
  struct rtop_request request = { .rate_hz = 7 };
  uint32_t value = 7;
  rtop_control_read(&none, &request, &value);
  assert_int_equal(request.rate_hz, 0);
  assert_int_equal(value, 0);
  assert_int_equal(rtop_control_request(&none, &request), -1);
  rtop_control_wake(&none);
  assert_false(rtop_control_wait(&none, 0, 1000));
  assert_true(rtop_control_wait(&none, 0, -1));
  rtop_control_close(&none, true);
}

/* A limit on file sizes set by the application must not kill it: SIGXFSZ is at its default here. Only
 * the child is limited, and it maps its own: mappings of the control file do not follow a fork. */
static int limited(struct support_pipes pipes, void *argument)
{
  (void)pipes;
  (void)argument;
  struct rlimit limit = { 0, 0 };
  struct rtop_control own, other;
  struct rtop_error error;
  struct rtop_request request = { .rate_hz = 7 };
  uint32_t value;
  if (rtop_control_create(&own, support_path("own"), NULL) != 0) return 1;
  setrlimit(RLIMIT_FSIZE, &limit);
  if (rtop_control_create(&other, support_path("limited"), &error) == 0 || error.code != RTOP_ERROR_NO_SPACE) return 2;
  if (access(support_path("limited.ctl"), F_OK) == 0) return 3;
  rtop_control_read(&own, &request, &value);
  rtop_control_wake(&own);
  if (!rtop_control_wait(&own, value, -1) || rtop_control_request(&own, &request) == 0) return 4;
  rtop_control_close(&own, true);
  return 0;
}

static void test_file_size_limit(void **state)
{
  (void)state;
  struct support_child child = support_fork(limited, NULL);
  assert_int_equal(support_join(&child), 0);
}

#define CONTROL_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
    CONTROL_TEST(test_no_wish_at_first),
    CONTROL_TEST(test_request_is_bounded_and_wakes),
    CONTROL_TEST(test_traces_end_with_their_viewer),
    CONTROL_TEST(test_traces_are_bounded),
    CONTROL_TEST(test_traces_are_given_back),
    CONTROL_TEST(test_wait_runs_out),
    CONTROL_TEST(test_wake_by_the_own_process),
    CONTROL_TEST(test_interrupted_wait_returns),
    CONTROL_TEST(test_wait_for_either_of_two_words),
    CONTROL_TEST(test_another_process_wakes),
    CONTROL_TEST(test_garbage_reads_as_no_wish),
    CONTROL_TEST(test_truncated_underneath),
    CONTROL_TEST(test_truncated_under_a_sleeper),
    CONTROL_TEST(test_refuses_unsafe_files),
    CONTROL_TEST(test_name_must_be_free),
    CONTROL_TEST(test_close_unlinks_only_its_own),
    CONTROL_TEST(test_closed_control_is_harmless),
    CONTROL_TEST(test_file_size_limit),
  };
  return cmocka_run_group_tests(tests, support_setup, support_teardown);
}
