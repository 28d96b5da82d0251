#include "tests/shm/support.h"

#include <stdlib.h>
#include <string.h>

static const struct rtop_window_limits limits = { .node_count = UINT32_MAX,
                                                  .thread_slots = 1000,
                                                  .string_bytes = 1 << 20 };

/* Encodes into exactly out_bytes of heap, so that a sanitizer sees one byte too many. */
static size_t encode(struct rtop_window *window, unsigned char **out, size_t out_bytes)
{
  void *scratch = malloc(rtop_window_scratch_bytes(window->cell_count) + 1);
  *out = malloc(out_bytes ? out_bytes : 1);
  size_t bytes = rtop_window_encode(window, *out, out_bytes, scratch);
  free(scratch);
  return bytes;
}

static void round_trip(struct rtop_window *window, struct rtop_window *back)
{
  unsigned char *raw;
  size_t bytes = encode(window, &raw, RTOP_WINDOW_RAW_BYTES_MAX);
  assert_true(bytes > 0);
  back->sequence = 77;
  back->start_mono_ns = window->start_mono_ns;
  back->end_mono_ns = window->end_mono_ns;
  assert_true(rtop_window_decode(back, raw, bytes, &limits));
  free(raw);
}

static void assert_same(const struct rtop_window *a, const struct rtop_window *b)
{
  assert_int_equal(a->thread_count, b->thread_count);
  assert_int_equal(a->cell_count, b->cell_count);
  assert_int_equal(a->late_count, b->late_count);
  assert_int_equal(a->mark_count, b->mark_count);
  assert_int_equal(a->begun_count, b->begun_count);
  if (a->thread_count) assert_memory_equal(a->threads, b->threads, a->thread_count * sizeof *a->threads);
  if (a->cell_count) assert_memory_equal(a->cells, b->cells, a->cell_count * sizeof *a->cells);
  for (size_t i = 0; i < a->late_count; i++) {
    assert_int_equal(a->late[i].start_mono_ns, b->late[i].start_mono_ns);
    assert_memory_equal(&a->late[i].cell, &b->late[i].cell, sizeof a->late[i].cell);
  }
  for (size_t i = 0; i < a->mark_count; i++) {
    assert_int_equal(a->marks[i].mono_ns, b->marks[i].mono_ns);
    assert_int_equal(a->marks[i].name, b->marks[i].name);
  }
  for (size_t i = 0; i < a->begun_count; i++) {
    assert_int_equal(a->begun[i].node, b->begun[i].node);
    assert_int_equal(a->begun[i].label, b->begun[i].label);
    assert_int_equal(a->begun[i].count, b->begun[i].count);
  }
  assert_int_equal(a->fibers_count, b->fibers_count);
  for (size_t i = 0; i < a->fibers_count; i++) assert_memory_equal(&a->fibers[i], &b->fibers[i], sizeof *a->fibers);
  assert_int_equal(a->exact_count, b->exact_count);
  for (size_t i = 0; i < a->exact_count; i++) {
    assert_int_equal(a->exact[i].node, b->exact[i].node);
    assert_int_equal(a->exact[i].what, b->exact[i].what);
    assert_int_equal(a->exact[i].key, b->exact[i].key);
    assert_int_equal(a->exact[i].value, b->exact[i].value);
  }
  assert_int_equal(a->slow_count, b->slow_count);
  for (size_t i = 0; i < a->slow_count; i++) {
    assert_int_equal(a->slow[i].end_mono_ns, b->slow[i].end_mono_ns);
    assert_int_equal(a->slow[i].serial, b->slow[i].serial);
    assert_int_equal(a->slow[i].node, b->slow[i].node);
    assert_int_equal(a->slow[i].stack, b->slow[i].stack);
    assert_int_equal(a->slow[i].flags, b->slow[i].flags);
    assert_int_equal(a->slow[i].total_ns, b->slow[i].total_ns);
    assert_int_equal(a->slow[i].self_ns, b->slow[i].self_ns);
    assert_int_equal(a->slow[i].wait_ns, b->slow[i].wait_ns);
    assert_int_equal(a->slow[i].off_ns, b->slow[i].off_ns);
  }
  assert_int_equal(a->raised_count, b->raised_count);
  for (size_t i = 0; i < a->raised_count; i++) assert_memory_equal(&a->raised[i], &b->raised[i], sizeof *a->raised);
  assert_int_equal(a->pair_count, b->pair_count);
  for (size_t i = 0; i < a->pair_count; i++) assert_memory_equal(&a->pairs[i], &b->pairs[i], sizeof *a->pairs);
  assert_int_equal(a->counters_present, b->counters_present);
  assert_memory_equal(a->counters, b->counters, sizeof a->counters);
}

