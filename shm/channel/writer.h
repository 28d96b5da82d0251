/* SPDX-License-Identifier: MIT */
/* The writing side of a channel: segment, control file, tables and ring.
 *
 * Threads: one thread, the publisher, except where noted. Never waits for a reader; allocates only in
 * rtop_writer_create(). Every store is a pwrite (outlet.h), so a truncated file causes no signal. Failures are counted
 * in the segment, never raised.
 */
#ifndef RTOP_SHM_WRITER_H
#define RTOP_SHM_WRITER_H

#include "control.h"
#include "shm/base/error.h"
#include "shm/segment/segment.h"
#include "shm/window/window.h"
#include <stdbool.h>
#include <stdint.h>

struct rtop_writer;

struct rtop_writer_options {
  /* size of the history, all tiers (rtop_segment_plan); halved until it fits, down to 1 MB */
  uint64_t ring_bytes;
  const char *directory; /* RPERF_TOP_DIR: the only directory to use; "": not set */
  /* base directory of the segment (XDG_RUNTIME_DIR), else /dev/shm (place.h). NULL for either path: read it from the
   * environment */
  const char *runtime_directory;
  void (*between)(void *context); /* function called between steps that may each take milliseconds; may be NULL */
  void *context;
  struct rtop_segment_identity identity;
};

/* Makes the channel with its reserved nodes and frames, and sweeps a limited number of this user's dead segments.
 * Returns NULL and sets *error on failure; the caller continues without a channel. */
struct rtop_writer *rtop_writer_create(const struct rtop_writer_options *options, struct rtop_error *error);

/* Sets how the process ends (RTOP_ENDS_… in format.h), to be published with the end of the channel. */
void rtop_writer_say_ending(struct rtop_writer *writer, uint64_t ending);

/* Ends the channel with state ENDED and removes its name unless keep_name. Accepts NULL; sets *writer to NULL. */
void rtop_writer_destroy(struct rtop_writer **writer, bool keep_name);

/* In a forked child: closes descriptors and frees memory, but changes no file. */
void rtop_writer_abandon(struct rtop_writer **writer);

/* Add entries to the tables. Ids are dense and must be added in order. Entries become visible with the next
 * rtop_writer_publish(), which fails if the segment was lost. When a table is full, the functions return false and the
 * id stays free: the caller charges an ancestor. Strings without room get reference 0 and are counted; strings that are
 * too long are cut at a UTF-8 boundary. Equal strings are not merged. */
uint32_t rtop_writer_add_string(struct rtop_writer *writer, const char *bytes, size_t count);
bool rtop_writer_add_frame(struct rtop_writer *writer, const struct rtop_frame_entry *frame, uint32_t *id);
bool rtop_writer_add_node(struct rtop_writer *writer, const struct rtop_node_entry *node, uint32_t *id);
/* Completes the labels of an existing frame, by new string references. */
void rtop_writer_relabel_frame(struct rtop_writer *writer, uint32_t id, uint32_t label, uint32_t namespace_label);
uint64_t rtop_writer_string_capacity(const struct rtop_writer *writer); /* in bytes */
uint64_t rtop_writer_frame_capacity(const struct rtop_writer *writer);
uint64_t rtop_writer_node_capacity(const struct rtop_writer *writer);

/* Take a slot for a new thread, and release it when the thread ends (the entry remains until the slot is reused). When
 * the table is full, the result is slot 0, shared by "(other threads)". Changes become visible with the next
 * rtop_writer_publish(). */
uint32_t rtop_writer_thread_start(struct rtop_writer *writer, uint64_t serial, uint32_t native_id,
                                  int64_t start_mono_ns, uint32_t flags, const char *name, size_t bytes);
void rtop_writer_thread_name(struct rtop_writer *writer, uint32_t slot, uint64_t serial, const char *name,
                             size_t bytes);
void rtop_writer_thread_native_id(struct rtop_writer *writer, uint32_t slot, uint64_t serial, uint32_t native_id);
void rtop_writer_thread_end(struct rtop_writer *writer, uint32_t slot, uint64_t serial, int64_t end_mono_ns);
/* Reads the entry of a thread. Returns false when the slot now belongs to another thread. */
bool rtop_writer_thread(const struct rtop_writer *writer, uint32_t slot, uint64_t serial,
                        struct rtop_thread_entry *thread);

/* Publishes tables and window, and takes the writer's lock again. Returns the sequence, or 0 when the file is missing
 * or damaged: the caller then destroys the writer and may make a new one. */
uint64_t rtop_writer_publish(struct rtop_writer *writer, struct rtop_window *window);

/* rtop_writer_watched() tells whether there is a viewer, with one fcntl. rtop_writer_request() reads the viewers'
 * request, with two preads. */
bool rtop_writer_watched(struct rtop_writer *writer);
void rtop_writer_request(struct rtop_writer *writer, struct rtop_request *request, uint32_t *futex_value);
/* Reads the requests of viewers to trace methods, like rtop_control_traces(). */
uint32_t rtop_writer_traces(struct rtop_writer *writer, struct rtop_trace_wish wishes[RTOP_TRACE_SLOTS]);
/* Returns the maximum size of a window before compression, in bytes. */
size_t rtop_writer_payload_bytes(const struct rtop_writer *writer);
/* rtop_writer_wait() publishes tables and threads and then waits as in control.h; rtop_writer_wake() may be called by
 * any thread. */
bool rtop_writer_wait(struct rtop_writer *writer, uint32_t futex_value, int64_t timeout_ns);
void rtop_writer_wake(struct rtop_writer *writer);
/* Like rtop_control_wait_either() for the control file; publishes nothing. */
bool rtop_writer_wait_either(struct rtop_writer *writer, uint32_t futex_value, const void *word, uint32_t expected,
                             int64_t deadline_ns);

/* Numbers of things that the caller lost; added to the segment's statistics, like the losses of the writer itself. */
struct rtop_losses {
  uint64_t samples_dropped, nodes_overflowed, frames_overflowed, threads_overflowed, windows_folded;
  uint64_t marks_overflowed, labels_overflowed, segments_lost;
};
void rtop_writer_count_losses(struct rtop_writer *writer, const struct rtop_losses *losses);

/* Returns the segment, for copies (snapshot.h), in any thread that prevents the writer from being destroyed
 * meanwhile. */
const struct rtop_segment *rtop_writer_segment(const struct rtop_writer *writer);
const char *rtop_writer_path(const struct rtop_writer *writer);

#endif
