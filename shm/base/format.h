/* SPDX-License-Identifier: MIT */
/* The segment, byte by byte. This header is the binary format; rperf-top-segment(5) describes it in prose.
 *
 *   page 0   geometry   immutable: written before the file has a name
 *   page 1   counters   intent line, head line, statistics
 *   then     sections   as listed in the geometry; each begins on a page
 *
 * All numbers are little-endian, of fixed width, and naturally aligned. Times are in nanoseconds; *_mono_ns is
 * CLOCK_MONOTONIC of the machine's boot in which the writer ran. Positions in the ring are 64-bit byte counts that only
 * grow; an offset is a position modulo the ring's capacity.
 *
 * Version rule: a reader accepts any minor version of its own major version. A minor version may add sections, counters
 * and optional payload parts; any other change needs a new major version. The first 16 bytes never change.
 */
#ifndef RTOP_SHM_FORMAT_H
#define RTOP_SHM_FORMAT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define RTOP_MAGIC "RPERFTOP" /* 8 bytes, no NUL */
#define RTOP_BYTE_ORDER 0x01020304u
#define RTOP_VERSION_MAJOR 1u
#define RTOP_VERSION_MINOR                                                                                             \
  11u /* 1: tiers; 2: ages of stacks, late records move time; 3: labels that begin; 4: fibers; 5: traces; 6: slow calls, all
        calls; 7: exceptions by class and place, allocation sites, locks; 8: arguments of slow calls;
        9: how the process ends; 10: slow blocks with labels; 11: who waits behind whom */

enum {
  RTOP_PAGE_BYTES = 4096,
  RTOP_COUNTERS_OFFSET = RTOP_PAGE_BYTES,
  RTOP_SECTIONS_OFFSET = 2 * RTOP_PAGE_BYTES,
  RTOP_SECTION_MAX = 16,
  RTOP_RECORD_ALIGN = 64, /* window payloads start on a cache line */
};

/* Limits that a reader enforces regardless of the content of a segment. */
#define RTOP_SEGMENT_BYTES_MAX (UINT64_C(256) << 20)
#define RTOP_WINDOW_RAW_BYTES_MAX (UINT32_C(1) << 20) /* limit after decompression */
#define RTOP_STRING_BYTES_MAX 4096u
#define RTOP_STACK_DEPTH_MAX 65535u

enum rtop_section_kind {
  RTOP_SECTION_STRINGS = 1, /* append-only text: see struct rtop_string_head */
  RTOP_SECTION_FRAMES = 2,  /* append-only array of struct rtop_frame_entry */
  /* append-only array of struct rtop_node_entry; the parent of each node has a smaller id */
  RTOP_SECTION_NODES = 3,
  RTOP_SECTION_THREADS = 4,   /* array of struct rtop_thread_entry; slots are reused */
  RTOP_SECTION_DIRECTORY = 5, /* array of struct rtop_slot; their number is a power of two */
  RTOP_SECTION_RING = 6,      /* payloads of windows; the size in bytes is a power of two */
  /* The sections of the merged tiers: all five are present, or none (version 1.1). */
  RTOP_SECTION_TIERS = 7,        /* a struct rtop_counters for each merged tier */
  RTOP_SECTION_DIRECTORY_1S = 8, /* like DIRECTORY and RING, as are the next three */
  RTOP_SECTION_RING_1S = 9,
  RTOP_SECTION_DIRECTORY_10S = 10,
  RTOP_SECTION_RING_10S = 11,
};

/* The tiers of the history, from fine to coarse. A merged window is the sum of consecutive windows of the next finer
 * tier, from the start of the first to the end of the last, which is near a multiple of its nominal length; it never
 * spans a hole in time. A merged tier uses only the intent line, head_sequence and windows_folded of its counters. */
enum rtop_tier {
  RTOP_TIER_FINE = 0, /* windows as they were cut */
  RTOP_TIER_1S = 1,
  RTOP_TIER_10S = 2,
  RTOP_TIERS = 3,
  RTOP_MERGED_TIERS = 2, /* number of merged tiers, which are in this order in the section TIERS */
};

struct rtop_section {
  uint32_t kind;          /* unknown kinds are skipped */
  uint32_t element_bytes; /* 1 for strings and ring */
  uint64_t offset;        /* offset from the start of the file; a multiple of the page size */
  uint64_t bytes;
  uint64_t reserved;
};
static_assert(sizeof(struct rtop_section) == 32, "section");

