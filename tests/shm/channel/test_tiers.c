#include "tests/shm/support.h"

#include "shm/channel/reader.h"
#include "shm/channel/tiers.h"
#include "tests/shm/history.h"
#include <string.h>

#define SECOND INT64_C(1000000000)

static struct rtop_window window;

/* A channel of its own for each test, with more nodes than there are; 8 MB unless said otherwise. */
static struct rtop_writer *open_writer(uint64_t bytes)
{
  struct rtop_writer_options options = { .ring_bytes = bytes, .identity = support_identity() };
  struct rtop_writer *writer = rtop_writer_create(&options, NULL);
  assert_non_null(writer);
  for (uint32_t i = 0; i < 4000; i++) {
    struct rtop_node_entry node = { .parent = RTOP_NODE_ROOT, .depth = 1 };
    uint32_t id;
    rtop_writer_add_node(writer, &node, &id);
  }
  rtop_writer_add_string(writer, "mark", 4);
  return writer;
}

static struct rtop_reader *open_reader(const struct rtop_writer *writer)
{
  struct rtop_reader *reader = rtop_reader_open(rtop_writer_path(writer), (uid_t)-1, NULL);
  assert_non_null(reader);
  return reader;
}

struct stretch {
  int64_t start_ns, end_ns;
};

static struct stretch time_of(struct rtop_reader *reader, enum rtop_tier tier, uint64_t sequence)
{
  struct stretch stretch;
  assert_int_equal(rtop_reader_tier_time(reader, tier, sequence, &stretch.start_ns, &stretch.end_ns), RTOP_OK);
  return stretch;
}

static bool is_boundary(const struct history *history, int64_t time_ns)
{
  for (size_t i = 0; i < history->boundary_count; i++)
    if (history->boundaries[i] == time_ns) return true;
  return false;
}

/* Records move time that cells hold, or bring it (before version 1.2). */
static uint64_t wall_of_window(bool late_brings)
{
  uint64_t wall_ns = 0;
  for (size_t i = 0; i < window.cell_count; i++) wall_ns += window.cells[i].wall_ns;
  for (size_t i = 0; late_brings && i < window.late_count; i++) wall_ns += window.late[i].cell.wall_ns;
  return wall_ns;
}

static uint64_t truth_ns(const struct history *history)
{
  uint64_t wall_ns = 0;
  for (uint32_t state = 0; state < RTOP_STATE_COUNT; state++)
    wall_ns += history_wall_ns(history, 0, UINT32_MAX, state, 0, INT64_MAX);
  return wall_ns;
}

/* Every tier tells the same history, in windows of its own length, without overlap; holes stay holes. */
static void check_tier(struct rtop_reader *reader, enum rtop_tier tier, const struct history *history,
                       int64_t length_ns)
{
  uint64_t newest = rtop_reader_tier_newest(reader, tier), wall_ns = 0, gc = 0, marks = 0, samples = 0;
  int64_t before_ns = 0;
  assert_true(newest > 0);
  assert_int_equal(rtop_reader_tier_oldest(reader, tier), 1);
  for (uint64_t sequence = 1; sequence <= newest; sequence++) {
    struct stretch time = time_of(reader, tier, sequence);
    assert_int_equal(rtop_reader_tier_window(reader, tier, sequence, &window), RTOP_OK);
    assert_true(time.start_ns >= before_ns && time.end_ns > time.start_ns);
    assert_true(is_boundary(history, time.start_ns) || sequence == 1 || time.start_ns > before_ns);
    assert_true(is_boundary(history, time.end_ns));
    assert_true(time.end_ns - time.start_ns <= length_ns + 250 * HISTORY_MS);
    /* Whole ones end next to a multiple of their length. */
    if (sequence < newest && time_of(reader, tier, sequence + 1).start_ns == time.end_ns)
      assert_true((time.end_ns + 120 * HISTORY_MS) % length_ns <= 240 * HISTORY_MS);
    before_ns = time.end_ns;
    wall_ns += wall_of_window(!history->unsampled);
    gc += window.counters[RTOP_COUNTER_GC_MINOR];
    marks += window.mark_count;
    for (size_t i = 0; i < window.cell_count; i++) samples += window.cells[i].samples;
    for (size_t i = 0; i < window.late_count; i++) samples += window.late[i].cell.samples;
  }
  assert_int_equal(wall_ns, truth_ns(history));
  assert_int_equal(samples, history->samples);
  assert_int_equal(gc, history->gc_minor);
  assert_int_equal(marks, history->marks);
}

static void test_every_tier_tells_the_same(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    struct history history;
    struct rtop_writer *writer = open_writer(8 << 20);
    struct rtop_reader *reader = open_reader(writer);
    history_begin(&history, seed, 123456789);
    history.holes = seed % 2;
    history.unsampled = seed > 6;
    for (int i = 0; i < 700; i++) {
      history_next(&history, &window);
      assert_int_equal(rtop_writer_publish(writer, &window), i + 1);
    }
    rtop_writer_destroy(&writer, true);
    if (history.unsampled) history_know_open(&history); /* cells tell it */
    check_tier(reader, RTOP_TIER_1S, &history, SECOND);
    check_tier(reader, RTOP_TIER_10S, &history, 10 * SECOND);
    assert_true(rtop_reader_tier_newest(reader, RTOP_TIER_10S) >= 7);
    rtop_reader_close(&reader);
    history_end(&history);
    support_empty(NULL);
  }
}

