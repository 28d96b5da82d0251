/* SPDX-License-Identifier: MIT */
/* The table of frames: finds, names, marks and forgets them. */
#include "frames.h"

#include "frame_names.h"
#include "ext/base/gc_figures.h"
#include "ext/base/hash.h"
#include "ext/base/trylock.h"
#include "shm/base/label_text.h"
#include "shm/base/pattern.h"
#include <ruby/debug.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_SLOTS_FIRST = 2048 };

/* Forgets all VALUEs. Lock held, because a stack walk in progress uses ids that it found before. */
static void forget_values(struct frames *frames)
{
  memset(frames->values, 0, (frames->value_mask + 1) * sizeof *frames->values);
  frames->value_count = 0;
  atomic_fetch_add(&frames->generation, 1);
}

/* Forgets VALUEs once per major collection. VALUEs added while the collection runs are marked when the GC visits this
 * object again at the end of the collection. */
static void forget_in_major(struct frames *frames)
{
  size_t majors = gc_figure(frames->majors_key);
  if (majors == frames->majors || !trylock_take(frames->lock)) return;
  frames->majors = majors;
  forget_values(frames);
  trylock_release(frames->lock);
}

static void mark_values(void *pointer)
{
  struct frames *frames = pointer;
  if (!frames->values) return;
  forget_in_major(frames);
  for (uint32_t slot = 0; slot <= frames->value_mask; slot++)
    if (frames->values[slot].value) rb_gc_mark(frames->values[slot].value);
  noted_mark(&frames->noted);
}

/* The type has no write barrier, so the GC marks such an object in every cycle, minor ones included. */
static const rb_data_type_t marker_type = {
  .wrap_struct_name = "rperf_top/frames",
  .function = { .dmark = mark_values },
};

int frames_create(struct frames *frames, uint32_t capacity, uint32_t arena_bytes, struct trylock *lock,
                  VALUE majors_key)
{
  uint32_t strings = 2 * capacity;
  *frames = (struct frames){
    .capacity = capacity,
    .arena_capacity = arena_bytes,
    .string_capacity = strings,
    .value_mask = VALUE_SLOTS_FIRST - 1,
    .value_slots = 2 * FRAMES_VALUES_MIN,
    .lock = lock,
    .majors_key = majors_key,
  };
  frames->majors = gc_figure(majors_key);
  while (frames->value_slots < 2 * capacity) frames->value_slots *= 2;
  frames->values_max = frames->value_slots / 2;
  frames->entries = calloc(capacity, sizeof *frames->entries);
  /* Memory for the maximum size. At first only the first slots are used; the extra half holds the old entries during a
   * rehash. */
  frames->values = calloc(frames->value_slots + frames->value_slots / 2, sizeof *frames->values);
  frames->arena = calloc(1, arena_bytes);
  frames->strings = calloc(strings, sizeof *frames->strings);
  bool maps = id_map_create(&frames->identities, capacity) == 0 && id_map_create(&frames->string_ids, strings) == 0;
  if (!frames->entries || !frames->values || !frames->arena || !frames->strings || !maps) {
    frames_destroy(frames);
    return -1;
  }
  atomic_store(&frames->string_count, 1); /* string 0 is the empty string */
  atomic_store(&frames->count, RTOP_NODE_FIRST_FREE);
  frames_special(frames, "(other frames)");
  frames_special(frames, "(deeper frames)");
  frames_special(frames, "(rperf-top)");
  frames_special(frames, "(excluded)");
  frames_special(frames, "(shared)");
  waits_learn(&frames->waits);
  /* The object has no class, so the program's ObjectSpace does not show it. */
  frames->marker = rb_data_typed_object_wrap(0, frames, &marker_type);
  rb_gc_register_address(&frames->marker);
  return 0;
}

void frames_destroy(struct frames *frames)
{
  if (frames->marker) {
    /* The Ruby object may exist until the next GC, so it must not point to freed memory. */
    RTYPEDDATA_DATA(frames->marker) = NULL;
    rb_gc_unregister_address(&frames->marker);
  }
  free(frames->entries);
  id_map_destroy(&frames->identities);
  free(frames->values);
  free(frames->arena);
  free(frames->strings);
  id_map_destroy(&frames->string_ids);
  rtop_patterns_destroy(&frames->excluded);
  *frames = (struct frames){ 0 };
}

