/* SPDX-License-Identifier: MIT */
/* What stands in a segment, as the feed asks for it: counters, windows, names, nodes, threads. For a root who looks at
 * the channel of another user, none of it is read in this process: another one does that, which has taken the
 * owner's user and groups, holds nothing but the segment and a socket to us, and can ask the kernel for
 * next to nothing (source_rights.h). What comes back has fixed layouts and is checked again here: every count, every
 * index, every sum. This process then has no mapping of the segment; what it does with the file itself, and why that
 * is as strong, stands in tests/README.md, "What root does with another user's files".
 *
 * Threads: one. Waits for that process, at the most 3 s for an answer; one that gives none, or a wrong one, is ended, and
 * from then on nothing can be read.
 */
#ifndef RTOP_TUI_SEGMENT_PORT_H
#define RTOP_TUI_SEGMENT_PORT_H

#include "shm/channel/reader.h"
#include <sys/types.h>

struct rtop_error;
struct segment_port;

/* The reader must live longer. `owner`: of the file; `pid`: of the process, as far as it is known. NULL: *error says why
 * (of root alone: the owner's rights cannot be taken). */
struct segment_port *segment_port_open(struct rtop_reader *reader, pid_t pid, uid_t owner, struct rtop_error *error);
void segment_port_close(struct segment_port **port);

/* Is another process reading, and which? 0: none. */
pid_t segment_port_process(const struct segment_port *port);
/* A sentence when it was ended; NULL: it was not. */
const char *segment_port_problem(const struct segment_port *port);

/* By the locks, which this process asks for itself, and by the counters, which are read anew. */
enum rtop_channel_state segment_port_state(struct segment_port *port, int64_t now_mono_ns, pid_t *pid);
/* As they were then, or with the window that was read since; no count is larger than its table. */
const struct rtop_counters *segment_port_counters(const struct segment_port *port);

/* As the calls of reader.h that are named alike. */
uint64_t segment_port_oldest(struct segment_port *port, enum rtop_tier tier, uint64_t *newest); /* may be NULL */
enum rtop_result segment_port_time(struct segment_port *port, enum rtop_tier tier, uint64_t sequence,
                                   int64_t *start_mono_ns, int64_t *end_mono_ns);
uint64_t segment_port_find(struct segment_port *port, enum rtop_tier tier, int64_t mono_ns);
enum rtop_result segment_port_window(struct segment_port *port, enum rtop_tier tier, uint64_t sequence,
                                     struct rtop_window *window);
bool segment_port_frame(struct segment_port *port, uint32_t id, struct rtop_frame_entry *frame);
bool segment_port_node(struct segment_port *port, uint32_t id, struct rtop_node_entry *node);
size_t segment_port_string(struct segment_port *port, uint32_t reference, char *buffer, size_t buffer_bytes);
/* Of the thread of that index in the window that was read last. */
bool segment_port_thread(struct segment_port *port, const struct rtop_window *window, size_t index,
                         struct rtop_thread_entry *thread);

#endif
