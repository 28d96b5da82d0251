#include "tests/shm/support.h"

#include "shm/segment/registry.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LIST_MAX = 64 };
static struct rtop_registry_entry entries[LIST_MAX];

/* Only what stands in the test's own directory: other processes of the machine may have segments. */
static size_t list(void)
{
  size_t count = rtop_registry_list(entries, LIST_MAX), kept = 0;
  for (size_t i = 0; i < count; i++)
    if (strncmp(entries[i].path, support_directory(), strlen(support_directory())) == 0) entries[kept++] = entries[i];
  return kept;
}

/* Publishes one window, tells, and ends as asked when told. */
struct life {
  bool keep;
  const char *directory;
  uid_t uid; /* to become first; 0: stay */
};

static int live(struct support_pipes pipes, void *argument)
{
  const struct life *life = argument;
  struct rtop_window window = { 0 };
  struct rtop_writer_options options = { .ring_bytes = 1 << 20, .identity = support_identity() };
  options.directory = life->directory;
  options.runtime_directory = "";
  if (life->uid && setuid(life->uid) != 0) return 1;
  struct rtop_writer *writer = rtop_writer_create(&options, NULL);
  if (!writer) return 2;
  support_window(&window, 1);
  rtop_writer_publish(writer, &window);
  support_tell(pipes.out);
  support_hear(pipes.in);
  rtop_writer_destroy(&writer, life->keep);
  rtop_window_destroy(&window);
  return 0;
}

static struct support_child start(struct life *life)
{
  struct support_child child = support_fork(live, life);
  assert_true(support_hear(child.from));
  return child;
}

static void test_live_then_ended_then_gone(void **state)
{
  (void)state;
  struct life life = { .keep = true };
  struct rtop_error error = { 0 };
  struct support_child child = start(&life);
  assert_int_equal(list(), 1);
  assert_true(entries[0].alive && !entries[0].ended);
  assert_int_equal(entries[0].pid, child.pid);
  assert_int_equal(entries[0].uid, geteuid());
  assert_string_equal(entries[0].geometry.command, "ruby app.rb");
  assert_int_equal(entries[0].file_bytes, 103 << 14); /* the smallest segment */
  assert_int_equal(rtop_registry_find(child.pid, &entries[1], &error), 0);
  assert_memory_equal(&entries[0], &entries[1], sizeof entries[0]);
  assert_int_equal(support_join(&child), 0);
  assert_int_equal(list(), 1);
  assert_true(!entries[0].alive && entries[0].ended);
  assert_int_equal(rtop_registry_find(child.pid, entries, &error), 0);
  assert_true(entries[0].ended);
  support_empty(NULL);
  assert_int_equal(list(), 0);
  assert_int_equal(rtop_registry_find(child.pid, entries, &error), -1);
  assert_int_equal(error.code, RTOP_ERROR_NOT_FOUND);
  assert_non_null(strstr(error.text, "--list"));
}

static void test_killed_is_found_post_mortem(void **state)
{
  (void)state;
  struct life life = { 0 };
  struct support_child child = start(&life);
  support_kill(&child);
  assert_int_equal(rtop_registry_find(child.pid, entries, NULL), 0);
  assert_false(entries[0].alive);
  assert_false(entries[0].ended);
  assert_int_equal(entries[0].pid, child.pid);
}

static void test_process_without_a_channel(void **state)
{
  (void)state;
  struct rtop_error error = { 0 };
  assert_int_equal(rtop_registry_find(getpid(), entries, &error), -1);
  assert_int_equal(error.code, RTOP_ERROR_NOT_FOUND);
  assert_non_null(strstr(error.text, "RUBYOPT"));
  static const pid_t wild[] = { 0, -1, INT32_MIN, INT32_MAX };
  for (size_t i = 0; i < sizeof wild / sizeof wild[0]; i++)
    assert_int_equal(rtop_registry_find(wild[i], entries, &error), -1);
}

/* A copy of a live process's segment under its own name: dead, and so second to the live one. */
static void copy_file(const char *from, const char *to)
{
  char command[1300];
  snprintf(command, sizeof command, "cp -p '%s' '%s'", from, to);
  assert_int_equal(system(command), 0);
}

