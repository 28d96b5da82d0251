/* SPDX-License-Identifier: MIT */
/* Charges the time of a window to each thread's cells. Time that no sample covers yet is recorded as owed, and
 * corrected in a later window. */
#include "cut_threads.h"
#include "divide.h"
#include "opening.h"
#include "ext/base/trylock.h"
#include "ext/sampling/accounting.h"
#include "ext/sampling/fibers.h"
#include "shm/base/clock.h"

#include <assert.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define TAKEN_AFTER_NS (CLOCK_NS_PER_SECOND / 50)
/* A thread that uses less than 1/RESTS_SHARE of a core counts as resting. CPU time of the process that no thread
 * accounts for is ignored up to 1/UNTOLD_SHARE of the window. */
#define RESTS_SHARE 64
#define UNTOLD_SHARE 20
#define LOOK_MAX_NS (CLOCK_NS_PER_SECOND * 16 / 5)
#define LOOK_MAX_WINDOWS 32
#define NAMES_WITHIN_NS (2 * CLOCK_NS_PER_SECOND)

/* The division of each pool in the window being built. The array is static, since there is only one publisher. */
static struct division divisions[POOLS_MAX];
static uint32_t divide_random;

static struct thread_data *thread_at(const struct cut *cut, uint32_t index)
{
  return atomic_load_explicit(&cut->sampler->threads.table[index], memory_order_acquire);
}

static uint32_t high(const struct cut *cut)
{
  return atomic_load_explicit(&cut->sampler->threads.high, memory_order_acquire);
}

/* Decides whether this is the thread's last window. It is not the last one while a stack of the thread still waits for
 * its names, for a limited time. Decides under the lock, since the job that names stacks reads last_window under the
 * same lock. */
static void note_unless_noted(struct cut *cut, struct thread_data *data, int64_t end_ns)
{
  struct sampler *sampler = cut->sampler;
  while (!trylock_take_as(&sampler->lock, TRYLOCK_PUBLISHER)) sched_yield();
  data->last_window = end_ns - data->end_ns > NAMES_WITHIN_NS || !noted_has(&sampler->frames.noted, data->serial);
  trylock_release(&sampler->lock);
}

void cut_threads_note_ended(struct cut *cut, int64_t end_ns)
{
  bool any_noted = atomic_load(&cut->sampler->frames.noted.count) > 0;
  uint64_t ends = atomic_load_explicit(&cut->sampler->threads.ends, memory_order_acquire);
  if (ends == cut->ends && !cut->ends_open) return;
  cut->ends = ends;
  cut->ends_open = false;
  for (uint32_t index = 0; index < high(cut); index++) {
    struct thread_data *data = thread_at(cut, index);
    if (!data || !atomic_load_explicit(&data->ended, memory_order_acquire)) continue;
    if (data->end_ns <= end_ns && any_noted) note_unless_noted(cut, data, end_ns);
    else if (data->end_ns <= end_ns) data->last_window = true;
    cut->ends_open = cut->ends_open || !data->last_window;
  }
}

/* ---- threads in the segment -------------------------------------------------------------------- */

/* Reads the kernel's name of the thread, used until Ruby code sets a name. Ruby stores the location of the thread's
 * block in the kernel's name. */
static size_t kernel_name(uint32_t native_id, char name[THREADS_NAME_MAX])
{
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%u/comm", native_id);
  size_t count = opening_read_file(path, name, THREADS_NAME_MAX);
  return count > 0 && name[count - 1] == '\n' ? count - 1 : count;
}

static size_t current_name(const struct thread_data *data, uint32_t native_id, char *name)
{
  size_t count = data->name_bytes;
  if (count > 0 && count <= THREADS_NAME_MAX) {
    memcpy(name, data->name, count);
    return count;
  }
  if (data->is_main) {
    static const char main_name[] = { 'm', 'a', 'i', 'n' };
    memcpy(name, main_name, sizeof main_name);
    return sizeof main_name;
  }
  return native_id ? kernel_name(native_id, name) : 0;
}

static void publish_thread(struct cut *cut, struct thread_data *data)
{
  char name[THREADS_NAME_MAX];
  uint32_t native_id = atomic_load_explicit(&data->native_id, memory_order_acquire);
  uint64_t version = atomic_load_explicit(&data->name_version, memory_order_acquire);
  if (data->in_segment && version == data->name_published && native_id == data->native_published) return;
  size_t bytes = current_name(data, native_id, name);
  if (!data->in_segment) {
    data->slot = rtop_writer_thread_start(cut->writer, data->serial, native_id, data->start_ns,
                                          data->is_main ? RTOP_THREAD_MAIN : 0, name, bytes);
    data->in_segment = true;
  } else {
    if (native_id != data->native_published)
      rtop_writer_thread_native_id(cut->writer, data->slot, data->serial, native_id);
    rtop_writer_thread_name(cut->writer, data->slot, data->serial, name, bytes);
  }
  data->name_published = version;
  data->native_published = native_id;
}

/* ---- time by state ------------------------------------------------------------------------------ */

enum { REST_AHEAD = 12 };
enum { READ_TRIES = 4000, YIELDS = 100, MOVE_TRIES = 16 };

/* Reads the thread's own total times by state up to end_ns, and its word at that time. Returns false when the thread
 * lost its core in the middle of a change of state and did not finish the change within READ_TRIES tries. */
