/* The time view: golden screens live, frozen, with a span, in a gap, zoomed. */
#include "tests/tui/screen_fixture.h"

#define BASELINE 'b', '-', '2', '6', '\r', 'B', 'z'
#define SPAN '7', '{', 'm', '{', '{', 'm', '['

static const struct screen_case cases[] = {
  { .name = "time-80x24", .rows = 24, .columns = 80, .keys = KEYS('7') },
  { .name = "time-80x24-ascii", .rows = 24, .columns = 80, .ascii = true, .keys = KEYS('7') },
  { .name = "time-80x24-color", .rows = 24, .columns = 80, .attributes = true, .keys = KEYS('7') },
  { .name = "time-80x24-mono", .rows = 24, .columns = 80, .mono = true, .attributes = true, .keys = KEYS('7') },
  { .name = "time-80x24-c-locale", .rows = 24, .columns = 80, .c_locale = true, .keys = KEYS('7') },
  { .name = "time-160x50", .rows = 50, .columns = 160, .keys = KEYS('7') },
  { .name = "time-160x50-ascii", .rows = 50, .columns = 160, .ascii = true, .keys = KEYS('7') },
  { .name = "time-frozen-80x24", .rows = 24, .columns = 80, .keys = KEYS('7', '{', '{', '[') },
  { .name = "time-frozen-80x24-color",
    .rows = 24,
    .columns = 80,
    .attributes = true,
    .keys = KEYS('7', '{', '{', '[') },
  { .name = "time-frozen-80x24-mono",
    .rows = 24,
    .columns = 80,
    .mono = true,
    .attributes = true,
    .keys = KEYS('7', '{', '{', '[') },
  { .name = "time-frozen-160x50", .rows = 50, .columns = 160, .keys = KEYS('7', '{', '{', '[') },
  { .name = "time-span-80x24", .rows = 24, .columns = 80, .keys = KEYS(SPAN) },
  { .name = "time-span-80x24-mono", .rows = 24, .columns = 80, .mono = true, .attributes = true, .keys = KEYS(SPAN) },
  { .name = "time-span-160x50-ascii", .rows = 50, .columns = 160, .ascii = true, .keys = KEYS(SPAN) },
  { .name = "time-gap-80x24", .rows = 24, .columns = 80, .keys = KEYS('7', '-', 'b', '-', '5', '3', '\r') },
  { .name = "time-fine-80x24", .rows = 24, .columns = 80, .keys = KEYS('7', '+', '+', '+') },
  { .name = "time-all-80x24", .rows = 24, .columns = 80, .keys = KEYS('7', '-', '-', '-', '-') },
  { .name = "time-100x30", .rows = 30, .columns = 100, .keys = KEYS('7', '[') },
  { .name = "time-40x10", .rows = 10, .columns = 40, .keys = KEYS('7', '[') },
  { .name = "time-20x5", .rows = 5, .columns = 20, .keys = KEYS('7') },
  { .name = "baseline-methods-80x24", .rows = 24, .columns = 80, .keys = KEYS(BASELINE) },
  { .name = "baseline-methods-80x24-mono",
    .rows = 24,
    .columns = 80,
    .mono = true,
    .attributes = true,
    .keys = KEYS(BASELINE) },
  { .name = "baseline-methods-160x50", .rows = 50, .columns = 160, .keys = KEYS(BASELINE) },
  { .name = "baseline-all-160x50-ascii", .rows = 50, .columns = 160, .ascii = true, .keys = KEYS(BASELINE, 'B') },
  { .name = "baseline-by-delta", .rows = 24, .columns = 80, .keys = KEYS(BASELINE, '>', 'I') },
  { .name = "baseline-tree", .rows = 24, .columns = 80, .keys = KEYS(BASELINE, '2') },
  { .name = "baseline-tree-all", .rows = 24, .columns = 80, .keys = KEYS(BASELINE, 'B', '2') },
  { .name = "baseline-callers", .rows = 24, .columns = 80, .keys = KEYS(BASELINE, '2', 'i') },
  { .name = "baseline-threads", .rows = 24, .columns = 80, .keys = KEYS(BASELINE, '3') },
  { .name = "baseline-threads-all", .rows = 50, .columns = 160, .keys = KEYS(BASELINE, 'B', '3') },
  { .name = "baseline-icicle", .rows = 24, .columns = 80, .ascii = true, .keys = KEYS(BASELINE, '4') },
  { .name = "baseline-skyline", .rows = 24, .columns = 80, .keys = KEYS(BASELINE, '6') },
  { .name = "baseline-groups", .rows = 24, .columns = 80, .keys = KEYS(BASELINE, '8') },
  { .name = "baseline-time", .rows = 24, .columns = 80, .keys = KEYS(BASELINE, '7') },
  { .name = "time-19x4", .rows = 4, .columns = 19, .keys = KEYS('7') },
};

/* The model's busy times are stalls when little waiting is one, and a program has set marks. */
static void open_with_stalls(const struct screen_case *at)
{
  profile = model_profile();
  rtop_profile_add_mark(profile, 0, MODEL_END_NS - 12345000000, "deploy 注文", strlen("deploy 注文"));
  rtop_profile_add_mark(profile, 0, MODEL_END_NS - 60000000000, "cache \033[2J cleared", 19);
  struct screen_case as = *at;
  as.keys = NULL;
  open_case(&as, profile);
  ui.stalls.limits.waiting = 1.5;
  do {
    ui_stalls_poll(&ui);
  } while (ui.stalls.more);
  for (int *key = at->keys; *key != 0; key++) model_press(&ui, *key);
}

