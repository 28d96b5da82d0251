#include "report_fixture.h"

#include "tui/export.h"
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *collapsed(struct report_fixture *fixture, enum rtop_mode mode)
{
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  rtop_export_collapsed(rtop_profile_symbols(fixture->profile), &fixture->report.sum, mode, out);
  fclose(out);
  char *copy = strdup(text);
  free(text);
  return copy;
}

static void test_collapsed(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  char *text = collapsed(&fixture, RTOP_MODE_WALL);
  assert_string_equal(text, "<main> 200000\n"
                            "<main>;Price#total 150000\n"
                            "<main>;Price#total;String#gsub 50000\n");
  free(text);
  text = collapsed(&fixture, RTOP_MODE_CPU);
  assert_string_equal(text, "<main>;Price#total 90000\n");
  free(text);
  report_fixture_destroy(&fixture);
}

/* Stacks that differ only in lines are one; ';' in a name would part it in two. */
static void test_collapsed_merges_lines(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  struct rtop_symbols *symbols = rtop_profile_symbols(fixture.profile);
  uint32_t outer = fixture_frame(symbols, "out;er", "/x.rb", 1);
  uint32_t inner = fixture_frame(symbols, "in\ner", "/x.rb", 2);
  fixture_window(&fixture.window, 1200 * MS, 1300 * MS);
  uint32_t thread = fixture_thread(&fixture.window, 1, RTOP_RUNNING, 0, 0);
  for (uint32_t line = 1; line <= 10; line++) {
    uint32_t node = rtop_symbols_node(symbols, rtop_symbols_node(symbols, 0, outer, line % 3), inner, line);
    fixture_cell(&fixture.window, thread, node, RTOP_RUNNING, 10 * MS + 100);   /* 0.1 us are not lost */
  }
  fixture_add(fixture.profile, 0, &fixture.window);
  report_fixture_take(&fixture);
  char *text = collapsed(&fixture, RTOP_MODE_WALL);
  assert_non_null(strstr(text, "out:er;in?er 100001\n"));
  assert_null(strstr(strstr(text, "out:er") + 1, "out:er"));
  free(text);
  report_fixture_destroy(&fixture);
}

static void test_text(void **state)
{
  (void)state;
  struct report_fixture fixture;
  char *text = NULL;
  size_t bytes = 0;
  report_fixture_setup(&fixture);
  FILE *out = open_memstream(&text, &bytes);
  assert_true(rtop_export_text(&fixture.report, out));
  fclose(out);
  assert_non_null(strstr(text, "process 4711: ruby m.rb\n"));
  assert_non_null(strstr(text, "0.150 running, 0.020 waiting for the GVL, 0.220 blocked, 0.010 marking"));
  char *flat = strstr(text, "Flat, by self: 3 of 3");
  char *cumulative = strstr(text, "Cumulative, by total: 3 of 3");
  assert_true(flat && cumulative && flat < cumulative);
  assert_non_null(strstr(flat, "    0.150  37.5%     0.200  50.0%     0.090     0.000     0.000"
                               "  Price#total"));
  assert_true(strstr(cumulative, "<main>") < strstr(cumulative, "Price#total"));
  assert_true(strstr(cumulative, "Price#total") < strstr(cumulative, "String#gsub"));
  free(text);
  report_fixture_destroy(&fixture);
}

static void test_batch_text(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  for (int columns = 40; columns <= 160; columns += 40) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    rtop_report_write_text(&fixture.report, out, columns);
    fclose(out);
    assert_null(strchr(text, '\033'));
    assert_non_null(strstr(text, "SELF%v"));
    assert_non_null(strstr(text, "   75.0   100.0    0.0"));
    assert_non_null(strstr(text, "[live]"));
    assert_string_equal(text + bytes - 2, "\n\n");
    char *table = strstr(text, "  SELF%");
    for (char *line = strtok(table, "\n"); line && columns >= 80; line = strtok(NULL, "\n"))
      assert_true((int)strlen(line) <= columns);
    free(text);
  }
  report_fixture_destroy(&fixture);
}

static void test_formats(void **state)
{
  (void)state;
  enum rtop_export_format format;
  assert_true(rtop_export_format("a.collapsed", &format) && format == RTOP_EXPORT_COLLAPSED);
  assert_true(rtop_export_format("/x.y/a.b.txt", &format) && format == RTOP_EXPORT_TEXT);
  assert_false(rtop_export_format("a.pb.gz", &format));
  assert_false(rtop_export_format("a", &format));
  assert_false(rtop_export_format("/x.txt/a", &format));
  assert_false(rtop_export_format("/x/.txt", &format));
}

static void test_file_appears_when_complete(void **state)
{
  (void)state;
  char folder[] = "/tmp/rtop-test-XXXXXX", path[64], line[16] = "";
  struct rtop_export_file file;
  struct stat status;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/a.txt", folder);
  mode_t mask = umask(027);
  assert_true(rtop_export_file_open(&file, path));
  umask(mask);
  fputs("hello", file.stream);
  assert_int_equal(access(path, F_OK), -1);
  assert_true(rtop_export_file_close(&file, true));
  assert_int_equal(stat(path, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0640);
  assert_true(rtop_export_file_open(&file, path));     /* thrown away: the old one stays */
  fputs("other", file.stream);
  assert_true(rtop_export_file_close(&file, false));
  FILE *in = fopen(path, "r");
  assert_non_null(fgets(line, sizeof line, in));
  fclose(in);
  assert_string_equal(line, "hello");
  unlink(path);
  assert_int_equal(rmdir(folder), 0);                  /* nothing else was left */
}

static void test_files_that_cannot_be_written(void **state)
{
  (void)state;
  struct rtop_export_file file;
  assert_false(rtop_export_file_open(&file, "/no/such/folder/a.txt"));
  assert_int_equal(errno, ENOENT);
  assert_false(rtop_export_file_open(&file, "/tmp"));
  assert_int_equal(errno, EISDIR);
  assert_false(rtop_export_file_open(&file, "/dev/null"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_collapsed),
    cmocka_unit_test(test_collapsed_merges_lines),
    cmocka_unit_test(test_text),
    cmocka_unit_test(test_batch_text),
    cmocka_unit_test(test_formats),
    cmocka_unit_test(test_file_appears_when_complete),
    cmocka_unit_test(test_files_that_cannot_be_written),
  };
  setlocale(LC_CTYPE, "C.UTF-8");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
