/* Who is to blame for what: time held and blame of threads add up to what the process held and waited, also while a
 * call goes on that tells of neither. */
#include "tests/tui/model_fixture.h"

#define WINDOW (100 * MS)
enum { VICTIMS = 9 };

static struct rtop_profile *profile;
static struct rtop_window window;
static uint32_t work, unsampled;

static int set_up(void **state)
{
  (void)state;
  profile = rtop_profile_create(64 << 20);
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  unsampled = fixture_unsampled(symbols);
  work = rtop_symbols_node(symbols, 0, fixture_frame(symbols, "Job#run", "/job.rb", 1), 1);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  rtop_profile_destroy(&profile);
  rtop_window_destroy(&window);
  return 0;
}

static void begin(int64_t at)
{
  fixture_window(&window, at * WINDOW, (at + 1) * WINDOW);
}

/* A thread that holds the GVL without a safepoint; for so long. */
static uint32_t hog(uint64_t serial, int64_t since_ns)
{
  uint32_t thread = fixture_thread(&window, serial, RTOP_RUNNING, work, 0);
  window.threads[thread].flags |= RTOP_WINDOW_THREAD_STALE;
  window.threads[thread].stack_age_ns = (uint64_t)(window.end_mono_ns - since_ns);
  return thread;
}

static void victims(uint64_t first, uint64_t ns)
{
  for (uint64_t i = 0; i < VICTIMS; i++) {
    uint32_t thread = fixture_thread(&window, first + i, RTOP_WAITING, work, 0);
    fixture_cell(&window, thread, work, RTOP_WAITING, ns);
    if (ns < WINDOW) fixture_cell(&window, thread, work, RTOP_BLOCKED, WINDOW - ns);
  }
}

struct told {
  struct rtop_sum sum;
  uint64_t held_ns, waited_ns, blame_ns; /* of the rows */
};

static struct told look(int64_t from, int64_t to)
{
  struct told told = { 0 };
  assert_true(rtop_profile_sum(profile, fixture_span(from * WINDOW, to * WINDOW), &told.sum));
  rtop_profile_open_blame(profile, &told.sum);
  for (size_t i = 0; i < told.sum.thread_count; i++) {
    const struct rtop_cost *cost = &told.sum.threads[i].cost;
    told.held_ns += rtop_cost_held(cost);
    told.waited_ns += cost->wall_ns[RTOP_STATE_WAITING];
    told.blame_ns += cost->blame_ns;
  }
  assert_int_equal(told.held_ns, rtop_cost_held(&told.sum.total));
  assert_int_equal(told.blame_ns, told.sum.total.blame_ns);
  return told;
}

static uint64_t blame_of(const struct told *told, uint64_t serial)
{
  for (size_t i = 0; i < told->sum.thread_count; i++)
    if (told->sum.threads[i].serial == serial) return told->sum.threads[i].cost.blame_ns;
  return UINT64_MAX;
}

/* One call of C for a second, nine that wait: it is to blame while it lasts, and when it is over it is what was told. */
static void test_a_hog_while_it_lasts(void **state)
{
  (void)state;
  for (int64_t at = 0; at < 10; at++) {
    begin(at);
    fixture_cell(&window, hog(1, 0), unsampled, RTOP_RUNNING, WINDOW);
    victims(2, WINDOW);
    assert_true(fixture_add(profile, 0, &window));
  }
  struct told told = look(0, 10);
  assert_int_equal(told.held_ns, 10 * WINDOW);
  assert_int_equal(told.blame_ns, VICTIMS * 10 * WINDOW);
  assert_int_equal(blame_of(&told, 1), VICTIMS * 10 * WINDOW);
  rtop_sum_destroy(&told.sum);
  told = look(4, 6); /* a moment of it */
  assert_int_equal(blame_of(&told, 1), VICTIMS * 2 * WINDOW);
  rtop_sum_destroy(&told.sum);
  begin(10);
  uint32_t thread = fixture_thread(&window, 1, RTOP_RUNNING, work, 0);
  fixture_late(&window, thread, work, RTOP_RUNNING, 0, 10 * WINDOW)->cell.blame_ns = VICTIMS * 10 * WINDOW;
  fixture_cell(&window, thread, work, RTOP_RUNNING, WINDOW)->blame_ns = VICTIMS * WINDOW;
  victims(2, WINDOW);
  assert_true(fixture_add(profile, 0, &window));
  told = look(0, 11);
  assert_int_equal(told.blame_ns, told.waited_ns);
  assert_int_equal(blame_of(&told, 1), VICTIMS * 11 * WINDOW);
  rtop_sum_destroy(&told.sum);
  told = look(0, 10);
  assert_int_equal(blame_of(&told, 1), VICTIMS * 10 * WINDOW);
  rtop_sum_destroy(&told.sum);
}

