/* SPDX-License-Identifier: MIT */
/* Adds the ended work of a buffer to the window, and counts open work. */
#include "cut_work.h"

#include "ext/names/label_nodes.h"

/* Number of windows in which a label is reported as having no open work. More than one, because a reader may miss
 * windows. */
enum { OPEN_TOLD_WINDOWS = 10 };

static bool add(struct cut *cut, uint32_t node, uint32_t what, uint32_t key, uint64_t value)
{
  struct rtop_exact *exact = value ? rtop_window_add_exact(&cut->window) : NULL;
  if (exact) *exact = (struct rtop_exact){ .node = node, .what = what, .key = key, .value = value };
  return !value || exact;
}

/* Returns the node of a label set; RTOP_NODE_FOLDED when readers do not know that node. */
static uint32_t node_of(const struct cut *cut, uint32_t set)
{
  const struct label_sets *sets = &cut->sampler->labels;
  uint32_t node = set ? atomic_load_explicit(&sets->sets[set].node, memory_order_relaxed) : RTOP_NODE_ROOT;
  bool known = node != RTOP_NODE_ROOT && names_out_known(cut->names, &cut->sampler->tree, node) == node;
  return known ? node : RTOP_NODE_FOLDED;
}

static uint64_t take(_Atomic uint64_t *value)
{
  return atomic_load_explicit(value, memory_order_relaxed) ? atomic_exchange(value, 0) : 0;
}

static bool add_row(struct cut *cut, struct work_row *row, uint32_t node, uint32_t label)
{
  bool fine = true;
  for (uint32_t cause = 0; cause < RTOP_WORK_CAUSES; cause++) {
    uint32_t key = rtop_work_key(label, cause, 0);
    fine = fine && add(cut, node, RTOP_WORK_ENDED, key, take(&row->ended[cause])) &&
           add(cut, node, RTOP_WORK_TIME_NS, key, take(&row->sum_ns[cause])) &&
           add(cut, node, RTOP_WORK_LONGEST_NS, key, take(&row->longest_ns[cause]));
  }
  atomic_store_explicit(&row->label, 0, memory_order_relaxed);
  return fine;
}

static bool add_rows(struct cut *cut, struct work_buffer *buffer)
{
  bool fine = add_row(cut, &buffer->rest, RTOP_NODE_FOLDED, 0);
  for (uint32_t i = 0; i < WORK_ROWS_MAX; i++) {
    struct work_row *row = &buffer->rows[i];
    uint32_t label = atomic_load_explicit(&row->label, memory_order_relaxed);
    if (!label) continue;
    uint32_t node = node_of(cut, (label - 1) >> 4);
    fine = add_row(cut, row, node, node == RTOP_NODE_FOLDED ? 0 : (label - 1) & 15) && fine;
  }
  return fine;
}

static bool add_buckets(struct cut *cut, struct work_buffer *buffer)
{
  bool fine = true;
  for (uint32_t i = 0; i < WORK_BUCKETS_MAX; i++) {
    struct work_bucket *bucket = &buffer->buckets[i];
    uint64_t key = take(&bucket->key), count = take(&bucket->count);
    if (!key) continue;
    uint32_t label = (uint32_t)(key >> 20) - 1, node = node_of(cut, label >> 4);
    if (node == RTOP_NODE_FOLDED) continue;
    fine = add(cut, node, RTOP_WORK_TIMES, (label & 15) << 16 | (uint32_t)(key & UINT16_MAX), count) && fine;
  }
  return fine;
}

/* Adds the longest pieces, one by one. In the last window, pieces that ended after the window are added, too, since no
 * later window can report them. */
static bool add_slow(struct cut *cut, struct work_longest *longest, bool last)
{
  uint32_t count = atomic_load_explicit(&longest->count, memory_order_relaxed);
  int64_t end_ns = cut->window.end_mono_ns;
  bool fine = true;
  for (uint32_t i = 0; i < count && fine; i++) {
    const struct work_slow *from = &longest->all[i];
    uint32_t node = node_of(cut, (uint32_t)(from->labels >> 32)), own = from->labels & UINT16_MAX;
    bool later = from->end_ns > end_ns && !last;
    if (later) work_put_off(&cut->sampler->work, from);
    if (later || node == RTOP_NODE_FOLDED) continue;
    struct rtop_slow *slow = rtop_window_add_slow(&cut->window);
    fine = slow;
    if (!slow) continue;
    *slow = (struct rtop_slow){ .end_mono_ns = from->end_ns < end_ns ? from->end_ns : end_ns,
                                .serial = from->serial,
                                .node = node,
                                .stack = node,
                                .flags = RTOP_SLOW_BLOCK | own << RTOP_SLOW_LABELS_SHIFT,
                                .total_ns = (uint64_t)from->took_ns[RTOP_WORK_WHOLE] };
    for (int cause = RTOP_WORK_RUNNING; cause < RTOP_WORK_CAUSES; cause++)
      slow->work_ns[cause] = (uint64_t)from->took_ns[cause];
  }
  atomic_store_explicit(&longest->count, 0, memory_order_relaxed);
  atomic_store_explicit(&longest->shortest_ns, 0, memory_order_relaxed);
  return fine;
}

