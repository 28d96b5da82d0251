#include "tests/tui/model_fixture.h"

#include "tui/text/text.h"
#include <locale.h>
#include <math.h>
#include <stdlib.h>

static void assert_sanitized(const char *bytes, size_t count, const char *expected)
{
  char out[512];
  size_t length = rtop_text_sanitize(out, sizeof out, bytes, count);
  assert_string_equal(out, expected);
  assert_int_equal(length, strlen(expected));
}

#define SANITIZED(bytes, expected) assert_sanitized(bytes, sizeof bytes - 1, expected)

static void test_plain_text_stays(void **state)
{
  (void)state;
  SANITIZED("", "");
  SANITIZED("block in Price#total", "block in Price#total");
  SANITIZED("注文#合計", "注文#合計");
  SANITIZED("na\xc3\xafve \xf0\x9f\x92\x8e", "na\xc3\xafve \xf0\x9f\x92\x8e");
}

static void test_controls_become_marks(void **state)
{
  (void)state;
  SANITIZED("a\x1b[2Jb", "a?[2Jb");
  SANITIZED("a\0b\nc\rd\x7f", "a?b?c?d?");
  SANITIZED("tab\there", "tab here");
  SANITIZED("c1 \xc2\x9b and raw \x9b", "c1 ? and raw ?");
  SANITIZED("rtl\xe2\x80\xae!", "rtl?!");
  SANITIZED("sep\xe2\x80\xa8\xe2\x80\xa9", "sep??");
  SANITIZED("zw\xe2\x80\x8b\xe2\x80\x8d\xef\xbb\xbf", "zw???");
  SANITIZED("tag\xf3\xa0\x81\x81", "tag?");
}

static void test_invalid_utf8_becomes_marks(void **state)
{
  (void)state;
  SANITIZED("\xc0\xaf", "??");           /* overlong */
  SANITIZED("\xed\xa0\x80", "???");      /* surrogate */
  SANITIZED("\xf4\x90\x80\x80", "????"); /* beyond Unicode */
  SANITIZED("cut \xe3\x81", "cut ??");
  SANITIZED("\xff\xfe", "??");
  SANITIZED("\xef\xbf\xbf", "?"); /* a noncharacter */
}

static void test_combining_marks_are_capped(void **state)
{
  (void)state;
  char zalgo[1 + 2 * 100 + 2] = "a", out[256];
  for (int i = 0; i < 100; i++) strcat(zalgo, "\xcc\x81");
  strcat(zalgo, "b");
  size_t length = rtop_text_sanitize(out, sizeof out, zalgo, strlen(zalgo));
  assert_int_equal(length, 1 + 2 * 4 + 1);
  assert_int_equal(out[length - 1], 'b');
}

static void test_output_is_bounded_and_never_cut_inside(void **state)
{
  (void)state;
  char out[8];
  memset(out, 'x', sizeof out);
  assert_int_equal(rtop_text_sanitize(out, 5, "ab\xe3\x81\x82", 5), 2);
  assert_string_equal(out, "ab");
  assert_int_equal(rtop_text_sanitize(out, 6, "ab\xe3\x81\x82", 5), 5);
  assert_int_equal(rtop_text_sanitize(out, 1, "ab", 2), 0);
  assert_string_equal(out, "");
  out[0] = 'x';
  assert_int_equal(rtop_text_sanitize(out, 0, "ab", 2), 0);
  assert_int_equal(out[0], 'x');
}

/* Whatever the bytes, the result is clean and cleaning it again changes nothing. */
static void test_random_bytes_come_out_clean(void **state)
{
  (void)state;
  srand(1);
  for (int round = 0; round < 20000; round++) {
    char bytes[40], out[64], again[64];
    size_t count = (size_t)rand() % sizeof bytes;
    for (size_t i = 0; i < count; i++) bytes[i] = (char)(rand() % 4 ? 0x80 + rand() % 0x80 : rand());
    size_t length = rtop_text_sanitize(out, sizeof out, bytes, count);
    assert_true(length <= count);
    for (size_t i = 0; i < length; i++) assert_true((unsigned char)out[i] >= 0x20 && out[i] != 0x7f);
    rtop_text_sanitize(again, sizeof again, out, length);
    assert_string_equal(again, out);
  }
}

static void test_width(void **state)
{
  (void)state;
  assert_int_equal(rtop_text_width(""), 0);
  assert_int_equal(rtop_text_width("abc"), 3);
  assert_int_equal(rtop_text_width("日本"), 4);
  assert_int_equal(rtop_text_width("e\xcc\x81"), 1);
}

static void assert_cut(const char *text, int columns, const char *right, const char *left)
{
  char out[64];
  int used = rtop_text_cut(out, sizeof out, text, columns);
  assert_string_equal(out, right);
  assert_int_equal(used, rtop_text_width(right));
  used = rtop_text_cut_left(out, sizeof out, text, columns);
  assert_string_equal(out, left);
  assert_int_equal(used, rtop_text_width(left));
}

static void test_cut(void **state)
{
  (void)state;
  assert_cut("abcdef", 6, "abcdef", "abcdef");
  assert_cut("abcdef", 5, "abcd~", "~cdef");
  assert_cut("abcdef", 1, "~", "~");
  assert_cut("abcdef", 0, "", "");
  assert_cut("abcdef", -3, "", "");
  assert_cut("", 0, "", "");
  assert_cut("日本語", 6, "日本語", "日本語");
  assert_cut("日本語", 5, "日本~", "~本語");
  assert_cut("日本語", 4, "日~", "~語"); /* never half a character */
  assert_cut("ae\xcc\x81x", 2, "a~", "~x");
  char small[4];
  assert_int_equal(rtop_text_cut(small, sizeof small, "abcdef", 6), 3);
  assert_string_equal(small, "ab~");
  assert_int_equal(rtop_text_cut_left(small, sizeof small, "abcdef", 6), 3);
  assert_string_equal(small, "~ef");
}

