#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tui/recording/recording_bytes.h"

static void test_numbers_and_texts(void **state)
{
  (void)state;
  static const uint64_t numbers[] = { 0, 1, 127, 128, 16384, UINT32_MAX, UINT64_MAX };
  static const int64_t signs[] = { 0, -1, 1, INT64_MIN, INT64_MAX };
  struct recording_bytes bytes = { 0 };
  const char *text;
  size_t length;
  for (size_t i = 0; i < 7; i++) recording_put_number(&bytes, numbers[i]);
  for (size_t i = 0; i < 5; i++) recording_put_signed(&bytes, signs[i]);
  recording_put_text(&bytes, "");
  recording_put_text(&bytes, "Order#total");
  struct varint_reader reader = { .next = bytes.data, .end = bytes.data + bytes.count };
  for (size_t i = 0; i < 7; i++) assert_true(varint_get(&reader) == numbers[i]);
  for (size_t i = 0; i < 5; i++) assert_true(recording_get_signed(&reader) == signs[i]);
  assert_true(recording_get_text(&reader, &text, &length) && length == 0);
  assert_true(recording_get_text(&reader, &text, &length));
  assert_int_equal(length, 11);
  assert_memory_equal(text, "Order#total", 11);
  assert_false(recording_get_text(&reader, &text, &length));
  assert_true(reader.bad);
  recording_bytes_destroy(&bytes);
}

static void test_long_texts_are_cut(void **state)
{
  (void)state;
  static char name[RECORDING_TEXT_BYTES_MAX * 2];
  struct recording_bytes bytes = { 0 };
  const char *text;
  size_t length;
  memset(name, 'x', sizeof name - 1);
  recording_put_text(&bytes, name);
  struct varint_reader reader = { .next = bytes.data, .end = bytes.data + bytes.count };
  assert_true(recording_get_text(&reader, &text, &length));
  assert_int_equal(length, RECORDING_TEXT_BYTES_MAX);
  bytes.count = 0; /* one that claims more is refused, even if it is all there */
  recording_put_number(&bytes, RECORDING_TEXT_BYTES_MAX + 1);
  recording_put(&bytes, name, RECORDING_TEXT_BYTES_MAX + 1);
  reader = (struct varint_reader){ .next = bytes.data, .end = bytes.data + bytes.count };
  assert_false(recording_get_text(&reader, &text, &length));
  recording_bytes_destroy(&bytes);
}

/* A frame unpacks to just what was packed, and only whole. */
static void test_frames(void **state)
{
  (void)state;
  struct recording_bytes content = { 0 }, frame = { 0 };
  for (uint32_t i = 0; i < 200000; i++) recording_put_number(&content, i % 1000);
  size_t bytes = recording_put_frame(&frame, &content);
  assert_int_equal(bytes, frame.count);
  assert_in_range(bytes, 100, content.count / 2);
  unsigned char *raw = malloc(content.count + 1);
  assert_true(recording_unpack(frame.data, bytes, raw, content.count));
  assert_memory_equal(raw, content.data, content.count);
  assert_false(recording_unpack(frame.data, bytes - 1, raw, content.count));
  assert_false(recording_unpack(frame.data, bytes, raw, content.count - 1));
  assert_false(recording_unpack(frame.data, bytes, raw, content.count + 1));
  frame.data[bytes / 2] ^= 4;
  assert_false(recording_unpack(frame.data, bytes, raw, content.count));
  free(raw);
  recording_bytes_destroy(&content);
  recording_bytes_destroy(&frame);
}

static void test_seals(void **state)
{
  (void)state;
  struct recording_end_head head = { .index_count = 3 };
  recording_seal(&head, sizeof head, RECORDING_TAG_END);
  assert_int_equal(head.frame.magic, RECORDING_SKIPPABLE);
  assert_int_equal(head.frame.bytes, sizeof head - 8);
  assert_true(recording_sealed(&head, sizeof head, RECORDING_TAG_END));
  assert_false(recording_sealed(&head, sizeof head, RECORDING_TAG_INDEX));
  assert_false(recording_sealed(&head, sizeof head - 1, RECORDING_TAG_END));
  assert_false(recording_sealed(&head, 4, RECORDING_TAG_END));
  for (size_t at = 0; at < sizeof head; at++) {
    ((unsigned char *)&head)[at] ^= 0x10;
    assert_false(recording_sealed(&head, sizeof head, RECORDING_TAG_END));
    ((unsigned char *)&head)[at] ^= 0x10;
  }
}

static void test_records(void **state)
{
  (void)state;
  struct recording_bytes bytes = { 0 }, content = { 0 };
  recording_put_record(&bytes, RECORDING_GAP, &content);
  assert_int_equal(bytes.count, 0); /* nothing to say */
  recording_put(&content, "abc", 3);
  recording_put_record(&bytes, RECORDING_GAP, &content);
  assert_memory_equal(bytes.data,
                      "\x11\x03"
                      "abc",
                      5);
  assert_int_equal(bytes.count, 5);
  recording_bytes_destroy(&bytes);
  recording_bytes_destroy(&content);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_numbers_and_texts),
    cmocka_unit_test(test_long_texts_are_cut),
    cmocka_unit_test(test_frames),
    cmocka_unit_test(test_seals),
    cmocka_unit_test(test_records),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
