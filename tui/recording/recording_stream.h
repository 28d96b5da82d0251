/* SPDX-License-Identifier: MIT */
/* Reading a recording as it arrives, byte by byte: a stream that another rperf-top writes (--stream), or a recording
 * that comes through a pipe. It is trusted no more than a file: what is held is in proportion to the bytes that came
 * (recording_read.h has the budget), what is damaged is skipped up to the next chunk that is whole.
 *
 * Threads: one. Reads no file itself.
 */
#ifndef RTOP_TUI_RECORDING_STREAM_H
#define RTOP_TUI_RECORDING_STREAM_H

#include "recording_read.h"

struct rtop_recording_stream;

/* `owner`: whose words it are. NULL: no memory. */
struct rtop_recording_stream *rtop_recording_stream_open(uid_t owner);
void rtop_recording_stream_close(struct rtop_recording_stream **stream);

/* What was read of it: names, and the rows of the chunk taken last (rtop_recording_next). Its index is empty. */
struct rtop_recording *rtop_recording_stream_content(struct rtop_recording_stream *stream);

/* Where the next bytes go: at least 1 byte. NULL: no memory. Then how many were put there. */
unsigned char *rtop_recording_stream_room(struct rtop_recording_stream *stream, size_t *bytes);
void rtop_recording_stream_take(struct rtop_recording_stream *stream, size_t bytes);

enum rtop_recording_step {
  RTOP_RECORDING_MORE,    /* there is no whole chunk: more bytes are needed */
  RTOP_RECORDING_CHUNK,   /* its names are in the profile, its rows can be walked over */
  RTOP_RECORDING_ENDED,   /* the recording is complete */
  RTOP_RECORDING_REFUSED, /* it is none, of another version, or asks for too much: error->text */
};
/* Without a profile only the sources of the next chunk become known, and it is still to be taken. */
enum rtop_recording_step rtop_recording_stream_next(struct rtop_recording_stream *stream, struct rtop_profile *profile,
                                                    struct rtop_error *error);
uint64_t rtop_recording_stream_bytes(const struct rtop_recording_stream *stream); /* that came */
/* Places where something was not what it should be, and was skipped. */
uint64_t rtop_recording_stream_damages(const struct rtop_recording_stream *stream);

#endif
