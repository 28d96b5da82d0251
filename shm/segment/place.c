/* SPDX-License-Identifier: MIT */
/* Finds, checks and makes the directories. */
#include "place.h"
#include "registry_scan.h"
#include "shm/base/process.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
  PLACE_NAMES = 16, /* number of names that are tried in turn */
  PLACE_OF_USER_MAX = 32,
  PLACE_MAX = 2048,
  PLACE_USERS_MAX = 1024,
};
#define PLACE_PREFIX "rperf-top-"
#define PLACE_RUNTIME_NAME "rperf-top"
#define PLACE_RUNTIME_ROOT "/run/user"

static bool place_is_memory(int fd)
{
  struct statfs system;
  return fstatfs(fd, &system) == 0 && system.f_type == TMPFS_MAGIC;
}

int place_open(int parent_fd, const char *path, uid_t owner)
{
  struct stat status;
  int handle = openat(parent_fd, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (handle < 0) return -1;
  bool right = (owner == geteuid() || place_is_memory(handle)) && fstat(handle, &status) == 0 &&
               S_ISDIR(status.st_mode) && status.st_uid == owner && (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
  int fd = right ? openat(handle, ".", O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC) : -1;
  close(handle);
  return fd;
}

bool place_name_parse(const char *name, uid_t *uid)
{
  const size_t skip = sizeof PLACE_PREFIX - 1;
  char *end;
  if (strncmp(name, PLACE_PREFIX, skip) != 0 || !isdigit((unsigned char)name[skip]) ||
      (name[skip] == '0' && isdigit((unsigned char)name[skip + 1])))
    return false;
  errno = 0;
  unsigned long number = strtoul(name + skip, &end, 10);
  if (errno != 0 || number >= UINT_MAX || (*end && *end != '-')) return false;
  *uid = (uid_t)number;
  if (*end == '\0') return true;
  size_t digits = strspn(end + 1, "0123456789abcdef");
  return digits > 0 && digits <= 16 && end[1 + digits] == '\0';
}

static void place_name(char *name, size_t bytes, uid_t owner, unsigned number)
{
  if (number == 0) snprintf(name, bytes, PLACE_PREFIX "%u", (unsigned)owner);
  else snprintf(name, bytes, PLACE_PREFIX "%u-%u", (unsigned)owner, number);
}

static bool place_set(char path[PLACE_PATH_MAX], const char *directory, const char *name)
{
  int length = snprintf(path, PLACE_PATH_MAX, "%s/%s", directory, name);
  return length > 0 && length < PLACE_PATH_MAX;
}

/* ---- places of a viewer ------------------------------------------------------------------------------ */

struct place_walk {
  place_visit *visit;
  void *argument;
  uid_t wanted; /* user whose directories are wanted; PLACE_SHARED: all users */
  size_t count;
  struct {
    dev_t device;
    ino_t inode;
    uid_t owner;
  } seen[PLACE_MAX];
};

/* Adds a directory to the visited ones. Returns false when it was visited before, or this user has too many; only a
 * user's own directories count. */
static bool place_walk_new(struct place_walk *walk, int fd, uid_t owner)
{
  struct stat status;
  size_t of_user = 0;
  if (walk->count == PLACE_MAX || fstat(fd, &status) != 0) return false;
  for (size_t i = 0; i < walk->count; i++) {
    if (walk->seen[i].device == status.st_dev && walk->seen[i].inode == status.st_ino) return false;
    of_user += walk->seen[i].owner == owner;
  }
  if (of_user >= PLACE_OF_USER_MAX) return false;
  walk->seen[walk->count].device = status.st_dev;
  walk->seen[walk->count].inode = status.st_ino;
  walk->seen[walk->count++].owner = owner;
  return true;
}

static void place_walk_take(struct place_walk *walk, int fd, const char *path, uid_t owner)
{
  if (fd < 0) return;
  if (place_walk_new(walk, fd, owner)) walk->visit(fd, path, owner, walk->argument);
  else close(fd);
}

static void place_walk_below(struct place_walk *walk, const char *directory, const char *name, uid_t owner)
{
  char path[PLACE_PATH_MAX];
  if (place_set(path, directory, name)) place_walk_take(walk, place_open(AT_FDCWD, path, owner), path, owner);
}

static void place_walk_runtime(struct place_walk *walk, uid_t owner)
{
  char directory[64];
  const char *runtime = owner == geteuid() ? secure_getenv("XDG_RUNTIME_DIR") : NULL;
  if (runtime && runtime[0] == '/') place_walk_below(walk, runtime, PLACE_RUNTIME_NAME, owner);
  snprintf(directory, sizeof directory, PLACE_RUNTIME_ROOT "/%u", (unsigned)owner);
  place_walk_below(walk, directory, PLACE_RUNTIME_NAME, owner);
}

static void place_walk_user(struct place_walk *walk, uid_t owner)
{
  char name[64];
  place_walk_runtime(walk, owner);
  for (unsigned number = 0; number < PLACE_NAMES; number++) {
    place_name(name, sizeof name, owner, number);
    place_walk_below(walk, PLACE_SHARED_MEMORY, name, owner);
  }
}

static bool place_walk_name(int directory_fd, const char *name, void *argument)
{
  struct place_walk *walk = argument;
  char path[PLACE_PATH_MAX];
  uid_t uid;
  if (place_name_parse(name, &uid) && (walk->wanted == (uid_t)PLACE_SHARED || uid == walk->wanted) &&
      place_set(path, PLACE_SHARED_MEMORY, name))
    place_walk_take(walk, place_open(directory_fd, name, uid), path, uid);
  return true;
}

static bool place_walk_number(int directory_fd, const char *name, void *argument)
{
  char *end;
  (void)directory_fd;
  unsigned long uid = strtoul(name, &end, 10);
  if (isdigit((unsigned char)*name) && *end == '\0' && uid < UINT_MAX) place_walk_runtime(argument, (uid_t)uid);
  return true;
}

/* Visits the directories with matching names, then /dev/shm itself. */
static void place_walk_scan(struct place_walk *walk)
{
  int fd = registry_open_directory(PLACE_SHARED_MEMORY);
  if (fd >= 0) registry_scan(fd, place_walk_name, walk);
  if (walk->wanted == (uid_t)PLACE_SHARED) {
    fd = registry_open_directory(PLACE_RUNTIME_ROOT);
    if (fd >= 0) registry_scan(fd, place_walk_number, walk);
  }
  place_walk_take(walk, registry_open_directory(PLACE_SHARED_MEMORY), PLACE_SHARED_MEMORY, (uid_t)PLACE_SHARED);
}

struct place_users {
  size_t count;
  uid_t uids[PLACE_USERS_MAX];
};

static bool place_users_visit(int directory_fd, const char *name, void *argument)
{
  struct place_users *users = argument;
  struct stat status;
  if (!isdigit((unsigned char)*name) || fstatat(directory_fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return true;
  for (size_t i = 0; i < users->count; i++)
    if (users->uids[i] == status.st_uid) return true;
  users->uids[users->count++] = status.st_uid;
  return users->count < PLACE_USERS_MAX;
}

static bool place_walk_named(struct place_walk *walk)
{
  const char *named = secure_getenv("RPERF_TOP_DIR");
  if (!named || !*named) return false;
  place_walk_take(walk, registry_open_directory(named), named, (uid_t)PLACE_SHARED);
  return true;
}

void place_each_of(uid_t owner, place_visit *visit, void *argument)
{
  struct place_walk walk = { .visit = visit, .argument = argument, .wanted = owner };
  if (place_walk_named(&walk)) return;
  place_walk_user(&walk, owner);
  place_walk_scan(&walk);
}

void place_each(place_visit *visit, void *argument)
{
  struct place_walk walk = { .visit = visit, .argument = argument, .wanted = (uid_t)PLACE_SHARED };
  struct place_users users = { .count = 1, .uids = { geteuid() } };
  if (geteuid() != 0) {
    place_each_of(geteuid(), visit, argument);
    return;
  }
  if (place_walk_named(&walk)) return;
  int processes = registry_open_directory("/proc");
  if (processes >= 0) registry_scan(processes, place_users_visit, &users);
  for (size_t i = 0; i < users.count; i++) place_walk_user(&walk, users.uids[i]);
  place_walk_scan(&walk);
}

/* ---- places of a writer ------------------------------------------------------------------------------ */

/* Makes the directory unless it exists, and checks that it belongs to this user. */
static bool place_make(int parent_fd, const char *name)
{
  /* the umask may have removed some of these rights */
  if (mkdirat(parent_fd, name, 0700) == 0) fchmodat(parent_fd, name, 0700, 0);
  int fd = place_open(parent_fd, name, geteuid());
  if (fd >= 0) close(fd);
  return fd >= 0;
}

static bool place_in_runtime(const char *runtime, struct place *place)
{
  struct stat status;
  if (!runtime || runtime[0] != '/' || !place_set(place->path, runtime, PLACE_RUNTIME_NAME)) return false;
  int fd = open(runtime, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return false;
  bool made = fstat(fd, &status) == 0 && status.st_uid == geteuid() && (status.st_mode & (S_IRWXG | S_IRWXO)) == 0 &&
              place_make(fd, PLACE_RUNTIME_NAME);
  close(fd);
  return made;
}

static bool place_find_own(int directory_fd, const char *name, void *argument)
{
  struct place *place = argument;
  uid_t uid;
  if (!place_name_parse(name, &uid) || uid != geteuid()) return true;
  int fd = place_open(directory_fd, name, uid);
  if (fd < 0) return true;
  close(fd);
  return !place_set(place->path, PLACE_SHARED_MEMORY, name);
}

/* Used when other users occupy all names that are tried in turn: finds a directory made earlier, or makes one with a
 * random name. */
static bool place_unguessable(int parent_fd, struct place *place)
{
  char name[64];
  uint64_t random;
  int fd = registry_open_directory(PLACE_SHARED_MEMORY);
  place->path[0] = '\0';
  if (fd >= 0) registry_scan(fd, place_find_own, place);
  if (place->path[0]) return true;
  process_random(&random, sizeof random);
  snprintf(name, sizeof name, PLACE_PREFIX "%u-%016" PRIx64, (unsigned)geteuid(), random);
  return place_make(parent_fd, name) && place_set(place->path, PLACE_SHARED_MEMORY, name);
}

static bool place_in_memory(struct place *place, struct rtop_error *error)
{
  char name[64];
  int fd = open(PLACE_SHARED_MEMORY, O_PATH | O_DIRECTORY | O_CLOEXEC);
  bool made = false;
  int cause = errno;
  for (unsigned number = 0; fd >= 0 && number < PLACE_NAMES && !made; number++) {
    place_name(name, sizeof name, geteuid(), number);
    errno = 0;
    made = place_make(fd, name) && place_set(place->path, PLACE_SHARED_MEMORY, name);
    cause = errno;
  }
  made = made || (fd >= 0 && place_unguessable(fd, place));
  if (fd >= 0) close(fd);
  if (!made)
    rtop_error_set(error, RTOP_ERROR_SYSTEM, cause,
                   "cannot make a directory in " PLACE_SHARED_MEMORY ": %s; set RPERF_TOP_DIR to another one",
                   cause ? strerror(cause) : "it is not this user's");
  return made;
}

size_t place_for_writer(const char *named, const char *runtime, struct place places[PLACE_WRITER_MAX],
                        struct rtop_error *error)
{
  if (!named) named = secure_getenv("RPERF_TOP_DIR");
  if (!runtime) runtime = secure_getenv("XDG_RUNTIME_DIR");
  for (size_t i = 0; i < PLACE_WRITER_MAX; i++) places[i].private = !named || !*named;
  if (named && *named) {
    int length = snprintf(places[0].path, sizeof places[0].path, "%s", named);
    if (length > 0 && length < PLACE_PATH_MAX) return 1;
    rtop_error_set(error, RTOP_ERROR_LIMIT, ENAMETOOLONG, "the path %.96s... is too long", named);
    return 0;
  }
  size_t count = place_in_runtime(runtime, &places[0]) ? 1 : 0;
  return count + (place_in_memory(&places[count], count ? NULL : error) ? 1 : 0);
}
