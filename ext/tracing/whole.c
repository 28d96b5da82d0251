/* SPDX-License-Identifier: MIT */
/* Begins and ends counting of all calls, and measures the cost of a call. */
#include "whole.h"

#include "call_place.h"
#include "whole_cost.h"
#include "whole_names.h"
#include "whole_probe.h"
#include "ext/base/fast_clock.h"
#include "ext/base/vm_unknown.h"
#include <dlfcn.h>
#include <ruby/debug.h>
#include <stdlib.h>
#include <string.h>

#define END_NAMES_NS (CLOCK_NS_PER_SECOND / 2)

static const rb_event_flag_t ruby_events = RUBY_EVENT_CALL | RUBY_EVENT_RETURN;
static const rb_event_flag_t c_events = RUBY_EVENT_C_CALL | RUBY_EVENT_C_RETURN;

/* State of the hook. It is static, because the VM would mark anything passed to a hook as a Ruby object; there is
 * only one session. */
static struct whole_counting *counted;

static void hook(VALUE unused, const rb_trace_arg_t *event)
{
  (void)unused;
  whole_hook((VALUE)counted, event);
}

static void mark_methods(void *pointer)
{
  const struct whole *whole = pointer;
  struct whole_tree *tree = &whole->counting->tree;
  uint32_t count = atomic_load_explicit(&tree->method_count, memory_order_relaxed);
  for (uint32_t i = 1; i < count; i++) rb_gc_mark(tree->methods[i].entry);
}

/* The type has no write barrier, so the GC marks such an object in every cycle, minor ones included. */
static const rb_data_type_t marker_type = {
  .wrap_struct_name = "rperf_top/whole",
  .function = { .dmark = mark_methods },
};

bool whole_is_asked(const struct rtop_trace_wish *wish)
{
  return wish->name[0] == RTOP_TRACE_WHOLE;
}

/* Tells whether YJIT compiles: reads a variable of the VM, which exists only if the VM was built with YJIT. */
bool whole_is_compiled(void)
{
  const bool *enabled = dlsym(RTLD_DEFAULT, "rb_yjit_enabled_p");
  return enabled && *enabled;
}

static VALUE make_probe(VALUE pointer)
{
  struct whole *whole = (struct whole *)pointer;
  whole->probe = whole_probe_make();
  rb_gc_register_address(&whole->probe);
  whole->marker = rb_data_typed_object_wrap(0, whole, &marker_type);
  rb_gc_register_address(&whole->marker);
  return Qnil;
}

static bool call_protected(VALUE (*call)(VALUE), struct whole *whole)
{
  VALUE error = rb_errinfo();
  int raised = 0;
  VALUE result = rb_protect(call, (VALUE)whole, &raised);
  if (raised) rb_set_errinfo(error);
  return !raised && result != Qfalse;
}

static bool make_all(struct whole *whole)
{
  if (!whole->counting) whole->counting = calloc(1, sizeof *whole->counting);
  if (!whole->counting || !whole_tree_make(&whole->counting->tree)) return false;
  counted = whole->counting;
  return whole->probe || call_protected(make_probe, whole);
}

static void ignore_lost(void *context, uint32_t node)
{
  struct whole_counting *counting = context;
  (void)node;
  atomic_store_explicit(&counting->untimed, atomic_load_explicit(&counting->untimed, memory_order_relaxed) + 1,
                        memory_order_relaxed);
}

static void start_empty(struct whole_counting *counting)
{
  whole_tree_clear(&counting->tree);
  open_calls_forget(&counting->open);
  counting->open.lost = ignore_lost;
  counting->open.context = counting;
  counting->fiber = NULL;
  counting->full = false;
  atomic_store(&counting->calls, 0);
  atomic_store(&counting->untimed, 0);
  atomic_store(&counting->own, 0);
}

static void set_hook(struct whole *whole)
{
  rb_event_flag_t events = whole->ruby_only ? ruby_events : ruby_events | c_events;
  rb_add_event_hook2((rb_event_hook_func_t)(void (*)(void))hook, events, Qnil,
                     RUBY_EVENT_HOOK_FLAG_SAFE | RUBY_EVENT_HOOK_FLAG_RAW_ARG);
  atomic_store(&whole->is_set, true);
}

