/* SPDX-License-Identifier: MIT */
/* Adds up figures of labelled work, and computes quantiles from buckets. */
#include "work_figures.h"

#include "shm/base/latency.h"
#include "tui/text/reserve.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNTS_TO_JOIN = 1 << 16, OPENS_MAX = 1 << 16 };

struct work_count {
  struct work_figures *of;
  uint32_t key; /* cause and bucket */
  uint64_t count;
};

/* A process's report on open work of a label; of several reports the last one is valid. */
struct work_open {
  struct work_figures *of;
  uint32_t source, node, label, what;
  uint64_t order, value;
};

void work_numbers_clear(struct work_numbers *numbers)
{
  numbers->count = numbers->sorted = numbers->open_count = 0;
  numbers->open_order = 0;
  numbers->opens_full = false;
}

void work_numbers_destroy(struct work_numbers *numbers)
{
  free(numbers->counts);
  free(numbers->opens);
  *numbers = (struct work_numbers){ 0 };
}

static int by_owner(const void *left, const void *right)
{
  const struct work_count *a = left, *b = right;
  if (a->of != b->of) return (uintptr_t)a->of < (uintptr_t)b->of ? -1 : 1;
  return a->key < b->key ? -1 : a->key > b->key;
}

/* Sorts figures and joins those with equal keys. */
static void join(struct work_numbers *numbers)
{
  size_t kept = 0;
  if (numbers->count > 1) qsort(numbers->counts, numbers->count, sizeof *numbers->counts, by_owner);
  for (size_t i = 0; i < numbers->count; i++) {
    struct work_count *last = kept ? &numbers->counts[kept - 1] : NULL;
    if (last && by_owner(last, &numbers->counts[i]) == 0) last->count += numbers->counts[i].count;
    else numbers->counts[kept++] = numbers->counts[i];
  }
  numbers->count = numbers->sorted = kept;
}

static bool add_count(struct work_numbers *numbers, struct work_figures *figures, uint32_t key, uint64_t count)
{
  if (numbers->count >= COUNTS_TO_JOIN && numbers->count / 2 >= numbers->sorted) join(numbers);
  if (!rtop_reserve(&numbers->counts, &numbers->capacity, numbers->count + 1, sizeof *numbers->counts)) return false;
  numbers->counts[numbers->count++] = (struct work_count){ figures, key, count };
  return true;
}

static int compare_opens(const struct work_open *a, const struct work_open *b)
{
  if (a->of != b->of) return (uintptr_t)a->of < (uintptr_t)b->of ? -1 : 1;
  if (a->source != b->source) return a->source < b->source ? -1 : 1;
  if (a->node != b->node) return a->node < b->node ? -1 : 1;
  if (a->label != b->label) return a->label < b->label ? -1 : 1;
  return a->what < b->what ? -1 : a->what > b->what;
}

static int by_order(const void *left, const void *right)
{
  const struct work_open *a = left, *b = right;
  int same = compare_opens(a, b);
  return same ? same : a->order < b->order ? -1 : a->order > b->order;
}

/* Keeps the last report of each. */
static void join_opens(struct work_numbers *numbers)
{
  size_t kept = 0;
  if (numbers->open_count > 1) qsort(numbers->opens, numbers->open_count, sizeof *numbers->opens, by_order);
  for (size_t i = 0; i < numbers->open_count; i++) {
    if (kept && compare_opens(&numbers->opens[kept - 1], &numbers->opens[i]) == 0) kept--;
    numbers->opens[kept++] = numbers->opens[i];
  }
  numbers->open_count = kept;
  numbers->opens_full = kept > OPENS_MAX;
}

/* Notes a report on open work. Takes as long as sorting does, whatever a segment contains; with too many labels the
   last ones are left out. */
static bool note_open(struct work_numbers *numbers, struct work_figures *figures, uint32_t source,
                      const struct rtop_exact_number *number)
{
  if (numbers->open_count >= 2 * OPENS_MAX) join_opens(numbers);
  if (numbers->opens_full) return true;
  if (!rtop_reserve(&numbers->opens, &numbers->open_capacity, numbers->open_count + 1, sizeof *numbers->opens))
    return false;
  numbers->opens[numbers->open_count++] = (struct work_open){
    figures, source, number->node, rtop_work_key_label(number->key), number->what, numbers->open_order++, number->value,
  };
  return true;
}

