#include "tests/shm/support.h"

#include <stdlib.h>
#include <string.h>

static void test_adding_grows_and_zeroes(void **state)
{
  (void)state;
  struct rtop_window window = { 0 };
  for (uint32_t i = 0; i < 1000; i++) {
    struct rtop_cell *cell = rtop_window_add_cell(&window);
    assert_int_equal(cell->wall_ns, 0);
    cell->wall_ns = i;
    rtop_window_add_late(&window)->start_mono_ns = i;
    rtop_window_add_thread(&window)->serial = i;
    rtop_window_add_mark(&window)->name = i;
  }
  for (uint32_t i = 0; i < 1000; i++) {
    assert_int_equal(window.cells[i].wall_ns, i);
    assert_int_equal(window.late[i].start_mono_ns, i);
    assert_int_equal(window.threads[i].serial, i);
    assert_int_equal(window.marks[i].name, i);
  }
  rtop_window_destroy(&window);
  assert_null(window.cells);
}

static void test_reset_keeps_the_arrays(void **state)
{
  (void)state;
  struct rtop_window window = { 0 };
  support_window(&window, 3);
  rtop_window_set_counter(&window, RTOP_COUNTER_TICKS, 7);
  struct rtop_cell *cells = window.cells;
  size_t capacity = window.cell_capacity;
  window.folded = true;
  rtop_window_reset(&window);
  assert_int_equal(window.cell_count + window.thread_count + window.late_count + window.mark_count, 0);
  assert_int_equal(window.counters_present, 0);
  assert_int_equal(window.counters[RTOP_COUNTER_TICKS], 0);
  assert_false(window.folded);
  assert_ptr_equal(window.cells, cells);
  assert_int_equal(window.cell_capacity, capacity);
  assert_int_equal(rtop_window_add_cell(&window)->wall_ns, 0);
  rtop_window_destroy(&window);
}

enum { RAW = 4000 };

static void test_compresses_when_it_pays(void **state)
{
  (void)state;
  unsigned char raw[RAW], packed[RAW], back[RAW];
  uint32_t codec = 99;
  for (size_t i = 0; i < RAW; i++) raw[i] = (unsigned char)(i % 10);
  size_t bytes = rtop_window_compress(raw, RAW, packed, RAW, &codec);
  assert_int_equal(codec, RTOP_CODEC_LZ4);
  assert_true(bytes < RAW - RAW / 8);
  assert_true(rtop_window_decompress(packed, bytes, codec, back, RAW));
  assert_memory_equal(back, raw, RAW);
  assert_false(rtop_window_decompress(packed, bytes, codec, back, RAW - 1));
  assert_false(rtop_window_decompress(packed, bytes - 1, codec, back, RAW));
}

static void test_leaves_noise_alone(void **state)
{
  (void)state;
  unsigned char raw[RAW], packed[RAW], back[RAW];
  uint32_t codec = 99;
  srand(1);
  for (size_t i = 0; i < RAW; i++) raw[i] = (unsigned char)rand();
  assert_int_equal(rtop_window_compress(raw, RAW, packed, RAW, &codec), RAW);
  assert_int_equal(codec, RTOP_CODEC_RAW);
  assert_true(rtop_window_decompress(packed, RAW, codec, back, RAW));
  assert_memory_equal(back, raw, RAW);
}

/* Noise with a run of zeros: LZ4 saves a little less, then a little more than an eighth. */
static void test_an_eighth_is_the_limit(void **state)
{
  (void)state;
  unsigned char raw[RAW], packed[RAW];
  bool seen[2] = { false, false };
  srand(2);
  for (size_t i = 0; i < RAW; i++) raw[i] = (unsigned char)rand();
  for (size_t zeros = 400; zeros < 700; zeros++) {
    uint32_t codec;
    memset(raw, 0, zeros);
    size_t bytes = rtop_window_compress(raw, RAW, packed, RAW, &codec);
    assert_int_equal(codec, bytes < RAW ? RTOP_CODEC_LZ4 : RTOP_CODEC_RAW);
    if (bytes < RAW) assert_true(bytes < RAW - RAW / 8);
    seen[codec] = true;
  }
  assert_true(seen[RTOP_CODEC_RAW] && seen[RTOP_CODEC_LZ4]);
}

static void test_small_and_empty(void **state)
{
  (void)state;
  unsigned char raw[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, packed[8];
  for (size_t bytes = 0; bytes <= sizeof raw; bytes++) {
    uint32_t codec;
    assert_int_equal(rtop_window_compress(raw, bytes, packed, sizeof packed, &codec), bytes);
    assert_int_equal(codec, RTOP_CODEC_RAW);
    assert_memory_equal(packed, raw, bytes);
  }
}

static void test_refuses(void **state)
{
  (void)state;
  unsigned char bytes[16] = { 0 };
  assert_false(rtop_window_decompress(bytes, 8, RTOP_CODEC_RAW, bytes, 9));
  assert_false(rtop_window_decompress(bytes, 8, 2, bytes, 8));
  assert_false(rtop_window_decompress(bytes, 8, UINT32_MAX, bytes, 8));
  assert_false(rtop_window_decompress(bytes, 8, RTOP_CODEC_LZ4, bytes, (size_t)RTOP_WINDOW_RAW_BYTES_MAX + 1));
  assert_false(rtop_window_decompress(bytes, (size_t)RTOP_WINDOW_RAW_BYTES_MAX + 1, RTOP_CODEC_LZ4, bytes, 8));
  assert_false(rtop_window_decompress(bytes, 0, RTOP_CODEC_LZ4, bytes, 8));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_adding_grows_and_zeroes),
    cmocka_unit_test(test_reset_keeps_the_arrays),
    cmocka_unit_test(test_compresses_when_it_pays),
    cmocka_unit_test(test_leaves_noise_alone),
    cmocka_unit_test(test_an_eighth_is_the_limit),
    cmocka_unit_test(test_small_and_empty),
    cmocka_unit_test(test_refuses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
