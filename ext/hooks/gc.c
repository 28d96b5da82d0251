/* SPDX-License-Identifier: MIT */
/* GC events: turns marking and sweeping into states of the thread that collects. */
#include "gc.h"

#include "ext/base/trylock.h"
#include "ext/base/vm_unknown.h"
#include "ext/sampling/accounting.h"
#include "ext/sampling/running.h"
#include "ext/sampling/stacks.h"
#include "shm/base/clock.h"
#include "vm_events.h"

static VALUE hook;

/* Phase of the current collection. Only one collection runs at a time in the whole VM. */
static _Atomic int phase = RTOP_MARKING;
static bool inside;

/* Number of collections without events after which the VM is assumed to send no events: a collector loaded in place of
 * the VM's own need not send any. */
enum { UNTOLD_COLLECTIONS = 3 };
static _Atomic bool told; /* an event of a collection has arrived */
static uint64_t collections_at_start;

/* Takes the sample of a tick that fell into a collection. The sample is taken while the frame that caused the
 * collection is on the stack, because C code may run for long after the collection without a safepoint. */
static void serve_tick(struct sampler *sampler, struct thread_data *data)
{
  int64_t now = clock_now_ns();
  if (!trylock_take(&sampler->lock)) return;
  accounting_read_cpu(data, now);
  uint32_t node = sampler_stack(sampler, data, NULL);
  if (node != SAMPLER_NO_STACK) running_point(sampler, data, node);
  trylock_release(&sampler->lock);
  if (node == SAMPLER_NO_STACK) return;
  sampler_saw(data, node, now);
  ticks_serve(&sampler->ticks);
}

/* Ends the stretch of running time before a collection, as a wait does: its time is divided by the instants within it,
 * and instants within the collection are not instants of running time. Otherwise methods that cause collections would
 * lose running time to the code that runs next. Skipped within the profiler's own work. */
static void end_running(struct sampler *sampler, struct thread_data *data, int64_t now)
{
  data->collects_between = !data->own_work;
  if (!data->collects_between) return;
  if (cpu_clock_usable()) accounting_read_cpu(data, now);
  running_end(sampler, data, now, RUNNING_GC);
}

static void begin_running(struct sampler *sampler, struct thread_data *data, int64_t now)
{
  if (data->collects_between) running_begin(sampler, data, now, RUNNING_GC);
  data->collects_between = false;
}

static void enter(struct sampler *sampler, struct thread_data *data, int64_t now)
{
  enum rtop_thread_state before;
  int64_t open = accounting_move(sampler, data, (enum rtop_thread_state)atomic_load(&phase), now, &before);
  accounting_spent(data, before, open);
  accounting_add(sampler, data, before, open);
  accounting_read_blame(sampler, data, now);
  if (before == RTOP_RUNNING && sampler_tick_due(sampler, data, now)) serve_tick(sampler, data);
  if (before == RTOP_RUNNING) end_running(sampler, data, now);
  data->gc_start_ns = now;
  work_gc_enter(&sampler->work, now);
  data->gc_marking_ns = data->gc_sweeping_ns = 0;
}

static void turn(struct sampler *sampler, struct thread_data *data, int64_t now, enum rtop_thread_state next)
{
  enum rtop_thread_state before;
  int64_t length = accounting_move(sampler, data, next, now, &before);
  if (before == RTOP_SWEEPING) data->gc_sweeping_ns += length;
  else data->gc_marking_ns += length;
  accounting_spent(data, before, length);
}

/* Charges a collection that has ended to the thread's current stack, which is still the stack that caused the
 * collection. */
static void charge_at_once(struct sampler *sampler, struct thread_data *data, struct accounting_stretch *stretch)
{
  struct accounting_own own = accounting_begin_own(data);
  if (!trylock_take(&sampler->lock)) return;
  accounting_read_cpu(data, own.begin_ns);
  uint32_t node = sampler_stack(sampler, data, NULL);
  accounting_flush_own(sampler, data);
  trylock_release(&sampler->lock);
  stretch->known = node != SAMPLER_NO_STACK;
  if (stretch->known) sampler_saw(data, node, own.begin_ns);
  accounting_pay(sampler, accounting_end_own(sampler, data, &own), 0);
}