static void remove_hook(struct whole *whole)
{
  if (whole->counting) whole->counting->on = false;
  if (atomic_exchange(&whole->is_set, false)) rb_remove_event_hook((rb_event_hook_func_t)(void (*)(void))hook);
}

/* Cost of one call in ticks, each the least of all rounds. whole: duration of a call while the hook is installed;
 * inside: the part of it that the hook measures as the call's own time. */
struct hooked {
  double whole, inside;
};

static void forget_nodes(struct whole_tree *tree, uint32_t from)
{
  for (uint32_t node = from; node < whole_tree_count(tree); node++) {
    atomic_store(&tree->nodes[node].calls, 0);
    atomic_store(&tree->nodes[node].total, 0);
    atomic_store(&tree->nodes[node].self, 0);
  }
}

/* Measures calls of our own. They are counted in the nodes from index `from` on, after all others. */
static struct hooked measure_hooked(struct whole *whole, enum whole_kind kind, uint32_t from)
{
  struct whole_counting *counting = whole->counting;
  struct whole_tree *tree = &counting->tree;
  struct hooked least = { 0 };
  for (int i = 0; i < WHOLE_PROBE_ROUNDS; i++) {
    forget_nodes(tree, from);
    counting->on = true;
    double ticks = whole_probe_run(whole->probe, kind);
    counting->on = false;
    int64_t total = 0;
    for (uint32_t node = from; node < whole_tree_count(tree); node++)
      if (atomic_load(&tree->nodes[node].calls) == WHOLE_PROBE_CALLS) total = atomic_load(&tree->nodes[node].total);
    double inside = (double)total / WHOLE_PROBE_CALLS;
    if (i == 0 || ticks < least.whole) least.whole = ticks;
    if (i == 0 || inside < least.inside) least.inside = inside;
  }
  return least;
}

/* Returns the time by which the hook lengthens a call. */
static struct whole_cost cost_of(struct hooked hooked, double plain_ticks)
{
  double outside = hooked.whole - plain_ticks - hooked.inside;
  return (struct whole_cost){ (int64_t)hooked.inside, outside > 0 ? (int64_t)outside : 0 };
}

/* Keeps a tick pending for the measurement: a tick is also pending in the real job, and slows down each call a
 * little. */
static void set_tick(const struct whole *whole)
{
  rb_postponed_job_trigger(whole->sampler->job);
}

static int whole_kinds(const struct whole *whole)
{
  return whole->ruby_only ? WHOLE_C : WHOLE_KINDS;
}

/* Begins counting. All code that calls methods runs before the hook is installed, so that its calls are not counted. */
static VALUE begin_counting(VALUE pointer)
{
  struct whole *whole = (struct whole *)pointer;
  struct whole_counting *counting = whole->counting;
  struct fast_clock_start start = fast_clock_start();
  double plain[WHOLE_KINDS];
  set_tick(whole);
  for (int kind = 0; kind < WHOLE_KINDS; kind++) plain[kind] = whole_probe_least(whole->probe, (enum whole_kind)kind);
  counting->frame_bytes = call_place_frame_bytes();
  set_hook(whole);
  start_empty(counting);
  memset(counting->costs, 0, sizeof counting->costs);
  struct whole_cost costs[WHOLE_KINDS] = { 0 };
  for (int kind = 0; kind < whole_kinds(whole); kind++)
    costs[kind] = cost_of(measure_hooked(whole, (enum whole_kind)kind, 1), plain[kind]);
  memcpy(counting->costs, costs, sizeof costs);
  whole->ns_per_tick = fast_clock_ns_per_tick(&start);
  start_empty(counting);
  counting->on = true;
  return Qtrue;
}

/* Checks the layout of the events of each kind that is requested. Events of C calls are not enabled unless they are
 * requested, since they would leave the program slower. */
static VALUE learn_all(VALUE pointer)
{
  struct whole *whole = (struct whole *)pointer;
  rb_event_flag_t events = whole->ruby_only ? ruby_events : ruby_events | c_events;
  if (!call_place_learn()) return Qfalse;
  return vm_unknown_unless(whole_probe_learn(whole->probe, events), RTOP_VM_ALL_CALLS) ? Qtrue : Qfalse;
}

