#include "tests/shm/support.h"

#include "shm/window/window_merge.h"
#include "tests/shm/history.h"
#include <stdlib.h>
#include <string.h>

static struct window_merge merge;
static void *memory, *scratch;

static int setup(void **state)
{
  (void)state;
  memory = calloc(1, window_merge_memory_bytes());
  scratch = malloc(window_merge_scratch_bytes());
  window_merge_init(&merge, memory, scratch);
  return memory && scratch ? 0 : -1;
}

static int teardown(void **state)
{
  (void)state;
  free(memory);
  free(scratch);
  return 0;
}

struct sums {
  uint64_t wall_ns[RTOP_STATE_COUNT], cpu_ns, samples, allocations, blame_ns;
};

static void add(struct sums *sums, const struct rtop_cell *cell)
{
  sums->wall_ns[cell->state] += cell->wall_ns;
  sums->cpu_ns += cell->cpu_ns;
  sums->samples += cell->samples;
  sums->allocations += cell->allocations;
  sums->blame_ns += cell->blame_ns;
}

/* Of one thread (0: all): cells, late records, and provisional time that is still there. */
static struct sums sums_of(const struct rtop_window *window, uint64_t serial)
{
  struct sums sums = { 0 };
  for (size_t i = 0; i < window->cell_count; i++)
    if (serial == 0 || window->threads[window->cells[i].thread].serial == serial) add(&sums, &window->cells[i]);
  for (size_t i = 0; i < window->late_count; i++)
    if (serial == 0 || window->threads[window->late[i].cell.thread].serial == serial) add(&sums, &window->late[i].cell);
  for (size_t i = 0; i < window->thread_count; i++)
    if (serial == 0 || window->threads[i].serial == serial)
      sums.wall_ns[window->threads[i].state] += window->threads[i].provisional_ns;
  return sums;
}

/* Records moved the time to where it belongs: what is left without a stack is what is open. */
static void check_nodes(const struct history *history)
{
  for (uint32_t node = RTOP_NODE_UNSAMPLED; node < RTOP_NODE_FIRST_FREE + HISTORY_NODES; node++)
    for (uint32_t state = 0; state < RTOP_STATE_COUNT; state++) {
      uint64_t wall_ns = 0;
      for (size_t i = 0; i < merge.window.cell_count; i++)
        if (merge.window.cells[i].node == node && merge.window.cells[i].state == state)
          wall_ns += merge.window.cells[i].wall_ns;
      assert_int_equal(wall_ns, history_wall_ns(history, 0, node, state, 0, INT64_MAX));
    }
}

/* One window of the whole history says what the truth says, thread by thread and as a whole. */
static void check_history(uint64_t seed, uint32_t short_threads, int windows, bool unsampled)
{
  struct history history;
  struct rtop_window window = { 0 };
  history_begin(&history, seed, 77 * HISTORY_MS);
  history.short_threads = short_threads;
  history.unsampled = unsampled;
  window_merge_clear(&merge);
  for (int i = 0; i < windows; i++) {
    history_next(&history, &window);
    window_merge_add(&merge, &window);
  }
  history_know_open(&history);
  struct sums all = sums_of(&merge.window, 0);
  for (uint32_t state = 0; state < RTOP_STATE_COUNT; state++)
    assert_int_equal(all.wall_ns[state], history_wall_ns(&history, 0, UINT32_MAX, state, 0, INT64_MAX));
  assert_int_equal(all.samples, history.samples);
  assert_int_equal(all.cpu_ns, history.cpu_ns);
  assert_int_equal(all.allocations, history.allocations);
  assert_int_equal(merge.window.mark_count, history.marks);
  assert_int_equal(merge.window.late_count, 0);
  assert_int_equal(merge.window.counters[RTOP_COUNTER_GC_MINOR], history.gc_minor);
  assert_int_equal(merge.window.counters[RTOP_COUNTER_RSS_BYTES], history.now_ns);
  for (size_t i = 0; i < merge.window.thread_count; i++) {
    uint64_t serial = merge.window.threads[i].serial;
    struct sums one = sums_of(&merge.window, serial);
    for (uint32_t state = 0; state < RTOP_STATE_COUNT && serial; state++)
      assert_int_equal(one.wall_ns[state], history_wall_ns(&history, serial, UINT32_MAX, state, 0, INT64_MAX));
  }
  if (unsampled) check_nodes(&history);
  history_end(&history);
  rtop_window_destroy(&window);
}

static void test_sums_of_random_histories(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    check_history(seed, 0, 1 + (int)seed * 2, false);
    check_history(seed, 0, 1 + (int)seed * 2, true);
  }
}

