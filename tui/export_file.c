#include "export.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXPORT_FILE_BUFFER_BYTES = 1 << 16 };

static bool export_fail(struct rtop_export_file *file)
{
  int problem = errno;
  if (file->temporary)
    unlink(file->temporary);
  free(file->path);
  free(file->temporary);
  *file = (struct rtop_export_file){0};
  errno = problem;
  return false;
}

bool rtop_export_file_open(struct rtop_export_file *file, const char *path)
{
  struct stat status;
  *file = (struct rtop_export_file){.path = strdup(path)};
  if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
    errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;   /* a rename would replace a device or a pipe */
    return export_fail(file);
  }
  if (asprintf(&file->temporary, "%s.XXXXXX", path) < 0 || !file->path) {
    file->temporary = NULL;
    errno = ENOMEM;
    return export_fail(file);
  }
  int fd = mkostemp(file->temporary, 0);
  if (fd < 0) {
    free(file->temporary);
    file->temporary = NULL;
    return export_fail(file);
  }
  mode_t mask = umask(0);
  umask(mask);
  fchmod(fd, 0666 & ~mask);
  file->stream = fdopen(fd, "w");
  if (file->stream) {
    setvbuf(file->stream, NULL, _IOFBF, EXPORT_FILE_BUFFER_BYTES);
    return true;
  }
  close(fd);
  return export_fail(file);
}

bool rtop_export_file_close(struct rtop_export_file *file, bool keep)
{
  bool fine = !ferror(file->stream);
  fine = fflush(file->stream) == 0 && fine;
  fine = fclose(file->stream) == 0 && fine;
  if (!keep)
    unlink(file->temporary);
  else if (!fine || rename(file->temporary, file->path) != 0)
    return export_fail(file);
  free(file->path);
  free(file->temporary);
  *file = (struct rtop_export_file){0};
  return true;
}

bool rtop_export_save(const struct rtop_export *export, const char *path)
{
  struct rtop_file_kind kind;
  struct rtop_export_file file;
  if (!rtop_file_kind(path, &kind)) {
    errno = EINVAL;
    return false;
  }
  if (!rtop_export_file_open(&file, path))
    return false;
  bool fine = rtop_export_write(export, kind, file.stream);
  int problem = errno;
  if (fine)
    return rtop_export_file_close(&file, true);
  rtop_export_file_close(&file, false);
  errno = problem;
  return false;
}
