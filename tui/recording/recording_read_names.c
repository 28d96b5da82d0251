/* SPDX-License-Identifier: MIT */
/* Reads the names of a recording into the symbols. */
#include "recording_read_impl.h"

#include "tui/text/clock_shift.h"
#include "tui/text/reserve.h"
#include "tui/text/text.h"
#include <stdlib.h>
#include <string.h>

/* By default uthash ends the program when memory runs out. */
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(element) ((element)->lost = true)
#include <uthash.h>

enum { READ_THREADS_MAX = 1 << 20 };

struct read_thread {
  struct read_thread_key {
    uint64_t serial;
    uint64_t source; /* wide: no padding */
  } key;
  bool lost;
  struct rtop_recording_thread about;
  UT_hash_handle hh;
  char name[];
};

void recording_names_free(struct rtop_recording *recording)
{
  struct read_thread *thread = recording->threads;
  HASH_CLEAR(hh, recording->threads); /* they stay linked */
  for (struct read_thread *next; thread; thread = next) {
    next = thread->hh.next;
    free(thread);
  }
  free(recording->sources);
  free(recording->frames);
  free(recording->nodes);
}

static struct rtop_recording_source *names_source(struct rtop_recording *recording, uint64_t number)
{
  if (number >= RECORDING_SOURCES_MAX ||
      !rtop_reserve(&recording->sources, &recording->source_capacity, number + 1, sizeof *recording->sources))
    return NULL;
  if (number >= recording->source_count) recording->source_count = (size_t)number + 1;
  return &recording->sources[number];
}

static void names_read_source(struct rtop_recording *recording, struct varint_reader *row)
{
  struct rtop_recording_source about = { .known = true };
  const char *command, *ruby, *folder = "", *host = "";
  size_t command_bytes, ruby_bytes, folder_bytes = 0, host_bytes = 0;
  uint64_t number = varint_get(row);
  about.pid = (int64_t)(varint_get(row) & INT32_MAX);
  about.window_ns = (uint32_t)varint_get(row);
  about.clock_offset_ns = recording_get_signed(row);
  about.started_real_ns = recording_get_signed(row);
  if (!recording_get_text(row, &command, &command_bytes) || !recording_get_text(row, &ruby, &ruby_bytes)) return;
  if (varint_left(row) && !recording_get_text(row, &folder, &folder_bytes)) return;
  if (varint_left(row) && !recording_get_text(row, &host, &host_bytes)) return;
  about.parent = varint_left(row) ? (int64_t)(varint_get(row) & INT32_MAX) : 0;
  struct rtop_recording_source *source = names_source(recording, number);
  if (!source) return;
  memcpy(about.folder, folder, folder_bytes);
  rtop_text_sanitize(about.command, sizeof about.command, command, command_bytes);
  rtop_text_sanitize(about.ruby, sizeof about.ruby, ruby, ruby_bytes);
  rtop_text_sanitize(about.host, sizeof about.host, host, host_bytes);
  about.end_state = source->end_state;
  about.pulses = source->pulses;
  about.pulse = source->pulse;
  *source = about;
}

static enum rtop_symbol_kind names_kind(uint64_t kind)
{
  return kind == RTOP_SYMBOL_RUBY || kind == RTOP_SYMBOL_C ? (enum rtop_symbol_kind)kind : RTOP_SYMBOL_SPECIAL;
}

/* Reads the next id as a difference to the previous one; false when the id is out of range. */
static bool names_next_id(struct varint_reader *rows, uint32_t *before, uint32_t bound)
{
  int64_t id;
  if (__builtin_add_overflow((int64_t)*before, recording_get_signed(rows), &id) || rows->bad || id < 0 || id >= bound)
    return false;
  *before = (uint32_t)id;
  return true;
}

static void names_read_frames(struct rtop_recording *recording, struct rtop_symbols *symbols,
                              struct varint_reader *rows)
{
  uint32_t id = 0;
  while (varint_left(rows) && names_next_id(rows, &id, RECORDING_FRAMES_MAX)) {
    const char *text[3];
    size_t bytes[3];
    uint64_t kind = varint_get(rows), line = varint_get(rows);
    for (int i = 0; i < 3; i++) recording_get_text(rows, &text[i], &bytes[i]);
    if (rows->bad || !rtop_reserve(&recording->frames, &recording->frame_capacity, id + 1u, sizeof *recording->frames))
      return;
    recording->frames[id] = rtop_symbols_frame(symbols, text[0], bytes[0], text[1], bytes[1], text[2], bytes[2],
                                               (uint32_t)line, names_kind(kind));
    if (id >= recording->frame_count) recording->frame_count = id + 1u;
  }
}

