#include "registry.h"
#include "liveness.h"
#include "process.h"
#include "registry_scan.h"
#include "segment.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void registry_describe(const struct rtop_segment *segment, const struct stat *status,
                              pid_t named_pid, struct rtop_registry_entry *entry)
{
  uint64_t state = 0;
  const off_t where = RTOP_COUNTERS_OFFSET + (off_t)offsetof(struct rtop_counters, state);
  pid_t holder;
  memcpy(entry->path, segment->path, sizeof entry->path);
  entry->geometry = segment->geometry;
  entry->uid = status->st_uid;
  entry->file_bytes = (uint64_t)status->st_size;
  entry->modified_real_ns = (int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec;
  entry->alive = rtop_liveness_writer_alive(segment->fd, &holder);
  entry->pid = entry->alive && holder > 0 ? holder : named_pid;
  if (pread(segment->fd, &state, sizeof state, where) == (ssize_t)sizeof state)
    entry->ended = state == RTOP_STATE_ENDED;
}

/* `expected` is what the directory said; the file opened by path must be that very one. */
static int registry_load(const char *path, const struct stat *expected, pid_t named_pid,
                         struct rtop_registry_entry *entry, struct rtop_error *error)
{
  struct rtop_segment segment;
  struct stat status;
  memset(entry, 0, sizeof *entry);
  if (rtop_segment_open(&segment, path, expected->st_uid, error) != 0)
    return -1;
  bool same = fstat(segment.fd, &status) == 0 && status.st_dev == expected->st_dev &&
              status.st_ino == expected->st_ino;
  if (same)
    registry_describe(&segment, &status, named_pid, entry);
  rtop_segment_close(&segment, false);
  return same ? 0 : rtop_error_set(error, RTOP_ERROR_UNSAFE, 0, "refusing %.160s: it was replaced", path);
}

/* What the directory says about a name, and its path. False when it is no segment's. */
static bool registry_look(int directory_fd, const char *directory, const char *name, struct stat *status,
                          char *path, size_t path_bytes, pid_t *pid)
{
  uid_t uid;
  if (!registry_name_parse(name, &uid, pid) ||
      fstatat(directory_fd, name, status, AT_SYMLINK_NOFOLLOW) != 0)
    return false;
  int length = snprintf(path, path_bytes, "%s/%s", directory, name);
  return length > 0 && (size_t)length < path_bytes;
}

static bool registry_readable(const struct stat *status)
{
  uid_t own = geteuid();
  return own == 0 || status->st_uid == own;
}

struct registry_listing {
  struct rtop_registry_entry *entries;
  size_t capacity, count;
  const char *directory;
};

/* Newest first; beyond the capacity the oldest falls out. */
static void registry_insert(struct registry_listing *listing, const struct rtop_registry_entry *entry)
{
  size_t place = listing->count;
  while (place > 0 && listing->entries[place - 1].modified_real_ns < entry->modified_real_ns)
    place--;
  if (place == listing->capacity)
    return;
  if (listing->count < listing->capacity)
    listing->count++;
  memmove(&listing->entries[place + 1], &listing->entries[place],
          (listing->count - 1 - place) * sizeof *listing->entries);
  listing->entries[place] = *entry;
}

static bool registry_list_visit(int directory_fd, const char *name, void *argument)
{
  struct registry_listing *listing = argument;
  struct rtop_registry_entry entry;
  struct stat status;
  char path[sizeof entry.path];
  pid_t pid;
  if (registry_look(directory_fd, listing->directory, name, &status, path, sizeof path, &pid) &&
      registry_readable(&status) && registry_load(path, &status, pid, &entry, NULL) == 0)
    registry_insert(listing, &entry);
  return true;
}

size_t rtop_registry_list(struct rtop_registry_entry *entries, size_t capacity)
{
  struct registry_listing listing = {.entries = entries, .capacity = capacity};
  const char *directories[2];
  size_t count = registry_directories(directories);
  for (size_t i = 0; i < count; i++) {
    listing.directory = directories[i];
    int fd = registry_open_directory(directories[i]);
    if (fd >= 0)
      registry_scan(fd, registry_list_visit, &listing);
  }
  return listing.count;
}

/* The search for one process. */
struct registry_search {
  pid_t pid;
  bool exists;
  struct process_status status;
  const char *directory;
  struct rtop_registry_entry *best;
  bool found;
  bool foreign;                        /* a segment of another user stood there */
  uid_t foreign_uid;
  struct rtop_error failure;           /* of the first segment of this pid that could not be used */
};

/* A process in a container has another number there, and its segment is named by that. */
static bool registry_pid_fits(const struct registry_search *search, pid_t named_pid)
{
  if (named_pid == search->pid)
    return true;
  for (size_t i = 0; i < search->status.pid_count; i++)
    if (search->status.pids[i] == named_pid)
      return true;
  return false;
}

/* A live segment is the process's when the kernel says that it holds the lock, and when the process's
 * user (or root, before it gave up its rights) owns the file. A dead one has only its name. */
static bool registry_is_of(const struct registry_search *search, const struct rtop_registry_entry *entry)
{
  if (!entry->alive)
    return entry->geometry.pid == (uint32_t)entry->pid;
  if (!search->exists)
    return entry->pid == search->pid;
  return entry->pid == search->pid && (entry->uid == search->status.uid || entry->uid == 0);
}

static bool registry_is_better(const struct registry_search *search,
                               const struct rtop_registry_entry *entry)
{
  if (!search->found || entry->alive != search->best->alive)
    return !search->found || entry->alive;
  return entry->modified_real_ns > search->best->modified_real_ns;
}

static bool registry_find_visit(int directory_fd, const char *name, void *argument)
{
  struct registry_search *search = argument;
  struct rtop_registry_entry entry;
  struct rtop_error error = {0};
  struct stat status;
  char path[sizeof entry.path];
  pid_t pid;
  if (!registry_look(directory_fd, search->directory, name, &status, path, sizeof path, &pid) ||
      !registry_pid_fits(search, pid))
    return true;
  if (!registry_readable(&status)) {
    search->foreign = true;
    search->foreign_uid = status.st_uid;
    return true;
  }
  if (registry_load(path, &status, pid, &entry, &error) != 0) {
    if (search->failure.code == RTOP_ERROR_NONE && error.code != RTOP_ERROR_NOT_FOUND)
      search->failure = error;
  } else if (registry_is_of(search, &entry) && registry_is_better(search, &entry)) {
    *search->best = entry;
    search->found = true;
  }
  return true;
}

static void registry_find_in(struct registry_search *search, const char *directory, int directory_fd)
{
  search->directory = directory;
  if (directory_fd >= 0)
    registry_scan(directory_fd, registry_find_visit, search);
  search->directory = NULL;
}

/* A directory as the process sees it. The container's files may be links to anywhere: they are resolved
 * inside its root (a kernel without openat2 gets no search there). -1 also when it is our own one. */
static int registry_open_inside(pid_t pid, const char *directory)
{
  char root[64];
  struct stat inside, own;
  struct open_how how = {
    .flags = O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC,
    .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
  };
  snprintf(root, sizeof root, "/proc/%d/root", (int)pid);
  int root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root_fd < 0)
    return -1;
  int fd = (int)syscall(SYS_openat2, root_fd, directory + 1, &how, sizeof how);
  close(root_fd);
  bool elsewhere =
    fd >= 0 && fstat(fd, &inside) == 0 &&
    (stat(directory, &own) != 0 || own.st_dev != inside.st_dev || own.st_ino != inside.st_ino);
  if (fd >= 0 && !elsewhere) {
    close(fd);
    return -1;
  }
  return fd;
}

