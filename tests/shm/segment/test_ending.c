#include "tests/shm/support.h"

#include "shm/base/process.h"
#include "shm/segment/ending.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a child says of itself in its segment. */
static struct rtop_geometry geometry_of(pid_t pid)
{
  struct rtop_geometry geometry = { .pid = (uint32_t)pid, .pid_namespace = process_own_pid_namespace() };
  struct process_stat stat;
  assert_true(process_stat_read(pid, &stat));
  geometry.start_ticks = stat.start_ticks;
  process_boot_id(geometry.boot_id);
  return geometry;
}

static struct rtop_ending find_said(const struct rtop_geometry *geometry, uint64_t state, uint64_t said)
{
  struct rtop_ending ending;
  struct rtop_counters counters = { .state = state, .ending = said };
  rtop_ending_find(geometry, &counters, INT64_MAX / 2, &ending);
  return ending;
}

static struct rtop_ending find(const struct rtop_geometry *geometry, bool closed)
{
  return find_said(geometry, closed ? RTOP_WRITER_ENDED : RTOP_WRITER_LIVE, 0);
}

static const char *text_of(const struct rtop_ending *ending)
{
  static char text[64];
  rtop_ending_text(ending, text, sizeof text);
  return text;
}

static bool is_ending(void *argument)
{
  struct process_stat stat;
  return process_stat_read(*(pid_t *)argument, &stat) && stat.ending;
}

static pid_t fork_waiting(void (*body)(void))
{
  pid_t pid = fork();
  if (pid == 0) {
    body();
    for (;;) pause();
  }
  return pid;
}

static void nothing(void)
{
}

/* Between its end and its parent's wait(2) a process still tells how it ended. */
static void test_killed_by_a_signal(void **state)
{
  (void)state;
  pid_t pid = fork_waiting(nothing);
  struct rtop_geometry geometry = geometry_of(pid);
  kill(pid, SIGKILL);
  assert_true(support_wait_for(is_ending, &pid));
  struct rtop_ending ending = find(&geometry, false);
  assert_int_equal(ending.cause, RTOP_ENDING_SIGNAL);
  assert_int_equal(ending.number, SIGKILL);
  assert_string_equal(text_of(&ending), "killed by signal 9");
  assert_int_equal(waitpid(pid, NULL, 0), pid);
  ending = find(&geometry, false);
  assert_int_equal(ending.cause, RTOP_ENDING_VANISHED);
  assert_string_equal(text_of(&ending), "killed, crashed, exit! or exec");
  ending = find(&geometry, true);
  assert_int_equal(ending.cause, RTOP_ENDING_CLOSED);
  assert_string_equal(text_of(&ending), "ended by itself");
}

/* A child that has ended with this status, which nobody has asked for yet. */
static struct rtop_geometry ended_with(int status, pid_t *pid)
{
  int gate[2];
  char byte;
  assert_int_equal(pipe(gate), 0);
  *pid = fork();
  if (*pid == 0) {
    close(gate[1]);
    _exit(read(gate[0], &byte, 1) == 0 ? status : 1);
  }
  struct rtop_geometry geometry = geometry_of(*pid);
  close(gate[0]);
  close(gate[1]);
  assert_true(support_wait_for(is_ending, pid));
  return geometry;
}

