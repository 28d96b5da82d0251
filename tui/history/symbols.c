/* SPDX-License-Identifier: MIT */
/* Tables of frames and nodes, and the removal of unused ones. */
#include "symbols.h"

#include "shm/base/format.h"
#include "shm/base/generated_name.h"
#include "shm/base/label_text.h"
#include "tui/text/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* By default uthash ends the program when memory runs out. */
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(element) ((element)->lost = true)
#include <uthash.h>

enum {
  SYMBOLS_FRAMES_MAX = 1 << 20,
  SYMBOLS_NODES_MAX = 1 << 22,
  SYMBOLS_DEPTH_MAX = 4096, /* limit of depth: twice the extension's; stacks are written out in full */
  SYMBOLS_TEXT_MAX = 4096,
  SYMBOLS_NAMES_BYTES_MAX = 128 << 20, /* limit of all names: a hostile table can
                                          name one long string a million times */
  SYMBOLS_CHUNK = 4096,                /* entries per chunk; chunks never move, so pointers stay valid */
};

/* Marks of frames and nodes: used in the current or last sweep; unused in the last sweep; removed. */
enum { SYMBOLS_USED = 1, SYMBOLS_IDLE = 2, SYMBOLS_GONE = 4 };

struct symbols_frame {
  struct rtop_symbol symbol;
  uint32_t id, serial;
  bool lost;
  uint8_t marks;
  char *completed; /* label and namespace that were completed later, or NULL */
  char *generated; /* of the symbol */
  UT_hash_handle hh;
  char key[]; /* line, kind, label, path, namespace: see symbols_key */
};

struct symbols_chunk {
  struct rtop_call_node calls[SYMBOLS_CHUNK]; /* parent, frame, line are the key */
  uint8_t marks[SYMBOLS_CHUNK];
};

struct symbols_head { /* of a frame's key; no padding */
  uint32_t line;
  uint32_t kind;
  uint32_t process;
};

struct rtop_symbols {
  struct symbols_frame **frames; /* by id; NULL: gone */
  uint32_t frame_count, frame_capacity;
  uint32_t frames_gone, frame_gone; /* frames_gone: number of removed frames; frame_gone: a lower bound of their ids */
  uint32_t nodes_gone, node_gone;
  uint32_t reuses, serial;
  size_t used_bytes; /* memory of the entries marked as used in the current sweep */
  size_t names_bytes;
  struct symbols_frame *frames_by_key;
  struct symbols_chunk **node_chunks;
  uint32_t node_count, node_capacity;
  uint32_t *node_slots; /* hash table of node ids, 0: free; more than twice as many slots as nodes */
  size_t slot_count;
  uint64_t seed;  /* random, so that nobody can construct names that collide */
  uint32_t names; /* labels completed so far */
  bool labelled;
  uint32_t unsampled;
  char scratch[sizeof(struct symbols_head) + 3 * (SYMBOLS_TEXT_MAX + 1)];
};

static struct rtop_call_node *symbols_at(const struct rtop_symbols *symbols, uint32_t id)
{
  return &symbols->node_chunks[id / SYMBOLS_CHUNK]->calls[id % SYMBOLS_CHUNK];
}

static uint8_t *symbols_marks_at(const struct rtop_symbols *symbols, uint32_t id)
{
  return &symbols->node_chunks[id / SYMBOLS_CHUNK]->marks[id % SYMBOLS_CHUNK];
}

static bool symbols_grow_frames(struct rtop_symbols *symbols)
{
  if (symbols->frame_count < symbols->frame_capacity) return true;
  uint32_t capacity = symbols->frame_capacity ? symbols->frame_capacity * 2 : 1024;
  struct symbols_frame **frames = realloc(symbols->frames, capacity * sizeof *frames);
  if (!frames) return false;
  symbols->frames = frames;
  symbols->frame_capacity = capacity;
  return true;
}