static void registry_find_inside(struct registry_search *search, const char *directory)
{
  char inside[512];
  int length = snprintf(inside, sizeof inside, "/proc/%d/root%s", (int)search->pid, directory);
  if (length > 0 && (size_t)length < sizeof inside)
    registry_find_in(search, inside, registry_open_inside(search->pid, directory));
}

/* Where the process was told to put its segment, when that is not where we look. */
static void registry_find_named(struct registry_search *search)
{
  char directory[400], root[64];
  struct stat inside, own;
  snprintf(root, sizeof root, "/proc/%d/root", (int)search->pid);
  if (!process_environment(search->pid, "RPERF_TOP_DIR", directory, sizeof directory) || directory[0] != '/')
    return;
  bool same_root = stat(root, &inside) == 0 && stat("/", &own) == 0 && inside.st_dev == own.st_dev &&
                   inside.st_ino == own.st_ino;
  if (same_root)
    registry_find_in(search, directory, registry_open_directory(directory));
  else
    registry_find_inside(search, directory);
}

static int registry_not_found(const struct registry_search *search, struct rtop_error *error)
{
  int pid = (int)search->pid;
  uid_t own = geteuid();
  bool other_user = search->exists && own != 0 && search->status.uid != own;
  if (other_user || search->foreign)
    return rtop_error_set(error, RTOP_ERROR_PERMISSION, EACCES,
                          "process %d belongs to user %u; run as that user or root", pid,
                          (unsigned)(other_user ? search->status.uid : search->foreign_uid));
  if (search->failure.code != RTOP_ERROR_NONE)
    return rtop_error_set(error, search->failure.code, search->failure.errno_value, "process %d: %s", pid,
                          search->failure.text);
  if (!search->exists)
    return rtop_error_set(error, RTOP_ERROR_NOT_FOUND, ESRCH,
                          "no process %d, and none that left its last windows; see rperf-top --list", pid);
  return rtop_error_set(error, RTOP_ERROR_NOT_FOUND, 0,
                        "process %d has no rperf-top channel; start it with RUBYOPT=-rrperf_top, or by "
                        "rperf-top -- COMMAND",
                        pid);
}

