#include "tests/shm/support.h"

#include "shm/segment/segment_file.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void make_both_ways(bool anonymous)
{
  struct segment_file file;
  struct rtop_error error = { 0 };
  struct stat status;
  mode_t before = umask(0777);
  assert_int_equal(segment_file_make(&file, support_directory(), anonymous, &error), 0);
  umask(before);
  assert_int_equal(support_count_files(), anonymous ? 0 : 1);
  assert_int_equal(segment_file_reserve(file.fd, 0, 100000, &error), 0);
  assert_int_equal(fstat(file.fd, &status), 0);
  assert_int_equal(status.st_size, 100000);
  assert_true(status.st_blocks * 512 >= 100000);
  assert_int_equal(segment_file_name(&file, "made", &error), 0);
  int fd = file.fd;
  segment_file_finish(&file, true);
  assert_int_equal(support_count_files(), 1);
  assert_int_equal(stat(support_path("made"), &status), 0);
  assert_int_equal(status.st_mode & 07777, 0600);
  assert_int_equal(status.st_nlink, 1);
  assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
  close(fd);
}

static void test_make_without_a_name(void **state)
{
  (void)state;
  make_both_ways(true);
}

static void test_make_under_a_temporary_name(void **state)
{
  (void)state;
  make_both_ways(false);
}

static void test_given_up_leaves_nothing(void **state)
{
  (void)state;
  for (int anonymous = 0; anonymous < 2; anonymous++) {
    struct segment_file file;
    assert_int_equal(segment_file_make(&file, support_directory(), anonymous != 0, NULL), 0);
    segment_file_finish(&file, false);
    assert_int_equal(support_count_files(), 0);
    assert_int_equal(file.fd, -1);
  }
}

/* Whatever stands under the name stays as it is. */
static void test_name_taken(void **state)
{
  (void)state;
  for (int anonymous = 0; anonymous < 2; anonymous++) {
    struct segment_file file;
    struct rtop_error error = { 0 };
    assert_int_equal(symlink("/etc/passwd", support_path("taken")), 0);
    assert_int_equal(segment_file_make(&file, support_directory(), anonymous != 0, NULL), 0);
    assert_int_equal(segment_file_name(&file, "taken", &error), -1);
    assert_int_equal(error.errno_value, EEXIST);
    segment_file_finish(&file, false);
    assert_int_equal(support_count_files(), 1);
    unlink(support_path("taken"));
  }
}

static void test_no_directory(void **state)
{
  (void)state;
  struct segment_file file;
  struct rtop_error error = { 0 };
  assert_int_equal(segment_file_make(&file, support_path("missing"), true, &error), -1);
  assert_int_equal(error.errno_value, ENOENT);
  assert_non_null(strstr(error.text, "RPERF_TOP_DIR"));
}

static enum rtop_error_code open_code(const char *name, uid_t uid)
{
  struct rtop_error error = { 0 };
  struct stat status;
  int fd = segment_file_open(support_path(name), uid, O_RDONLY, &status, &error);
  if (fd >= 0) close(fd);
  assert_int_equal(fd < 0, error.code != RTOP_ERROR_NONE);
  return error.code;
}

static void make_file(const char *name, mode_t mode)
{
  int fd = open(support_path(name), O_CREAT | O_RDWR | O_EXCL, 0600);
  assert_true(fd >= 0);
  fchmod(fd, mode);
  close(fd);
}

