/* SPDX-License-Identifier: MIT */
/* Feeds: the sources of windows, which are a live ring, the ring of a dead process, a recording or a stream. All users
 * of feeds treat them alike.
 *
 * Threads: one. rtop_feed_poll() never blocks.
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

/* Start and stop asking a living process to trace a method (shm/channel/control.h), for `seconds`, or with 0 until the
 * feed is closed. Starting returns the slot, or -1 when the process cannot be asked or has too many requests. */
int rtop_feed_trace(struct rtop_feed *feed, const char *name, uint32_t seconds, uint32_t slower_us);
void rtop_feed_untrace(struct rtop_feed *feed, int slot);

/* A value for rate_hz: the channel is only read, and the process is not informed of the reader. */
#define RTOP_FEED_LOOKS UINT32_MAX

/* Opens the channel of a process, live or dead, and asks for rate_hz while it is open. NULL on failure: error->text
 * is one clear sentence that says what to do. `source` is the number of the source in the profile. */
struct rtop_feed *rtop_feed_open_process(pid_t pid, uint32_t source, uint32_t rate_hz, struct rtop_error *error);
/* Like rtop_feed_open_process(), for a segment that the caller has found; error->text is the reader's message. */
struct rtop_feed *rtop_feed_open_entry(const struct rtop_registry_entry *entry, uint32_t source, uint32_t rate_hz,
                                       struct rtop_error *error);
/* Open a segment in a file, such as a copy that a program made of its own segment (RperfTop.snapshot). The file may
 * belong to any user, since the caller named it. */
bool rtop_feed_is_segment(const char *path);
struct rtop_feed *rtop_feed_open_segment(const char *path, uint32_t source, struct rtop_error *error);
/* Opens a recording: a feed for each process in it, feeds[0] to feeds[count - 1], which are the sources 0, 1, … of the
 * profile. The feeds depend on each other, so callers must poll and close all of them. Returns the number of feeds; 0
 * on failure, with one clear sentence in error->text. */
int rtop_feed_open_recording(const char *path, struct rtop_profile *profile, struct rtop_feed **feeds, int feeds_max,
                             struct rtop_error *error);
/* Open a profile that a program has saved (RperfTop::Profile#save): one process, one window. */
bool rtop_feed_is_saved(const char *path);
struct rtop_feed *rtop_feed_open_saved(const char *path, struct rtop_profile *profile, uint32_t source,
                                       struct rtop_error *error);
/* For the feed of a recording: sets a function that is called after each part of the file was read, with the share read
 * so far (0 to 1). NULL: none. */
void rtop_feed_tell_progress(struct rtop_feed *feed, void (*tell)(void *context, double share), void *context);
/* Drops root's rights in this process for good: to be called before a stream is opened, if nothing else must be read or
 * written. False with the reason in *error; the caller must then exit. */
bool rtop_feed_stream_as_nobody(struct rtop_error *error);
/* Opens a recording that arrives through a pipe, from another rperf-top (--stream) or whole. Waits without limit for
 * its first process; signals that do not end this program do not end the wait. The feeds of a stream depend on each
 * other, like those of a recording. NULL with one clear sentence in error->text. */
struct rtop_feed *rtop_feed_open_stream(int fd, struct rtop_profile *profile, struct rtop_error *error);
/* Returns the next process that appeared in the stream, as source `source`; NULL: there is none. */
struct rtop_feed *rtop_feed_stream_next(struct rtop_feed *first, uint32_t source);
/* Returns the descriptor to poll for more data; -1: nothing more will come. */
int rtop_feed_stream_fd(const struct rtop_feed *first);
/* The state of a stream; false when the feed is not a stream. */
struct rtop_stream_look {
  bool ended, broken; /* ended: nothing more will come; broken: the stream ended without its end mark */
  int64_t silent_ns;  /* since its last byte */
  int64_t behind_ns;  /* age of the newest window on arrival, compared with the fastest windows (ns) */
  int64_t clock_ns;   /* offset from this program's CLOCK_MONOTONIC to the sender's (ns); 0: no window came yet */
  uint64_t left_out;  /* number of windows that the sender dropped because
                         this program, or the connection, was too slow */
  uint64_t damages;
  uint64_t bytes;
};
bool rtop_feed_stream_look(const struct rtop_feed *feed, struct rtop_stream_look *look);
void rtop_feed_close(struct rtop_feed **feed);

const struct rtop_feed_info *rtop_feed_info(const struct rtop_feed *feed);

/* As opening and polling saw it last. */
enum rtop_feed_state rtop_feed_seen_state(const struct rtop_feed *feed);

/* How a process ended, as far as known (shm/segment/ending.h). Strings are valid as long as the feed. */
struct rtop_feed_end {
  const char *cause; /* a word for machines: "signal", "vanished", … */
  const char *text;  /* for people: "killed by signal 9" */
  int64_t real_ns;   /* wall clock time at the end of the process's last window (ns) */
  int64_t lived_ns;  /* time from the start of the channel to the end of its last window (ns) */
};
/* Returns how the process ended. False while it lives. A recording knows the ending after the first poll, if the
   process ended during the recording. */
bool rtop_feed_end(const struct rtop_feed *feed, struct rtop_feed_end *end);

/* Passes on what this program, as the parent, learnt from waitpid(): the exit status, or `killed` and 128 + signal.
 * Used only if nothing else is known but that the process vanished. */
void rtop_feed_waited(struct rtop_feed *feed, int status, bool killed);

/* Returns a sentence when the source was not read completely because it exceeded its budget; else NULL. */
const char *rtop_feed_problem(const struct rtop_feed *feed);

/* Converts the times of a ring to the clock of `first`; to be called before the first poll when another source was
 * opened earlier. Processes of one boot share the clock; others are shifted by the difference of their wall clocks
 * (times before the boot of `first` are not shown), and info->clock_offset_ns becomes that of `first`. */
void rtop_feed_align(struct rtop_feed *feed, const struct rtop_feed *first);

/* Skips the past of a ring; to be called before the first poll: of a living process only new windows are read, and the
 * last `but_ns` of the history that the ring holds. */
void rtop_feed_skip_past(struct rtop_feed *feed, int64_t but_ns);

/* Reads a ring by seconds; to be called before the first poll: of seconds in which the process and both neighbouring
 * seconds were idle only the sum is read, all others window by window. All sums stay the same, and no stall within the
 * usual limits (stalls.h) is missed. Data are up to two seconds older, and threads have no names. `always` (may change
 * at any time) reads sums of all seconds; stalls are then missed, except for blocked threads. */
void rtop_feed_by_seconds(struct rtop_feed *feed, bool always);

/* Finds the working directory of a living process for info->folder. Recordings and streams contain it already. */
void rtop_feed_find_folder(struct rtop_feed *feed);

/* Moves every new window into the profile, at the first call the ring's whole history. Lost or corrupt windows become
 * gaps. Returns the number of windows moved; *state is the present state. */
size_t rtop_feed_poll(struct rtop_feed *feed, struct rtop_profile *profile, enum rtop_feed_state *state);
/* After rtop_profile_forget(). */
void rtop_feed_forget(struct rtop_feed *feed, struct rtop_profile *profile);

/* Milliseconds until the next window can be expected, for the time-out of the main loop. */
int rtop_feed_wait_ms(const struct rtop_feed *feed);

#endif
