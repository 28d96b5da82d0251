#include "tui/trees/tree_places.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

enum { LENGTH = 1000000, LITTLE = LENGTH / 1000 - 1 };

static uint64_t key_at(const void *rows, size_t at)
{
  return ((const uint64_t *)rows)[at];
}

struct row {
  struct rtop_tree_sibling sibling;
  char name[70]; /* no multiple of anything */
};

static uint32_t frame_of(struct rtop_symbols *symbols, const char *label)
{
  return rtop_symbols_frame(symbols, label, strlen(label), "", 0, "", 0, 1, RTOP_SYMBOL_RUBY);
}

/* Names of the rows, from the top. */
static const char *in_order(struct rtop_tree_places *places, const struct rtop_symbols *symbols, struct row *rows,
                            size_t count)
{
  static char text[256];
  rtop_tree_places_order(places, symbols, rows, count, sizeof *rows);
  text[0] = '\0';
  while (count-- > 0) {
    assert_string_equal(rtop_symbols_get(symbols, rows[count].sibling.frame)->label, rows[count].name);
    strcat(strcat(text, rows[count].name), " ");
  }
  return text;
}

static struct row row_of(struct rtop_symbols *symbols, const char *name, uint64_t value, uint64_t behind)
{
  struct row row = { .sibling = { .frame = frame_of(symbols, name), .value = value, .behind = behind } };
  row.sibling.key = row.sibling.frame;
  strcpy(row.name, name);
  return row;
}

static void test_siblings_stand_by_value_then_by_name(void **state)
{
  (void)state;
  struct rtop_tree_places places = { 0 };
  struct rtop_symbols *symbols = rtop_symbols_create();
  struct row rows[] = { row_of(symbols, "gone", 0, 9),         row_of(symbols, "b", 5 * LITTLE, 0),
                        row_of(symbols, "more", 0, 8),         row_of(symbols, "a", 5 * LITTLE, 0),
                        row_of(symbols, "big", 9 * LITTLE, 0), row_of(symbols, "none", 0, 0) };
  rtop_tree_places_begin(&places, RTOP_SORT_TOTAL, false, LENGTH, 0);
  assert_string_equal(in_order(&places, symbols, rows, 6), "big a b none more gone ");
  rtop_tree_places_begin(&places, RTOP_SORT_TOTAL, true, LENGTH, 0);
  assert_string_equal(in_order(&places, symbols, rows, 6), "none more gone a b big ");
  for (size_t i = 0; i < 6; i++) rows[i].sibling.value = rows[i].sibling.behind = 0;
  rtop_tree_places_begin(&places, RTOP_SORT_NAME, true, LENGTH, 0);
  assert_string_equal(in_order(&places, symbols, rows, 6), "none more gone big b a ");
  assert_string_equal(in_order(&places, symbols, rows, 1), "a ");
  rtop_symbols_destroy(&symbols);
  rtop_tree_places_destroy(&places);
}

static void take(struct rtop_tree_places *places, const struct rtop_symbols *symbols, struct row *rows, size_t count,
                 const char *names)
{
  uint64_t keys[8];
  assert_string_equal(in_order(places, symbols, rows, count), names);
  for (size_t i = 0; i < count; i++) keys[i] = rows[count - 1 - i].sibling.key;
  rtop_tree_places_take(places, keys, count, key_at);
}

static struct row *row_named(struct row *rows, const char *name)
{
  while (strcmp(rows->name, name) != 0) rows++;
  return rows;
}

/* Within a tenth, and within half a point or half of it. */
static void test_siblings_keep_their_places(void **state)
{
  (void)state;
  struct rtop_tree_places places = { 0 };
  struct rtop_symbols *symbols = rtop_symbols_create();
  struct row rows[] = { row_of(symbols, "a", 300000, 0), row_of(symbols, "b", 280000, 0), row_of(symbols, "c", 4000, 0),
                        row_of(symbols, "d", 0, 0) };
  rtop_tree_places_begin(&places, RTOP_SORT_TOTAL, false, LENGTH, 0);
  take(&places, symbols, rows, 4, "a b c d ");
  row_named(rows, "b")->sibling.value = 332000;
  row_named(rows, "d")->sibling.value = 7900;
  rtop_tree_places_begin(&places, RTOP_SORT_TOTAL, false, LENGTH, 0);
  take(&places, symbols, rows, 4, "a b c d ");
  row_named(rows, "b")->sibling.value = 334000;
  row_named(rows, "d")->sibling.value = 8100;
  rtop_tree_places_begin(&places, RTOP_SORT_TOTAL, false, LENGTH, 0);
  take(&places, symbols, rows, 4, "b a d c ");
  row_named(rows, "c")->sibling.value = 0; /* nothing stands above something */
  row_named(rows, "d")->sibling.value = 100;
  rtop_tree_places_begin(&places, RTOP_SORT_TOTAL, false, LENGTH, 0);
  take(&places, symbols, rows, 4, "b a d c ");
  row_named(rows, "c")->sibling.value = 300;
  rtop_tree_places_begin(&places, RTOP_SORT_TOTAL, false, LENGTH, 0);
  take(&places, symbols, rows, 4, "b a c d ");
  rtop_tree_places_begin(&places, RTOP_SORT_TOTAL, true, LENGTH, 0);
  take(&places, symbols, rows, 4, "d c a b "); /* another order: nothing is kept */
  rtop_symbols_destroy(&symbols);
  rtop_tree_places_destroy(&places);
}

