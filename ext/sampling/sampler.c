/* SPDX-License-Identifier: MIT */
/* The sampling job: takes samples, names stacks that hooks could not name, and does housekeeping. */
#include "sampler.h"

#include "accounting.h"
#include "fibers.h"
#include "lock_waits.h"
#include "running.h"
#include "stacks.h"
#include "thread_calls.h"
#include "ext/base/trylock.h"
#include "ext/base/vm_unknown.h"
#include "ext/names/boxes.h"
#include "ext/names/fiber_frames.h"
#include "ext/names/lock_words.h"
#include "ext/names/method_entry.h"
#include "shm/base/clock.h"
#include <stdlib.h>
#include <string.h>

enum { THREADS_PER_JOB = 16 };
#define LOST_AFTER_NS (CLOCK_NS_PER_SECOND / 50)

/* Learns the layout of the VM. Features whose parts of the VM cannot be learnt stay disabled. */
static VALUE learn_layout(VALUE unused)
{
  (void)unused;
  method_entry_learn();
  thread_calls_learn();
  fiber_frames_learn();
  lock_words_learn();
  boxes_learn();
  return Qnil;
}

void sampler_learn(struct sampler *sampler)
{
  static const enum rtop_vm_part at_load[] = { RTOP_VM_METHODS, RTOP_VM_FUNCTIONS, RTOP_VM_CALLS,
                                               RTOP_VM_FIBERS,  RTOP_VM_LOCKS,     RTOP_VM_QUEUES };
  int raised = 0;
  VALUE error = rb_errinfo();
  for (size_t i = 0; i < sizeof at_load / sizeof at_load[0]; i++) vm_unknown_unless(false, at_load[i]);
  gc_figures_learn(sampler->gc_keys);
  rb_protect(learn_layout, Qnil, &raised);
  if (raised) rb_set_errinfo(error);
}

int sampler_create(struct sampler *sampler, uint32_t node_capacity, uint32_t frame_capacity, uint32_t string_bytes)
{
  if (calltree_create(&sampler->tree, node_capacity) != 0) return -1;
  VALUE majors = sampler->gc_keys[GC_MAJOR];
  if (frames_create(&sampler->frames, frame_capacity, string_bytes, &sampler->lock, majors) != 0) return -1;
  for (int i = 0; i < 2; i++)
    if (cells_create(&sampler->cells[i]) != 0) return -1;
  task_names_init(&sampler->task_names);
  raised_create(&sampler->raised);
  sampler->open = &sampler->cells[0];
  sampler->own_node = calltree_child(&sampler->tree, RTOP_NODE_ROOT, FRAMES_OWN, 0);
  sampler->shared_node = calltree_child(&sampler->tree, RTOP_NODE_ROOT, FRAMES_SHARED, 0);
  return 0;
}

void sampler_destroy(struct sampler *sampler)
{
  for (int i = 0; i < 2; i++) cells_destroy(&sampler->cells[i]);
  raised_destroy(&sampler->raised);
  frames_destroy(&sampler->frames);
  calltree_destroy(&sampler->tree);
  sampler->open = NULL;
}

void sampler_begin(struct sampler *sampler)
{
  sampler->start_ns = clock_now_ns();
  sampler->cut_pending = true;
  atomic_store(&sampler->boundary_ns, INT64_MAX);
  for (int state = 0; state < RTOP_STATE_COUNT; state++)
    atomic_store(&sampler->distance_ns[state], CLOCK_NS_PER_SECOND / 1000);
  atomic_store(&sampler->fresh_ns, CLOCK_NS_PER_SECOND / 100);
  atomic_store(&sampler->stack_credit_ns, CLOCK_NS_PER_SECOND / 100);
  memset(&sampler->pools, 0, sizeof sampler->pools);
  memset(&sampler->wait_cpu, 0, sizeof sampler->wait_cpu);
  memset(&sampler->newborn, 0, sizeof sampler->newborn);
}

static uint32_t stack_of_own(struct sampler *sampler, void *data, VALUE *unknown)
{
  return sampler_stack(sampler, data, unknown);
}

