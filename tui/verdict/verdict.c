/* SPDX-License-Identifier: MIT */
/* Makes the verdict: adds up the time of a span by activity and place, and picks the main reason. */
#include "verdict_around.h"
#include "verdict_impl.h"

#include "tui/stalls/wait_holder.h"
#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

static const double stays = 0.7; /* of what it takes to come */
static const double gc_least = 0.2, lock_least = 0.5, gvl_least = 0.5, gvl_held_least = 0.5;
static const double without_least = 0.5, without_of_held = 0.5;
static const double loop_least = 0.9;
/* Least share of the time that the GVL was held for a method to explain it: of the application; of another method,
 * which also needs a share of the span. */
static const double explains_least = 1.0 / 3, foreign_least = 0.5, foreign_of_span = 0.1;
static const double running_sure = 0.4, running_least = 0.1, blocked_least = 0.2;
static const uint64_t unfinished_least_ns = 250000000;
/* The CPU time of a process that has, or once had, so many threads is read every eighth window only. */
static const size_t rarely_read_threads = 1000;
static const uint64_t rarely_read_ns = 900000000;

struct judge {
  struct verdict_maker *maker;
  const struct rtop_sum *sum;
  struct rtop_profile *profile;
  const struct rtop_symbols *symbols;
  uint32_t shown; /* the only source shown, or all */
  const struct verdict *before;
  struct verdict *verdict;
  uint32_t frames;                    /* so many sums */
  uint64_t of[VERDICT_PARTS];         /* in all */
  uint64_t waiting_ns;                /* for the GVL of the source */
  uint64_t work_ns;                   /* of threads at work, in any state */
  struct rtop_window_summary process; /* summary of the judged process; without windows
                                         where several processes are judged together */
};

const char *verdict_kind_name(enum verdict_kind kind)
{
  static const char *const names[VERDICT_KINDS] = { "", "idle", "running", "blocked", "lock", "gvl", "gc", "no-cpu" };
  return kind < VERDICT_KINDS ? names[kind] : "";
}

static bool judge_shows(const struct judge *judge, const struct rtop_thread_row *row)
{
  return judge->shown == VERDICT_ALL_SOURCES || row->source == judge->shown;
}

/* Does its GVL count? */
static bool judge_counts(const struct judge *judge, const struct rtop_thread_row *row)
{
  return judge_shows(judge, row) &&
         (judge->verdict->source == VERDICT_ALL_SOURCES || row->source == judge->verdict->source);
}

/* Returns the process whose GVL is wanted most; if several are close, that of the previous verdict. */
static uint32_t judge_busiest(const struct judge *judge)
{
  uint64_t wanted_ns[VERDICT_SOURCES_MAX] = { 0 };
  uint32_t busiest = 0, last = judge->before ? judge->before->source : VERDICT_ALL_SOURCES;
  if (judge->verdict->gvl.count < 2) return VERDICT_ALL_SOURCES;
  for (size_t i = 0; i < judge->sum->thread_count; i++) {
    const struct rtop_thread_row *row = &judge->sum->threads[i];
    if (!judge_shows(judge, row) || row->source >= VERDICT_SOURCES_MAX) continue;
    wanted_ns[row->source] += verdict_held(&row->cost) + row->cost.wall_ns[RTOP_STATE_WAITING];
    busiest = wanted_ns[row->source] > wanted_ns[busiest] ? row->source : busiest;
  }
  bool keep = last < VERDICT_SOURCES_MAX && (double)wanted_ns[last] >= stays * (double)wanted_ns[busiest];
  return keep && wanted_ns[last] > 0 ? last : busiest;
}

/* Returns the only process that is judged; VERDICT_ALL_SOURCES if there are several. */
static uint32_t judge_only_source(const struct judge *judge)
{
  const struct rtop_sum *sum = judge->sum;
  if (judge->shown != VERDICT_ALL_SOURCES || sum->thread_count == 0) return judge->shown;
  for (size_t i = 1; i < sum->thread_count; i++)
    if (sum->threads[i].source != sum->threads[0].source) return VERDICT_ALL_SOURCES;
  return sum->threads[0].source;
}

/* Returns the process whose GVL is judged; VERDICT_ALL_SOURCES if several are. */
static uint32_t judge_one(const struct judge *judge)
{
  uint32_t source = judge->verdict->source;
  return source != VERDICT_ALL_SOURCES ? source : judge_only_source(judge);
}

static struct off_way judge_way(const struct judge *judge, uint32_t node)
{
  return off_ways_get(&judge->maker->ways, rtop_profile_lens(judge->profile), judge->symbols, node);
}

/* Classifies the activity of a thread off the GVL by its node. */
static enum verdict_part judge_off(const struct judge *judge, uint32_t node, const struct off_way *way)
{
  static const enum verdict_part parts[] = {
    [OFF_UNKNOWN] = OF_UNKNOWN, [OFF_OTHERS] = OF_REST, [OFF_LIBRARY] = OF_REST, [OFF_EVENT] = OF_REST,
    [OFF_PAUSE] = OF_PAUSE,     [OFF_LOCK] = OF_LOCK,   [OFF_WORK] = OF_WORK,
  };
  return parts[off_gvl_of(judge->symbols, node, way)];
}

static uint64_t judge_collected(const struct rtop_cost *cost)
{
  return cost->wall_ns[RTOP_STATE_MARKING] + cost->wall_ns[RTOP_STATE_SWEEPING];
}

/* Returns the time of collections that were requested: in these the innermost method does nothing else. */
static uint64_t judge_asked(const struct judge *judge, const struct rtop_sum_cell *cell)
{
  static const char *const asking[] = { "GC.start",
                                        "GC#garbage_collect",
                                        "GC.compact",
                                        "GC.verify_compaction_references",
                                        "ObjectSpace.garbage_collect",
                                        "ObjectSpace#garbage_collect",
                                        "Process.warmup" };
  uint64_t gc_ns = judge_collected(&cell->cost);
  if (gc_ns == 0) return 0;
  const struct rtop_symbol *leaf =
      rtop_symbols_get(judge->symbols, rtop_symbols_get_node(judge->symbols, cell->node)->frame);
  for (size_t i = 0; i < sizeof asking / sizeof *asking; i++)
    if (strcmp(leaf->label, asking[i]) == 0) return rtop_symbol_is_core(leaf) ? gc_ns : 0;
  return 0;
}