static void test_thousands_of_threads_keep_their_time(void **state)
{
  (void)state;
  check_history(5, 300, 30, true);
  check_history(5, 300, 30, false);
  assert_true(merge.window.thread_count <= HISTORY_THREADS + WINDOW_MERGE_ENDED_MAX + 1);
  check_history(6, 3000, 3, false);
}

static struct rtop_window *one_thread(struct rtop_window *window, int64_t start_ms, int64_t end_ms)
{
  rtop_window_reset(window);
  window->start_mono_ns = start_ms * HISTORY_MS;
  window->end_mono_ns = end_ms * HISTORY_MS;
  *rtop_window_add_thread(window) = (struct rtop_window_thread){ .slot = 3, .serial = 9, .state = RTOP_BLOCKED };
  return window;
}

static void add_late(struct rtop_window *window, int64_t start_ms, uint64_t wall_ms)
{
  *rtop_window_add_late(window) =
      (struct rtop_late){ .start_mono_ns = start_ms * HISTORY_MS,
                          .cell = { .node = 7, .wall_ns = wall_ms * (uint64_t)HISTORY_MS, .samples = 1 } };
}

static void test_provisional_time_until_the_late_record(void **state)
{
  (void)state;
  struct rtop_window window = { 0 };
  window_merge_clear(&merge);
  for (int64_t ms = 0; ms < 300; ms += 100) {
    one_thread(&window, ms, ms + 100)->threads[0].flags = RTOP_WINDOW_THREAD_PROVISIONAL;
    window.threads[0].provisional_ns = 100 * HISTORY_MS;
    window_merge_add(&merge, &window);
    assert_int_equal(merge.window.threads[0].provisional_ns, (ms + 100) * HISTORY_MS);
    assert_true(merge.window.threads[0].flags & RTOP_WINDOW_THREAD_PROVISIONAL);
  }
  add_late(one_thread(&window, 300, 400), 0, 350);
  window_merge_add(&merge, &window);
  assert_int_equal(merge.window.threads[0].provisional_ns, 0);
  assert_false(merge.window.threads[0].flags & RTOP_WINDOW_THREAD_PROVISIONAL);
  assert_int_equal(merge.window.cell_count, 1);
  assert_int_equal(merge.window.cells[0].wall_ns, 350 * HISTORY_MS);
  /* Began before the merged window: stays a late record. */
  window_merge_clear(&merge);
  add_late(one_thread(&window, 1000, 1100), 400, 650);
  window_merge_add(&merge, &window);
  assert_int_equal(merge.window.cell_count, 0);
  assert_int_equal(merge.window.late_count, 1);
  assert_int_equal(merge.window.late[0].start_mono_ns, 400 * HISTORY_MS);
  /* One that ended before the open stretch began does not touch it. */
  one_thread(&window, 1100, 1200)->threads[0].flags = RTOP_WINDOW_THREAD_PROVISIONAL;
  window.threads[0].provisional_ns = 80 * HISTORY_MS;
  window_merge_add(&merge, &window);
  add_late(one_thread(&window, 1200, 1300), 1000, 90);
  window_merge_add(&merge, &window);
  assert_int_equal(merge.window.threads[0].provisional_ns, 80 * HISTORY_MS);
  rtop_window_destroy(&window);
}

static void add_not_sampled(struct rtop_window *window, uint32_t state, uint64_t wall_ms)
{
  *rtop_window_add_cell(window) = (struct rtop_cell){
    .node = RTOP_NODE_UNSAMPLED, .state = state, .wall_ns = wall_ms * (uint64_t)HISTORY_MS, .cpu_ns = 5
  };
}

static const struct rtop_cell *find_cell(uint32_t node, uint32_t state)
{
  const struct rtop_cell *found = NULL;
  for (size_t i = 0; i < merge.window.cell_count; i++)
    if (merge.window.cells[i].node == node && merge.window.cells[i].state == state) {
      assert_null(found);
      found = &merge.window.cells[i];
    }
  return found;
}

