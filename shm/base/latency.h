/* SPDX-License-Identifier: MIT */
/* Buckets for lengths of calls: exact below 128 ns, then 64 buckets for each doubling, so that the middle of a bucket
 * is within 0.8 % of every length in it. Longer times than RTOP_LATENCY_MAX_NS count as RTOP_LATENCY_MAX_NS.
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

/* Returns the middle of a bucket, in ns; the bucket must be below RTOP_LATENCY_BUCKETS. */
static inline uint64_t rtop_latency_ns(uint32_t bucket)
{
  if (bucket < 2 * RTOP_LATENCY_STEPS) return bucket;
  uint32_t shift = bucket / RTOP_LATENCY_STEPS - 1;
  uint64_t low = (uint64_t)(RTOP_LATENCY_STEPS + bucket % RTOP_LATENCY_STEPS) << shift;
  return low + ((UINT64_C(1) << shift) - 1) / 2;
}

/* Maps a bucket to a coarse one, which combines eight buckets; its middle is within 6.2 % of every length in it. Only
 * the distribution of whole durations uses fine buckets, since distributions for all causes would need ten times the
 * space. */
enum { RTOP_LATENCY_COARSE = 8 };

static inline uint32_t rtop_latency_coarse(uint32_t bucket)
{
  return bucket < 2 * RTOP_LATENCY_STEPS ? bucket
                                         : bucket / RTOP_LATENCY_COARSE * RTOP_LATENCY_COARSE + RTOP_LATENCY_COARSE / 2;
}

#endif
