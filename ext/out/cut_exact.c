/* SPDX-License-Identifier: MIT */
/* Adds the growth of the hooks' counts since the last window. */
#include "cut_exact.h"

static bool add_exact(struct cut *cut, uint32_t node, uint32_t what, uint32_t key, uint64_t value)
{
  struct rtop_exact *exact = value ? rtop_window_add_exact(&cut->window) : NULL;
  if (exact) *exact = (struct rtop_exact){ .node = node, .what = what, .key = key, .value = value };
  return !value || exact;
}

/* Adds the number of slow calls in the window for each method that has any. */
static bool add_slow_count(struct cut *cut, size_t from)
{
  const struct rtop_window *window = &cut->window;
  for (size_t end; from < window->slow_count; from = end) {
    for (end = from; end < window->slow_count && window->slow[end].node == window->slow[from].node; end++)
      ;
    if (!add_exact(cut, window->slow[from].node, RTOP_EXACT_SLOW, 0, end - from)) return false;
  }
  return true;
}

/* Adds the slow calls that ended in the window and whose names are published; the others wait for the next window. */
static bool add_slow(struct cut *cut, struct slow_calls *slow)
{
  struct rtop_window *window = &cut->window;
  size_t from = window->slow_count;
  for (const struct rtop_slow *first; slow && (first = slow_calls_first(slow)); slow_calls_take(slow)) {
    struct calltree *tree = &cut->sampler->tree;
    if (first->end_mono_ns > window->end_mono_ns || names_out_known(cut->names, tree, first->node) != first->node ||
        names_out_known(cut->names, tree, first->stack) != first->stack)
      break;
    struct rtop_slow *told = rtop_window_add_slow(window);
    if (!told) return false;
    *told = *first;
  }
  return add_slow_count(cut, from);
}

static bool add_exact_numbers(struct cut *cut, struct trace_target *target, uint32_t node)
{
  static const enum rtop_exact_what sums[] = { RTOP_EXACT_CALLS,    RTOP_EXACT_RAISED,  RTOP_EXACT_UNTIMED,
                                               RTOP_EXACT_TOTAL_NS, RTOP_EXACT_SELF_NS, RTOP_EXACT_WAIT_NS,
                                               RTOP_EXACT_OFF_NS,   RTOP_EXACT_SLOW };
  for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) {
    uint64_t now = atomic_load_explicit(&target->numbers[sums[i]], memory_order_relaxed);
    if (!add_exact(cut, node, sums[i], 0, now - target->told[sums[i]])) return false;
    target->told[sums[i]] = now;
  }
  return add_exact(cut, node, RTOP_EXACT_TOTAL_MAX, 0, atomic_exchange(&target->numbers[RTOP_EXACT_TOTAL_MAX], 0)) &&
         add_exact(cut, node, RTOP_EXACT_SELF_MAX, 0, atomic_exchange(&target->numbers[RTOP_EXACT_SELF_MAX], 0));
}

/* Adds the distribution of total times (`which` 0) or self times (1). With the total times, also adds the number of
 * these calls, which is the number of returns. */
static bool add_exact_times(struct cut *cut, struct trace_target *target, uint32_t node, int which)
{
  uint32_t what = which == 0 ? RTOP_EXACT_TOTAL_TIMES : RTOP_EXACT_SELF_TIMES, *told = target->times_told[which];
  uint64_t returned = 0;
  for (uint32_t bucket = 0; bucket < RTOP_LATENCY_BUCKETS; bucket++) {
    uint32_t now = atomic_load_explicit(&target->times[which][bucket], memory_order_relaxed);
    if (now == told[bucket]) continue;
    returned += now - told[bucket];
    if (!add_exact(cut, node, what, bucket, now - told[bucket])) return false;
    told[bucket] = now;
  }
  return which != 0 || add_exact(cut, node, RTOP_EXACT_RETURNED, 0, returned);
}

/* Adds the callers of a traced method. A caller that has no name yet is added once it has one. */
static bool add_exact_callers(struct cut *cut, struct trace_target *target, uint32_t node)
{
  uint32_t count = atomic_load_explicit(&target->caller_count, memory_order_acquire);
  uint64_t elsewhere = atomic_load_explicit(&target->elsewhere, memory_order_relaxed);
  for (uint32_t i = 0; i < count; i++) {
    struct trace_caller *caller = &target->callers[i];
    uint32_t place = atomic_load_explicit(&caller->node, memory_order_acquire);
    if (!place || names_out_known(cut->names, &cut->sampler->tree, place) != place) continue;
    uint64_t calls = atomic_load_explicit(&caller->calls, memory_order_relaxed);
    if (!add_exact(cut, place, RTOP_EXACT_CALLER, 0, calls - caller->told)) return false;
    caller->told = calls;
  }
  bool fine = add_exact(cut, node, RTOP_EXACT_CALLER, 0, elsewhere - target->elsewhere_told);
  target->elsewhere_told = elsewhere;
  return fine;
}

