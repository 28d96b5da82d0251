/* SPDX-License-Identifier: MIT */
/* The reading side of a channel, for programs that may be root and trust nothing in the segment.
 *
 * All data are copied, bounded and validated before they are returned; nothing is asserted about data of the other
 * process. A file that is truncated while it is read gives CORRUPT, not a crash: reads are guarded against SIGBUS
 * (rtop_reader_open() installs a handler that passes other faults on to the previous handler).
 *
 * Threads: a reader belongs to one thread. Never blocks; opening and reading allocate.
 */
#ifndef RTOP_SHM_READER_H
#define RTOP_SHM_READER_H

#include "control.h"
#include "shm/base/error.h"
#include "shm/base/ring.h"
#include "shm/segment/segment.h"
#include "shm/window/window.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct rtop_reader;

enum rtop_channel_state {
  RTOP_CHANNEL_LIVE, /* the writer holds its lock, and windows are published */
  /* the writer holds its lock, but has published no window for more than 3 window lengths + 1 s, or + 2 s for a reader
   * that is not a viewer */
  RTOP_CHANNEL_STALLED,
  RTOP_CHANNEL_ENDED, /* the process ended the channel */
  RTOP_CHANNEL_DEAD,  /* the process ended without closing the channel; the data stay readable */
};
const char *rtop_channel_state_name(enum rtop_channel_state state); /* "live", "stalled", … */

/* Opens a channel. expected_uid as in rtop_segment_open(). Returns NULL and sets *error on failure. */
struct rtop_reader *rtop_reader_open(const char *path, uid_t expected_uid, struct rtop_error *error);
void rtop_reader_close(struct rtop_reader **reader);

const struct rtop_geometry *rtop_reader_geometry(const struct rtop_reader *reader);
const char *rtop_reader_path(const struct rtop_reader *reader);
/* Maps the segment again in a forked child, where the mapping is missing. The child can read then, but does not own the
 * parent's locks. */
bool rtop_reader_follow_fork(struct rtop_reader *reader);
/* Removes the mapping of this process, when a forked child reads the segment instead. From then on, functions that
 * would read the mapping return the result for a missing file; the geometry, locks and control file stay. */
void rtop_reader_let_go(struct rtop_reader *reader);
/* the descriptor of the segment; it belongs to the reader */
int rtop_reader_descriptor(const struct rtop_reader *reader);
/* Returns limits for the references in a decoded window, as published now. */
struct rtop_window_limits rtop_reader_limits(const struct rtop_reader *reader);

/* rtop_reader_watch() takes the viewer's lock and requests a rate (0: none); rtop_reader_unwatch() releases the lock
 * and withdraws the request. The channel of a dead process is only locked, so that no process sweeps it while it is
 * read. Returns -1 when the control file cannot be opened; windows then come at the recorder's rate. */
int rtop_reader_watch(struct rtop_reader *reader, uint32_t rate_hz, struct rtop_error *error);
void rtop_reader_unwatch(struct rtop_reader *reader);

/* For a viewer: request and stop requesting that a method is traced (control.h). rtop_reader_trace() returns the slot,
 * or -1. */
int rtop_reader_trace(struct rtop_reader *reader, const char *name, uint32_t seconds, uint32_t slower_us);
void rtop_reader_untrace(struct rtop_reader *reader, int slot);

/* Returns the state of the channel. now_mono_ns: the caller's clock; only differences between two calls count. *pid:
 * see rtop_liveness_writer_alive(); pid may be NULL. */
enum rtop_channel_state rtop_reader_state(struct rtop_reader *reader, int64_t now_mono_ns, pid_t *pid);
/* The two halves of rtop_reader_state(), for a caller that reads the counters in another process: rtop_reader_alive()
 * tests the locks, and rtop_reader_state_by() returns the state that follows from the locks and the counters. */
bool rtop_reader_alive(struct rtop_reader *reader, pid_t *pid);
enum rtop_channel_state rtop_reader_state_by(struct rtop_reader *reader, bool alive,
                                             const struct rtop_counters *counters, int64_t now_mono_ns);

uint64_t rtop_reader_newest(const struct rtop_reader *reader); /* sequence of a window; 0: there is none */
uint64_t rtop_reader_oldest(const struct rtop_reader *reader);
/* Reads start and end of a window without its payload. */
enum rtop_result rtop_reader_time(const struct rtop_reader *reader, uint64_t sequence, int64_t *start_mono_ns,
                                  int64_t *end_mono_ns);

/* Decodes a window into *window (see window.h). Returns ENDED or DEAD instead of NONE_YET when no window can follow. */
enum rtop_result rtop_reader_window(struct rtop_reader *reader, uint64_t sequence, struct rtop_window *window);

/* Like the functions above, which use RTOP_TIER_FINE, but for any tier (format.h). A segment without merged tiers has
 * no windows in the other tiers. Boundaries of a merged window are also boundaries of windows in every finer tier, so a
 * history can switch tiers without overlap or hole. */
uint64_t rtop_reader_tier_newest(const struct rtop_reader *reader, enum rtop_tier tier);
uint64_t rtop_reader_tier_oldest(const struct rtop_reader *reader, enum rtop_tier tier);
enum rtop_result rtop_reader_tier_time(const struct rtop_reader *reader, enum rtop_tier tier, uint64_t sequence,
                                       int64_t *start_mono_ns, int64_t *end_mono_ns);
enum rtop_result rtop_reader_tier_window(struct rtop_reader *reader, enum rtop_tier tier, uint64_t sequence,
                                         struct rtop_window *window);
/* Returns the sequence of the first window of a tier that starts at `mono_ns` or later, according to the directory;
 * newest + 1 when there is none, 0 when the tier is empty. */
uint64_t rtop_reader_tier_find(const struct rtop_reader *reader, enum rtop_tier tier, int64_t mono_ns);

/* Read the tables; return false when the id is not published or the entry is damaged. Nodes: the parent's id is smaller
 * (0 for node 0), the depth is bounded, the frame is valid. Strings: at most RTOP_STRING_BYTES_MAX bytes are copied to
 * `buffer` (buffer_bytes >= 1), NUL-terminated, with any content; rtop_reader_string() returns the length, 0 for a
 * damaged reference. */
uint64_t rtop_reader_frame_count(const struct rtop_reader *reader);
uint64_t rtop_reader_node_count(const struct rtop_reader *reader);
bool rtop_reader_frame(const struct rtop_reader *reader, uint32_t id, struct rtop_frame_entry *frame);
bool rtop_reader_node(const struct rtop_reader *reader, uint32_t id, struct rtop_node_entry *node);
size_t rtop_reader_string(const struct rtop_reader *reader, uint32_t reference, char *buffer, size_t buffer_bytes);
/* Reads a thread's slot. Returns false when the slot now belongs to another thread. */
bool rtop_reader_thread(const struct rtop_reader *reader, uint32_t slot, uint64_t serial,
                        struct rtop_thread_entry *thread);

/* Copies the statistics: the first sizeof(struct rtop_counters) bytes of page 1. */
void rtop_reader_counters(const struct rtop_reader *reader, struct rtop_counters *counters);
/* Limits the counts in a copy to the table sizes of the geometry. */
void rtop_reader_bound(const struct rtop_reader *reader, struct rtop_counters *counters);

#endif
