/* SPDX-License-Identifier: MIT */
/* Which names a chunk has told already. */
#include "recording_names.h"

#include "shm/base/ring.h"
#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

/* By default uthash ends the program when memory runs out. */
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(element) ((element)->lost = true)
#include <uthash.h>

struct recording_thread {
  struct recording_thread_key {
    uint64_t serial;
    uint64_t source; /* wide: no padding */
  } key;
  const char *name; /* owned by the profile; equal names are the same pointer */
  uint32_t native_id;
  bool is_main;
  bool lost;
  uint32_t chunk;
  UT_hash_handle hh;
};

void recording_names_open(struct recording_names *names, struct rtop_profile *profile, bool forget_ended)
{
  *names = (struct recording_names){
    .profile = profile,
    .symbols = rtop_profile_symbols(profile),
    .chunk = 1,
    .forget_ended = forget_ended,
  };
  names->relabelings = rtop_symbols_names(names->symbols);
}

/* Frees rows that are linked but no longer in any table. */
static void names_free_threads(struct recording_thread *thread)
{
  for (struct recording_thread *next; thread; thread = next) {
    next = thread->hh.next;
    free(thread);
  }
}

void recording_names_destroy(struct recording_names *names)
{
  struct recording_thread *threads = names->threads;
  HASH_CLEAR(hh, names->threads);
  names_free_threads(threads);
  free(names->frames);
  free(names->nodes);
  free(names->stack);
  free(names->sources);
  recording_bytes_destroy(&names->source_rows);
  recording_bytes_destroy(&names->frame_rows);
  recording_bytes_destroy(&names->node_rows);
  recording_bytes_destroy(&names->relabel_rows);
  recording_bytes_destroy(&names->thread_rows);
  recording_bytes_destroy(&names->mark_rows);
  recording_bytes_destroy(&names->state_rows);
  recording_bytes_destroy(&names->pulse_rows);
}

/* Writes each source as a record of its own with a single row, since rows extend to the record's end. */
static void names_put_source(struct recording_bytes *rows, uint32_t source, const struct recording_source *about)
{
  struct recording_bytes one = { 0 };
  recording_put_number(&one, source);
  recording_put_number(&one, (uint64_t)about->info.pid);
  recording_put_number(&one, about->info.window_ns);
  recording_put_signed(&one, about->info.clock_offset_ns);
  recording_put_signed(&one, about->info.started_real_ns);
  recording_put_text(&one, about->command);
  recording_put_text(&one, about->ruby);
  recording_put_text(&one, about->folder);
  if (*about->host) {
    recording_put_text(&one, about->host);
    recording_put_number(&one, (uint64_t)about->info.parent);
  }
  recording_put_record(rows, RECORDING_SOURCE, &one);
  recording_bytes_destroy(&one);
}

void recording_names_source(struct recording_names *names, uint32_t source, const struct rtop_feed_info *info)
{
  if (source >= RECORDING_SOURCES_MAX ||
      !rtop_reserve(&names->sources, &names->source_capacity, source + 1, sizeof *names->sources)) {
    names->failed = names->failed || source < RECORDING_SOURCES_MAX;
    return;
  }
  struct recording_source *about = &names->sources[source];
  about->known = true;
  about->info = *info;
  strncpy(about->command, info->command, sizeof about->command - 1);
  strncpy(about->ruby, info->ruby, sizeof about->ruby - 1);
  strncpy(about->folder, info->folder ? info->folder : "", sizeof about->folder - 1);
  strncpy(about->host, info->host ? info->host : "", sizeof about->host - 1);
  names_put_source(&names->source_rows, source, about);
}

void recording_names_state(struct recording_names *names, uint32_t source, uint64_t state)
{
  recording_put_number(&names->state_rows, source);
  recording_put_number(&names->state_rows, state);
}

void recording_names_pulse(struct recording_names *names, uint32_t source, const struct rtop_pulse *pulse)
{
  struct recording_bytes *rows = &names->pulse_rows;
  recording_put_number(rows, source);
  recording_put_number(rows, pulse->state);
  recording_put_number(rows, pulse->left_out);
  recording_put_number(rows, pulse->tells_losses ? RTOP_LOSSES : 0);
  for (int loss = 0; pulse->tells_losses && loss < RTOP_LOSSES; loss++) recording_put_number(rows, pulse->losses[loss]);
  recording_put_text(rows, pulse->cause);
  recording_put_text(rows, pulse->text);
}

