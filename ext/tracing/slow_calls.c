/* SPDX-License-Identifier: MIT */
/* Records slow calls in hooks, and names them in the job. */
#include "slow_calls.h"

#include "ext/sampling/stacks.h"
#include <string.h>

/* Copies the stack. A stack that does not fit as a whole is not copied. */
static uint32_t note_stack(struct slow_calls *slow)
{
  uint32_t room = SLOW_CALLS_FRAMES - slow->frames_used;
  int most = room < SAMPLER_STACK_MAX ? (int)room : SAMPLER_STACK_MAX;
  VALUE *frames = slow->frames + slow->frames_used;
  int *lines = slow->lines + slow->frames_used;
  int depth = most > 0 ? rb_profile_frames(0, most, frames, lines) : 0;
  if (depth <= 0 || (depth == most && most < SAMPLER_STACK_MAX)) return 0;
  if (lines[0] == 0) lines[0] = rb_sourceline();
  slow->frames_used += (uint32_t)depth;
  return (uint32_t)depth;
}

/* Writes the arguments of a call, or only a mark if the window has no room for the arguments. */
static void tell_arguments(struct slow_calls *slow, const struct slow_frame *frame, struct rtop_slow *call)
{
  static const char no_room[] = "…";
  enum { MOST = RTOP_ARGS_WINDOW_BYTES - SLOW_CALLS_A_WINDOW * (int)sizeof no_room };
  if (!slow->arguments || !frame->event || frame->parameters->count == 0) return;
  if (slow->args_in_window + RTOP_ARGS_BYTES > MOST) {
    call->args_bytes = sizeof no_room - 1;
    memcpy(call->args, no_room, call->args_bytes);
    return;
  }
  call->args_bytes = (uint32_t)slow->arguments(frame->event, frame->parameters, call->args, RTOP_ARGS_BYTES);
  slow->args_in_window += call->args_bytes;
}

/* Arguments are read before anything is recorded, because reading makes objects, and the GC marks what is recorded. */
bool slow_calls_note(struct slow_calls *slow, struct sampler *sampler, uint32_t target, const struct rtop_slow *call,
                     const struct slow_frame *frame)
{
  int64_t begin_ns = clock_now_ns();
  uint64_t window = atomic_load_explicit(&sampler->window, memory_order_relaxed);
  if (window != slow->window) slow->in_window = slow->args_in_window = 0;
  slow->window = window;
  if (slow->count == SLOW_CALLS_A_WINDOW || slow->in_window == SLOW_CALLS_A_WINDOW) return false;
  struct slow_call *noted = &slow->noted[slow->count];
  *noted = (struct slow_call){ .call = *call, .target = target, .first = slow->frames_used, .has_frame = frame->there };
  tell_arguments(slow, frame, &noted->call);
  noted->label_set = label_sets_of(&sampler->labels, rb_thread_current());
  noted->depth = note_stack(slow);
  slow->count++;
  slow->in_window++;
  if (slow->count > SLOW_CALLS_A_WINDOW / 2) rb_postponed_job_trigger(sampler->job);
  atomic_store_explicit(&slow->cost_ns,
                        atomic_load_explicit(&slow->cost_ns, memory_order_relaxed) +
                            (uint64_t)(clock_now_ns() - begin_ns),
                        memory_order_relaxed);
  return true;
}

/* Finds the node of a recorded stack. node: the method's own node; 0: none. Returns false when the lock is busy: call
 * again later. */
static bool find_stack(struct slow_calls *slow, struct sampler *sampler, const struct slow_call *noted, uint32_t node,
                       uint32_t *stack)
{
  struct raw_stack found = { slow->frames + noted->first, slow->lines + noted->first, noted->depth, noted->label_set };
  if (!sampler_name_noted(sampler, &found, stack)) return false;
  if (noted->has_frame || !*stack || !node) return true;
  if (!trylock_take(&sampler->lock)) return false;
  *stack = calltree_child(&sampler->tree, *stack, sampler->tree.entries[node].frame, 0);
  trylock_release(&sampler->lock);
  return true;
}

static bool hand_on(struct slow_calls *slow, const struct slow_call *noted, uint32_t node, uint32_t stack)
{
  uint64_t put = atomic_load_explicit(&slow->put, memory_order_relaxed);
  if (!node || put - atomic_load_explicit(&slow->taken, memory_order_acquire) == SLOW_CALLS_READY) return false;
  struct rtop_slow *ready = &slow->ready[put % SLOW_CALLS_READY];
  *ready = noted->call;
  ready->node = node;
  ready->stack = stack;
  atomic_store_explicit(&slow->put, put + 1, memory_order_release);
  return true;
}

/* Names the recorded calls. Naming makes objects and may switch threads, so more calls may be recorded meanwhile. */
void slow_calls_name(struct slow_calls *slow, struct sampler *sampler,
                     uint32_t (*node_of)(void *context, uint32_t target), void (*lost)(void *context, uint32_t target),
                     void *context)
{
  uint32_t named = 0;
  for (; named < slow->count; named++) {
    const struct slow_call *noted = &slow->noted[named];
    uint32_t node = node_of(context, noted->target), stack;
    if (!find_stack(slow, sampler, noted, node, &stack)) break;
    if (!hand_on(slow, noted, node, stack)) lost(context, noted->target);
  }
  if (named == 0) return;
  slow->count -= named;
  memmove(slow->noted, slow->noted + named, slow->count * sizeof *slow->noted);
  if (slow->count == 0) slow->frames_used = 0;
}

void slow_calls_leave(struct slow_calls *slow, uint32_t target)
{
  for (uint32_t i = 0; i < slow->count; i++)
    if (slow->noted[i].target == target) slow->noted[i].target = UINT32_MAX;
}

void slow_calls_mark(const struct slow_calls *slow)
{
  for (uint32_t i = 0; i < slow->frames_used; i++) rb_gc_mark(slow->frames[i]);
}

const struct rtop_slow *slow_calls_first(const struct slow_calls *slow)
{
  uint64_t taken = atomic_load_explicit(&slow->taken, memory_order_relaxed);
  if (taken == atomic_load_explicit(&slow->put, memory_order_acquire)) return NULL;
  return &slow->ready[taken % SLOW_CALLS_READY];
}

void slow_calls_take(struct slow_calls *slow)
{
  uint64_t taken = atomic_load_explicit(&slow->taken, memory_order_relaxed);
  atomic_store_explicit(&slow->taken, taken + 1, memory_order_release);
}

void slow_calls_forget(struct slow_calls *slow)
{
  slow->count = slow->frames_used = slow->in_window = slow->args_in_window = 0;
  atomic_store(&slow->taken, atomic_load(&slow->put));
}
