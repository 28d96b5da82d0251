/* SPDX-License-Identifier: MIT */
/* Makes the channel, and publishes windows. */
#include "writer.h"
#include "channel.h"
#include "tables.h"
#include "thread_slots.h"
#include "tiers.h"
#include "shm/base/liveness.h"
#include "shm/base/memory_limit.h"
#include "shm/base/outlet.h"
#include "shm/segment/place.h"
#include "shm/segment/registry.h"
#include "shm/segment/segment_file.h"
#include "shm/window/window_threads.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
  WRITER_CELLS_MAX = 1 << 18,  /* far more cells than fit into any window */
  WRITER_STEP_BYTES = 1 << 17, /* number of bytes by which rings and tables grow */
};
#define WRITER_HISTORY_BYTES_MIN (UINT64_C(1) << 20)
#define WRITER_KEPT_BYTES_MAX (UINT64_C(64) << 20)

struct rtop_writer {
  size_t memory_bytes; /* size of the mapping that starts with this struct */
  struct rtop_segment segment;
  struct rtop_control control;
  struct outlet outlet; /* all stores into the segment use this outlet */
  struct channel_parts parts;
  struct rtop_counters counters; /* next content of page 1; only string_bytes and the following fields are used */
  struct tables tables;
  struct thread_slots threads;
  struct tiers tiers;
  uint32_t payload_max;
  unsigned char *raw; /* raw, packed: buffers of payload_max bytes each */
  unsigned char *packed;
  void *scratch;
};