/* Returns the id of this string, adding the string if it is new; 0 when there is no room. */
static uint32_t intern(struct frames *frames, const char *bytes, size_t count)
{
  if (count == 0) return 0;
  uint64_t hash = hash_bytes(HASH_START, bytes, count) | 1;
  uint32_t known = id_map_find(&frames->string_ids, hash);
  if (known) return known;
  uint32_t id = atomic_load_explicit(&frames->string_count, memory_order_relaxed);
  if (id >= frames->string_capacity || count > frames->arena_capacity - frames->arena_used) return 0;
  memcpy(frames->arena + frames->arena_used, bytes, count);
  frames->strings[id] = (struct frames_string){ .offset = frames->arena_used, .bytes = (uint32_t)count };
  frames->arena_used += (uint32_t)count;
  id_map_add(&frames->string_ids, hash, id);
  atomic_store_explicit(&frames->string_count, id + 1, memory_order_release);
  return id;
}

bool frames_is_main(const struct frames *frames, uint32_t frame)
{
  static const char label[] = "<main>";
  const struct frames_string *string = &frames->strings[frames->entries[frame].label];
  return string->bytes == sizeof label - 1 && memcmp(frames->arena + string->offset, label, sizeof label - 1) == 0;
}

void frames_judge(const struct frames *frames, struct frames_entry *entry)
{
  struct rtop_pattern_frame frame = { .is_c = entry->kind == RTOP_FRAME_C };
  if (!frames->excluded || entry->kind == RTOP_FRAME_SPECIAL) {
    entry->excluded = false;
    return;
  }
  frame.label = frames_string(frames, entry->label, &frame.label_bytes);
  frame.namespace_label = frames_string(frames, entry->namespace_label, &frame.namespace_bytes);
  frame.path = frames_string(frames, entry->path, &frame.path_bytes);
  entry->excluded = rtop_patterns_match(frames->excluded, &frame);
}

static uint32_t add_entry(struct frames *frames, const struct frame_names *names, uint32_t kind)
{
  uint32_t id = atomic_load_explicit(&frames->count, memory_order_relaxed);
  uint32_t label = id < frames->capacity ? intern(frames, names->label, names->label_bytes) : 0;
  if (id >= frames->capacity || (names->label_bytes && !label)) {
    atomic_fetch_add(&frames->overflowed, 1);
    return FRAMES_OTHER;
  }
  struct frames_entry *entry = &frames->entries[id];
  entry->label = label;
  entry->namespace_label = intern(frames, names->namespace_label, names->namespace_bytes);
  entry->path = intern(frames, names->path, names->path_bytes);
  entry->line = names->line;
  entry->kind = (uint16_t)kind;
  frames_judge(frames, entry);
  atomic_store_explicit(&frames->count, id + 1, memory_order_release);
  return id;
}

uint32_t frames_special(struct frames *frames, const char *label)
{
  struct frame_names names = { .label = label, .label_bytes = strlen(label), .path = "", .namespace_label = "" };
  return add_entry(frames, &names, RTOP_FRAME_SPECIAL);
}

static uint32_t add_text(struct frames *frames, const char *namespace_label, const char *text, size_t bytes)
{
  struct frame_names names = {
    .label = text,
    .label_bytes = bytes,
    .path = "",
    .namespace_label = namespace_label,
    .namespace_bytes = strlen(namespace_label),
  };
  if (bytes > frames->arena_capacity / 8 - frames->labels_used) return FRAMES_OTHER;
  uint32_t frame = add_entry(frames, &names, RTOP_FRAME_SPECIAL);
  if (frame != FRAMES_OTHER) frames->labels_used += (uint32_t)bytes;
  return frame;
}

uint32_t frames_labels(struct frames *frames, const char *text, size_t bytes)
{
  return add_text(frames, RTOP_LABEL_NAMESPACE, text, bytes);
}

uint32_t frames_task(struct frames *frames, const char *text, size_t bytes)
{
  return add_text(frames, RTOP_FIBERS_NAMESPACE, text, bytes);
}

/* Finds or adds a frame in a namespace where each name has only one frame. */
static uint32_t add_once(struct frames *frames, const char *space, const char *text, size_t bytes)
{
  uint64_t identity = hash_bytes(hash_bytes(HASH_START, space, strlen(space)), text, bytes) | 1;
  uint32_t known = id_map_find(&frames->identities, identity);
  if (known) return known;
  uint32_t frame = add_text(frames, space, text, bytes);
  if (frame != FRAMES_OTHER) id_map_add(&frames->identities, identity, frame);
  return frame;
}

uint32_t frames_raised(struct frames *frames, const char *text, size_t bytes)
{
  return add_once(frames, RTOP_RAISED_NAMESPACE, text, bytes);
}

uint32_t frames_class(struct frames *frames, const char *text, size_t bytes)
{
  return add_once(frames, RTOP_OBJECTS_NAMESPACE, text, bytes);
}

/* Returns a hash of everything that identifies a frame (see frames.h). The label includes the owner, without
 * addresses. */
static uint64_t identity_of(const struct frame_names *names)
{
  uint64_t start = names->is_c ? 1 : hash_bytes(names->line + 2, names->path, names->path_bytes);
  return hash_bytes(start, names->label, names->label_bytes) | 1;
}