static bool symbols_grow_nodes(struct rtop_symbols *symbols)
{
  if (symbols->node_count < symbols->node_capacity) return true;
  size_t chunk = symbols->node_capacity / SYMBOLS_CHUNK;
  struct symbols_chunk **chunks = realloc(symbols->node_chunks, (chunk + 1) * sizeof *chunks);
  if (!chunks) return false;
  symbols->node_chunks = chunks;
  chunks[chunk] = calloc(1, sizeof **chunks);
  if (!chunks[chunk]) return false;
  symbols->node_capacity += SYMBOLS_CHUNK;
  return true;
}

/* Writes the key into scratch: head, then three NUL-terminated sanitised strings. Returns its length. */
static size_t symbols_key(struct rtop_symbols *symbols, const char *const text[3], const size_t bytes[3],
                          const struct symbols_head *head, size_t at[3])
{
  size_t used = sizeof *head;
  memcpy(symbols->scratch, head, sizeof *head);
  for (int i = 0; i < 3; i++) {
    at[i] = used;
    used += rtop_text_sanitize(symbols->scratch + used, SYMBOLS_TEXT_MAX + 1, text[i], bytes[i]) + 1;
  }
  return used;
}

/* Memory of a frame, including its allocation overhead and share of the hash table. */
static size_t symbols_frame_bytes(const struct symbols_frame *frame)
{
  enum { ALLOCATION = 16, BUCKET = 16 };
  return sizeof *frame + ALLOCATION + BUCKET + (frame ? frame->hh.keylen : 0);
}

static void symbols_reuse(struct rtop_symbols *symbols, uint32_t *gone)
{
  --*gone;
  symbols->reuses++;
}

/* Returns a removed id to reuse; frame_count when there is none. */
static uint32_t symbols_free_frame_id(struct rtop_symbols *symbols)
{
  if (!symbols->frames_gone) return symbols->frame_count;
  while (symbols->frames[symbols->frame_gone]) symbols->frame_gone++;
  return symbols->frame_gone;
}

/* Notes what a symbol waits for: computed once, because it is needed for every stack of every window. */
static void symbol_learn_waits(struct rtop_symbol *symbol)
{
  bool core = rtop_symbol_is_core(symbol);
  symbol->waits = core ? rtop_wait_of(symbol->label) : RTOP_WAIT_NOT;
  symbol->waits_for = symbol->kind == RTOP_SYMBOL_SPECIAL ? RTOP_WAITS_UNKNOWN
                      : core                              ? rtop_wait_kind_of(symbol->label)
                                                          : RTOP_WAITS_OTHER;
  symbol->locks = core && rtop_wait_is_lock(symbol->label);
}

static uint32_t symbols_add_frame(struct rtop_symbols *symbols, size_t key_bytes, const size_t at[3],
                                  const struct symbols_head *head)
{
  uint32_t id = symbols_free_frame_id(symbols);
  if (id >= SYMBOLS_FRAMES_MAX || symbols->names_bytes > SYMBOLS_NAMES_BYTES_MAX || !symbols_grow_frames(symbols))
    return 0;
  struct symbols_frame *frame = calloc(1, sizeof *frame + key_bytes);
  if (!frame) return 0;
  memcpy(frame->key, symbols->scratch, key_bytes);
  frame->symbol = (struct rtop_symbol){
    .label = frame->key + at[0],
    .path = frame->key + at[1],
    .namespace_label = frame->key + at[2],
    .line = head->line,
    .kind = (enum rtop_symbol_kind)head->kind,
    .process = head->process,
  };
  symbol_learn_waits(&frame->symbol);
  frame->id = id;
  frame->serial = ++symbols->serial;
  HASH_ADD_KEYPTR(hh, symbols->frames_by_key, frame->key, key_bytes, frame);
  if (frame->lost) {
    free(frame);
    return 0;
  }
  if (id == symbols->frame_count) symbols->frame_count++;
  else symbols_reuse(symbols, &symbols->frames_gone);
  symbols->frames[id] = frame;
  symbols->names_bytes += key_bytes;
  return id;
}

