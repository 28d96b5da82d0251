/* SPDX-License-Identifier: MIT */
/* The publisher's main loop: makes the segment, triggers samples, cuts windows, and shuts down. */
#include "publisher.h"

#include "cut.h"
#include "cut_exact.h"
#include "cut_threads.h"
#include "cut_sites.h"
#include "cut_whole.h"
#include "opening.h"
#include "own_cost.h"
#include "ext/base/short_slice.h"
#include "ext/base/trylock.h"
#include "ext/names/names_out.h"
#include "ext/sampling/governor.h"
#include "ext/estimate/instants.h"
#include "ext/sampling/marks_out.h"
#include "ext/sampling/tick_cost.h"
#include "shm/base/clock.h"
#include "shm/base/version.h"
#include "shm/channel/writer.h"
#include "shm/segment/snapshot.h"
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WINDOW_NS (CLOCK_NS_PER_SECOND / 10)
#define LAST_AHEAD_NS INT64_C(50000)
#define DISTANCE_MAX_NS (60 * CLOCK_NS_PER_SECOND)
#define DISTANCE_MIN_NS INT64_C(1000)
#define POINTS_PER_WINDOW 50
#define FRESH_MIN_NS (CLOCK_NS_PER_SECOND / 100)
#define FRESH_PER_THREAD_NS (CLOCK_NS_PER_SECOND / 500)
/* Budget for stacks off the GVL: a share of the whole budget, with an upper bound beyond which more stacks add no
 * accuracy. Unused budget is saved up for ten seconds. */
#define STACKS_OF_BUDGET 0.3
#define STACKS_SHARE_MAX 0.003
#define MAKERS_SHARE_OF_BUDGET 0.3
#define MAKERS_SHARE_MAX 0.003
#define MAKERS_LEAST 0.2 /* minimum, as a part of that share */
#define STACKS_SAVED_NS (10 * CLOCK_NS_PER_SECOND)
/* Readings per second of the CPU clock for waits. A reading costs 0.7 us, and more readings add no accuracy. */
#define WAITS_READ_PER_S 500
#define IDLE_AFTER_NS (CLOCK_NS_PER_SECOND / 20)
/* When no thread has had a GVL for LONG_AFTER_NS and there is no viewer, a window may be this long. A long window ends
 * where a merged window of one second ends. */
#define LONG_WINDOW_NS CLOCK_NS_PER_SECOND
#define LONG_AFTER_NS (2 * CLOCK_NS_PER_SECOND)
/* A wake-up that is at least this late is not caused by a busy core: the process or the machine was stopped. */
#define STOPPED_MIN_NS (CLOCK_NS_PER_SECOND / 10)
/* A segment that somebody removed (logind removes a user's segments when the user logs out) is made again:
 * SEGMENTS_IN_HAND times at once, and once more after each SEGMENT_EVERY_NS. */
#define SEGMENT_EVERY_NS (60 * CLOCK_NS_PER_SECOND)
/* Interval at which a parked publisher checks that its segment still exists. */
#define PARKED_LOOK_NS (10 * CLOCK_NS_PER_SECOND)

enum {
  WORD_TICKING = 0,
  WORD_IDLE = 1,
  WORD_STOP = 2,
  SCAN_THREADS_MAX = 256,
  SNAPSHOT_TRIES = 2000,
  SEGMENTS_IN_HAND = 30,
  REST_WINDOWS_MAX = 64,
  REST_WINDOW_NS = 1000,
  /* the exact figures may take 1/EXACT_OF_PAYLOAD of a window's payload, slightly less than rtop_window_encode()
   * allows */
  EXACT_OF_PAYLOAD = 5,
  SITES_OF_EXACT = 2 /* allocation sites may take 1/SITES_OF_EXACT of the room for exact figures */
};

/* State of the publisher's loop. */
struct loop {
  struct publisher *publisher;
  struct sampler *sampler;
  struct rtop_writer *writer;
  struct names_out names;
  struct marks_out marks;
  struct cut cut;
  struct governor governor;
  uint32_t wanted_hz;
  bool watched;
  bool lost;        /* whether the segment disappeared while nothing was written */
  bool long_window; /* the open window ends later than WINDOW_NS after its start, unless something happens */
  /* whether a long window must be interrupted regularly to check for viewers, since no wake-up reports them */
  bool polls;
  uint32_t futex_value; /* value of the control file's futex */
  struct instants instants;
  struct on_core_past on_core_past;
  int64_t next_cut_ns, active_ns;
  uint64_t served, points[RTOP_STATE_COUNT];
  int64_t tick_cost_ns, stacks_cost_ns;
  uint64_t makers_cost_ns;
  int64_t stopped_ns[2]; /* time in which the process was stopped: part in this window, and part in the next window */
};

