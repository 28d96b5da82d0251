/* SPDX-License-Identifier: MIT */
/* Moves time from states to stacks: handles lanes, points, CPU time, and the profiler's own work. */
#include "accounting.h"

#include "fibers.h"
#include "stacks.h"
#include "ext/base/trylock.h"
#include "shm/base/clock.h"

#define OWN_CPU_MAX_NS INT64_C(200000)
#define OWN_AT_ONCE_NS INT64_C(100000)
enum { WAITS_SHARE_OWED = 8 };
#define WAITS_EVEN_NS (10 * CLOCK_NS_PER_SECOND)

static int64_t at_most(int64_t value, int64_t limit)
{
  return value < limit ? value : limit;
}

static void add_relaxed(_Atomic int64_t *sum, int64_t more)
{
  atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + more, memory_order_relaxed);
}

/* ---- exact: time by state ------------------------------------------------------------------------- */

/* Stores the totals as of the announced end of the open window. Called for the first stretch that ends after this
 * window end. */
static void note_boundary(struct thread_data *data, enum rtop_thread_state state, int64_t since_ns, int64_t boundary_ns)
{
  for (int i = 0; i < RTOP_STATE_COUNT; i++) {
    int64_t total = atomic_load_explicit(&data->total_ns[i], memory_order_relaxed);
    if (i == (int)state && boundary_ns > since_ns) total += boundary_ns - since_ns;
    atomic_store_explicit(&data->at_boundary_ns[i], total, memory_order_relaxed);
  }
  atomic_store_explicit(&data->boundary_ns, boundary_ns, memory_order_relaxed);
}

int64_t accounting_move(struct sampler *sampler, struct thread_data *data, enum rtop_thread_state state, int64_t now_ns,
                        enum rtop_thread_state *before)
{
  uint32_t turn = atomic_load_explicit(&data->turn, memory_order_relaxed) | 1;
  atomic_store_explicit(&data->turn, turn, memory_order_relaxed);
  /* now_ns may be old if the thread lost its core after reading the clock, and the publisher may have reported the
   * thread's state meanwhile. Either this load reads the publisher's floor_ns, or the publisher reads the odd `turn`
   * and tries again. */
  atomic_thread_fence(memory_order_seq_cst);
  int64_t floor = atomic_load_explicit(&data->floor_ns, memory_order_relaxed);
  if (now_ns < floor) now_ns = floor;
  uint64_t old = atomic_load_explicit(&data->word, memory_order_acquire);
  int64_t since, end;
  do {
    since = threads_since_ns(old);
    end = now_ns > since ? now_ns : since;
  } while (!atomic_compare_exchange_weak_explicit(&data->word, &old, threads_pack(end, state), memory_order_seq_cst,
                                                  memory_order_acquire));
  *before = threads_state(old);
  int64_t boundary = atomic_load_explicit(&sampler->boundary_ns, memory_order_relaxed);
  if (end > boundary && atomic_load_explicit(&data->boundary_ns, memory_order_relaxed) != boundary)
    note_boundary(data, *before, since, boundary);
  add_relaxed(&data->total_ns[*before], end - since);
  atomic_store_explicit(&data->turn, turn + 1, memory_order_release);
  return end - since;
}

/* ---- estimated: time by stack ---------------------------------------------------------------------- */

void accounting_add(struct sampler *sampler, struct thread_data *data, enum rtop_thread_state state, int64_t wall_ns)
{
  struct lane *lane = &data->lanes[state];
  if (atomic_load_explicit(&lane->wall_ns, memory_order_relaxed) <= 0)
    atomic_store_explicit(&lane->epoch, axis_epoch(accounting_axis(sampler, data, state)), memory_order_relaxed);
  atomic_fetch_add_explicit(&lane->wall_ns, wall_ns, memory_order_release);
}

bool accounting_behind(struct sampler *sampler, struct thread_data *data, enum rtop_thread_state state)
{
  struct lane *lane = &data->lanes[state];
  return atomic_load_explicit(&lane->wall_ns, memory_order_relaxed) > 0 &&
         atomic_load_explicit(&lane->epoch, memory_order_relaxed) < axis_epoch(accounting_axis(sampler, data, state));
}

