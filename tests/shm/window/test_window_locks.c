/* What threads wait for, as a part of a window: there and back, and what is no such part. */
#include "shm/window/window_merge.h"
#include "shm/window/window_parts.h"
#include "shm/window/window_threads.h"
#include "tests/shm/support.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES = 4096 };
static const struct rtop_window_limits limits = { .node_count = 100, .thread_slots = 100, .string_bytes = 1000 };

static struct rtop_window_thread *add(struct rtop_window *window, uint64_t serial, uint32_t kind, uint32_t lock,
                                      uint64_t holder)
{
  struct rtop_window_thread *thread = rtop_window_add_thread(window);
  assert_non_null(thread);
  *thread = (struct rtop_window_thread){ .serial = serial, .state = RTOP_BLOCKED, .state_age_ns = 7 };
  thread->lock_kind = kind;
  thread->lock = lock;
  thread->lock_holder = holder;
  return thread;
}

static size_t encode(struct rtop_window *window, unsigned char *raw)
{
  unsigned char scratch[64];
  size_t bytes = rtop_window_encode(window, raw, BYTES, scratch);
  assert_true(bytes > 0);
  return bytes;
}

static void test_there_and_back(void **state)
{
  (void)state;
  struct rtop_window window = { 0 }, back = { 0 };
  unsigned char raw[BYTES];
  add(&window, 1, RTOP_LOCK_MUTEX, 3, 2);
  add(&window, 2, RTOP_LOCK_NONE, 0, 0);
  add(&window, 3, 4000000000u, UINT32_MAX, UINT64_MAX); /* a kind of later versions */
  size_t bytes = encode(&window, raw);
  assert_true(rtop_window_decode(&back, raw, bytes, &limits));
  assert_int_equal(back.thread_count, 3);
  assert_memory_equal(back.threads, window.threads, 3 * sizeof *back.threads);
  /* Nobody waits: there is no such part, and nothing of the window before is left. */
  for (size_t i = 0; i < 3; i++) window.threads[i].lock_kind = window.threads[i].lock = 0;
  for (size_t i = 0; i < 3; i++) window.threads[i].lock_holder = 0;
  size_t without = encode(&window, raw);
  assert_true(without + 3 * 3 < bytes);
  assert_true(rtop_window_decode(&back, raw, without, &limits));
  assert_memory_equal(back.threads, window.threads, 3 * sizeof *back.threads);
  rtop_window_destroy(&window);
  rtop_window_destroy(&back);
}

/* It has as many elements as THREADS, which come before it, and it comes once. */
static void test_what_is_no_such_part(void **state)
{
  (void)state;
  static const struct {
    bool right;
    unsigned char bytes[24];
    size_t count;
  } cases[] = {
    /* parts: kind, bytes; THREADS: count, seven columns; LOCKS: count, three columns */
    { true, { 2, 2, 8, 11, 4, 1, 0, 2, 0, 0, 2, 0, 0, 1, 1, 3, 0 }, 17 },
    { false, { 2, 2, 8, 11, 7, 1, 0, 2, 0, 0, 2, 0, 0, 2, 1, 1, 3, 3, 0, 0 }, 20 },
    { false, { 2, 2, 8, 11, 3, 1, 0, 2, 0, 0, 2, 0, 0, 1, 1, 3 }, 16 },
    { false, { 2, 11, 4, 2, 8, 1, 1, 3, 0, 1, 0, 2, 0, 0, 2, 0, 0 }, 17 },
    { false, { 3, 2, 8, 11, 4, 11, 4, 1, 0, 2, 0, 0, 2, 0, 0, 1, 1, 3, 0, 1, 1, 3, 0 }, 23 },
    { false, { 2, 2, 8, 11, 5, 1, 0, 2, 0, 0, 2, 0, 0, 1, 1, 3, 0, 0 }, 18 },
  };
  struct rtop_window back = { 0 };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    bool right = rtop_window_decode(&back, cases[i].bytes, cases[i].count, &limits);
    if (right != cases[i].right) fail_msg("case %zu", i);
    if (right) assert_int_equal(back.threads[0].lock, 3);
  }
  rtop_window_destroy(&back);
}

/* Of threads that become one nothing is told; a merged window is as its last one was. */
static void test_sums(void **state)
{
  (void)state;
  struct rtop_window window = { .start_mono_ns = 1000, .end_mono_ns = 2000 };
  uint32_t map[2];
  void *memory = calloc(1, window_merge_memory_bytes()), *scratch = malloc(window_merge_scratch_bytes());
  struct window_merge merge;
  window_merge_init(&merge, memory, scratch);
  add(&window, 1, RTOP_LOCK_MUTEX, 3, 2);
  add(&window, 2, RTOP_LOCK_NONE, 0, 0);
  window_merge_add(&merge, &window);
  assert_int_equal(merge.window.threads[0].lock, 3);
  window.threads[0].lock_kind = RTOP_LOCK_MONITOR;
  window.threads[0].lock = 4;
  window.end_mono_ns = 3000;
  window_merge_add(&merge, &window);
  assert_int_equal(merge.window.threads[0].lock_kind, RTOP_LOCK_MONITOR);
  assert_int_equal(merge.window.threads[0].lock, 4);
  assert_int_equal(merge.window.threads[0].lock_holder, 2);
  window_sum_threads(&window, false, map);
  assert_int_equal(window.thread_count, 1);
  assert_int_equal(window.threads[0].lock_kind, RTOP_LOCK_NONE);
  assert_int_equal(window.threads[0].lock, 0);
  assert_int_equal(window.threads[0].lock_holder, 0);
  rtop_window_destroy(&window);
  free(scratch);
  free(memory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_there_and_back),
    cmocka_unit_test(test_what_is_no_such_part),
    cmocka_unit_test(test_sums),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
