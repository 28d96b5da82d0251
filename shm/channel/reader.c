/* SPDX-License-Identifier: MIT */
/* Attaches to a segment and reads its windows. */
#include "reader.h"
#include "reader_tables.h"
#include "shm/base/liveness.h"
#include "shm/base/sigbus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct rtop_reader {
  struct rtop_segment segment;
  struct channel_parts parts;
  struct reader_tables tables;
  struct rtop_control control;
  uid_t expected_uid;
  bool watching;
  uint64_t newest_seen; /* newest window at the last rtop_reader_state(), and the time when it was first seen */
  int64_t newest_seen_mono_ns;
  bool seen;
  unsigned char *stored; /* buffer of payload_max bytes */
  unsigned char *raw;    /* buffer of RTOP_WINDOW_RAW_BYTES_MAX bytes */
  size_t stored_bytes;
};

const char *rtop_channel_state_name(enum rtop_channel_state state)
{
  switch (state) {
  case RTOP_CHANNEL_LIVE: return "live";
  case RTOP_CHANNEL_STALLED: return "stalled";
  case RTOP_CHANNEL_ENDED: return "ended";
  case RTOP_CHANNEL_DEAD: return "dead";
  }
  return "unknown";
}

static uint32_t reader_payload_max(const struct channel_parts *parts)
{
  uint32_t most = rtop_ring_payload_max(&parts->ring);
  for (size_t i = 0; i < RTOP_MERGED_TIERS && parts->tiered; i++)
    if (rtop_ring_payload_max(&parts->tiers[i]) > most) most = rtop_ring_payload_max(&parts->tiers[i]);
  return most;
}

static int reader_init(struct rtop_reader *reader, const char *path, uid_t expected_uid, struct rtop_error *error)
{
  reader->segment.fd = -1;
  reader->control.fd = -1;
  reader->expected_uid = expected_uid;
  if (rtop_segment_open(&reader->segment, path, expected_uid, error) != 0) return -1;
  channel_parts_of(&reader->segment, &reader->parts);
  reader->tables = (struct reader_tables){ &reader->parts, reader->segment.base, reader->segment.bytes };
  reader->stored_bytes = reader_payload_max(&reader->parts);
  reader->stored = malloc(reader->stored_bytes);
  reader->raw = malloc(RTOP_WINDOW_RAW_BYTES_MAX);
  if (!reader->stored || !reader->raw) return rtop_error_set(error, RTOP_ERROR_SYSTEM, ENOMEM, "out of memory");
  return 0;
}

struct rtop_reader *rtop_reader_open(const char *path, uid_t expected_uid, struct rtop_error *error)
{
  sigbus_install();
  struct rtop_reader *reader = calloc(1, sizeof *reader);
  if (!reader) {
    rtop_error_set(error, RTOP_ERROR_SYSTEM, ENOMEM, "out of memory");
    return NULL;
  }
  if (reader_init(reader, path, expected_uid, error) != 0) rtop_reader_close(&reader);
  return reader;
}

void rtop_reader_close(struct rtop_reader **reader)
{
  struct rtop_reader *taken = *reader;
  if (!taken) return;
  *reader = NULL;
  rtop_reader_unwatch(taken);
  rtop_segment_close(&taken->segment, false);
  free(taken->stored);
  free(taken->raw);
  free(taken);
}

const struct rtop_geometry *rtop_reader_geometry(const struct rtop_reader *reader)
{
  return &reader->segment.geometry;
}

const char *rtop_reader_path(const struct rtop_reader *reader)
{
  return reader->segment.path;
}

bool rtop_reader_follow_fork(struct rtop_reader *reader)
{
  const struct rtop_segment *segment = &reader->segment;
  return mmap(segment->base, segment->bytes, PROT_READ, MAP_SHARED | MAP_FIXED_NOREPLACE, segment->fd, 0) ==
         segment->base;
}

void rtop_reader_let_go(struct rtop_reader *reader)
{
  struct rtop_segment *segment = &reader->segment;
  if (segment->base) munmap(segment->base, segment->bytes);
  segment->base = NULL;
  reader->tables.base = NULL;
}

int rtop_reader_descriptor(const struct rtop_reader *reader)
{
  return reader->segment.fd;
}

