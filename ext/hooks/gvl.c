/* SPDX-License-Identifier: MIT */
/* Handles each GVL event: changes the thread's state, assigns its time since the last event, and takes its stack. */
#include "gvl.h"

#include "ext/base/draw.h"
#include "ext/base/trylock.h"
#include "ext/out/publisher.h"
#include "ext/sampling/accounting.h"
#include "ext/sampling/fibers.h"
#include "ext/sampling/lock_waits.h"
#include "ext/sampling/running.h"
#include "ext/sampling/stacks.h"
#include "shm/base/clock.h"

#define LONG_WAIT_NS (CLOCK_NS_PER_SECOND / 50)

/* These constants are needed because the header's macros are not parenthesised. */
enum {
  EVENT_STARTED = (RUBY_INTERNAL_THREAD_EVENT_STARTED),
  EVENT_READY = (RUBY_INTERNAL_THREAD_EVENT_READY),
  EVENT_RESUMED = (RUBY_INTERNAL_THREAD_EVENT_RESUMED),
  EVENT_SUSPENDED = (RUBY_INTERNAL_THREAD_EVENT_SUSPENDED),
  EVENT_EXITED = (RUBY_INTERNAL_THREAD_EVENT_EXITED),
};

/* Sets the start time of the new state before the state itself: otherwise a reader could combine the new state with the
 * start of the old one, and show a state that is too old. */
static void announce(struct thread_data *data, int64_t now)
{
  atomic_store_explicit(&data->state_since_ns, now, memory_order_release);
}

static void on_ready(struct sampler *sampler, struct thread_data *data, int64_t now)
{
  enum rtop_thread_state before;
  if (threads_state(atomic_load_explicit(&data->word, memory_order_relaxed)) != RTOP_WAITING) announce(data, now);
  int64_t length = accounting_move(sampler, data, RTOP_WAITING, now, &before);
  if (before == RTOP_WAITING) {
    data->off_waiting_ns += length;
    return;
  }
  atomic_store_explicit(&data->ready_ns, now, memory_order_relaxed);
  work_ready(sampler, data, now);
  pairs_ready(data, atomic_load_explicit(&sampler->last_runner, memory_order_relaxed));
  if (length) atomic_fetch_add_explicit(&data->off_blocked_ns, length, memory_order_release);
  waiting_begin(&sampler->waiting, now);
}

/* Takes the blocked time that READY stored. While the stack is known, the publisher may also take this time, so an
 * atomic exchange is needed in that case. */
static int64_t take_off_blocked(struct thread_data *data, bool known)
{
  if (known) return atomic_exchange_explicit(&data->off_blocked_ns, 0, memory_order_acquire);
  int64_t blocked = atomic_load_explicit(&data->off_blocked_ns, memory_order_acquire);
  atomic_store_explicit(&data->off_blocked_ns, 0, memory_order_relaxed);
  return blocked;
}

static void count_release(struct sampler *sampler, struct thread_data *data)
{
  uint32_t coarse = atomic_load_explicit(&sampler->coarse, memory_order_relaxed);
  uint64_t before = atomic_load_explicit(&data->releases, memory_order_relaxed);
  atomic_store_explicit(&data->releases, before + 1, memory_order_relaxed);
  if (!coarse) return;
  before = atomic_load_explicit(&data->coarse_releases, memory_order_relaxed);
  atomic_store_explicit(&data->coarse_releases, before + 1, memory_order_relaxed);
}

/* Draws whether to measure the CPU time of this wait. Few waits are measured, since the system calls for measuring cost
 * more than everything else in the hook. */
static bool draw_wait(struct sampler *sampler, struct thread_data *data)
{
  if (data->native_shared || atomic_load_explicit(&sampler->coarse, memory_order_relaxed)) return false;
  if (!atomic_load_explicit(&data->stack_known, memory_order_relaxed)) return false;
  uint32_t waits = atomic_load_explicit(&sampler->waits_per_read, memory_order_relaxed);
  return waits <= 1 || draw_ns(&data->random, 0, waits) == 0;
}

/* Tells whether the CPU time of a wait is measured: always for a long wait, if its CPU time can be separated from the
 * CPU time of the running time before the wait. */
