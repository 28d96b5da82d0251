/* SPDX-License-Identifier: MIT */
/* Opens and closes sampling intervals for new objects, takes samples within them, and attributes objects to the
 * samples. */
#include "makers.h"

#include "ext/base/draw.h"
#include "ext/base/trylock.h"
#include "ext/names/own_objects.h"
#include "ext/sampling/accounting.h"
#include "ext/sampling/stacks.h"
#include "shm/base/clock.h"
#include <ruby/debug.h>

enum {
  SAMPLES_MAX = 32,
  SAMPLES_WANTED = 8, /* wanted number of samples in an interval */
  /* maximum number of objects examined in an interval; the others are assumed to be of the same kinds */
  LOOKED_AT_MAX = 2000,
  OPENINGS_PER_S = 20,
  ONE_IN_MAX = 100000,
  PPM = 1000000,
};
/* Measured cost in ns of an interval: of installing and removing the hook, of each object, and of each sample. */
#define OPENING_NS 3000
#define OBJECT_NS 60
#define SAMPLE_NS 2000

struct maker {
  uint64_t serial; /* serial of the thread that made the object */
  uint32_t thread, node;
};

/* State of the object hook. It is static, because the VM would treat a pointer passed to the hook as a Ruby object and
 * mark it. One state suffices, since there is only one session. */
static struct makers {
  struct sampler *sampler; /* NULL: no interval is open */
  bool is_set;             /* whether the hook is installed */
  int64_t left, distance;  /* objects until the next sample, and mean distance between samples */
  int64_t looked_at;       /* number of objects of the interval up to the next sample */
  uint32_t random, one_in; /* generator state; the open interval represents one_in intervals */
  bool is_full;            /* the interval has examined enough objects, but stays open */
  uint32_t count;
  uint64_t begun;     /* the VM's count of objects when the interval began */
  double an_interval; /* running mean of the number of objects per interval */
  struct maker samples[SAMPLES_MAX];
} makers = { .random = 2463534242u };

static int64_t draw(int64_t span)
{
  return draw_ns(&makers.random, 0, span);
}

static void draw_next(void)
{
  makers.left = 1 + draw(2 * makers.distance - 1);
  makers.looked_at += makers.left;
}

/* Drops half of the samples at random when there are too many; each remaining sample then stands for twice as many
 * objects. */
static void halve(void)
{
  uint32_t kept = 0;
  for (uint32_t i = 0; i < makers.count; i++)
    if (draw(2)) makers.samples[kept++] = makers.samples[i];
  makers.count = kept;
  if (makers.distance < INT32_MAX / 4) makers.distance *= 2;
}

/* Leaves the naming of a stack with unnamed frames to the next job; this sample is lost. Only a quarter of the entries
 * of `noted` may be used for this, since stacks with time to charge need the others. */
static void note(struct sampler *sampler, const struct thread_data *data, uint32_t depth, uint32_t root)
{
  if (atomic_load_explicit(&sampler->frames.noted.count, memory_order_relaxed) >= NOTED_MAX / 4) return;
  struct noted_stack *noted = noted_add(&sampler->frames.noted, sampler->stack_frames, sampler->stack_lines, depth);
  if (!noted) return;
  noted->thread = data->index;
  noted->serial = data->serial;
  noted->root = root;
  noted->fiber = NULL;
  for (int i = 0; i < 2; i++) {
    noted->states[i] = RTOP_RUNNING;
    noted->wall_ns[i] = noted->cpu_ns[i] = 0;
  }
}

/* Finds the node of the current stack; SAMPLER_NO_STACK when one of its methods has no name yet. */
static uint32_t find_stack(struct sampler *sampler, struct thread_data *data)
{
  if (!trylock_take(&sampler->lock)) return SAMPLER_NO_STACK;
  uint32_t node = SAMPLER_NO_STACK;
  int depth = rb_profile_frames(0, SAMPLER_STACK_MAX, sampler->stack_frames, sampler->stack_lines);
  if (depth > 0) {
    if (sampler->stack_lines[0] == 0) sampler->stack_lines[0] = rb_sourceline(); /* compiled code has no line */
    uint32_t root = sampler_root(sampler, data);
    VALUE unknown;
    node = sampler_walk(sampler, data, depth, root, &unknown);
    if (node == SAMPLER_NO_STACK) note(sampler, data, (uint32_t)depth, root);
  }
  trylock_release(&sampler->lock);
  return node;
}

static void __attribute__((noinline)) take_object(struct sampler *sampler)
{
  struct thread_data *data = threads_of(&sampler->threads, rb_thread_current());
  if (makers.looked_at < LOOKED_AT_MAX) {
    draw_next();
  } else {
    makers.left = INT64_MAX;
    makers.is_full = true;
    rb_postponed_job_trigger(sampler->job); /* the job removes the hook */
  }
  if (!data || !data->main_ractor || data->own_work) return;
  if (makers.count == SAMPLES_MAX) halve();
  if (makers.count == SAMPLES_MAX) return;
  uint32_t node = find_stack(sampler, data);
  if (node == SAMPLER_NO_STACK) return; /* its objects are charged to no stack */
  makers.samples[makers.count++] = (struct maker){ data->serial, data->index, node };
}

