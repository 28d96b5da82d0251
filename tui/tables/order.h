/* SPDX-License-Identifier: MIT */
/* The order of the table on the screen, by the column that the user sees. Values are compared as they are displayed, so
 * no row is above one with a larger displayed value, rows with equal displayed values are sorted by name, and invisible
 * differences move nothing.
 *
 * While the user moves the cursor (`hold`) rows keep their places, and new ones come last.
 *
 * Rows whose displayed value is below `fold_below` are folded at the end, except `first`, `kept` and rows that
 * waited 200 times as long for the GVL; `folded` is their number. While rows are held, no row changes between folded
 * and not folded.
 *
 * Threads: one. The order owns its memory, which grows with the number of frames.
 */
#ifndef RTOP_TUI_ORDER_H
#define RTOP_TUI_ORDER_H

#include "columns.h"
#include "tui/methods/methods.h"

/* Which rows the order contains: all, those with time other than off the GVL, or those with time off the GVL, with
 * just these figures. */
enum order_part { ORDER_ALL, ORDER_BUSY, ORDER_OFF };

struct order {
  enum order_part part; /* set by the owner of the order, as are the next members up to `shares` */
  uint32_t first;       /* frame that comes before all others, whatever the sort key; 0: none */
  uint32_t kept;        /* this frame is never folded; 0: none */
  double fold_below;    /* a value of the sort key, as rtop_method_value(); 0: nothing is folded */
  bool shares;          /* times are displayed as shares, in tenths of a percent */
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

/* Applies the order. methods->rows (or their ranks) must be sorted by name, or by location if that is the sort key.
 * False when memory ran out. */
bool order_apply(struct order *order, const struct rtop_methods *methods, enum rtop_sort_key sort, bool reverse,
                 bool hold, size_t frame_count);
/* In busy mode: does the row contain only time off the GVL? */
bool order_is_off(const struct rtop_method_row *row);
/* Where a frame stands; UINT32_MAX: nowhere. */
uint32_t order_place(const struct order *order, uint32_t frame);
/* Discards the previous order, after the user chose another one, so that the next order_apply() holds no rows. */
void order_forget(struct order *order);
void order_destroy(struct order *order);

#endif