static void judge_add(struct judge *judge, uint32_t key, enum verdict_part part, uint64_t value)
{
  judge->of[part] += value;
  if (key < judge->frames) judge->maker->sums[key].of[part] += value;
}

static bool judge_is_method(const struct judge *judge, uint32_t frame)
{
  return rtop_symbols_get(judge->symbols, frame)->kind != RTOP_SYMBOL_SPECIAL;
}

/* Can the frame be blamed for objects? Not if it is the profiler's own code, such as its middleware. */
static bool judge_may_make(const struct judge *judge, uint32_t frame)
{
  static const char own[] = "RperfTop";
  const struct rtop_symbol *symbol = rtop_symbols_get(judge->symbols, frame);
  return judge_is_method(judge, frame) && strncmp(symbol->namespace_label, own, sizeof own - 1) != 0;
}

static bool judge_joins(const struct judge *judge, uint32_t node)
{
  const struct rtop_symbol *leaf = rtop_symbols_get(judge->symbols, rtop_symbols_get_node(judge->symbols, node)->frame);
  return rtop_symbol_is_core(leaf) && rtop_wait_kind_of(leaf->label) == RTOP_WAITS_THREAD;
}

static void judge_cell(struct judge *judge, const struct rtop_sum_cell *cell)
{
  const struct rtop_thread_row *row = &judge->sum->threads[cell->thread];
  struct verdict_lives *life = &judge->maker->lives[cell->thread];
  uint64_t off_ns = cell->cost.wall_ns[RTOP_STATE_BLOCKED], held_ns = verdict_held(&cell->cost);
  if (!judge_shows(judge, row)) return;
  struct off_way way = judge_way(judge, cell->node);
  uint32_t key = off_place(judge->symbols, cell->node, &way);
  life->work_ns += held_ns + cell->cost.wall_ns[RTOP_STATE_WAITING];
  judge->work_ns += held_ns + cell->cost.wall_ns[RTOP_STATE_WAITING];
  if (key < judge->frames) judge->maker->sums[key].mine |= way.mine;
  if (judge_counts(judge, row)) {
    judge->waiting_ns += cell->cost.wall_ns[RTOP_STATE_WAITING];
    judge_add(judge, key, OF_HELD, held_ns);
    /* The CPU time of a call without a safepoint is unknown until the call ends. */
    bool goes_on = row->stale && row->state == RTOP_STATE_RUNNING;
    if (!goes_on && judge_is_method(judge, rtop_symbols_get_node(judge->symbols, cell->node)->frame))
      judge_add(judge, key, OF_WITHOUT, verdict_without(&cell->cost));
    judge_add(judge, key, OF_BLAME, cell->cost.blame_ns);
    judge_add(judge, key, OF_ASKED, judge_asked(judge, cell));
    /* Allocations in "(shared)" belong to no method; older processes report some of them below the method
       that was running. */
    judge_add(judge, judge_may_make(judge, key) ? key : UINT32_MAX, OF_OBJECTS, cell->cost.allocations);
  }
  if (off_ns == 0) return;
  enum verdict_part part = judge_off(judge, cell->node, &way);
  judge_add(judge, key, part, off_ns);
  uint64_t cpu_ns = cell->cost.cpu_ns > held_ns ? cell->cost.cpu_ns - held_ns : 0;
  if (part == OF_WORK && key < judge->frames) judge->maker->sums[key].off_cpu += cpu_ns < off_ns ? cpu_ns : off_ns;
  bool work = part == OF_WORK || part == OF_LOCK;
  if (part == OF_REST && judge_joins(judge, cell->node)) life->joined_ns += off_ns;
  judge->work_ns += work ? off_ns : 0;
  *(work               ? &life->work_ns
    : part == OF_PAUSE ? &life->pause_ns
    : part == OF_REST  ? &life->rest_ns
                       : &life->unknown_ns) += off_ns;
}

static void judge_threads(struct judge *judge)
{
  struct verdict *verdict = judge->verdict;
  for (size_t i = 0; i < judge->sum->thread_count; i++) {
    const struct verdict_lives *life = &judge->maker->lives[i];
    uint64_t off_ns = life->rest_ns + life->pause_ns + life->unknown_ns;
    if (judge->sum->threads[i].ended || !judge_shows(judge, &judge->sum->threads[i])) continue;
    if (life->work_ns > off_ns) verdict->at_work++;
    else if (life->rest_ns >= life->pause_ns && life->rest_ns >= life->unknown_ns && off_ns > 0) {
      verdict->resting++;
      verdict->joining += life->joined_ns * 2 > life->rest_ns;
    } else if (life->pause_ns >= life->unknown_ns && off_ns > 0) verdict->pausing++;
    else if (off_ns > 0) verdict->unknown++;
  }
}

static double judge_least(const struct judge *judge, enum verdict_kind kind, double least)
{
  return judge->before && judge->before->kind == kind ? least * stays : least;
}

static uint64_t judge_most(const struct judge *judge, enum verdict_part part)
{
  uint64_t most = 0;
  for (size_t i = 0; i < judge->frames; i++)
    most = judge->maker->sums[i].of[part] > most ? judge->maker->sums[i].of[part] : most;
  return most;
}

static enum verdict_kind judge_kind(const struct judge *judge)
{
  const struct verdict *verdict = judge->verdict;
  double length = (double)judge->sum->length_ns, waiting = (double)judge->waiting_ns / length;
  double lock = (double)judge->of[OF_LOCK] / length, off = lock + (double)judge->of[OF_WORK] / length;
  if (verdict->without >= judge_least(judge, VERDICT_NO_CPU, without_least) &&
      verdict->without >= judge_least(judge, VERDICT_NO_CPU, without_of_held) * verdict->held)
    return VERDICT_NO_CPU;
  if (verdict->gc >= judge_least(judge, VERDICT_GC, gc_least)) return VERDICT_GC;
  if (lock >= judge_least(judge, VERDICT_LOCK, lock_least) && lock >= judge_least(judge, VERDICT_LOCK, waiting) &&
      (double)judge_most(judge, OF_LOCK) >= judge_least(judge, VERDICT_LOCK, 0.5) * (double)judge->of[OF_LOCK])
    return VERDICT_LOCK;
  if (waiting >= judge_least(judge, VERDICT_GVL, gvl_least) &&
      verdict->held >= judge_least(judge, VERDICT_GVL, gvl_held_least))
    return VERDICT_GVL;
  if (verdict->held >= judge_least(judge, VERDICT_RUNNING, running_sure) ||
      (verdict->held >= judge_least(judge, VERDICT_RUNNING, running_least) &&
       verdict->held >= judge_least(judge, VERDICT_RUNNING, off)))
    return VERDICT_RUNNING;
  return off >= judge_least(judge, VERDICT_BLOCKED, blocked_least) ? VERDICT_BLOCKED : VERDICT_IDLE;
}