static const struct screen_case stall_cases[] = {
  { .name = "time-stalls-80x24", .rows = 24, .columns = 80, .keys = KEYS('7', 't', 'j', 'j', '\r') },
  { .name = "time-stalls-80x24-mono",
    .rows = 24,
    .columns = 80,
    .mono = true,
    .attributes = true,
    .keys = KEYS('7', 't', 'j', 'j', '\r') },
  { .name = "time-stalls-160x50-ascii", .rows = 50, .columns = 160, .ascii = true, .keys = KEYS('7', 't') },
  { .name = "time-stalls-40x10", .rows = 10, .columns = 40, .keys = KEYS('7', 't') },
  { .name = "time-mark-80x24", .rows = 24, .columns = 80, .keys = KEYS('7', '(', '(') },
};

static void test_stall_case(void **state)
{
  open_with_stalls(*state);
  close_and_check(*state);
}

static int open_view(void **state)
{
  const struct screen_case plain = { .rows = 24, .columns = 80, .keys = KEYS('7') };
  (void)state;
  open_with_stalls(&plain);
  return 0;
}

/* From the last one to the oldest and back: every stall and mark once, then it is said that there is no
 * other. */
static void test_jumps(void **state)
{
  (void)state;
  size_t count = ui.stalls.stalls.count, back = 0, forth = 0;
  assert_in_range(count, 6, 12);
  model_press(&ui, '('); /* to what harmed most, and what came after it */
  for (int64_t at = 0; ui_time_cursor(&ui) > at;) {
    at = ui_time_cursor(&ui);
    model_press(&ui, ')');
  }
  back++;
  for (int64_t at = INT64_MAX; ui_time_cursor(&ui) < at; back++) {
    at = ui_time_cursor(&ui);
    model_press(&ui, '(');
  }
  assert_true(ui.frozen && shows("no earlier stall or mark"));
  for (int64_t at = 0; ui_time_cursor(&ui) > at; forth++) {
    at = ui_time_cursor(&ui);
    model_press(&ui, ')');
  }
  assert_true(shows("no later stall or mark"));
  assert_int_equal(back - 1, count);
  assert_in_range(forth, back - 2, back);
  model_press(&ui, '1');
  model_press(&ui, '(');
  assert_true(shows("waited for the GVL") || shows("mark deploy"));
}

/* The list's cursor stays on its stall, and goes there. */
static void test_list(void **state)
{
  (void)state;
  model_press(&ui, 't');
  assert_true(shows("CULPRIT") && shows("mark          "));
  model_press(&ui, 'G');
  model_press(&ui, '\r');
  int64_t oldest_ns = ui_time_cursor(&ui);
  assert_true(ui.frozen && oldest_ns < MODEL_END_NS - 60 * INT64_C(1000000000));
  model_press(&ui, 'k');
  model_press(&ui, '\r');
  assert_true(ui_time_cursor(&ui) > oldest_ns);
  assert_null(strchr(ui.message, 27));
  model_press(&ui, 't');
  assert_true(shows("SELF%v"));
}

/* What is known of a stall only after it was gone to: who else is to blame, as long as the selection was left alone. */
static void test_culprit_known_later(void **state)
{
  (void)state;
  model_press(&ui, '(');
  struct stall *stall = stalls_find(&ui.stalls.stalls, ui.stalls.id);
  for (int i = 0; i < 20 && stall && stall->frame == 0; i++) {
    model_press(&ui, '(');
    stall = stalls_find(&ui.stalls.stalls, ui.stalls.id);
  }
  if (!stall || stall->frame == 0) {
    fail_msg("no stall has a culprit");
    return;
  }
  uint32_t before = stall->frame, after = before == 1 ? 2 : 1;
  assert_int_equal(ui.selected, before);
  stall->frame = after;
  ui_stalls_poll(&ui);
  assert_int_equal(ui.selected, after);
  assert_true(ui.stalls.seek);
  assert_non_null(strstr(ui.message, rtop_symbols_get(rtop_profile_symbols(ui.profile), after)->label));
  ui.selected = before;
  stalls_find(&ui.stalls.stalls, ui.stalls.id)->frame = before == 3 ? 4 : 3;
  ui_stalls_poll(&ui);
  assert_int_equal(ui.selected, before);
}

int main(void)
{
  const struct CMUnitTest keys[] = {
    cmocka_unit_test_setup_teardown(test_culprit_known_later, open_view, tear_down),
    cmocka_unit_test_setup_teardown(test_jumps, open_view, tear_down),
    cmocka_unit_test_setup_teardown(test_list, open_view, tear_down),
  };
  enum {
    PLAIN = sizeof cases / sizeof cases[0],
    CASES = PLAIN + sizeof stall_cases / sizeof stall_cases[0],
    ALL = CASES + sizeof keys / sizeof keys[0]
  };
  struct CMUnitTest tests[ALL];
  add_cases(tests, cases, PLAIN, test_case);
  add_cases(tests + PLAIN, stall_cases, CASES - PLAIN, test_stall_case);
  memcpy(tests + CASES, keys, sizeof keys);
  return _cmocka_run_group_tests("screens of the time view", tests, ALL, NULL, NULL);
}
