/* SPDX-License-Identifier: MIT */
/* Divides times into cells of fixed length, rounding down also below zero. */
#ifndef RTOP_TUI_FLOOR_DIV_H
#define RTOP_TUI_FLOOR_DIV_H

#include <stdint.h>

static inline int64_t rtop_floor_div(int64_t a, int64_t b)
{
  int64_t quotient = a / b;
  return a % b < 0 ? quotient - 1 : quotient;
}

#endif
