/* SPDX-License-Identifier: MIT */
/* The order of the table on the screen: by the column the user sees, strictly. No row stands above one that is shown as
 * larger; those that are shown as the same stand by name, so that what nobody sees moves no row.
 *
 * While the user moves the cursor (`hold`) no row changes its place; new rows come last.
 *
 * Rows that are shown as less than `fold_below` stand at the end, those of `first` and `kept` aside, and those that wait for
 * the GVL for two hundred times as long: `folded` says how many these are. A row that is held stays on its side.
 *
 * Threads: one. Memory belongs to the order and grows with the number of frames.
 */
#ifndef RTOP_TUI_ORDER_H
#define RTOP_TUI_ORDER_H

#include "columns.h"
#include "tui/methods/methods.h"

/* Which rows it is of: all, those with something else than time off the GVL, or those with time off the GVL, whose
 * figures are that. */
enum order_part { ORDER_ALL, ORDER_BUSY, ORDER_OFF };

struct order {
  enum order_part part; /* set by its owner, as is the next */
  uint32_t first;       /* this frame stands above all others, however they are sorted; 0: none does */
  uint32_t kept;        /* this frame is never folded; 0: none */
  double fold_below;    /* a value, as rtop_method_value(); 0: nothing is folded */
  bool shares;          /* times are shown as shares in tenths of a percent */
  uint32_t *rows;       /* indexes into methods->rows */
  size_t count;
  size_t folded;             /* of these, at the end */
  enum rtop_sort_key valued; /* what the rows are in the order of */
  uint32_t *held;            /* private: by place of the last time: row + 1 */
  size_t last_count, last_above, held_capacity;
  struct order_item {
    uint64_t key;
    uint32_t tie, row;
  } * items, *spare; /* private */
  size_t capacity, row_capacity, spare_capacity;
  uint32_t *rank; /* by frame: place of the last time + 1; 0: none */
  size_t rank_capacity;
};

/* methods->rows (or their ranks) must come sorted by name, or by location when that is wanted. False when
 * memory ran out. */
bool order_apply(struct order *order, const struct rtop_methods *methods, enum rtop_sort_key sort, bool reverse,
                 bool hold, size_t frame_count);
/* Is the row, in busy mode, of nothing but time off the GVL? */
bool order_is_off(const struct rtop_method_row *row);
/* Where a frame stands; UINT32_MAX: nowhere. */
uint32_t order_place(const struct order *order, uint32_t frame);
/* The next order_apply starts afresh: the user chose another order. */
void order_forget(struct order *order);
void order_destroy(struct order *order);

#endif
