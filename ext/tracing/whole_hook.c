/* SPDX-License-Identifier: MIT */
/* Pairs calls with returns, and counts them in the tree of all calls. */
#include "whole_hook.h"

#include "ext/base/fast_clock.h"
#include "ext/names/method_entry.h"

enum { EVENT_FLAG };
enum { FRAME_ENVIRONMENT = 4, ENVIRONMENT_ENTRY = -2 };

static inline uint32_t flag_of(const rb_trace_arg_t *event)
{
  return (uint32_t)((const uintptr_t *)event)[EVENT_FLAG];
}

/* Returns the method entry of a frame. Valid at the call event, when the frame is new and nothing else has used this
 * word yet. */
static inline VALUE entry_of(uintptr_t frame)
{
  return (*(const VALUE *const *)(frame + FRAME_ENVIRONMENT * sizeof(VALUE)))[ENVIRONMENT_ENTRY];
}

bool whole_hook_reads(const rb_trace_arg_t *event, VALUE entry, ID id)
{
  uint32_t flag = flag_of(event);
  if (flag == RUBY_EVENT_CALL) return entry_of(call_place_of(event).frame) == entry;
  if (flag == RUBY_EVENT_RETURN) return true;
  return (flag == RUBY_EVENT_C_CALL || flag == RUBY_EVENT_C_RETURN) && call_place_function_owner(event) == entry &&
         call_place_function_name(event) == id;
}

static inline void add(_Atomic int64_t *sum, int64_t more)
{
  atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + more, memory_order_relaxed);
}

static inline void count(_Atomic uint64_t *sum)
{
  atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + 1, memory_order_relaxed);
}

static inline struct open_fiber *fiber_of(struct whole_counting *counting, uintptr_t fiber)
{
  if (!counting->fiber || counting->fiber->fiber != fiber) counting->fiber = open_calls_of(&counting->open, fiber);
  return counting->fiber;
}

static inline struct call_place place_of(const rb_trace_arg_t *event, enum whole_kind kind)
{
  return kind == WHOLE_C ? call_place_of_function(event) : call_place_of(event);
}

static void on_call(struct whole_counting *counting, const rb_trace_arg_t *event, enum whole_kind kind, VALUE entry,
                    ID id)
{
  struct call_place place = place_of(event, kind);
  struct open_fiber *fiber = fiber_of(counting, place.fiber);
  if (fiber->innermost && counting->open.calls[fiber->innermost].place.frame <= place.frame)
    open_calls_called(&counting->open, fiber, place.frame);
  uint32_t parent = fiber->innermost ? counting->open.calls[fiber->innermost].target : WHOLE_ROOT;
  uint32_t node = whole_tree_child(&counting->tree, parent, entry, id);
  struct open_call *call = node ? open_calls_push(&counting->open, fiber, &place) : NULL;
  if (!call) {
    counting->full = true;
    counting->on = false;
    return;
  }
  count(&counting->calls);
  count(&counting->tree.nodes[node].calls);
  call->target = node;
  call->raises = (uint64_t)kind;
  call->inside_ns = call->off_ns = 0;
  call->start_ns = fiber->used_ns = fast_clock_ticks(); /* read last: the work above is outside the call */
}

static void end_call(struct whole_counting *counting, struct open_fiber *fiber, int64_t now)
{
  const struct open_call *call = open_calls_pop(&counting->open, fiber);
  const struct whole_cost *cost = &counting->costs[call->raises];
  struct whole_node *node = &counting->tree.nodes[call->target];
  int64_t elapsed = now - call->start_ns, own = cost->inside + cost->outside;
  add(&node->total, elapsed - cost->inside - call->off_ns);
  add(&node->self, elapsed - cost->inside - call->inside_ns);
  add(&counting->own, own);
  if (!fiber->innermost) return;
  struct open_call *around = &counting->open.calls[fiber->innermost];
  around->inside_ns += elapsed + cost->outside;
  around->off_ns += own + call->off_ns;
}

/* Handles a return. A call that began before counting is not in the list, and its return is ignored. */
static void on_return(struct whole_counting *counting, const rb_trace_arg_t *event, enum whole_kind kind)
{
  int64_t now = fast_clock_ticks(); /* read first: the work below is outside the call */
  struct call_place place = place_of(event, kind);
  struct open_fiber *fiber = fiber_of(counting, place.fiber);
  if (!fiber->innermost) return;
  uintptr_t frame = place.frame;
  if (counting->open.calls[fiber->innermost].place.frame < frame) {
    open_calls_returns(&counting->open, fiber, frame);
    if (!fiber->innermost) return;
  }
  uintptr_t innermost = counting->open.calls[fiber->innermost].place.frame;
  if (innermost == frame || (kind == WHOLE_C && innermost == frame + counting->frame_bytes))
    end_call(counting, fiber, now);
}

void whole_hook(VALUE pointer, const rb_trace_arg_t *event)
{
  struct whole_counting *counting = (struct whole_counting *)pointer;
  if (!counting->on) return;
  switch (flag_of(event)) {
  case RUBY_EVENT_CALL: on_call(counting, event, WHOLE_RUBY, entry_of(call_place_of(event).frame), 0); break;
  case RUBY_EVENT_RETURN: on_return(counting, event, WHOLE_RUBY); break;
  case RUBY_EVENT_C_CALL:
    on_call(counting, event, WHOLE_C, call_place_function_owner(event), call_place_function_name(event));
    break;
  case RUBY_EVENT_C_RETURN: on_return(counting, event, WHOLE_C); break;
  default: break;
  }
}

void whole_hook_close(struct whole_counting *counting)
{
  int64_t now = fast_clock_ticks();
  for (uint32_t i = 0; i < OPEN_CALLS_FIBERS; i++)
    while (counting->open.fibers[i].innermost) end_call(counting, &counting->open.fibers[i], now);
}