/* Objects are no time: they have no half point. */
static void test_counts_keep_a_tenth(void **state)
{
  (void)state;
  struct rtop_tree_places places = { 0 };
  struct rtop_symbols *symbols = rtop_symbols_create();
  struct row rows[] = { row_of(symbols, "a", 100, 0), row_of(symbols, "b", 95, 0) };
  rtop_tree_places_begin(&places, RTOP_SORT_ALLOC, false, LENGTH, 200);
  take(&places, symbols, rows, 2, "a b ");
  row_named(rows, "b")->sibling.value = 110;
  rtop_tree_places_begin(&places, RTOP_SORT_ALLOC, false, LENGTH, 200);
  take(&places, symbols, rows, 2, "a b ");
  row_named(rows, "b")->sibling.value = 112;
  rtop_tree_places_begin(&places, RTOP_SORT_ALLOC, false, LENGTH, 200);
  take(&places, symbols, rows, 2, "b a ");
  assert_int_equal(row_named(rows, "b")->sibling.shown, 112);
  rtop_symbols_destroy(&symbols);
  rtop_tree_places_destroy(&places);
}

enum { NOISY = 30, SAMPLES = 200 };

/* Rows whose figures swing: what is shown is sorted within the tolerance, and true within the noise; every row stands
 * once. A fifth of the moves of a plain sort at most. */
static void test_noise_moves_little(void **state)
{
  (void)state;
  struct rtop_tree_places places = { 0 };
  struct rtop_symbols *symbols = rtop_symbols_create();
  struct row rows[NOISY];
  uint64_t before[NOISY] = { 0 }, keys[NOISY];
  uint32_t seed = 5, moves = 0;
  for (int i = 0; i < NOISY; i++) {
    char name[8];
    snprintf(name, sizeof name, "m%02d", i);
    rows[i] = row_of(symbols, name, 0, 0);
  }
  for (int refresh = 0; refresh < 200; refresh++) {
    unsigned seen[NOISY] = { 0 };
    for (int i = 0; i < NOISY; i++) {
      int number = atoi(rows[i].name + 1);
      seed = seed * 1664525 + 1013904223;
      double noise = 0.92 + 0.16 * (double)(seed >> 8) / (1 << 24);
      rows[i].sibling.value = (uint64_t)((400000 - number / 3 * 40000) * noise);
    }
    rtop_tree_places_begin(&places, RTOP_SORT_TOTAL, false, LENGTH, SAMPLES);
    rtop_tree_places_order(&places, symbols, rows, NOISY, sizeof *rows);
    for (int i = 0; i < NOISY; i++) {
      const struct rtop_tree_sibling *sibling = &rows[NOISY - 1 - i].sibling;
      double shown = (double)sibling->shown, share = (double)sibling->value / LENGTH;
      assert_true(fabs(shown - (double)sibling->value) <= rtop_calm_noise(share, SAMPLES) * LENGTH + 1);
      for (int k = i + 1; k < NOISY; k++) {
        double below = (double)rows[NOISY - 1 - k].sibling.shown;
        assert_true(shown >= rtop_calm_least_above(below, LENGTH / 200.0, 10) - 1);
      }
      keys[i] = sibling->key;
      seen[atoi(rows[NOISY - 1 - i].name + 1)]++;
      moves += refresh > 0 && before[i] != keys[i];
    }
    for (int i = 0; i < NOISY; i++) assert_int_equal(seen[i], 1);
    memcpy(before, keys, sizeof before);
    rtop_tree_places_take(&places, keys, NOISY, key_at);
  }
  print_message("200 refreshes of %d rows: %u stood elsewhere\n", NOISY, moves);
  assert_true(moves < 200 * NOISY / 20);
  rtop_symbols_destroy(&symbols);
  rtop_tree_places_destroy(&places);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_counts_keep_a_tenth),
    cmocka_unit_test(test_noise_moves_little),
    cmocka_unit_test(test_siblings_stand_by_value_then_by_name),
    cmocka_unit_test(test_siblings_keep_their_places),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