static uint32_t value_slot(const struct frames *frames, VALUE value)
{
  uint32_t slot = (uint32_t)((uint64_t)value * UINT64_C(0x9E3779B97F4A7C15) >> 40) & frames->value_mask;
  while (frames->values[slot].value && frames->values[slot].value != value) slot = (slot + 1) & frames->value_mask;
  return slot;
}

/* Doubles the hash table, like id_map.c. No Ruby code runs meanwhile, so the GC cannot see a half-filled table. */
static void grow_values(struct frames *frames)
{
  uint32_t before = frames->value_mask + 1, aside = 2 * before;
  memcpy(frames->values + aside, frames->values, before * sizeof *frames->values);
  memset(frames->values, 0, before * sizeof *frames->values);
  frames->value_mask = 2 * before - 1;
  for (uint32_t slot = aside; slot < aside + before; slot++) {
    VALUE value = frames->values[slot].value;
    if (value) frames->values[value_slot(frames, value)] = frames->values[slot];
  }
  memset(frames->values + aside, 0, before * sizeof *frames->values);
}

static void remember(struct frames *frames, VALUE value, uint32_t frame)
{
  if (frames->value_count >= frames->values_max) return;
  if (frames->value_count > frames->value_mask / 2 && frames->value_mask < frames->value_slots - 1) grow_values(frames);
  struct frames_value *entry = &frames->values[value_slot(frames, value)];
  if (!entry->value) frames->value_count++;
  *entry = (struct frames_value){ .value = value, .frame = frame };
}

/* Finds the frame with this identity, or makes it and sets *made. */
static uint32_t find_or_add(struct frames *frames, const struct frame_names *names, bool *made)
{
  uint64_t identity = identity_of(names);
  uint32_t known = id_map_find(&frames->identities, identity);
  *made = !known;
  if (known) return known;
  uint32_t frame = add_entry(frames, names, names->is_c ? RTOP_FRAME_C : RTOP_FRAME_RUBY);
  if (frame == FRAMES_OTHER) return frame;
  id_map_add(&frames->identities, identity, frame);
  return frame;
}

uint32_t frames_function(struct frames *frames, const char *label, const char *namespace_label)
{
  size_t label_bytes = strlen(label);
  struct frame_names names = {
    .plain = label,
    .plain_bytes = label_bytes,
    .label = label,
    .label_bytes = label_bytes,
    .namespace_label = namespace_label,
    .namespace_bytes = strlen(namespace_label),
    .path = "",
    .is_c = true,
  };
  bool made;
  return find_or_add(frames, &names, &made);
}

uint32_t frames_method_of_code(struct frames *frames, VALUE code, const char *label, const char *namespace_label)
{
  struct frame_names names;
  bool made;
  frame_names_labelled(code, label, namespace_label, &names);
  return find_or_add(frames, &names, &made);
}

/* Returns the frame of a wait method. Its name was learnt at load, so it need not be read from the VM. */
static uint32_t wait_frame(struct frames *frames, VALUE value, const struct wait *wait)
{
  struct frame_names names;
  bool made;
  frame_names_labelled(value, wait->label, wait->space, &names);
  uint32_t frame = find_or_add(frames, &names, &made);
  remember(frames, value, frame);
  return frame;
}

uint32_t frames_find(struct frames *frames, VALUE value)
{
  const struct frames_value *entry = &frames->values[value_slot(frames, value)];
  if (entry->value) return entry->frame;
  uint32_t wait = waits_find(&frames->waits, value);
  if (wait < WAITS_MAX) return wait_frame(frames, value, &frames->waits.entries[wait]);
  return frames->value_count < frames->values_max ? FRAMES_UNKNOWN : FRAMES_OTHER;
}

uint32_t frames_peek(struct frames *frames, VALUE value)
{
  struct frame_names names;
  bool made;
  if (frames->value_count >= frames->values_max || !frame_names_peek(value, &names)) return FRAMES_UNKNOWN;
  uint32_t frame = find_or_add(frames, &names, &made);
  remember(frames, value, frame);
  return frame;
}

bool frames_add(struct frames *frames, VALUE value)
{
  struct frame_names names;
  if (!frame_names_read(value, &names) || !trylock_take(frames->lock)) return false;
  bool made;
  remember(frames, value, find_or_add(frames, &names, &made));
  trylock_release(frames->lock);
  RB_GC_GUARD(value);
  return true;
}

void frames_make_room(struct frames *frames)
{
  bool crowded = frames->value_count > frames->values_max / 8 * 7;
  if (!crowded || !trylock_take(frames->lock)) return;
  forget_values(frames);
  trylock_release(frames->lock);
}
