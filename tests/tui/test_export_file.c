#include "export_fixture.h"

#include <errno.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

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
    cmocka_unit_test(test_file_appears_when_complete),
    cmocka_unit_test(test_files_that_cannot_be_written),
  };
  setlocale(LC_CTYPE, "C.UTF-8");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
