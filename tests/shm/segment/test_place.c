/* Whose directory is whose, and whom it hides. Everything happens in a /dev/shm and a /run of the test's own. */
#include "tests/shm/support.h"

#include "shm/base/liveness.h"
#include "shm/segment/place.h"
#include "shm/segment/registry.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SKIPPED = 77, OTHER = 65534, THIRD = 65533 };

/* In the child: a condition that fails names its line. */
#define EXPECT(condition)                                                                                              \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                                          \
      return 1;                                                                                                        \
    }                                                                                                                  \
  } while (0)

static int apart(struct support_pipes pipes, void *argument)
{
  int (*body)(void) = *(int (**)(void))argument;
  (void)pipes;
  if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=64m") != 0 || mount("tmpfs", "/run", "tmpfs", 0, "size=16m") != 0)
    return SKIPPED;
  unsetenv("RPERF_TOP_DIR");
  unsetenv("XDG_RUNTIME_DIR");
  return body();
}

/* Skipped where the test may not mount. */
static void run_apart(int (*body)(void))
{
  struct support_child child = support_fork(apart, &body);
  int status = support_join(&child);
  if (status == SKIPPED) skip();
  assert_int_equal(status, 0);
}

static void test_names(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    bool right;
    uid_t uid;
  } names[] = {
    { "rperf-top-0", true, 0 },
    { "rperf-top-1000", true, 1000 },
    { "rperf-top-1000-1", true, 1000 },
    { "rperf-top-1000-0123456789abcdef", true, 1000 },
    { "rperf-top-4294967294", true, 4294967294u },
    { "rperf-top-4294967295", false, 0 },
    { "rperf-top-1000-0123456789abcdef0", false, 0 },
    { "rperf-top-1000-", false, 0 },
    { "rperf-top-1000-x", false, 0 },
    { "rperf-top-1000/..", false, 0 },
    { "rperf-top-01", false, 0 },
    { "rperf-top--1", false, 0 },
    { "rperf-top-", false, 0 },
    { "rperf-top.1000", false, 0 },
    { "rperf-top", false, 0 },
    { "", false, 0 },
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    uid_t uid = 7;
    if (place_name_parse(names[i].name, &uid) != names[i].right || (names[i].right && uid != names[i].uid))
      fail_msg("%s", names[i].name);
  }
}

static bool is_own(const char *path)
{
  struct stat status;
  return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
         (status.st_mode & 07777) == 0700;
}

static int first_name(void)
{
  struct place places[PLACE_WRITER_MAX];
  umask(0777);
  EXPECT(place_for_writer("", "", places, NULL) == 1);
  EXPECT(strcmp(places[0].path, "/dev/shm/rperf-top-0") == 0);
  EXPECT(is_own(places[0].path));
  EXPECT(place_for_writer(NULL, NULL, places, NULL) == 1);
  EXPECT(strcmp(places[0].path, "/dev/shm/rperf-top-0") == 0);
  return 0;
}

static void test_first_name(void **state)
{
  (void)state;
  run_apart(first_name);
}

static int make_directory(const char *path, mode_t mode, uid_t owner)
{
  return mkdir(path, 0700) == 0 && chown(path, owner, owner) == 0 && chmod(path, mode) == 0 ? 0 : -1;
}

static int names_that_are_taken(void)
{
  struct place places[PLACE_WRITER_MAX];
  char path[64], found[PLACE_PATH_MAX];
  EXPECT(make_directory("/dev/shm/rperf-top-0", 0700, OTHER) == 0);
  EXPECT(symlink("/dev/shm", "/dev/shm/rperf-top-0-1") == 0);
  EXPECT(close(open("/dev/shm/rperf-top-0-2", O_CREAT | O_RDWR, 0600)) == 0);
  EXPECT(make_directory("/dev/shm/rperf-top-0-3", 0755, 0) == 0);
  EXPECT(place_for_writer("", "", places, NULL) == 1);
  EXPECT(strcmp(places[0].path, "/dev/shm/rperf-top-0-4") == 0);
  EXPECT(is_own(places[0].path));
  EXPECT(rmdir(places[0].path) == 0);
  for (int i = 4; i < 16; i++) {
    snprintf(path, sizeof path, "/dev/shm/rperf-top-0-%d", i);
    EXPECT(make_directory(path, 0700, OTHER) == 0);
  }
  /* Nobody can sit on all names; and what was made is used again. */
  EXPECT(place_for_writer("", "", places, NULL) == 1);
  strcpy(found, places[0].path);
  EXPECT(strlen(found) == strlen("/dev/shm/rperf-top-0-0123456789abcdef") && is_own(found));
  EXPECT(place_for_writer("", "", places, NULL) == 1);
  EXPECT(strcmp(places[0].path, found) == 0);
  return 0;
}

