/* SPDX-License-Identifier: MIT */
/* What is being watched: the feeds of one or more processes with their descendants, or of a command that we started
 * and its, merged into one profile. Batch, JSON, export and the screen all stand on this.
 *
 * A session never fails after it was opened: when its processes end, their last data stay, and the state
 * says so. A process that replaces itself (exec, as `bundle exec` does) is followed while it lives, and what its
 * processes fork or spawn joins within a second (family.h, session_tree.c).
 *
 * Threads: one. Only open (of a command) and close may block, close for at most 2 s.
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
  /* Of history: of a recording, which can be read again; of what is watched; of what is printed and gone. */
  RTOP_SESSION_REPLAY_BYTES = 96 << 20,
  RTOP_SESSION_MEMORY_BYTES = 48 << 20,
  RTOP_SESSION_BATCH_BYTES = 12 << 20,
  RTOP_SESSION_METRICS_BYTES = 96 << 20, /* a quarter of a minute of very many processes: merging it would cost more */
  RTOP_SESSION_FEEDS_MAX = RTOP_SOURCES_MAX, /* processes at a time, and what they turned into by exec */
};

/* What to watch, the first of these three that is there, and what is kept of it. */
struct rtop_session_wish {
  char *const *command;       /* to be started; its standard input is /dev/null when we have a screen */
  enum rtop_launch_kind kind; /* where its output goes */
  const char *replay;         /* a recording, or the file of a segment; "-": what standard input is, or brings */
  const pid_t *pids;          /* of several those that can be watched */
  int pid_count;
  const char *const
      *names;     /* and whoever has one of these in its command line, or comes to have it; "all": everybody */
  int name_count; /* as long as the session */
  uint32_t rate_hz;
  size_t memory_bytes; /* of history */
  int64_t keep_ns;     /* so much of it is looked at; 0: as much as there is */
  const struct rtop_lens_look *lens;
  bool needs_rights;         /* more is to be read or written than a stream: root reads that as root */
  bool skips_past;           /* only what comes from now on is read of living processes */
  bool keeps_sums;           /* of windows that memory cannot hold any more */
  bool alone;                /* not what they fork or spawn */
  bool by_seconds;           /* of processes that rest (rtop_feed_by_seconds) */
  const char *const *traces; /* methods to trace, "Class#method" */
  int trace_count;
  uint32_t slower_us;     /* and their calls that take longer, one by one; 0: none */
  uint32_t whole_seconds; /* all calls are traced so long; 0: not */
  const char *whole;      /* how: RTOP_WHOLE_FORCED, RTOP_WHOLE_RUBY (format.h); NULL or "": all */
  uint32_t sites_seconds; /* objects are sampled where they are made so long; 0: not */
};

/* NULL: one clear sentence in error->text, and *exit_status is what to exit with (1; 126 or 127 for a command). */
struct rtop_session *rtop_session_begin(const struct rtop_session_wish *wish, int *exit_status,
                                        struct rtop_error *error);
/* A recording, whatever else is watched: the one to compare with. As above, with no other wish. */
struct rtop_session *rtop_session_open_replay(const char *path, struct rtop_error *error);
/* The same for one process chosen from the list. */
struct rtop_session *rtop_session_open_pid(pid_t pid, uint32_t rate_hz, bool alone, struct rtop_error *error);

/* Ends the command if it still runs (SIGTERM, after 2 s SIGKILL), gives up locks and wishes, frees all.
 * Pointers got from the session end with it. NULL is fine; sets NULL. */
void rtop_session_close(struct rtop_session **session);

/* Moves new windows into the profile, looks for channels that appeared, notices ends. Returns the number
 * of windows moved. Never blocks. */
size_t rtop_session_poll(struct rtop_session *session);
/* Milliseconds until another poll makes sense. */
int rtop_session_wait_ms(const struct rtop_session *session);

/* A child of this process that somebody else asks for when it has ended (waitpid); 0: none. */
void rtop_session_spare(struct rtop_session *session, pid_t pid);

/* With wish->by_seconds: of all, or again only of those that rest. */
void rtop_session_by_seconds(struct rtop_session *session, bool always);

struct rtop_profile *rtop_session_profile(struct rtop_session *session);

/* False until a channel was found: a command that is still starting. There is no info then. */
bool rtop_session_ready(const struct rtop_session *session);
/* Live when any process is, else stalled, ended, dead, in this order. Live while not ready. REPLAY: a
 * recording; everything is there after the first poll. */
enum rtop_feed_state rtop_session_state(const struct rtop_session *session);
/* Nothing more will come: every process ended (and the command, if we started one). */
bool rtop_session_over(const struct rtop_session *session);
/* A sentence when something is wrong that is no error yet (the command ended and never had a channel, or ended soon
 * and badly), else NULL. */
const char *rtop_session_problem(const struct rtop_session *session);
/* A sentence while there is nothing to watch and the command runs: why, and what helps. NULL: it is still early. */
const char *rtop_session_waits(const struct rtop_session *session);

/* Feeds; index 0 is the first. When there are RTOP_SESSION_FEEDS_MAX, a new one gets the place of the one that was
 * over first; what that told stays in the profile (rtop_profile_retire). Info of an index out of range is NULL. */
