/* SPDX-License-Identifier: MIT */
/* Who descends from whom, as /proc tells it: the process that is watched, its children, theirs.
 *
 * A number alone names nobody: it is given to another process when its owner is gone. A member is its number and
 * the instant it was started (ticks since boot), and a child is taken only from a parent that is no younger than
 * itself. Members stay members when their parent goes and the kernel gives them another one.
 *
 * A process that adopts (PR_SET_CHILD_SUBREAPER) becomes the parent of what its children leave behind: a family that
 * adopts takes in children of ours that are not known otherwise, as children of the first that was asked for, and asks for
 * those that have ended, so that none of them waits for us for ever.
 *
 * Threads: one. A look reads the line of every process once: callers look seldom. Bounded: RTOP_FAMILY_MAX.
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
  pid_t parent; /* when it was first seen; 0: one that was asked for */
  uid_t owner;  /* effective, of the one that was asked for, or what the caller has set for one above it */
  uint64_t start_ticks, parent_start_ticks;
};

struct rtop_family {
  struct rtop_kin *kin;
  size_t count, capacity;
  bool adopts;
  struct rtop_kin first;       /* that was asked for; it may be gone */
  pid_t spared;                /* a child that somebody else asks for; 0: none */
  bool crowded;                /* more than RTOP_FAMILY_MAX at a time: some are not known */
  struct family_process *seen; /* private: of the last look */
  size_t seen_count;
  /* When one of ours was asked for: it has ended with this, as wait(2) has it. NULL: nobody wants to know. */
  void (*reaped)(void *context, pid_t pid, uint64_t start_ticks, int status);
  void *context;
};

/* The instant that a living process was started; 0: there is none, or it only waits for its parent to ask. */
uint64_t rtop_family_start_ticks(pid_t pid);
/* The same, also of one that waits for its parent to ask. */
uint64_t rtop_family_listed_ticks(pid_t pid);

/* Since when a process may have loaded code: its lines are those of files as they were then. That is the start of its
 * program, not its own: a worker has what its parent loaded, long before it was forked. A process runs the program of its
 * parent if the kernel's notes about that program (/proc/PID/auxv: random addresses) are the same.
 * Nanoseconds of the wall clock; 0: not known, as it is over, or another user's. Not too late, but up to a tick of the
 * kernel too early. start_ticks: when it was started itself; a number may be another process's by now. */
int64_t rtop_family_code_real_ns(pid_t pid, uint64_t start_ticks);
/* Does it see the files that we see? False, too, if that is not known. */
bool rtop_family_sees_our_files(pid_t pid);

/* Somebody whose children are wanted. False: it is not there, there are too many, or memory ran out. */
bool rtop_family_add(struct rtop_family *family, pid_t pid);
/* Looks once: forgets who is gone, takes in who is new. False: /proc cannot be read, or memory ran out. A quick look
 * reads only processes whose numbers were not there the last time, and children of ours when the family adopts: that
 * those have ended is seen at once. */
bool rtop_family_look(struct rtop_family *family);
bool rtop_family_look_quickly(struct rtop_family *family);
/* Of a family that adopts: is anybody left, or was this process never his parent? False only when nobody is. */
bool rtop_family_may_be_left(const struct rtop_family *family);
/* NULL: not one of them. */
struct rtop_kin *rtop_family_find(const struct rtop_family *family, pid_t pid);
void rtop_family_destroy(struct rtop_family *family);

/* Of each of these living processes the nearest one above it that is one of them, too; 0: none. False: /proc cannot be
 * read, or memory ran out. */
bool rtop_family_parents(const pid_t *pids, pid_t *parents, size_t count);

/* Living descendants of a process, nearest first, at most `capacity`; returns how many. */
size_t rtop_family_descendants(pid_t pid, pid_t *pids, size_t capacity);

#endif
