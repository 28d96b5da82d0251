#include "tui/term/draw.h"
#include "tui/term/screen.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <ncurses.h>

static char *screen_now(void)
{
  static char copy[4096];
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  screen_write_text(out);
  fclose(out);
  snprintf(copy, sizeof copy, "%s", text);
  free(text);
  return copy;
}

static int open_screen(void **state)
{
  struct screen_options look = { 0 };
  (void)state;
  setenv("LC_ALL", "C.UTF-8", 1);
  return screen_open_headless(&look, 4, 20);
}

static int close_screen(void **state)
{
  (void)state;
  screen_close();
  return 0;
}

static void test_text_is_cut(void **state)
{
  (void)state;
  assert_int_equal(draw_text(0, 0, 5, FACE_NORMAL, "abcdefgh"), 5);
  assert_int_equal(draw_tail(1, 0, 5, FACE_NORMAL, "abcdefgh"), 5);
  draw_right(2, 0, 5, FACE_NORMAL, "xy");
  assert_int_equal(draw_text(3, 17, 50, FACE_NORMAL, "abcdefgh"), 3); /* never beyond the screen */
  assert_string_equal(screen_now(), "abcd~\n~efgh\n   xy\n                 ab~\n");
}

static void test_wide_text_is_not_halved(void **state)
{
  (void)state;
  assert_int_equal(draw_text(0, 0, 4, FACE_NORMAL, "合計額"), 3);
  assert_int_equal(draw_tail(1, 0, 4, FACE_NORMAL, "合計額"), 3);
  assert_string_equal(screen_now(), "合~\n~額\n\n\n");
}

static void test_nothing_outside(void **state)
{
  (void)state;
  assert_int_equal(draw_text(9, 0, 5, FACE_NORMAL, "x"), 0);
  assert_int_equal(draw_text(0, 20, 5, FACE_NORMAL, "x"), 0);
  assert_int_equal(draw_text(-1, 0, 5, FACE_NORMAL, "x"), 0);
  assert_int_equal(draw_text(0, 0, 0, FACE_NORMAL, "x"), 0);
  assert_int_equal(draw_text(0, 0, -3, FACE_NORMAL, "x"), 0);
  draw_blank(0, 0, -1, FACE_NORMAL);
  assert_string_equal(screen_now(), "\n\n\n\n");
}

static void test_names_without_utf8(void **state)
{
  (void)state;
  draw_charset(false, false);
  assert_true(draw_is_ascii());
  draw_text(0, 0, 10, FACE_NORMAL, "é合#x");
  draw_charset(false, true);
  assert_false(draw_is_ascii());
  assert_string_equal(screen_now(), "??#x\n\n\n\n");
}

static void test_bars(void **state)
{
  struct draw_segment parts[] = { { 0.5, RTOP_STATE_RUNNING },
                                  { 0.25, RTOP_STATE_WAITING },
                                  { 0.25, RTOP_STATE_BLOCKED } };
  struct draw_segment small[] = { { 0.001, RTOP_STATE_MARKING }, { 0.0, RTOP_STATE_SWEEPING } };
  struct draw_segment large[] = { { 0.9, RTOP_STATE_RUNNING }, { 7.0, RTOP_STATE_WAITING } };
  struct draw_segment wrong[] = { { -1, RTOP_STATE_RUNNING } };
  (void)state;
  draw_bar(0, 0, 8, parts, 3);
  draw_bar(1, 0, 8, small, 2);
  draw_bar(2, 0, 10, large, 2);
  draw_bar(3, 0, 10, wrong, 1);
  assert_string_equal(screen_now(), "||||::..\n#\n|||||||||:\n\n");
}

static void test_levels(void **state)
{
  static const double shares[] = { -1, 0, 0.15, 0.3, 0.45, 0.55, 0.7, 0.85, 1, 99 };
  (void)state;
  for (int i = 0; i < 10; i++) draw_level(0, i, FACE_STRIP, shares[i]);
  draw_charset(true, true);
  for (int i = 0; i < 10; i++) draw_level(1, i, FACE_STRIP, shares[i]);
  draw_level(2, 0, FACE_STRIP, 0.0 / 0.0 * 1.0);
  draw_charset(false, true);
  assert_string_equal(screen_now(), " ▁▂▃▄▅▆▇██\n _...::###\n\n\n");
}

