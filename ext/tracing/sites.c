/* SPDX-License-Identifier: MIT */
/* Sampling of allocation sites: the hook, the intervals, and the objects that are followed. */
#include "sites.h"

#include "sites_names.h"
#include "ext/base/vm_unknown.h"
#include "ext/names/frame_names.h"
#include "ext/names/method_entry.h"
#include "ext/names/own_objects.h"
#include <ruby/debug.h>
#include <ruby/ractor.h>
#include <sched.h>
#include <stdlib.h>

enum {
  FRAMES_LOOKED_AT = 16, /* number of innermost frames that are searched for a frame of the program */
  PROBE_OBJECTS = 500,
  PROBE_ROUNDS = 4,
  PROBE_COLLECTIONS_MAX = 4, /* maximum number of collections in a round */
  FAILURES_MAX = 16,         /* after this many jobs in which naming failed, samples without names are dropped */
  JUDGED_PER_JOB = 512,
  END_TRIES = 1000,
};
#define SAMPLE_COST_NS 3000 /* assumed cost until the cost is measured */
/* Limits for measured costs; a longer time means that another thread had the core. */
#define SAMPLE_COST_MOST_NS 20000
#define OBJECT_COST_MOST_NS 500

/* State of the object hook. It is static, because the VM would mark anything passed to a hook as a Ruby object; there
 * is only one session. */
static struct sites *sampled;
static method_entry_call_1 *map_at;
static method_entry_call_2 *map_put;

bool sites_is_asked(const struct rtop_trace_wish *wish)
{
  return wish->name[0] == RTOP_TRACE_SITES;
}

/* Marks the objects of pending samples. An object may be only partly initialised when the GC runs. */
static void mark_pending(void *pointer)
{
  const struct sites *sites = pointer;
  for (uint32_t i = 0; i < sites->count; i++) {
    rb_gc_mark_maybe(sites->pending[i].object);
    if (sites->pending[i].frame) rb_gc_mark(sites->pending[i].frame);
  }
  if (sites->map) rb_gc_mark(sites->map);
}

/* The type has no write barrier, so the GC marks such an object in every cycle, minor ones included. */
static const rb_data_type_t marker_type = {
  .wrap_struct_name = "rperf_top/sites",
  .function = { .dmark = mark_pending },
};

static bool call_protected(VALUE (*call)(VALUE), struct sites *sites)
{
  VALUE error = rb_errinfo();
  int raised = 0;
  VALUE result = rb_protect(call, (VALUE)sites, &raised);
  if (raised) rb_set_errinfo(error);
  return !raised && result != Qfalse;
}

/* Drops half of the pending samples at random when there are too many before the next job; the remaining ones then
 * weigh twice as much. Returns false if the current sample is dropped, too. */
static bool halve_pending(struct sites *sites)
{
  uint32_t kept = 0;
  for (uint32_t i = 0; i < sites->count; i++)
    if (sites_sums_coin(&sites->sums)) sites->pending[kept++] = sites->pending[i];
  sites->count = kept;
  sites->sums.distance *= 2;
  return sites_sums_coin(&sites->sums);
}

/* Returns the line of a frame. For the innermost frame of Ruby code, the line is known even if the code is compiled. */
static int line_of(int level, bool innermost)
{
  VALUE frame;
  int line = 0;
  if (innermost) return rb_sourceline();
  return rb_profile_frames(level, 1, &frame, &line) == 1 ? line : 0;
}

/* Notes the place of allocation: the innermost frame of the program. A built-in method that the program called is
 * skipped. */
static void note_place(struct sites_pending *sample)
{
  VALUE frames[FRAMES_LOOKED_AT];
  int count = rb_profile_frames(0, FRAMES_LOOKED_AT, frames, NULL);
  bool innermost = true;
  for (int i = 0; i < count; i++) {
    if (frame_names_is_core(frames[i])) {
      innermost = innermost && NIL_P(rb_profile_frame_path(frames[i]));
      continue;
    }
    int line = line_of(i, innermost);
    sample->frame = frames[i];
    sample->line = line > 0 ? (uint32_t)line : 0;
    return;
  }
  sample->frame = count > 0 ? frames[0] : 0;
}