static uint32_t verdict_key(const struct verdict_place *place)
{
  return place->caller ? place->caller : place->leaf;
}

static uint32_t judge_unsampled(const struct judge *judge)
{
  return rtop_symbols_get_node(judge->symbols, rtop_symbols_unsampled(judge->symbols))->frame;
}

/* Returns the frame with most of a part, with `mine` only of the application's; 0: none. Unknown time belongs
   to no frame. */
static uint32_t judge_worst_of(const struct judge *judge, enum verdict_part part, bool mine)
{
  const struct verdict_sums *sums = judge->maker->sums;
  uint32_t worst = 0, last = judge->before ? verdict_key(&judge->before->place) : 0;
  uint32_t unsampled = judge_unsampled(judge);
  for (uint32_t i = 1; i < judge->frames; i++)
    if (i != unsampled && (sums[i].mine || !mine) && sums[i].of[part] > sums[worst].of[part] * (worst != 0)) worst = i;
  bool keep = last && last < judge->frames && (sums[last].mine || !mine) &&
              judge->before->kind == judge->verdict->kind &&
              (double)sums[last].of[part] >= stays * (double)sums[worst].of[part];
  return keep ? last : worst;
}

/* Returns the frame with most of a part. A method that is not the application's is named only for a large share, since
   people can change the application. */
static uint32_t judge_worst(const struct judge *judge, enum verdict_part part)
{
  uint32_t worst = judge_worst_of(judge, part, false);
  const struct verdict_sums *sums = &judge->maker->sums[worst];
  if (worst == 0 || sums->mine || (part != OF_HELD && part != OF_BLAME)) return worst;
  bool named = judge->before && verdict_key(&judge->before->place) == worst;
  double value = (double)sums->of[part] / (named ? stays : 1), length = (double)judge->sum->length_ns;
  bool large = value >= foreign_least * (double)judge->of[part] && value >= foreign_of_span * length;
  return large ? worst : judge_worst_of(judge, part, true);
}

static uint64_t judge_value(const struct judge *judge, const struct rtop_sum_cell *cell, enum verdict_part part,
                            const struct off_way *way)
{
  const struct rtop_thread_row *row = &judge->sum->threads[cell->thread];
  if (!judge_shows(judge, row) || (part <= OF_OBJECTS && !judge_counts(judge, row))) return 0;
  switch (part) {
  case OF_HELD: return verdict_held(&cell->cost);
  case OF_WITHOUT: return row->stale && row->state == RTOP_STATE_RUNNING ? 0 : verdict_without(&cell->cost);
  case OF_BLAME: return cell->cost.blame_ns;
  case OF_ASKED: return judge_asked(judge, cell);
  case OF_OBJECTS: return cell->cost.allocations;
  default:
    if (cell->cost.wall_ns[RTOP_STATE_BLOCKED] == 0 || judge_off(judge, cell->node, way) != part) return 0;
    return cell->cost.wall_ns[RTOP_STATE_BLOCKED];
  }
}

/* Finds the innermost frame that has half of a place, and each thread's share of it. */
static struct verdict_place judge_leaf(struct judge *judge, enum verdict_part part, uint32_t key)
{
  struct verdict_maker *maker = judge->maker;
  uint32_t leaf = 0, last = judge->before ? judge->before->place.leaf : 0;
  for (size_t i = 0; i < judge->sum->cell_count; i++) {
    const struct rtop_sum_cell *cell = &judge->sum->cells[i];
    if (cell->thread >= judge->sum->thread_count) continue;
    struct off_way way = judge_way(judge, cell->node);
    if (off_place(judge->symbols, cell->node, &way) != key) continue;
    uint64_t value = judge_value(judge, cell, part, &way);
    uint32_t frame = rtop_symbols_get_node(judge->symbols, cell->node)->frame;
    if (frame >= judge->frames) continue;
    maker->lives[cell->thread].place_ns += value;
    if (!judge_is_method(judge, frame)) continue;
    maker->sums[frame].as_leaf += value;
    leaf = value && maker->sums[frame].as_leaf > maker->sums[leaf].as_leaf ? frame : leaf;
  }
  double all = (double)maker->sums[key].of[part];
  if (last && last < judge->frames && (double)maker->sums[last].as_leaf >= 0.5 * stays * all) leaf = last;
  else if ((double)maker->sums[leaf].as_leaf < 0.5 * all) leaf = 0;
  return leaf && leaf != key ? (struct verdict_place){ leaf, key } : (struct verdict_place){ key, 0 };
}

static struct verdict_stacks judge_stacks(const struct judge *judge)
{
  return (struct verdict_stacks){ judge->symbols, rtop_profile_lens(judge->profile) };
}

/* Finds the method whose loop contains nearly all of the place. */
static void judge_loop(struct judge *judge, enum verdict_part part, uint32_t key)
{
  struct verdict_sums *sums = judge->maker->sums;
  struct verdict_stacks stacks = judge_stacks(judge);
  uint32_t most = 0;
  for (size_t i = 0; i < judge->sum->cell_count; i++) {
    const struct rtop_sum_cell *cell = &judge->sum->cells[i];
    if (cell->thread >= judge->sum->thread_count) continue;
    struct off_way way = judge_way(judge, cell->node);
    if (!way.mine || way.own != key) continue;
    uint64_t value = judge_value(judge, cell, part, &way);
    uint32_t loop = value ? verdict_loop_of(&stacks, cell->node, key) : 0;
    if (loop == 0 || loop >= judge->frames) continue;
    sums[loop].as_loop += value;
    most = sums[loop].as_loop > sums[most].as_loop ? loop : most;
  }
  bool before = most && judge->before && judge->before->loop == most;
  double least = before ? loop_least * stays : loop_least;
  judge->verdict->loop = most && (double)sums[most].as_loop >= least * (double)sums[key].of[part] ? most : 0;
}

