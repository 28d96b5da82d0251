/* SPDX-License-Identifier: MIT */
/* Follows the requests of viewers, window by window. */
#include "tracing.h"

#include "call_place.h"
#include "lookup.h"
#include "trace_cost.h"
#include "trace_hook.h"
#include "whole_names.h"
#include "ext/names/method_entry.h"
#include "ext/sampling/thread_calls.h"
#include "shm/base/clock.h"
#include <ruby/debug.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

static void mark_target(const struct trace_target *target)
{
  uint32_t count = atomic_load_explicit(&target->caller_count, memory_order_relaxed);
  if (target->tracepoint) rb_gc_mark(target->tracepoint);
  if (target->method) rb_gc_mark(target->method);
  if (target->owner) rb_gc_mark(target->owner);
  if (target->frame) rb_gc_mark(target->frame);
  for (uint32_t i = 0; i < count; i++) rb_gc_mark(target->callers[i].frame);
}

static void mark_targets(void *pointer)
{
  const struct tracing *tracing = pointer;
  for (int i = 0; i < RTOP_TRACE_SLOTS; i++) mark_target(&tracing->targets[i]);
  if (tracing->slow) slow_calls_mark(tracing->slow);
}

/* The type has no write barrier, so the GC marks such an object in every cycle, minor ones included. */
static const rb_data_type_t marker_type = {
  .wrap_struct_name = "rperf_top/tracing",
  .function = { .dmark = mark_targets },
};

static void lost_call(void *context, uint32_t index)
{
  struct tracing *tracing = context;
  trace_add(&tracing->targets[index].numbers[RTOP_EXACT_UNTIMED], 1);
}

void tracing_init(struct tracing *tracing, struct sampler *sampler)
{
  tracing->sampler = tracing->whole.sampler = tracing->sites.sampler = sampler;
  for (uint32_t i = 0; i < RTOP_TRACE_SLOTS; i++) {
    tracing->targets[i].tracing = tracing;
    tracing->targets[i].index = i;
  }
}

bool tracing_want(struct tracing *tracing, uint32_t wanted, const struct rtop_trace_wish wishes[RTOP_TRACE_SLOTS])
{
  if (!wanted && !atomic_load(&tracing->any)) return false;
  while (!trylock_take(&tracing->lock)) sched_yield();
  bool changed = wanted != tracing->wanted;
  for (int i = 0; i < RTOP_TRACE_SLOTS; i++) {
    if (!(wanted >> i & 1)) continue;
    changed = changed || memcmp(&tracing->wishes[i], &wishes[i], sizeof *wishes) != 0;
    tracing->wishes[i] = wishes[i];
  }
  tracing->wanted = wanted;
  trylock_release(&tracing->lock);
  if (wanted) atomic_store(&tracing->any, true);
  return changed;
}

/* Allocates all tables in one go. They are never freed; unused pages are never touched. */
static bool make_tables(struct tracing *tracing)
{
  enum { TIMES = 4 * RTOP_TRACE_SLOTS };
  if (tracing->open) return true;
  if (!tracing->marker) {
    rb_gc_register_address(&tracing->marker);
    tracing->marker = TypedData_Wrap_Struct(rb_cObject, &marker_type, tracing);
  }
  struct open_calls *open = calloc(1, sizeof *open);
  struct slow_calls *slow = calloc(1, sizeof *slow);
  uint32_t *times = calloc((size_t)TIMES * RTOP_LATENCY_BUCKETS, sizeof *times);
  if (!open || !times || !slow) {
    free(open);
    free(slow);
    free(times);
    return false;
  }
  for (int i = 0; i < RTOP_TRACE_SLOTS; i++)
    for (int which = 0; which < 2; which++, times += 2 * RTOP_LATENCY_BUCKETS) {
      tracing->targets[i].times[which] = (_Atomic uint32_t *)times;
      tracing->targets[i].times_told[which] = times + RTOP_LATENCY_BUCKETS;
    }
  open_calls_forget(open);
  open->lost = lost_call;
  open->context = tracing;
  tracing->slow = slow;
  tracing->open = open;
  return true;
}

static void set_state(struct trace_target *target, enum rtop_trace_state state)
{
  atomic_store_explicit(&target->state, (uint32_t)state, memory_order_release);
}

static VALUE disable_target(VALUE tracepoint)
{
  return rb_tracepoint_disable(tracepoint);
}