static void __attribute__((noinline)) take_object(struct sites *sites, rb_trace_arg_t *event)
{
  int64_t begin_ns = clock_now_ns();
  bool room = sites->count < SITES_PENDING_MAX || (halve_pending(sites) && sites->count < SITES_PENDING_MAX);
  if (room) {
    struct sites_pending *sample = &sites->pending[sites->count];
    *sample = (struct sites_pending){ .object = rb_tracearg_object(event) };
    note_place(sample);
    sites->count++;
  }
  sites->left = sites_sums_skip(&sites->sums);
  int64_t took_ns = clock_now_ns() - begin_ns;
  sites->hook_ns += took_ns < SAMPLE_COST_MOST_NS ? took_ns : SAMPLE_COST_MOST_NS;
}

/* Runs for every new object, inside the allocator, and so must not call anything in the VM that could allocate. Since
 * Ruby 4.0 it also runs for other Ractors, in parallel; only objects of the main Ractor are counted. [hook] */
static void on_new_object(VALUE unused, rb_trace_arg_t *event)
{
  (void)unused;
  if (rb_ractor_stdout() != rb_stdout) return;
  if (--sampled->left <= 0) take_object(sampled, event);
}

static rb_event_hook_func_t hook_function(void)
{
  return (rb_event_hook_func_t)(void (*)(void))on_new_object;
}

static VALUE set_hook(VALUE pointer)
{
  struct sites *sites = (struct sites *)pointer;
  if (!sites->is_set)
    rb_add_event_hook2(hook_function(), RUBY_INTERNAL_EVENT_NEWOBJ, Qnil,
                       RUBY_EVENT_HOOK_FLAG_SAFE | RUBY_EVENT_HOOK_FLAG_RAW_ARG);
  sites->is_set = true;
  return Qtrue;
}

static void remove_hook(struct sites *sites)
{
  if (sites->is_set) rb_remove_event_hook(hook_function());
  sites->is_set = false;
}

static uint64_t objects_made(const struct sites *sites)
{
  return gc_figure(sites->sampler->gc_keys[GC_OBJECTS]);
}

static uint64_t major_gcs(const struct sites *sites)
{
  return gc_figure(sites->sampler->gc_keys[GC_MAJOR]);
}

static bool is_marking(void)
{
  return rb_gc_latest_gc_info(ID2SYM(rb_intern("state"))) == ID2SYM(rb_intern("marking"));
}

/* Returns the mean time in ns of making an object. Makes fewer objects when collections occur, since these make the
 * measurement expensive. */
static double probe_once(void)
{
  size_t begun = own_objects_begin();
  int64_t from = clock_now_ns();
  int made = 0;
  while (made < PROBE_OBJECTS && rb_gc_count() - begun < PROBE_COLLECTIONS_MAX) {
    rb_ary_new();
    made++;
  }
  return (double)(clock_now_ns() - from) / made;
}

static double probe_least(void)
{
  double least = probe_once();
  for (int i = 1; i < PROBE_ROUNDS; i++) {
    double ns = probe_once();
    if (ns < least) least = ns;
  }
  return least;
}

/* Measures how much longer making an object takes while the hook is installed. */
static VALUE measure(VALUE pointer)
{
  struct sites *sites = (struct sites *)pointer;
  double plain = probe_least();
  sites->left = INT64_MAX;
  set_hook(pointer);
  double object_ns = probe_least() - plain;
  if (object_ns < 1) object_ns = 1;
  if (object_ns > OBJECT_COST_MOST_NS) object_ns = OBJECT_COST_MOST_NS;
  sites->costs = (struct sites_costs){ .object_ns = object_ns,
                                       .sample_ns = SAMPLE_COST_NS,
                                       .budget = sites->budget > 0 ? sites->budget : 0.01 };
  return Qtrue;
}

/* Makes the weak map, which is invisible to the program, without calling any method that the program could have
 * redefined. */
static VALUE make_map(VALUE pointer)
{
  struct sites *sites = (struct sites *)pointer;
  VALUE space = rb_const_get(rb_cObject, rb_intern("ObjectSpace"));
  VALUE class = rb_const_get(space, rb_intern("WeakMap"));
  if (!RB_TYPE_P(class, T_CLASS)) return Qfalse;
  VALUE map = rb_obj_alloc(class);
  map_at = method_entry_function_1(map, class, "[]");
  map_put = method_entry_function_2(map, class, "[]=");
  is_marking();
  if (!map_at || !map_put) return rb_method_basic_definition_p(class, rb_intern("[]")) ? Qfalse : Qnil;
  sites->map = rb_obj_hide(map);
  return Qtrue;
}

