#include "tests/tui/export_fixture.h"

#include <locale.h>
#include <string.h>

struct cell {
  double x, width;
  int y;
};

/* Well-formed as far as this picture goes: every tag closes, every & begins a name, no control characters. */
static void check_xml(const char *text)
{
  int depth = 0;
  for (const char *at = text; *at; at++) {
    assert_true((unsigned char)*at >= ' ' || *at == '\n');
    if (*at == '&')
      assert_true(strncmp(at, "&amp;", 5) == 0 || strncmp(at, "&lt;", 4) == 0 || strncmp(at, "&gt;", 4) == 0 ||
                  strncmp(at, "&quot;", 6) == 0);
    if (*at != '<') continue;
    const char *end = strchr(at, '>');
    assert_non_null(end);
    if (at[1] == '/') assert_true(--depth >= 0);
    else if (at[1] != '?' && at[1] != '!' && end[-1] != '/') depth++;
    at = end;
  }
  assert_int_equal(depth, 0);
}

/* The cell whose title begins so. */
static struct cell cell_of(const char *text, const char *title)
{
  char start[128];
  struct cell cell = { 0 };
  snprintf(start, sizeof start, "<g><title>%s", title);
  const char *at = strstr(text, start);
  assert_non_null(at);
  at = strstr(at, "<rect x=\"");
  assert_non_null(at);
  assert_int_equal(sscanf(at, "<rect x=\"%lf\" y=\"%d\" width=\"%lf\"", &cell.x, &cell.y, &cell.width), 3);
  return cell;
}

static bool about(double a, double b)
{
  return a - b < 0.02 && b - a < 0.02;
}

static void test_cells(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  char *text = export_fixture_text(&fixture, RTOP_FILE_SVG);
  check_xml(text);
  struct cell all = cell_of(text, "all\n0.400 s, 100.00%, self 0.000 s<");
  struct cell top = cell_of(text, "&lt;main&gt; (/app/m.rb:1)\n0.400 s, 100.00%, self 0.200 s<");
  struct cell price = cell_of(text, "Price#total (/app/p;r.rb:4)\n0.200 s, 50.00%, self 0.150 s<");
  struct cell gsub = cell_of(text, "String#gsub (&lt;C&gt;)\n0.050 s, 12.50%");
  assert_true(about(all.width, 1180) && about(top.width, 1180));
  assert_true(about(price.width, 590) && about(gsub.width, 147.5));
  assert_true(top.y - all.y == 17 && price.y - top.y == 17 && gsub.y - price.y == 17);
  assert_true(about(price.x, top.x) && about(gsub.x, price.x));
  assert_non_null(strstr(text, ">Price#total</text>"));
  assert_non_null(strstr(text, "4711 ruby m.rb</text>"));
  free(text);
  report_fixture_destroy(&fixture);
}

static void test_difference(void **state)
{
  (void)state;
  char *text = export_fixture_difference(RTOP_FILE_SVG);
  check_xml(text);
  assert_non_null(strstr(text, "\nbefore 0.000 s, 0.00%, change +12.50</title>"));
  const char *gsub = strstr(text, "<title>String#gsub");
  assert_true(strstr(gsub, "fill=\"#ff") == strstr(gsub, "fill=\""));
  free(text);
}

/* Hostile names, and no row is wider than what stands above it. */
static void test_random(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    struct report_fixture fixture;
    double widths[2000] = { 0 };
    report_fixture_setup(&fixture);
    export_fixture_random(&fixture, seed, 3, 200);
    char *text = export_fixture_text(&fixture, RTOP_FILE_SVG);
    check_xml(text);
    for (const char *at = text; (at = strstr(at, "<rect x=\"")); at++) {
      struct cell cell;
      assert_int_equal(sscanf(at, "<rect x=\"%lf\" y=\"%d\" width=\"%lf\"", &cell.x, &cell.y, &cell.width), 3);
      assert_true(cell.x >= 10 && cell.x + cell.width < 1190.02);
      assert_in_range(cell.y, 58, 1999);
      widths[cell.y] += cell.width;
    }
    for (int y = 58 + 17; y < 2000; y += 17) assert_true(widths[y] <= widths[y - 17] + 1);
    free(text);
    report_fixture_destroy(&fixture);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_cells),
    cmocka_unit_test(test_difference),
    cmocka_unit_test(test_random),
  };
  setlocale(LC_CTYPE, "C.UTF-8");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