static void test_open_safely(void **state)
{
  (void)state;
  make_file("good", 0600);
  make_file("group", 0620);
  make_file("others", 0602);
  make_file("readable", 0644);
  make_file("two", 0600);
  assert_int_equal(link(support_path("two"), support_path("names")), 0);
  assert_int_equal(symlink("good", support_path("link")), 0);
  assert_int_equal(symlink("missing", support_path("dangling")), 0);
  assert_int_equal(mkdir(support_path("folder"), 0700), 0);
  assert_int_equal(mkfifo(support_path("fifo"), 0600), 0);
  assert_int_equal(open_code("good", (uid_t)-1), RTOP_ERROR_NONE);
  assert_int_equal(open_code("good", geteuid()), RTOP_ERROR_NONE);
  assert_int_equal(open_code("good", geteuid() + 1), RTOP_ERROR_UNSAFE);
  assert_int_equal(open_code("readable", (uid_t)-1), RTOP_ERROR_NONE);
  assert_int_equal(open_code("group", (uid_t)-1), RTOP_ERROR_UNSAFE);
  assert_int_equal(open_code("others", (uid_t)-1), RTOP_ERROR_UNSAFE);
  assert_int_equal(open_code("two", (uid_t)-1), RTOP_ERROR_UNSAFE);
  assert_int_equal(open_code("names", (uid_t)-1), RTOP_ERROR_UNSAFE);
  assert_int_equal(open_code("link", (uid_t)-1), RTOP_ERROR_UNSAFE);
  assert_int_equal(open_code("dangling", (uid_t)-1), RTOP_ERROR_UNSAFE);
  assert_int_equal(open_code("folder", (uid_t)-1), RTOP_ERROR_UNSAFE);
  assert_int_equal(open_code("fifo", (uid_t)-1), RTOP_ERROR_UNSAFE);
  assert_int_equal(open_code("missing", (uid_t)-1), RTOP_ERROR_NOT_FOUND);
}

/* Beyond the limit nothing is written and the process lives: SIGXFSZ is at its default. */
static int reserve_limited(struct support_pipes pipes, void *argument)
{
  (void)pipes;
  (void)argument;
  struct rlimit limit = { 50000, 50000 };
  struct segment_file file;
  struct rtop_error error = { 0 };
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0 || segment_file_make(&file, support_directory(), true, NULL) != 0) return 1;
  if (segment_file_size_allowed(50001) || !segment_file_size_allowed(50000)) return 2;
  if (segment_file_size(file.fd, 50001, &error) != -1 || error.code != RTOP_ERROR_NO_SPACE) return 3;
  if (segment_file_size(file.fd, 50000, &error) != 0) return 4;
  return segment_file_reserve(file.fd, 4096, 45904, &error) == 0 ? 0 : 5;
}

static void test_file_size_limit(void **state)
{
  (void)state;
  struct support_child child = support_fork(reserve_limited, NULL);
  assert_int_equal(support_join(&child), 0);
}

static void test_full_file_system(void **state)
{
  (void)state;
  struct segment_file file;
  struct rtop_error error = { 0 };
  assert_int_equal(mkdir(support_path("small"), 0700), 0);
  if (mount("tmpfs", support_path("small"), "tmpfs", 0, "size=1m") != 0) skip();
  assert_int_equal(segment_file_make(&file, support_path("small"), true, NULL), 0);
  int too_much = segment_file_reserve(file.fd, 0, 3 << 20, &error);
  segment_file_finish(&file, false);
  assert_int_equal(segment_file_make(&file, support_path("small"), true, NULL), 0);
  int enough = segment_file_reserve(file.fd, 4096, 1 << 19, NULL);
  segment_file_finish(&file, false);
  assert_int_equal(umount(support_path("small")), 0);
  assert_int_equal(too_much, -1);
  assert_int_equal(error.code, RTOP_ERROR_NO_SPACE);
  assert_int_equal(error.errno_value, ENOSPC);
  assert_int_equal(enough, 0);
}

#define FILE_TEST(name) cmocka_unit_test_setup(name, support_empty)

int main(void)
{
  const struct CMUnitTest tests[] = {
    FILE_TEST(test_make_without_a_name),
    FILE_TEST(test_make_under_a_temporary_name),
    FILE_TEST(test_given_up_leaves_nothing),
    FILE_TEST(test_name_taken),
    FILE_TEST(test_no_directory),
    FILE_TEST(test_open_safely),
    FILE_TEST(test_file_size_limit),
    FILE_TEST(test_full_file_system),
  };
  return cmocka_run_group_tests(tests, support_setup, support_teardown);
}