static void names_read_nodes(struct rtop_recording *recording, struct rtop_symbols *symbols, struct varint_reader *rows)
{
  uint32_t id = 0, frame = 0;
  while (varint_left(rows) && names_next_id(rows, &id, RECORDING_NODES_MAX)) {
    uint64_t up = varint_get(rows);
    if (!names_next_id(rows, &frame, RECORDING_FRAMES_MAX)) return;
    uint64_t line = varint_get(rows);
    if (rows->bad || up == 0 || up > id ||
        !rtop_reserve(&recording->nodes, &recording->node_capacity, id + 1u, sizeof *recording->nodes))
      return;
    uint32_t parent = id - (uint32_t)up;
    if (id >= recording->node_count) recording->node_count = id + 1u;
    recording->nodes[id] =
        rtop_symbols_node(symbols, parent < recording->node_count ? recording->nodes[parent] : 0,
                          frame < recording->frame_count ? recording->frames[frame] : 0, (uint32_t)line);
  }
}

static void names_read_relabel(struct rtop_recording *recording, struct rtop_symbols *symbols,
                               struct varint_reader *rows)
{
  while (varint_left(rows)) {
    const char *label, *space;
    size_t label_bytes, space_bytes;
    uint64_t frame = varint_get(rows);
    if (!recording_get_text(rows, &label, &label_bytes) || !recording_get_text(rows, &space, &space_bytes)) return;
    if (frame < recording->frame_count)
      rtop_symbols_relabel(symbols, recording->frames[frame], label, label_bytes, space, space_bytes);
  }
}

static void names_add_thread(struct rtop_recording *recording, const struct read_thread_key *key,
                             const struct rtop_recording_thread *about)
{
  struct read_thread *thread = NULL;
  HASH_FIND(hh, recording->threads, key, sizeof *key, thread);
  if (thread) {
    HASH_DEL(recording->threads, thread);
    free(thread);
  }
  if (HASH_COUNT(recording->threads) >= READ_THREADS_MAX) return;
  thread = calloc(1, sizeof *thread + about->name_bytes + 1);
  if (!thread) return;
  thread->key = *key;
  thread->about = *about;
  memcpy(thread->name, about->name, about->name_bytes);
  thread->about.name = thread->name;
  HASH_ADD(hh, recording->threads, key, sizeof thread->key, thread);
  if (thread->lost) free(thread);
}

static void names_read_threads(struct rtop_recording *recording, struct varint_reader *rows)
{
  while (varint_left(rows)) {
    struct read_thread_key key;
    struct rtop_recording_thread about;
    key.source = varint_get(rows);
    key.serial = varint_get(rows);
    about.native_id = (uint32_t)varint_get(rows);
    about.is_main = varint_get(rows) & 1;
    if (!recording_get_text(rows, &about.name, &about.name_bytes)) return;
    names_add_thread(recording, &key, &about);
  }
}

static void names_read_states(struct rtop_recording *recording, struct varint_reader *rows)
{
  while (varint_left(rows)) {
    uint64_t number = varint_get(rows), state = varint_get(rows);
    struct rtop_recording_source *source = rows->bad ? NULL : names_source(recording, number);
    if (!source) return;
    source->end_state = state <= 2 ? (uint32_t)state : 0;
  }
}

static enum rtop_feed_state names_state(uint64_t state)
{
  return state <= RTOP_FEED_DEAD ? (enum rtop_feed_state)state : RTOP_FEED_LIVE;
}

/* More losses than we know are skipped. */
static void names_read_pulses(struct rtop_recording *recording, struct varint_reader *rows)
{
  while (varint_left(rows)) {
    struct rtop_pulse pulse = { 0 };
    const char *cause, *text;
    size_t cause_bytes, text_bytes;
    uint64_t number = varint_get(rows);
    pulse.state = names_state(varint_get(rows));
    pulse.left_out = varint_get(rows);
    uint64_t losses = varint_get(rows);
    for (uint64_t i = 0; i < losses && !rows->bad; i++) {
      uint64_t count = varint_get(rows);
      if (i < RTOP_LOSSES) pulse.losses[i] = count;
    }
    pulse.tells_losses = losses > 0;
    if (!recording_get_text(rows, &cause, &cause_bytes) || !recording_get_text(rows, &text, &text_bytes)) return;
    struct rtop_recording_source *source = names_source(recording, number);
    if (!source) return;
    rtop_text_sanitize(pulse.cause, sizeof pulse.cause, cause, cause_bytes);
    rtop_text_sanitize(pulse.text, sizeof pulse.text, text, text_bytes);
    source->pulses = true;
    source->pulse = pulse;
  }
}