struct rtop_window_limits rtop_reader_limits(const struct rtop_reader *reader)
{
  return (struct rtop_window_limits){
    .node_count = reader_tables_node_count(&reader->tables),
    .thread_slots = reader->parts.thread_capacity,
    .string_bytes = reader_tables_string_bytes(&reader->tables),
  };
}

static bool reader_ended(const struct rtop_reader *reader)
{
  return reader_tables_load(&reader->tables, &reader->parts.counters->state) == RTOP_WRITER_ENDED;
}

int rtop_reader_watch(struct rtop_reader *reader, uint32_t rate_hz, struct rtop_error *error)
{
  /* The lock is taken first: a parked publisher woken up by the request then finds a viewer, and a channel that dies
   * meanwhile is not swept. */
  if (rtop_liveness_hold_viewer(reader->segment.fd) != 0)
    return rtop_error_set(error, RTOP_ERROR_SYSTEM, errno, "cannot lock the segment: %s", strerror(errno));
  reader->watching = true;
  if (reader_ended(reader) || !rtop_liveness_writer_alive(reader->segment.fd, NULL)) return 0;
  struct rtop_request request = { .rate_hz = rate_hz };
  if (reader->control.fd < 0 &&
      rtop_control_open(&reader->control, reader->segment.path, reader->expected_uid, error) != 0)
    return -1;
  if (rtop_control_request(&reader->control, &request) != 0)
    return rtop_error_set(error, RTOP_ERROR_SYSTEM, errno, "cannot write %.160s: %s", reader->control.path,
                          strerror(errno));
  return 0;
}

int rtop_reader_trace(struct rtop_reader *reader, const char *name, uint32_t seconds, uint32_t slower_us)
{
  return reader->watching ? rtop_control_trace(&reader->control, name, seconds, slower_us) : -1;
}

void rtop_reader_untrace(struct rtop_reader *reader, int slot)
{
  rtop_control_untrace(&reader->control, slot);
}

void rtop_reader_unwatch(struct rtop_reader *reader)
{
  if (reader->watching) rtop_liveness_drop_viewer(reader->segment.fd);
  reader->watching = false;
  if (reader->control.fd < 0) return;
  rtop_control_wake(&reader->control);
  rtop_control_close(&reader->control, false);
}

static bool reader_stalled(struct rtop_reader *reader, uint64_t newest, int64_t now_mono_ns)
{
  if (!reader->seen || newest != reader->newest_seen) {
    reader->seen = true;
    reader->newest_seen = newest;
    reader->newest_seen_mono_ns = now_mono_ns;
  }
  /* Windows without a viewer may be a second long. */
  int64_t patience_ns = 3 * (int64_t)reader->segment.geometry.window_ns + (reader->watching ? 1000000000 : 2000000000);
  return now_mono_ns - reader->newest_seen_mono_ns > patience_ns;
}

bool rtop_reader_alive(struct rtop_reader *reader, pid_t *pid)
{
  bool alive = rtop_liveness_writer_alive(reader->segment.fd, pid);
  /* Other code in this process may have closed a descriptor of the file, which released the lock. */
  if (reader->watching) rtop_liveness_hold_viewer(reader->segment.fd);
  return alive;
}

enum rtop_channel_state rtop_reader_state_by(struct rtop_reader *reader, bool alive,
                                             const struct rtop_counters *counters, int64_t now_mono_ns)
{
  if (counters->state == RTOP_WRITER_ENDED) return RTOP_CHANNEL_ENDED;
  if (!alive) return RTOP_CHANNEL_DEAD;
  return reader_stalled(reader, counters->head_sequence, now_mono_ns) ? RTOP_CHANNEL_STALLED : RTOP_CHANNEL_LIVE;
}

enum rtop_channel_state rtop_reader_state(struct rtop_reader *reader, int64_t now_mono_ns, pid_t *pid)
{
  struct rtop_counters counters;
  bool alive = rtop_reader_alive(reader, pid);
  rtop_reader_counters(reader, &counters);
  return rtop_reader_state_by(reader, alive, &counters, now_mono_ns);
}

/* A call into a ring, which runs under the SIGBUS guard. */
struct reader_call {
  const struct rtop_reader *reader;
  const struct rtop_ring *ring;
  uint64_t sequence;
  struct rtop_slot slot;
  enum rtop_result result;
};