static uint32_t names_label_crc(const struct rtop_symbol *symbol)
{
  uint32_t crc = rtop_crc32c(0, symbol->label, strlen(symbol->label) + 1);
  return rtop_crc32c(crc, symbol->namespace_label, strlen(symbol->namespace_label));
}

static void names_put_frame(struct recording_names *names, uint32_t frame)
{
  const struct rtop_symbol *symbol = rtop_symbols_get(names->symbols, frame);
  struct recording_bytes *rows = &names->frame_rows;
  recording_put_signed(rows, (int64_t)frame - names->frame_before);
  recording_put_number(rows, symbol->kind);
  recording_put_number(rows, symbol->line);
  recording_put_text(rows, rtop_symbol_raw(symbol)); /* the reader derives the stable name from this one */
  recording_put_text(rows, symbol->path);
  recording_put_text(rows, symbol->namespace_label);
  names->frame_before = frame;
  names->frames[frame].label_crc = names_label_crc(symbol);
}

static void names_put_node(struct recording_names *names, uint32_t id)
{
  const struct rtop_call_node *node = rtop_symbols_get_node(names->symbols, id);
  struct recording_bytes *rows = &names->node_rows;
  recording_put_signed(rows, (int64_t)id - names->node_before);
  recording_put_number(rows, id - node->parent);
  recording_put_signed(rows, (int64_t)node->frame - names->node_frame_before);
  recording_put_number(rows, node->line);
  names->node_before = id;
  names->node_frame_before = node->frame;
}

static void names_use_frame(struct recording_names *names, uint32_t frame)
{
  if (frame == 0) return; /* the root's, which every recording has */
  if (names->frames[frame].chunk == 0) names_put_frame(names, frame);
  names->frames[frame].chunk = names->chunk;
}

void recording_names_node(struct recording_names *names, uint32_t id)
{
  size_t new_count = 0;
  size_t node_count = rtop_symbols_node_count(names->symbols);
  if (id >= node_count) return;
  if (!rtop_reserve(&names->nodes, &names->node_capacity, node_count, sizeof *names->nodes) ||
      !rtop_reserve(&names->frames, &names->frame_capacity, rtop_symbols_frame_count(names->symbols),
                    sizeof *names->frames) ||
      !rtop_reserve(&names->stack, &names->stack_capacity, rtop_symbols_get_node(names->symbols, id)->depth + 1u,
                    sizeof *names->stack)) {
    names->failed = true;
    return;
  }
  /* Nodes used in this chunk already were marked with all their callers. */
  while (id != 0 && names->nodes[id] != names->chunk) {
    const struct rtop_call_node *node = rtop_symbols_get_node(names->symbols, id);
    names_use_frame(names, node->frame);
    if (names->nodes[id] == 0) names->stack[new_count++] = id;
    names->nodes[id] = names->chunk;
    id = node->parent;
  }
  while (new_count > 0) names_put_node(names, names->stack[--new_count]);
}

static void names_put_thread(struct recording_names *names, const struct recording_thread *thread)
{
  struct recording_bytes *rows = &names->thread_rows;
  recording_put_number(rows, thread->key.source);
  recording_put_number(rows, thread->key.serial);
  recording_put_number(rows, thread->native_id);
  recording_put_number(rows, thread->is_main);
  recording_put_text(rows, thread->name);
}

static struct recording_thread *names_add_thread(struct recording_names *names, const struct recording_thread_key *key)
{
  struct recording_thread *thread = calloc(1, sizeof *thread);
  if (!thread) return NULL;
  thread->key = *key;
  HASH_ADD(hh, names->threads, key, sizeof thread->key, thread);
  if (!thread->lost) return thread;
  free(thread);
  return NULL;
}

void recording_names_thread(struct recording_names *names, uint32_t of, uint32_t source, uint64_t serial, bool ended)
{
  struct recording_thread_key key;
  memset(&key, 0, sizeof key);
  key.serial = serial;
  key.source = source;
  struct recording_thread *thread = NULL;
  struct rtop_source_thread about;
  if (!rtop_profile_thread_about(names->profile, of, serial, &about)) return;
  HASH_FIND(hh, names->threads, &key, sizeof key, thread);
  bool same = thread && thread->name == about.name && thread->native_id == about.native_id;
  if (!thread) thread = names_add_thread(names, &key);
  if (!thread) {
    names->failed = true;
    return;
  }
  thread->name = about.name;
  thread->native_id = about.native_id;
  thread->is_main = about.is_main;
  thread->chunk = names->chunk;
  if (!same) names_put_thread(names, thread);
  if (ended && names->forget_ended) {
    HASH_DEL(names->threads, thread);
    free(thread);
  }
}

