/* SPDX-License-Identifier: MIT */
/* What batch and export share: opening with words for people, and the loop that waits for data. */
#ifndef RTOP_TUI_BATCH_WATCH_H
#define RTOP_TUI_BATCH_WATCH_H

#include "options.h"
#include "stall_action.h"
#include "tui/feed/session.h"
#include <stdint.h>

#define BATCH_PATIENCE_NS INT64_C(1500000000) /* data so far behind the clock: the process stalls */

struct rtop_error;

struct batch_watch {
  const struct rtop_options *options;
  struct rtop_session *session;
  struct stall_action action; /* of stalls, when something is to be done */
  struct stalls stalls;
  bool told;             /* why there is nothing to watch yet */
  int left_out;          /* sentences that were printed */
  int64_t deadline_ns;   /* of -t, by our clock; 0: none or not ready yet */
  int64_t wanted_end_ns; /* of -t with -o: data up to here are enough; 0: the clock decides */
};

/* False: said why on stderr, *exit_status is what to exit with. */
bool batch_watch_open(struct batch_watch *watch, const struct rtop_options *options, int *exit_status);
/* The same without a word when there is nothing to watch: *error says why. */
bool batch_watch_try(struct batch_watch *watch, const struct rtop_options *options, int *exit_status,
                     struct rtop_error *error);
/* Whoever is asked for by name may come later: true without a session, too, to be called again then. */
bool batch_watch_open_later(struct batch_watch *watch, const struct rtop_options *options, int *exit_status);
/* Sleeps until something may be new, then reads it. False: the watching is over (time, signal, end). */
bool batch_watch_next(struct batch_watch *watch);
/* The same in two halves, for who waits for more: false before the sleep, and behind it. */
bool batch_watch_goes_on(struct batch_watch *watch);
bool batch_watch_look(struct batch_watch *watch);
/* What is to be saved of what is held, in seconds up to its end (0: all): the frame of -F, else the time of -t.
 * Of a command that we started all of it is the time of -t. */
double batch_watch_seconds(const struct batch_watch *watch);
/* Nothing came that could be saved: says so. The exit status. */
int batch_watch_nothing(const struct batch_watch *watch);
/* The watching is over, and what came of it is being written: another signal ends that at once. */
void batch_watch_saves(const struct batch_watch *watch);
/* Ends what runs. The exit status: that of the command when it ended by itself or was ended by us on a
 * signal, else `status`. */
int batch_watch_close(struct batch_watch *watch, int status);

/* What reports and files are compared with; *before is NULL when there is only one recording. False: said why. */
bool batch_watch_before(const struct rtop_options *options, struct rtop_session **before);

#endif
