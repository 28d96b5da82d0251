#include "tests/tui/screen_model.h"
#include "tui/tables/history.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const struct history_look wall = { .mode = RTOP_MODE_WALL };

static bool near(double a, double b)
{
  return fabs(a - b) < 0.01;
}

static uint32_t frame_named(struct rtop_profile *profile, const char *label)
{
  const struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  for (uint32_t i = 0; i < rtop_symbols_frame_count(symbols); i++)
    if (strcmp(rtop_symbols_get(symbols, i)->label, label) == 0) return i;
  fail_msg("no frame %s", label);
  return 0;
}

static int fill(struct history *history, struct rtop_profile *profile, const struct history_look *look)
{
  int turns = 1;
  while (history_update(history, profile, MODEL_END_NS, look)) turns++;
  return turns;
}

static void test_cells(void **state)
{
  struct history history = { 0 };
  struct rtop_profile *profile = model_profile();
  double shares[HISTORY_CELLS];
  (void)state;
  int turns = fill(&history, profile, &wall);
  assert_true(turns >= HISTORY_CELLS - 2 && turns <= HISTORY_CELLS);
  history_get(&history, MODEL_END_NS, frame_named(profile, "Queue#pop"), shares);
  for (int i = 0; i < HISTORY_CELLS - 1; i++) assert_true(near(shares[i], 1.9));
  history_get(&history, MODEL_END_NS, 100000, shares); /* a frame that came later */
  assert_true(shares[HISTORY_CELLS - 2] == 0);
  /* The next cells come one by one, and what is not known is not guessed. */
  history_get(&history, MODEL_END_NS + 3 * HISTORY_CELL_NS, 1, shares);
  assert_true(shares[HISTORY_CELLS - 2] < 0 && shares[0] >= 0);
  history_destroy(&history);
  rtop_profile_destroy(&profile);
}

static void leave_one(const void *name, struct rtop_sum *sum)
{
  for (size_t i = 0; i < sum->thread_count; i++) sum->threads[i].hidden = strcmp(sum->threads[i].name, name) != 0;
}

/* The clock and the threads that the table counts are those of its history. */
static void test_what_is_counted(void **state)
{
  struct history history = { 0 };
  struct rtop_profile *profile = model_profile();
  struct history_look look = wall;
  double shares[HISTORY_CELLS];
  uint32_t pop = frame_named(profile, "Queue#pop");
  (void)state;
  fill(&history, profile, &look);
  look = (struct history_look){ .mode = RTOP_MODE_WALL, .key = 1, .narrow = leave_one, .context = "main" };
  assert_true(fill(&history, profile, &look) > 1); /* another key: all cells are made again */
  history_get(&history, MODEL_END_NS, pop, shares);
  assert_true(near(shares[4], 0.9));
  look = (struct history_look){ .mode = RTOP_MODE_CPU };
  fill(&history, profile, &look);
  history_get(&history, MODEL_END_NS, pop, shares);
  assert_true(shares[4] < 0.01);
  history_destroy(&history);
  rtop_profile_destroy(&profile);
}

/* What flared up within the minute is found, and what is told of is shown. */
static void test_peak(void **state)
{
  struct history history = { 0 };
  struct rtop_profile *profile = model_profile();
  double shares[HISTORY_CELLS], most = 0;
  uint32_t frame = frame_named(profile, "JSON::Ext::Generator#generate");
  (void)state;
  assert_true(history_peak(&history, MODEL_END_NS, frame, 0.25) == 0.25);
  fill(&history, profile, &wall);
  history_get(&history, MODEL_END_NS, frame, shares);
  for (int i = 0; i < HISTORY_CELLS - 1; i++) most = shares[i] > most ? shares[i] : most;
  assert_true(most > 0.1 && most < 2);
  assert_true(near(history_peak(&history, MODEL_END_NS, frame, 0), most));
  assert_true(history_peak(&history, MODEL_END_NS, frame, 2) == 2); /* it is highest just now */
  /* A minute later nothing of it is shown any more. */
  assert_true(history_peak(&history, MODEL_END_NS + HISTORY_CELLS * HISTORY_CELL_NS, frame, 0) == 0);
  struct rtop_method_row rows[] = { { .frame = frame }, { .frame = frame, .self_ns = 3000000000 } };
  struct rtop_methods methods = { .rows = rows, .count = 2, .length_ns = 1000000000 };
  history_peaks(&history, MODEL_END_NS, &methods);
  assert_true(near(rows[0].history, most) && rows[1].history == 3);
  history_destroy(&history);
  rtop_profile_destroy(&profile);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_cells),
    cmocka_unit_test(test_what_is_counted),
    cmocka_unit_test(test_peak),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
