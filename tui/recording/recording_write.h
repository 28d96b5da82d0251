/* SPDX-License-Identifier: MIT */
/* Writes a recording: data that feeds add to a profile, at that moment, or a span of a profile.
 *
 * The file is valid at every moment: about once a second a chunk is appended by one write, and existing data are never
 * changed. A new recording replaces an existing file when it starts. With a size limit the oldest minute or so is
 * dropped when the limit is reached: the remaining data are copied to a new file, which gets the name of the old one;
 * both files need room during the copy.
 *
 * Errors do not affect the caller: after an error nothing more is written, the file stays readable, and
 * rtop_recorder_problem() says why.
 *
 * Threads: one. Writing may block on the disk.
 */
#ifndef RTOP_TUI_RECORDING_WRITE_H
#define RTOP_TUI_RECORDING_WRITE_H

#include "feed_info.h"
#include "tui/history/profile.h"
#include <stdbool.h>
#include <stdint.h>

struct rtop_recorder;
struct rtop_error;

enum { RTOP_RECORDING_BYTES_MIN = 1 << 20 }; /* of a bound on the size */

/* Starts recording everything that is added to the profile from now on; one recording at a time. bytes_max 0: no limit.
 * NULL, with one clear sentence in error->text, when the file cannot be made. */
struct rtop_recorder *rtop_recorder_create(const char *path, struct rtop_profile *profile, uint64_t bytes_max,
                                           struct rtop_error *error);
/* Starts a stream, which is sent through a pipe or socket, a chunk every half second. This program never waits for the
 * reader: unread data are queued up to a limit, then whole windows are dropped and counted. The caller keeps the
 * descriptor. Content of the rings that is added before the first call of rtop_recorder_send() is sent completely. */
struct rtop_recorder *rtop_recorder_stream(int fd, struct rtop_profile *profile, struct rtop_error *error);
/* Sends queued data. False: the reader is gone, or an error occurred (rtop_recorder_problem()). */
bool rtop_recorder_send(struct rtop_recorder *recorder);
/* Bytes that wait for the reader. */
size_t rtop_recorder_queued(const struct rtop_recorder *recorder);
bool rtop_recorder_streams(const struct rtop_recorder *recorder);
/* Queues the remaining data and the end mark; the caller must still send them, then close. */
void rtop_recorder_finish(struct rtop_recorder *recorder);
/* Sets the status of a source in a stream; in a file only how the process ended, after rtop_recorder_ended(). left_out
 * is filled in by this function. */
void rtop_recorder_pulse(struct rtop_recorder *recorder, uint32_t source, const struct rtop_pulse *pulse);

/* Describes a source: to be called before its first window, and again when something changed. False: there are too many
 * sources, and nothing of this one is written. */
bool rtop_recorder_source(struct rtop_recorder *recorder, uint32_t source, const struct rtop_feed_info *info);
/* To be called when the profile renumbers a source (rtop_profile_retire()); another source may get its old number. */
void rtop_recorder_renumber(struct rtop_recorder *recorder, uint32_t source, uint32_t to);
/* Records how a source ended (ENDED or DEAD); other states are ignored. */
void rtop_recorder_ended(struct rtop_recorder *recorder, uint32_t source, enum rtop_feed_state state);
/* Writes the collected data if a second has passed since the last writing. To be called often. */
void rtop_recorder_tick(struct rtop_recorder *recorder);
/* Writes the remaining data and disconnects from the profile. False with the problem in error->text, including an
 * earlier one; the file contains the data that could be written. Accepts NULL; sets *recorder to NULL. */
bool rtop_recorder_close(struct rtop_recorder **recorder, struct rtop_error *error);
/* Like rtop_recorder_close(), but also removes the file, which contains nothing useful. */
void rtop_recorder_discard(struct rtop_recorder **recorder);

const char *rtop_recorder_path(const struct rtop_recorder *recorder);
uint64_t rtop_recorder_bytes(const struct rtop_recorder *recorder);   /* in the file by now */
uint64_t rtop_recorder_windows(const struct rtop_recorder *recorder); /* that came to it */
/* Returns a sentence about the first problem; NULL: there was none. */
const char *rtop_recorder_problem(const struct rtop_recorder *recorder);

/* Saves the data of a span of a profile. `infos`: sources 0 to count - 1. False with the reason in error->text; there
 * is no file then. */
bool rtop_recording_save_span(struct rtop_profile *profile, struct rtop_span span,
                              const struct rtop_feed_info *const *infos, uint32_t count, const char *path,
                              struct rtop_error *error);

#endif