bool work_numbers_add(struct work_numbers *numbers, struct work_figures *figures, uint32_t source,
                      const struct rtop_exact_number *number)
{
  uint32_t cause = rtop_work_key_cause(number->key);
  if (cause >= RTOP_WORK_CAUSES) return true;
  struct work_time *time = &figures->of[cause];
  switch (number->what) {
  case RTOP_WORK_ENDED:
    time->some += number->value;
    if (cause == RTOP_WORK_WHOLE) figures->ended += number->value;
    return true;
  case RTOP_WORK_TIME_NS: time->sum_ns += number->value; return true;
  case RTOP_WORK_LONGEST_NS:
    if (number->value > time->longest_ns) time->longest_ns = number->value;
    return true;
  case RTOP_WORK_TIMES:
    time->counted += number->value;
    return add_count(numbers, figures, cause << 12 | rtop_work_key_bucket(number->key), number->value);
  case RTOP_WORK_OPEN:
  case RTOP_WORK_OLDEST_NS:
    /* In windows that are kept only as sums the work was open at that time, not now. */
    return source == UINT32_MAX || note_open(numbers, figures, source, number);
  default: return true;
  }
}

/* ---- quantiles ---------------------------------------------------------------------------------------- */

/* Returns the length (ns) that `wanted` of all pieces did not exceed; pieces without the cause count as shortest.
 * UINT64_MAX: the length of the longest piece. */
static uint64_t quantile(const struct work_count *counts, size_t count, uint64_t zeros, double wanted)
{
  uint64_t seen = zeros;
  if ((double)seen >= wanted && zeros) return 0;
  for (size_t i = 0; i < count; i++) {
    seen += counts[i].count;
    if ((double)seen < wanted) continue;
    bool longest = i + 1 == count && counts[i].count == 1; /* it is known exactly */
    return longest ? UINT64_MAX : rtop_latency_ns(counts[i].key & 4095);
  }
  return count ? rtop_latency_ns(counts[count - 1].key & 4095) : 0;
}

static uint64_t at_most(uint64_t ns, uint64_t most_ns)
{
  return ns < most_ns ? ns : most_ns;
}

/* Is the distribution nearly complete? Some pieces found no room, and long windows partly in the span round each
 * bucket. */
static bool is_known(const struct work_figures *figures, const struct work_time *time)
{
  return figures->ended && (double)time->counted >= 0.95 * (double)time->some &&
         (double)time->counted <= 1.05 * (double)time->some;
}

static const double shares[WORK_QUANTILES] = { 0.5, 0.9, 0.99 };

static uint64_t count_over(const struct work_count *counts, size_t count, uint64_t ns)
{
  uint64_t over = 0;
  for (size_t i = 0; i < count; i++)
    if ((counts[i].key & 4095) > rtop_latency_bucket(ns)) over += counts[i].count;
  return over;
}

static void tell(struct work_figures *figures, const struct work_count *counts, size_t count)
{
  struct work_time *time = &figures->of[counts->key >> 12];
  uint64_t zeros = figures->ended > time->counted && time != figures->of ? figures->ended - time->counted : 0;
  double all = (double)(time->counted + zeros);
  /* Pieces that found no bucket may be the longest as well as the shortest. */
  double missing = time->some > time->counted ? (double)(time->some - time->counted) : 0;
  uint64_t *told[WORK_QUANTILES] = { &time->p50_ns, &time->p90_ns, &time->p99_ns };
  for (int i = 0; i < WORK_QUANTILES; i++) {
    *told[i] = at_most(quantile(counts, count, zeros, shares[i] * all), time->longest_ns);
    if (time != figures->of) continue;
    double rank = shares[i] * (all + missing), away = 2 * sqrt(rank * (1 - shares[i])) + 1;
    double low = rank - away - missing, high = rank + away;
    figures->range[i].low_ns = low < 1 ? 0 : at_most(quantile(counts, count, 0, low), time->longest_ns);
    /* Of a few pieces all may lie below the quantile: then there is no upper end. */
    figures->range[i].high_ns = high > all ? UINT64_MAX : at_most(quantile(counts, count, 0, high), time->longest_ns);
  }
}