static void test_late_records_take_what_is_not_sampled(void **state)
{
  (void)state;
  struct rtop_window window = { 0 };
  window_merge_clear(&merge);
  for (int64_t ms = 0; ms < 200; ms += 100) {
    add_not_sampled(one_thread(&window, ms, ms + 100), RTOP_RUNNING, 60);
    add_not_sampled(&window, RTOP_BLOCKED, 40);
    window_merge_add(&merge, &window);
  }
  assert_int_equal(find_cell(RTOP_NODE_UNSAMPLED, RTOP_RUNNING)->wall_ns, 120 * HISTORY_MS);
  /* Of its own window too, of its own state only, and never more than there is. */
  add_late(one_thread(&window, 200, 300), 60, 150);
  add_not_sampled(&window, RTOP_RUNNING, 50);
  window_merge_add(&merge, &window);
  assert_int_equal(find_cell(RTOP_NODE_UNSAMPLED, RTOP_RUNNING)->wall_ns, 20 * HISTORY_MS);
  assert_int_equal(find_cell(RTOP_NODE_UNSAMPLED, RTOP_BLOCKED)->wall_ns, 80 * HISTORY_MS);
  assert_int_equal(find_cell(7, RTOP_RUNNING)->wall_ns, 150 * HISTORY_MS);
  add_late(one_thread(&window, 300, 400), 60, 150);
  window.late[0].cell.cpu_ns = 1000;
  window_merge_add(&merge, &window);
  assert_int_equal(find_cell(RTOP_NODE_UNSAMPLED, RTOP_RUNNING)->wall_ns, 0);
  assert_int_equal(find_cell(RTOP_NODE_UNSAMPLED, RTOP_RUNNING)->cpu_ns, 0);
  assert_int_equal(find_cell(RTOP_NODE_UNSAMPLED, RTOP_BLOCKED)->cpu_ns, 10);
  /* One from before the merged window stays a record, and the time that it will take stays there. */
  window_merge_clear(&merge);
  add_not_sampled(one_thread(&window, 400, 500), RTOP_RUNNING, 100);
  window_merge_add(&merge, &window);
  add_late(one_thread(&window, 500, 600), 300, 200);
  window_merge_add(&merge, &window);
  assert_int_equal(find_cell(RTOP_NODE_UNSAMPLED, RTOP_RUNNING)->wall_ns, 100 * HISTORY_MS);
  assert_int_equal(merge.window.late_count, 1);
  rtop_window_destroy(&window);
}

/* So many cells that they are sorted and folded time and again: what records will take is still found. */
static void test_what_is_not_sampled_outlasts_folding(void **state)
{
  (void)state;
  struct rtop_window window = { 0 };
  window_merge_clear(&merge);
  add_not_sampled(one_thread(&window, 0, 100), RTOP_RUNNING, 1);
  window_merge_add(&merge, &window);
  for (uint32_t round = 1; round < 9; round++) {
    one_thread(&window, round * 100, round * 100 + 100);
    for (uint32_t i = 0; i < 7000; i++)
      *rtop_window_add_cell(&window) =
          (struct rtop_cell){ .node = RTOP_NODE_FIRST_FREE + round * 7000 + i, .wall_ns = 2 * HISTORY_MS };
    window_merge_add(&merge, &window);
  }
  assert_true(merge.lossy);
  assert_int_equal(find_cell(RTOP_NODE_UNSAMPLED, RTOP_RUNNING)->wall_ns, HISTORY_MS);
  add_late(one_thread(&window, 900, 1000), 20, 1);
  window_merge_add(&merge, &window);
  assert_int_equal(find_cell(RTOP_NODE_UNSAMPLED, RTOP_RUNNING)->wall_ns, 0);
  assert_int_equal(find_cell(7, RTOP_RUNNING)->wall_ns, HISTORY_MS);
  rtop_window_destroy(&window);
}

static void test_threads_are_as_at_the_end(void **state)
{
  (void)state;
  struct rtop_window window = { 0 };
  window_merge_clear(&merge);
  assert_true(window_merge_is_empty(&merge));
  one_thread(&window, 0, 100)->threads[0].flags = RTOP_WINDOW_THREAD_STARTED | RTOP_WINDOW_THREAD_STALE;
  window.threads[0].stack_age_ns = 5;
  window_merge_add(&merge, &window);
  assert_false(window_merge_is_empty(&merge));
  one_thread(&window, 100, 200)->threads[0].state = RTOP_WAITING;
  window.threads[0].node = 5;
  window.threads[0].state_age_ns = 77;
  window.threads[0].flags = RTOP_WINDOW_THREAD_ENDED;
  window_merge_add(&merge, &window);
  const struct rtop_window_thread *thread = &merge.window.threads[0];
  assert_int_equal(merge.window.thread_count, 1);
  assert_int_equal(thread->flags, RTOP_WINDOW_THREAD_STARTED | RTOP_WINDOW_THREAD_ENDED);
  assert_int_equal(thread->state, RTOP_WAITING);
  assert_int_equal(thread->node, 5);
  assert_int_equal(thread->slot, 3);
  assert_int_equal(thread->state_age_ns, 77);
  assert_int_equal(thread->stack_age_ns, 0);
  assert_int_equal(merge.window.start_mono_ns, 0);
  assert_int_equal(merge.window.end_mono_ns, 200 * HISTORY_MS);
  one_thread(&window, 200, 300)->threads[0].flags = RTOP_WINDOW_THREAD_STALE;
  window.threads[0].stack_age_ns = 99;
  window_merge_add(&merge, &window);
  assert_true(merge.window.threads[0].flags & RTOP_WINDOW_THREAD_STALE);
  assert_int_equal(merge.window.threads[0].stack_age_ns, 99);
  rtop_window_destroy(&window);
}

