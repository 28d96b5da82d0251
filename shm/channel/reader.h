/* SPDX-License-Identifier: MIT */
/* The reading side of a channel, for programs that may be root and trust nothing in the segment.
 *
 * Everything is copied, bounded and validated before it is handed out; peer data is never asserted. A
 * file truncated underneath is CORRUPT, not a crash: reads are guarded against SIGBUS (the handler is
 * installed by rtop_reader_open and chains to the one before).
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
  RTOP_CHANNEL_LIVE,    /* lock held, windows come */
  RTOP_CHANNEL_STALLED, /* lock held, no window for more than 3 window lengths + 1 s, or + 2 s for who does not watch */
  RTOP_CHANNEL_ENDED,   /* the process ended the channel */
  RTOP_CHANNEL_DEAD,    /* the process ended without closing the channel; the data stay readable */
};
const char *rtop_channel_state_name(enum rtop_channel_state state); /* "live", … */

/* expected_uid as in rtop_segment_open(). NULL and *error on failure. */
struct rtop_reader *rtop_reader_open(const char *path, uid_t expected_uid, struct rtop_error *error);
void rtop_reader_close(struct rtop_reader **reader);

const struct rtop_geometry *rtop_reader_geometry(const struct rtop_reader *reader);
const char *rtop_reader_path(const struct rtop_reader *reader);
/* In a forked child, where the mapping is missing: maps the segment again. The child can read then, but does not own
 * the parent's locks. */
bool rtop_reader_follow_fork(struct rtop_reader *reader);
/* Removes the mapping of this process when another process (as above) reads it. From then on, functions that would
 * read the mapping answer as for a file that is gone; the geometry, locks and control file stay. */
void rtop_reader_let_go(struct rtop_reader *reader);
int rtop_reader_descriptor(const struct rtop_reader *reader); /* of the segment; the reader's */
/* Limits for the references in a decoded window, as published at this moment. */
struct rtop_window_limits rtop_reader_limits(const struct rtop_reader *reader);

/* rtop_reader_watch() takes the viewer's lock and asks for a rate (0: no wish); rtop_reader_unwatch() gives both up.
 * The channel of a dead process is only locked, so that nobody sweeps it while it is read. -1 when the control file
 * cannot be opened; windows then come at the recorder's rate. */
int rtop_reader_watch(struct rtop_reader *reader, uint32_t rate_hz, struct rtop_error *error);
void rtop_reader_unwatch(struct rtop_reader *reader);

/* While watching: start and stop asking for a method to be traced (control.h). Returns the slot, or -1. */
int rtop_reader_trace(struct rtop_reader *reader, const char *name, uint32_t seconds, uint32_t slower_us);
void rtop_reader_untrace(struct rtop_reader *reader, int slot);

/* now_mono_ns: the caller's clock; only differences between two calls count. *pid may be NULL. */
enum rtop_channel_state rtop_reader_state(struct rtop_reader *reader, int64_t now_mono_ns, pid_t *pid);
/* The two halves of rtop_reader_state(), for counters that another process reads in between: what the locks say, and
 * the state that follows. */
bool rtop_reader_alive(struct rtop_reader *reader, pid_t *pid);
enum rtop_channel_state rtop_reader_state_by(struct rtop_reader *reader, bool alive,
                                             const struct rtop_counters *counters, int64_t now_mono_ns);

uint64_t rtop_reader_newest(const struct rtop_reader *reader); /* 0: none */
uint64_t rtop_reader_oldest(const struct rtop_reader *reader);
/* Start and end of a window without its payload. */
enum rtop_result rtop_reader_time(const struct rtop_reader *reader, uint64_t sequence, int64_t *start_mono_ns,
                                  int64_t *end_mono_ns);

/* Decodes a window into *window (see window.h). NONE_YET turns into ENDED or DEAD when nothing more
 * will come. */
enum rtop_result rtop_reader_window(struct rtop_reader *reader, uint64_t sequence, struct rtop_window *window);

/* The same functions for any tier (format.h); those above use RTOP_TIER_FINE. A segment without merged tiers has no
 * windows in the others. Boundaries of a merged window are also boundaries of windows in every finer tier, so a
 * history can switch tiers without overlap or hole. */
uint64_t rtop_reader_tier_newest(const struct rtop_reader *reader, enum rtop_tier tier);
uint64_t rtop_reader_tier_oldest(const struct rtop_reader *reader, enum rtop_tier tier);
enum rtop_result rtop_reader_tier_time(const struct rtop_reader *reader, enum rtop_tier tier, uint64_t sequence,
                                       int64_t *start_mono_ns, int64_t *end_mono_ns);
enum rtop_result rtop_reader_tier_window(struct rtop_reader *reader, enum rtop_tier tier, uint64_t sequence,
                                         struct rtop_window *window);
/* Sequence of the first window of a tier that starts at `mono_ns` or later, according to the directory; newest + 1
 * when there is none, 0 when the tier is empty. */
uint64_t rtop_reader_tier_find(const struct rtop_reader *reader, enum rtop_tier tier, int64_t mono_ns);

/* Read the tables; false when the id is not published or the entry is damaged. Nodes: parent < id (0 for 0), bounded
 * depth, valid frame. Strings: at most RTOP_STRING_BYTES_MAX bytes are copied to `buffer` (buffer_bytes >= 1),
 * NUL-terminated, any content; returns the length, 0 for a damaged reference. */
uint64_t rtop_reader_frame_count(const struct rtop_reader *reader);
uint64_t rtop_reader_node_count(const struct rtop_reader *reader);
bool rtop_reader_frame(const struct rtop_reader *reader, uint32_t id, struct rtop_frame_entry *frame);
bool rtop_reader_node(const struct rtop_reader *reader, uint32_t id, struct rtop_node_entry *node);
size_t rtop_reader_string(const struct rtop_reader *reader, uint32_t reference, char *buffer, size_t buffer_bytes);
/* Reads a thread's slot. False when the slot belongs to another thread by now. */
bool rtop_reader_thread(const struct rtop_reader *reader, uint32_t slot, uint64_t serial,
                        struct rtop_thread_entry *thread);

/* Copies the statistics: the first sizeof(struct rtop_counters) bytes of page 1. */
void rtop_reader_counters(const struct rtop_reader *reader, struct rtop_counters *counters);
/* Limits the counts in a copy to the table sizes of the geometry. */
void rtop_reader_bound(const struct rtop_reader *reader, struct rtop_counters *counters);

#endif
