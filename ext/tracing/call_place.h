/* SPDX-License-Identifier: MIT */
/* Where in the VM a traced call takes place: which fiber, which frame of it, and how it is left.
 *
 * The VM does not tell. Frames of a fiber stand below one another in memory, so a frame is its address: calls and returns
 * are paired by it, whatever was left out in between (a stack that overflowed unwinds without events). Whether a frame is
 * left by its end or by a jump through it (exception, throw, break, return in a block) is seen by the instruction that it
 * was at: the one that leaves, or another.
 *
 * A method in C has no frame yet when its call is told of, and none any more when it has returned; only one that is jumped
 * through is told of in its own frame. So its place is just below its caller's frame.
 *
 * That is not part of the VM's interface. So methods of our own are called first, one that is left by its end and two that
 * are jumped through, and unless every word is where it should be nothing is traced (tests/ext/test_layout.rb).
 *
 * Threads: call_place_learn() in the job, may raise, runs methods of ours. The others in the hook of an event.
 */
#ifndef RTOP_EXT_CALL_PLACE_H
#define RTOP_EXT_CALL_PLACE_H

#include <ruby.h>
#include <ruby/debug.h>
#include <stdbool.h>
#include <stdint.h>

struct call_place {
  uintptr_t fiber;
  uintptr_t frame; /* deeper ones are lower */
};

/* False: this VM is not known. Looks once. */
bool call_place_learn(void);

static inline struct call_place call_place_of(const rb_trace_arg_t *event)
{
  const uintptr_t *words = (const uintptr_t *)event;
  return (struct call_place){ words[1], words[2] };
}

/* Of the event of a method in C (whole_probe_learn()): its place, or just below its own frame when it is jumped through;
 * the name that it was defined with; the class or module in which it stands. */
enum { CALL_PLACE_EVENT_NAME = 4, CALL_PLACE_EVENT_OWNER = 6 };

static inline struct call_place call_place_of_function(const rb_trace_arg_t *event)
{
  struct call_place place = call_place_of(event);
  place.frame -= sizeof place.frame;
  return place;
}

static inline ID call_place_function_name(const rb_trace_arg_t *event)
{
  return ((const uintptr_t *)event)[CALL_PLACE_EVENT_NAME];
}

static inline VALUE call_place_function_owner(const rb_trace_arg_t *event)
{
  return ((const uintptr_t *)event)[CALL_PLACE_EVENT_OWNER];
}

/* At the event of a return: is the frame jumped through? */
bool call_place_jumped(const struct call_place *returns);

/* How far the frames of a method and of one that it calls are from each other. */
uintptr_t call_place_frame_bytes(void);

/* Has a method that was found a kind that is traced by its own code? */
bool call_place_is_ruby(unsigned kind);

/* Sets a tracepoint on one method. May raise: it has no code of Ruby. False: the program has put something else in
 * the place of what does it. */
bool call_place_enable(VALUE tracepoint, VALUE method);

#endif