/* More of everything than there is room for: bounded, said, and no time lost. */
static void test_too_much_of_everything(void **state)
{
  (void)state;
  struct rtop_window window = { 0 };
  uint64_t wall_ns = 0;
  window_merge_clear(&merge);
  for (uint32_t round = 0; round < 12; round++) {
    rtop_window_reset(&window);
    window.start_mono_ns = (1000 + round * 100) * HISTORY_MS;
    window.end_mono_ns = window.start_mono_ns + 100 * HISTORY_MS;
    for (uint32_t i = 0; i < 3000; i++) {
      *rtop_window_add_thread(&window) = (struct rtop_window_thread){ .slot = i, .serial = i + 1 };
      *rtop_window_add_cell(&window) =
          (struct rtop_cell){ .node = round * 3000 + i, .thread = i, .state = i % 5, .wall_ns = i };
      add_late(&window, 1, 1);
      window.late[i].cell.thread = i;
      *rtop_window_add_mark(&window) = (struct rtop_mark){ .mono_ns = window.start_mono_ns, .name = 8 };
      wall_ns += i + (uint64_t)HISTORY_MS;
    }
    window_merge_add(&merge, &window);
  }
  struct sums sums = sums_of(&merge.window, 0);
  uint64_t merged_ns = 0;
  for (int i = 0; i < RTOP_STATE_COUNT; i++) merged_ns += sums.wall_ns[i];
  assert_int_equal(merged_ns, wall_ns);
  assert_true(merge.lossy);
  assert_true(merge.window.thread_count <= WINDOW_MERGE_THREADS_MAX);
  assert_true(merge.window.cell_count <= WINDOW_MERGE_CELLS_MAX);
  assert_true(merge.window.late_count <= WINDOW_MERGE_LATE_MAX);
  assert_int_equal(merge.window.mark_count, WINDOW_MERGE_MARKS_MAX);
  assert_int_equal(merge.window.threads[merge.window.thread_count - 1].serial, 0);
  rtop_window_destroy(&window);
}

static uint64_t exact_of(const struct rtop_window *window, uint32_t node, uint32_t what, uint32_t key)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < window->exact_count; i++) {
    const struct rtop_exact *exact = &window->exact[i];
    if (exact->node == node && exact->what == what && exact->key == key) sum += exact->value;
  }
  return sum;
}

/* Sums are added, of the longest call the longest counts, and of a state the last. */
static void test_traced_methods_add_up(void **state)
{
  (void)state;
  for (uint32_t at = 0; at < 10; at++) {
    struct rtop_window window = { .start_mono_ns = at * 100, .end_mono_ns = (at + 1) * 100 };
    *rtop_window_add_exact(&window) = (struct rtop_exact){ 9, RTOP_EXACT_TOTAL_TIMES, 500 + at % 3, 2 };
    *rtop_window_add_exact(&window) = (struct rtop_exact){ 7, RTOP_EXACT_CALLS, 0, 5 + at };
    *rtop_window_add_exact(&window) = (struct rtop_exact){ 7, RTOP_EXACT_TOTAL_MAX, 0, at == 4 ? 1000 : at };
    *rtop_window_add_exact(&window) = (struct rtop_exact){ 7, RTOP_EXACT_STATE, 77, at < 9 ? 2 : 3 };
    *rtop_window_add_exact(&window) =
        (struct rtop_exact){ 0, RTOP_SITES_STATE, 1, at < 9 ? RTOP_SITES_ON : RTOP_SITES_WAITS };
    *rtop_window_add_exact(&window) = (struct rtop_exact){ 8, RTOP_SITES_OBJECTS, 1, 4 };
    window_merge_add(&merge, &window);
    rtop_window_destroy(&window);
  }
  const struct rtop_window *sum = &merge.window;
  assert_int_equal(exact_of(sum, 7, RTOP_EXACT_CALLS, 0), 95);
  assert_int_equal(exact_of(sum, 7, RTOP_EXACT_TOTAL_MAX, 0), 1000);
  assert_int_equal(exact_of(sum, 7, RTOP_EXACT_STATE, 77), 3);
  assert_int_equal(exact_of(sum, 9, RTOP_EXACT_TOTAL_TIMES, 500), 8);
  assert_int_equal(exact_of(sum, 9, RTOP_EXACT_TOTAL_TIMES, 502), 6);
  assert_int_equal(exact_of(sum, 0, RTOP_SITES_STATE, 1), RTOP_SITES_WAITS);
  assert_int_equal(exact_of(sum, 8, RTOP_SITES_OBJECTS, 1), 40);
  assert_int_equal(sum->exact_count, 8);
  assert_false(merge.lossy);
  window_merge_clear(&merge);
  assert_int_equal(sum->exact_count, 0);
}