static void take_sample(struct sampler *sampler, struct thread_data *data, int64_t begin_ns)
{
  accounting_read_cpu(data, begin_ns);
  accounting_read_blame(sampler, data, begin_ns);
  accounting_read_allocations(sampler, data);
  uint32_t node = sampler_named_stack(sampler, data, stack_of_own);
  if (!sampler_has_stack(node)) {
    atomic_fetch_add_explicit(&sampler->counters.dropped, 1, memory_order_relaxed);
    return;
  }
  running_point(sampler, data, node);
  accounting_flush_own(sampler, data);
  trylock_release(&sampler->lock);
  sampler_saw(data, node, begin_ns);
  ticks_serve(&sampler->ticks);
}

/* Walks the stack of another thread, which is off the GVL and cannot return while the caller has the GVL. */
static uint32_t stack_of_other(struct sampler *sampler, void *other, VALUE *unknown)
{
  struct thread_data *data = other;
  VALUE thread = atomic_load_explicit(&data->thread, memory_order_relaxed);
  int depth = rb_profile_thread_frames(thread, 0, SAMPLER_STACK_MAX, sampler->stack_frames, sampler->stack_lines);
  return depth > 0 ? sampler_walk(sampler, data, depth, sampler_root(sampler, data), unknown) : RTOP_NODE_NO_FRAMES;
}

static void walk_other(struct sampler *sampler, struct thread_data *data)
{
  uint32_t node = sampler_named_stack(sampler, data, stack_of_other);
  if (!sampler_has_stack(node)) return;
  sampler_count(&sampler->counters.samples, 1);
  trylock_release(&sampler->lock);
  sampler_saw(data, node, clock_now_ns());
  atomic_store_explicit(&data->stack_known, true, memory_order_release);
}

/* Walks the oldest stack that a hook recorded without names. */
static uint32_t oldest_noted(struct sampler *sampler, void *data, VALUE *unknown)
{
  const struct noted_stack *noted = &sampler->frames.noted.stacks[0];
  memcpy(sampler->stack_frames, noted->frames, noted->depth * sizeof *noted->frames);
  memcpy(sampler->stack_lines, noted->lines, noted->depth * sizeof *noted->lines);
  return sampler_walk(sampler, data, (int)noted->depth, noted->root, unknown);
}

/* Charges time to stacks that hooks could not name. After a thread has ended, the publisher waits some time for this.
 * Stacks of fibers need the main Ractor's GVL. */
static void charge_noted(struct sampler *sampler, bool main_ractor)
{
  struct noted *noted = &sampler->frames.noted;
  while (atomic_load(&noted->count)) {
    const struct noted_stack *first = &noted->stacks[0];
    if (first->fiber && !main_ractor) return;
    struct thread_data *data = atomic_load(&sampler->threads.table[first->thread]);
    bool alive = data && data->serial == first->serial;
    uint32_t node = alive ? sampler_named_stack(sampler, data, oldest_noted) : SAMPLER_NO_STACK;
    if (alive && !sampler_has_stack(node)) return;
    if (!alive && !trylock_take(&sampler->lock)) return;
    alive = alive && data->serial == first->serial && !data->last_window;
    for (int i = 0; i < 2 && alive; i++) {
      struct rtop_cell cell = {
        .node = node,
        .thread = data->index,
        .state = first->states[i],
        .samples = 1,
        .wall_ns = (uint64_t)first->wall_ns[i],
        .cpu_ns = (uint64_t)first->cpu_ns[i],
      };
      if (cell.wall_ns) accounting_charge(sampler, data, &cell, 0);
    }
    if (alive && first->fiber) fibers_named(data, first->fiber, first->name, node);
    noted_drop_first(noted);
    trylock_release(&sampler->lock);
  }
}

/* Takes the stack of a thread that has long been off the GVL without a known stack. Any thread with the GVL can walk
 * this stack, since the other thread cannot return meanwhile; a thread of another Ractor could. */
