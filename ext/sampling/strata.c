/* Tells kinds of stretches apart, and says which have an axis of their own. */
#include "strata.h"

enum { WINDOWS_IN_MEAN = 8, WINDOWS_LEAST = 16, RESERVE_PERIODS = 3, MADE_UP_PERCENT = 15 };

#define RESERVE_MOST_NS INT64_C(5000000)

/* A few µs, some ten, some hundred, milliseconds: 1 to 4. */
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
  for (uint32_t id = 1; id < STRATA_COUNT; id++) {
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
  while (id < STRATA_COUNT && atomic_load_explicit(&strata->keys[id], memory_order_relaxed) != key) id++;
  if (id == STRATA_COUNT) id = claim(strata, key);
  struct stratum *stratum = &strata->entries[id];
  if (id && length_ns > 0) {
    atomic_fetch_add_explicit(&stratum->wall_ns, length_ns, memory_order_relaxed);
    atomic_fetch_add_explicit(&stratum->ends, 1, memory_order_relaxed);
  }
  return id;
}

/* Nobody knows meanwhile whose it is: at low rates a little less right, and sooner known. */
static int64_t reserve_ns(int64_t period_ns)
{
  int64_t least = period_ns * 5 / 4, most = RESERVE_PERIODS * period_ns;
  if (most > RESERVE_MOST_NS) most = RESERVE_MOST_NS;
  return most > least ? most : least;
}

/* Half of the head counts: where waits between stretches are long, how early an instant comes says nothing of what waits; where
 * they are short, the sooner it comes the more waits. What is longer than two periods had no instant where it should have had
 * one. */
int64_t strata_waits_on(int64_t waits_ns, int64_t head_ns, int64_t period_ns)
{
  int64_t head = head_ns < 2 * period_ns ? head_ns : 2 * period_ns, all = waits_ns + head;
  int64_t more = waits_ns + head / 2 - reserve_ns(period_ns), has = period_ns + more * MADE_UP_PERCENT / 100;
  return has >= all ? 0 : has > 0 ? all - has : all;
}

/* Node and window in one word: both are of the same instant. */
void strata_met(struct strata *strata, uint32_t kind, uint32_t node)
{
  uint32_t window = atomic_load_explicit(&strata->windows, memory_order_relaxed);
  atomic_store_explicit(&strata->entries[kind].met, (uint64_t)window << 32 | node, memory_order_relaxed);
}

static bool is_lately(const struct strata *strata, uint32_t place, uint64_t met)
{
  uint32_t window = atomic_load_explicit(&strata->windows, memory_order_relaxed);
  return window - (uint32_t)(met >> 32) <= (place ? STRATA_LATELY_WINDOWS : STRATA_LATELY_REST_WINDOWS);
}

uint32_t strata_met_lately(const struct strata *strata, uint32_t kind)
{
  uint64_t met = atomic_load_explicit(&strata->entries[kind].met, memory_order_relaxed);
  return is_lately(strata, kind, met) ? (uint32_t)met : 0;
}

void strata_keep(struct strata *strata, uint32_t place, uint32_t node)
{
  struct stratum *stratum = &strata->entries[place];
  uint64_t keeps = atomic_load_explicit(&stratum->keeps, memory_order_relaxed);
  uint64_t window = atomic_load_explicit(&strata->windows, memory_order_relaxed);
  atomic_store_explicit(&stratum->kept_from[keeps % STRATA_KEPT_FROM], window << 32 | node, memory_order_relaxed);
  atomic_store_explicit(&stratum->keeps, keeps + 1, memory_order_release);
}

uint32_t strata_kept_from(const struct strata *strata, uint32_t place, uint32_t nodes[STRATA_KEPT_FROM])
{
  const struct stratum *stratum = &strata->entries[place];
  uint64_t keeps = atomic_load_explicit(&stratum->keeps, memory_order_acquire);
  uint32_t count = 0;
  for (uint32_t i = 0; i < STRATA_KEPT_FROM && i < keeps; i++) {
    uint64_t met = atomic_load_explicit(&stratum->kept_from[i], memory_order_relaxed);
    if (is_lately(strata, place, met)) nodes[count++] = (uint32_t)met;
  }
  return count;
}