static bool read_totals(struct thread_data *data, int64_t end_ns, int64_t total_ns[RTOP_STATE_COUNT], uint64_t *word)
{
  atomic_store_explicit(&data->floor_ns, end_ns, memory_order_seq_cst);
  atomic_thread_fence(memory_order_seq_cst);
  for (int tries = 0; tries < READ_TRIES; tries++) {
    uint32_t turn = atomic_load_explicit(&data->turn, memory_order_acquire);
    if (turn & 1) {
      if (tries < YIELDS) sched_yield();
      /* sleeps, since the thread needs a core before it can finish the change */
      else nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
      continue;
    }
    *word = atomic_load_explicit(&data->word, memory_order_acquire);
    bool passed = atomic_load_explicit(&data->boundary_ns, memory_order_relaxed) == end_ns;
    for (int i = 0; i < RTOP_STATE_COUNT; i++)
      total_ns[i] = atomic_load_explicit(passed ? &data->at_boundary_ns[i] : &data->total_ns[i], memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&data->turn, memory_order_relaxed) != turn) continue;
    int64_t since = threads_since_ns(*word);
    bool lives = !atomic_load_explicit(&data->ended, memory_order_acquire);
    if (!passed && since < end_ns && lives) total_ns[threads_state(*word)] += end_ns - since;
    return true;
  }
  return false;
}

/* Tells whether the CPU clock of a thread that stays off the GVL must be read now. A reading is a system call, and most
 * threads off the GVL sleep, so not every window reads it. */
static bool is_due(const struct cut *cut, struct thread_data *data, int64_t since_ns)
{
  struct clock_looks *looks = &data->looks;
  if (looks->stretch_ns != since_ns) *looks = (struct clock_looks){ .stretch_ns = since_ns, .last_ns = since_ns };
  return cut->cpu.look_at_all || cut->window.end_mono_ns >= looks->next_ns;
}

/* Plans the next reading: its distance doubles while the thread uses no CPU; a thread that computes is read in each
 * window. */
static void plan_look(struct clock_looks *looks, int64_t now_ns, int64_t used_ns)
{
  int64_t distance = now_ns - looks->last_ns;
  bool rests = used_ns < distance / RESTS_SHARE;
  if (distance > LOOK_MAX_NS / 2) distance = LOOK_MAX_NS / 2;
  looks->next_ns = rests ? now_ns + 2 * distance : now_ns;
  looks->last_ns = now_ns;
}

/* Takes the CPU time that a blocked thread used off the GVL since its clock was last read, at most `limit_ns`. The CPU
 * time of a short wait is only charged after the wait, since until then only the average of earlier waits is known. */
static int64_t take_blocked_cpu(struct cut *cut, struct thread_data *data, int64_t limit_ns)
{
  int64_t end = cut->window.end_mono_ns, since = atomic_load_explicit(&data->state_since_ns, memory_order_relaxed);
  if (end - since < TAKEN_AFTER_NS) return 0;
  if (!atomic_load_explicit(&data->native_id, memory_order_acquire) || data->native_shared) return 0;
  if (!is_due(cut, data, since)) return 0;
  int64_t taken = atomic_load_explicit(&data->cpu_taken_ns, memory_order_relaxed);
  int64_t used = clock_read_ns(data->cpu_clock) - atomic_load(&data->cpu_read_ns) - taken -
                 atomic_load_explicit(&data->cpu_unread_ns, memory_order_relaxed) -
                 atomic_load_explicit(&data->waits_expected_ns, memory_order_relaxed);
  plan_look(&data->looks, end, used);
  data->looks.unknown_ns = cut->cpu.unknown_ns;
  if (used <= 0) return 0;
  if (used > limit_ns) used = limit_ns;
  cut->cpu.off_gvl_ns += used;
  atomic_store_explicit(&data->cpu_taken_ns, taken + used, memory_order_relaxed);
  return used;
}

static void charge(struct thread_data *data, struct cells *cells, enum rtop_thread_state state, uint32_t node,
                   int64_t wall_ns, int64_t cpu_ns)
{
  struct rtop_cell cell = {
    .node = node,
    .thread = data->index,
    .state = state,
    .wall_ns = (uint64_t)wall_ns,
    .cpu_ns = (uint64_t)cpu_ns,
  };
  if (wall_ns > 0 && cells_add(cells, &cell)) data->charged_ns[state] += wall_ns;
}

static bool stack_is_known(const struct thread_data *data, enum rtop_thread_state state)
{
  return (state == RTOP_WAITING || state == RTOP_BLOCKED) &&
         atomic_load_explicit(&data->stack_known, memory_order_acquire);
}

/* Charges time off the GVL to the fibers on whose behalf the thread waits (fibers.h), and the remainder to this
 * node. */
static void charge_blocked(struct thread_data *data, struct cells *cells, const struct fibers_mix *mix, uint32_t node,
                           int64_t wall_ns, int64_t cpu_ns)
{
  int64_t wall_left = wall_ns, cpu_left = cpu_ns;
  for (uint32_t part = 0; part < mix->count; part++) {
    int64_t wall = fibers_share(mix, part, wall_ns), cpu = fibers_share(mix, part, cpu_ns);
    charge(data, cells, RTOP_BLOCKED, mix->parts[part].node, wall, cpu);
    wall_left -= wall;
    cpu_left -= cpu;
  }
  charge(data, cells, RTOP_BLOCKED, node, wall_left, cpu_left < wall_left ? cpu_left : wall_left);
}

static int64_t window_ns(const struct cut *cut)
{
  return cut->window.end_mono_ns - cut->window.start_mono_ns;
}

/* Charges a thread whose stack is known while it is off the GVL; its time up to the window's end then belongs to the
 * publisher. */
