#include "shm/base/latency.h"
#include "shm/base/label_text.h"
#include "tests/shm/support.h"

#include <stdlib.h>
#include <string.h>

static const struct rtop_window_limits limits = { .node_count = 50, .thread_slots = 10, .string_bytes = 4096 };

/* Decodes from exactly so many bytes of heap, so that a sanitizer sees one byte too far. */
static bool decode(struct rtop_window *window, const void *bytes, size_t count, int64_t start, int64_t end)
{
  unsigned char *raw = malloc(count ? count : 1);
  memcpy(raw, bytes, count);
  window->start_mono_ns = start;
  window->end_mono_ns = end;
  bool right = rtop_window_decode(window, raw, count, &limits);
  free(raw);
  if (!right) assert_int_equal(window->cell_count + window->thread_count + window->late_count + window->mark_count, 0);
  return right;
}

static bool decodes(const void *bytes, size_t count)
{
  struct rtop_window window = { 0 };
  bool right = decode(&window, bytes, count, 1000, 2000);
  rtop_window_destroy(&window);
  return right;
}

#define DECODES(text) decodes(text, sizeof(text) - 1)

static size_t sample_payload(unsigned char *out, size_t out_bytes)
{
  struct rtop_window window = { 0 };
  unsigned char scratch[1024];
  window.start_mono_ns = 1000;
  window.end_mono_ns = 2000;
  for (uint32_t i = 0; i < 2; i++)
    *rtop_window_add_thread(&window) =
        (struct rtop_window_thread){ .slot = 5 * i, .serial = 300 + i, .node = 7, .stack_age_ns = 200 * i };
  for (uint32_t i = 0; i < 6; i++)
    *rtop_window_add_cell(&window) = (struct rtop_cell){
      .node = 4 * i, .thread = i % 2, .state = i % 5, .samples = i, .wall_ns = 1000 * i, .cpu_ns = 900 * i
    };
  *rtop_window_add_late(&window) = (struct rtop_late){ .start_mono_ns = 500, .cell = { .node = 3, .wall_ns = 700 } };
  *rtop_window_add_mark(&window) = (struct rtop_mark){ .mono_ns = 1500, .name = 64 };
  for (uint32_t i = 0; i < 3; i++)
    *rtop_window_add_begun(&window) = (struct rtop_begun){ .node = 40 - 9 * i, .label = i, .count = 300 * i };
  for (uint32_t i = 0; i < 3; i++)
    *rtop_window_add_fibers(&window) = (struct rtop_fibers){ .serial = 300 + i, .node = 40, .alive = 3, .waiting = i };
  for (uint32_t i = 0; i < 3; i++)
    *rtop_window_add_exact(&window) =
        (struct rtop_exact){ .node = 9 * i, .what = 11 + i, .key = 700 * i, .value = 5000 };
  rtop_window_set_counter(&window, RTOP_COUNTER_SAMPLES, 5);
  rtop_window_set_counter(&window, RTOP_COUNTER_CPU_NS, 123456);
  assert_true(rtop_window_scratch_bytes(6) <= sizeof scratch);
  size_t bytes = rtop_window_encode(&window, out, out_bytes, scratch);
  assert_true(bytes > 0);
  rtop_window_destroy(&window);
  return bytes;
}

static void assert_window_in_range(const struct rtop_window *window)
{
  uint64_t wall_ns = 0;
  for (size_t i = 0; i < window->cell_count; i++) {
    assert_true(window->cells[i].node < limits.node_count);
    assert_true(window->cells[i].thread < window->thread_count);
    assert_true(window->cells[i].state < RTOP_STATE_COUNT);
    wall_ns += window->cells[i].wall_ns;
    assert_true(wall_ns <= INT64_MAX);
  }
  for (size_t i = 0; i < window->thread_count; i++) {
    assert_true(window->threads[i].slot < limits.thread_slots);
    assert_true(window->threads[i].state < RTOP_STATE_COUNT);
    assert_true(window->threads[i].node < limits.node_count);
    assert_true(window->threads[i].stack_age_ns <= INT64_MAX);
  }
  for (size_t i = 0; i < window->late_count; i++) {
    assert_true(window->late[i].start_mono_ns >= 0 && window->late[i].start_mono_ns <= 2000);
    assert_true(window->late[i].cell.wall_ns <= INT64_MAX);
  }
  for (size_t i = 0; i < window->mark_count; i++) assert_true(window->marks[i].name < limits.string_bytes);
}

