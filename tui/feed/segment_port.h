/* SPDX-License-Identifier: MIT */
/* Access to a segment for feeds: counters, windows, names, nodes, threads. When root reads another user's channel, a
 * child process reads the segment instead: it has the owner's user and groups, only the segment and a socket open, and
 * almost no system calls (source_rights.h). Its answers have fixed layouts and are validated again here: every count,
 * index and sum. This process then has no mapping of the segment; tests/README.md, "What root does with another user's
 * files", explains why its remaining uses of the file are safe.
 *
 * Threads: one. Waits at most 3 s for an answer; a child that gives none, or a wrong one, is ended, and from then on
 * nothing can be read.
 */
#ifndef RTOP_TUI_SEGMENT_PORT_H
#define RTOP_TUI_SEGMENT_PORT_H

#include "shm/channel/reader.h"
#include <sys/types.h>

struct rtop_error;
struct segment_port;

/* Opens a port on a reader, which must outlive it. `owner`: owner of the file; `pid`: the process, if known. NULL with
 * the reason in *error (only for root: the owner's rights cannot be assumed). */
struct segment_port *segment_port_open(struct rtop_reader *reader, pid_t pid, uid_t owner, struct rtop_error *error);
void segment_port_close(struct segment_port **port);

/* Returns the pid of the child process that reads the segment; 0: this process reads it. */
pid_t segment_port_process(const struct segment_port *port);
/* Returns a sentence when the child had to be ended; else NULL. */
const char *segment_port_problem(const struct segment_port *port);

/* Returns the channel's state, judged by the locks, which this process checks itself, and by the counters, which
   are read again. */
enum rtop_channel_state segment_port_state(struct segment_port *port, int64_t now_mono_ns, pid_t *pid);
/* Returns the counters as of the last state or window read; no count exceeds its table. */
const struct rtop_counters *segment_port_counters(const struct segment_port *port);

/* Like the functions of the same names in reader.h. */
uint64_t segment_port_oldest(struct segment_port *port, enum rtop_tier tier, uint64_t *newest); /* may be NULL */
enum rtop_result segment_port_time(struct segment_port *port, enum rtop_tier tier, uint64_t sequence,
                                   int64_t *start_mono_ns, int64_t *end_mono_ns);
uint64_t segment_port_find(struct segment_port *port, enum rtop_tier tier, int64_t mono_ns);
enum rtop_result segment_port_window(struct segment_port *port, enum rtop_tier tier, uint64_t sequence,
                                     struct rtop_window *window);
bool segment_port_frame(struct segment_port *port, uint32_t id, struct rtop_frame_entry *frame);
bool segment_port_node(struct segment_port *port, uint32_t id, struct rtop_node_entry *node);
size_t segment_port_string(struct segment_port *port, uint32_t reference, char *buffer, size_t buffer_bytes);
/* Reads the entry of the thread at that index in the last window read. */
bool segment_port_thread(struct segment_port *port, const struct rtop_window *window, size_t index,
                         struct rtop_thread_entry *thread);

#endif