static bool add_exact_target(struct cut *cut, struct trace_target *target, bool left)
{
  const struct rtop_window *window = &cut->window;
  uint32_t node = atomic_load_explicit(&target->node, memory_order_acquire);
  uint32_t key = atomic_load(&target->key), state = atomic_load_explicit(&target->state, memory_order_acquire);
  int64_t begin_ns = atomic_load(&target->begin_ns);
  if (node && names_out_known(cut->names, &cut->sampler->tree, node) != node) node = 0;
  if (!left && !add_exact(cut, node, RTOP_EXACT_STATE, key, state)) return false;
  if (!node) return true;
  if (!left && state == RTOP_TRACE_TOO_MANY &&
      !add_exact(cut, node, RTOP_EXACT_TOO_MANY, 0, atomic_load(&target->too_many)))
    return false;
  if (begin_ns && begin_ns < window->end_mono_ns) {
    int64_t from_ns = begin_ns > window->start_mono_ns ? begin_ns : window->start_mono_ns;
    if (!add_exact(cut, node, RTOP_EXACT_TRACED_NS, 0, (uint64_t)(window->end_mono_ns - from_ns))) return false;
  }
  return add_exact_numbers(cut, target, node) && add_exact_times(cut, target, node, 0) &&
         add_exact_times(cut, target, node, 1) && add_exact_callers(cut, target, node);
}

bool cut_exact_add(struct cut *cut, struct tracing *tracing)
{
  if (!atomic_load(&tracing->any)) return true;
  for (int i = 0; i < RTOP_TRACE_SLOTS; i++) {
    struct trace_target *target = &tracing->targets[i];
    int phase = atomic_load_explicit(&target->phase, memory_order_acquire);
    if (phase == TRACE_FREE) continue;
    if (!add_exact_target(cut, target, phase == TRACE_LEFT)) return false;
    if (phase != TRACE_LEFT) continue;
    /* Forgets the numbers of a target that was never named; otherwise they would be reported for the next method. */
    trace_target_forget(target);
    atomic_store(&target->phase, TRACE_FREE);
  }
  return add_slow(cut, tracing->slow);
}

/* The traced method with the most calls since the last check; `calls`: number of these calls; `all`: number of calls of
 * all traced methods. */
struct busiest {
  struct trace_target *target;
  uint64_t calls, all;
};

static struct busiest busiest_target(struct tracing *tracing)
{
  struct busiest busiest = { 0 };
  for (int i = 0; i < RTOP_TRACE_SLOTS; i++) {
    struct trace_target *target = &tracing->targets[i];
    uint64_t calls = atomic_load_explicit(&target->numbers[RTOP_EXACT_CALLS], memory_order_relaxed);
    uint64_t more = calls - target->watched_calls;
    target->watched_calls = calls;
    busiest.all += more;
    if (more <= busiest.calls || !atomic_load(&target->begin_ns)) continue;
    busiest.target = target;
    busiest.calls = more;
  }
  return busiest;
}

/* Ends the tracing of all methods written in C. Their hook runs for every C call of the program, so ending only the
 * busiest method would save nothing. */
static void end_functions(struct tracing *tracing, uint64_t calls_per_s)
{
  for (int i = 0; i < RTOP_TRACE_SLOTS; i++) {
    struct trace_target *target = &tracing->targets[i];
    if (atomic_load(&target->is_function) && atomic_load(&target->begin_ns))
      atomic_store(&target->too_many, calls_per_s + 1);
  }
}

/* Returns the number of calls in C since the last check; each call causes two events. */
static uint64_t function_calls(struct functions *functions, uint64_t *since)
{
  uint64_t now = atomic_load_explicit(&functions->events, memory_order_relaxed), calls = (now - *since) / 2;
  *since += 2 * calls;
  return calls;
}

/* Keeps the cost of tracing within the budget, averaged over a second so that a single busy moment does not matter. */
static void bound_cost(struct tracing *tracing, int64_t now_ns, double budget)
{
  int64_t length_ns = now_ns - tracing->watched_ns;
  if (length_ns < CLOCK_NS_PER_SECOND) return;
  tracing->watched_ns = now_ns;
  struct busiest busiest = busiest_target(tracing);
  struct functions *functions = &tracing->functions;
  double calls = (double)function_calls(functions, &functions->watched_events);
  double functions_ns = calls * (double)atomic_load(&functions->call_cost_ns);
  double traced_ns = (double)busiest.all * (double)atomic_load(&tracing->call_cost_ns);
  if (budget <= 0 || length_ns > 2 * CLOCK_NS_PER_SECOND) return; /* the last check was too long ago */
  if (functions_ns + traced_ns <= budget * (double)length_ns) return;
  double seconds = (double)length_ns / 1e9;
  if (functions_ns > traced_ns) end_functions(tracing, (uint64_t)(calls / seconds));
  else if (busiest.target) atomic_store(&busiest.target->too_many, (uint64_t)((double)busiest.calls / seconds) + 1);
}

int64_t cut_exact_cost(const struct cut *cut, struct tracing *tracing, double budget)
{
  uint64_t calls = 0;
  if (!tracing->slow || !atomic_load(&tracing->any)) return 0;
  for (int i = 0; i < RTOP_TRACE_SLOTS; i++) {
    struct trace_target *target = &tracing->targets[i];
    uint64_t now = atomic_load_explicit(&target->numbers[RTOP_EXACT_CALLS], memory_order_relaxed);
    calls += now - target->paid_calls;
    target->paid_calls = now;
  }
  uint64_t slow_ns = atomic_load_explicit(&tracing->slow->cost_ns, memory_order_relaxed);
  uint64_t noted_ns = slow_ns - tracing->slow_paid_ns;
  tracing->slow_paid_ns = slow_ns;
  uint64_t others = function_calls(&tracing->functions, &tracing->functions.paid_events);
  bound_cost(tracing, cut->window.end_mono_ns, budget);
  return (int64_t)(calls * (uint64_t)atomic_load(&tracing->call_cost_ns) +
                   others * (uint64_t)atomic_load(&tracing->functions.call_cost_ns) + noted_ns);
}
