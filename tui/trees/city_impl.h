/* SPDX-License-Identifier: MIT */
/* Shared by city.c (inhabitants), city_figures.c (their figures), city_groups.c (classes and packages)
 * and city_plan.c (places). */
#ifndef RTOP_TUI_CITY_IMPL_H
#define RTOP_TUI_CITY_IMPL_H

#include "city.h"

/* By frame. */
struct city_frame {
  uint32_t method, kind, package; /* buildings: index + 1 */
  uint32_t serial;                /* of the frame that they are of */
  uint32_t row;                   /* index + 1 */
  bool present;                   /* in the sum at hand */
};

/* Returns the building of a method, made with its class and package if new; NULL: memory ran out. */
struct city_building *city_settle(struct city *city, const struct rtop_symbols *symbols, uint32_t frame);
/* Returns the level at which a block is shown: packages, classes or methods. */
enum city_level city_level_of(const struct city *city, const struct city_block *block);
/* Computes the time of classes and packages on the stack of their busiest thread, if any are shown. */
bool city_groups(struct city *city, const struct rtop_sum *sum, const struct rtop_symbols *symbols);
bool city_plan(struct city *city, int64_t now_ns, struct city_ground ground);

#endif
