#include "tui/term/draw.h"
#include "tui/term/screen.h"
#include "tui/term/theme.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static void test_choice(void **state)
{
  static const struct {
    int wanted;
    const char *no_color;
    int colors, pairs;
    enum theme_palette palette;
  } table[] = {
    { 0, NULL, 256, 65536, THEME_256 }, { 0, NULL, 8, 64, THEME_8 },     { 0, NULL, 0, 0, THEME_MONO },
    { 0, NULL, 2, 64, THEME_MONO },     { 0, NULL, 256, 8, THEME_MONO }, { 0, "1", 256, 65536, THEME_MONO },
    { 0, "", 256, 65536, THEME_256 },   { 0, "0", 8, 64, THEME_MONO },   { -1, NULL, 256, 65536, THEME_MONO },
    { 1, "1", 256, 65536, THEME_256 },  { 1, NULL, 0, 0, THEME_MONO },
  };
  (void)state;
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    assert_int_equal(theme_choose(table[i].wanted, table[i].no_color, table[i].colors, table[i].pairs),
                     table[i].palette);
  }
}

static void open_screen(const char *no_color, int color)
{
  struct screen_options look = { .color = color };
  setenv("LC_ALL", "C.UTF-8", 1);
  no_color != NULL ? setenv("NO_COLOR", no_color, 1) : unsetenv("NO_COLOR");
  assert_int_equal(screen_open_headless(&look, 24, 80), 0);
}

static void test_mono_has_no_pairs(void **state)
{
  (void)state;
  open_screen("yes", 0);
  for (int face = 0; face < FACE_COUNT; face++) assert_int_equal(PAIR_NUMBER(theme_attr((enum face)face)), 0);
  assert_true((theme_attr(FACE_CURSOR) & A_REVERSE) != 0);
  assert_true((theme_attr(FACE_MATCH) & (A_BOLD | A_UNDERLINE)) != 0);
  screen_close();
}

static double luminance(int rgb)
{
  double part[3];
  for (int i = 0; i < 3; i++) {
    double value = (rgb >> (8 * (2 - i)) & 0xff) / 255.0;
    part[i] = value <= 0.03928 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
  }
  return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
}

/* What fills a cell brings its own text colour, which can be read on it (WCAG; less in eight colours, that every
 * terminal makes its own). */
static void check_filled(short face, double least)
{
  int foreground, background;
  theme_rgb(face, &foreground, &background);
  assert_true(foreground >= 0 && background >= 0);
  double a = luminance(foreground) + 0.05, b = luminance(background) + 0.05;
  assert_true((a > b ? a / b : b / a) >= least);
}

/* How well a face is read on a ground; what is reversed has the ground for its text. 21: in the terminal's own colour. */
static double contrast_on(enum face face, int ground)
{
  int foreground, background;
  theme_rgb((short)face, &foreground, &background);
  if (foreground < 0) return 21;
  double a = luminance(foreground) + 0.05, b = luminance(ground) + 0.05;
  return a > b ? a / b : b / a;
}

/* Pictures: bars, lanes, signs. */
static bool is_graphic(enum face face)
{
  return face >= FACE_RUN && face <= FACE_STRIP;
}

/* Headings, the selected row, keys of the footer, labels, places, what is dim, the verdict: WCAG's 4.5 as nearly as the
 * 256 colours come to it on black and on white at once (4.3; what is bold: 3.9), on the ground that a theme is made for in
 * full. Pictures 3, and so everything in eight colours, that every terminal makes its own. */
static void check_face(enum theme_name theme, enum theme_palette palette, enum face face)
{
  const int black = 0x000000, white = 0xffffff;
  bool bold = (theme_attr(face) & A_BOLD) != 0;
  double text = theme != THEME_DEFAULT ? 4.5 : bold ? 3.9 : 4.3, least = is_graphic(face) ? 3 : text;
  if (palette == THEME_8) least = 3;
  double on_black = contrast_on(face, black), on_white = contrast_on(face, white);
  bool dark = theme != THEME_LIGHT, light = theme == THEME_LIGHT || (theme == THEME_DEFAULT && palette == THEME_256);
  if ((dark && on_black < least) || (light && on_white < least))
    fail_msg("theme %s, palette %d, face %d: %.2f on black, %.2f on white", theme_name_text(theme), palette, face,
             on_black, on_white);
}

static void test_text_can_be_read(void **state)
{
  (void)state;
  open_screen(NULL, 0);
  for (int at = 0; at < 2 * THEME_NAMES; at++) {
    enum theme_palette palette = at % 2 == 0 ? THEME_8 : THEME_256;
    theme_init(palette);
    theme_use((enum theme_name)(at / 2));
    for (short face = 1; face < FACE_FILL_RUN && at / 2 != THEME_NONE; face++)
      check_face((enum theme_name)(at / 2), palette, (enum face)face);
  }
  theme_use(THEME_DEFAULT);
  screen_close();
}

static int apart_in_color(short a, short b)
{
  int rgb_a, rgb_b, ignored, sum = 0;
  theme_rgb(a, &rgb_a, &ignored);
  theme_rgb(b, &rgb_b, &ignored);
  for (int shift = 0; shift < 24; shift += 8) sum += abs((rgb_a >> shift & 255) - (rgb_b >> shift & 255));
  return sum;
}

