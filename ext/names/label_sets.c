/* SPDX-License-Identifier: MIT */
/* Finds a set of labels by its text, or gives it a number. */
#include "label_sets.h"

#include "ext/base/hash.h"
#include "ext/base/trylock.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { LOCK_TRIES = 1000, INDEX_MASK = 2 * LABEL_SETS_MAX - 1 };

/* The labels of a set while another is made of it. */
struct draft {
  struct rtop_label labels[RTOP_LABEL_PAIRS_MAX];
  struct rtop_label_buffer buffers[RTOP_LABEL_PAIRS_MAX];
  bool begins[RTOP_LABEL_PAIRS_MAX]; /* it was not there before */
  size_t count;
};

void label_sets_init(struct label_sets *sets)
{
  static char empty[1];
  trylock_release(&sets->lock);
  sets->key = rb_intern("__rperf_top_labels__");
  sets->sets[0] = (struct label_set){ .text = empty };
  atomic_store(&sets->count, 1);
}

static int compare(const struct rtop_label *a, const struct rtop_label *b)
{
  size_t both = a->key_bytes < b->key_bytes ? a->key_bytes : b->key_bytes;
  int order = memcmp(a->key, b->key, both);
  if (order != 0) return order;
  return a->key_bytes < b->key_bytes ? -1 : a->key_bytes > b->key_bytes;
}

static void read_set(const struct label_set *set, struct draft *draft)
{
  size_t at = 0;
  draft->count = 0;
  while (draft->count < RTOP_LABEL_PAIRS_MAX &&
         rtop_label_text_next(set->text, set->bytes, &at, &draft->buffers[draft->count])) {
    const struct rtop_label_buffer *buffer = &draft->buffers[draft->count];
    draft->begins[draft->count] = false;
    draft->labels[draft->count++] = (struct rtop_label){
      .key = buffer->key,
      .value = buffer->value,
      .key_bytes = strlen(buffer->key),
      .value_bytes = strlen(buffer->value),
    };
  }
}

static void take_out(struct draft *draft, size_t place)
{
  draft->count--;
  struct rtop_label *at = &draft->labels[place];
  memmove(at, at + 1, (draft->count - place) * sizeof *at);
  memmove(&draft->begins[place], &draft->begins[place + 1], (draft->count - place) * sizeof *draft->begins);
}

static bool same_value(const struct rtop_label *a, const struct rtop_label *b)
{
  return a->value_bytes == b->value_bytes && memcmp(a->value, b->value, a->value_bytes) == 0;
}

static void put_in(struct draft *draft, const struct rtop_label *label, enum label_begins begins)
{
  size_t place = 0;
  while (place < draft->count && compare(&draft->labels[place], label) < 0) place++;
  bool there = place < draft->count && compare(&draft->labels[place], label) == 0;
  if (!label->value || there) {
    if (there && !label->value) take_out(draft, place);
    else if (there) {
      draft->begins[place] =
          begins == LABEL_BEGINS_ALL || (begins == LABEL_BEGINS_NEW && !same_value(&draft->labels[place], label));
      draft->labels[place] = *label;
    }
    return;
  }
  if (place == RTOP_LABEL_PAIRS_MAX) return;
  if (draft->count == RTOP_LABEL_PAIRS_MAX) draft->count--;
  struct rtop_label *at = &draft->labels[place];
  memmove(at + 1, at, (draft->count - place) * sizeof *at);
  memmove(&draft->begins[place + 1], &draft->begins[place], (draft->count - place) * sizeof *draft->begins);
  *at = *label;
  draft->begins[place] = begins != LABEL_BEGINS_NONE;
  draft->count++;
}

static bool try_lock(struct label_sets *sets)
{
  for (int tries = 0; tries < LOCK_TRIES; tries++) {
    if (trylock_take(&sets->lock)) return true;
    sched_yield();
  }
  return false;
}

