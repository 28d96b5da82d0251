#include "ext/base/id_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* Keys that fall on few slots, so that they meet. */
static uint64_t key_of(uint32_t id)
{
  return ((uint64_t)(id % 97) << 20 | (uint64_t)id << 40) | 1;
}

static void test_everything_is_found_again_while_it_grows(void **state)
{
  (void)state;
  struct id_map map;
  enum { MOST = 5000 };
  assert_int_equal(id_map_create(&map, MOST), 0);
  for (uint32_t id = 1; id <= MOST; id++) {
    assert_int_equal(id_map_find(&map, key_of(id)), 0);
    id_map_add(&map, key_of(id), id);
    if (id % 500) continue;
    for (uint32_t old = 1; old <= id; old++) assert_int_equal(id_map_find(&map, key_of(old)), old);
  }
  assert_int_equal(id_map_find(&map, key_of(MOST + 1)), 0);
  assert_int_equal(map.count, MOST);
  id_map_destroy(&map);
}

static uint64_t mix(uint32_t id)
{
  return (uint64_t)id * UINT64_C(0x9E3779B97F4A7C15) | 1;
}

static void test_it_is_as_large_as_what_is_in_it(void **state)
{
  (void)state;
  struct id_map map;
  assert_int_equal(id_map_create(&map, 1 << 17), 0);
  uint32_t small = map.mask;
  for (uint32_t id = 1; id <= 1 << 17; id++) {
    id_map_add(&map, mix(id), id);
    assert_true(map.mask == small || map.mask / 4 <= map.count);
    assert_true(map.count <= map.mask / 2 + 2);
  }
  for (uint32_t id = 1; id <= 1 << 17; id++) assert_int_equal(id_map_find(&map, mix(id)), id);
  for (uint32_t slot = map.mask + 1; slot <= map.mask + map.mask / 2; slot++) assert_int_equal(map.keys[slot], 0);
  id_map_destroy(&map);
  id_map_destroy(&map);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_everything_is_found_again_while_it_grows),
    cmocka_unit_test(test_it_is_as_large_as_what_is_in_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
