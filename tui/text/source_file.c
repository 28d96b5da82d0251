/* SPDX-License-Identifier: MIT */
/* Finds, reads and splits a source file. */
#include "source_file.h"
#include "source_open.h"
#include "text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 2048, TAB = 8 };

void source_file_close(struct source_file *file)
{
  free(file->text);
  free(file->line_start);
  memset(file, 0, sizeof *file);
}

static bool index_lines(struct source_file *file)
{
  uint32_t count = 1;
  for (size_t i = 0; i + 1 < file->bytes && count < SOURCE_LINES_MAX; i++) count += file->text[i] == '\n';
  file->line_start = malloc((count + 1) * sizeof *file->line_start);
  if (file->line_start == NULL) return false;
  uint32_t line = 0;
  file->line_start[0] = 0;
  for (size_t i = 0; i + 1 < file->bytes && line + 1 < count; i++)
    if (file->text[i] == '\n') file->line_start[++line] = (uint32_t)i + 1;
  file->line_count = file->bytes > 0 ? count : 0;
  file->line_start[count] = (uint32_t)file->bytes;
  return true;
}

static int64_t time_ns(const struct timespec *time)
{
  return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

/* What is here of it already. */
static struct stat known(const struct source_file *file)
{
  return (struct stat){
    .st_ino = (ino_t)file->inode,
    .st_size = (off_t)file->size,
    .st_mtim = { file->changed_real_ns / 1000000000, file->changed_real_ns % 1000000000 },
    .st_ctim = { file->inode_real_ns / 1000000000, file->inode_real_ns % 1000000000 },
  };
}

static bool take(struct source_file *file, struct source_content *content)
{
  file->inode = (uint64_t)content->status.st_ino;
  file->size = (uint64_t)content->status.st_size;
  file->changed_real_ns = time_ns(&content->status.st_mtim);
  file->inode_real_ns = time_ns(&content->status.st_ctim);
  file->replaced_real_ns = content->replaced_real_ns;
  memcpy(file->opened, content->opened, sizeof file->opened);
  file->text = content->text;
  file->bytes = content->bytes;
  file->cut = file->size > SOURCE_BYTES_MAX;
  return index_lines(file);
}

static bool names_a_file(const char *path)
{
  return path[0] != '\0' && path[0] != '(' && strcmp(path, "-e") != 0 && strcmp(path, "-") != 0 &&
         strlen(path) < SOURCE_PATH_MAX;
}

void source_file_open(struct source_file *file, pid_t pid, uid_t owner, const char *path)
{
  struct source_content content = { .same = false };
  bool here = file->state == SOURCE_READY && file->pid == pid && file->owner == owner && strcmp(file->path, path) == 0;
  struct stat before = known(file);
  enum source_found found = SOURCE_FOUND_NO_FILE;
  if (names_a_file(path)) found = source_open_read(&content, pid, owner, path, SOURCE_BYTES_MAX, here ? &before : NULL);
  if (content.same) file->replaced_real_ns = content.replaced_real_ns;
  if (content.same) return;
  source_file_close(file);
  snprintf(file->path, sizeof file->path, "%s", path);
  file->pid = pid;
  file->owner = owner;
  file->state = found == SOURCE_FOUND_NO_FILE ? SOURCE_NOT_A_FILE : SOURCE_MISSING;
  if (found == SOURCE_FOUND && take(file, &content)) file->state = SOURCE_READY;
}

enum source_age source_file_age(const struct source_file *file, int64_t code_real_ns, int64_t running_real_ns)
{
  if (code_real_ns <= 0 || file->state != SOURCE_READY) return SOURCE_AGE_UNKNOWN;
  int64_t by_then_ns = running_real_ns > code_real_ns ? running_real_ns : code_real_ns;
  if (file->changed_real_ns > by_then_ns && file->inode_real_ns > by_then_ns) return SOURCE_CHANGED;
  return file->replaced_real_ns > code_real_ns ? SOURCE_AGE_UNKNOWN : SOURCE_AS_LOADED;
}

bool source_file_is_doubtful(const struct source_file *file, int64_t code_real_ns, int64_t running_real_ns)
{
  return file->state == SOURCE_READY && source_file_age(file, code_real_ns, running_real_ns) != SOURCE_AS_LOADED;
}

void source_file_line(const struct source_file *file, uint32_t line, char *out, size_t out_bytes)
{
  char raw[LINE_MAX_BYTES];
  size_t used = 0;
  out[0] = '\0';
  if (line == 0 || line > file->line_count) return;
  const char *at = file->text + file->line_start[line - 1], *end = file->text + file->line_start[line];
  while (end > at && (end[-1] == '\n' || end[-1] == '\r')) end--;
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
