/* Follows the fibers of a thread, and groups those that wait by their stacks. */
#include "fibers.h"

#include "accounting.h"
#include "stacks.h"
#include "ext/base/draw.h"
#include "ext/base/trylock.h"
#include "ext/names/fiber_frames.h"
#include "ext/names/label_nodes.h"
#include "ext/names/method_entry.h"
#include "shm/base/clock.h"
#include <ruby/fiber/scheduler.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES_FIRST = 64, READ_TRIES = 100 };

/* A fiber that waits, and its group. */
struct place {
  const void *fiber; /* NULL: free */
  uint32_t group;
};

/* Group 0: of those whose stack is not known. */
struct fibers {
  _Atomic uint32_t turn; /* odd while the groups change */
  _Atomic bool off;      /* the open off-GVL stretch is in the loop */
  _Atomic uint32_t waiting, used;
  struct group {
    _Atomic uint32_t node, fibers;
  } groups[FIBERS_GROUPS_MAX];

  struct place *places; /* open addressing */
  uint32_t capacity, count;

  const void *current; /* fiber that runs; NULL: not known. Its VALUE is in the thread's data */
  bool can_wait;       /* it is not a blocking one */
  bool looping;        /* a blocking fiber was seen in the loop last */
  uint32_t loop_node;  /* there */
  uint32_t label;      /* set of the running fiber */
  int64_t stack_ns;    /* when a stack was taken last */
};

/* ---- groups ------------------------------------------------------------------------------------- */

static void set_group(struct fibers *fibers, uint32_t group, uint32_t node, uint32_t count)
{
  uint32_t turn = atomic_load_explicit(&fibers->turn, memory_order_relaxed);
  uint32_t before = atomic_load_explicit(&fibers->groups[group].fibers, memory_order_relaxed);
  uint32_t waiting = atomic_load_explicit(&fibers->waiting, memory_order_relaxed);
  atomic_store_explicit(&fibers->turn, turn + 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&fibers->groups[group].node, node, memory_order_relaxed);
  atomic_store_explicit(&fibers->groups[group].fibers, count, memory_order_relaxed);
  atomic_store_explicit(&fibers->waiting, waiting + count - before, memory_order_relaxed);
  atomic_store_explicit(&fibers->turn, turn + 2, memory_order_release);
}

static uint32_t group_fibers(const struct fibers *fibers, uint32_t group)
{
  return atomic_load_explicit(&fibers->groups[group].fibers, memory_order_relaxed);
}

static uint32_t group_node(const struct fibers *fibers, uint32_t group)
{
  return atomic_load_explicit(&fibers->groups[group].node, memory_order_relaxed);
}

static void change_group(struct fibers *fibers, uint32_t group, int more)
{
  set_group(fibers, group, group_node(fibers, group), group_fibers(fibers, group) + (uint32_t)more);
}

/* 0: there is none. */
static uint32_t find_group(const struct fibers *fibers, uint32_t node)
{
  uint32_t used = atomic_load_explicit(&fibers->used, memory_order_relaxed);
  for (uint32_t group = 1; group < used; group++)
    if (group_node(fibers, group) == node) return group;
  return 0;
}

/* One of this node; 0 when there are too many. */
static uint32_t make_group(struct fibers *fibers, uint32_t node)
{
  uint32_t used = atomic_load_explicit(&fibers->used, memory_order_relaxed), group = used;
  if (used == FIBERS_GROUPS_MAX)
    for (group = 1; group < used && group_fibers(fibers, group);) group++;
  if (group == FIBERS_GROUPS_MAX) return 0;
  set_group(fibers, group, node, 0);
  if (group == used) atomic_store_explicit(&fibers->used, used + 1, memory_order_release);
  return group;
}

/* ---- fibers that wait --------------------------------------------------------------------------- */