static void test_empty_window(void **state)
{
  (void)state;
  struct rtop_window window = { 0 }, back = { 0 };
  unsigned char *raw;
  assert_int_equal(encode(&window, &raw, 100), 1);
  assert_int_equal(raw[0], 0);
  free(raw);
  round_trip(&window, &back);
  assert_same(&window, &back);
  assert_int_equal(back.sequence, 77);
  assert_false(back.folded);
  rtop_window_destroy(&back);
}

/* The very bytes, so that a change of the format cannot pass unnoticed. */
static void test_known_bytes(void **state)
{
  (void)state;
  struct rtop_window window = { .start_mono_ns = 1000, .end_mono_ns = 2000 };
  unsigned char *raw;
  rtop_window_set_counter(&window, RTOP_COUNTER_SAMPLES, 72);
  *rtop_window_add_thread(&window) = (struct rtop_window_thread){ .slot = 3, .state = 1, .node = 2, .serial = 9 };
  *rtop_window_add_cell(&window) = (struct rtop_cell){ .node = 2, .state = 1, .samples = 4, .wall_ns = 300 };
  *rtop_window_add_mark(&window) = (struct rtop_mark){ .mono_ns = 990, .name = 16 };
  size_t bytes = encode(&window, &raw, 200);
  static const unsigned char whole[] = {
    4, 1,  3,  2, 8, 3,    10, 5, 3,    /* part table: 4 parts of 3, 8, 10 and 3 bytes */
    1, 1,  72,                          /* one counter, id 1, value 72 */
    1, 6,  1,  4, 0, 18,   0,  0,       /* one thread: slot 3, state, node 2, flags, serial 9, age, prov. */
    1, 4,  0,  1, 4, 0xac, 2,  0, 0, 0, /* one cell: node 2, thread 0, state, samples, wall 300, 0, 0, 0 */
    1, 19, 16,                          /* one mark: 10 before the start, name 16 */
  };
  assert_int_equal(bytes, sizeof whole);
  assert_memory_equal(raw, whole, sizeof whole);
  free(raw);
  rtop_window_destroy(&window);
}

/* Behind everything else, and only when some stack has an age. */
static void test_known_bytes_of_stacks(void **state)
{
  (void)state;
  struct rtop_window window = { .start_mono_ns = 1000, .end_mono_ns = 2000 }, back = { 0 };
  unsigned char *raw;
  for (uint32_t i = 0; i < 2; i++)
    *rtop_window_add_thread(&window) = (struct rtop_window_thread){
      .slot = 1 + i, .serial = 1 + i, .flags = RTOP_WINDOW_THREAD_STALE * i, .stack_age_ns = 300 * i
    };
  size_t bytes = encode(&window, &raw, 200);
  static const unsigned char whole[] = {
    2, 2, 15,   6, 4,                               /* part table: threads, stacks */
    2, 2, 2,    0, 0, 0, 0, 0, 8, 2, 2, 0, 0, 0, 0, /* two threads: slots, states, nodes, flags, serials, … */
    2, 0, 0xac, 2,                                  /* two stacks: 0 and 300 ns old */
  };
  assert_int_equal(bytes, sizeof whole);
  assert_memory_equal(raw, whole, sizeof whole);
  free(raw);
  round_trip(&window, &back);
  assert_same(&window, &back);
  window.threads[1].stack_age_ns = 0; /* nothing of the window before stays in the arrays */
  round_trip(&window, &back);
  assert_same(&window, &back);
  rtop_window_destroy(&window);
  rtop_window_destroy(&back);
}

