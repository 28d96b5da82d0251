#include "tests/shm/support.h"

#include "shm/base/pattern.h"
#include <stdio.h>
#include <string.h>

static bool glob(const char *pattern, const char *text)
{
  return rtop_pattern_glob(pattern, strlen(pattern), text, strlen(text));
}

static void test_globs(void **state)
{
  (void)state;
  assert_true(glob("", ""));
  assert_false(glob("", "a"));
  assert_false(glob("a", ""));
  assert_true(glob("*", ""));
  assert_true(glob("**", "abc"));
  assert_true(glob("a*c", "abbbc"));
  assert_false(glob("a*c", "abbb"));
  assert_true(glob("*abab", "abaabababab"));
  assert_true(glob("a*b*c", "axxbxxbxc"));
  assert_false(glob("a*b*c", "axxcxxb"));
  assert_true(glob("?", "a"));
  assert_false(glob("?", ""));
  assert_false(glob("?", "ab"));
  assert_true(glob("?b", "\xC3\xA4"
                         "b"));
  assert_true(glob("a?c", "a\xF0\x9F\x92\x8E"
                          "c"));
  assert_true(glob("a?c", "a\xFF"
                          "c"));
  assert_true(glob("\\*", "*"));
  assert_false(glob("\\*", "a"));
  assert_true(glob("\\?\\,", "?,"));
  assert_true(glob("a\\", "a\\"));
  assert_true(glob("[]", "[]"));
  assert_false(glob("[ab]", "a"));
}

/* Star after star must not take exponential time. */
static void test_hard_glob(void **state)
{
  (void)state;
  char pattern[201], text[4097];
  for (size_t i = 0; i < 200; i += 2) memcpy(pattern + i, "*a", 2);
  pattern[200] = '\0';
  memset(text, 'a', 4096);
  text[4096] = '\0';
  assert_true(glob(pattern, text));
  text[4095] = 'b';
  assert_false(glob(pattern, text));
}

static struct rtop_pattern_frame frame_of(const char *label, const char *namespace_label, const char *path)
{
  return (struct rtop_pattern_frame){
    .label = label,
    .label_bytes = strlen(label),
    .path = path,
    .path_bytes = strlen(path),
    .namespace_label = namespace_label,
    .namespace_bytes = strlen(namespace_label),
    .is_c = *path == '\0',
  };
}

static bool fits(const char *list, const char *label, const char *namespace_label, const char *path)
{
  struct rtop_error error;
  struct rtop_patterns *patterns = rtop_patterns_create(list, strlen(list), &error);
  if (!patterns) fail_msg("%s: %s", list, error.text);
  struct rtop_pattern_frame frame = frame_of(label, namespace_label, path);
  bool fit = rtop_patterns_match(patterns, &frame);
  rtop_patterns_destroy(&patterns);
  assert_null(patterns);
  return fit;
}

static void test_classes(void **state)
{
  (void)state;
  assert_true(fits("Foo", "Foo#bar", "Foo", "/a.rb"));
  assert_false(fits("Foo", "Foo::Bar#bar", "Foo::Bar", "/a.rb"));
  assert_false(fits("Foo", "Food#bar", "Food", "/a.rb"));
  assert_true(fits("Foo::*", "Foo::Bar#bar", "Foo::Bar", "/a.rb"));
  assert_true(fits("Foo::*", "Foo::Bar::Baz#bar", "Foo::Bar::Baz", "/a.rb"));
  assert_true(fits("Foo::*", "Foo.bar", "Foo", "/a.rb"));
  assert_false(fits("Foo::*", "Food#bar", "Food", "/a.rb"));
  assert_true(fits("*::Helper", "A::B::Helper#x", "A::B::Helper", "/a.rb"));
  assert_false(fits("Object", "<main>", "", "/a.rb"));
  assert_true(fits("#<Class>", "#<Class>#x", "#<Class>", "/a.rb"));
}

static void test_methods(void **state)
{
  (void)state;
  assert_true(fits("Foo#bar", "Foo#bar", "Foo", "/a.rb"));
  assert_true(fits("Foo#bar", "block in Foo#bar", "Foo", "/a.rb"));
  assert_true(fits("Foo#bar", "rescue in block (2 levels) in Foo#bar", "Foo", "/a.rb"));
  assert_false(fits("Foo#bar", "Foo#barn", "Foo", "/a.rb"));
  assert_false(fits("Foo#bar", "Foo.bar", "Foo", "/a.rb"));
  assert_true(fits("Foo.*", "Foo.create", "Foo", "/a.rb"));
  assert_true(fits("*#each", "Array#each", "Array", ""));
  assert_true(fits("Integer#/", "Integer#/", "Integer", ""));
  assert_true(fits("Hash#[]", "Hash#[]", "Hash", ""));
}

static void test_paths(void **state)
{
  (void)state;
  assert_true(fits("/srv/app/vendor/", "X#x", "X", "/srv/app/vendor/a/b.rb"));
  assert_false(fits("/srv/app/vendor/", "X#x", "X", "/srv/app/vendors/a.rb"));
  assert_false(fits("/app/", "X#x", "X", "/srv/app/a.rb"));
  assert_true(fits("app/models/*.rb", "X#x", "X", "/srv/app/models/user.rb"));
  assert_true(fits("app/models/*.rb", "X#x", "X", "app/models/user.rb"));
  assert_false(fits("app/models/*.rb", "X#x", "X", "/srv/myapp/models/user.rb"));
  assert_true(fits("vendor/", "X#x", "X", "/srv/vendor/x.rb"));
  assert_true(fits("*/user.rb", "X#x", "X", "/srv/app/models/user.rb"));
  assert_false(fits("vendor/", "X#x", "X", ""));
  assert_true(fits("/a\\,b/", "X#x", "X", "/a,b/c.rb"));
}