static VALUE call_protected(VALUE (*call)(VALUE), VALUE argument, bool *raised)
{
  VALUE error = rb_errinfo();
  int state = 0;
  VALUE result = rb_protect(call, argument, &state);
  if (state) rb_set_errinfo(error);
  *raised = state != 0;
  return result;
}

static void give_up_target(struct trace_target *target, enum rtop_trace_state state)
{
  bool raised;
  if (target->tracepoint) call_protected(disable_target, target->tracepoint, &raised);
  functions_remove(&target->tracing->functions, target);
  target->tracepoint = 0;
  target->counts = false;
  atomic_store(&target->begin_ns, 0);
  set_state(target, state);
}

/* Tells whether both targets have the same method. C functions are also compared by owner, since a class may have an
 * alias of a function for itself. */
static bool is_same_method(const struct trace_target *a, const struct trace_target *b)
{
  return a->definition == b->definition && a->owner == b->owner;
}

/* Tells whether another target already traces this method. */
static bool is_shared(const struct trace_target *target)
{
  for (uint32_t i = 0; i < RTOP_TRACE_SLOTS; i++) {
    const struct trace_target *other = &target->tracing->targets[i];
    if (other != target && other->counts && is_same_method(other, target)) return true;
  }
  return false;
}

/* Tells whether the request is forced: a mark before the method's name asks for tracing even if the program stays
 * slower afterwards. */
static bool is_forced(const struct rtop_trace_wish *wish)
{
  return wish->name[0] == RTOP_TRACE_FORCED;
}

static VALUE find_method(VALUE pointer)
{
  const struct rtop_trace_wish *wish = (const struct rtop_trace_wish *)pointer;
  size_t mark = is_forced(wish);
  return lookup_method(wish->name + mark, wish->bytes - mark);
}

/* Finds the method with warnings off, because looking up a deprecated constant must not warn the application. */
static VALUE find_quietly(const struct rtop_trace_wish *wish, bool *raised)
{
  VALUE verbose = ruby_verbose;
  ruby_verbose = Qnil;
  VALUE method = call_protected(find_method, (VALUE)wish, raised);
  ruby_verbose = verbose;
  return method;
}

/* Stores the method. Frames of a plain method of a class are identified by its entry; frames of other methods are
 * identified at the first call. */
static void take_method(struct trace_target *target, VALUE method, VALUE entry)
{
  bool function = functions_are(entry);
  target->method = method;
  target->definition = method_entry_definition(entry);
  target->owner = function ? method_entry_owner(entry) : 0;
  target->first_name = function ? method_entry_first_name(entry) : 0;
  atomic_store(&target->is_function, function);
  target->own_code = call_place_is_ruby(method_entry_kind(entry));
  target->frame = target->own_code && method_entry_class(entry) ? entry : 0;
  target->parameters = (struct call_parameters){ 0 };
  if (!function && target->tracing->slow->arguments) call_args_of(method, &target->parameters);
}

static VALUE enable_target(VALUE pointer)
{
  struct trace_target *target = (struct trace_target *)pointer;
  target->tracepoint = rb_tracepoint_new(0, RUBY_EVENT_CALL | RUBY_EVENT_RETURN, trace_hook, target);
  return call_place_enable(target->tracepoint, target->method) ? Qtrue : Qfalse;
}

static enum rtop_trace_state trace_code(struct trace_target *target)
{
  bool raised;
  VALUE enabled = call_protected(enable_target, (VALUE)target, &raised);
  if (!raised && RTEST(enabled)) return RTOP_TRACE_ON;
  if (raised) target->tracepoint = 0;
  return raised && !target->own_code ? RTOP_TRACE_NOT_RUBY : RTOP_TRACE_REFUSED;
}

static VALUE learn_functions(VALUE pointer)
{
  return functions_learn((struct functions *)pointer) ? Qtrue : Qfalse;
}

static enum rtop_trace_state trace_function(struct trace_target *target)
{
  struct functions *functions = &target->tracing->functions;
  bool raised;
  if (whole_is_compiled() && functions_are_members(method_entry_of(target->method))) return RTOP_TRACE_NOT_RUBY;
  if (!is_forced(&target->wish)) return RTOP_TRACE_SLOWER;
  if (call_protected(learn_functions, (VALUE)functions, &raised) != Qtrue || raised) return RTOP_TRACE_REFUSED;
  functions_add(functions, target);
  return RTOP_TRACE_ON;
}