static int64_t wish_ns(const struct rtop_trace_wish *wish)
{
  uint32_t seconds = wish->seconds == RTOP_TRACE_SECONDS_MAX ? RTOP_WHOLE_SECONDS : wish->seconds;
  if (seconds > RTOP_WHOLE_SECONDS_MAX) seconds = RTOP_WHOLE_SECONDS_MAX;
  return (int64_t)seconds * CLOCK_NS_PER_SECOND;
}

static void begin(struct whole *whole, const struct rtop_trace_wish *wish)
{
  bool forced = strchr(wish->name, RTOP_WHOLE_FORCED) != NULL;
  whole->ruby_only = strchr(wish->name, RTOP_WHOLE_RUBY) != NULL;
  int state = RTOP_WHOLE_REFUSED;
  atomic_fetch_add(&whole->serial, 1);
  if (!forced && whole_is_compiled()) {
    state = RTOP_WHOLE_YJIT;
  } else if (make_all(whole) && call_protected(learn_all, whole) && call_protected(begin_counting, whole)) {
    int64_t now = clock_now_ns();
    atomic_store(&whole->named, 1);
    atomic_store(&whole->begin_ns, now);
    atomic_store(&whole->end_ns, now + wish_ns(wish));
    whole->next = 1;
    whole->left = 0;
    whole->finishing = whole->named_all = false;
    whole->told_untimed = whole->told_unnamed = 0;
    whole->told_own_ns = 0;
    state = RTOP_WHOLE_ON;
  } else {
    remove_hook(whole);
  }
  atomic_store(&whole->state, state);
}

enum rtop_trace_state whole_follow(struct whole *whole)
{
  switch (atomic_load(&whole->state)) {
  case 0: return RTOP_TRACE_WAITS;
  case RTOP_WHOLE_ON: return RTOP_TRACE_ON;
  case RTOP_WHOLE_YJIT:
  case RTOP_WHOLE_REFUSED: return RTOP_TRACE_REFUSED;
  default: return RTOP_TRACE_EXPIRED;
  }
}

enum rtop_trace_state whole_want(struct whole *whole, int slot, const struct rtop_trace_wish *wish)
{
  int state = atomic_load(&whole->state);
  /* the new request begins when all counts have been reported */
  if (state == RTOP_WHOLE_TELLING) return RTOP_TRACE_WAITS;
  if (state == RTOP_WHOLE_ON) {
    int64_t begin_ns = atomic_load(&whole->begin_ns), end_ns = clock_now_ns() + wish_ns(wish);
    int64_t most_ns = begin_ns + RTOP_WHOLE_SECONDS_MAX * CLOCK_NS_PER_SECOND;
    if (end_ns > most_ns) end_ns = most_ns;
    if (end_ns > atomic_load(&whole->end_ns)) atomic_store(&whole->end_ns, end_ns);
  } else {
    if (!trylock_take(&whole->lock)) return RTOP_TRACE_WAITS;
    begin(whole, wish);
    trylock_release(&whole->lock);
  }
  atomic_fetch_or(&whole->wanted, 1u << slot);
  return whole_follow(whole);
}

/* Measures the cost at the end: first with the hook, then without. Call when no call is open. */
static VALUE measure_again(VALUE pointer)
{
  struct whole *whole = (struct whole *)pointer;
  struct whole_counting *counting = whole->counting;
  struct hooked hooked[WHOLE_KINDS];
  set_tick(whole);
  for (int kind = 0; kind < whole_kinds(whole); kind++)
    hooked[kind] = measure_hooked(whole, (enum whole_kind)kind, whole_tree_count(&counting->tree));
  remove_hook(whole);
  for (int kind = 0; kind < whole_kinds(whole); kind++)
    whole->again[kind] = cost_of(hooked[kind], whole_probe_least(whole->probe, (enum whole_kind)kind));
  return Qtrue;
}