static void test_everything_at_its_extremes(void **state)
{
  (void)state;
  struct rtop_window window = { .start_mono_ns = INT64_MAX - 100, .end_mono_ns = INT64_MAX - 1 }, back = { 0 };
  for (uint64_t i = 0; i < 3; i++)
    *rtop_window_add_thread(&window) = (struct rtop_window_thread){
      .slot = i == 1 ? 999 : 0,
      .state = RTOP_STATE_COUNT - 1,
      .node = i == 1 ? 0 : UINT32_MAX - 1,
      .flags = UINT32_MAX,
      .serial = i == 1 ? UINT64_MAX : 0,
      .state_age_ns = INT64_MAX,
      .provisional_ns = INT64_MAX,
      .stack_age_ns = i == 1 ? INT64_MAX : 0,
    };
  *rtop_window_add_cell(&window) = (struct rtop_cell){ .node = 5,
                                                       .thread = 2,
                                                       .state = 4,
                                                       .samples = UINT32_MAX,
                                                       .wall_ns = INT64_MAX,
                                                       .cpu_ns = INT64_MAX,
                                                       .allocations = INT64_MAX,
                                                       .blame_ns = INT64_MAX };
  *rtop_window_add_cell(&window) = (struct rtop_cell){ .node = UINT32_MAX - 1, .thread = 2 };
  *rtop_window_add_late(&window) = (struct rtop_late){ .start_mono_ns = INT64_MAX - 1, .cell.node = 9 };
  *rtop_window_add_late(&window) = (struct rtop_late){ .start_mono_ns = 0, .cell = { .node = 3, .thread = 1 } };
  *rtop_window_add_begun(&window) = (struct rtop_begun){ .node = 3, .label = 15, .count = INT64_MAX - 1 };
  *rtop_window_add_begun(&window) = (struct rtop_begun){ .node = 2, .count = 1 };
  *rtop_window_add_fibers(&window) = (struct rtop_fibers){
    .serial = 1, .name = 9, .node = 3, .alive = UINT32_MAX, .waiting = UINT32_MAX, .wait_ns = INT64_MAX - 1
  };
  *rtop_window_add_fibers(&window) = (struct rtop_fibers){ .serial = UINT64_MAX, .node = 2, .longest_ns = INT64_MAX };
  *rtop_window_add_exact(&window) = (struct rtop_exact){ .node = 3, .what = UINT32_MAX, .key = UINT32_MAX, .value = 1 };
  *rtop_window_add_exact(&window) = (struct rtop_exact){ .node = 2, .what = RTOP_EXACT_CALLS, .value = INT64_MAX - 1 };
  *rtop_window_add_mark(&window) = (struct rtop_mark){ .mono_ns = INT64_MAX, .name = (1 << 20) - 1 };
  *rtop_window_add_mark(&window) = (struct rtop_mark){ .mono_ns = 0 };
  for (unsigned id = 0; id < RTOP_COUNTER_ID_MAX; id++)
    rtop_window_set_counter(&window, (enum rtop_counter_id)id, UINT64_MAX - id);
  round_trip(&window, &back);
  assert_same(&window, &back);
  rtop_window_destroy(&window);
  rtop_window_destroy(&back);
}

static void random_window(struct rtop_window *window, size_t cells, size_t threads, unsigned seed)
{
  srand(seed);
  window->start_mono_ns = 1000000000;
  window->end_mono_ns = 1100000000;
  for (size_t i = 0; i < threads; i++)
    *rtop_window_add_thread(window) = (struct rtop_window_thread){ .slot = (uint32_t)i, .serial = i + 1 };
  for (size_t i = 0; i < cells; i++)
    *rtop_window_add_cell(window) = (struct rtop_cell){
      .node = 10 + (uint32_t)rand() % 100000,
      .thread = (uint32_t)((size_t)rand() % threads),
      .state = (uint32_t)rand() % RTOP_STATE_COUNT,
      .samples = (uint32_t)rand() % 100,
      .wall_ns = (uint64_t)rand(),
      .cpu_ns = (uint64_t)rand(),
      .allocations = (uint64_t)rand() % 1000,
      .blame_ns = (uint64_t)rand(),
    };
}

