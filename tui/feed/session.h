/* SPDX-License-Identifier: MIT */
/* A session: what is being watched, merged into one profile. A session has the feeds of one or more processes with
 * their descendants, or of a command that this program started and its descendants. Batch, JSON, export and the screen
 * are all built on it.
 *
 * A session never fails once open: when its processes end, their last data stay, and the state says so. A process that
 * replaces itself (exec, as `bundle exec` does) is followed while it lives, and processes that it forks or spawns join
 * within a second (family.h, session_tree.c).
 *
 * Threads: one. Only opening (of a command) and closing may block, closing for at most 2 s.
 */
#ifndef RTOP_TUI_SESSION_H
#define RTOP_TUI_SESSION_H

#include "feed.h"
#include "launch.h"
#include "tui/history/profile.h"
#include "tui/methods/whole_sum.h"
#include "tui/recording/recording_write.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct rtop_session;

enum { RTOP_SESSION_TRACES_MAX = 16, RTOP_SESSION_TRACE_BYTES = 160 };

enum {
  /* Memory for the history (bytes): of a recording, which can be read again; of watched processes; of output that
     is printed once. */
  RTOP_SESSION_REPLAY_BYTES = 96 << 20,
  RTOP_SESSION_MEMORY_BYTES = 48 << 20,
  RTOP_SESSION_BATCH_BYTES = 12 << 20,
  /* enough for a quarter of a minute of very many processes; merging windows would cost more */
  RTOP_SESSION_METRICS_BYTES = 96 << 20,
  RTOP_SESSION_FEEDS_MAX = RTOP_SOURCES_MAX, /* maximum number of processes at a time,
                                                including programs that they became by exec */
};

enum { RTOP_SESSION_HOSTS_MAX = 64 };

/* What to watch (the first of these four that is set), and what to keep of it. */
struct rtop_session_wish {
  char *const *command;       /* command to start; its standard input is /dev/null if this program has a screen */
  enum rtop_launch_kind kind; /* where its output goes */
  const char *replay;         /* a recording or segment file; "-": standard input */
  const char *const *hosts;   /* hosts of ssh, which run */
  int host_count;
  const char *host_command; /* this line: it writes a stream (--stream) */
  const pid_t *pids;        /* of several those that can be watched */
  int pid_count;
  const char *const
      *names;       /* patterns: processes whose command line matches one of them, now or later; "all": every process */
  int name_count;   /* as long as the session */
  uint32_t rate_hz; /* sampling rate to ask for; RTOP_FEED_LOOKS: the processes are not informed of the session */
  size_t memory_bytes; /* of history */
  int64_t keep_ns;     /* length of history to keep; 0: as much as memory allows */
  const struct rtop_lens_look *lens;
  bool needs_rights;         /* something besides a stream must be read or written, so root keeps its rights */
  bool skips_past;           /* only new windows of living processes are read, and */
  int64_t but_ns;            /* this much of the history that their rings hold (ns) */
  bool keeps_sums;           /* keep sums of windows that memory cannot hold */
  bool alone;                /* not what they fork or spawn */
  bool by_seconds;           /* of processes that rest (rtop_feed_by_seconds) */
  const char *const *traces; /* methods to trace, "Class#method" */
  int trace_count;
  uint32_t slower_us;     /* threshold above which calls of `traces` are reported one by one (us); 0: none */
  uint32_t whole_seconds; /* seconds for which all calls are traced; 0: not at all */
  const char *whole;      /* options for tracing all calls: RTOP_WHOLE_FORCED,
                             RTOP_WHOLE_RUBY (format.h); NULL or "": all calls */
  uint32_t sites_seconds; /* seconds for which allocation sites are sampled; 0: not at all */
};

/* Begins a session. NULL on failure: error->text is one clear sentence, *exit_status the exit status (1; 126 or 127
 * for a command). */
struct rtop_session *rtop_session_begin(const struct rtop_session_wish *wish, int *exit_status,
                                        struct rtop_error *error);
/* Opens a recording to compare with the watched session. Fails like rtop_session_begin(). */
struct rtop_session *rtop_session_open_replay(const char *path, struct rtop_error *error);
/* Begins a session for one process chosen from the list. */
struct rtop_session *rtop_session_open_pid(pid_t pid, uint32_t rate_hz, bool alone, struct rtop_error *error);

