/* Several processes, each judged by itself: figures, verdict, slow work, and whose trouble is largest. */
#include "tests/tui/model_fixture.h"
#include "shm/base/latency.h"
#include "tui/doctor/doctor.h"

enum { PROCESSES = 5, WAITS = 1, SLOW = 3, COLLECTS = 4, WINDOWS = 50 };

static struct rtop_profile *profile;
static struct doctor doctor;
static uint32_t work, orders, orders_of_seven;

static uint32_t set_node(struct rtop_symbols *symbols, const char *set)
{
  uint32_t frame = rtop_symbols_frame(symbols, set, strlen(set), "", 0, "(labels)", 8, 0, RTOP_SYMBOL_SPECIAL);
  return rtop_symbols_node(symbols, 0, frame, 0);
}

static void add_pieces(struct rtop_window *window, uint32_t node, uint32_t label, uint64_t ns, uint64_t count)
{
  const struct rtop_exact numbers[] = {
    { node, RTOP_WORK_ENDED, rtop_work_key(label, RTOP_WORK_WHOLE, 0), count },
    { node, RTOP_WORK_TIME_NS, rtop_work_key(label, RTOP_WORK_WHOLE, 0), ns * count },
    { node, RTOP_WORK_LONGEST_NS, rtop_work_key(label, RTOP_WORK_WHOLE, 0), ns },
    { node, RTOP_WORK_TIMES, rtop_work_key(label, RTOP_WORK_WHOLE, rtop_latency_bucket(ns)), count },
  };
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) *rtop_window_add_exact(window) = numbers[i];
}

/* A thread that has the GVL a tenth of the time, and four that wait for it, or collect. */
static void add_window(int64_t at, uint32_t source)
{
  struct rtop_window window = { 0 };
  fixture_window(&window, at * 100 * MS, (at + 1) * 100 * MS);
  uint64_t held = source == WAITS ? 100 * MS : 10 * MS;
  uint32_t main_thread = fixture_thread(&window, 1, RTOP_RUNNING, work, 0);
  fixture_cell(&window, main_thread, work, RTOP_RUNNING, held);
  if (held < 100 * MS) fixture_cell(&window, main_thread, work, RTOP_BLOCKED, 100 * MS - held);
  for (uint32_t i = 2; i < 6; i++) {
    uint32_t thread = fixture_thread(&window, i, source == WAITS ? RTOP_WAITING : RTOP_BLOCKED, work, 0);
    bool collects = source == COLLECTS && i == 2;
    if (collects) fixture_cell(&window, thread, work, RTOP_MARKING, 60 * MS);
    fixture_cell(&window, thread, work, source == WAITS ? RTOP_WAITING : RTOP_BLOCKED, collects ? 40 * MS : 100 * MS);
  }
  rtop_window_set_counter(&window, RTOP_COUNTER_CPU_NS, source == COLLECTS ? held + 60 * MS : held);
  rtop_window_set_counter(&window, RTOP_COUNTER_RSS_BYTES, (source + 1) << 20);
  add_pieces(&window, orders, 0, source == SLOW ? 400 * MS : 40 * MS, 4);
  add_pieces(&window, orders_of_seven, 1, 5 * MS, 3); /* a part of these, by another key */
  assert_true(fixture_add(profile, source, &window));
  rtop_window_destroy(&window);
}

static int set_up(void **state)
{
  (void)state;
  profile = rtop_profile_create(64 << 20);
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  work = rtop_symbols_node(symbols, 0, fixture_frame(symbols, "Shop#order", "/shop.rb", 1), 1);
  orders = set_node(symbols, "endpoint=/orders");
  orders_of_seven = set_node(symbols, "endpoint=/orders,user=7");
  for (int at = 0; at < WINDOWS; at++)
    for (uint32_t source = 0; source < PROCESSES; source++) add_window(at, source);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  doctor_destroy(&doctor);
  rtop_profile_destroy(&profile);
  return 0;
}

static void look(const struct stalls *stalls, uint32_t sources)
{
  assert_true(doctor_update(&doctor, &(struct doctor_look){ profile, rtop_profile_last(profile, 0), stalls, sources }));
}

static void test_figures(void **state)
{
  (void)state;
  look(NULL, PROCESSES + 1);
  const struct doctor_process *waits = doctor_of(&doctor, WAITS), *well = doctor_of(&doctor, 0);
  assert_true(waits->held > 0.99 && well->held > 0.09 && well->held < 0.11);
  assert_true(waits->waiting > 3.99 && waits->waiting < 4.01 && well->waiting == 0);
  assert_true(waits->cores > 0.99 && well->cores > 0.09 && well->cores < 0.11);
  assert_true(doctor_of(&doctor, COLLECTS)->gc > 0.59 && doctor_of(&doctor, COLLECTS)->gc < 0.61);
  assert_int_equal(well->rss_bytes, 1 << 20);
  assert_int_equal(waits->verdict.kind, VERDICT_GVL);
  assert_int_equal(doctor_of(&doctor, COLLECTS)->verdict.kind, VERDICT_GC);
  assert_null(doctor_of(&doctor, PROCESSES));
  assert_null(doctor_of(&doctor, UINT32_MAX));
}

/* Every request once, by the label that took most time. */
static void test_work(void **state)
{
  (void)state;
  look(NULL, PROCESSES);
  for (uint32_t i = 0; i < PROCESSES; i++) {
    const struct doctor_process *process = doctor_of(&doctor, i);
    uint64_t truth = i == SLOW ? 400 * MS : 40 * MS;
    assert_int_equal(process->ended, 4 * WINDOWS);
    assert_true(process->p99_known && process->p99_ns > truth / 100 * 98 && process->p99_ns < truth / 100 * 102);
  }
}

static void test_trouble(void **state)
{
  (void)state;
  look(NULL, PROCESSES);
  double well = doctor_of(&doctor, 0)->trouble;
  assert_true(doctor_of(&doctor, COLLECTS)->trouble > well + 1);
  assert_true(doctor_of(&doctor, WAITS)->trouble > well + 1);
  assert_true(doctor_of(&doctor, SLOW)->trouble > well + 0.25);
  assert_true(doctor_of(&doctor, 2)->trouble == well);
  struct stall list[] = { { .source = 2, .cause = STALL_BLOCKED, .open = true },
                          { .source = 0, .cause = STALL_MARK, .open = true },
                          { .source = 99, .cause = STALL_BLOCKED, .open = true } };
  const struct stalls stalls = { .list = list, .count = 3 };
  look(&stalls, PROCESSES);
  assert_true(doctor_of(&doctor, 2)->stalls == 1 && doctor_of(&doctor, 2)->stalls_on);
  assert_int_equal(doctor_of(&doctor, 0)->stalls, 0);
  assert_true(doctor_of(&doctor, 2)->trouble > well + 0.9);
}

/* Places are given again, and what is not wanted any more is not told. */
static void test_fewer(void **state)
{
  (void)state;
  look(NULL, PROCESSES);
  look(NULL, 2);
  assert_non_null(doctor_of(&doctor, WAITS));
  assert_null(doctor_of(&doctor, COLLECTS));
  look(NULL, PROCESSES);
  assert_non_null(doctor_of(&doctor, COLLECTS));
  doctor_keep(&doctor, rtop_profile_symbols(profile));
}

#define DOCTOR_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
    DOCTOR_TEST(test_figures),
    DOCTOR_TEST(test_work),
    DOCTOR_TEST(test_trouble),
    DOCTOR_TEST(test_fewer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
