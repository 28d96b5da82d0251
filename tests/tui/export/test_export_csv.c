#include "tests/tui/export_fixture.h"

#include <locale.h>
#include <string.h>

/* One field of RFC 4180 from `at`; returns what ended it (',', '\n' or 0) and moves `at` behind that. */
static char csv_field(const char **at, char *field, size_t bytes)
{
  size_t used = 0;
  bool quoted = **at == '"';
  for (*at += quoted; **at; (*at)++) {
    if (quoted && **at == '"' && (*at)[1] == '"') (*at)++;
    else if (quoted && **at == '"') quoted = false;
    else if (!quoted && **at == '"') fail_msg("a quotation mark inside a plain field");
    else if (!quoted && (**at == ',' || **at == '\r')) break;
    if (**at == '"' && !quoted) continue;
    assert_true(used + 1 < bytes);
    field[used++] = **at;
  }
  field[used] = '\0';
  char end = **at;
  if (end == '\r') {
    assert_int_equal((*at)[1], '\n');
    (*at)++;
    end = '\n';
  }
  *at += end != 0;
  return end;
}

enum { CSV_FIELDS_MAX = 64, CSV_FIELD_BYTES = 5000 };
struct csv_row {
  char fields[CSV_FIELDS_MAX][CSV_FIELD_BYTES];
  int count;
};

static bool csv_read(const char **at, struct csv_row *row)
{
  row->count = 0;
  if (!**at) return false;
  char end;
  do {
    assert_true(row->count < CSV_FIELDS_MAX);
    end = csv_field(at, row->fields[row->count++], CSV_FIELD_BYTES);
    assert_true(end != 0); /* every line is ended */
  } while (end == ',');
  return true;
}

static int csv_column(const struct csv_row *heading, const char *name)
{
  for (int i = 0; i < heading->count; i++)
    if (strcmp(heading->fields[i], name) == 0) return i;
  fail_msg("no column %s", name);
  return -1;
}

static void test_table(void **state)
{
  (void)state;
  static struct csv_row heading, row;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  char *text = export_fixture_text(&fixture, RTOP_FILE_CSV);
  const char *at = text;
  assert_true(csv_read(&at, &heading));
  assert_true(csv_read(&at, &row));
  assert_int_equal(row.count, heading.count);
  assert_string_equal(row.fields[csv_column(&heading, "method")], "<main>");
  assert_string_equal(row.fields[csv_column(&heading, "path")], "/app/m.rb");
  assert_string_equal(row.fields[csv_column(&heading, "line")], "1");
  assert_string_equal(row.fields[csv_column(&heading, "kind")], "ruby");
  assert_string_equal(row.fields[csv_column(&heading, "self")], "0.200000000");
  assert_string_equal(row.fields[csv_column(&heading, "total")], "0.400000000");
  assert_string_equal(row.fields[csv_column(&heading, "ratio")], "1.000000");
  assert_true(csv_read(&at, &row));
  assert_string_equal(row.fields[csv_column(&heading, "method")], "Price#total");
  assert_string_equal(row.fields[csv_column(&heading, "self_cpu")], "0.090000001");
  assert_string_equal(row.fields[csv_column(&heading, "self_allocations")], "77");
  assert_string_equal(row.fields[csv_column(&heading, "total_waiting")], "0.020000000");
  assert_true(csv_read(&at, &row));
  assert_string_equal(row.fields[csv_column(&heading, "kind")], "c");
  assert_string_equal(row.fields[csv_column(&heading, "self_blame")], "0.003000000");
  assert_false(csv_read(&at, &row));
  free(text);
  report_fixture_destroy(&fixture);
}

/* Self times of all rows are the time of the sum; no name is a formula or breaks a row. */
static void check_random(struct report_fixture *fixture, uint64_t seed)
{
  static struct csv_row heading, row;
  (void)seed;
  char *text = export_fixture_text(fixture, RTOP_FILE_CSV);
  const char *at = text;
  double self = 0, cpu = 0, samples = 0;
  assert_true(csv_read(&at, &heading));
  while (csv_read(&at, &row)) {
    assert_int_equal(row.count, heading.count);
    for (int i = 0; i < 2; i++) assert_false(row.fields[i][0] && strchr("=+-@", row.fields[i][0]));
    self += atof(row.fields[csv_column(&heading, "self")]);
    cpu += atof(row.fields[csv_column(&heading, "self_cpu")]);
    samples += atof(row.fields[csv_column(&heading, "self_samples")]);
  }
  const struct rtop_cost *total = &fixture->report.sum.total;
  assert_true(self * 1e9 - (double)rtop_cost_wall(total) < 1 && self * 1e9 - (double)rtop_cost_wall(total) > -1);
  assert_true(cpu * 1e9 - (double)total->cpu_ns < 1 && cpu * 1e9 - (double)total->cpu_ns > -1);
  assert_true(samples == (double)total->samples);
  free(text);
}