static void make_window(int64_t start_ns, int64_t end_ns)
{
  rtop_window_reset(&window);
  window.start_mono_ns = start_ns;
  window.end_mono_ns = end_ns;
  *rtop_window_add_thread(&window) = (struct rtop_window_thread){ .slot = 1, .serial = 1 };
  *rtop_window_add_cell(&window) = (struct rtop_cell){ .node = 5, .wall_ns = (uint64_t)(end_ns - start_ns) };
}

static void publish_until(struct rtop_writer *writer, int64_t *now_ns, int64_t end_ns)
{
  for (; *now_ns < end_ns; *now_ns += 100 * HISTORY_MS) {
    make_window(*now_ns, *now_ns + 100 * HISTORY_MS);
    assert_true(rtop_writer_publish(writer, &window) > 0);
  }
}

static void test_complete_seconds_are_there_at_once(void **state)
{
  (void)state;
  struct rtop_writer *writer = open_writer(1 << 20);
  struct rtop_reader *reader = open_reader(writer);
  int64_t now_ns = 3 * SECOND + 460 * HISTORY_MS;
  publish_until(writer, &now_ns, 3 * SECOND + 860 * HISTORY_MS);
  assert_int_equal(rtop_reader_tier_newest(reader, RTOP_TIER_1S), 0);
  assert_int_equal(rtop_reader_tier_oldest(reader, RTOP_TIER_1S), 0);
  assert_int_equal(rtop_reader_tier_find(reader, RTOP_TIER_1S, 0), 0);
  publish_until(writer, &now_ns, 3 * SECOND + 950 * HISTORY_MS);
  assert_int_equal(rtop_reader_tier_newest(reader, RTOP_TIER_1S), 1);
  assert_int_equal(time_of(reader, RTOP_TIER_1S, 1).end_ns, 3 * SECOND + 960 * HISTORY_MS);
  publish_until(writer, &now_ns, 10 * SECOND);
  assert_int_equal(rtop_reader_tier_newest(reader, RTOP_TIER_1S), 7);
  assert_int_equal(rtop_reader_tier_newest(reader, RTOP_TIER_10S), 1);
  for (int64_t second = 0; second < 10; second++) {
    uint64_t found = rtop_reader_tier_find(reader, RTOP_TIER_1S, second * SECOND);
    assert_int_equal(found, second <= 3 ? 1 : second - 1);
  }
  rtop_reader_close(&reader);
  rtop_writer_destroy(&writer, false);
}

static void test_a_hole_ends_what_is_open(void **state)
{
  (void)state;
  struct rtop_writer *writer = open_writer(1 << 20);
  struct rtop_reader *reader = open_reader(writer);
  int64_t now_ns = SECOND;
  publish_until(writer, &now_ns, 1400 * HISTORY_MS);
  now_ns = 1700 * HISTORY_MS;
  publish_until(writer, &now_ns, 2100 * HISTORY_MS);
  rtop_writer_destroy(&writer, true);
  static const struct stretch seconds[] = { { 1000, 1400 }, { 1700, 2000 }, { 2000, 2100 } },
                              tens[] = { { 1000, 1400 }, { 1700, 2100 } };
  assert_int_equal(rtop_reader_tier_newest(reader, RTOP_TIER_1S), 3);
  assert_int_equal(rtop_reader_tier_newest(reader, RTOP_TIER_10S), 2);
  for (uint64_t i = 0; i < 3; i++) {
    struct stretch time = time_of(reader, RTOP_TIER_1S, i + 1);
    assert_int_equal(time.start_ns, seconds[i].start_ns * HISTORY_MS);
    assert_int_equal(time.end_ns, seconds[i].end_ns * HISTORY_MS);
  }
  for (uint64_t i = 0; i < 2; i++) {
    struct stretch time = time_of(reader, RTOP_TIER_10S, i + 1);
    assert_int_equal(time.start_ns, tens[i].start_ns * HISTORY_MS);
    assert_int_equal(time.end_ns, tens[i].end_ns * HISTORY_MS);
  }
  assert_int_equal(rtop_reader_tier_window(reader, RTOP_TIER_10S, 3, &window), RTOP_ENDED);
  rtop_reader_close(&reader);
}