/* More lengths of calls than there is room for: some are left out, sums of methods never. */
static void test_traced_methods_are_bounded(void **state)
{
  (void)state;
  struct rtop_window window = { .start_mono_ns = 0, .end_mono_ns = 100 };
  for (uint32_t i = 0; i < 2 * WINDOW_MERGE_EXACT_MAX; i++)
    *rtop_window_add_exact(&window) = (struct rtop_exact){ 5, RTOP_EXACT_CALLER, i, 1 };
  *rtop_window_add_exact(&window) = (struct rtop_exact){ 6, RTOP_EXACT_CALLS, 0, 12345 };
  window_merge_add(&merge, &window);
  rtop_window_destroy(&window);
  assert_int_equal(exact_of(&merge.window, 6, RTOP_EXACT_CALLS, 0), 12345);
  assert_in_range(merge.window.exact_count, 1000, WINDOW_MERGE_EXACT_MAX);
  assert_true(merge.lossy);
  window_merge_clear(&merge);
}

/* Of labelled work times by cause leave room for those of the whole, and sums without room are of no labels: none is lost. */
static void test_work_is_bounded(void **state)
{
  (void)state;
  struct rtop_window window = { .start_mono_ns = 0, .end_mono_ns = 100 };
  for (uint32_t i = 0; i < WINDOW_MERGE_EXACT_MAX; i++)
    *rtop_window_add_exact(&window) =
        (struct rtop_exact){ 10 + i / 1000, RTOP_WORK_TIMES, rtop_work_key(0, RTOP_WORK_IO, i % 1000), 1 };
  for (uint32_t i = 0; i < 100; i++)
    *rtop_window_add_exact(&window) = (struct rtop_exact){ 10, RTOP_WORK_TIMES, rtop_work_key(0, 0, i), 1 };
  for (uint32_t i = 0; i < 2 * WINDOW_MERGE_EXACT_MAX; i++) {
    *rtop_window_add_exact(&window) =
        (struct rtop_exact){ 100 + i, RTOP_WORK_TIME_NS, rtop_work_key(1, RTOP_WORK_LOCK, 0), 3 };
    *rtop_window_add_exact(&window) = (struct rtop_exact){ 100 + i, RTOP_WORK_OPEN, rtop_work_key(1, 0, 0), 2 };
    *rtop_window_add_exact(&window) =
        (struct rtop_exact){ 100 + i, RTOP_WORK_LONGEST_NS, rtop_work_key(1, RTOP_WORK_LOCK, 0), 5 + i };
  }
  window_merge_add(&merge, &window);
  rtop_window_destroy(&window);
  uint64_t sum_ns = 0, longest_ns = 0, whole = 0;
  for (size_t i = 0; i < merge.window.exact_count; i++) {
    const struct rtop_exact *exact = &merge.window.exact[i];
    if (exact->what == RTOP_WORK_TIME_NS) sum_ns += exact->value;
    if (exact->what == RTOP_WORK_LONGEST_NS && exact->value > longest_ns) longest_ns = exact->value;
    whole += exact->what == RTOP_WORK_TIMES && rtop_work_key_cause(exact->key) == RTOP_WORK_WHOLE;
  }
  assert_int_equal(sum_ns, 6 * WINDOW_MERGE_EXACT_MAX);
  assert_int_equal(longest_ns, 4 + 2 * WINDOW_MERGE_EXACT_MAX);
  assert_int_equal(whole, 100);
  assert_true(exact_of(&merge.window, RTOP_NODE_FOLDED, RTOP_WORK_TIME_NS, rtop_work_key(0, RTOP_WORK_LOCK, 0)) > 0);
  assert_true(merge.lossy);
  window_merge_clear(&merge);
}

