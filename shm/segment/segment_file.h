/* SPDX-License-Identifier: MIT */
/* Files of a channel, made and opened so that no other user can be harmed or do harm. Private to shm/.
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

/* A file being made. Nobody finds it under its final name before segment_file_name(). */
struct segment_file {
  int fd;
  int directory_fd;
  char temporary[96]; /* "" when it has no name at all (O_TMPFILE) */
};

/* `anonymous`: O_TMPFILE; else under a temporary name that no reader looks at. */
int segment_file_make(struct segment_file *file, const char *directory, bool anonymous, struct rtop_error *error);

/* Gives the file its length, without memory for it. NO_SPACE: beyond the limit on file sizes. */
int segment_file_size(int fd, uint64_t bytes, struct rtop_error *error);

/* Reserves every byte of this part, so that a full file system is found now. NO_SPACE when it cannot. */
int segment_file_reserve(int fd, uint64_t offset, uint64_t bytes, struct rtop_error *error);

/* Writes all of it. */
int segment_file_write(int fd, const void *bytes, size_t count, uint64_t offset, struct rtop_error *error);

/* Gives the file its name; it must not exist. -1: EOPNOTSUPP in *error when an anonymous file cannot
 * be named here (no /proc): make it again with a temporary name. */
int segment_file_name(struct segment_file *file, const char *name, struct rtop_error *error);

/* Closes the directory and, when it was not named, the file. */
void segment_file_finish(struct segment_file *file, bool named);

/* Opens a file that somebody else made: no symbolic link, regular, one link, owned by expected_uid,
 * not writable by group or others. `flags`: O_RDONLY or O_RDWR. Returns the descriptor or -1. */
int segment_file_open(const char *path, uid_t expected_uid, int flags, struct stat *status, struct rtop_error *error);

/* Moves a descriptor of the application's process out of the way, to a high number: programs that close
 * "all" descriptors do so from below. Not so high that the kernel's table of them would have to grow: with several
 * threads that waits for RCU, 10 to 20 ms, over a second where cores are taken, and a program that ends meanwhile waits
 * with it. Before any lock is taken on it. Returns the new one, or fd. */
int segment_file_lift(int fd);

/* Closes the descriptor if it still is that file: the application may have closed it and got the same
 * number for a file of its own. */
void segment_file_close(int fd, dev_t device, ino_t inode);

/* RLIMIT_FSIZE: a write beyond it would kill the process by SIGXFSZ. */
bool segment_file_size_allowed(uint64_t bytes);

#endif
