/* Whether a thread has a core, seen by another one. */
#include "ext/base/on_core.h"
#include "shm/base/clock.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum { THREAD = 7, TRIES = 1000, ENOUGH = 10 };

static cpu_set_t all;

/* A look may have moved this thread. */
static int go_anywhere(void **state)
{
  (void)state;
  return sched_setaffinity(0, sizeof all, &all);
}

/* One that runs or rests until it is told to end. */
struct other {
  pthread_t thread;
  clockid_t clock;
  _Atomic uint32_t native_id;
  bool rests;
  int ends[2];
  _Atomic bool ended;
};

static void *live(void *pointer)
{
  struct other *other = pointer;
  char byte;
  atomic_store(&other->native_id, (uint32_t)gettid());
  if (other->rests && read(other->ends[0], &byte, 1) != 1) abort();
  while (!other->rests && !atomic_load(&other->ended)) {
  }
  return NULL;
}

static void begin(struct other *other, bool rests)
{
  memset(other, 0, sizeof *other);
  other->rests = rests;
  assert_int_equal(pipe(other->ends), 0);
  assert_int_equal(pthread_create(&other->thread, NULL, live, other), 0);
  while (!atomic_load(&other->native_id)) usleep(100);
  assert_int_equal(pthread_getcpuclockid(other->thread, &other->clock), 0);
}

static void end(struct other *other)
{
  atomic_store(&other->ended, true);
  assert_int_equal(write(other->ends[1], "", 1), 1);
  pthread_join(other->thread, NULL);
  close(other->ends[0]);
  close(other->ends[1]);
}

static struct on_core_look look_at(struct on_core_past *past, const struct other *other)
{
  struct on_core_thread thread = {
    .number = THREAD, .clock = other->clock, .native_id = atomic_load(&other->native_id), .may_open = true
  };
  return on_core_look(past, &thread);
}

/* Where others want the cores as well it is seen sooner or later. */
static void test_one_that_runs(void **state)
{
  (void)state;
  struct other other;
  struct on_core_past past = { 0 };
  int ran = 0;
  if (sysconf(_SC_NPROCESSORS_ONLN) < 2) skip();
  begin(&other, false);
  for (int i = 0; i < TRIES && ran < ENOUGH; i++) {
    usleep(1000);
    ran += look_at(&past, &other).met == ON_CORE_YES;
  }
  end(&other);
  assert_int_equal(ran, ENOUGH);
}

static void test_one_that_rests(void **state)
{
  (void)state;
  struct other other;
  struct on_core_past past = { 0 };
  begin(&other, true);
  usleep(2000);
  int ran = 0;
  for (int i = 0; i < ENOUGH; i++) ran += look_at(&past, &other).met != ON_CORE_RESTS;
  assert_true(ran < ENOUGH); /* it may have begun only just */
  struct on_core_look look = look_at(&past, &other);
  usleep(2000);
  assert_true(look_at(&past, &other).gap_ns - look.gap_ns > 1000000);
  end(&other);
}

/* Lets the calling thread, and those that it makes, run on this core only. */
static void stay(size_t core)
{
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
}

/* Both on one core: the other cannot run while this one looks, and it may be for that reason alone. It is told from one
 * that rests, wherever that rested last. */
static void test_who_rests(void **state)
{
  (void)state;
  struct other others[2];
  struct on_core_past past[2] = { 0 };
  int said[2][ON_CORE_ALL] = { 0 };
  stay((size_t)sched_getcpu());
  for (int rests = 0; rests < 2; rests++) begin(&others[rests], rests);
  for (int i = 0; i < ENOUGH; i++) {
    usleep(20000);
    for (int rests = 0; rests < 2; rests++) said[rests][look_at(&past[rests], &others[rests]).met]++;
  }
  for (int rests = 0; rests < 2; rests++) end(&others[rests]);
  assert_in_range(said[true][ON_CORE_RESTS], ENOUGH - 1, ENOUGH); /* it may have begun only just */
  assert_true(said[false][ON_CORE_YES] > ENOUGH / 2);             /* there is no other core */
}