/* Returns the youngest part of a charge, in ns, that lies after the end of the open window, when this end has passed
 * but the window has not been cut yet. */
static int64_t behind_boundary(struct sampler *sampler, const struct thread_data *data, const struct rtop_cell *cell,
                               int64_t left_ns)
{
  if (sampler->cut_pending) return 0; /* the open cells already belong to the next window */
  int64_t boundary = atomic_load_explicit(&sampler->boundary_ns, memory_order_relaxed);
  if (atomic_load_explicit(&data->boundary_ns, memory_order_relaxed) != boundary) return 0;
  int64_t behind = atomic_load_explicit(&data->total_ns[cell->state], memory_order_relaxed) -
                   atomic_load_explicit(&data->at_boundary_ns[cell->state], memory_order_relaxed) - left_ns;
  if (behind <= 0) return 0;
  return at_most(behind, (int64_t)cell->wall_ns);
}

bool accounting_charge(struct sampler *sampler, struct thread_data *data, const struct rtop_cell *cell, int64_t left_ns)
{
  uint64_t behind = (uint64_t)behind_boundary(sampler, data, cell, left_ns);
  if (behind == 0) return cells_add(sampler->open, cell);
  struct cells *next = sampler->open == &sampler->cells[0] ? &sampler->cells[1] : &sampler->cells[0];
  struct rtop_cell rest = {
    .node = cell->node,
    .thread = cell->thread,
    .state = cell->state,
    .wall_ns = behind,
    .cpu_ns = cells_cpu_of(cell, behind),
  };
  struct rtop_cell first = *cell;
  first.wall_ns -= rest.wall_ns;
  first.cpu_ns -= rest.cpu_ns;
  if (!first.wall_ns) { /* The whole cell moves to the next window, with its samples, blame and allocations. */
    first.cpu_ns = cell->cpu_ns;
    first.wall_ns = cell->wall_ns;
    return cells_add(next, &first);
  }
  if (!cells_add(sampler->open, &first)) return false;
  cells_add(next, &rest);
  return true;
}

static int64_t take_cpu(struct lane *lane, int64_t limit_ns)
{
  int64_t cpu = atomic_load_explicit(&lane->cpu_ns, memory_order_relaxed);
  cpu = cpu > 0 ? at_most(cpu, limit_ns) : 0;
  if (cpu) atomic_fetch_sub_explicit(&lane->cpu_ns, cpu, memory_order_relaxed);
  return cpu;
}

int64_t accounting_take_wait_cpu(struct lane *lane, int64_t wall_ns, int64_t usual_ns)
{
  if (usual_ns < 0) return -1;
  double part = (double)at_most(wall_ns, WAITS_EVEN_NS) / (double)WAITS_EVEN_NS;
  int64_t cpu = usual_ns + (int64_t)((double)atomic_load_explicit(&lane->cpu_ns, memory_order_relaxed) * part);
  cpu = cpu > 0 ? at_most(cpu, wall_ns) : 0;
  atomic_fetch_sub_explicit(&lane->cpu_ns, cpu, memory_order_relaxed);
  return cpu;
}

/* Returns the part of a sum that belongs to wall_ns when kept_ns of time stay in the lane. */
static int64_t part_of(int64_t sum_ns, int64_t wall_ns, int64_t kept_ns)
{
  return kept_ns > 0 ? (int64_t)((double)sum_ns * (double)wall_ns / (double)(wall_ns + kept_ns)) : sum_ns;
}

static int64_t take_blame(struct lane *lane, int64_t wall_ns, int64_t kept_ns)
{
  int64_t blame = part_of(atomic_load_explicit(&lane->blame_ns, memory_order_relaxed), wall_ns, kept_ns);
  if (blame) atomic_fetch_sub_explicit(&lane->blame_ns, blame, memory_order_relaxed);
  return blame;
}

