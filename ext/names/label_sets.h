/* SPDX-License-Identifier: MIT */
/* The sets of labels that the program has used: each gets a small number, never used again.
 *
 * A bounded table. When it is full, or the texts are too long in all, a new set is not made: the thread
 * keeps the one that it had, and the loss is counted.
 *
 * Threads: any, of any Ractor; a lock that is only tried, so that a fork in the wrong moment stops nobody.
 * Sets below the count are never changed but for `node`, which belongs to who holds the sampler's lock.
 * Allocates with libc; not for hooks. label_sets_of() is for hooks.
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
  _Atomic uint32_t node; /* call node that stands for it; 0: none yet */
  char *text;            /* label_text.h */
};

struct label_sets {
  struct trylock lock;
  ID key;                 /* under which a fiber keeps the number of its set; 0: never used */
  _Atomic uint32_t count; /* set 0 is empty and always there */
  _Atomic uint64_t overflowed;
  uint32_t bytes;
  _Atomic uint16_t index[2 * LABEL_SETS_MAX]; /* open addressing by hash: set, 0 = free */
  struct label_set sets[LABEL_SETS_MAX];
  /* By set and its label, in the order of its text: how often it began since it was told. */
  _Atomic uint32_t begun[LABEL_SETS_MAX][RTOP_LABEL_PAIRS_MAX];
};

/* For the life of the process; under the GVL. */
void label_sets_init(struct label_sets *sets);

/* The set `base` with these labels put in; one whose value is NULL is taken out. The first
 * RTOP_LABEL_PAIRS_MAX of them by key are kept, as far as their text fits. `base` itself when there is no
 * room. `begins`: which of them begin, and are counted. */
enum label_begins {
  LABEL_BEGINS_NEW, /* those that `base` does not have */
  LABEL_BEGINS_ALL, /* all that are put in */
  LABEL_BEGINS_NONE,
};
/* `taken[i]`: the label is taken along from work that goes on elsewhere, and does not begin. `works`: of the labels of
 * `base`, a bit each, those that the work is about for which these are. */
struct label_wish {
  const struct rtop_label *labels;
  const bool *taken;
  size_t count;
  enum label_begins begins;
  uint32_t works;
};
/* The set, and a bit for each of its labels: `works`: those of the wish that are still there, and those that begin;
 * `given`: those that were put in. `lost`: there was no room, and some would have begun. */
struct label_result {
  uint32_t set, works, given;
  bool lost;
};
struct label_result label_sets_with(struct label_sets *sets, uint32_t base, const struct label_wish *wish);

/* How often the label of a set began since the last call; counting begins again. Any thread. */
static inline uint32_t label_sets_take_begun(struct label_sets *sets, uint32_t set, uint32_t label)
{
  _Atomic uint32_t *begun = &sets->begun[set][label];
  return atomic_load_explicit(begun, memory_order_relaxed) ? atomic_exchange_explicit(begun, 0, memory_order_relaxed)
                                                           : 0;
}
/* All that was counted so far is of no interest. */
void label_sets_forget_begun(struct label_sets *sets);

/* What the fiber that the thread runs keeps: its set, and the piece of work that it is in (ext/sampling/work.h). 0: none.
 * Makes no object. */
struct label_kept {
  uint32_t set;
  uint64_t piece; /* below 1 << 45 */
};
struct label_kept label_sets_kept(const struct label_sets *sets, VALUE thread);
void label_sets_keep(const struct label_sets *sets, VALUE thread, struct label_kept kept);
/* The set only. */
uint32_t label_sets_of(const struct label_sets *sets, VALUE thread);

#endif