/* The set with this text, 0 when there is none; *slot is where it stands in the index, or would. */
static uint32_t find(const struct label_sets *sets, uint64_t hash, const char *text, size_t bytes, uint32_t *slot)
{
  for (*slot = (uint32_t)(hash >> 20) & INDEX_MASK;; *slot = (*slot + 1) & INDEX_MASK) {
    uint32_t set = atomic_load_explicit(&sets->index[*slot], memory_order_acquire);
    const struct label_set *found = &sets->sets[set];
    if (set == 0 || (found->hash == hash && found->bytes == bytes && memcmp(found->text, text, bytes) == 0)) return set;
  }
}

/* The lock is held. */
static uint32_t add(struct label_sets *sets, uint64_t hash, const char *text, size_t bytes, uint32_t slot)
{
  uint32_t set = atomic_load_explicit(&sets->count, memory_order_relaxed);
  if (set == LABEL_SETS_MAX || bytes > LABEL_SETS_BYTES_MAX - sets->bytes) return 0;
  char *copy = malloc(bytes);
  if (!copy) return 0;
  memcpy(copy, text, bytes);
  sets->sets[set] = (struct label_set){ .hash = hash, .bytes = (uint32_t)bytes, .text = copy };
  sets->bytes += (uint32_t)bytes;
  atomic_store_explicit(&sets->count, set + 1, memory_order_release);
  atomic_store_explicit(&sets->index[slot], (uint16_t)set, memory_order_release);
  return set;
}

/* The set with this text, made when it is new; 0 when there is no room. */
static uint32_t find_or_add(struct label_sets *sets, const char *text, size_t bytes)
{
  uint64_t hash = hash_bytes(HASH_START, text, bytes);
  uint32_t slot, set = find(sets, hash, text, bytes, &slot);
  if (set || !try_lock(sets)) return set;
  set = find(sets, hash, text, bytes, &slot); /* somebody may have been quicker */
  if (!set) set = add(sets, hash, text, bytes, slot);
  trylock_release(&sets->lock);
  return set;
}

uint32_t label_sets_with(struct label_sets *sets, uint32_t base, const struct rtop_label *labels, size_t count,
                         enum label_begins begins)
{
  struct draft draft;
  char text[RTOP_LABEL_TEXT_MAX];
  read_set(&sets->sets[base], &draft);
  for (size_t i = 0; i < count; i++) put_in(&draft, &labels[i], begins);
  size_t bytes = rtop_label_text_write(draft.labels, draft.count, text, sizeof text);
  if (bytes == 0) return 0;
  uint32_t set = find_or_add(sets, text, bytes);
  if (!set) {
    atomic_fetch_add_explicit(&sets->overflowed, 1, memory_order_relaxed);
    return base;
  }
  for (size_t i = 0; i < draft.count; i++)
    if (draft.begins[i]) atomic_fetch_add_explicit(&sets->begun[set][i], 1, memory_order_relaxed);
  return set;
}

void label_sets_forget_begun(struct label_sets *sets)
{
  uint32_t count = atomic_load_explicit(&sets->count, memory_order_acquire);
  for (uint32_t set = 1; set < count; set++)
    for (uint32_t label = 0; label < RTOP_LABEL_PAIRS_MAX; label++) label_sets_take_begun(sets, set, label);
}

uint32_t label_sets_of(const struct label_sets *sets, VALUE thread)
{
  uint32_t count = atomic_load_explicit(&sets->count, memory_order_acquire);
  if (count <= 1 || !thread) return 0;
  VALUE set = rb_thread_local_aref(thread, sets->key);
  return FIXNUM_P(set) && FIX2LONG(set) >= 0 && FIX2LONG(set) < (long)count ? (uint32_t)FIX2LONG(set) : 0;
}

void label_sets_give(const struct label_sets *sets, VALUE thread, uint32_t set)
{
  if (!RB_OBJ_FROZEN(thread)) rb_thread_local_aset(thread, sets->key, set ? UINT2NUM(set) : Qnil);
}