static void reader_newest_body(void *argument)
{
  struct reader_call *call = argument;
  call->sequence = rtop_ring_newest(call->ring);
}

static void reader_oldest_body(void *argument)
{
  struct reader_call *call = argument;
  call->sequence = rtop_ring_oldest(call->ring);
}

static void reader_slot_body(void *argument)
{
  struct reader_call *call = argument;
  call->result = rtop_ring_read_slot(call->ring, call->sequence, &call->slot);
}

static void reader_window_body(void *argument)
{
  struct reader_call *call = argument;
  const struct rtop_reader *reader = call->reader;
  call->result = rtop_ring_read(call->ring, call->sequence, &call->slot, reader->stored, reader->stored_bytes);
}

/* Returns the ring of a tier; NULL when the segment has no such tier. */
static const struct rtop_ring *reader_ring(const struct rtop_reader *reader, enum rtop_tier tier)
{
  if (tier == RTOP_TIER_FINE) return &reader->parts.ring;
  return reader->parts.tiered && tier < RTOP_TIERS ? &reader->parts.tiers[tier - RTOP_TIER_1S] : NULL;
}

static bool reader_guarded(struct reader_call *call, void (*body)(void *))
{
  const struct rtop_segment *segment = &call->reader->segment;
  return sigbus_run(segment->base, segment->bytes, body, call);
}

uint64_t rtop_reader_tier_newest(const struct rtop_reader *reader, enum rtop_tier tier)
{
  struct reader_call call = { .reader = reader, .ring = reader_ring(reader, tier) };
  return call.ring && reader_guarded(&call, reader_newest_body) ? call.sequence : 0;
}

uint64_t rtop_reader_newest(const struct rtop_reader *reader)
{
  return rtop_reader_tier_newest(reader, RTOP_TIER_FINE);
}

uint64_t rtop_reader_tier_oldest(const struct rtop_reader *reader, enum rtop_tier tier)
{
  struct reader_call call = { .reader = reader, .ring = reader_ring(reader, tier) };
  return call.ring && reader_guarded(&call, reader_oldest_body) ? call.sequence : 0;
}

uint64_t rtop_reader_oldest(const struct rtop_reader *reader)
{
  return rtop_reader_tier_oldest(reader, RTOP_TIER_FINE);
}

enum rtop_result rtop_reader_tier_time(const struct rtop_reader *reader, enum rtop_tier tier, uint64_t sequence,
                                       int64_t *start_mono_ns, int64_t *end_mono_ns)
{
  struct reader_call call = { .reader = reader, .ring = reader_ring(reader, tier), .sequence = sequence };
  if (!call.ring) return RTOP_NONE_YET;
  if (!reader_guarded(&call, reader_slot_body)) return RTOP_CORRUPT;
  if (call.result == RTOP_OK) {
    *start_mono_ns = call.slot.start_mono_ns;
    *end_mono_ns = call.slot.end_mono_ns;
  }
  return call.result;
}

enum rtop_result rtop_reader_time(const struct rtop_reader *reader, uint64_t sequence, int64_t *start_mono_ns,
                                  int64_t *end_mono_ns)
{
  return rtop_reader_tier_time(reader, RTOP_TIER_FINE, sequence, start_mono_ns, end_mono_ns);
}

/* Finds a window by binary search. Windows that are overwritten during the search are older than the wanted one. */
uint64_t rtop_reader_tier_find(const struct rtop_reader *reader, enum rtop_tier tier, int64_t mono_ns)
{
  uint64_t low = rtop_reader_tier_oldest(reader, tier), high = rtop_reader_tier_newest(reader, tier) + 1;
  while (low && low < high) {
    uint64_t middle = low + (high - low) / 2;
    int64_t start_ns, end_ns;
    enum rtop_result result = rtop_reader_tier_time(reader, tier, middle, &start_ns, &end_ns);
    if (result == RTOP_LOST || (result == RTOP_OK && start_ns < mono_ns)) low = middle + 1;
    else high = middle;
  }
  return low;
}

