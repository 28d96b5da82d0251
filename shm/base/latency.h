/* SPDX-License-Identifier: MIT */
/* Lengths of calls as numbers of buckets: exact below 128 ns, and 64 buckets for each doubling above, so that the
 * middle of a bucket is within 0.8 % of every length in it. What is longer than RTOP_LATENCY_MAX_NS counts as that.
 */
#ifndef RTOP_SHM_LATENCY_H
#define RTOP_SHM_LATENCY_H

#include <stdint.h>

#define RTOP_LATENCY_MAX_NS ((UINT64_C(1) << 42) - 1) /* 73 minutes */
enum { RTOP_LATENCY_STEPS = 64, RTOP_LATENCY_BUCKETS = 37 * RTOP_LATENCY_STEPS };

static inline uint32_t rtop_latency_bucket(uint64_t ns)
{
  if (ns < 2 * RTOP_LATENCY_STEPS) return (uint32_t)ns;
  if (ns > RTOP_LATENCY_MAX_NS) ns = RTOP_LATENCY_MAX_NS;
  uint32_t shift = 63 - (uint32_t)__builtin_clzll(ns) - 6;
  return shift * RTOP_LATENCY_STEPS + (uint32_t)(ns >> shift);
}

/* The middle of a bucket below RTOP_LATENCY_BUCKETS. */
static inline uint64_t rtop_latency_ns(uint32_t bucket)
{
  if (bucket < 2 * RTOP_LATENCY_STEPS) return bucket;
  uint32_t shift = bucket / RTOP_LATENCY_STEPS - 1;
  uint64_t low = (uint64_t)(RTOP_LATENCY_STEPS + bucket % RTOP_LATENCY_STEPS) << shift;
  return low + ((UINT64_C(1) << shift) - 1) / 2;
}

/* Times of work by cause take ten times the room of those of the whole. So only those of the whole are as fine as above;
 * others share eight buckets, and the middle of these is within 6.2 % of every length in them. */
enum { RTOP_LATENCY_COARSE = 8 };

static inline uint32_t rtop_latency_coarse(uint32_t bucket)
{
  return bucket < 2 * RTOP_LATENCY_STEPS ? bucket
                                         : bucket / RTOP_LATENCY_COARSE * RTOP_LATENCY_COARSE + RTOP_LATENCY_COARSE / 2;
}

#endif