struct rtop_geometry {
  uint8_t magic[8];
  uint32_t byte_order;
  uint16_t version_major;
  uint16_t version_minor;
  uint32_t geometry_bytes; /* sizeof(struct rtop_geometry) of the writer */
  uint32_t crc32c;         /* CRC of the first geometry_bytes bytes, with this field 0 */
  uint64_t segment_bytes;  /* exact length of the file */
  uint8_t instance_id[16]; /* random; distinguishes segments of processes that had the same pid */
  uint32_t pid;            /* pid in the writer's own pid namespace; not reliable */
  uint32_t uid;
  uint64_t pid_namespace; /* inode of /proc/self/ns/pid */
  uint64_t start_ticks;   /* field 22 of /proc/self/stat */
  uint8_t boot_id[16];
  int64_t created_mono_ns;
  int64_t created_real_ns; /* CLOCK_REALTIME at created_mono_ns */
  uint32_t window_ns;      /* nominal length of a window */
  uint32_t section_count;
  char ruby_version[64]; /* NUL-padded; may be hostile text, like every name */
  char tool_version[32];
  char command[256];
  struct rtop_section sections[RTOP_SECTION_MAX];
};
static_assert(offsetof(struct rtop_geometry, segment_bytes) == 24, "geometry");
static_assert(offsetof(struct rtop_geometry, sections) == 464, "geometry");
static_assert(sizeof(struct rtop_geometry) == 976, "geometry");

enum rtop_writer_state {
  RTOP_WRITER_LIVE = 1,
  RTOP_WRITER_ENDED = 2, /* the process ended the channel itself */
};

/* How a process ends, for the counter `ending`: one of these flags plus a number below 256, stored before `state`. 0:
 * ended by RperfTop.stop, or unknown. */
enum {
  RTOP_ENDS_WITH_STATUS = 1 << 8, /* the process exits with a status */
  RTOP_ENDS_BY_SIGNAL = 2 << 8,   /* a signal kills the process; the exit handlers ran before */
};

/* Page 1. Only the publisher writes these words. */
struct rtop_counters {
  /* intent line: what is being overwritten now */
  uint64_t intent_position; /* end of the payload being written */
  uint64_t intent_sequence; /* sequence of this payload */
  uint64_t intent_reserved[6];
  /* head line: head_sequence is stored last (release), when everything it covers is complete */
  uint64_t head_sequence; /* sequence of the newest complete window; 0: none yet */
  uint64_t string_bytes;
  uint64_t frame_count;
  uint64_t node_count;
  uint64_t thread_serial; /* number of threads ever seen */
  uint64_t state;         /* enum rtop_writer_state */
  uint64_t frame_labels;  /* number of times that labels of published frames were completed */
  uint64_t ending;        /* how the process ends, see above (version 1.9) */
  /* statistics: counts that never decrease and stop at their maximum */
  uint64_t windows_folded;   /* number of windows that were too large, so that their smallest cells were folded */
  uint64_t nodes_overflowed; /* number of stacks charged to an ancestor because the node table was full */
  uint64_t frames_overflowed;
  uint64_t strings_overflowed;
  uint64_t threads_overflowed;
  uint64_t samples_dropped;
  uint64_t marks_overflowed;  /* number of marks that came too fast, or whose names found no room */
  uint64_t labels_overflowed; /* number of label sets without room; their time belongs to the enclosing set */
  uint64_t segments_lost;     /* number of earlier segments of this process that were removed or truncated */
  uint64_t stats_reserved[7];
};
static_assert(offsetof(struct rtop_counters, intent_sequence) == 8, "counters");
static_assert(offsetof(struct rtop_counters, head_sequence) == 64, "counters");
static_assert(offsetof(struct rtop_counters, windows_folded) == 128, "counters");
static_assert(sizeof(struct rtop_counters) == 256, "counters");

/* One slot of the directory: window `sequence` uses slot sequence % slots. */
struct rtop_slot {
  uint64_t sequence;
  uint64_t position; /* position of the payload, a multiple of RTOP_RECORD_ALIGN */
  int64_t start_mono_ns;
  int64_t end_mono_ns;
  uint32_t stored_bytes; /* size in the ring; a payload never wraps around the ring's end */
  uint32_t raw_bytes;    /* size after decompression; equal to stored_bytes when codec is RAW */
  uint32_t codec;        /* enum rtop_codec */
  uint32_t crc32c;       /* CRC over instance_id, this slot with crc32c = 0, and the stored payload */
  uint64_t node_count;   /* numbers of entries in the tables when the window was cut */
  uint64_t frame_count;
};
static_assert(sizeof(struct rtop_slot) == 64, "slot");