/* What is open is what was told last, the longest is the longest. */
static void test_work_adds_up(void **state)
{
  (void)state;
  for (uint32_t at = 0; at < 10; at++) {
    struct rtop_window window = { .start_mono_ns = at * 100, .end_mono_ns = (at + 1) * 100 };
    *rtop_window_add_exact(&window) = (struct rtop_exact){ 7, RTOP_WORK_ENDED, 0, 2 };
    *rtop_window_add_exact(&window) = (struct rtop_exact){ 7, RTOP_WORK_LONGEST_NS, 0, at == 4 ? 1000 : at };
    *rtop_window_add_exact(&window) = (struct rtop_exact){ 7, RTOP_WORK_OPEN, 0, 10 - at };
    *rtop_window_add_exact(&window) = (struct rtop_exact){ 7, RTOP_WORK_OLDEST_NS, 0, 50 + at };
    *rtop_window_add_exact(&window) = (struct rtop_exact){ 7, RTOP_WORK_TIMES, rtop_work_key(0, 0, 900), 2 };
    window_merge_add(&merge, &window);
    rtop_window_destroy(&window);
  }
  assert_int_equal(exact_of(&merge.window, 7, RTOP_WORK_ENDED, 0), 20);
  assert_int_equal(exact_of(&merge.window, 7, RTOP_WORK_LONGEST_NS, 0), 1000);
  assert_int_equal(exact_of(&merge.window, 7, RTOP_WORK_OPEN, 0), 1);
  assert_int_equal(exact_of(&merge.window, 7, RTOP_WORK_OLDEST_NS, 0), 59);
  assert_int_equal(exact_of(&merge.window, 7, RTOP_WORK_TIMES, 900), 20);
  assert_false(merge.lossy);
  window_merge_clear(&merge);
}

/* Of more slow calls than there is room for the longest stay, in their order. */
static void test_slow_calls_are_bounded(void **state)
{
  (void)state;
  for (uint32_t at = 0; at < 10; at++) {
    struct rtop_window window = { .start_mono_ns = at * 100, .end_mono_ns = (at + 1) * 100 };
    for (uint32_t i = 0; i < 64; i++)
      *rtop_window_add_slow(&window) = (struct rtop_slow){
        .end_mono_ns = at * 100 + i, .serial = 3, .node = 7, .stack = 8, .total_ns = i % 2 ? 1000 + at : at
      };
    window_merge_add(&merge, &window);
    rtop_window_destroy(&window);
  }
  const struct rtop_window *sum = &merge.window;
  assert_int_equal(sum->slow_count, WINDOW_MERGE_SLOW_MAX);
  for (size_t i = 0; i < sum->slow_count; i++) {
    assert_true(sum->slow[i].total_ns >= 1002);
    assert_true(i == 0 || sum->slow[i - 1].end_mono_ns < sum->slow[i].end_mono_ns);
  }
  assert_true(merge.lossy);
  window_merge_clear(&merge);
  assert_int_equal(sum->slow_count, 0);
}

/* Neither calls nor blocks with labels take the room of all others, however long they are. */
static void test_calls_and_blocks_share_the_room(void **state)
{
  (void)state;
  for (int blocks_are_longer = 0; blocks_are_longer < 2; blocks_are_longer++) {
    size_t blocks = 0;
    for (uint32_t at = 0; at < 10; at++) {
      struct rtop_window window = { .start_mono_ns = at * 100, .end_mono_ns = (at + 1) * 100 };
      for (uint32_t i = 0; i < 64; i++)
        *rtop_window_add_slow(&window) =
            (struct rtop_slow){ .end_mono_ns = at * 100 + i,
                                .node = 7,
                                .flags = i % 2 ? RTOP_SLOW_BLOCK : 0,
                                .total_ns = i % 2 == (unsigned)blocks_are_longer ? 900 : 1 };
      window_merge_add(&merge, &window);
      rtop_window_destroy(&window);
    }
    for (size_t i = 0; i < merge.window.slow_count; i++) blocks += (merge.window.slow[i].flags & RTOP_SLOW_BLOCK) != 0;
    assert_int_equal(merge.window.slow_count, WINDOW_MERGE_SLOW_MAX);
    assert_in_range(blocks, WINDOW_MERGE_SLOW_MAX / 2 - 1, WINDOW_MERGE_SLOW_MAX / 2 + 1);
    window_merge_clear(&merge);
  }
}

/* Arguments have so much room; those of calls that make way for longer ones give it back. */
static void test_arguments_are_bounded(void **state)
{
  (void)state;
  for (uint32_t at = 0; at < 10; at++) {
    struct rtop_window window = { .start_mono_ns = at * 100, .end_mono_ns = (at + 1) * 100 };
    for (uint32_t i = 0; i < 64; i++)
      *rtop_window_add_slow(&window) = (struct rtop_slow){ .end_mono_ns = at * 100 + i,
                                                           .node = 7,
                                                           .total_ns = at * 100 + i,
                                                           .args_bytes = i % 2 ? RTOP_ARGS_BYTES : 1,
                                                           .args = "x" };
    window_merge_add(&merge, &window);
    rtop_window_destroy(&window);
    size_t bytes = 0, some = 0;
    for (size_t i = 0; i < merge.window.slow_count; i++) {
      bytes += merge.window.slow[i].args_bytes;
      some += merge.window.slow[i].args_bytes > 0;
    }
    assert_in_range(bytes, 1, WINDOW_MERGE_ARGS_BYTES);
    assert_true(at > 0 || (some == 64 && !merge.lossy));
  }
  assert_int_equal(merge.window.slow_count, WINDOW_MERGE_SLOW_MAX);
  assert_true(merge.window.slow[WINDOW_MERGE_SLOW_MAX - 2].args_bytes == 1); /* there was room again */
  assert_true(merge.lossy);
  window_merge_clear(&merge);
}