struct looker {
  const struct other *other;
  size_t core;
  int nothing;
  cpu_set_t cores;
};

static void *look_from_its_core(void *pointer)
{
  struct looker *looker = pointer;
  struct on_core_past past = { .shortage = UINT32_MAX, .confined = true, .cores = all }; /* it may go elsewhere */
  stay(looker->core);
  for (int i = 0; i < TRIES; i++) {
    usleep(5000);
    looker->nothing += look_at(&past, looker->other).met == ON_CORE_UNKNOWN;
    sched_getaffinity(0, sizeof looker->cores, &looker->cores);
    if (!CPU_ISSET(looker->core, &looker->cores)) break;
  }
  return NULL;
}

/* The program may use other cores, and these were short: nothing is said, and the next looks come from another core. */
static void test_one_that_wants_the_core_of_who_looks(void **state)
{
  (void)state;
  struct other other;
  struct looker looker = { .other = &other };
  pthread_t thread;
  if (CPU_COUNT(&all) < 2) skip();
  looker.core = (size_t)sched_getcpu();
  stay(looker.core);
  begin(&other, false);
  assert_int_equal(go_anywhere(state), 0);
  assert_int_equal(pthread_create(&thread, NULL, look_from_its_core, &looker), 0);
  pthread_join(thread, NULL);
  end(&other);
  assert_in_range(looker.nothing, 1, TRIES / 2);
  assert_int_equal(CPU_COUNT(&looker.cores), CPU_COUNT(&all) - 1);
}

/* Cores were not short: it was this one that took its core. */
static void test_one_whose_core_was_taken_to_look(void **state)
{
  (void)state;
  struct other other;
  struct on_core_past past = { 0 };
  stay((size_t)sched_getcpu());
  begin(&other, false);
  usleep(5000);
  struct on_core_look look = look_at(&past, &other);
  assert_int_equal(go_anywhere(state), 0);
  end(&other);
  assert_int_equal(look.met, ON_CORE_YES);
}

/* Two threads on one core, seen from another: while one runs the other waits. Nothing is made of that until it is so often. */
static void test_one_that_waits_for_another_core(void **state)
{
  (void)state;
  struct other others[2];
  struct on_core_past past = { 0 };
  int said[ON_CORE_ALL] = { 0 };
  bool wanted = false;
  if (CPU_COUNT(&all) < 2) skip();
  size_t core = (size_t)sched_getcpu();
  stay(core);
  for (int i = 0; i < 2; i++) begin(&others[i], false);
  cpu_set_t elsewhere = all;
  CPU_CLR(core, &elsewhere);
  assert_int_equal(sched_setaffinity(0, sizeof elsewhere, &elsewhere), 0);
  for (int i = 0; i < TRIES && said[ON_CORE_WAITS] < ENOUGH; i++) {
    usleep(1000);
    struct on_core_look look = look_at(&past, &others[0]);
    said[look.met]++;
    wanted = wanted || look.wanted;
  }
  assert_int_equal(go_anywhere(state), 0);
  for (int i = 0; i < 2; i++) end(&others[i]);
  assert_int_equal(said[ON_CORE_WAITS], ENOUGH);
  assert_true(said[ON_CORE_YES] > 0 && wanted);
  assert_int_equal(said[ON_CORE_RESTS], 0);
}

static void test_a_thread_knows_whether_it_rested(void **state)
{
  (void)state;
  int64_t before = on_core_voluntary_switches();
  if (before < 0) skip(); /* a filter of system calls */
  for (int64_t end = clock_now_ns() + 20000000; clock_now_ns() < end;) {
  }
  assert_int_equal(on_core_voluntary_switches(), before);
  usleep(1000);
  assert_true(on_core_voluntary_switches() > before);
}

