/* Whether a thread has a core, seen by another one. */
#include "ext/base/on_core.h"
#include "shm/base/clock.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { THREAD = 7, TRIES = 1000, ENOUGH = 10 };

/* One that runs or rests until it is told to end. */
struct other {
  pthread_t thread;
  clockid_t clock;
  bool rests;
  int ends[2];
  _Atomic bool ended;
};

static void *live(void *pointer)
{
  struct other *other = pointer;
  char byte;
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

/* Where others want the cores as well it is seen sooner or later. */
static void test_one_that_runs(void **state)
{
  (void)state;
  struct other other;
  int ran = 0;
  if (sysconf(_SC_NPROCESSORS_ONLN) < 2) skip();
  begin(&other, false);
  for (int i = 0; i < TRIES && ran < ENOUGH; i++) {
    usleep(1000);
    ran += on_core_look(THREAD, other.clock).ran;
  }
  end(&other);
  assert_int_equal(ran, ENOUGH);
}

static void test_one_that_rests(void **state)
{
  (void)state;
  struct other other;
  begin(&other, true);
  usleep(2000);
  int ran = 0;
  for (int i = 0; i < ENOUGH; i++) ran += on_core_look(THREAD, other.clock).ran;
  assert_true(ran < ENOUGH); /* it may have begun only just */
  struct on_core_look look = on_core_look(THREAD, other.clock);
  usleep(2000);
  assert_true(on_core_look(THREAD, other.clock).gap_ns - look.gap_ns > 1000000);
  end(&other);
}

static void test_who_rests(void **state)
{
  (void)state;
  int64_t times = -1;
  assert_true(on_core_rested(&times));
  for (int i = 0; i < ENOUGH; i++) {
    usleep(1000);
    assert_true(on_core_rested(&times));
  }
  struct other others[2 * ENOUGH]; /* so that cores are taken from this one, too */
  for (int i = 0; i < 2 * ENOUGH; i++) begin(&others[i], false);
  on_core_rested(&times);
  int rested = 0;
  for (int64_t stop = clock_now_ns() + CLOCK_NS_PER_SECOND / 5; clock_now_ns() < stop;)
    rested += on_core_rested(&times);
  for (int i = 0; i < 2 * ENOUGH; i++) end(&others[i]);
  assert_int_equal(rested, 0);
}

/* ---- what is said, of looks made by hand ---------------------------------------------------------- */

static void tell(struct on_core *on_core, bool ran, int64_t gap_ns, bool first)
{
  struct on_core_look look = { .thread = THREAD, .ran = ran, .gap_ns = gap_ns };
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
  assert_int_equal(on_core_met(&on_core, THREAD), ON_CORE_NO);
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
  assert_int_equal(on_core_met(&on_core, THREAD), ON_CORE_YES | ON_CORE_NO);
  assert_int_equal(on_core.first_gap_ns, 2);
  assert_int_equal(on_core.last_gap_ns, 4);
  struct on_core_look another = { .thread = THREAD + 1, .gap_ns = 5 };
  on_core_tell(&on_core, &another, false);
  assert_int_equal(on_core_met(&on_core, THREAD + 1), ON_CORE_NO);
  assert_int_equal(on_core.first_gap_ns, 5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_one_that_runs),
    cmocka_unit_test(test_one_that_rests),
    cmocka_unit_test(test_who_rests),
    cmocka_unit_test(test_both_ways),
    cmocka_unit_test(test_several_instants_before_it_can_say_where),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
