/* SPDX-License-Identifier: MIT */
/* Attributes running time to the nodes that instants sampled, in the same stretch or in other stretches of its kind. */
#include "running.h"

#include "accounting.h"
#include "ext/base/draw.h"
#include "ext/base/trylock.h"
#include "shm/base/clock.h"

enum { INSTANTS_TO_SEE_RESTS = 4, DRAWN_OF = 1 << 30 };

static struct pool *pool_of(struct sampler *sampler, const struct thread_data *data)
{
  return &sampler->pools.entries[atomic_load_explicit(&data->pool, memory_order_relaxed)];
}

static struct strata *strata_of(struct sampler *sampler, const struct thread_data *data)
{
  return &pool_of(sampler, data)->strata;
}

/* Adds a point to the thread's pool: instants that stand for weight_ns of time sampled this node in a stretch of this
 * stratum. Lock held. */
static void add_point(struct sampler *sampler, const struct thread_data *data, uint32_t stratum, uint32_t node,
                      int64_t weight_ns)
{
  struct pool *pool = pool_of(sampler, data);
  struct point point = { .node = node, .stratum = stratum, .thread = data->index, .weight_ns = weight_ns };
  points_add(&pool->points, &point);
  strata_met(&pool->strata, stratum, node);
}

enum { ALLOCATIONS_KEPT_WINDOWS = 10 };

/* Charges objects of the thread that no sample of new objects (ext/hooks/makers.h) has claimed to the node "(shared)",
 * which belongs to no method: a tenth per window, so that an object waits about a second for a sample. */
static void charge_allocations(struct sampler *sampler, struct thread_data *data)
{
  uint64_t window = atomic_load_explicit(&sampler->window, memory_order_relaxed);
  uint64_t passed = window - data->allocations_window;
  if (!passed || !data->allocations) return;
  data->allocations_window = window;
  bool all = passed >= ALLOCATIONS_KEPT_WINDOWS || data->allocations < ALLOCATIONS_KEPT_WINDOWS;
  struct rtop_cell cell = {
    .node = sampler->shared_node,
    .thread = data->index,
    .state = RTOP_RUNNING,
    .allocations = all ? data->allocations : data->allocations * passed / ALLOCATIONS_KEPT_WINDOWS,
  };
  if (cells_add(sampler->open, &cell)) data->allocations -= cell.allocations;
}

/* Without a cheap clock, CPU time is read once per period and the CPU time of a single stretch is unknown; these
 * stretches share stratum 0. */
void running_late_cpu(struct thread_data *data)
{
  struct lane *open = &data->lanes[RTOP_RUNNING];
  int64_t wall = atomic_load_explicit(&open->wall_ns, memory_order_relaxed);
  int64_t late = atomic_load_explicit(&open->cpu_ns, memory_order_relaxed) - (wall > 0 ? wall : 0);
  if (late <= 0) return;
  atomic_fetch_sub_explicit(&open->cpu_ns, late, memory_order_relaxed);
  atomic_fetch_add_explicit(&data->strata[0].cpu_ns, late, memory_order_relaxed);
}

static void move_part(struct lane *from, struct lane *to, int64_t wall_ns, int64_t cpu_ns, int64_t blame_ns)
{
  atomic_fetch_sub_explicit(&from->wall_ns, wall_ns, memory_order_relaxed);
  atomic_fetch_sub_explicit(&from->cpu_ns, cpu_ns, memory_order_relaxed);
  atomic_fetch_sub_explicit(&from->blame_ns, blame_ns, memory_order_relaxed);
  atomic_fetch_add_explicit(&to->cpu_ns, cpu_ns, memory_order_relaxed);
  atomic_fetch_add_explicit(&to->blame_ns, blame_ns, memory_order_relaxed);
  atomic_fetch_add_explicit(&to->wall_ns, wall_ns, memory_order_release);
}

/* Returns the CPU time in a lane, limited to wall_ns. */
static int64_t cpu_of(struct lane *lane, int64_t wall_ns)
{
  int64_t cpu = atomic_load_explicit(&lane->cpu_ns, memory_order_relaxed);
  return cpu < 0 ? 0 : cpu < wall_ns ? cpu : wall_ns;
}

/* A sample stands for one or more instants. first_ns, last_ns: running time of the stretch (without time off its core)
 * at the first and at the last of them. behind_ns: running time since the last one. */
struct passed {
  int64_t first_ns, last_ns, behind_ns;
};