static void test_every_truncation_is_refused(void **state)
{
  (void)state;
  unsigned char raw[600];
  size_t bytes = sample_payload(raw, sizeof raw);
  assert_true(decodes(raw, bytes));
  for (size_t cut = 0; cut < bytes; cut++) assert_false(decodes(raw, cut));
}

static void test_trailing_bytes_are_refused(void **state)
{
  (void)state;
  unsigned char raw[600];
  size_t bytes = sample_payload(raw, sizeof raw);
  raw[bytes] = 0;
  assert_false(decodes(raw, bytes + 1));
}

/* Every value of every byte: decoded into something in range, or refused. */
static void test_every_single_byte_mutation(void **state)
{
  (void)state;
  unsigned char raw[600];
  size_t bytes = sample_payload(raw, sizeof raw), accepted = 0, refused = 0;
  struct rtop_window window = { 0 };
  for (size_t i = 0; i < bytes; i++) {
    unsigned char right = raw[i];
    for (unsigned value = 0; value < 256; value++) {
      raw[i] = (unsigned char)value;
      if (decode(&window, raw, bytes, 1000, 2000)) {
        assert_window_in_range(&window);
        accepted++;
      } else {
        refused++;
      }
    }
    raw[i] = right;
  }
  rtop_window_destroy(&window);
  assert_true(accepted > bytes && refused > bytes);
}

static void test_inserted_and_removed_bytes(void **state)
{
  (void)state;
  unsigned char raw[600], changed[601];
  size_t bytes = sample_payload(raw, sizeof raw);
  struct rtop_window window = { 0 };
  for (size_t i = 0; i < bytes; i++) {
    memcpy(changed, raw, i);
    memcpy(changed + i, raw + i + 1, bytes - i - 1);
    if (decode(&window, changed, bytes - 1, 1000, 2000)) assert_window_in_range(&window);
    changed[i] = 0x80;
    memcpy(changed + i + 1, raw + i, bytes - i);
    if (decode(&window, changed, bytes + 1, 1000, 2000)) assert_window_in_range(&window);
  }
  rtop_window_destroy(&window);
}