static bool charge_off_gvl(struct cut *cut, struct thread_data *data, struct cells *cells, uint64_t word)
{
  int64_t end = cut->window.end_mono_ns, length = end - threads_since_ns(word);
  enum rtop_thread_state state = threads_state(word);
  uint32_t node = atomic_load_explicit(&data->node, memory_order_acquire);
  struct fibers_mix mix;
  if (!fibers_mix(data, &mix)) mix.count = 0;
  if (!atomic_compare_exchange_strong(&data->word, &word, threads_pack(end, state))) return false;
  data->moved_ns[state] += length;
  data->slept_node = state == RTOP_BLOCKED && !mix.count && length == window_ns(cut) ? node : RTOP_NODE_ROOT;
  if (state != RTOP_WAITING) {
    charge_blocked(data, cells, &mix, node, length, state == RTOP_BLOCKED ? take_blocked_cpu(cut, data, length) : 0);
    return true;
  }
  charge(data, cells, state, node, length, 0);
  charge_blocked(data, cells, &mix, node, atomic_exchange_explicit(&data->off_blocked_ns, 0, memory_order_acquire), 0);
  return true;
}

/* Returns the time in this state, of this window and earlier ones, that is not covered by cells yet. */
static int64_t outstanding(const struct thread_data *data, unsigned state)
{
  return data->forgiven_ns[state] + data->owed_ns[state] + data->accrued_ns[state] - data->charged_ns[state];
}

/* Handles a thread that could not be read: takes the times of its cells as its times in this window. The next window
 * adds the remaining time. */
static void accrue_charged(struct thread_data *data)
{
  memset(data->accrued_ns, 0, sizeof data->accrued_ns);
  for (unsigned state = 0; state < RTOP_STATE_COUNT; state++) {
    int64_t left = outstanding(data, state);
    if (left >= 0) continue;
    data->accrued_ns[state] = -left;
    data->seen_ns[state] -= left;
  }
}

/* Finds how long the thread was in each state in this window. */
static uint64_t find_accrued(struct cut *cut, struct thread_data *data, struct cells *cells)
{
  int64_t end = cut->window.end_mono_ns, total[RTOP_STATE_COUNT];
  uint64_t word = 0;
  for (int tries = 0; tries < MOVE_TRIES; tries++) {
    if (!read_totals(data, end, total, &word)) break;
    for (int i = 0; i < RTOP_STATE_COUNT; i++) data->accrued_ns[i] = total[i] + data->moved_ns[i] - data->seen_ns[i];
    bool open = threads_since_ns(word) < end && !atomic_load_explicit(&data->ended, memory_order_acquire);
    if (!open || !stack_is_known(data, threads_state(word)) || charge_off_gvl(cut, data, cells, word)) {
      for (int i = 0; i < RTOP_STATE_COUNT; i++) data->seen_ns[i] += data->accrued_ns[i];
      return word;
    }
  }
  accrue_charged(data);
  return word;
}

/* ---- charging of lanes --------------------------------------------------------------------------- */

static int64_t take_at_most(_Atomic int64_t *from, int64_t limit_ns)
{
  int64_t there = atomic_load_explicit(from, memory_order_acquire), taken;
  do {
    taken = there < limit_ns ? there : limit_ns;
    if (taken <= 0) return 0;
  } while (
      !atomic_compare_exchange_weak_explicit(from, &there, there - taken, memory_order_acquire, memory_order_relaxed));
  return taken;
}

/* Charges part_ns of the time in the lane to the point's node, as far as it is outstanding. Returns the charged time in
 * ns. */
static int64_t charge_part(struct thread_data *data, struct cells *cells, enum rtop_thread_state state,
                           struct lane *lane, struct axis_point point, int64_t part_ns)
{
  int64_t left = outstanding(data, state), there = atomic_load_explicit(&lane->wall_ns, memory_order_acquire);
  double share = there > 0 && part_ns < there ? (double)part_ns / (double)there : 1;
  int64_t cpu = (int64_t)((double)atomic_load_explicit(&lane->cpu_ns, memory_order_relaxed) * share);
  int64_t blame = (int64_t)((double)atomic_load_explicit(&lane->blame_ns, memory_order_relaxed) * share);
  int64_t wall = take_at_most(&lane->wall_ns, part_ns < left ? part_ns : left);
  if (wall <= 0) return 0;
  int64_t waits = accounting_take_wait_cpu(lane, wall, axis_usual_cpu_ns(&point, wall));
  struct rtop_cell cell = {
    .node = point.node,
    .thread = data->index,
    .state = state,
    .wall_ns = (uint64_t)wall,
    .cpu_ns = (uint64_t)(waits < 0 ? take_at_most(&lane->cpu_ns, cpu < wall ? cpu : wall) : waits),
    .blame_ns = (uint64_t)take_at_most(&lane->blame_ns, blame),
  };
  if (cells_add(cells, &cell)) data->charged_ns[state] += wall;
  return wall;
}

static void charge_lane(struct thread_data *data, struct cells *cells, enum rtop_thread_state state, struct lane *lane,
                        struct axis_point point)
{
  charge_part(data, cells, state, lane, point, INT64_MAX);
}

static struct pool *pool_of(const struct cut *cut, const struct thread_data *data)
{
  return &cut->sampler->pools.entries[atomic_load_explicit(&data->pool, memory_order_relaxed)];
}

static void settle_lane(struct thread_data *data, struct cells *cells, enum rtop_thread_state state, struct lane *lane,
                        struct axis *axis)
{
  struct axis_point point;
  if (atomic_load_explicit(&lane->wall_ns, memory_order_relaxed) <= 0) return;
  uint64_t epoch = atomic_load_explicit(&lane->epoch, memory_order_acquire);
  if (!axis_at(axis, epoch, &point)) return;
  /* The lane is charged only if its epoch is unchanged: the thread may have settled the lane meanwhile and put new time
   * into it. */
  if (atomic_load_explicit(&lane->epoch, memory_order_acquire) == epoch) charge_lane(data, cells, state, lane, point);
}