static uint64_t writer_smaller(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

/* Limits the size of the history to a sixteenth of the file system's free space (64 MB in containers) and of the memory
 * limit, since other programs share both. */
static uint64_t writer_wanted_history(const char *directory, uint64_t wanted)
{
  struct statvfs space;
  if (statvfs(directory, &space) == 0 && space.f_blocks > 0)
    wanted = writer_smaller(wanted, (uint64_t)space.f_bavail * space.f_frsize / 16);
  wanted = writer_smaller(wanted, memory_limit() / 16);
  return wanted < WRITER_HISTORY_BYTES_MIN ? WRITER_HISTORY_BYTES_MIN : wanted;
}

/* Returns the limit for the total size of the segments that dead processes leave: an eighth of the file system and of
 * the memory limit. */
static uint64_t writer_kept_bytes(const char *directory)
{
  struct statvfs space;
  uint64_t kept = writer_smaller(WRITER_KEPT_BYTES_MAX, memory_limit() / 8);
  if (statvfs(directory, &space) == 0 && space.f_blocks > 0)
    kept = writer_smaller(kept, (uint64_t)space.f_blocks * space.f_frsize / 8);
  return kept;
}

/* Checks that there is room for the whole segment, although only a part of it is allocated at first. */
static int writer_has_room(const char *directory, const struct rtop_segment_sizes *sizes, struct rtop_error *error)
{
  struct statvfs space;
  uint64_t bytes = rtop_segment_bytes(sizes);
  if (statvfs(directory, &space) != 0 || space.f_blocks == 0 || (uint64_t)space.f_bavail * space.f_frsize >= bytes)
    return 0;
  return rtop_error_set(error, RTOP_ERROR_NO_SPACE, ENOSPC, "there is no room for %" PRIu64 " bytes", bytes);
}

/* Makes the control file first: once the segment exists, other processes know its name. */
static int writer_open_files(struct rtop_segment *segment, struct rtop_control *control, const char *directory,
                             const struct rtop_writer_options *options, uint64_t history_bytes,
                             struct rtop_error *error)
{
  struct rtop_segment_sizes sizes = rtop_segment_plan(history_bytes);
  char path[sizeof segment->path];
  if (writer_has_room(directory, &sizes, error) != 0 || rtop_segment_choose_path(path, directory, error) != 0 ||
      rtop_control_create(control, path, error) != 0)
    return -1;
  if (rtop_segment_create_at(segment, path, &sizes, &options->identity, error) == 0) return 0;
  rtop_control_close(control, true);
  return -1;
}

static void writer_between(const struct rtop_writer_options *options)
{
  if (options->between) options->between(options->context);
}

static int writer_open_largest(struct rtop_segment *segment, struct rtop_control *control, const char *directory,
                               const struct rtop_writer_options *options, struct rtop_error *error)
{
  struct rtop_error cause = { 0 };
  writer_between(options);
  rtop_registry_sweep(directory, writer_kept_bytes(directory));
  writer_between(options);
  uint64_t history_bytes = writer_wanted_history(directory, options->ring_bytes);
  for (; history_bytes >= WRITER_HISTORY_BYTES_MIN; history_bytes /= 2) {
    if (writer_open_files(segment, control, directory, options, history_bytes, &cause) == 0) return 0;
    if (cause.code != RTOP_ERROR_NO_SPACE)
      return rtop_error_set(error, cause.code, cause.errno_value, "%s", cause.text);
  }
  return rtop_error_set(error, RTOP_ERROR_NO_SPACE, cause.errno_value,
                        "no room for a history of 1 MB in %.96s (%.128s); free some, or set RPERF_TOP_DIR", directory,
                        cause.text);
}

static int writer_open(struct rtop_segment *segment, struct rtop_control *control,
                       const struct rtop_writer_options *options, struct rtop_error *error)
{
  struct place places[PLACE_WRITER_MAX];
  size_t count = place_for_writer(options->directory, options->runtime_directory, places, error);
  /* Segments that version 1.0 left in /dev/shm itself are swept, too. */
  if (count && places[0].private) rtop_registry_sweep(PLACE_SHARED_MEMORY, writer_kept_bytes(PLACE_SHARED_MEMORY));
  for (size_t i = 0; i < count; i++)
    if (writer_open_largest(segment, control, places[i].path, options, error) == 0) return 0;
  return -1;
}

static size_t writer_round_up(size_t bytes)
{
  return (bytes + 63) & ~(size_t)63;
}

/* Registers the sections that are not allocated completely, so that they grow in steps. */
static void writer_grow(struct rtop_writer *writer)
{
  const struct rtop_geometry *geometry = &writer->segment.geometry;
  for (uint32_t i = 0; i < geometry->section_count; i++) {
    const struct rtop_section *section = &geometry->sections[i];
    uint64_t reserved = rtop_segment_reserved(section);
    if (reserved < section->bytes)
      outlet_grow(&writer->outlet,
                  &(struct outlet_extent){ section->offset, section->bytes, reserved, WRITER_STEP_BYTES });
  }
}

/* Allocates the writer and all its scratch memory in one private mapping; unused pages stay untouched. */
static struct rtop_writer *writer_allocate(const struct rtop_segment *segment, struct rtop_error *error)
{
  struct channel_parts parts;
  channel_parts_of(segment, &parts);
  size_t payload = writer_round_up(rtop_ring_payload_max(&parts.ring));
  size_t head = writer_round_up(sizeof(struct rtop_writer));
  size_t threads = writer_round_up(thread_slots_memory_bytes(parts.thread_capacity));
  size_t tiers = parts.tiered ? tiers_memory_bytes() : 0;
  size_t bytes = head + threads + tiers + 2 * payload + rtop_window_scratch_bytes(WRITER_CELLS_MAX);
  unsigned char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    rtop_error_set(error, RTOP_ERROR_SYSTEM, errno, "no memory for the channel: %s", strerror(errno));
    return NULL;
  }
  struct rtop_writer *writer = (struct rtop_writer *)(void *)memory;
  writer->memory_bytes = bytes;
  writer->payload_max = rtop_ring_payload_max(&parts.ring);
  writer->raw = memory + head + threads + tiers;
  writer->packed = writer->raw + payload;
  writer->scratch = writer->packed + payload;
  writer->segment = *segment;
  writer->counters.state = RTOP_WRITER_LIVE;
  outlet_init(&writer->outlet, segment->fd, segment->base);
  channel_parts_of(&writer->segment, &writer->parts);
  channel_parts_write(&writer->parts, &writer->outlet);
  writer_grow(writer);
  tables_init(&writer->tables, &writer->parts);
  thread_slots_init(&writer->threads, &writer->parts, memory + head);
  const struct tiers_buffers buffers = { writer->raw, writer->packed, writer->scratch };
  if (tiers) tiers_init(&writer->tiers, &writer->parts, segment->geometry.window_ns, &buffers, memory + head + threads);
  return writer;
}

/* Stores tables, then threads, then the counters that make them visible. */
static void writer_flush(struct rtop_writer *writer)
{
  struct rtop_counters *counters = &writer->counters;
  outlet_flush(&writer->outlet);
  thread_slots_flush(&writer->threads);
  tables_count(&writer->tables, counters);
  counters->thread_serial = writer->threads.serial_max;
  counters->threads_overflowed = writer->threads.overflowed;
  channel_publish_counters(&writer->parts, counters);
}