static void begin_target(struct trace_target *target)
{
  bool raised;
  VALUE method = find_quietly(&target->wish, &raised), entry = raised ? 0 : method_entry_of(method);
  if (raised || NIL_P(method)) return;
  if (!entry) {
    give_up_target(target, RTOP_TRACE_REFUSED);
    return;
  }
  take_method(target, method, entry);
  if (is_shared(target)) {
    set_state(target, RTOP_TRACE_ON);
    return;
  }
  enum rtop_trace_state state = atomic_load(&target->is_function) ? trace_function(target) : trace_code(target);
  if (state != RTOP_TRACE_ON) {
    give_up_target(target, state);
    return;
  }
  target->counts = true;
  atomic_store(&target->begin_ns, clock_now_ns());
  set_state(target, RTOP_TRACE_ON);
}

static bool has_room(struct sampler *sampler)
{
  return calltree_count(&sampler->tree) < sampler->tree.capacity / 4 * 3;
}

/* Returns the node of a frame below a parent node; 0 when that is not possible now. Lock held. */
static uint32_t place_below(struct sampler *sampler, uint32_t parent, uint32_t frame)
{
  uint32_t node = frame == FRAMES_UNKNOWN ? parent : calltree_child(&sampler->tree, parent, frame, 0);
  return node == parent ? 0 : node;
}

/* Names a frame and returns its node below a parent node; 0 when that is not possible now. */
static uint32_t name_place(struct sampler *sampler, uint32_t parent, VALUE value)
{
  if (!has_room(sampler) || !frames_add(&sampler->frames, value) || !trylock_take(&sampler->lock)) return 0;
  uint32_t node = place_below(sampler, parent, frames_find(&sampler->frames, value));
  trylock_release(&sampler->lock);
  return node;
}

/* Names a method by its owner: attributes have no frames, frames of other C functions are not always sampled, and a
 * block passed to define_method may be the code of many methods. code: this block; else 0. */
static uint32_t name_by_owner(struct sampler *sampler, VALUE owner, ID name, VALUE code)
{
  uint32_t frame = has_room(sampler) ? whole_names_frame(sampler, owner, name, code) : FRAMES_UNKNOWN;
  if (!trylock_take(&sampler->lock)) return 0;
  uint32_t node = place_below(sampler, RTOP_NODE_ROOT, frame);
  trylock_release(&sampler->lock);
  return node;
}

static uint32_t name_code(struct sampler *sampler, const struct trace_target *target)
{
  VALUE entry = method_entry_is(target->frame) ? 0 : method_entry_of(target->method);
  VALUE owner = entry ? method_entry_owner(entry) : 0;
  if (!owner) return name_place(sampler, RTOP_NODE_ROOT, target->frame);
  return name_by_owner(sampler, owner, method_entry_first_name(entry), target->frame);
}

static void name_places(struct trace_target *target)
{
  struct sampler *sampler = target->tracing->sampler;
  uint32_t node = atomic_load(&target->node), count = atomic_load(&target->caller_count);
  if (!node && target->owner) node = name_by_owner(sampler, target->owner, target->first_name, 0);
  if (!node && target->frame) node = name_code(sampler, target);
  atomic_store(&target->node, node);
  for (uint32_t i = 0; node && i < count; i++)
    if (!atomic_load(&target->callers[i].node))
      atomic_store(&target->callers[i].node, name_place(sampler, node, target->callers[i].frame));
}

/* Tells whether the program has replaced or removed the method. */
static bool is_gone(struct trace_target *target)
{
  bool raised;
  VALUE method = find_quietly(&target->wish, &raised), entry = raised ? 0 : method_entry_of(method);
  bool gone = !raised && (!entry || method_entry_definition(entry) != target->definition);
  RB_GC_GUARD(method);
  return gone;
}

/* Updates the state of a request to count all calls. */
static void follow_whole(struct trace_target *target, uint32_t state)
{
  struct whole *whole = &target->tracing->whole;
  if (state == RTOP_TRACE_WAITS) set_state(target, whole_want(whole, (int)target->index, &target->wish));
  else if (state == RTOP_TRACE_ON) set_state(target, whole_follow(whole));
}

