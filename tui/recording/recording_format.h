/* SPDX-License-Identifier: MIT */
/* A recording (.rpt), byte by byte; rperf-top-recording(5) describes it in prose.
 *
 *   head     skippable frame: version, creation time
 *   chunk    skippable frame, then up to two LZ4 frames: new names, windows; about a second each
 *   index    skippable frame: positions of the chunks before it, and a summary of each of their windows
 *   end      skippable frame: positions of the indexes; missing when the recorder was killed
 *
 * A stream (--stream) is a recording sent through a pipe while it is made: a chunk every half second, at least one per
 * second, if only with PULSE.
 *
 * Everything is a sequence of frames of the LZ4 frame format, so `lz4 -d` unpacks it to a stream of records. LZ4 frames
 * have independent blocks, checksums of blocks and content, and the content size. A chunk needs nothing after it, and
 * only names from before it.
 *
 * Numbers are little-endian; "varint" is LEB128, differences are zigzag (shm/base/varint.h). Times are CLOCK_MONOTONIC
 * nanoseconds of the recorded process. A CRC-32C covers its whole skippable frame with the CRC field 0.
 *
 * A record is kind (varint), length (varint), content. Rows fill their record:
 *   SOURCE   number, pid, window_ns, zigzag clock offset, zigzag start (real); texts: command, ruby, working directory
 *            (optional); in streams, and in files made of them, also host (text) and the parent's pid, 0: none
 *   FRAMES   rows: zigzag id difference, kind, line, three texts: label, path, namespace
 *   NODES    rows: zigzag id difference, id - parent, zigzag frame difference, line
 *   RELABEL  rows: frame id, two texts: label, namespace; valid for the whole recording
 *   THREADS  rows: source, serial, native id, flags (1: main), text: name
 *   MARKS    rows: source, zigzag time, text: instants that the program named
 *   STATE    rows: source, 1 ended by itself or 2 vanished
 *   PULSE    rows: source, state (0 lives, 1 stalls, 2 ended, 3 gone), dropped windows, count of losses, losses
 *            (enum rtop_loss), two texts: how it ended. In a file only for a process that ended
 *   WINDOW   source, zigzag start, length, then a payload as in shm/window/window.h, with slots 0, node ids of this
 *            recording, and without marks
 *   GAP      source, zigzag start, length of a stretch without data
 * A text is its length (varint) and its bytes. Unknown kinds are skipped. Differences are to the row before in the same
 * record. Node ids: parent < id; 0 is the root and never written.
 *
 * Version rule: a reader accepts any minor version of its own major version. A minor version may add kinds of records,
 * parts of a window's payload, and tags of skippable frames; other changes need a new major version. The first 32 bytes
 * never change.
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

/* Limits that a reader enforces whatever a file claims. */
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
  uint32_t names_bytes, names_raw_bytes;     /* sizes of the first LZ4 frame and its content; 0: absent */
  uint32_t windows_bytes, windows_raw_bytes; /* of the second one */
  int64_t start_ns, end_ns;                  /* of its windows and gaps; equal: none */
  int64_t late_ns;                           /* earliest start of a late record (ns); INT64_MAX: none */
};
static_assert(sizeof(struct recording_chunk_head) == 64, "chunk");

/* Followed by stored_bytes: an LZ4 block of raw_bytes (uncompressed if both are equal), without padding. Its content is
 * varints. Per chunk: distance from the chunk's first byte to that of this frame; number; window_count; the four sizes
 * of the chunk head; zigzag start; length; late: 0 none, else 1 + zigzag(late - start). Then per window: source * 2 + 1
 * for a gap; zigzag (start - the chunk's start); length; and unless it is a gap: wall time of the five states, living
 * threads, count of counters, then id and value of each. */
struct recording_index_head {
  struct recording_frame frame;
  uint32_t chunk_count;
  uint32_t stored_bytes;
  uint32_t raw_bytes;
  uint32_t reserved;
};
static_assert(sizeof(struct recording_index_head) == 32, "index");

/* Followed by the file position of each index, then the frame's total length again, and the tag. */
struct recording_end_head {
  struct recording_frame frame;
  uint32_t index_count;
  uint32_t reserved;
};
struct recording_end_foot {
  uint32_t bytes; /* length from the first byte of the frame to the last byte of this field */
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
