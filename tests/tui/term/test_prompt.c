#include "tui/term/keys.h"
#include "tui/term/prompt.h"
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <ncurses.h>

static struct prompt prompt;

static int set_up(void **state)
{
  (void)state;
  setlocale(LC_CTYPE, "C.UTF-8");
  prompt_start(&prompt, "Search: ", "");
  return 0;
}

static void type(const wchar_t *text)
{
  for (; *text != 0; text++) assert_int_equal(prompt_key(&prompt, (int)*text), PROMPT_CHANGED);
}

static void test_typing(void **state)
{
  (void)state;
  type(L"Order#合計 é");
  assert_string_equal(prompt.text, "Order#合計 é");
  assert_int_equal(prompt.bytes, strlen("Order#合計 é"));
  assert_int_equal(prompt.cursor, prompt.bytes);
  assert_int_equal(prompt_key(&prompt, '\r'), PROMPT_ACCEPTED);
}

static void test_whole_characters_go(void **state)
{
  (void)state;
  type(L"a合é");
  assert_int_equal(prompt_key(&prompt, 127), PROMPT_CHANGED);
  assert_string_equal(prompt.text, "a合");
  assert_int_equal(prompt_key(&prompt, KEY_LEFT | KEY_FUNCTION), PROMPT_MOVED);
  assert_int_equal(prompt.cursor, 1);
  assert_int_equal(prompt_key(&prompt, KEY_DC | KEY_FUNCTION), PROMPT_CHANGED);
  assert_string_equal(prompt.text, "a");
  assert_int_equal(prompt_key(&prompt, 8), PROMPT_CHANGED);
  assert_string_equal(prompt.text, "");
  assert_int_equal(prompt_key(&prompt, 127), PROMPT_CANCELLED);
}

static void test_inserting_in_the_middle(void **state)
{
  (void)state;
  type(L"ac");
  prompt_key(&prompt, KEY_LEFT | KEY_FUNCTION);
  type(L"é");
  assert_string_equal(prompt.text, "aéc");
  prompt_key(&prompt, KEY_HOME | KEY_FUNCTION);
  type(L">");
  prompt_key(&prompt, 5);
  type(L"<");
  assert_string_equal(prompt.text, ">aéc<");
}

static void test_words_and_lines(void **state)
{
  (void)state;
  prompt_start(&prompt, "", "one two  three ");
  assert_int_equal(prompt_key(&prompt, 23), PROMPT_CHANGED);
  assert_string_equal(prompt.text, "one two  ");
  assert_int_equal(prompt_key(&prompt, 23), PROMPT_CHANGED);
  assert_string_equal(prompt.text, "one ");
  assert_int_equal(prompt_key(&prompt, 21), PROMPT_CHANGED);
  assert_string_equal(prompt.text, "");
  assert_int_equal(prompt_key(&prompt, 21), PROMPT_MOVED);
  assert_int_equal(prompt_key(&prompt, 27), PROMPT_CANCELLED);
}

static void test_a_number_that_is_offered(void **state)
{
  (void)state;
  prompt_offer(&prompt, "Seconds: ", "0.5");
  assert_int_equal(prompt_key(&prompt, '2'), PROMPT_CHANGED);
  assert_int_equal(prompt_key(&prompt, '0'), PROMPT_CHANGED);
  assert_string_equal(prompt.text, "20");
  prompt_offer(&prompt, "Seconds: ", "5");
  prompt_key(&prompt, ',');
  prompt_key(&prompt, '1');
  assert_string_equal(prompt.text, "5,1"); /* goes on with it */
  prompt_offer(&prompt, "Seconds: ", "5");
  prompt_key(&prompt, KEY_END | KEY_FUNCTION);
  prompt_key(&prompt, '1');
  assert_string_equal(prompt.text, "51");
  prompt_offer(&prompt, "Seconds: ", "5");
  assert_int_equal(prompt_key(&prompt, 127), PROMPT_CHANGED);
  assert_int_equal(prompt_key(&prompt, '\n'), PROMPT_ACCEPTED);
  assert_string_equal(prompt.text, "");
}

static void test_what_never_gets_in(void **state)
{
  static const int hostile[] = {
    0, 1 + 'A' - 1 + 1000000000, 14, 31, 128, 0x9b, 0xd800, 0x110000, KEY_UP | KEY_FUNCTION, KEY_F(5) | KEY_FUNCTION
  };
  (void)state;
  type(L"x");
  for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++)
    assert_int_equal(prompt_key(&prompt, hostile[i]), PROMPT_IGNORED);
  assert_string_equal(prompt.text, "x");
}

static void test_full(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof prompt.text - 2; i++) assert_int_equal(prompt_key(&prompt, 'a'), PROMPT_CHANGED);
  assert_int_equal(prompt_key(&prompt, 0x5408), PROMPT_MOVED); /* three bytes do not fit */
  assert_int_equal(prompt_key(&prompt, 'b'), PROMPT_CHANGED);
  assert_int_equal(prompt_key(&prompt, 'c'), PROMPT_MOVED);
  assert_int_equal(strlen(prompt.text), sizeof prompt.text - 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_typing, set_up),
    cmocka_unit_test_setup(test_whole_characters_go, set_up),
    cmocka_unit_test_setup(test_inserting_in_the_middle, set_up),
    cmocka_unit_test_setup(test_words_and_lines, set_up),
    cmocka_unit_test_setup(test_what_never_gets_in, set_up),
    cmocka_unit_test_setup(test_full, set_up),
    cmocka_unit_test_setup(test_a_number_that_is_offered, set_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