enum rtop_codec {
  RTOP_CODEC_RAW = 0,
  RTOP_CODEC_LZ4 = 1, /* one LZ4 block */
};

/* Head of a string, at a multiple of 8 in the strings section; the bytes follow. A string reference is the offset of
 * this head; reference 0 is the empty string. Strings are not NUL-terminated and may contain any bytes. */
struct rtop_string_head {
  uint32_t bytes; /* at most RTOP_STRING_BYTES_MAX */
  uint32_t flags; /* bit 0: the string was cut */
};
static_assert(sizeof(struct rtop_string_head) == 8, "string head");

enum rtop_frame_kind {
  RTOP_FRAME_RUBY = 0,
  RTOP_FRAME_C = 1,       /* a method written in C, without path and line */
  RTOP_FRAME_SPECIAL = 2, /* a frame made by the profiler, with a name in parentheses */
};

/* A frame. label and path form one 64-bit word, namespace_label and line another, since a label may be completed later:
 * "sleep", sampled where no Ruby object could be made, becomes "Kernel#sleep". The counter frame_labels then grows. */
struct rtop_frame_entry {
  uint32_t label;           /* string: "Object#fib", "block in Price#total" */
  uint32_t path;            /* string: absolute path when Ruby knows it */
  uint32_t namespace_label; /* string: "Price", "" at top level */
  uint32_t line;            /* first line of the method */
  uint32_t kind;            /* enum rtop_frame_kind */
  uint32_t reserved[3];
};
static_assert(sizeof(struct rtop_frame_entry) == 32, "frame");

struct rtop_node_entry {
  uint32_t parent; /* id of the parent, less than the own id; node 0 is its own parent */
  uint32_t frame;
  uint32_t line;  /* line being executed in the frame; 0: unknown */
  uint32_t depth; /* number of ancestors; the root has 0 */
};
static_assert(sizeof(struct rtop_node_entry) == 16, "node");

/* Reserved nodes and frames, which every segment has. */
enum {
  RTOP_NODE_ROOT = 0,      /* "(root)" */
  RTOP_NODE_FOLDED = 1,    /* "(folded)": cells that did not fit into a window */
  RTOP_NODE_UNSAMPLED = 2, /* "(not sampled)": time whose stack is unknown, or not known yet */
  RTOP_NODE_NO_FRAMES = 3, /* "(no Ruby frames)": thread start and end, native code */
  RTOP_NODE_FIRST_FREE = 4,
};

/* Namespace of a SPECIAL frame below the root that stands for a name of fibers. */
#define RTOP_FIBERS_NAMESPACE "(fibers)"
/* Namespace of a SPECIAL frame that stands for a class of exceptions. */
#define RTOP_RAISED_NAMESPACE "(exceptions)"

/* Namespace of a SPECIAL frame that stands for a class of objects (enum rtop_sites_what); "(internal)" is the VM's
 * own class. */
#define RTOP_OBJECTS_NAMESPACE "(objects)"

#define RTOP_LABEL_UNSAMPLED "(not sampled)"

enum rtop_thread_flag {
  RTOP_THREAD_ENDED = 1u << 0,
  RTOP_THREAD_MAIN = 1u << 1,
  RTOP_THREAD_OTHERS = 1u << 2, /* the entry stands for all threads that found no slot */
};

/* A slot of the threads section, written by the publisher; `version` is odd while it is being written. A slot is reused
 * after its thread has ended, the slot with the earliest end first; `serial` identifies the thread. */
struct rtop_thread_entry {
  uint64_t version;
  uint64_t serial; /* 1, 2, …, never reused; 0: the slot was never used */
  int64_t start_mono_ns;
  int64_t end_mono_ns; /* 0 while the thread lives */
  uint32_t native_id;  /* id of the native thread in the writer's pid namespace */
  uint32_t flags;
  uint32_t name_bytes;
  uint32_t reserved;
  char name[80]; /* hostile text */
};
static_assert(sizeof(struct rtop_thread_entry) == 128, "thread");