static uint32_t symbols_find_frame(struct rtop_symbols *symbols, const char *const text[3], const size_t bytes[3],
                                   const struct symbols_head *head)
{
  size_t at[3];
  size_t key_bytes = symbols_key(symbols, text, bytes, head, at);
  struct symbols_frame *found = NULL;
  HASH_FIND(hh, symbols->frames_by_key, symbols->scratch, key_bytes, found);
  if (!found) return symbols_add_frame(symbols, key_bytes, at, head);
  found->marks &= (uint8_t)~SYMBOLS_IDLE;
  return found->id;
}

/* Keeps the process's own name of a frame that is shown under a stable one; the name is lost when memory runs out. */
static void symbols_keep_generated(struct rtop_symbols *symbols, uint32_t id, const char *label, size_t label_bytes)
{
  char clean[RTOP_GENERATED_NAME_MAX + 1];
  size_t bytes = rtop_text_sanitize(clean, sizeof clean, label, label_bytes) + 1;
  struct symbols_frame *frame = symbols->frames[id];
  if (id == 0 || (frame->generated && strcmp(frame->generated, clean) == 0)) return;
  char *generated = malloc(bytes);
  if (!generated) return;
  memcpy(generated, clean, bytes);
  symbols->names_bytes += bytes - (frame->generated ? strlen(frame->generated) + 1 : 0);
  free(frame->generated);
  frame->symbol.generated = frame->generated = generated;
}

static uint32_t symbols_add(struct rtop_symbols *symbols, const char *const text[3], const size_t bytes[3],
                            const struct symbols_head *head)
{
  char name[RTOP_GENERATED_NAME_MAX];
  size_t name_bytes =
      head->kind == RTOP_SYMBOL_RUBY ? rtop_generated_name(text[0], bytes[0], text[1], bytes[1], name) : 0;
  if (!name_bytes) return symbols_find_frame(symbols, text, bytes, head);
  const char *const made[3] = { name, text[1], text[2] };
  const size_t made_bytes[3] = { name_bytes, bytes[1], bytes[2] };
  uint32_t id = symbols_find_frame(symbols, made, made_bytes, head);
  symbols_keep_generated(symbols, id, text[0], bytes[0]);
  return id;
}

uint32_t rtop_symbols_frame(struct rtop_symbols *symbols, const char *label, size_t label_bytes, const char *path,
                            size_t path_bytes, const char *namespace_label, size_t namespace_bytes, uint32_t line,
                            enum rtop_symbol_kind kind)
{
  const char *const text[3] = { label, path, namespace_label };
  const size_t bytes[3] = { label_bytes, path_bytes, namespace_bytes };
  return symbols_add(symbols, text, bytes, &(struct symbols_head){ line, (uint32_t)kind, 0 });
}

static uint32_t symbols_copy(struct rtop_symbols *symbols, const struct rtop_symbol *symbol, uint32_t process)
{
  const char *const text[3] = { rtop_symbol_raw(symbol), symbol->path, symbol->namespace_label };
  const size_t bytes[3] = { strlen(text[0]), strlen(text[1]), strlen(text[2]) };
  return symbols_add(symbols, text, bytes, &(struct symbols_head){ symbol->line, (uint32_t)symbol->kind, process });
}

uint32_t rtop_symbols_frame_from(struct rtop_symbols *symbols, const struct rtop_symbol *symbol)
{
  return symbols_copy(symbols, symbol, 0);
}

uint32_t rtop_symbols_frame_of(struct rtop_symbols *symbols, uint32_t frame, uint32_t process)
{
  const struct rtop_symbol *symbol = rtop_symbols_get(symbols, frame);
  return symbol->kind == RTOP_SYMBOL_SPECIAL || process == 0 ? frame : symbols_copy(symbols, symbol, process);
}