int rtop_session_count(const struct rtop_session *session);
const struct rtop_feed_info *rtop_session_info(const struct rtop_session *session, int index);
enum rtop_feed_state rtop_session_feed_state(const struct rtop_session *session, int index);

/* How that one ended; false while it lives or nothing is known. */
bool rtop_session_feed_end(const struct rtop_session *session, int index, struct rtop_feed_end *end);
/* Which process that is (rtop_process_of()): equal for what became another program, not when only the number is. */
uint32_t rtop_session_process(const struct rtop_session *session, int index);
/* 1, 2, … in order of opening: another one in a place is another feed. 0: none is there. */
uint64_t rtop_session_opened(const struct rtop_session *session, int index);
/* How many feeds lost their place. */
int rtop_session_gone(const struct rtop_session *session);
/* Living processes of the names that found no place at the last look for them: there are RTOP_SESSION_FEEDS_MAX. */
int rtop_session_without_place(const struct rtop_session *session);
/* By exec, and another feed goes on with the process. */
bool rtop_session_feed_replaced(const struct rtop_session *session, int index);
/* The process above it when it joined as a descendant of one that was asked for; 0: it was asked for. */
pid_t rtop_session_feed_parent(const struct rtop_session *session, int index);
/* Why a process is not watched although it was asked for and others are, or is one of theirs; NULL: there are no more.
 * It may become more while they are watched. */
const char *rtop_session_left_out(const struct rtop_session *session, int index);

/* How the process that ended last did; false while any lives or nothing is known. */
bool rtop_session_end(const struct rtop_session *session, struct rtop_feed_end *end);

/* Real minus monotonic clock, to show a window's time as wall clock. 0 while not ready. */
int64_t rtop_session_clock_offset_ns(const struct rtop_session *session);

/* Records everything that comes from now on into a file (recording_write.h); what the rings hold already is
 * part of it when this comes before the first poll. One at a time. False: error->text says why. */
bool rtop_session_record(struct rtop_session *session, const char *path, uint64_t bytes_max, struct rtop_error *error);
/* Or sends it as a stream (rtop_recorder_stream). Sending after every poll; before the end the rest is put into the queue
 * and is still to be sent. False as rtop_recorder_send() says. */
bool rtop_session_stream(struct rtop_session *session, int fd, struct rtop_error *error);
bool rtop_session_send(struct rtop_session *session);
void rtop_session_finish_stream(struct rtop_session *session);
/* Ends it. False: error->text says what went wrong, now or before; the file holds what could be written. */
bool rtop_session_end_recording(struct rtop_session *session, struct rtop_error *error);
/* Saves what is held of a span as a recording, whatever is being recorded. False: error->text says why, and
 * there is no file. */
bool rtop_session_save_span(struct rtop_session *session, struct rtop_span span, const char *path,
                            struct rtop_error *error);
/* The recording under way; NULL: none. */
const struct rtop_recorder *rtop_session_recorder(const struct rtop_session *session);

/* Calls `tell` whenever a part of a recording was read, with how far into the file it is (0 to 1). NULL: no
 * more. */
void rtop_session_tell_progress(struct rtop_session *session, void (*tell)(void *context, double share), void *context);

/* Where a stream comes from, to wait for it; -1: there is none, or nothing more comes. */
int rtop_session_input_fd(const struct rtop_session *session);
/* How the stream is that we read; false: there is none. */
bool rtop_session_stream_look(const struct rtop_session *session, struct rtop_stream_look *look);

/* The length of the name in "Class#method", "Class.method", or one of them and ",force"; 0: it is none, or too long. */
size_t rtop_session_trace_name(const char *text, bool *forced);
/* Methods whose calls are counted exactly, in every process that is watched or comes to be: begins or ends it. ",force"
 * behind the name: also where YJIT compiles, and code would be slower for good. False: there are too many, or it is no name. */
bool rtop_session_trace(struct rtop_session *session, const char *name, bool on);
/* All calls, for so many seconds, from now on; 0 gives it up. */
bool rtop_session_trace_whole(struct rtop_session *session, uint32_t seconds, const char *how);
/* How that stands at the end of a span: of several processes the one that has longest to go. 0: nothing of it is told, or
 * only of what was asked for `before`. */
enum rtop_whole_state rtop_session_whole(struct rtop_session *session, struct rtop_span span,
                                         const struct whole_before *before);
/* Allocation sites: the same. */
bool rtop_session_trace_sites(struct rtop_session *session, uint32_t seconds);
enum rtop_sites_state rtop_session_sites(struct rtop_session *session, struct rtop_span span);
/* What is traced now, in order, without ",force"; NULL: there are no more. */
const char *rtop_session_traced(const struct rtop_session *session, int index);
/* How long a call of these takes that is told by itself; 0: none is. */
uint32_t rtop_session_slower_us(const struct rtop_session *session);

/* The command that we started; NULL when there is none. For its status, log and output pane. */
struct rtop_launch *rtop_session_launch(const struct rtop_session *session);

#endif
