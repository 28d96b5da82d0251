#include "tui/term/pager.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static const enum request moves[] = {
  REQUEST_UP,      REQUEST_DOWN,      REQUEST_PAGE_UP, REQUEST_PAGE_DOWN,
  REQUEST_HALF_UP, REQUEST_HALF_DOWN, REQUEST_FIRST,   REQUEST_LAST,
};

static void check(const struct pager *pager, size_t count, size_t page)
{
  assert_true(count == 0 ? pager->cursor == 0 && pager->top == 0 : pager->cursor < count);
  assert_true(pager->cursor >= pager->top && pager->cursor < pager->top + page);
  assert_true(pager->top == 0 || pager->top + page <= count); /* no empty rows below the last */
}

static void test_moves(void **state)
{
  struct pager pager = { 0 };
  (void)state;
  assert_true(pager_request(&pager, REQUEST_DOWN, 10, 3));
  assert_int_equal(pager.cursor, 1);
  pager_request(&pager, REQUEST_PAGE_DOWN, 10, 3);
  assert_int_equal(pager.cursor, 4);
  assert_int_equal(pager.top, 2);
  pager_request(&pager, REQUEST_HALF_UP, 10, 3);
  assert_int_equal(pager.cursor, 2);
  pager_request(&pager, REQUEST_LAST, 10, 3);
  assert_int_equal(pager.cursor, 9);
  assert_int_equal(pager.top, 7);
  pager_request(&pager, REQUEST_DOWN, 10, 3);
  assert_int_equal(pager.cursor, 9);
  pager_request(&pager, REQUEST_FIRST, 10, 3);
  assert_int_equal(pager.cursor + pager.top, 0);
  assert_false(pager_request(&pager, REQUEST_QUIT, 10, 3));
}

static void test_sent_to_a_row(void **state)
{
  struct pager pager = { .cursor = 30 };
  (void)state;
  pager_show(&pager, 100, 10, 7);
  assert_int_equal(pager.top, 25);
  pager.cursor = 31;
  pager_show(&pager, 100, 10, 7); /* it is seen */
  assert_int_equal(pager.top, 25);
  pager.cursor = 32; /* not where something stands over the last rows */
  pager_show(&pager, 100, 10, 7);
  assert_int_equal(pager.top, 27);
  pager.cursor = 2;
  pager_show(&pager, 100, 10, 7);
  assert_int_equal(pager.top, 0);
  pager.cursor = 99; /* the last one is not hidden either, until the user moves */
  pager_show(&pager, 100, 10, 7);
  assert_int_equal(pager.top, 93);
  pager_fit(&pager, 100, 10);
  assert_int_equal(pager.top, 93);
  pager_request(&pager, REQUEST_UP, 100, 10);
  assert_int_equal(pager.cursor, 98);
  assert_int_equal(pager.top, 90);
}

static void test_anything_stays_in_view(void **state)
{
  struct pager pager = { 0 };
  (void)state;
  srandom(1);
  for (int i = 0; i < 200000; i++) {
    size_t count = (size_t)random() % 50, page = 1 + (size_t)random() % 60;
    if (random() % 3 == 0) pager_fit(&pager, count, page);
    else pager_request(&pager, moves[random() % 8], count, page);
    check(&pager, count, page);
  }
}

/* What the cursor stands on goes to the end: the page stays, and keys begin on it. */
static void test_nothing_scrolls_by_itself(void **state)
{
  (void)state;
  struct pager pager = { .cursor = 3 };
  pager_follow(&pager, 80, 10);
  pager_fit(&pager, 100, 10);
  assert_int_equal(pager.top, 0);
  assert_int_equal(pager.cursor, 80);
  assert_true(pager.away);
  pager_follow(&pager, 70, 10);
  pager_fit(&pager, 60, 10); /* most of the rows are gone */
  assert_int_equal(pager.cursor, 59);
  assert_int_equal(pager.top, 0);
  pager_follow(&pager, 4, 10);
  pager_fit(&pager, 60, 10);
  assert_false(pager.away);
  pager_follow(&pager, 50, 10);
  pager_request(&pager, REQUEST_DOWN, 60, 10);
  assert_int_equal(pager.cursor, 1);
  assert_int_equal(pager.top, 0);
  pager = (struct pager){ .cursor = 25, .top = 20 };
  pager_follow(&pager, 50, 10);
  pager_fit(&pager, 60, 10); /* who has scrolled goes with it */
  assert_int_equal(pager.top, 41);
  pager = (struct pager){ 0 };
  pager_follow(&pager, 50, 10);
  pager_show(&pager, 60, 10, 10); /* it was sent there */
  assert_int_equal(pager.top, 45);
  assert_false(pager.away);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_nothing_scrolls_by_itself),
    cmocka_unit_test(test_moves),
    cmocka_unit_test(test_sent_to_a_row),
    cmocka_unit_test(test_anything_stays_in_view),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