static VALUE make_marker(VALUE pointer)
{
  struct sites *sites = (struct sites *)pointer;
  sites->marker = rb_data_typed_object_wrap(0, sites, &marker_type);
  rb_gc_register_address(&sites->marker);
  sites_names_learn();
  return Qtrue;
}

static bool make_all(struct sites *sites)
{
  if (!sites->pending) sites->pending = calloc(SITES_PENDING_MAX, sizeof *sites->pending);
  if (!sites->pending || !sites_sums_create(&sites->sums, (uint32_t)clock_now_ns())) return false;
  return sites->marker || call_protected(make_marker, sites);
}

static void open_interval(struct sites *sites)
{
  int64_t begin_ns = clock_own_cpu_ns();
  size_t begun = own_objects_begin();
  sites->hook_ns = 0;
  sites->paused = false;
  if (sites->sums.looks && own_objects_allowed()) call_protected(set_hook, sites);
  else remove_hook(sites);
  own_objects_end(begun);
  sites->sums.looks = sites->is_set; /* without memory for the hook, the interval is not sampled */
  sites->left = sites_sums_skip(&sites->sums);
  sites->interval_ns = clock_now_ns();
  sites->opening_ns = clock_own_cpu_ns() - begin_ns;
  sites->at_begin = objects_made(sites);
}

static int64_t wish_ns(const struct rtop_trace_wish *wish)
{
  uint32_t seconds = wish->seconds == RTOP_TRACE_SECONDS_MAX ? RTOP_SITES_SECONDS : wish->seconds;
  if (seconds > RTOP_SITES_SECONDS_MAX) seconds = RTOP_SITES_SECONDS_MAX;
  return (int64_t)seconds * CLOCK_NS_PER_SECOND;
}

static void begin(struct sites *sites, const struct rtop_trace_wish *wish)
{
  sampled = sites;
  sites->count = 0;
  sites->map = 0;
  if (!make_all(sites) || !call_protected(measure, sites)) {
    remove_hook(sites);
    atomic_store(&sites->state, RTOP_SITES_REFUSED);
    return;
  }
  vm_unknown_unless(call_protected(make_map, sites), RTOP_VM_ALIVE);
  sites->judges = sites->unjudged = false;
  sites->judged = sites->failures = 0;
  sites->next = 0;
  sites->telling = 0;
  sites->told = (struct sites_told_sums){ .own_ns = (uint64_t)atomic_load(&sites->own_ns) };
  atomic_fetch_add(&sites->serial, 1);
  int64_t now = clock_now_ns();
  atomic_store(&sites->begin_ns, now);
  atomic_store(&sites->end_ns, now + wish_ns(wish));
  atomic_store(&sites->state, RTOP_SITES_ON);
  open_interval(sites);
}

enum rtop_trace_state sites_follow(struct sites *sites)
{
  switch (atomic_load(&sites->state)) {
  case 0: return RTOP_TRACE_WAITS;
  case RTOP_SITES_ON: return RTOP_TRACE_ON;
  case RTOP_SITES_REFUSED: return RTOP_TRACE_REFUSED;
  default: return RTOP_TRACE_EXPIRED;
  }
}

enum rtop_trace_state sites_want(struct sites *sites, int slot, const struct rtop_trace_wish *wish)
{
  int state = atomic_load(&sites->state);
  if (state == RTOP_SITES_WAITS || state == RTOP_SITES_TELLING) return RTOP_TRACE_WAITS; /* the new request must wait */
  if (state == RTOP_SITES_ON) {
    int64_t most_ns = atomic_load(&sites->begin_ns) + RTOP_SITES_SECONDS_MAX * CLOCK_NS_PER_SECOND;
    int64_t end_ns = clock_now_ns() + wish_ns(wish);
    if (end_ns > most_ns) end_ns = most_ns;
    if (end_ns > atomic_load(&sites->end_ns)) atomic_store(&sites->end_ns, end_ns);
  } else {
    if (!trylock_take(&sites->lock)) return RTOP_TRACE_WAITS;
    begin(sites, wish);
    trylock_release(&sites->lock);
  }
  atomic_fetch_or(&sites->wanted, 1u << slot);
  return sites_follow(sites);
}

