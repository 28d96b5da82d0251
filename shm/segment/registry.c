/* SPDX-License-Identifier: MIT */
/* Lists and finds segments. */
#include "registry.h"
#include "place.h"
#include "registry_scan.h"
#include "segment.h"
#include "shm/base/liveness.h"
#include "shm/base/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
  REGISTRY_LOAD_MAX = 512, /* limit for the segments of one user that a list opens */
  REGISTRY_USERS = 256,    /* number of hash slots for users, by the last bits of their ids */
  REGISTRY_INSIDE_MAX = 16,
  REGISTRY_CONTAINERS_MAX = 64, /* maximum number of containers that are searched for a list */
};

/* A directory being scanned. */
struct registry_scope {
  const char *directory;
  uid_t owner; /* owner of the directory; PLACE_SHARED: files of any user may be in it */
  bool inside; /* whether the directory is inside a container, where users may have other ids */
};

/* Tells whether the lock holder runs as the file's owner, or was root when it made the file. Returns true when /proc
 * does not show the holder. */
static bool registry_holder_right(pid_t holder, uid_t owner)
{
  struct process_status status;
  return holder <= 0 || owner == 0 || !process_status_read(holder, &status) || status.uid == owner ||
         status.real_uid == owner;
}

static void registry_describe(const struct rtop_segment *segment, const struct stat *status, pid_t named_pid,
                              struct rtop_registry_entry *entry)
{
  uint64_t state = 0;
  const off_t where = RTOP_COUNTERS_OFFSET + (off_t)offsetof(struct rtop_counters, state);
  pid_t holder;
  memcpy(entry->path, segment->path, sizeof entry->path);
  entry->geometry = segment->geometry;
  entry->uid = status->st_uid;
  entry->file_bytes = (uint64_t)status->st_size;
  entry->modified_real_ns = (int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec;
  entry->alive = rtop_liveness_writer_alive(segment->fd, &holder) && registry_holder_right(holder, status->st_uid);
  entry->pid = entry->alive && holder > 0 ? holder : named_pid;
  if (pread(segment->fd, &state, sizeof state, where) == (ssize_t)sizeof state)
    entry->ended = state == RTOP_WRITER_ENDED;
}

static int registry_check(const struct registry_scope *scope, const struct rtop_segment *segment,
                          const struct stat *expected, struct stat *status, struct rtop_error *error)
{
  if (fstat(segment->fd, status) != 0 || status->st_dev != expected->st_dev || status->st_ino != expected->st_ino)
    return rtop_error_set(error, RTOP_ERROR_UNSAFE, 0, "refusing %.160s: it was replaced", segment->path);
  if (!scope->inside && segment->geometry.uid != status->st_uid)
    return rtop_error_set(error, RTOP_ERROR_UNSAFE, 0, "refusing %.160s: it says that user %u made it", segment->path,
                          segment->geometry.uid);
  return 0;
}

/* Opens a segment by path. `expected` is its status from the directory scan; the opened file must be the same file. */
static int registry_load(const struct registry_scope *scope, const char *path, const struct stat *expected,
                         pid_t named_pid, struct rtop_registry_entry *entry, struct rtop_error *error)
{
  struct rtop_segment segment;
  struct stat status;
  memset(entry, 0, sizeof *entry);
  if (rtop_segment_open_header(&segment, path, expected->st_uid, error) != 0) return -1;
  int result = registry_check(scope, &segment, expected, &status, error);
  if (result == 0) registry_describe(&segment, &status, named_pid, entry);
  rtop_segment_close(&segment, false);
  return result;
}

/* Tells whether this process itself writes the segment: the file is open here, and no other process is its writer. If
 * such a file were opened again, closing it would release the writer's lock (liveness.h). */
static bool registry_is_own(const struct stat *status)
{
  DIR *descriptors = opendir("/proc/self/fd");
  const struct dirent *entry;
  bool own = false;
  while (descriptors && !own && (entry = readdir(descriptors))) {
    struct stat other;
    int fd = atoi(entry->d_name);
    if (entry->d_name[0] == '.' || fstat(fd, &other) != 0) continue;
    own = other.st_dev == status->st_dev && other.st_ino == status->st_ino && !rtop_liveness_writer_alive(fd, NULL);
  }
  if (descriptors) closedir(descriptors);
  return own;
}

/* Reads a file's status and path. Returns false when the name is not a segment's, or the file does not belong to the
 * user in its name; such a file is ignored, also for limits. */
static bool registry_look(const struct registry_scope *scope, int directory_fd, const char *name, struct stat *status,
                          char *path, size_t path_bytes, pid_t *pid)
{
  uid_t named, owner = scope->owner;
  if (!registry_name_parse(name, &named, pid) || fstatat(directory_fd, name, status, AT_SYMLINK_NOFOLLOW) != 0 ||
      (!scope->inside && status->st_uid != named) || (owner != (uid_t)PLACE_SHARED && status->st_uid != owner))
    return false;
  if (*pid == getpid() && registry_is_own(status)) return false;
  int length = snprintf(path, path_bytes, "%s/%s", scope->directory, name);
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
  struct registry_scope scope;
  uint16_t loaded[REGISTRY_USERS];
};

/* Returns the number of entries that the user would have after this entry was added. */
static size_t registry_count(const struct registry_listing *listing, uid_t uid, const struct rtop_registry_entry *entry)
{
  size_t count = entry->uid == uid;
  for (size_t i = 0; i < listing->count; i++) count += listing->entries[i].uid == uid;
  return count;
}

/* Chooses the entry to drop for a new one; if the result is the number of entries, the new entry itself is dropped. The
 * user with most entries loses the oldest one, so no user can displace the segments of another user. */
static size_t registry_victim(const struct registry_listing *listing, const struct rtop_registry_entry *entry)
{
  uid_t loser = entry->uid;
  size_t most = registry_count(listing, loser, entry), victim = listing->count;
  for (size_t i = 0; i < listing->count; i++) {
    size_t count = registry_count(listing, listing->entries[i].uid, entry);
    if (count > most) {
      most = count;
      loser = listing->entries[i].uid;
    }
  }
  for (size_t i = 0; i < listing->count; i++)
    if (listing->entries[i].uid == loser) victim = i;
  bool itself = loser == entry->uid &&
                (victim == listing->count || entry->modified_real_ns <= listing->entries[victim].modified_real_ns);
  return itself ? listing->count : victim;
}

static void registry_remove(struct registry_listing *listing, size_t place)
{
  listing->count--;
  memmove(&listing->entries[place], &listing->entries[place + 1], (listing->count - place) * sizeof *listing->entries);
}

/* Inserts an entry, newest first. If the list is full, an entry is dropped. */
static void registry_insert(struct registry_listing *listing, const struct rtop_registry_entry *entry)
{
  if (listing->count == listing->capacity) {
    size_t victim = registry_victim(listing, entry);
    if (victim == listing->count) return;
    registry_remove(listing, victim);
  }
  size_t place = listing->count;
  while (place > 0 && listing->entries[place - 1].modified_real_ns < entry->modified_real_ns) place--;
  memmove(&listing->entries[place + 1], &listing->entries[place], (listing->count - place) * sizeof *listing->entries);
  listing->entries[place] = *entry;
  listing->count++;
}

static bool registry_list_visit(int directory_fd, const char *name, void *argument)
{
  struct registry_listing *listing = argument;
  struct rtop_registry_entry entry;
  struct stat status;
  char path[sizeof entry.path];
  pid_t pid;
  if (!registry_look(&listing->scope, directory_fd, name, &status, path, sizeof path, &pid) ||
      !registry_readable(&status) || listing->loaded[status.st_uid % REGISTRY_USERS] == REGISTRY_LOAD_MAX)
    return true;
  listing->loaded[status.st_uid % REGISTRY_USERS]++;
  if (registry_load(&listing->scope, path, &status, pid, &entry, NULL) == 0 && (entry.alive || !listing->scope.inside))
    /* the pid of a dead process in a container has no meaning outside */
    registry_insert(listing, &entry);
  return true;
}

static void registry_list_place(int fd, const char *path, uid_t owner, void *argument)
{
  struct registry_listing *listing = argument;
  listing->scope = (struct registry_scope){ .directory = path, .owner = owner };
  registry_scan(fd, registry_list_visit, listing);
}

/* State of the search for the segment of one process. */
struct registry_search {
  pid_t pid;
  bool exists;
  struct process_status status;
  struct registry_scope scope;
  struct rtop_registry_entry *best;
  bool found;
  bool several; /* dead segments of several users carry this pid */
  uid_t other_uid;
  bool foreign; /* a segment of another user had this pid */
  uid_t foreign_uid;
  struct rtop_error failure; /* reason why the first segment of this pid could not be used */
};

/* Tells whether the pid in a segment's name can be that of the searched process. Inside a container the process has
 * another pid, and its segment has that pid in its name. */
static bool registry_pid_fits(const struct registry_search *search, pid_t named_pid)
{
  if (named_pid == search->pid) return true;
  for (size_t i = 0; i < search->status.pid_count; i++)
    if (search->status.pids[i] == named_pid) return true;
  return false;
}

/* Tells whether the segment belongs to the searched process. A live segment does if, according to the kernel, the
 * process holds its lock. A dead segment only has its name; if the process exists, only its user or root can have made
 * the segment. */
static bool registry_is_of(const struct registry_search *search, const struct rtop_registry_entry *entry)
{
  if (search->exists && entry->uid != search->status.uid && entry->uid != 0) return false;
  return entry->alive ? entry->pid == search->pid : entry->geometry.pid == (uint32_t)entry->pid;
}

static bool registry_is_better(const struct registry_search *search, const struct rtop_registry_entry *entry)
{
  if (!search->found || entry->alive != search->best->alive) return !search->found || entry->alive;
  return entry->modified_real_ns > search->best->modified_real_ns;
}

static void registry_choose(struct registry_search *search, const struct rtop_registry_entry *entry)
{
  bool better = registry_is_better(search, entry);
  if (search->found && !search->best->alive && !entry->alive && search->best->uid != entry->uid) {
    search->several = !search->exists;
    search->other_uid = better ? search->best->uid : entry->uid;
  }
  if (better) *search->best = *entry;
  search->found = true;
}

static bool registry_find_visit(int directory_fd, const char *name, void *argument)
{
  struct registry_search *search = argument;
  struct rtop_registry_entry entry;
  struct rtop_error error = { 0 };
  struct stat status;
  char path[sizeof entry.path];
  pid_t pid;
  if (!registry_look(&search->scope, directory_fd, name, &status, path, sizeof path, &pid) ||
      !registry_pid_fits(search, pid))
    return true;
  if (!registry_readable(&status)) {
    search->foreign = true;
    search->foreign_uid = status.st_uid;
    return true;
  }
  if (registry_load(&search->scope, path, &status, pid, &entry, &error) != 0) {
    if (search->failure.code == RTOP_ERROR_NONE && error.code != RTOP_ERROR_NOT_FOUND) search->failure = error;
  } else if (registry_is_of(search, &entry)) {
    registry_choose(search, &entry);
  }
  return true;
}

static void registry_find_in(struct registry_search *search, int directory_fd, const struct registry_scope *scope)
{
  search->scope = *scope;
  if (directory_fd >= 0) registry_scan(directory_fd, registry_find_visit, search);
}

static void registry_find_place(int fd, const char *path, uid_t owner, void *argument)
{
  registry_find_in(argument, fd, &(struct registry_scope){ .directory = path, .owner = owner });
}

/* Opens a directory as the process sees it. Links in a container may point anywhere, so they are resolved inside its
 * root (without openat2 there is no search), and only memory file systems are accepted. With `elsewhere`, a directory
 * that the caller sees under the same path, too, is rejected. Returns -1 when nothing was opened. */
static int registry_open_inside(pid_t pid, const char *directory, bool elsewhere)
{
  char root[64];
  struct stat inside, own;
  struct statfs system;
  struct open_how how = {
    .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
    .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
  };
  snprintf(root, sizeof root, "/proc/%d/root", (int)pid);
  int root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root_fd < 0) return -1;
  int handle = (int)syscall(SYS_openat2, root_fd, directory + 1, &how, sizeof how);
  close(root_fd);
  if (handle < 0) return -1;
  bool right =
      fstatfs(handle, &system) == 0 && system.f_type == TMPFS_MAGIC &&
      (!elsewhere || (fstat(handle, &inside) == 0 &&
                      (stat(directory, &own) != 0 || own.st_dev != inside.st_dev || own.st_ino != inside.st_ino)));
  int fd = right ? openat(handle, ".", O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC) : -1;
  close(handle);
  return fd;
}

