#include "tests/shm/support.h"

#include "shm/base/liveness.h"
#include "shm/channel/reader.h"
#include "shm/segment/registry.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define KEPT_BYTES (UINT64_C(4) << 20)

/* A file under a segment's name, so old and so large, in memory too. */
static const char *make(unsigned number, int64_t age_s, off_t bytes)
{
  char name[80];
  snprintf(name, sizeof name, "rperf-top.%u.%u.%016x", (unsigned)geteuid(), 100 + number, number);
  const char *path = support_path(name);
  int fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  assert_true(fd >= 0);
  assert_int_equal(posix_fallocate(fd, 0, bytes), 0);
  struct timespec times[2] = { { .tv_sec = time(NULL) - (time_t)age_s }, { .tv_sec = time(NULL) - (time_t)age_s } };
  assert_int_equal(futimens(fd, times), 0);
  close(fd);
  return path;
}

static size_t sweep(void)
{
  return rtop_registry_sweep(support_directory(), KEPT_BYTES);
}

static void test_young_and_few_stay(void **state)
{
  (void)state;
  for (unsigned i = 0; i < 4; i++) make(i, 3000, 1 << 19);
  assert_int_equal(sweep(), 0);
  assert_int_equal(support_count_files(), 4);
}

static void test_older_than_an_hour_go(void **state)
{
  (void)state;
  make(1, 3500, 100);
  const char *old = make(2, 3700, 100);
  char control[620];
  snprintf(control, sizeof control, "%s.ctl", old);
  close(open(control, O_CREAT | O_RDWR, 0600));
  assert_int_equal(support_count_files(), 3);
  assert_int_equal(sweep(), 1);
  assert_int_equal(support_count_files(), 1);
  assert_int_equal(access(old, F_OK), -1);
}

static void test_beyond_the_newest_four_go(void **state)
{
  (void)state;
  char newest[4][600];
  for (unsigned i = 0; i < 10; i++) {
    const char *path = make(i, 1000 - (int64_t)i * 50, 100);
    if (i >= 6) strcpy(newest[i - 6], path);
  }
  assert_int_equal(sweep(), 6);
  for (int i = 0; i < 4; i++) assert_int_equal(access(newest[i], F_OK), 0);
  assert_int_equal(support_count_files(), 4);
}

/* The oldest go first; holes take no memory. */
static void test_beyond_the_memory_that_may_be_kept_go(void **state)
{
  (void)state;
  assert_int_equal(truncate(make(1, 10, 5 << 19), 1 << 30), 0);
  make(2, 20, 3 << 19);
  const char *third = make(3, 30, 1);
  assert_int_equal(sweep(), 1);
  assert_int_equal(access(third, F_OK), -1);
  assert_int_equal(rtop_registry_sweep(support_directory(), 3 << 20), 1);
  assert_int_equal(rtop_registry_sweep(support_directory(), 0), 1);
  assert_int_equal(support_count_files(), 0);
}

/* A control file whose process died before its segment had a name. */
static void test_orphans_go(void **state)
{
  (void)state;
  char young[600], old[600];
  snprintf(young, sizeof young, "%s.ctl", make(1, 0, 1));
  snprintf(old, sizeof old, "%s.ctl", make(2, 0, 1));
  struct timespec times[2] = { { .tv_sec = time(NULL) - 100 }, { .tv_sec = time(NULL) - 100 } };
  close(open(young, O_CREAT | O_RDWR, 0600));
  close(open(old, O_CREAT | O_RDWR, 0600));
  assert_int_equal(utimensat(AT_FDCWD, old, times, 0), 0);
  assert_int_equal(sweep(), 0);
  assert_int_equal(support_count_files(), 4);
  young[strlen(young) - 4] = old[strlen(old) - 4] = '\0';
  assert_int_equal(unlink(young), 0);
  assert_int_equal(unlink(old), 0);
  assert_int_equal(sweep(), 0);
  assert_int_equal(support_count_files(), 1);
}

