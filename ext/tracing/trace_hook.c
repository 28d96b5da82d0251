/* Pairs calls with returns and counts them. */
#include "trace_hook.h"

#include "call_place.h"
#include "open_calls.h"
#include "trace_target.h"
#include "tracing.h"
#include "ext/names/method_entry.h"
#include "ext/sampling/sampler.h"
#include "shm/base/clock.h"
#include <ruby/debug.h>

/* The same code is there for methods that are defined inside of it. */
static bool is_other(const struct trace_target *target, VALUE frame)
{
  return target->own_code && (!method_entry_is(frame) || method_entry_definition(frame) != target->definition);
}

static void count_caller(struct trace_target *target, VALUE frame)
{
  struct trace_caller *callers = target->callers;
  uint32_t count = atomic_load_explicit(&target->caller_count, memory_order_relaxed), i = target->last_caller;
  if (i >= count || callers[i].frame != frame)
    for (i = 0; i < count && callers[i].frame != frame; i++)
      ;
  if (i == TRACE_CALLERS) {
    trace_add(&target->elsewhere, 1);
    return;
  }
  if (i == count) {
    callers[i].frame = frame;
    callers[i].told = 0;
    atomic_store_explicit(&callers[i].calls, 0, memory_order_relaxed);
    atomic_store_explicit(&callers[i].node, 0, memory_order_relaxed);
    atomic_store_explicit(&target->caller_count, count + 1, memory_order_release);
  }
  target->last_caller = i;
  trace_add(&callers[i].calls, 1);
}

static void on_call(struct trace_target *target, const struct call_place *place, const struct thread_data *thread)
{
  VALUE frames[2];
  int depth = rb_profile_frames(0, 2, frames, NULL);
  if (depth < 1 || is_other(target, frames[0])) return;
  if (!target->frame) target->frame = frames[0];
  trace_add(&target->numbers[RTOP_EXACT_CALLS], 1);
  if (depth > 1) count_caller(target, frames[1]);
  else trace_add(&target->elsewhere, 1);
  struct open_calls *open = target->tracing->open;
  struct open_fiber *fiber = open_calls_of(open, place->fiber);
  open_calls_called(open, fiber, place->frame);
  struct open_call *call = open_calls_push(open, fiber, place);
  if (!call) {
    trace_add(&target->numbers[RTOP_EXACT_UNTIMED], 1);
    return;
  }
  call->target = target->index;
  call->thread = thread;
  call->inside_ns = 0;
  if (thread) {
    call->off_ns = thread->gone_off_ns;
    call->wait_ns = thread->gone_wait_ns;
    call->raises = thread->raises;
  }
  fiber->used_ns = call->start_ns = clock_now_ns(); /* at the end: what it took to count is no part of the call */
}

static void count_time(struct trace_target *target, int which, uint64_t ns)
{
  static const enum rtop_exact_what sums[] = { RTOP_EXACT_TOTAL_NS, RTOP_EXACT_SELF_NS };
  static const enum rtop_exact_what most[] = { RTOP_EXACT_TOTAL_MAX, RTOP_EXACT_SELF_MAX };
  _Atomic uint32_t *bucket = &target->times[which][rtop_latency_bucket(ns)];
  trace_add(&target->numbers[sums[which]], ns);
  atomic_store_explicit(bucket, atomic_load_explicit(bucket, memory_order_relaxed) + 1, memory_order_relaxed);
  _Atomic uint64_t *longest = &target->numbers[most[which]];
  if (ns > atomic_load_explicit(longest, memory_order_relaxed))
    atomic_store_explicit(longest, ns, memory_order_relaxed);
}

/* Is it one of those that are told one by one? */
static void note_slow(struct trace_target *target, struct rtop_slow *call, const struct thread_data *thread)
{
  struct tracing *tracing = target->tracing;
  if (!target->slower_ns || call->total_ns < (uint64_t)target->slower_ns) return;
  call->serial = thread ? thread->serial : 0;
  if (!slow_calls_note(tracing->slow, tracing->sampler, target->index, call))
    trace_add(&target->numbers[RTOP_EXACT_SLOW], 1);
}

static void count_return(struct trace_target *target, const struct open_call *call, const struct call_place *place,
                         const struct thread_data *thread, int64_t now_ns)
{
  int64_t total_ns = now_ns > call->start_ns ? now_ns - call->start_ns : 0;
  int64_t self_ns = total_ns > call->inside_ns ? total_ns - call->inside_ns : 0;
  count_time(target, 0, (uint64_t)total_ns);
  count_time(target, 1, (uint64_t)self_ns);
  struct rtop_slow told = { .end_mono_ns = now_ns, .total_ns = (uint64_t)total_ns, .self_ns = (uint64_t)self_ns };
  if (thread && thread == call->thread) { /* a fiber may go from thread to thread */
    bool raised = thread->raises != call->raises && call_place_jumped(place);
    told.off_ns = (uint64_t)(thread->gone_off_ns - call->off_ns);
    told.wait_ns = (uint64_t)(thread->gone_wait_ns - call->wait_ns);
    if (raised) told.flags = RTOP_SLOW_RAISED;
    if (raised) trace_add(&target->numbers[RTOP_EXACT_RAISED], 1);
    trace_add(&target->numbers[RTOP_EXACT_OFF_NS], told.off_ns);
    trace_add(&target->numbers[RTOP_EXACT_WAIT_NS], told.wait_ns);
  }
  note_slow(target, &told, thread);
}

/* Calls that began before they were traced are not there, and end unseen. */
static void on_return(struct trace_target *target, const struct call_place *place, const struct thread_data *thread,
                      int64_t now_ns)
{
  struct open_calls *open = target->tracing->open;
  struct open_fiber *fiber = open_calls_of(open, place->fiber);
  open_calls_returns(open, fiber, place->frame);
  const struct open_call *call = open_calls_innermost(open, fiber);
  if (!call || call->place.frame != place->frame || call->target != target->index) return;
  open_calls_pop(open, fiber);
  count_return(target, call, place, thread, now_ns);
  struct open_call *around = open_calls_innermost(open, fiber);
  if (around && now_ns > call->start_ns) around->inside_ns += now_ns - call->start_ns;
}

void trace_hook(VALUE tracepoint, void *pointer)
{
  struct trace_target *target = pointer;
  struct sampler *sampler = target->tracing->sampler;
  if (!atomic_load_explicit(&sampler->active, memory_order_relaxed)) return;
  rb_trace_arg_t *event = rb_tracearg_from_tracepoint(tracepoint);
  bool call = rb_tracearg_event_flag(event) == RUBY_EVENT_CALL;
  int64_t now_ns = call ? 0 : clock_now_ns();
  const struct thread_data *thread = threads_of(&sampler->threads, rb_thread_current());
  /* Those of other Ractors run beside: they are not counted. */
  if (thread ? !thread->main_ractor : atomic_load_explicit(&sampler->ractors_seen, memory_order_relaxed)) return;
  struct call_place place = call_place_of(event);
  if (call) on_call(target, &place, thread);
  else on_return(target, &place, thread, now_ns);
}
