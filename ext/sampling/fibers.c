/* SPDX-License-Identifier: MIT */
/* Follows the fibers of a thread, and groups waiting fibers by their stacks. */
#include "fibers.h"

#include "accounting.h"
#include "fiber_tokens.h"
#include "stacks.h"
#include "ext/base/draw.h"
#include "ext/base/trylock.h"
#include "ext/names/fiber_frames.h"
#include "ext/names/label_nodes.h"
#include "ext/names/method_entry.h"
#include "shm/base/clock.h"
#include <ruby/fiber/scheduler.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES_FIRST = 64, READ_TRIES = 100, LET_GO_AT_ONCE = 64 };
#define LET_GO_NS CLOCK_NS_PER_SECOND
#define NONE UINT32_MAX

/* A waiting fiber and its group, which lists its fibers in the order in which they began to wait. At first a reference
 * keeps the fiber alive. After a while a token replaces the reference; the token then shows when the fiber is
 * collected. */
struct slot {
  const void *fiber; /* NULL: free */
  VALUE value;       /* reference that keeps the fiber alive; 0: replaced by the token */
  struct fiber_token *token;
  uint32_t group, before, after;
  int64_t since_ns;
};

/* The fibers of a thread. Group 0 holds fibers whose stack is unknown. Times are read from the coarse clock, which
 * costs a fifth of the precise one. */
struct fibers {
  _Atomic uint32_t turn; /* odd while the groups change */
  _Atomic bool off;      /* the thread is off the GVL in the scheduler's loop */
  _Atomic uint32_t waiting, used;
  _Atomic uint32_t running; /* group in which the running fiber waited last; NONE: it did not wait */
  struct group {
    _Atomic uint32_t node, name, fibers;
    _Atomic int64_t oldest_ns;     /* time at which the longest present wait began */
    _Atomic int64_t sum_ns, at_ns; /* total waiting time of all fibers up to at_ns, when their number last changed */
    _Atomic int64_t told_ns;       /* part of the sum that the publisher has reported */
    _Atomic int64_t longest_ns;    /* longest wait that ended since the publisher last read this */
    uint32_t first, last;          /* indices of the first and last slot */
  } groups[FIBERS_GROUPS_MAX];

  struct slot *slots; /* hash table by fiber, open addressing */
  uint32_t capacity, count;

  const void *current; /* the running fiber; NULL: unknown. Its VALUE is in struct thread_data */
  bool can_wait;       /* the running fiber is not a blocking one, so it can wait */
  bool looping;        /* the last known fiber was a blocking one, in the scheduler's loop */
  uint32_t loop_node;  /* node of the loop */
  uint32_t label;      /* label set of the running fiber */
  int64_t stack_ns;    /* time at which a stack was last taken */
  int64_t now_ns;      /* time of the current switch */
  uint64_t gone_seen;  /* number of collected tokens at the last check */
  int64_t let_go_ns;   /* time at which references to long-waiting fibers are checked next */
};

/* ---- groups ------------------------------------------------------------------------------------- */

static int64_t coarse_ns(void)
{
  return clock_read_ns(CLOCK_MONOTONIC_COARSE);
}

static uint32_t get(const _Atomic uint32_t *word)
{
  return atomic_load_explicit(word, memory_order_relaxed);
}

static int64_t get_ns(const _Atomic int64_t *word)
{
  return atomic_load_explicit(word, memory_order_relaxed);
}

static void set(_Atomic uint32_t *word, uint32_t value)
{
  atomic_store_explicit(word, value, memory_order_relaxed);
}

static void set_ns(_Atomic int64_t *word, int64_t value)
{
  atomic_store_explicit(word, value, memory_order_relaxed);
}

static void begin_change(struct fibers *fibers)
{
  set(&fibers->turn, get(&fibers->turn) + 1);
  atomic_thread_fence(memory_order_release);
}

static void end_change(struct fibers *fibers)
{
  atomic_store_explicit(&fibers->turn, get(&fibers->turn) + 1, memory_order_release);
}

static void change_group(struct fibers *fibers, uint32_t group, int more)
{
  struct group *of = &fibers->groups[group];
  uint32_t count = get(&of->fibers);
  int64_t now = fibers->now_ns;
  begin_change(fibers);
  set_ns(&of->sum_ns, get_ns(&of->sum_ns) + count * (now - get_ns(&of->at_ns)));
  set_ns(&of->at_ns, now);
  set_ns(&of->oldest_ns, of->first == NONE ? now : fibers->slots[of->first].since_ns);
  set(&of->fibers, count + (uint32_t)more);
  set(&fibers->waiting, get(&fibers->waiting) + (uint32_t)more);
  end_change(fibers);
}