/* State of a thread. A thread is in exactly one state at any time. */
enum rtop_thread_state {
  RTOP_RUNNING = 0, /* the thread has the GVL */
  RTOP_WAITING = 1, /* the thread waits for the GVL */
  RTOP_BLOCKED = 2, /* the thread is off the GVL: I/O, sleep, lock, C code without the GVL */
  RTOP_MARKING = 3, /* the thread runs the GC */
  RTOP_SWEEPING = 4,
  RTOP_STATE_COUNT = 5,
};

/* Parts of a window's payload (parts.def, window.h); readers skip unknown kinds. */
enum rtop_window_part {
  RTOP_PART_COUNTERS = 1,
#define LIST(kind, number, ...) RTOP_PART_##kind = (number),
#define MORE LIST
#include "shm/base/parts.def"
  RTOP_PART_KIND_END,
};

/* The object that a thread off the GVL waits for. Unknown values are other kinds of locks. */
enum rtop_lock_kind {
  RTOP_LOCK_NONE = 0,
  RTOP_LOCK_MUTEX = 1,
  RTOP_LOCK_MONITOR = 2,
  RTOP_LOCK_QUEUE = 3,       /* an element in a Queue or SizedQueue */
  RTOP_LOCK_SIZED_QUEUE = 4, /* room in a SizedQueue */
  /* ConditionVariable#wait or the end of Mutex#sleep; the lock is the Mutex that the thread released for it */
  RTOP_LOCK_CONDITION = 5,
  RTOP_LOCK_LOAD = 6, /* a Mutex of the VM for a file that another thread is loading (require, autoload) */
  /* the end of another thread, without a time limit: Thread#join, Thread#value. Has no lock and no number */
  RTOP_LOCK_THREAD = 7,
  RTOP_LOCK_KIND_END = 8,
};

/* Cause of a wait for another party (struct rtop_behind). Readers do not show unknown values. */
enum rtop_pair_cause {
  RTOP_PAIR_GVL = 0,      /* the holder had the GVL and did not collect garbage */
  RTOP_PAIR_GC = 1,       /* the holder had the GVL and collected garbage */
  RTOP_PAIR_LOCK = 2,     /* the holder had the Mutex or Monitor, or was loading the file */
  RTOP_PAIR_HANDOVER = 3, /* no thread had the GVL, which was on its way from one thread to the next */
  RTOP_PAIR_CAUSES = 4,
};

/* Exact figures of traced methods, each at the node of the method, a child of the root. Unless noted otherwise a value
 * is the change over the window, and its key is 0. Readers add up unknown figures and do not show them. */
enum rtop_exact_what {
  /* enum rtop_trace_state at the window's end; key: the request (rtop_trace_key()). Node 0: method not found */
  RTOP_EXACT_STATE = 1,
  RTOP_EXACT_TRACED_NS = 2,  /* time for which the method was traced */
  RTOP_EXACT_CALLS = 3,      /* number of calls that began */
  RTOP_EXACT_RETURNED = 4,   /* number of calls that ended and whose length is known */
  RTOP_EXACT_RAISED = 5,     /* number of these calls that were left by an exception */
  RTOP_EXACT_UNTIMED = 6,    /* number of calls whose end was not seen, or that found no room */
  RTOP_EXACT_TOTAL_NS = 7,   /* total time of the calls that ended */
  RTOP_EXACT_SELF_NS = 8,    /* the same time without calls of traced methods inside */
  RTOP_EXACT_WAIT_NS = 9,    /* part of the total time: waiting for the GVL */
  RTOP_EXACT_OFF_NS = 10,    /* part of the total time: off the GVL */
  RTOP_EXACT_TOTAL_MAX = 11, /* length of the longest call in ns; windows are merged by the maximum */
  RTOP_EXACT_SELF_MAX = 12,
  RTOP_EXACT_TOTAL_TIMES = 13, /* number of calls by length; key: the bucket (latency.h) */
  RTOP_EXACT_SELF_TIMES = 14,
  /* number of calls by caller; node: the caller, a child of the method's node; the method's node itself for all other
   * callers */
  RTOP_EXACT_CALLER = 15,
  /* number of calls longer than the requested threshold: calls in part SLOW, and calls that found no room */
  RTOP_EXACT_SLOW = 16,
  RTOP_EXACT_TOO_MANY = 17, /* number of calls per second because of which tracing ended; value at the window's end */
  RTOP_EXACT_WHAT_END = 18,
};

