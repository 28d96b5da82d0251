/* SPDX-License-Identifier: MIT */
/* Makes and opens files of a channel such that no other user can do harm or be harmed. Private to shm/.
 *
 * Threads: no shared state. Blocks in system calls; never allocates.
 */
#ifndef RTOP_SHM_SEGMENT_FILE_H
#define RTOP_SHM_SEGMENT_FILE_H

#include "shm/base/error.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* A file that is being made; it gets its final name only by segment_file_name(). */
struct segment_file {
  int fd;
  int directory_fd;
  char temporary[96]; /* "" for a file without any name (O_TMPFILE) */
};

/* Makes a file: with O_TMPFILE if `anonymous`, else with a temporary name that readers ignore. */
int segment_file_make(struct segment_file *file, const char *directory, bool anonymous, struct rtop_error *error);

/* Sets the length of the file without allocating blocks. NO_SPACE: the limit on file sizes is too low. */
int segment_file_size(int fd, uint64_t bytes, struct rtop_error *error);

/* Allocates every block of this part, so that a full file system is noticed now (NO_SPACE). */
int segment_file_reserve(int fd, uint64_t offset, uint64_t bytes, struct rtop_error *error);

/* Writes all bytes. */
int segment_file_write(int fd, const void *bytes, size_t count, uint64_t offset, struct rtop_error *error);

/* Gives the file its name, which must not exist. Returns -1 with EOPNOTSUPP in *error when an anonymous file cannot
 * be named here (no /proc): make it again with a temporary name. */
int segment_file_name(struct segment_file *file, const char *name, struct rtop_error *error);

/* Closes the directory, and the file unless it was named. */
void segment_file_finish(struct segment_file *file, bool named);

/* Opens a file made by another process: no symbolic link, a regular file with one link, owned by expected_uid, not
 * writable by group or others. `flags`: O_RDONLY or O_RDWR. Returns the descriptor or -1. */
int segment_file_open(const char *path, uid_t expected_uid, int flags, struct stat *status, struct rtop_error *error);

/* Moves a descriptor to a high number, because programs that close "all" descriptors start with low ones. The number
 * stays below the size of the kernel's descriptor table: enlarging the table of a process with several threads waits
 * for RCU, which can take over a second on a busy machine. Call before taking locks on the file. Returns the new
 * descriptor, or fd when it could not be moved. */
int segment_file_lift(int fd);

/* Closes the descriptor if it still refers to this file; the application may have closed it and reused the number. */
void segment_file_close(int fd, dev_t device, ino_t inode);

/* Tells whether RLIMIT_FSIZE allows this size. A write beyond the limit would send SIGXFSZ. */
bool segment_file_size_allowed(uint64_t bytes);

#endif
