/* SPDX-License-Identifier: MIT */
/* Examines the windows of a slow block again. */
#include "slow_look.h"

#include "shm/base/label_text.h"
#include "tui/text/text.h"
#include <string.h>

enum { SLOW_PARTS = 64 };

/* A part of the seen time: of one thread in one method. When there are too many parts, the smallest one is replaced;
   the parts with most of the time stay. */
struct slow_part {
  uint32_t thread, frame, node;
  uint64_t ns, node_ns;
};
struct slow_parts {
  struct slow_part all[SLOW_PARTS];
  size_t count;
  uint64_t seen_ns;
};

struct slow_walk {
  struct rtop_profile *profile;
  struct wait_stacks stacks;
  const struct rtop_slow_call *block;
  int64_t begin_ns;
  uint32_t source, labels;
  enum rtop_work_cause cause;
  uint32_t asked, covers; /* asked: the last label set that was checked;
                             covers: whether it contains the block's labels */
  struct slow_parts where, gvl, lock;
};

enum rtop_work_cause slow_largest(const struct rtop_slow_call *block)
{
  int most = RTOP_WORK_RUNNING;
  for (int cause = RTOP_WORK_RUNNING; cause < RTOP_WORK_CAUSES; cause++)
    if (block->work_ns[cause] > block->work_ns[most]) most = cause;
  return (enum rtop_work_cause)most;
}

static void slow_add(struct slow_parts *parts, uint32_t thread, uint32_t frame, uint32_t node, uint64_t ns)
{
  struct slow_part *part = NULL, *least = &parts->all[0];
  parts->seen_ns += ns;
  for (size_t i = 0; i < parts->count && !part; i++) {
    if (parts->all[i].thread == thread && parts->all[i].frame == frame) part = &parts->all[i];
    if (parts->all[i].ns < least->ns) least = &parts->all[i];
  }
  if (!part) {
    part = parts->count < SLOW_PARTS ? &parts->all[parts->count++] : least;
    *part = (struct slow_part){ .thread = thread, .frame = frame };
  }
  part->ns += ns;
  if (ns > part->node_ns) {
    part->node = node;
    part->node_ns = ns;
  }
}

static const struct slow_part *slow_most(const struct slow_parts *parts)
{
  const struct slow_part *most = NULL;
  for (size_t i = 0; i < parts->count; i++)
    if (!most || parts->all[i].ns > most->ns) most = &parts->all[i];
  return most;
}

/* ---- the block's own stacks ----------------------------------------------------------------------------- */

/* Does the set contain the labels that began the block? Sets of nested blocks contain more. */
static bool slow_set_covers(const struct slow_walk *walk, uint32_t frame)
{
  const char *own = rtop_symbols_get(walk->stacks.symbols, walk->labels)->label;
  const char *set = rtop_symbols_get(walk->stacks.symbols, frame)->label;
  struct rtop_label_buffer wanted, has;
  uint32_t place = 0;
  for (size_t at = 0; rtop_label_text_next(own, strlen(own), &at, &wanted); place++) {
    bool found = place >= 32 || !(walk->block->own >> place & 1);
    for (size_t there = 0; !found && rtop_label_text_next(set, strlen(set), &there, &has);)
      found = strcmp(wanted.key, has.key) == 0 && strcmp(wanted.value, has.value) == 0;
    if (!found) return false;
  }
  return true;
}

static bool slow_covers(struct slow_walk *walk, uint32_t node)
{
  uint32_t frame = rtop_symbols_get_node(walk->stacks.symbols, node)->labels;
  if (!frame || frame == walk->labels) return frame;
  if (frame != walk->asked) walk->covers = slow_set_covers(walk, frame);
  walk->asked = frame;
  return walk->covers;
}

/* Is the window entirely within the block? Never under a fiber scheduler, where the thread runs
   other fibers meanwhile. */
static bool slow_has_window(const struct slow_walk *walk, const struct rtop_look *window)
{
  return window->start_ns >= walk->begin_ns && window->end_ns <= walk->block->end_ns &&
         !walk->block->work_ns[RTOP_WORK_FIBER];
}

/* Does the cell belong to the block's largest cause? A blocked cell is judged by its method; an unknown method may
   wait for anything. */
