/* SPDX-License-Identifier: MIT */
/* Shows which processes are alive, by POSIX record locks on bytes far beyond the end of the segment file. The kernel
 * guarantees that these locks are right: it releases them at SIGKILL and exec, does not pass them on at fork, and
 * translates pids between namespaces.
 *
 *   writer   write lock on RTOP_LOCK_WRITER while it publishes
 *   viewer   read lock on RTOP_LOCK_VIEWER while it watches, or reads what a dead process left (a read-only descriptor
 *            suffices); such a segment is not swept
 *   trace    write lock on RTOP_LOCK_TRACE + slot of the control file while a viewer wants a method traced
 *
 * A process loses its record locks on a file when it closes any descriptor of that file, so the writer takes its lock
 * again at every window. Each call is one fcntl; none blocks.
 */
#ifndef RTOP_SHM_LIVENESS_H
#define RTOP_SHM_LIVENESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define RTOP_LOCK_WRITER (INT64_C(1) << 40)
#define RTOP_LOCK_VIEWER (RTOP_LOCK_WRITER + 16)
#define RTOP_LOCK_TRACE (RTOP_LOCK_WRITER + 32) /* in the control file: one byte for each trace slot */

/* Take and release locks. Return 0, or -1 with errno. */
int rtop_liveness_hold_writer(int fd);
int rtop_liveness_hold_viewer(int fd);
int rtop_liveness_drop_viewer(int fd);

/* Tells whether another process holds the writer's lock. Locks without an owning process do not count. *pid is set to
 * the holder in the caller's pid namespace (0 if it is in a sibling namespace). A process never finds its own locks. */
bool rtop_liveness_writer_alive(int fd, pid_t *pid);

/* Tells whether any other process holds a viewer's lock. */
bool rtop_liveness_watched(int fd);

/* For a trace slot in a control file: take the slot, if no other process has it; release it; tell whether another
 * process has it. */
int rtop_liveness_hold_trace(int fd, int slot);
int rtop_liveness_drop_trace(int fd, int slot);
bool rtop_liveness_traces(int fd, int slot);

#endif