void rtop_symbols_relabel(struct rtop_symbols *symbols, uint32_t frame, const char *label, size_t label_bytes,
                          const char *namespace_label, size_t namespace_bytes)
{
  if (frame == 0 || frame >= symbols->frame_count || !symbols->frames[frame] || label_bytes == 0) return;
  struct symbols_frame *entry = symbols->frames[frame];
  if (entry->generated) return; /* its name is made of its path */
  char clean[SYMBOLS_TEXT_MAX + 1], clean_namespace[SYMBOLS_TEXT_MAX + 1];
  size_t bytes = rtop_text_sanitize(clean, sizeof clean, label, label_bytes) + 1;
  size_t more = rtop_text_sanitize(clean_namespace, sizeof clean_namespace, namespace_label, namespace_bytes) + 1;
  if (strcmp(clean, entry->symbol.label) == 0) return;
  char *completed = malloc(bytes + more);
  if (!completed) return;
  memcpy(completed, clean, bytes);
  memcpy(completed + bytes, clean_namespace, more);
  if (entry->completed) symbols->names_bytes -= strlen(entry->symbol.label) + strlen(entry->symbol.namespace_label) + 2;
  symbols->names_bytes += bytes + more;
  entry->symbol.label = completed;
  entry->symbol.namespace_label = completed + bytes;
  symbol_learn_waits(&entry->symbol);
  free(entry->completed);
  entry->completed = completed;
  symbols->names++;
}

const char *rtop_symbol_name(const struct rtop_symbol *symbol, char *out, size_t out_bytes)
{
  if (symbol->process == 0) return symbol->label;
  uint32_t pid = rtop_process_pid(symbol->process), nth = symbol->process >> RTOP_PROCESS_PID_BITS;
  if (nth == 0) snprintf(out, out_bytes, "%u %s", pid, symbol->label);
  else snprintf(out, out_bytes, "%u/%u %s", pid, nth + 1, symbol->label);
  return out;
}

const char *rtop_symbol_words(const struct rtop_symbol *symbol)
{
  if (symbol->kind != RTOP_SYMBOL_SPECIAL || rtop_symbol_is_labels(symbol)) return symbol->label;
  if (strcmp(symbol->label, RTOP_LABEL_UNSAMPLED) == 0) return "(unknown: no sample yet)";
  return strcmp(symbol->label, "(shared)") == 0 ? "(allocated below callers)" : symbol->label;
}

const char *rtop_symbol_shown(const struct rtop_symbol *symbol, char *out, size_t out_bytes)
{
  struct rtop_symbol shown = *symbol;
  shown.label = rtop_symbol_words(symbol);
  return rtop_symbol_name(&shown, out, out_bytes);
}

bool rtop_symbol_is_labels(const struct rtop_symbol *symbol)
{
  return symbol->kind == RTOP_SYMBOL_SPECIAL && strcmp(symbol->namespace_label, RTOP_LABEL_NAMESPACE) == 0;
}

static bool symbol_is_unsampled(const struct rtop_symbol *symbol)
{
  return symbol->kind == RTOP_SYMBOL_SPECIAL && strcmp(symbol->label, RTOP_LABEL_UNSAMPLED) == 0;
}

uint32_t rtop_symbols_unsampled(const struct rtop_symbols *symbols)
{
  return symbols->unsampled;
}

bool rtop_symbols_labelled(const struct rtop_symbols *symbols)
{
  return symbols->labelled;
}

uint32_t rtop_symbols_names(const struct rtop_symbols *symbols)
{
  return symbols->names;
}

static uint64_t symbols_mix(uint64_t hash, uint64_t value)
{
  hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ hash >> 32;
}

/* Returns the slot that holds the node, else a free one. */
static size_t symbols_slot(const struct rtop_symbols *symbols, const struct rtop_call_node *key)
{
  uint64_t hash = symbols_mix(symbols_mix(symbols->seed, (uint64_t)key->parent << 32 | key->frame), key->line);
  size_t mask = symbols->slot_count - 1, at = (size_t)symbols_mix(hash, symbols->seed) & mask;
  for (; symbols->node_slots[at]; at = (at + 1) & mask) {
    const struct rtop_call_node *call = symbols_at(symbols, symbols->node_slots[at]);
    if (call->parent == key->parent && call->frame == key->frame && call->line == key->line) break;
  }
  return at;
}