static void look_after(struct sampler *sampler, struct thread_data *data, int64_t now_ns)
{
  enum rtop_thread_state state = threads_state(atomic_load(&data->word));
  bool off = state == RTOP_BLOCKED || state == RTOP_WAITING;
  if (!off || !data->main_ractor || now_ns - atomic_load(&data->state_since_ns) < LOST_AFTER_NS) return;
  if (!atomic_load(&data->stack_known) && atomic_load(&data->thread)) walk_other(sampler, data);
}

/* Names the frames of stacks that hooks could not name, so that hooks know the names next time. Threads that are still
 * off the GVL get their stack. */
static void name_missed(struct sampler *sampler, struct thread_data *own)
{
  while (atomic_load(&sampler->missed_count) && trylock_take(&sampler->lock)) {
    uint32_t count = atomic_load(&sampler->missed_count);
    struct thread_data *data = count ? atomic_load(&sampler->threads.table[sampler->missed[count - 1]]) : NULL;
    if (count) atomic_store(&sampler->missed_count, count - 1);
    trylock_release(&sampler->lock);
    if (!data || atomic_load(&data->ended)) continue;
    enum rtop_thread_state state = threads_state(atomic_load(&data->word));
    bool off = state == RTOP_BLOCKED || state == RTOP_WAITING;
    if (off && data != own && !atomic_load(&data->stack_known)) walk_other(sampler, data);
    else if (data == own && sampler_has_stack(sampler_named_stack(sampler, own, stack_of_own)))
      trylock_release(&sampler->lock);
  }
}

/* Returns the threads of this Ractor; only the current one if the VM gives no list. */
static VALUE list_threads(VALUE unused)
{
  (void)unused;
  VALUE list = thread_calls_list();
  return list == Qundef ? rb_ary_new_from_args(1, rb_thread_current()) : list;
}

void sampler_adopt_threads(struct sampler *sampler)
{
  int raised = 0;
  VALUE error = rb_errinfo(), list = rb_protect(list_threads, Qnil, &raised); /* raises when memory runs out */
  if (raised) {
    rb_set_errinfo(error);
    return;
  }
  VALUE current = rb_thread_current();
  int64_t now = clock_now_ns();
  for (long i = 0; i < RARRAY_LEN(list); i++) {
    VALUE thread = RARRAY_AREF(list, i);
    if (threads_of(&sampler->threads, thread)) continue;
    bool running = thread == current;
    struct thread_data *data = threads_add(&sampler->threads, thread, running ? RTOP_RUNNING : RTOP_BLOCKED, now);
    if (!data) continue;
    data->is_main = thread == rb_thread_main();
    data->running_since_ns = now;
    data->allocations_read = gc_figure(sampler->gc_keys[GC_OBJECTS]);
    data->main_ractor = true;
    atomic_store(&data->stack_known, false);
    lock_waits_note_held(data);
    if (!running) {
      walk_other(sampler, data);
      continue;
    }
    threads_bind_native(data);
    atomic_store(&sampler->last_runner, data->index);
  }
  RB_GC_GUARD(list);
}

void sampler_read_vm(struct sampler *sampler)
{
  struct sampler_counters *counters = &sampler->counters;
  atomic_store(&counters->allocations, gc_figure(sampler->gc_keys[GC_OBJECTS]));
  atomic_store(&counters->gc_minor, gc_figure(sampler->gc_keys[GC_MINOR]));
  atomic_store(&counters->gc_major, gc_figure(sampler->gc_keys[GC_MAJOR]));
  atomic_store(&counters->heap_live_slots, gc_figure(sampler->gc_keys[GC_LIVE_SLOTS]));
  atomic_store(&counters->malloc_bytes, gc_figure(sampler->gc_keys[GC_MALLOC_BYTES]));
}

void sampler_count_from_now(struct sampler *sampler)
{
  struct sampler_counters *now = &sampler->counters;
  sampler_read_vm(sampler);
  label_sets_forget_begun(&sampler->labels);
  raised_begin(&sampler->raised);
  sampler->start = (struct sampler_start){
    .exceptions = atomic_load(&now->exceptions),
    .gc_minor = atomic_load(&now->gc_minor),
    .gc_major = atomic_load(&now->gc_major),
    .allocations = atomic_load(&now->allocations),
  };
  atomic_fetch_add_explicit(&sampler->starts, 1, memory_order_release);
}

