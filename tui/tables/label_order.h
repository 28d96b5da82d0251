/* SPDX-License-Identifier: MIT */
/* The order of labels on the screen, which follows the rules for methods (order.h).
 *
 * Threads: one. A struct of zeros is empty; its memory is bounded.
 */
#ifndef RTOP_TUI_LABEL_ORDER_H
#define RTOP_TUI_LABEL_ORDER_H

#include "label_table.h"
#include "order.h"
#include "tui/text/pairs.h"

struct label_order {
  struct order order; /* private, as the rest */
  struct rtop_methods rows;
  struct rtop_pairs numbers; /* of labels, by their ids */
  struct label_table_options last;
};

/* Sorts the table's rows by `options`; for `shares` see struct order. False when memory ran out; the order is then
 * unchanged. */
bool label_order_apply(struct label_order *order, struct label_table *table, const struct label_table_options *options,
                       uint64_t length_ns, bool shares);
/* The next call starts afresh. */
void label_order_forget(struct label_order *order);
void label_order_destroy(struct label_order *order);

#endif
