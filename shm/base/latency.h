/* SPDX-License-Identifier: MIT */
/* Buckets for lengths of calls: exact below 128 ns, then 64 buckets for each doubling, so that the middle of a bucket
 * is within 0.8 % of every length in it. Lengths above RTOP_LATENCY_MAX_NS count as that.
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

/* Distributions by cause would need ten times the space of the whole's. So only the whole's is as fine as above; the
 * others combine eight buckets into one, whose middle is within 6.2 % of every length in it. */
enum { RTOP_LATENCY_COARSE = 8 };

static inline uint32_t rtop_latency_coarse(uint32_t bucket)
{
  return bucket < 2 * RTOP_LATENCY_STEPS ? bucket
                                         : bucket / RTOP_LATENCY_COARSE * RTOP_LATENCY_COARSE + RTOP_LATENCY_COARSE / 2;
}

#endif
