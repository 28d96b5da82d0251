#include "accounting.h"

#define OWN_CPU_MAX_NS INT64_C(200000)
#define OWN_AT_ONCE_NS INT64_C(100000)

/* Uniform in [low, low + period). */
static int64_t draw(struct thread_data *data, int64_t low_ns, int64_t period_ns)
{
  data->random ^= data->random << 13;   /* xorshift32, Marsaglia 2003 */
  data->random ^= data->random >> 17;
  data->random ^= data->random << 5;
  return low_ns + (int64_t)((uint64_t)data->random * (uint64_t)period_ns >> 32);
}

bool accounting_add(struct thread_data *data, enum rtop_thread_state state, int64_t wall_ns,
                    int64_t period_ns)
{
  struct pending *pending = &data->pending[state];
  if (pending->next_point_ns == 0) pending->next_point_ns = draw(data, 1, period_ns);
  pending->wall_ns += wall_ns;
  return pending->wall_ns >= pending->next_point_ns;
}

struct rtop_cell accounting_take(struct thread_data *data, enum rtop_thread_state state, int64_t period_ns)
{
  struct pending *pending = &data->pending[state];
  struct rtop_cell cell = { .thread = data->index, .state = state };
  while (pending->wall_ns >= pending->next_point_ns) {
    pending->wall_ns -= pending->next_point_ns;
    cell.wall_ns += (uint64_t)pending->next_point_ns;
    pending->next_point_ns = draw(data, period_ns / 2, period_ns);
  }
  int64_t cpu_ns = pending->cpu_ns < (int64_t)cell.wall_ns ? pending->cpu_ns : (int64_t)cell.wall_ns;
  pending->cpu_ns -= cpu_ns;
  cell.cpu_ns = (uint64_t)cpu_ns;
  return cell;
}

void accounting_flush(struct sampler *sampler, struct thread_data *data)
{
  for (int state = RTOP_WAITING; state < RTOP_STATE_COUNT; state++) {
    bool off = state == RTOP_WAITING || state == RTOP_BLOCKED;
    struct pending *pending = &data->pending[state];
    uint32_t node = off ? data->off_node : data->running_node;
    if (!node || pending->wall_ns <= 0) continue;
    int64_t cpu_ns = pending->cpu_ns < pending->wall_ns ? pending->cpu_ns : pending->wall_ns;
    struct rtop_cell cell = {
      .node = node, .thread = data->index, .state = (uint32_t)state,
      .wall_ns = (uint64_t)pending->wall_ns, .cpu_ns = (uint64_t)cpu_ns,
    };
    cells_add(sampler->open, &cell);
    if (pending->next_point_ns > pending->wall_ns) pending->next_point_ns -= pending->wall_ns;
    pending->wall_ns = 0;
    pending->cpu_ns -= cpu_ns;
  }
}

static int64_t at_most(int64_t value, int64_t limit)
{
  return value < limit ? value : limit;
}

/* Splits cpu_ns among states[] in proportion to their wall time since the last reading. */
static void split_cpu(struct thread_data *data, const enum rtop_thread_state *states, int count,
                      int64_t wall_ns, int64_t cpu_ns)
{
  int64_t left = cpu_ns;
  for (int i = 0; i < count && wall_ns > 0; i++) {
    int64_t own = data->wall_since_cpu_read_ns[states[i]];
    int64_t share = i + 1 == count ? left : (int64_t)((double)cpu_ns * (double)own / (double)wall_ns);
    share = at_most(at_most(share, left), own);
    data->pending[states[i]].cpu_ns += share;
    left -= share;
  }
}

static int64_t cpu_charged_ns(const struct thread_data *data)
{
  return atomic_load_explicit(&data->cpu_read_ns, memory_order_relaxed) +
         atomic_load_explicit(&data->cpu_taken_ns, memory_order_relaxed);
}

static void charged_cpu(struct thread_data *data, int64_t cpu_ns)
{
  int64_t before = atomic_load_explicit(&data->cpu_read_ns, memory_order_relaxed);
  atomic_store_explicit(&data->cpu_read_ns, before + cpu_ns, memory_order_relaxed);
}

