/* What a profile hands out again: the small lists of its windows, whole and in part. */
#include "tests/tui/model_fixture.h"

#define WINDOW (1000 * MS) /* short ones are never parted */

struct copied {
  size_t windows;
  struct rtop_begun begun;
  struct rtop_fibers fibers;
  struct rtop_exact exact;
  struct rtop_slow slow;
  struct rtop_raised raised;
  struct rtop_behind pair;
  size_t begun_count, fibers_count, exact_count, slow_count, raised_count, pair_count;
};

static void copy_window(void *context, uint32_t source, const struct rtop_window *window, const uint32_t *nodes,
                        size_t node_count)
{
  struct copied *copied = context;
  (void)node_count;
  assert_int_equal(source, 0);
  assert_null(nodes);
  copied->windows++;
  copied->begun_count = window->begun_count;
  copied->fibers_count = window->fibers_count;
  copied->exact_count = window->exact_count;
  copied->slow_count = window->slow_count;
  if (window->begun_count) copied->begun = window->begun[0];
  if (window->fibers_count) copied->fibers = window->fibers[0];
  if (window->exact_count) copied->exact = window->exact[0];
  if (window->slow_count) copied->slow = window->slow[0];
  copied->raised_count = window->raised_count;
  if (window->raised_count) copied->raised = window->raised[0];
  copied->pair_count = window->pair_count;
  if (window->pair_count) copied->pair = window->pairs[0];
}

static struct copied replayed(struct rtop_profile *profile, int64_t start_ns, int64_t end_ns)
{
  struct copied copied = { 0 };
  const struct rtop_profile_tap tap = { .context = &copied, .window = copy_window };
  assert_true(rtop_profile_replay(profile, fixture_span(start_ns, end_ns), &tap));
  if (copied.windows != 1) fail_msg("%zu windows from %d ms", copied.windows, (int)(start_ns / MS));
  return copied;
}

static struct rtop_profile *profile_of(uint32_t *method)
{
  struct rtop_profile *profile = rtop_profile_create(1 << 20);
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  struct rtop_window window = { 0 };
  *method = rtop_symbols_node(symbols, 0, fixture_frame(symbols, "Order#total", "/app/order.rb", 1), 1);
  fixture_window(&window, 0, WINDOW);
  uint32_t thread = fixture_thread(&window, 7, RTOP_RUNNING, *method, 0);
  fixture_cell(&window, thread, *method, RTOP_RUNNING, WINDOW);
  *rtop_window_add_begun(&window) = (struct rtop_begun){ .node = *method, .label = 1, .count = 10 };
  *rtop_window_add_fibers(&window) = (struct rtop_fibers){
    .serial = 7, .node = *method, .alive = 5, .waiting = 4, .wait_ns = 200 * MS, .longest_ns = 90 * MS
  };
  *rtop_window_add_exact(&window) = (struct rtop_exact){ *method, RTOP_EXACT_CALLS, 0, 40 };
  *rtop_window_add_slow(&window) = (struct rtop_slow){ .end_mono_ns = 30 * MS,
                                                       .serial = 7,
                                                       .node = *method,
                                                       .stack = *method,
                                                       .flags = RTOP_SLOW_RAISED,
                                                       .total_ns = 50 * MS,
                                                       .self_ns = 40 * MS,
                                                       .wait_ns = 3 * MS,
                                                       .off_ns = 2 * MS,
                                                       .args_bytes = 15,
                                                       .args = "id: 7, a: \"\033[2J" };
  *rtop_window_add_raised(&window) = (struct rtop_raised){
    .first_mono_ns = 100 * MS, .last_mono_ns = 900 * MS, .serial = 7, .name = *method, .node = *method, .count = 30
  };
  *rtop_window_add_pair(&window) = (struct rtop_behind){ *method, *method, RTOP_PAIR_LOCK, *method, 6, 400 * MS };
  *rtop_window_add_pair(&window) =
      (struct rtop_behind){ *method, *method, UINT32_MAX, 0, 1, 1 }; /* of a later writer */
  assert_true(fixture_add(profile, 0, &window));
  rtop_window_destroy(&window);
  return profile;
}

static void test_a_whole_window(void **state)
{
  (void)state;
  uint32_t method;
  struct rtop_profile *profile = profile_of(&method);
  struct copied copied = replayed(profile, 0, WINDOW);
  assert_int_equal(copied.begun.count, 10);
  assert_int_equal(copied.begun.label, 1);
  assert_int_equal(copied.fibers.serial, 7);
  assert_true(copied.fibers.alive == 5 && copied.fibers.waiting == 4 && copied.fibers.node == method);
  assert_int_equal(copied.fibers.wait_ns, 200 * MS);
  assert_int_equal(copied.fibers.longest_ns, 90 * MS);
  assert_true(copied.exact.node == method && copied.exact.what == RTOP_EXACT_CALLS && copied.exact.value == 40);
  assert_int_equal(copied.slow_count, 1);
  assert_int_equal(copied.slow.end_mono_ns, 30 * MS);
  assert_true(copied.slow.node == method && copied.slow.stack == method && copied.slow.flags == RTOP_SLOW_RAISED);
  assert_true(copied.slow.total_ns == 50 * MS && copied.slow.self_ns == 40 * MS);
  assert_true(copied.slow.wait_ns == 3 * MS && copied.slow.off_ns == 2 * MS);
  assert_int_equal(copied.slow.args_bytes, 15);
  assert_memory_equal(copied.slow.args, "id: 7, a: \"?[2J", 15); /* safe by now */
  assert_int_equal(copied.raised_count, 1);
  assert_true(copied.raised.name == method && copied.raised.node == method && copied.raised.serial == 7);
  assert_true(copied.raised.first_mono_ns == 100 * MS && copied.raised.last_mono_ns == 900 * MS);
  assert_int_equal(copied.raised.count, 30);
  assert_int_equal(copied.pair_count, 1);
  assert_true(copied.pair.node == method && copied.pair.holder == method && copied.pair.place == method);
  assert_true(copied.pair.cause == RTOP_PAIR_LOCK && copied.pair.count == 6 && copied.pair.wait_ns == 400 * MS);
  rtop_profile_destroy(&profile);
}

/* A share of what is a sum; calls where they ended. */
static void test_a_part_of_a_window(void **state)
{
  (void)state;
  uint32_t method;
  struct rtop_profile *profile = profile_of(&method);
  struct copied early = replayed(profile, 0, WINDOW / 2), late = replayed(profile, WINDOW / 2, WINDOW);
  assert_int_equal(early.begun.count + late.begun.count, 10);
  assert_int_equal(early.fibers.wait_ns, 100 * MS);
  assert_int_equal(early.exact.value + late.exact.value, 40);
  assert_true(early.exact.value == 20);
  assert_true(early.slow_count == 1 && late.slow_count == 0);
  assert_true(early.pair.wait_ns == 200 * MS && late.pair.wait_ns == 200 * MS);
  assert_true(early.raised.count == 15 && late.raised.count == 15);
  assert_int_equal(early.raised.last_mono_ns, WINDOW / 2);
  rtop_profile_destroy(&profile);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_whole_window),
    cmocka_unit_test(test_a_part_of_a_window),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