static void test_other_names_stay(void **state)
{
  (void)state;
  static const char *const names[] = { "rperf-top", "rperf-top.0.1.zz", "something",
                                       "rperf-top.0.1.0123456789abcdef.bak" };
  for (size_t i = 0; i < 4; i++) {
    const char *path = support_path(names[i]);
    struct timespec long_ago[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
    close(open(path, O_CREAT | O_RDWR, 0600));
    utimensat(AT_FDCWD, path, long_ago, 0);
  }
  assert_int_equal(sweep(), 0);
  assert_int_equal(support_count_files(), 4);
}

static void test_other_users_and_links_stay(void **state)
{
  (void)state;
  const char *foreign = make(1, 9999, 10);
  if (geteuid() == 0) assert_int_equal(chown(foreign, 65534, 65534), 0);
  else unlink(foreign);
  size_t before = support_count_files();
  char name[80];
  snprintf(name, sizeof name, "rperf-top.%u.9.00000000000000aa", (unsigned)geteuid());
  assert_int_equal(symlink("/etc/passwd", support_path(name)), 0);
  assert_int_equal(sweep(), 0);
  assert_int_equal(support_count_files(), before + 1);
}

static int hold(struct support_pipes pipes, void *argument)
{
  const char **paths = argument;
  int writer = open(paths[0], O_RDWR), viewer = open(paths[1], O_RDWR);
  if (rtop_liveness_hold_writer(writer) != 0 || rtop_liveness_hold_viewer(viewer) != 0) return 1;
  support_tell(pipes.out);
  support_hear(pipes.in);
  return 0;
}

static void test_held_and_watched_stay(void **state)
{
  (void)state;
  const char *paths[2] = { make(1, 99999, 10), make(2, 99999, 10) };
  struct support_child child = support_fork(hold, paths);
  assert_true(support_hear(child.from));
  assert_int_equal(sweep(), 0);
  assert_int_equal(support_count_files(), 2);
  assert_int_equal(support_join(&child), 0);
  assert_int_equal(sweep(), 2);
  assert_int_equal(support_count_files(), 0);
}

static int read_it(struct support_pipes pipes, void *argument)
{
  struct rtop_reader *reader = rtop_reader_open(argument, (uid_t)-1, NULL);
  if (!reader || rtop_reader_watch(reader, 1000, NULL) != 0) return 1;
  support_tell(pipes.out);
  support_hear(pipes.in);
  rtop_reader_unwatch(reader);
  support_tell(pipes.out);
  support_hear(pipes.in);
  rtop_reader_close(&reader);
  return 0;
}

/* What a dead process left stays as long as a viewer looks at it, however old it is. */
static void test_what_is_read_stays(void **state)
{
  (void)state;
  char path[512];
  struct timespec long_ago[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
  struct rtop_segment segment;
  struct rtop_segment_sizes sizes = support_sizes();
  struct rtop_segment_identity identity = support_identity();
  assert_int_equal(rtop_segment_create(&segment, support_directory(), &sizes, &identity, NULL), 0);
  snprintf(path, sizeof path, "%s", segment.path);
  rtop_segment_close(&segment, false);
  /* Not ours any more: another process's, long dead. */
  int fd = open(path, O_RDWR);
  segment.geometry.start_ticks++;
  segment.geometry.crc32c = rtop_geometry_crc(&segment.geometry);
  assert_int_equal(pwrite(fd, &segment.geometry, sizeof segment.geometry, 0), sizeof segment.geometry);
  close(fd);
  assert_int_equal(utimensat(AT_FDCWD, path, long_ago, 0), 0);
  struct support_child child = support_fork(read_it, path);
  assert_true(support_hear(child.from));
  assert_int_equal(sweep(), 0);
  assert_int_equal(access(path, F_OK), 0);
  support_tell(child.to);
  assert_true(support_hear(child.from));
  assert_int_equal(sweep(), 1);
  assert_int_equal(access(path, F_OK), -1);
  assert_int_equal(support_join(&child), 0);
}

/* A process does not see its own locks: its living segment must stay all the same. */
static void test_own_segment_stays(void **state)
{
  (void)state;
  struct rtop_writer *writer = support_writer();
  struct timespec long_ago[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
  assert_int_equal(utimensat(AT_FDCWD, rtop_writer_path(writer), long_ago, 0), 0);
  assert_int_equal(sweep(), 0);
  assert_int_equal(support_count_files(), 2);
  rtop_writer_destroy(&writer, false);
}

static void test_bounded(void **state)
{
  (void)state;
  for (unsigned i = 0; i < 100; i++) make(i, 9999, 1);
  assert_int_equal(sweep(), 64);
  assert_int_equal(sweep(), 36);
  assert_int_equal(rtop_registry_sweep(support_path("missing"), KEPT_BYTES), 0);
}

/* A new writer cleans up after the dead. */
static void test_writer_sweeps(void **state)
{
  (void)state;
  make(1, 9999, 1);
  struct rtop_writer *writer = support_writer();
  assert_int_equal(support_count_files(), 2);
  rtop_writer_destroy(&writer, false);
}

#define SWEEP_TEST(name) cmocka_unit_test_setup(name, support_empty)

int main(void)
{
  const struct CMUnitTest tests[] = {
    SWEEP_TEST(test_young_and_few_stay),
    SWEEP_TEST(test_older_than_an_hour_go),
    SWEEP_TEST(test_beyond_the_newest_four_go),
    SWEEP_TEST(test_beyond_the_memory_that_may_be_kept_go),
    SWEEP_TEST(test_orphans_go),
    SWEEP_TEST(test_other_names_stay),
    SWEEP_TEST(test_other_users_and_links_stay),
    SWEEP_TEST(test_held_and_watched_stay),
    SWEEP_TEST(test_what_is_read_stays),
    SWEEP_TEST(test_own_segment_stays),
    SWEEP_TEST(test_bounded),
    SWEEP_TEST(test_writer_sweeps),
  };
  return cmocka_run_group_tests(tests, support_setup, support_teardown);
}
