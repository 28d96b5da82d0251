/* SPDX-License-Identifier: MIT */
/* Takes, tests and releases the locks that show which processes are alive. */
#include "liveness.h"

#include <fcntl.h>
#include <unistd.h>

static struct flock liveness_byte(short type, int64_t where)
{
  struct flock lock = { 0 };
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = (off_t)where;
  lock.l_len = 1;
  return lock;
}

static int liveness_set(int fd, short type, int64_t where)
{
  struct flock lock = liveness_byte(type, where);
  return fcntl(fd, F_SETLK, &lock);
}

/* Tests for a write lock, which conflicts with readers and writers alike and which F_GETLK allows on a read-only
 * descriptor. A lock of an open file description (F_OFD_SETLK) has no owning process (pid -1) and does not count. */
static bool liveness_held(int fd, int64_t where, pid_t *pid)
{
  struct flock lock = liveness_byte(F_WRLCK, where);
  if (fcntl(fd, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK || lock.l_pid < 0) return false;
  if (pid) *pid = lock.l_pid > 0 ? lock.l_pid : 0;
  return true;
}

int rtop_liveness_hold_writer(int fd)
{
  return liveness_set(fd, F_WRLCK, RTOP_LOCK_WRITER);
}

int rtop_liveness_hold_viewer(int fd)
{
  return liveness_set(fd, F_RDLCK, RTOP_LOCK_VIEWER);
}

int rtop_liveness_drop_viewer(int fd)
{
  return liveness_set(fd, F_UNLCK, RTOP_LOCK_VIEWER);
}

bool rtop_liveness_writer_alive(int fd, pid_t *pid)
{
  if (pid) *pid = 0;
  return liveness_held(fd, RTOP_LOCK_WRITER, pid);
}

bool rtop_liveness_watched(int fd)
{
  return liveness_held(fd, RTOP_LOCK_VIEWER, NULL);
}

int rtop_liveness_hold_trace(int fd, int slot)
{
  return liveness_set(fd, F_WRLCK, RTOP_LOCK_TRACE + slot);
}

int rtop_liveness_drop_trace(int fd, int slot)
{
  return liveness_set(fd, F_UNLCK, RTOP_LOCK_TRACE + slot);
}

bool rtop_liveness_traces(int fd, int slot)
{
  return liveness_held(fd, RTOP_LOCK_TRACE + slot, NULL);
}
