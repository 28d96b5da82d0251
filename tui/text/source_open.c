/* SPDX-License-Identifier: MIT */
/* Opens a file in a child process that has the owner's rights. */
#include "source_open.h"

#include "source_rights.h"
#include "whole_io.h"
#include "shm/base/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SOURCE_PATIENCE_MS = 500, REPLACED_LINKS_MAX = 40 };

/* ---- when the file at a path was last changed or replaced ------------------------------------------ */

struct replaced_walk {
  int root;
  bool absolute; /* else the path begins where we work */
  int links;
  int64_t newest_ns;
  char done[PATH_MAX]; /* "a/b": without links, below the beginning */
  char rest[PATH_MAX];
};

static int64_t replaced_time_ns(const struct timespec *time)
{
  return (int64_t)time->tv_sec * CLOCK_NS_PER_SECOND + time->tv_nsec;
}

static void replaced_note(struct replaced_walk *walk, int64_t at_ns)
{
  if (at_ns > walk->newest_ns) walk->newest_ns = at_ns;
}

struct replaced_name {
  int from; /* a folder */
  char text[PATH_MAX + 2];
};

static void replaced_name(struct replaced_name *name, const struct replaced_walk *walk, const char *done)
{
  name->from = walk->root >= 0 ? walk->root : AT_FDCWD;
  snprintf(name->text, sizeof name->text, "%s%s", walk->root < 0 && walk->absolute ? "/" : *done ? "" : ".", done);
}

static bool replaced_status(const struct replaced_walk *walk, const char *done, struct stat *status)
{
  struct replaced_name name;
  replaced_name(&name, walk, done);
  return fstatat(name.from, name.text, status, AT_SYMLINK_NOFOLLOW) == 0;
}

/* To the folder that it is in. */
static void replaced_up(char *done)
{
  char *slash = strrchr(done, '/');
  *(slash ? slash : done) = '\0';
}

/* Prepends the target of a link to the remaining path. */
static bool replaced_follow(struct replaced_walk *walk)
{
  struct replaced_name name;
  char target[PATH_MAX], rest[PATH_MAX];
  replaced_name(&name, walk, walk->done);
  ssize_t bytes = readlinkat(name.from, name.text, target, sizeof target - 1);
  if (bytes <= 0 || ++walk->links > REPLACED_LINKS_MAX) return false;
  target[bytes] = '\0';
  memcpy(rest, walk->rest, sizeof rest);
  if (snprintf(walk->rest, sizeof walk->rest, "%s/%s", target, rest) >= (int)sizeof walk->rest) return false;
  walk->absolute = walk->absolute || target[0] == '/';
  if (target[0] == '/') walk->done[0] = '\0';
  else replaced_up(walk->done);
  return true;
}

/* Takes the times of a directory: adding and removing entries changes both mtime and ctime, renaming the
   directory only ctime. */
static bool replaced_folder(struct replaced_walk *walk, const struct stat *folder)
{
  char above[PATH_MAX];
  struct stat status;
  int64_t changed_ns = replaced_time_ns(&folder->st_ctim);
  if (changed_ns == replaced_time_ns(&folder->st_mtim)) return true;
  memcpy(above, walk->done, sizeof above);
  replaced_up(above);
  if (!replaced_status(walk, above, &status)) return false;
  int64_t entries_ns = replaced_time_ns(&status.st_mtim);
  replaced_note(walk, changed_ns < entries_ns ? changed_ns : entries_ns);
  return true;
}

static bool replaced_step(struct replaced_walk *walk, const char *name)
{
  struct stat status;
  size_t used = strlen(walk->done), left = sizeof walk->done - used;
  if (strcmp(name, ".") == 0) return true;
  if (strcmp(name, "..") == 0) {
    replaced_up(walk->done);
    return used > 0 || walk->absolute; /* Otherwise the path leads above the start
                                          directory, whose times are not needed. */
  }
  int added = snprintf(walk->done + used, left, "%s%s", used > 0 ? "/" : "", name);
  if (added >= (int)left || !replaced_status(walk, walk->done, &status)) return false;
  if (S_ISDIR(status.st_mode)) return replaced_folder(walk, &status);
  replaced_note(walk, replaced_time_ns(&status.st_ctim));
  if (S_ISLNK(status.st_mode)) return replaced_follow(walk);
  replaced_note(walk, replaced_time_ns(&status.st_mtim));
  return true;
}

int64_t source_replaced_ns(int root, const char *path)
{
  struct replaced_walk walk = { .root = root, .absolute = root >= 0 || path[0] == '/' };
  if (snprintf(walk.rest, sizeof walk.rest, "%s", path) >= (int)sizeof walk.rest) return INT64_MAX;
  for (size_t at; walk.rest[at = strspn(walk.rest, "/")] != '\0';) {
    char name[NAME_MAX + 1];
    size_t bytes = strcspn(walk.rest + at, "/");
    if (bytes > NAME_MAX) return INT64_MAX;
    memcpy(name, walk.rest + at, bytes);
    name[bytes] = '\0';
    memmove(walk.rest, walk.rest + at + bytes, strlen(walk.rest + at + bytes) + 1);
    if (!replaced_step(&walk, name)) return INT64_MAX;
  }
  return walk.newest_ns;
}

