/* SPDX-License-Identifier: MIT */
/* Reads a recording as it arrives, byte by byte: a stream from another rperf-top (--stream), or a recording through a
 * pipe. It is trusted no more than a file: memory is in proportion to the bytes received (budget in recording_read.h),
 * and damaged parts are skipped up to the next intact chunk.
 *
 * Threads: one. Reads no file itself.
 */
#ifndef RTOP_TUI_RECORDING_STREAM_H
#define RTOP_TUI_RECORDING_STREAM_H

#include "recording_read.h"

struct rtop_recording_stream;

/* Opens a stream. `owner`: the user on whose behalf it is read. NULL: memory ran out. */
struct rtop_recording_stream *rtop_recording_stream_open(uid_t owner);
void rtop_recording_stream_close(struct rtop_recording_stream **stream);

/* How messages call it; "standard input" by default. The text must stay. */
void rtop_recording_stream_name(struct rtop_recording_stream *stream, const char *name);

/* Of several streams in one profile: place() returns the profile's source for a mark of a source of this stream
 * (UINT32_MAX: the mark is not wanted), and moves its time to the clock of the profile. The caller places and shifts
 * windows itself. */
struct rtop_recording_placing {
  void *context;
  uint32_t (*place)(void *context, uint32_t source, int64_t *time_ns);
};
void rtop_recording_stream_place(struct rtop_recording_stream *stream, const struct rtop_recording_placing *placing);
/* No more is read of the stream: frees what only reading needs. Sources are still known. */
void rtop_recording_stream_settle(struct rtop_recording_stream *stream);
/* Has its head been read? */
bool rtop_recording_stream_headed(const struct rtop_recording_stream *stream);

/* The content read so far: names, and rows of the last chunk (rtop_recording_next()). Its index is empty. */
struct rtop_recording *rtop_recording_stream_content(struct rtop_recording_stream *stream);

/* rtop_recording_stream_room(): returns the memory for the next bytes, at least 1; NULL: memory ran out.
 * rtop_recording_stream_take(): reports how many bytes the caller has put into it. */
unsigned char *rtop_recording_stream_room(struct rtop_recording_stream *stream, size_t *bytes);
void rtop_recording_stream_take(struct rtop_recording_stream *stream, size_t bytes);

enum rtop_recording_step {
  RTOP_RECORDING_MORE,    /* there is no complete chunk yet: more bytes are needed */
  RTOP_RECORDING_CHUNK,   /* the chunk's names are in the profile, and its rows can be walked over */
  RTOP_RECORDING_ENDED,   /* the recording is complete */
  RTOP_RECORDING_REFUSED, /* not a recording, of another version, or over the budget: see error->text */
};
/* Takes the next chunk. Without a profile only its sources become known, and the chunk must be taken again. */
enum rtop_recording_step rtop_recording_stream_next(struct rtop_recording_stream *stream, struct rtop_profile *profile,
                                                    struct rtop_error *error);
uint64_t rtop_recording_stream_bytes(const struct rtop_recording_stream *stream); /* that came */
/* Number of damaged places that were skipped. */
uint64_t rtop_recording_stream_damages(const struct rtop_recording_stream *stream);

#endif