/* Returns the group with this name and node; 0 when there is none. */
static uint32_t find_group(const struct fibers *fibers, uint32_t name, uint32_t node)
{
  uint32_t used = get(&fibers->used);
  for (uint32_t group = 1; group < used; group++)
    if (get(&fibers->groups[group].node) == node && get(&fibers->groups[group].name) == name) return group;
  return 0;
}

/* Returns the group that has been without fibers for longest; 0 when all groups have fibers. */
static uint32_t empty_group(const struct fibers *fibers)
{
  uint32_t found = 0, used = get(&fibers->used);
  for (uint32_t group = 1; group < used; group++) {
    const struct group *of = &fibers->groups[group];
    if (get(&of->fibers) || group == get(&fibers->running)) continue;
    if (!found || get_ns(&of->at_ns) < get_ns(&fibers->groups[found].at_ns)) found = group;
  }
  return found;
}

/* Gives a group a new name and node. Unreported time of the group's old fibers goes to the group of unknown stacks. */
static void give_group(struct fibers *fibers, uint32_t group, uint32_t name, uint32_t node)
{
  struct group *of = &fibers->groups[group], *unknown = &fibers->groups[0];
  begin_change(fibers);
  int64_t left = get_ns(&of->sum_ns) - get_ns(&of->told_ns);
  if (left > 0) set_ns(&unknown->sum_ns, get_ns(&unknown->sum_ns) + left);
  set_ns(&of->sum_ns, 0);
  set_ns(&of->told_ns, 0);
  set_ns(&of->longest_ns, 0);
  set(&of->node, node);
  set(&of->name, name);
  end_change(fibers);
}

/* Makes a group for this name and node; returns 0 when there are too many. */
static uint32_t make_group(struct fibers *fibers, uint32_t name, uint32_t node)
{
  uint32_t used = get(&fibers->used), group = used < FIBERS_GROUPS_MAX ? used : empty_group(fibers);
  if (!group) return 0;
  fibers->groups[group].first = fibers->groups[group].last = NONE;
  give_group(fibers, group, name, node);
  if (group == used) atomic_store_explicit(&fibers->used, used + 1, memory_order_release);
  return group;
}

static uint32_t group_for(struct fibers *fibers, uint32_t name, uint32_t node)
{
  uint32_t group = find_group(fibers, name, node);
  return group ? group : make_group(fibers, name, node);
}

/* ---- waiting fibers ----------------------------------------------------------------------------- */