/* From now on the call ends the process. */
static bool forbid_leaving(void)
{
  struct sock_filter filter[] = {
    { .code = BPF_LD | BPF_W | BPF_ABS, .k = offsetof(struct seccomp_data, nr) },
    { .code = BPF_JMP | BPF_JEQ | BPF_K, .jf = 1, .k = SYS_sched_setaffinity },
    { .code = BPF_RET | BPF_K, .k = SECCOMP_RET_KILL_PROCESS },
    { .code = BPF_RET | BPF_K, .k = SECCOMP_RET_ALLOW },
  };
  struct sock_fprog program = { .len = sizeof filter / sizeof *filter, .filter = filter };
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Where it would go to another core. Returns how many looks said nothing; 77: there are no filters here. */
static int look_under_a_filter(void)
{
  struct other other;
  struct on_core_past past = { .shortage = UINT32_MAX, .confined = true, .cores = all };
  int nothing = 0;
  stay((size_t)sched_getcpu());
  begin(&other, false);
  if (!forbid_leaving()) return 77;
  if (on_core_voluntary_switches() >= 0) return 78;
  for (int i = 0; i < 2 * ENOUGH; i++) {
    usleep(5000);
    nothing += look_at(&past, &other).met == 0;
  }
  return nothing;
}

static void test_a_filter_that_kills_is_not_asked(void **state)
{
  (void)state;
  int status;
  if (CPU_COUNT(&all) < 2) skip();
  pid_t child = fork();
  if (child == 0) _exit(look_under_a_filter());
  assert_int_equal(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) skip();
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- what is said, of looks made by hand ---------------------------------------------------------- */

static void tell(struct on_core *on_core, bool ran, int64_t gap_ns, bool first)
{
  struct on_core_look look = { .thread = THREAD, .met = ran ? ON_CORE_YES : ON_CORE_RESTS, .gap_ns = gap_ns };
  on_core_tell(on_core, &look, first);
}

static void test_both_ways(void **state)
{
  (void)state;
  struct on_core on_core = { 0 };
  assert_int_equal(on_core_met(&on_core, THREAD), 0);
  tell(&on_core, true, 0, true);
  assert_int_equal(on_core_met(&on_core, THREAD), ON_CORE_YES);
  tell(&on_core, false, 0, true);
  assert_int_equal(on_core_met(&on_core, THREAD), ON_CORE_RESTS);
  assert_int_equal(on_core_met(&on_core, THREAD + 1), 0);
  on_core_tell(&on_core, &(struct on_core_look){ 0 }, true);
  assert_int_equal(on_core_met(&on_core, THREAD), 0);
}

static void test_several_instants_before_it_can_say_where(void **state)
{
  (void)state;
  struct on_core on_core = { 0 };
  tell(&on_core, false, 1, true);
  tell(&on_core, true, 2, true);
  tell(&on_core, false, 3, false);
  tell(&on_core, true, 4, false);
  assert_int_equal(on_core_met(&on_core, THREAD), ON_CORE_YES | ON_CORE_RESTS);
  assert_int_equal(on_core.first_gap_ns, 2);
  assert_int_equal(on_core.last_gap_ns, 4);
  struct on_core_look another = { .thread = THREAD + 1, .met = ON_CORE_WAITS, .gap_ns = 5, .wanted = true };
  on_core_tell(&on_core, &another, false);
  assert_int_equal(on_core_met(&on_core, THREAD + 1), ON_CORE_WAITS);
  assert_true(on_core.wanted);
  assert_int_equal(on_core.first_gap_ns, 5);
}

int main(void)
{
  if (sched_getaffinity(0, sizeof all, &all) != 0) return 1;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_teardown(test_one_that_runs, go_anywhere),
    cmocka_unit_test_teardown(test_one_that_rests, go_anywhere),
    cmocka_unit_test_teardown(test_who_rests, go_anywhere),
    cmocka_unit_test_teardown(test_one_that_wants_the_core_of_who_looks, go_anywhere),
    cmocka_unit_test_teardown(test_one_whose_core_was_taken_to_look, go_anywhere),
    cmocka_unit_test_teardown(test_one_that_waits_for_another_core, go_anywhere),
    cmocka_unit_test(test_a_thread_knows_whether_it_rested),
    cmocka_unit_test_teardown(test_a_filter_that_kills_is_not_asked, go_anywhere),
    cmocka_unit_test_teardown(test_both_ways, go_anywhere),
    cmocka_unit_test_teardown(test_several_instants_before_it_can_say_where, go_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