static uint32_t home(const struct fibers *fibers, const void *fiber)
{
  return (uint32_t)((uint64_t)(uintptr_t)fiber * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (fibers->capacity - 1);
}

/* Its place, or the free one where it would be. There is one. */
static struct place *find_place(const struct fibers *fibers, const void *fiber)
{
  uint32_t at = home(fibers, fiber);
  while (fibers->places[at].fiber && fibers->places[at].fiber != fiber) at = (at + 1) & (fibers->capacity - 1);
  return &fibers->places[at];
}

static bool make_room(struct fibers *fibers)
{
  if (2 * fibers->count < fibers->capacity) return true;
  if (fibers->count >= FIBERS_MAX) return false;
  struct fibers before = { .places = fibers->places, .capacity = fibers->capacity };
  uint32_t capacity = before.capacity ? 2 * before.capacity : PLACES_FIRST;
  struct place *places = calloc(capacity, sizeof *places);
  if (!places) return false;
  fibers->places = places;
  fibers->capacity = capacity;
  for (uint32_t i = 0; i < before.capacity; i++)
    if (before.places[i].fiber) *find_place(fibers, before.places[i].fiber) = before.places[i];
  free(before.places);
  return true;
}

static void add_place(struct fibers *fibers, const void *fiber, uint32_t group)
{
  if (!make_room(fibers)) return;
  *find_place(fibers, fiber) = (struct place){ .fiber = fiber, .group = group };
  fibers->count++;
  change_group(fibers, group, 1);
}

/* Those behind it that would have stood there move up. */
static void remove_place(struct fibers *fibers, const void *fiber)
{
  if (!fibers->count) return;
  struct place *place = find_place(fibers, fiber);
  if (!place->fiber) return;
  change_group(fibers, place->group, -1);
  uint32_t mask = fibers->capacity - 1, hole = (uint32_t)(place - fibers->places);
  for (uint32_t at = (hole + 1) & mask; fibers->places[at].fiber; at = (at + 1) & mask) {
    uint32_t from = home(fibers, fibers->places[at].fiber);
    if (((at - from) & mask) < ((at - hole) & mask)) continue;
    fibers->places[hole] = fibers->places[at];
    hole = at;
  }
  fibers->places[hole] = (struct place){ 0 };
  fibers->count--;
}

void fibers_named(struct thread_data *data, const void *fiber, uint32_t node)
{
  struct fibers *fibers = atomic_load_explicit(&data->fibers, memory_order_relaxed);
  if (!fibers || !fibers->count) return;
  struct place *place = find_place(fibers, fiber);
  if (!place->fiber || place->group) return;
  uint32_t group = find_group(fibers, node);
  if (!group) group = make_group(fibers, node);
  if (!group) return;
  change_group(fibers, 0, -1);
  change_group(fibers, group, 1);
  place->group = group;
}

/* ---- stacks ------------------------------------------------------------------------------------- */

/* Is this a method of the scheduler? Those of every object are not. */
static bool is_scheduler(VALUE frame, VALUE scheduler)
{
  VALUE class = !RB_SPECIAL_CONST_P(frame) && method_entry_is(frame) ? method_entry_class(frame) : 0;
  return class && RTEST(rb_obj_is_kind_of(scheduler, class)) && !RTEST(rb_class_inherited_p(rb_cObject, class));
}

/* The innermost of them among the frames in the stack buffers; their number: there is none. */
static int find_scheduler(const struct sampler *sampler, VALUE scheduler)
{
  int level = 0;
  while (level < sampler->stack_depth && !is_scheduler(sampler->stack_frames[level], scheduler)) level++;
  return level;
}

/* What the scheduler does to let others run is left out: the fiber waits in what has called it, as a thread would. False:
 * it does not wait in the scheduler. */
static bool leave_out_scheduler(struct sampler *sampler, VALUE scheduler)
{
  int depth = sampler->stack_depth, level = find_scheduler(sampler, scheduler);
  if (level == depth) return false;
  while (level < depth && is_scheduler(sampler->stack_frames[level], scheduler)) level++;
  if (level == depth || depth == SAMPLER_STACK_MAX) return true; /* nothing has; or what has is told as cut off */
  sampler->stack_depth -= level;
  memmove(sampler->stack_frames, sampler->stack_frames + level,
          (size_t)sampler->stack_depth * sizeof *sampler->stack_frames);
  memmove(sampler->stack_lines, sampler->stack_lines + level,
          (size_t)sampler->stack_depth * sizeof *sampler->stack_lines);
  return true;
}

/* The hook cannot name it: the next job does, which comes before the thread goes to wait. */
static void note(struct sampler *sampler, const struct thread_data *data, const void *fiber, uint32_t root)
{
  struct noted_stack *noted =
      noted_add(&sampler->frames.noted, sampler->stack_frames, sampler->stack_lines, (uint32_t)sampler->stack_depth);
  if (!noted) return;
  noted->thread = data->index;
  noted->serial = data->serial;
  noted->root = root;
  noted->fiber = fiber;
  noted->wall_ns[0] = noted->wall_ns[1] = 0;
  rb_postponed_job_trigger(sampler->job);
}

/* Lock held. *waits: it does, or that is not known. Returns its group. */
static uint32_t group_of(struct sampler *sampler, struct thread_data *data, VALUE thread, VALUE scheduler, bool *waits)
{
  struct fibers *fibers = atomic_load_explicit(&data->fibers, memory_order_relaxed);
  sampler->stack_depth =
      fiber_frames_of(thread, fibers->current, SAMPLER_STACK_MAX, sampler->stack_frames, sampler->stack_lines);
  if (sampler->stack_depth <= 0) return 0;
  *waits = leave_out_scheduler(sampler, scheduler);
  if (!*waits) return 0;
  uint32_t root = label_nodes_of(&sampler->labels, &sampler->frames, &sampler->tree, fibers->label);
  uint32_t node = sampler_walk(sampler, data, sampler->stack_depth, root, NULL);
  if (node == SAMPLER_NO_STACK) {
    note(sampler, data, fibers->current, root);
    return 0;
  }
  sampler_count(&sampler->counters.samples, 1);
  uint32_t group = find_group(fibers, node);
  return group ? group : make_group(fibers, node);
}

static bool may_take(struct sampler *sampler, const struct fibers *fibers, int64_t now_ns)
{
  return accounting_can_afford(sampler) ||
         now_ns - fibers->stack_ns > atomic_load_explicit(&sampler->fresh_ns, memory_order_relaxed);
}

/* The fiber that ran until now goes to wait, if that is what it does. */
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
    if (accounting_try_lock(sampler)) {
      group = group_of(sampler, data, thread, scheduler, &waits);
      accounting_flush_own(sampler, data);
      trylock_release(&sampler->lock);
    }
    fibers->stack_ns = own.begin_ns;
    accounting_pay(sampler, accounting_end_own(sampler, data, &own));
  }
  if (waits) add_place(fibers, fibers->current, group);
}

