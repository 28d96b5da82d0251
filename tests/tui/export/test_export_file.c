#include "tests/tui/export_fixture.h"

#include "tui/text/temporary.h"
#include <dirent.h>
#include <errno.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

static int entries_of(const char *folder)
{
  int count = 0;
  DIR *entries = opendir(folder);
  for (struct dirent *entry; (entry = readdir(entries));) count += entry->d_name[0] != '.';
  closedir(entries);
  return count;
}

/* A link that somebody planted is replaced; where it leads nothing is written. */
static void test_a_planted_link_is_not_followed(void **state)
{
  (void)state;
  char folder[] = "/tmp/rtop-test-XXXXXX", path[64], victim[64];
  struct rtop_export_file file;
  struct stat status;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/a.txt", folder);
  snprintf(victim, sizeof victim, "%s/victim", folder);
  fclose(fopen(victim, "w"));
  assert_int_equal(symlink(victim, path), 0);
  assert_true(rtop_export_file_open(&file, path));
  fputs("hello", file.stream);
  assert_true(rtop_export_file_close(&file, true));
  assert_int_equal(lstat(path, &status), 0);
  assert_true(S_ISREG(status.st_mode));
  assert_int_equal(stat(victim, &status), 0);
  assert_int_equal(status.st_size, 0);
  unlink(path);
  unlink(victim);
  assert_int_equal(rmdir(folder), 0);
}

/* Logs: a folder full of names that were planted stops nobody. */
static void test_log_names_cannot_be_taken(void **state)
{
  (void)state;
  char folder[] = "/tmp/rtop-test-XXXXXX", path[128], other[128];
  struct stat status;
  assert_non_null(mkdtemp(folder));
  setenv("TMPDIR", folder, 1);
  int fd = rtop_temporary_log("", path, sizeof path), second = rtop_temporary_log("stall", other, sizeof other);
  assert_true(fd >= 0 && second >= 0);
  assert_int_equal(fstat(fd, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0600);
  assert_non_null(strstr(other, "-stall-"));
  assert_int_equal(strlen(strrchr(path, '-')), strlen("-XXXXXX.log"));
  char before[128];
  strcpy(before, path);
  close(fd);
  unlink(path);
  fd = rtop_temporary_log("", path, sizeof path);
  assert_string_not_equal(before, path); /* nobody knows the next one */
  close(fd);
  close(second);
  unlink(path);
  unlink(other);
  assert_int_equal(rmdir(folder), 0);
  unsetenv("TMPDIR");
}

static void test_file_appears_when_complete(void **state)
{
  (void)state;
  char folder[] = "/tmp/rtop-test-XXXXXX", path[64], line[16] = "";
  struct rtop_export_file file;
  struct stat status;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/a.txt", folder);
  mode_t mask = umask(0);
  assert_true(rtop_export_file_open(&file, path));
  umask(mask);
  fputs("hello", file.stream);
  assert_int_equal(access(path, F_OK), -1);
  assert_int_equal(entries_of(folder), 0); /* whoever is killed now leaves nothing */
  assert_true(rtop_export_file_close(&file, true));
  assert_int_equal(stat(path, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0600);
  assert_true(rtop_export_file_open(&file, path)); /* thrown away: the old one stays */
  fputs("other", file.stream);
  assert_true(rtop_export_file_close(&file, false));
  FILE *in = fopen(path, "r");
  assert_non_null(fgets(line, sizeof line, in));
  fclose(in);
  assert_string_equal(line, "hello");
  unlink(path);
  assert_int_equal(rmdir(folder), 0); /* nothing else was left */
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
    cmocka_unit_test(test_a_planted_link_is_not_followed),
    cmocka_unit_test(test_log_names_cannot_be_taken),
    cmocka_unit_test(test_files_that_cannot_be_written),
  };
  setlocale(LC_CTYPE, "C.UTF-8");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
