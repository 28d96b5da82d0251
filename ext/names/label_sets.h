/* SPDX-License-Identifier: MIT */
/* The sets of labels that the program has used; each gets a small number that is never reused.
 *
 * The table is bounded. When it is full, or the texts are too long in total, no new set is made; the fiber keeps its
 * old set, and the loss is counted.
 *
 * Threads: any thread of any Ractor. The lock is only tried, never waited for, so a lock held during a fork blocks no
 * thread of the child. Sets below the count never change, except `node`, which is protected by the sampler's lock.
 * Allocates with libc, so not for hooks, except label_sets_of().
 */
#ifndef RTOP_EXT_LABEL_SETS_H
#define RTOP_EXT_LABEL_SETS_H

#include "ext/base/trylock.h"
#include "shm/base/label_text.h"
#include <ruby.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { LABEL_SETS_MAX = 1024, LABEL_SETS_BYTES_MAX = 512 * 1024 };

struct label_set {
  uint64_t hash;
  uint32_t bytes;
  _Atomic uint32_t node; /* call tree node of the set; 0: none yet */
  char *text;            /* see shm/base/label_text.h */
};

struct label_sets {
  struct trylock lock;
  ID key;                 /* key under which a fiber stores the number of its set; 0: never used */
  _Atomic uint32_t count; /* number of sets; set 0 is empty and always exists */
  _Atomic uint64_t overflowed;
  uint32_t bytes;
  _Atomic uint16_t index[2 * LABEL_SETS_MAX]; /* hash table, open addressing: number of a set, 0 = free */
  struct label_set sets[LABEL_SETS_MAX];
  /* Number of times that each label of a set has begun since this was last reported, in the order of the labels in the
   * set's text. */
  _Atomic uint32_t begun[LABEL_SETS_MAX][RTOP_LABEL_PAIRS_MAX];
};

/* Initialises the sets for the life of the process; with the GVL. */
void label_sets_init(struct label_sets *sets);

/* Derives a set from `base` by adding labels; a label whose value is NULL is removed. The first RTOP_LABEL_PAIRS_MAX
 * labels by key are kept, as far as their text fits. Returns `base` itself when there is no room. `begins` determines
 * which of the labels count as begun. */
enum label_begins {
  LABEL_BEGINS_NEW, /* labels that `base` does not have */
  LABEL_BEGINS_ALL, /* all labels of the wish */
  LABEL_BEGINS_NONE,
};
/* Labels to add to the set `base`. `taken[i]` is true if label i continues a block that began in another thread; the
 * label is then not counted as begun. `works` has a bit for each label of `base`, set if the label belongs to the
 * enclosing block. */
struct label_wish {
  const struct rtop_label *labels;
  const bool *taken;
  size_t count;
  enum label_begins begins;
  uint32_t works;
};
/* The resulting set, with bits for its labels. `works`: the remaining bits of the wish, and the labels that begin;
 * `given`: the labels that were added. `lost`: there was no room for labels that would have begun. */
struct label_result {
  uint32_t set, works, given;
  bool lost;
};
struct label_result label_sets_with(struct label_sets *sets, uint32_t base, const struct label_wish *wish);

/* Returns how often the label of a set has begun since the last call, and resets the count. Any thread. */
static inline uint32_t label_sets_take_begun(struct label_sets *sets, uint32_t set, uint32_t label)
{
  _Atomic uint32_t *begun = &sets->begun[set][label];
  return atomic_load_explicit(begun, memory_order_relaxed) ? atomic_exchange_explicit(begun, 0, memory_order_relaxed)
                                                           : 0;
}
/* Resets all counts of begun labels without reporting them. */
void label_sets_forget_begun(struct label_sets *sets);

/* The set of labels and the piece of work (ext/sampling/work.h) that are stored in a thread's running fiber; 0: none.
 * label_sets_kept() makes no object. */
struct label_kept {
  uint32_t set;
  uint64_t piece; /* less than 1 << 45 */
};
struct label_kept label_sets_kept(const struct label_sets *sets, VALUE thread);
void label_sets_keep(const struct label_sets *sets, VALUE thread, struct label_kept kept);
/* Returns only the set of the thread's running fiber. */
uint32_t label_sets_of(const struct label_sets *sets, VALUE thread);

#endif
