/* SPDX-License-Identifier: MIT */
/* What the time of a method was spent for: its share by label set (RperfTop.label). No screen.
 *
 * A sum has no label sets any more (lens.h), so this goes through the windows of its span: it costs their cells,
 * and is not meant for every refresh. What was carried over from windows that are gone is not in it.
 *
 * Threads: one. Memory belongs to the shares and is used again; a zeroed struct is empty.
 */
#ifndef RTOP_TUI_LABEL_SHARES_H
#define RTOP_TUI_LABEL_SHARES_H

#include "tui/history/profile.h"
#include "tui/methods/methods.h"

enum { LABEL_SHARES_MAX = 16 };
#define LABEL_SHARES_SPAN_NS INT64_C(60000000000) /* of a longer span only so much, at its end */

struct label_share {
  uint32_t labels; /* frame of the set; 0: without labels */
  uint64_t ns;     /* by mode, of stacks with the method */
};

struct label_shares {
  struct label_share row[LABEL_SHARES_MAX];
  int count;       /* largest first */
  int more;        /* sets that are left out */
  uint64_t all_ns; /* of all sets */
  bool cut;        /* the span is longer than what was looked at */
  uint64_t *ns;    /* private: by frame */
  size_t capacity;
  struct label_share *found; /* private */
  size_t found_count, found_capacity;
  unsigned char *holds; /* private: by node: 0 not asked, 1 no, 2 the method is on its stack */
  size_t holds_capacity;
  unsigned char *hidden; /* private: by thread of the profile */
  size_t hidden_capacity;
};

/* Of the sum's span and of its threads that are not hidden, as the profile's lens shows the method. False when
 * memory ran out. */
bool label_shares_build(struct label_shares *shares, struct rtop_profile *profile, const struct rtop_sum *sum,
                        uint32_t frame, enum rtop_mode mode);
/* Does anything in it have labels? */
bool label_shares_any(const struct label_shares *shares);
void label_shares_destroy(struct label_shares *shares);

#endif
