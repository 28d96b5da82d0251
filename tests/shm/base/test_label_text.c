#include "tests/shm/support.h"

#include "shm/base/label_text.h"
#include <string.h>

static struct rtop_label label_of(const char *key, const char *value)
{
  return (struct rtop_label){
    .key = key,
    .value = value,
    .key_bytes = strlen(key),
    .value_bytes = strlen(value),
  };
}

static size_t write_labels(const struct rtop_label *labels, size_t count, char *out, size_t bytes)
{
  size_t used = rtop_label_text_write(labels, count, out, bytes - 1);
  out[used] = '\0';
  return used;
}

static void test_round_trip(void **state)
{
  (void)state;
  static const char *const parts[] = { "",  "a", "endpoint", "/users", "a,b", "a=b",
                                       "=", ",", "\\",       "\\,=\\", "x\\", "\xe2\x82\xac" };
  enum { PARTS = sizeof parts / sizeof parts[0] };
  for (int i = 0; i < PARTS; i++)
    for (int k = 0; k < PARTS; k++) {
      char text[RTOP_LABEL_TEXT_MAX];
      struct rtop_label_buffer label;
      struct rtop_label labels[2] = { label_of(parts[i], parts[k]), label_of("z", parts[i]) };
      size_t at = 0, bytes = write_labels(labels, 2, text, sizeof text);
      assert_true(rtop_label_text_next(text, bytes, &at, &label));
      assert_string_equal(label.key, parts[i]);
      assert_string_equal(label.value, parts[k]);
      assert_true(rtop_label_text_next(text, bytes, &at, &label));
      assert_string_equal(label.key, "z");
      assert_string_equal(label.value, parts[i]);
      assert_false(rtop_label_text_next(text, bytes, &at, &label));
    }
}

static void test_text(void **state)
{
  (void)state;
  char text[64];
  struct rtop_label labels[2] = { label_of("a=b", "x=y"), label_of("user", "7,8") };
  write_labels(labels, 2, text, sizeof text);
  assert_string_equal(text, "a\\=b=x=y,user=7\\,8");
  assert_int_equal(write_labels(labels, 0, text, sizeof text), 0);
}

static void test_what_is_too_long_is_cut(void **state)
{
  (void)state;
  char key[200], value[300], text[RTOP_LABEL_TEXT_MAX];
  memset(key, ',', sizeof key);
  memset(value, 'v', sizeof value);
  memcpy(value + RTOP_LABEL_VALUE_MAX - 1, "\xe2\x82\xac", 3);
  struct rtop_label labels[20];
  for (int i = 0; i < 20; i++) labels[i] = (struct rtop_label){ key, value, sizeof key, sizeof value };
  size_t bytes = rtop_label_text_write(labels, 20, text, sizeof text), at = 0, count = 0;
  struct rtop_label_buffer label;
  while (rtop_label_text_next(text, bytes, &at, &label)) {
    assert_int_equal(strlen(label.key), RTOP_LABEL_KEY_MAX);
    assert_int_equal(strlen(label.value), RTOP_LABEL_VALUE_MAX - 1);
    count++;
  }
  size_t one = 2 * RTOP_LABEL_KEY_MAX + 1 + RTOP_LABEL_VALUE_MAX - 1;
  assert_int_equal(bytes, count * one + count - 1);
  assert_int_equal(count, (sizeof text + 1) / (one + 1));
}

/* Every cut of a text, byte by byte, in a buffer of just that size. */
static void test_hostile_texts(void **state)
{
  (void)state;
  static const char text[] = "a\\=b=x=y,,=,\\\\=\\,z,\\";
  for (size_t begin = 0; begin < sizeof text; begin++)
    for (size_t bytes = 0; begin + bytes < sizeof text; bytes++) {
      struct rtop_label_buffer label;
      char *copy = test_malloc(bytes + 1);
      memcpy(copy, text + begin, bytes);
      size_t at = 0, count = 0;
      while (rtop_label_text_next(copy, bytes, &at, &label)) assert_true(++count <= bytes);
      test_free(copy);
    }
}

static bool fits(const char *text, const char *wanted)
{
  return rtop_label_text_fits(text, strlen(text), wanted);
}

static void test_fits(void **state)
{
  (void)state;
  assert_true(fits("endpoint=/users,user=7", "endpoint=/users"));
  assert_true(fits("endpoint=/users,user=7", "user=7"));
  assert_true(fits("endpoint=/users,user=7", "endpoint=/us*"));
  assert_true(fits("endpoint=/users,user=7", "user"));
  assert_true(fits("endpoint=/users,user=7", "user=?"));
  assert_false(fits("endpoint=/users,user=7", "user=8"));
  assert_false(fits("endpoint=/users,user=7", "use"));
  assert_false(fits("endpoint=/users,user=7", "7"));
  assert_false(fits("", "a=b"));
  assert_true(fits("a=x=y", "a=x=y"));
  assert_true(fits("a=", "a="));
  assert_true(fits("a=x\\,y", "a=x\\,y"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_round_trip),    cmocka_unit_test(test_text), cmocka_unit_test(test_what_is_too_long_is_cut),
    cmocka_unit_test(test_hostile_texts), cmocka_unit_test(test_fits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
