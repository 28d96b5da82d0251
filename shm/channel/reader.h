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
  RTOP_CHANNEL_STALLED, /* lock held, no window for more than 3 window lengths + 1 s */
  RTOP_CHANNEL_ENDED,   /* the process ended the channel */
  RTOP_CHANNEL_DEAD,    /* the process is gone without a word: post mortem */
};
const char *rtop_channel_state_name(enum rtop_channel_state state); /* "live", … */

/* expected_uid as in rtop_segment_open(). NULL and *error on failure. */
struct rtop_reader *rtop_reader_open(const char *path, uid_t expected_uid, struct rtop_error *error);
void rtop_reader_close(struct rtop_reader **reader);

const struct rtop_geometry *rtop_reader_geometry(const struct rtop_reader *reader);
const char *rtop_reader_path(const struct rtop_reader *reader);
/* In a forked child, where the mapping is missing: puts it in its place again. The child may read then; the parent's
 * locks are not its own. */
bool rtop_reader_follow_fork(struct rtop_reader *reader);
/* When another process reads the mapping (that one): takes ours away. From then on whatever would load from it answers as
 * for a file that is gone; the geometry, the locks and the control file stay. */
void rtop_reader_let_go(struct rtop_reader *reader);
int rtop_reader_descriptor(const struct rtop_reader *reader); /* of the segment; the reader's */
/* What a decoded window may point into, as far as it is published now. */
struct rtop_window_limits rtop_reader_limits(const struct rtop_reader *reader);

/* Holds the viewer's lock and asks for a rate (0: no wish), or gives both up. A channel whose process is
 * gone is only held: nobody sweeps it away while it is being read. -1 when the control file cannot be opened: windows still come at the
 * recorder's rate. */
int rtop_reader_watch(struct rtop_reader *reader, uint32_t rate_hz, struct rtop_error *error);
void rtop_reader_unwatch(struct rtop_reader *reader);

/* While it watches: wants a method traced (control.h), or not any more. The slot, or -1. */
int rtop_reader_trace(struct rtop_reader *reader, const char *name, uint32_t seconds, uint32_t slower_us);
void rtop_reader_untrace(struct rtop_reader *reader, int slot);

/* now_mono_ns: the caller's clock; only differences between two calls count. *pid may be NULL. */
enum rtop_channel_state rtop_reader_state(struct rtop_reader *reader, int64_t now_mono_ns, pid_t *pid);
/* Its two halves, for counters that another process reads in between: what the locks say, and what follows. */
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

/* The same of any tier (format.h); the calls above are those of RTOP_TIER_FINE. A segment without merged
 * tiers has no windows there. Boundaries of a merged window are boundaries of windows of every finer
 * tier, so that a history can change from one to the next without overlap or hole. */
uint64_t rtop_reader_tier_newest(const struct rtop_reader *reader, enum rtop_tier tier);
uint64_t rtop_reader_tier_oldest(const struct rtop_reader *reader, enum rtop_tier tier);
enum rtop_result rtop_reader_tier_time(const struct rtop_reader *reader, enum rtop_tier tier, uint64_t sequence,
                                       int64_t *start_mono_ns, int64_t *end_mono_ns);
enum rtop_result rtop_reader_tier_window(struct rtop_reader *reader, enum rtop_tier tier, uint64_t sequence,
                                         struct rtop_window *window);
/* The first window of a tier that starts at `mono_ns` or later, as far as the directory tells; newest + 1
 * when none does, 0 when the tier is empty. */
uint64_t rtop_reader_tier_find(const struct rtop_reader *reader, enum rtop_tier tier, int64_t mono_ns);

/* Tables; false when the id is out of what is published or damaged. Nodes: parent < id (0 for 0), depth
 * bounded, frame in range. Strings: at most RTOP_STRING_BYTES_MAX bytes are copied, any bytes,
 * NUL-terminated in `buffer` (buffer_bytes >= 1); returns the length, 0 for damaged references. */
uint64_t rtop_reader_frame_count(const struct rtop_reader *reader);
uint64_t rtop_reader_node_count(const struct rtop_reader *reader);
bool rtop_reader_frame(const struct rtop_reader *reader, uint32_t id, struct rtop_frame_entry *frame);
bool rtop_reader_node(const struct rtop_reader *reader, uint32_t id, struct rtop_node_entry *node);
size_t rtop_reader_string(const struct rtop_reader *reader, uint32_t reference, char *buffer, size_t buffer_bytes);
/* False when the slot belongs to another thread by now. */
bool rtop_reader_thread(const struct rtop_reader *reader, uint32_t slot, uint64_t serial,
                        struct rtop_thread_entry *thread);

/* Statistics: a private copy of page 1's first sizeof(struct rtop_counters) bytes. */
void rtop_reader_counters(const struct rtop_reader *reader, struct rtop_counters *counters);
/* Makes the counts of a copy no larger than the tables that the geometry has. */
void rtop_reader_bound(const struct rtop_reader *reader, struct rtop_counters *counters);

#endif