/* Searches a directory of the process's user, or one where other users may put files, too (owner PLACE_SHARED). */
static void registry_find_inside(struct registry_search *search, const char *directory, bool private)
{
  char inside[512];
  struct stat status;
  uid_t owner = private ? search->status.uid : (uid_t)PLACE_SHARED;
  struct registry_scope scope = { .directory = inside, .owner = owner, .inside = true };
  int length = snprintf(inside, sizeof inside, "/proc/%d/root%s", (int)search->pid, directory);
  int fd = registry_open_inside(search->pid, directory, !private);
  if (fd >= 0 && (length < 0 || (size_t)length >= sizeof inside ||
                  (private && (fstat(fd, &status) != 0 || status.st_uid != search->status.uid)))) {
    close(fd);
    fd = -1;
  }
  registry_find_in(search, fd, &scope);
}

struct registry_names {
  uid_t owner;
  size_t count;
  char names[REGISTRY_INSIDE_MAX][64];
};

static bool registry_name_visit(int directory_fd, const char *name, void *argument)
{
  struct registry_names *names = argument;
  struct stat status;
  uid_t uid;
  if (place_name_parse(name, &uid) && fstatat(directory_fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
      S_ISDIR(status.st_mode) && status.st_uid == names->owner)
    snprintf(names->names[names->count++], sizeof names->names[0], "%s", name);
  return names->count < REGISTRY_INSIDE_MAX;
}

/* Searches the container's /dev/shm: directories of the process's user, and files of version 1.0. Directories are
 * searched even if the container shares our /dev/shm: the directory's name contains the user's id, which may differ
 * inside. */
static void registry_find_container(struct registry_search *search)
{
  struct registry_names names = { .owner = search->status.uid };
  char directory[96];
  int fd = registry_open_inside(search->pid, PLACE_SHARED_MEMORY, false);
  if (fd < 0) return;
  registry_scan(fd, registry_name_visit, &names);
  for (size_t i = 0; i < names.count; i++) {
    snprintf(directory, sizeof directory, PLACE_SHARED_MEMORY "/%s", names.names[i]);
    registry_find_inside(search, directory, true);
  }
  registry_find_inside(search, PLACE_SHARED_MEMORY, false);
}

/* Searches the directory that the process's environment names, unless it was searched already. */
static void registry_find_told(struct registry_search *search, const char *variable, const char *name)
{
  char directory[400], root[64];
  struct stat inside, own;
  size_t room = sizeof directory - strlen(name);
  snprintf(root, sizeof root, "/proc/%d/root", (int)search->pid);
  if (!process_environment(search->pid, variable, directory, room) || directory[0] != '/') return;
  strcat(directory, name);
  bool private = name[0] != '\0';
  bool same_root =
      stat(root, &inside) == 0 && stat("/", &own) == 0 && inside.st_dev == own.st_dev && inside.st_ino == own.st_ino;
  if (!same_root) {
    registry_find_inside(search, directory, private);
    return;
  }
  uid_t owner = private ? search->status.uid : (uid_t)PLACE_SHARED;
  int fd = private ? place_open(AT_FDCWD, directory, owner) : registry_open_directory(directory);
  registry_find_in(search, fd, &(struct registry_scope){ .directory = directory, .owner = owner });
}

/* Containers that a list has visited: mount namespaces, and the file systems they have as /dev/shm. */
struct registry_containers {
  struct registry_listing *listing;
  ino_t own;
  size_t count, memory_count;
  ino_t seen[REGISTRY_CONTAINERS_MAX];
  struct {
    dev_t device;
    ino_t inode;
  } memory[REGISTRY_CONTAINERS_MAX];
};

static bool registry_container_new(struct registry_containers *containers, pid_t pid)
{
  char path[64];
  struct stat status;
  snprintf(path, sizeof path, "/proc/%d/ns/mnt", (int)pid);
  if (stat(path, &status) != 0 || status.st_ino == containers->own) return false;
  for (size_t i = 0; i < containers->count; i++)
    if (containers->seen[i] == status.st_ino) return false;
  if (containers->count == REGISTRY_CONTAINERS_MAX) return false;
  containers->seen[containers->count++] = status.st_ino;
  return true;
}

static bool registry_memory_new(struct registry_containers *containers, int fd)
{
  struct stat status;
  if (fstat(fd, &status) != 0 || containers->memory_count == REGISTRY_CONTAINERS_MAX) return false;
  for (size_t i = 0; i < containers->memory_count; i++)
    if (containers->memory[i].device == status.st_dev && containers->memory[i].inode == status.st_ino) return false;
  containers->memory[containers->memory_count].device = status.st_dev;
  containers->memory[containers->memory_count++].inode = status.st_ino;
  return true;
}

/* Lists a user's directory in a container's /dev/shm; the owner is checked outside the container. */
static void registry_list_directory(struct registry_listing *listing, int parent_fd, const char *path, const char *name)
{
  char directory[PLACE_PATH_MAX];
  struct stat status;
  int length = snprintf(directory, sizeof directory, "%s/%s", path, name);
  if (length < 0 || (size_t)length >= sizeof directory || fstatat(parent_fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
    return;
  int fd = registry_readable(&status) ? place_open(parent_fd, name, status.st_uid) : -1;
  listing->scope = (struct registry_scope){ .directory = directory, .owner = status.st_uid, .inside = true };
  if (fd >= 0) registry_scan(fd, registry_list_visit, listing);
}

static bool registry_any_name_visit(int directory_fd, const char *name, void *argument)
{
  struct registry_names *names = argument;
  uid_t uid;
  (void)directory_fd;
  if (place_name_parse(name, &uid)) snprintf(names->names[names->count++], sizeof names->names[0], "%s", name);
  return names->count < REGISTRY_INSIDE_MAX;
}

static bool registry_list_inside(int directory_fd, const char *name, void *argument)
{
  struct registry_containers *containers = argument;
  struct registry_names names = { .count = 0 };
  char path[64];
  pid_t pid = (pid_t)strtol(name, NULL, 10);
  (void)directory_fd;
  if (pid <= 0 || !registry_container_new(containers, pid)) return true;
  int fd = registry_open_inside(pid, PLACE_SHARED_MEMORY, true);
  int again = fd >= 0 && registry_memory_new(containers, fd) ? dup(fd) : -1;
  snprintf(path, sizeof path, "/proc/%d/root" PLACE_SHARED_MEMORY, (int)pid);
  if (again >= 0) registry_scan(again, registry_any_name_visit, &names);
  for (size_t i = 0; i < names.count; i++) registry_list_directory(containers->listing, fd, path, names.names[i]);
  if (fd >= 0) close(fd);
  return true;
}

/* Lists segments of processes that run in containers on this machine. */
static void registry_list_containers(struct registry_listing *listing)
{
  struct registry_containers containers = { .listing = listing };
  struct stat own;
  const char *named = secure_getenv("RPERF_TOP_DIR");
  int processes = (!named || !*named) && stat("/proc/self/ns/mnt", &own) == 0 ? registry_open_directory("/proc") : -1;
  if (processes < 0) return;
  containers.own = own.st_ino;
  registry_scan(processes, registry_list_inside, &containers);
}

size_t rtop_registry_list(struct rtop_registry_entry *entries, size_t capacity)
{
  struct registry_listing listing = { .entries = entries, .capacity = capacity };
  if (capacity == 0) return 0;
  place_each(registry_list_place, &listing);
  registry_list_containers(&listing);
  return listing.count;
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

static bool registry_found_alive(const struct registry_search *search)
{
  return search->found && search->best->alive;
}

/* Searches the usual directories: for a living process the directories of its user; for a dead one the directories of
 * every user that the caller may read. */
static void registry_find_places(struct registry_search *search)
{
  uid_t own = geteuid();
  if (!search->exists) {
    place_each(registry_find_place, search);
    return;
  }
  place_each_of(own == 0 ? search->status.uid : own, registry_find_place, search);
  if (own == 0 && search->status.uid != 0 && !registry_found_alive(search))
    place_each_of(0, registry_find_place, search);
}

int rtop_registry_find(pid_t pid, struct rtop_registry_entry *entry, struct rtop_error *error)
{
  struct registry_search search = { .pid = pid, .best = entry };
  search.exists = pid > 0 && process_status_read(pid, &search.status);
  registry_find_places(&search);
  if (search.exists && !registry_found_alive(&search)) registry_find_container(&search);
  if (search.exists && !registry_found_alive(&search)) registry_find_told(&search, "RPERF_TOP_DIR", "");
  if (search.exists && !registry_found_alive(&search)) registry_find_told(&search, "XDG_RUNTIME_DIR", "/rperf-top");
  if (search.found && search.several && !entry->alive)
    return rtop_error_set(error, RTOP_ERROR_UNSAFE, 0,
                          "users %u and %u both left a ring of a process %d; say which file: rperf-top -r %.160s",
                          (unsigned)entry->uid, (unsigned)search.other_uid, (int)pid, entry->path);
  return search.found ? 0 : registry_not_found(&search, error);
}

/* Tells whether the process of the earlier segment made the later one after exec. Exec keeps pid and start time, but
 * not the channel. */
static bool registry_is_successor(const struct rtop_geometry *later, const struct rtop_geometry *geometry)
{
  return later->pid == geometry->pid && later->start_ticks == geometry->start_ticks &&
         later->created_mono_ns > geometry->created_mono_ns &&
         memcmp(later->boot_id, geometry->boot_id, sizeof later->boot_id) == 0 &&
         memcmp(later->instance_id, geometry->instance_id, sizeof later->instance_id) != 0;
}

/* Copies the program's name from the command: "ruby" from "/usr/bin/ruby app.rb". */
static void registry_program(const struct rtop_geometry *geometry, struct rtop_ending *ending)
{
  const char *word = geometry->command;
  size_t length = strnlen(word, sizeof geometry->command), end = 0, start = 0;
  for (; end < length && word[end] != ' '; end++) start = word[end] == '/' ? end + 1 : start;
  size_t bytes = end - start < sizeof ending->program ? end - start : sizeof ending->program - 1;
  memset(ending->program, 0, sizeof ending->program);
  memcpy(ending->program, word + start, bytes);
}

void rtop_registry_ending(pid_t pid, const struct rtop_geometry *geometry, const struct rtop_counters *said,
                          int64_t last_mono_ns, struct rtop_ending *ending)
{
  struct rtop_registry_entry later;
  rtop_ending_find(geometry, said, last_mono_ns, ending);
  if (ending->cause != RTOP_ENDING_VANISHED || rtop_registry_find(pid, &later, NULL) != 0 ||
      !registry_is_successor(&later.geometry, geometry))
    return;
  ending->cause = RTOP_ENDING_EXEC;
  registry_program(&later.geometry, ending);
}
