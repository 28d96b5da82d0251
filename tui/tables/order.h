/* SPDX-License-Identifier: MIT */
/* The order of the table on the screen, by the column that the user sees. Values count as they read, so no row is above
 * one that reads larger, rows that read the same are sorted by name, and invisible differences move nothing.
 *
 * While the user moves the cursor (`hold`) rows keep their places, and new ones come last.
 *
 * Rows that read below `fold_below` are folded at the end, except `first`, `kept` and rows that waited 200 times as
 * long for the GVL; `folded` is their number. A held row stays on its side.
 *
 * Threads: one. The order owns its memory, which grows with the number of frames.
 */
#ifndef RTOP_TUI_ORDER_H
#define RTOP_TUI_ORDER_H

#include "columns.h"
#include "tui/methods/methods.h"

/* Which rows it contains: all, those with time besides that off the GVL, or those with time off the GVL, with just
 * these figures. */
enum order_part { ORDER_ALL, ORDER_BUSY, ORDER_OFF };

struct order {
  enum order_part part; /* set by its owner, like the next field */
  uint32_t first;       /* frame that is above all others, however they are sorted; 0: none */
  uint32_t kept;        /* this frame is never folded; 0: none */
  double fold_below;    /* a value, as rtop_method_value(); 0: nothing is folded */
  bool shares;          /* times are shown as shares, in tenths of a percent */
  uint32_t *rows;       /* indexes into methods->rows */
  size_t count;
  size_t folded;             /* of these, at the end */
  enum rtop_sort_key valued; /* sort key of the present order */
  uint32_t *held;            /* private: by previous place: row + 1 */
  size_t last_count, last_above, held_capacity;
  struct order_item {
    uint64_t key;
    uint32_t tie, row;
  } * items, *spare; /* private */
  size_t capacity, row_capacity, spare_capacity;
  uint32_t *rank; /* by frame: previous place + 1; 0: none */
  size_t rank_capacity;
};

/* Applies the order. methods->rows (or their ranks) must be sorted by name, or by location for that sort key. False
 * when memory ran out. */
bool order_apply(struct order *order, const struct rtop_methods *methods, enum rtop_sort_key sort, bool reverse,
                 bool hold, size_t frame_count);
/* In busy mode: does the row contain only time off the GVL? */
bool order_is_off(const struct rtop_method_row *row);
/* Where a frame stands; UINT32_MAX: nowhere. */
uint32_t order_place(const struct order *order, uint32_t frame);
/* Makes the next order_apply() start afresh, after the user chose another order. */
void order_forget(struct order *order);
void order_destroy(struct order *order);

#endif
