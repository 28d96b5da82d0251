#include "tui/theme.h"
#include "tui/draw.h"
#include "tui/screen.h"
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
    { 0, NULL, 256, 65536, THEME_256 }, { 0, NULL, 8, 64, THEME_8 }, { 0, NULL, 0, 0, THEME_MONO },
    { 0, NULL, 2, 64, THEME_MONO }, { 0, NULL, 256, 8, THEME_MONO },
    { 0, "1", 256, 65536, THEME_MONO }, { 0, "", 256, 65536, THEME_256 }, { 0, "0", 8, 64, THEME_MONO },
    { -1, NULL, 256, 65536, THEME_MONO }, { 1, "1", 256, 65536, THEME_256 }, { 1, NULL, 0, 0, THEME_MONO },
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
  for (int face = 0; face < FACE_COUNT; face++) {
    assert_int_equal(PAIR_NUMBER(theme_attr((enum face)face)), 0);
  }
  assert_true((theme_attr(FACE_CURSOR) & A_REVERSE) != 0);
  assert_true((theme_attr(FACE_MATCH) & (A_BOLD | A_UNDERLINE)) != 0);
  screen_close();
}

/* Readable on light and on dark: no background of our own, nothing black, nothing bright black. */
static void test_palettes_keep_the_ground(void **state)
{
  (void)state;
  open_screen(NULL, 0);
  for (int palette = THEME_8; palette <= THEME_256; palette++) {
    theme_init((enum theme_palette)palette);
    for (short face = 1; face < FACE_COUNT; face++) {
      short foreground = 0, background = 0;
      assert_int_equal(pair_content(face, &foreground, &background), OK);
      assert_int_equal(background, -1);
      assert_true(foreground != COLOR_BLACK && foreground != 8 && foreground != COLOR_WHITE
                  && foreground != 15);
    }
  }
  screen_close();
}

/* The states of a thread are told apart by glyph, whatever the colours. */
static void test_states_have_their_own_glyph(void **state)
{
  (void)state;
  for (int a = 0; a < RTOP_STATES; a++) {
    assert_true(draw_state_glyph((enum rtop_state)a) > ' ');
    for (int b = 0; b < a; b++) {
      assert_int_not_equal(draw_state_glyph((enum rtop_state)a), draw_state_glyph((enum rtop_state)b));
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_choice),
    cmocka_unit_test(test_mono_has_no_pairs),
    cmocka_unit_test(test_palettes_keep_the_ground),
    cmocka_unit_test(test_states_have_their_own_glyph),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
