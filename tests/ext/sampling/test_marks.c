#include "ext/sampling/marks.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { PRODUCERS = 4, MARKS_EACH = 20000 };

static struct marks marks;

static int empty(void **state)
{
  (void)state;
  memset(&marks, 0, sizeof marks);
  marks_init(&marks);
  return 0;
}

static void test_in_order_and_bounded(void **state)
{
  (void)state;
  struct mark mark;
  assert_false(marks_take(&marks, &mark));
  for (int round = 0; round < 5; round++) {
    for (int i = 0; i < MARKS_CAPACITY + 3; i++) assert_int_equal(marks_add(&marks, i, "name", 4), i < MARKS_CAPACITY);
    assert_int_equal(atomic_load(&marks.dropped), 3 * (round + 1));
    for (int i = 0; i < MARKS_CAPACITY; i++) {
      assert_true(marks_take(&marks, &mark));
      assert_int_equal(mark.mono_ns, i);
      assert_int_equal(mark.bytes, 4);
    }
    assert_false(marks_take(&marks, &mark));
  }
}

static void test_long_names_are_cut_at_a_character(void **state)
{
  (void)state;
  struct mark mark;
  char name[300];
  memset(name, 'x', sizeof name);
  memcpy(name + MARKS_NAME_MAX - 1, "\xe2\x82\xac", 3);
  assert_true(marks_add(&marks, 1, name, sizeof name));
  assert_true(marks_add(&marks, 2, "", 0));
  assert_true(marks_take(&marks, &mark));
  assert_int_equal(mark.bytes, MARKS_NAME_MAX - 1);
  assert_memory_equal(mark.name, name, mark.bytes);
  assert_true(marks_take(&marks, &mark));
  assert_int_equal(mark.bytes, 0);
}

/* Names say who and which: marks of one thread come in its order, each is whole, and none is lost uncounted. */
static void *produce(void *argument)
{
  int who = *(const int *)argument;
  for (int i = 0; i < MARKS_EACH; i++) {
    char name[32];
    int bytes = snprintf(name, sizeof name, "%d %d", who, i);
    marks_add(&marks, who * (int64_t)MARKS_EACH + i, name, (size_t)bytes);
    if (i % 64 == 0) sched_yield();
  }
  return NULL;
}

static void test_many_threads(void **state)
{
  (void)state;
  pthread_t threads[PRODUCERS];
  int who[PRODUCERS], last[PRODUCERS];
  uint64_t taken = 0;
  for (int i = 0; i < PRODUCERS; i++) {
    who[i] = i;
    last[i] = -1;
    assert_int_equal(pthread_create(&threads[i], NULL, produce, &who[i]), 0);
  }
  while (taken + atomic_load(&marks.dropped) < (uint64_t)PRODUCERS * MARKS_EACH) {
    struct mark mark;
    if (!marks_take(&marks, &mark)) {
      sched_yield();
      continue;
    }
    char expected[32];
    int producer = (int)(mark.mono_ns / MARKS_EACH), number = (int)(mark.mono_ns % MARKS_EACH);
    int bytes = snprintf(expected, sizeof expected, "%d %d", producer, number);
    assert_int_equal(mark.bytes, bytes);
    assert_memory_equal(mark.name, expected, mark.bytes);
    assert_true(number > last[producer]);
    last[producer] = number;
    taken++;
  }
  for (int i = 0; i < PRODUCERS; i++) pthread_join(threads[i], NULL);
  assert_true(taken > 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_in_order_and_bounded, empty),
    cmocka_unit_test_setup(test_long_names_are_cut_at_a_character, empty),
    cmocka_unit_test_setup(test_many_threads, empty),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
