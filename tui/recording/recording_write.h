/* SPDX-License-Identifier: MIT */
/* Writing a recording: what feeds hand to a profile, as it comes, or what a profile holds of a span.
 *
 * The file is whole at every moment: about once a second a chunk is added by one write, and what is there
 * already is never changed. It replaces a file of that name when it begins. With a bound on its size the
 * oldest minute or so goes when it is reached: what stays is copied into a new file that takes the name.
 * While that happens, both files need room.
 *
 * Writing never fails the caller: after an error nothing more is written, what is in the file stays
 * readable, and rtop_recorder_problem() says why.
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

/* Starts a recording of all that comes into the profile from now on; only one at a time. bytes_max 0: no
 * bound. NULL and one clear sentence in error->text when the file cannot be made. */
struct rtop_recorder *rtop_recorder_create(const char *path, struct rtop_profile *profile, uint64_t bytes_max,
                                           struct rtop_error *error);
/* The same as a stream: goes out through a pipe or socket, a chunk every half second. Nothing waits for the reader:
 * what it does not take is kept, up to a bound, then whole windows are left out and counted. The descriptor stays the
 * caller's. What the rings hold already, handed in before the first sending, is sent whole. */
struct rtop_recorder *rtop_recorder_stream(int fd, struct rtop_profile *profile, struct rtop_error *error);
/* False: the reader is gone, or there was an error (rtop_recorder_problem()). */
bool rtop_recorder_send(struct rtop_recorder *recorder);
/* Bytes that wait for the reader. */
size_t rtop_recorder_queued(const struct rtop_recorder *recorder);
bool rtop_recorder_streams(const struct rtop_recorder *recorder);
/* Puts the rest and the end into the queue; it is to be sent, then closed. */
void rtop_recorder_finish(struct rtop_recorder *recorder);
/* How a source is, in a stream; in a file only how it ended, after rtop_recorder_ended(). left_out is filled here. */
void rtop_recorder_pulse(struct rtop_recorder *recorder, uint32_t source, const struct rtop_pulse *pulse);

/* Who is `source`? To be told before its first window, and again when something changed. False: it is one too many, and
 * nothing of it is written. */
bool rtop_recorder_source(struct rtop_recorder *recorder, uint32_t source, const struct rtop_feed_info *info);
/* The profile calls it so from now on (rtop_profile_retire); another one may have its number. */
void rtop_recorder_renumber(struct rtop_recorder *recorder, uint32_t source, uint32_t to);
/* How a source ended (ENDED, DEAD); others mean nothing. */
void rtop_recorder_ended(struct rtop_recorder *recorder, uint32_t source, enum rtop_feed_state state);
/* Writes what was collected when a second has passed since the last time. To be called often. */
void rtop_recorder_tick(struct rtop_recorder *recorder);
/* Writes the rest and gives up the profile. False: error->text says what went wrong, now or before; the
 * file holds what could be written. NULL is fine; sets NULL. */
bool rtop_recorder_close(struct rtop_recorder **recorder, struct rtop_error *error);
/* The same, but the file goes, too: nothing came that was worth it. */
void rtop_recorder_discard(struct rtop_recorder **recorder);

const char *rtop_recorder_path(const struct rtop_recorder *recorder);
uint64_t rtop_recorder_bytes(const struct rtop_recorder *recorder);   /* in the file by now */
uint64_t rtop_recorder_windows(const struct rtop_recorder *recorder); /* that came to it */
/* A sentence, or NULL while all is well. */
const char *rtop_recorder_problem(const struct rtop_recorder *recorder);

/* Saves what the profile holds of a span. `infos` are the sources 0 to count - 1. False as above, and then
 * there is no file. */
bool rtop_recording_save_span(struct rtop_profile *profile, struct rtop_span span,
                              const struct rtop_feed_info *const *infos, uint32_t count, const char *path,
                              struct rtop_error *error);

#endif