int64_t rtop_recording_shift_ns(const struct rtop_recording *recording, uint32_t number)
{
  const struct rtop_recording_source *source = rtop_recording_source(recording, number);
  int64_t earliest_ns = source ? source->clock_offset_ns : 0;
  for (size_t i = 0; source && i < recording->source_count; i++)
    if (recording->sources[i].known && recording->sources[i].clock_offset_ns < earliest_ns)
      earliest_ns = recording->sources[i].clock_offset_ns;
  return source ? rtop_clock_shift_ns(source->clock_offset_ns, earliest_ns) : 0;
}

static void names_read_marks(const struct rtop_recording *recording, struct rtop_profile *profile,
                             struct varint_reader *rows)
{
  while (varint_left(rows)) {
    const char *name;
    size_t name_bytes;
    uint64_t source = varint_get(rows);
    int64_t time_ns = recording_get_signed(rows);
    if (!recording_get_text(rows, &name, &name_bytes) || source >= RECORDING_SOURCES_MAX) return;
    time_ns = rtop_clock_shifted(time_ns, rtop_recording_shift_ns(recording, (uint32_t)source));
    if (recording->placed) source = recording->placing.place(recording->placing.context, (uint32_t)source, &time_ns);
    if (source < RTOP_SOURCES_MAX) rtop_profile_add_mark(profile, (uint32_t)source, time_ns, name, name_bytes);
  }
}

void recording_take_names(struct rtop_recording *recording, struct rtop_profile *profile)
{
  struct rtop_symbols *symbols = profile ? rtop_profile_symbols(profile) : NULL;
  uint64_t kind;
  struct varint_reader rows;
  while (recording_read_record(&recording->rows, &kind, &rows)) {
    if (!profile && kind != RECORDING_SOURCE) continue;
    switch (kind) {
    case RECORDING_SOURCE: names_read_source(recording, &rows); break;
    case RECORDING_FRAMES: names_read_frames(recording, symbols, &rows); break;
    case RECORDING_NODES: names_read_nodes(recording, symbols, &rows); break;
    case RECORDING_RELABEL: names_read_relabel(recording, symbols, &rows); break;
    case RECORDING_THREADS: names_read_threads(recording, &rows); break;
    case RECORDING_MARKS: names_read_marks(recording, profile, &rows); break;
    case RECORDING_STATE: names_read_states(recording, &rows); break;
    case RECORDING_PULSE: names_read_pulses(recording, &rows); break;
    default: break;
    }
  }
}

bool rtop_recording_read_names(struct rtop_recording *recording, size_t at, struct rtop_profile *profile)
{
  if (at >= recording->index.chunk_count) return false;
  const struct recording_chunk *chunk = &recording->index.chunks[at];
  if (chunk->head.names_bytes == 0) return true;
  if (!recording_read_frame(recording, chunk->position + sizeof chunk->head, chunk->head.names_bytes,
                            chunk->head.names_raw_bytes))
    return false;
  recording_take_names(recording, profile);
  return true;
}

const struct rtop_recording_source *rtop_recording_source(const struct rtop_recording *recording, uint32_t source)
{
  return source < recording->source_count && recording->sources[source].known ? &recording->sources[source] : NULL;
}

uint32_t rtop_recording_source_count(const struct rtop_recording *recording)
{
  return (uint32_t)recording->source_count;
}

const uint32_t *rtop_recording_nodes(const struct rtop_recording *recording, size_t *count)
{
  *count = recording->node_count;
  return recording->nodes;
}

static struct read_thread *read_thread_find(const struct rtop_recording *recording, uint32_t source, uint64_t serial)
{
  struct read_thread_key key;
  struct read_thread *thread = NULL;
  memset(&key, 0, sizeof key);
  key.serial = serial;
  key.source = source;
  HASH_FIND(hh, recording->threads, &key, sizeof key, thread);
  return thread;
}

void rtop_recording_drop_thread(struct rtop_recording *recording, uint32_t source, uint64_t serial)
{
  struct read_thread *thread = read_thread_find(recording, source, serial);
  if (!thread) return;
  HASH_DEL(recording->threads, thread);
  free(thread);
}

bool rtop_recording_thread(const struct rtop_recording *recording, uint32_t source, uint64_t serial,
                           struct rtop_recording_thread *about)
{
  struct read_thread *thread = read_thread_find(recording, source, serial);
  if (!thread) return false;
  *about = thread->about;
  return true;
}