void recording_names_mark(struct recording_names *names, uint32_t source, int64_t time_ns, const char *name,
                          size_t name_bytes)
{
  size_t bytes = name_bytes < RECORDING_TEXT_BYTES_MAX ? name_bytes : RECORDING_TEXT_BYTES_MAX;
  recording_put_number(&names->mark_rows, source);
  recording_put_signed(&names->mark_rows, time_ns);
  recording_put_number(&names->mark_rows, bytes);
  recording_put(&names->mark_rows, name, bytes);
}

size_t recording_names_bytes(const struct recording_names *names)
{
  return names->source_rows.count + names->frame_rows.count + names->node_rows.count + names->relabel_rows.count +
         names->thread_rows.count + names->mark_rows.count + names->state_rows.count + names->pulse_rows.count;
}

static void names_relabel(struct recording_names *names)
{
  uint32_t relabelings = rtop_symbols_names(names->symbols);
  if (relabelings == names->relabelings) return;
  names->relabelings = relabelings;
  uint32_t count = rtop_symbols_frame_count(names->symbols);
  for (uint32_t frame = 1; frame < count && frame < names->frame_capacity; frame++) {
    const struct rtop_symbol *symbol = rtop_symbols_get(names->symbols, frame);
    struct recording_frame_use *use = &names->frames[frame];
    uint32_t crc = use->chunk ? names_label_crc(symbol) : 0;
    if (!use->chunk || crc == use->label_crc) continue;
    use->label_crc = crc;
    recording_put_number(&names->relabel_rows, frame);
    recording_put_text(&names->relabel_rows, symbol->label);
    recording_put_text(&names->relabel_rows, symbol->namespace_label);
  }
}

static void names_take_rows(struct recording_bytes *out, enum recording_record kind, struct recording_bytes *rows)
{
  recording_put_record(out, kind, rows);
  rows->count = 0;
}

bool recording_names_take(struct recording_names *names, struct recording_bytes *out)
{
  names_relabel(names);
  recording_put(out, names->source_rows.data, names->source_rows.count);
  out->failed = out->failed || names->source_rows.failed || names->failed;
  names->source_rows.count = 0;
  names_take_rows(out, RECORDING_FRAMES, &names->frame_rows);
  names_take_rows(out, RECORDING_NODES, &names->node_rows);
  names_take_rows(out, RECORDING_RELABEL, &names->relabel_rows);
  names_take_rows(out, RECORDING_THREADS, &names->thread_rows);
  names_take_rows(out, RECORDING_MARKS, &names->mark_rows);
  names_take_rows(out, RECORDING_STATE, &names->state_rows);
  names_take_rows(out, RECORDING_PULSE, &names->pulse_rows);
  names->frame_before = names->node_before = names->node_frame_before = 0;
  names->chunk++;
  return !out->failed;
}

static void names_base_threads(struct recording_names *names, uint32_t first)
{
  struct recording_thread *thread, *next, *gone = NULL;
  HASH_ITER(hh, names->threads, thread, next)
  {
    if (thread->chunk < first) {
      HASH_DEL(names->threads, thread);
      thread->hh.next = gone;
      gone = thread;
    } else {
      names_put_thread(names, thread);
    }
  }
  names_free_threads(gone);
}

bool recording_names_base(struct recording_names *names, uint32_t first, struct recording_bytes *out)
{
  uint32_t frames = rtop_symbols_frame_count(names->symbols), nodes = rtop_symbols_node_count(names->symbols);
  uint32_t chunk = names->chunk;
  for (uint32_t source = 0; source < names->source_capacity; source++)
    if (names->sources[source].known) names_put_source(&names->source_rows, source, &names->sources[source]);
  for (uint32_t id = 1; id < frames && id < names->frame_capacity; id++)
    if (names->frames[id].chunk < first) names->frames[id].chunk = 0;
    else names_put_frame(names, id);
  for (uint32_t id = 1; id < nodes && id < names->node_capacity; id++)
    if (names->nodes[id] < first) names->nodes[id] = 0;
    else names_put_node(names, id);
  names_base_threads(names, first);
  bool fine = recording_names_take(names, out);
  names->chunk = chunk;
  return fine;
}