static bool slow_is_of_cause(const struct slow_walk *walk, const struct rtop_look_cell *cell)
{
  enum rtop_wait_kind kind;
  switch (walk->cause) {
  case RTOP_WORK_RUNNING: return cell->state == RTOP_STATE_RUNNING;
  case RTOP_WORK_GVL:
  case RTOP_WORK_GC_OTHERS: return cell->state == RTOP_STATE_WAITING;
  case RTOP_WORK_GC: return cell->state == RTOP_STATE_MARKING || cell->state == RTOP_STATE_SWEEPING;
  case RTOP_WORK_FIBER: return false;
  default: break;
  }
  if (cell->state != RTOP_STATE_BLOCKED) return false;
  kind = wait_kind(&walk->stacks, cell->node);
  switch (walk->cause) {
  case RTOP_WORK_LOCK: return wait_kind_is_lock(kind) || kind == RTOP_WAITS_OTHER;
  case RTOP_WORK_QUEUE:
    return kind == RTOP_WAITS_QUEUE || kind == RTOP_WAITS_SIZED_ROOM || kind == RTOP_WAITS_CONDITION ||
           kind == RTOP_WAITS_OTHER;
  case RTOP_WORK_IO: return kind == RTOP_WAITS_IO || kind == RTOP_WAITS_OTHER;
  case RTOP_WORK_SLEEP: return kind == RTOP_WAITS_SLEEP || kind == RTOP_WAITS_OTHER;
  default: return kind == RTOP_WAITS_THREAD || kind == RTOP_WAITS_CHILD || kind == RTOP_WAITS_OTHER;
  }
}

static void slow_add_own(struct slow_walk *walk, const struct rtop_look *window, const struct rtop_look_cell *cell)
{
  const struct rtop_symbols *symbols = walk->stacks.symbols;
  if (!slow_is_of_cause(walk, cell) || cell->node == rtop_symbols_unsampled(symbols)) return;
  if (!slow_has_window(walk, window) && !slow_covers(walk, cell->node)) return;
  slow_add(&walk->where, cell->thread, rtop_symbols_get_node(symbols, cell->node)->frame, cell->node, cell->wall_ns);
}

/* ---- behind whom ---------------------------------------------------------------------------------------- */

/* Adds time of a thread that had the GVL. `share`: the waiting of the block's thread, as a part of all waiting for the
   GVL behind other threads in the window. */
static void slow_add_gvl(struct slow_walk *walk, const struct rtop_look_cell *cell, double share)
{
  struct off_way way = off_ways_get(walk->stacks.ways, walk->stacks.lens, walk->stacks.symbols, cell->node);
  if (cell->node == rtop_symbols_unsampled(walk->stacks.symbols)) return;
  slow_add(&walk->gvl, cell->thread, off_place(walk->stacks.symbols, cell->node, &way), cell->node,
           (uint64_t)((double)cell->blame_ns * share));
}

/* Adds the owner of the lock that the thread waits for at the end of the window, for as long as it has waited
   in this window. */
static void slow_add_lock(struct slow_walk *walk, const struct rtop_look *window, const struct rtop_look_thread *waiter)
{
  uint64_t length_ns = (uint64_t)(window->end_ns - window->start_ns);
  uint64_t ns = waiter->state_age_ns < length_ns ? waiter->state_age_ns : length_ns;
  if (!wait_is_for_lock(&walk->stacks, waiter) || !waiter->lock.holder || window->end_ns > walk->block->end_ns) return;
  for (size_t i = 0; i < window->thread_count; i++) {
    struct rtop_look_thread holder = rtop_look_thread(window, i);
    if (rtop_profile_thread_serial(walk->profile, holder.thread) != waiter->lock.holder || holder.ended) continue;
    struct wait_holder does = wait_holder(&walk->stacks, &holder);
    uint32_t frame = does.took ? does.took : does.frame;
    slow_add(&walk->lock, holder.thread, frame, holder.stale ? 0 : holder.node, ns);
    return;
  }
}

/* Returns the waiting of the block's thread for the GVL, as a part of all waiting behind other threads; 0: none. */
static double slow_gvl_share(const struct slow_walk *walk, const struct rtop_look *window)
{
  double waited = 0, behind = 0;
  for (size_t i = 0; walk->block->work_ns[RTOP_WORK_GVL] && i < window->cell_count; i++) {
    struct rtop_look_cell cell = rtop_look_cell(window, i);
    if (rtop_profile_thread_serial(walk->profile, cell.thread) != walk->block->serial) behind += (double)cell.blame_ns;
    else if (cell.state == RTOP_STATE_WAITING) waited += (double)cell.wall_ns;
  }
  return behind > 0 ? waited / behind : 0;
}

