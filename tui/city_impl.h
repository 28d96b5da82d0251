/* What city.c (who lives there), city_groups.c (figures of classes and packages) and city_plan.c (where)
 * share. */
#ifndef RTOP_TUI_CITY_IMPL_H
#define RTOP_TUI_CITY_IMPL_H

#include "city.h"

/* The level at which a block is shown. */
enum city_level city_level_of(const struct city *city, const struct city_block *block);
bool city_groups(struct city *city, const struct rtop_sum *sum, const struct rtop_symbols *symbols);
bool city_plan(struct city *city, int64_t now_ns, int columns);

#endif