/* What is told is told; the rest is divided by how long each held the GVL unseen, GC included. Processes do not mix. */
static void test_two_that_share(void **state)
{
  (void)state;
  begin(0);
  fixture_cell(&window, hog(1, 0), unsampled, RTOP_RUNNING, 30 * MS);
  uint32_t second = hog(2, 0), third = fixture_thread(&window, 3, RTOP_BLOCKED, work, 0);
  fixture_cell(&window, second, unsampled, RTOP_RUNNING, 10 * MS);
  fixture_cell(&window, second, unsampled, RTOP_MARKING, 20 * MS);
  fixture_cell(&window, third, work, RTOP_RUNNING, 40 * MS)->blame_ns = VICTIMS * 40 * MS;
  victims(10, WINDOW);
  assert_true(fixture_add(profile, 0, &window));
  begin(0);
  fixture_cell(&window, hog(1, 0), unsampled, RTOP_RUNNING, WINDOW); /* of another process, where nobody waits */
  assert_true(fixture_add(profile, 1, &window));
  struct told told = look(0, 1);
  assert_int_equal(told.blame_ns, told.waited_ns);
  assert_int_equal(blame_of(&told, 1), VICTIMS * 30 * MS);
  assert_int_equal(blame_of(&told, 2), VICTIMS * 30 * MS);
  assert_int_equal(blame_of(&told, 3), VICTIMS * 40 * MS);
  rtop_sum_destroy(&told.sum);
}

/* Nobody is blamed who does not hold the GVL, or whose stack is known: what is left is nobody's. */
static void test_nobody(void **state)
{
  (void)state;
  begin(0);
  uint32_t thread = fixture_thread(&window, 1, RTOP_RUNNING, work, 0);
  fixture_cell(&window, thread, work, RTOP_RUNNING, WINDOW)->blame_ns = 7 * MS;
  victims(2, 10 * MS);
  assert_true(fixture_add(profile, 0, &window));
  struct told told = look(0, 1);
  assert_int_equal(told.blame_ns, 7 * MS);
  rtop_sum_destroy(&told.sum);
  begin(1); /* more is told than was waited: hostile, or a matter of clocks */
  fixture_cell(&window, hog(1, WINDOW), unsampled, RTOP_RUNNING, 10 * MS);
  fixture_cell(&window, 0, work, RTOP_RUNNING, 90 * MS)->blame_ns = UINT64_MAX;
  victims(2, 10 * MS);
  assert_true(fixture_add(profile, 0, &window));
  told = look(1, 2);
  assert_int_equal(told.blame_ns, told.sum.total.blame_ns);
  rtop_sum_destroy(&told.sum);
  told = look(5, 5);
  assert_int_equal(told.blame_ns, 0);
  rtop_sum_destroy(&told.sum);
}

/* Any process in which somebody always holds the GVL, told in part: the sum of blame is the waiting of all. */
static void test_they_add_up(void **state)
{
  (void)state;
  uint64_t seed = 7;
  for (int64_t at = 0; at < 50; at++) {
    uint64_t left_ns = WINDOW, waiting_ns = (uint64_t)((at * 37) % 100) * MS;
    begin(at);
    for (uint64_t i = 0; i < 3; i++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      uint64_t held_ns = i == 2 ? left_ns : seed % (left_ns + 1);
      bool told = i == 0;
      uint32_t thread = told ? fixture_thread(&window, 1, RTOP_BLOCKED, work, 0) : hog(i + 1, 0);
      struct rtop_cell *cell =
          fixture_cell(&window, thread, told ? work : unsampled, i == 1 ? RTOP_SWEEPING : RTOP_RUNNING, held_ns);
      cell->blame_ns = told ? VICTIMS * waiting_ns / WINDOW * held_ns : 0;
      left_ns -= held_ns;
    }
    victims(10, waiting_ns);
    assert_true(fixture_add(profile, 0, &window));
    struct told told = look(at > 7 ? at - 7 : 0, at + 1);
    assert_int_equal(told.held_ns, told.sum.length_ns);
    assert_in_range(told.waited_ns - told.blame_ns, 0, 8 * 2); /* rounded down */
    rtop_sum_destroy(&told.sum);
  }
}

#define OPEN_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
    OPEN_TEST(test_a_hog_while_it_lasts),
    OPEN_TEST(test_two_that_share),
    OPEN_TEST(test_nobody),
    OPEN_TEST(test_they_add_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
