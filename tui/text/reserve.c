/* SPDX-License-Identifier: MIT */
/* Doubles an array. */
#include "reserve.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool rtop_reserve_more(void *array, size_t *capacity, size_t count, size_t bytes)
{
  void *old, *grown;
  if (count > SIZE_MAX / 4 / bytes) /* The check keeps the growth by half, plus a constant, from overflowing. */
    return false;
  memcpy(&old, array, sizeof old);
  size_t wanted = count + count / 2 + 64;
  grown = realloc(old, wanted * bytes);
  if (!grown) return false;
  memset((char *)grown + *capacity * bytes, 0, (wanted - *capacity) * bytes);
  memcpy(array, &grown, sizeof grown);
  *capacity = wanted;
  return true;
}
