/* SPDX-License-Identifier: MIT */
/* A source file for the screen: found where the process sees it, read once, lines made safe.
 *
 * Path and contents are a stranger's: files are opened as source_open.h tells, at most SOURCE_BYTES_MAX of them is
 * read, and every line is sanitised. A process in a container has another root: its files are looked for
 * below /proc/PID/root.
 *
 * Threads: one. Memory belongs to the file.
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
  SOURCE_MISSING,    /* no such file, or no right to read it */
  SOURCE_NOT_A_FILE, /* no path ("(eval)", "-e"), a folder, a device */
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
  SOURCE_AS_LOADED, /* it has stood there, like this, since before the process began to load code */
  SOURCE_CHANGED,   /* it was written to when the process was running already */
  SOURCE_AGE_UNKNOWN,
};

/* Makes `path` of process `pid` (0: not known, or over) the file. Reads only when something changed, and for root
 * with the rights of the owner of what named the path: a channel, a recording. */
void source_file_open(struct source_file *file, pid_t pid, uid_t owner, const char *path);
/* Line 1 is the first. Sanitised, tabs as blanks to the next eighth column; "" beyond the end. */
void source_file_line(const struct source_file *file, uint32_t line, char *out, size_t out_bytes);
/* code_real_ns: the process loaded no code before; 0: not known. running_real_ns: it surely ran by then, no earlier than that.
 * Whatever was written in between may be what was loaded: a script may write files, and then become the program. */
enum source_age source_file_age(const struct source_file *file, int64_t code_real_ns, int64_t running_real_ns);
/* Its lines may not be those that run. */
bool source_file_is_doubtful(const struct source_file *file, int64_t code_real_ns, int64_t running_real_ns);
void source_file_close(struct source_file *file);

#endif