static void symbols_fill_slots(struct rtop_symbols *symbols)
{
  for (uint32_t id = 1; id < symbols->node_count; id++)
    if (!(*symbols_marks_at(symbols, id) & SYMBOLS_GONE))
      symbols->node_slots[symbols_slot(symbols, symbols_at(symbols, id))] = id;
}

static bool symbols_grow_slots(struct rtop_symbols *symbols)
{
  if ((size_t)symbols->node_count * 2 < symbols->slot_count) return true;
  size_t slot_count = symbols->slot_count ? symbols->slot_count * 2 : 1024;
  uint32_t *slots = calloc(slot_count, sizeof *slots);
  if (!slots) return false;
  free(symbols->node_slots);
  symbols->node_slots = slots;
  symbols->slot_count = slot_count;
  symbols_fill_slots(symbols);
  return true;
}

/* Returns a removed id larger than the parent's, to reuse; node_count when there is none nearby. */
static uint32_t symbols_free_node_id(struct rtop_symbols *symbols, uint32_t parent)
{
  enum { NEAR = 4 * SYMBOLS_CHUNK };
  if (!symbols->nodes_gone) return symbols->node_count;
  while (symbols->node_gone < symbols->node_count && !(*symbols_marks_at(symbols, symbols->node_gone) & SYMBOLS_GONE))
    symbols->node_gone++;
  uint32_t from = symbols->node_gone > parent ? symbols->node_gone : parent + 1;
  uint32_t end = symbols->node_count - from > NEAR ? from + NEAR : symbols->node_count;
  for (uint32_t id = from; id < end; id++)
    if (*symbols_marks_at(symbols, id) & SYMBOLS_GONE) return id;
  return symbols->node_count;
}

/* Unmarks a node that is used again, and all its callers. */
static void symbols_wake(struct rtop_symbols *symbols, uint32_t node)
{
  for (uint32_t id = node; *symbols_marks_at(symbols, id) & SYMBOLS_IDLE; id = symbols_at(symbols, id)->parent) {
    *symbols_marks_at(symbols, id) &= (uint8_t)~SYMBOLS_IDLE;
    symbols->frames[symbols_at(symbols, id)->frame]->marks &= (uint8_t)~SYMBOLS_IDLE;
  }
}

uint32_t rtop_symbols_node(struct rtop_symbols *symbols, uint32_t parent, uint32_t frame, uint32_t line)
{
  struct rtop_call_node key = { .parent = parent, .frame = frame, .line = line };
  if (parent >= symbols->node_count || frame >= symbols->frame_count || !symbols->frames[frame] ||
      !symbols_grow_slots(symbols))
    return 0;
  size_t slot = symbols_slot(symbols, &key);
  symbols_wake(symbols, symbols->node_slots[slot] ? symbols->node_slots[slot] : parent);
  if (symbols->node_slots[slot]) return symbols->node_slots[slot];
  key.depth = symbols_at(symbols, parent)->depth + 1;
  key.labels = symbols_at(symbols, parent)->labels;
  if (parent == 0 && rtop_symbol_is_labels(&symbols->frames[frame]->symbol)) key.labels = frame;
  uint32_t id = symbols_free_node_id(symbols, parent);
  if (key.depth > SYMBOLS_DEPTH_MAX || id >= SYMBOLS_NODES_MAX || !symbols_grow_nodes(symbols)) return 0;
  if (id == symbols->node_count) symbols->node_count++;
  else symbols_reuse(symbols, &symbols->nodes_gone);
  *symbols_at(symbols, id) = key;
  *symbols_marks_at(symbols, id) = 0;
  symbols->frames[frame]->marks &= (uint8_t)~SYMBOLS_IDLE;
  symbols->node_slots[slot] = id;
  symbols->labelled = symbols->labelled || key.labels;
  if (parent == 0 && !symbols->unsampled && symbol_is_unsampled(&symbols->frames[frame]->symbol))
    symbols->unsampled = id;
  return id;
}