/* Measures the cost at the end. The probe's nodes come after the nodes of the program and are not reported. */
static void measure_end(struct whole *whole)
{
  struct whole_counting *counting = whole->counting;
  struct whole_cost costs[WHOLE_KINDS];
  uint32_t nodes = whole_tree_count(&counting->tree), methods = atomic_load(&counting->tree.method_count);
  uint64_t calls = atomic_load(&counting->calls), untimed = atomic_load(&counting->untimed);
  int64_t own = atomic_load(&counting->own);
  memcpy(costs, counting->costs, sizeof costs);
  memset(counting->costs, 0, sizeof counting->costs);
  if (nodes < WHOLE_NODES_MAX - WHOLE_PROBE_NODES && methods < WHOLE_METHODS_MAX - WHOLE_PROBE_NODES)
    call_protected(measure_again, whole);
  counting->on = false;
  memcpy(counting->costs, costs, sizeof costs);
  forget_nodes(&counting->tree, nodes);
  atomic_store(&counting->tree.count, nodes);
  atomic_store(&counting->tree.method_count, methods);
  atomic_store(&counting->calls, calls);
  atomic_store(&counting->untimed, untimed);
  atomic_store(&counting->own, own);
}

/* Ends counting. `in_job`: no other job can interrupt and count the probe's calls, so the cost is measured again.
 * Otherwise, at the end of a process or when all requests are withdrawn, the first measurement is used. */
static void stop(struct whole *whole, bool in_job)
{
  if (atomic_load(&whole->state) != RTOP_WHOLE_ON) return;
  whole->counting->on = false;
  whole_hook_close(whole->counting);
  atomic_store(&whole->end_ns, clock_now_ns()); /* the job may have been late */
  memcpy(whole->again, whole->counting->costs, sizeof whole->again);
  if (in_job) measure_end(whole);
  remove_hook(whole);
  struct whole_counting *counting = whole->counting;
  int64_t back = whole_cost_settle(&counting->tree, counting->costs, whole->again);
  atomic_store(&counting->own, atomic_load(&counting->own) - back);
  atomic_store(&whole->state, RTOP_WHOLE_TELLING);
}

/* Forgets all counts, so that the next request does not get them. */
static void forget_numbers(struct whole *whole)
{
  if (!trylock_take(&whole->lock)) return; /* the publisher has the lock; the next job tries again */
  atomic_store(&whole->state, 0);
  if (whole->counting) start_empty(whole->counting);
  trylock_release(&whole->lock);
}

/* Withdraws a slot's request. The counts so far are still reported, and a viewer that ended the counting early may wait
 * for them. */
void whole_leave(struct whole *whole, int slot)
{
  atomic_fetch_and(&whole->wanted, ~(1u << slot));
  if (!atomic_load(&whole->wanted)) stop(whole, false);
}

void whole_job(struct whole *whole)
{
  int state = atomic_load_explicit(&whole->state, memory_order_relaxed);
  if (state >= RTOP_WHOLE_DONE && !atomic_load(&whole->wanted)) forget_numbers(whole);
  if (state != RTOP_WHOLE_ON && state != RTOP_WHOLE_TELLING) return;
  bool on = whole->counting->on;
  whole->counting->on = false; /* calls made by the job itself are not counted */
  whole_names_some(whole, state == RTOP_WHOLE_TELLING);
  whole->counting->on = on;
  if (state == RTOP_WHOLE_ON && (whole->counting->full || clock_now_ns() >= atomic_load(&whole->end_ns)))
    stop(whole, !call_place_is_silent()); /* while the VM reads a source file, no cost can be measured */
}

void whole_park(struct whole *whole)
{
  if (atomic_load(&whole->state) && !atomic_load(&whole->wanted)) forget_numbers(whole);
}

void whole_end(struct whole *whole)
{
  stop(whole, false);
  int64_t until_ns = clock_now_ns() + END_NAMES_NS;
  while (atomic_load(&whole->state) == RTOP_WHOLE_TELLING && whole_names_some(whole, true) && clock_now_ns() < until_ns)
    ;
}

void whole_forget(struct whole *whole)
{
  remove_hook(whole);
  trylock_release(&whole->lock);
  atomic_store(&whole->wanted, 0);
  atomic_store(&whole->state, 0);
  if (whole->counting) start_empty(whole->counting);
}