void accounting_charge_lane(struct sampler *sampler, struct thread_data *data, enum rtop_thread_state state,
                            struct lane *lane, const struct accounting_met *met, int64_t keep_ns)
{
  int64_t wall = atomic_exchange_explicit(&lane->wall_ns, 0, memory_order_acquire);
  int64_t kept = keep_ns < wall ? keep_ns : wall > 0 ? wall : 0;
  /* In a storm own work gets the times of ticks and can be longer than the time in the lane; the excess is subtracted
   * from time that is added later. */
  if (wall < 0) kept = wall;
  if (kept) atomic_fetch_add_explicit(&lane->wall_ns, kept, memory_order_relaxed);
  wall -= kept;
  int64_t cpu = part_of(atomic_load_explicit(&lane->cpu_ns, memory_order_relaxed), wall, kept);
  int64_t waits = accounting_take_wait_cpu(lane, wall, axis_usual_cpu_ns(&met->point, wall));
  struct rtop_cell cell = {
    .node = met->point.node,
    .thread = data->index,
    .state = state,
    .samples = met->samples,
    .wall_ns = (uint64_t)wall,
    .cpu_ns = (uint64_t)(waits < 0 ? take_cpu(lane, at_most(cpu, wall)) : waits),
    .blame_ns = (uint64_t)take_blame(lane, wall, kept),
  };
  if (!cell.wall_ns && !cell.samples && !cell.blame_ns) return;
  if (accounting_charge(sampler, data, &cell, kept)) return;
  atomic_fetch_add_explicit(&lane->wall_ns, wall, memory_order_relaxed);
  atomic_fetch_add_explicit(&lane->cpu_ns, (int64_t)cell.cpu_ns, memory_order_relaxed);
  atomic_fetch_add_explicit(&lane->blame_ns, (int64_t)cell.blame_ns, memory_order_relaxed);
}

void accounting_settle(struct sampler *sampler, struct thread_data *data, enum rtop_thread_state state)
{
  struct lane *lane = &data->lanes[state];
  struct axis *axis = accounting_axis(sampler, data, state);
  struct accounting_met met = { 0 };
  if (!axis_at(axis, atomic_load_explicit(&lane->epoch, memory_order_relaxed), &met.point)) return;
  accounting_charge_lane(sampler, data, state, lane, &met, 0);
  atomic_store_explicit(&lane->epoch, axis_epoch(axis), memory_order_relaxed);
}

void accounting_point(struct sampler *sampler, struct thread_data *data, enum rtop_thread_state state,
                      struct axis_point point, int64_t keep_ns)
{
  struct lane *lane = &data->lanes[state];
  accounting_charge_lane(sampler, data, state, lane, &(struct accounting_met){ .point = point, .samples = 1 }, keep_ns);
  uint64_t epoch = axis_set(accounting_axis(sampler, data, state), point);
  atomic_store_explicit(&lane->epoch, epoch, memory_order_relaxed);
}

/* ---- CPU time --------------------------------------------------------------------------------------- */

void accounting_spent(struct thread_data *data, enum rtop_thread_state state, int64_t wall_ns)
{
  data->wall_since_cpu_read_ns[state] += wall_ns;
  if (state != RTOP_BLOCKED && state != RTOP_WAITING) add_relaxed(&data->cpu_unread_ns, wall_ns);
}

/* Splits cpu_ns among states[] in proportion to their wall time since the last reading. */
static void split_cpu(struct thread_data *data, const enum rtop_thread_state *states, int count, int64_t wall_ns,
                      int64_t cpu_ns)
{
  int64_t left = cpu_ns;
  for (int i = 0; i < count && wall_ns > 0 && left > 0; i++) {
    int64_t own = data->wall_since_cpu_read_ns[states[i]];
    int64_t share = i + 1 == count ? left : (int64_t)((double)cpu_ns * (double)own / (double)wall_ns);
    share = at_most(at_most(share, left), own);
    atomic_fetch_add_explicit(&data->lanes[states[i]].cpu_ns, share, memory_order_relaxed);
    left -= share;
  }
}

static int64_t cpu_charged_ns(const struct thread_data *data)
{
  return atomic_load_explicit(&data->cpu_read_ns, memory_order_relaxed) +
         atomic_load_explicit(&data->cpu_taken_ns, memory_order_relaxed);
}

/* Corrects a charge by part of waits_owed_ns: CPU time of earlier waits that was not charged, or charged in excess. In
 * a storm only few waits have a length (sampler_event_ns), so these few take the whole correction. */
