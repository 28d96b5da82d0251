/* SPDX-License-Identifier: MIT */
/* The kernel's figures for threads of a live process: bytes read and written, context switches. Rates come from two
 * readings at least half a second apart.
 *
 * The viewer reads /proc, at no cost to the process. Texts are bounded and only numbers are used. Threads: one.
 * Does not allocate.
 */
#ifndef RTOP_TUI_TASK_STATS_H
#define RTOP_TUI_TASK_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { TASK_STATS_MAX = 256 };

struct task_counts {
  bool has_io; /* needs the right to trace the process */
  bool has_switches;
  /* Bytes moved by read(2), write(2) and similar calls on files, pipes and sockets. recv(2) and send(2) are not
   * included, since the kernel does not count them per thread; Ruby's read_nonblock and write_nonblock use these on
   * sockets. */
  uint64_t read_bytes, written_bytes;
  uint64_t voluntary, involuntary; /* context switches */
};

struct task_rates {
  bool has_io, has_switches;
  double read_bytes, written_bytes, switches; /* per second */
};

struct task_stats {
  struct task_entry {
    pid_t pid;
    uint32_t tid;
    bool known;
    int64_t read_ns;
    struct task_counts counts;
    struct task_rates rates;
  } entry[TASK_STATS_MAX];
};

/* Reads the number after `name` at the start of a line, as in files of /proc. */
bool task_stats_number(const char *text, const char *name, uint64_t *number);

/* The text of .../io and .../status. */
void task_counts_parse_io(struct task_counts *counts, const char *text);
void task_counts_parse_status(struct task_counts *counts, const char *text);

/* Returns the rates of a thread; reads again when the last reading is old enough. NULL: unknown (yet). Threads with the
 * same slot displace each other. */
const struct task_rates *task_stats_get(struct task_stats *stats, pid_t pid, uint32_t tid, int64_t now_ns);

#endif
