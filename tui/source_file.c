#include "source_file.h"
#include "text.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FILE_FLAGS = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, LINE_MAX_BYTES = 2048, TAB = 8 };

void source_file_close(struct source_file *file)
{
  free(file->text);
  free(file->line_start);
  memset(file, 0, sizeof *file);
}

/* Absolute links of a container must not lead to our own root: the kernel holds the walk inside. *absent:
 * we looked, and there is no such file; a file of ours with the same name is another one. */
static int open_below(const char *folder, const char *path, bool *absent)
{
  struct open_how how = { .flags = FILE_FLAGS, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
  int root = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root < 0) {
    return -1;
  }
  int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof how);
  *absent = fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP);
  close(root);
  return fd;
}

static int open_found(pid_t pid, const char *path, char *opened, size_t bytes)
{
  char folder[48];
  bool absent = false;
  int fd = -1;
  if (pid > 0 && path[0] == '/') {
    snprintf(folder, sizeof folder, "/proc/%d/root", (int)pid);
    snprintf(opened, bytes, "%s%s", folder, path);
    fd = open_below(folder, path, &absent);
  } else if (pid > 0) {
    snprintf(folder, sizeof folder, "/proc/%d/cwd", (int)pid);
    snprintf(opened, bytes, "%s/%s", folder, path);
    int cwd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    fd = cwd >= 0 ? openat(cwd, path, FILE_FLAGS) : -1;
    if (cwd >= 0) {
      close(cwd);
    }
  }
  if (fd < 0 && !absent) {
    snprintf(opened, bytes, "%s", path);
    fd = open(path, FILE_FLAGS);
  }
  return fd;
}

static bool index_lines(struct source_file *file)
{
  uint32_t count = 1;
  for (size_t i = 0; i + 1 < file->bytes && count < SOURCE_LINES_MAX; i++) {
    count += file->text[i] == '\n';
  }
  file->line_start = malloc((count + 1) * sizeof *file->line_start);
  if (file->line_start == NULL) {
    return false;
  }
  uint32_t line = 0;
  file->line_start[0] = 0;
  for (size_t i = 0; i + 1 < file->bytes && line + 1 < count; i++) {
    if (file->text[i] == '\n') {
      file->line_start[++line] = (uint32_t)i + 1;
    }
  }
  file->line_count = file->bytes > 0 ? count : 0;
  file->line_start[count] = (uint32_t)file->bytes;
  return true;
}

static bool read_text(struct source_file *file, int fd, uint64_t size)
{
  size_t wanted = size > SOURCE_BYTES_MAX ? SOURCE_BYTES_MAX : (size_t)size;
  file->cut = size > SOURCE_BYTES_MAX;
  file->text = calloc(1, wanted + 1);
  while (file->text != NULL && file->bytes < wanted) {
    ssize_t got = read(fd, file->text + file->bytes, wanted - file->bytes);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      break;                           /* it shrank meanwhile */
    }
    file->bytes += (size_t)got;
  }
  return file->text != NULL && index_lines(file);
}

static int64_t time_ns(const struct timespec *time)
{
  return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

static bool unchanged(const struct source_file *file, pid_t pid, const char *path, const struct stat *now)
{
  return file->state == SOURCE_READY && file->pid == pid && strcmp(file->path, path) == 0
    && file->inode == (uint64_t)now->st_ino && file->size == (uint64_t)now->st_size
    && file->changed_real_ns == time_ns(&now->st_mtim);
}

static enum source_state load(struct source_file *file, int fd, const struct stat *now)
{
  file->inode = (uint64_t)now->st_ino;
  file->size = (uint64_t)now->st_size;
  file->changed_real_ns = time_ns(&now->st_mtim);
  return read_text(file, fd, file->size) ? SOURCE_READY : SOURCE_MISSING;
}

void source_file_open(struct source_file *file, pid_t pid, const char *path)
{
  char opened[sizeof file->opened];
  struct stat now = { 0 };
  bool has_path = path[0] != '\0' && path[0] != '(' && strcmp(path, "-e") != 0 && strcmp(path, "-") != 0
    && strlen(path) < SOURCE_PATH_MAX;
  int fd = has_path ? open_found(pid, path, opened, sizeof opened) : -1;
  bool regular = fd >= 0 && fstat(fd, &now) == 0 && S_ISREG(now.st_mode);
  if (!regular || !unchanged(file, pid, path, &now)) {
    source_file_close(file);
    snprintf(file->path, sizeof file->path, "%s", path);
    file->pid = pid;
    file->state = !has_path || fd >= 0 ? SOURCE_NOT_A_FILE : SOURCE_MISSING;
    if (regular) {
      memcpy(file->opened, opened, sizeof opened);
      file->state = load(file, fd, &now);
    }
  }
  if (fd >= 0) {
    close(fd);
  }
}

bool source_file_is_newer(const struct source_file *file, int64_t started_real_ns)
{
  return file->state == SOURCE_READY && started_real_ns > 0 && file->changed_real_ns > started_real_ns;
}

void source_file_line(const struct source_file *file, uint32_t line, char *out, size_t out_bytes)
{
  char raw[LINE_MAX_BYTES];
  size_t used = 0;
  out[0] = '\0';
  if (line == 0 || line > file->line_count) {
    return;
  }
  const char *at = file->text + file->line_start[line - 1], *end = file->text + file->line_start[line];
  while (end > at && (end[-1] == '\n' || end[-1] == '\r')) {
    end--;
  }
  for (; at < end && used + TAB < sizeof raw; at++) {
    if (*at == '\t') {
      size_t blanks = TAB - used % TAB;
      memset(raw + used, ' ', blanks);
      used += blanks;
    } else {
      raw[used++] = *at;
    }
  }
  rtop_text_sanitize(out, out_bytes, raw, used);
}