enum rtop_slow_flag {
  RTOP_SLOW_RAISED = 1u << 0, /* the call was left by an exception */
  RTOP_SLOW_BLOCK = 1u << 1,  /* not a call, but a block with labels (version 1.10) */
};

/* Position of the label bits in the flags of a block: bit RTOP_SLOW_LABELS_SHIFT + i is set if label i of its set is
 * one of the block's own. */
enum { RTOP_SLOW_LABELS_SHIFT = 16 };

/* Limits for the text of a call's arguments, and for all such texts of a window. */
enum { RTOP_ARGS_BYTES = 160, RTOP_ARGS_WINDOW_BYTES = 4096 };

/* Figures in the same part of a window while all calls of the program are counted (version 1.6): changes over the
 * window, except for the state. Figures of calls are at the call tree node of the method, whose ancestors are its
 * callers, without lines. */
enum rtop_whole_what {
  /* enum rtop_whole_state at the window's end; key: number of starts and refusals so far. Node 0 */
  RTOP_WHOLE_STATE = 32,
  RTOP_WHOLE_TRACED_NS = 33, /* time for which calls were counted. Node 0 */
  RTOP_WHOLE_OWN_NS = 34,    /* overhead of counting, which was subtracted from the times of calls. Node 0 */
  RTOP_WHOLE_UNTIMED = 35,   /* number of calls whose end was not seen. Node 0 */
  RTOP_WHOLE_UNNAMED = 36,   /* number of calls whose node found no room in the tables. Node 0 */
  RTOP_WHOLE_CALLS = 40,     /* number of calls that began */
  RTOP_WHOLE_TOTAL_NS = 41,  /* time of calls that ended, or that were open when counting ended */
  RTOP_WHOLE_SELF_NS = 42,   /* the same time without the calls inside */
};

enum rtop_whole_state {
  RTOP_WHOLE_ON = 1,
  RTOP_WHOLE_TELLING = 2, /* counting has ended, and not all figures are published yet */
  RTOP_WHOLE_DONE = 3,    /* the time was up, and all figures are published */
  RTOP_WHOLE_FULL = 4,    /* like DONE, but counting ended because there was no room for nodes, methods or open calls */
  RTOP_WHOLE_YJIT = 5,    /* refused: compiled code would stay slower for good */
  RTOP_WHOLE_REFUSED = 6, /* refused: the checks of this VM failed */
  RTOP_WHOLE_STATE_END = 7,
};

/* Figures in the same part of a window while allocation sites are sampled (version 1.7): changes over the window,
 * except for the state. A site is the node of a class (RTOP_OBJECTS_NAMESPACE) below the node of the method and line,
 * which is a child of the root; RTOP_NODE_FOLDED: sites that found no room.
 *
 * Time is divided into intervals. Each interval is sampled with a probability of 1/P, which is chosen before it begins;
 * in a sampled interval each object is a sample with a probability of 1/D and stands for P * D objects. Squares are in
 * objects * objects; an excess over RTOP_SITES_SQUARE_MAX is published with later windows. */
enum rtop_sites_what {
  RTOP_SITES_STATE = 48, /* enum rtop_sites_state at the window's end; key: number of starts so far. Node 0 */
  RTOP_SITES_SUM = 49,   /* sums of the process; key: enum rtop_sites_sum. Node 0 */
  /* number of objects that the site's samples stand for: the sum of P * D; key 1: the sum of D */
  RTOP_SITES_OBJECTS = 50,
  RTOP_SITES_BYTES = 51, /* number of bytes of these objects */
  RTOP_SITES_SAMPLES = 52,
  /* sum over intervals of P * (P - 1) * c * c + P * D * (D - 1) * samples, where c is the sum of D over the
   * interval's samples */
  RTOP_SITES_SQUARE = 53,
  /* sum over intervals of P * (P - 1) * c * n, where n is the number of all objects made in the interval */
  RTOP_SITES_CROSS = 54,
  RTOP_SITES_ALIVE = 55, /* key: enum rtop_sites_alive */
};

