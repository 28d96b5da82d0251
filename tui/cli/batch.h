/* SPDX-License-Identifier: MIT */
/* The viewer without a screen: a text report or JSON line per update, or a profile saved to a file.
 *
 * The first report is due when a whole frame of data has come, each further one after the delay, measured in the
 * process's windows; for a process that stalls, the clock decides. When all processes have ended, a last, possibly
 * shorter, frame is written.
 */
#ifndef RTOP_TUI_BATCH_H
#define RTOP_TUI_BATCH_H

struct rtop_options;

/* Writes text or JSON to standard output. `note` (NULL: none) is written to standard error once there is something to
 * watch. Returns the exit status. */
int rtop_batch_run(const struct rtop_options *options, const char *note);
/* For options->whole and options->sites: counts all calls, or samples new objects, for the given time, then reports
 * as text or JSON on standard output. */
int rtop_whole_run(const struct rtop_options *options);
/* Watches until the end, then writes a summary (stat.h): as text to standard error, or as JSON to standard output. */
int rtop_stat_run(const struct rtop_options *options);
/* options->output. Returns the exit status. */
int rtop_export_run(const struct rtop_options *options);
/* Writes a stream to standard output (options->stream). */
int rtop_stream_run(const struct rtop_options *options);
/* Writes a recording while the process runs, beginning with everything in its ring. */
int rtop_record_run(const struct rtop_options *options);
/* For options->metrics: serves or writes metrics until the end. */
int rtop_metrics_run(const struct rtop_options *options);
/* options->push: sends profiles until the end. */
int rtop_push_run(const struct rtop_options *options);

#endif