/* Does work that only a thread with the GVL can do, a limited amount per job. */
static void housekeeping(struct sampler *sampler, struct thread_data *data, int64_t now_ns)
{
  charge_noted(sampler, data->main_ractor);
  name_missed(sampler, data);
  raised_name(&sampler->raised, sampler);
  uint64_t window = atomic_load_explicit(&sampler->window, memory_order_relaxed);
  if (window == sampler->seen_window) return;
  sampler->seen_window = window;
  sampler_read_vm(sampler);
  raised_age(&sampler->raised, now_ns);
  frames_make_room(&sampler->frames);
  uint32_t high = atomic_load(&sampler->threads.high);
  for (uint32_t i = 0; i < THREADS_PER_JOB && i < high; i++) {
    sampler->thread_cursor = (sampler->thread_cursor + 1) % high;
    struct thread_data *other = atomic_load(&sampler->threads.table[sampler->thread_cursor]);
    if (!other || atomic_load(&other->ended)) continue;
    threads_refresh_name(&sampler->threads, other);
    look_after(sampler, other, now_ns);
    fibers_look_after(sampler, other);
  }
}

void sampler_job(struct sampler *sampler)
{
  VALUE thread = rb_thread_current();
  struct thread_data *data = threads_of(&sampler->threads, thread);
  if (!data) { /* The thread is older than the session, or found no room in the registry. */
    if (!atomic_load(&sampler->threads.full)) sampler_adopt_threads(sampler);
    return;
  }
  struct accounting_own own = accounting_begin_own(data);
  bool coarse = atomic_load_explicit(&sampler->coarse, memory_order_relaxed);
  int64_t now = coarse ? sampler_event_ns(sampler, data) : own.begin_ns;
  enum rtop_thread_state before;
  int64_t open = accounting_move(sampler, data, RTOP_RUNNING, now, &before);
  if (before != RTOP_RUNNING) { /* An interrupted wait: the VM continued without sending RESUMED. */
    if (before == RTOP_WAITING) waiting_end(&sampler->waiting, now);
    running_begin(sampler, data, now, 0);
    accounting_spent(data, before, open);
    accounting_add(sampler, data, before, open);
    if (data->native_shared) threads_follow_native(data);
    atomic_store(&data->state_since_ns, now);
    atomic_store(&data->stack_known, false);
    return;
  }
  accounting_spent(data, RTOP_RUNNING, open);
  accounting_add(sampler, data, RTOP_RUNNING, open);
  data->own_work = true;
  lock_waits_note_held(data);
  if (sampler_tick_due(sampler, data, now)) take_sample(sampler, data, own.begin_ns);
  housekeeping(sampler, data, own.begin_ns);
  data->own_work = false;
  accounting_end_own(sampler, data, &own);
}

bool sampler_job_elsewhere(struct sampler *sampler)
{
  struct thread_data *data = threads_of(&sampler->threads, rb_thread_current());
  if (!data || data->main_ractor || !atomic_load(&data->native_id)) return false;
  charge_noted(sampler, false);
  return true;
}

void sampler_hand_in(struct sampler *sampler)
{
  sampler_read_vm(sampler);
  struct thread_data *data = threads_of(&sampler->threads, rb_thread_current());
  charge_noted(sampler, data && data->main_ractor);
  raised_name(&sampler->raised, sampler);
  if (!data) return;
  int64_t now = clock_now_ns();
  enum rtop_thread_state before;
  int64_t open = accounting_move(sampler, data, RTOP_RUNNING, now, &before);
  accounting_spent(data, before, open);
  accounting_add(sampler, data, before, open);
  accounting_read_cpu(data, now);
  accounting_read_blame(sampler, data, now);
  accounting_read_allocations(sampler, data);
  if (!trylock_take(&sampler->lock)) return;
  if (before == RTOP_RUNNING) running_hand_in(sampler, data);
  accounting_flush_own(sampler, data);
  trylock_release(&sampler->lock);
}