enum rtop_sites_sum {
  RTOP_SITES_SUM_TIME_NS = 0, /* time for which objects were sampled */
  RTOP_SITES_SUM_OWN_NS = 1,  /* overhead: measured, except for the cost per object, which was measured before */
  RTOP_SITES_SUM_OBJECTS = 2, /* number of all objects made in this time, as the VM counts them */
  RTOP_SITES_SUM_SEEN = 3,    /* sum over sampled intervals of P * n */
  RTOP_SITES_SUM_SQUARE = 4,  /* sum over sampled intervals of P * (P - 1) * n * n */
  RTOP_SITES_SUM_LOOKED = 5,  /* sum over sampled intervals of n */
  RTOP_SITES_SUM_FULL = 6,    /* number of samples whose site found no room */
  RTOP_SITES_SUM_END = 7,
};

/* Figures of the samples that were followed until the end of the first major GC after the time was up. */
enum rtop_sites_alive {
  RTOP_SITES_JUDGED = 0, /* number of objects that the samples stand for */
  RTOP_SITES_LIVE = 1,   /* number of these objects that are alive */
  RTOP_SITES_LIVE_BYTES = 2,
};
#define RTOP_SITES_SQUARE_MAX (UINT64_C(1) << 48)

enum rtop_sites_state {
  RTOP_SITES_ON = 1,
  RTOP_SITES_WAITS = 2,   /* the time is up; the next major GC has not ended yet */
  RTOP_SITES_TELLING = 3, /* some figures are not published yet */
  RTOP_SITES_DONE = 4,    /* all figures are published */
  RTOP_SITES_NO_GC = 5,   /* like DONE, but no major GC came, so survival is unknown */
  RTOP_SITES_REFUSED = 6, /* refused: memory ran out, or the VM raised */
  RTOP_SITES_STATE_END = 7,
};

/* Exact figures of work with labels. A piece of work begins and ends with a block of RperfTop.label. The figures are in
 * part EXACT, at the node of the label set; key: rtop_work_key(). A piece counts in the window in which it ends.
 * RTOP_NODE_FOLDED: labels that found no room. */
enum rtop_work_what {
  RTOP_WORK_ENDED = 64, /* number of pieces that ended; by cause: number of pieces with any time of this cause */
  /* total time of these pieces, by cause; the other causes add up to RTOP_WORK_WHOLE, to the nanosecond */
  RTOP_WORK_TIME_NS = 65,
  RTOP_WORK_LONGEST_NS = 66, /* length of the longest piece, by cause; windows are merged by the maximum */
  RTOP_WORK_TIMES = 67,      /* number of pieces by length, for each cause and bucket */
  RTOP_WORK_OPEN = 68,       /* 1 + number of open pieces; value at the window's end */
  RTOP_WORK_OLDEST_NS = 69,  /* age of the oldest open piece; value at the window's end */
  /* number of pieces that were not timed because too many were open. Node: RTOP_NODE_FOLDED */
  RTOP_WORK_UNTIMED = 70,
  RTOP_WORK_WHAT_END = 71,
};

/* What a thread did or waited for during a piece of work. */
enum rtop_work_cause {
  RTOP_WORK_WHOLE = 0,
  RTOP_WORK_RUNNING = 1,   /* the thread had the GVL */
  RTOP_WORK_GVL = 2,       /* waiting for the GVL while no thread collected garbage */
  RTOP_WORK_GC = 3,        /* the thread collected garbage */
  RTOP_WORK_GC_OTHERS = 4, /* waiting for the GVL while another thread collected garbage */
  RTOP_WORK_LOCK = 5,      /* waiting for a Mutex, a Monitor, or a file that another thread loads */
  RTOP_WORK_IO = 6,
  RTOP_WORK_SLEEP = 7,
  RTOP_WORK_QUEUE = 8,  /* waiting for a Queue, a SizedQueue or a ConditionVariable */
  RTOP_WORK_FIBER = 9,  /* under a fiber scheduler: another fiber had the thread, or all fibers waited */
  RTOP_WORK_OTHER = 10, /* off the GVL for other reasons: other threads, processes, C code that releases the GVL */
  RTOP_WORK_CAUSES = 11,
};

/* Returns the key of a figure. `label`: index in the label set. `bucket`: see latency.h; a coarse bucket
 * (rtop_latency_coarse()) for all causes except RTOP_WORK_WHOLE. */
static inline uint32_t rtop_work_key(uint32_t label, uint32_t cause, uint32_t bucket)
{
  return label << 16 | cause << 12 | bucket;
}

static inline uint32_t rtop_work_key_label(uint32_t key)
{
  return key >> 16;
}

static inline uint32_t rtop_work_key_cause(uint32_t key)
{
  return key >> 12 & 15;
}

