/* SPDX-License-Identifier: MIT */
/* The control file: the only file that viewers write. It is one page beside the segment, named <segment>.ctl, mode
 * 0600. The latest request wins; every value is bounded when it is read.
 *
 * The profiled process neither loads from nor stores to a mapping of the file, which may be truncated at any time: it
 * reads with pread, and sleeps on the futex word by its address, where a missing page gives EFAULT instead of SIGBUS. A
 * process that wakes it up first restores the length of a truncated file, since the kernel could not find the sleeper
 * otherwise.
 *
 * Threads: the writer's side belongs to the publisher; rtop_control_wake() may be called from any thread. A viewer uses
 * one thread.
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
  dev_t device; /* identity that the file behind fd must still have when fd is closed */
  ino_t inode;
  void *page;      /* mapped for futex addressing; NULL when unavailable */
  uint32_t traces; /* used by a viewer: a bit for each slot that it holds */
  char path[520];
};

/* Requests of viewers other than traces; 0: none. */
struct rtop_request {
  uint32_t rate_hz; /* RTOP_RATE_HZ_MIN to RTOP_RATE_HZ_MAX after reading */
};

/* Request of a viewer to trace a method. */
struct rtop_trace_wish {
  uint32_t seconds;                     /* 1 to RTOP_TRACE_SECONDS_MAX after reading */
  uint32_t bytes;                       /* bytes of the name */
  uint32_t slower_us;                   /* calls longer than this are reported one by one; 0: none */
  char name[RTOP_TRACE_NAME_BYTES + 4]; /* hostile text, followed by NULs */
};

/* Returns the key under which windows report a traced name (RTOP_EXACT_STATE). */
uint32_t rtop_trace_key(const char *name, size_t bytes);

/* rtop_control_create() makes the file for the writer; rtop_control_open() opens it for a viewer, by the same safety
 * rules as the segment. Return 0 or -1. */
int rtop_control_create(struct rtop_control *control, const char *segment_path, struct rtop_error *error);
int rtop_control_open(struct rtop_control *control, const char *segment_path, uid_t expected_uid,
                      struct rtop_error *error);
void rtop_control_close(struct rtop_control *control, bool unlink_name);

/* For viewers: stores the request, changes the futex word and wakes up the publisher. */
int rtop_control_request(struct rtop_control *control, const struct rtop_request *request);

/* For the writer: reads and bounds the latest request; a damaged file counts as no request. *futex_value is the value
 * for rtop_control_wait(). */
void rtop_control_read(const struct rtop_control *control, struct rtop_request *request, uint32_t *futex_value);

/* For viewers: request and stop requesting that a method is traced; seconds and slower_us as in struct rtop_trace_wish.
 * rtop_control_trace() returns the slot, or -1 when the name is too long, all slots are taken, or the file cannot be
 * written. Closing the control file, or the end of the process, withdraws all requests. */
int rtop_control_trace(struct rtop_control *control, const char *name, uint32_t seconds, uint32_t slower_us);
void rtop_control_untrace(struct rtop_control *control, int slot);

/* For the writer: reads the requests of living viewers to trace methods; returns a bit for each slot that is filled
 * in. */
uint32_t rtop_control_traces(const struct rtop_control *control, struct rtop_trace_wish wishes[RTOP_TRACE_SLOTS]);

/* For the writer: sleeps until a viewer or rtop_control_wake() wakes it up; returns at once when the word is no longer
 * futex_value. timeout_ns < 0: no time limit. Returns true when woken up, changed or interrupted (the caller checks
 * again), false after the time-out. */
bool rtop_control_wait(const struct rtop_control *control, uint32_t futex_value, int64_t timeout_ns);
/* For the writer: like rtop_control_wait(), but until deadline_ns of the monotonic clock. A wake-up on `word`, a
 * private futex of the process, ends the sleep as well, as does any value of it other than `expected`. Returns false at
 * once where the kernel cannot wait for two futexes, or where a seccomp filter might kill the process for the
 * attempt. */
bool rtop_control_wait_either(const struct rtop_control *control, uint32_t futex_value, const void *word,
                              uint32_t expected, int64_t deadline_ns);
void rtop_control_wake(const struct rtop_control *control);

#endif
