/* What holds for every format: totals, filters, compression, writers that fail. */
#include "tests/tui/export_fixture.h"

#include <errno.h>
#include <locale.h>
#include <unistd.h>
#include <zlib.h>

static void test_compressed_is_the_same(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  export_fixture_random(&fixture, 7, 4, 300);
  struct rtop_export given = export_fixture_given(&fixture);
  for (int format = 0; format < RTOP_FILE_FORMATS; format++) {
    struct export_text plain = export_fixture_take(&given, (enum rtop_file_format)format, false);
    struct export_text gzip = export_fixture_take(&given, (enum rtop_file_format)format, true);
    assert_true(gzip.count < plain.count);
    char *back = malloc(plain.count + 1);
    z_stream stream = { .next_in = (Bytef *)gzip.bytes,
                        .avail_in = (uInt)gzip.count,
                        .next_out = (Bytef *)back,
                        .avail_out = (uInt)plain.count + 1 };
    assert_int_equal(inflateInit2(&stream, 31), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.avail_in, 0);
    inflateEnd(&stream);
    assert_int_equal(stream.total_out, plain.count);
    assert_memory_equal(back, plain.bytes, plain.count);
    free(back);
    free(plain.bytes);
    free(gzip.bytes);
  }
  report_fixture_destroy(&fixture);
}

static void test_full_disk(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  export_fixture_random(&fixture, 8, 4, 300);
  struct rtop_export given = export_fixture_given(&fixture);
  for (int format = 0; format < RTOP_FILE_FORMATS; format++)
    for (int gzip = 0; gzip < 2; gzip++) {
      FILE *out = fopen("/dev/full", "w");
      assert_non_null(out);
      errno = 0;
      assert_false(rtop_export_write(&given, (struct rtop_file_kind){ (enum rtop_file_format)format, gzip }, out));
      assert_int_equal(errno, ENOSPC);
      fclose(out);
    }
  report_fixture_destroy(&fixture);
}

/* What a format says of nothing: `empty` of a span without time, `lost` when it is compared with one that has some. */
static const struct {
  const char *empty, *lost;
} nothing[RTOP_FILE_FORMATS] = {
  [RTOP_FILE_TEXT] = { "\nFlat, by self: 0 of 0 methods\n", "\ncompared with 0.200 s before:\n" },
  [RTOP_FILE_COLLAPSED] = { "", "<main>;Price#total;String#gsub 50000 0\n" },
  [RTOP_FILE_HTML] = { "\n\"slices\":[],\n", "\n\"slices\":[],\n" },
  [RTOP_FILE_CSV] = { "method,path,line,", "\n<main>,/app/m.rb,1,ruby,0.000000000," },
  [RTOP_FILE_PPROF] = { "", "" },
  [RTOP_FILE_SPEEDSCOPE] = { "\n\"samples\":[],\n", "\n\"samples\":[],\n" },
  [RTOP_FILE_SVG] = { "wall time of all threads: 0.000 s<", "blue: less</text>" },
  [RTOP_FILE_TRACE] = { "\"name\":\"process_name\"", "\"name\":\"process_name\"" },
  [RTOP_FILE_RPERF] = { "\n\"aggregated_samples\":[],\n", "\n\"aggregated_samples\":[],\n" },
};

static void test_nothing_to_write(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  struct rtop_sum empty = { 0 };
  struct rtop_export given = export_fixture_given(&fixture);
  given.sum = &empty;
  for (int format = 0; format < RTOP_FILE_FORMATS; format++) {
    given.baseline = NULL;
    struct export_text alone = export_fixture_take(&given, (enum rtop_file_format)format, false);
    assert_non_null(strstr(alone.bytes, nothing[format].empty));
    assert_null(strstr(alone.bytes, "Price#total"));
    given.baseline = &fixture.report.sum;
    struct export_text compared = export_fixture_take(&given, (enum rtop_file_format)format, false);
    assert_non_null(strstr(compared.bytes, nothing[format].lost));
    assert_int_equal(alone.count == 0, format == RTOP_FILE_COLLAPSED); /* a file of rows alone has no head */
    free(alone.bytes);
    free(compared.bytes);
  }
  report_fixture_destroy(&fixture);
}

static void test_save(void **state)
{
  (void)state;
  struct report_fixture fixture;
  char folder[] = "/tmp/rtop-test-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  report_fixture_setup(&fixture);
  struct rtop_export given = export_fixture_given(&fixture);
  snprintf(path, sizeof path, "%s/a.collapsed", folder);
  assert_true(rtop_export_save(&given, path));
  assert_int_equal(access(path, F_OK), 0);
  unlink(path);
  snprintf(path, sizeof path, "%s/a.png", folder);
  assert_false(rtop_export_save(&given, path));
  assert_int_equal(errno, EINVAL);
  assert_int_equal(rmdir(folder), 0);
  report_fixture_destroy(&fixture);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_compressed_is_the_same),
    cmocka_unit_test(test_full_disk),
    cmocka_unit_test(test_nothing_to_write),
    cmocka_unit_test(test_save),
  };
  setlocale(LC_CTYPE, "C.UTF-8");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
