/* SPDX-License-Identifier: MIT */
/* Finds a set of labels by its text, or adds it with a number of its own. */
#include "label_sets.h"

#include "ext/base/hash.h"
#include "ext/base/trylock.h"
#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { LOCK_TRIES = 1000, INDEX_MASK = 2 * LABEL_SETS_MAX - 1 };

/* The labels of a set while another set is derived from it. */
struct draft {
  struct rtop_label labels[RTOP_LABEL_PAIRS_MAX];
  struct rtop_label_buffer buffers[RTOP_LABEL_PAIRS_MAX];
  struct draft_flags {
    bool begins; /* the base set does not have this label */
    bool works;  /* the label belongs to the piece of work */
    bool given;
  } flags[RTOP_LABEL_PAIRS_MAX];
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

static void read_set(const struct label_set *set, uint32_t works, struct draft *draft)
{
  size_t at = 0;
  draft->count = 0;
  while (draft->count < RTOP_LABEL_PAIRS_MAX &&
         rtop_label_text_next(set->text, set->bytes, &at, &draft->buffers[draft->count])) {
    const struct rtop_label_buffer *buffer = &draft->buffers[draft->count];
    draft->flags[draft->count] = (struct draft_flags){ .works = works >> draft->count & 1 };
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
  memmove(&draft->flags[place], &draft->flags[place + 1], (draft->count - place) * sizeof *draft->flags);
}

static bool same_value(const struct rtop_label *a, const struct rtop_label *b)
{
  return a->value_bytes == b->value_bytes && memcmp(a->value, b->value, a->value_bytes) == 0;
}

static void replace(struct draft *draft, size_t place, const struct rtop_label *label, enum label_begins begins,
                    bool taken)
{
  struct draft_flags *flags = &draft->flags[place];
  bool other = !same_value(&draft->labels[place], label);
  flags->begins = !taken && (begins == LABEL_BEGINS_ALL || (begins == LABEL_BEGINS_NEW && other));
  flags->works = flags->begins || (flags->works && !other);
  flags->given = !taken;
  draft->labels[place] = *label;
}

static void put_in(struct draft *draft, const struct rtop_label *label, enum label_begins begins, bool taken)
{
  size_t place = 0;
  while (place < draft->count && compare(&draft->labels[place], label) < 0) place++;
  bool there = place < draft->count && compare(&draft->labels[place], label) == 0;
  if (!label->value || there) {
    if (there && !label->value) take_out(draft, place);
    else if (there) replace(draft, place, label, begins, taken);
    return;
  }
  if (place == RTOP_LABEL_PAIRS_MAX) return;
  if (draft->count == RTOP_LABEL_PAIRS_MAX) draft->count--;
  struct rtop_label *at = &draft->labels[place];
  memmove(at + 1, at, (draft->count - place) * sizeof *at);
  memmove(&draft->flags[place + 1], &draft->flags[place], (draft->count - place) * sizeof *draft->flags);
  *at = *label;
  bool begin = begins != LABEL_BEGINS_NONE && !taken;
  draft->flags[place] = (struct draft_flags){ .begins = begin, .works = begin, .given = !taken };
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

/* Returns the set with this text; 0 when there is none. *slot: the position of the set in the index, or the free
 * position for it. */
static uint32_t find(const struct label_sets *sets, uint64_t hash, const char *text, size_t bytes, uint32_t *slot)
{
  for (*slot = (uint32_t)(hash >> 20) & INDEX_MASK;; *slot = (*slot + 1) & INDEX_MASK) {
    uint32_t set = atomic_load_explicit(&sets->index[*slot], memory_order_acquire);
    const struct label_set *found = &sets->sets[set];
    if (set == 0 || (found->hash == hash && found->bytes == bytes && memcmp(found->text, text, bytes) == 0)) return set;
  }
}

/* Adds a set; 0 when there is no room. Lock held. */
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

/* Finds or adds the set with this text; 0 when there is no room. */
static uint32_t find_or_add(struct label_sets *sets, const char *text, size_t bytes)
{
  uint64_t hash = hash_bytes(HASH_START, text, bytes);
  uint32_t slot, set = find(sets, hash, text, bytes, &slot);
  if (set || !try_lock(sets)) return set;
  set = find(sets, hash, text, bytes, &slot); /* another thread may have added the set meanwhile */
  if (!set) set = add(sets, hash, text, bytes, slot);
  trylock_release(&sets->lock);
  return set;
}

/* Returns the result for a lack of room: the piece of work keeps its old labels. */
static struct label_result without_room(struct label_sets *sets, uint32_t base, const struct label_wish *wish,
                                        const struct draft *draft)
{
  struct label_result result = { .set = base, .works = wish->works };
  atomic_fetch_add_explicit(&sets->overflowed, 1, memory_order_relaxed);
  for (size_t i = 0; i < draft->count; i++) result.lost = result.lost || draft->flags[i].begins;
  return result;
}

struct label_result label_sets_with(struct label_sets *sets, uint32_t base, const struct label_wish *wish)
{
  struct draft draft;
  char text[RTOP_LABEL_TEXT_MAX];
  read_set(&sets->sets[base], wish->works, &draft);
  for (size_t i = 0; i < wish->count; i++)
    put_in(&draft, &wish->labels[i], wish->begins, wish->taken && wish->taken[i]);
  size_t bytes = rtop_label_text_write(draft.labels, draft.count, text, sizeof text);
  if (bytes == 0) return (struct label_result){ 0 };
  struct label_result result = { .set = find_or_add(sets, text, bytes) };
  if (!result.set) return without_room(sets, base, wish, &draft);
  for (size_t i = 0; i < draft.count; i++) {
    if (draft.flags[i].begins) atomic_fetch_add_explicit(&sets->begun[result.set][i], 1, memory_order_relaxed);
    result.works |= (uint32_t)draft.flags[i].works << i;
    result.given |= (uint32_t)draft.flags[i].given << i;
  }
  return result;
}

void label_sets_forget_begun(struct label_sets *sets)
{
  uint32_t count = atomic_load_explicit(&sets->count, memory_order_acquire);
  for (uint32_t set = 1; set < count; set++)
    for (uint32_t label = 0; label < RTOP_LABEL_PAIRS_MAX; label++) label_sets_take_begun(sets, set, label);
}

enum { KEPT_SET_BITS = 16 };
static_assert(LABEL_SETS_MAX <= 1 << KEPT_SET_BITS, "sets");

/* Reads the set and piece that are stored in the fiber. No other code should use the key, but the value is checked all
 * the same. */
struct label_kept label_sets_kept(const struct label_sets *sets, VALUE thread)
{
  VALUE value = sets->key && thread ? rb_thread_local_aref(thread, sets->key) : Qnil;
  if (!FIXNUM_P(value) || FIX2LONG(value) <= 0) return (struct label_kept){ 0 };
  unsigned long word = (unsigned long)FIX2LONG(value);
  uint32_t set = word & ((1 << KEPT_SET_BITS) - 1), count = atomic_load_explicit(&sets->count, memory_order_acquire);
  return (struct label_kept){ .set = set < count ? set : 0, .piece = word >> KEPT_SET_BITS };
}

void label_sets_keep(const struct label_sets *sets, VALUE thread, struct label_kept kept)
{
  unsigned long word = kept.piece << KEPT_SET_BITS | kept.set;
  if (!RB_OBJ_FROZEN(thread)) rb_thread_local_aset(thread, sets->key, word ? LONG2FIX((long)word) : Qnil);
}

uint32_t label_sets_of(const struct label_sets *sets, VALUE thread)
{
  uint32_t count = atomic_load_explicit(&sets->count, memory_order_acquire);
  return count > 1 ? label_sets_kept(sets, thread).set : 0;
}
