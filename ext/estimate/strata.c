/* SPDX-License-Identifier: MIT */
/* Classifies stretches by kind, and decides which kinds have a stratum of their own. */
#include "strata.h"

enum { WINDOWS_IN_MEAN = 8, WINDOWS_LEAST = 16 };

/* Returns the length class of a stretch: 1 below 8 us, 2 below 131 us, 3 below 2.1 ms, 4 from there on. */
static uint32_t length_class(int64_t length_ns)
{
  uint32_t class = 1;
  for (int64_t limit_ns = 8192; length_ns >= limit_ns && class < 4; limit_ns *= 16) class ++;
  return class;
}

uint64_t strata_key(uint32_t begin_node, uint32_t end_node, int64_t length_ns)
{
  if (!begin_node && !end_node) return length_class(length_ns);
  return (uint64_t)begin_node << 36 | (uint64_t)end_node << 4;
}

static uint32_t claim(struct strata *strata, uint64_t key)
{
  for (uint32_t id = 1; id < STRATA_KINDS; id++) {
    uint64_t none = 0;
    if (atomic_load_explicit(&strata->keys[id], memory_order_relaxed)) continue;
    if (atomic_compare_exchange_strong_explicit(&strata->keys[id], &none, key, memory_order_relaxed,
                                                memory_order_relaxed))
      return id;
  }
  return 0;
}

uint32_t strata_end(struct strata *strata, uint64_t key, int64_t length_ns)
{
  uint32_t id = 1;
  while (id < STRATA_KINDS && atomic_load_explicit(&strata->keys[id], memory_order_relaxed) != key) id++;
  if (id == STRATA_KINDS) id = claim(strata, key);
  struct stratum *stratum = &strata->entries[id];
  if (id && length_ns > 0) {
    atomic_fetch_add_explicit(&stratum->wall_ns, length_ns, memory_order_relaxed);
    atomic_fetch_add_explicit(&stratum->ends, 1, memory_order_relaxed);
  }
  return id;
}

/* Stores node and window in one atomic word, so that a reader never mixes two samples. */
void strata_met(struct strata *strata, uint32_t kind, uint32_t node)
{
  uint32_t window = atomic_load_explicit(&strata->windows, memory_order_relaxed);
  atomic_store_explicit(&strata->entries[kind].met, (uint64_t)window << 32 | node, memory_order_relaxed);
}

uint32_t strata_met_lately(const struct strata *strata, uint32_t kind)
{
  uint64_t met = atomic_load_explicit(&strata->entries[kind].met, memory_order_relaxed);
  uint32_t window = atomic_load_explicit(&strata->windows, memory_order_relaxed);
  return window - (uint32_t)(met >> 32) <= STRATA_LATELY_WINDOWS ? (uint32_t)met : 0;
}

void strata_take_waiting(struct strata *strata, int64_t waiting_ns[STRATA_COUNT])
{
  for (uint32_t stratum = 0; stratum < STRATA_COUNT; stratum++) {
    struct stratum *entry = &strata->entries[stratum];
    waiting_ns[stratum] = entry->carried_ns + atomic_exchange_explicit(&entry->waiting_ns, 0, memory_order_relaxed);
  }
}

uint32_t strata_divided(struct strata *strata, uint32_t stratum, int64_t waiting_ns, bool divided, uint32_t windows)
{
  struct stratum *entry = &strata->entries[stratum];
  entry->carried_ns = divided ? 0 : waiting_ns;
  entry->unmet_windows = divided || waiting_ns <= 0 ? 0 : entry->unmet_windows + windows;
  if (divided) entry->in_vain_windows = 0;
  return entry->unmet_windows;
}

bool strata_waits(const struct strata *strata, uint32_t stratum, int64_t period_ns)
{
  const struct stratum *entry = &strata->entries[stratum];
  bool in_vain = entry->in_vain_windows >= STRATA_LATELY_WINDOWS;
  return entry->unmet_windows <= STRATA_UNMET_WINDOWS && !(in_vain && entry->carried_ns < period_ns);
}

void strata_collapsed(struct strata *strata, uint32_t stratum)
{
  struct stratum *entry = &strata->entries[stratum];
  if (entry->in_vain_windows < STRATA_LATELY_WINDOWS) entry->in_vain_windows += entry->unmet_windows;
  entry->carried_ns = 0;
  entry->unmet_windows = 0;
}

static void follow(double *mean, _Atomic int64_t *sum, int64_t length_ns, bool first)
{
  double per_s = (double)atomic_exchange_explicit(sum, 0, memory_order_relaxed) * 1e9 / (double)length_ns;
  *mean += (per_s - *mean) / (first ? 1 : WINDOWS_IN_MEAN);
}

/* Updates the averages of a kind. A kind gets its own stratum as soon as its stretches are frequent and long enough,
 * but loses it only when they fall below half of these limits (hysteresis), since time that moves between strata has to
 * wait twice. Returns true when the kind runs so little that its entry is freed. */
static bool measure(struct strata *strata, uint32_t id, int64_t length_ns, int64_t period_ns)
{
  struct stratum *stratum = &strata->entries[id];
  if (!atomic_load_explicit(&strata->keys[id], memory_order_relaxed)) return false;
  bool first = stratum->windows++ == 0;
  follow(&stratum->ns_per_s, &stratum->wall_ns, length_ns, first);
  follow(&stratum->ends_per_s, &stratum->ends, length_ns, first);
  double time = stratum->ns_per_s / (double)(STRATA_MET_PER_S * period_ns);
  double least = atomic_load_explicit(&stratum->own, memory_order_relaxed) ? 0.5 : 1;
  bool own = time >= least && stratum->ends_per_s >= least * STRATA_ENDS_PER_S;
  atomic_store_explicit(&stratum->own, own, memory_order_relaxed);
  if (own || stratum->windows < WINDOWS_LEAST || time > 0.125) return false;
  stratum->windows = 0;
  stratum->in_vain_windows = 0;
  atomic_store_explicit(&stratum->met, 0, memory_order_relaxed);
  atomic_store_explicit(&strata->keys[id], 0, memory_order_relaxed);
  return true;
}

/* A pool with little such time has its points closer together. Otherwise they would come so seldom that a noticeable part
 * of its last second would wait for the next one. */
static void set_short_apart(struct strata *strata, uint32_t windows)
{
  int64_t wall = atomic_load_explicit(&strata->short_axis.wall_ns, memory_order_relaxed);
  int64_t apart = (wall - strata->short_seen_ns) / windows / STRATA_SHORT_POINTS;
  strata->short_seen_ns = wall;
  if (apart < STRATA_SHORT_APART_MIN_NS) apart = STRATA_SHORT_APART_MIN_NS;
  if (apart > STRATA_SHORT_APART_MAX_NS) apart = STRATA_SHORT_APART_MAX_NS;
  atomic_store_explicit(&strata->short_apart_ns, apart, memory_order_relaxed);
}

uint32_t strata_window_ends(struct strata *strata, int64_t length_ns, int64_t period_ns, uint32_t windows)
{
  uint32_t given_up = 0;
  if (length_ns <= 0) return 0;
  atomic_fetch_add_explicit(&strata->windows, windows, memory_order_relaxed);
  set_short_apart(strata, windows);
  for (; windows > 0; windows--)
    for (uint32_t id = 1; id < STRATA_KINDS; id++)
      if (measure(strata, id, length_ns, period_ns)) given_up |= 1u << id;
  return given_up;
}