static void slow_visit(void *context, const struct rtop_look *window)
{
  struct slow_walk *walk = context;
  if (window->gap || window->source != walk->source) return;
  double share = slow_gvl_share(walk, window);
  for (size_t i = 0; i < window->cell_count; i++) {
    struct rtop_look_cell cell = rtop_look_cell(window, i);
    bool own = rtop_profile_thread_serial(walk->profile, cell.thread) == walk->block->serial;
    if (own) slow_add_own(walk, window, &cell);
    else if (cell.blame_ns && share > 0) slow_add_gvl(walk, &cell, share);
  }
  for (size_t i = 0; walk->block->work_ns[RTOP_WORK_LOCK] && i < window->thread_count; i++) {
    struct rtop_look_thread thread = rtop_look_thread(window, i);
    if (rtop_profile_thread_serial(walk->profile, thread.thread) != walk->block->serial) continue;
    slow_add_lock(walk, window, &thread);
    break;
  }
}

/* Maximum length (ns) that is examined, up to the end of the block, since each drawing repeats the walk. */
#define SLOW_LOOK_NS INT64_C(30000000000)

static void slow_tell_holder(struct slow_holder *holder, const struct slow_walk *walk, const struct slow_parts *parts)
{
  const struct slow_part *most = slow_most(parts);
  if (!most) return;
  *holder = (struct slow_holder){
    .frame = most->frame,
    .node = most->node,
    .serial = rtop_profile_thread_serial(walk->profile, most->thread),
    .thread = rtop_profile_thread_name(walk->profile, most->thread),
    .there_ns = most->ns,
    .seen_ns = parts->seen_ns,
  };
}

static void slow_tell(struct slow_look *look, const struct slow_walk *walk)
{
  const struct slow_part *most = slow_most(&walk->where);
  slow_tell_holder(&look->gvl, walk, &walk->gvl);
  slow_tell_holder(&look->lock, walk, &walk->lock);
  if (!most) return;
  struct off_way way = off_ways_get(walk->stacks.ways, walk->stacks.lens, walk->stacks.symbols, most->node);
  look->node = most->node;
  look->frame = most->frame;
  look->own = way.own == most->frame ? 0 : way.own;
  look->there_ns = most->ns;
  look->seen_ns = walk->where.seen_ns;
}

bool slow_look(struct slow_look *look, struct rtop_profile *profile, struct off_ways *ways, uint32_t source,
               const struct rtop_slow_call *block)
{
  const struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  struct rtop_lens *lens = rtop_profile_lens(profile);
  int64_t begin_ns;
  bool timed =
      block->total_ns <= INT64_MAX && !__builtin_sub_overflow(block->end_ns, (int64_t)block->total_ns, &begin_ns);
  if (!timed) begin_ns = block->end_ns;
  int64_t from_ns = block->total_ns > (uint64_t)SLOW_LOOK_NS ? block->end_ns - SLOW_LOOK_NS : begin_ns;
  struct slow_walk walk = { .profile = profile,
                            .stacks = { ways, lens, symbols },
                            .block = block,
                            .begin_ns = begin_ns,
                            .source = source,
                            .labels = rtop_symbols_get_node(symbols, block->node)->labels,
                            .cause = slow_largest(block) };
  *look = (struct slow_look){ .cause = walk.cause, .gvl.thread = "", .lock.thread = "" };
  if (!off_ways_begin(ways, lens, symbols)) return false;
  if (!block->serial || source == UINT32_MAX || !timed) return true;
  rtop_profile_each(profile, (struct rtop_span){ from_ns, block->end_ns }, slow_visit, &walk);
  slow_tell(look, &walk);
  return true;
}

void slow_label_words(char *out, size_t bytes, const struct rtop_slow_call *block, const struct rtop_symbols *symbols)
{
  const char *set = rtop_symbols_get(symbols, rtop_symbols_get_node(symbols, block->node)->frame)->label;
  struct phrase text = { out, bytes, 0 };
  struct rtop_label_buffer label;
  uint32_t place = 0;
  out[0] = '\0';
  for (size_t at = 0; rtop_label_text_next(set, strlen(set), &at, &label); place++)
    if (place < 32 && block->own >> place & 1)
      phrase_add(&text, "%s%s=%s", text.used ? ", " : "", label.key, label.value);
}
