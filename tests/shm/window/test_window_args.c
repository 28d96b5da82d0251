/* Arguments of slow calls, as a part of a window: there and back, and what is no such part. */
#include "shm/window/window.h"
#include "tests/shm/support.h"

#include <string.h>

enum { BYTES = 16384 };
static const struct rtop_window_limits limits = { .node_count = 100, .thread_slots = 100, .string_bytes = 1000 };

static void add(struct rtop_window *window, const char *args, size_t bytes)
{
  struct rtop_slow *slow = rtop_window_add_slow(window);
  assert_non_null(slow);
  *slow = (struct rtop_slow){
    .end_mono_ns = 1500, .node = 4, .total_ns = 10 + window->slow_count, .args_bytes = (uint32_t)bytes
  };
  memcpy(slow->args, args, bytes);
}

static size_t encode(struct rtop_window *window, unsigned char *raw, size_t room)
{
  unsigned char scratch[64];
  size_t bytes = rtop_window_encode(window, raw, room, scratch);
  assert_in_range(bytes, 1, room);
  return bytes;
}

static void decode(struct rtop_window *back, const struct rtop_window *window, const unsigned char *raw, size_t bytes)
{
  back->start_mono_ns = window->start_mono_ns;
  back->end_mono_ns = window->end_mono_ns;
  assert_true(rtop_window_decode(back, raw, bytes, &limits));
  assert_int_equal(back->slow_count, window->slow_count);
  for (size_t i = 0; i < window->slow_count; i++) {
    assert_int_equal(back->slow[i].args_bytes, window->slow[i].args_bytes);
    assert_memory_equal(back->slow[i].args, window->slow[i].args, window->slow[i].args_bytes);
  }
}

static void test_there_and_back(void **state)
{
  (void)state;
  struct rtop_window window = { .start_mono_ns = 1000, .end_mono_ns = 2000 }, back = { 0 };
  unsigned char raw[BYTES];
  char longest[RTOP_ARGS_BYTES];
  memset(longest, 0xff, sizeof longest);
  add(&window, "id: 7", 5);
  add(&window, "", 0);
  add(&window, longest, sizeof longest);
  add(&window, "\0a", 2);
  size_t with = encode(&window, raw, BYTES);
  decode(&back, &window, raw, with);
  /* Nobody allows it: there is no such part, and nothing of the window before is left. */
  for (size_t i = 0; i < window.slow_count; i++) window.slow[i].args_bytes = 0;
  size_t without = encode(&window, raw, BYTES);
  assert_int_equal(without + 2 + 1 + 5 + 5 + sizeof longest + 2 + 1,
                   with); /* a kind and a size; a count, lengths, bytes */
  decode(&back, &window, raw, without);
  rtop_window_destroy(&window);
  rtop_window_destroy(&back);
}

