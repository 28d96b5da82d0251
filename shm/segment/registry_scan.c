/* SPDX-License-Identifier: MIT */
/* Scans directories for segments. */
#include "registry_scan.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Parses a number without sign, blanks or leading zero, up to a full stop. */
static const char *scan_number(const char *text, unsigned long maximum, unsigned long *number)
{
  char *end;
  if (!isdigit((unsigned char)*text) || (text[0] == '0' && text[1] != '.')) return NULL;
  errno = 0;
  *number = strtoul(text, &end, 10);
  return errno == 0 && *number <= maximum && *end == '.' ? end + 1 : NULL;
}

bool registry_name_parse(const char *name, uid_t *uid, pid_t *pid)
{
  static const char prefix[] = "rperf-top.";
  unsigned long numbers[2];
  if (strncmp(name, prefix, sizeof prefix - 1) != 0) return false;
  const char *next = scan_number(name + sizeof prefix - 1, UINT_MAX, &numbers[0]);
  if (next) next = scan_number(next, INT_MAX, &numbers[1]);
  if (!next || strlen(next) != 16 || strspn(next, "0123456789abcdef") != 16) return false;
  *uid = (uid_t)numbers[0];
  *pid = (pid_t)numbers[1];
  return true;
}

void registry_scan(int directory_fd, bool (*visit)(int directory_fd, const char *name, void *argument), void *argument)
{
  DIR *directory = fdopendir(directory_fd);
  if (!directory) {
    close(directory_fd);
    return;
  }
  for (int looked = 0; looked < REGISTRY_SCAN_MAX; looked++) {
    const struct dirent *entry = readdir(directory);
    if (!entry || !visit(directory_fd, entry->d_name, argument)) break;
  }
  closedir(directory);
}

int registry_open_directory(const char *path)
{
  return open(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
}
