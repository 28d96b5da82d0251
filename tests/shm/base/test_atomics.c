#include "tests/shm/support.h"

#include "shm/base/atomics.h"

/* Every length to and from: the last word is padded with zeros, and not a byte more is touched. */
static void test_copies_every_length(void **state)
{
  (void)state;
  unsigned char from[40], to[40];
  uint64_t shared[6];
  for (size_t i = 0; i < sizeof from; i++) from[i] = (unsigned char)(i + 1);
  for (size_t length = 0; length <= sizeof from; length++) {
    memset(shared, 0xee, sizeof shared);
    memset(to, 0xdd, sizeof to);
    rtop_copy_to_shared(shared, from, length);
    const unsigned char *bytes = (const unsigned char *)shared;
    assert_memory_equal(bytes, from, length);
    size_t words_end = (length + 7) / 8 * 8;
    for (size_t i = length; i < sizeof shared; i++) assert_int_equal(bytes[i], i < words_end ? 0 : 0xee);
    rtop_copy_from_shared(to, shared, length);
    assert_memory_equal(to, from, length);
    for (size_t i = length; i < sizeof to; i++) assert_int_equal(to[i], 0xdd);
  }
}

static void test_loads_and_stores(void **state)
{
  (void)state;
  uint64_t word = 0;
  rtop_store_relaxed(&word, UINT64_MAX);
  assert_true(rtop_load_relaxed(&word) == UINT64_MAX);
  rtop_store_release(&word, UINT64_C(1) << 63);
  assert_true(rtop_load_acquire(&word) == UINT64_C(1) << 63);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_copies_every_length),
    cmocka_unit_test(test_loads_and_stores),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
