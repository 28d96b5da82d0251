/* SPDX-License-Identifier: MIT */
/* The frames of the symbols in the order of their names, kept up to date while frames are added and names are
 * completed.
 *
 * Threads: one. A struct of zeros is empty.
 */
#ifndef RTOP_TUI_NAME_ORDER_H
#define RTOP_TUI_NAME_ORDER_H

#include "tui/history/symbols.h"
#include <stdbool.h>

/* Compares two frames. by_place: path and line first, then the name, else the name first; equal frames are ordered by
   id. */
int rtop_name_compare(const struct rtop_symbols *symbols, uint32_t first, uint32_t second, bool by_place);

struct rtop_name_order {
  uint32_t *ranks; /* by frame */
  size_t rank_capacity;
  uint32_t *frames; /* in order */
  size_t capacity;
  uint32_t count;
  uint32_t names; /* of the symbols */
  bool by_place;
};

/* Updates the ranks to the order of rtop_name_compare(). False when memory ran out. */
bool rtop_name_order_update(struct rtop_name_order *order, const struct rtop_symbols *symbols, bool by_place);
void rtop_name_order_destroy(struct rtop_name_order *order);

#endif
