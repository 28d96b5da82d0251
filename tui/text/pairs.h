/* SPDX-License-Identifier: MIT */
/* A hash table from pairs of numbers to an index: (thread, node), (parent, frame), (caller, callee).
 *
 * Threads: one. A struct of zeros is empty.
 */
#ifndef RTOP_TUI_PAIRS_H
#define RTOP_TUI_PAIRS_H

#include <stddef.h>
#include <stdint.h>

struct rtop_pairs {
  struct rtop_pair {
    uint32_t first, second;
    uint32_t value; /* 0: the slot is free */
  } * slots;        /* private */
  size_t slot_count, count;
};

/* 0: it is not there. */
uint32_t rtop_pairs_find(const struct rtop_pairs *pairs, uint32_t first, uint32_t second);
/* Returns the value of a pair; 0 if the pair is new, and then the value must be set before the next call. NULL:
   memory ran out. */
uint32_t *rtop_pairs_at(struct rtop_pairs *pairs, uint32_t first, uint32_t second);
/* Forgets all pairs, keeps memory. */
void rtop_pairs_clear(struct rtop_pairs *pairs);
void rtop_pairs_destroy(struct rtop_pairs *pairs);

#endif
