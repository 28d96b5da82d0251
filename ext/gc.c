#include "gc.h"

#include "accounting.h"
#include <ruby/debug.h>

/* One collection runs at a time, in the VM as a whole. */
static _Atomic int phase = RTOP_MARKING;
static bool inside;

/* C code ran without a safepoint until it needed the GC: it was shown as provisional, so its time must be
 * charged as one stretch. */
static void charge_long_run(struct sampler *sampler, struct thread_data *data, int64_t start, int64_t open)
{
  if (!clock_trylock(&sampler->lock)) return;
  accounting_read_cpu(data, clock_now_ns());
  sampler_charge_running(sampler, data, sampler_stack(sampler, data, NULL), start, open);
  clock_unlock(&sampler->lock);
}

static void enter(struct sampler *sampler, struct thread_data *data, int64_t now)
{
  enum rtop_thread_state before;
  int64_t open = threads_move(data, (enum rtop_thread_state)atomic_load(&phase), now, &before);
  data->pending[before].wall_ns += open;
  data->wall_since_cpu_read_ns[before] += open;
  accounting_read_blame(sampler, data, now);
  if (before == RTOP_RUNNING && atomic_load(&data->provisional)) charge_long_run(sampler, data, now - open, open);
  data->gc_start_ns = now;
  data->gc_marking_ns = data->gc_sweeping_ns = 0;
}

static void turn(struct thread_data *data, int64_t now, enum rtop_thread_state next)
{
  enum rtop_thread_state before;
  int64_t length = threads_move(data, next, now, &before);
  if (before == RTOP_SWEEPING) data->gc_sweeping_ns += length;
  else data->gc_marking_ns += length;
}

static void leave(struct sampler *sampler, struct thread_data *data, int64_t now)
{
  turn(data, now, RTOP_RUNNING);
  data->not_own_ns += data->gc_marking_ns + data->gc_sweeping_ns;
  struct accounting_stretch stretch = {
    .start_ns = { data->gc_start_ns, data->gc_start_ns + data->gc_marking_ns }, .states = { RTOP_MARKING, RTOP_SWEEPING },
    .wall_ns = { data->gc_marking_ns, data->gc_sweeping_ns },
    .provisional = atomic_exchange(&data->provisional, false),
  };
  accounting_end_stretch(sampler, data, &stretch);
}

static void on_gc(VALUE trace_point, void *pointer)
{
  struct sampler *sampler = pointer;
  if (!atomic_load_explicit(&sampler->active, memory_order_relaxed)) return;
  rb_event_flag_t event = rb_tracearg_event_flag(rb_tracearg_from_tracepoint(trace_point));
  if (event == RUBY_INTERNAL_EVENT_GC_END_MARK) atomic_store(&phase, RTOP_SWEEPING);
  else if (event != RUBY_INTERNAL_EVENT_GC_ENTER && event != RUBY_INTERNAL_EVENT_GC_EXIT)
    atomic_store(&phase, RTOP_MARKING);   /* begins, or will next: START, END_SWEEP */

  struct thread_data *data = threads_of(&sampler->threads, rb_thread_current());
  if (!data) return;
  int64_t now = sampler_event_ns(sampler, data);
  if (event == RUBY_INTERNAL_EVENT_GC_ENTER) {
    inside = true;
    enter(sampler, data, now);
  }
  else if (event == RUBY_INTERNAL_EVENT_GC_EXIT) {
    if (inside) leave(sampler, data, now);
    inside = false;
  }
  else if (inside) {
    turn(data, now, (enum rtop_thread_state)atomic_load(&phase));
  }
}

VALUE gc_install(struct sampler *sampler)
{
  VALUE trace_point = rb_tracepoint_new(Qnil, RUBY_INTERNAL_EVENT_GC_ENTER | RUBY_INTERNAL_EVENT_GC_EXIT |
                                        RUBY_INTERNAL_EVENT_GC_START | RUBY_INTERNAL_EVENT_GC_END_MARK |
                                        RUBY_INTERNAL_EVENT_GC_END_SWEEP, on_gc, sampler);
  rb_tracepoint_enable(trace_point);
  return trace_point;
}

void gc_remove(VALUE trace_point)
{
  rb_tracepoint_disable(trace_point);
}