static void test_random_round_trips(void **state)
{
  (void)state;
  struct rtop_window back = { 0 };
  for (unsigned seed = 0; seed < 20; seed++) {
    struct rtop_window window = { 0 };
    random_window(&window, seed * 50, 1 + seed, seed);
    for (size_t i = 0; i < seed; i++)
      *rtop_window_add_late(&window) = (struct rtop_late){ .start_mono_ns = rand() % 1000000000,
                                                           .cell = { .node = (uint32_t)rand() % 99, .wall_ns = i } };
    round_trip(&window, &back);
    assert_same(&window, &back);
    rtop_window_destroy(&window);
  }
  rtop_window_destroy(&back);
}

static void test_order_of_cells_does_not_matter(void **state)
{
  (void)state;
  struct rtop_window forward = { 0 }, backward = { 0 };
  unsigned char *a, *b;
  random_window(&forward, 500, 5, 8);
  random_window(&backward, 500, 5, 8);
  for (size_t i = 0; i < 250; i++) {
    struct rtop_cell swap = backward.cells[i];
    backward.cells[i] = backward.cells[499 - i];
    backward.cells[499 - i] = swap;
  }
  size_t bytes = encode(&forward, &a, 1 << 16);
  assert_int_equal(encode(&backward, &b, 1 << 16), bytes);
  assert_memory_equal(a, b, bytes);
  free(a);
  free(b);
  rtop_window_destroy(&forward);
  rtop_window_destroy(&backward);
}

struct totals {
  uint64_t samples, wall_ns, cpu_ns, allocations, blame_ns;
};

static struct totals totals_of(const struct rtop_window *window, uint32_t thread, uint32_t thread_state)
{
  struct totals totals = { 0 };
  for (size_t i = 0; i < window->cell_count; i++) {
    const struct rtop_cell *cell = &window->cells[i];
    if (cell->thread != thread || cell->state != thread_state) continue;
    totals.samples += cell->samples;
    totals.wall_ns += cell->wall_ns;
    totals.cpu_ns += cell->cpu_ns;
    totals.allocations += cell->allocations;
    totals.blame_ns += cell->blame_ns;
  }
  return totals;
}

static void test_folding_keeps_every_sum(void **state)
{
  (void)state;
  static const size_t rooms[] = { 20000, 10000, 3000, 1500 };
  enum { THREADS = 6 };
  for (size_t r = 0; r < sizeof rooms / sizeof rooms[0]; r++) {
    struct rtop_window window = { 0 }, back = { 0 };
    struct totals before[THREADS][RTOP_STATE_COUNT];
    unsigned char *raw;
    random_window(&window, 2000, THREADS, 5);
    for (uint32_t t = 0; t < THREADS; t++)
      for (uint32_t s = 0; s < RTOP_STATE_COUNT; s++) before[t][s] = totals_of(&window, t, s);
    size_t bytes = encode(&window, &raw, rooms[r]);
    assert_true(bytes > 0 && bytes <= rooms[r]);
    /* Not much more is given up than must be. */
    assert_true(bytes > rooms[r] / 2);
    back.start_mono_ns = window.start_mono_ns;
    back.end_mono_ns = window.end_mono_ns;
    assert_true(rtop_window_decode(&back, raw, bytes, &limits));
    assert_true(back.folded && window.folded);
    for (uint32_t t = 0; t < THREADS; t++)
      for (uint32_t s = 0; s < RTOP_STATE_COUNT; s++) {
        struct totals after = totals_of(&back, t, s);
        assert_memory_equal(&before[t][s], &after, sizeof after);
      }
    free(raw);
    rtop_window_destroy(&window);
    rtop_window_destroy(&back);
  }
}

static void test_every_size_of_room(void **state)
{
  (void)state;
  bool refused = false, folded = false, whole = false;
  for (size_t room = 0; room < 800; room++) {
    struct rtop_window window = { 0 }, back = { 0 };
    unsigned char *raw;
    random_window(&window, 25, 3, 6);
    size_t bytes = encode(&window, &raw, room);
    assert_true(bytes <= room);
    if (bytes) {
      back.end_mono_ns = window.end_mono_ns;
      assert_true(rtop_window_decode(&back, raw, bytes, &limits));
    }
    refused |= bytes == 0;
    folded |= bytes && back.folded;
    whole |= bytes && !back.folded;
    free(raw);
    rtop_window_destroy(&window);
    rtop_window_destroy(&back);
  }
  assert_true(refused && folded && whole);
}