static void test_names_that_are_taken(void **state)
{
  (void)state;
  run_apart(names_that_are_taken);
}

static int runtime_directory(void)
{
  struct place places[PLACE_WRITER_MAX];
  EXPECT(make_directory("/run/own", 0700, 0) == 0 && make_directory("/run/loose", 0755, 0) == 0 &&
         make_directory("/run/other", 0700, OTHER) == 0 && symlink("own", "/run/link") == 0);
  EXPECT(place_for_writer("", "/run/own", places, NULL) == 2);
  EXPECT(strcmp(places[0].path, "/run/own/rperf-top") == 0 && is_own(places[0].path));
  EXPECT(strcmp(places[1].path, "/dev/shm/rperf-top-0") == 0);
  static const char *const wrong[] = { "/run/loose", "/run/other", "/run/missing", "run/own", "/dev/null" };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    EXPECT(place_for_writer("", wrong[i], places, NULL) == 1);
    EXPECT(strcmp(places[0].path, "/dev/shm/rperf-top-0") == 0);
  }
  EXPECT(access("/run/loose/rperf-top", F_OK) != 0 && access("/run/other/rperf-top", F_OK) != 0);
  EXPECT(rmdir("/run/own/rperf-top") == 0 && symlink("/run/loose", "/run/own/rperf-top") == 0);
  EXPECT(place_for_writer("", "/run/own", places, NULL) == 1);
  EXPECT(place_for_writer("/somewhere", "/run/own", places, NULL) == 1);
  EXPECT(strcmp(places[0].path, "/somewhere") == 0);
  return 0;
}

static void test_runtime_directory(void **state)
{
  (void)state;
  run_apart(runtime_directory);
}

/* ---- viewers --------------------------------------------------------------------------------------- */

static char visited[100][PLACE_PATH_MAX];
static uid_t visited_owner[100];
static size_t visited_count;

static void remember(int fd, const char *path, uid_t owner, void *argument)
{
  (void)argument;
  close(fd);
  if (visited_count < 100) {
    visited_owner[visited_count] = owner;
    snprintf(visited[visited_count++], PLACE_PATH_MAX, "%s", path);
  }
}

static size_t visits_of(uid_t owner)
{
  size_t count = 0;
  for (size_t i = 0; i < visited_count; i++) count += visited_owner[i] == owner;
  return count;
}

static void each(void)
{
  visited_count = 0;
  place_each(remember, NULL);
}

static int places_of_all(void)
{
  char path[64];
  EXPECT(make_directory("/dev/shm/rperf-top-0", 0700, 0) == 0);
  EXPECT(make_directory("/dev/shm/rperf-top-65533-7", 0700, THIRD) == 0);
  EXPECT(mkdir("/run/user", 0755) == 0 && make_directory("/run/user/65533", 0700, THIRD) == 0 &&
         make_directory("/run/user/65533/rperf-top", 0700, THIRD) == 0);
  /* What claims to be another's is nobody's; neither is what others may write to. */
  EXPECT(make_directory("/dev/shm/rperf-top-0-1", 0700, OTHER) == 0);
  EXPECT(make_directory("/dev/shm/rperf-top-65534", 0770, OTHER) == 0);
  EXPECT(symlink("rperf-top-0", "/dev/shm/rperf-top-65534-1") == 0);
  each();
  EXPECT(visits_of(0) == 1 && visits_of(THIRD) == 2 && visits_of(OTHER) == 0);
  EXPECT(visits_of((uid_t)PLACE_SHARED) == 1 && strcmp(visited[visited_count - 1], "/dev/shm") == 0);
  /* A user may have many directories, and hides only what is his own. */
  for (int i = 10; i < 70; i++) {
    snprintf(path, sizeof path, "/dev/shm/rperf-top-65534-%d", i);
    EXPECT(make_directory(path, 0700, OTHER) == 0);
  }
  each();
  EXPECT(visits_of(0) == 1 && visits_of(THIRD) == 2 && visits_of(OTHER) == 32);
  EXPECT(setenv("RPERF_TOP_DIR", "/run", 1) == 0);
  each();
  EXPECT(visited_count == 1 && strcmp(visited[0], "/run") == 0);
  return 0;
}