static bool worth_asking(struct sampler *sampler, struct thread_data *data, const struct accounting_stretch *stretch,
                         int64_t length_ns)
{
  bool all_read = !atomic_load_explicit(&data->cpu_unread_ns, memory_order_relaxed);
  if (!stretch->known || data->native_shared || !all_read) return false;
  if (atomic_load_explicit(&sampler->coarse, memory_order_relaxed)) return false;
  return data->wait_read || length_ns > LONG_WAIT_NS;
}

static void spend(struct thread_data *data, const struct accounting_stretch *stretch)
{
  for (int i = 0; i < 2; i++) accounting_spent(data, stretch->states[i], stretch->wall_ns[i]);
}

static void end_wait(struct sampler *sampler, struct thread_data *data, int64_t now, int64_t length_ns,
                     struct accounting_stretch *stretch)
{
  bool asks = worth_asking(sampler, data, stretch, length_ns);
  if (!asks) {
    accounting_guess_wait(sampler, data, now, stretch);
    spend(data, stretch);
    accounting_end_stretch(sampler, data, stretch);
    return;
  }
  struct accounting_own own = accounting_begin_own_at_event(sampler, data);
  accounting_read_wait(sampler, data, now, stretch);
  spend(data, stretch);
  accounting_end_stretch(sampler, data, stretch);
  accounting_pay(sampler, accounting_end_own(sampler, data, &own), 0);
}

/* Returns the node of the stack that the thread waits with; 0 when the stack is unknown. */
static uint32_t wait_node(const struct thread_data *data)
{
  bool known = atomic_load_explicit(&data->stack_known, memory_order_relaxed);
  return known ? atomic_load_explicit(&data->node, memory_order_relaxed) : 0;
}

static void on_resumed(struct sampler *sampler, struct thread_data *data, int64_t now)
{
  struct accounting_stretch stretch = {
    .states = { RTOP_BLOCKED, RTOP_WAITING },
    .known = atomic_load_explicit(&data->stack_known, memory_order_relaxed),
  };
  uint32_t begin = wait_node(data);
  if (stretch.known) atomic_store_explicit(&data->stack_known, false, memory_order_relaxed);
  enum rtop_thread_state before;
  announce(data, now);
  int64_t length = accounting_move(sampler, data, RTOP_RUNNING, now, &before);
  stretch.wall_ns[0] = take_off_blocked(data, stretch.known);
  stretch.wall_ns[1] = data->off_waiting_ns;
  if (before == RTOP_WAITING) {
    stretch.wall_ns[1] += length;
    waiting_end(&sampler->waiting, now);
  } else { /* READY was not sent */
    stretch.wall_ns[0] += length;
  }
  data->off_waiting_ns = 0;
  int64_t ready = before == RTOP_WAITING ? atomic_load_explicit(&data->ready_ns, memory_order_relaxed) : now;
  if (data->off_since_ns) data->gone_off_ns += ready - data->off_since_ns;
  data->gone_wait_ns += now - ready;
  const struct pairs_wait wait = { data->off_since_ns, data->off_since_ns ? ready - data->off_since_ns : 0, now - ready,
                                   begin };
  work_resumed(sampler, data, wait.off_ns, wait.wait_ns, now);
  /* A job that names new frames may switch threads; that time off the GVL is not the profiler's own work. */
  int64_t off = data->off_since_ns ? now - data->off_since_ns : 0;
  data->not_own_ns += off;
  data->off_since_ns = 0;
  running_begin(sampler, data, now, begin);
  data->blame_read = waiting_integral(&sampler->waiting, now);
  data->allocations_read = gc_figure(sampler->gc_keys[GC_OBJECTS]);
  if (!atomic_load_explicit(&data->native_id, memory_order_relaxed)) threads_bind_native(data);
  else if (data->native_shared) threads_follow_native(data);
  if (!data->main_ractor) atomic_store_explicit(&sampler->ractors_seen, true, memory_order_relaxed);
  pairs_resumed(sampler, data, &wait, now);
  /* set before the wake-up, since the publisher examines this thread first */
  atomic_store_explicit(&sampler->last_runner, data->index, memory_order_relaxed);
  publisher_wake(sampler->publisher_word);
  count_release(sampler, data);
  if (atomic_load_explicit(&sampler->missed_count, memory_order_relaxed) && data->main_ractor)
    rb_postponed_job_trigger(sampler->job);
  if (data->newborn) newborn_gone(&sampler->newborn);
  data->newborn = false;
  end_wait(sampler, data, now, off, &stretch);
}