static void test_random(void **state)
{
  (void)state;
  export_fixture_each_random(check_random);
}

static void test_changes(void **state)
{
  (void)state;
  static struct csv_row heading, row;
  struct report_fixture fixture;
  struct rtop_sum before = { 0 };
  report_fixture_setup(&fixture);
  assert_true(rtop_profile_sum(fixture.profile, fixture_span(1000 * MS, 1100 * MS), &before));
  struct rtop_export given = export_fixture_given(&fixture);
  given.baseline = &before;
  struct export_text text = export_fixture_take(&given, RTOP_FILE_CSV, false);
  const char *at = text.bytes;
  assert_true(csv_read(&at, &heading));
  assert_true(csv_read(&at, &row));
  assert_string_equal(row.fields[csv_column(&heading, "method")], "<main>");
  assert_string_equal(row.fields[csv_column(&heading, "self_before")], "0.100000000");
  assert_string_equal(row.fields[csv_column(&heading, "self_change")], "0.100000000");
  free(text.bytes);
  given.sum = &before; /* the other way round: a method that is gone now has a row */
  given.baseline = &fixture.report.sum;
  text = export_fixture_take(&given, RTOP_FILE_CSV, false);
  at = text.bytes;
  bool gone = false;
  assert_true(csv_read(&at, &heading));
  while (csv_read(&at, &row))
    if (strcmp(row.fields[0], "String#gsub") == 0) {
      gone = true;
      assert_string_equal(row.fields[csv_column(&heading, "self")], "0.000000000");
      assert_string_equal(row.fields[csv_column(&heading, "self_change")], "-0.050000000");
    }
  assert_true(gone);
  free(text.bytes);
  rtop_sum_destroy(&before);
  report_fixture_destroy(&fixture);
}

static void labels_are(const struct report_fixture *fixture, const char *wanted)
{
  struct rtop_export given = export_fixture_given((struct report_fixture *)fixture);
  given.labels = true;
  struct export_text text = export_fixture_take(&given, RTOP_FILE_CSV, false);
  assert_string_equal(text.bytes, wanted);
  free(text.bytes);
}

#define LABELS_HEADING                                                                                                 \
  "key,value,count,each,self,total,running,waiting,blocked,marking,sweeping,cpu,blame,allocations,samples\r\n"

static void test_labels(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  labels_are(&fixture, LABELS_HEADING);
  report_fixture_labels(&fixture);
  fixture.options.mode = RTOP_MODE_BUSY;
  static const char figures[] = ",2,0.015000000,0.010000000,0.030000000,0.010000000,0.000000000,0.020000000,"
                                "0.000000000,0.000000000,0.000000000,0.000000000,0,2\r\n";
  char wanted[2000];
  snprintf(wanted, sizeof wanted, "%sendpoint,\"GET /a,b\"%stenant,\"'=1+1\"%s", LABELS_HEADING, figures, figures);
  labels_are(&fixture, wanted);
  fixture.options.mode = RTOP_MODE_WALL;
  fixture.options.sort = RTOP_SORT_NAME;
  fixture.options.reverse = true;
  fixture.options.filter = "of methods";
  static const char wall[] = ",2,0.015000000,0.030000000,0.030000000,0.010000000,0.000000000,0.020000000,"
                             "0.000000000,0.000000000,0.000000000,0.000000000,0,2\r\n";
  snprintf(wanted, sizeof wanted, "%stenant,\"'=1+1\"%sendpoint,\"GET /a,b\"%s", LABELS_HEADING, wall, wall);
  labels_are(&fixture, wanted);
  report_fixture_destroy(&fixture);
}

/* Whether an expression leaves threads out or the screen: counts, which are of all threads, are not told. */
static void test_labels_of_some_threads(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  report_fixture_labels(&fixture);
  static const char nothing[] = "tenant,\"'=1+1\",,,0.000000000,0.000000000,";
  for (int by_name = 0; by_name < 2; by_name++) {
    if (by_name) fixture.options.thread_filter = "t2";
    fixture.report.sum.threads[0].hidden = !by_name;
    struct rtop_export given = export_fixture_given(&fixture);
    given.labels = true;
    struct export_text text = export_fixture_take(&given, RTOP_FILE_CSV, false);
    assert_non_null(strstr(text.bytes, nothing));
    free(text.bytes);
  }
  report_fixture_destroy(&fixture);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_table),  cmocka_unit_test(test_labels),  cmocka_unit_test(test_labels_of_some_threads),
    cmocka_unit_test(test_random), cmocka_unit_test(test_changes),
  };
  setlocale(LC_CTYPE, "C.UTF-8");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
