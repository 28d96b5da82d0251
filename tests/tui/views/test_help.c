/* The help: two pages for each view, and no word on the screen that it does not explain. */
#include "tests/tui/screen_fixture.h"
#include "shm/base/vm_parts.h"
#include "shm/window/window.h"
#include "tui/term/theme.h"
#include <ctype.h>

static const struct screen_case small = { .rows = 24, .columns = 80 }, large = { .rows = 50, .columns = 160 },
                                tiny = { .rows = 10, .columns = 40 };

/* All of the help for the view that is shown, page by page. `pages`: how many. */
static char *help_text(int *pages)
{
  static char all[64 * 1024];
  size_t first, last, count;
  all[0] = '\0';
  *pages = 0;
  model_press(&ui, '?');
  model_press(&ui, 'g');
  do {
    char *text = model_screen_text();
    const char *at = strstr(text, " HELP  ");
    assert_non_null(at);
    assert_int_equal(sscanf(at, " HELP  %zu-%zu of %zu", &first, &last, &count), 3);
    at = strchr(at, '\n');
    assert_true(strlen(all) + strlen(at) < sizeof all);
    strcat(all, at);
    char *footer = strstr(all + strlen(all) - strlen(at), "F1Help");
    if (footer != NULL) *footer = '\0';
    free(text);
    (*pages)++;
    model_press(&ui, FN(KEY_NPAGE));
  } while (last < count && *pages < 20);
  model_press(&ui, 27);
  return all;
}

static void fits(const struct screen_case *size, int most)
{
  open_case(size, model_profile());
  for (int view = 0; view < VIEW_DATA_COUNT; view++) {
    int pages;
    model_press(&ui, keys_view_key((enum view_id)view));
    const char *text = help_text(&pages);
    if (pages > most) fail_msg("%s has %d pages\n%s", keys_view_name((enum view_id)view), pages, text);
    if (strstr(text, "~\n") != NULL || strstr(text, "~ ") != NULL) fail_msg("something is cut:\n%s", text);
    assert_non_null(strstr(text, "man rperf-top"));
    assert_non_null(strstr(text, "menu of the row"));
  }
  model_screen_close(&ui, &profile);
}

static void test_two_pages_at_80x24_one_at_160x50(void **state)
{
  (void)state;
  fits(&small, 2);
  fits(&large, 1);
}

/* Where hardly anything fits nothing is cut either: lines go on below. */
static void test_nothing_is_cut_on_a_small_screen(void **state)
{
  (void)state;
  fits(&tiny, 20);
}

/* Of a Ruby that does not show everything the help says so first, as long as it does not. */
static void test_what_is_not_available(void **state)
{
  (void)state;
  int pages;
  struct rtop_window window = { .start_mono_ns = MODEL_END_NS, .end_mono_ns = MODEL_END_NS + 100000000 };
  open_case(&small, model_profile());
  assert_null(strstr(help_text(&pages), "not available"));
  rtop_window_set_counter(&window, RTOP_COUNTER_VM_UNKNOWN, RTOP_VM_BIT(RTOP_VM_LOCKS) | RTOP_VM_BIT(RTOP_VM_CALLS));
  assert_true(rtop_profile_add(profile, 0, &window, NULL, 0, NULL));
  model_redraw(&ui);
  const char *text = help_text(&pages), *at = strstr(text, "not available on this Ruby: lock owners, tracing of");
  assert_non_null(at);
  assert_true(at < strstr(text, "On this screen"));
  rtop_window_destroy(&window);
  model_screen_close(&ui, &profile);
}

/* Is it in the help, as a word? */
static bool explains(const char *help, const char *word)
{
  size_t length = strlen(word);
  for (const char *at = help; *at != '\0'; at++)
    if (strncasecmp(at, word, length) == 0 && (at == help || !isalpha((unsigned char)at[-1])) &&
        !isalpha((unsigned char)at[length]))
      return true;
  return false;
}

/* Words of a row that the program says of itself: no numbers, and no names of what it watches. */
static void words_of(const char *help, const char *row, int columns, const char *what)
{
  static const char *const plain[] = { "s",    "v",   "of",  "each", "by",   "all",   "last",
                                       "file", "Top", "Bot", "All",  "disk", "loaded" };
  char word[32];
  for (int i = 0; i < columns;) {
    int length = 0;
    bool number = false;
    while (i < columns && !isalpha((unsigned char)row[i]))
      number = isdigit((unsigned char)row[i]) || row[i] == '.', i++;
    while (i < columns && length < 31 && (isalpha((unsigned char)row[i]) || row[i] == '/' || row[i] == '%'))
      if ((word[length++] = row[i++]) == '%') break; /* an arrow may follow */
    word[length] = '\0';
    bool known = length == 0 || (number && length < 3); /* a unit: 1.0k, 412M, 4ms */
    for (size_t j = 0; j < sizeof plain / sizeof plain[0]; j++) known = known || strcmp(plain[j], word) == 0;
    if (word[0] == 'k' && number) memmove(word, word + 1, strlen(word)); /* 1.0k/s */
    if (!known && word[0] != '/' && !explains(help, word))
      fail_msg("%s: %s of %s is not explained in\n%s", what, word, row, help);
  }
}