/* Returns CLOCK_MONOTONIC minus the calling thread's CPU clock, a gap as in on_core.h. */
static int64_t own_gap_ns(void)
{
  return clock_now_ns() - clock_own_cpu_ns();
}

static int64_t bounded(int64_t value, int64_t most)
{
  return value < 0 ? 0 : value < most ? value : most;
}

/* Finds where in the stretch the pending instants fell. off_ns: time without a core since the last report. */
static struct passed find_passed(const struct sampler *sampler, const struct thread_data *data, unsigned met,
                                 int64_t off_ns)
{
  const struct on_core *on_core = &sampler->on_core;
  int64_t now = threads_since_ns(atomic_load_explicit(&data->word, memory_order_relaxed));
  int64_t begin = data->running_since_ns, off_first = 0, off_last = 0;
  int64_t first = atomic_load_explicit(&sampler->ticks.first_ns, memory_order_relaxed);
  int64_t last = ticks_until(&sampler->ticks, now);
  if (met) {
    int64_t gap = own_gap_ns();
    off_first = bounded(gap - atomic_load_explicit(&on_core->first_gap_ns, memory_order_relaxed), off_ns);
    off_last = bounded(gap - atomic_load_explicit(&on_core->last_gap_ns, memory_order_relaxed), off_ns);
  }
  return (struct passed){
    .first_ns = first - begin - (data->off_core_ns - off_first),
    .last_ns = last - begin - (data->off_core_ns - off_last),
    .behind_ns = now - last - off_last,
  };
}

static void move_all(struct lane *from, struct lane *to)
{
  int64_t wall = atomic_load_explicit(&from->wall_ns, memory_order_relaxed);
  if (wall <= 0) return;
  move_part(from, to, wall, cpu_of(from, wall), atomic_load_explicit(&from->blame_ns, memory_order_relaxed));
}

/* Charges up to part_ns of the lane's time, oldest first, to the node that the previous instant sampled. Returns the
 * charged time in ns. Lock held. */
static int64_t charge_before(struct sampler *sampler, struct thread_data *data, struct lane *lane, int64_t part_ns)
{
  int64_t wall = atomic_load_explicit(&lane->wall_ns, memory_order_relaxed), part = bounded(part_ns, wall);
  if (part <= 0) return 0;
  struct accounting_met met = { .point.node = data->long_node };
  accounting_charge_lane(sampler, data, RTOP_RUNNING, lane, &met, wall - part);
  return part;
}

/* Splits the time between the previous instant and this one into halves: the first half goes to the node of the
 * previous instant, the second half to `node`. Time after this instant moves to the lane `behind`. Lock held. */
static void charge_open(struct sampler *sampler, struct thread_data *data, uint32_t node, const struct passed *passed)
{
  struct lane *open = &data->lanes[RTOP_RUNNING];
  struct accounting_met met = { .point.node = node };
  if (data->long_node) {
    int64_t half = bounded(passed->first_ns - data->last_met_ns, INT64_MAX) / 2;
    half -= charge_before(sampler, data, &data->behind, half);
    charge_before(sampler, data, open, half);
  }
  accounting_charge_lane(sampler, data, RTOP_RUNNING, &data->behind, &met, 0);
  int64_t wall = atomic_load_explicit(&open->wall_ns, memory_order_relaxed);
  accounting_point(sampler, data, RTOP_RUNNING, met.point, bounded(passed->behind_ns, bounded(wall, INT64_MAX)));
  move_all(open, &data->behind);
}

/* Returns the time without a core in the open stretch since its last instant; 0 when unknown. Call after the CPU clock
 * was read. */
static int64_t breaks_ns(const struct sampler *sampler, struct thread_data *data)
{
  struct lane *open = &data->lanes[RTOP_RUNNING];
  bool known = cpu_clock_usable() && !data->native_shared && data->main_ractor;
  if (!known || atomic_load_explicit(&sampler->coarse, memory_order_relaxed)) return 0;
  int64_t wall = atomic_load_explicit(&open->wall_ns, memory_order_relaxed);
  int64_t off = wall - atomic_load_explicit(&open->cpu_ns, memory_order_relaxed);
  return bounded(off, wall);
}

/* Returns the number of instants in this stretch that the current sample stands for: one, or several that passed in C
 * code. */