static uint32_t home(const struct fibers *fibers, const void *fiber)
{
  return (uint32_t)((uint64_t)(uintptr_t)fiber * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (fibers->capacity - 1);
}

/* Returns the entry of this fiber, or the free entry where it belongs; a free entry always exists. */
static struct slot *find_slot(const struct fibers *fibers, const void *fiber)
{
  uint32_t at = home(fibers, fiber);
  while (fibers->slots[at].fiber && fibers->slots[at].fiber != fiber) at = (at + 1) & (fibers->capacity - 1);
  return &fibers->slots[at];
}

/* Updates the links to an entry that has moved: in its neighbours in the list, or in its group if it is the first or
 * the last. */
static void tell_neighbours(struct fibers *fibers, const struct slot *slot, uint32_t before, uint32_t after)
{
  struct group *group = &fibers->groups[slot->group];
  *(slot->before == NONE ? &group->first : &fibers->slots[slot->before].after) = after;
  *(slot->after == NONE ? &group->last : &fibers->slots[slot->after].before) = before;
}

static void link_slot(struct fibers *fibers, struct slot *slot)
{
  uint32_t at = (uint32_t)(slot - fibers->slots);
  slot->before = fibers->groups[slot->group].last;
  slot->after = NONE;
  while (slot->before != NONE && fibers->slots[slot->before].since_ns > slot->since_ns) {
    slot->after = slot->before;
    slot->before = fibers->slots[slot->before].before;
  }
  tell_neighbours(fibers, slot, at, at);
}

static void unlink_slot(struct fibers *fibers, const struct slot *slot)
{
  tell_neighbours(fibers, slot, slot->before, slot->after);
}

static bool make_room(struct fibers *fibers)
{
  if (2 * fibers->count < fibers->capacity) return true;
  if (fibers->count >= FIBERS_MAX) return false;
  struct slot *before = fibers->slots;
  uint32_t capacity = fibers->capacity ? 2 * fibers->capacity : PLACES_FIRST, used = get(&fibers->used);
  struct slot *slots = calloc(capacity, sizeof *slots);
  if (!slots) return false;
  fibers->slots = slots;
  fibers->capacity = capacity;
  for (uint32_t group = 0; group < used; group++) {
    uint32_t at = fibers->groups[group].first;
    fibers->groups[group].first = fibers->groups[group].last = NONE;
    for (; at != NONE; at = before[at].after) {
      struct slot *slot = find_slot(fibers, before[at].fiber);
      *slot = before[at];
      link_slot(fibers, slot);
    }
  }
  free(before);
  return true;
}

static void add_slot(struct fibers *fibers, const void *fiber, VALUE value, uint32_t group)
{
  if (!make_room(fibers)) return;
  struct slot *slot = find_slot(fibers, fiber);
  *slot = (struct slot){ .fiber = fiber, .value = value, .group = group, .since_ns = fibers->now_ns };
  link_slot(fibers, slot);
  fibers->count++;
  change_group(fibers, group, 1);
}

/* Closes a hole in the table by moving later entries of the probe sequence. */
static void close_hole(struct fibers *fibers, uint32_t hole)
{
  uint32_t mask = fibers->capacity - 1;
  for (uint32_t at = (hole + 1) & mask; fibers->slots[at].fiber; at = (at + 1) & mask) {
    uint32_t from = home(fibers, fibers->slots[at].fiber);
    if (((at - from) & mask) < ((at - hole) & mask)) continue;
    fibers->slots[hole] = fibers->slots[at];
    tell_neighbours(fibers, &fibers->slots[hole], hole, hole);
    hole = at;
  }
  fibers->slots[hole] = (struct slot){ 0 };
}

/* Removes the fiber's entry. Returns the group it was in, or NONE if the fiber did not wait. */
static uint32_t remove_slot(struct fibers *fibers, const void *fiber)
{
  struct slot *slot = fibers->count ? find_slot(fibers, fiber) : NULL;
  if (!slot || !slot->fiber) return NONE;
  uint32_t group = slot->group;
  int64_t waited = fibers->now_ns - slot->since_ns;
  if (waited > get_ns(&fibers->groups[group].longest_ns)) set_ns(&fibers->groups[group].longest_ns, waited);
  fiber_token_release(slot->token);
  unlink_slot(fibers, slot);
  change_group(fibers, group, -1);
  close_hole(fibers, (uint32_t)(slot - fibers->slots));
  fibers->count--;
  return group;
}

void fibers_named(struct thread_data *data, const void *fiber, uint32_t name, uint32_t node)
{
  struct fibers *fibers = atomic_load_explicit(&data->fibers, memory_order_relaxed);
  if (!fibers || !fibers->count) return;
  struct slot *slot = find_slot(fibers, fiber);
  if (!slot->fiber || slot->group) return;
  uint32_t group = group_for(fibers, name, node);
  if (!group) return;
  fibers->now_ns = coarse_ns();
  unlink_slot(fibers, slot);
  change_group(fibers, 0, -1);
  slot->group = group;
  link_slot(fibers, slot);
  change_group(fibers, group, 1);
}

/* ---- fibers without other references ------------------------------------------------------------- */

/* Number of threads that are reading entries, with the GVL; the publisher frees no entries meanwhile. */
static _Atomic uint32_t lookers;

static struct fibers *begin_look(const struct thread_data *data)
{
  atomic_fetch_add(&lookers, 1);
  return atomic_load(&data->fibers);
}

static void end_look(void)
{
  atomic_fetch_sub(&lookers, 1);
}

void fibers_mark(const struct thread_data *data)
{
  const struct fibers *fibers = begin_look(data);
  for (uint32_t at = 0; fibers && fibers->count && at < fibers->capacity; at++)
    if (fibers->slots[at].value) rb_gc_mark(fibers->slots[at].value);
  end_look();
}

/* Gives the fiber a token. Entries may move while the token is made, so the entry is searched again. */
static void give_token(struct fibers *fibers, const void *fiber)
{
  VALUE value = find_slot(fibers, fiber)->value;
  struct fiber_token *token = fiber_token_of(value);
  struct slot *slot = find_slot(fibers, fiber);
  if (slot->fiber && slot->value == value) {
    slot->value = 0;
    slot->token = token;
  } else fiber_token_release(token);
  RB_GC_GUARD(value);
}

/* Replaces references by tokens, starting with the fibers that have waited longest, which come first in each group. */
static void give_tokens(struct fibers *fibers)
{
  int64_t now = coarse_ns(), until = now - LET_GO_NS;
  uint32_t used = get(&fibers->used), some = 0;
  if (now < fibers->let_go_ns) return;
  for (uint32_t group = 0; group < used; group++)
    for (uint32_t at = fibers->groups[group].first; at != NONE && some < LET_GO_AT_ONCE; at = fibers->slots[at].after) {
      if (fibers->slots[at].since_ns > until) break;
      if (!fibers->slots[at].value) continue;
      give_token(fibers, fibers->slots[at].fiber);
      some++;
    }
  if (some < LET_GO_AT_ONCE) fibers->let_go_ns = now + LET_GO_NS;
}

static void remove_gone(struct fibers *fibers)
{
  uint64_t gone = fiber_tokens_gone();
  if (gone == fibers->gone_seen) return;
  fibers->gone_seen = gone;
  fibers->now_ns = coarse_ns();
  for (uint32_t at = 0; at < fibers->capacity;) {
    const struct slot *slot = &fibers->slots[at];
    if (slot->fiber && slot->token && fiber_token_gone(slot->token)) remove_slot(fibers, slot->fiber);
    else at++;
  }
}

void fibers_look_after(const struct sampler *sampler, const struct thread_data *data)
{
  struct fibers *fibers = begin_look(data);
  if (fibers && fibers->count && !atomic_load(&sampler->ractors_seen)) {
    remove_gone(fibers);
    give_tokens(fibers);
  }
  end_look();
}

/* ---- stacks ------------------------------------------------------------------------------------- */

/* Tells whether the frame is a method of the scheduler's own class. Methods that every object has do not count. */
static bool is_scheduler(VALUE frame, VALUE scheduler)
{
  VALUE class = !RB_SPECIAL_CONST_P(frame) && method_entry_is(frame) ? method_entry_class(frame) : 0;
  return class && RTEST(rb_obj_is_kind_of(scheduler, class)) && !RTEST(rb_class_inherited_p(rb_cObject, class));
}

/* Returns the level of the innermost scheduler method in the stack buffers; the number of frames if there is none. */
static int find_scheduler(const struct sampler *sampler, VALUE scheduler)
{
  int level = 0;
  while (level < sampler->stack_depth && !is_scheduler(sampler->stack_frames[level], scheduler)) level++;
  return level;
}

/* Removes the scheduler's own frames from the top of the stack, so that the fiber waits in the method that called the
 * scheduler, as a thread would. False if the fiber does not wait in the scheduler. */
static bool leave_out_scheduler(struct sampler *sampler, VALUE scheduler)
{
  int depth = sampler->stack_depth, level = find_scheduler(sampler, scheduler);
  if (level == depth) return false;
  while (level < depth && is_scheduler(sampler->stack_frames[level], scheduler)) level++;
  /* The scheduler's frames are kept when no caller is left, or when the stack was cut and will be shown as cut. */
  if (level == depth || depth == SAMPLER_STACK_MAX) return true;
  sampler->stack_depth -= level;
  memmove(sampler->stack_frames, sampler->stack_frames + level,
          (size_t)sampler->stack_depth * sizeof *sampler->stack_frames);
  memmove(sampler->stack_lines, sampler->stack_lines + level,
          (size_t)sampler->stack_depth * sizeof *sampler->stack_lines);
  return true;
}

/* Leaves a stack with unnamed methods to the next job, which runs before the thread begins to wait. */
static void note(struct sampler *sampler, const struct thread_data *data, const void *fiber, uint32_t root,
                 uint32_t name)
{
  struct noted_stack *noted =
      noted_add(&sampler->frames.noted, sampler->stack_frames, sampler->stack_lines, (uint32_t)sampler->stack_depth);
  if (!noted) return;
  noted->thread = data->index;
  noted->serial = data->serial;
  noted->root = root;
  noted->name = name;
  noted->fiber = fiber;
  noted->wall_ns[0] = noted->wall_ns[1] = 0;
  rb_postponed_job_trigger(sampler->job);
}

/* Finds the group of the fiber by its stack and name. *waits becomes false if the fiber does not wait, and true if it
 * waits or that is unknown. Lock held. */
static uint32_t group_of(struct sampler *sampler, struct thread_data *data, VALUE thread, VALUE scheduler,
                         VALUE annotation, bool *waits)
{
  struct fibers *fibers = atomic_load_explicit(&data->fibers, memory_order_relaxed);
  sampler->stack_depth =
      fiber_frames_of(thread, fibers->current, SAMPLER_STACK_MAX, sampler->stack_frames, sampler->stack_lines);
  if (sampler->stack_depth <= 0) return 0;
  *waits = leave_out_scheduler(sampler, scheduler);
  if (!*waits) return 0;
  uint32_t root = label_nodes_of(&sampler->labels, &sampler->frames, &sampler->tree, fibers->label);
  uint32_t node = sampler_walk(sampler, data, sampler->stack_depth, root, NULL);
  uint32_t name = task_names_node(&sampler->task_names, &sampler->frames, &sampler->tree, annotation);
  if (node == SAMPLER_NO_STACK) {
    note(sampler, data, fibers->current, root, name);
    return 0;
  }
  sampler_count(&sampler->counters.samples, 1);
  return group_for(fibers, name, node);
}

/* Returns the annotation of the running fiber, which is the name of its task; nil with several Ractors, where the VM
 * takes a lock for reading it. */
static VALUE annotation_of(const struct sampler *sampler, const struct thread_data *data)
{
  VALUE fiber = atomic_load_explicit(&data->fiber, memory_order_relaxed);
  return atomic_load(&sampler->ractors_seen) ? Qnil : task_names_read(&sampler->task_names, fiber);
}

static bool may_take(struct sampler *sampler, const struct fibers *fibers, int64_t now_ns)
{
  return accounting_can_afford(sampler) ||
         now_ns - fibers->stack_ns > atomic_load_explicit(&sampler->fresh_ns, memory_order_relaxed);
}

/* Begins the wait of the fiber that ran until now, if that fiber waits. */
static void begin_wait(struct sampler *sampler, struct thread_data *data, VALUE thread, VALUE scheduler)
{
  struct fibers *fibers = atomic_load_explicit(&data->fibers, memory_order_relaxed);
  bool runs = threads_state(atomic_load_explicit(&data->word, memory_order_relaxed)) == RTOP_RUNNING, waits = true;
  uint32_t group = 0;
  struct accounting_own own = accounting_begin_own(data);
  if (runs && may_take(sampler, fibers, own.begin_ns)) {
    bool coarse = atomic_load_explicit(&sampler->coarse, memory_order_relaxed);
    enum rtop_thread_state before;
    int64_t open =
        accounting_move(sampler, data, RTOP_RUNNING, coarse ? sampler_event_ns(sampler, data) : own.begin_ns, &before);
    accounting_spent(data, before, open);
    accounting_add(sampler, data, before, open);
    VALUE annotation = annotation_of(sampler, data);
    if (accounting_try_lock(sampler)) {
      group = group_of(sampler, data, thread, scheduler, annotation, &waits);
      accounting_flush_own(sampler, data);
      trylock_release(&sampler->lock);
    }
    fibers->stack_ns = own.begin_ns;
    accounting_pay(sampler, accounting_end_own(sampler, data, &own), 0);
  }
  if (waits) add_slot(fibers, fibers->current, atomic_load_explicit(&data->fiber, memory_order_relaxed), group);
}

/* ---- the thread --------------------------------------------------------------------------------- */

/* Ends all waits at once; their waiting time so far is still reported. */
static void end_waits(struct fibers *fibers)
{
  int64_t now = coarse_ns();
  begin_change(fibers);
  for (uint32_t group = 0; group < FIBERS_GROUPS_MAX; group++) {
    struct group *of = &fibers->groups[group];
    set_ns(&of->sum_ns, get_ns(&of->sum_ns) + get(&of->fibers) * (now - get_ns(&of->at_ns)));
    set_ns(&of->at_ns, now);
    set(&of->fibers, 0);
    of->first = of->last = NONE;
  }
  set(&fibers->waiting, 0);
  set(&fibers->running, NONE);
  end_change(fibers);
}

static struct fibers *fibers_of(struct thread_data *data)
{
  struct fibers *fibers = atomic_load_explicit(&data->fibers, memory_order_relaxed);
  if (fibers) return fibers;
  fibers = calloc(1, sizeof *fibers);
  if (!fibers) return NULL;
  end_waits(fibers);
  set(&fibers->used, 1);
  atomic_store_explicit(&data->fibers, fibers, memory_order_release);
  return fibers;
}

/* Sets the fiber that runs now; `group` is the group in which it waited until now. */
static void runs_now(struct sampler *sampler, struct thread_data *data, struct fibers *fibers, VALUE thread,
                     uint32_t group)
{
  fibers->current = fiber_frames_current(thread);
  fibers->can_wait = !NIL_P(rb_fiber_scheduler_current());
  fibers->label = label_sets_of(&sampler->labels, thread);
  set(&fibers->running, fibers->can_wait ? group : NONE);
  atomic_store_explicit(&data->fiber, rb_fiber_current(), memory_order_relaxed);
}

void fibers_begin(struct sampler *sampler, struct thread_data *data, VALUE thread)
{
  struct fibers *fibers = fiber_frames_known() ? fibers_of(data) : NULL;
  if (fibers) runs_now(sampler, data, fibers, thread, NONE);
}

/* Handles a switch to another fiber. An earlier switch may have been missed because of an exception, so the last known
 * fiber need not be the one that was just left. The VALUE of the last known fiber is kept, so that this fiber still
 * exists. */
void fibers_switch(struct sampler *sampler, struct thread_data *data, VALUE thread, VALUE scheduler)
{
  struct fibers *fibers = fibers_of(data);
  if (!fibers) return;
  const void *now = fiber_frames_current(thread);
  fibers->now_ns = coarse_ns();
  bool could_wait = fibers->current && fibers->current != now && fibers->can_wait;
  uint32_t group = remove_slot(fibers, now);
  if (could_wait && NIL_P(rb_fiber_scheduler_current()) &&
      RTEST(rb_fiber_alive_p(atomic_load_explicit(&data->fiber, memory_order_relaxed)))) {
    remove_slot(fibers, fibers->current);
    begin_wait(sampler, data, thread, scheduler);
  }
  runs_now(sampler, data, fibers, thread, group);
}

static void forget_slots(struct fibers *fibers)
{
  for (uint32_t at = 0; at < fibers->capacity; at++) fiber_token_release(fibers->slots[at].token);
  memset(fibers->slots, 0, fibers->capacity * sizeof *fibers->slots);
}

void fibers_forget(struct thread_data *data)
{
  struct fibers *fibers = atomic_load_explicit(&data->fibers, memory_order_relaxed);
  if (!fibers || !fibers->current) return;
  end_waits(fibers);
  if (fibers->count) forget_slots(fibers);
  fibers->count = 0;
  fibers->current = NULL;
  fibers->looping = fibers->can_wait = false;
  atomic_store_explicit(&data->fiber, 0, memory_order_relaxed);
}

void fibers_label(struct thread_data *data, uint32_t set)
{
  struct fibers *fibers = atomic_load_explicit(&data->fibers, memory_order_relaxed);
  if (fibers) fibers->label = set;
}

void fibers_saw(struct sampler *sampler, struct thread_data *data, uint32_t node)
{
  struct fibers *fibers = atomic_load_explicit(&data->fibers, memory_order_relaxed);
  if (!fibers || !fibers->current || fibers->can_wait) return;
  fibers->looping =
      (node == fibers->loop_node && node) || find_scheduler(sampler, rb_fiber_scheduler_get()) < sampler->stack_depth;
  fibers->loop_node = fibers->looping ? node : 0;
}

void fibers_go_off(struct thread_data *data)
{
  struct fibers *fibers = atomic_load_explicit(&data->fibers, memory_order_relaxed);
  if (!fibers) return;
  atomic_store_explicit(&fibers->off, fibers->current && !fibers->can_wait && fibers->looping, memory_order_relaxed);
}

/* ---- division of waits -------------------------------------------------------------------------- */

static void read_mix(const struct fibers *fibers, struct fibers_mix *mix)
{
  uint32_t used = atomic_load_explicit(&fibers->used, memory_order_acquire);
  mix->waiting = atomic_load_explicit(&fibers->waiting, memory_order_relaxed);
  mix->count = 0;
  for (uint32_t group = 1; group < used; group++) {
    const struct group *of = &fibers->groups[group];
    if (get(&of->fibers)) mix->parts[mix->count++] = (struct fibers_part){ get(&of->node), get(&of->fibers) };
  }
}

bool fibers_mix(const struct thread_data *data, struct fibers_mix *mix)
{
  const struct fibers *fibers = atomic_load_explicit(&data->fibers, memory_order_acquire);
  if (!fibers || !atomic_load_explicit(&fibers->off, memory_order_relaxed)) return false;
  for (int tries = 0; tries < READ_TRIES; tries++) {
    uint32_t turn = atomic_load_explicit(&fibers->turn, memory_order_acquire);
    read_mix(fibers, mix);
    atomic_thread_fence(memory_order_acquire);
    if (!(turn & 1) && atomic_load_explicit(&fibers->turn, memory_order_relaxed) == turn) return mix->count > 0;
  }
  return false;
}

/* Reads a group's row for the publisher; false when there is nothing to report. The thread changes nothing
 * meanwhile. */
static bool read_row(const struct fibers *fibers, uint32_t group, int64_t end_ns, struct fibers_row *row)
{
  const struct group *of = &fibers->groups[group];
  uint32_t waiting = get(&of->fibers);
  int64_t open = end_ns - get_ns(&of->at_ns), oldest = waiting ? end_ns - get_ns(&of->oldest_ns) : 0;
  int64_t sum = get_ns(&of->sum_ns) + (open > 0 ? open * waiting : 0), wait = sum - get_ns(&of->told_ns);
  *row = (struct fibers_row){
    .group = group,
    .name = get(&of->name),
    .node = get(&of->node),
    .alive = waiting + (group == get(&fibers->running)),
    .waiting = waiting,
    .wait_ns = wait > 0 ? wait : 0,
    .told_ns = wait > 0 ? sum : sum - wait,
    .longest_ns = oldest > 0 ? oldest : 0,
  };
  return row->alive || row->wait_ns;
}

/* Marks a row as reported. If the thread gives the group to other fibers at the same moment, some time stays
 * unreported. */
static void take_row(struct fibers *fibers, struct fibers_row *row)
{
  struct group *of = &fibers->groups[row->group];
  int64_t ended = atomic_exchange_explicit(&of->longest_ns, 0, memory_order_relaxed);
  if (ended > row->longest_ns) row->longest_ns = ended;
  set_ns(&of->told_ns, row->told_ns);
}

uint32_t fibers_rows(struct thread_data *data, int64_t end_ns, struct fibers_row rows[FIBERS_GROUPS_MAX])
{
  struct fibers *fibers = atomic_load_explicit(&data->fibers, memory_order_acquire);
  for (int tries = 0; fibers && tries < READ_TRIES; tries++) {
    uint32_t turn = atomic_load_explicit(&fibers->turn, memory_order_acquire), count = 0;
    uint32_t used = atomic_load_explicit(&fibers->used, memory_order_acquire);
    for (uint32_t group = 0; group < used; group++) count += read_row(fibers, group, end_ns, &rows[count]);
    atomic_thread_fence(memory_order_acquire);
    if (turn & 1 || get(&fibers->turn) != turn) continue;
    for (uint32_t i = 0; i < count; i++) take_row(fibers, &rows[i]);
    return count;
  }
  return 0;
}

int64_t fibers_waiting(const struct thread_data *data)
{
  const struct fibers *fibers = atomic_load_explicit(&data->fibers, memory_order_acquire);
  return fibers ? (int64_t)atomic_load_explicit(&fibers->waiting, memory_order_relaxed) : -1;
}

bool fibers_draw(const struct fibers_mix *mix, uint32_t *random, uint32_t *node)
{
  int64_t drawn = draw_ns(random, 0, mix->waiting);
  for (uint32_t part = 0; part < mix->count; part++) {
    *node = mix->parts[part].node;
    drawn -= mix->parts[part].fibers;
    if (drawn < 0) return true;
  }
  return false;
}

void fibers_free(struct thread_data *data)
{
  struct fibers *fibers = atomic_exchange(&data->fibers, NULL);
  if (!fibers) return;
  while (atomic_load(&lookers)) sched_yield();
  if (fibers->count) forget_slots(fibers);
  free(fibers->slots);
  free(fibers);
}
