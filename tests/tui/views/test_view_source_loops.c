/* Which lines are counted on the line of a loop. */
#include "tui/ui/ui.h"
#include "tui/views/view_source.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static struct source_view view;
static struct heat_line lines[32];

static void heat(uint32_t count, const uint32_t *hot)
{
  view.heat.lines = lines;
  view.heat.count = count;
  view.heat.file_ns = 1000;
  for (uint32_t i = 0; i < count; i++) lines[i] = (struct heat_line){ .line = hot[i], .self_ns = 200 };
  source_view_find_loops(&view);
}

static int open_file(void **state)
{
  (void)state;
  memset(&view, 0, sizeof view);
  source_file_open(&view.file, 0, geteuid(), "tests/tui/sources/loops.rb");
  return view.file.state != SOURCE_READY;
}

static int close_file(void **state)
{
  (void)state;
  source_file_close(&view.file);
  return 0;
}

static void test_bodies(void **state)
{
  (void)state;
  heat(2, (uint32_t[]){ 2, 4 });
  assert_int_equal(view.loop_count, 2);
  static const uint32_t wanted[] = { 0, 0, 0, 2, 2, 4, 4, 4, 4, 4, 2, 0, 0, 0 };
  for (uint32_t line = 1; line < sizeof wanted / sizeof wanted[0]; line++)
    assert_int_equal(source_view_loop(&view, line), wanted[line]);
}

/* Its time is on the line of its condition, as that of any loop: below. */
static void test_bodies_before_their_condition(void **state)
{
  (void)state;
  heat(2, (uint32_t[]){ 25, 26 });
  assert_int_equal(view.loop_count, 2);
  static const uint32_t wanted[] = { 0, 0, 26, 26, 25, 26, 0, 0 };
  for (uint32_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
    assert_int_equal(source_view_loop(&view, 20 + i), wanted[i]);
  heat(1, (uint32_t[]){ 30 }); /* not of a loop */
  assert_int_equal(view.loop_count, 0);
}

/* Neither loops on one line, nor what only looks like one, nor one whose end is not found. */
static void test_no_loops(void **state)
{
  (void)state;
  heat(7, (uint32_t[]){ 1, 3, 12, 13, 14, 15, 16 });
  assert_int_equal(view.loop_count, 0);
}

/* What is next to nothing of the file is not worth a word; without the file there are no words. */
static void test_cold_ones(void **state)
{
  (void)state;
  heat(1, (uint32_t[]){ 2 });
  assert_int_equal(view.loop_count, 1);
  lines[0].self_ns = 9;
  source_view_find_loops(&view);
  assert_int_equal(view.loop_count, 0);
  lines[0].self_ns = 0;
  view.heat.file_ns = 0;
  source_view_find_loops(&view);
  assert_int_equal(view.loop_count, 0);
  lines[0] = (struct heat_line){ .line = 100000, .self_ns = 5 };
  source_view_find_loops(&view);
  assert_int_equal(view.loop_count, 0);
  source_file_close(&view.file);
  lines[0].line = 2;
  source_view_find_loops(&view);
  assert_int_equal(view.loop_count, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_file, close_file)
  const struct CMUnitTest tests[] = { TEST(test_bodies), TEST(test_bodies_before_their_condition), TEST(test_no_loops),
                                      TEST(test_cold_ones) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