static enum rtop_result reader_decode(const struct rtop_reader *reader, const struct rtop_slot *slot,
                                      struct rtop_window *window)
{
  /* Counts are published before the window that refers to them, so larger ones are corrupt. */
  if (slot->node_count > reader_tables_node_count(&reader->tables) ||
      slot->frame_count > reader_tables_frame_count(&reader->tables))
    return RTOP_CORRUPT;
  struct rtop_window_limits limits = rtop_reader_limits(reader);
  limits.node_count = slot->node_count;
  window->sequence = slot->sequence;
  window->start_mono_ns = slot->start_mono_ns;
  window->end_mono_ns = slot->end_mono_ns;
  if (!rtop_window_decompress(reader->stored, slot->stored_bytes, slot->codec, reader->raw, slot->raw_bytes))
    return RTOP_CORRUPT;
  return rtop_window_decode(window, reader->raw, slot->raw_bytes, &limits) ? RTOP_OK : RTOP_CORRUPT;
}

/* Returns the reason why the window does not exist yet. A last window may be published between the checks, so the ring
 * is read once more. */
static enum rtop_result reader_none(const struct rtop_reader *reader, enum rtop_tier tier, uint64_t sequence)
{
  if (!rtop_segment_intact(&reader->segment) && !reader_ended(reader) &&
      rtop_liveness_writer_alive(reader->segment.fd, NULL))
    return RTOP_CORRUPT;
  bool ended = reader_ended(reader);
  if (!ended && rtop_liveness_writer_alive(reader->segment.fd, NULL)) return RTOP_NONE_YET;
  if (rtop_reader_tier_newest(reader, tier) >= sequence) return RTOP_NONE_YET;
  return ended || reader_ended(reader) ? RTOP_ENDED : RTOP_DEAD;
}

enum rtop_result rtop_reader_tier_window(struct rtop_reader *reader, enum rtop_tier tier, uint64_t sequence,
                                         struct rtop_window *window)
{
  struct reader_call call = { .reader = reader, .ring = reader_ring(reader, tier), .sequence = sequence };
  if (!call.ring) return RTOP_NONE_YET;
  if (!reader_guarded(&call, reader_window_body)) return RTOP_CORRUPT;
  if (call.result == RTOP_OK) return reader_decode(reader, &call.slot, window);
  return call.result == RTOP_NONE_YET ? reader_none(reader, tier, sequence) : call.result;
}

enum rtop_result rtop_reader_window(struct rtop_reader *reader, uint64_t sequence, struct rtop_window *window)
{
  return rtop_reader_tier_window(reader, RTOP_TIER_FINE, sequence, window);
}

uint64_t rtop_reader_frame_count(const struct rtop_reader *reader)
{
  return reader_tables_frame_count(&reader->tables);
}

uint64_t rtop_reader_node_count(const struct rtop_reader *reader)
{
  return reader_tables_node_count(&reader->tables);
}

bool rtop_reader_frame(const struct rtop_reader *reader, uint32_t id, struct rtop_frame_entry *frame)
{
  return reader_tables_frame(&reader->tables, id, frame);
}

bool rtop_reader_node(const struct rtop_reader *reader, uint32_t id, struct rtop_node_entry *node)
{
  return reader_tables_node(&reader->tables, id, node);
}

size_t rtop_reader_string(const struct rtop_reader *reader, uint32_t reference, char *buffer, size_t buffer_bytes)
{
  return reader_tables_string(&reader->tables, reference, buffer, buffer_bytes);
}

bool rtop_reader_thread(const struct rtop_reader *reader, uint32_t slot, uint64_t serial,
                        struct rtop_thread_entry *thread)
{
  return reader_tables_thread(&reader->tables, slot, serial, thread);
}

void rtop_reader_counters(const struct rtop_reader *reader, struct rtop_counters *counters)
{
  if (!reader_tables_copy(&reader->tables, counters, reader->parts.counters, sizeof *counters))
    memset(counters, 0, sizeof *counters);
}

static void reader_bound(uint64_t *count, uint64_t capacity)
{
  if (*count > capacity) *count = capacity;
}

void rtop_reader_bound(const struct rtop_reader *reader, struct rtop_counters *counters)
{
  reader_bound(&counters->string_bytes, reader->parts.string_bytes);
  reader_bound(&counters->frame_count, reader->parts.frame_capacity);
  reader_bound(&counters->node_count, reader->parts.node_capacity);
}