static struct verdict_place judge_place_of(const struct judge *judge, uint32_t node)
{
  struct off_way way = judge_way(judge, node);
  uint32_t leaf = rtop_symbols_get_node(judge->symbols, node)->frame;
  return way.own && way.own != leaf ? (struct verdict_place){ leaf, way.own } : (struct verdict_place){ leaf, 0 };
}

/* Finds the application's methods that use the lent connections. */
static void judge_pool_users(struct judge *judge)
{
  struct verdict_stacks stacks = judge_stacks(judge);
  struct verdict_sums *sums = judge->maker->sums;
  uint64_t best_ns = 0;
  uint32_t most = 0, best = 0;
  for (size_t i = 0; i < judge->sum->cell_count; i++) {
    const struct rtop_sum_cell *cell = &judge->sum->cells[i];
    if (cell->thread >= judge->sum->thread_count || !judge_shows(judge, &judge->sum->threads[cell->thread])) continue;
    struct off_way way = judge_way(judge, cell->node);
    uint64_t ns =
        verdict_held(&cell->cost) + cell->cost.wall_ns[RTOP_STATE_WAITING] + cell->cost.wall_ns[RTOP_STATE_BLOCKED];
    if (!way.mine || way.own >= judge->frames || !verdict_uses_pool(&stacks, cell->node, way.own)) continue;
    sums[way.own].lent += ns;
    if (most == way.own && ns <= best_ns) continue;
    if (sums[way.own].lent < sums[most].lent) continue;
    most = way.own;
    best = cell->node;
    best_ns = ns;
  }
  if (most != 0) judge->verdict->owner_place = judge_place_of(judge, best);
}

/* Does the place wait for a connection of a pool? */
static void judge_pool(struct judge *judge, enum verdict_part part)
{
  struct verdict *verdict = judge->verdict;
  struct verdict_stacks stacks = judge_stacks(judge);
  uint64_t pool_ns = 0;
  uint32_t key = verdict_key(&verdict->place);
  for (size_t i = 0; i < judge->sum->cell_count && key != 0; i++) {
    const struct rtop_sum_cell *cell = &judge->sum->cells[i];
    if (cell->thread >= judge->sum->thread_count) continue;
    struct off_way way = judge_way(judge, cell->node);
    if (!way.mine || way.own != key) continue;
    uint64_t value = judge_value(judge, cell, part, &way);
    pool_ns += value && verdict_waits_for_pool(&stacks, cell->node, key) ? value : 0;
  }
  verdict->pool = pool_ns > 0 && pool_ns * 2 >= judge->maker->sums[key].of[part];
  if (verdict->pool) judge_pool_users(judge);
}

static bool judge_named(const struct verdict_thread *thread, const struct rtop_thread_row *row)
{
  return thread->known && thread->serial == row->serial && thread->source == row->source;
}

/* A function that returns a thread's share of what is being judged. */
typedef uint64_t judge_share(const struct judge *judge, size_t thread);

static uint64_t judge_in_place(const struct judge *judge, size_t thread)
{
  return judge->maker->lives[thread].place_ns;
}

static uint64_t judge_holds(const struct judge *judge, size_t thread)
{
  const struct rtop_thread_row *row = &judge->sum->threads[thread];
  return judge_counts(judge, row) ? verdict_held(&row->cost) : 0;
}

/* Returns the thread with the largest share, if it may be named alone. */
static struct verdict_thread judge_thread(const struct judge *judge, judge_share *share, uint64_t all)
{
  uint64_t most = 0, next = 0;
  const struct rtop_thread_row *best = NULL;
  for (size_t i = 0; i < judge->sum->thread_count; i++) {
    uint64_t has = share(judge, i);
    next = has > most ? most : has > next ? has : next;
    if (has <= most) continue;
    most = has;
    best = &judge->sum->threads[i];
  }
  bool before = best && judge->before && judge_named(&judge->before->thread, best);
  bool alone = best && wait_names_alone((double)most, (double)next, (double)all, before);
  return alone ? verdict_thread_of(best) : (struct verdict_thread){ 0 };
}

/* Finds the threads in the place, and how long the thread with the largest share has been there. */
static void judge_who(struct judge *judge, uint64_t value)
{
  struct verdict *verdict = judge->verdict;
  uint64_t most = 0;
  for (size_t i = 0; i < judge->sum->thread_count; i++)
    most = judge_in_place(judge, i) > most ? judge_in_place(judge, i) : most;
  for (size_t i = 0; most > 0 && i < judge->sum->thread_count; i++)
    verdict->alike += judge_in_place(judge, i) >= most - most / 2;
  verdict->thread = judge_thread(judge, judge_in_place, value);
  verdict->thread_has = (double)most / (double)judge->sum->length_ns;
  verdict->thread_has = verdict->thread_has > 1 ? 1 : verdict->thread_has;
}

/* Finds the place with most of the time that the kind is about, and its share of `whole`. */
static void judge_place(struct judge *judge, enum verdict_part part, double whole, double least)
{
  struct verdict *verdict = judge->verdict;
  uint32_t worst = judge_worst(judge, part);
  uint64_t value = worst ? judge->maker->sums[worst].of[part] : 0;
  if (!worst || whole <= 0 || (double)value < judge_least(judge, verdict->kind, least) * whole) return;
  verdict->place = judge_leaf(judge, part, worst);
  verdict->share = (double)value / whole;
  verdict->blocked = (double)value / (double)judge->sum->length_ns;
  judge_who(judge, value);
  judge_loop(judge, part, worst);
}

