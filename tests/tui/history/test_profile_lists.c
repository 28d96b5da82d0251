/* Lists of windows: in whatever order rows come, and however many; put together, carried within a bound. */
#include "tests/tui/model_fixture.h"

#include "tui/history/profile_lists.h"

/* As many as a payload of the largest size holds, a byte for each column. */
enum {
  LARGEST_EXACT = RTOP_WINDOW_RAW_BYTES_MAX / 4,
  LARGEST_BEGUN = RTOP_WINDOW_RAW_BYTES_MAX / 3,
  LARGEST_RAISED = RTOP_WINDOW_RAW_BYTES_MAX / 6,
  LARGEST_FIBERS = RTOP_WINDOW_RAW_BYTES_MAX / 7,
};

static struct rtop_window window;

/* What a walk over a list found. */
struct found {
  size_t rows, windows;
  uint64_t sum, last;
  bool in_order;
  struct rtop_raised_count rest;
  struct rtop_exact_number first;
};

static int setup(void **state)
{
  *state = rtop_profile_create(512 << 20);
  rtop_window_reset(&window);
  return *state ? 0 : -1;
}

static int teardown(void **state)
{
  struct rtop_profile *profile = *state;
  rtop_profile_destroy(&profile);
  rtop_window_destroy(&window);
  return 0;
}

static void begin_window(int64_t at)
{
  fixture_window(&window, at * 100 * MS, (at + 1) * 100 * MS);
}

static void add_exact(uint32_t what, uint32_t key, uint64_t value)
{
  struct rtop_exact *exact = rtop_window_add_exact(&window);
  assert_non_null(exact);
  *exact = (struct rtop_exact){ 0, what, key, value };
}

static void add_raised(uint64_t serial, uint64_t count)
{
  struct rtop_raised *raised = rtop_window_add_raised(&window);
  assert_non_null(raised);
  *raised = (struct rtop_raised){ window.start_mono_ns, window.end_mono_ns, serial, 0, 0, count };
}

static void note(struct found *found, uint64_t key, uint64_t count)
{
  found->in_order = found->rows == 0 || (found->in_order && key > found->last);
  found->last = key;
  found->sum += count;
  found->rows++;
}

static void see_exact(void *context, uint32_t source, const struct rtop_exact_number *number)
{
  struct found *found = context;
  (void)source;
  if (found->rows == 0) found->first = *number;
  note(found, (uint64_t)number->what << 32 | number->key, number->value);
}

static void see_raised(void *context, uint32_t source, const struct rtop_raised_count *raised)
{
  struct found *found = context;
  (void)source;
  if (raised->serial == 0) found->rest = *raised;
  note(found, raised->serial, raised->count);
}

static void see_begun(void *context, uint32_t source, const struct rtop_begun_count *begun)
{
  (void)source;
  note(context, (uint64_t)begun->node << 32 | begun->label, begun->count);
}

static void see_fibers(void *context, const struct rtop_fibers_look *look)
{
  struct found *found = context;
  for (size_t i = 0; i < look->count; i++) note(found, look->all[i].serial, look->all[i].wait_ns);
}

static struct found exact_of(const struct rtop_profile *profile)
{
  struct found found = { 0 };
  rtop_profile_each_exact(profile, rtop_profile_bounds(profile), see_exact, &found);
  return found;
}

static struct found raised_of(const struct rtop_profile *profile)
{
  struct found found = { 0 };
  rtop_profile_each_raised(profile, rtop_profile_bounds(profile), see_raised, &found);
  return found;
}

/* Keys in an order that goes up and down, each three times; of what is now the last one is meant. */
static void test_any_order(void **state)
{
  begin_window(0);
  for (uint32_t i = 0; i < 300; i++) {
    uint32_t key = i * 37 % 100;
    add_exact(RTOP_EXACT_CALLS, key, i);
    add_exact(RTOP_WHOLE_STATE, key, i + 1);
    add_exact(RTOP_EXACT_TOTAL_MAX, key, 1000 - i);
    add_raised(key, 2);
  }
  assert_true(fixture_add(*state, 0, &window));
  struct found exact = exact_of(*state), raised = raised_of(*state);
  assert_int_equal(exact.rows, 300);
  assert_true(exact.in_order && raised.in_order);
  assert_int_equal(raised.rows, 100);
  assert_int_equal(raised.sum, 600);
  uint64_t calls = 299 * 300 / 2, now = 0, most = 0;
  for (uint64_t i = 200; i < 300; i++) now += i + 1;
  for (uint64_t i = 0; i < 100; i++) most += 1000 - i;
  assert_int_equal(exact.sum, calls + now + most);
}