/* Labels of very many sets: the rarest become one, none is forgotten, and cells are not all that gives way. */
static void test_begun_that_do_not_fit(void **state)
{
  (void)state;
  struct rtop_window window = { .start_mono_ns = 1000, .end_mono_ns = 2000 }, back = { 0 };
  unsigned char *raw;
  uint64_t began = 0, told = 0;
  *rtop_window_add_thread(&window) = (struct rtop_window_thread){ .slot = 1, .serial = 1 };
  for (uint32_t i = 0; i < 1000; i++) {
    *rtop_window_add_begun(&window) = (struct rtop_begun){ .node = 4 + i, .label = i % 3, .count = i };
    *rtop_window_add_cell(&window) = (struct rtop_cell){ .node = 4 + i, .wall_ns = 1000 * i };
    began += i;
  }
  size_t room = 2000, bytes = encode(&window, &raw, room);
  assert_in_range(bytes, 1, room);
  back.start_mono_ns = window.start_mono_ns;
  back.end_mono_ns = window.end_mono_ns;
  assert_true(rtop_window_decode(&back, raw, bytes, &limits));
  for (size_t i = 0; i < back.begun_count; i++) told += back.begun[i].count;
  assert_int_equal(told, began);
  assert_int_equal(back.begun[0].node, RTOP_NODE_FOLDED);
  assert_in_range(back.begun_count, 2, 400);
  for (size_t i = 1; i < back.begun_count; i++) assert_true(back.begun[i].count > 600);
  assert_in_range(back.cell_count, 20, 1000);
  assert_true(back.folded);
  free(raw);
  rtop_window_destroy(&window);
  rtop_window_destroy(&back);
}

/* So many fibers: of each thread those that waited least become one row, and no wait is lost. */
static void test_fibers_that_do_not_fit(void **state)
{
  (void)state;
  struct rtop_window window = { .start_mono_ns = 1000, .end_mono_ns = 2000 }, back = { 0 };
  unsigned char *raw;
  uint64_t waited[2] = { 0 }, told[2] = { 0 }, waiting = 0, longest = 0, rest = 0;
  *rtop_window_add_thread(&window) = (struct rtop_window_thread){ .slot = 1, .serial = 1 };
  for (uint32_t i = 0; i < 400; i++) {
    *rtop_window_add_fibers(&window) = (struct rtop_fibers){ .serial = 1 + i / 200,
                                                             .name = i % 2 ? 7 : 0,
                                                             .node = 4 + i,
                                                             .alive = 2,
                                                             .waiting = 1,
                                                             .wait_ns = 1000000 * (i % 200),
                                                             .longest_ns = 500000 + i };
    waited[i / 200] += 1000000 * (i % 200);
  }
  size_t room = 4000, bytes = encode(&window, &raw, room);
  assert_in_range(bytes, 1, room);
  back.start_mono_ns = window.start_mono_ns;
  back.end_mono_ns = window.end_mono_ns;
  assert_true(rtop_window_decode(&back, raw, bytes, &limits));
  assert_in_range(back.fibers_count, 3, 100);
  for (size_t i = 0; i < back.fibers_count; i++) {
    told[back.fibers[i].serial - 1] += back.fibers[i].wait_ns;
    waiting += back.fibers[i].waiting;
    rest += back.fibers[i].node == RTOP_NODE_FOLDED;
    longest = back.fibers[i].longest_ns > longest ? back.fibers[i].longest_ns : longest;
  }
  assert_memory_equal(told, waited, sizeof told);
  assert_int_equal(waiting, 400);
  assert_int_equal(rest, 2);
  assert_int_equal(longest, 500399);
  assert_true(window.folded);
  free(raw);
  rtop_window_destroy(&window);
  rtop_window_destroy(&back);
}