/* Handles the case that most of the time is in a call without a safepoint that is not attributed to a method yet. */
static bool judge_unfinished(struct judge *judge)
{
  struct verdict *verdict = judge->verdict;
  for (size_t i = 0; i < judge->sum->thread_count; i++) {
    const struct rtop_thread_row *row = &judge->sum->threads[i];
    bool held = verdict_held(&row->cost) * 2 > judge->of[OF_HELD];
    if (row->ended || row->state != RTOP_STATE_RUNNING || !row->stale || !judge_counts(judge, row) || !held) continue;
    bool younger = row->state_age_ns > 0 && row->state_age_ns < row->stack_age_ns;
    uint64_t age_ns = younger ? row->state_age_ns : row->stack_age_ns;
    if (age_ns < unfinished_least_ns || age_ns > INT64_MAX) continue;
    verdict->thread = verdict_thread_of(row);
    verdict->place = row->node ? judge_place_of(judge, row->node) : (struct verdict_place){ 0 };
    verdict->share = (double)verdict_held(&row->cost) / (double)judge->of[OF_HELD];
    verdict->last_seen = true;
    verdict->since_ns = age_ns;
    return true;
  }
  return false;
}

enum inside { INSIDE_NONE, INSIDE_ANOTHER, INSIDE_IT };

/* Does the thread hold the lock? It does if the locking call is on its stack with other calls below, unless one of
 * these is a wait that releases the lock. It may if a similar call from another place is on its stack. */
static enum inside judge_is_inside(const struct judge *judge, const struct rtop_thread_row *row)
{
  enum inside inside = INSIDE_NONE;
  const struct verdict_place *place = &judge->verdict->place;
  uint32_t node = row->node, leaf = rtop_symbols_get_node(judge->symbols, node)->frame;
  if (row->ended || row->stale || !judge_shows(judge, row) || node == 0) return INSIDE_NONE;
  if (rtop_wait_lets_go(rtop_symbols_get(judge->symbols, leaf)->label)) return INSIDE_NONE;
  for (;;) {
    uint32_t parent = rtop_symbols_get_node(judge->symbols, node)->parent;
    if (parent == 0 || parent >= node) return inside;
    node = parent;
    if (rtop_symbols_get_node(judge->symbols, node)->frame != place->leaf) continue;
    struct verdict_place there = judge_place_of(judge, node);
    if (there.caller == place->caller) return INSIDE_IT;
    if (there.caller != 0)
      inside = INSIDE_ANOTHER; /* the lock is owned by the application,
                                                       not by the server that calls it */
  }
}

static bool judge_waits_there(const struct judge *judge, const struct rtop_thread_row *row)
{
  if (row->ended || row->stale || row->state != RTOP_STATE_BLOCKED || !judge_shows(judge, row)) return false;
  struct verdict_place there = judge_place_of(judge, row->node);
  return there.leaf == judge->verdict->place.leaf && there.caller == judge->verdict->place.caller;
}

static struct verdict_place judge_place_now(const struct judge *judge, const struct rtop_thread_row *row)
{
  bool known = !row->stale && !row->ended && row->node != 0;
  return known ? judge_place_of(judge, row->node) : (struct verdict_place){ 0 };
}

/* Finds the lock for which most threads in the place wait, as the index of a thread that waits for it; SIZE_MAX if the
 * process reports none. */
static size_t judge_told_lock(const struct judge *judge)
{
  struct rtop_lock_count locks[RTOP_LOCK_COUNTS_MAX];
  unsigned there[RTOP_LOCK_COUNTS_MAX] = { 0 };
  size_t count = rtop_lock_counts(judge->sum, locks), most = SIZE_MAX;
  for (size_t i = 0; i < judge->sum->thread_count && count > 0; i++) {
    const struct rtop_thread_row *row = &judge->sum->threads[i];
    if (!rtop_lock_waits(row) || !judge_waits_there(judge, row)) continue;
    for (size_t k = 0; k < count; k++)
      if (rtop_lock_same(&judge->sum->threads[locks[k].row], row)) {
        there[k]++;
        most = most == SIZE_MAX || there[k] > there[most] ? k : most;
      }
  }
  return most == SIZE_MAX ? SIZE_MAX : locks[most].row;
}

/* False: the process does not tell. */
static bool judge_told_owner(struct judge *judge)
{
  struct verdict *verdict = judge->verdict;
  struct rtop_lock_chain chain;
  size_t row = judge_told_lock(judge);
  if (row == SIZE_MAX) return false;
  verdict->lock = judge->sum->threads[row].lock;
  rtop_lock_chain(&chain, judge->sum, judge->symbols, row);
  if (chain.count < 2) return true;
  const struct rtop_thread_row *owner = &judge->sum->threads[chain.rows[1]];
  const struct rtop_thread_row *root = &judge->sum->threads[chain.rows[chain.count - 1]];
  verdict->owner = verdict_thread_of(owner);
  verdict->owner_place = judge_place_now(judge, owner);
  if (verdict->lock.wants == RTOP_WANTS_LOAD && !owner->stale)
    verdict->loads = rtop_lock_loads(judge->symbols, owner->node);
  if (chain.count == 2 || chain.circle || chain.longer) return true;
  verdict->root = verdict_thread_of(root);
  verdict->root_place = judge_place_now(judge, root);
  return true;
}

/* Finds the owner of the lock, as reported or as the only candidate, and how long the first waiter has waited. */
static void judge_owner(struct judge *judge)
{
  struct verdict *verdict = judge->verdict;
  const struct rtop_thread_row *owner[INSIDE_IT + 1] = { NULL };
  unsigned count[INSIDE_IT + 1] = { 0 };
  bool told = judge_told_owner(judge);
  for (size_t i = 0; i < judge->sum->thread_count; i++) {
    const struct rtop_thread_row *row = &judge->sum->threads[i];
    bool waits = judge_waits_there(judge, row);
    if (waits && row->state_age_ns > verdict->since_ns && row->state_age_ns < INT64_MAX)
      verdict->since_ns = row->state_age_ns;
    if (waits || told) continue;
    enum inside inside = judge_is_inside(judge, row);
    count[inside]++;
    owner[inside] = row;
  }
  enum inside found = count[INSIDE_IT] > 0 ? INSIDE_IT : INSIDE_ANOTHER;
  if (told || count[found] != 1 || !verdict->place.caller) return;
  verdict->owner = verdict_thread_of(owner[found]);
  verdict->owner_elsewhere = found == INSIDE_ANOTHER;
  verdict->owner_place = judge_place_of(judge, owner[found]->node);
}

