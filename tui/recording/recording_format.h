/* SPDX-License-Identifier: MIT */
/* A recording (.rpt), byte by byte. rperf-top-recording(5) tells it in prose.
 *
 *   head     skippable frame: version, when it was made
 *   chunk    skippable frame, then up to two LZ4 frames: new names, then windows; about a second each
 *   index    skippable frame: where the chunks before it stand, and a summary of each of their windows
 *   end      skippable frame: where the indexes stand; missing when the recorder was killed
 *
 * A stream (--stream) is a recording that a pipe carries while it is made: its chunks come twice a second, at
 * least one a second, if only with PULSE.
 *
 * All of it is a sequence of frames of the LZ4 frame format, so that `lz4 -d` unpacks it: to a stream of
 * records. LZ4 frames have independent blocks, checksums of blocks and content, and the size of the
 * content. A chunk needs nothing that comes later, and of what came before only names.
 *
 * Numbers are little-endian; "varint" is LEB128, differences are zigzag (shm/base/varint.h). Times are
 * CLOCK_MONOTONIC nanoseconds of the recorded process. A CRC-32C covers its whole skippable frame with
 * the field itself 0.
 *
 * A record is kind (varint), bytes (varint), then that many bytes:
 *   SOURCE   number, pid, window_ns, then zigzag: clock offset, start (real); texts: command, ruby, and
 *            the folder where it worked, which may be missing; in streams then the host (text) and the pid of the
 *            process above it, 0: none
 *   FRAMES   rows to the end: zigzag id difference, kind, line, three texts: label, path, namespace
 *   NODES    rows: zigzag id difference, id - parent, zigzag frame difference, line
 *   RELABEL  rows: frame id, two texts: label, namespace. What the frame is called in the whole recording
 *   THREADS  rows: source, serial, native id, flags (1: main), text: name
 *   MARKS    rows: source, zigzag time, text: instants that the program named
 *   STATE    rows: source, 1 ended by itself or 2 gone without a word
 *   PULSE    rows: source, 0 lives, 1 stalls, 2 ended or 3 gone, windows of it that were left out, count of losses,
 *            losses (enum rtop_loss), two texts: how it ended. In a file only when it did
 *   WINDOW   source, zigzag start, length, then a window's payload as in shm/window/window.h. Slots are 0,
 *            nodes are ids of this recording, marks are not in it
 *   GAP      source, zigzag start, length: nothing is known about that stretch
 * A text is its length (varint) and that many bytes. Unknown kinds are skipped. Differences are to the row
 * before in the same record. Ids of nodes: parent < id, 0 is the root and never written.
 *
 * Version rule: a reader takes any minor of its own major. A minor may add kinds of records, parts of a
 * window's payload, and tags of skippable frames; anything else is a new major. The first 32 bytes never
 * change.
 */
#ifndef RTOP_TUI_RECORDING_FORMAT_H
#define RTOP_TUI_RECORDING_FORMAT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define RECORDING_MAGIC "RPERFREC" /* 8 bytes, no NUL */
#define RECORDING_SKIPPABLE 0x184D2A52u
#define RECORDING_BYTE_ORDER 0x01020304u
#define RECORDING_VERSION_MAJOR 1u
#define RECORDING_VERSION_MINOR 2u /* 1: windows of version 1.2 of the channel; 2: streams */

/* Bounds that a reader enforces whatever a file claims. */
#define RECORDING_RAW_BYTES_MAX (UINT32_C(1) << 26) /* of a frame's content */
#define RECORDING_FRAMES_MAX (UINT32_C(1) << 20)
#define RECORDING_NODES_MAX (UINT32_C(1) << 22)
#define RECORDING_SOURCES_MAX 128u
#define RECORDING_TEXT_BYTES_MAX 4096u

struct recording_frame { /* the beginning of every skippable frame */
  uint32_t magic;
  uint32_t bytes; /* that follow these 8 */
  uint8_t tag[4];
  uint32_t crc32c;
};
static_assert(sizeof(struct recording_frame) == 16, "frame");

#define RECORDING_TAG_HEAD "RPTH"
#define RECORDING_TAG_CHUNK "RPTC"
#define RECORDING_TAG_INDEX "RPTI"
#define RECORDING_TAG_END "RPTE"

struct recording_head {
  struct recording_frame frame;
  uint8_t magic[8];
  uint32_t byte_order;
  uint16_t version_major;
  uint16_t version_minor;
  int64_t created_real_ns;
  char tool_version[24];
};
static_assert(offsetof(struct recording_head, byte_order) == 24, "head");
static_assert(sizeof(struct recording_head) == 64, "head");

struct recording_chunk_head {
  struct recording_frame frame;
  uint32_t number; /* 1, 2, … */
  uint32_t window_count;
  uint32_t names_bytes, names_raw_bytes;     /* of the first LZ4 frame and of its content; 0: none */
  uint32_t windows_bytes, windows_raw_bytes; /* of the second one */
  int64_t start_ns, end_ns;                  /* of its windows and gaps; equal: none */
  int64_t late_ns;                           /* the earliest start of a late record; INT64_MAX: none */
};
static_assert(sizeof(struct recording_chunk_head) == 64, "chunk");

/* Behind it: stored_bytes, an LZ4 block of raw_bytes (RAW when they are equal), padding never. In it
 * varints, per chunk: distance from the chunk's first byte to that of this frame; number; window_count;
 * the four sizes as above; zigzag start; length; late: 0 none, else 1 + zigzag(late - start); then per
 * window: source * 2 + 1 for a gap; zigzag (start - that of the chunk); length; and unless it is a gap the
 * wall time of the five states, threads alive, count of counters, then per counter id and value. */
struct recording_index_head {
  struct recording_frame frame;
  uint32_t chunk_count;
  uint32_t stored_bytes;
  uint32_t raw_bytes;
  uint32_t reserved;
};
static_assert(sizeof(struct recording_index_head) == 32, "index");

/* Behind it: a position in the file per index; then the frame's whole length again and the tag. */
struct recording_end_head {
  struct recording_frame frame;
  uint32_t index_count;
  uint32_t reserved;
};
struct recording_end_foot {
  uint32_t bytes; /* from the first byte of the frame to the last one of this */
  uint8_t tag[4];
};
static_assert(sizeof(struct recording_end_head) == 24 && sizeof(struct recording_end_foot) == 8, "end");

enum recording_record {
  RECORDING_SOURCE = 1,
  RECORDING_FRAMES = 2,
  RECORDING_NODES = 3,
  RECORDING_RELABEL = 4,
  RECORDING_THREADS = 5,
  RECORDING_MARKS = 6,
  RECORDING_STATE = 7,
  RECORDING_PULSE = 8,
  RECORDING_WINDOW = 16,
  RECORDING_GAP = 17,
};

#endif