static struct axis_point at_node(uint32_t node)
{
  return (struct axis_point){ .node = node };
}

/* Divides the running time of ended stretches in a lane by the points of its stratum. */
static void divide_lane(struct cut *cut, struct thread_data *data, struct cells *cells, uint32_t stratum)
{
  struct division *division = &divisions[atomic_load_explicit(&data->pool, memory_order_relaxed)];
  struct lane *lane = &data->strata[stratum];
  int64_t left = atomic_load_explicit(&lane->wall_ns, memory_order_relaxed), most = outstanding(data, RTOP_RUNNING);
  if (left > most) left = most;
  while (left > 0) {
    uint32_t node;
    int64_t part = divide_next(division, stratum, data->index, left, &node);
    if (!part || !charge_part(data, cells, RTOP_RUNNING, lane, at_node(node), part)) return;
    left -= part;
  }
}

/* Charges time in the thread's lanes whose point has been sampled since the thread last charged it. */
static void settle(struct cut *cut, struct thread_data *data, struct cells *cells)
{
  struct pool *pool = pool_of(cut, data);
  for (int state = 0; state < RTOP_STATE_COUNT; state++)
    if (state != RTOP_RUNNING)
      settle_lane(data, cells, (enum rtop_thread_state)state, &data->lanes[state], &pool->axes[state]);
  for (uint32_t stratum = 0; stratum < STRATA_SHORT; stratum++) divide_lane(cut, data, cells, stratum);
  settle_lane(data, cells, RTOP_RUNNING, &data->strata[STRATA_SHORT], &pool->strata.short_axis);
}

static uint32_t last_point(struct axis *axis)
{
  uint64_t epoch = axis_epoch(axis);
  uint32_t node = RTOP_NODE_UNSAMPLED;
  if (epoch > 0) axis_node(axis, epoch - 1, &node);
  return node;
}

/* Divides time that has long waited in a stratum without points by all points of the pool. */
static void collapse_strata(struct pool *pool, const struct divide_pool *ends, struct division *division,
                            uint32_t windows)
{
  uint32_t last = last_point(&pool->axes[RTOP_RUNNING]);
  for (uint32_t stratum = 0; stratum < STRATA_SHORT; stratum++) {
    bool knows = divide_knows(division, stratum), off_core = stratum >= STRATA_KINDS;
    uint32_t unmet = strata_divided(&pool->strata, stratum, ends->waiting_ns[stratum], knows, windows);
    if (unmet == 0 || (!off_core && strata_waits(&pool->strata, stratum, ends->period_ns))) continue;
    divide_collapse(division, ends, stratum, last == RTOP_NODE_UNSAMPLED ? 0 : last);
    if (divide_knows(division, stratum)) strata_collapsed(&pool->strata, stratum);
  }
}

static int64_t lane_ns(void *cut, uint32_t thread, uint32_t stratum)
{
  struct thread_data *data = thread_at(cut, thread);
  return data ? atomic_load_explicit(&data->strata[stratum].wall_ns, memory_order_relaxed) : 0;
}

/* Ends the window of a pool. Copies its points under the lock, which is held only for the copy, so that application
 * threads do not miss it. */
static void end_pool(struct cut *cut, struct pool *pool, struct division *division)
{
  static struct points points;
  struct sampler *sampler = cut->sampler;
  struct divide_pool ends = {
    .points = &points,
    .last = &pool->last,
    .window = atomic_load_explicit(&pool->strata.windows, memory_order_relaxed),
    .period_ns = atomic_load_explicit(&sampler->period_ns, memory_order_relaxed),
  };
  while (!trylock_take_as(&sampler->lock, TRYLOCK_PUBLISHER)) sched_yield();
  points_take(&pool->points, &points);
  trylock_release(&sampler->lock);
  strata_take_waiting(&pool->strata, ends.waiting_ns);
  divide_window(division, &ends, &divide_random);
  int64_t length = cut->window.end_mono_ns - cut->window.start_mono_ns;
  collapse_strata(pool, &ends, division, cut->windows);
  divide_own(division, lane_ns, cut);
  points_remember(&pool->last, &points, ends.window);
  points_forget(&pool->last, strata_window_ends(&pool->strata, length, ends.period_ns, cut->windows));
}

static bool divides(const struct division *division)
{
  bool any = false;
  for (uint32_t stratum = 0; stratum < STRATA_SHORT; stratum++) any = any || divide_knows(division, stratum);
  return any;
}

static_assert(POOLS_MAX <= 64, "a bit for each");

/* Ends the window of all pools: decides which kinds have a stratum of their own, and how the time of each stratum is
 * divided. */
static void end_strata(struct cut *cut)
{
  struct pools *pools = &cut->sampler->pools;
  if (!divide_random) divide_random = (uint32_t)cut->window.end_mono_ns | 1;
  cut->rests.divided = 0;
  for (int i = 0; i < POOLS_MAX; i++) {
    if (i > 0 && !atomic_load_explicit(&pools->entries[i].key, memory_order_relaxed)) return;
    end_pool(cut, &pools->entries[i], &divisions[i]);
    cut->rests.divided |= (uint64_t)divides(&divisions[i]) << i;
  }
}

/* Returns the node that was last sampled in the pool while it ran; if there is none, the node last sampled with the GVL
 * but without a core. */