static uint64_t raised_of(const struct rtop_window *window, uint32_t name, uint32_t node, uint64_t serial)
{
  uint64_t count = 0;
  for (size_t i = 0; i < window->raised_count; i++)
    if (window->raised[i].name == name && window->raised[i].node == node && window->raised[i].serial == serial)
      count += window->raised[i].count;
  return count;
}

static void test_exceptions_add_up(void **state)
{
  (void)state;
  for (uint32_t at = 0; at < 10; at++) {
    struct rtop_window window = { .start_mono_ns = at * 100, .end_mono_ns = (at + 1) * 100 };
    *rtop_window_add_raised(&window) = (struct rtop_raised){ at * 100 + 5, at * 100 + 7, 2, 9, 11, 3 };
    *rtop_window_add_raised(&window) = (struct rtop_raised){ at * 100 + 1, at * 100 + 2, 1 + at % 2, 9, 10, 1 };
    window_merge_add(&merge, &window);
    rtop_window_destroy(&window);
  }
  const struct rtop_window *sum = &merge.window;
  assert_int_equal(sum->raised_count, 3);
  assert_int_equal(raised_of(sum, 9, 11, 2), 30);
  assert_int_equal(raised_of(sum, 9, 10, 1), 5);
  assert_int_equal(raised_of(sum, 9, 10, 2), 5);
  assert_int_equal(sum->raised[2].first_mono_ns, 5);
  assert_int_equal(sum->raised[2].last_mono_ns, 907);
  assert_false(merge.lossy);
  window_merge_clear(&merge);
  assert_int_equal(sum->raised_count, 0);
}

/* Of more than there is room for, those without are one, of no class. */
static void test_exceptions_are_bounded(void **state)
{
  (void)state;
  uint64_t told = 0;
  for (uint32_t at = 0; at < 10; at++) {
    struct rtop_window window = { .start_mono_ns = at * 100, .end_mono_ns = (at + 1) * 100 };
    for (uint32_t i = 0; i < 100; i++)
      *rtop_window_add_raised(&window) = (struct rtop_raised){ at * 100, at * 100, 1, 5, 10 + at * 100 + i, 2 };
    window_merge_add(&merge, &window);
    rtop_window_destroy(&window);
  }
  const struct rtop_window *sum = &merge.window;
  assert_int_equal(sum->raised_count, WINDOW_MERGE_RAISES_MAX);
  for (size_t i = 0; i < sum->raised_count; i++) told += sum->raised[i].count;
  assert_int_equal(told, 2000);
  assert_int_equal(raised_of(sum, RTOP_NODE_ROOT, RTOP_NODE_FOLDED, 0), 2000 - 2 * (WINDOW_MERGE_RAISES_MAX - 1));
  assert_true(merge.lossy);
  window_merge_clear(&merge);
}

static uint64_t waited_of(const struct rtop_window *window, uint32_t node, uint32_t holder, uint32_t cause)
{
  uint64_t ns = 0;
  for (size_t i = 0; i < window->pair_count; i++) {
    const struct rtop_behind *pair = &window->pairs[i];
    if (pair->node == node && pair->holder == holder && pair->cause == cause) ns += pair->wait_ns;
  }
  return ns;
}

static void test_pairs_add_up(void **state)
{
  (void)state;
  for (uint32_t at = 0; at < 10; at++) {
    struct rtop_window window = { .start_mono_ns = at * 100, .end_mono_ns = (at + 1) * 100 };
    *rtop_window_add_pair(&window) = (struct rtop_behind){ 11, 12, RTOP_PAIR_LOCK, 5 + at % 2, 1, 7 };
    *rtop_window_add_pair(&window) = (struct rtop_behind){ 11, 12, RTOP_PAIR_GVL, 0, 2, at };
    window_merge_add(&merge, &window);
    rtop_window_destroy(&window);
  }
  const struct rtop_window *sum = &merge.window;
  assert_int_equal(sum->pair_count, 3);
  assert_int_equal(waited_of(sum, 11, 12, RTOP_PAIR_GVL), 45);
  assert_int_equal(waited_of(sum, 11, 12, RTOP_PAIR_LOCK), 70);
  assert_true(sum->pairs[0].count == 20 && sum->pairs[1].place == 5 && sum->pairs[2].count == 5);
  assert_false(merge.lossy);
  window_merge_clear(&merge);
  assert_int_equal(sum->pair_count, 0);
}

