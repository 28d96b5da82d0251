/* SPDX-License-Identifier: MIT */
/* How a process ended, as far as can be known from what it left and from what the kernel still tells.
 *
 * Threads: no shared state. Blocks in system calls; never allocates.
 */
#ifndef RTOP_SHM_ENDING_H
#define RTOP_SHM_ENDING_H

#include "shm/base/format.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum rtop_ending_cause {
  RTOP_ENDING_CLOSED,   /* it ended the channel itself: at its end, or by RperfTop.stop */
  RTOP_ENDING_STOPPED,  /* the same, and the process is still there */
  RTOP_ENDING_EXEC,     /* the process has become another program: it is still there, or what it
                                          became left a segment, too (registry.h) */
  RTOP_ENDING_EXIT,     /* exit status `number`: it said so, or its parent has not asked for it yet */
  RTOP_ENDING_SIGNAL,   /* killed by signal `number` (the same) */
  RTOP_ENDING_MEMORY,   /* killed because memory ran out, says the kernel's log */
  RTOP_ENDING_REBOOT,   /* the machine was restarted since */
  RTOP_ENDING_VANISHED, /* without a word: SIGKILL, a crash, exit!, exec; more is not known */
};

struct rtop_ending {
  enum rtop_ending_cause cause;
  int number;
  bool still_there; /* its channel was closed, the process has not ended: it may come to something else */
  char program[32]; /* of EXEC: any bytes */
};

/* `said`: of its counters, state and ending are looked at, and need not be true. `last_mono_ns`: the end of its newest
 * window. Only for a process that does not hold the writer's lock. */
void rtop_ending_find(const struct rtop_geometry *geometry, const struct rtop_counters *said, int64_t last_mono_ns,
                      struct rtop_ending *ending);

/* "exec", "signal", …: a word for machines. */
const char *rtop_ending_cause_name(enum rtop_ending_cause cause);
bool rtop_ending_is_cause(const char *name);

/* "killed by signal 9": for people, at most 64 bytes; the name of a program is cut to plain ASCII. */
void rtop_ending_text(const struct rtop_ending *ending, char *text, size_t text_bytes);

/* Does a record of the kernel's log ("6,1234,5600000,-;Out of memory: Killed process 99 (ruby) …") say that
 * memory ran out and pid was killed, at `since_mono_ns` or later? */
bool rtop_ending_is_memory(const char *record, pid_t pid, int64_t since_mono_ns);

#endif
