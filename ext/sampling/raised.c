/* SPDX-License-Identifier: MIT */
/* Records exceptions in the hook, and names them in the job. */
#include "raised.h"

#include "sampler.h"
#include "stacks.h"
#include "ext/names/frame_names.h"
#include "shm/base/clock.h"
#include <ruby/debug.h>
#include <string.h>

enum { FEW_FRAMES = 2, SLOTS = 2 * RAISED_MAX };
#define FORGET_NS (30 * CLOCK_NS_PER_SECOND)
#define FORGET_SOON_NS CLOCK_NS_PER_SECOND /* age at which entries are freed when there is little room */

static void mark(void *pointer)
{
  const struct raised *raised = pointer;
  for (uint32_t i = 0; raised && i < RAISED_MAX; i++) {
    const struct raised_entry *entry = &raised->entries[i];
    if (!entry->class) continue;
    rb_gc_mark(entry->class);
    for (uint32_t level = 0; level < entry->depth; level++) rb_gc_mark(entry->frames[level]);
  }
}

/* The type has no write barrier, so the GC marks such an object in every cycle, minor ones included. */
static const rb_data_type_t marker_type = {
  .wrap_struct_name = "rperf_top/raised",
  .function = { .dmark = mark },
};

void raised_create(struct raised *raised)
{
  raised->marker = rb_data_typed_object_wrap(0, raised, &marker_type);
  rb_gc_register_address(&raised->marker);
}

void raised_destroy(struct raised *raised)
{
  if (!raised->marker) return;
  /* The Ruby object may exist until the next GC, so it must not point to freed memory. */
  RTYPEDDATA_DATA(raised->marker) = NULL;
  rb_gc_unregister_address(&raised->marker);
  raised->marker = 0;
}

/* ---- the hook ------------------------------------------------------------------------------------------ */

/* The exception that is being raised, and its location. */
struct raise_site {
  VALUE class, frames[RAISED_DEPTH];
  int lines[RAISED_DEPTH];
  uint32_t depth;
  int line; /* line of the outermost recorded frame */
  uint64_t serial;
};

/* Returns the number of frames from the innermost frame to the innermost frame of the program; 0 when the latter is not
 * among the `most` innermost frames. */
static uint32_t find_program(struct raise_site *site, int most)
{
  int count = rb_profile_frames(0, most, site->frames, site->lines);
  for (int level = 0; level < count; level++)
    if (!frame_names_is_core(site->frames[level])) return (uint32_t)level + 1;
  if (most == RAISED_DEPTH) site->depth = count > 0 ? (uint32_t)count : 0;
  return 0;
}

