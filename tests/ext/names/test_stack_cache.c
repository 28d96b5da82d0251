#include "ext/names/stack_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { DEPTH = 100 };

static struct stack_cache cache;
static unsigned long frames[STACK_CACHE_DEPTH_MAX];
static int lines[STACK_CACHE_DEPTH_MAX];

/* Leaf first; those of real ones are multiples of 40 in pages of one kind. */
static void make_stack(uint32_t depth)
{
  for (uint32_t i = 0; i < depth; i++) {
    frames[depth - 1 - i] = 0x7F0012340000UL + 40UL * (i % 7);
    lines[depth - 1 - i] = (int)(i % 3);
  }
}

static uint64_t whole(uint64_t seed, uint32_t depth)
{
  struct stack_hashes hashes;
  stack_cache_hash(&hashes, seed, frames, lines, depth);
  return hashes.whole;
}

static void test_a_step_is_the_stack_that_ends_there(void **state)
{
  struct stack_hashes deep, part;
  (void)state;
  make_stack(DEPTH);
  stack_cache_hash(&deep, 7, frames, lines, DEPTH);
  for (uint32_t levels = STACK_CACHE_STEP; levels < DEPTH; levels += STACK_CACHE_STEP) {
    stack_cache_hash(&part, 7, frames + DEPTH - levels, lines + DEPTH - levels, levels);
    assert_true(part.whole == deep.steps[levels / STACK_CACHE_STEP - 1]);
  }
}

static void test_all_it_depends_on_counts(void **state)
{
  (void)state;
  make_stack(DEPTH);
  uint64_t before = whole(7, DEPTH);
  assert_true(before == whole(7, DEPTH));
  assert_true(before != whole(8, DEPTH));
  assert_true(before != whole(7, DEPTH - 1));
  for (uint32_t i = 0; i < DEPTH; i++) {
    frames[i] += 40;
    assert_true(before != whole(7, DEPTH));
    frames[i] -= 40;
    lines[i]++;
    assert_true(before != whole(7, DEPTH));
    lines[i]--;
  }
}

static int by_value(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Stacks of two methods, of which one stands on two levels. */
static void test_hashes_of_like_stacks_differ_and_spread(void **state)
{
  enum { COUNT = DEPTH * (DEPTH - 1) / 2 };
  static uint64_t hashes[COUNT];
  static uint32_t slots[1 << STACK_CACHE_SLOTS_LOG2];
  uint32_t most = 0, count = 0;
  (void)state;
  memset(slots, 0, sizeof slots);
  for (uint32_t i = 0; i < DEPTH; i++) {
    for (uint32_t j = 0; j < i; j++) {
      for (uint32_t level = 0; level < DEPTH; level++) {
        frames[level] = 0x7F0012340000UL + 40UL * (level == i || level == j);
        lines[level] = 1;
      }
      hashes[count] = whole(0, DEPTH);
      uint32_t slot = (uint32_t)(hashes[count++] >> (64 - STACK_CACHE_SLOTS_LOG2));
      if (++slots[slot] > most) most = slots[slot];
    }
  }
  qsort(hashes, COUNT, sizeof *hashes, by_value);
  for (uint32_t i = 1; i < COUNT; i++) assert_true(hashes[i] != hashes[i - 1]);
  assert_in_range(most, 1, 12); /* 4,950 in 4,096 slots */
}

static void test_the_last_one_of_a_slot_is_found(void **state)
{
  uint32_t node = 0;
  uint64_t hash = UINT64_C(0x123456789ABCDEF1);
  (void)state;
  memset(&cache, 0, sizeof cache);
  assert_false(stack_cache_find(&cache, hash, &node));
  stack_cache_set(&cache, hash, 5);
  assert_true(stack_cache_find(&cache, hash, &node));
  assert_int_equal(node, 5);
  assert_false(stack_cache_find(&cache, hash + 2, &node));
  stack_cache_set(&cache, hash + 2, 6);
  assert_true(stack_cache_find(&cache, hash + 2, &node));
  assert_int_equal(node, 6);
  assert_false(stack_cache_find(&cache, hash, &node));
}

/* A method that is called from two of its lines, in the order of Thue and Morse: polynomials do not tell it from its
 * opposite. */
static void test_levels_do_not_cancel_out(void **state)
{
  enum { ALTERNATING = 1024 };
  uint64_t hashes[2];
  (void)state;
  for (int opposite = 0; opposite < 2; opposite++) {
    for (uint32_t level = 0; level < ALTERNATING; level++) {
      frames[level] = 0x7F0012340000UL;
      lines[level] = 1 + (__builtin_parity(level) ^ opposite);
    }
    hashes[opposite] = whole(1, ALTERNATING);
  }
  assert_true(hashes[0] != hashes[1]);
}

static void test_lines_of_any_length_differ(void **state)
{
  (void)state;
  make_stack(DEPTH);
  for (int bit = 0; bit < 31; bit++) {
    uint64_t before = whole(7, DEPTH);
    lines[50] ^= 1 << bit;
    assert_true(before != whole(7, DEPTH));
  }
}

/* Steps are the levels below 32, 64, … of deeper stacks, and no more. */
static void test_as_many_steps_as_levels(void **state)
{
  static const uint32_t depths[] = { 0, 1, 31, 32, 33, 64, 65, STACK_CACHE_DEPTH_MAX };
  enum { STEPS = STACK_CACHE_DEPTH_MAX / STACK_CACHE_STEP };
  (void)state;
  make_stack(STACK_CACHE_DEPTH_MAX);
  for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++) {
    struct {
      struct stack_hashes hashes;
      uint64_t behind;
    } of = { .behind = 1 };
    stack_cache_hash(&of.hashes, 7, frames, lines, depths[i]);
    uint32_t steps = depths[i] ? (depths[i] - 1) / STACK_CACHE_STEP : 0;
    for (uint32_t step = 0; step < STEPS; step++) assert_int_equal(of.hashes.steps[step] != 0, step < steps);
    assert_int_equal(of.behind, 1);
    assert_true(of.hashes.whole != 0);
  }
}

static void test_what_is_free_is_no_stack(void **state)
{
  uint32_t node;
  (void)state;
  memset(&cache, 0, sizeof cache);
  memset(frames, 0, sizeof frames);
  memset(lines, 0, sizeof lines);
  assert_false(stack_cache_find(&cache, whole(0, 0), &node));
  assert_false(stack_cache_find(&cache, whole(0, DEPTH), &node));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_step_is_the_stack_that_ends_there),
    cmocka_unit_test(test_all_it_depends_on_counts),
    cmocka_unit_test(test_hashes_of_like_stacks_differ_and_spread),
    cmocka_unit_test(test_the_last_one_of_a_slot_is_found),
    cmocka_unit_test(test_levels_do_not_cancel_out),
    cmocka_unit_test(test_lines_of_any_length_differ),
    cmocka_unit_test(test_as_many_steps_as_levels),
    cmocka_unit_test(test_what_is_free_is_no_stack),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