static int64_t instants_told(const struct sampler *sampler, const struct thread_data *data)
{
  int64_t first = atomic_load_explicit(&sampler->ticks.first_ns, memory_order_relaxed);
  int64_t last = atomic_load_explicit(&sampler->ticks.last_ns, memory_order_relaxed);
  int64_t period = atomic_load_explicit(&sampler->period_ns, memory_order_relaxed);
  if (first < data->running_since_ns) first = data->running_since_ns;
  return last > first && period > 0 ? 1 + (last - first) / period : 1;
}

/* Returns breaks_ns, or 0 if that is too short for this number of instants. Short breaks can come from the difference
 * of the clocks, or from the publisher, which may take the core at each instant. */
static int64_t off_core_ns(int64_t breaks_ns, int64_t instants)
{
  return breaks_ns < instants * ON_CORE_BREAK_NS ? 0 : breaks_ns;
}

/* Tells whether instants recently sampled time of this stratum. If not, time set apart for the stratum would not be
 * divided. */
static bool sets_apart(struct sampler *sampler, const struct thread_data *data, uint32_t stratum)
{
  return strata_met_lately(strata_of(sampler, data), stratum) != 0;
}

/* Returns the thread's count of voluntary switches, by which sleep differs from waits for a core; -1 when not needed or
 * unknown. At the begin of a stretch the count is read only if both have occurred recently. */
static int64_t own_switches(struct sampler *sampler, const struct thread_data *data, bool begins)
{
  bool both = !begins || atomic_load_explicit(&sampler->on_core.wanted, memory_order_relaxed);
  return both && sets_apart(sampler, data, STRATA_VOLUNTARY) ? on_core_voluntary_switches() : -1;
}

/* Returns the stratum for time without a core. The change of the voluntary switch count decides; if the count is
 * unknown, the instants decide. Several instants that all found the thread on a core mean that sleep is a small part at
 * most. */
static uint32_t find_off_core(int64_t before, int64_t switches, unsigned met, int64_t instants)
{
  bool known = before >= 0 && switches >= 0, never = met == ON_CORE_YES && instants >= INSTANTS_TO_SEE_RESTS;
  bool waits = known ? switches == before : never || (met & ON_CORE_NO) == ON_CORE_WAITS;
  return waits ? STRATA_PREEMPTED : STRATA_VOLUNTARY;
}

void running_begin(struct sampler *sampler, struct thread_data *data, int64_t now_ns, uint32_t begin_node)
{
  data->running_since_ns = now_ns;
  data->begin_node = begin_node;
  data->begin_not_own_ns = data->not_own_ns;
  data->met_count = data->long_node = 0;
  data->met_until_ns = data->last_met_ns = 0;
  data->off_core_ns = data->breaks_seen_ns = 0;
  data->switches = own_switches(sampler, data, true);
  data->begin_pool = atomic_load_explicit(&data->pool, memory_order_relaxed);
}

static int64_t blame_of(struct lane *lane, int64_t part_ns)
{
  int64_t wall = atomic_load_explicit(&lane->wall_ns, memory_order_relaxed);
  int64_t blame = atomic_load_explicit(&lane->blame_ns, memory_order_relaxed);
  return wall > 0 ? (int64_t)((double)blame * (double)part_ns / (double)wall) : 0;
}

static void set_off_core_apart(struct sampler *sampler, struct thread_data *data, uint32_t stratum, int64_t off_ns)
{
  struct lane *open = &data->lanes[RTOP_RUNNING], *lane = &data->strata[stratum];
  if (off_ns <= 0) return;
  data->off_core_ns += off_ns;
  stratum_wait(&strata_of(sampler, data)->entries[stratum], off_ns);
  move_part(open, lane, off_ns, 0, blame_of(open, off_ns));
}

/* Charges off_ns of time without a core to the node. Used when several instants passed in one call: all such time
 * within the call belongs to the call. Lock held. */
static void charge_off_core(struct sampler *sampler, struct thread_data *data, uint32_t node, int64_t off_ns)
{
  struct lane *open = &data->lanes[RTOP_RUNNING], off = { 0 };
  if (off_ns <= 0) return;
  data->off_core_ns += off_ns;
  move_part(open, &off, off_ns, 0, blame_of(open, off_ns));
  accounting_charge_lane(sampler, data, RTOP_RUNNING, &off, &(struct accounting_met){ .point.node = node }, 0);
  move_all(&off, open);
}

/* Handles off_ns of time without a core since the last sample; `met` says in which state instants found the thread
 * (ON_CORE_...). A point in a break shorter than a period weighs a whole period, because instants hit few such breaks.
 * Lock held. */
