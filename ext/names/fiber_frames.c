/* SPDX-License-Identifier: MIT */
/* Learns where a thread stores its fiber, and walks another fiber's stack through a copy of the thread. */
#include "fiber_frames.h"

#include "method_entry.h"
#include "ext/base/vm_object.h"
#include "ext/base/vm_unknown.h"
#include <ruby/debug.h>
#include <stdint.h>
#include <string.h>

enum { THREAD_WORDS = 16, UNKNOWN = -1, PROBE_FRAMES = 8 };

struct words {
  const void *at[THREAD_WORDS];
};

/* index of the word in a thread's object that points to its data */
static int fiber_word = UNKNOWN, data_word = UNKNOWN;
static struct words while_probe; /* the words of the thread while our own fiber ran */

/* Reads the words of a thread, if the thread's object points to separate data. */
static bool read_words(VALUE thread, struct words *words)
{
  const void *data = vm_data(thread);
  if (!data) return false;
  memcpy(words, data, sizeof *words);
  return true;
}

static int frames_with(VALUE thread, int which, const void *fiber, int limit, VALUE *frames, int *lines)
{
  struct words words;
  VALUE copy[VM_OBJECT_WORDS];
  if (!read_words(thread, &words)) return 0;
  words.at[which] = fiber;
  memcpy(copy, (const void *)thread, sizeof copy);
  copy[data_word] = (VALUE)&words;
  return rb_profile_thread_frames((VALUE)copy, 0, limit, frames, lines);
}

static VALUE probe(VALUE self)
{
  if (read_words(rb_thread_current(), &while_probe)) rb_fiber_yield(0, NULL);
  return Qnil;
}

static VALUE run_probe(RB_BLOCK_CALL_FUNC_ARGLIST(unused, object))
{
  return rb_funcallv(object, rb_intern("rperf_top_wait"), 0, NULL);
}

/* Returns the index of the word in a thread's object that points to its data; UNKNOWN when no word does (the data are
 * in the object itself) or several do. */
static int find_data(VALUE thread)
{
  const VALUE *object = (const VALUE *)thread, data = (VALUE)vm_data(thread);
  int found = UNKNOWN;
  for (int which = 1; data && which < VM_OBJECT_WORDS; which++) {
    if (object[which] != data) continue;
    if (found != UNKNOWN) return UNKNOWN;
    found = which;
  }
  return found;
}

/* Tells whether the VM walks our fiber's stack when this word has the value that it had while our fiber ran, and all
 * other words have their present values. With any other word replaced, the VM would walk the present stack. */
static bool is_fiber_word(VALUE thread, int which)
{
  VALUE frames[PROBE_FRAMES];
  int lines[PROBE_FRAMES];
  int count = frames_with(thread, which, while_probe.at[which], PROBE_FRAMES, frames, lines);
  return count == 1 && !RB_SPECIAL_CONST_P(frames[0]) && method_entry_is(frames[0]) &&
         method_entry_id(frames[0]) == rb_intern("rperf_top_wait");
}

void fiber_frames_learn(void)
{
  VALUE class = rb_class_new(rb_cObject), object = rb_obj_alloc(class), thread = rb_thread_current();
  struct words before, after;
  int found = UNKNOWN;
  fiber_word = UNKNOWN;
  memset(&while_probe, 0, sizeof while_probe);
  rb_define_method(class, "rperf_top_wait", probe, 0);
  VALUE fiber = rb_fiber_new(run_probe, object);
  data_word = find_data(thread);
  if (data_word == UNKNOWN || !read_words(thread, &before)) return;
  rb_fiber_resume(fiber, 0, NULL);
  if (!RTEST(rb_fiber_alive_p(fiber)) || !read_words(thread, &after)) return;
  for (int which = 0; which < THREAD_WORDS; which++) {
    const void *then = while_probe.at[which];
    bool moved = then && (uintptr_t)then % sizeof(VALUE) == 0 && then != before.at[which];
    if (!moved || before.at[which] != after.at[which] || !is_fiber_word(thread, which)) continue;
    found = found == UNKNOWN ? which : THREAD_WORDS;
  }
  if (found != THREAD_WORDS) fiber_word = found;
  vm_unknown_unless(fiber_frames_known(), RTOP_VM_FIBERS);
  rb_fiber_resume(fiber, 0, NULL);
  RB_GC_GUARD(object);
}

bool fiber_frames_known(void)
{
  return fiber_word != UNKNOWN;
}

const void *fiber_frames_current(VALUE thread)
{
  return fiber_frames_known() ? ((const struct words *)vm_data_of(thread))->at[fiber_word] : NULL;
}

int fiber_frames_of(VALUE thread, const void *fiber, int limit, VALUE *frames, int *lines)
{
  return fiber_frames_known() ? frames_with(thread, fiber_word, fiber, limit, frames, lines) : 0;
}
