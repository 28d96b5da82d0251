/* SPDX-License-Identifier: MIT */
/* Draws random numbers, such as distances between samples. The generator is fast and seeded by its caller; it must not
 * be used for secrets. */
#ifndef RTOP_EXT_DRAW_H
#define RTOP_EXT_DRAW_H

#include <stdint.h>

/* Returns a uniform random number in [low_ns, low_ns + span_ns); span_ns must be below 2^31. *random is xorshift32
 * state (Marsaglia 2003) and must not be 0. */
static inline int64_t draw_ns(uint32_t *random, int64_t low_ns, int64_t span_ns)
{
  *random ^= *random << 13;
  *random ^= *random >> 17;
  *random ^= *random << 5;
  return low_ns + (int64_t)((uint64_t)*random * (uint64_t)span_ns >> 32);
}

#endif