static void tell_off_core(struct sampler *sampler, struct thread_data *data, uint32_t stratum, uint32_t node,
                          unsigned met, int64_t instants, int64_t off_ns)
{
  int64_t period = atomic_load_explicit(&sampler->period_ns, memory_order_relaxed);
  if (instants > 1) {
    charge_off_core(sampler, data, node, off_ns);
    return;
  }
  set_off_core_apart(sampler, data, stratum, off_ns);
  if (off_ns && met != ON_CORE_YES) add_point(sampler, data, stratum, node, off_ns > period ? off_ns : period);
}

/* Tells whether the stretch is long enough to be divided by its own instants. CPU time decides, so that waiting for a
 * core does not make a stretch long. */
static bool is_long(const struct sampler *sampler, const struct thread_data *data)
{
  const struct lane *open = &data->lanes[RTOP_RUNNING];
  bool coarse = atomic_load_explicit(&sampler->coarse, memory_order_relaxed);
  bool known = cpu_clock_usable() && !data->native_shared && !coarse;
  int64_t wall = threads_since_ns(atomic_load_explicit(&data->word, memory_order_relaxed)) - data->running_since_ns;
  return data->long_node || (known ? atomic_load_explicit(&open->cpu_ns, memory_order_relaxed) : wall) > STRATA_LONG_NS;
}

/* Merges a sampled node into an entry when there is no room for another entry. One node stands for both, chosen at
 * random in proportion to the weights, which keeps the estimate unbiased. */
static void merge_met(struct thread_data *data, struct met *with, uint32_t node, int64_t weight_ns)
{
  double sum = (double)(with->weight_ns + weight_ns);
  bool takes = (double)draw_ns(&data->random, 0, DRAWN_OF) * sum < (double)weight_ns * DRAWN_OF;
  with->weight_ns += weight_ns;
  if (takes) with->node = node;
}

/* Keeps the node that instants sampled until the stretch ends. */
static void note_met(struct thread_data *data, uint32_t node, int64_t weight_ns)
{
  struct met *lightest = &data->met[0];
  data->met_until_ns = atomic_load_explicit(&data->lanes[RTOP_RUNNING].wall_ns, memory_order_relaxed);
  for (uint32_t i = 0; i < data->met_count; i++) {
    if (data->met[i].node == node) {
      data->met[i].weight_ns += weight_ns;
      return;
    }
    if (data->met[i].weight_ns < lightest->weight_ns) lightest = &data->met[i];
  }
  if (data->met_count == THREADS_MET_MAX) merge_met(data, lightest, node, weight_ns);
  else data->met[data->met_count++] = (struct met){ .node = node, .weight_ns = weight_ns };
}

/* Divides the time up to the last instant of a stretch by the stretch's own instants. Call when the stretch has become
 * long. Lock held. */
static void charge_met(struct sampler *sampler, struct thread_data *data)
{
  struct lane *open = &data->lanes[RTOP_RUNNING];
  int64_t wall = atomic_load_explicit(&open->wall_ns, memory_order_relaxed);
  int64_t until = bounded(data->met_until_ns, wall), left = until, weight = 0;
  for (uint32_t i = 0; i < data->met_count; i++) weight += data->met[i].weight_ns;
  for (uint32_t i = 0; i < data->met_count; i++) {
    int64_t part = (int64_t)((double)left * (double)data->met[i].weight_ns / (double)weight);
    weight -= data->met[i].weight_ns;
    left -= part;
    struct accounting_met met = { .point.node = data->met[i].node };
    accounting_charge_lane(sampler, data, RTOP_RUNNING, open, &met, wall - until + left);
  }
  data->met_count = 0;
}

static void count_sample(struct sampler *sampler, const struct thread_data *data, uint32_t node)
{
  struct rtop_cell cell = { .node = node, .thread = data->index, .state = RTOP_RUNNING, .samples = 1 };
  cells_add(sampler->open, &cell);
  axis_set(accounting_axis(sampler, data, RTOP_RUNNING), (struct axis_point){ .node = node });
}

/* Returns the weight in ns of the instants that the current sample stands for. One instant weighs a period; a later one
 * in a stretch weighs the time since the previous one, unless that is less than the distance of instants because the
 * thread was without a core in between. Some of several instants that passed at once may have hit time without a core;
 * together they weigh a period plus the time on a core. */
static int64_t weight_ns(const struct sampler *sampler, const struct thread_data *data, int64_t instants,
                         const struct passed *passed)
{
  int64_t period = atomic_load_explicit(&sampler->period_ns, memory_order_relaxed);
  int64_t since = passed->last_ns - data->last_met_ns;
  if (data->last_met_ns > 0 && since > period * 3 / 4) return since;
  return period + bounded((instants - 1) * period, bounded(passed->last_ns, INT64_MAX));
}

