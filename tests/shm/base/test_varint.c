#include "tests/shm/support.h"

#include "shm/base/varint.h"
#include <string.h>

static const uint64_t edges[] = {
  0, 1, 127, 128, 16383, 16384, UINT32_MAX, (uint64_t)UINT32_MAX + 1, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX,
};
enum { EDGES = sizeof edges / sizeof edges[0] };

static size_t put(unsigned char *out, size_t capacity, uint64_t value)
{
  struct varint_writer writer = { .out = out, .capacity = capacity };
  varint_put(&writer, value);
  return writer.bytes;
}

static void test_round_trip(void **state)
{
  (void)state;
  for (size_t i = 0; i < EDGES; i++) {
    unsigned char bytes[10];
    size_t length = put(bytes, sizeof bytes, edges[i]);
    struct varint_reader reader = { .next = bytes, .end = bytes + length };
    assert_true(varint_get(&reader) == edges[i]);
    assert_false(reader.bad);
    assert_ptr_equal(reader.next, bytes + length);
  }
}

static void test_known_bytes(void **state)
{
  (void)state;
  unsigned char bytes[10];
  assert_int_equal(put(bytes, sizeof bytes, 300), 2);
  assert_memory_equal(bytes, "\xac\x02", 2);
  assert_int_equal(put(bytes, sizeof bytes, UINT64_MAX), 10);
  assert_memory_equal(bytes, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10);
}

static void test_full_buffer_goes_on_counting(void **state)
{
  (void)state;
  unsigned char bytes[4] = { 0, 0, 0, 0xee };
  assert_int_equal(put(bytes, 3, UINT64_MAX), 10);
  assert_int_equal(bytes[3], 0xee);
}

static void test_truncated(void **state)
{
  (void)state;
  unsigned char bytes[10];
  size_t length = put(bytes, sizeof bytes, UINT64_MAX);
  for (size_t cut = 0; cut < length; cut++) {
    struct varint_reader reader = { .next = bytes, .end = bytes + cut };
    assert_int_equal(varint_get(&reader), 0);
    assert_true(reader.bad);
    assert_ptr_equal(reader.next, reader.end);
  }
}

static bool readable(const char *bytes, size_t count)
{
  struct varint_reader reader = { .next = (const unsigned char *)bytes, .end = (const unsigned char *)bytes + count };
  varint_get(&reader);
  return !reader.bad;
}

static void test_more_than_64_bits(void **state)
{
  (void)state;
  assert_true(readable("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10));
  assert_false(readable("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10));
  assert_false(readable("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x00", 11));
  assert_false(readable("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 12));
}

static void test_after_an_error_everything_is_zero(void **state)
{
  (void)state;
  static const unsigned char bytes[] = { 5, 6 };
  struct varint_reader reader = { .next = bytes, .end = bytes + 2, .bad = true };
  assert_int_equal(varint_get(&reader), 0);
  assert_true(reader.bad);
}

static void test_zigzag(void **state)
{
  (void)state;
  assert_int_equal(varint_zigzag(0), 0);
  assert_int_equal(varint_zigzag(UINT64_MAX), 1);
  assert_int_equal(varint_zigzag(1), 2);
  for (size_t i = 0; i < EDGES; i++) assert_true(varint_unzigzag(varint_zigzag(edges[i])) == edges[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_round_trip),
    cmocka_unit_test(test_known_bytes),
    cmocka_unit_test(test_full_buffer_goes_on_counting),
    cmocka_unit_test(test_truncated),
    cmocka_unit_test(test_more_than_64_bits),
    cmocka_unit_test(test_after_an_error_everything_is_zero),
    cmocka_unit_test(test_zigzag),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