/* It has as many lengths as SLOW, which comes before it, and ends with the last text. */
static void test_what_is_no_such_part(void **state)
{
  (void)state;
  static const struct {
    bool right;
    unsigned char bytes[40];
    size_t count;
  } cases[] = {
    /* parts: kind, bytes; SLOW: count, nine columns; ARGS: count, lengths, texts */
    { true, { 2, 10, 10, 13, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 'a', 'b' }, 19 },
    { true, { 2, 10, 10, 13, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0 }, 17 },
    { false, { 2, 10, 10, 13, 5, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 1, 'a', 'b' }, 20 }, /* more than calls */
    { false, { 2, 10, 10, 13, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, 16 },                 /* fewer */
    { false, { 2, 10, 10, 13, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 'a' }, 18 },         /* a text that ends early */
    { false, { 2, 10, 10, 13, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 'a', 'b' }, 19 },    /* and one that goes on */
    { false, { 2, 13, 4, 10, 10, 1, 2, 'a', 'b', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, 19 },    /* before SLOW */
    { false,
      { 2, 10, 10, 13, 6, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x82, 0x80, 0x80, 0x80, 0x10 },
      21 }, /* 32 bits and more */
  };
  struct rtop_window back = { .start_mono_ns = 0, .end_mono_ns = 10 };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    bool right = rtop_window_decode(&back, cases[i].bytes, cases[i].count, &limits);
    if (right != cases[i].right) fail_msg("case %zu", i);
    if (i == 0) assert_memory_equal(back.slow[0].args, "ab", 2);
  }
  rtop_window_destroy(&back);
}

static void test_longer_than_can_be(void **state)
{
  (void)state;
  struct rtop_window back = { .start_mono_ns = 0, .end_mono_ns = 10 };
  for (unsigned length = RTOP_ARGS_BYTES; length <= RTOP_ARGS_BYTES + 1; length++) {
    unsigned char raw[256] = {
      2, 10, 10, 13, (unsigned char)((length + 3) & 0x7f) | 0x80, (unsigned char)((length + 3) >> 7), 1
    };
    raw[16] = 1;
    raw[17] = (unsigned char)((length & 0x7f) | 0x80);
    raw[18] = (unsigned char)(length >> 7);
    assert_true(rtop_window_decode(&back, raw, 19 + length, &limits) == (length == RTOP_ARGS_BYTES));
  }
  /* As another process may hand it on. */
  rtop_window_reset(&back);
  add(&back, "a: 1", 4);
  back.end_mono_ns = 2000;
  assert_true(rtop_window_valid(&back, &limits));
  back.slow[0].args_bytes = RTOP_ARGS_BYTES + 1;
  assert_false(rtop_window_valid(&back, &limits));
  rtop_window_destroy(&back);
}

static struct rtop_slow *add_block(struct rtop_window *window, uint64_t total_ns)
{
  struct rtop_slow *slow = rtop_window_add_slow(window);
  assert_non_null(slow);
  *slow = (struct rtop_slow){ .end_mono_ns = 1500,
                              .node = 4,
                              .stack = 4,
                              .flags = RTOP_SLOW_BLOCK | 5u << RTOP_SLOW_LABELS_SHIFT,
                              .total_ns = total_ns };
  return slow;
}

/* What blocks with labels did; a window without any has no such part. */
static void test_blocks(void **state)
{
  (void)state;
  struct rtop_window window = { .start_mono_ns = 1000, .end_mono_ns = 2000 }, back = { 0 };
  unsigned char raw[BYTES];
  add(&window, "id: 7", 5);
  size_t without = encode(&window, raw, BYTES);
  struct rtop_slow *block = add_block(&window, 100);
  block->work_ns[RTOP_WORK_RUNNING] = 40;
  block->work_ns[RTOP_WORK_OTHER] = 60;
  size_t with = encode(&window, raw, BYTES);
  assert_true(with > without + 2 * 10);
  decode(&back, &window, raw, with);
  for (int cause = 0; cause < RTOP_WORK_CAUSES; cause++) {
    assert_int_equal(back.slow[0].work_ns[cause], 0);
    assert_int_equal(back.slow[1].work_ns[cause], window.slow[1].work_ns[cause]);
  }
  assert_int_equal(back.slow[1].flags, window.slow[1].flags);
  window.slow_count = 1;
  decode(&back, &window, raw, encode(&window, raw, BYTES));
  rtop_window_destroy(&window);
  rtop_window_destroy(&back);
}

static void test_blocks_that_cannot_be(void **state)
{
  (void)state;
  struct rtop_window window = { .start_mono_ns = 1000, .end_mono_ns = 2000 };
  struct rtop_slow *block = add_block(&window, 100);
  block->work_ns[RTOP_WORK_SLEEP] = block->work_ns[RTOP_WORK_IO] = 50;
  assert_true(rtop_window_valid(&window, &limits));
  block->work_ns[RTOP_WORK_IO] = 51;
  assert_false(rtop_window_valid(&window, &limits)); /* longer than it took */
  block->work_ns[RTOP_WORK_IO] = UINT64_MAX;
  assert_false(rtop_window_valid(&window, &limits)); /* no sum runs over */
  block->work_ns[RTOP_WORK_IO] = 0;
  block->work_ns[RTOP_WORK_WHOLE] = 1;
  assert_false(rtop_window_valid(&window, &limits));
  rtop_window_destroy(&window);
}

/* Whatever was in the memory for rows, fields that a window does not have are zeros. */
static void test_rows_begin_as_zeros(void **state)
{
  (void)state;
  struct rtop_window window = { .start_mono_ns = 1000, .end_mono_ns = 2000 }, back = { 0 };
  unsigned char raw[BYTES];
  struct rtop_slow *block = add_block(&window, 100);
  block->work_ns[RTOP_WORK_RUNNING] = 100;
  size_t bytes = encode(&window, raw, BYTES);
  assert_non_null(rtop_window_add_slow(&back));
  memset(back.slow, 0xFF, back.slow_capacity * sizeof *back.slow);
  decode(&back, &window, raw, bytes);
  assert_int_equal(back.slow[0].work_ns[RTOP_WORK_WHOLE], 0);
  rtop_window_destroy(&window);
  rtop_window_destroy(&back);
}

/* They go before any call does. */
static void test_little_room(void **state)
{
  (void)state;
  struct rtop_window window = { .start_mono_ns = 1000, .end_mono_ns = 2000 }, back = { 0 };
  unsigned char raw[BYTES];
  char text[RTOP_ARGS_BYTES] = "a: 1";
  for (int i = 0; i < 20; i++) add(&window, text, sizeof text);
  size_t bytes = encode(&window, raw, 2000);
  assert_int_equal(window.slow_count, 20);
  assert_int_equal(window.slow[0].args_bytes, 0);
  assert_true(window.folded);
  decode(&back, &window, raw, bytes);
  rtop_window_destroy(&window);
  rtop_window_destroy(&back);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_there_and_back),        cmocka_unit_test(test_what_is_no_such_part),
    cmocka_unit_test(test_longer_than_can_be),    cmocka_unit_test(test_blocks),
    cmocka_unit_test(test_rows_begin_as_zeros),   cmocka_unit_test(test_blocks_that_cannot_be),
    cmocka_unit_test(test_little_room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
