/* The bound of the queue, and what is counted beyond it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tui/push/push.h"

static struct push_item *item(size_t bytes, int64_t start_ns)
{
  struct push_item *made = calloc(1, sizeof *made);
  assert_non_null(made);
  made->query = strdup("name=x");
  made->body = calloc(1, bytes);
  made->bytes = bytes;
  made->start_ns = start_ns;
  assert_non_null(made->body);
  return made;
}

static void test_first_in_first_out(void **state)
{
  (void)state;
  struct push_queue queue = { 0 };
  for (int i = 1; i <= 3; i++) assert_true(push_queue_add(&queue, item(100, i)));
  for (int i = 1; i <= 3; i++) {
    assert_int_equal(queue.first->start_ns, i);
    push_queue_pop(&queue);
  }
  assert_int_equal(queue.count + queue.bytes + queue.dropped, 0);
  push_queue_pop(&queue);
  assert_true(push_queue_add(&queue, item(100, 4)));
  assert_int_equal(queue.first->start_ns, 4);
  push_queue_clear(&queue);
}

static void test_the_oldest_go_and_are_counted(void **state)
{
  (void)state;
  struct push_queue queue = { 0 };
  const size_t part = PUSH_QUEUE_BYTES / 4 - 1000;
  for (int i = 1; i <= 4; i++) assert_true(push_queue_add(&queue, item(part, i)));
  assert_false(push_queue_add(&queue, item(part, 5)));
  assert_int_equal(queue.dropped, 1);
  assert_int_equal(queue.dropped_bytes, part);
  assert_int_equal(queue.first->start_ns, 2);
  assert_int_equal(queue.count, 4);
  assert_true(queue.bytes <= PUSH_QUEUE_BYTES);
  push_queue_clear(&queue);
}

static void test_what_is_being_sent_stays(void **state)
{
  (void)state;
  struct push_queue queue = { 0 };
  const size_t part = PUSH_QUEUE_BYTES / 2 - 1000;
  push_queue_add(&queue, item(part, 1));
  push_queue_add(&queue, item(part, 2));
  queue.sending = true;
  assert_false(push_queue_add(&queue, item(part, 3)));
  assert_int_equal(queue.first->start_ns, 1);
  assert_int_equal(queue.last->start_ns, 3);
  assert_int_equal(queue.count, 2);
  /* Two that do not fit beside it: nothing is left but that one. */
  assert_false(push_queue_add(&queue, item(PUSH_QUEUE_BYTES - 1000, 4)));
  assert_int_equal(queue.count, 1);
  assert_int_equal(queue.dropped, 3);
  push_queue_pop(&queue);
  assert_true(push_queue_add(&queue, item(10, 5)));
  assert_int_equal(queue.first->start_ns, 5);
  push_queue_clear(&queue);
}

static void test_larger_than_all(void **state)
{
  (void)state;
  struct push_queue queue = { 0 };
  push_queue_add(&queue, item(10, 1));
  assert_false(push_queue_add(&queue, item(PUSH_QUEUE_BYTES, 2)));
  assert_int_equal(queue.dropped, 1);
  assert_int_equal(queue.count, 1); /* for that one none of the others goes */
  push_queue_clear(&queue);
}

static void test_urls(void **state)
{
  (void)state;
  static const char *const right[] = { "http://a", "https://a.example:4318/x/y", "http://[::1]:80/ingest",
                                       "http://a/@" };
  static const char *const wrong[] = { "",           "a",          "ftp://a",     "http://",      "http:///x",
                                       "http://:80", "http://a b", "http://a\nb", "http://u@a/x", "https://u:p@a",
                                       "http://a?x", "http://a/#b" };
  for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) assert_null(push_url_problem(right[i]));
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) assert_non_null(push_url_problem(wrong[i]));
  assert_int_equal(push_url_kind("http://a/x/ingest"), PUSH_PYROSCOPE);
  assert_int_equal(push_url_kind("https://a/v1development/profiles"), PUSH_OTLP);
  assert_int_equal(push_url_kind("http://ingest"), PUSH_NONE);
  static const struct {
    const char *url, *whole;
    enum push_kind kind;
  } wholes[] = {
    { "http://a:1", "http://a:1/ingest", PUSH_PYROSCOPE },
    { "http://a:1/", "http://a:1/v1development/profiles", PUSH_OTLP },
    { "http://a:1/b", "http://a:1/b", PUSH_OTLP },
  };
  for (size_t i = 0; i < sizeof wholes / sizeof wholes[0]; i++) {
    char *whole = push_url_whole(wholes[i].url, wholes[i].kind);
    assert_string_equal(whole, wholes[i].whole);
    free(whole);
  }
  assert_true(push_name_is("shop/web-1.x_y"));
  assert_false(push_name_is(""));
  assert_false(push_name_is("a{b}"));
  assert_false(push_name_is("a b"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_first_in_first_out),
    cmocka_unit_test(test_the_oldest_go_and_are_counted),
    cmocka_unit_test(test_what_is_being_sent_stays),
    cmocka_unit_test(test_larger_than_all),
    cmocka_unit_test(test_urls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
