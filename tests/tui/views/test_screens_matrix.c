/* Every view at both usual sizes, in characters and ASCII, colours and none: golden attributes of the large
 * screens (the small ones stand with their views), and what must be so in all of them.
 */
#include "tests/tui/screen_model.h"
#include "tui/term/screen.h"
#include "tui/term/theme.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct {
  int rows, columns;
} sizes[] = { { 24, 80 }, { 50, 160 } };

/* The text of a view, or its attributes. free() it. */
static char *draw_view(enum view_id view, struct screen_case at, bool attributes)
{
  static struct ui ui;
  struct rtop_profile *profile = model_profile();
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_non_null(out);
  model_screen_open(&at, &ui, profile);
  ui_open_view(&ui, view);
  model_redraw(&ui);
  if (!at.header) model_crop_header(&ui);
  if (attributes) screen_write_attributes(out);
  else screen_write_text(out);
  model_screen_close(&ui, &profile);
  fclose(out);
  return text;
}

static void check_attributes(enum view_id view, const char *name, bool mono, bool header)
{
  char whole[64];
  struct screen_case at = { .rows = 50, .columns = 160, .mono = mono, .header = header };
  char *attributes = draw_view(view, at, true);
  snprintf(whole, sizeof whole, "%s-160x50-%s", name, mono ? "mono-attributes" : "color-attributes");
  golden_check(whole, attributes);
  free(attributes);
}

static void test_golden_attributes(void **state)
{
  (void)state;
  check_attributes(VIEW_METHODS, "whole", false, true);
  for (int view = 0; view < VIEW_DATA_COUNT; view++)
    for (int mono = 0; mono < 2; mono++)
      check_attributes((enum view_id)view, keys_view_name((enum view_id)view), mono, false);
}

/* Golden screens but the whole ones leave the tabs out: every view shows its own. */
static void test_every_view_shows_its_tab(void **state)
{
  (void)state;
  for (int at = 0; at < 2 * VIEW_DATA_COUNT; at++) {
    char tab[32];
    enum view_id view = (enum view_id)(at / 2);
    struct screen_case size = { .rows = sizes[at % 2].rows, .columns = sizes[at % 2].columns, .header = true };
    char *text = draw_view(view, size, false);
    snprintf(tab, sizeof tab, "[%c%s]", keys_view_key(view), keys_view_tab(view));
    if (strstr(text, tab) == NULL) fail_msg("%s is not in:\n%s", tab, text);
    free(text);
  }
}

/* Every view, both sizes, in characters and ASCII, coloured and not: somewhere there is a golden screen. */
static void test_no_screen_is_missing(void **state)
{
  static const char *const kinds[2][4] = {
    { "", "-ascii", "-color", "-mono" },
    { "", "-ascii", "-color-attributes", "-mono-attributes" },
  };
  (void)state;
  for (int at = 0; at < 2 * 4 * VIEW_DATA_COUNT; at++) {
    char path[128];
    int large = at / 4 % 2;
    snprintf(path, sizeof path, "tests/tui/screens/%s-%s%s.screen", keys_view_name((enum view_id)(at / 8)),
             large ? "160x50" : "80x24", kinds[large][at % 4]);
    FILE *golden = fopen(path, "re");
    if (golden == NULL) fail_msg("%s is missing", path);
    fclose(golden);
  }
}

/* Nothing is told by colour alone: without it the text is the same, to the last character. */
static void test_text_does_not_depend_on_colours(void **state)
{
  (void)state;
  for (int at = 0; at < 2 * VIEW_DATA_COUNT; at++) {
    struct screen_case with = { .rows = sizes[at % 2].rows, .columns = sizes[at % 2].columns, .header = true };
    struct screen_case without = with;
    without.mono = true;
    char *coloured = draw_view((enum view_id)(at / 2), with, false);
    char *plain = draw_view((enum view_id)(at / 2), without, false);
    assert_string_equal(coloured, plain);
    free(coloured);
    free(plain);
  }
}

/* Names may have any characters; what we draw ourselves has none beyond ASCII. */
static void test_ascii_is_ascii(void **state)
{
  (void)state;
  for (int at = 0; at < 2 * VIEW_DATA_COUNT; at++) {
    struct screen_case ascii = {
      .rows = sizes[at % 2].rows, .columns = sizes[at % 2].columns, .ascii = true, .c_locale = true, .header = true
    };
    char *text = draw_view((enum view_id)(at / 2), ascii, false);
    for (const char *byte = text; *byte != '\0'; byte++) assert_true(*byte == '\n' || (*byte >= ' ' && *byte <= '~'));
    free(text);
  }
}

/* The terminal's cursor is left where the selection is, for those who read the screen by it. */
static void test_cursor_is_on_the_selection(void **state)
{
  static struct ui ui;
  (void)state;
  for (int view = 0; view < VIEW_DATA_COUNT; view++) {
    static const struct screen_case plain = { .rows = 24, .columns = 80 };
    struct rtop_profile *profile = model_profile();
    model_screen_open(&plain, &ui, profile);
    ui_open_view(&ui, (enum view_id)view);
    model_redraw(&ui);
    int y = getcury(stdscr), x = getcurx(stdscr);
    if (view == VIEW_ICICLE) {
      assert_true(y >= 6 && y < 23 && x < 80); /* on the cell */
    } else {
      char *text = model_screen_text(), *line = text;
      for (int row = 0; row < y; row++) line = strchr(line, '\n') + 1;
      assert_true(*line == '>' || view == VIEW_SOURCE);
      free(text);
    }
    model_screen_close(&ui, &profile);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_golden_attributes),    cmocka_unit_test(test_every_view_shows_its_tab),
    cmocka_unit_test(test_no_screen_is_missing), cmocka_unit_test(test_text_does_not_depend_on_colours),
    cmocka_unit_test(test_ascii_is_ascii),       cmocka_unit_test(test_cursor_is_on_the_selection),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