static void assert_count(double count, const char *expected)
{
  char out[16];
  rtop_text_count(out, sizeof out, count);
  assert_string_equal(out, expected);
}

static void test_count(void **state)
{
  (void)state;
  assert_count(0, "0");
  assert_count(0.25, "0.2");
  assert_count(7, "7");
  assert_count(999, "999");
  assert_count(999.7, "1.0k");
  assert_count(1000, "1.0k");
  assert_count(38249, "38.2k");
  assert_count(152000, "152k");
  assert_count(999600, "1.0M");
  assert_count(1.4e6, "1.4M");
  assert_count(-1500, "-1.5k");
  assert_count(1e30, "9999E");
}

static void assert_duration(int64_t nanoseconds, const char *expected)
{
  char out[16];
  rtop_text_duration(out, sizeof out, nanoseconds);
  assert_string_equal(out, expected);
}

static void test_duration(void **state)
{
  (void)state;
  assert_duration(0, "0 ns");
  assert_duration(999, "999 ns");
  assert_duration(1500, "1.50 us");
  assert_duration(412 * MS, "412 ms");
  assert_duration(1500 * MS, "1.50 s");
  assert_duration(9999 * MS, "10.0 s");
  assert_duration(59949 * MS, "59.9 s");
  assert_duration(59960 * MS, "1 m 00 s");
  assert_duration(134000 * MS, "2 m 14 s");
  assert_duration(600000 * MS, "10 m");
  assert_duration(3720000 * MS, "1 h 02 m");
  assert_duration(26 * 3600000 * MS, "1 d 02 h");
  assert_duration(-412 * MS, "-412 ms");
  assert_duration(-134000 * MS, "-2 m");
}

static void test_units_never_exceed_their_columns(void **state)
{
  (void)state;
  char out[32];
  srand(2);
  for (int i = 0; i < 100000; i++) {
    uint64_t bits = (uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand();
    uint64_t value = bits >> (rand() % 63);
    rtop_text_count(out, sizeof out, (double)value / 16);
    assert_true(strlen(out) <= 5);
    rtop_text_count(out, sizeof out, -(double)value);
    assert_true(strlen(out) <= 5);
    rtop_text_duration(out, sizeof out, (int64_t)(value >> 1));
    assert_true(strlen(out) <= 8);
    rtop_text_bytes(out, sizeof out, value);
    assert_true(strlen(out) <= 5);
  }
  rtop_text_bytes(out, sizeof out, 412 << 20);
  assert_string_equal(out, "412M");
}

static void test_contains(void **state)
{
  (void)state;
  assert_true(rtop_text_contains("Price#Total", "total"));
  assert_true(rtop_text_contains("x", ""));
  assert_false(rtop_text_contains("Price#Total", "totals"));
}

/* A phrase that is cut ends with a mark after a whole character, whatever is added later. */
static void test_a_phrase_is_cut_after_a_whole_character(void **state)
{
  (void)state;
  for (size_t bytes = 1; bytes < 40; bytes++) {
    char out[40], clean[80];
    struct phrase phrase = { out, bytes, 0 };
    phrase_add(&phrase, "a%s", "é注文🍣");
    phrase_add(&phrase, "%s", "é注文🍣");
    phrase_add(&phrase, "z");
    size_t length = strlen(out), whole = strlen("aé注文🍣é注文🍣z");
    assert_true(length < bytes);
    rtop_text_sanitize(clean, sizeof clean, out, length);
    assert_string_equal(clean, out);
    if (bytes > whole) assert_string_equal(out, "aé注文🍣é注文🍣z");
    else if (bytes > 1) assert_true(out[length - 1] == '~' && length + 4 >= bytes);
  }
}

/* What is sorted by it must be what is read. */
static void test_tenths_are_those_that_are_printed(void **state)
{
  (void)state;
  uint32_t seed = 7;
  for (int i = 0; i < 200000; i++) {
    char text[32];
    seed = seed * 1664525 + 1013904223;
    double percent = i < 50000 ? (double)i / 20 : (double)seed / (1 << 22);
    snprintf(text, sizeof text, "%.1f", percent);
    assert_true(fabs(rtop_text_tenths(percent) - 10 * strtod(text, NULL)) < 1e-6);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_tenths_are_those_that_are_printed),
    cmocka_unit_test(test_plain_text_stays),
    cmocka_unit_test(test_controls_become_marks),
    cmocka_unit_test(test_invalid_utf8_becomes_marks),
    cmocka_unit_test(test_combining_marks_are_capped),
    cmocka_unit_test(test_output_is_bounded_and_never_cut_inside),
    cmocka_unit_test(test_random_bytes_come_out_clean),
    cmocka_unit_test(test_width),
    cmocka_unit_test(test_cut),
    cmocka_unit_test(test_count),
    cmocka_unit_test(test_duration),
    cmocka_unit_test(test_units_never_exceed_their_columns),
    cmocka_unit_test(test_contains),
    cmocka_unit_test(test_a_phrase_is_cut_after_a_whole_character),
  };
  setlocale(LC_CTYPE, "C.UTF-8");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