static void symbols_free_frame(struct symbols_frame *frame)
{
  if (!frame) return;
  free(frame->completed);
  free(frame->generated);
  free(frame);
}

struct rtop_symbols *rtop_symbols_create(void)
{
  struct rtop_symbols *symbols = calloc(1, sizeof *symbols);
  if (!symbols) return NULL;
  if (getrandom(&symbols->seed, sizeof symbols->seed, GRND_NONBLOCK) < 0) symbols->seed = (uint64_t)(uintptr_t)symbols;
  rtop_symbols_frame(symbols, "(root)", 6, "", 0, "", 0, 0, RTOP_SYMBOL_SPECIAL);
  if (symbols->frame_count == 1 && symbols_grow_nodes(symbols)) {
    symbols->node_count = 1; /* node 0 is zeroed: its own parent, with frame 0, and not in the hash table */
    return symbols;
  }
  rtop_symbols_destroy(&symbols);
  return NULL;
}

void rtop_symbols_destroy(struct rtop_symbols **handle)
{
  struct rtop_symbols *symbols = *handle;
  *handle = NULL;
  if (!symbols) return;
  HASH_CLEAR(hh, symbols->frames_by_key);
  for (uint32_t i = 0; i < symbols->frame_count; i++) symbols_free_frame(symbols->frames[i]);
  for (uint32_t i = 0; i < symbols->node_capacity / SYMBOLS_CHUNK; i++) free(symbols->node_chunks[i]);
  free(symbols->frames);
  free(symbols->node_chunks);
  free(symbols->node_slots);
  free(symbols);
}

void rtop_symbols_sweep_begin(struct rtop_symbols *symbols)
{
  for (uint32_t id = 0; id < symbols->frame_count; id++)
    if (symbols->frames[id]) symbols->frames[id]->marks &= (uint8_t)~SYMBOLS_USED;
  for (uint32_t id = 0; id < symbols->node_count; id++) *symbols_marks_at(symbols, id) &= (uint8_t)~SYMBOLS_USED;
  symbols->used_bytes = 0;
  rtop_symbols_use_node(symbols, symbols->unsampled);
}

void rtop_symbols_use_frame(struct rtop_symbols *symbols, uint32_t id)
{
  struct symbols_frame *frame = id < symbols->frame_count ? symbols->frames[id] : NULL;
  if (!frame || frame->marks & SYMBOLS_USED) return;
  frame->marks |= SYMBOLS_USED;
  symbols->used_bytes += symbols_frame_bytes(frame);
}

void rtop_symbols_use_node(struct rtop_symbols *symbols, uint32_t node)
{
  for (uint32_t id = node; id < symbols->node_count; id = symbols_at(symbols, id)->parent) {
    uint8_t *marks = symbols_marks_at(symbols, id);
    if (*marks & (SYMBOLS_USED | SYMBOLS_GONE)) return;
    *marks |= SYMBOLS_USED;
    symbols->used_bytes += sizeof(struct rtop_call_node) + 1 + 2 * sizeof *symbols->node_slots;
    rtop_symbols_use_frame(symbols, symbols_at(symbols, id)->frame);
  }
}

size_t rtop_symbols_used_bytes(const struct rtop_symbols *symbols)
{
  return symbols->used_bytes;
}

static void symbols_drop_frame(struct rtop_symbols *symbols, uint32_t id)
{
  struct symbols_frame *frame = symbols->frames[id];
  if (frame->completed) symbols->names_bytes -= strlen(frame->symbol.label) + strlen(frame->symbol.namespace_label) + 2;
  if (frame->generated) symbols->names_bytes -= strlen(frame->generated) + 1;
  symbols->names_bytes -= frame->hh.keylen;
  /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a frame that exists is in the hash */
  HASH_DEL(symbols->frames_by_key, frame);
  symbols_free_frame(frame);
  symbols->frames[id] = NULL;
  symbols->frames_gone++;
}