static uint32_t last_met_in(struct pool *pool)
{
  static const unsigned aside[] = { STRATA_VOLUNTARY, STRATA_PREEMPTED };
  uint32_t node = last_point(&pool->axes[RTOP_RUNNING]);
  for (size_t i = 0; i < sizeof aside / sizeof *aside && node == RTOP_NODE_UNSAMPLED; i++) {
    uint32_t met = strata_met_lately(&pool->strata, aside[i]);
    if (met) node = met;
  }
  return node;
}

/* Charges time that will not reach a point any more to the last point of its stratum, or else of the pool. That point
 * was placed as independently of the program as the next point would have been. */
static void charge_rest(struct cut *cut, struct thread_data *data, struct cells *cells)
{
  struct sampler *sampler = cut->sampler;
  struct pool *pool = pool_of(cut, data);
  uint32_t last_met = last_met_in(pool);
  for (uint32_t stratum = 0; stratum < STRATA_COUNT; stratum++) {
    uint32_t lately = strata_met_lately(&pool->strata, stratum);
    charge_lane(data, cells, RTOP_RUNNING, &data->strata[stratum], at_node(lately ? lately : last_met));
  }
  charge_lane(data, cells, RTOP_RUNNING, &data->behind, at_node(last_met));
  for (unsigned state = 0; state < RTOP_STATE_COUNT; state++) {
    struct lane *lane = &data->lanes[state];
    int64_t left = outstanding(data, state);
    struct rtop_cell cell = {
      .node = last_point(&pool->axes[state]),
      .thread = data->index,
      .state = (uint32_t)state,
      .wall_ns = left > 0 ? (uint64_t)left : 0,
      .blame_ns = (uint64_t)atomic_exchange_explicit(&lane->blame_ns, 0, memory_order_relaxed),
    };
    cell.cpu_ns = (uint64_t)take_at_most(&lane->cpu_ns, (int64_t)cell.wall_ns);
    if ((cell.wall_ns || cell.blame_ns) && cells_add(cells, &cell)) data->charged_ns[state] += left > 0 ? left : 0;
  }
  struct rtop_cell shared = {
    .node = sampler->shared_node,
    .thread = data->index,
    .state = RTOP_RUNNING,
    .allocations = data->allocations,
  };
  if (shared.allocations) cells_add(cells, &shared);
  data->allocations = 0;
}

/* Charges the own work of the profiler on a thread that ended before it could charge this work. */
static void charge_own(struct cut *cut, struct thread_data *data, struct cells *cells)
{
  cut->rest_cost_ns += (uint64_t)data->own_cpu_ns;
  charge(data, cells, RTOP_RUNNING, cut->sampler->own_node, data->own_wall_ns, data->own_cpu_ns);
  data->own_wall_ns = data->own_cpu_ns = 0;
}

/* Charges own work of the profiler that did not fit into the previous window. */
static void charge_ahead(struct cut *cut, struct thread_data *data, struct cells *cells)
{
  charge(data, cells, RTOP_RUNNING, cut->sampler->own_node, data->ahead_wall_ns, data->ahead_cpu_ns);
  data->ahead_wall_ns = data->ahead_cpu_ns = 0;
}

static void add_releases(struct cut *cut, struct thread_data *data)
{
  uint64_t releases = atomic_load_explicit(&data->releases, memory_order_relaxed);
  uint64_t coarse = atomic_load_explicit(&data->coarse_releases, memory_order_relaxed);
  cut->releases += releases - data->releases_seen;
  cut->coarse_releases += coarse - data->coarse_releases_seen;
  data->releases_seen = releases;
  data->coarse_releases_seen = coarse;
}

static uint64_t positive(int64_t value)
{
  return value > 0 ? (uint64_t)value : 0;
}

/* Tells whether the row's `node` is not the stack of the stretch that is open now. */
static bool is_stale(const struct thread_data *data, enum rtop_thread_state state)
{
  if (state == RTOP_BLOCKED || state == RTOP_WAITING) return !stack_is_known(data, state);
  return atomic_load_explicit(&data->node_seen_ns, memory_order_relaxed) <
         atomic_load_explicit(&data->state_since_ns, memory_order_relaxed);
}

/* Returns the age of the thread's state at the end of the window, in ns. A state that began after this end gets the
 * smallest age. */
static int64_t state_age(const struct cut *cut, const struct thread_data *data)
{
  int64_t age = cut->window.end_mono_ns - atomic_load_explicit(&data->state_since_ns, memory_order_relaxed);
  return age > 0 ? age : 1;
}

static bool is_long_without_safepoint(const struct cut *cut, int64_t age_ns)
{
  int64_t period = atomic_load_explicit(&cut->sampler->period_ns, memory_order_relaxed);
  return age_ns > 3 * period && age_ns > (cut->window.end_mono_ns - cut->window.start_mono_ns) / 4;
}

static void describe(struct cut *cut, struct thread_data *data, struct rtop_window_thread *row, uint64_t word)
{
  int64_t end = cut->window.end_mono_ns;
  int64_t seen = end - atomic_load_explicit(&data->node_seen_ns, memory_order_relaxed);
  int64_t age = state_age(cut, data), unseen = seen < age ? seen : age;
  row->state_age_ns = (uint64_t)age;
  row->node = atomic_load_explicit(&data->node, memory_order_acquire);
  row->state = data->last_window ? RTOP_BLOCKED : threads_state(word);
  if (data->start_ns >= cut->window.start_mono_ns) row->flags |= RTOP_WINDOW_THREAD_STARTED;
  if (data->last_window) row->flags |= RTOP_WINDOW_THREAD_ENDED;
  else if (is_stale(data, row->state) || (row->state == RTOP_RUNNING && is_long_without_safepoint(cut, unseen)))
    row->flags |= RTOP_WINDOW_THREAD_STALE;
  row->stack_age_ns = positive(seen);
}

