/* SPDX-License-Identifier: MIT */
/* Finds the methods that caused the waiting of a stall, by examining its windows again once the stall is known. */
#include "stalls_impl.h"

#include "tui/text/reserve.h"
#include <string.h>

#define BEHIND_LEAST 0.25 /* of the waiting: less explains no stall */

struct behind_walk {
  struct stalls_look *look;
  struct wait_stacks stacks;
};

void stalls_ask_behind(struct stalls_look *look, const struct stall *stall, uint32_t place)
{
  struct stalls_state *state = look->state;
  if (!rtop_reserve(&state->behind, &state->behind_capacity, state->behind_count + 1, sizeof *state->behind)) return;
  state->behind[state->behind_count++] = (struct stalls_behind){
    .stall = stall->id,
    .cause = stall->cause,
    .source = stall->source,
    .place = place,
    .told_ns = stall->start_ns,
  };
}

/* Finds or adds a part. When there are too many parts, the smallest one is replaced; the parts with most of
   the time stay. */
static struct stalls_part *behind_part(struct stalls_behind *behind, struct wait_holder does, uint64_t serial)
{
  struct stalls_part *least = &behind->parts[0];
  for (size_t i = 0; i < behind->count; i++) {
    struct stalls_part *part = &behind->parts[i];
    if (part->frame == does.frame && part->took == does.took && part->serial == serial) return part;
    if (part->wait_ns < least->wait_ns) least = part;
  }
  if (behind->count < STALLS_PARTS) least = &behind->parts[behind->count++];
  *least = (struct stalls_part){ .frame = does.frame, .took = does.took, .serial = serial };
  return least;
}

/* Adds the threads that had the GVL while others waited for it. */
static void behind_add_gvl(struct behind_walk *walk, struct stalls_behind *behind, const struct rtop_look *window)
{
  uint64_t blame_ns = 0, waiting_ns = window->wall_ns[RTOP_STATE_WAITING];
  for (size_t i = 0; i < window->cell_count; i++) {
    struct rtop_look_cell cell = rtop_look_cell(window, i);
    struct wait_holder does = { 0 };
    if (!cell.blame_ns) continue;
    does.frame = wait_place(&walk->stacks, cell.node);
    blame_ns += cell.blame_ns;
    uint64_t serial = rtop_profile_thread_serial(walk->look->profile, cell.thread);
    behind_part(behind, does, serial)->wait_ns += (double)cell.blame_ns;
  }
  behind->all_ns += (double)(blame_ns > waiting_ns ? blame_ns : waiting_ns);
}

/* Finds the thread with this serial at the end of the window. */
static bool behind_find(const struct stalls_look *look, const struct rtop_look *window, uint64_t serial,
                        struct rtop_look_thread *found)
{
  struct stalls_key key;
  struct stalls_thread *thread = NULL;
  memset(&key, 0, sizeof key);
  key.source = window->source;
  key.serial = serial;
  HASH_FIND(hh, look->state->threads, &key, sizeof key, thread);
  return thread && wait_in_window(window, thread->id, found) &&
         rtop_profile_thread_serial(look->profile, found->thread) == serial;
}

/* Adds the owner of the lock at the end of the window; each thread waiting at that instant stands for
   the whole window. */
static void behind_add_lock(struct behind_walk *walk, struct stalls_behind *behind, const struct rtop_look *window)
{
  double length_ns = (double)(window->end_ns - window->start_ns);
  for (size_t i = 0; i < window->thread_count; i++) {
    struct rtop_look_thread waiter = rtop_look_thread(window, i), holder;
    if (!wait_is_for_lock(&walk->stacks, &waiter) || wait_place(&walk->stacks, waiter.node) != behind->place) continue;
    behind->all_ns += length_ns;
    if (!waiter.lock.holder || !behind_find(walk->look, window, waiter.lock.holder, &holder) || holder.ended ||
        holder.thread == waiter.thread)
      continue;
    behind_part(behind, wait_holder(&walk->stacks, &holder), waiter.lock.holder)->wait_ns += length_ns;
  }
}

static void behind_visit(void *context, const struct rtop_look *window)
{
  struct behind_walk *walk = context;
  struct stalls_state *state = walk->look->state;
  for (size_t i = 0; i < state->behind_count; i++) {
    struct stalls_behind *behind = &state->behind[i];
    if (window->gap || behind->source != window->source || window->start_ns < behind->told_ns ||
        window->end_ns > behind->until_ns)
      continue;
    if (behind->cause == STALL_WAITING) behind_add_gvl(walk, behind, window);
    else behind_add_lock(walk, behind, window);
  }
}