void stratum_set(struct stratum *stratum, uint32_t node)
{
  atomic_store_explicit(&stratum->waiting_ns, 0, memory_order_relaxed);
  axis_set(&stratum->axis, (struct axis_point){ .node = node });
}

void strata_point(struct strata *strata, uint32_t node, bool is_rest)
{
  uint32_t overdue = atomic_exchange_explicit(&strata->overdue, 0, memory_order_relaxed);
  if (is_rest) {
    overdue |= 1;
    strata_met(strata, 0, node);
  }
  for (uint32_t id = 0; overdue; id++, overdue >>= 1) {
    if (!(overdue & 1)) continue;
    uint32_t lately = id == 0 && is_rest ? 0 : strata_met_lately(strata, id);
    stratum_set(&strata->entries[id], lately ? lately : node);
  }
}

static bool is_overdue(struct stratum *stratum, uint32_t most_windows)
{
  uint64_t epoch = axis_epoch(&stratum->axis);
  bool waits = atomic_load_explicit(&stratum->waiting_ns, memory_order_relaxed) > 0;
  if (!waits || epoch != stratum->epoch_seen) stratum->unmet_windows = 0;
  stratum->epoch_seen = epoch;
  return waits && ++stratum->unmet_windows > most_windows;
}

static void follow(double *mean, _Atomic int64_t *sum, int64_t length_ns, bool first)
{
  double per_s = (double)atomic_exchange_explicit(sum, 0, memory_order_relaxed) * 1e9 / (double)length_ns;
  *mean += (per_s - *mean) / (first ? 1 : WINDOWS_IN_MEAN);
}

/* Up at once, down late: a kind that comes and goes would wait twice. One that hardly runs gives its place up. */
static void measure(struct strata *strata, uint32_t id, int64_t length_ns, int64_t period_ns)
{
  struct stratum *stratum = &strata->entries[id];
  if (!atomic_load_explicit(&strata->keys[id], memory_order_relaxed)) return;
  bool first = stratum->windows++ == 0;
  follow(&stratum->ns_per_s, &stratum->wall_ns, length_ns, first);
  follow(&stratum->ends_per_s, &stratum->ends, length_ns, first);
  double time = stratum->ns_per_s / (double)(STRATA_MET_PER_S * period_ns);
  double least = atomic_load_explicit(&stratum->own, memory_order_relaxed) ? 0.5 : 1;
  bool own = time >= least && stratum->ends_per_s >= least * STRATA_ENDS_PER_S;
  atomic_store_explicit(&stratum->own, own, memory_order_relaxed);
  if (own || stratum->windows < WINDOWS_LEAST || time > 0.125) return;
  stratum->windows = 0;
  atomic_store_explicit(&stratum->met, 0, memory_order_relaxed);
  atomic_store_explicit(&stratum->keeps, 0, memory_order_relaxed);
  atomic_store_explicit(&strata->keys[id], 0, memory_order_relaxed);
}

void strata_window_ends(struct strata *strata, int64_t length_ns, int64_t period_ns)
{
  bool divided = axis_epoch(&strata->entries[STRATA_SHORT].axis) > 0;
  uint32_t overdue = 0;
  if (length_ns <= 0) return;
  atomic_fetch_add_explicit(&strata->windows, 1, memory_order_relaxed);
  for (uint32_t id = 0; id < STRATA_PLACES; id++) {
    struct stratum *stratum = &strata->entries[id];
    if (id && id < STRATA_COUNT) measure(strata, id, length_ns, period_ns);
    divided = divided || atomic_load_explicit(&stratum->own, memory_order_relaxed);
    if (is_overdue(stratum, id ? STRATA_UNMET_WINDOWS : STRATA_UNMET_REST_WINDOWS)) overdue |= 1u << id;
  }
  atomic_store_explicit(&strata->divided, divided, memory_order_relaxed);
  atomic_fetch_or_explicit(&strata->overdue, overdue, memory_order_relaxed);
}