/* Returns the time with the GVL in this window. */
static int64_t on_gvl(const struct thread_data *data)
{
  return data->accrued_ns[RTOP_RUNNING] + data->accrued_ns[RTOP_MARKING] + data->accrued_ns[RTOP_SWEEPING];
}

static bool list_thread(struct cut *cut, struct thread_data *data, struct cells *cells, bool last)
{
  struct rtop_window_thread *row = rtop_window_add_thread(&cut->window);
  if (!row) return false;
  data->window_index = (uint32_t)cut->window.thread_count - 1;
  publish_thread(cut, data);
  add_releases(cut, data);
  *row = (struct rtop_window_thread){ .slot = data->slot, .serial = data->serial };
  data->slept_node = RTOP_NODE_ROOT;
  describe(cut, data, row, find_accrued(cut, data, cells));
  cut->cpu.on_gvl_ns += on_gvl(data);
  charge_ahead(cut, data, cells);
  settle(cut, data, cells);
  if (data->last_window) charge_own(cut, data, cells);
  if (data->last_window || last) charge_rest(cut, data, cells);
  if (data->last_window) rtop_writer_thread_end(cut->writer, data->slot, data->serial, data->end_ns);
  return true;
}

/* Compares the CPU time of the process with that of its threads. Native threads that are not Ruby's, and waits too
 * short for a reading, may use CPU all the time. Reading the clocks of all threads then finds nothing, so the distance
 * to the next such reading grows each time. */
void cut_threads_compare_cpu(struct cut *cut)
{
  struct cut_cpu *cpu = &cut->cpu;
  cpu->length_ns += cut->window.end_mono_ns - cut->window.start_mono_ns;
  cpu->publisher_ns += (int64_t)cut->window.counters[RTOP_COUNTER_PUBLISHER_CPU_NS];
  if (cpu->unread) return;
  int64_t told = cpu->on_gvl_ns + cpu->off_gvl_ns + cpu->publisher_ns;
  int64_t unknown = cpu->used_ns - cpu->off_gvl_ns - cpu->publisher_ns;
  if (unknown > 0) cpu->unknown_ns += unknown;
  bool untold = cpu->used_ns - told > cpu->length_ns / UNTOLD_SHARE;
  if (!untold) cpu->distance /= 2;
  else if (cpu->look_at_all)
    cpu->distance = cpu->distance < LOOK_MAX_WINDOWS / 2 ? 2 * cpu->distance + 1 : LOOK_MAX_WINDOWS;
  if (cpu->look_at_all || cpu->rest > cpu->distance) cpu->rest = cpu->distance;
  else if (cpu->rest) cpu->rest--;
  cpu->look_at_all = untold && !cpu->rest;
  cpu->on_gvl_ns = cpu->off_gvl_ns = cpu->publisher_ns = cpu->length_ns = 0;
}

void cut_threads_count_fibers(struct cut *cut)
{
  int64_t sum = -1;
  for (uint32_t index = 0; index < high(cut); index++) {
    const struct thread_data *data = cut_rest_of(&cut->rests, index) ? NULL : thread_at(cut, index);
    int64_t waiting = data && !data->last_window ? fibers_waiting(data) : -1;
    if (waiting >= 0) sum = (sum > 0 ? sum : 0) + waiting;
  }
  if (sum >= 0) rtop_window_set_counter(&cut->window, RTOP_COUNTER_FIBERS_WAITING, (uint64_t)sum);
}

/* Adds the waits of the thread's fibers to the window. Fibers whose name found no room in the segment are reported
 * without a name. */
static bool add_fibers(struct cut *cut, struct thread_data *data)
{
  struct fibers_row rows[FIBERS_GROUPS_MAX];
  const struct calltree *tree = &cut->sampler->tree;
  uint32_t count = fibers_rows(data, cut->window.end_mono_ns, rows);
  for (uint32_t i = 0; i < count; i++) {
    struct rtop_fibers *to = rtop_window_add_fibers(&cut->window);
    if (!to) return false;
    bool named = names_out_known(cut->names, tree, rows[i].name) == rows[i].name;
    *to = (struct rtop_fibers){
      .serial = data->serial,
      .name = named ? rows[i].name : RTOP_NODE_ROOT,
      .node = names_out_known(cut->names, tree, rows[i].node),
      .alive = data->last_window ? 0 : rows[i].alive,
      .waiting = data->last_window ? 0 : rows[i].waiting,
      .wait_ns = (uint64_t)rows[i].wait_ns,
      .longest_ns = (uint64_t)rows[i].longest_ns,
    };
  }
  return true;
}

bool cut_threads_add_fibers(struct cut *cut)
{
  for (uint32_t index = 0; index < high(cut); index++) {
    struct thread_data *data = thread_at(cut, index);
    if (data && !cut_rest_of(&cut->rests, index) && !add_fibers(cut, data)) return false;
  }
  return true;
}

void cut_threads_forget_slots(struct cut *cut)
{
  cut_rests_end_all(cut);
  for (uint32_t index = 0; index < high(cut); index++) {
    struct thread_data *data = thread_at(cut, index);
    if (data) data->in_segment = false;
  }
}