/* Windows of thousands of cells: an hour is kept all the same, and no time is lost by folding. */
static void test_busy_processes_keep_an_hour(void **state)
{
  (void)state;
  struct rtop_writer *writer = open_writer(8 << 20);
  struct rtop_reader *reader = open_reader(writer);
  uint64_t random = 1, wall_ns = 0, told_ns = 0;
  const int seconds = 600;
  for (int i = 0; i < seconds; i++) {
    make_window(i * SECOND, (i + 1) * SECOND);
    for (uint32_t k = 0; k < 1500; k++) {
      random = random * UINT64_C(6364136223846793005) + 1;
      *rtop_window_add_cell(&window) = (struct rtop_cell){ .node = (uint32_t)(random >> 40) % 4000,
                                                           .state = (uint32_t)(random >> 33) % 5,
                                                           .wall_ns = random >> 44 };
    }
    for (size_t k = 0; k < window.cell_count; k++) wall_ns += window.cells[k].wall_ns;
    assert_int_equal(rtop_writer_publish(writer, &window), i + 1);
  }
  uint64_t newest = rtop_reader_tier_newest(reader, RTOP_TIER_10S);
  assert_int_equal(newest, seconds / 10);
  for (uint64_t sequence = 1; sequence <= newest; sequence++) {
    assert_int_equal(rtop_reader_tier_window(reader, RTOP_TIER_10S, sequence, &window), RTOP_OK);
    told_ns += wall_of_window(true);
    assert_true(window.cell_count > 400);
  }
  assert_int_equal(told_ns, wall_ns);
  struct rtop_segment segment;
  assert_int_equal(rtop_segment_open(&segment, rtop_writer_path(writer), (uid_t)-1, NULL), 0);
  uint64_t slots, bytes, used = 0;
  const struct rtop_slot *slot = rtop_segment_elements(&segment, RTOP_SECTION_DIRECTORY_10S, &slots);
  rtop_segment_elements(&segment, RTOP_SECTION_RING_10S, &bytes);
  const struct rtop_counters *counters = rtop_segment_elements(&segment, RTOP_SECTION_TIERS, &slots);
  assert_true(counters[1].windows_folded > 0);
  for (uint64_t sequence = 1; sequence <= newest; sequence++) used += (slot[sequence].stored_bytes + 63u) & ~63u;
  assert_true(used / newest * 360 <= bytes);
  rtop_segment_close(&segment, false);
  rtop_reader_close(&reader);
  rtop_writer_destroy(&writer, false);
}

/* Far more threads than fit into a window: those that ended are one, then all are. */
static void test_thousands_of_threads(void **state)
{
  (void)state;
  struct rtop_writer *writer = open_writer(1 << 20);
  struct rtop_reader *reader = open_reader(writer);
  for (uint32_t i = 0; i < 20; i++) {
    make_window(i * SECOND, (i + 1) * SECOND);
    for (uint32_t k = 1; k < 1900; k++) {
      *rtop_window_add_thread(&window) = (struct rtop_window_thread){ .slot = k % 100,
                                                                      .serial = (uint64_t)k << 33,
                                                                      .state_age_ns = (uint64_t)k << 40 };
      *rtop_window_add_cell(&window) = (struct rtop_cell){ .node = 6, .thread = k, .wall_ns = 1000 };
    }
    assert_int_equal(rtop_writer_publish(writer, &window), i + 1);
  }
  for (uint64_t sequence = 1; sequence <= 2; sequence++) {
    assert_int_equal(rtop_reader_tier_window(reader, RTOP_TIER_10S, sequence, &window), RTOP_OK);
    assert_int_equal(window.thread_count, 1);
    assert_int_equal(wall_of_window(true), 10 * (SECOND + 1899 * 1000));
  }
  rtop_reader_close(&reader);
  rtop_writer_destroy(&writer, false);
}

static void test_segments_without_tiers(void **state)
{
  (void)state;
  struct rtop_segment_sizes sizes = support_sizes();
  struct rtop_segment_identity identity = support_identity();
  struct rtop_segment segment;
  assert_int_equal(rtop_segment_create(&segment, support_directory(), &sizes, &identity, NULL), 0);
  struct rtop_reader *reader = rtop_reader_open(segment.path, (uid_t)-1, NULL);
  int64_t start, end;
  for (enum rtop_tier tier = RTOP_TIER_1S; tier <= RTOP_TIERS; tier++) {
    assert_int_equal(rtop_reader_tier_newest(reader, tier), 0);
    assert_int_equal(rtop_reader_tier_oldest(reader, tier), 0);
    assert_int_equal(rtop_reader_tier_find(reader, tier, 5), 0);
    assert_int_equal(rtop_reader_tier_time(reader, tier, 1, &start, &end), RTOP_NONE_YET);
    assert_int_equal(rtop_reader_tier_window(reader, tier, 1, &window), RTOP_NONE_YET);
  }
  rtop_reader_close(&reader);
  rtop_segment_close(&segment, true);
}

#define TIERS_TEST(name) cmocka_unit_test_setup(name, support_empty)

int main(void)
{
  const struct CMUnitTest tests[] = {
    TIERS_TEST(test_every_tier_tells_the_same), TIERS_TEST(test_complete_seconds_are_there_at_once),
    TIERS_TEST(test_a_hole_ends_what_is_open),  TIERS_TEST(test_busy_processes_keep_an_hour),
    TIERS_TEST(test_thousands_of_threads),      TIERS_TEST(test_segments_without_tiers),
  };
  int failed = cmocka_run_group_tests(tests, support_setup, support_teardown);
  rtop_window_destroy(&window);
  return failed;
}
