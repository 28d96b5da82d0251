/* SPDX-License-Identifier: MIT */
/* Where a traced call takes place in the VM: its fiber, its frame, and how the frame is left.
 *
 * The VM does not report this. The frames of a fiber are adjacent in memory, so a frame's address identifies it, and
 * pairs calls with returns even if returns in between were missed (a stack overflow unwinds without events). Whether a
 * frame returns or is left by a jump (exception, throw, break, return in a block) is seen from the instruction that it
 * is at. A C method has no frame when its call is reported nor after it has returned, only when it is left by a jump;
 * so its place is just below its caller's frame.
 *
 * None of this is part of the VM's interface. So probe methods of our own are called first, and if a word is not where
 * it should be, nothing is traced (tests/ext/test_layout.rb).
 *
 * Threads: call_place_learn() in the job; it may raise, and runs the probe methods. The others in the hook of an event.
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

/* Checks this VM at the first call. False when calls cannot be located on it. */
bool call_place_learn(void);

/* Runs the code of a probe and returns its value; may raise. Not with rb_eval_string(): it takes the frame on top for the
 * code's surroundings, and while the VM reads a source file that frame has no code of its own, so the VM crashes. */
VALUE call_place_run(const char *code);

/* Does the VM read a source file on this thread, or look for one? While it does, calls have no events, so probes would
 * see nothing. */
bool call_place_is_silent(void);

static inline struct call_place call_place_of(const rb_trace_arg_t *event)
{
  const uintptr_t *words = (const uintptr_t *)event;
  return (struct call_place){ words[1], words[2] };
}

/* For events of C methods (whole_probe_learn()): the call's place, which is just below its own frame if it is left by
 * a jump; the name with which the method was defined; and its class or module. */
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

/* Is the frame of this return event left by a jump? */
bool call_place_jumped(const struct call_place *returns);

/* Distance in memory between the frames of a method and of one it calls. */
uintptr_t call_place_frame_bytes(void);

/* Is a method of this kind traced by a tracepoint on its own code? */
bool call_place_is_ruby(unsigned kind);

/* Enables a tracepoint for one method. Raises if the method has no Ruby code. Returns false if the program has
 * redefined the method that enables tracepoints. */
bool call_place_enable(VALUE tracepoint, VALUE method);

#endif