static void test_origins(void **state)
{
  (void)state;
  static const char rack[] = "/g/gems/rack-3.0.8/lib/rack.rb", set[] = "/usr/lib/ruby/3.3.0/set.rb";
  assert_true(fits("gem:rack", "Rack#x", "Rack", rack));
  assert_true(fits("gem:*", "Rack#x", "Rack", rack));
  assert_true(fits("gem:ra?k", "Rack#x", "Rack", rack));
  assert_false(fits("gem:rac", "Rack#x", "Rack", rack));
  assert_false(fits("gem:*", "Set#x", "Set", set));
  assert_true(fits("stdlib", "Set#x", "Set", set));
  assert_false(fits("stdlib", "Rack#x", "Rack", rack));
  assert_true(fits("<C>", "Array#sort", "Array", ""));
  assert_false(fits("<C>", "Kernel#loop", "Kernel", "<internal:kernel>"));
  assert_true(fits("<internal>", "Array#sort", "Array", ""));
  assert_true(fits("<internal>", "Kernel#loop", "Kernel", "<internal:kernel>"));
  assert_false(fits("<internal>", "Set#x", "Set", set));
}

static void test_lists(void **state)
{
  (void)state;
  static const char rack[] = "/g/gems/rack-3.0.8/lib/rack.rb", mine[] = "/g/gems/mine-1.0/lib/mine.rb";
  assert_false(fits("", "Foo#x", "Foo", "/a.rb"));
  assert_false(fits(" , \n,", "Foo#x", "Foo", "/a.rb"));
  assert_true(fits(" Bar , Foo\t,\nBaz", "Foo#x", "Foo", "/a.rb"));
  assert_true(fits("gem:*, !gem:mine", "Rack#x", "Rack", rack));
  assert_false(fits("gem:*, ! gem:mine", "Mine#x", "Mine", mine));
  assert_true(fits("gem:*,!gem:mine,Mine#slow", "Mine#slow", "Mine", mine));
  assert_false(fits("!gem:mine", "Mine#x", "Mine", mine));
  struct rtop_patterns *patterns = rtop_patterns_create("a, !b\nc", 7, NULL);
  assert_non_null(patterns);
  assert_int_equal(rtop_patterns_count(patterns), 3);
  rtop_patterns_destroy(&patterns);
  rtop_patterns_destroy(&patterns);
}

static void test_refusals(void **state)
{
  (void)state;
  struct rtop_error error;
  assert_null(rtop_patterns_create("Foo, gem:", 9, &error));
  assert_non_null(strstr(error.text, "'gem:'"));
  assert_null(rtop_patterns_create("!", 1, &error));
  assert_non_null(strstr(error.text, "'!'"));
  assert_null(rtop_patterns_create("!", 1, NULL));
  static char many[RTOP_PATTERNS_BYTES_MAX + 1];
  for (size_t i = 0; i < sizeof many; i += 2) memcpy(many + i, "a,", i + 1 < sizeof many ? 2 : 1);
  struct rtop_patterns *full = rtop_patterns_create(many, 2 * (size_t)RTOP_PATTERNS_MAX, &error);
  assert_non_null(full);
  assert_int_equal(rtop_patterns_count(full), RTOP_PATTERNS_MAX);
  rtop_patterns_destroy(&full);
  assert_null(rtop_patterns_create(many, 2 * (size_t)RTOP_PATTERNS_MAX + 1, &error));
  assert_int_equal(error.code, RTOP_ERROR_LIMIT);
  assert_null(rtop_patterns_create(many, sizeof many, &error));
  assert_int_equal(error.code, RTOP_ERROR_LIMIT);
}

/* As many and as short as can be, each of them growing: they must find room. */
static void test_growth(void **state)
{
  (void)state;
  char list[4 * RTOP_PATTERNS_MAX];
  for (size_t i = 0; i < sizeof list; i += 4) memcpy(list + i, "a/b,", 4);
  for (size_t i = 0; i < sizeof list; i += 8) memcpy(list + i, "ab/,", 4);
  struct rtop_patterns *patterns = rtop_patterns_create(list, sizeof list, NULL);
  assert_non_null(patterns);
  struct rtop_pattern_frame frame = frame_of("X#x", "X", "/ab/c");
  assert_true(rtop_patterns_match(patterns, &frame));
  frame = frame_of("X#x", "X", "/abc/c");
  assert_false(rtop_patterns_match(patterns, &frame));
  rtop_patterns_destroy(&patterns);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_globs),   cmocka_unit_test(test_hard_glob), cmocka_unit_test(test_classes),
    cmocka_unit_test(test_methods), cmocka_unit_test(test_paths),     cmocka_unit_test(test_origins),
    cmocka_unit_test(test_lists),   cmocka_unit_test(test_refusals),  cmocka_unit_test(test_growth),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
