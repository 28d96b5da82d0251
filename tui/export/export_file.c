/* SPDX-License-Identifier: MIT */
/* Files that appear only when they are complete. */
#include "export.h"

#include "tui/text/temporary.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXPORT_FILE_BUFFER_BYTES = 1 << 16 };

static bool export_fail(struct rtop_export_file *file)
{
  rtop_temporary_drop(&file->temporary);
  free(file->path);
  *file = (struct rtop_export_file){ 0 };
  return false;
}

bool rtop_export_file_open(struct rtop_export_file *file, const char *path)
{
  *file = (struct rtop_export_file){ .path = strdup(path) };
  int fd = rtop_temporary_create(path, &file->temporary);
  if (fd < 0) return export_fail(file);
  file->stream = file->path ? fdopen(fd, "w") : NULL;
  if (file->stream) {
    setvbuf(file->stream, NULL, _IOFBF, EXPORT_FILE_BUFFER_BYTES);
    return true;
  }
  close(fd);
  errno = ENOMEM;
  return export_fail(file);
}

/* Returns the descriptor that such a path refers to; -1: the path is that of a file. */
static int export_file_number(const char *path)
{
  static const struct {
    const char *path;
    int number;
  } known[] = { { "-", 1 }, { "/dev/stdout", 1 }, { "/dev/stderr", 2 } };
  static const char folder[] = "/dev/fd/";
  char *end;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strcmp(path, known[i].path) == 0) return known[i].number;
  if (strncmp(path, folder, strlen(folder)) != 0 || !isdigit((unsigned char)path[strlen(folder)])) return -1;
  long number = strtol(path + strlen(folder), &end, 10);
  return *end == '\0' && number <= INT_MAX ? (int)number : -1;
}

bool rtop_export_file_is_stdout(const char *path)
{
  return export_file_number(path) == STDOUT_FILENO;
}

bool rtop_export_file_open_output(struct rtop_export_file *file, const char *path)
{
  int number = export_file_number(path);
  if (number < 0) return rtop_export_file_open(file, path);
  *file = (struct rtop_export_file){ .in_place = true };
  int fd = fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (fd < 0) return false;
  file->stream = fdopen(fd, "w");
  if (!file->stream) close(fd);
  return file->stream != NULL;
}

/* errno reports data that were not written, whichever call found the error. */
bool rtop_export_file_close(struct rtop_export_file *file, bool keep)
{
  FILE *stream = file->stream;
  errno = 0;
  bool fine = !ferror(stream);
  fine = fflush(stream) == 0 && fine;
  if (keep && fine && !file->in_place) fine = rtop_temporary_keep(fileno(stream), &file->temporary, file->path);
  int problem = errno ? errno : EIO;
  if (fclose(stream) != 0 && fine) {
    problem = errno;
    fine = false;
  }
  export_fail(file);
  errno = problem;
  return fine || !keep;
}

bool rtop_export_save(const struct rtop_export *export, const char *path)
{
  struct rtop_file_kind kind;
  struct rtop_export_file file;
  if (!rtop_file_kind(path, &kind)) {
    errno = EINVAL;
    return false;
  }
  if (!rtop_export_file_open(&file, path)) return false;
  bool fine = rtop_export_write(export, kind, file.stream);
  int problem = errno;
  if (fine) return rtop_export_file_close(&file, true);
  rtop_export_file_close(&file, false);
  errno = problem;
  return false;
}
