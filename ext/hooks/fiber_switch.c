/* SPDX-License-Identifier: MIT */
/* Installs the hook on fiber switches once the program needs it, and keeps the objects alive that the hook refers
 * to. */
#include "fiber_switch.h"

#include "ext/names/fiber_frames.h"
#include "ext/sampling/fibers.h"
#include <ruby/debug.h>
#include <ruby/fiber/scheduler.h>

static struct sampler *following;
static VALUE marker;

static void mark_fibers(void *pointer)
{
  const struct threads *threads = pointer;
  uint32_t high = atomic_load_explicit(&threads->high, memory_order_acquire);
  for (uint32_t index = 0; index < high; index++) {
    struct thread_data *data = atomic_load_explicit(&threads->table[index], memory_order_acquire);
    VALUE fiber = data ? atomic_load_explicit(&data->fiber, memory_order_relaxed) : 0;
    if (fiber) rb_gc_mark(fiber);
    if (data) fibers_mark(data);
  }
}

/* The type has no write barrier, so the GC marks such an object in every cycle, minor ones included. */
static const rb_data_type_t marker_type = {
  .wrap_struct_name = "rperf_top/fibers",
  .function = { .dmark = mark_fibers },
};

static void on_switch(rb_event_flag_t event, VALUE unused, VALUE self, ID method, VALUE class)
{
  struct sampler *sampler = following;
  if (!sampler || !atomic_load_explicit(&sampler->active, memory_order_relaxed)) return;
  VALUE thread = rb_thread_current(), scheduler = rb_fiber_scheduler_get();
  struct thread_data *data = threads_of(&sampler->threads, thread);
  if (!data || !data->main_ractor) return;
  struct label_kept kept = label_sets_kept(&sampler->labels, thread);
  work_switch(sampler, data, kept.piece);
  pairs_switch(sampler, data, kept.set);
  if (NIL_P(scheduler)) fibers_forget(data);
  else fibers_switch(sampler, data, thread, scheduler);
}

/* Tells whether the gem async is loaded. Most fiber schedulers come from it, and a fiber that starts to wait before the
 * hook is installed stays unknown until it resumes. */
static bool library_is_loaded(void)
{
  return rb_const_defined(rb_cObject, rb_intern("Async"));
}

void fiber_switch_look(struct sampler *sampler)
{
  if (following || !fiber_frames_known()) return;
  bool has_scheduler = !NIL_P(rb_fiber_scheduler_get());
  if (!has_scheduler && !library_is_loaded()) return;
  VALUE thread = rb_thread_current();
  struct thread_data *data = threads_of(&sampler->threads, thread);
  if (!data || !data->main_ractor) return;
  if (!marker) {
    rb_gc_register_address(&marker);
    marker = TypedData_Wrap_Struct(rb_cObject, &marker_type, &sampler->threads);
  }
  rb_add_event_hook(on_switch, RUBY_EVENT_FIBER_SWITCH, Qnil);
  following = sampler;
  if (has_scheduler) fibers_begin(sampler, data, thread);
}

void fiber_switch_remove(void)
{
  if (following) rb_remove_event_hook(on_switch);
  following = NULL;
}

void fiber_switch_label(VALUE thread, uint32_t set)
{
  struct thread_data *data = following ? threads_of(&following->threads, thread) : NULL;
  if (!data) return;
  fibers_label(data, set);
  data->pair_set = set;
}
