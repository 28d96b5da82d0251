#include "ext/names/cells.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* Numbers of nodes, threads and states as windows have them. */
static struct rtop_cell cell(uint32_t number)
{
  return (struct rtop_cell){
    .node = 100 + number / 15, .thread = number / 5 % 3, .state = number % 5, .samples = 1, .wall_ns = number
  };
}

static void add(struct cells *cells, uint32_t number)
{
  struct rtop_cell one = cell(number);
  assert_true(cells_add(cells, &one));
}

static void assert_is(const struct rtop_cell *entry, uint32_t number, uint64_t times)
{
  struct rtop_cell one = cell(number);
  assert_int_equal(entry->node, one.node);
  assert_int_equal(entry->thread, one.thread);
  assert_int_equal(entry->state, one.state);
  assert_int_equal(entry->samples, times);
  assert_int_equal(entry->wall_ns, times * number);
}

static void test_cells_are_found_again_while_it_grows(void **state)
{
  enum { COUNT = CELLS_CAPACITY - CELLS_RESERVE };
  struct cells cells;
  (void)state;
  assert_int_equal(cells_create(&cells), 0);
  uint32_t first = cells.mask;
  for (uint32_t number = 0; number < COUNT; number++) add(&cells, number);
  assert_true(cells.mask > first);
  for (uint32_t number = 0; number < COUNT; number++) add(&cells, number);
  assert_int_equal(cells.count, COUNT);
  assert_int_equal(cells.folded, 0);
  for (uint32_t number = 0; number < COUNT; number++) assert_is(&cells.entries[number], number, 2);
  cells_destroy(&cells);
}

static void test_what_finds_no_room_is_folded(void **state)
{
  struct cells cells;
  (void)state;
  assert_int_equal(cells_create(&cells), 0);
  for (uint32_t number = 0; number < 2 * CELLS_CAPACITY; number++) add(&cells, number);
  assert_int_equal(cells.folded, CELLS_CAPACITY + CELLS_RESERVE);
  uint64_t samples = 0;
  for (uint32_t i = 0; i < cells.count; i++) samples += cells.entries[i].samples;
  assert_int_equal(samples, 2 * CELLS_CAPACITY);
  cells_destroy(&cells);
}

static void test_a_cleared_one_is_empty_and_gets_smaller(void **state)
{
  struct cells cells;
  (void)state;
  assert_int_equal(cells_create(&cells), 0);
  uint32_t first = cells.mask;
  for (uint32_t number = 0; number < 4000; number++) add(&cells, number);
  for (int window = 0; window < 20; window++) {
    cells_clear(&cells);
    assert_int_equal(cells.count, 0);
    for (uint32_t number = 7; number < 20; number++) add(&cells, number);
    assert_int_equal(cells.count, 13);
    for (uint32_t i = 0; i < 13; i++) assert_is(&cells.entries[i], i + 7, 1);
  }
  assert_int_equal(cells.mask, first);
  cells_destroy(&cells);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_cells_are_found_again_while_it_grows),
    cmocka_unit_test(test_what_finds_no_room_is_folded),
    cmocka_unit_test(test_a_cleared_one_is_empty_and_gets_smaller),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
