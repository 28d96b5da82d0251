#include "tui/term/screen_gather.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* A "terminal" that keeps apart what was written at once. */
struct fixture {
  int terminal;
  FILE *output, *stream;
};

static struct fixture fixture_open(void)
{
  struct fixture at;
  int ends[2];
  assert_int_equal(pipe2(ends, O_CLOEXEC | O_DIRECT), 0);
  at.terminal = ends[0];
  assert_true(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
  at.output = fdopen(ends[1], "w");
  at.stream = screen_gather_open(at.output);
  assert_non_null(at.stream);
  return at;
}

static void fixture_close(struct fixture *at)
{
  screen_gather_close();
  fclose(at->output);
  close(at->terminal);
}

static void put(const struct fixture *at, const char *text)
{
  assert_int_equal(write(fileno(at->stream), text, strlen(text)), strlen(text));
}

static void expect(const struct fixture *at, const char *text)
{
  char got[64] = "";
  assert_int_equal(read(at->terminal, got, sizeof got - 1), strlen(text));
  assert_string_equal(got, text);
}

static void expect_nothing(const struct fixture *at)
{
  char byte;
  assert_int_equal(read(at->terminal, &byte, 1), -1);
}

static void test_many_writes_become_one(void **state)
{
  struct fixture at = fixture_open();
  (void)state;
  for (int round = 0; round < 3; round++) {
    assert_true(screen_gather_begin());
    put(&at, "one ");
    put(&at, "two ");
    put(&at, "three");
    expect_nothing(&at);
    screen_gather_end();
    expect(&at, "one two three");
    expect_nothing(&at);
    put(&at, "at once");
    expect(&at, "at once");
  }
  assert_true(screen_gather_begin());
  screen_gather_end();
  expect_nothing(&at);
  screen_gather_end();
  fixture_close(&at);
}

static void test_more_than_a_buffer(void **state)
{
  enum { COUNT = 300000 };
  FILE *file = tmpfile();
  FILE *stream = screen_gather_open(file);
  char *bytes = malloc(COUNT), *got = malloc(COUNT);
  (void)state;
  assert_non_null(bytes);
  assert_non_null(got);
  for (int i = 0; i < COUNT; i++) bytes[i] = (char)(i * 7 % 251);
  assert_true(screen_gather_begin());
  for (int i = 0; i < COUNT; i += 10000) assert_int_equal(write(fileno(stream), bytes + i, 10000), 10000);
  assert_int_equal(lseek(fileno(file), 0, SEEK_END), 0);
  screen_gather_end();
  assert_int_equal(pread(fileno(file), got, COUNT, 0), COUNT);
  assert_memory_equal(got, bytes, COUNT);
  free(bytes);
  free(got);
  screen_gather_close();
  fclose(file);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_many_writes_become_one),
    cmocka_unit_test(test_more_than_a_buffer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
