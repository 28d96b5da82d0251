/* SPDX-License-Identifier: MIT */
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

/* Tells whether the frame is that of a method defined inside the target. The code of such a method is nested in the
 * target's code, so the tracepoint reports its calls, too. */
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

/* Counts a call and adds it to the open calls. caller: VALUE of the caller's frame; 0: the call has no caller. */
static void begin_call(struct trace_target *target, const struct call_place *place, VALUE caller,
                       const struct thread_data *thread)
{
  trace_add(&target->numbers[RTOP_EXACT_CALLS], 1);
  if (caller) count_caller(target, caller);
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
  /* Read last, so that the cost of counting is not part of the call. */
  fiber->used_ns = call->start_ns = clock_now_ns();
}

static void on_call(struct trace_target *target, const struct call_place *place, const struct thread_data *thread)
{
  VALUE frames[2];
  int depth = rb_profile_frames(0, 2, frames, NULL);
  if (depth < 1 || is_other(target, frames[0])) return;
  if (!target->frame) target->frame = frames[0];
  begin_call(target, place, depth > 1 ? frames[1] : 0, thread);
}

/* Handles the call of a C function. The function has no frame yet, so the innermost frame is its caller's. */
static void on_function_call(struct trace_target *target, const struct call_place *place,
                             const struct thread_data *thread)
{
  VALUE frames[2];
  int depth = rb_profile_frames(0, 2, frames, NULL);
  begin_call(target, place, depth > 0 ? frames[0] : 0, thread);
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

/* Details of the end of a call. */
struct call_end {
  const struct thread_data *thread;
  int64_t now_ns;
  bool jumped;
  rb_trace_arg_t *event; /* event of a method written in Ruby; NULL for other methods */
};

/* Records the call if it took longer than the target's threshold. */
static void note_slow(struct trace_target *target, struct rtop_slow *call, const struct call_end *end)
{
  struct tracing *tracing = target->tracing;
  if (!target->slower_ns || call->total_ns < (uint64_t)target->slower_ns) return;
  bool there = end->jumped || !atomic_load_explicit(&target->is_function, memory_order_relaxed);
  const struct slow_frame frame = { there, end->event, &target->parameters };
  call->serial = end->thread ? end->thread->serial : 0;
  if (!slow_calls_note(tracing->slow, tracing->sampler, target->index, call, &frame))
    trace_add(&target->numbers[RTOP_EXACT_SLOW], 1);
}

static void count_return(struct trace_target *target, const struct open_call *call, const struct call_end *end)
{
  const struct thread_data *thread = end->thread;
  int64_t now_ns = end->now_ns, total_ns = now_ns > call->start_ns ? now_ns - call->start_ns : 0;
  int64_t self_ns = total_ns > call->inside_ns ? total_ns - call->inside_ns : 0;
  count_time(target, 0, (uint64_t)total_ns);
  count_time(target, 1, (uint64_t)self_ns);
  struct rtop_slow told = { .end_mono_ns = now_ns, .total_ns = (uint64_t)total_ns, .self_ns = (uint64_t)self_ns };
  if (thread && thread == call->thread) { /* a fiber may move from one thread to another */
    bool raised = end->jumped && thread->raises != call->raises;
    told.off_ns = (uint64_t)(thread->gone_off_ns - call->off_ns);
    told.wait_ns = (uint64_t)(thread->gone_wait_ns - call->wait_ns);
    if (raised) told.flags = RTOP_SLOW_RAISED;
    if (raised) trace_add(&target->numbers[RTOP_EXACT_RAISED], 1);
    trace_add(&target->numbers[RTOP_EXACT_OFF_NS], told.off_ns);
    trace_add(&target->numbers[RTOP_EXACT_WAIT_NS], told.wait_ns);
  }
  note_slow(target, &told, end);
}

static void end_innermost(struct trace_target *target, struct open_fiber *fiber, const struct call_end *end)
{
  struct open_calls *open = target->tracing->open;
  const struct open_call *call = open_calls_pop(open, fiber);
  count_return(target, call, end);
  struct open_call *around = open_calls_innermost(open, fiber);
  if (around && end->now_ns > call->start_ns) around->inside_ns += end->now_ns - call->start_ns;
}

/* Handles a return. A call that began before tracing is not in the list, and its return is ignored. */
static void on_return(struct trace_target *target, const struct call_place *place, struct call_end *end)
{
  struct open_calls *open = target->tracing->open;
  struct open_fiber *fiber = open_calls_of(open, place->fiber);
  open_calls_returns(open, fiber, place->frame);
  const struct open_call *call = open_calls_innermost(open, fiber);
  if (!call || call->place.frame != place->frame || call->target != target->index) return;
  end->jumped = call_place_jumped(place);
  end_innermost(target, fiber, end);
}

/* Handles the return of a C function. The event is in the caller's frame after a normal return, and in the function's
 * own frame if the function is left by a jump. */
static void on_function_return(struct trace_target *target, const struct call_place *place, struct call_end *end)
{
  struct open_calls *open = target->tracing->open;
  struct open_fiber *fiber = open_calls_of(open, place->fiber);
  open_calls_returns(open, fiber, place->frame);
  const struct open_call *call = open_calls_innermost(open, fiber);
  if (!call || call->target != target->index) return;
  end->jumped = call->place.frame == place->frame + call_place_frame_bytes();
  if (end->jumped || call->place.frame == place->frame) end_innermost(target, fiber, end);
}

/* Tells whether calls of this thread are counted. Calls in other Ractors, which run in parallel, are not. */
static bool is_counted(const struct sampler *sampler, const struct thread_data *thread)
{
  return thread ? thread->main_ractor : !atomic_load_explicit(&sampler->ractors_seen, memory_order_relaxed);
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
  if (!is_counted(sampler, thread)) return;
  struct call_place place = call_place_of(event);
  if (call) on_call(target, &place, thread);
  else on_return(target, &place, &(struct call_end){ .thread = thread, .now_ns = now_ns, .event = event });
}

void trace_hook_function(struct trace_target *target, const rb_trace_arg_t *event)
{
  struct sampler *sampler = target->tracing->sampler;
  if (!atomic_load_explicit(&sampler->active, memory_order_relaxed)) return;
  bool call = rb_tracearg_event_flag((rb_trace_arg_t *)event) == RUBY_EVENT_C_CALL;
  int64_t now_ns = call ? 0 : clock_now_ns();
  const struct thread_data *thread = threads_of(&sampler->threads, rb_thread_current());
  if (!is_counted(sampler, thread)) return;
  struct call_place place = call_place_of_function(event);
  if (call) on_function_call(target, &place, thread);
  else on_function_return(target, &place, &(struct call_end){ .thread = thread, .now_ns = now_ns });
}
