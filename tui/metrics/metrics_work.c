/* SPDX-License-Identifier: MIT */
/* Takes the exact figures of a window apart, set by set. */
#include "metrics_work.h"

#include "shm/base/label_text.h"
#include "shm/base/latency.h"
#include <string.h>

/* The bounds that monitoring systems use, from a fast request to a job. */
static const struct work_bound {
  uint64_t ns;
  const char *text;
} bounds[METRICS_BUCKETS] = {
  { 1000000, "0.001" },    { 2500000, "0.0025" },   { 5000000, "0.005" },   { 10000000, "0.01" },
  { 25000000, "0.025" },   { 50000000, "0.05" },    { 100000000, "0.1" },   { 250000000, "0.25" },
  { 500000000, "0.5" },    { 1000000000, "1.0" },   { 2500000000, "2.5" },  { 5000000000, "5.0" },
  { 10000000000, "10.0" }, { 30000000000, "30.0" }, { UINT64_MAX, "+Inf" },
};

const char *metrics_bucket_bound(int bucket)
{
  return bounds[bucket].text;
}

/* Ended work of a label in a window. */
struct work_label {
  bool any;
  uint64_t ended, counted, time_ns[RTOP_WORK_CAUSES], buckets[METRICS_BUCKETS];
};

struct work_set {
  uint32_t node;
  struct work_label labels[RTOP_LABEL_PAIRS_MAX];
};

static const char *work_text(const struct rtop_symbols *symbols, uint32_t node)
{
  const struct rtop_symbol *symbol = rtop_symbols_get(symbols, rtop_symbols_get_node(symbols, node)->frame);
  return rtop_symbol_is_labels(symbol) ? symbol->label : NULL;
}

static bool work_is_added(uint32_t what)
{
  return what == RTOP_WORK_ENDED || what == RTOP_WORK_TIME_NS || what == RTOP_WORK_TIMES;
}

static void work_note(struct work_label *label, const struct rtop_exact_number *number)
{
  uint32_t cause = rtop_work_key_cause(number->key);
  uint64_t took_ns = rtop_latency_ns(rtop_work_key_bucket(number->key));
  int bucket = 0;
  if (cause >= RTOP_WORK_CAUSES) return;
  label->any = true;
  if (number->what == RTOP_WORK_TIME_NS) label->time_ns[cause] += number->value;
  if (cause != RTOP_WORK_WHOLE) return;
  if (number->what == RTOP_WORK_ENDED) label->ended += number->value;
  if (number->what != RTOP_WORK_TIMES) return;
  while (took_ns > bounds[bucket].ns) bucket++;
  label->buckets[bucket] += number->value;
  label->counted += number->value;
}

static void work_put(struct metrics_figure *figure, const struct walk_window *window, uint64_t value)
{
  struct walk_part part = walk_part(window, value);
  figure->settled += part.settled;
  figure->pending += part.pending;
}

static void work_put_label(struct metrics_process *process, struct metrics_item *item, const struct work_label *label,
                           const struct walk_window *window, enum metrics_count left_out)
{
  uint64_t latency_ns = label->time_ns[RTOP_WORK_WHOLE];
  if (label->counted < label->ended)
    latency_ns = (uint64_t)((double)latency_ns * ((double)label->counted / (double)label->ended));
  item->worked = process->named.worked = true;
  work_put(&item->figures[METRICS_NAMED_LATENCY], window, latency_ns);
  for (int i = 0; i < METRICS_BUCKETS; i++)
    work_put(&item->figures[METRICS_NAMED_BUCKETS + i], window, label->buckets[i]);
  for (enum rtop_work_cause cause = RTOP_WORK_RUNNING; cause < RTOP_WORK_CAUSES; cause++)
    work_put(&item->figures[metrics_named_time(cause)], window, label->time_ns[cause]);
  if (label->counted < label->ended) work_put(&process->counts[left_out], window, label->ended - label->counted);
}

/* Adds the labels of a set, those of a set without a name to the names without a series. */
static void work_end(struct metrics_process *process, const struct rtop_symbols *symbols, struct work_set *set,
                     const struct walk_window *window)
{
  const char *text = work_text(symbols, set->node);
  struct rtop_label_buffer label;
  struct metrics_top *top = &process->named;
  size_t at = 0;
  for (uint32_t i = 0; i < RTOP_LABEL_PAIRS_MAX; i++) {
    bool named = text && rtop_label_text_next(text, strlen(text), &at, &label);
    if (!set->labels[i].any) continue;
    if (named)
      work_put_label(process, metrics_top_item(top, label.key, label.value), &set->labels[i], window,
                     METRICS_LEFT_OUT_LENGTHS);
    else work_put_label(process, &top->rest, &set->labels[i], window, METRICS_LEFT_OUT_LABELS);
  }
  memset(set->labels, 0, sizeof set->labels);
}

void metrics_work_add(struct metrics_process *process, const struct rtop_symbols *symbols,
                      const struct walk_window *window)
{
  struct work_set set = { 0 };
  for (size_t i = 0; i < window->look->exact_count; i++) {
    struct rtop_exact_number number = rtop_look_exact(window->look, i);
    uint32_t label = rtop_work_key_label(number.key);
    if (number.what == RTOP_WORK_UNTIMED) work_put(&process->counts[METRICS_LEFT_OUT_OPEN], window, number.value);
    if (!work_is_added(number.what) || label >= RTOP_LABEL_PAIRS_MAX) continue;
    if (set.node != number.node) work_end(process, symbols, &set, window);
    set.node = number.node;
    work_note(&set.labels[label], &number);
  }
  work_end(process, symbols, &set, window);
}

void metrics_work_open(struct metrics_process *process, const struct rtop_symbols *symbols,
                       const struct rtop_look *look)
{
  uint32_t node = UINT32_MAX;
  bool open[RTOP_LABEL_PAIRS_MAX] = {
    false
  }; /* by label of the node: a merged window may have an age of what has ended */
  for (size_t i = 0; i < look->exact_count; i++) {
    struct rtop_exact_number number = rtop_look_exact(look, i);
    if (number.node != node) memset(open, 0, sizeof open);
    node = number.node;
    const char *text = work_text(symbols, number.node);
    struct rtop_label_buffer label;
    uint32_t place = 0, wanted = rtop_work_key_label(number.key);
    if ((number.what != RTOP_WORK_OPEN && number.what != RTOP_WORK_OLDEST_NS) || wanted >= RTOP_LABEL_PAIRS_MAX)
      continue;
    if (number.what == RTOP_WORK_OPEN) open[wanted] = number.value > 1; /* sorted: it comes before the age */
    else if (!open[wanted]) continue;
    for (size_t at = 0; text && rtop_label_text_next(text, strlen(text), &at, &label); place++) {
      if (place != wanted) continue;
      struct metrics_item *item = metrics_top_item(&process->named, label.key, label.value);
      item->worked = process->named.worked = true;
      if (number.what == RTOP_WORK_OPEN) item->open.count += number.value ? number.value - 1 : 0;
      else if (number.value > item->open.oldest_ns) item->open.oldest_ns = number.value;
    }
  }
}