/* Judges an entry at the end of a sweep: an entry unused for the first time becomes idle; for the second time, it is
 * removed (true). */
static bool symbols_judge(uint8_t *marks)
{
  bool goes = !(*marks & SYMBOLS_USED) && *marks & SYMBOLS_IDLE;
  *marks = goes ? SYMBOLS_GONE : *marks & SYMBOLS_USED ? SYMBOLS_USED : SYMBOLS_IDLE;
  return goes;
}

/* Ends a sweep. An idle node still marks its frame and parent as used, so these become idle later at the earliest and
 * nothing is removed before its children. */
void rtop_symbols_sweep_end(struct rtop_symbols *symbols)
{
  uint32_t nodes = symbols->nodes_gone;
  *symbols_marks_at(symbols, 0) = symbols->frames[0]->marks = SYMBOLS_USED;
  for (uint32_t id = 1; id < symbols->node_count; id++) {
    uint8_t *marks = symbols_marks_at(symbols, id);
    if (*marks & SYMBOLS_GONE || !symbols_judge(marks)) continue;
    *symbols_at(symbols, id) = (struct rtop_call_node){ 0 };
    symbols->nodes_gone++;
  }
  for (uint32_t id = 1; id < symbols->frame_count; id++)
    if (symbols->frames[id] && symbols_judge(&symbols->frames[id]->marks)) symbols_drop_frame(symbols, id);
  symbols->frame_gone = symbols->node_gone = 1;
  if (nodes == symbols->nodes_gone || !symbols->node_slots) return;
  memset(symbols->node_slots, 0, symbols->slot_count * sizeof *symbols->node_slots);
  symbols_fill_slots(symbols);
}

bool rtop_symbols_holds_node(const struct rtop_symbols *symbols, uint32_t node)
{
  return node < symbols->node_count && !(*symbols_marks_at(symbols, node) & (SYMBOLS_IDLE | SYMBOLS_GONE));
}

bool rtop_symbols_holds_frame(const struct rtop_symbols *symbols, uint32_t frame)
{
  return frame < symbols->frame_count && symbols->frames[frame] && !(symbols->frames[frame]->marks & SYMBOLS_IDLE);
}

uint32_t rtop_symbols_reuses(const struct rtop_symbols *symbols)
{
  return symbols->reuses;
}

uint32_t rtop_symbols_serial(const struct rtop_symbols *symbols, uint32_t frame)
{
  return frame < symbols->frame_count && symbols->frames[frame] ? symbols->frames[frame]->serial : 0;
}

size_t rtop_symbols_bytes(const struct rtop_symbols *symbols)
{
  return symbols->names_bytes + (symbols->frame_count - symbols->frames_gone) * symbols_frame_bytes(NULL) +
         symbols->frame_capacity * sizeof *symbols->frames +
         symbols->node_capacity / SYMBOLS_CHUNK * sizeof(struct symbols_chunk) +
         symbols->slot_count * sizeof *symbols->node_slots;
}

uint32_t rtop_symbols_frame_count(const struct rtop_symbols *symbols)
{
  return symbols->frame_count;
}

uint32_t rtop_symbols_node_count(const struct rtop_symbols *symbols)
{
  return symbols->node_count;
}

const struct rtop_symbol *rtop_symbols_get(const struct rtop_symbols *symbols, uint32_t frame)
{
  const struct symbols_frame *found = frame < symbols->frame_count ? symbols->frames[frame] : NULL;
  return found ? &found->symbol : &symbols->frames[0]->symbol;
}

const struct rtop_call_node *rtop_symbols_get_node(const struct rtop_symbols *symbols, uint32_t node)
{
  return symbols_at(symbols, node < symbols->node_count ? node : 0);
}

uint32_t rtop_symbols_line(const struct rtop_symbols *symbols, uint32_t node)
{
  const struct rtop_call_node *call = rtop_symbols_get_node(symbols, node);
  uint32_t first = rtop_symbols_get(symbols, call->frame)->line;
  return call->line != 0 && call->line < first ? first : call->line;
}