/* Finds what owners of locks did over the whole span, since the state at its end may be chance. */
static void judge_behind(struct judge *judge)
{
  struct verdict *verdict = judge->verdict;
  const struct wait_sums *waits = &judge->maker->waits;
  uint32_t place = verdict->place.caller ? verdict->place.caller : verdict->place.leaf;
  if (judge->shown != VERDICT_ALL_SOURCES || !wait_sums_build(&judge->maker->waits, judge->sum, judge->profile)) return;
  for (size_t i = 0; i < waits->count && wait_kind_is_lock(waits->rows[i].kind); i++) {
    const struct wait_row *row = &waits->rows[i];
    const struct wait_behind *behind = row->behind_count ? wait_row_behind(waits, row) : NULL;
    if (row->place != place || !behind || !behind->frame || behind->wait_ns * 2 < row->wait_ns) continue;
    verdict->behind.place = (struct verdict_place){ behind->frame, behind->took };
    verdict->behind.share = (double)behind->wait_ns / (double)row->wait_ns;
    if (behind->known) verdict->behind.thread = verdict_thread_of(&behind->thread);
    return;
  }
}

/* Finds a deadlock, which takes precedence over all other kinds. Its age is that of the last thread that
   began to wait. */
static bool judge_deadlock(struct judge *judge)
{
  struct verdict *verdict = judge->verdict;
  struct rtop_lock_chain circle;
  if (!rtop_lock_deadlock(&circle, judge->sum, judge->symbols) ||
      !judge_shows(judge, &judge->sum->threads[circle.rows[0]]))
    return false;
  verdict->kind = VERDICT_LOCK;
  if (verdict->source != VERDICT_ALL_SOURCES) verdict->source = judge->sum->threads[circle.rows[0]].source;
  verdict->deadlock.count = circle.count;
  verdict->blocked = circle.count;
  verdict->since_ns = UINT64_MAX;
  for (unsigned i = 0; i < circle.count; i++) {
    const struct rtop_thread_row *row = &judge->sum->threads[circle.rows[i]];
    const struct rtop_thread_row *owner = &judge->sum->threads[circle.rows[(i + 1) % circle.count]];
    if (row->state_age_ns < verdict->since_ns) verdict->since_ns = row->state_age_ns;
    if (i >= VERDICT_DEADLOCK_MAX) continue;
    verdict->deadlock.of[i] = (struct verdict_waits){
      .thread = verdict_thread_of(row),
      .owner = verdict_thread_of(owner),
      .place = judge_place_now(judge, row),
      .lock = row->lock,
    };
  }
  const struct verdict_waits *first = &verdict->deadlock.of[0];
  verdict->place = first->place;
  verdict->thread = first->thread;
  verdict->owner = first->owner;
  verdict->owner_place = verdict->deadlock.of[1 % VERDICT_DEADLOCK_MAX].place;
  verdict->lock = first->lock;
  return true;
}

/* Finds how long the only thread blocked in the place has been blocked. */
static void judge_since(struct judge *judge)
{
  struct verdict *verdict = judge->verdict;
  for (size_t i = 0; verdict->thread.known && i < judge->sum->thread_count; i++) {
    const struct rtop_thread_row *row = &judge->sum->threads[i];
    if (row->serial == verdict->thread.serial && row->source == verdict->thread.source &&
        judge_waits_there(judge, row) && row->state_age_ns < INT64_MAX)
      verdict->since_ns = row->state_age_ns;
  }
}

/* Finds the holder of the GVL: chosen by the waiting of others, but shown with its share of the held time. */
static void judge_holding(struct judge *judge)
{
  struct verdict *verdict = judge->verdict;
  enum verdict_part part = judge->of[OF_BLAME] * 2 >= judge->waiting_ns ? OF_BLAME : OF_HELD;
  judge_place(judge, part, (double)judge->of[part], 0.2);
  if (!verdict->place.leaf || judge->of[OF_HELD] == 0) return;
  verdict->share = (double)judge->maker->sums[verdict_key(&verdict->place)].of[OF_HELD] / (double)judge->of[OF_HELD];
}

/* Is the running time spread over several methods of which none explains it? */
static void judge_spread(struct judge *judge)
{
  struct verdict *verdict = judge->verdict;
  const struct verdict_sums *sums = judge->maker->sums;
  uint32_t key = verdict_key(&verdict->place), unsampled = judge_unsampled(judge);
  bool named = judge->before && judge->before->spread == 0 && key == verdict_key(&judge->before->place);
  double least = named ? explains_least * stays : explains_least;
  if (key != 0 && (double)sums[key].of[OF_HELD] >= least * (double)judge->of[OF_HELD]) return;
  for (uint32_t i = 1; i < judge->frames; i++) verdict->spread += i != unsampled && sums[i].of[OF_HELD] > 0;
  if (verdict->spread < 2) verdict->spread = 0;
}

/* Does C code without the GVL compute (compression, encryption)? It does if it has a core, or has one for part of the
 * time and was ready for one during the remaining time, except for the time of the thread with the GVL. Other processes
 * may leave it almost no core: if it was seen to compute before, it still does if all the remaining time was such time. */
static bool judge_computes(const struct judge *judge)
{
  struct rtop_profile_cores cores;
  uint32_t key = verdict_key(&judge->verdict->place), source = judge_only_source(judge);
  const struct verdict_sums *sums = &judge->maker->sums[key];
  uint64_t work_ns = sums->of[OF_WORK], cpu_ns = sums->off_cpu;
  bool before = judge->before && judge->before->computes && verdict_key(&judge->before->place) == key;
  if (judge->verdict->place.leaf == 0 || (cpu_ns == 0 && !before)) return false;
  if (cpu_ns * 2 >= work_ns) return true;
  if (source == VERDICT_ALL_SOURCES || !rtop_profile_cores(judge->profile, source, judge->sum->span, &cores))
    return false;
  uint64_t held_ns = judge->of[OF_WITHOUT], ready_ns = cores.delayed_ns > held_ns ? cores.delayed_ns - held_ns : 0;
  if (cpu_ns * 50 >= work_ns) return (cpu_ns + ready_ns) * 2 >= work_ns;
  uint64_t others_ns = judge->of[OF_WORK] - work_ns; /* which may have been ready instead */
  return before && ready_ns > others_ns && (ready_ns - others_ns) * 10 >= work_ns * 9;
}

