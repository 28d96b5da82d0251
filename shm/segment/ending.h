/* SPDX-License-Identifier: MIT */
/* How a process ended, according to its segment and the kernel.
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
  RTOP_ENDING_CLOSED,  /* the process ended the channel itself: at its own end, or by RperfTop.stop */
  RTOP_ENDING_STOPPED, /* like CLOSED, and the process still runs */
  /* the process has become another program by exec: it still exists, or the new program left a segment, too
   * (registry.h) */
  RTOP_ENDING_EXEC,
  RTOP_ENDING_EXIT,     /* exit with status `number`, as recorded by the process, or by the kernel for a zombie */
  RTOP_ENDING_SIGNAL,   /* killed by signal `number`, from the same sources */
  RTOP_ENDING_MEMORY,   /* killed because memory ran out, according to the kernel's log */
  RTOP_ENDING_REBOOT,   /* the machine was restarted after the last window */
  RTOP_ENDING_VANISHED, /* ended without closing the channel: SIGKILL, a crash, exit! or exec; nothing more is known */
};

struct rtop_ending {
  enum rtop_ending_cause cause;
  int number;
  bool still_there; /* the channel is closed but the process has not ended yet, so the result may still change */
  char program[32]; /* name of the new program, for EXEC; any bytes */
};

/* Finds how the process ended. `said`: the process's counters, of which `state` and `ending` are used, but not trusted.
 * `last_mono_ns`: end of its newest window. Only for a process that does not hold the writer's lock. */
void rtop_ending_find(const struct rtop_geometry *geometry, const struct rtop_counters *said, int64_t last_mono_ns,
                      struct rtop_ending *ending);

/* Returns a word for machines: "exec", "signal", … */
const char *rtop_ending_cause_name(enum rtop_ending_cause cause);
bool rtop_ending_is_cause(const char *name);

/* Describes an ending for people, such as "killed by signal 9", in at most 64 bytes; a program's name is reduced to
 * plain ASCII. */
void rtop_ending_text(const struct rtop_ending *ending, char *text, size_t text_bytes);

/* Tells whether a record of the kernel's log ("6,1234,5600000,-;Out of memory: Killed process 99 (ruby) …") shows that
 * this pid was killed for lack of memory at `since_mono_ns` or later. */
bool rtop_ending_is_memory(const char *record, pid_t pid, int64_t since_mono_ns);

#endif