struct rtop_writer *rtop_writer_create(const struct rtop_writer_options *options, struct rtop_error *error)
{
  struct rtop_segment segment = { .fd = -1 };
  struct rtop_control control = { .fd = -1 };
  if (writer_open(&segment, &control, options, error) != 0) return NULL;
  writer_between(options);
  struct rtop_writer *writer = writer_allocate(&segment, error);
  if (!writer) {
    rtop_control_close(&control, true);
    rtop_segment_close(&segment, true);
    return NULL;
  }
  writer->control = control;
  writer_between(options);
  writer_flush(writer);
  writer_between(options);
  if (outlet_failed(&writer->outlet)) {
    int cause = writer->outlet.cause;
    rtop_writer_destroy(&writer, false);
    rtop_error_set(error, RTOP_ERROR_SYSTEM, cause, "cannot write the segment: %s", strerror(cause));
  }
  return writer;
}

void rtop_writer_say_ending(struct rtop_writer *writer, uint64_t ending)
{
  writer->counters.ending = ending; /* published together with the other counters */
}

void rtop_writer_destroy(struct rtop_writer **writer, bool keep_name)
{
  struct rtop_writer *taken = *writer;
  if (!taken) return;
  *writer = NULL;
  if (rtop_segment_intact(&taken->segment)) {
    writer_flush(taken);
    if (taken->parts.tiered) tiers_finish(&taken->tiers, taken->tables.node_count, taken->tables.frame_count);
    outlet_release(&taken->outlet, &taken->parts.counters->state, RTOP_WRITER_ENDED);
  }
  rtop_control_close(&taken->control, true);
  rtop_segment_close(&taken->segment, !keep_name);
  munmap(taken, taken->memory_bytes);
}

/* Closes the channel in the child of a fork. The child does not inherit views and mappings (MADV_DONTFORK); other
 * mappings may be at their addresses, so they are not unmapped. */
void rtop_writer_abandon(struct rtop_writer **writer)
{
  struct rtop_writer *taken = *writer;
  if (!taken) return;
  *writer = NULL;
  segment_file_close(taken->segment.fd, taken->segment.device, taken->segment.inode);
  segment_file_close(taken->control.fd, taken->control.device, taken->control.inode);
  munmap(taken, taken->memory_bytes);
}

uint32_t rtop_writer_add_string(struct rtop_writer *writer, const char *bytes, size_t count)
{
  return tables_add_string(&writer->tables, bytes, count);
}

bool rtop_writer_add_frame(struct rtop_writer *writer, const struct rtop_frame_entry *frame, uint32_t *id)
{
  return tables_add_frame(&writer->tables, frame, id);
}

void rtop_writer_relabel_frame(struct rtop_writer *writer, uint32_t id, uint32_t label, uint32_t namespace_label)
{
  tables_relabel_frame(&writer->tables, id, label, namespace_label);
}

bool rtop_writer_add_node(struct rtop_writer *writer, const struct rtop_node_entry *node, uint32_t *id)
{
  return tables_add_node(&writer->tables, node, id);
}

uint64_t rtop_writer_string_capacity(const struct rtop_writer *writer)
{
  return writer->parts.string_bytes;
}

uint64_t rtop_writer_frame_capacity(const struct rtop_writer *writer)
{
  return writer->parts.frame_capacity;
}

uint64_t rtop_writer_node_capacity(const struct rtop_writer *writer)
{
  return writer->parts.node_capacity;
}

uint32_t rtop_writer_thread_start(struct rtop_writer *writer, uint64_t serial, uint32_t native_id,
                                  int64_t start_mono_ns, uint32_t flags, const char *name, size_t bytes)
{
  struct rtop_thread_entry thread = {
    .serial = serial,
    .native_id = native_id,
    .start_mono_ns = start_mono_ns,
    .flags = flags & ~(uint32_t)(RTOP_THREAD_ENDED | RTOP_THREAD_OTHERS),
  };
  return thread_slots_start(&writer->threads, &thread, name, bytes);
}

void rtop_writer_thread_name(struct rtop_writer *writer, uint32_t slot, uint64_t serial, const char *name, size_t bytes)
{
  thread_slots_name(&writer->threads, slot, serial, name, bytes);
}

void rtop_writer_thread_native_id(struct rtop_writer *writer, uint32_t slot, uint64_t serial, uint32_t native_id)
{
  thread_slots_native_id(&writer->threads, slot, serial, native_id);
}

void rtop_writer_thread_end(struct rtop_writer *writer, uint32_t slot, uint64_t serial, int64_t end_mono_ns)
{
  thread_slots_end(&writer->threads, slot, serial, end_mono_ns);
}

bool rtop_writer_thread(const struct rtop_writer *writer, uint32_t slot, uint64_t serial,
                        struct rtop_thread_entry *thread)
{
  return thread_slots_entry(&writer->threads, slot, serial, thread);
}

