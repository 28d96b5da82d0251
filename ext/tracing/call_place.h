/* SPDX-License-Identifier: MIT */
/* Where a traced call takes place in the VM: its fiber, its frame, and how the frame is left.
 *
 * The VM does not report this. The frames of a fiber are adjacent in memory, so a frame's address identifies it, and
 * pairs calls with returns even if returns in between were missed (a stack overflow unwinds without events). Whether a
 * frame returns or is left by a jump (exception, throw, break, return in a block) is seen from the current instruction
 * of the frame. A C method has no frame when its call or its return is reported, but still has one when it is left by a
 * jump. So its frame is taken to be just below its caller's frame.
 *
 * None of this is part of the VM's interface. So probe methods of our own are called first; if a word is not at its
 * expected position, nothing is traced (tests/ext/test_layout.rb).
 *
 * Threads: call_place_learn() in the job; it may raise, and runs the probe methods. The other functions in the hook of
 * an event.
 */
#ifndef RTOP_EXT_CALL_PLACE_H
#define RTOP_EXT_CALL_PLACE_H

#include <ruby.h>
#include <ruby/debug.h>
#include <stdbool.h>
#include <stdint.h>

struct call_place {
  uintptr_t fiber;
  uintptr_t frame; /* frames of deeper calls have lower addresses */
};

/* Checks at its first call whether calls can be located on this VM. Returns false when they cannot. */
bool call_place_learn(void);

/* Runs a probe's code and returns its value; may raise. Does not use rb_eval_string(), which evaluates in the context
 * of the topmost frame: while the VM reads a source file, that frame has no code, and the VM would crash. */
VALUE call_place_run(const char *code);

/* Tells whether the VM reads a source file on this thread, or searches for one. While it does, calls have no events, so
 * the checks by probes would fail. */
bool call_place_is_silent(void);

static inline struct call_place call_place_of(const rb_trace_arg_t *event)
{
  const uintptr_t *words = (const uintptr_t *)event;
  return (struct call_place){ words[1], words[2] };
}

/* Three functions for events of C methods; call whole_probe_learn() first. A normal return is reported in the caller's
 * frame; a method left by an exception or a throw still has its own frame, just above the caller's. The name is the one
 * under which the method was defined; the owner is its class or module. */
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

/* Tells whether the frame of this return event is left by a jump. */
bool call_place_jumped(const struct call_place *returns);

/* Returns the distance in memory between the frame of a method and the frame of a method that it calls. */
uintptr_t call_place_frame_bytes(void);

/* Tells whether a method of this kind is traced by a tracepoint on its own code. */
bool call_place_is_ruby(unsigned kind);

/* Enables a tracepoint for one method. Raises if the method has no Ruby code. Returns false if the program has
 * redefined the method that enables tracepoints. */
bool call_place_enable(VALUE tracepoint, VALUE method);

#endif