/* ---- open work ----------------------------------------------------------------------------------------- */

static struct cut_open *open_of(struct cut *cut, uint32_t label)
{
  struct cut_open *free = NULL;
  for (uint32_t i = 0; i < CUT_OPEN_MAX; i++) {
    struct cut_open *open = &cut->open[i];
    if (open->label == label) return open;
    if (!open->label && !free) free = open;
  }
  if (free) *free = (struct cut_open){ .label = label };
  return free;
}

static void note_open(struct cut *cut, uint64_t labels, int64_t begin_ns)
{
  uint32_t set = (uint32_t)(labels >> 32), all = (labels | labels >> 16) & UINT16_MAX;
  for (uint32_t i = 0; set && all >> i; i++) {
    struct cut_open *open = all >> i & 1 ? open_of(cut, (set << 4 | i) + 1) : NULL;
    if (!open) continue;
    if (!open->count || begin_ns < open->oldest_ns) open->oldest_ns = begin_ns;
    open->count++;
  }
}

static bool tell_open(struct cut *cut, struct cut_open *open)
{
  uint32_t set = (open->label - 1) >> 4, node = node_of(cut, set), key = rtop_work_key((open->label - 1) & 15, 0, 0);
  open->age = open->count ? 0 : open->age + 1;
  if (node == RTOP_NODE_FOLDED) return true;
  uint64_t oldest_ns = open->count ? (uint64_t)(cut->window.end_mono_ns - open->oldest_ns) : 0;
  return add(cut, node, RTOP_WORK_OPEN, key, 1 + open->count) && add(cut, node, RTOP_WORK_OLDEST_NS, key, oldest_ns);
}

/* Counts pieces that began before the end of the window and are still open. */
static bool add_open(struct cut *cut)
{
  struct work *work = &cut->sampler->work;
  uint32_t high = atomic_load_explicit(&work->high, memory_order_relaxed);
  bool fine = true;
  for (uint32_t i = 0; i < CUT_OPEN_MAX; i++) cut->open[i].count = 0;
  for (uint32_t i = 0; i < high && i < WORK_PIECES_MAX; i++) {
    int64_t begin_ns = atomic_load_explicit(&work->pieces[i].begin_ns, memory_order_relaxed);
    if (begin_ns && begin_ns < cut->window.end_mono_ns)
      note_open(cut, atomic_load_explicit(&work->pieces[i].labels, memory_order_relaxed), begin_ns);
  }
  for (uint32_t i = 0; i < CUT_OPEN_MAX; i++) {
    struct cut_open *open = &cut->open[i];
    if (open->label) fine = tell_open(cut, open) && fine;
    if (open->age >= OPEN_TOLD_WINDOWS) *open = (struct cut_open){ 0 };
  }
  return fine;
}

void cut_work_take(struct cut *cut)
{
  struct work_buffer *buffer = work_take(&cut->sampler->work);
  cut->ended = buffer && atomic_load(&buffer->used) ? buffer : NULL;
}

void cut_work_name(struct cut *cut)
{
  struct sampler *sampler = cut->sampler;
  for (uint32_t i = 0; cut->ended && i < WORK_ROWS_MAX; i++) {
    uint32_t label = atomic_load_explicit(&cut->ended->rows[i].label, memory_order_relaxed);
    uint32_t set = label ? (label - 1) >> 4 : 0;
    if (!set || atomic_load_explicit(&sampler->labels.sets[set].node, memory_order_relaxed)) continue;
    label_nodes_of(&sampler->labels, &sampler->frames, &sampler->tree, set);
  }
}

bool cut_work_add(struct cut *cut, bool last)
{
  bool fine = add_open(cut) && add(cut, RTOP_NODE_FOLDED, RTOP_WORK_UNTIMED, 0, take(&cut->sampler->work.untimed));
  if (!cut->ended) return fine;
  fine = add_rows(cut, cut->ended) && fine;
  fine = add_buckets(cut, cut->ended) && fine;
  fine = add_slow(cut, &cut->ended->longest, last) && fine;
  /* cleared last, because a forked child clears the buffers that are in use */
  atomic_store(&cut->ended->used, false);
  return fine;
}
