/* The time view: golden screens live, frozen, with a span, in a gap, zoomed. */
#include "screen_model.h"
#include "tui/screen.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <ncurses.h>

#define KEYS(...) (int[]){ __VA_ARGS__, 0 }
#define BASELINE 'b', '-', '2', '6', '\r', 'B', 'z'
#define SPAN '7', '{', 'm', '{', '{', 'm', '['

static const struct screen_case cases[] = {
  { .name = "time-80x24", .rows = 24, .columns = 80, .keys = KEYS('7') },
  { .name = "time-80x24-ascii", .rows = 24, .columns = 80, .ascii = true, .keys = KEYS('7') },
  { .name = "time-80x24-color", .rows = 24, .columns = 80, .attributes = true, .keys = KEYS('7') },
  { .name = "time-80x24-mono", .rows = 24, .columns = 80, .mono = true, .attributes = true,
    .keys = KEYS('7') },
  { .name = "time-80x24-c-locale", .rows = 24, .columns = 80, .c_locale = true, .keys = KEYS('7') },
  { .name = "time-160x50", .rows = 50, .columns = 160, .keys = KEYS('7') },
  { .name = "time-160x50-ascii", .rows = 50, .columns = 160, .ascii = true, .keys = KEYS('7') },
  { .name = "time-frozen-80x24", .rows = 24, .columns = 80, .keys = KEYS('7', '{', '{', '[') },
  { .name = "time-frozen-80x24-color", .rows = 24, .columns = 80, .attributes = true,
    .keys = KEYS('7', '{', '{', '[') },
  { .name = "time-frozen-80x24-mono", .rows = 24, .columns = 80, .mono = true, .attributes = true,
    .keys = KEYS('7', '{', '{', '[') },
  { .name = "time-frozen-160x50", .rows = 50, .columns = 160, .keys = KEYS('7', '{', '{', '[') },
  { .name = "time-span-80x24", .rows = 24, .columns = 80, .keys = KEYS(SPAN) },
  { .name = "time-span-80x24-mono", .rows = 24, .columns = 80, .mono = true, .attributes = true,
    .keys = KEYS(SPAN) },
  { .name = "time-span-160x50-ascii", .rows = 50, .columns = 160, .ascii = true, .keys = KEYS(SPAN) },
  { .name = "time-gap-80x24", .rows = 24, .columns = 80,
    .keys = KEYS('7', '-', 'b', '-', '5', '3', '\r') },
  { .name = "time-fine-80x24", .rows = 24, .columns = 80, .keys = KEYS('7', '+', '+', '+') },
  { .name = "time-all-80x24", .rows = 24, .columns = 80, .keys = KEYS('7', '-', '-', '-', '-') },
  { .name = "time-100x30", .rows = 30, .columns = 100, .keys = KEYS('7', '[') },
  { .name = "time-40x10", .rows = 10, .columns = 40, .keys = KEYS('7', '[') },
  { .name = "time-20x5", .rows = 5, .columns = 20, .keys = KEYS('7') },
  { .name = "baseline-methods-80x24", .rows = 24, .columns = 80, .keys = KEYS(BASELINE) },
  { .name = "baseline-methods-80x24-mono", .rows = 24, .columns = 80, .mono = true, .attributes = true,
    .keys = KEYS(BASELINE) },
  { .name = "baseline-methods-160x50", .rows = 50, .columns = 160, .keys = KEYS(BASELINE) },
  { .name = "baseline-all-160x50-ascii", .rows = 50, .columns = 160, .ascii = true, .keys = KEYS(BASELINE,
      'B') },
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

static void test_case(void **state)
{
  static struct ui ui;
  const struct screen_case *at = *state;
  struct rtop_profile *profile = model_profile();
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_non_null(out);
  model_screen_open(at, &ui, profile);
  screen_write_text(out);
  if (at->attributes) {
    screen_write_attributes(out);
  }
  model_screen_close(&ui, &profile);
  fclose(out);
  golden_check(at->name, text);
  free(text);
}

static struct ui ui;
static struct rtop_profile *profile;

/* The model's busy times are stalls when little waiting is one, and a program has set marks. */
static void open_with_stalls(const struct screen_case *at)
{
  const struct screen_case plain = { .rows = 24, .columns = 80, .keys = KEYS('7') };
  profile = model_profile();
  rtop_profile_add_mark(profile, 0, MODEL_END_NS - 12345000000, "deploy 注文", strlen("deploy 注文"));
  rtop_profile_add_mark(profile, 0, MODEL_END_NS - 60000000000, "cache \033[2J cleared", 19);
  struct screen_case as = at != NULL ? *at : plain;
  as.keys = NULL;
  model_screen_open(&as, &ui, profile);
  ui.stalls.limits.waiting = 1.5;
  do {
    ui_stalls_poll(&ui);
  } while (ui.stalls.more);
  for (int *key = at != NULL ? at->keys : plain.keys; *key != 0; key++) {
    model_press(&ui, *key);
  }
}

static const struct screen_case stall_cases[] = {
  { .name = "time-stalls-80x24", .rows = 24, .columns = 80, .keys = KEYS('7', 't', 'j', 'j', '\r') },
  { .name = "time-stalls-80x24-mono", .rows = 24, .columns = 80, .mono = true, .attributes = true,
    .keys = KEYS('7', 't', 'j', 'j', '\r') },
  { .name = "time-stalls-160x50-ascii", .rows = 50, .columns = 160, .ascii = true, .keys = KEYS('7', 't') },
  { .name = "time-stalls-40x10", .rows = 10, .columns = 40, .keys = KEYS('7', 't') },
  { .name = "time-mark-80x24", .rows = 24, .columns = 80, .keys = KEYS('7', '(', '(') },
};

static void test_stall_case(void **state)
{
  const struct screen_case *at = *state;
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  open_with_stalls(at);
  screen_write_text(out);
  if (at->attributes) {
    screen_write_attributes(out);
  }
  model_screen_close(&ui, &profile);
  fclose(out);
  golden_check(at->name, text);
  free(text);
}

static bool shows(const char *needle)
{
  char *text = model_screen_text();
  bool found = strstr(text, needle) != NULL;
  free(text);
  return found;
}

/* From the newest to the oldest and back: every stall and mark once, then it is said that there is no
 * other. */
static void test_jumps(void **state)
{
  (void)state;
  open_with_stalls(NULL);
  size_t count = ui.stalls.stalls.count, back = 0, forth = 0;
  assert_in_range(count, 6, 12);
  for (int64_t at = ui_time_cursor(&ui) + 1; ui_time_cursor(&ui) < at; back++) {
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
  assert_true(shows("waiting 4.9 s 1.8 threads") || shows("mark deploy") || shows("waiting"));
  model_screen_close(&ui, &profile);
}

/* The list's cursor stays on its stall, and goes there. */
static void test_list(void **state)
{
  (void)state;
  open_with_stalls(NULL);
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
  model_screen_close(&ui, &profile);
}

int main(void)
{
  enum { PLAIN = sizeof cases / sizeof cases[0], STALLS = sizeof stall_cases / sizeof stall_cases[0],
         COUNT = PLAIN + STALLS + 2 };
  struct CMUnitTest tests[COUNT];
  for (size_t i = 0; i < STALLS; i++) {
    tests[PLAIN + i] = (struct CMUnitTest){ stall_cases[i].name, test_stall_case, NULL, NULL,
                                            (void *)(uintptr_t)&stall_cases[i] };
  }
  tests[COUNT - 2] = (struct CMUnitTest)cmocka_unit_test(test_jumps);
  tests[COUNT - 1] = (struct CMUnitTest)cmocka_unit_test(test_list);
  for (size_t i = 0; i < PLAIN; i++) {
    tests[i] = (struct CMUnitTest){ cases[i].name, test_case, NULL, NULL, (void *)(uintptr_t)&cases[i] };
  }
  return _cmocka_run_group_tests("screens of the time view", tests, COUNT, NULL, NULL);
}
