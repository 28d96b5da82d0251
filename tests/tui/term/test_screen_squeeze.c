#include "tui/term/screen_squeeze.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void expect(const char *bytes, const char *fewer)
{
  char out[256];
  size_t count = screen_squeeze(out, sizeof out - 1, bytes, strlen(bytes));
  out[count] = '\0';
  assert_string_equal(out, fewer);
}

static void test_takes_colours_back_once(void **state)
{
  (void)state;
  expect("\033[38;5;34m|\033[39m\033(B\033[m \033[38;5;97mfib\033[39m\033(B\033[m",
         "\033[0;38;5;34m|\033(B \033[38;5;97mfib\033[m");
}

static void test_moves_leave_attributes(void **state)
{
  (void)state;
  expect("\033[31ma\033[39m\033[m\033[5;7H\033[31mb\033[m", "\033[0;31ma\033[5;7Hb\033[m");
}

static void test_adds_or_begins_anew(void **state)
{
  (void)state;
  expect("\033[1ma\033[0;1;4mb\033[0;4mc\033[m", "\033[0;1ma\033[4mb\033[0;4mc\033[m");
  expect("\033[97;44ma\033[97;49mb\033[0mc", "\033[0;97;44ma\033[49mb\033[mc");
}

static void test_blanks_show_backgrounds(void **state)
{
  (void)state;
  expect("\033[7ma\033[m b", "\033[0;7ma\033[m b");
  expect("\033[4ma\033[m b", "\033[0;4ma\033[m b");
  expect("\033[41ma\033[m\033[Kb", "\033[0;41ma\033[m\033[Kb");
  expect("\033[1ma\033[m b", "\033[0;1ma \033[mb");
  expect("\033[7;31ma\033[0;7;32m b", "\033[0;7;31ma\033[32m b");
}

/* What the terminal had before is not known: the first attributes are sent whole, none at all are not. */
static void test_begins_from_nothing(void **state)
{
  (void)state;
  expect("\033[ma", "\033[ma");
  expect("\033[2;3Ha", "\033[2;3Ha");
  expect("\033[?2026h\033[m\033[H\033[J\033[?2026l", "\033[?2026h\033[H\033[m\033[J\033[?2026l");
}

static void test_a_shift_in_belongs_to_no_attributes(void **state)
{
  (void)state;
  expect("\033[1ma\033[m\017\033[5Cb", "\033[0;1ma\033[5C\033[mb");
}

static void test_what_is_not_understood_goes_through(void **state)
{
  (void)state;
  expect("\033[1ma\033[m\033(0q\033(B\033[mb", "\033[0;1ma\033[m\033(0q\033(B\033[mb");
  expect("\033[38;2;1;2;3ma\033[m\033[m", "\033[38;2;1;2;3ma\033[m\033[m");
  expect("a\033]52;c;YQ==\a\033[m\033[m", "a\033]52;c;YQ==\a\033[m\033[m");
  expect("a\033[", "a\033[");
}

static void test_no_room(void **state)
{
  char out[4];
  (void)state;
  assert_int_equal(screen_squeeze(out, sizeof out, "abcde", 5), 0);
  assert_int_equal(screen_squeeze(out, sizeof out, "", 0), 0);
  assert_int_equal(screen_squeeze(out, sizeof out, "abcd", 4), 4);
}

/* A terminal that knows nothing but attributes: how each character looks. */
struct cell {
  char character;
  unsigned flags;
  int fg, bg;
};

static void apply(struct cell *pen, int code)
{
  if (code == 0) *pen = (struct cell){ 0, 0, -1, -1 };
  else if (code < 10) pen->flags |= 1u << code;
  else if (code >= 30 && code < 40) pen->fg = code == 39 ? -1 : code - 30;
  else pen->bg = code == 49 ? -1 : code - 40;
}

static int interpret(const char *bytes, size_t count, struct cell *cells)
{
  int used = 0;
  struct cell pen = { 0, 0, -1, -1 };
  for (size_t at = 0; at < count; at++) {
    if (bytes[at] == '\033') {
      int code = 0;
      for (at += 2; bytes[at] != 'm'; at++)
        if (bytes[at] == ';') apply(&pen, code), code = 0;
        else code = 10 * code + bytes[at] - '0';
      apply(&pen, code);
    } else {
      cells[used] = pen;
      cells[used++].character = bytes[at];
    }
  }
  return used;
}

static void looks_the_same(const struct cell *a, const struct cell *b)
{
  bool blank = a->character == ' ', shown = (a->flags & 1u << 7) != 0;
  unsigned unseen = blank && !shown ? 1u << 1 | 1u << 2 : 0;
  assert_int_equal(a->character, b->character);
  assert_int_equal(a->flags & ~unseen, b->flags & ~unseen);
  assert_int_equal(a->bg, b->bg);
  if (!blank || shown) assert_int_equal(a->fg, b->fg);
}

/* Whatever attributes come in whatever order. */
static void test_looks_the_same(void **state)
{
  static const char *const piece[] = { "\033[m",   "\033[1m",  "\033[7m",  "\033[4m",   "\033[31m",     "\033[32m",
                                       "\033[39m", "\033[42m", "\033[49m", "\033[0;1m", "\033[0;7;33m", " ",
                                       "a",        "b",        " ",        "c" };
  unsigned random = 1;
  (void)state;
  for (int round = 0; round < 20000; round++) {
    char bytes[512] = "\033[m", fewer[1024];
    struct cell expected[512], got[512];
    for (int i = 0; i < 30; i++) {
      random = random * 1103515245 + 12345;
      strcat(bytes, piece[random >> 16 & 15]);
    }
    size_t count = screen_squeeze(fewer, sizeof fewer, bytes, strlen(bytes));
    int cells = interpret(bytes, strlen(bytes), expected);
    if (cells == 0) continue;
    assert_int_equal(interpret(fewer, count, got), cells);
    assert_true(count <= strlen(bytes) + 2);
    for (int i = 0; i < cells; i++) looks_the_same(&expected[i], &got[i]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_takes_colours_back_once),
    cmocka_unit_test(test_moves_leave_attributes),
    cmocka_unit_test(test_adds_or_begins_anew),
    cmocka_unit_test(test_blanks_show_backgrounds),
    cmocka_unit_test(test_begins_from_nothing),
    cmocka_unit_test(test_a_shift_in_belongs_to_no_attributes),
    cmocka_unit_test(test_what_is_not_understood_goes_through),
    cmocka_unit_test(test_no_room),
    cmocka_unit_test(test_looks_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