/* Marks an instant within a collection as sampled. If it were charged to the code after the collection, that code would
 * appear to run as long as the collection. */
static void pass_tick(struct sampler *sampler, const struct thread_data *data, int64_t now)
{
  if (ticks_due(&sampler->ticks, data->gc_start_ns, now)) ticks_serve(&sampler->ticks);
}

static void leave(struct sampler *sampler, struct thread_data *data, int64_t now)
{
  pass_tick(sampler, data, now);
  turn(sampler, data, now, RTOP_RUNNING);
  data->not_own_ns += data->gc_marking_ns + data->gc_sweeping_ns;
  work_gc_leave(&sampler->work, data, data->gc_marking_ns + data->gc_sweeping_ns, now);
  begin_running(sampler, data, now);
  struct accounting_stretch stretch = {
    .states = { RTOP_MARKING, RTOP_SWEEPING },
    .wall_ns = { data->gc_marking_ns, data->gc_sweeping_ns },
  };
  if (accounting_can_afford(sampler)) charge_at_once(sampler, data, &stretch);
  accounting_end_stretch(sampler, data, &stretch);
}

static void on_gc(VALUE trace_point, void *pointer)
{
  struct sampler *sampler = pointer;
  if (!atomic_load_explicit(&sampler->active, memory_order_relaxed)) return;
  rb_event_flag_t event = rb_tracearg_event_flag(rb_tracearg_from_tracepoint(trace_point));
  if (event == RUBY_INTERNAL_EVENT_GC_ENTER) atomic_store_explicit(&told, true, memory_order_relaxed);
  if (event == RUBY_INTERNAL_EVENT_GC_END_MARK) atomic_store(&phase, RTOP_SWEEPING);
  else if (event != RUBY_INTERNAL_EVENT_GC_ENTER && event != RUBY_INTERNAL_EVENT_GC_EXIT)
    atomic_store(&phase, RTOP_MARKING); /* START: marking begins; END_SWEEP: marking is the next phase */

  struct thread_data *data = threads_of(&sampler->threads, rb_thread_current());
  if (!data) return;
  int64_t now = sampler_event_ns(sampler, data);
  if (event == RUBY_INTERNAL_EVENT_GC_ENTER) {
    inside = true;
    enter(sampler, data, now);
  } else if (event == RUBY_INTERNAL_EVENT_GC_EXIT) {
    if (inside) leave(sampler, data, now);
    inside = false;
  } else if (inside) {
    turn(sampler, data, now, (enum rtop_thread_state)atomic_load(&phase));
  }
}

static uint64_t collections(const struct sampler *sampler)
{
  return gc_figure(sampler->gc_keys[GC_MINOR]) + gc_figure(sampler->gc_keys[GC_MAJOR]);
}

/* Some Rubies send no events for collections of other Ractors, so the check is made only in programs with a single
 * Ractor. */
void gc_look(const struct sampler *sampler)
{
  static bool settled;
  if (settled || atomic_load_explicit(&sampler->ractors_seen, memory_order_relaxed)) return;
  settled = atomic_load_explicit(&told, memory_order_relaxed);
  bool few = collections(sampler) < collections_at_start + UNTOLD_COLLECTIONS;
  vm_unknown_unless(settled || few, RTOP_VM_GC_TIME);
}

void gc_install(struct sampler *sampler)
{
  collections_at_start = collections(sampler);
  const rb_event_flag_t events = RUBY_INTERNAL_EVENT_GC_ENTER | RUBY_INTERNAL_EVENT_GC_EXIT |
                                 RUBY_INTERNAL_EVENT_GC_START | RUBY_INTERNAL_EVENT_GC_END_MARK |
                                 RUBY_INTERNAL_EVENT_GC_END_SWEEP;
  vm_events_on(&hook, events, on_gc, sampler);
}

void gc_remove(void)
{
  vm_events_off(hook);
}