static inline uint32_t rtop_work_key_bucket(uint32_t key)
{
  return key & 4095;
}

enum rtop_trace_state {
  RTOP_TRACE_WAITS = 1, /* no such method exists yet */
  RTOP_TRACE_ON = 2,    /* calls are being counted */
  RTOP_TRACE_GONE = 3,  /* the method was redefined or removed while traced; later calls are not counted */
  /* the VM sends no events for calls of the method (before version 1.7: the method is not written in Ruby) */
  RTOP_TRACE_NOT_RUBY = 4,
  RTOP_TRACE_REFUSED = 5,  /* refused: the checks of this VM failed, or the VM raised */
  RTOP_TRACE_EXPIRED = 6,  /* the requested time has passed */
  RTOP_TRACE_TOO_MANY = 7, /* ended, since the many calls of the method made tracing too expensive (version 1.6) */
  RTOP_TRACE_SLOWER = 8,   /* refused: the method is not written in Ruby, and the program would stay slower */
  RTOP_TRACE_STATE_END = 9,
};

/* Counters of a window: RTOP_COUNTER_SAMPLES and so on (see counters.def). Readers skip unknown ids. */
enum rtop_counter_id {
#define COUNTER(id, number, ...) RTOP_COUNTER_##id = number,
#define CHANNEL_COUNTER(id, number, ...) RTOP_COUNTER_##id = number,
#include "counters.def"
  RTOP_COUNTER_ID_MAX = 64,
};

/* The control file, <segment>.ctl, one page (see control.h). */
#define RTOP_CONTROL_MAGIC "RPERFCTL"

struct rtop_control_page {
  uint8_t magic[8];
  uint32_t futex; /* changes with every request and every wake-up */
  uint32_t reserved;
  uint32_t rate_hz; /* requested sampling rate; 0: none */
  uint32_t crc32c;  /* CRC of magic and rate_hz */
};
static_assert(offsetof(struct rtop_control_page, rate_hz) == 16, "control");
static_assert(sizeof(struct rtop_control_page) == 24, "control");

/* Requests of viewers to trace methods, further back in the control page. A slot belongs to a viewer while this viewer
 * holds a lock on the slot's byte (liveness.h), and is free otherwise. */
enum {
  RTOP_TRACE_OFFSET = 1024,
  RTOP_TRACE_SLOTS = 16,
  RTOP_TRACE_NAME_BYTES = 160,
  RTOP_TRACE_SECONDS_MAX = 3600, /* limit, also used for a request of 0 seconds */
};

struct rtop_trace_slot {
  uint32_t crc32c;    /* CRC of all following fields */
  uint32_t seconds;   /* time in seconds after which tracing ends */
  uint32_t bytes;     /* bytes of the name; 0: no request */
  uint32_t slower_us; /* calls longer than this are reported one by one; 0: none (always 0 before version 1.6) */
  /* "Class#method", "Class.method" or one of the special names below, padded with zeros */
  char name[RTOP_TRACE_NAME_BYTES];
};

/* Prefix for the name of a method not written in Ruby: trace the method although the program stays slower until its end
 * (version 1.7). */
#define RTOP_TRACE_FORCED '!'

/* Name that requests counting of all calls of the program; letters for options follow. */
#define RTOP_TRACE_WHOLE '*'
enum {
  RTOP_WHOLE_FORCED = '!', /* count even if YJIT compiles */
  /* count only methods written in Ruby, which costs less and does not leave the program slower */
  RTOP_WHOLE_RUBY = 'r',
};
enum { RTOP_WHOLE_SECONDS = 5, RTOP_WHOLE_SECONDS_MAX = 60 }; /* for a request of 0 seconds: RTOP_WHOLE_SECONDS */
/* Name that requests sampling of allocation sites. */
#define RTOP_TRACE_SITES '@'
/* RTOP_SITES_GC_SECONDS: limit for the wait for a major GC */
enum { RTOP_SITES_SECONDS = 5, RTOP_SITES_SECONDS_MAX = 60, RTOP_SITES_GC_SECONDS = 30 };
static_assert(sizeof(struct rtop_trace_slot) == 176, "trace");
static_assert(RTOP_TRACE_OFFSET + RTOP_TRACE_SLOTS * sizeof(struct rtop_trace_slot) <= RTOP_PAGE_BYTES, "trace");

#endif
