/* Memory runs out while an export begins or ends: it is said, and no file is left. */
#include "tests/tui/export_fixture.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* Which call fails: 0: none; n: the nth. */
static int fdopen_fails, cookie_fails, deflate_fails, close_fails;

static bool fails(int *counter)
{
  return *counter > 0 && --*counter == 0;
}

static void *real(const char *name)
{
  void *function = dlsym(RTLD_NEXT, name);
  assert_non_null(function);
  return function;
}

FILE *fdopen(int fd, const char *mode)
{
  FILE *(*open)(int, const char *) = (FILE * (*)(int, const char *)) real("fdopen");
  return fails(&fdopen_fails) ? NULL : open(fd, mode);
}

FILE *fopencookie(void *cookie, const char *mode, cookie_io_functions_t functions)
{
  FILE *(*open)(void *, const char *, cookie_io_functions_t) =
      (FILE * (*)(void *, const char *, cookie_io_functions_t)) real("fopencookie");
  return fails(&cookie_fails) ? NULL : open(cookie, mode, functions);
}

int deflateInit2_(z_streamp stream, int level, int method, int bits, int memory, int strategy, const char *version,
                  int bytes)
{
  int (*init)(z_streamp, int, int, int, int, int, const char *, int) =
      (int (*)(z_streamp, int, int, int, int, int, const char *, int))real("deflateInit2_");
  if (fails(&deflate_fails)) return Z_MEM_ERROR;
  return init(stream, level, method, bits, memory, strategy, version, bytes);
}

int fclose(FILE *stream)
{
  int (*close)(FILE *) = (int (*)(FILE *))real("fclose");
  bool failed = fails(&close_fails);
  int status = close(stream);
  if (!failed) return status;
  errno = EIO;
  return EOF;
}

static void assert_fails(struct rtop_export *given, const char *name, int *counter, int nth)
{
  char folder[] = "/tmp/rtop-test-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/%s", folder, name);
  *counter = nth;
  errno = 0;
  bool fine = rtop_export_save(given, path);
  int problem = errno;
  assert_int_equal(*counter, 0);
  assert_false(fine);
  assert_int_equal(problem, ENOMEM);
  assert_int_equal(rmdir(folder), 0); /* nothing is left in it */
}

static void test_no_memory_for_a_stream(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  struct rtop_export given = export_fixture_given(&fixture);
  assert_fails(&given, "a.csv", &fdopen_fails, 1);
  assert_fails(&given, "a.csv", &cookie_fails, 1);
  assert_fails(&given, "a.json.gz", &cookie_fails, 1);
  assert_fails(&given, "a.json.gz", &cookie_fails, 2);
  assert_fails(&given, "a.json.gz", &deflate_fails, 1);
  report_fixture_destroy(&fixture);
}

/* The last bytes of a file on a server of files. */
static void test_what_closing_says(void **state)
{
  (void)state;
  struct rtop_export_file file;
  char folder[] = "/tmp/rtop-test-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/a.csv", folder);
  assert_true(rtop_export_file_open(&file, path));
  fputs("a,b\n", file.stream);
  close_fails = 1;
  assert_false(rtop_export_file_close(&file, true));
  assert_int_equal(errno, EIO);
  unlink(path);
  assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_no_memory_for_a_stream),
    cmocka_unit_test(test_what_closing_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