/* Encodes the window. If its threads do not fit, they are merged into one. A window that cannot be encoded at all still
 * has its time and counters. */
static size_t writer_encode(struct rtop_writer *writer, struct rtop_window *window)
{
  size_t bytes = 0;
  if (window->cell_count <= WRITER_CELLS_MAX)
    bytes = rtop_window_encode(window, writer->raw, writer->payload_max, writer->scratch);
  if (bytes == 0 && window->cell_count <= WRITER_CELLS_MAX && window->thread_count <= WRITER_CELLS_MAX) {
    window_sum_threads(window, false, writer->scratch);
    bytes = rtop_window_encode(window, writer->raw, writer->payload_max, writer->scratch);
    window->folded = true;
  }
  if (bytes == 0) {
    window->thread_count = window->cell_count = window->late_count = window->mark_count = 0;
    window->begun_count = window->fibers_count = window->exact_count = window->slow_count = 0;
    window->raised_count = window->pair_count = 0;
    bytes = rtop_window_encode(window, writer->raw, writer->payload_max, writer->scratch);
    window->folded = true;
  }
  writer->counters.windows_folded += window->folded;
  return bytes;
}

uint64_t rtop_writer_publish(struct rtop_writer *writer, struct rtop_window *window)
{
  struct rtop_slot slot = {
    .start_mono_ns = window->start_mono_ns,
    .end_mono_ns = window->end_mono_ns,
    .node_count = writer->tables.node_count,
    .frame_count = writer->tables.frame_count,
  };
  if (!rtop_segment_intact(&writer->segment)) return 0;
  rtop_liveness_hold_writer(writer->segment.fd);
  slot.raw_bytes = (uint32_t)writer_encode(writer, window);
  slot.stored_bytes =
      (uint32_t)rtop_window_compress(writer->raw, slot.raw_bytes, writer->packed, writer->payload_max, &slot.codec);
  writer_flush(writer);
  window->sequence = rtop_ring_publish(&writer->parts.ring, &slot, writer->packed);
  if (writer->parts.tiered && window->sequence) tiers_add(&writer->tiers, window, slot.node_count, slot.frame_count);
  return window->sequence;
}

bool rtop_writer_watched(struct rtop_writer *writer)
{
  return rtop_liveness_watched(writer->segment.fd);
}

void rtop_writer_request(struct rtop_writer *writer, struct rtop_request *request, uint32_t *futex_value)
{
  rtop_control_read(&writer->control, request, futex_value);
}

size_t rtop_writer_payload_bytes(const struct rtop_writer *writer)
{
  return writer->payload_max;
}

uint32_t rtop_writer_traces(struct rtop_writer *writer, struct rtop_trace_wish wishes[RTOP_TRACE_SLOTS])
{
  return rtop_control_traces(&writer->control, wishes);
}

bool rtop_writer_wait(struct rtop_writer *writer, uint32_t futex_value, int64_t timeout_ns)
{
  writer_flush(writer);
  return rtop_control_wait(&writer->control, futex_value, timeout_ns);
}

bool rtop_writer_wait_either(struct rtop_writer *writer, uint32_t futex_value, const void *word, uint32_t expected,
                             int64_t deadline_ns)
{
  return rtop_control_wait_either(&writer->control, futex_value, word, expected, deadline_ns);
}

void rtop_writer_wake(struct rtop_writer *writer)
{
  rtop_control_wake(&writer->control);
}

static void writer_add(uint64_t *sum, uint64_t count)
{
  *sum = *sum + count < count ? UINT64_MAX : *sum + count;
}

void rtop_writer_count_losses(struct rtop_writer *writer, const struct rtop_losses *losses)
{
  writer_add(&writer->counters.samples_dropped, losses->samples_dropped);
  writer_add(&writer->tables.nodes_overflowed, losses->nodes_overflowed);
  writer_add(&writer->tables.frames_overflowed, losses->frames_overflowed);
  writer_add(&writer->threads.overflowed, losses->threads_overflowed);
  writer_add(&writer->counters.windows_folded, losses->windows_folded);
  writer_add(&writer->counters.marks_overflowed, losses->marks_overflowed);
  writer_add(&writer->counters.labels_overflowed, losses->labels_overflowed);
  writer_add(&writer->counters.segments_lost, losses->segments_lost);
}

const char *rtop_writer_path(const struct rtop_writer *writer)
{
  return writer->segment.path;
}

const struct rtop_segment *rtop_writer_segment(const struct rtop_writer *writer)
{
  return &writer->segment;
}