void publisher_wake_slow(_Atomic uint32_t *word)
{
  uint32_t idle = WORD_IDLE;
  if (atomic_compare_exchange_strong(word, &idle, WORD_TICKING))
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void set_writer(struct publisher *publisher, struct rtop_writer *writer)
{
  while (!trylock_take(&publisher->writer_lock)) sched_yield();
  publisher->writer = writer;
  trylock_release(&publisher->writer_lock);
}

void publisher_warn(struct publisher *publisher, const char *text)
{
  char line[512];
  if (atomic_exchange(&publisher->warned, true)) return;
  int count = snprintf(line, sizeof line, "rperf_top: %s; this process is not profiled\n", text);
  if (count > (int)sizeof line - 1) count = (int)sizeof line - 1;
  if (count > 0 && write(STDERR_FILENO, line, (size_t)count) < 0) return;
}

static void trigger(struct publisher *publisher)
{
  if (!trylock_take(&publisher->vm_lock)) return;
  rb_postponed_job_trigger(publisher->sampler->job);
  trylock_release(&publisher->vm_lock);
}

/* Returns the thread at this index if it has a GVL, else NULL. */
static const struct thread_data *on_gvl(struct sampler *sampler, uint32_t index)
{
  const struct thread_data *data = atomic_load_explicit(&sampler->threads.table[index], memory_order_acquire);
  if (!data) return NULL;
  enum rtop_thread_state state = threads_state(atomic_load_explicit(&data->word, memory_order_seq_cst));
  return state != RTOP_BLOCKED && state != RTOP_WAITING ? data : NULL;
}

/* Finds a thread that has a GVL. This is usually the last thread that got it; the other threads are checked if there
 * are few. */
static const struct thread_data *find_active(struct sampler *sampler)
{
  uint32_t high = atomic_load_explicit(&sampler->threads.high, memory_order_acquire);
  uint32_t last = atomic_load_explicit(&sampler->last_runner, memory_order_relaxed);
  const struct thread_data *active = last < high ? on_gvl(sampler, last) : NULL;
  for (uint32_t i = 0; !active && i < high && i < SCAN_THREADS_MAX; i++) active = on_gvl(sampler, i);
  return active;
}

/* Sleeps in a long window until the deadline, or until a thread gets the GVL or a viewer comes. If the kernel cannot
 * wait for all of these, sets loop->polls, so that the loop checks for viewers regularly. */
static void sleep_long(struct loop *loop, int64_t deadline_ns)
{
  struct publisher *publisher = loop->publisher;
  loop->polls = !rtop_writer_wait_either(loop->writer, loop->futex_value, &publisher->word, WORD_IDLE, deadline_ns);
}

/* Sleeps until the deadline. If idle, a thread that gets the GVL also wakes up the publisher, because RESUMED finds the
 * idle word. A thread that got the GVL before the word was set found another word, so this function checks for such a
 * thread. */
static void sleep_until(struct loop *loop, int64_t deadline_ns, bool idle)
{
  struct publisher *publisher = loop->publisher;
  uint32_t expected = WORD_TICKING;
  if (idle && !atomic_compare_exchange_strong(&publisher->word, &expected, WORD_IDLE)) return;
  atomic_thread_fence(memory_order_seq_cst);
  bool sees_viewers = idle && loop->long_window && !loop->polls;
  if (!idle || !find_active(loop->sampler)) {
    struct timespec deadline = {
      .tv_sec = (time_t)(deadline_ns / CLOCK_NS_PER_SECOND),
      .tv_nsec = (long)(deadline_ns % CLOCK_NS_PER_SECOND),
    };
    if (sees_viewers) sleep_long(loop, deadline_ns);
    else
      syscall(SYS_futex, &publisher->word, FUTEX_WAIT_BITSET_PRIVATE, idle ? WORD_IDLE : WORD_TICKING, &deadline, NULL,
              FUTEX_BITSET_MATCH_ANY);
  }
  expected = WORD_IDLE;
  if (idle) atomic_compare_exchange_strong(&publisher->word, &expected, WORD_TICKING);
}

static void set_rate(struct loop *loop, uint32_t rate_hz)
{
  atomic_store(&loop->sampler->period_ns, CLOCK_NS_PER_SECOND / (rate_hz ? rate_hz : 1));
}

static void begin_ticks(struct loop *loop, int64_t now)
{
  instants_begin(&loop->instants, now, atomic_load(&loop->sampler->period_ns));
}

/* Checks whether the thread that got the GVL last has a core. Does nothing in a storm of releases, in which the CPU
 * time of stretches is unknown. */
static struct on_core_look look_at_core(struct loop *loop)
{
  struct sampler *sampler = loop->sampler;
  if (atomic_load_explicit(&sampler->coarse, memory_order_relaxed)) {
    on_core_roam(&loop->on_core_past);
    return (struct on_core_look){ 0 };
  }
  uint32_t last = atomic_load_explicit(&sampler->last_runner, memory_order_relaxed);
  const struct thread_data *data = on_gvl(sampler, last);
  bool known = data && cpu_clock_usable() && atomic_load_explicit(&data->native_id, memory_order_acquire);
  if (!known || data->native_shared) return (struct on_core_look){ 0 };
  struct on_core_thread thread = {
    .number = data->serial,
    .clock = data->cpu_clock,
    .native_id = atomic_load_explicit(&data->native_id, memory_order_relaxed),
    .may_open = opening_try(),
  };
  struct on_core_look look = on_core_look(&loop->on_core_past, &thread);
  if (thread.may_open) opening_end();
  return look;
}

/* Tells whether no earlier instant of the thread still awaits its sample. An instant that fell between two stretches
 * never gets a sample. */
static bool none_open(struct sampler *sampler, const struct thread_data *data)
{
  int64_t since = atomic_load_explicit(&data->state_since_ns, memory_order_relaxed);
  return ticks_all_served(&sampler->ticks) ||
         atomic_load_explicit(&sampler->ticks.last_ns, memory_order_relaxed) <= since;
}

/* Handles a tick. The running thread is determined last, and the clock is read again, so that even the shortest
 * stretches do not end between the two. A wake-up that is later than usual often gets its core from a thread that just
 * entered a system call; such an instant is dropped. */
static void tick(struct loop *loop, int64_t now, bool woken)
{
  int64_t instant = instants_pass(&loop->instants, now, atomic_load(&loop->sampler->period_ns), woken);
  struct on_core_look look = { 0 };
  if (instant) look = look_at_core(loop);
  if (look.met == ON_CORE_UNKNOWN && instant < now) {
    loop->instants.missed++;
    instant = 0;
  }
  const struct thread_data *active = find_active(loop->sampler);
  if (active && instant) on_core_tell(&loop->sampler->on_core, &look, none_open(loop->sampler, active));
  if (instant == now) instant = now = clock_now_ns();
  atomic_store_explicit(&loop->sampler->coarse_ns, now, memory_order_release);
  if (!active) return;
  loop->active_ns = now;
  if (!instant) return;
  loop->served++;
  ticks_set(&loop->sampler->ticks, instant);
  trigger(loop->publisher);
}

static void tick_when_due(void *pointer)
{
  struct loop *loop = pointer;
  int64_t now = clock_now_ns();
  if (now >= loop->instants.next_ns) tick(loop, now, false);
}

static struct rtop_writer *make_writer(struct loop *loop, struct rtop_error *error)
{
  struct publisher *publisher = loop->publisher;
  struct rtop_writer_options options = {
    .ring_bytes = publisher->config.ring_bytes,
    .directory = publisher->config.directory,
    .runtime_directory = publisher->config.runtime_directory,
    .identity = { .window_ns = WINDOW_NS },
    .between = tick_when_due,
    .context = loop,
  };
  memcpy(options.identity.ruby_version, publisher->ruby_version, sizeof options.identity.ruby_version);
  memcpy(options.identity.command, publisher->command, sizeof options.identity.command);
  snprintf(options.identity.tool_version, sizeof options.identity.tool_version, "%s", RPERF_TOP_VERSION);
  return rtop_writer_create(&options, error);
}

static double stacks_share(const struct loop *loop)
{
  double share = loop->publisher->config.budget * STACKS_OF_BUDGET;
  return share < STACKS_SHARE_MAX ? share : STACKS_SHARE_MAX;
}

/* Adds a share of the time that passed to the budget of stacks off the GVL. */
static void refill(struct loop *loop, int64_t length_ns)
{
  double share = stacks_share(loop);
  int64_t more = (int64_t)(share * (double)length_ns), most = (int64_t)(share * (double)STACKS_SAVED_NS);
  int64_t credit = atomic_load(&loop->sampler->stack_credit_ns);
  if (more > most - credit) more = most - credit;
  atomic_fetch_add(&loop->sampler->stack_credit_ns, more);
}

/* Makes the channel such that a fork at any moment finds either no writer or a complete one. */
static bool open_channel(struct loop *loop)
{
  struct publisher *publisher = loop->publisher;
  struct rtop_error error;
  loop->writer = make_writer(loop, &error);
  if (!loop->writer) {
    publisher_warn(publisher, error.text);
    return false;
  }
  if (names_out_create(&loop->names, &loop->sampler->frames) != 0 ||
      marks_out_create(&loop->marks, &publisher->marks, loop->writer) != 0) {
    publisher_warn(publisher, "out of memory");
    names_out_destroy(&loop->names);
    rtop_writer_destroy(&loop->writer, false);
    return false;
  }
  set_writer(publisher, loop->writer);
  return true;
}

static bool begin(struct loop *loop, struct publisher *publisher)
{
  *loop = (struct loop){ .publisher = publisher, .sampler = publisher->sampler };
  cut_init(&loop->cut, loop->sampler);
  /* Making the segment takes some ms, so ticks begin first: one tick at once, and then the regular ones, which sample
   * the code that runs meanwhile. */
  set_rate(loop, publisher->config.record_hz);
  begin_ticks(loop, clock_now_ns());
  ticks_set(&loop->sampler->ticks, clock_now_ns());
  trigger(publisher);
  opening_begin();
  bool opened = open_channel(loop);
  opening_end();
  if (!opened) return false;
  loop->tick_cost_ns = tick_cost_ns();
  int64_t now = clock_now_ns();
  cut_open(&loop->cut, loop->writer, &loop->names, loop->sampler->start_ns);
  governor_init(&loop->governor, publisher->config.budget, publisher->config.record_hz, publisher->config.storm_per_s);
  refill(loop, STACKS_SAVED_NS);
  loop->next_cut_ns = cut_announce(&loop->cut, now + WINDOW_NS, WINDOW_NS);
  loop->active_ns = now;
  return true;
}

static void end(struct loop *loop)
{
  on_core_roam(&loop->on_core_past);
  opening_begin();
  set_writer(loop->publisher, NULL);
  cut_destroy(&loop->cut);
  marks_out_destroy(&loop->marks);
  names_out_destroy(&loop->names);
  uint64_t ending = atomic_load(&loop->publisher->ending);
  if (ending) rtop_writer_say_ending(loop->writer, ending);
  rtop_writer_destroy(&loop->writer, loop->publisher->config.keep);
  opening_end();
}

/* Returns the distance of points for the next window. The aim is that POINTS_PER_WINDOW stretches per window contain a
 * point; their number is inversely proportional to the distance. */
static int64_t next_distance(int64_t before_ns, int64_t taken)
{
  int64_t wanted = before_ns * taken / POINTS_PER_WINDOW;
  /* the distance grows at once and shrinks slowly */
  int64_t distance = wanted > before_ns ? wanted : (before_ns + wanted) / 2;
  if (distance > DISTANCE_MAX_NS) return DISTANCE_MAX_NS;
  return distance < DISTANCE_MIN_NS ? DISTANCE_MIN_NS : distance;
}

static void set_distances(struct loop *loop, uint32_t windows)
{
  struct sampler *sampler = loop->sampler;
  for (int state = 0; state < RTOP_STATE_COUNT; state++) {
    uint64_t points = atomic_load(&sampler->counters.points[state]);
    int64_t distance =
        next_distance(atomic_load(&sampler->distance_ns[state]), (int64_t)(points - loop->points[state]));
    for (uint32_t window = 1; window < windows; window++) distance = next_distance(distance, 0);
    atomic_store(&sampler->distance_ns[state], distance);
    loop->points[state] = points;
  }
  uint32_t threads = atomic_load_explicit(&sampler->threads.high, memory_order_relaxed);
  int64_t fresh = (int64_t)threads * FRESH_PER_THREAD_NS;
  atomic_store(&sampler->fresh_ns, fresh > FRESH_MIN_NS ? fresh : FRESH_MIN_NS);
}

static void set_waits_per_read(struct loop *loop, int64_t length_ns)
{
  if (length_ns <= 0) return;
  double releases_per_s = (double)loop->cut.window.counters[RTOP_COUNTER_GVL_RELEASES] * 1e9 / (double)length_ns;
  atomic_store(&loop->sampler->waits_per_read, (uint32_t)(releases_per_s / WAITS_READ_PER_S + 0.5));
}

/* Returns the wanted sampling rate: with a viewer the rate that it requests, else the rate for viewers; without a
 * viewer the recorder's rate; a profile may raise the result. 0: park. */
static uint32_t wanted_rate(struct loop *loop, uint32_t *futex_value)
{
  const struct config *config = &loop->publisher->config;
  struct rtop_request request;
  rtop_writer_request(loop->writer, &request, futex_value);
  uint32_t wanted = config->record_hz, profiles = atomic_load(&loop->publisher->profiles.hz);
  loop->watched = rtop_writer_watched(loop->writer);
  if (loop->watched) wanted = request.rate_hz ? request.rate_hz : config->watch_hz;
  return wanted > profiles ? wanted : profiles;
}

static void park(struct loop *loop)
{
  struct publisher *publisher = loop->publisher;
  on_core_roam(&loop->on_core_past);
  cut_threads_end_slots(&loop->cut, clock_now_ns());
  atomic_store(&publisher->wish, PUBLISHER_WISH_PARK);
  trigger(loop->publisher);
  bool woken = false;
  while (!woken && !loop->lost && !atomic_load(&publisher->stopping)) {
    woken = rtop_writer_wait(loop->writer, loop->futex_value, PARKED_LOOK_NS);
    loop->lost = !rtop_segment_intact(rtop_writer_segment(loop->writer));
  }
  work_drop(&loop->sampler->work);
  pairs_drop(&loop->sampler->pairs);
  atomic_store(&publisher->wish, PUBLISHER_WISH_RUN);
  trigger(publisher);
  int64_t now = clock_now_ns();
  begin_ticks(loop, now);
  loop->next_cut_ns = cut_announce(&loop->cut, now + WINDOW_NS, WINDOW_NS);
  loop->cut.start_ns = now; /* the time while parked is a gap */
  loop->cut.meant_long = false;
  refill(loop, STACKS_SAVED_NS);
}

/* Returns the cost of the samples of new objects since the previous window, in ns. */
static int64_t makers_cost(struct loop *loop)
{
  uint64_t total = atomic_load_explicit(&loop->sampler->counters.makers_ns, memory_order_relaxed);
  int64_t cost = (int64_t)(total - loop->makers_cost_ns);
  loop->makers_cost_ns = total;
  return cost;
}

/* Gives object samples the unused part of the budget, up to their own share, and at least a small minimum. A lower
 * sampling rate does not make object samples cheaper, so their cost must not lower the rate. */
static void set_makers_share(struct loop *loop)
{
  double budget = loop->publisher->config.budget, left = budget - loop->governor.average;
  double most = budget * MAKERS_SHARE_OF_BUDGET < MAKERS_SHARE_MAX ? budget * MAKERS_SHARE_OF_BUDGET : MAKERS_SHARE_MAX;
  double least = most * MAKERS_LEAST, share = left < least ? least : left < most ? left : most;
  atomic_store_explicit(&loop->sampler->makers_share_ppm, (uint32_t)((budget < 1 ? share : 1) * 1e6),
                        memory_order_relaxed);
}

/* Returns the measured cost of a window plus the estimated costs of ticks and releases, which are too small to be
 * measured. */
static int64_t whole_cost(struct loop *loop, int64_t length_ns)
{
  const uint64_t *counters = loop->cut.window.counters;
  int64_t cost = (int64_t)(counters[RTOP_COUNTER_COST_NS] + counters[RTOP_COUNTER_PUBLISHER_CPU_NS]);
  cost += own_cost_releases(counters, length_ns) + own_cost_raises(counters);
  cost += (int64_t)loop->served * loop->tick_cost_ns;
  loop->served = 0;
  return cost;
}

/* Returns the cost from which the rate is derived: the cost of sampling itself, plus other costs up to a quarter of the
 * budget. A lower rate makes hooks, and windows of many threads, no cheaper. Stacks off the GVL have a budget of their
 * own, which can be saved up. */
static int64_t governed_cost(const struct loop *loop, int64_t cost_ns, int64_t length_ns, int64_t stacks_ns)
{
  const uint64_t *counters = loop->cut.window.counters;
  int64_t rest = stacks_ns + (int64_t)counters[RTOP_COUNTER_PUBLISHER_CPU_NS] + own_cost_releases(counters, length_ns) +
                 own_cost_raises(counters);
  int64_t most = (int64_t)(loop->publisher->config.budget * (double)length_ns / 4);
  return rest > most ? cost_ns - rest + most : cost_ns;
}

/* Records the time in which the process was stopped: the timer was due at deadline_ns and fired at `now`. */
static void note_stop(struct loop *loop, int64_t deadline_ns, int64_t now)
{
  if (now - deadline_ns < STOPPED_MIN_NS) return;
  int64_t cut = loop->next_cut_ns;
  if (deadline_ns < cut) loop->stopped_ns[0] += (now < cut ? now : cut) - deadline_ns;
  if (now > cut) loop->stopped_ns[1] += now - (deadline_ns > cut ? deadline_ns : cut);
}

static void tell_stop(struct loop *loop)
{
  if (loop->stopped_ns[0])
    rtop_window_set_counter(&loop->cut.window, RTOP_COUNTER_STOPPED_NS, (uint64_t)loop->stopped_ns[0]);
  loop->stopped_ns[0] = loop->stopped_ns[1];
  loop->stopped_ns[1] = 0;
}

static size_t exact_room(const struct loop *loop)
{
  return rtop_writer_payload_bytes(loop->writer) / EXACT_OF_PAYLOAD;
}

static bool publish(struct loop *loop, int64_t end_ns, bool last)
{
  struct rtop_window *window = &loop->cut.window;
  struct tracing *tracing = loop->publisher->tracing;
  if (!cut_window(&loop->cut, end_ns, last) || !cut_exact_add(&loop->cut, tracing) ||
      !cut_whole_add(&loop->cut, &tracing->whole, exact_room(loop)) ||
      !cut_sites_add(&loop->cut, &tracing->sites, exact_room(loop) / SITES_OF_EXACT))
    return true;
  marks_out_update(&loop->marks, &loop->publisher->marks, loop->writer, window);
  rtop_window_set_counter(window, RTOP_COUNTER_TICKS, loop->instants.passed);
  uint64_t undecided = atomic_exchange_explicit(&loop->sampler->counters.undecided, 0, memory_order_relaxed);
  rtop_window_set_counter(window, RTOP_COUNTER_TICKS_MISSED, loop->instants.missed + undecided);
  rtop_window_set_counter(window, RTOP_COUNTER_RATE_HZ, loop->governor.rate_hz);
  rtop_window_set_counter(window, RTOP_COUNTER_RATE_WANTED_HZ, loop->wanted_hz);
  rtop_window_set_counter(window, RTOP_COUNTER_POINT_DISTANCE_NS,
                          (uint64_t)atomic_load(&loop->sampler->distance_ns[RTOP_BLOCKED]));
  loop->instants.passed = loop->instants.missed = 0;
  tell_stop(loop);
  int64_t length = window->end_mono_ns - window->start_mono_ns;
  int64_t cost = whole_cost(loop, length);
  int64_t traces = cut_exact_cost(&loop->cut, loop->publisher->tracing, loop->publisher->config.trace_budget) +
                   cut_sites_cost(&tracing->sites) + makers_cost(loop);
  /* no sampling rate reduces the cost of traces */
  rtop_window_set_counter(window, RTOP_COUNTER_WHOLE_COST_NS, (uint64_t)(cost + traces));
  bool storm = false;
  for (uint32_t i = 0; i < loop->cut.windows; i++)
    storm = governor_storm(&loop->governor, window->counters[RTOP_COUNTER_GVL_RELEASES], length);
  atomic_store_explicit(&loop->sampler->coarse, storm, memory_order_relaxed);
  profiles_add(&loop->publisher->profiles, window, loop->writer);
  if (rtop_writer_publish(loop->writer, window) == 0) return false;
  int64_t paid = atomic_load(&loop->sampler->stacks_cost_ns), stacks = paid - loop->stacks_cost_ns;
  int64_t governed = governed_cost(loop, cost, length, stacks);
  loop->stacks_cost_ns = paid;
  for (uint32_t i = 0; i < loop->cut.windows; i++) governor_update(&loop->governor, loop->wanted_hz, governed, length);
  set_rate(loop, loop->governor.rate_hz);
  set_makers_share(loop);
  set_distances(loop, loop->cut.windows);
  atomic_store(&loop->sampler->spared_ns, storm ? 0 : own_cost_spared(window->counters, length, stacks));
  set_waits_per_read(loop, length);
  refill(loop, length);
  return true;
}

static void follow_traces(struct loop *loop)
{
  struct rtop_trace_wish wishes[RTOP_TRACE_SLOTS];
  uint32_t wanted = loop->watched ? rtop_writer_traces(loop->writer, wishes) : 0;
  if (tracing_want(loop->publisher->tracing, wanted, wishes)) trigger(loop->publisher);
}

/* Checks for viewers, parks while no samples are wanted, and then sets the wanted rate. */
static void follow_wishes(struct loop *loop)
{
  uint32_t wanted = wanted_rate(loop, &loop->futex_value);
  follow_traces(loop);
  while (wanted == 0 && !loop->lost && !atomic_load(&loop->publisher->stopping)) {
    park(loop);
    wanted = wanted_rate(loop, &loop->futex_value);
    follow_traces(loop);
  }
  if (wanted == 0 || wanted == loop->wanted_hz) return;
  loop->wanted_hz = wanted;
  loop->governor.rate_hz = wanted;
  loop->governor.calm_windows = 0;
  set_rate(loop, wanted);
  begin_ticks(loop, clock_now_ns());
}

static void set_long(struct loop *loop, bool is_long)
{
  loop->long_window = is_long;
  atomic_store_explicit(&loop->publisher->long_window, is_long, memory_order_relaxed);
}

/* Tells whether the open window may be a long one. The previous window must have been quiet. A window with time in
 * which the process was stopped must end soon, since readers would not know when in the window this time was. */
static bool may_be_long(const struct loop *loop, int64_t now)
{
  return !loop->watched && !atomic_load(&loop->publisher->profiles.hz) && now - loop->active_ns > LONG_AFTER_NS &&
         !loop->stopped_ns[0] && cut_is_quiet(&loop->cut);
}

/* Returns the end of the long window that starts at start_ns: a whole number of usual windows later, near a multiple of
 * LONG_WINDOW_NS. */
static int64_t long_end(int64_t start_ns)
{
  int64_t left = LONG_WINDOW_NS - (start_ns + WINDOW_NS / 2) % LONG_WINDOW_NS;
  return start_ns + (left + WINDOW_NS - 1) / WINDOW_NS * WINDOW_NS;
}

/* Ends a long window soon because something happens, but not before a usual window would end. */
static void end_long(struct loop *loop)
{
  int64_t usual = loop->cut.start_ns + WINDOW_NS, soon = clock_now_ns() + LAST_AHEAD_NS;
  set_long(loop, false);
  loop->next_cut_ns = cut_announce(&loop->cut, usual > soon ? usual : soon, LAST_AHEAD_NS);
}

/* Cuts the window that is due, and begins the next one. Returns false when the segment is gone. */
static bool at_cut(struct loop *loop, int64_t now)
{
  atomic_store_explicit(&loop->sampler->coarse_ns, now, memory_order_release);
  trigger(loop->publisher); /* also for housekeeping, and to install or remove the hooks */
  if (!publish(loop, loop->next_cut_ns, false)) return false;
  loop->next_cut_ns += WINDOW_NS;
  follow_wishes(loop);
  now = clock_now_ns();
  if (loop->next_cut_ns < now + WINDOW_NS / 10) loop->next_cut_ns = now + WINDOW_NS;
  set_long(loop, may_be_long(loop, now));
  loop->cut.meant_long = loop->long_window;
  if (loop->long_window) loop->next_cut_ns = long_end(loop->next_cut_ns - WINDOW_NS);
  loop->next_cut_ns = cut_announce(&loop->cut, loop->next_cut_ns, WINDOW_NS);
  return true;
}

/* Cuts the window early because another thread waits for its end. Returns false when the segment is gone. */
static bool cut_early(struct loop *loop)
{
  struct publisher *publisher = loop->publisher;
  uint32_t asked = atomic_load(&publisher->cuts_asked);
  if (asked == atomic_load(&publisher->cuts_done)) return true;
  set_long(loop, false);
  int64_t end = cut_announce(&loop->cut, clock_now_ns() + LAST_AHEAD_NS, LAST_AHEAD_NS);
  while (clock_now_ns() <= end) sched_yield();
  if (!publish(loop, end, false)) return false;
  atomic_store(&publisher->cuts_done, asked);
  loop->cut.meant_long = false;
  follow_wishes(loop);
  loop->next_cut_ns = cut_announce(&loop->cut, clock_now_ns() + WINDOW_NS, WINDOW_NS);
  return true;
}

/* Publishes counts of all calls and allocation sites that did not fit into the last window, in short additional
 * windows. */
static void publish_rest(struct loop *loop)
{
  struct rtop_window *window = &loop->cut.window;
  struct tracing *tracing = loop->publisher->tracing;
  for (int i = 0; i < REST_WINDOWS_MAX && (cut_whole_rests(&tracing->whole) || cut_sites_rests(&tracing->sites)); i++) {
    rtop_window_reset(window);
    window->start_mono_ns = loop->cut.start_ns;
    window->end_mono_ns = loop->cut.start_ns += REST_WINDOW_NS;
    if (!cut_whole_add(&loop->cut, &tracing->whole, exact_room(loop)) ||
        !cut_sites_add(&loop->cut, &tracing->sites, exact_room(loop) / SITES_OF_EXACT) ||
        rtop_writer_publish(loop->writer, window) == 0)
      return;
  }
}

/* Publishes the last window. Its end, too, must be announced in advance. If the hooks are off, the window ends at the
 * time when they were removed. */
static void publish_last(struct loop *loop)
{
  int64_t off = atomic_load(&loop->sampler->off_ns);
  if (off) {
    if (off <= loop->cut.start_ns) return;
    cut_end_at(&loop->cut, off);
    publish(loop, off, true);
    publish_rest(loop);
    return;
  }
  int64_t end = cut_announce(&loop->cut, clock_now_ns() + LAST_AHEAD_NS, LAST_AHEAD_NS);
  while (clock_now_ns() <= end) sched_yield();
  publish(loop, end, true);
  publish_rest(loop);
}

/* Handles the end of an idle sleep. If the sleep ended before the deadline, a thread got a GVL. */
static void end_idle(struct loop *loop, int64_t deadline_ns)
{
  int64_t now = clock_now_ns();
  if (now < deadline_ns) loop->active_ns = now;
  instants_skip(&loop->instants, now, atomic_load(&loop->sampler->period_ns));
}

/* Sleeps until there is something to do. Ends a long window when a thread has got a GVL or a viewer has come. Where no
 * wake-up reports viewers, wakes up as often as in usual windows to check for them. */
static void rest(struct loop *loop, int64_t now, bool idle)
{
  int64_t next = idle || loop->instants.next_ns > loop->next_cut_ns ? loop->next_cut_ns : loop->instants.next_ns;
  int64_t deadline = loop->polls && next > now + WINDOW_NS ? now + WINDOW_NS : next;
  sleep_until(loop, deadline, idle);
  now = clock_now_ns();
  note_stop(loop, deadline, now);
  if (idle) end_idle(loop, deadline);
  if (!loop->long_window || now >= loop->next_cut_ns) return;
  if (!idle || now < deadline || rtop_writer_watched(loop->writer)) end_long(loop);
}

/* Runs until the publisher is told to stop. Returns false when the segment was removed or truncated. */
static bool run(struct loop *loop)
{
  struct publisher *publisher = loop->publisher;
  follow_wishes(loop);
  while (!atomic_load(&publisher->stopping)) {
    int64_t now = clock_now_ns();
    if (loop->lost) return false;
    if (!cut_early(loop)) return false;
    if (now >= loop->next_cut_ns && !at_cut(loop, now)) return false;
    if (now >= loop->instants.next_ns) tick(loop, now, true);
    bool idle = now - loop->active_ns > IDLE_AFTER_NS;
    if (idle) {
      /* no ticks follow while the loop is idle */
      atomic_store_explicit(&loop->sampler->coarse, false, memory_order_relaxed);
      on_core_roam(&loop->on_core_past);
    }
    rest(loop, now, idle);
  }
  if (loop->wanted_hz) publish_last(loop);
  return true;
}

/* Gives up profiling, when new segments are removed as fast as they are made. */
static void give_up(struct publisher *publisher)
{
  publisher_warn(publisher, "its segment is removed or truncated again and again");
  atomic_store(&publisher->failed, true);
  atomic_store(&publisher->sampler->active, false);
  atomic_store(&publisher->wish, PUBLISHER_WISH_PARK);
  trigger(publisher);
}

/* Number of segments that may be made again, as of since_ns. */
struct segments_left {
  int64_t count, since_ns;
};

static bool take_segment(struct segments_left *left)
{
  int64_t more = (clock_now_ns() - left->since_ns) / SEGMENT_EVERY_NS;
  left->since_ns += more * SEGMENT_EVERY_NS;
  left->count = left->count + more < SEGMENTS_IN_HAND ? left->count + more : SEGMENTS_IN_HAND;
  return left->count-- > 0;
}

static void *publisher_main(void *pointer)
{
  struct publisher *publisher = pointer;
  struct loop loop;
  bool again = true;
  /* Minimises this thread's timer slack; with the default, the kernel would delay its timer to coincide with other
   * timers. */
  prctl(PR_SET_TIMERSLACK, 1UL);
  short_slice_take();
  struct segments_left left = { .count = SEGMENTS_IN_HAND, .since_ns = clock_now_ns() };
  for (uint64_t segments = 0; again && take_segment(&left); segments++) {
    if (!begin(&loop, publisher)) break;
    rtop_writer_count_losses(loop.writer, &(struct rtop_losses){ .segments_lost = segments });
    again = !run(&loop);
    end(&loop);
  }
  if (again) give_up(publisher);
  atomic_store(&publisher->left, 1);
  syscall(SYS_futex, &publisher->left, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
  return NULL;
}

static int make_thread(struct publisher *publisher)
{
  sigset_t all, before;
  pthread_attr_t attributes;
  int failed = pthread_attr_init(&attributes);
  if (failed) return failed;
  pthread_attr_setstacksize(&attributes, 512 * 1024);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  failed = pthread_create(&publisher->thread, &attributes, publisher_main, publisher);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return failed;
}

int publisher_start(struct publisher *publisher)
{
  atomic_store(&publisher->word, WORD_TICKING);
  atomic_store(&publisher->stopping, false);
  atomic_store(&publisher->failed, false);
  atomic_store(&publisher->long_window, false);
  atomic_store(&publisher->left, 0);
  atomic_store(&publisher->wish, PUBLISHER_WISH_RUN);
  publisher->writer = NULL;
  trylock_release(&publisher->writer_lock);
  int failed = make_thread(publisher);
  publisher->started = failed == 0;
  if (!failed) pthread_setname_np(publisher->thread, "rperf-top");
  return failed;
}

void publisher_tell_to_stop(struct publisher *publisher)
{
  atomic_store(&publisher->stopping, true);
}

/* Wakes up the publisher, which may be asleep, or about to sleep, on its own word or on the word of the control
 * file. */
static void rouse(struct publisher *publisher)
{
  atomic_store(&publisher->word, WORD_STOP);
  syscall(SYS_futex, &publisher->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  if (!trylock_take(&publisher->writer_lock)) return;
  if (publisher->writer) rtop_writer_wake(publisher->writer);
  trylock_release(&publisher->writer_lock);
}

/* Wakes up the publisher, which then checks everything. The system calls are always made, since no variable shows
 * whether the publisher sleeps. */
void publisher_nudge(struct publisher *publisher)
{
  syscall(SYS_futex, &publisher->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  if (!trylock_take(&publisher->writer_lock)) return;
  if (publisher->writer) rtop_writer_wake(publisher->writer);
  trylock_release(&publisher->writer_lock);
}

uint32_t publisher_ask_cut(struct publisher *publisher)
{
  return atomic_fetch_add(&publisher->cuts_asked, 1) + 1;
}

bool publisher_wait_cut(struct publisher *publisher, uint32_t asked, int64_t deadline_ns)
{
  const struct timespec step = { .tv_nsec = 200000 };
  while ((int32_t)(atomic_load(&publisher->cuts_done) - asked) < 0) {
    bool there = atomic_load(&publisher->started) && !atomic_load(&publisher->left) && !atomic_load(&publisher->failed);
    if (!there || clock_now_ns() >= deadline_ns) return false;
    publisher_nudge(publisher);
    nanosleep(&step, NULL);
  }
  return true;
}

void publisher_wait(struct publisher *publisher, int64_t deadline_ns, const _Atomic bool *enough)
{
  struct timespec step = { .tv_nsec = 1000000 };
  while (atomic_load(&publisher->started) && !atomic_load(&publisher->left)) {
    if ((enough && atomic_load(enough)) || clock_now_ns() >= deadline_ns) return;
    rouse(publisher);
    syscall(SYS_futex, &publisher->left, FUTEX_WAIT_PRIVATE, 0, &step, NULL, 0);
  }
}

bool publisher_reap(struct publisher *publisher)
{
  if (!publisher->started) return true;
  bool left = atomic_load(&publisher->left);
  if (!left && !publisher->alone)
    while (!trylock_take(&publisher->vm_lock)) sched_yield();
  publisher->alone = !left;
  if (!left) return false;
  pthread_join(publisher->thread, NULL);
  trylock_release(&publisher->vm_lock);
  publisher->started = false;
  return true;
}

void publisher_abandon(struct publisher *publisher)
{
  if (publisher->writer) rtop_writer_abandon(&publisher->writer);
  publisher->started = publisher->alone = false;
  trylock_release(&publisher->vm_lock);
}

/* Takes the lock that keeps the writer alive. While a segment is being made, waits for a limited time, since a fork may
 * have left the lock locked. */
static bool hold_writer(struct publisher *publisher, struct rtop_error *error)
{
  for (int tries = 0; tries < SNAPSHOT_TRIES && atomic_load(&publisher->started); tries++) {
    if (trylock_take(&publisher->writer_lock)) {
      if (publisher->writer) return true;
      trylock_release(&publisher->writer_lock);
    }
    if (atomic_load(&publisher->failed)) break;
    nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
  }
  rtop_error_set(error, RTOP_ERROR_NOT_FOUND, 0, "nothing is recorded");
  return false;
}

/* Ends a long window, so that its data are in the snapshot, which then lacks only the latest WINDOW_NS at most. */
static void end_long_for_snapshot(struct publisher *publisher)
{
  if (!atomic_load_explicit(&publisher->long_window, memory_order_relaxed)) return;
  publisher_wait_cut(publisher, publisher_ask_cut(publisher), clock_now_ns() + WINDOW_NS);
}

static void *take_snapshot(struct publisher *publisher, size_t *bytes, struct rtop_error *error)
{
  end_long_for_snapshot(publisher);
  if (!hold_writer(publisher, error)) return NULL;
  const struct rtop_segment *segment = rtop_writer_segment(publisher->writer);
  *bytes = segment->bytes;
  void *image = malloc(*bytes);
  if (!image) rtop_error_set(error, RTOP_ERROR_SYSTEM, ENOMEM, "no memory for a copy of the segment");
  if (image && rtop_snapshot_take(segment, image, error) != 0) {
    free(image);
    image = NULL;
  }
  trylock_release(&publisher->writer_lock);
  return image;
}

int publisher_snapshot(struct publisher *publisher, const char *path, struct rtop_error *error)
{
  size_t bytes = 0;
  void *image = take_snapshot(publisher, &bytes, error);
  if (!image) return -1;
  int result = rtop_snapshot_save(image, bytes, path, error);
  free(image);
  return result;
}