static void test_part_table(void **state)
{
  (void)state;
  assert_false(DECODES(""));
  assert_true(DECODES("\x00"));
  assert_false(DECODES("\x01"));
  assert_false(DECODES("\x01\x20"));
  assert_true(DECODES("\x01\x20\x00"));
  assert_true(DECODES("\x01\x20\x02zz")); /* unknown part: skipped */
  assert_true(DECODES("\x01\xff\xff\xff\xff\x0f\x01z"));
  assert_false(DECODES("\x01\x20\x03zz")); /* longer than what is left */
  assert_false(DECODES("\x01\x20\x01zz")); /* bytes behind the last part */
  assert_false(DECODES("\x01\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
  assert_false(DECODES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x20\x00"));
  assert_false(DECODES("\x02\x05\x01\x05\x01\x00\x00")); /* marks twice */
  assert_true(DECODES("\x02\x05\x01\x0a\x01\x00\x00"));
  assert_true(DECODES("\x01\x05\x01\x00"));      /* an empty part */
  assert_false(DECODES("\x01\x05\x02\x00\x00")); /* a part not used up */
  assert_false(DECODES("\x01\x03\x01\x01"));     /* a cell without columns */
}

#define ONE_THREAD "\x01\x00\x00\x00\x00\x00\x00\x00"

/* As many as there are threads, behind them, once. */
static void test_stacks(void **state)
{
  (void)state;
  assert_true(DECODES("\x02\x02\x08\x06\x02" ONE_THREAD "\x01\x05"));
  assert_false(DECODES("\x02\x02\x08\x06\x01" ONE_THREAD "\x00"));
  assert_false(DECODES("\x02\x02\x08\x06\x03" ONE_THREAD "\x02\x05\x05"));
  assert_false(DECODES("\x02\x02\x08\x06\x03" ONE_THREAD "\x01\x05\x05"));
  assert_false(DECODES("\x02\x06\x02\x02\x08"
                       "\x01\x05" ONE_THREAD));
  assert_false(DECODES("\x01\x06\x02\x01\x05"));
  assert_true(DECODES("\x01\x06\x01\x00"));
  assert_false(DECODES("\x03\x02\x08\x06\x02\x06\x02" ONE_THREAD "\x01\x05\x01\x05"));
}

static void test_counters(void **state)
{
  (void)state;
  assert_true(DECODES("\x01\x01\x03\x01\x05\x09"));
  assert_true(DECODES("\x01\x01\x05\x02\x00\x3f\x09\x09"));  /* ids 0 and 63 */
  assert_true(DECODES("\x01\x01\x05\x02\x00\x40\x09\x09"));  /* id 64: unknown, skipped */
  assert_false(DECODES("\x01\x01\x05\x02\x05\x00\x09\x09")); /* the same id twice */
  assert_false(DECODES("\x01\x01\x03\x02\x05\x09"));         /* more counted than there are */
  assert_false(DECODES("\x01\x01\x0b\x01\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x09"));
  struct rtop_window window = { 0 };
  assert_true(decode(&window, "\x01\x01\x05\x02\x01\x02\x07\x08", 8, 0, 0));
  assert_int_equal(window.counters_present, 1 << 1 | 1 << 3);
  assert_int_equal(window.counters[1], 7);
  assert_int_equal(window.counters[3], 8);
  rtop_window_destroy(&window);
}

/* One thread and one cell, or one late record or mark, with one field out of bounds each. */
struct index_case {
  const char *what;
  struct rtop_window_thread thread;
  struct rtop_cell cell;
  int64_t late_start; /* < 0: no late record */
  struct rtop_mark mark;
  struct rtop_begun begun;
  struct rtop_fibers fibers;
  struct rtop_exact exact;
  struct rtop_slow slow;
  struct rtop_raised raised;
  struct rtop_behind pair;
  bool right;
};

static bool round_trip_of(const struct index_case *one)
{
  struct rtop_window window = { .start_mono_ns = 1000, .end_mono_ns = 2000 }, back = { 0 };
  unsigned char raw[500], scratch[256];
  *rtop_window_add_thread(&window) = one->thread;
  *rtop_window_add_cell(&window) = one->cell;
  *rtop_window_add_mark(&window) = one->mark;
  *rtop_window_add_begun(&window) = (struct rtop_begun){ .count = 1 };
  *rtop_window_add_begun(&window) = one->begun;
  *rtop_window_add_fibers(&window) = (struct rtop_fibers){ .alive = 1, .wait_ns = 1 };
  *rtop_window_add_fibers(&window) = one->fibers;
  *rtop_window_add_exact(&window) = (struct rtop_exact){ .value = 1 };
  *rtop_window_add_exact(&window) = one->exact;
  *rtop_window_add_slow(&window) = (struct rtop_slow){ .total_ns = 1, .off_ns = 1 };
  *rtop_window_add_slow(&window) = one->slow;
  *rtop_window_add_raised(&window) = (struct rtop_raised){ .count = 1 };
  *rtop_window_add_raised(&window) = one->raised;
  *rtop_window_add_pair(&window) = (struct rtop_behind){ .count = 1, .wait_ns = 1 };
  *rtop_window_add_pair(&window) = one->pair;
  if (one->late_start >= 0)
    *rtop_window_add_late(&window) = (struct rtop_late){ .start_mono_ns = one->late_start, .cell.wall_ns = 5 };
  size_t bytes = rtop_window_encode(&window, raw, sizeof raw, scratch);
  bool right = decode(&back, raw, bytes, 1000, 2000);
  rtop_window_destroy(&window);
  rtop_window_destroy(&back);
  return right;
}

static void test_indices_and_bounds(void **state)
{
  (void)state;
  static const struct index_case index_cases[] = {
    { .what = "all zero", .right = true },
    { .what = "last label", .begun.label = RTOP_LABEL_PAIRS_MAX - 1, .right = true },
    { .what = "label beyond", .begun.label = RTOP_LABEL_PAIRS_MAX },
    { .what = "label at last node", .begun.node = 49, .right = true },
    { .what = "label at node beyond", .begun.node = 50 },
    { .what = "began too often", .begun.count = INT64_MAX },
    { .what = "began as often as can be", .begun.count = INT64_MAX - 1, .right = true },
    { .what = "fibers at last node", .fibers.node = 49, .fibers.name = 49, .right = true },
    { .what = "fibers at node beyond", .fibers.node = 50 },
    { .what = "name of fibers beyond", .fibers.name = 50 },
    { .what = "all fibers wait", .fibers.alive = 3, .fibers.waiting = 3, .right = true },
    { .what = "more fibers wait than there are", .fibers.alive = 3, .fibers.waiting = 4 },
    { .what = "fibers waited too long", .fibers.wait_ns = INT64_MAX },
    { .what = "fibers waited as long as can be", .fibers.wait_ns = INT64_MAX - 1, .right = true },
    { .what = "one fiber waited too long", .fibers.longest_ns = (uint64_t)INT64_MAX + 1 },
    { .what = "traced at last node", .exact.node = 49, .right = true },
    { .what = "traced at node beyond", .exact.node = 50 },
    { .what = "last bucket",
      .exact = { .what = RTOP_EXACT_SELF_TIMES, .key = RTOP_LATENCY_BUCKETS - 1 },
      .right = true },
    { .what = "bucket beyond", .exact = { .what = RTOP_EXACT_TOTAL_TIMES, .key = RTOP_LATENCY_BUCKETS } },
    { .what = "last bucket of work",
      .exact = { .what = RTOP_WORK_TIMES, .key = 15 << 16 | 10 << 12 | (RTOP_LATENCY_BUCKETS - 1) },
      .right = true },
    { .what = "bucket of work beyond", .exact = { .what = RTOP_WORK_TIMES, .key = RTOP_LATENCY_BUCKETS } },
    { .what = "cause of work that nobody knows",
      .exact = { .what = RTOP_WORK_TIME_NS, .key = UINT32_MAX },
      .right = true },
    { .what = "traced what nobody knows", .exact = { .what = UINT32_MAX, .key = UINT32_MAX }, .right = true },
    { .what = "called too often", .exact.value = INT64_MAX },
    { .what = "called as often as can be", .exact.value = INT64_MAX - 1, .right = true },
    { .what = "slow at last node", .slow.node = 49, .slow.stack = 49, .right = true },
    { .what = "slow at node beyond", .slow.node = 50 },
    { .what = "stack of a slow call beyond", .slow.stack = 50 },
    { .what = "slow at the end", .slow.end_mono_ns = 2000, .right = true },
    { .what = "slow after the end", .slow.end_mono_ns = 2001 },
    { .what = "slow before time began", .slow.end_mono_ns = -1 },
    { .what = "slow as long as can be", .slow.total_ns = INT64_MAX - 1, .right = true },
    { .what = "slow for too long", .slow.total_ns = INT64_MAX },
    { .what = "self longer than the call", .slow.total_ns = 5, .slow.self_ns = 6 },
    { .what = "off the GVL as long as can be", .slow.off_ns = INT64_MAX - 2, .slow.wait_ns = 1, .right = true },
    { .what = "off the GVL for too long", .slow.off_ns = INT64_MAX - 1, .slow.wait_ns = 1 },
    { .what = "arguments as long as can be", .slow.args_bytes = RTOP_ARGS_BYTES, .right = true },
    { .what = "slow by nobody known", .slow.serial = UINT64_MAX, .slow.flags = UINT32_MAX, .right = true },
    { .what = "raised at last node", .raised.node = 49, .raised.name = 49, .right = true },
    { .what = "raised at node beyond", .raised.node = 50 },
    { .what = "name of a class beyond", .raised.name = 50 },
    { .what = "raised at the end", .raised = { .first_mono_ns = 7, .last_mono_ns = 2000 }, .right = true },
    { .what = "raised after the end", .raised.last_mono_ns = 2001 },
    { .what = "raised before time began", .raised = { .first_mono_ns = -1, .last_mono_ns = 1500 } },
    { .what = "first raised last", .raised = { .first_mono_ns = 1600, .last_mono_ns = 1500 } },
    { .what = "raised as often as can be", .raised.count = INT64_MAX - 1, .right = true },
    { .what = "raised too often", .raised.count = INT64_MAX },
    { .what = "raised by nobody known", .raised.serial = UINT64_MAX, .right = true },
    { .what = "waits at the last node", .pair = { .node = 49, .holder = 49, .place = 49 }, .right = true },
    { .what = "who waits beyond", .pair.node = 50 },
    { .what = "holder beyond", .pair.holder = 50 },
    { .what = "place of a wait beyond", .pair.place = 50 },
    { .what = "waits for what nobody knows", .pair.cause = UINT32_MAX, .right = true },
    { .what = "waits as long as can be", .pair = { .count = INT64_MAX - 1, .wait_ns = INT64_MAX - 1 }, .right = true },
    { .what = "waits too often", .pair.count = INT64_MAX },
    { .what = "waits too long", .pair.wait_ns = INT64_MAX },
    { .what = "last slot", .thread.slot = 9, .right = true },
    { .what = "slot beyond", .thread.slot = 10 },
    { .what = "slot max", .thread.slot = UINT32_MAX },
    { .what = "thread state beyond", .thread.state = RTOP_STATE_COUNT },
    { .what = "thread at last node", .thread.node = 49, .right = true },
    { .what = "thread at node beyond", .thread.node = 50 },
    { .what = "age beyond", .thread.state_age_ns = (uint64_t)INT64_MAX + 1 },
    { .what = "age max", .thread.state_age_ns = INT64_MAX, .right = true },
    { .what = "provisional beyond", .thread.provisional_ns = UINT64_MAX },
    { .what = "age of a stack beyond", .thread.stack_age_ns = (uint64_t)INT64_MAX + 1 },
    { .what = "age of a stack max", .thread.stack_age_ns = INT64_MAX, .right = true },
    { .what = "last node", .cell.node = 49, .right = true },
    { .what = "node beyond", .cell.node = 50 },
    { .what = "node max", .cell.node = UINT32_MAX },
    { .what = "thread beyond", .cell.thread = 1 },
    { .what = "last state", .cell.state = 4, .right = true },
    { .what = "state beyond", .cell.state = 5 },
    { .what = "wall max", .cell.wall_ns = INT64_MAX - 5, .right = true },
    { .what = "wall beyond", .cell.wall_ns = (uint64_t)INT64_MAX + 1 },
    { .what = "cpu beyond", .cell.cpu_ns = UINT64_MAX },
    { .what = "allocations beyond", .cell.allocations = UINT64_MAX },
    { .what = "blame beyond", .cell.blame_ns = UINT64_MAX },
    { .what = "wall and late together beyond", .cell.wall_ns = INT64_MAX - 4, .late_start = 1 },
    { .what = "late at the end", .late_start = 2000, .right = true },
    { .what = "late after the end", .late_start = 2001 },
    { .what = "late long ago", .late_start = 0, .right = true },
    { .what = "last string", .mark.name = 4095, .right = true },
    { .what = "string beyond", .mark.name = 4096 },
    { .what = "mark before time began", .mark.mono_ns = -1 },
    { .what = "mark at the end of time", .mark.mono_ns = INT64_MAX, .right = true },
  };
  for (size_t i = 0; i < sizeof index_cases / sizeof index_cases[0]; i++) {
    struct index_case one = index_cases[i];
    if (one.late_start == 0 && strncmp(one.what, "late", 4) != 0) one.late_start = -1;
    if (round_trip_of(&one) != one.right) fail_msg("%s: decoded %d", one.what, !one.right);
  }
}

/* Two cells that are fine alone but not in sum. */
static void test_sums_do_not_overflow(void **state)
{
  (void)state;
  struct rtop_window window = { .end_mono_ns = 5 }, back = { 0 };
  unsigned char raw[500], scratch[256];
  rtop_window_add_thread(&window);
  *rtop_window_add_cell(&window) = (struct rtop_cell){ .node = 1, .wall_ns = INT64_MAX };
  *rtop_window_add_cell(&window) = (struct rtop_cell){ .node = 2, .wall_ns = 1 };
  size_t bytes = rtop_window_encode(&window, raw, sizeof raw, scratch);
  assert_false(decode(&back, raw, bytes, 0, 5));
  rtop_window_destroy(&window);
  rtop_window_destroy(&back);
}

static void test_late_that_never_ends(void **state)
{
  (void)state;
  struct rtop_window window = { .end_mono_ns = 2000 }, back = { 0 };
  unsigned char raw[500], scratch[256];
  rtop_window_add_thread(&window);
  *rtop_window_add_late(&window) = (struct rtop_late){ .start_mono_ns = 1, .cell.wall_ns = INT64_MAX };
  size_t bytes = rtop_window_encode(&window, raw, sizeof raw, scratch);
  assert_false(decode(&back, raw, bytes, 0, 2000));
  rtop_window_destroy(&window);
  rtop_window_destroy(&back);
}

static void test_random_bytes(void **state)
{
  (void)state;
  struct rtop_window window = { 0 };
  srand(7);
  for (int round = 0; round < 20000; round++) {
    unsigned char raw[64];
    size_t bytes = (size_t)rand() % sizeof raw;
    for (size_t i = 0; i < bytes; i++) raw[i] = (unsigned char)(rand() % (round % 2 ? 256 : 8));
    if (decode(&window, raw, bytes, 1000, 2000)) assert_window_in_range(&window);
  }
  rtop_window_destroy(&window);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_truncation_is_refused),
    cmocka_unit_test(test_trailing_bytes_are_refused),
    cmocka_unit_test(test_every_single_byte_mutation),
    cmocka_unit_test(test_inserted_and_removed_bytes),
    cmocka_unit_test(test_part_table),
    cmocka_unit_test(test_stacks),
    cmocka_unit_test(test_counters),
    cmocka_unit_test(test_indices_and_bounds),
    cmocka_unit_test(test_sums_do_not_overflow),
    cmocka_unit_test(test_late_that_never_ends),
    cmocka_unit_test(test_random_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
