/* SPDX-License-Identifier: MIT */
/* The writing side of a channel: segment, control file, tables and ring in one hand.
 *
 * Threads: everything here belongs to one thread, the publisher. Nothing waits for a reader. After
 * rtop_writer_create() nothing allocates. Every store is a pwrite (outlet.h): the file may be truncated at
 * any time, and no signal comes of it. Failures are counted in the segment, never raised.
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
  uint64_t ring_bytes;            /* of history, all tiers (rtop_segment_plan); halved until it fits,
                                          down to 1 MB */
  const char *directory;          /* RPERF_TOP_DIR: there and nowhere else; "": not set */
  const char *runtime_directory;  /* XDG_RUNTIME_DIR: below that, else in /dev/shm (place.h); NULL for either of
                                    these two: as the environment says */
  void (*between)(void *context); /* called between the steps, each of which may take milliseconds; or NULL */
  void *context;
  struct rtop_segment_identity identity;
};

/* Makes the channel with its reserved nodes and frames, and sweeps a bounded number of this user's dead
 * segments. NULL: *error says why; the caller goes on without a channel. */
struct rtop_writer *rtop_writer_create(const struct rtop_writer_options *options, struct rtop_error *error);

/* How the process ends (format.h, RTOP_ENDS_): to be told when the channel does. */
void rtop_writer_say_ending(struct rtop_writer *writer, uint64_t ending);

/* Ends the channel: state ENDED; the name goes unless keep_name. NULL is fine; sets NULL. */
void rtop_writer_destroy(struct rtop_writer **writer, bool keep_name);

/* In a forked child: closes descriptors and frees memory, touches no file. */
void rtop_writer_abandon(struct rtop_writer **writer);

/* Tables. Ids are dense and must come in order. Entries become visible with the next publish; that of a
 * segment that was lost meanwhile says so. When a
 * table is full the id is not taken and false returned: the caller charges an ancestor instead.
 * Strings that do not fit return reference 0 and are counted; longer ones are cut at a UTF-8
 * boundary. Equal strings are not merged here. */
uint32_t rtop_writer_add_string(struct rtop_writer *writer, const char *bytes, size_t count);
bool rtop_writer_add_frame(struct rtop_writer *writer, const struct rtop_frame_entry *frame, uint32_t *id);
bool rtop_writer_add_node(struct rtop_writer *writer, const struct rtop_node_entry *node, uint32_t *id);
/* Completes the label of a frame that was added before: its string references. */
void rtop_writer_relabel_frame(struct rtop_writer *writer, uint32_t id, uint32_t label, uint32_t namespace_label);
uint64_t rtop_writer_string_capacity(const struct rtop_writer *writer); /* bytes */
uint64_t rtop_writer_frame_capacity(const struct rtop_writer *writer);
uint64_t rtop_writer_node_capacity(const struct rtop_writer *writer);

/* Takes a slot for a new thread, releases it when the thread ended (kept until reused). A full table
 * gives slot 0, shared by "(other threads)". Visible with the next publish. */
uint32_t rtop_writer_thread_start(struct rtop_writer *writer, uint64_t serial, uint32_t native_id,
                                  int64_t start_mono_ns, uint32_t flags, const char *name, size_t bytes);
void rtop_writer_thread_name(struct rtop_writer *writer, uint32_t slot, uint64_t serial, const char *name,
                             size_t bytes);
void rtop_writer_thread_native_id(struct rtop_writer *writer, uint32_t slot, uint64_t serial, uint32_t native_id);
void rtop_writer_thread_end(struct rtop_writer *writer, uint32_t slot, uint64_t serial, int64_t end_mono_ns);
/* What is told of a thread. False: the slot is another's by now. */
bool rtop_writer_thread(const struct rtop_writer *writer, uint32_t slot, uint64_t serial,
                        struct rtop_thread_entry *thread);

/* Publishes tables and window; asserts the lock again. Returns the sequence, or 0 when the file is no
 * longer there or was damaged: the caller destroys the writer and may make a new one. */
uint64_t rtop_writer_publish(struct rtop_writer *writer, struct rtop_window *window);

/* Is somebody watching, and what do they ask for? One fcntl; two preads. */
bool rtop_writer_watched(struct rtop_writer *writer);
void rtop_writer_request(struct rtop_writer *writer, struct rtop_request *request, uint32_t *futex_value);
/* What they want traced (rtop_control_traces). */
uint32_t rtop_writer_traces(struct rtop_writer *writer, struct rtop_trace_wish wishes[RTOP_TRACE_SLOTS]);
/* What a window may take at most, before it is compressed. */
size_t rtop_writer_payload_bytes(const struct rtop_writer *writer);
/* See control.h; publishes tables and threads first. rtop_writer_wake() is for any thread. */
bool rtop_writer_wait(struct rtop_writer *writer, uint32_t futex_value, int64_t timeout_ns);
void rtop_writer_wake(struct rtop_writer *writer);

/* What the caller itself could not keep: added to the segment's statistics, beside what the writer counts. */
struct rtop_losses {
  uint64_t samples_dropped, nodes_overflowed, frames_overflowed, threads_overflowed, windows_folded;
  uint64_t marks_overflowed, labels_overflowed, segments_lost;
};
void rtop_writer_count_losses(struct rtop_writer *writer, const struct rtop_losses *losses);

/* For copies of it (snapshot.h): by any thread that keeps the writer from being destroyed. */
const struct rtop_segment *rtop_writer_segment(const struct rtop_writer *writer);
const char *rtop_writer_path(const struct rtop_writer *writer);

#endif