/* ---- the thread --------------------------------------------------------------------------------- */

static struct fibers *fibers_of(struct thread_data *data)
{
  struct fibers *fibers = atomic_load_explicit(&data->fibers, memory_order_relaxed);
  if (fibers) return fibers;
  fibers = calloc(1, sizeof *fibers);
  if (!fibers) return NULL;
  atomic_store_explicit(&fibers->used, 1, memory_order_relaxed);
  atomic_store_explicit(&data->fibers, fibers, memory_order_release);
  return fibers;
}

static void runs_now(struct sampler *sampler, struct thread_data *data, struct fibers *fibers, VALUE thread)
{
  fibers->current = fiber_frames_current(thread);
  fibers->can_wait = !NIL_P(rb_fiber_scheduler_current());
  fibers->label = label_sets_of(&sampler->labels, thread);
  atomic_store_explicit(&data->fiber, rb_fiber_current(), memory_order_relaxed);
}

void fibers_begin(struct sampler *sampler, struct thread_data *data, VALUE thread)
{
  struct fibers *fibers = fiber_frames_known() ? fibers_of(data) : NULL;
  if (fibers) runs_now(sampler, data, fibers, thread);
}

/* A switch may have been missed (an exception that comes in the midst of it, another's hook that raises): then the fiber
 * that ran last is not the one that was left, but it is still there: its VALUE is kept. */
void fibers_switch(struct sampler *sampler, struct thread_data *data, VALUE thread, VALUE scheduler)
{
  struct fibers *fibers = fibers_of(data);
  if (!fibers) return;
  const void *now = fiber_frames_current(thread);
  bool could_wait = fibers->current && fibers->current != now && fibers->can_wait;
  remove_place(fibers, now);
  if (could_wait && NIL_P(rb_fiber_scheduler_current()) &&
      RTEST(rb_fiber_alive_p(atomic_load_explicit(&data->fiber, memory_order_relaxed)))) {
    remove_place(fibers, fibers->current);
    begin_wait(sampler, data, thread, scheduler);
  }
  runs_now(sampler, data, fibers, thread);
}

void fibers_forget(struct thread_data *data)
{
  struct fibers *fibers = atomic_load_explicit(&data->fibers, memory_order_relaxed);
  if (!fibers || !fibers->current) return;
  for (uint32_t group = 0; group < FIBERS_GROUPS_MAX; group++) set_group(fibers, group, 0, 0);
  atomic_store_explicit(&fibers->used, 1, memory_order_relaxed);
  if (fibers->count) memset(fibers->places, 0, fibers->capacity * sizeof *fibers->places);
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

/* ---- the division ------------------------------------------------------------------------------- */

static void read_mix(const struct fibers *fibers, struct fibers_mix *mix)
{
  uint32_t used = atomic_load_explicit(&fibers->used, memory_order_acquire);
  mix->waiting = atomic_load_explicit(&fibers->waiting, memory_order_relaxed);
  mix->count = 0;
  for (uint32_t group = 1; group < used; group++)
    if (group_fibers(fibers, group))
      mix->parts[mix->count++] =
          (struct fibers_part){ .node = group_node(fibers, group), .fibers = group_fibers(fibers, group) };
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
  free(fibers->places);
  free(fibers);
}