/* ---- opening ---------------------------------------------------------------------------------------- */

/* The root of the file system that the process sees; root: -1 for that of this program. */
struct source_place {
  int root;
  char root_name[48];
  char inside[PATH_MAX]; /* the path below that root */
};

static int source_folder(int process, const char *name)
{
  return process >= 0 ? openat(process, name, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
}

/* Makes the path relative to the process's root, or to its working directory. The path of a working directory under
 * another root is seen from outside, so the prefix of that root is removed. */
static void source_place_relative(struct source_place *place, int process, const char *path)
{
  char root[PATH_MAX] = "", folder[PATH_MAX] = "";
  if (readlinkat(process, "root", root, sizeof root - 1) < 0 ||
      readlinkat(process, "cwd", folder, sizeof folder - 1) < 0 || folder[0] != '/')
    return;
  size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);
  bool below = strncmp(folder, root, length) == 0 && (folder[length] == '/' || folder[length] == '\0');
  if (snprintf(place->inside, sizeof place->inside, "%s/%s", folder + (below ? length : 0), path) >=
      (int)sizeof place->inside)
    place->inside[0] = '\0';
}

/* Opens the process's root. `is_his`: the pid belongs to a process of the channel's owner; checked for root only, since
 * for other users the kernel checks it. */
static void source_place_find(struct source_place *place, pid_t pid, bool is_his, const char *path)
{
  char name[32];
  *place = (struct source_place){ .root = -1 };
  snprintf(place->inside, sizeof place->inside, "%s", path);
  snprintf(name, sizeof name, "/proc/%d", (int)pid);
  int process = pid > 0 && is_his ? openat(AT_FDCWD, name, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
  place->root = source_folder(process, "root");
  if (place->root >= 0) snprintf(place->root_name, sizeof place->root_name, "%s/root", name);
  if (process >= 0 && path[0] != '/') source_place_relative(place, process, path);
  if (process >= 0) close(process);
}

/* Examines the file before opening it. Absolute links in a container must not lead to the root of this program: the
 * kernel keeps the path inside the container. */
static int source_look(const struct source_place *place)
{
  struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
  if (place->root < 0) return openat(AT_FDCWD, place->inside, O_PATH | O_CLOEXEC);
  int fd = (int)syscall(SYS_openat2, place->root, place->inside, &how, sizeof how);
  struct stat ours, theirs;
  bool unknown = fd < 0 && (errno == ENOSYS || errno == EPERM);
  /* On an old kernel, opening is acceptable only if the process has the same root as this program. */
  if (unknown && stat("/", &ours) == 0 && fstat(place->root, &theirs) == 0 && ours.st_ino == theirs.st_ino &&
      ours.st_dev == theirs.st_dev)
    return openat(AT_FDCWD, place->inside, O_PATH | O_CLOEXEC);
  return fd;
}

/* Opens the file. Returns a descriptor, or -1 with the reason in *found. */
static int source_open_place(const struct source_place *place, struct stat *status, enum source_found *found)
{
  char link[32];
  int look = place->inside[0] ? source_look(place) : -1, fd = -1;
  *found = SOURCE_FOUND_NOTHING;
  if (look >= 0 && fstat(look, status) == 0 && !S_ISREG(status->st_mode)) {
    *found = SOURCE_FOUND_NO_FILE;
  } else if (look >= 0) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", look);
    fd = openat(AT_FDCWD, link, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  }
  if (fd >= 0 && fstat(fd, status) == 0) *found = SOURCE_FOUND;
  if (look >= 0) close(look);
  return fd;
}

static bool source_is_same(const struct stat *now, const struct stat *before)
{
  return before && now->st_ino == before->st_ino && now->st_size == before->st_size &&
         now->st_mtim.tv_sec == before->st_mtim.tv_sec && now->st_mtim.tv_nsec == before->st_mtim.tv_nsec &&
         now->st_ctim.tv_sec == before->st_ctim.tv_sec && now->st_ctim.tv_nsec == before->st_ctim.tv_nsec;
}

static enum source_found source_direct(struct source_content *content, const struct source_place *place,
                                       size_t bytes_max, const struct stat *before)
{
  enum source_found found;
  int fd = source_open_place(place, &content->status, &found);
  content->same = fd >= 0 && source_is_same(&content->status, before);
  content->replaced_real_ns = source_replaced_ns(place->root, place->inside);
  if (fd >= 0 && !content->same) {
    size_t size = content->status.st_size > 0 ? (size_t)content->status.st_size : 0;
    size_t wanted = size < bytes_max ? size : bytes_max;
    content->text = calloc(1, wanted + 1);
    content->bytes = content->text ? io_receive(fd, content->text, wanted, 0) : 0;
    found = content->text ? found : SOURCE_FOUND_NOTHING;
  }
  if (fd >= 0) close(fd);
  return found;
}

/* ---- by another process ---------------------------------------------------------------------------- */

struct source_answer {
  enum source_found found;
  struct stat status;
  int64_t replaced_real_ns;
};

/* Reads the file in the child, which needs only the pipe and the root. */
static _Noreturn void source_serve(int out, const struct source_place *place, const struct source_rights *rights,
                                   size_t bytes_max, const struct stat *before)
{
  static char piece[1 << 16];
  struct source_answer answer = { .found = SOURCE_FOUND_NOTHING };
  const int keep[2] = { out, place->root };
  if (!source_rights_take(rights, SOURCE_RIGHTS_OPEN, keep, 2)) _exit(1);
  int fd = source_open_place(place, &answer.status, &answer.found);
  if (fd >= 0) answer.replaced_real_ns = source_replaced_ns(place->root, place->inside);
  if (!io_send(out, &answer, sizeof answer) || fd < 0 || source_is_same(&answer.status, before)) _exit(0);
  for (size_t left = bytes_max; left > 0;) {
    size_t got = io_receive(fd, piece, left < sizeof piece ? left : sizeof piece, 0);
    if (got == 0 || !io_send(out, piece, got)) break;
    left -= got;
  }
  _exit(0);
}

static enum source_found source_take(struct source_content *content, int in, size_t bytes_max,
                                     const struct stat *before)
{
  struct source_answer answer;
  int64_t until_ms = clock_now_ms() + SOURCE_PATIENCE_MS;
  if (io_receive(in, &answer, sizeof answer, until_ms) != sizeof answer) return SOURCE_FOUND_NOTHING;
  content->status = answer.status;
  content->replaced_real_ns = answer.replaced_real_ns;
  content->same = answer.found == SOURCE_FOUND && source_is_same(&answer.status, before);
  if (answer.found != SOURCE_FOUND || content->same) return answer.found;
  size_t size = answer.status.st_size > 0 ? (size_t)answer.status.st_size : 0;
  size_t wanted = size < bytes_max ? size : bytes_max;
  content->text = calloc(1, wanted + 1);
  content->bytes = content->text ? io_receive(in, content->text, wanted, until_ms) : 0;
  return content->text ? SOURCE_FOUND : SOURCE_FOUND_NOTHING;
}

/* Ends the child. False: the kernel is waiting for a file system, so the child cannot end now. */
static bool source_end(pid_t pid)
{
  const struct timespec pause = { 0, 1000000 };
  kill(pid, SIGKILL);
  for (int waited_ms = 0; waited_ms < SOURCE_PATIENCE_MS; waited_ms++) {
    if (waitpid(pid, NULL, WNOHANG) != 0) return true;
    nanosleep(&pause, NULL);
  }
  return false;
}

static enum source_found source_by_another(struct source_content *content, const struct source_place *place,
                                           const struct source_rights *rights, size_t bytes_max,
                                           const struct stat *before)
{
  static pid_t left; /* pid of a child that could not be ended, because its file system does not respond */
  int pipe_ends[2];
  if (left > 0 && waitpid(left, NULL, WNOHANG) == 0) return SOURCE_FOUND_NOTHING;
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) return SOURCE_FOUND_NOTHING;
  left = fork();
  if (left == 0) source_serve(pipe_ends[1], place, rights, bytes_max, before);
  close(pipe_ends[1]);
  enum source_found found = left > 0 ? source_take(content, pipe_ends[0], bytes_max, before) : SOURCE_FOUND_NOTHING;
  close(pipe_ends[0]);
  left = left > 0 && !source_end(left) ? left : 0;
  return found;
}

enum source_found source_open_read(struct source_content *content, pid_t pid, uid_t owner, const char *path,
                                   size_t bytes_max, const struct stat *before)
{
  struct source_place place;
  struct source_rights rights;
  bool drops = geteuid() == 0 && owner != 0, can_drop = drops && source_rights_of(&rights, pid, owner);
  *content = (struct source_content){ 0 };
  if (drops && !can_drop) return SOURCE_FOUND_NOTHING;
  source_place_find(&place, pid, !drops || rights.is_process, path);
  snprintf(content->opened, sizeof content->opened, "%s%.1200s", place.root_name, place.inside);
  enum source_found found = drops ? source_by_another(content, &place, &rights, bytes_max, before)
                                  : source_direct(content, &place, bytes_max, before);
  if (place.root >= 0) close(place.root);
  return found;
}