/* Takes the stack at SUSPENDED, while the thread still has the GVL and counts as running. The stack stays valid while
 * the thread is off the GVL, and also serves as the sample of a tick whose job did not run in time. Returns the time at
 * which the stack was taken. */
static int64_t stack_at_suspended(struct sampler *sampler, struct thread_data *data, int64_t now, int64_t open,
                                  bool tick_due)
{
  struct accounting_own own = accounting_begin_own_at_event(sampler, data);
  if (!accounting_try_lock(sampler)) {
    accounting_add(sampler, data, RTOP_RUNNING, open);
    return now;
  }
  uint32_t node = sampler_stack(sampler, data, NULL);
  bool taken = node != SAMPLER_NO_STACK;
  if (!taken) sampler_missed(sampler, data);
  accounting_add(sampler, data, RTOP_RUNNING, open);
  if (tick_due && taken) {
    running_point(sampler, data, node);
    ticks_serve(&sampler->ticks);
  }
  accounting_flush_own(sampler, data);
  fibers_saw(sampler, data, taken ? node : 0);
  trylock_release(&sampler->lock);
  if (taken) sampler_saw(data, node, now);
  data->off_stack_ns = now;
  int64_t cost = accounting_end_own(sampler, data, &own);
  accounting_pay(sampler, cost, atomic_load_explicit(&sampler->spared_ns, memory_order_relaxed));
  atomic_store_explicit(&data->stack_known, taken, memory_order_release);
  return threads_since_ns(atomic_load_explicit(&data->word, memory_order_relaxed));
}

/* Puts the thread into the state blocked from `now` on, and charges its time before. */
static void go_off(struct sampler *sampler, struct thread_data *data, int64_t now, uint32_t end_node)
{
  enum rtop_thread_state before;
  fibers_go_off(data);
  if (!data->wait_read && !data->native_shared) cpu_clock_rest(&data->cpu_mark);
  announce(data, now);
  int64_t rest = accounting_move(sampler, data, RTOP_BLOCKED, now, &before);
  if (rest > 0) accounting_add(sampler, data, before, rest);
  pairs_go_off(sampler, data, now);
  running_end(sampler, data, now, end_node);
  data->off_since_ns = now;
}

/* Handles a wait for the GVL that ended although the thread did not get the GVL. */
static void give_up(struct sampler *sampler, const struct thread_data *data, int64_t now)
{
  waiting_end(&sampler->waiting, now);
  pairs_gave_up(sampler, now - atomic_load_explicit(&data->ready_ns, memory_order_relaxed));
}

static void on_suspended(struct sampler *sampler, struct thread_data *data, int64_t now)
{
  bool runs = threads_state(atomic_load_explicit(&data->word, memory_order_relaxed)) == RTOP_RUNNING;
  enum rtop_thread_state before;
  lock_waits_go_off(&sampler->threads, data);
  if (runs) work_go_off(sampler, data);
  int64_t open = accounting_move(sampler, data, runs ? RTOP_RUNNING : RTOP_BLOCKED, now, &before);
  if (before == RTOP_WAITING) give_up(sampler, data, now);
  if (before != RTOP_RUNNING) { /* the wait was interrupted before it began: the VM never sent RESUMED */
    if (before == RTOP_WAITING) data->off_waiting_ns += open;
    else atomic_fetch_add(&data->off_blocked_ns, open);
    /* the thread may wait in another method now */
    atomic_store_explicit(&data->stack_known, false, memory_order_release);
    return;
  }
  accounting_spent(data, RTOP_RUNNING, open);
  accounting_read_blame(sampler, data, now);
  accounting_read_allocations(sampler, data);
  if (cpu_clock_usable() || open > atomic_load_explicit(&sampler->period_ns, memory_order_relaxed) ||
      data->native_shared)
    accounting_read_cpu(data, now);

  bool tick_due = sampler_tick_due_at_release(sampler, data, now);
  bool stale = now - data->off_stack_ns > atomic_load_explicit(&sampler->fresh_ns, memory_order_relaxed);
  bool any = stale || accounting_can_afford(sampler);
  if (tick_due || any) now = stack_at_suspended(sampler, data, now, open, tick_due);
  else accounting_add(sampler, data, RTOP_RUNNING, open);
  data->wait_read = false;
  if (any && draw_wait(sampler, data)) accounting_begin_wait(data, clock_now_ns());
  /* The stack is used for the wait only if it was taken for the wait: a stack taken for the tick may differ. */
  go_off(sampler, data, now, any ? wait_node(data) : 0);
}