/* Updates the state of a request to sample allocation sites. */
static void follow_sites(struct trace_target *target, uint32_t state)
{
  struct sites *sites = &target->tracing->sites;
  if (state == RTOP_TRACE_WAITS) set_state(target, sites_want(sites, (int)target->index, &target->wish));
  else if (state == RTOP_TRACE_ON) set_state(target, sites_follow(sites));
}

static void follow_target(struct trace_target *target, int64_t now_ns)
{
  uint32_t state = atomic_load(&target->state);
  if (whole_is_asked(&target->wish)) {
    follow_whole(target, state);
    return;
  }
  if (sites_is_asked(&target->wish)) {
    follow_sites(target, state);
    return;
  }
  if (state != RTOP_TRACE_WAITS && state != RTOP_TRACE_ON) return;
  if (now_ns >= target->end_ns) give_up_target(target, RTOP_TRACE_EXPIRED);
  else if (atomic_load(&target->too_many)) give_up_target(target, RTOP_TRACE_TOO_MANY);
  else if (state == RTOP_TRACE_ON && is_gone(target)) give_up_target(target, RTOP_TRACE_GONE);
  else if (state == RTOP_TRACE_WAITS || (!target->counts && !is_shared(target))) /* the target that traced it ended */
    begin_target(target);
  name_places(target);
}

static uint32_t node_of_target(void *context, uint32_t target)
{
  struct tracing *tracing = context;
  return target < RTOP_TRACE_SLOTS ? atomic_load(&tracing->targets[target].node) : 0;
}

static void lost_slow(void *context, uint32_t target)
{
  struct tracing *tracing = context;
  if (target < RTOP_TRACE_SLOTS) trace_add(&tracing->targets[target].numbers[RTOP_EXACT_SLOW], 1);
}

static void name_slow(struct tracing *tracing)
{
  if (!tracing->slow || tracing->slow->count == 0) return;
  for (int i = 0; i < RTOP_TRACE_SLOTS; i++)
    if (atomic_load(&tracing->targets[i].phase) == TRACE_USED) name_places(&tracing->targets[i]);
  slow_calls_name(tracing->slow, tracing->sampler, node_of_target, lost_slow, tracing);
}

/* Ends a target; the publisher then reports its remaining counts. */
static void leave_target(struct trace_target *target)
{
  if (atomic_load(&target->phase) != TRACE_USED) return;
  if (whole_is_asked(&target->wish)) whole_leave(&target->tracing->whole, (int)target->index);
  if (sites_is_asked(&target->wish)) sites_leave(&target->tracing->sites, (int)target->index);
  name_places(target);
  name_slow(target->tracing);
  if (target->tracing->slow) slow_calls_leave(target->tracing->slow, target->index);
  give_up_target(target, RTOP_TRACE_WAITS);
  atomic_store(&target->phase, TRACE_LEFT);
}

static void use_target(struct trace_target *target, const struct rtop_trace_wish *wish, bool possible, int64_t now_ns)
{
  target->wish = *wish;
  target->end_ns = now_ns + (int64_t)wish->seconds * CLOCK_NS_PER_SECOND;
  target->method = target->frame = target->definition = target->owner = 0;
  atomic_store(&target->is_function, false);
  target->slower_ns = 0;
  target->last_caller = 0;
  atomic_store(&target->too_many, 0);
  atomic_store(&target->caller_count, 0);
  atomic_store(&target->node, 0);
  atomic_store(&target->key, rtop_trace_key(wish->name + is_forced(wish), wish->bytes - is_forced(wish)));
  set_state(target, possible ? RTOP_TRACE_WAITS : RTOP_TRACE_REFUSED);
  atomic_store(&target->phase, TRACE_USED);
}

static VALUE learn_to_trace(VALUE pointer)
{
  struct tracing *tracing = (struct tracing *)pointer;
  if (!lookup_learn() || !call_place_learn()) return Qfalse;
  functions_learn_kinds();
  tracing->slow->arguments = tracing->allow_args && call_args_learn() ? call_args_text : NULL;
  if (!atomic_load(&tracing->call_cost_ns)) atomic_store(&tracing->call_cost_ns, trace_cost_ns(tracing));
  return Qtrue;
}

