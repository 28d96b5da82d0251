#include "tests/tui/model_fixture.h"
#include "tui/text/regexp.h"
#include <stdlib.h>

static int compile(const char *expression)
{
  regex_t compiled;
  int code = rtop_regexp_compile(&compiled, expression);
  if (code == 0) regfree(&compiled);
  return code;
}

static void test_what_people_write(void **state)
{
  (void)state;
  static const char *const usual[] = {
    "",
    "foo",
    "^Order(s?)#(index|show)$",
    "a+b*c?",
    "[[:alpha:]]{1,30}",
    "[]a]{3}",
    "x{2,}",
    "\\(\\{",
    "(a(b(c)+)+)+",
    "{",
    "a{x}",
    "[^]+]+",
    "(foo|bar|baz){10}",
    ".*Controller.*",
  };
  for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
    regex_t compiled;
    int plain = regcomp(&compiled, usual[i], REG_EXTENDED | REG_NOSUB);
    if (plain == 0) regfree(&compiled);
    assert_int_equal(compile(usual[i]), plain);
  }
  assert_int_equal(compile("("), REG_EPAREN);
}

/* Each of them takes the C library gigabytes, or minutes. */
static void test_what_would_be_large(void **state)
{
  (void)state;
  static const char *const large[] = {
    "((((x{99}){99}){99}){9})",
    "(((x{1,255}){1,255}){1,255})",
    "x{255}{255}{255}",
    "([[:alpha:]]{200}){200}",
    "((((((((((((((((x+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+",
    "((x{999,}){999,})",
    "(a{200}|b{200}){200}",
    "x{30000}",
    "))+++++++++++++++++++++++++++++++++",
    "(++++++++++++++++++++++++++++++++)",
    "a|+++++++++++++++++++++++++++++",
    "aa+?++++a+?+??++++?++a++??aa?aa??+a",
    "(a?)**{1,3}{2}{2}+{2}.{1,3}{2}.*{2}",
    "((((a*)*)*)*)*",
  };
  for (size_t i = 0; i < sizeof large / sizeof large[0]; i++)
    if (compile(large[i]) != REG_ESPACE) fail_msg("%s was compiled", large[i]);
  char nested[200];
  memset(nested, '(', 80);
  memset(nested + 80, ')', 80);
  nested[160] = '\0';
  assert_int_equal(compile(nested), REG_ESPACE);
  char *is_long = malloc(8000);
  memset(is_long, 'x', 7999);
  is_long[7999] = '\0';
  assert_int_equal(compile(is_long), REG_ESPACE);
  free(is_long);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_people_write),
    cmocka_unit_test(test_what_would_be_large),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
