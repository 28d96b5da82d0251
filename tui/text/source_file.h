/* SPDX-License-Identifier: MIT */
/* A source file for the screen: found in the process's file system, read once, lines sanitised.
 *
 * Path and content are not trusted: files are opened as in source_open.h, at most SOURCE_BYTES_MAX is read, and every
 * line is sanitised. Files of a process in a container are searched below /proc/PID/root.
 *
 * Threads: one. The file owns its memory.
 */
#ifndef RTOP_TUI_SOURCE_FILE_H
#define RTOP_TUI_SOURCE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { SOURCE_BYTES_MAX = 4 << 20, SOURCE_LINES_MAX = 1 << 18, SOURCE_PATH_MAX = 1200 };

enum source_state {
  SOURCE_NONE, /* nothing was asked for */
  SOURCE_READY,
  SOURCE_MISSING,    /* the file does not exist, or may not be read */
  SOURCE_NOT_A_FILE, /* no path ("(eval)", "-e"), a directory, or a device */
};

struct source_file {
  enum source_state state;
  char path[SOURCE_PATH_MAX];        /* as the process calls it */
  char opened[SOURCE_PATH_MAX + 64]; /* where it was found: for an editor */
  bool cut;                          /* larger than what is shown */
  int64_t changed_real_ns;           /* its last change, as it says itself */
  int64_t replaced_real_ns;          /* source_replaced_ns() of it */
  char *text;                        /* raw; private like what follows */
  size_t bytes;
  uint32_t *line_start;
  uint32_t line_count;
  pid_t pid;
  uid_t owner;
  uint64_t size, inode;
  int64_t inode_real_ns; /* its inode's last change */
};

/* Is the file what a process loaded? */
enum source_age {
  SOURCE_AS_LOADED, /* unchanged since before the process began to load code */
  SOURCE_CHANGED,   /* written to when the process was already running */
  SOURCE_AGE_UNKNOWN,
};

/* Opens `path` of process `pid` (0: unknown or ended). Reads the file only if something changed; root reads with the
 * rights of `owner`, who owns the channel or recording that named the path. */
void source_file_open(struct source_file *file, pid_t pid, uid_t owner, const char *path);
/* Writes a line, counted from 1: sanitised, tabs expanded to multiples of eight columns; "" beyond the end. */
void source_file_line(const struct source_file *file, uint32_t line, char *out, size_t out_bytes);
/* Compares the file's time with two times of the process. code_real_ns: the process loaded no code earlier; 0: unknown.
 * running_real_ns: the process was certainly running by then. A file written in between may be the one that was loaded,
 * since a script can write files and then run them. */
enum source_age source_file_age(const struct source_file *file, int64_t code_real_ns, int64_t running_real_ns);
/* May the file's lines differ from those of the running program? */
bool source_file_is_doubtful(const struct source_file *file, int64_t code_real_ns, int64_t running_real_ns);
void source_file_close(struct source_file *file);

#endif