/* Times of single calls and callers give way, the numbers of the methods do not. */
static void test_traces_that_do_not_fit(void **state)
{
  (void)state;
  struct rtop_window window = { .start_mono_ns = 1000, .end_mono_ns = 2000 }, back = { 0 };
  unsigned char *raw;
  *rtop_window_add_thread(&window) = (struct rtop_window_thread){ .slot = 1, .serial = 1 };
  *rtop_window_add_cell(&window) = (struct rtop_cell){ .node = 4, .wall_ns = 1000 };
  for (uint32_t i = 0; i < 2000; i++) {
    uint32_t what = i % 500 == 0 ? RTOP_EXACT_CALLS : i % 2 ? RTOP_EXACT_TOTAL_TIMES : RTOP_EXACT_CALLER;
    *rtop_window_add_exact(&window) =
        (struct rtop_exact){ .node = 4 + i / 500, .what = what, .key = i, .value = i + 1 };
  }
  size_t room = 2000, bytes = encode(&window, &raw, room);
  assert_in_range(bytes, 1, room);
  back.start_mono_ns = window.start_mono_ns;
  back.end_mono_ns = window.end_mono_ns;
  assert_true(rtop_window_decode(&back, raw, bytes, &limits));
  assert_int_equal(back.exact_count, 4);
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(back.exact[i].value, 500 * i + 1);
  assert_int_equal(back.cell_count, 1);
  assert_true(window.folded);
  free(raw);
  rtop_window_destroy(&window);
  rtop_window_destroy(&back);
}

/* Of labelled work, times by cause go first, then those of the whole, then labels: the sums never. */
static void test_work_that_does_not_fit(void **state)
{
  (void)state;
  static const size_t rooms[] = { 10000, 4000, 700 };
  size_t details[] = { 0, 0, 0 };
  for (int at = 0; at < 3; at++) {
    struct rtop_window window = { .start_mono_ns = 1000, .end_mono_ns = 2000 }, back = { 0 };
    unsigned char *raw;
    *rtop_window_add_thread(&window) = (struct rtop_window_thread){ .slot = 1, .serial = 1 };
    for (uint32_t i = 0; i < 200; i++) {
      for (uint32_t k = 0; k < 8; k++)
        *rtop_window_add_exact(&window) =
            (struct rtop_exact){ 4 + i % 40, RTOP_WORK_TIMES, rtop_work_key(i % 3, k % 2, 100 + i), 1 };
      *rtop_window_add_exact(&window) =
          (struct rtop_exact){ 4 + i % 40, RTOP_WORK_TIME_NS, rtop_work_key(i % 3, 2, 0), i };
    }
    size_t bytes = encode(&window, &raw, rooms[at]);
    assert_in_range(bytes, 1, rooms[at]);
    back.start_mono_ns = window.start_mono_ns;
    back.end_mono_ns = window.end_mono_ns;
    assert_true(rtop_window_decode(&back, raw, bytes, &limits));
    uint64_t sum_ns = 0;
    for (size_t i = 0; i < back.exact_count; i++) {
      const struct rtop_exact *exact = &back.exact[i];
      if (exact->what == RTOP_WORK_TIME_NS) sum_ns += exact->value;
      else details[at]++;
      if (at > 0) assert_int_equal(rtop_work_key_cause(exact->key) == 2 || rtop_work_key_cause(exact->key) == 0, true);
    }
    assert_int_equal(sum_ns, 199 * 100);
    free(raw);
    rtop_window_destroy(&window);
    rtop_window_destroy(&back);
  }
  assert_true(details[0] > details[2]);
  assert_int_equal(details[2], 0);
}

