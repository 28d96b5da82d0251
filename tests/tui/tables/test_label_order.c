/* Labels in the order of what is read of them. */
#include "tui/tables/label_order.h"
#include <stdlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { LABELS = 6 };
static const uint64_t second_ns = 1000000000, ms = 1000000;

/* What label_table_build() would give, in any order. */
struct given {
  struct label_table table;
  struct label_row rows[LABELS];
  struct label_row *list[LABELS];
};

static void fill(struct given *given, const uint64_t *running_ns, size_t count, size_t turn)
{
  memset(given, 0, sizeof *given);
  for (size_t i = 0; i < count; i++) {
    struct label_row *row = &given->rows[i];
    snprintf(row->name, sizeof row->name, "endpoint=%c", (char)('a' + i));
    row->key_bytes = strlen("endpoint");
    row->id = UINT64_C(0x9e3779b97f4a7c15) * (i + 1);
    row->cost.wall_ns[RTOP_STATE_RUNNING] = running_ns[i];
    row->count = 10 + i;
    given->list[(i + turn) % count] = row;
  }
  given->table.rows = given->list;
  given->table.count = count;
}

static void expect(const struct given *given, const char *names)
{
  assert_int_equal(given->table.count, strlen(names));
  for (size_t i = 0; i < given->table.count; i++) assert_int_equal(*label_row_value(given->table.rows[i]), names[i]);
}

static void apply(struct label_order *order, struct given *given, const struct label_table_options *options)
{
  assert_true(label_order_apply(order, &given->table, options, second_ns, true));
}

/* In whatever order they come. */
static void test_what_nobody_sees_moves_nothing(void **state)
{
  const struct label_table_options options = { .sort = RTOP_SORT_SELF };
  struct label_order order = { 0 };
  struct given given;
  (void)state;
  for (size_t turn = 0; turn < 8; turn++) {
    uint64_t little = turn % 4 * ms / 10;
    fill(&given, (const uint64_t[]){ 100 * ms + little, 300 * ms, 100 * ms - little, 98 * ms }, 4, turn);
    apply(&order, &given, &options);
    expect(&given, "bacd");
  }
  fill(&given, (const uint64_t[]){ 100 * ms, 300 * ms, 101 * ms, 98 * ms }, 4, 0);
  apply(&order, &given, &options);
  expect(&given, "bcad");
  label_order_destroy(&order);
}

static void test_by_any_figure(void **state)
{
  struct label_order order = { 0 };
  struct given given;
  (void)state;
  const uint64_t running[] = { 100 * ms, 300 * ms, 20 * ms };
  static const struct {
    enum rtop_sort_key sort;
    bool reverse;
    const char *names;
  } cases[] = {
    { RTOP_SORT_SELF, false, "bac" },    { RTOP_SORT_SELF, true, "cab" },     { RTOP_SORT_SAMPLES, false, "cba" },
    { RTOP_SORT_NAME, false, "abc" },    { RTOP_SORT_NAME, true, "cba" },     { RTOP_SORT_RATIO, false, "bac" },
    { RTOP_SORT_LOCATION, true, "cba" }, { RTOP_SORT_BLOCKED, false, "abc" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fill(&given, running, 3, i);
    apply(&order, &given, &(struct label_table_options){ .sort = cases[i].sort, .reverse = cases[i].reverse });
    expect(&given, cases[i].names);
  }
  label_order_destroy(&order);
}

/* Labels that come and go for ever take no more memory than some. */
static void test_bounded(void **state)
{
  const struct label_table_options options = { .sort = RTOP_SORT_SELF };
  struct label_order order = { 0 };
  struct given given;
  (void)state;
  for (uint64_t turn = 0; turn < 20000; turn++) {
    fill(&given, (const uint64_t[]){ 3 * ms, 2 * ms, ms }, 3, 0);
    given.rows[2].id += turn << 20;
    given.rows[1].id += turn << 21;
    apply(&order, &given, &options);
    expect(&given, "abc");
  }
  assert_true(order.numbers.count < 20000);
  fill(&given, NULL, 0, 1);
  apply(&order, &given, &options);
  label_order_destroy(&order);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_nobody_sees_moves_nothing),
    cmocka_unit_test(test_by_any_figure),
    cmocka_unit_test(test_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