/* Writes the open work of each label. The number of open pieces comes before its age; without open work no age is
   reported. */
static void tell_opens(struct work_numbers *numbers)
{
  join_opens(numbers);
  for (size_t i = 0; i < numbers->open_count; i++) {
    const struct work_open *open = &numbers->opens[i], *age = open + 1;
    if (open->what != RTOP_WORK_OPEN || open->value < 2) continue;
    open->of->open += open->value - 1;
    bool told = i + 1 < numbers->open_count && age->what == RTOP_WORK_OLDEST_NS && age->of == open->of &&
                age->source == open->source && age->node == open->node && age->label == open->label;
    if (told && age->value > open->of->oldest_ns) open->of->oldest_ns = age->value;
  }
}

void work_numbers_finish(struct work_numbers *numbers)
{
  join(numbers);
  for (size_t from = 0, to; from < numbers->count; from = to) {
    const struct work_count *first = &numbers->counts[from];
    for (to = from + 1; to < numbers->count && numbers->counts[to].of == first->of &&
                        numbers->counts[to].key >> 12 == first->key >> 12;
         to++)
      ;
    tell(first->of, first, to - from);
    if (first->key >> 12 == RTOP_WORK_WHOLE) first->of->over = count_over(first, to - from, numbers->over_ns);
    first->of->of[first->key >> 12].known = is_known(first->of, &first->of->of[first->key >> 12]);
  }
  tell_opens(numbers);
}

const char *work_cause_name(enum rtop_work_cause cause)
{
  static const char *const names[RTOP_WORK_CAUSES] = {
    [RTOP_WORK_WHOLE] = "",      [RTOP_WORK_RUNNING] = "running",     [RTOP_WORK_GVL] = "gvl",
    [RTOP_WORK_GC] = "gc",       [RTOP_WORK_GC_OTHERS] = "gc_others", [RTOP_WORK_LOCK] = "lock",
    [RTOP_WORK_IO] = "io",       [RTOP_WORK_SLEEP] = "sleep",         [RTOP_WORK_QUEUE] = "queue",
    [RTOP_WORK_FIBER] = "fiber", [RTOP_WORK_OTHER] = "other",
  };
  return names[cause];
}

const char *work_cause_title(enum rtop_work_cause cause)
{
  static const char *const titles[RTOP_WORK_CAUSES] = {
    [RTOP_WORK_RUNNING] = "run",
    [RTOP_WORK_GVL] = "GVL",
    [RTOP_WORK_GC] = "GC",
    [RTOP_WORK_LOCK] = "lock",
    [RTOP_WORK_IO] = "I/O",
    [RTOP_WORK_SLEEP] = "sleep",
    [RTOP_WORK_QUEUE] = "queue",
    [RTOP_WORK_FIBER] = "fibers",
    [RTOP_WORK_OTHER] = "other",
    [RTOP_WORK_WHOLE] = "",
    [RTOP_WORK_GC_OTHERS] = "GC of others",
  };
  return titles[cause];
}

void work_causes_words(char *text, size_t bytes, const uint64_t ns[RTOP_WORK_CAUSES], uint64_t all_ns)
{
  bool told[RTOP_WORK_CAUSES] = { false };
  size_t used = 0;
  text[0] = '\0';
  for (int rank = 1; rank < RTOP_WORK_CAUSES && all_ns > 0; rank++) {
    int most = 0;
    for (int cause = RTOP_WORK_RUNNING; cause < RTOP_WORK_CAUSES; cause++)
      if (!told[cause] && (most == 0 || ns[cause] > ns[most])) most = cause;
    told[most] = true;
    double percent = 100 * (double)ns[most] / (double)all_ns;
    int more = snprintf(text + used, bytes - used, "%s%s %.0f%%", used > 0 ? " " : "",
                        work_cause_title((enum rtop_work_cause)most), percent);
    if (percent < 0.5 || more < 0 || (size_t)more >= bytes - used) break;
    used += (size_t)more;
  }
  text[used] = '\0';
}
