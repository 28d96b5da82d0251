/* SPDX-License-Identifier: MIT */
/* Makes, names and removes the file. */
#include "temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEMPORARY_WATCHED = 8, TEMPORARY_TRIES = 16 };

/* Signal handlers read these names; each is a complete string or NULL at any time. */
static const char *volatile temporary_watched[TEMPORARY_WATCHED];

void rtop_temporary_watch(const char *name)
{
  for (int i = 0; i < TEMPORARY_WATCHED; i++)
    if (!temporary_watched[i]) {
      temporary_watched[i] = name;
      return;
    }
}

void rtop_temporary_forget(const char *name)
{
  for (int i = 0; i < TEMPORARY_WATCHED; i++)
    if (temporary_watched[i] == name) temporary_watched[i] = NULL;
}

void rtop_temporary_remove_all(void)
{
  for (int i = 0; i < TEMPORARY_WATCHED; i++)
    if (temporary_watched[i]) unlink(temporary_watched[i]);
}

static void temporary_link(char *link, size_t bytes, int fd)
{
  snprintf(link, bytes, "/proc/self/fd/%d", fd);
}

/* Opens a file without a name; -1 where that is not possible, or where the file could not be named later. */
static int temporary_nameless(const char *path)
{
  char *copy = strdup(path), link[32];
  int fd = copy ? open(dirname(copy), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1;
  free(copy);
  temporary_link(link, sizeof link, fd);
  if (fd < 0 || access(link, F_OK) == 0) return fd;
  close(fd);
  return -1;
}

int rtop_temporary_create(const char *path, char **name)
{
  struct stat status;
  *name = NULL;
  if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
    errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL; /* Renaming would replace a device or pipe. */
    return -1;
  }
  if (asprintf(name, "%s.XXXXXX", path) < 0) {
    *name = NULL;
    errno = ENOMEM;
    return -1;
  }
  int fd = temporary_nameless(path);
  if (fd >= 0) return fd;
  fd = mkostemp(*name, O_CLOEXEC);
  if (fd < 0) {
    int problem = errno;
    free(*name);
    *name = NULL;
    errno = problem;
  } else {
    rtop_temporary_watch(*name);
  }
  return fd;
}

int rtop_temporary_log(const char *what, char *path, size_t path_bytes)
{
  static const char ending[] = ".log";
  const char *folder = getenv("TMPDIR");
  int length = snprintf(path, path_bytes, "%s/rperf-top-%d%s%s-XXXXXX%s", folder && *folder ? folder : "/tmp",
                        (int)getpid(), *what ? "-" : "", what, ending);
  if (length > 0 && (size_t)length < path_bytes) return mkostemps(path, sizeof ending - 1, O_APPEND | O_CLOEXEC);
  errno = ENAMETOOLONG;
  return -1;
}

static void temporary_rename_at_random(char *name)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  unsigned char random[6] = { 0 };
  char *last = name + strlen(name) - sizeof random;
  if (getrandom(random, sizeof random, GRND_NONBLOCK) < 0)
    return; /* The present name can be used unless another program takes it. */
  for (size_t i = 0; i < sizeof random; i++) last[i] = letters[random[i] % (sizeof letters - 1)];
}

/* Gives the file its final name. A rename replaces an existing file, a link does not; so the file first gets a random
   name, then the final one. */
static bool temporary_give_name(int fd, char *name)
{
  char link[32];
  struct stat status;
  if (fstat(fd, &status) != 0) return false;
  if (status.st_nlink > 0) return true;
  temporary_link(link, sizeof link, fd);
  for (int i = 0; i < TEMPORARY_TRIES; i++) {
    temporary_rename_at_random(name);
    if (linkat(AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0) {
      rtop_temporary_watch(name);
      return true;
    }
    if (errno != EEXIST) return false;
  }
  return false;
}

bool rtop_temporary_keep(int fd, char **name, const char *path)
{
  if (!temporary_give_name(fd, *name) || rename(*name, path) != 0) return false;
  rtop_temporary_forget(*name);
  free(*name);
  *name = NULL;
  return true;
}

void rtop_temporary_drop(char **name)
{
  int problem = errno;
  if (*name) {
    unlink(*name);
    rtop_temporary_forget(*name);
  }
  free(*name);
  *name = NULL;
  errno = problem;
}