/* Runs for every new object, inside the allocator, and so must not call anything in the VM that could allocate.
 * [hook] */
static void on_new_object(VALUE unused, rb_trace_arg_t *event)
{
  (void)unused;
  (void)event;
  if (--makers.left <= 0 && makers.sampler) take_object(makers.sampler);
}

static rb_event_hook_func_t hook_function(void)
{
  return (rb_event_hook_func_t)(void (*)(void))on_new_object;
}

static VALUE set_hook(VALUE unused)
{
  rb_add_event_hook2(hook_function(), RUBY_INTERNAL_EVENT_NEWOBJ, Qnil,
                     RUBY_EVENT_HOOK_FLAG_SAFE | RUBY_EVENT_HOOK_FLAG_RAW_ARG);
  makers.is_set = true;
  return unused;
}

static void remove_hook(void)
{
  if (makers.is_set) rb_remove_event_hook(hook_function());
  makers.is_set = false;
}

void makers_off(void)
{
  remove_hook();
  makers.sampler = NULL;
  makers.count = 0;
}

/* Charges objects to the sampled stack, at most as many as its thread has made and not charged yet. Lock held. */
static void charge(struct sampler *sampler, const struct maker *maker, uint64_t objects)
{
  struct thread_data *data = atomic_load(&sampler->threads.table[maker->thread]);
  if (!data || data->serial != maker->serial || atomic_load(&data->ended)) return;
  struct rtop_cell cell = {
    .node = maker->node,
    .thread = maker->thread,
    .state = RTOP_RUNNING,
    .allocations = objects < data->allocations ? objects : data->allocations,
  };
  if (cell.allocations && cells_add(sampler->open, &cell)) data->allocations -= cell.allocations;
}

static void charge_all(struct sampler *sampler, uint64_t objects)
{
  bool all = !makers.is_full || objects <= (uint64_t)makers.looked_at;
  double behind = all ? 1 : (double)objects / (double)makers.looked_at;
  uint64_t each = (uint64_t)((double)makers.distance * makers.one_in * behind);
  if (!trylock_take(&sampler->lock)) return;
  for (uint32_t i = 0; i < makers.count; i++) charge(sampler, &makers.samples[i], each);
  trylock_release(&sampler->lock);
  uint64_t looked_at = all ? objects : (uint64_t)makers.looked_at;
  uint64_t cost = OPENING_NS + looked_at * OBJECT_NS + makers.count * SAMPLE_NS;
  atomic_fetch_add_explicit(&sampler->counters.makers_ns, cost, memory_order_relaxed);
}

void makers_close(struct sampler *sampler)
{
  if (makers.is_set && makers.is_full) {
    remove_hook();
    return;
  }
  uint64_t made = gc_figure(sampler->gc_keys[GC_OBJECTS]), objects = made > makers.begun ? made - makers.begun : 0;
  if (makers.begun) makers.an_interval += ((double)objects - makers.an_interval) / 16;
  bool looked = makers.sampler != NULL;
  makers.sampler = NULL;
  if (!looked) return;
  struct thread_data *data = threads_of(&sampler->threads, rb_thread_current());
  if (data) accounting_read_allocations(sampler, data);
  charge_all(sampler, objects);
  makers_off();
}

/* Returns the number n such that the budget allows sampling one in n intervals. */
static uint32_t find_one_in(const struct sampler *sampler)
{
  uint32_t share_ppm = atomic_load_explicit(&sampler->makers_share_ppm, memory_order_relaxed);
  if (share_ppm >= PPM) return 1;
  double share = (double)share_ppm / PPM;
  double length_ns = (double)atomic_load_explicit(&sampler->period_ns, memory_order_relaxed);
  double objects = makers.an_interval < LOOKED_AT_MAX ? makers.an_interval : LOOKED_AT_MAX;
  double cost_ns = OPENING_NS + objects * OBJECT_NS + SAMPLES_WANTED * SAMPLE_NS;
  double one_in = share > 0 ? cost_ns / (share * length_ns) : ONE_IN_MAX;
  double least = (double)CLOCK_NS_PER_SECOND / (OPENINGS_PER_S * length_ns);
  if (one_in < least) one_in = least;
  return one_in > ONE_IN_MAX ? ONE_IN_MAX : one_in < 1 ? 1 : (uint32_t)one_in;
}

void makers_open(struct sampler *sampler)
{
  if (makers.sampler) return;
  makers.one_in = find_one_in(sampler);
  bool looks = draw(makers.one_in) == 0 && own_objects_allowed();
  if (looks) {
    VALUE error = rb_errinfo();
    int raised = 0;
    size_t begun = own_objects_begin();
    makers.left = INT64_MAX;
    rb_protect(set_hook, Qnil, &raised);
    own_objects_end(begun);
    if (raised) rb_set_errinfo(error);
    double objects = makers.an_interval < LOOKED_AT_MAX ? makers.an_interval : LOOKED_AT_MAX;
    makers.distance = 1 + (int64_t)(objects / SAMPLES_WANTED);
    makers.count = 0;
    makers.looked_at = 0;
    makers.is_full = false;
    draw_next();
    if (!raised) makers.sampler = sampler;
  }
  makers.begun = gc_figure(sampler->gc_keys[GC_OBJECTS]);
}
