/* Room in an array that grows. Threads: no shared state.
 */
#ifndef RTOP_TUI_RESERVE_H
#define RTOP_TUI_RESERVE_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for `count` elements of `bytes` each in the array that the pointer at `array` points to;
 * new elements are zero. False: memory ran out, everything stays as it was. */
bool rtop_reserve(void *array, size_t *capacity, size_t count, size_t bytes);

#endif