/* Rows that lie next to each other look different: heading, the column sorted by, the selected row; the states. */
static void test_neighbours_differ(void **state)
{
  static const enum face pairs[][2] = {
    { FACE_HEADING, FACE_CURSOR }, { FACE_HEADING, FACE_HEADING_SORT },
    { FACE_RUN, FACE_WAIT },       { FACE_RUN, FACE_BLOCKED },
    { FACE_WAIT, FACE_BLOCKED },   { FACE_WAIT, FACE_MARK },
    { FACE_BLOCKED, FACE_MARK },   { FACE_C, FACE_MARK },
    { FACE_GOOD, FACE_WARN },
  };
  (void)state;
  open_screen(NULL, 0);
  for (int at = 0; at < 2 * THEME_NAMES; at++) {
    theme_init(at % 2 == 0 ? THEME_8 : THEME_256);
    theme_use((enum theme_name)(at / 2));
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0] && at / 2 != THEME_NONE; i++)
      if (apart_in_color((short)pairs[i][0], (short)pairs[i][1]) < 60)
        fail_msg("theme %d: faces %d and %d are alike", at, pairs[i][0], pairs[i][1]);
  }
  theme_use(THEME_DEFAULT);
  screen_close();
}

/* Readable on light and on dark: no background of our own but in filled cells (in eight colours those by heat), nothing black, nothing bright black. */
static void test_palettes_keep_the_ground(void **state)
{
  (void)state;
  open_screen(NULL, 0);
  for (int at = 0; at < 2 * THEME_NAMES; at++) {
    theme_init(at % 2 == 0 ? THEME_8 : THEME_256);
    theme_use((enum theme_name)(at / 2));
    for (short face = 1; face < FACE_COUNT; face++) {
      short foreground = 0, background = 0;
      if (face >= (at % 2 == 0 ? FACE_HEAT_0 : FACE_FILL_RUN) && face <= FACE_HEAT_4) {
        check_filled(face, at % 2 == 0 ? 3 : 4.5);
        continue;
      }
      assert_int_equal(pair_content(face, &foreground, &background), OK);
      assert_int_equal(background, -1);
      assert_true(foreground != COLOR_BLACK && foreground != 8 && foreground != COLOR_WHITE && foreground != 15);
    }
  }
  theme_use(THEME_DEFAULT);
  screen_close();
}

/* The mono theme has no colours even where there could be some; the way back is open. */
static void test_themes_change_at_once(void **state)
{
  enum theme_name name;
  (void)state;
  open_screen(NULL, 0);
  attr_t usual = theme_attr(FACE_RUN);
  assert_true(PAIR_NUMBER(usual) > 0);
  theme_use(THEME_NONE);
  for (int face = 0; face < FACE_COUNT; face++) assert_int_equal(PAIR_NUMBER(theme_attr((enum face)face)), 0);
  theme_use(THEME_DEFAULT);
  assert_int_equal(theme_attr(FACE_RUN), usual);
  for (int i = 0; i < THEME_NAMES; i++) {
    assert_true(theme_name_parse(theme_name_text((enum theme_name)i), &name));
    assert_int_equal(name, i);
  }
  assert_false(theme_name_parse("solarized", &name));
  assert_false(theme_name_parse("", &name));
  screen_close();
}

/* How far apart two colours are for an eye without red or without green cones: yellow-blue and lightness
 * are what is left. */
static int distance(short a, short b)
{
  int rgb_a, rgb_b, ignored;
  theme_rgb(a, &rgb_a, &ignored);
  theme_rgb(b, &rgb_b, &ignored);
  int yellow_a = ((rgb_a >> 16 & 255) + (rgb_a >> 8 & 255)) / 2, blue_a = rgb_a & 255;
  int yellow_b = ((rgb_b >> 16 & 255) + (rgb_b >> 8 & 255)) / 2, blue_b = rgb_b & 255;
  return abs(yellow_a - yellow_b) + abs(blue_a - blue_b);
}

static void test_blue_does_not_lean_on_red_and_green(void **state)
{
  (void)state;
  open_screen(NULL, 0);
  theme_use(THEME_BLUE);
  assert_true(distance(FACE_RUN, FACE_WAIT) > 150);
  assert_true(distance(FACE_BLOCKED, FACE_WAIT) > 100);
  assert_true(distance(FACE_RUN, FACE_MARK) > 150);
  assert_true(distance(FACE_GOOD, FACE_WARN) > 150);
  theme_use(THEME_DEFAULT);
  screen_close();
}

/* The states of a thread are told apart by glyph, whatever the colours. */
static void test_states_have_their_own_glyph(void **state)
{
  (void)state;
  for (int a = 0; a < RTOP_STATES; a++) {
    assert_true(draw_state_glyph((enum rtop_state)a) > ' ');
    for (int b = 0; b < a; b++)
      assert_int_not_equal(draw_state_glyph((enum rtop_state)a), draw_state_glyph((enum rtop_state)b));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_choice),
    cmocka_unit_test(test_mono_has_no_pairs),
    cmocka_unit_test(test_text_can_be_read),
    cmocka_unit_test(test_neighbours_differ),
    cmocka_unit_test(test_palettes_keep_the_ground),
    cmocka_unit_test(test_themes_change_at_once),
    cmocka_unit_test(test_blue_does_not_lean_on_red_and_green),
    cmocka_unit_test(test_states_have_their_own_glyph),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