static double behind_sum(const struct stalls_behind *behind, const struct stalls_part *like)
{
  double wait_ns = 0;
  for (size_t i = 0; i < behind->count; i++) {
    const struct stalls_part *part = &behind->parts[i];
    if (part->frame == like->frame && part->took == like->took) wait_ns += part->wait_ns;
  }
  return wait_ns;
}

/* Among parts with the same methods, the part of a thread that may be named alone; NULL: none may. */
static const struct stalls_part *behind_alone(const struct stalls_behind *behind, const struct stalls_part *like,
                                              double all_ns)
{
  const struct stalls_part *best = NULL;
  double next_ns = 0;
  for (size_t i = 0; i < behind->count; i++) {
    const struct stalls_part *part = &behind->parts[i];
    if (part->frame != like->frame || part->took != like->took) continue;
    bool more = !best || part->wait_ns > best->wait_ns;
    double less_ns = !more ? part->wait_ns : best ? best->wait_ns : 0;
    next_ns = less_ns > next_ns ? less_ns : next_ns;
    best = more ? part : best;
  }
  return best && wait_names_alone(best->wait_ns, next_ns, all_ns, false) ? best : NULL;
}

/* Stores the methods with the largest part, and the thread if it may be named alone. */
static void behind_tell(const struct stalls_look *look, const struct stalls_behind *behind, struct stall *stall)
{
  const struct stalls_part *most = NULL;
  double most_ns = 0;
  for (size_t i = 0; i < behind->count; i++) {
    double wait_ns = behind_sum(behind, &behind->parts[i]);
    if (wait_ns <= most_ns) continue;
    most = &behind->parts[i];
    most_ns = wait_ns;
  }
  memset(&stall->behind, 0, sizeof stall->behind);
  if (!most || most_ns < BEHIND_LEAST * behind->all_ns) return;
  stall->behind.frame = most->frame;
  stall->behind.took = most->took;
  const struct stalls_part *part = behind_alone(behind, most, most_ns);
  struct rtop_source_thread about;
  if (part && rtop_profile_thread_about(look->profile, behind->source, part->serial, &about)) {
    stall->behind.thread = about.name;
    stall->behind.native_id = about.native_id;
  }
  if (stall->behind.frame || stall->behind.thread) stall->behind.share = most_ns / behind->all_ns;
}

/* Updates the ends of the stalls; drops those that no longer exist, or that have ended and are completely examined. */
static struct rtop_span behind_begin(struct stalls_look *look)
{
  struct stalls_state *state = look->state;
  struct rtop_span span = { INT64_MAX, INT64_MIN };
  size_t kept = 0;
  for (size_t i = 0; i < state->behind_count; i++) {
    struct stalls_behind *behind = &state->behind[i];
    const struct stall *stall = stalls_find(look->stalls, behind->stall);
    if (!stall || stall->source != behind->source || (!stall->open && stall->end_ns <= behind->told_ns)) continue;
    behind->until_ns = stall->end_ns;
    if (behind->told_ns < behind->until_ns) {
      span.start_ns = behind->told_ns < span.start_ns ? behind->told_ns : span.start_ns;
      span.end_ns = behind->until_ns > span.end_ns ? behind->until_ns : span.end_ns;
    }
    if (kept != i) state->behind[kept] = *behind;
    kept++;
  }
  state->behind_count = kept;
  return span;
}

void stalls_look_behind(struct stalls_look *look)
{
  struct stalls_state *state = look->state;
  struct behind_walk walk = { look, { &state->ways, rtop_profile_lens(look->profile), look->symbols } };
  struct rtop_span span = behind_begin(look);
  if (span.start_ns >= span.end_ns || !off_ways_begin(&state->ways, rtop_profile_lens(look->profile), look->symbols))
    return;
  rtop_profile_each(look->profile, span, behind_visit, &walk);
  for (size_t i = 0; i < state->behind_count; i++) {
    struct stalls_behind *behind = &state->behind[i];
    struct stall *stall = stalls_find(look->stalls, behind->stall);
    if (behind->told_ns >= behind->until_ns) continue;
    behind->told_ns = behind->until_ns;
    if (stall) behind_tell(look, behind, stall);
  }
}

void stalls_keep_behind(const struct stalls_state *state, struct rtop_symbols *symbols)
{
  for (size_t i = 0; i < state->behind_count; i++) {
    const struct stalls_behind *behind = &state->behind[i];
    rtop_symbols_use_frame(symbols, behind->place);
    for (size_t at = 0; at < behind->count; at++) {
      rtop_symbols_use_frame(symbols, behind->parts[at].frame);
      rtop_symbols_use_frame(symbols, behind->parts[at].took);
    }
  }
}