/* Finds the innermost frame of the program, usually the caller of Kernel#raise. */
static void find_site(struct raise_site *site)
{
  uint32_t depth = find_program(site, FEW_FRAMES);
  if (!depth) depth = find_program(site, RAISED_DEPTH);
  if (depth) site->depth = depth;
  if (depth == 1 && site->lines[0] == 0) site->lines[0] = rb_sourceline(); /* compiled code has none */
  site->line = site->depth ? site->lines[site->depth - 1] : 0;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
  return (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
}

static uint32_t slot_of(uint64_t serial, VALUE class, uint32_t depth, const VALUE *frames, int line)
{
  uint64_t hash = mix(mix(serial, class), (uint64_t)(uint32_t)line);
  for (uint32_t level = 0; level < depth; level++) hash = mix(hash ^ hash >> 32, frames[level]);
  return (uint32_t)(hash >> 40) % SLOTS;
}

static bool is_site(const struct raised_entry *entry, const struct raise_site *site)
{
  return entry->class == site->class && entry->serial == site->serial && entry->depth == site->depth &&
         entry->line == site->line && memcmp(entry->frames, site->frames, site->depth * sizeof *site->frames) == 0;
}

/* Returns the entry for this location, or NULL; *slot is then the slot where the entry belongs. */
static struct raised_entry *find(struct raised *raised, const struct raise_site *site, uint32_t *slot)
{
  *slot = slot_of(site->serial, site->class, site->depth, site->frames, site->line);
  for (; raised->slots[*slot]; *slot = (*slot + 1) % SLOTS) {
    struct raised_entry *entry = &raised->entries[raised->slots[*slot] - 1];
    if (is_site(entry, site)) return entry;
  }
  return NULL;
}

/* Adds an entry; NULL when there is no room. */
static struct raised_entry *add(struct raised *raised, const struct raise_site *site, uint32_t slot)
{
  if (raised->used == RAISED_MAX) return NULL;
  uint32_t free = 0;
  while (raised->entries[free].class) free++;
  struct raised_entry *entry = &raised->entries[free];
  entry->serial = site->serial;
  entry->depth = site->depth;
  entry->line = site->line;
  memcpy(entry->frames, site->frames, site->depth * sizeof *site->frames);
  atomic_store_explicit(&entry->node, 0, memory_order_relaxed);
  atomic_store_explicit(&entry->first_ns, 0, memory_order_relaxed);
  entry->class = site->class;
  raised->slots[slot] = (uint8_t)(free + 1);
  raised->used++;
  raised->unnamed = true;
  return entry;
}

static bool is_in_time(struct raised *raised, const struct sampler *sampler)
{
  uint64_t window = atomic_load_explicit(&sampler->window, memory_order_relaxed);
  if (window != raised->window) raised->in_window = 0;
  raised->window = window;
  return raised->in_window++ < RAISED_A_WINDOW;
}

void raised_note(struct raised *raised, struct sampler *sampler, VALUE exception, uint64_t serial)
{
  struct raise_site site = { .serial = serial };
  struct raised_entry *entry = NULL;
  if (!RB_SPECIAL_CONST_P(exception) && is_in_time(raised, sampler)) {
    uint32_t slot;
    site.class = rb_obj_class(exception);
    find_site(&site);
    entry = find(raised, &site, &slot);
    if (!entry) entry = add(raised, &site, slot);
    /* The job is triggered now, because the thread may sleep for long after the exception. */
    if (entry && raised->unnamed) rb_postponed_job_trigger(sampler->job);
  }
  if (!entry) {
    atomic_fetch_add_explicit(&raised->untold, 1, memory_order_relaxed);
    return;
  }
  int64_t now_ns = clock_now_ns();
  if (!atomic_load_explicit(&entry->first_ns, memory_order_relaxed))
    atomic_store_explicit(&entry->first_ns, now_ns, memory_order_relaxed);
  atomic_store_explicit(&entry->last_ns, now_ns, memory_order_relaxed);
  atomic_fetch_add_explicit(&entry->count, 1, memory_order_release);
}

/* ---- the job ------------------------------------------------------------------------------------------- */

/* Returns the node of the location; RTOP_NODE_ROOT when the node cannot be found now. */
static uint32_t find_node(struct sampler *sampler, const struct raised_entry *entry)
{
  int lines[RAISED_DEPTH] = { 0 };
  uint32_t node;
  if (entry->depth) lines[entry->depth - 1] = entry->line;
  struct raw_stack noted = { .frames = entry->frames, .lines = lines, .depth = entry->depth };
  if (!sampler_name_noted(sampler, &noted, &node)) return RTOP_NODE_ROOT;
  return node == RTOP_NODE_ROOT ? RTOP_NODE_NO_FRAMES : node;
}

/* Returns the node of a class's name; RTOP_NODE_ROOT when the name cannot be read now, RAISED_NO_NAME when there is no
 * room for the name. */
static uint32_t find_name(struct sampler *sampler, VALUE class)
{
  char text[FRAME_NAMES_LABEL_MAX];
  size_t bytes = frame_names_class(class, text);
  if (bytes == 0 || !trylock_take(&sampler->lock)) return RTOP_NODE_ROOT;
  uint32_t frame = frames_raised(&sampler->frames, text, bytes);
  uint32_t node = frame == FRAMES_OTHER ? RAISED_NO_NAME : calltree_child(&sampler->tree, RTOP_NODE_ROOT, frame, 0);
  trylock_release(&sampler->lock);
  return node == RTOP_NODE_ROOT ? RAISED_NO_NAME : node;
}

static bool name_entry(struct sampler *sampler, struct raised_entry *entry)
{
  bool full = calltree_count(&sampler->tree) >= sampler->tree.capacity / 4 * 3;
  uint32_t name = full ? RAISED_NO_NAME : find_name(sampler, entry->class);
  uint32_t node = name == RAISED_NO_NAME ? RAISED_NO_NAME : find_node(sampler, entry);
  if (name == RTOP_NODE_ROOT || node == RTOP_NODE_ROOT) return false;
  atomic_store_explicit(&entry->name, name, memory_order_relaxed);
  atomic_store_explicit(&entry->node, node, memory_order_release);
  return true;
}

/* Names the recorded exceptions. Naming makes objects and may switch threads, so more may be recorded meanwhile. */
void raised_name(struct raised *raised, struct sampler *sampler)
{
  if (!raised->unnamed || raised->naming) return;
  raised->naming = true;
  raised->unnamed = false;
  for (uint32_t i = 0; i < RAISED_MAX; i++) {
    struct raised_entry *entry = &raised->entries[i];
    if (!entry->class || atomic_load_explicit(&entry->node, memory_order_relaxed)) continue;
    if (!name_entry(sampler, entry)) raised->unnamed = true;
  }
  raised->naming = false;
}

/* Forgets entries without recent exceptions. An entry whose count is not 0 also belongs to the publisher and stays. */
void raised_age(struct raised *raised, int64_t now_ns)
{
  int64_t idle_ns = raised->used > RAISED_MAX / 2 ? FORGET_SOON_NS : FORGET_NS;
  if (!raised->used || raised->naming) return;
  memset(raised->slots, 0, sizeof raised->slots);
  for (uint32_t i = 0; i < RAISED_MAX; i++) {
    struct raised_entry *entry = &raised->entries[i];
    if (!entry->class) continue;
    bool told = atomic_load_explicit(&entry->count, memory_order_acquire) == 0;
    if (told && now_ns - atomic_load_explicit(&entry->last_ns, memory_order_relaxed) > idle_ns) {
      entry->class = 0;
      raised->used--;
      continue;
    }
    uint32_t slot = slot_of(entry->serial, entry->class, entry->depth, entry->frames, entry->line);
    while (raised->slots[slot]) slot = (slot + 1) % SLOTS;
    raised->slots[slot] = (uint8_t)(i + 1);
  }
}

void raised_begin(struct raised *raised)
{
  atomic_store(&raised->untold, 0);
  raised->unnamed = raised->used > 0;
  for (uint32_t i = 0; i < RAISED_MAX; i++) {
    struct raised_entry *entry = &raised->entries[i];
    atomic_store(&entry->count, 0);
    atomic_store(&entry->first_ns, 0);
    atomic_store(&entry->node, 0);
  }
}

/* ---- the publisher ------------------------------------------------------------------------------------- */

bool raised_look(const struct raised *raised, uint32_t at, uint32_t *name, uint32_t *node)
{
  const struct raised_entry *entry = &raised->entries[at];
  if (!atomic_load_explicit(&entry->count, memory_order_acquire)) return false;
  *node = atomic_load_explicit(&entry->node, memory_order_acquire);
  *name = atomic_load_explicit(&entry->name, memory_order_relaxed);
  return true;
}

struct raised_taken raised_take(struct raised *raised, uint32_t at)
{
  struct raised_entry *entry = &raised->entries[at];
  struct raised_taken taken = { .serial = entry->serial,
                                .name = atomic_load_explicit(&entry->name, memory_order_relaxed),
                                .node = atomic_load_explicit(&entry->node, memory_order_relaxed) };
  taken.first_ns = atomic_exchange_explicit(&entry->first_ns, 0, memory_order_relaxed);
  taken.last_ns = atomic_load_explicit(&entry->last_ns, memory_order_relaxed);
  taken.count = atomic_exchange_explicit(&entry->count, 0, memory_order_acq_rel);
  if (!taken.first_ns || taken.first_ns > taken.last_ns) taken.first_ns = taken.last_ns;
  return taken;
}