void accounting_read_cpu(struct thread_data *data, int64_t now_ns)
{
  static const enum rtop_thread_state on_gvl[] = { RTOP_RUNNING, RTOP_MARKING, RTOP_SWEEPING };
  static const enum rtop_thread_state off_gvl[] = { RTOP_BLOCKED };
  int64_t used = cpu_clock_read_ns(&data->cpu_mark, now_ns) - cpu_charged_ns(data);
  if (used < 0) used = 0;
  int64_t on_wall = 0, off_wall = data->wall_since_cpu_read_ns[RTOP_BLOCKED];
  for (int i = 0; i < 3; i++) on_wall += data->wall_since_cpu_read_ns[on_gvl[i]];
  int64_t on_cpu = at_most(used, on_wall);
  int64_t off_cpu = at_most(used - on_cpu, off_wall);
  split_cpu(data, on_gvl, 3, on_wall, on_cpu);
  split_cpu(data, off_gvl, 1, off_wall, off_cpu);
  for (int state = 0; state < RTOP_STATE_COUNT; state++) data->wall_since_cpu_read_ns[state] = 0;
  /* What no state can own yet (the two clocks are not read at the same instant) waits for the next time. */
  charged_cpu(data, on_cpu + off_cpu);
}

/* On a core without a break CPU is wall time; else the clock tells. Where asking it is dear, a piece of work
 * counts for at most a fifth of a millisecond: what is longer was another process on the core. */
static int64_t own_cpu(struct thread_data *data, int64_t wall_ns, int64_t now_ns)
{
  if (cpu_clock_unbroken(&data->cpu_mark)) return wall_ns;
  if (!cpu_clock_usable()) return at_most(wall_ns, OWN_CPU_MAX_NS);
  int64_t used = cpu_clock_read_ns(&data->cpu_mark, now_ns) - cpu_charged_ns(data);
  return used > 0 ? at_most(used, wall_ns) : 0;
}

void accounting_end_own(struct sampler *sampler, struct thread_data *data, const struct accounting_own *own)
{
  int64_t now = clock_now_ns();
  int64_t wall = now - own->begin_ns - (data->not_own_ns - own->not_own_ns);
  if (wall < 0) wall = 0;              /* in a storm GC is told by the ticks */
  bool coarse = atomic_load_explicit(&sampler->coarse, memory_order_relaxed);
  int64_t moved = coarse ? 0 : threads_advance(data, now);
  data->pending[RTOP_RUNNING].wall_ns += moved - wall;   /* in a storm running gets the ticks of this, too */
  int64_t cpu = own_cpu(data, wall, now);
  charged_cpu(data, cpu);
  data->own_wall_ns += wall;
  data->own_cpu_ns += cpu;
  data->not_own_ns += wall;
}

void accounting_flush_own(struct sampler *sampler, struct thread_data *data)
{
  uint64_t window = atomic_load_explicit(&sampler->window, memory_order_relaxed);
  if (data->own_window == window && data->own_wall_ns < OWN_AT_ONCE_NS) return;
  data->own_window = window;
  sampler_count(&sampler->counters.cost_ns, (uint64_t)data->own_cpu_ns);
  sampler_charge_own(sampler, sampler->open, data);
}

void accounting_charge(struct sampler *sampler, struct thread_data *data, const struct rtop_cell *cell,
                       int64_t start_ns, bool provisional)
{
  if (cell->wall_ns == 0 && cell->cpu_ns == 0 && cell->samples == 0 && cell->blame_ns == 0 &&
      cell->allocations == 0) return;
  int64_t window_start = atomic_load_explicit(&sampler->window_start_ns, memory_order_relaxed);
  int64_t period = atomic_load_explicit(&sampler->period_ns, memory_order_relaxed);
  bool late = provisional || start_ns < window_start - 2 * period;
  if (late && start_ns < data->start_ns) start_ns = data->start_ns;
  if (!late || !cells_add_late(sampler->open, start_ns, cell)) cells_add(sampler->open, cell);
}