/* Those without room are summed by cause. */
static void test_pairs_are_bounded(void **state)
{
  (void)state;
  uint64_t told[RTOP_PAIR_CAUSES] = { 0 }, all[RTOP_PAIR_CAUSES] = { 0 };
  for (uint32_t at = 0; at < 20; at++) {
    struct rtop_window window = { .start_mono_ns = at * 100, .end_mono_ns = (at + 1) * 100 };
    for (uint32_t i = 0; i < 100; i++) {
      uint32_t cause = i % RTOP_PAIR_CAUSES, holder = cause == RTOP_PAIR_HANDOVER ? 0 : 12;
      *rtop_window_add_pair(&window) = (struct rtop_behind){ 10 + at * 100 + i, holder, cause, 0, 1, 3 };
      all[cause] += 3;
    }
    window_merge_add(&merge, &window);
    rtop_window_destroy(&window);
  }
  const struct rtop_window *sum = &merge.window;
  assert_true(sum->pair_count <= WINDOW_MERGE_PAIRS_MAX);
  for (size_t i = 0; i < sum->pair_count; i++) told[sum->pairs[i].cause] += sum->pairs[i].wait_ns;
  assert_memory_equal(told, all, sizeof all);
  assert_true(waited_of(sum, RTOP_NODE_FOLDED, RTOP_NODE_FOLDED, RTOP_PAIR_GVL) > 0);
  assert_true(waited_of(sum, RTOP_NODE_FOLDED, RTOP_NODE_ROOT, RTOP_PAIR_HANDOVER) > 0);
  assert_true(merge.lossy);
  window_merge_clear(&merge);
}

/* Rows that look like the rest, but are not: there is no more room for them than for others. */
static void test_rows_that_look_like_the_rest(void **state)
{
  struct rtop_window window = { .end_mono_ns = 100 };
  uint64_t wait_ns = 0, count = 0;
  (void)state;
  for (uint32_t i = 1; i <= 2 * WINDOW_MERGE_BEGUN_MAX; i++) {
    *rtop_window_add_fibers(&window) = (struct rtop_fibers){ .name = i, .node = 7, .wait_ns = 1 };
    *rtop_window_add_begun(&window) = (struct rtop_begun){ RTOP_NODE_FOLDED, i, 1 };
  }
  window_merge_clear(&merge);
  window_merge_add(&merge, &window);
  assert_true(merge.lossy);
  assert_true(merge.window.fibers_count <= WINDOW_MERGE_FIBERS_MAX);
  assert_true(merge.window.begun_count <= WINDOW_MERGE_BEGUN_MAX);
  for (size_t i = 0; i < merge.window.fibers_count; i++) wait_ns += merge.window.fibers[i].wait_ns;
  for (size_t i = 0; i < merge.window.begun_count; i++) count += merge.window.begun[i].count;
  assert_int_equal(wait_ns, 2 * WINDOW_MERGE_BEGUN_MAX);
  assert_int_equal(count, 2 * WINDOW_MERGE_BEGUN_MAX);
  rtop_window_destroy(&window);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_slow_calls_are_bounded),
    cmocka_unit_test(test_calls_and_blocks_share_the_room),
    cmocka_unit_test(test_arguments_are_bounded),
    cmocka_unit_test(test_pairs_add_up),
    cmocka_unit_test(test_pairs_are_bounded),
    cmocka_unit_test(test_exceptions_add_up),
    cmocka_unit_test(test_exceptions_are_bounded),
    cmocka_unit_test(test_traced_methods_add_up),
    cmocka_unit_test(test_traced_methods_are_bounded),
    cmocka_unit_test(test_work_is_bounded),
    cmocka_unit_test(test_work_adds_up),
    cmocka_unit_test(test_sums_of_random_histories),
    cmocka_unit_test(test_thousands_of_threads_keep_their_time),
    cmocka_unit_test(test_provisional_time_until_the_late_record),
    cmocka_unit_test(test_late_records_take_what_is_not_sampled),
    cmocka_unit_test(test_what_is_not_sampled_outlasts_folding),
    cmocka_unit_test(test_threads_are_as_at_the_end),
    cmocka_unit_test(test_too_much_of_everything),
    cmocka_unit_test(test_rows_that_look_like_the_rest),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