/* Ends the command if it still runs (SIGTERM, after 2 s SIGKILL), releases locks and requests, and frees all memory,
 * including everything to which the session returned pointers. Accepts NULL; sets *session to NULL. */
void rtop_session_close(struct rtop_session **session);

/* Moves new windows into the profile, searches for new channels, and notices ends. Returns the number of windows
 * moved. Never blocks. */
size_t rtop_session_poll(struct rtop_session *session);
/* Milliseconds until another poll makes sense. */
int rtop_session_wait_ms(const struct rtop_session *session);

/* Excludes a child of this program that other code waits for (waitpid); 0: none. */
void rtop_session_spare(struct rtop_session *session, pid_t pid);

/* With wish->by_seconds: reads all processes by seconds, or only idle ones. */
void rtop_session_by_seconds(struct rtop_session *session, bool always);

struct rtop_profile *rtop_session_profile(struct rtop_session *session);

/* Is there a channel? False while a command is starting and has none yet; there is no info then. */
bool rtop_session_ready(const struct rtop_session *session);
/* Live if any process is live, else stalled, ended or dead, in this order; live while not ready. REPLAY: a recording,
 * which is complete after the first poll. */
enum rtop_feed_state rtop_session_state(const struct rtop_session *session);
/* Will nothing more come? True when every process has ended, and the command, if this program started one. */
bool rtop_session_over(const struct rtop_session *session);
/* Returns a sentence about a problem that is not an error (the command ended without a channel, or with an error soon
 * after its start); else NULL. */
const char *rtop_session_problem(const struct rtop_session *session);
/* Returns a sentence on why there is nothing to watch while the command runs, and what helps. NULL: it is too
   early to say. */
const char *rtop_session_waits(const struct rtop_session *session);

/* Access to feeds by index. When there are RTOP_SESSION_FEEDS_MAX, a new feed gets the index of the one that ended
 * first, whose data stay in the profile (rtop_profile_retire). Info for an index out of range is NULL. */
int rtop_session_count(const struct rtop_session *session);
const struct rtop_feed_info *rtop_session_info(const struct rtop_session *session, int index);
enum rtop_feed_state rtop_session_feed_state(const struct rtop_session *session, int index);

/* Returns how the feed's process ended; false while it lives or when nothing is known. */
bool rtop_session_feed_end(const struct rtop_session *session, int index, struct rtop_feed_end *end);
/* Returns the number of the feed's process (rtop_process_of()): equal after exec, but not for a reused pid. */
uint32_t rtop_session_process(const struct rtop_session *session, int index);
/* Serial number of the feed, 1, 2, … in order of opening, since another feed may get its index. 0: there is
   no such feed. */
uint64_t rtop_session_opened(const struct rtop_session *session, int index);
/* How many feeds lost their place. */
int rtop_session_gone(const struct rtop_session *session);
/* Number of living processes that matched the names at the last search but exceeded RTOP_SESSION_FEEDS_MAX. */
int rtop_session_without_place(const struct rtop_session *session);
/* Has the process become another program by exec, which another feed continues? */
bool rtop_session_feed_replaced(const struct rtop_session *session, int index);
/* Returns the parent of a process that joined as a descendant; 0: it was requested itself. */
pid_t rtop_session_feed_parent(const struct rtop_session *session, int index);
/* Reasons why requested processes, or their descendants, are not watched although others are; NULL: there are no
 * more. The list may grow while watching. */
const char *rtop_session_left_out(const struct rtop_session *session, int index);

/* Returns how the process that ended last did so; false while any lives or when nothing is known. */
bool rtop_session_end(const struct rtop_session *session, struct rtop_feed_end *end);

/* Real minus monotonic clock (ns), to show times of windows as wall clock times. 0 while not ready. */
int64_t rtop_session_clock_offset_ns(const struct rtop_session *session);

/* Records everything that the profile gets from now on into a file (recording_write.h); before the first poll, that
 * includes the rings' whole content. One recording at a time. False with the reason in error->text. */
bool rtop_session_record(struct rtop_session *session, const char *path, uint64_t bytes_max, struct rtop_error *error);
/* Sends a stream instead of recording (rtop_recorder_stream). Call rtop_session_send() after every poll; before the
 * end, rtop_session_finish_stream() queues the remaining data, which must still be sent. rtop_session_send() returns
 * false as rtop_recorder_send() does. */