void cut_threads_end_slots(struct cut *cut, int64_t now_ns)
{
  for (uint32_t index = 0; index < high(cut); index++) {
    struct thread_data *data = thread_at(cut, index);
    if (data && data->in_segment) rtop_writer_thread_end(cut->writer, data->slot, data->serial, now_ns);
  }
  cut_threads_forget_slots(cut);
}

/* Prefetches the only cache line of a resting thread that will be read and written, while the threads with lower
 * indices are examined. */
static void fetch_ahead(const struct cut *cut, uint32_t index)
{
  if (index < high(cut) && cut_rest_of(&cut->rests, index)) __builtin_prefetch(thread_at(cut, index), 1);
}

/* Charges nothing while the hooks are off: the table then describes an earlier time. */
bool cut_threads_charge(struct cut *cut, struct cells *cells, bool last)
{
  if (!atomic_load(&cut->sampler->active) && !atomic_load(&cut->sampler->off_ns)) {
    cut_rests_end_all(cut);
    return true;
  }
  for (uint32_t index = 0; index < high(cut); index++) {
    struct thread_data *data = cut_rest_of(&cut->rests, index) ? NULL : thread_at(cut, index);
    if (data) memset(data->charged_ns, 0, sizeof data->charged_ns);
  }
  for (uint32_t i = 0; i < cells->count; i++) {
    struct thread_data *data = thread_at(cut, cells->entries[i].thread);
    if (data) cut_rest_end(&cut->rests, data); /* a stack of the thread was named meanwhile */
    if (data) data->charged_ns[cells->entries[i].state] += (int64_t)cells->entries[i].wall_ns;
  }
  end_strata(cut);
  for (uint32_t index = 0; index < high(cut); index++) {
    struct thread_data *data = thread_at(cut, index);
    struct cut_rest *rest = cut_rest_of(&cut->rests, index);
    fetch_ahead(cut, index + REST_AHEAD);
    if (!data && rest) rest->word = 0; /* the thread ended while the hooks were off */
    bool rests = data && rest && !last && cut_rest_goes_on(cut, data, rest);
    if (rests && !cut_rest_list(cut, rest)) return false;
    if (!data || rests) continue;
    cut_rest_end(&cut->rests, data);
    if (!list_thread(cut, data, cells, last)) return false;
  }
  return true;
}

/* ---- adding to the window ------------------------------------------------------------------------ */

static bool is_listed(const struct cut *cut, const struct thread_data *data)
{
  return data && data->window_index < cut->window.thread_count &&
         cut->window.threads[data->window_index].serial == data->serial;
}

static struct rtop_cell split_off(struct rtop_cell *cell, uint64_t wall_ns)
{
  struct rtop_cell part = *cell;
  double share = (double)wall_ns / (double)cell->wall_ns;
  part.wall_ns = wall_ns;
  if (wall_ns < cell->wall_ns) {
    part.cpu_ns = cells_cpu_of(cell, wall_ns);
    part.blame_ns = (uint64_t)((double)cell->blame_ns * share);
    part.allocations = part.samples = 0;
  }
  cell->wall_ns -= part.wall_ns;
  cell->cpu_ns -= part.cpu_ns;
  cell->blame_ns -= part.blame_ns;
  cell->allocations -= part.allocations;
  cell->samples -= part.samples;
  return part;
}

static_assert(RTOP_RUNNING == 0, "the other states follow it");

static struct owed *owed_of(struct thread_data *data, unsigned state)
{
  return state == RTOP_RUNNING ? data->owed_running : data->owed_off[state - 1];
}

static uint32_t owed_most(unsigned state)
{
  return state == RTOP_RUNNING ? THREADS_OWED_RUNNING_MAX : THREADS_OWED_MAX;
}

/* Uses a cell to repay owed time: earlier windows reported time of this thread and state as not sampled, and the cell
 * covers the oldest part of that time. Owed time whose record was dropped, because too many were open, stays reported
 * as not sampled; the cell shrinks by this time. */
static bool repay(struct cut *cut, struct thread_data *data, struct rtop_cell *cell)
{
  struct owed *owed = owed_of(data, cell->state);
  uint32_t *count = &data->owed_count[cell->state];
  int64_t *forgiven = &data->forgiven_ns[cell->state];
  if (*forgiven > 0 && cell->wall_ns > 0) {
    uint64_t wall = cell->wall_ns < (uint64_t)*forgiven ? cell->wall_ns : (uint64_t)*forgiven;
    split_off(cell, wall);
    *forgiven -= (int64_t)wall;
    data->charged_ns[cell->state] -= (int64_t)wall;
  }
  while (*count > 0 && cell->wall_ns > 0) {
    uint64_t wall = cell->wall_ns < (uint64_t)owed->wall_ns ? cell->wall_ns : (uint64_t)owed->wall_ns;
    struct rtop_late *late = rtop_window_add_late(&cut->window);
    if (!late) return false;
    *late = (struct rtop_late){ .start_mono_ns = owed->start_ns, .cell = split_off(cell, wall) };
    late->cell.thread = data->window_index;
    owed->start_ns += (int64_t)wall;
    owed->wall_ns -= (int64_t)wall;
    data->owed_ns[cell->state] -= (int64_t)wall;
    data->charged_ns[cell->state] -= (int64_t)wall;
    if (owed->wall_ns > 0) continue;
    memmove(owed, owed + 1, --*count * sizeof *owed);
  }
  return true;
}

static void join(struct rtop_cell *cell, const struct rtop_cell *part)
{
  cell->wall_ns += part->wall_ns;
  cell->cpu_ns += part->cpu_ns;
  cell->blame_ns += part->blame_ns;
  cell->allocations += part->allocations;
  cell->samples += part->samples;
}