/* Sets the thresholds for slow calls; of several requests for a method, the lowest threshold decides. */
static void follow_slow(struct tracing *tracing)
{
  for (int i = 0; i < RTOP_TRACE_SLOTS; i++) {
    struct trace_target *target = &tracing->targets[i];
    int64_t least_ns = 0;
    for (int k = 0; target->counts && k < RTOP_TRACE_SLOTS; k++) {
      const struct trace_target *other = &tracing->targets[k];
      int64_t ns = (int64_t)other->wish.slower_us * 1000;
      bool asks = ns && atomic_load(&other->phase) == TRACE_USED && atomic_load(&other->state) == RTOP_TRACE_ON &&
                  is_same_method(other, target);
      if (asks && (!least_ns || ns < least_ns)) least_ns = ns;
    }
    target->slower_ns = least_ns;
  }
}

struct wanted {
  struct tracing *tracing;
  uint32_t slots;
  struct rtop_trace_wish wishes[RTOP_TRACE_SLOTS];
};

static void follow_wanted(const struct wanted *wanted, bool alone)
{
  struct tracing *tracing = wanted->tracing;
  int64_t now_ns = clock_now_ns();
  bool raised, samples = wanted->slots && alone && make_tables(tracing);
  bool traces = samples && call_protected(learn_to_trace, (VALUE)tracing, &raised) == Qtrue && !raised;
  bool any = wanted->slots != 0;
  for (int i = 0; i < RTOP_TRACE_SLOTS; i++) {
    struct trace_target *target = &tracing->targets[i];
    bool is_wanted = wanted->slots >> i & 1;
    bool same = is_wanted && memcmp(&target->wish, &wanted->wishes[i], sizeof target->wish) == 0;
    if (!same) leave_target(target);
    if (is_wanted && atomic_load(&target->phase) == TRACE_FREE)
      use_target(target, &wanted->wishes[i], sites_is_asked(&wanted->wishes[i]) ? samples : traces, now_ns);
    if (atomic_load(&target->phase) == TRACE_USED) follow_target(target, now_ns);
    any = any || atomic_load(&target->phase) != TRACE_FREE;
  }
  follow_slow(tracing);
  if (!any && !(tracing->slow && slow_calls_first(tracing->slow))) atomic_store(&tracing->any, false);
}

void tracing_job(struct tracing *tracing)
{
  static struct wanted wanted; /* static, because it is large; used under the GVL */
  uint64_t window = atomic_load_explicit(&tracing->sampler->window, memory_order_relaxed);
  whole_job(&tracing->whole);
  if (!atomic_load_explicit(&tracing->any, memory_order_relaxed)) return;
  name_slow(tracing);
  if (window == tracing->seen_window || call_place_is_silent()) return;
  if (!trylock_take(&tracing->lock)) return;
  wanted.tracing = tracing;
  wanted.slots = tracing->wanted;
  memcpy(wanted.wishes, tracing->wishes, sizeof wanted.wishes);
  trylock_release(&tracing->lock);
  tracing->seen_window = window;
  VALUE held =
      /* The calls below run code of the VM; without this, an exception raised by another thread could end them. */
      thread_calls_hold_on();
  follow_wanted(&wanted, held != Qundef);
  thread_calls_let_go(held);
}

void tracing_hand_in(struct tracing *tracing)
{
  whole_end(&tracing->whole);
  sites_end(&tracing->sites);
}

void tracing_end(struct tracing *tracing)
{
  for (int i = 0; i < RTOP_TRACE_SLOTS; i++) leave_target(&tracing->targets[i]);
}

void tracing_park(struct tracing *tracing)
{
  tracing_end(tracing);
  whole_park(&tracing->whole);
}

/* Forgets all targets. No names are made, since in a forked child the tables of names may be half-written. */
void tracing_forget(struct tracing *tracing)
{
  trylock_release(&tracing->lock); /* a thread that does not exist in the child of a fork may have held the lock */
  whole_forget(&tracing->whole);
  sites_forget(&tracing->sites);
  tracing->wanted = 0;
  if (tracing->open) open_calls_forget(tracing->open);
  if (tracing->slow) slow_calls_forget(tracing->slow);
  for (int i = 0; i < RTOP_TRACE_SLOTS; i++) {
    give_up_target(&tracing->targets[i], RTOP_TRACE_WAITS);
    trace_target_forget(&tracing->targets[i]);
    atomic_store(&tracing->targets[i].phase, TRACE_FREE);
  }
}