bool rtop_session_stream(struct rtop_session *session, int fd, struct rtop_error *error);
bool rtop_session_send(struct rtop_session *session);
void rtop_session_finish_stream(struct rtop_session *session);
/* Ends the recording. False with the problem in error->text, including an earlier one; the file contains the data that
 * could be written. */
bool rtop_session_end_recording(struct rtop_session *session, struct rtop_error *error);
/* Saves the data of a span as a recording, independently of any recording in progress. False with the reason in
 * error->text; there is no file then. */
bool rtop_session_save_span(struct rtop_session *session, struct rtop_span span, const char *path,
                            struct rtop_error *error);
/* The recording under way; NULL: none. */
const struct rtop_recorder *rtop_session_recorder(const struct rtop_session *session);

/* Sets a function that is called after each part of a recording was read, with the share of the file read so far (0 to
 * 1). NULL: none. */
void rtop_session_tell_progress(struct rtop_session *session, void (*tell)(void *context, double share), void *context);

/* Returns the descriptor of a stream's input, to poll; -1: there is none, or nothing more will come. */
int rtop_session_input_fd(const struct rtop_session *session);
/* Returns the state of the stream that is read; false: there is none. */
bool rtop_session_stream_look(const struct rtop_session *session, struct rtop_stream_look *look);

/* A host that is watched through ssh. Texts are sanitised, and valid until the next poll. */
enum rtop_host_state {
  RTOP_HOST_CONNECTING, /* for the first time */
  RTOP_HOST_THERE,
  RTOP_HOST_SILENT, /* connected, but nothing comes */
  RTOP_HOST_AWAY,
  RTOP_HOST_OVER, /* all its processes have ended */
};
struct rtop_host_look {
  const char *name; /* as it was given */
  enum rtop_host_state state;
  const char *reason; /* why it is away; "": not known */
  int retry_seconds;  /* until the next attempt; 0: it is under way, or none is needed */
  int silent_seconds;
  bool skew_known;
  int64_t skew_ns;   /* its wall clock minus ours */
  int64_t behind_ns; /* how much later its newest data came than without delay */
  unsigned attempts;
  int processes; /* of it, that have a feed and have not ended */
};
const char *rtop_host_state_name(enum rtop_host_state state); /* "connecting", … as in JSON */
/* Number of hosts; 0: none are watched. */
int rtop_session_hosts(const struct rtop_session *session);
/* The index-th, from 0. */
void rtop_session_host(const struct rtop_session *session, int index, struct rtop_host_look *look);
/* Index of the host of a feed; -1: none. */
int rtop_session_feed_host(const struct rtop_session *session, int index);

/* Length of the name in "Class#method", "Class.method", or one of these with ",force"; 0: invalid or too long. */
size_t rtop_session_trace_name(const char *text, bool *forced);
/* Start or stop exact counting of a method's calls, in every process that is watched now or later. ",force" after
 * the name: counts even if YJIT compiles and code would stay slower. False when too many methods are traced, or the
 * name is invalid. */
bool rtop_session_trace(struct rtop_session *session, const char *name, bool on);
/* Starts counting all calls for some seconds from now on; 0 ends it. */
bool rtop_session_trace_whole(struct rtop_session *session, uint32_t seconds, const char *how);
/* State of counting all calls at the end of a span; with several processes, that of the least advanced one. 0: nothing
 * is reported, or only of a request made `before`. */
enum rtop_whole_state rtop_session_whole(struct rtop_session *session, struct rtop_span span,
                                         const struct whole_before *before);
/* Allocation sites: the same. */
bool rtop_session_trace_sites(struct rtop_session *session, uint32_t seconds);
enum rtop_sites_state rtop_session_sites(struct rtop_session *session, struct rtop_span span);
/* Returns the methods that are traced now, in order, without ",force"; NULL: there are no more. */
const char *rtop_session_traced(const struct rtop_session *session, int index);
/* Threshold above which calls of traced methods are reported one by one (us); 0: none. */
uint32_t rtop_session_slower_us(const struct rtop_session *session);

/* Returns the command that this program started, for its status, log and output pane; NULL when there is none. */
struct rtop_launch *rtop_session_launch(const struct rtop_session *session);

#endif
