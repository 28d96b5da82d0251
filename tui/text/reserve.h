/* SPDX-License-Identifier: MIT */
/* Memory for arrays that grow. Threads: no shared state.
 */
#ifndef RTOP_TUI_RESERVE_H
#define RTOP_TUI_RESERVE_H

#include <stdbool.h>
#include <stddef.h>

bool rtop_reserve_more(void *array, size_t *capacity, size_t count, size_t bytes); /* private */

/* Makes room for `count` elements of `bytes` bytes each in the array whose pointer is stored at `array`; new elements
 * are zero. False: memory ran out, and nothing is changed. */
static inline bool rtop_reserve(void *array, size_t *capacity, size_t count, size_t bytes)
{
  return count <= *capacity || rtop_reserve_more(array, capacity, count, bytes);
}

#endif
