/* SPDX-License-Identifier: MIT */
/* The control file: the only thing that viewers may write. One page beside the segment, named
 * <segment>.ctl, mode 0600. Latest wins; every value is bounded when read, whoever wrote it.
 *
 * The process never loads from or stores to a mapping of this file (somebody may truncate it): it reads
 * with pread, and sleeps on the futex word by address, where a vanished page is EFAULT and not SIGBUS. Whoever
 * wakes gives a file that was cut off its length back first, else the sleeper could not be found.
 *
 * Threads: the writer's side belongs to the publisher; rtop_control_wake() may be called from any
 * thread. Viewers: one thread.
 */
#ifndef RTOP_SHM_CONTROL_H
#define RTOP_SHM_CONTROL_H

#include "shm/base/error.h"
#include "shm/base/format.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
  RTOP_RATE_HZ_MIN = 1,
  RTOP_RATE_HZ_MAX = 10000,
};

struct rtop_control {
  int fd;
  dev_t device; /* what fd must still be when it is closed */
  ino_t inode;
  void *page;      /* mapped for futex addressing; NULL when unavailable */
  uint32_t traces; /* bit per slot that is ours; viewer's */
  char path[520];
};

/* What viewers ask for. 0 = no wish. */
struct rtop_request {
  uint32_t rate_hz; /* RTOP_RATE_HZ_MIN to _MAX after reading */
};

/* A method that a viewer wants traced. */
struct rtop_trace_wish {
  uint32_t seconds;                     /* 1 to RTOP_TRACE_SECONDS_MAX after reading */
  uint32_t bytes;                       /* of the name */
  uint32_t slower_us;                   /* calls that took longer are told one by one; 0: none */
  char name[RTOP_TRACE_NAME_BYTES + 4]; /* hostile text, NULs behind it */
};

/* Under which a name is told of (RTOP_EXACT_STATE). */
uint32_t rtop_trace_key(const char *name, size_t bytes);

/* Writer: makes the file. Viewer: opens it (same safety rules as the segment). 0 or -1. */
int rtop_control_create(struct rtop_control *control, const char *segment_path, struct rtop_error *error);
int rtop_control_open(struct rtop_control *control, const char *segment_path, uid_t expected_uid,
                      struct rtop_error *error);
void rtop_control_close(struct rtop_control *control, bool unlink_name);

/* Viewer: stores the request, bumps the futex word and wakes the publisher. */
int rtop_control_request(struct rtop_control *control, const struct rtop_request *request);

/* Writer: reads and bounds the latest request; a damaged file reads as "no wish". *futex_value is what
 * to pass to rtop_control_wait(). */
void rtop_control_read(const struct rtop_control *control, struct rtop_request *request, uint32_t *futex_value);

/* Viewer: wants a method traced from now on, or not any more. The slot, or -1: the name is too long, all are taken, or the
 * file cannot be written. seconds, slower_us: as in a wish. Closing gives all back, as the end of the process does. */
int rtop_control_trace(struct rtop_control *control, const char *name, uint32_t seconds, uint32_t slower_us);
void rtop_control_untrace(struct rtop_control *control, int slot);

/* Writer: what living viewers want, by slot: a bit for each that is filled in. */
uint32_t rtop_control_traces(const struct rtop_control *control, struct rtop_trace_wish wishes[RTOP_TRACE_SLOTS]);

/* Writer: sleeps until a viewer or rtop_control_wake() wakes it; returns at once when the word is no
 * longer futex_value. timeout_ns < 0: for ever. True when woken, changed or interrupted (the caller looks again),
 * false at the time-out. */
bool rtop_control_wait(const struct rtop_control *control, uint32_t futex_value, int64_t timeout_ns);
void rtop_control_wake(const struct rtop_control *control);

#endif