static void row_text(int y, char *out)
{
  chtype line[256];
  int count = mvinchnstr(y, 0, line, COLS);
  for (int x = 0; x < count; x++) out[x] = (char)(line[x] & A_CHARTEXT);
  out[count > 0 ? count : 0] = '\0';
}

/* The title says of itself what stands behind the command of the process, which may be cut. */
static const char *after_command(const char *row)
{
  const char *at = strstr(row, ui.source.main.command);
  if (at != NULL) return at + strlen(ui.source.main.command);
  at = strchr(row, '~');
  assert_non_null(at);
  return at + 1;
}

/* The title, the bars of the header, and headings of tables, in the look that headings have. */
static void every_word(const struct screen_case *size)
{
  open_case(size, model_profile());
  for (int view = 0; view < VIEW_DATA_COUNT; view++) {
    int pages, headings = 0;
    char row[256], help[16 * 1024];
    model_press(&ui, keys_view_key((enum view_id)view));
    snprintf(help, sizeof help, "%s", help_text(&pages));
    const char *name = keys_view_name((enum view_id)view);
    row_text(ui.layout.part[PART_TITLE].y, row);
    const char *title = after_command(row);
    assert_non_null(strstr(title, "LIVE"));
    words_of(help, title, (int)strlen(title), name);
    static const enum layout_part bars[] = { PART_GVL, PART_GC };
    for (int i = 0; i < 2; i++) {
      row_text(ui.layout.part[bars[i]].y, row);
      words_of(help, row, (int)strlen(row), name);
    }
    for (int y = ui.layout.part[PART_TABS].y + 1; y < LINES - 1; y++) {
      bool heading = PAIR_NUMBER(mvinch(y, 2) & A_COLOR) == FACE_HEADING ||
                     PAIR_NUMBER(mvinch(y, 2) & A_COLOR) == FACE_HEADING_SORT;
      row_text(y, row);
      row[ui.layout.part[PART_TABLE].columns] = '\0';
      if (heading && view != VIEW_SOURCE) words_of(help, row, (int)strlen(row), name);
      headings += heading;
    }
    bool table = view != VIEW_ICICLE && view != VIEW_SKYLINE && view != VIEW_SOURCE;
    if (table && headings == 0) fail_msg("no heading in %s", name);
  }
  model_screen_close(&ui, &profile);
}

/* A key that the view does not have, or has nothing to do for, says so; one that does something does not. */
static void test_a_key_that_does_nothing(void **state)
{
  (void)state;
  open_case(&small, model_profile());
  model_press(&ui, '1');
  model_press(&ui, 'v');
  assert_true(shows("v does nothing here; ? lists the keys of this view"));
  model_press(&ui, 'j');
  assert_false(shows("does nothing here"));
  model_press(&ui, '3');
  model_press(&ui, 'v');
  assert_false(shows("does nothing here"));
  model_screen_close(&ui, &profile);
}

static void test_every_word_is_explained(void **state)
{
  (void)state;
  every_word(&small);
  every_word(&large);
}

/* Only the time view compares without being asked to: it leaves no column behind in others. */
static void test_delta_stays_in_the_time_view(void **state)
{
  (void)state;
  open_case(&small, model_profile());
  for (int view = 0; view < VIEW_DATA_COUNT; view++) {
    model_press(&ui, '7');
    assert_true(shows("DELTA"));
    model_press(&ui, keys_view_key((enum view_id)view));
    assert_int_equal(shows("DELTA"), view == VIEW_TIME);
  }
  model_screen_close(&ui, &profile);
}

/* The last row is the same in every view, and whole. */
static void test_footer_is_the_same_everywhere(void **state)
{
  (void)state;
  open_case(&small, model_profile());
  for (int view = 0; view < VIEW_DATA_COUNT; view++) {
    model_press(&ui, keys_view_key((enum view_id)view));
    assert_true(shows("F1Help F2Setup F3Search F4Filter F5Tree F6Sort F7<Time F8Time> F9Freeze F10Quit"));
  }
  model_screen_close(&ui, &profile);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_two_pages_at_80x24_one_at_160x50), cmocka_unit_test(test_nothing_is_cut_on_a_small_screen),
    cmocka_unit_test(test_a_key_that_does_nothing),          cmocka_unit_test(test_nothing_is_cut_on_a_small_screen),
    cmocka_unit_test(test_every_word_is_explained),          cmocka_unit_test(test_footer_is_the_same_everywhere),
    cmocka_unit_test(test_delta_stays_in_the_time_view),     cmocka_unit_test(test_what_is_not_available),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