/* The longest stay, and the number of all. */
static void test_slow_calls_that_do_not_fit(void **state)
{
  (void)state;
  static const uint64_t shortest_ns[] = { 1, 1000000 };
  for (int same = 0; same < 2; same++) {
    struct rtop_window window = { .start_mono_ns = 1000, .end_mono_ns = 2000 }, back = { 0 };
    unsigned char *raw;
    *rtop_window_add_thread(&window) = (struct rtop_window_thread){ .slot = 1, .serial = 1 };
    *rtop_window_add_exact(&window) = (struct rtop_exact){ 4, RTOP_EXACT_SLOW, 0, 500 };
    for (uint32_t i = 0; i < 500; i++)
      *rtop_window_add_slow(&window) = (struct rtop_slow){
        .node = 4, .stack = 5 + i % 7, .end_mono_ns = 1000 + i, .total_ns = same ? 777 : shortest_ns[i == 123] + i
      };
    size_t room = 1000, bytes = encode(&window, &raw, room);
    assert_in_range(bytes, 1, room);
    back.start_mono_ns = window.start_mono_ns;
    back.end_mono_ns = window.end_mono_ns;
    assert_true(rtop_window_decode(&back, raw, bytes, &limits));
    assert_in_range(back.slow_count, 1, 50);
    bool longest = false;
    for (size_t i = 0; i < back.slow_count; i++) longest = longest || back.slow[i].end_mono_ns == 1123;
    assert_true(longest || same);
    assert_int_equal(back.exact[0].value, 500);
    assert_true(window.folded);
    free(raw);
    rtop_window_destroy(&window);
    rtop_window_destroy(&back);
  }
}

static const struct rtop_raised raised_rows[] = {
  { .first_mono_ns = 900, .last_mono_ns = 1500, .serial = 3, .name = 7, .node = 9, .count = 1 },
  { .first_mono_ns = 2000, .last_mono_ns = 2000, .serial = 1, .name = 7, .node = 4, .count = INT64_MAX / 2 },
  { .first_mono_ns = 0, .last_mono_ns = 1, .serial = UINT64_MAX, .name = 49, .node = 49, .count = 12 },
};

static void test_exceptions_come_back(void **state)
{
  (void)state;
  struct rtop_window window = { .start_mono_ns = 1000, .end_mono_ns = 2000 }, back = { 0 };
  unsigned char *raw;
  for (size_t i = 0; i < sizeof raised_rows / sizeof *raised_rows; i++)
    *rtop_window_add_raised(&window) = raised_rows[i];
  size_t bytes = encode(&window, &raw, 1000);
  assert_in_range(bytes, 1, 1000);
  back.start_mono_ns = window.start_mono_ns;
  back.end_mono_ns = window.end_mono_ns;
  assert_true(rtop_window_decode(&back, raw, bytes, &limits));
  assert_same(&window, &back);
  free(raw);
  rtop_window_destroy(&window);
  rtop_window_destroy(&back);
}

/* Those that come most stay; all are counted. */
static void test_exceptions_that_do_not_fit(void **state)
{
  (void)state;
  struct rtop_window window = { .start_mono_ns = 1000, .end_mono_ns = 2000 }, back = { 0 };
  unsigned char *raw;
  *rtop_window_add_thread(&window) = (struct rtop_window_thread){ .slot = 1, .serial = 1 };
  uint64_t all = 0, told = 0, most = 0;
  for (uint32_t i = 0; i < 500; i++) {
    struct rtop_raised *raised = rtop_window_add_raised(&window);
    *raised = (struct rtop_raised){ 1000 + i, 1200 + i, 1 + i % 3, 4 + i % 7, 9 + i % 25, i == 321 ? 5000 : 1 + i % 5 };
    all += raised->count;
  }
  size_t room = 1000, bytes = encode(&window, &raw, room);
  assert_in_range(bytes, 1, room);
  back.start_mono_ns = window.start_mono_ns;
  back.end_mono_ns = window.end_mono_ns;
  assert_true(rtop_window_decode(&back, raw, bytes, &limits));
  assert_in_range(back.raised_count, 2, 30);
  for (size_t i = 0; i < back.raised_count; i++) {
    const struct rtop_raised *raised = &back.raised[i];
    told += raised->count;
    if (raised->count == 5000) most = raised->name;
    if (raised->node != RTOP_NODE_FOLDED) continue;
    assert_true(raised->name == RTOP_NODE_ROOT && raised->serial == 0);
    assert_true(raised->first_mono_ns == 1000 && raised->last_mono_ns == 1699);
  }
  assert_int_equal(told, all);
  assert_int_equal(most, 4 + 321 % 7);
  assert_true(window.folded);
  free(raw);
  rtop_window_destroy(&window);
  rtop_window_destroy(&back);
}