/* A window with the largest number of rows of each kind, in the worst order: this ends soon, or it is not sorted. */
static void test_largest(void **state)
{
  struct found begun = { 0 }, fibers = { 0 };
  begin_window(0);
  for (uint32_t i = LARGEST_EXACT; i > 0; i--) add_exact(RTOP_EXACT_CALLS, i, 1);
  for (uint32_t i = LARGEST_RAISED; i > 0; i--) add_raised(i, 1);
  for (uint32_t i = LARGEST_BEGUN; i > 0; i--) *rtop_window_add_begun(&window) = (struct rtop_begun){ 0, i, 1 };
  for (uint32_t i = LARGEST_FIBERS; i > 0; i--)
    *rtop_window_add_fibers(&window) = (struct rtop_fibers){ .serial = i, .alive = 1, .wait_ns = 1 };
  assert_true(fixture_add(*state, 0, &window));
  struct found exact = exact_of(*state), raised = raised_of(*state);
  rtop_profile_each_begun(*state, rtop_profile_bounds(*state), see_begun, &begun);
  rtop_profile_each_fibers(*state, rtop_profile_bounds(*state), see_fibers, &fibers);
  assert_true(exact.in_order && exact.rows == LARGEST_EXACT && exact.sum == LARGEST_EXACT);
  assert_true(raised.in_order && raised.rows == PROFILE_RAISED_MAX && raised.sum == LARGEST_RAISED);
  assert_int_equal(raised.rest.count, LARGEST_RAISED - (PROFILE_RAISED_MAX - 1));
  assert_true(begun.in_order && begun.rows == LARGEST_BEGUN && begun.sum == LARGEST_BEGUN);
  assert_true(fibers.in_order && fibers.rows == LARGEST_FIBERS && fibers.sum == LARGEST_FIBERS);
}

/* Little memory: windows are put together, and go; what is carried of them is their sum. */
static void test_carried(void **state)
{
  struct rtop_profile *profile = rtop_profile_create(1 << 14);
  (void)state;
  rtop_profile_keep_sums(profile);
  for (int64_t at = 0; at < 60; at++) {
    begin_window(at);
    for (uint32_t i = 100; i > 0; i--) add_exact(RTOP_EXACT_CALLS, i + (uint32_t)at, i);
    for (uint32_t i = 100; i > 0; i--) add_raised((uint64_t)at * 100 + i, i);
    assert_true(fixture_add(profile, 0, &window));
  }
  struct found exact = exact_of(profile), raised = raised_of(profile);
  assert_int_equal(exact.sum, 60 * 5050);
  assert_int_equal(raised.sum, 60 * 5050);
  assert_true(raised.rows < 3000); /* those of threads that are gone are told of none */
  assert_int_equal(raised.rest.first_ns, 0);
  rtop_profile_destroy(&profile);
}

/* Numbers that nobody knows, always others: they end somewhere, and those that were there first go on. */
static void test_carried_no_more(void **state)
{
  struct rtop_profile *profile = rtop_profile_create(1 << 14);
  (void)state;
  rtop_profile_keep_sums(profile);
  for (uint32_t at = 0; at < 4; at++) {
    begin_window(at);
    add_exact(RTOP_EXACT_CALLS, 0, 1);
    for (uint32_t i = 1; i < LARGEST_EXACT; i++) add_exact(4711 + at, i, 1);
    assert_true(fixture_add(profile, 0, &window));
  }
  begin_window(4);
  assert_true(fixture_add(profile, 0, &window));
  struct found exact = exact_of(profile);
  assert_int_equal(exact.first.what, RTOP_EXACT_CALLS);
  assert_int_equal(exact.first.value, 4);
  assert_int_equal(exact.rows, PROFILE_CARRIED_MAX);
  rtop_profile_destroy(&profile);
}

/* Beyond the bound exceptions are of any class and place, and labels of any set; none is lost. */
static void test_carried_as_rest(void **state)
{
  struct rtop_profile *profile = rtop_profile_create(1 << 14);
  struct found begun = { 0 };
  enum { EACH = PROFILE_CARRIED_MAX / 2 + 1000 };
  (void)state;
  rtop_profile_keep_sums(profile);
  for (uint32_t at = 0; at < 3; at++) {
    begin_window(at);
    for (uint32_t i = 1; i <= EACH; i++) *rtop_window_add_begun(&window) = (struct rtop_begun){ 0, at * EACH + i, 1 };
    assert_true(fixture_add(profile, 0, &window));
  }
  begin_window(3);
  assert_true(fixture_add(profile, 0, &window));
  rtop_profile_each_begun(profile, rtop_profile_bounds(profile), see_begun, &begun);
  assert_int_equal(begun.sum, 3 * EACH);
  assert_int_equal(begun.rows, PROFILE_CARRIED_MAX + 1);
  rtop_profile_destroy(&profile);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_any_order, setup, teardown),
    cmocka_unit_test_setup_teardown(test_largest, setup, teardown),
    cmocka_unit_test(test_carried),
    cmocka_unit_test(test_carried_no_more),
    cmocka_unit_test(test_carried_as_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