static VALUE name_all(VALUE pointer)
{
  return sites_names_all((struct sites *)pointer) ? Qtrue : Qfalse;
}

/* Samples that are to be followed. They are put into the weak map after the lock was released, because adding to the
 * map may raise. */
struct followed {
  struct sites *sites;
  uint32_t count, places[SITES_PENDING_MAX];
  VALUE objects[SITES_PENDING_MAX];
};

static VALUE put_followed(VALUE pointer)
{
  const struct followed *followed = (const struct followed *)pointer;
  for (uint32_t i = 0; i < followed->count; i++)
    map_put(followed->sites->map, UINT2NUM(followed->places[i]), followed->objects[i]);
  return Qtrue;
}

/* Notes an object to follow. If its slot was already assigned in this job, the newer object replaces the older one. */
static void note_followed(struct followed *followed, uint32_t place, VALUE object, bool again)
{
  for (uint32_t i = 0; again && i < followed->count; i++)
    if (followed->places[i] == place) {
      followed->objects[i] = object;
      return;
    }
  followed->places[followed->count] = place;
  followed->objects[followed->count++] = object;
}

static void add_samples(struct sites *sites, struct followed *followed)
{
  struct sites_sums *sums = &sites->sums;
  uint32_t follow_every = sums->follow_every;
  for (uint32_t i = 0; i < sites->count; i++) {
    const struct sites_pending *sample = &sites->pending[i];
    bool known = sample->node && sample->node != SITES_NONE;
    uint32_t site = known ? sites_sums_site(sums, sample->node) : 0;
    uint32_t place = sites_sums_sample(sums, site, sample->bytes, sites->map && sample->may_follow);
    if (place != SITES_NONE) note_followed(followed, place, sample->object, sums->follow_every != follow_every);
  }
}

/* Returns the cost in ns of the hook in an interval: for all objects, and for the samples. */
static int64_t hook_cost_ns(const struct sites *sites, uint64_t objects)
{
  return sites->hook_ns + (sites->sums.looks ? (int64_t)((double)objects * sites->costs.object_ns) : 0);
}

/* Updates the cost per sample and the budget after an interval. */
static void pay(struct sites *sites, int64_t hook_ns, int64_t job_ns, uint32_t samples)
{
  double sample_ns = samples ? (double)(sites->hook_ns + job_ns) / samples : sites->costs.sample_ns;
  if (sample_ns > SAMPLE_COST_MOST_NS) sample_ns = SAMPLE_COST_MOST_NS;
  sites->costs.sample_ns += (sample_ns - sites->costs.sample_ns) / 10;
  atomic_fetch_add(&sites->own_ns, hook_ns + job_ns);
  sites_sums_cost(&sites->sums, hook_ns + job_ns, sites->pause_ns - sites->interval_ns, sites->costs.budget);
}

/* Ends an interval and adds its samples. Returns false when that is not possible now; the interval then continues. */
static bool close_interval(struct sites *sites)
{
  static struct followed followed; /* static, because it is large; used under the GVL */
  bool named = call_protected(name_all, sites);
  if (!named && ++sites->failures < FAILURES_MAX) return false;
  if (!trylock_take(&sites->lock)) return false;
  uint64_t objects = sites->at_pause - sites->at_begin;
  sites->failures = 0;
  followed.sites = sites;
  followed.count = 0;
  add_samples(sites, &followed);
  sites_sums_close(&sites->sums, objects, sites->pause_ns - sites->interval_ns, &sites->costs);
  trylock_release(&sites->lock);
  VALUE error = rb_errinfo();
  int raised = 0;
  if (followed.count) rb_protect(put_followed, (VALUE)&followed, &raised);
  if (raised) {
    rb_set_errinfo(error);
    sites->map = 0;
  }
  sites->count = 0;
  return true;
}

void sites_pause(struct sites *sites)
{
  if (atomic_load_explicit(&sites->state, memory_order_relaxed) != RTOP_SITES_ON) return;
  sites->left_paused = sites->left;
  sites->left = INT64_MAX;
  sites->paused = true;
  sites->pause_ns = clock_now_ns();
  sites->at_pause = objects_made(sites);
}

