/* Characters of ambiguous width: every one that the screens draw is known as such, and names lose theirs. */
#include "tui/term/screen_width.h"
#include "tui/text/ambiguous.h"
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static void test_what_is_ambiguous(void **state)
{
  static const wchar_t yes[] = L"▁▂▃▄▅▆▇█▒▓─│├└┊═■→é×Яα§";
  static const wchar_t no[] = L"aZ~ ëå注文ソ한";
  (void)state;
  for (size_t i = 0; yes[i] != L'\0'; i++) assert_true(rtop_is_ambiguous(yes[i]));
  for (size_t i = 0; no[i] != L'\0'; i++) assert_false(rtop_is_ambiguous(no[i]));
}

static void test_names_lose_them(void **state)
{
  char out[32], small[4];
  (void)state;
  assert_string_equal(rtop_ambiguous_replace(out, sizeof out, "注文#цена"), "注文#????");
  assert_string_equal(rtop_ambiguous_replace(out, sizeof out, "plain ë"), "plain ë");
  assert_string_equal(rtop_ambiguous_replace(out, sizeof out, ""), "");
  assert_string_equal(rtop_ambiguous_replace(small, sizeof small, "注文"), "注");
  assert_string_equal(rtop_ambiguous_replace(small, sizeof small, "ΩΩΩΩΩ"), "???");
}

static void test_the_answer_is_judged(void **state)
{
  static const struct {
    int row, column;
    enum screen_width width;
  } answers[] = {
    { 2, 6, SCREEN_WIDTH_NARROW },    { 2, 8, SCREEN_WIDTH_WIDE },
    { 2, 7, SCREEN_WIDTH_WIDE },     /* one of blocks and lines */
    { 2, 9, SCREEN_WIDTH_NOT_UTF8 }, /* Latin-1 with the controls hidden */
    { 2, 13, SCREEN_WIDTH_NOT_UTF8 }, { 2, 5, SCREEN_WIDTH_UNKNOWN },
    { 2, 1, SCREEN_WIDTH_UNKNOWN },   { 2, 80, SCREEN_WIDTH_UNKNOWN },
    { 1, 6, SCREEN_WIDTH_UNKNOWN },   { 24, 8, SCREEN_WIDTH_UNKNOWN },
  };
  (void)state;
  for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
    assert_int_equal(screen_width_judge(answers[i].row, answers[i].column), answers[i].width);
}

static void test_the_locale_says_something(void **state)
{
  (void)state;
  assert_int_equal(screen_width_of_locale("ja_JP.UTF-8", false), SCREEN_WIDTH_UNKNOWN);
  assert_int_equal(screen_width_of_locale("ja_JP.UTF-8", true), SCREEN_WIDTH_WIDE);
  assert_int_equal(screen_width_of_locale("ko_KR.utf8", true), SCREEN_WIDTH_WIDE);
  assert_int_equal(screen_width_of_locale("en_US.UTF-8", true), SCREEN_WIDTH_UNKNOWN);
  assert_int_equal(screen_width_of_locale("C.UTF-8", true), SCREEN_WIDTH_UNKNOWN);
  assert_int_equal(screen_width_of_locale(NULL, true), SCREEN_WIDTH_UNKNOWN);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_is_ambiguous),
    cmocka_unit_test(test_names_lose_them),
    cmocka_unit_test(test_the_answer_is_judged),
    cmocka_unit_test(test_the_locale_says_something),
  };
  return setlocale(LC_CTYPE, "C.UTF-8") == NULL || cmocka_run_group_tests(tests, NULL, NULL);
}
