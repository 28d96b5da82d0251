/* SPDX-License-Identifier: MIT */
/* The time of a method divided by the work that it was spent for: shares by label set (RperfTop.label). No screen.
 *
 * Sums lack label sets (lens.h), so this reads the windows of the span; its cost grows with their cells, so it is not
 * meant for every update. Sums carried from dropped windows are not included.
 *
 * Threads: one. The shares own their memory and reuse it; a struct of zeros is empty.
 */
#ifndef RTOP_TUI_LABEL_SHARES_H
#define RTOP_TUI_LABEL_SHARES_H

#include "tui/history/profile.h"
#include "tui/methods/methods.h"

enum { LABEL_SHARES_MAX = 16 };
/* limit for the examined time (ns), which is at the end of a longer span */
#define LABEL_SHARES_SPAN_NS INT64_C(60000000000)

struct label_share {
  uint32_t labels; /* frame of the set; 0: without labels */
  uint64_t ns;     /* by mode, of stacks with the method */
};

struct label_shares {
  struct label_share row[LABEL_SHARES_MAX];
  int count;       /* largest first */
  int more;        /* sets that are left out */
  uint64_t all_ns; /* of all sets */
  bool cut;        /* the span is longer than the examined time */
  uint64_t *ns;    /* private: by frame */
  size_t capacity;
  struct label_share *found; /* private */
  size_t found_count, found_capacity;
  unsigned char *holds; /* private: is the method on the stack of a node? By node: 0 unknown, 1 no, 2 yes */
  size_t holds_capacity;
  unsigned char *hidden; /* private: by thread of the profile */
  size_t hidden_capacity;
};

/* Computes shares for the sum's span and its threads that are not hidden, with the method as the profile's lens shows
 * it. False when memory ran out. */
bool label_shares_build(struct label_shares *shares, struct rtop_profile *profile, const struct rtop_sum *sum,
                        uint32_t frame, enum rtop_mode mode);
/* Does anything in it have labels? */
bool label_shares_any(const struct label_shares *shares);
void label_shares_destroy(struct label_shares *shares);

#endif