static void point_on_core(struct sampler *sampler, struct thread_data *data, uint32_t node, int64_t instants,
                          const struct passed *passed)
{
  if (is_long(sampler, data)) {
    /* The first half of the time between the last instant and this one belongs to the earlier one, as in
     * charge_open(). */
    data->met_until_ns += bounded(passed->last_ns - data->last_met_ns, INT64_MAX) / 2;
    charge_met(sampler, data);
    charge_open(sampler, data, node, passed);
    data->long_node = node;
  } else {
    note_met(data, node, weight_ns(sampler, data, instants, passed));
    count_sample(sampler, data, node);
  }
  data->last_met_ns = passed->last_ns;
}

/* Handles an instant that hit the thread while it either ran or waited for a core, with no way to tell which. */
static void leave_undecided(struct sampler *sampler, struct thread_data *data, uint32_t stratum, int64_t off_ns)
{
  if (sets_apart(sampler, data, stratum)) set_off_core_apart(sampler, data, stratum, off_ns);
  atomic_fetch_add_explicit(&sampler->counters.undecided, 1, memory_order_relaxed);
}

static void tell_point(struct sampler *sampler, struct thread_data *data, uint32_t node)
{
  int64_t instants = instants_told(sampler, data);
  int64_t off = off_core_ns(breaks_ns(sampler, data) - data->breaks_seen_ns, instants);
  int64_t switches = own_switches(sampler, data, false);
  unsigned all = off ? on_core_met(&sampler->on_core, data->serial) : 0, met = all & ~(unsigned)ON_CORE_UNKNOWN;
  uint32_t stratum = find_off_core(data->switches, switches, met, instants);
  data->switches = switches;
  if (all == ON_CORE_UNKNOWN) {
    leave_undecided(sampler, data, stratum, off);
    return;
  }
  if (!(met & ON_CORE_NO) && !sets_apart(sampler, data, stratum)) off = met = 0;
  tell_off_core(sampler, data, stratum, node, met, instants, off);
  if (!met || met & ON_CORE_YES) {
    struct passed passed = find_passed(sampler, data, met, off);
    point_on_core(sampler, data, node, instants, &passed);
  } else {
    count_sample(sampler, data, node);
  }
}

void running_point(struct sampler *sampler, struct thread_data *data, uint32_t node)
{
  running_late_cpu(data);
  tell_point(sampler, data, node);
  data->breaks_seen_ns = breaks_ns(sampler, data);
  charge_allocations(sampler, data);
}

/* Returns the kind of the ended stretch. The length of the stretch excludes time without a core and own work, so that a
 * thread preempted by the timer does not have a long stretch. Kinds differ only where CPU time per stretch is known. */
static uint32_t find_kind(struct sampler *sampler, struct thread_data *data, int64_t end_ns, uint32_t end_node)
{
  int64_t length = end_ns - data->running_since_ns;
  int64_t took = length - (data->not_own_ns - data->begin_not_own_ns) - data->off_core_ns;
  if (data->long_node) return 0;
  bool coarse = atomic_load_explicit(&sampler->coarse, memory_order_relaxed);
  if (data->begin_node == RUNNING_GC || end_node == RUNNING_GC) return 0;
  if (!data->begin_pool || took > STRATA_LONG_NS || coarse || !(cpu_clock_usable() || data->native_shared)) return 0;
  if (took < STRATA_SHORT_NS && (data->begin_node || end_node)) return STRATA_SHORT;
  return strata_end(strata_of(sampler, data), strata_key(data->begin_node, end_node, took), took);
}

/* Returns the node that ran in a short stretch: the common caller of the waits before and after the stretch; if there
 * is none, the caller of the known wait. */
static uint32_t node_of_short(const struct calltree *tree, uint32_t begin_node, uint32_t end_node)
{
  uint32_t wait = end_node ? end_node : begin_node;
  uint32_t node = begin_node && end_node ? calltree_between(tree, begin_node, end_node) : 0;
  if (!node) node = tree->entries[wait].parent;
  return node ? node : wait;
}