static int64_t with_owed(const struct sampler *sampler, struct thread_data *data, int64_t cpu_ns, int64_t wall_ns)
{
  bool coarse = atomic_load_explicit(&sampler->coarse, memory_order_relaxed);
  int64_t charged = cpu_ns + data->waits_owed_ns / (coarse ? 1 : WAITS_SHARE_OWED);
  charged = charged > 0 ? at_most(charged, wall_ns) : 0;
  data->waits_owed_ns -= charged - cpu_ns;
  return charged;
}

static int64_t take_expected(struct thread_data *data)
{
  int64_t expected = atomic_load_explicit(&data->waits_expected_ns, memory_order_relaxed);
  atomic_store_explicit(&data->waits_expected_ns, 0, memory_order_relaxed);
  data->waits_unread = 0;
  data->wall_since_cpu_read_ns[RTOP_BLOCKED] = data->wall_since_cpu_read_ns[RTOP_WAITING] = 0;
  return expected;
}

void accounting_begin_wait(struct thread_data *data, int64_t now_ns)
{
  if (data->waits_unread || atomic_load_explicit(&data->cpu_unread_ns, memory_order_relaxed)) {
    cpu_clock_forget(&data->cpu_mark);
    accounting_read_cpu(data, now_ns);
  }
  data->wait_read = data->waits_unread == 0;
  data->wait_taken_ns = atomic_load_explicit(&data->cpu_taken_ns, memory_order_relaxed);
}

void accounting_guess_wait(struct sampler *sampler, struct thread_data *data, int64_t now_ns,
                           struct accounting_stretch *stretch)
{
  data->waits_unread++;
  if (data->native_shared) return;
  cpu_clock_watch(&data->cpu_mark, now_ns, cpu_charged_ns(data));
  uint32_t node = stretch->known ? atomic_load_explicit(&data->node, memory_order_relaxed) : 0;
  int64_t usual = wait_cpu_usual_ns(&sampler->wait_cpu, node, stretch->wall_ns[0]);
  int64_t expected = at_most(usual < 0 ? data->wait_cpu_ns : usual, stretch->wall_ns[0] + stretch->wall_ns[1]);
  if (expected < 0) expected = 0;
  add_relaxed(&data->waits_expected_ns, expected);
  int64_t cpu = with_owed(sampler, data, at_most(expected, stretch->wall_ns[0]), stretch->wall_ns[0]);
  stretch->cpu_known = stretch->known;
  if (stretch->known) stretch->cpu_ns = cpu;
  else atomic_fetch_add_explicit(&data->lanes[RTOP_BLOCKED].cpu_ns, cpu, memory_order_relaxed);
}

void accounting_read_wait(struct sampler *sampler, struct thread_data *data, int64_t now_ns,
                          struct accounting_stretch *stretch)
{
  bool asked;
  bool alone =
      data->wait_read && data->wait_taken_ns == atomic_load_explicit(&data->cpu_taken_ns, memory_order_relaxed);
  int64_t used = cpu_clock_read_ns(&data->cpu_mark, now_ns, &asked) - cpu_charged_ns(data);
  if (used < 0) used = 0;
  int64_t expected = take_expected(data);
  int64_t own = used > expected ? used - expected : 0;
  data->waits_owed_ns += used - expected - own;
  add_relaxed(&data->cpu_read_ns, used);
  stretch->cpu_known = true;
  stretch->cpu_ns = at_most(own, stretch->wall_ns[0]);
  if (!alone) return;
  own = at_most(own, stretch->wall_ns[0] + stretch->wall_ns[1]);
  data->wait_cpu_ns = wait_cpu_mean_with(data->wait_cpu_ns, own);
  wait_cpu_learn(&sampler->wait_cpu, atomic_load_explicit(&data->node, memory_order_relaxed), own, stretch->wall_ns[0]);
}