static void test_places_of_all(void **state)
{
  (void)state;
  run_apart(places_of_all);
}

/* ---- what others can do to a list ------------------------------------------------------------------- */

enum { LIST_MAX = 64 };
static struct rtop_registry_entry entries[LIST_MAX];

struct life {
  uid_t uid;
  uint32_t pid; /* that its header and its name are to tell; 0: the truth */
  int64_t age_s;
  bool forged;    /* holds the lock as an open file description */
  bool contained; /* with a /dev/shm of its own */
};

static void disguise(const char *path, const struct life *life)
{
  struct rtop_geometry geometry;
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = RTOP_LOCK_WRITER, .l_len = 1 };
  struct timespec times[2] = { { .tv_sec = time(NULL) - life->age_s }, { .tv_sec = time(NULL) - life->age_s } };
  char name[600];
  int fd = open(path, O_RDWR);
  pread(fd, &geometry, sizeof geometry, 0);
  geometry.pid = life->pid ? life->pid : geometry.pid;
  geometry.crc32c = rtop_geometry_crc(&geometry);
  pwrite(fd, &geometry, sizeof geometry, 0);
  snprintf(name, sizeof name, "%.*s/rperf-top.%u.%u.%s", (int)(strrchr(path, '/') - path), path, (unsigned)life->uid,
           geometry.pid, strrchr(path, '.') + 1);
  rename(path, name);
  futimens(fd, times);
  if (life->forged) fcntl(fd, F_OFD_SETLK, &lock);
  else close(fd);
}