static void on_exited(struct sampler *sampler, struct thread_data *data, int64_t now)
{
  enum rtop_thread_state before;
  /* The time is stored before the state word, so that no reader combines the new state with the old time. */
  atomic_store(&data->state_since_ns, clock_now_ns());
  int64_t length = accounting_move(sampler, data, RTOP_BLOCKED, now, &before);
  if (before == RTOP_WAITING) give_up(sampler, data, now);
  accounting_spent(data, before, length);
  accounting_add(sampler, data, before, length);
  if (before == RTOP_RUNNING) {
    accounting_read_cpu(data, now);
    running_end(sampler, data, now, 0);
  }
  accounting_add(sampler, data, RTOP_BLOCKED, atomic_exchange(&data->off_blocked_ns, 0));
  accounting_add(sampler, data, RTOP_WAITING, data->off_waiting_ns);
  accounting_read_cpu(data, clock_now_ns());
  if (data->waits_owed_ns > 0) atomic_fetch_add(&data->lanes[RTOP_BLOCKED].cpu_ns, data->waits_owed_ns);
  running_late_cpu(data);
  if (data->newborn) newborn_gone(&sampler->newborn);
  data->end_ns = now;
  atomic_store_explicit(&data->ended, true, memory_order_release);
  atomic_fetch_add_explicit(&sampler->threads.ends, 1, memory_order_release);
}

static void adopt_running(struct sampler *sampler, struct thread_data *data, int64_t now)
{
  running_begin(sampler, data, now, 0);
  data->blame_read = waiting_integral(&sampler->waiting, now);
  data->allocations_read = gc_figure(sampler->gc_keys[GC_OBJECTS]);
  threads_bind_native(data);
  atomic_store_explicit(&sampler->last_runner, data->index, memory_order_relaxed);
}

static void on_started(struct sampler *sampler, VALUE thread, int64_t now)
{
  struct thread_data *data = threads_add(&sampler->threads, thread, RTOP_BLOCKED, now);
  if (!data) return;
  data->newborn = true;
  newborn_made(&sampler->newborn, now);
}

void gvl_event(rb_event_flag_t event, const rb_internal_thread_event_data_t *event_data, void *user_data)
{
  struct sampler *sampler = user_data;
  if (!atomic_load_explicit(&sampler->active, memory_order_acquire)) return;
  struct thread_data *data = threads_of(&sampler->threads, event_data->thread);
  int64_t now = data ? sampler_event_ns(sampler, data) : clock_now_ns();
  if (event == EVENT_STARTED) {
    if (!data) on_started(sampler, event_data->thread, now);
    return;
  }
  if (!data && event == EVENT_RESUMED) { /* the thread is of another Ractor and older than the session */
    data = threads_add(&sampler->threads, event_data->thread, RTOP_RUNNING, now);
    if (data) adopt_running(sampler, data, now);
    return;
  }
  if (!data || atomic_load_explicit(&data->ended, memory_order_relaxed)) return;
  switch (event) {
  case EVENT_READY: on_ready(sampler, data, now); break;
  case EVENT_RESUMED: on_resumed(sampler, data, now); break;
  case EVENT_SUSPENDED: on_suspended(sampler, data, now); break;
  case EVENT_EXITED: on_exited(sampler, data, now); break;
  default: break;
  }
}

rb_internal_thread_event_hook_t *gvl_install(struct sampler *sampler)
{
  return rb_internal_thread_add_event_hook(
      gvl_event, EVENT_STARTED | EVENT_READY | EVENT_RESUMED | EVENT_SUSPENDED | EVENT_EXITED, sampler);
}

void gvl_remove(rb_internal_thread_event_hook_t *hook)
{
  rb_internal_thread_remove_event_hook(hook);
}