static void test_exit_status(void **state)
{
  (void)state;
  pid_t pid;
  struct rtop_geometry geometry = ended_with(7, &pid);
  struct rtop_ending ending = find(&geometry, false);
  assert_int_equal(ending.cause, RTOP_ENDING_EXIT);
  assert_int_equal(ending.number, 7);
  assert_string_equal(text_of(&ending), "exit status 7");
  assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void wicked_name(void)
{
  prctl(PR_SET_NAME, ") Z\x1b[1m(");
}

static bool has_wicked_name(void *argument)
{
  struct process_stat stat;
  return process_stat_read(*(pid_t *)argument, &stat) && stat.program[0] == ')';
}

/* The same process, alive, without its channel. */
static void test_goes_on_without_its_channel(void **state)
{
  (void)state;
  pid_t pid = fork_waiting(wicked_name);
  assert_true(support_wait_for(has_wicked_name, &pid));
  struct rtop_geometry geometry = geometry_of(pid);
  struct rtop_ending ending = find(&geometry, false);
  assert_int_equal(ending.cause, RTOP_ENDING_EXEC);
  assert_string_equal(text_of(&ending), "became ) Z?[1m( by exec");
  ending = find(&geometry, true);
  assert_int_equal(ending.cause, RTOP_ENDING_STOPPED);
  /* Another process with that number. */
  geometry.start_ticks++;
  assert_int_equal(find(&geometry, false).cause, RTOP_ENDING_VANISHED);
  geometry.start_ticks--;
  /* A number that means another process. */
  geometry.pid_namespace++;
  assert_int_equal(find(&geometry, false).cause, RTOP_ENDING_VANISHED);
  kill(pid, SIGKILL);
  assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void assert_said(const struct rtop_geometry *geometry, uint64_t said, enum rtop_ending_cause cause, int number)
{
  struct rtop_ending ending = find_said(geometry, RTOP_WRITER_ENDED, said);
  if (ending.cause != cause || ending.number != number)
    fail_msg("%#llx: %s %d", (unsigned long long)said, rtop_ending_cause_name(ending.cause), ending.number);
}

/* Its parent has asked how it ended, so the kernel tells nothing any more; what it said itself may be anything. */
static void test_what_it_said(void **state)
{
  (void)state;
  pid_t pid = fork_waiting(nothing);
  struct rtop_geometry geometry = geometry_of(pid);
  assert_said(&geometry, 0, RTOP_ENDING_STOPPED, 0);
  assert_said(&geometry, RTOP_ENDS_WITH_STATUS, RTOP_ENDING_CLOSED, 0); /* it still takes its time */
  assert_said(&geometry, RTOP_ENDS_BY_SIGNAL | SIGTERM, RTOP_ENDING_SIGNAL, SIGTERM);
  assert_true(find_said(&geometry, RTOP_WRITER_ENDED, RTOP_ENDS_WITH_STATUS | 3).still_there);
  kill(pid, SIGKILL);
  assert_true(support_wait_for(is_ending, &pid));
  assert_said(&geometry, RTOP_ENDS_WITH_STATUS | 3, RTOP_ENDING_SIGNAL, SIGKILL); /* but it came to something else */
  assert_false(find_said(&geometry, RTOP_WRITER_ENDED, RTOP_ENDS_WITH_STATUS | 3).still_there);
  assert_int_equal(waitpid(pid, NULL, 0), pid);
  assert_said(&geometry, 0, RTOP_ENDING_CLOSED, 0);
  assert_said(&geometry, RTOP_ENDS_WITH_STATUS, RTOP_ENDING_CLOSED, 0);
  assert_said(&geometry, RTOP_ENDS_WITH_STATUS | 3, RTOP_ENDING_EXIT, 3);
  assert_said(&geometry, RTOP_ENDS_BY_SIGNAL | SIGTERM, RTOP_ENDING_SIGNAL, SIGTERM);
  const uint64_t nonsense[] = {
    1, 0xff, RTOP_ENDS_BY_SIGNAL, RTOP_ENDS_BY_SIGNAL | 200, 0x303, UINT64_MAX, 1ull << 63
  };
  for (size_t i = 0; i < sizeof nonsense / sizeof nonsense[0]; i++)
    assert_said(&geometry, nonsense[i], RTOP_ENDING_CLOSED, 0);
  assert_int_equal(find_said(&geometry, RTOP_WRITER_LIVE, RTOP_ENDS_WITH_STATUS | 3).cause, RTOP_ENDING_VANISHED);
}

/* It said 3, and an exit handler after that made it 0. */
static void test_what_came_of_it(void **state)
{
  (void)state;
  pid_t pid;
  struct rtop_geometry geometry = ended_with(0, &pid);
  geometry.uid = geteuid();
  assert_said(&geometry, RTOP_ENDS_WITH_STATUS | 3, RTOP_ENDING_CLOSED, 0);
  assert_int_equal(waitpid(pid, NULL, 0), pid);
  assert_said(&geometry, RTOP_ENDS_WITH_STATUS | 3, RTOP_ENDING_EXIT, 3);
}

static void test_before_a_restart(void **state)
{
  (void)state;
  struct rtop_geometry geometry = geometry_of(getpid());
  geometry.boot_id[3] ^= 1;
  struct rtop_ending ending = find(&geometry, false);
  assert_int_equal(ending.cause, RTOP_ENDING_REBOOT);
  assert_int_equal(find(&geometry, true).cause, RTOP_ENDING_CLOSED);
}

static void test_records_of_the_kernels_log(void **state)
{
  (void)state;
  static const char by_system[] = "3,900,5000000,-;Out of memory: Killed process 4711 (ruby) total-vm:1kB";
  static const char by_group[] = "3,901,5000000,-;Memory cgroup out of memory: Killed process 4711 (ruby) x";
  static const char *const others[] = {
    "",
    ",",
    ",,",
    "3,900,5000000,-",
    "3;900,5000000,-;Out of memory: Killed process 4711 (ruby)",
    "3,900,5000000,-;Out of memory: Killed process 47110 (ruby)",
    "3,900,5000000,-;Out of memory: Killed process 471 (ruby)",
    "3,900,-1,-;Out of memory: Killed process 4711 (ruby)",
    "3,900,9223372036854775807,-;Out of memory: Killed process 4711 (ruby)",
    "3,900,5000000,-;a driver: Killed process 4711 (ruby)",
  };
  assert_true(rtop_ending_is_memory(by_system, 4711, 0));
  assert_true(rtop_ending_is_memory(by_group, 4711, INT64_C(9000000000)));
  assert_false(rtop_ending_is_memory(by_group, 4711, INT64_C(10000000001))); /* long before its last window */
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) assert_false(rtop_ending_is_memory(others[i], 4711, 0));
}

static void test_every_cause_has_its_words(void **state)
{
  (void)state;
  for (int cause = RTOP_ENDING_CLOSED; cause <= RTOP_ENDING_VANISHED; cause++) {
    struct rtop_ending ending = { .cause = (enum rtop_ending_cause)cause, .number = 3 };
    memset(ending.program, 'x', sizeof ending.program);
    assert_true(strlen(text_of(&ending)) > 5);
    assert_true(rtop_ending_is_cause(rtop_ending_cause_name(ending.cause)));
    for (int other = RTOP_ENDING_CLOSED; other < cause; other++)
      assert_string_not_equal(rtop_ending_cause_name((enum rtop_ending_cause)cause),
                              rtop_ending_cause_name((enum rtop_ending_cause)other));
  }
  assert_false(rtop_ending_is_cause("") || rtop_ending_is_cause("stream"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_killed_by_a_signal),
    cmocka_unit_test(test_exit_status),
    cmocka_unit_test(test_goes_on_without_its_channel),
    cmocka_unit_test(test_before_a_restart),
    cmocka_unit_test(test_records_of_the_kernels_log),
    cmocka_unit_test(test_every_cause_has_its_words),
    cmocka_unit_test(test_what_it_said),
    cmocka_unit_test(test_what_came_of_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