static const char *name_of(pid_t pid, const char *hex)
{
  char name[80];
  snprintf(name, sizeof name, "rperf-top.%u.%d.%s", (unsigned)geteuid(), (int)pid, hex);
  return support_path(name);
}

static void set_age(const char *path, int64_t seconds)
{
  struct timespec times[2] = { { .tv_sec = time(NULL) - (time_t)seconds }, { .tv_sec = time(NULL) - (time_t)seconds } };
  assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void test_live_before_dead_and_newest_dead(void **state)
{
  (void)state;
  struct life life = { 0 };
  struct support_child child = start(&life);
  char live_path[512];
  assert_int_equal(rtop_registry_find(child.pid, entries, NULL), 0);
  strcpy(live_path, entries[0].path);
  copy_file(live_path, name_of(child.pid, "00000000000000aa"));
  copy_file(live_path, name_of(child.pid, "00000000000000bb"));
  set_age(live_path, 500);
  set_age(name_of(child.pid, "00000000000000aa"), 30);
  set_age(name_of(child.pid, "00000000000000bb"), 60);
  assert_int_equal(rtop_registry_find(child.pid, entries, NULL), 0);
  assert_string_equal(entries[0].path, live_path);
  support_kill(&child);
  assert_int_equal(rtop_registry_find(child.pid, entries, NULL), 0);
  assert_string_equal(entries[0].path, name_of(child.pid, "00000000000000aa"));
  assert_int_equal(list(), 3);
  assert_string_equal(entries[0].path, name_of(child.pid, "00000000000000aa"));
  assert_string_equal(entries[1].path, name_of(child.pid, "00000000000000bb"));
  assert_string_equal(entries[2].path, live_path);
  struct rtop_registry_entry two[2];
  assert_int_equal(rtop_registry_list(two, 0), 0);
  size_t listed = rtop_registry_list(two, 2);
  assert_int_equal(listed, 2);
  assert_true(two[0].modified_real_ns >= two[1].modified_real_ns);
}

/* The name says this pid, the kernel says that another process holds the lock. */
static void test_name_is_only_a_hint(void **state)
{
  (void)state;
  struct life life = { 0 };
  struct support_child child = start(&life);
  pid_t other = getpid();
  assert_int_equal(rtop_registry_find(child.pid, entries, NULL), 0);
  assert_int_equal(rename(entries[0].path, name_of(other, "00000000000000cc")), 0);
  assert_int_equal(rtop_registry_find(other, entries, NULL), -1);
  assert_int_equal(list(), 1);
  assert_int_equal(entries[0].pid, child.pid);
  support_kill(&child);
  /* Dead now, but its header says another pid than its name. */
  assert_int_equal(rtop_registry_find(other, entries, NULL), -1);
}

static void make_file(const char *path, const void *bytes, size_t count)
{
  int fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
  assert_int_equal(write(fd, bytes, count), count);
  close(fd);
}

static void test_bad_files(void **state)
{
  (void)state;
  struct life life = { 0 };
  struct rtop_error error;
  struct support_child child = start(&life);
  assert_int_equal(rtop_registry_find(child.pid, entries, NULL), 0);
  struct rtop_geometry geometry = entries[0].geometry;
  char good[512];
  strcpy(good, entries[0].path);
  support_kill(&child);
  const char *name = name_of(child.pid, "00000000000000dd");
  char bad[600];
  strcpy(bad, name);
  assert_int_equal(rename(good, support_path("elsewhere")), 0);

  make_file(bad, "garbage garbage garbage", 23);
  assert_int_equal(rtop_registry_find(child.pid, entries, &error), -1);
  assert_int_equal(error.code, RTOP_ERROR_CORRUPT);
  assert_int_equal(list(), 0);
  make_file(bad, &geometry, sizeof geometry);
  assert_int_equal(rtop_registry_find(child.pid, entries, &error), -1);
  assert_int_equal(error.code, RTOP_ERROR_CORRUPT);
  geometry.version_major = 9;
  make_file(bad, &geometry, sizeof geometry);
  assert_int_equal(rtop_registry_find(child.pid, entries, &error), -1);
  assert_int_equal(error.code, RTOP_ERROR_VERSION);
  unlink(bad);
  assert_int_equal(symlink(support_path("elsewhere"), bad), 0);
  assert_int_equal(rtop_registry_find(child.pid, entries, &error), -1);
  assert_int_equal(error.code, RTOP_ERROR_UNSAFE);
  unlink(bad);
  assert_int_equal(link(support_path("elsewhere"), bad), 0);
  assert_int_equal(rtop_registry_find(child.pid, entries, &error), -1);
  assert_int_equal(error.code, RTOP_ERROR_UNSAFE);
  assert_int_equal(list(), 0);
  unlink(support_path("elsewhere"));
  assert_int_equal(rtop_registry_find(child.pid, entries, &error), 0);
  chmod(bad, 0666);
  assert_int_equal(rtop_registry_find(child.pid, entries, &error), -1);
  assert_int_equal(error.code, RTOP_ERROR_UNSAFE);
  chmod(bad, 0600);
  /* A bad file beside a good one does no harm. */
  make_file(name_of(child.pid, "00000000000000ee"), "x", 1);
  assert_int_equal(mkdir(name_of(child.pid, "00000000000000ff"), 0700), 0);
  assert_int_equal(rtop_registry_find(child.pid, entries, &error), 0);
  assert_int_equal(list(), 1);
}

static int find_as_another(struct support_pipes pipes, void *argument)
{
  pid_t pid = *(pid_t *)argument;
  struct rtop_error error = { 0 };
  char expected[128];
  (void)pipes;
  snprintf(expected, sizeof expected, "process %d belongs to user 0; run as that user or root", (int)pid);
  if (setuid(65534) != 0 || rtop_registry_find(pid, entries, &error) != -1) return 1;
  if (error.code != RTOP_ERROR_PERMISSION || strcmp(error.text, expected) != 0) {
    fprintf(stderr, "%s\n", error.text);
    return 2;
  }
  return list() == 0 ? 0 : 3;
}

static void test_another_users_process(void **state)
{
  (void)state;
  if (geteuid() != 0) skip();
  struct life life = { 0 };
  struct support_child child = start(&life), looker;
  assert_int_equal(chmod(support_directory(), 0755), 0);
  looker = support_fork(find_as_another, &child.pid);
  assert_int_equal(support_join(&looker), 0);
  support_kill(&child);
  looker = support_fork(find_as_another, &child.pid);
  assert_int_equal(support_join(&looker), 0);
  assert_int_equal(chmod(support_directory(), 0700), 0);
}

static void test_root_sees_all(void **state)
{
  (void)state;
  if (geteuid() != 0) skip();
  struct life life = { .uid = 65534 };
  assert_int_equal(chmod(support_directory(), 01777), 0);
  struct support_child child = start(&life);
  assert_int_equal(rtop_registry_find(child.pid, entries, NULL), 0);
  assert_int_equal(entries[0].uid, 65534);
  assert_true(entries[0].alive);
  /* A live segment that root's own file pretends to be: the lock decides. */
  support_kill(&child);
  assert_int_equal(chmod(support_directory(), 0700), 0);
}

/* A process with its own /dev/shm and its own pid: found through /proc/PID/root. */
static int live_in_a_container(struct support_pipes pipes, void *argument)
{
  struct life *life = argument;
  if (unshare(CLONE_NEWNS | CLONE_NEWPID) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=20m") != 0)
    return 77;
  pid_t inner = fork();
  if (inner == 0) _exit(live(pipes, life));
  close(pipes.in);
  close(pipes.out);
  int status;
  waitpid(inner, &status, 0);
  return 0;
}

static pid_t only_child_of(pid_t parent)
{
  char path[64];
  int pid = 0;
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
  FILE *children = fopen(path, "r");
  if (children && fscanf(children, "%d", &pid) != 1) pid = 0;
  if (children) fclose(children);
  return pid;
}

static void assert_found_in_a_container(const char *directory, const char *below)
{
  struct life life = { .directory = directory };
  char expected[96];
  if (geteuid() != 0 || !support_has_openat2()) skip();
  struct support_child child = support_fork(live_in_a_container, &life);
  if (!support_hear(child.from)) {
    assert_int_equal(support_join(&child), 77);
    skip();
  }
  pid_t pid = only_child_of(child.pid);
  struct rtop_error error = { 0 };
  int found = rtop_registry_find(pid, entries, &error);
  struct rtop_registry_entry first = entries[0];
  snprintf(expected, sizeof expected, "/proc/%d/root/dev/shm/%srperf-top.", (int)pid, below);
  char *own = strdup(getenv("RPERF_TOP_DIR") ? getenv("RPERF_TOP_DIR") : "");
  unsetenv("RPERF_TOP_DIR"); /* which is instead of containers */
  size_t listed = 0, count = rtop_registry_list(entries, LIST_MAX);
  if (*own) setenv("RPERF_TOP_DIR", own, 1);
  free(own);
  for (size_t i = 0; i < count; i++) listed += entries[i].pid == pid && strstr(entries[i].path, "/root/dev/shm/");
  entries[0] = first;
  support_tell(child.to);
  assert_int_equal(support_join(&child), 0);
  assert_string_equal(error.text, "");
  assert_int_equal(found, 0);
  if (*below) assert_int_equal(listed, 1); /* by their directories */
  assert_memory_equal(entries[0].path, expected, strlen(expected));
  assert_true(entries[0].alive);
  assert_int_equal(entries[0].pid, pid);
  assert_int_equal(entries[0].geometry.pid, 1);
}

static void test_process_in_a_container(void **state)
{
  (void)state;
  assert_found_in_a_container("", "rperf-top-0/");
}

static void test_process_of_version_1_0_in_a_container(void **state)
{
  (void)state;
  assert_found_in_a_container("/dev/shm", "");
}

static int live_elsewhere(struct support_pipes pipes, void *argument)
{
  char in[16], out[16];
  setenv("RPERF_TOP_DIR", argument, 1);
  fcntl(pipes.in, F_SETFD, 0);
  fcntl(pipes.out, F_SETFD, 0);
  snprintf(in, sizeof in, "%d", pipes.in);
  snprintf(out, sizeof out, "%d", pipes.out);
  execl("/proc/self/exe", "test_registry", "--live", in, out, (char *)NULL);
  return errno == ENOEXEC ? 77 : 1; /* an emulator runs this, which the kernel cannot */
}

/* It was told by its own environment where to put its segment; we look elsewhere. */
static void test_process_with_a_directory_of_its_own(void **state)
{
  (void)state;
  char elsewhere[] = "/dev/shm/rtop-elsewhere-XXXXXX";
  assert_non_null(mkdtemp(elsewhere));
  struct support_child child = support_fork(live_elsewhere, elsewhere);
  if (!support_hear(child.from)) {
    assert_int_equal(support_join(&child), 77);
    assert_int_equal(rmdir(elsewhere), 0);
    skip();
  }
  struct rtop_error error = { 0 };
  int found = rtop_registry_find(child.pid, entries, &error);
  support_tell(child.to);
  assert_int_equal(support_join(&child), 0);
  assert_int_equal(rmdir(elsewhere), 0);
  assert_string_equal(error.text, "");
  assert_int_equal(found, 0);
  assert_memory_equal(entries[0].path, elsewhere, strlen(elsewhere));
  assert_true(entries[0].alive);
  assert_int_equal(entries[0].pid, child.pid);
}

#define REGISTRY_TEST(name) cmocka_unit_test_setup(name, support_empty)

int main(int argc, char **argv)
{
  if (argc == 4 && strcmp(argv[1], "--live") == 0) {
    struct life life = { .directory = NULL };
    return live((struct support_pipes){ .in = atoi(argv[2]), .out = atoi(argv[3]) }, &life);
  }
  const struct CMUnitTest tests[] = {
    REGISTRY_TEST(test_live_then_ended_then_gone),
    REGISTRY_TEST(test_killed_is_found_post_mortem),
    REGISTRY_TEST(test_process_without_a_channel),
    REGISTRY_TEST(test_live_before_dead_and_newest_dead),
    REGISTRY_TEST(test_name_is_only_a_hint),
    REGISTRY_TEST(test_bad_files),
    REGISTRY_TEST(test_another_users_process),
    REGISTRY_TEST(test_root_sees_all),
    REGISTRY_TEST(test_process_in_a_container),
    REGISTRY_TEST(test_process_of_version_1_0_in_a_container),
    REGISTRY_TEST(test_process_with_a_directory_of_its_own),
  };
  return cmocka_run_group_tests(tests, support_setup, support_teardown);
}
