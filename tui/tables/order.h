/* The order of the table on the screen: by the column the user sees, and calm.
 *
 * Figures of shares are shown as they were until they differ by more than chance makes of the samples (calm.h). Nothing
 * stands above what is shown as larger by more than a tenth of it (of shares, by more than half a point and half of it).
 * Within that, rows keep the places that they had, until one is larger by more than a twentieth
 * (a tenth of a point) on the average of the last few times: figures that swing do not swap rows, and what differs
 * stands right after some seconds. That is so for the rows that are looked at, at most the first thousand; below them
 * the order is strict. Counts of this moment, names and changes are ordered strictly. Rows that come stand
 * below those of their size.
 *
 * While the user moves the cursor (`hold`) no row changes its place at all; new rows come last.
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
#include "tui/text/calm.h"

/* Which rows it is of: all, those with something else than time off the GVL, or those with time off the GVL, whose
 * figures are that. */
enum order_part { ORDER_ALL, ORDER_BUSY, ORDER_OFF };

struct order {
  enum order_part part; /* set by its owner, as is the next */
  uint32_t first;       /* this frame stands above all others, however they are sorted; 0: none does */
  uint32_t kept;        /* this frame is never folded; 0: none */
  double fold_below;    /* a value, as rtop_method_value(); 0: nothing is folded */
  size_t seen;          /* so many rows may be looked at: those below need not stand still; 0: any number */
  uint32_t *rows;       /* indexes into methods->rows */
  size_t count;
  size_t folded;  /* of these, at the end */
  double *values; /* by frame: what it is worth, by `valued`, and shown as (calm.h), */
  double *smooth; /* and that on the average of the last times */
  double samples; /* set by its owner: of one thread in the span; 0: figures are shown as they are */
  enum rtop_sort_key valued;
  uint32_t *held; /* private: by place of the last time: row + 1 */
  size_t last_count, last_above, held_capacity;
  struct order_item {
    uint64_t key;
    uint32_t tie, row, frame;
  } * items, *spare;          /* private */
  struct rtop_calm_row *calm; /* private, as the rest */
  uint64_t *heap;
  size_t capacity, row_capacity, value_capacity, smooth_capacity, spare_capacity, heap_capacity, calm_capacity;
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