void accounting_read_cpu(struct thread_data *data, int64_t now_ns)
{
  static const enum rtop_thread_state on_gvl[] = { RTOP_RUNNING, RTOP_MARKING, RTOP_SWEEPING };
  bool asked;
  int64_t used = cpu_clock_read_ns(&data->cpu_mark, now_ns, &asked) - cpu_charged_ns(data);
  if (used < 0) used = 0;
  /* A reading without a system call shows that the thread stayed on its core since the mark, which was made at the end
   * of its last wait. In a storm, the time since the mark can be longer than the time that events have reported. */
  bool none_off = !asked && !data->native_shared;
  int64_t on_wall = 0, off_wall = 0;
  if (!none_off) off_wall = data->wall_since_cpu_read_ns[RTOP_BLOCKED] + data->wall_since_cpu_read_ns[RTOP_WAITING];
  for (int i = 0; i < 3; i++) on_wall += data->wall_since_cpu_read_ns[on_gvl[i]];
  int64_t expected = asked ? take_expected(data) : 0;
  int64_t on_cpu = at_most(used - at_most(expected, at_most(used, off_wall)), on_wall);
  int64_t off_cpu = at_most(used - on_cpu, off_wall);
  split_cpu(data, on_gvl, 3, on_wall, on_cpu);
  if (data->native_shared) atomic_fetch_add_explicit(&data->lanes[RTOP_BLOCKED].cpu_ns, off_cpu, memory_order_relaxed);
  else data->waits_owed_ns += off_cpu - expected;
  for (int i = 0; i < 3; i++) data->wall_since_cpu_read_ns[on_gvl[i]] = 0;
  atomic_store_explicit(&data->cpu_unread_ns, 0, memory_order_relaxed);
  /* The two clocks are not read at the same instant; CPU time that no state can take is left to the next reading. */
  add_relaxed(&data->cpu_read_ns, on_cpu + off_cpu);
}

/* ---- the profiler's own work ------------------------------------------------------------------------ */

/* Returns the CPU time of own work. On a core without a break, CPU time equals wall time since the last reading;
 * otherwise the clock is read. Where reading the clock is expensive, the result is at most OWN_CPU_MAX_NS, since in any
 * longer time another process had the core. */
static int64_t own_cpu(struct thread_data *data, int64_t wall_ns, int64_t now_ns)
{
  if (cpu_clock_unbroken(&data->cpu_mark)) return at_most(wall_ns, now_ns - data->cpu_mark.wall_ns);
  if (!cpu_clock_usable()) return at_most(wall_ns, OWN_CPU_MAX_NS);
  bool asked;
  int64_t used = cpu_clock_read_ns(&data->cpu_mark, now_ns, &asked) - cpu_charged_ns(data);
  return used > 0 ? at_most(used, wall_ns) : 0;
}

int64_t accounting_end_own(struct sampler *sampler, struct thread_data *data, const struct accounting_own *own)
{
  int64_t now = clock_now_ns();
  int64_t wall = now - own->begin_ns - (data->not_own_ns - own->not_own_ns);
  if (wall < 0) wall = 0; /* In a storm GC gets the times of ticks and can be longer than the work. */
  bool coarse = atomic_load_explicit(&sampler->coarse, memory_order_relaxed);
  enum rtop_thread_state state;
  if (coarse) { /* Events get the times of ticks, so own work cannot be separated from other time. */
    atomic_fetch_add_explicit(&sampler->counters.cost_ns, (uint64_t)wall, memory_order_relaxed);
    return wall;
  }
  int64_t moved = accounting_move(sampler, data, RTOP_RUNNING, now, &state);
  accounting_add(sampler, data, RTOP_RUNNING, moved - wall);
  int64_t cpu = own_cpu(data, wall, now);
  add_relaxed(&data->cpu_read_ns, cpu);
  data->own_begin_ns = own->begin_ns;
  data->own_end_ns = now;
  data->not_own_ns += wall;
  data->own_wall_ns += wall;
  data->own_cpu_ns += cpu;
  return cpu;
}

void accounting_flush_own(struct sampler *sampler, struct thread_data *data)
{
  uint64_t window = atomic_load_explicit(&sampler->window, memory_order_relaxed);
  if (data->own_window == window && data->own_wall_ns < OWN_AT_ONCE_NS) return;
  data->own_window = window;
  sampler_count(&sampler->counters.cost_ns, (uint64_t)data->own_cpu_ns);
  struct rtop_cell cell = {
    .node = sampler->own_node,
    .thread = data->index,
    .state = RTOP_RUNNING,
    .wall_ns = (uint64_t)data->own_wall_ns,
    .cpu_ns = (uint64_t)data->own_cpu_ns,
  };
  if (!cell.wall_ns || !accounting_charge(sampler, data, &cell, 0)) return;
  data->own_wall_ns = data->own_cpu_ns = 0;
}

