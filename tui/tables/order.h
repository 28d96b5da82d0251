/* The order of the table on the screen: by the column the user sees, and calm.
 *
 * Rows that are equal stand in the order of their names. Two neighbours that differ by less than a
 * tenth of a point keep the places that they had. While the user moves the cursor (`hold`) no row
 * changes its place at all; new rows come last.
 *
 * Threads: one. Memory belongs to the order and grows with the number of frames.
 */
#ifndef RTOP_TUI_ORDER_H
#define RTOP_TUI_ORDER_H

#include "columns.h"
#include "tui/methods/methods.h"

struct order {
  uint32_t *rows; /* indexes into methods->rows */
  size_t count;
  double *values; /* by frame: what it is worth, by `valued` */
  enum rtop_sort_key valued;
  uint32_t *held; /* private: by place of the last time: row + 1 */
  size_t last_count, held_capacity;
  struct order_item {
    uint64_t key;
    uint32_t tie, row, frame;
  } * items, *spare; /* private */
  size_t capacity, row_capacity, value_capacity, spare_capacity;
  uint32_t *rank; /* by frame: place of the last time + 1; 0: none */
  size_t rank_capacity;
};

/* methods->rows (or their ranks) must come sorted by name, or by location when that is wanted. False when
 * memory ran out. */
bool order_apply(struct order *order, const struct rtop_methods *methods, enum rtop_sort_key sort, bool reverse,
                 bool hold, size_t frame_count);
/* Is something worth more than twice as much as what stands on top? */
bool order_leaps(struct order *order, const struct rtop_methods *methods, enum rtop_sort_key sort, size_t frame_count);
/* Where a frame stands; UINT32_MAX: nowhere. */
uint32_t order_place(const struct order *order, uint32_t frame);
/* The next order_apply starts afresh: the user chose another order. */
void order_forget(struct order *order);
void order_destroy(struct order *order);

#endif