/* Finds from the kernel's figures why there was no core. A quota also makes tasks ready and waiting, so it is checked
 * first; both delay the publisher as a stop does, but a stopped task is not ready. */
static void judge_why(struct judge *judge)
{
  struct verdict *verdict = judge->verdict;
  struct rtop_profile_cores cores;
  uint32_t source = judge_one(judge);
  double without_ns = verdict->without * (double)judge->sum->length_ns;
  double stopped_ns = (double)judge->process.counters.stopped_ns;
  if (source == VERDICT_ALL_SOURCES || !rtop_profile_cores(judge->profile, source, judge->sum->span, &cores)) return;
  if (cores.tells_throttled && (double)cores.throttled_ns * 2 >= without_ns) verdict->why = VERDICT_WHY_QUOTA;
  else if ((double)cores.delayed_ns * 2 >= without_ns) verdict->why = VERDICT_WHY_OTHERS;
  else if (stopped_ns * 2 >= without_ns) verdict->why = VERDICT_WHY_STOPPED;
  else if (((double)cores.delayed_ns + stopped_ns) * 4 < without_ns) verdict->why = VERDICT_WHY_SLEEPS;
}

/* Returns the CPU time of the judged process in the span without that of the publisher (ns); 0: unknown. */
static uint64_t judge_process_cpu(const struct judge *judge)
{
  const struct rtop_span_counters *counters = &judge->process.counters;
  return counters->cpu_ns > counters->publisher_cpu_ns ? counters->cpu_ns - counters->publisher_cpu_ns : 0;
}

static void judge_drop_place(struct verdict *verdict)
{
  verdict->place = (struct verdict_place){ 0 };
  verdict->thread = (struct verdict_thread){ 0 };
  verdict->share = verdict->blocked = verdict->thread_has = 0;
  verdict->alike = verdict->loop = 0;
}

/* Must the place have been without a core for half of the time, even if it used all the CPU time of the process? */
static bool judge_was_without(const struct judge *judge, double without_ns)
{
  uint64_t held_ns = judge->maker->sums[verdict_key(&judge->verdict->place)].of[OF_HELD];
  uint64_t cpu_ns = judge_process_cpu(judge);
  return cpu_ns > 0 && held_ns > cpu_ns && (double)(held_ns - cpu_ns) * 2 >= without_ns;
}

/* Finds the place that had no core. If a call has not ended, its time belongs to no method yet: the place is where the
   thread was last seen. */
static void judge_no_cpu(struct judge *judge)
{
  double without_ns = judge->verdict->without * (double)judge->sum->length_ns;
  judge_why(judge);
  if ((double)judge->of[OF_WITHOUT] * 2 >= without_ns)
    judge_place(judge, OF_WITHOUT, (double)judge->of[OF_WITHOUT], 0.25);
  else if (!judge_unfinished(judge)) {
    judge_place(judge, OF_HELD, (double)judge->of[OF_HELD], 0.5);
    if (!judge_was_without(judge, without_ns)) judge_drop_place(judge->verdict);
  }
}

/* Finds the method that requested most collections, else the one that makes the garbage. */
static void judge_gc(struct judge *judge)
{
  struct verdict *verdict = judge->verdict;
  judge_place(judge, OF_ASKED, verdict->gc * (double)judge->sum->length_ns, 0.5);
  verdict->asked = verdict->place.leaf != 0;
  if (!verdict->asked) judge_place(judge, OF_OBJECTS, (double)judge->of[OF_OBJECTS], 0.5);
}

static void judge_blame(struct judge *judge)
{
  struct verdict *verdict = judge->verdict;
  double length = (double)judge->sum->length_ns, work = (double)judge->work_ns;
  enum verdict_part off;
  switch (verdict->kind) {
  case VERDICT_NO_CPU: judge_no_cpu(judge); break;
  case VERDICT_GC: judge_gc(judge); break;
  case VERDICT_LOCK:
    judge_place(judge, OF_LOCK, work, 0.25);
    judge_owner(judge);
    if (verdict->place.leaf) judge_behind(judge);
    break;
  case VERDICT_GVL:
    if (judge_unfinished(judge)) break;
    judge_holding(judge);
    verdict->thread = judge_thread(judge, judge_holds, judge->of[OF_HELD]);
    break;
  case VERDICT_RUNNING:
    if (judge_unfinished(judge)) break;
    judge_place(judge, OF_HELD, length, 0.1 * verdict->held);
    judge_spread(judge);
    break;
  case VERDICT_BLOCKED:
    off = judge->of[OF_LOCK] > judge->of[OF_WORK] ? OF_LOCK : OF_WORK;
    judge_place(judge, off, work, 0.25);
    verdict->computes = judge_computes(judge);
    judge_since(judge);
    if (!judge_told_owner(judge)) judge_pool(judge, off); /* told: a lock of the VM's own */
    break;
  case VERDICT_IDLE:
    judge_place(judge, OF_PAUSE, (double)judge->of[OF_PAUSE], 0.5);
    verdict->pause = verdict->place;
    break;
  case VERDICT_NONE:
  case VERDICT_KINDS: break;
  }
}

/* Finds advice. Threads that wait for a lock are counted as working off the GVL, so too few threads
   are never advised. */
static void judge_advice(struct judge *judge)
{
  struct verdict *verdict = judge->verdict;
  double length = (double)judge->sum->length_ns;
  uint64_t off_ns = judge->of[OF_WORK] + judge->of[OF_LOCK];
  struct verdict_figures figures = { .held = verdict->gvl.held, .at_work = verdict->at_work, .pool = verdict->pool };
  if (verdict->gvl.count != 1 || verdict->gvl.ractors) return;
  figures.one_holds = verdict->gvl.holder.known;
  figures.off = (double)off_ns / length;
  for (size_t i = 0; verdict->pool && i < judge->sum->thread_count; i++) {
    if (judge_in_place(judge, i) * 100 < judge->sum->length_ns) continue;
    figures.waiters++;
    figures.pool_blocked += (double)judge_in_place(judge, i) / length;
  }
  verdict->advice = verdict_advice_of(&figures);
}

