#include "tests/shm/support.h"

#include "shm/base/ring.h"
#include <string.h>

/* The test vectors of RFC 3720, B.4. */
static void test_vectors(void **state)
{
  (void)state;
  unsigned char bytes[32];
  assert_int_equal(rtop_crc32c(0, "123456789", 9), 0xe3069283);
  memset(bytes, 0, sizeof bytes);
  assert_int_equal(rtop_crc32c(0, bytes, 32), 0x8a9136aa);
  memset(bytes, 0xff, sizeof bytes);
  assert_int_equal(rtop_crc32c(0, bytes, 32), 0x62a8ab43);
  for (unsigned i = 0; i < 32; i++) bytes[i] = (unsigned char)i;
  assert_int_equal(rtop_crc32c(0, bytes, 32), 0x46dd794e);
  assert_int_equal(rtop_crc32c(0, bytes, 0), 0);
}

/* Bit by bit, as the polynomial says. */
static uint32_t crc_by_definition(const unsigned char *bytes, size_t count)
{
  uint32_t state = UINT32_MAX;
  for (size_t i = 0; i < count; i++) {
    state ^= bytes[i];
    for (int bit = 0; bit < 8; bit++) state = state >> 1 ^ (state & 1 ? 0x82f63b78u : 0);
  }
  return ~state;
}

static void test_every_length_and_cut(void **state)
{
  (void)state;
  unsigned char bytes[80];
  for (unsigned i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(i * 37 + 11);
  for (size_t length = 0; length <= 64; length++)
    for (size_t shift = 0; shift < 8; shift++) {
      uint32_t whole = rtop_crc32c(0, bytes + shift, length);
      assert_int_equal(whole, crc_by_definition(bytes + shift, length));
      for (size_t cut = 0; cut <= length; cut++)
        assert_int_equal(rtop_crc32c(rtop_crc32c(0, bytes + shift, cut), bytes + shift + cut, length - cut), whole);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_vectors),
    cmocka_unit_test(test_every_length_and_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