/* Resumes the interval, without the objects made during the pause. */
static void resume(struct sites *sites)
{
  sites->left = sites->left_paused;
  sites->paused = false;
  sites->at_begin += objects_made(sites) - sites->at_pause;
}

static void tell(struct sites *sites, bool unjudged)
{
  sites->unjudged = unjudged;
  sites->map = 0;
  atomic_store(&sites->state, RTOP_SITES_TELLING);
}

/* Ends sampling when its time is up, or the session ends. */
static void stop(struct sites *sites, int64_t now)
{
  remove_hook(sites);
  if (now < atomic_load(&sites->end_ns)) atomic_store(&sites->end_ns, now);
  sites->majors = major_gcs(sites);
  if (sites->map) atomic_store(&sites->state, RTOP_SITES_WAITS);
  else tell(sites, true);
}

static void sample_on(struct sites *sites)
{
  int64_t now = clock_now_ns(), begin_ns = clock_own_cpu_ns();
  if (!sites->paused) return;
  int64_t hook_ns = hook_cost_ns(sites, sites->at_pause - sites->at_begin);
  uint32_t samples = sites->count;
  if (!close_interval(sites)) {
    resume(sites);
    return;
  }
  pay(sites, hook_ns, sites->opening_ns + clock_own_cpu_ns() - begin_ns, samples);
  if (now >= atomic_load(&sites->end_ns)) stop(sites, now);
  else open_interval(sites);
}

static void judge_some(struct sites *sites)
{
  if (!trylock_take(&sites->lock)) return;
  struct sites_sums *sums = &sites->sums;
  uint32_t end = sites->judged + JUDGED_PER_JOB;
  for (; sites->judged < sums->followed_count && sites->judged < end; sites->judged++) {
    if (sums->followed[sites->judged].site == SITES_NONE) continue;
    VALUE object = map_at(sites->map, UINT2NUM(sites->judged));
    bool live = !RB_SPECIAL_CONST_P(object);
    sites_sums_judge(sums, sites->judged, live, live ? sites_names_bytes(object) : 0);
  }
  trylock_release(&sites->lock);
  if (sites->judged >= sums->followed_count) tell(sites, false);
}

/* Waits for a major GC that began after sampling ended and has finished marking. */
static void wait_for_gc(struct sites *sites)
{
  int64_t until_ns = atomic_load(&sites->end_ns) + RTOP_SITES_GC_SECONDS * CLOCK_NS_PER_SECOND;
  if (!sites->judges) sites->judges = major_gcs(sites) > sites->majors && !is_marking();
  if (sites->judges) judge_some(sites);
  else if (clock_now_ns() >= until_ns) tell(sites, true);
}

/* Drops all samples and sums, since no request is left that would read them. */
static void drop(struct sites *sites)
{
  remove_hook(sites);
  if (sites->ending || !trylock_take(&sites->lock)) return;
  sites->count = 0;
  sites->map = 0;
  atomic_store(&sites->state, 0);
  if (sites->pending) sites_sums_clear(&sites->sums);
  trylock_release(&sites->lock);
}

void sites_leave(struct sites *sites, int slot)
{
  atomic_fetch_and(&sites->wanted, ~(1u << slot));
  if (!atomic_load(&sites->wanted)) drop(sites);
}

void sites_job(struct sites *sites)
{
  int state = atomic_load_explicit(&sites->state, memory_order_relaxed);
  if (!state) return;
  if (!atomic_load(&sites->wanted)) drop(sites); /* The publisher had the lock when the last request ended. */
  else if (state == RTOP_SITES_ON) sample_on(sites);
  else if (state == RTOP_SITES_WAITS) wait_for_gc(sites);
}

void sites_end(struct sites *sites)
{
  sites->ending = true;
  sites_pause(sites);
  if (atomic_load(&sites->state) == RTOP_SITES_ON) {
    for (int i = 0; i < END_TRIES && !close_interval(sites); i++) sched_yield();
    stop(sites, clock_now_ns());
  }
  if (atomic_load(&sites->state) == RTOP_SITES_WAITS) tell(sites, true);
}

void sites_forget(struct sites *sites)
{
  remove_hook(sites);
  trylock_release(&sites->lock);
  sites->ending = false;
  sites->count = 0;
  sites->map = 0;
  atomic_store(&sites->wanted, 0);
  atomic_store(&sites->state, 0);
  if (sites->pending) sites_sums_clear(&sites->sums);
}