void accounting_read_blame(struct sampler *sampler, struct thread_data *data, int64_t now_ns)
{
  uint64_t integral = waiting_integral(&sampler->waiting, now_ns);
  int64_t more = waiting_since(integral, data->blame_read);
  if (more) atomic_fetch_add_explicit(&data->lanes[RTOP_RUNNING].blame_ns, more, memory_order_relaxed);
  data->blame_read = integral;
}

void accounting_read_allocations(struct sampler *sampler, struct thread_data *data)
{
  uint64_t total = gc_figure(sampler->gc_keys[GC_OBJECTS]);
  if (total > data->allocations_read) data->allocations += total - data->allocations_read;
  data->allocations_read = total;
}

/* ---- the end of a stretch --------------------------------------------------------------------------- */

/* Returns the CPU time of a wait whose stack was found at its end: the usual CPU time of waits with that stack; -1 when
 * unknown. Also returns -1 in a storm, where one such wait stands for many. */
static int64_t wait_cpu(struct sampler *sampler, const struct thread_data *data, int64_t wall_ns, uint32_t node)
{
  if (atomic_load_explicit(&sampler->coarse, memory_order_relaxed)) return -1;
  int64_t usual = wait_cpu_usual_ns(&sampler->wait_cpu, node, wall_ns);
  if (usual < 0) usual = data->wait_cpu_ns ? data->wait_cpu_ns : -1;
  return at_most(usual, wall_ns);
}

static uint32_t wait_cpu_ppb(struct sampler *sampler, const struct thread_data *data, int64_t wall_ns, uint32_t node)
{
  int64_t cpu = wait_cpu(sampler, data, wall_ns, node);
  return cpu < 0 ? 0 : 1 + (uint32_t)((double)cpu * 1e9 / (double)wall_ns);
}

static int64_t take_stretch_cpu(struct sampler *sampler, struct thread_data *data,
                                const struct accounting_stretch *stretch, int part, uint32_t node)
{
  struct lane *lane = &data->lanes[stretch->states[part]];
  int64_t wall = stretch->wall_ns[part], cpu = -1;
  if (stretch->states[part] == RTOP_BLOCKED)
    cpu = accounting_take_wait_cpu(lane, wall, wait_cpu(sampler, data, wall, node));
  return cpu < 0 ? take_cpu(lane, wall) : cpu;
}

static int64_t part_cpu(struct sampler *sampler, struct thread_data *data, const struct accounting_stretch *stretch,
                        int part, uint32_t node)
{
  bool known = part == 0 && stretch->cpu_known;
  return known ? stretch->cpu_ns : take_stretch_cpu(sampler, data, stretch, part, node);
}

static void charge_whole(struct sampler *sampler, struct thread_data *data, const struct accounting_stretch *stretch,
                         uint32_t node)
{
  for (int i = 0; i < 2; i++) {
    if (stretch->wall_ns[i] <= 0) continue;
    struct lane *lane = &data->lanes[stretch->states[i]];
    int64_t cpu = part_cpu(sampler, data, stretch, i, node);
    struct rtop_cell cell = {
      .node = node,
      .thread = data->index,
      .state = stretch->states[i],
      .samples = 1,
      .wall_ns = (uint64_t)stretch->wall_ns[i],
      .cpu_ns = (uint64_t)cpu,
    };
    if (accounting_charge(sampler, data, &cell, 0)) continue;
    accounting_add(sampler, data, stretch->states[i], stretch->wall_ns[i]);
    atomic_fetch_add_explicit(&lane->cpu_ns, cpu, memory_order_relaxed);
  }
}

/* Number of attempts at the lock, which threads of other Ractors or, briefly, the publisher may hold. No thread waits
 * long for the lock; for a long stretch, some ten microseconds are acceptable. */
enum { TRIES = 20, TRIES_SOME = 500, TRIES_LONG = 2000 };
#define LONG_NS INT64_C(1000000)

static bool try_lock(struct sampler *sampler, int tries)
{
  while (tries-- > 0)
    if (trylock_take(&sampler->lock)) return true;
  atomic_fetch_add_explicit(&sampler->counters.dropped, 1, memory_order_relaxed);
  return false;
}

bool accounting_try_lock(struct sampler *sampler)
{
  return try_lock(sampler, TRIES_SOME);
}