static void test_figures(void **state)
{
  static const struct {
    uint64_t ns;
    const char *text;
  } times[] = {
    { 0, "0" },
    { 1, "0us" },
    { 999400, "999us" },
    { 999500, "1ms" },
    { 412000000, "412ms" },
    { 999499999, "999ms" },
    { 999500000, "1.00s" },
    { 9990000000, "9.99s" },
    { 12300000000, "12.3s" },
    { 60000000000, "1m00s" },
    { 134000000000, "2m14s" },
    { 8040000000000, "2h14m" },
    { UINT64_MAX, "99999h" },
  };
  static const struct {
    double percent;
    const char *text;
  } percents[] = {
    { 0, "0.0" },         { 38.24, "38.2" }, { 99.95, "100.0" }, { 6400, "6400.0" },
    { 12345.6, "12346" }, { -3, "0.0" },     { 1e12, "999999" },
  };
  (void)state;
  char text[32];
  for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
    draw_time(text, sizeof text, times[i].ns);
    assert_string_equal(text, times[i].text);
  }
  for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
    draw_percent(text, sizeof text, percents[i].percent);
    assert_string_equal(text, percents[i].text);
  }
}

static void test_pictures(void **state)
{
  char *svg = NULL;
  size_t bytes = 0;
  (void)state;
  draw_text(0, 0, 20, FACE_CURSOR, "a <b> & \"c\"  d");
  draw_level(1, 0, FACE_STRIP, 1);
  draw_text(2, 0, 3, FACE_MESSAGE, "lit");
  FILE *out = open_memstream(&svg, &bytes);
  screen_write_svg(out, true);
  fclose(out);
  assert_non_null(strstr(svg, "<svg xmlns="));
  assert_non_null(strstr(svg, "a &lt;b&gt; &amp; \"c\"</text>"));
  assert_non_null(strstr(svg, ">d</text>"));
  assert_non_null(strstr(svg, "height=\"19.00\""));
  const char *lit = strstr(svg, ">lit</text>");
  assert_non_null(lit);
  while (strncmp(lit, "<text", 5) != 0) lit--;
  assert_non_null(strstr(lit, "#1b1e24")); /* reversed: dark on light */
  assert_string_equal(svg + strlen(svg) - 7, "</svg>\n");
  free(svg);
}

/* What fills a cell brings a text colour that can be read on it: the dark ground of the picture does not lift it. */
static void test_pictures_of_filled_cells(void **state)
{
  char *svg = NULL;
  size_t bytes = 0;
  char wanted[32];
  int foreground, background;
  (void)state;
  theme_init(THEME_8);
  theme_rgb(FACE_HEAT_2, &foreground, &background);
  snprintf(wanted, sizeof wanted, "fill=\"#%06x\"", (unsigned)foreground);
  draw_text(0, 0, 20, FACE_HEAT_2, "filled");
  FILE *out = open_memstream(&svg, &bytes);
  screen_write_svg(out, true);
  fclose(out);
  const char *text = strstr(svg, ">filled</text>");
  assert_non_null(text);
  while (strncmp(text, "<text", 5) != 0) text--;
  assert_non_null(strstr(text, wanted));
  free(svg);
}

#define SCREEN_TEST(test) cmocka_unit_test_setup_teardown(test, open_screen, close_screen)

int main(void)
{
  const struct CMUnitTest tests[] = {
    SCREEN_TEST(test_text_is_cut),
    SCREEN_TEST(test_wide_text_is_not_halved),
    SCREEN_TEST(test_nothing_outside),
    SCREEN_TEST(test_names_without_utf8),
    SCREEN_TEST(test_bars),
    SCREEN_TEST(test_levels),
    cmocka_unit_test(test_figures),
    SCREEN_TEST(test_pictures),
    SCREEN_TEST(test_pictures_of_filled_cells),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
