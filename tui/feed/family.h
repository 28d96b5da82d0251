/* SPDX-License-Identifier: MIT */
/* Families of processes, according to /proc: the watched process, its children, their children.
 *
 * A pid alone identifies nothing, since it is reused. A member is a pid together with its start time (ticks since
 * boot), and a child counts only if its parent is no younger. Members remain when their parent ends and the kernel
 * gives them another parent.
 *
 * A process that adopts (PR_SET_CHILD_SUBREAPER) becomes the parent of orphans among its descendants: an adopting
 * family adds unknown children of ours as children of the first requested process, and reaps those that have ended.
 *
 * Threads: one. A scan reads the line of every process, so callers scan seldom. Bounded: RTOP_FAMILY_MAX.
 */
#ifndef RTOP_TUI_FAMILY_H
#define RTOP_TUI_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { RTOP_FAMILY_MAX = 1024 };

struct rtop_kin {
  pid_t pid;
  pid_t parent; /* parent when the process was first seen; 0: the process itself was requested */
  uid_t owner;  /* effective uid of the requested process, or as the caller set it for an ancestor */
  uint64_t start_ticks, parent_start_ticks;
};

struct rtop_family {
  struct rtop_kin *kin;
  size_t count, capacity;
  bool adopts;
  struct rtop_kin first;       /* the process that was requested first; it may have ended */
  pid_t spared;                /* pid of a child that other code waits for; 0: none */
  bool crowded;                /* more than RTOP_FAMILY_MAX members at a time, so some are unknown */
  struct family_process *seen; /* private: of the last look */
  size_t seen_count;
  /* Called when a child was reaped, with its status as from wait(2). NULL: not wanted. */
  void (*reaped)(void *context, pid_t pid, uint64_t start_ticks, int status);
  void *context;
};

/* Start time of a living process (ticks since boot); 0 when it does not exist or is a zombie. */
uint64_t rtop_family_start_ticks(pid_t pid);
/* Like rtop_family_start_ticks(), also for zombies. */
uint64_t rtop_family_listed_ticks(pid_t pid);

/* Earliest time at which a process may have loaded its code, whose line numbers belong to the files of that time: the
 * start of its program, since a forked worker has the code of its parent. A process counts as running its parent's
 * program if the kernel's notes about the program (/proc/PID/auxv: random addresses) are equal. Nanoseconds of the wall
 * clock, never too late, up to a kernel tick too early; 0: unknown, because the process ended or belongs to another
 * user. start_ticks: the process's own start time, because the pid may have been reused. */
int64_t rtop_family_code_real_ns(pid_t pid, uint64_t start_ticks);
/* Does the process see the same files as this program? False also when that is unknown. */
bool rtop_family_sees_our_files(pid_t pid);

/* Adds a process whose descendants are wanted. False when it does not exist, there are too many, or memory ran out. */
bool rtop_family_add(struct rtop_family *family, pid_t pid);
/* Scans once: forgets members that are gone, adds new ones. False when /proc cannot be read or memory ran out. A quick
 * scan only reads processes with new pids, and, in an adopting family, children of this process, so their end is
 * noticed at once. */
bool rtop_family_look(struct rtop_family *family);
bool rtop_family_look_quickly(struct rtop_family *family);
/* For an adopting family: may any members be alive? False only when certainly none is; true also if this process never
 * was their parent. */
bool rtop_family_may_be_left(const struct rtop_family *family);
/* NULL: not one of them. */
struct rtop_kin *rtop_family_find(const struct rtop_family *family, pid_t pid);
void rtop_family_destroy(struct rtop_family *family);

/* Finds for each of these living processes its nearest ancestor among them; 0: none. False when /proc cannot be read or
 * memory ran out. */
bool rtop_family_parents(const pid_t *pids, pid_t *parents, size_t count);

/* Lists living descendants of a process, nearest first, at most `capacity`; returns their number. */
size_t rtop_family_descendants(pid_t pid, pid_t *pids, size_t capacity);

#endif