static bool judge_reserve(struct judge *judge)
{
  struct verdict_maker *maker = judge->maker;
  size_t threads = judge->sum->thread_count;
  judge->frames = rtop_symbols_frame_count(judge->symbols);
  if (!off_ways_begin(&maker->ways, rtop_profile_lens(judge->profile), judge->symbols) ||
      !rtop_reserve(&maker->sums, &maker->sum_capacity, judge->frames, sizeof *maker->sums) ||
      !rtop_reserve(&maker->lives, &maker->life_capacity, threads + 1, sizeof *maker->lives))
    return false;
  memset(maker->sums, 0, judge->frames * sizeof *maker->sums);
  memset(maker->lives, 0, threads * sizeof *maker->lives);
  return true;
}

/* Returns the least time with the GVL but without a core (ns). Calls that have not ended have no CPU time of their own
 * yet, but those that had the GVL did not use more than the process did. The CPU time of the process is
 * not used where it may have been read too rarely. */
static uint64_t judge_without_least(struct judge *judge, uint64_t held_ns)
{
  uint32_t source = judge_one(judge);
  if (source == VERDICT_ALL_SOURCES || judge->sum->thread_count >= rarely_read_threads ||
      judge->sum->length_ns < rarely_read_ns)
    return 0;
  rtop_profile_window_alone(judge->profile, source, judge->sum->span, &judge->process);
  uint64_t cpu_ns = judge_process_cpu(judge);
  return judge->process.counters.cpu_ns > 0 && held_ns > cpu_ns ? held_ns - cpu_ns : 0;
}

/* Computes the shares of time with the GVL and in collections, for the judged process. */
static void judge_shares(struct judge *judge)
{
  struct verdict *verdict = judge->verdict;
  const struct rtop_sum *sum = judge->sum;
  uint64_t gc_ns = 0, held_ns = 0, cpu_ns = 0;
  for (size_t i = 0; i < sum->thread_count; i++) {
    const struct rtop_cost *cost = &sum->threads[i].cost;
    if (!judge_counts(judge, &sum->threads[i])) continue;
    gc_ns += judge_collected(cost);
    held_ns += verdict_held(cost);
    cpu_ns += cost->cpu_ns;
  }
  verdict->gc = (double)gc_ns / (double)sum->length_ns;
  verdict->held = (double)held_ns / (double)sum->length_ns;
  if (verdict->source == VERDICT_ALL_SOURCES) verdict->held = verdict->gvl.held;
  if (verdict->gvl.count == 0 || verdict->gvl.ractors) return;
  uint64_t ended_ns = cpu_ns > 0 ? judge->of[OF_WITHOUT] : 0, least_ns = judge_without_least(judge, held_ns);
  verdict->without = (double)(ended_ns > least_ns ? ended_ns : least_ns) / (double)sum->length_ns;
}

/* Returns a sum with all frames: threads that wait for work are recognised by frames that the lens may hide. */
static const struct rtop_sum *verdict_whole(struct verdict_maker *maker, const struct rtop_sum *sum,
                                            const struct rtop_profile *profile, uint32_t source)
{
  if (!rtop_profile_hides(profile)) return sum;
  if (!rtop_profile_sum_whole(profile, sum->span, &maker->whole)) return NULL;
  rtop_profile_open_blame(profile, &maker->whole);
  if (source != VERDICT_ALL_SOURCES) rtop_profile_alone(profile, source, &maker->whole);
  return &maker->whole;
}

bool verdict_make(struct verdict_maker *maker, const struct rtop_sum *shown, struct rtop_profile *profile,
                  uint32_t source, const struct verdict *before, struct verdict *verdict)
{
  const struct rtop_sum *sum = verdict_whole(maker, shown, profile, source);
  struct verdict last = before ? *before : (struct verdict){ 0 };
  struct judge judge = { .maker = maker,
                         .sum = sum,
                         .profile = profile,
                         .symbols = rtop_profile_symbols(profile),
                         .shown = source,
                         .before = before ? &last : NULL,
                         .verdict = verdict };
  *verdict = (struct verdict){ .source = VERDICT_ALL_SOURCES };
  if (!sum) return false;
  if (sum->length_ns == 0) return true;
  verdict->gvl = verdict_gvl_of(sum, profile, source);
  if (!judge_reserve(&judge)) return false;
  verdict->source = judge_busiest(&judge);
  for (size_t i = 0; i < sum->cell_count; i++)
    if (sum->cells[i].thread < sum->thread_count) judge_cell(&judge, &sum->cells[i]);
  judge_shares(&judge);
  judge_threads(&judge);
  verdict->threads = (double)judge.work_ns / (double)sum->length_ns;
  verdict->objects = (double)judge.of[OF_OBJECTS] * 1e9 / (double)sum->length_ns;
  if (judge_deadlock(&judge)) return true;
  verdict->kind = judge_kind(&judge);
  judge_blame(&judge);
  judge_advice(&judge);
  return true;
}

void verdict_maker_destroy(struct verdict_maker *maker)
{
  off_ways_destroy(&maker->ways);
  rtop_sum_destroy(&maker->whole);
  wait_sums_destroy(&maker->waits);
  free(maker->sums);
  free(maker->lives);
  memset(maker, 0, sizeof *maker);
}

bool verdict_is_like(const struct verdict *one, const struct verdict *other)
{
  bool spread = one->spread > 0 && other->spread > 0; /* whichever method has most */
  return one->kind == other->kind && (one->deadlock.count > 0) == (other->deadlock.count > 0) &&
         (one->spread > 0) == (other->spread > 0) && (spread || verdict_key(&one->place) == verdict_key(&other->place));
}

void verdict_keep(const struct verdict *verdict, struct rtop_symbols *symbols)
{
  const struct verdict_place *places[5 + VERDICT_DEADLOCK_MAX] = { &verdict->place, &verdict->owner_place,
                                                                   &verdict->pause, &verdict->root_place,
                                                                   &verdict->behind.place };
  for (unsigned i = 0; i < VERDICT_DEADLOCK_MAX; i++) places[5 + i] = &verdict->deadlock.of[i].place;
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    rtop_symbols_use_frame(symbols, places[i]->leaf);
    rtop_symbols_use_frame(symbols, places[i]->caller);
  }
  rtop_symbols_use_frame(symbols, verdict->loop);
}