/* Takes the stack of the stretch that just ended, which is still the thread's current stack. Lock held. */
static uint32_t stack_now(struct sampler *sampler, struct thread_data *data, int64_t now_ns)
{
  accounting_read_cpu(data, now_ns);
  uint32_t node = sampler_stack(sampler, data, NULL);
  if (node != SAMPLER_NO_STACK) sampler_saw(data, node, now_ns);
  return node;
}

/* Leaves a stack with unnamed methods to the next job. The job is triggered at once, names the stack, and charges the
 * stretch and its CPU time to the stack. Without this, stretches right after a major collection, which makes names be
 * forgotten, would have no CPU time. */
static bool note(struct sampler *sampler, struct thread_data *data, const struct accounting_stretch *stretch)
{
  if (sampler->stack_depth <= 0) return false;
  struct noted_stack *noted =
      noted_add(&sampler->frames.noted, sampler->stack_frames, sampler->stack_lines, (uint32_t)sampler->stack_depth);
  if (!noted) return false;
  noted->thread = data->index;
  noted->serial = data->serial;
  noted->root = sampler_root(sampler, data);
  noted->fiber = NULL;
  for (int i = 0; i < 2; i++) {
    noted->states[i] = stretch->states[i];
    noted->wall_ns[i] = stretch->wall_ns[i];
    noted->cpu_ns[i] = stretch->wall_ns[i] > 0 ? part_cpu(sampler, data, stretch, i, 0) : 0;
  }
  rb_postponed_job_trigger(sampler->job);
  return true;
}

static bool end_whole(struct sampler *sampler, struct thread_data *data, const struct accounting_stretch *stretch)
{
  int64_t wall = stretch->wall_ns[0] + stretch->wall_ns[1];
  int tries = wall > LONG_NS ? TRIES_LONG : TRIES;
  if (stretch->known) {
    if (!try_lock(sampler, tries)) return false;
    charge_whole(sampler, data, stretch, atomic_load_explicit(&data->node, memory_order_relaxed));
    trylock_release(&sampler->lock);
    return true;
  }
  struct accounting_own own = accounting_begin_own(data);
  if (!try_lock(sampler, tries)) return false;
  uint32_t node = stack_now(sampler, data, own.begin_ns);
  for (int i = 0; i < 2 && node != SAMPLER_NO_STACK; i++)
    if (stretch->wall_ns[i] > 0) sampler_count(&sampler->counters.points[stretch->states[i]], 1);
  bool charged = node != SAMPLER_NO_STACK || note(sampler, data, stretch);
  if (node != SAMPLER_NO_STACK) charge_whole(sampler, data, stretch, node);
  accounting_flush_own(sampler, data);
  trylock_release(&sampler->lock);
  accounting_pay(sampler, accounting_end_own(sampler, data, &own), 0);
  return charged;
}

/* Lays the stretch on the axes of its states. If a point falls into the stretch, takes the thread's stack. */
static void end_on_axes(struct sampler *sampler, struct thread_data *data, const struct accounting_stretch *stretch)
{
  int64_t keep[2] = { 0 };
  bool due[2] = { false }, behind = false;
  for (int i = 0; i < 2; i++) {
    enum rtop_thread_state state = stretch->states[i];
    if (stretch->wall_ns[i] <= 0) continue;
    behind = behind || accounting_behind(sampler, data, state);
    due[i] =
        axis_passes(accounting_axis(sampler, data, state), stretch->wall_ns[i],
                    atomic_load_explicit(&sampler->distance_ns[state], memory_order_relaxed), &data->random, &keep[i]);
  }
  bool any = due[0] || due[1];
  struct accounting_own own = { 0 };
  if (any) own = accounting_begin_own(data);
  bool locked = (any || behind) && try_lock(sampler, any ? TRIES : 1);
  uint32_t node = any && locked ? stack_now(sampler, data, own.begin_ns) : 0;
  for (int i = 0; i < 2; i++) {
    enum rtop_thread_state state = stretch->states[i];
    if (stretch->wall_ns[i] <= 0) continue;
    if (locked) accounting_settle(sampler, data, state);
    accounting_add(sampler, data, state, stretch->wall_ns[i]);
    if (i == 0 && stretch->cpu_known)
      atomic_fetch_add_explicit(&data->lanes[state].cpu_ns, stretch->cpu_ns, memory_order_relaxed);
    if (!due[i] || !locked || node == SAMPLER_NO_STACK) continue;
    struct axis_point point = {
      .node = node, .cpu_ppb = state == RTOP_BLOCKED ? wait_cpu_ppb(sampler, data, stretch->wall_ns[i], node) : 0
    };
    accounting_point(sampler, data, state, point, keep[i]);
    sampler_count(&sampler->counters.points[state], 1);
  }
  if (any && locked) accounting_flush_own(sampler, data);
  if (locked) trylock_release(&sampler->lock);
  if (any && locked) accounting_pay(sampler, accounting_end_own(sampler, data, &own), 0);
}