/* Lays the short stretch, whose time is in the thread's lane, on the axis of short stretches. */
static void lay_short(struct sampler *sampler, struct thread_data *data, int64_t wall_ns, uint32_t end_node)
{
  struct strata *strata = strata_of(sampler, data);
  struct axis *axis = &strata->short_axis;
  struct lane *lane = &data->strata[STRATA_SHORT];
  int64_t behind_ns;
  if (!axis_passes(axis, wall_ns, strata_short_apart_ns(strata), &data->random, &behind_ns)) return;
  if (!trylock_take(&sampler->lock)) return;
  uint32_t node = node_of_short(&sampler->tree, data->begin_node, end_node);
  accounting_charge_lane(sampler, data, RTOP_RUNNING, lane, &(struct accounting_met){ .point.node = node }, behind_ns);
  strata_met(strata, STRATA_SHORT, node);
  atomic_store_explicit(&lane->epoch, axis_set(axis, (struct axis_point){ .node = node }), memory_order_release);
  trylock_release(&sampler->lock);
}

/* Charges the time in the thread's lane of short stretches to a stack, if a thread of the pool has sampled the next point
 * of their axis since. Must be called before more time is added to the lane. */
static void settle_short(struct sampler *sampler, struct thread_data *data)
{
  struct axis *axis = &strata_of(sampler, data)->short_axis;
  struct lane *lane = &data->strata[STRATA_SHORT];
  struct accounting_met met = { 0 };
  if (atomic_load_explicit(&lane->wall_ns, memory_order_relaxed) <= 0) {
    atomic_store_explicit(&lane->epoch, axis_epoch(axis), memory_order_release);
    return;
  }
  if (!axis_at(axis, atomic_load_explicit(&lane->epoch, memory_order_relaxed), &met.point)) return;
  if (!trylock_take(&sampler->lock)) return;
  accounting_charge_lane(sampler, data, RTOP_RUNNING, lane, &met, 0);
  trylock_release(&sampler->lock);
}

/* Charges the time after the last instant of a long stretch to the node of that instant. Lock held. */
static void end_long(struct sampler *sampler, struct thread_data *data)
{
  struct accounting_met met = { .point.node = data->long_node };
  accounting_charge_lane(sampler, data, RTOP_RUNNING, &data->behind, &met, 0);
  accounting_charge_lane(sampler, data, RTOP_RUNNING, &data->lanes[RTOP_RUNNING], &met, 0);
}

/* Adds the nodes that instants sampled in the ended stretch to the stratum of its kind. Short stretches are skipped,
 * since instants hit them only where the job was late. If the lock is taken, nothing is added, and the time is divided
 * by the points of other stretches of the kind. */
static void tell_points(struct sampler *sampler, struct thread_data *data, uint32_t stratum)
{
  bool any = data->long_node || (data->met_count && stratum != STRATA_SHORT);
  if (!any || !trylock_take(&sampler->lock)) return;
  if (data->long_node) end_long(sampler, data);
  for (uint32_t i = 0; i < data->met_count; i++)
    add_point(sampler, data, stratum, data->met[i].node, data->met[i].weight_ns);
  trylock_release(&sampler->lock);
}

void running_hand_in(struct sampler *sampler, struct thread_data *data)
{
  if (data->long_node) end_long(sampler, data);
  data->met_until_ns = INT64_MAX;
  charge_met(sampler, data);
  data->met_until_ns = 0;
}

void running_end(struct sampler *sampler, struct thread_data *data, int64_t now_ns, uint32_t end_node)
{
  struct strata *strata = strata_of(sampler, data);
  struct lane *open = &data->lanes[RTOP_RUNNING];
  int64_t breaks = breaks_ns(sampler, data), off = off_core_ns(breaks - data->breaks_seen_ns, 1);
  int64_t switches = off && data->switches >= 0 ? on_core_voluntary_switches() : -1;
  uint32_t off_stratum = find_off_core(data->switches, switches, 0, 0);
  if (!sets_apart(sampler, data, off_stratum)) off = 0;
  uint32_t kind = find_kind(sampler, data, now_ns - breaks, end_node), stratum = strata_of_kind(strata, kind);
  set_off_core_apart(sampler, data, off_stratum, off);
  tell_points(sampler, data, stratum);
  data->met_count = data->long_node = 0;
  move_all(&data->behind, open);
  int64_t rest = atomic_load_explicit(&open->wall_ns, memory_order_relaxed);
  if (rest <= 0) return;
  if (stratum == STRATA_SHORT) settle_short(sampler, data);
  stratum_wait(&strata->entries[stratum], rest);
  move_all(open, &data->strata[stratum]);
  if (stratum == STRATA_SHORT) lay_short(sampler, data, rest, end_node);
}
