/* Intervals: every window is sent once, whoever is late. */
#include "tests/tui/model_fixture.h"
#include "tui/push/push.h"

#include <pprof.pb-c.h>
#include <stdlib.h>
#include <zlib.h>

enum { SOURCES = 3 };

struct bench {
  struct rtop_profile *profile;
  struct push push;
  struct push_source sources[SOURCES];
  uint64_t wall_ns[SOURCES]; /* what was sent */
};

static void bench_open(struct bench *bench)
{
  memset(bench, 0, sizeof *bench);
  bench->profile = rtop_profile_create(64 << 20);
  rtop_profile_add_source_bytes(bench->profile, 8 << 20);
  bench->push = (struct push){ .kind = PUSH_PYROSCOPE, .name = "ruby", .host = "here" };
  for (int i = 0; i < SOURCES; i++)
    bench->sources[i] = (struct push_source){
      .opened = (uint64_t)i + 1,
      .live = true,
      .process = { .name = "ruby", .host = "here", .command = "a,b{c}", .ruby = "3.3.8", .pid = 100 + i },
    };
}

/* Windows of 100 ms of a thread, up to `end`. */
static void add(struct bench *bench, uint32_t source, int64_t start, int64_t end)
{
  struct rtop_symbols *symbols = rtop_profile_symbols(bench->profile);
  struct rtop_window window = { 0 };
  uint32_t node = rtop_symbols_node(symbols, 0, fixture_frame(symbols, "Object#work", "/app/work.rb", 3), 4);
  for (int64_t at = start; at < end; at += 100 * MS) {
    fixture_window(&window, at, at + 100 * MS);
    uint32_t thread = fixture_thread(&window, 1, RTOP_RUNNING, node, 0);
    fixture_cell(&window, thread, node, RTOP_RUNNING, 100 * MS);
    assert_true(fixture_add(bench->profile, source, &window));
  }
  rtop_window_destroy(&window);
}

static Rtop__Pprof__Profile *unpack(const struct push_item *item)
{
  static uint8_t plain[1 << 20];
  z_stream stream = {
    .next_in = item->body, .avail_in = (uInt)item->bytes, .next_out = plain, .avail_out = sizeof plain
  };
  assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
  assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
  inflateEnd(&stream);
  Rtop__Pprof__Profile *profile = rtop__pprof__profile__unpack(NULL, stream.total_out, plain);
  assert_non_null(profile);
  return profile;
}

/* Takes what is in the queue; returns how many that were. */
static size_t drain(struct bench *bench)
{
  size_t count = 0;
  for (; bench->push.queue.first; count++) {
    const struct push_item *item = bench->push.queue.first;
    int pid = atoi(strstr(item->query, "pid%3D") + 6) - 100;
    assert_in_range(pid, 0, SOURCES - 1);
    assert_non_null(strstr(item->query, "command%3Da_b_c_"));
    Rtop__Pprof__Profile *profile = unpack(item);
    for (size_t i = 0; i < profile->n_sample; i++) bench->wall_ns[pid] += (uint64_t)profile->sample[i]->value[2];
    rtop__pprof__profile__free_unpacked(profile, NULL);
    push_queue_pop(&bench->push.queue);
  }
  return count;
}

static size_t interval(struct bench *bench, bool last)
{
  push_interval(&bench->push, bench->profile, bench->sources, SOURCES, last);
  return drain(bench);
}

static void check(const struct bench *bench, uint64_t first, uint64_t second, uint64_t third)
{
  assert_int_equal(bench->wall_ns[0], first * MS);
  assert_int_equal(bench->wall_ns[1], second * MS);
  assert_int_equal(bench->wall_ns[2], third * MS);
}

static void bench_close(struct bench *bench)
{
  push_queue_clear(&bench->push.queue);
  rtop_profile_destroy(&bench->profile);
}

static void test_one_after_the_other(void **state)
{
  (void)state;
  struct bench bench;
  bench_open(&bench);
  assert_int_equal(interval(&bench, false), 0); /* nothing is there */
  add(&bench, 0, 1000 * MS, 3000 * MS);
  add(&bench, 1, 1050 * MS, 3050 * MS);
  assert_int_equal(interval(&bench, false), 2);
  assert_int_equal(interval(&bench, false), 0);
  add(&bench, 0, 3000 * MS, 5000 * MS);
  add(&bench, 1, 3050 * MS, 5050 * MS);
  add(&bench, 2, 4000 * MS, 5000 * MS);
  assert_int_equal(interval(&bench, false), 2);
  check(&bench, 3000, 2900, 0); /* half of a window is behind the end: all of it counts there */
  assert_int_equal(interval(&bench, true), 3);
  check(&bench, 4000, 4000, 1000);
  bench_close(&bench);
}

/* One is a little behind: the interval ends where that is. One stands still: it is sent when it goes on. */
static void test_who_is_behind(void **state)
{
  (void)state;
  struct bench bench;
  bench_open(&bench);
  add(&bench, 0, 1000 * MS, 9000 * MS);
  add(&bench, 1, 1000 * MS, 8500 * MS);
  add(&bench, 2, 1000 * MS, 2000 * MS);
  assert_int_equal(interval(&bench, false), 3);
  check(&bench, 6500, 6500, 1000);
  add(&bench, 0, 9000 * MS, 12000 * MS);
  add(&bench, 1, 8500 * MS, 12000 * MS);
  add(&bench, 2, 2000 * MS, 12000 * MS);
  interval(&bench, false);
  check(&bench, 10000, 10000, 10000);
  interval(&bench, true);
  check(&bench, 11000, 11000, 11000);
  bench_close(&bench);
}

/* Who joins later brings a past. */
static void test_a_past(void **state)
{
  (void)state;
  struct bench bench;
  bench_open(&bench);
  bench.sources[2].opened = 0;
  add(&bench, 0, 1000 * MS, 9000 * MS);
  interval(&bench, false);
  add(&bench, 0, 9000 * MS, 11000 * MS);
  bench.sources[2].opened = 7;
  add(&bench, 2, 6000 * MS, 11000 * MS);
  interval(&bench, false);
  check(&bench, 9000, 0, 4000);
  interval(&bench, true);
  check(&bench, 10000, 0, 5000);
  bench_close(&bench);
}

static void test_windows_that_are_lost_are_counted(void **state)
{
  (void)state;
  struct bench bench;
  bench_open(&bench);
  add(&bench, 0, 1000 * MS, 2000 * MS);
  rtop_profile_add_gap(bench.profile, 0, 2000 * MS, 2500 * MS);
  add(&bench, 0, 2500 * MS, 4000 * MS);
  interval(&bench, false);
  interval(&bench, true);
  assert_int_equal(bench.push.gaps, 1);
  check(&bench, 2500, 0, 0);
  bench_close(&bench);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_one_after_the_other),
    cmocka_unit_test(test_who_is_behind),
    cmocka_unit_test(test_a_past),
    cmocka_unit_test(test_windows_that_are_lost_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