/* Charges the time of one fiber or group of fibers. Returns false when there is no room. Lock held. */
static bool charge_part(struct sampler *sampler, struct thread_data *data, struct accounting_stretch *stretch,
                        uint32_t node, int64_t wall_ns, int64_t cpu_ns)
{
  struct rtop_cell cell = {
    .node = node,
    .thread = data->index,
    .state = RTOP_BLOCKED,
    .samples = 1,
    .wall_ns = (uint64_t)wall_ns,
    .cpu_ns = (uint64_t)cpu_ns,
  };
  if (wall_ns <= 0) return true;
  if (!accounting_charge(sampler, data, &cell, stretch->wall_ns[0] - wall_ns)) return false;
  stretch->wall_ns[0] -= wall_ns;
  return true;
}

/* Charges a wait in the loop of a fiber scheduler to the waiting fibers (fibers.h); the time that remains in *stretch
 * belongs to the loop itself. */
static void charge_fibers(struct sampler *sampler, struct thread_data *data, const struct fibers_mix *mix,
                          struct accounting_stretch *stretch)
{
  int64_t wall = stretch->wall_ns[0];
  struct lane *lane = &data->lanes[RTOP_BLOCKED];
  int64_t cpu = stretch->cpu_known ? stretch->cpu_ns : take_stretch_cpu(sampler, data, stretch, 0, 0), cpu_left = cpu;
  uint32_t node;
  if (wall < LONG_NS) {
    bool drawn = fibers_draw(mix, &data->random, &node);
    if (drawn && charge_part(sampler, data, stretch, node, wall, cpu)) cpu_left = 0;
  } else {
    for (uint32_t part = 0; part < mix->count; part++) {
      int64_t share = fibers_share(mix, part, wall), cpu_share = fibers_share(mix, part, cpu);
      if (charge_part(sampler, data, stretch, mix->parts[part].node, share, cpu_share)) cpu_left -= cpu_share;
    }
  }
  if (stretch->cpu_known) stretch->cpu_ns = at_most(cpu_left, stretch->wall_ns[0]);
  else atomic_fetch_add_explicit(&lane->cpu_ns, cpu_left, memory_order_relaxed);
}

static void end_stretch(struct sampler *sampler, struct thread_data *data, const struct accounting_stretch *stretch)
{
  bool whole = stretch->known;
  for (int i = 0; i < 2; i++) {
    int64_t distance = atomic_load_explicit(&sampler->distance_ns[stretch->states[i]], memory_order_relaxed);
    whole = whole || stretch->wall_ns[i] >= distance;
  }
  if (stretch->wall_ns[0] + stretch->wall_ns[1] <= 0) return;
  if (whole && end_whole(sampler, data, stretch)) return;
  end_on_axes(sampler, data, stretch);
}

void accounting_end_stretch(struct sampler *sampler, struct thread_data *data, const struct accounting_stretch *stretch)
{
  struct fibers_mix mix;
  bool for_fibers = atomic_load_explicit(&data->fibers, memory_order_relaxed) && stretch->states[0] == RTOP_BLOCKED &&
                    stretch->wall_ns[0] > 0 && fibers_mix(data, &mix);
  if (!for_fibers || !try_lock(sampler, TRIES)) {
    end_stretch(sampler, data, stretch);
    return;
  }
  struct accounting_stretch rest = *stretch;
  charge_fibers(sampler, data, &mix, &rest);
  trylock_release(&sampler->lock);
  end_stretch(sampler, data, &rest);
}
