/* SPDX-License-Identifier: MIT */
/* Where windows come from: a live ring, the ring of a dead process, a recording. Everything above works the
 * same on all of them.
 *
 * Threads: one. poll never blocks.
 */
#ifndef RTOP_TUI_FEED_H
#define RTOP_TUI_FEED_H

#include "tui/history/profile.h"
#include "tui/recording/feed_info.h"
#include <sys/types.h>

struct rtop_error;
struct rtop_feed;
struct rtop_registry_entry; /* shm/segment/registry.h */

const char *rtop_feed_state_name(enum rtop_feed_state state); /* "live", … as in the JSON contract */
const char *rtop_loss_name(enum rtop_loss loss);              /* "nodes", … as in JSON */

/* Asks a living process to trace a method (shm/channel/control.h), for so many seconds, 0: as long as we are here. The
 * slot, to give it back; -1: it cannot be asked, or is asked for too many. */
int rtop_feed_trace(struct rtop_feed *feed, const char *name, uint32_t seconds, uint32_t slower_us);
void rtop_feed_untrace(struct rtop_feed *feed, int slot);

/* The channel of a process, live or dead; asks for rate_hz while it is open. NULL: one clear sentence in
 * error->text that says what to do. `source` is the number under which the profile keeps it. */
struct rtop_feed *rtop_feed_open_process(pid_t pid, uint32_t source, uint32_t rate_hz, struct rtop_error *error);
/* The same for a segment that was found already; error->text is what the reader said. */
struct rtop_feed *rtop_feed_open_entry(const struct rtop_registry_entry *entry, uint32_t source, uint32_t rate_hz,
                                       struct rtop_error *error);
/* A segment in a file: a copy that a program made of its own (RperfTop.snapshot). The file's owner is believed:
 * who names the file means it. */
bool rtop_feed_is_segment(const char *path);
struct rtop_feed *rtop_feed_open_segment(const char *path, uint32_t source, struct rtop_error *error);
/* A recording: a feed for each process in it, in feeds[0] to feeds[count - 1], which are sources 0, 1, … of
 * the profile. They need each other: poll and close all of them. Returns count; 0: one clear sentence in
 * error->text. */
int rtop_feed_open_recording(const char *path, struct rtop_profile *profile, struct rtop_feed **feeds, int feeds_max,
                             struct rtop_error *error);
/* A profile that a program has saved (RperfTop::Profile#save): one process, one window. */
bool rtop_feed_is_saved(const char *path);
struct rtop_feed *rtop_feed_open_saved(const char *path, struct rtop_profile *profile, uint32_t source,
                                       struct rtop_error *error);
/* Of a recording's feed: calls `tell` whenever a part of the file was read; 0 to 1. NULL: no more. */
void rtop_feed_tell_progress(struct rtop_feed *feed, void (*tell)(void *context, double share), void *context);
/* This process becomes nobody, for good, where it is root: before a stream is opened, if nothing else is to be read or
 * written. False: *error says why not, and nothing may be done but ending. */
bool rtop_feed_stream_as_nobody(struct rtop_error *error);
/* A recording that comes through a pipe, as another rperf-top writes it (--stream), or whole. Waits until it has told of
 * its first process, for as long as it takes; a signal that does not end us does not end that. The feeds of a stream
 * need each other, as those of a recording. NULL: one clear sentence in error->text. */
struct rtop_feed *rtop_feed_open_stream(int fd, struct rtop_profile *profile, struct rtop_error *error);
/* The next process that the stream has told of meanwhile, as source `source`; NULL: there is none. */
struct rtop_feed *rtop_feed_stream_next(struct rtop_feed *first, uint32_t source);
/* To wait for more; -1: nothing comes any more. */
int rtop_feed_stream_fd(const struct rtop_feed *first);
/* How a stream is; false: the feed is none. */
struct rtop_stream_look {
  bool ended, broken; /* nothing comes any more; and its end was missing */
  int64_t silent_ns;  /* since its last byte */
  int64_t behind_ns;  /* the newest window is so much older than the newest that ever came at once */
  int64_t clock_ns;   /* what is added to our CLOCK_MONOTONIC for the one there; 0: nothing came yet */
  uint64_t left_out;  /* windows that it had no room for, as we were too slow, or the way */
  uint64_t damages;
  uint64_t bytes;
};
bool rtop_feed_stream_look(const struct rtop_feed *feed, struct rtop_stream_look *look);
void rtop_feed_close(struct rtop_feed **feed);

const struct rtop_feed_info *rtop_feed_info(const struct rtop_feed *feed);

/* As opening and polling saw it last. */
enum rtop_feed_state rtop_feed_seen_state(const struct rtop_feed *feed);

/* How a process ended, as far as can be known (shm/segment/ending.h). Strings are valid as long as the feed. */
struct rtop_feed_end {
  const char *cause; /* a word for machines: "signal", "vanished", … */
  const char *text;  /* for people: "killed by signal 9" */
  int64_t real_ns;   /* time of day at the end of its last window */
  int64_t lived_ns;  /* from the start of the channel until then */
};
/* False while it lives. A recording tells it after the first poll, when the process ended in its time. */
bool rtop_feed_end(const struct rtop_feed *feed, struct rtop_feed_end *end);

/* What its parent, which we are, was told of its end (as waitpid: the status, or 128 and the signal that killed it): better
 * than that it vanished, if that is all that is known. */
void rtop_feed_waited(struct rtop_feed *feed, int status, bool killed);

/* A sentence when not all of it was read: it asked for too much. NULL: it did not. */
const char *rtop_feed_problem(const struct rtop_feed *feed);

/* Before the first poll of a ring, when another one was opened before it: from now on its times are by the clock
 * of that one. Processes of one boot have the same clock, those of others are shifted by the difference of
 * their wall clocks (what would be before the boot of the first is not shown), and info->clock_offset_ns
 * becomes that of the first. */
void rtop_feed_align(struct rtop_feed *feed, const struct rtop_feed *first);

/* Before the first poll of a ring: of a living process only what comes from now on is read. */
void rtop_feed_skip_past(struct rtop_feed *feed);

/* Before the first poll of a ring: of seconds in which the process did hardly anything, and of which both neighbours are
 * such, only the sum is read; all others come window by window, as ever. No sum is another one then, and no stall is
 * missed by the usual limits (stalls.h). What is read is up to two seconds older than else. Threads have no names.
 * `always`, which may change at any time: of all seconds; stalls are then missed, but for threads that are blocked. */
void rtop_feed_by_seconds(struct rtop_feed *feed, bool always);

/* Looks where a living process works, for info->folder. Of a recording or a stream it is told. */
void rtop_feed_find_folder(struct rtop_feed *feed);

/* Moves every new window (at first: all of the ring's history) into the profile. Windows that were lost or
 * do not hold what they promise become gaps. Returns the number of windows moved; *state becomes the
 * state now. */
size_t rtop_feed_poll(struct rtop_feed *feed, struct rtop_profile *profile, enum rtop_feed_state *state);
/* After rtop_profile_forget(). */
void rtop_feed_forget(struct rtop_feed *feed, struct rtop_profile *profile);

/* Milliseconds until another window can be expected: for the loop's time-out. */
int rtop_feed_wait_ms(const struct rtop_feed *feed);

#endif