/* Leaves a segment, and stays until it is told. */
static int leave(struct support_pipes pipes, void *argument)
{
  const struct life *life = argument;
  struct rtop_window window = { 0 };
  struct rtop_writer_options options = {
    .ring_bytes = 1 << 20, .directory = "", .runtime_directory = "", .identity = support_identity()
  };
  char path[512];
  if (life->contained && (unshare(CLONE_NEWNS) != 0 || mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=64m") != 0))
    return 1;
  if (life->uid && setuid(life->uid) != 0) return 1;
  struct rtop_writer *writer = rtop_writer_create(&options, NULL);
  if (!writer) return 2;
  support_window(&window, 1);
  rtop_writer_publish(writer, &window);
  snprintf(path, sizeof path, "%s", rtop_writer_path(writer));
  if (life->pid || life->age_s || life->forged) {
    rtop_writer_destroy(&writer, true);
    disguise(path, life);
  }
  support_tell(pipes.out);
  support_hear(pipes.in);
  _exit(0);
}

static struct support_child start(const struct life *life)
{
  struct support_child child = support_fork(leave, (void *)(uintptr_t)life);
  support_hear(child.from);
  return child;
}

static void leave_dead(const struct life *life)
{
  struct support_child child = start(life);
  support_join(&child);
}

/* Without what runs in other containers of this machine meanwhile. */
static size_t list_here(void)
{
  size_t count = rtop_registry_list(entries, LIST_MAX), kept = 0;
  for (size_t i = 0; i < count; i++)
    if (strncmp(entries[i].path, "/proc/", 6) != 0) entries[kept++] = entries[i];
  return kept;
}

static int forged_processes(void)
{
  struct support_child forger = start(&(struct life){ .uid = OTHER, .pid = (uint32_t)getpid(), .forged = true });
  struct support_child honest = start(&(struct life){ .uid = OTHER });
  size_t count = list_here(), alive = 0;
  EXPECT(count == 2);
  for (size_t i = 0; i < count; i++) {
    EXPECT(entries[i].uid == OTHER);
    alive += entries[i].alive;
    EXPECT(!entries[i].alive || entries[i].pid == honest.pid);
  }
  EXPECT(alive == 1);
  /* Of a process that is there only what its user made. */
  EXPECT(rtop_registry_find(getpid(), entries, NULL) == -1);
  EXPECT(rtop_registry_find(honest.pid, entries, NULL) == 0 && entries[0].alive);
  support_join(&honest); /* it has the other's pipe, too */
  support_join(&forger);
  return 0;
}

static void test_forged_processes(void **state)
{
  (void)state;
  run_apart(forged_processes);
}

static bool has_entry_inside(size_t count, pid_t pid, uid_t uid)
{
  char inside[64];
  size_t found = 0;
  snprintf(inside, sizeof inside, "/proc/%d/root/dev/shm/", (int)pid);
  for (size_t i = 0; i < count; i++)
    found += strncmp(entries[i].path, inside, strlen(inside)) == 0 && entries[i].alive && entries[i].pid == pid &&
             entries[i].uid == uid;
  return found == 1;
}

/* Each once, whoever it belongs to; and only as long as it lives: later nobody knows its number. */
static int lists_of_containers(void)
{
  if (!support_has_openat2()) return SKIPPED;
  struct support_child here = start(&(struct life){ .uid = OTHER });
  struct support_child theirs = start(&(struct life){ .uid = OTHER, .contained = true });
  struct support_child own = start(&(struct life){ .contained = true });
  size_t count = rtop_registry_list(entries, LIST_MAX);
  EXPECT(has_entry_inside(count, own.pid, 0) && has_entry_inside(count, theirs.pid, OTHER));
  EXPECT(!has_entry_inside(count, here.pid, OTHER) && list_here() == 1 && entries[0].pid == here.pid);
  EXPECT(setenv("RPERF_TOP_DIR", "/dev/shm", 1) == 0);
  EXPECT(!has_entry_inside(rtop_registry_list(entries, LIST_MAX), own.pid, 0)); /* instead of all other places */
  EXPECT(unsetenv("RPERF_TOP_DIR") == 0);
  support_join(&own); /* children hold the pipes of those before them: the last one first */
  EXPECT(!has_entry_inside(rtop_registry_list(entries, LIST_MAX), own.pid, 0));
  support_join(&theirs);
  support_join(&here);
  return 0;
}

static void test_lists_of_containers(void **state)
{
  (void)state;
  run_apart(lists_of_containers);
}

/* Lives in a user namespace where its user is number 7, and shares our /dev/shm. */
static int live_as_seven(struct support_pipes pipes, void *argument)
{
  struct rtop_segment_sizes sizes = support_sizes();
  struct rtop_segment_identity identity = support_identity();
  struct rtop_segment segment;
  char path[128];
  (void)argument;
  snprintf(path, sizeof path, "/dev/shm/rperf-top-7/rperf-top.7.%d.0123456789abcdef", (int)getpid());
  if (setuid(OTHER) != 0 || mkdir("/dev/shm/rperf-top-7", 0700) != 0 ||
      rtop_segment_create_at(&segment, path, &sizes, &identity, NULL) != 0)
    return 1;
  segment.geometry.uid = 7;
  segment.geometry.crc32c = rtop_geometry_crc(&segment.geometry);
  pwrite(segment.fd, &segment.geometry, sizeof segment.geometry, 0);
  support_tell(pipes.out);
  support_hear(pipes.in);
  return 0;
}

static int another_number_inside(void)
{
  if (!support_has_openat2()) return SKIPPED;
  struct support_child child = support_fork(live_as_seven, NULL);
  char inside[128];
  EXPECT(support_hear(child.from));
  EXPECT(list_here() == 0);
  EXPECT(rtop_registry_find(child.pid, entries, NULL) == 0);
  EXPECT(entries[0].alive && entries[0].pid == child.pid && entries[0].uid == OTHER);
  snprintf(inside, sizeof inside, "/proc/%d/root/dev/shm/rperf-top-7/", (int)child.pid);
  EXPECT(strncmp(entries[0].path, inside, strlen(inside)) == 0);
  support_join(&child);
  return 0;
}

static void test_another_number_inside(void **state)
{
  (void)state;
  run_apart(another_number_inside);
}

static int planted_post_mortems(void)
{
  struct rtop_error error;
  enum { GONE = 4000000 }; /* beyond pid_max */
  char file[512];
  leave_dead(&(struct life){ .uid = OTHER, .pid = GONE });
  EXPECT(rtop_registry_find(GONE, entries, &error) == 0 && entries[0].uid == OTHER);
  /* Under root's name, where anybody may write. */
  snprintf(file, sizeof file, "/dev/shm/rperf-top.0.%u.0123456789abcdef", GONE + 1);
  EXPECT(rename(entries[0].path, file) == 0);
  EXPECT(rtop_registry_find(GONE + 1, entries, &error) == -1 && error.code == RTOP_ERROR_NOT_FOUND);
  EXPECT(list_here() == 0);
  /* The same number twice: nobody knows which. */
  leave_dead(&(struct life){ .uid = THIRD, .pid = GONE, .age_s = 5 });
  EXPECT(rtop_registry_find(GONE, entries, &error) == 0 && entries[0].uid == THIRD);
  leave_dead(&(struct life){ .uid = 0, .pid = GONE, .age_s = 50 });
  EXPECT(rtop_registry_find(GONE, entries, &error) == -1 && error.code == RTOP_ERROR_UNSAFE);
  EXPECT(strstr(error.text, "users 65533 and 0") != NULL);
  return 0;
}

static void test_planted_post_mortems(void **state)
{
  (void)state;
  run_apart(planted_post_mortems);
}

static int hiding_behind_names(void)
{
  char path[80];
  struct support_child child = start(&(struct life){ .uid = 0 });
  for (int i = 0; i < 5000; i++) {
    snprintf(path, sizeof path, "/dev/shm/rperf-top.%d.1.%016x", i % 2 ? OTHER : 0, i);
    EXPECT(close(open(path, O_CREAT | O_RDWR, 0600)) == 0 && chown(path, OTHER, OTHER) == 0);
  }
  EXPECT(rtop_registry_find(child.pid, entries, NULL) == 0);
  EXPECT(list_here() == 1);
  /* Nor does anybody's number of segments push out another's. */
  for (int64_t i = 0; i < 4; i++)
    leave_dead(&(struct life){ .uid = OTHER, .pid = (uint32_t)(5000000 + i), .age_s = 0 });
  leave_dead(&(struct life){ .uid = THIRD, .pid = 6000000, .age_s = 1000 });
  EXPECT(rtop_registry_list(entries, 3) == 3);
  bool third = false, own = false;
  for (int i = 0; i < 3; i++) {
    third = third || entries[i].uid == THIRD;
    own = own || entries[i].uid == 0;
  }
  EXPECT(third && own);
  support_join(&child);
  return 0;
}

static void test_hiding_behind_names(void **state)
{
  (void)state;
  run_apart(hiding_behind_names);
}

/* Files of others under our names, in a directory that all share, must not keep ours from being swept. */
static int starving_the_sweep(void)
{
  char path[80];
  struct timespec old[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
  EXPECT(make_directory("/dev/shm/shared", 01777, 0) == 0);
  for (int i = 0; i < 300; i++) {
    uid_t owner = i == 150 ? 0 : OTHER;
    snprintf(path, sizeof path, "/dev/shm/shared/rperf-top.0.1.%016x", i);
    EXPECT(close(open(path, O_CREAT | O_RDWR, 0600)) == 0 && chown(path, owner, owner) == 0);
    EXPECT(utimensat(AT_FDCWD, path, old, 0) == 0);
  }
  EXPECT(rtop_registry_sweep("/dev/shm/shared", 1 << 20) == 1);
  snprintf(path, sizeof path, "/dev/shm/shared/rperf-top.0.1.%016x", 150);
  EXPECT(access(path, F_OK) != 0);
  return 0;
}

/* What version 1.0 left in /dev/shm itself goes, too. */
static int sweeping_the_old_place(void)
{
  static const char old[] = "/dev/shm/rperf-top.0.1.0123456789abcdef";
  struct timespec times[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
  EXPECT(close(open(old, O_CREAT | O_RDWR, 0600)) == 0 && utimensat(AT_FDCWD, old, times, 0) == 0);
  leave_dead(&(struct life){ .uid = 0 });
  EXPECT(access(old, F_OK) != 0 && errno == ENOENT);
  return 0;
}

static void test_sweeping_the_old_place(void **state)
{
  (void)state;
  run_apart(sweeping_the_old_place);
}

static void test_starving_the_sweep(void **state)
{
  (void)state;
  run_apart(starving_the_sweep);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_names),
    cmocka_unit_test(test_first_name),
    cmocka_unit_test(test_names_that_are_taken),
    cmocka_unit_test(test_runtime_directory),
    cmocka_unit_test(test_places_of_all),
    cmocka_unit_test(test_forged_processes),
    cmocka_unit_test(test_lists_of_containers),
    cmocka_unit_test(test_another_number_inside),
    cmocka_unit_test(test_planted_post_mortems),
    cmocka_unit_test(test_hiding_behind_names),
    cmocka_unit_test(test_starving_the_sweep),
    cmocka_unit_test(test_sweeping_the_old_place),
  };
  return cmocka_run_group_tests(tests, support_setup, support_teardown);
}