int rtop_registry_find(pid_t pid, struct rtop_registry_entry *entry, struct rtop_error *error)
{
  struct registry_search search = {.pid = pid, .best = entry};
  const char *directories[2];
  search.exists = pid > 0 && process_status_read(pid, &search.status);
  size_t count = registry_directories(directories);
  for (size_t i = 0; i < count; i++)
    registry_find_in(&search, directories[i], registry_open_directory(directories[i]));
  if (search.exists && !(search.found && entry->alive))
    registry_find_inside(&search, "/dev/shm");
  if (search.exists && !(search.found && entry->alive))
    registry_find_named(&search);
  return search.found ? 0 : registry_not_found(&search, error);
}

/* exec keeps the process's number and the time of its start, but nothing of the channel. */
static bool registry_is_successor(const struct rtop_geometry *later, const struct rtop_geometry *geometry)
{
  return later->pid == geometry->pid && later->start_ticks == geometry->start_ticks &&
         later->created_mono_ns > geometry->created_mono_ns &&
         memcmp(later->boot_id, geometry->boot_id, sizeof later->boot_id) == 0 &&
         memcmp(later->instance_id, geometry->instance_id, sizeof later->instance_id) != 0;
}

/* "ruby" of "/usr/bin/ruby app.rb". */
static void registry_program(const struct rtop_geometry *geometry, struct rtop_ending *ending)
{
  const char *word = geometry->command;
  size_t length = strnlen(word, sizeof geometry->command), end = 0, start = 0;
  for (; end < length && word[end] != ' '; end++)
    start = word[end] == '/' ? end + 1 : start;
  size_t bytes = end - start < sizeof ending->program ? end - start : sizeof ending->program - 1;
  memset(ending->program, 0, sizeof ending->program);
  memcpy(ending->program, word + start, bytes);
}

void rtop_registry_ending(pid_t pid, const struct rtop_geometry *geometry, bool closed, int64_t last_mono_ns,
                          struct rtop_ending *ending)
{
  struct rtop_registry_entry later;
  rtop_ending_find(geometry, closed, last_mono_ns, ending);
  if (ending->cause != RTOP_ENDING_VANISHED || rtop_registry_find(pid, &later, NULL) != 0 ||
      !registry_is_successor(&later.geometry, geometry))
    return;
  ending->cause = RTOP_ENDING_EXEC;
  registry_program(&later.geometry, ending);
}
