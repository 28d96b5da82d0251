/* With --mdoc this program prints the key section of rperf-top(1), see test_manual. */
#include "tui/term/keys.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <ncurses.h>

static void test_every_row_is_complete(void **state)
{
  (void)state;
  assert_true(keys_count > 30);
  for (size_t i = 0; i < keys_count; i++) {
    char names[64];
    assert_int_not_equal(keys_table[i].keys[0], 0);
    assert_int_not_equal(keys_table[i].views, 0);
    assert_true(strlen(keys_table[i].help) > 3);
    keys_names(names, sizeof names, &keys_table[i]);
    assert_true(names[0] != '\0' && strchr(names, '?') == (keys_table[i].request == REQUEST_HELP ? names : NULL));
  }
}

/* Two rows may share a key only when the first steps aside: so do N and, in tables of methods, Enter. */
static void test_no_key_is_hidden(void **state)
{
  (void)state;
  for (int view = 0; view < VIEW_COUNT; view++) {
    for (size_t i = 0; i < keys_count; i++) {
      for (const int *key = keys_table[i].keys; *key != 0; key++) {
        const struct key_row *first = keys_find(*key, (enum view_id)view, NULL);
        if ((keys_table[i].views & 1u << view) == 0 || first == &keys_table[i]) continue;
        if (keys_table[i].request == REQUEST_ROW_MENU) assert_int_equal(first->request, REQUEST_ENTER);
        else assert_true(*key == 'N' || *key == ' ');
        if (*key == 'N') assert_int_equal(first->request, REQUEST_PREVIOUS);
        if (*key == ' ') assert_int_equal(first->request, REQUEST_OFF_ROW);
        assert_ptr_equal(keys_find(*key, (enum view_id)view, first), &keys_table[i]);
      }
    }
  }
}

static enum request request_of(int key, enum view_id view)
{
  const struct key_row *row = keys_find(key, view, NULL);
  return row != NULL ? row->request : REQUEST_NONE;
}

static void test_agreed_keys(void **state)
{
  (void)state;
  for (int view = 0; view < VIEW_COUNT; view++) {
    assert_int_equal(request_of('q', (enum view_id)view), REQUEST_QUIT);
    assert_int_equal(request_of(KEY_F(10) | KEY_FUNCTION, (enum view_id)view), REQUEST_QUIT);
    assert_int_equal(request_of(3, (enum view_id)view), REQUEST_QUIT_NOW);
    assert_int_equal(request_of('?', (enum view_id)view), REQUEST_HELP);
    assert_int_equal(request_of(27, (enum view_id)view), REQUEST_BACK);
    assert_int_equal(request_of(12, (enum view_id)view), REQUEST_REDRAW);
    assert_int_equal(request_of('k', (enum view_id)view), REQUEST_UP);
  }
  assert_int_equal(request_of('z', VIEW_METHODS), REQUEST_FREEZE);
  assert_int_equal(request_of(' ', VIEW_METHODS), REQUEST_OFF_ROW); /* elsewhere than on that row: */
  assert_int_equal(keys_find(' ', VIEW_METHODS, keys_find(' ', VIEW_METHODS, NULL))->request, REQUEST_FREEZE);
  assert_int_equal(request_of(' ', VIEW_TREE), REQUEST_FREEZE);
  assert_int_equal(request_of('\r', VIEW_CHOOSER), REQUEST_WATCH);
  assert_int_equal(request_of('z', VIEW_CHOOSER), REQUEST_NONE);
  assert_int_equal(request_of(KEY_F(1), VIEW_METHODS), REQUEST_NONE); /* not marked as a function key */
}

/* What the footer names: the same word in every view of the data, and a word for it in each of them. */
static void test_footer_keys_mean_one_thing(void **state)
{
  (void)state;
  for (size_t i = 0; i < keys_count; i++) {
    const char *word = keys_table[i].footer;
    if (!word || !(keys_table[i].views & 1u << VIEW_METHODS)) continue;
    for (int view = 0; view < VIEW_DATA_COUNT; view++) {
      const struct key_row *row = keys_find(keys_footer_key(&keys_table[i]), (enum view_id)view, NULL);
      assert_non_null(row);
      assert_non_null(row->footer);
      assert_string_equal(row->footer, word);
    }
  }
}

/* Function keys are often missing or taken: none is the only way. */
static void test_every_request_has_a_plain_key(void **state)
{
  (void)state;
  for (size_t i = 0; i < keys_count; i++) {
    bool plain = false;
    for (const int *key = keys_table[i].keys; *key != 0; key++) {
      int code = *key & ~KEY_FUNCTION;
      plain = plain || (*key & KEY_FUNCTION) == 0 || code < KEY_F(0) || code > KEY_F(12);
    }
    assert_true(plain);
  }
}

static void test_names(void **state)
{
  static const struct {
    int key;
    const char *name;
  } names[] = {
    { 'x', "x" },
    { '~', "~" },
    { 27, "Esc" },
    { 3, "Ctrl-C" },
    { ' ', "Space" },
    { '\r', "Enter" },
    { KEY_F(10) | KEY_FUNCTION, "F10" },
    { KEY_PPAGE | KEY_FUNCTION, "PgUp" },
    { 127, "Backspace" },
  };
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char name[16];
    keys_name(name, sizeof name, names[i].key);
    assert_string_equal(name, names[i].name);
  }
  char all[64];
  keys_names(all, sizeof all, keys_find('\r', VIEW_METHODS, NULL));
  assert_string_equal(all, "Enter");
  keys_names(all, sizeof all, keys_find('q', VIEW_METHODS, NULL));
  assert_string_equal(all, "q F10");
}

static char *read_manual(void)
{
  FILE *in = fopen("man/rperf-top.1", "re");
  assert_non_null(in);
  char *text = calloc(1, 1 << 18);
  assert_true(text != NULL && fread(text, 1, (1 << 18) - 1, in) > 0);
  fclose(in);
  return text;
}

/* To bring the page up to date: put the output of `build/tests/tui/term/test_keys --mdoc` between the marks. */
static void test_manual(void **state)
{
  static const char begin[] = ".\\\" KEYS\n", end[] = ".\\\" END KEYS\n";
  char *wanted = NULL;
  size_t bytes = 0;
  (void)state;
  FILE *out = open_memstream(&wanted, &bytes);
  keys_write_mdoc(out);
  fclose(out);
  char *page = read_manual();
  char *from = strstr(page, begin), *to = strstr(page, end);
  assert_true(from != NULL && to != NULL && from < to);
  from += strlen(begin);
  *to = '\0';
  assert_string_equal(from, wanted);
  free(page);
  free(wanted);
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--mdoc") == 0) {
    keys_write_mdoc(stdout);
    return 0;
  }
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_row_is_complete),
    cmocka_unit_test(test_no_key_is_hidden),
    cmocka_unit_test(test_agreed_keys),
    cmocka_unit_test(test_footer_keys_mean_one_thing),
    cmocka_unit_test(test_every_request_has_a_plain_key),
    cmocka_unit_test(test_names),
    cmocka_unit_test(test_manual),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