/* Like repay(), but the time in which the thread slept through the window repays nothing, since it belongs to this
 * window as a whole. If it repaid what another stretch owes, that debt would move on from window to window for as long
 * as the thread sleeps. */
static bool repay_awake(struct cut *cut, struct thread_data *data, struct rtop_cell *cell, bool slept)
{
  uint64_t length = (uint64_t)window_ns(cut);
  struct rtop_cell sleep = { 0 };
  if (slept) sleep = split_off(cell, cell->wall_ns < length ? cell->wall_ns : length);
  bool fine = repay(cut, data, cell);
  join(cell, &sleep);
  return fine;
}

/* Records that this window owes the time, to be corrected by a later window; the time is assumed to lie at the window's
 * end. */
static void owe(struct cut *cut, struct thread_data *data, int state, int64_t wall_ns)
{
  struct owed *owed = owed_of(data, (unsigned)state);
  uint32_t *count = &data->owed_count[state];
  int64_t start = cut->window.end_mono_ns - wall_ns;
  struct owed *newest = *count ? &owed[*count - 1] : NULL;
  data->owed_ns[state] += wall_ns;
  if (newest && newest->start_ns + newest->wall_ns == start) {
    newest->wall_ns += wall_ns;
    return;
  }
  if (*count == owed_most((unsigned)state)) {
    data->forgiven_ns[state] += owed[0].wall_ns;
    data->owed_ns[state] -= owed[0].wall_ns;
    memmove(owed, owed + 1, --*count * sizeof *owed);
  }
  owed[(*count)++] = (struct owed){ .start_ns = start, .wall_ns = wall_ns };
}

static bool add_unsampled(struct cut *cut, struct thread_data *data)
{
  for (int state = 0; state < RTOP_STATE_COUNT; state++) {
    int64_t left = data->accrued_ns[state] - data->charged_ns[state];
    if (left <= 0) continue;
    struct rtop_cell *cell = rtop_window_add_cell(&cut->window);
    if (!cell) return false;
    *cell = (struct rtop_cell){
      .node = RTOP_NODE_UNSAMPLED,
      .thread = data->window_index,
      .state = (uint32_t)state,
      .wall_ns = (uint64_t)left,
    };
    owe(cut, data, state, left);
  }
  return true;
}

/* Handles a cell of own work with more time than the window has. Own work is charged a window or two late, and a late
 * record for each piece would be costly, so only the surplus is moved. If no time is owed, a sample during own work
 * charged all of the time already; the surplus is then kept for the next window. */
static bool repay_surplus(struct cut *cut, struct thread_data *data, struct rtop_cell *cell)
{
  int64_t surplus = data->charged_ns[cell->state] - data->accrued_ns[cell->state];
  if (surplus <= 0 || !cell->wall_ns) return true;
  struct rtop_cell early = split_off(cell, (uint64_t)surplus < cell->wall_ns ? (uint64_t)surplus : cell->wall_ns);
  if (!repay(cut, data, &early)) return false;
  data->charged_ns[cell->state] -= (int64_t)early.wall_ns;
  data->ahead_wall_ns += (int64_t)early.wall_ns;
  data->ahead_cpu_ns += (int64_t)early.cpu_ns;
  return true;
}

/* Adds a cell to the window. Cells refer to threads by registry index; the window refers to them by position in its own
 * list. */
static bool add_cell(struct cut *cut, struct rtop_cell rest, bool own)
{
  struct thread_data *data = thread_at(cut, rest.thread);
  bool slept = data && rest.state == RTOP_BLOCKED && rest.wall_ns && rest.node == data->slept_node;
  rest.node = names_out_known(cut->names, &cut->sampler->tree, rest.node);
  if ((rest.node == cut->sampler->own_node) != own || !is_listed(cut, data)) return true;
  if (!(own ? repay_surplus(cut, data, &rest) : repay_awake(cut, data, &rest, slept))) return false;
  if (!rest.wall_ns && !rest.samples && !rest.cpu_ns && !rest.allocations && !rest.blame_ns) return true;
  struct rtop_cell *cell = rtop_window_add_cell(&cut->window);
  if (!cell) return false;
  *cell = rest;
  cell->thread = data->window_index;
  return true;
}

bool cut_threads_add_cells(struct cut *cut, const struct cells *cells)
{
  for (uint32_t i = 0; i < cells->count; i++)
    if (!add_cell(cut, cells->entries[i], false)) return false;
  for (uint32_t i = 0; i < cells->count; i++)
    if (!add_cell(cut, cells->entries[i], true)) return false;
  for (uint32_t index = 0; index < high(cut); index++) {
    const struct cut_rest *rest = cut_rest_of(&cut->rests, index);
    struct thread_data *data = rest ? NULL : thread_at(cut, index);
    if (rest && !cut_rest_add_cell(cut, rest)) return false;
    if (!is_listed(cut, data)) continue;
    if (!add_unsampled(cut, data)) return false;
    cut_rest_consider(cut, data);
  }
  return true;
}

void cut_threads_update_nodes(struct cut *cut)
{
  for (size_t i = 0; i < cut->window.thread_count; i++) {
    struct rtop_window_thread *row = &cut->window.threads[i];
    row->node = names_out_known(cut->names, &cut->sampler->tree, row->node);
  }
}

void cut_threads_remove_ended(struct cut *cut)
{
  for (uint32_t index = 0; index < high(cut); index++) {
    struct thread_data *data = cut_rest_of(&cut->rests, index) ? NULL : thread_at(cut, index);
    if (data && data->last_window) threads_remove(&cut->sampler->threads, data);
  }
}
