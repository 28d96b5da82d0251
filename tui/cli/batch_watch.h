/* SPDX-License-Identifier: MIT */
/* Shared by batch and export: opening with messages, and the loop that waits for data. */
#ifndef RTOP_TUI_BATCH_WATCH_H
#define RTOP_TUI_BATCH_WATCH_H

#include "death_action.h"
#include "options.h"
#include "stall_action.h"
#include "tui/feed/session.h"
#include <stdint.h>

/* lag of data behind the clock (ns) from which the process counts as stalled */
#define BATCH_PATIENCE_NS INT64_C(1500000000)

struct rtop_error;

struct batch_watch {
  const struct rtop_options *options;
  struct rtop_session *session;
  struct stall_action action; /* action for stalls, if any */
  struct death_action death;  /* action for deaths, if any */
  struct stalls stalls;
  bool told;             /* why there is nothing to watch yet */
  int left_out;          /* sentences that were printed */
  int64_t deadline_ns;   /* end of the time of -t by this program's clock (ns); 0: none, or not ready yet */
  int64_t wanted_end_ns; /* for -t with -o: end of the data that suffice (ns); 0: the clock decides */
};

/* Opens the session. False: the reason was printed, and *exit_status is the exit status. */
bool batch_watch_open(struct batch_watch *watch, const struct rtop_options *options, int *exit_status);
/* Like batch_watch_open(), but prints nothing if there is nothing to watch: *error has the reason. */
bool batch_watch_try(struct batch_watch *watch, const struct rtop_options *options, int *exit_status,
                     struct rtop_error *error);
/* For processes requested by name, which may start later: returns true without a session, too; the caller then calls
   it again later. */
bool batch_watch_open_later(struct batch_watch *watch, const struct rtop_options *options, int *exit_status);
/* Sleeps until there may be new data, then reads them. False: watching is over (time, signal, or end). */
bool batch_watch_next(struct batch_watch *watch);
/* The two halves of batch_watch_next(), for callers that also wait for other events: each may return false. */
bool batch_watch_goes_on(struct batch_watch *watch);
bool batch_watch_look(struct batch_watch *watch);
/* Returns the number of seconds to save, up to the end of the held data (0: all): the frame of -F, else the time of -t.
 * For a command that this program started, the time of -t covers all data. */
double batch_watch_seconds(const struct batch_watch *watch);
/* Returns the time at which watching starts in data that ended at held_end_ns when it was now_ns: that end, but at most
 * a window's length before now_ns, since the last window of a process that slept can be a second old. Data that ended
 * even earlier may have another clock, and are watched from their end. */
int64_t batch_watch_from(int64_t held_end_ns, int64_t now_ns, int64_t window_ns);
/* Prints that there was nothing to save. Returns the exit status. */
int batch_watch_nothing(const struct batch_watch *watch);
/* To be called when watching is over and results are being written: another signal then ends the program at once. */
void batch_watch_saves(const struct batch_watch *watch);
/* Ends the command and closes the session. Returns the exit status: that of the command if it ended by itself, or was
 * ended after a signal, else `status`. */
int batch_watch_close(struct batch_watch *watch, int status);

/* Opens the recording with which reports and files are compared; *before is NULL if there is only one recording. False:
 * the reason was printed. */
bool batch_watch_before(const struct rtop_options *options, struct rtop_session **before);

#endif