static void test_pairs_come_back(void **state)
{
  (void)state;
  struct rtop_window window = { .start_mono_ns = 1000, .end_mono_ns = 2000 }, back = { .end_mono_ns = 2000 };
  unsigned char *raw;
  *rtop_window_add_pair(&window) = (struct rtop_behind){ 9, 4, RTOP_PAIR_LOCK, 7, 3, 500 };
  *rtop_window_add_pair(&window) = (struct rtop_behind){ 9, 0, RTOP_PAIR_HANDOVER, 0, 1, 1 };
  *rtop_window_add_pair(&window) = (struct rtop_behind){ 1, 49, UINT32_MAX, 49, INT64_MAX / 2, INT64_MAX / 2 };
  size_t bytes = encode(&window, &raw, 1000);
  back.start_mono_ns = 1000;
  assert_true(rtop_window_decode(&back, raw, bytes, &limits));
  assert_same(&window, &back);
  free(raw);
  rtop_window_destroy(&window);
  rtop_window_destroy(&back);
}

/* The largest stay; of the others the sums by cause, so that totals do. */
static void test_pairs_that_do_not_fit(void **state)
{
  (void)state;
  struct rtop_window window = { .start_mono_ns = 1000, .end_mono_ns = 2000 }, back = { .end_mono_ns = 2000 };
  unsigned char *raw;
  uint64_t waited[RTOP_PAIR_CAUSES] = { 0 }, times = 0;
  *rtop_window_add_thread(&window) = (struct rtop_window_thread){ .slot = 1, .serial = 1 };
  for (uint32_t i = 0; i < 500; i++) {
    uint32_t cause = i % RTOP_PAIR_CAUSES, holder = cause == RTOP_PAIR_HANDOVER ? 0 : 9 + i % 20;
    struct rtop_behind *pair = rtop_window_add_pair(&window);
    *pair =
        (struct rtop_behind){ 4 + i % 25, holder, cause, 9 + i % 41, 1 + i % 3, i == 320 ? 1000000000 : 1000 * i + 1 };
    waited[cause] += pair->wait_ns;
    times += pair->count;
  }
  size_t room = 1000, bytes = encode(&window, &raw, room);
  assert_in_range(bytes, 1, room);
  back.start_mono_ns = 1000;
  assert_true(rtop_window_decode(&back, raw, bytes, &limits));
  assert_in_range(back.pair_count, 2, 40);
  bool largest = false;
  for (size_t i = 0; i < back.pair_count; i++) {
    const struct rtop_behind *pair = &back.pairs[i];
    waited[pair->cause] -= pair->wait_ns;
    times -= pair->count;
    largest = largest || (pair->wait_ns == 1000000000 && pair->node == 4 + 320 % 25 && pair->holder == 9);
    if (pair->node == RTOP_NODE_FOLDED)
      assert_int_equal(pair->holder, pair->cause == RTOP_PAIR_HANDOVER ? RTOP_NODE_ROOT : RTOP_NODE_FOLDED);
  }
  for (int cause = 0; cause < RTOP_PAIR_CAUSES; cause++) assert_int_equal(waited[cause], 0);
  assert_int_equal(times, 0);
  assert_true(largest && window.folded);
  free(raw);
  rtop_window_destroy(&window);
  rtop_window_destroy(&back);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_slow_calls_that_do_not_fit),
    cmocka_unit_test(test_pairs_come_back),
    cmocka_unit_test(test_pairs_that_do_not_fit),
    cmocka_unit_test(test_exceptions_come_back),
    cmocka_unit_test(test_exceptions_that_do_not_fit),
    cmocka_unit_test(test_traces_that_do_not_fit),
    cmocka_unit_test(test_work_that_does_not_fit),
    cmocka_unit_test(test_begun_that_do_not_fit),
    cmocka_unit_test(test_fibers_that_do_not_fit),
    cmocka_unit_test(test_empty_window),
    cmocka_unit_test(test_known_bytes),
    cmocka_unit_test(test_known_bytes_of_stacks),
    cmocka_unit_test(test_everything_at_its_extremes),
    cmocka_unit_test(test_random_round_trips),
    cmocka_unit_test(test_order_of_cells_does_not_matter),
    cmocka_unit_test(test_folding_keeps_every_sum),
    cmocka_unit_test(test_every_size_of_room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
