/* SPDX-License-Identifier: MIT */
/* The viewer without a screen: a text report or a JSON line per refresh, and saving a profile to a file.
 *
 * A refresh comes when a whole frame of data is there, then after every delay, counted in the process's
 * own windows; a process that stalls is reported by the clock. When everything ended a last, possibly
 * shorter, frame is written.
 */
#ifndef RTOP_TUI_BATCH_H
#define RTOP_TUI_BATCH_H

struct rtop_options;

/* Text or JSON on standard output. `note` (NULL: none) is said on stderr once there is something to watch.
 * Returns the exit status. */
int rtop_batch_run(const struct rtop_options *options, const char *note);
/* options->whole, options->sites: traces all calls, or samples new objects, for its time; then tells of that as text or JSON
 * on standard output. */
int rtop_whole_run(const struct rtop_options *options);
/* Watches until the end, then sums up (stat.h): as text on standard error, or as JSON on standard output. */
int rtop_stat_run(const struct rtop_options *options);
/* options->output. Returns the exit status. */
int rtop_export_run(const struct rtop_options *options);
/* The same as a stream on standard output (options->stream). */
int rtop_stream_run(const struct rtop_options *options);
/* The same when it is a recording: written while the process runs, from all that its ring holds. */
int rtop_record_run(const struct rtop_options *options);
/* options->metrics: serves or writes figures until the end. */
int rtop_metrics_run(const struct rtop_options *options);
/* options->push: sends profiles until the end. */
int rtop_push_run(const struct rtop_options *options);

#endif