void accounting_read_blame(struct sampler *sampler, struct thread_data *data, int64_t now_ns)
{
  uint64_t integral = waiting_integral(&sampler->waiting, now_ns);
  data->blame_ns += waiting_since(integral, data->blame_read);
  data->blame_read = integral;
}

void accounting_read_allocations(struct sampler *sampler, struct thread_data *data)
{
  uint64_t total = rb_gc_stat(sampler->gc_symbols[0]);
  if (total > data->allocations_read) data->allocations += total - data->allocations_read;
  data->allocations_read = total;
}

static void charge_whole(struct sampler *sampler, struct thread_data *data,
                         const struct accounting_stretch *stretch, uint32_t node)
{
  for (int i = 0; i < 2; i++) {
    if (stretch->wall_ns[i] <= 0) continue;
    struct pending *pending = &data->pending[stretch->states[i]];
    int64_t cpu = at_most(pending->cpu_ns, stretch->wall_ns[i]);
    pending->cpu_ns -= cpu;
    struct rtop_cell cell = {
      .node = node, .thread = data->index, .state = stretch->states[i], .samples = 1,
      .wall_ns = (uint64_t)stretch->wall_ns[i], .cpu_ns = (uint64_t)cpu,
    };
    accounting_charge(sampler, data, &cell, stretch->start_ns[i], stretch->provisional);
  }
}

static void charge_points(struct sampler *sampler, struct thread_data *data,
                          const struct accounting_stretch *stretch, uint32_t node, int64_t period_ns)
{
  for (int i = 0; i < 2; i++) {
    struct rtop_cell cell = accounting_take(data, stretch->states[i], period_ns);
    if (!cell.wall_ns) continue;
    cell.node = node;
    cell.samples = 1;
    cells_add(sampler->open, &cell);
  }
}

/* Nobody waits for the lock. Only a stretch that was shown as provisional is worth a few hundred tries: its
 * late record takes the provisional time back. */
static bool try_lock(struct sampler *sampler, bool hard)
{
  for (int tries = hard ? 300 : 1; tries > 0; tries--)
    if (clock_trylock(&sampler->lock)) return true;
  atomic_fetch_add_explicit(&sampler->counters.dropped, 1, memory_order_relaxed);
  return false;
}

/* Takes the stack of the stretch that just ended and charges it. False when the lock was taken. */
static bool with_stack(struct sampler *sampler, struct thread_data *data,
                       const struct accounting_stretch *stretch, bool whole, int64_t period_ns)
{
  struct accounting_own own = accounting_begin_own(data);
  if (!try_lock(sampler, stretch->provisional)) return false;
  uint32_t node = atomic_load_explicit(&data->node, memory_order_relaxed);
  if (!stretch->known) {
    accounting_read_cpu(data, own.begin_ns);
    node = sampler_stack(sampler, data, NULL);
    atomic_store_explicit(&data->node, node, memory_order_release);
    data->off_node = node;
    sampler_count(&sampler->counters.points, 1);
    accounting_flush_own(sampler, data);
  }
  if (whole) charge_whole(sampler, data, stretch, node);
  else charge_points(sampler, data, stretch, node, period_ns);
  clock_unlock(&sampler->lock);
  if (!stretch->known) accounting_end_own(sampler, data, &own);
  return true;
}

void accounting_end_stretch(struct sampler *sampler, struct thread_data *data,
                            const struct accounting_stretch *stretch)
{
  int64_t period = atomic_load_explicit(&sampler->off_period_ns, memory_order_relaxed);
  int64_t wall = stretch->wall_ns[0] + stretch->wall_ns[1];
  for (int i = 0; i < 2; i++) data->wall_since_cpu_read_ns[stretch->states[i]] += stretch->wall_ns[i];
  bool whole = stretch->known || stretch->provisional || wall >= period;
  if (whole && wall > 0 && with_stack(sampler, data, stretch, true, period)) return;
  bool due = false;
  for (int i = 0; i < 2; i++)
    if (stretch->wall_ns[i] > 0) due |= accounting_add(data, stretch->states[i], stretch->wall_ns[i], period);
  if (due && !whole) with_stack(sampler, data, stretch, false, period);
}
