/* SPDX-License-Identifier: MIT */
/* Distinguishes idle threads from stuck ones. */
#include "rests.h"
#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

static const uint64_t stuck_ns = 1000000000;
static const int64_t over_ns = 200000000; /* a stall that ended this long (ns) before the end of the span is over */

bool rest_is_all(const struct rtop_thread_row *thread, uint64_t length_ns)
{
  uint64_t blocked_ns = thread->cost.wall_ns[RTOP_STATE_BLOCKED];
  return !thread->ended && thread->state == RTOP_STATE_BLOCKED && length_ns > 0 &&
         rtop_cost_wall(&thread->cost) == blocked_ns && blocked_ns >= length_ns - length_ns / 10;
}

/* One thread, as it is judged. */
struct judged {
  const struct rests *rests;
  const struct rests_look *look;
  const struct rtop_symbols *symbols;
  const struct rtop_thread_row *thread;
  struct rest_row *row;
  uint32_t leaf; /* frame */
  enum off_gvl off;
  bool idle;
};

/* Returns the node of a thread with its stack unchanged by the lens: where the lens hides frames, the verdict has
 * another sum of now or half a second ago. */
static uint32_t node_of(const struct rests_look *look, const struct rtop_thread_row *thread)
{
  const struct rtop_sum *whole = look->whole;
  if (!rtop_profile_hides(look->profile)) return thread->node;
  for (size_t i = 0; i < whole->thread_count; i++)
    if (whole->threads[i].serial == thread->serial && whole->threads[i].source == thread->source)
      return whole->threads[i].node;
  return thread->node;
}

static bool same_thread(const struct judged *judged, uint32_t source, uint64_t serial)
{
  return judged->thread->serial == serial && judged->thread->source == source;
}

static bool is_verdict_thread(const struct judged *judged, const struct verdict_thread *thread)
{
  return thread->known && same_thread(judged, thread->source, thread->serial);
}

/* Is the thread part of the stall? If so, sets the least time that it has been. */
static bool in_stall(const struct judged *judged, const struct stall *stall)
{
  const struct rtop_thread_row *thread = judged->thread;
  const struct rtop_span *span = &judged->look->span;
  uint32_t own = stall->caller != 0 ? stall->caller : stall->frame;
  if (stall->source != thread->source) return false;
  bool its = same_thread(judged, stall->source, stall->serial);
  if (!its && (stall->others == 0 || own == 0 || judged->leaf != stall->frame || judged->row->own != own)) return false;
  bool on = stall->open || stall->end_ns > span->end_ns - over_ns;
  uint64_t since_ns = its && on ? (uint64_t)(span->end_ns - stall->start_ns) : 0;
  if (since_ns > judged->row->since_ns) judged->row->since_ns = since_ns;
  return true;
}

static bool stall_blames(const struct judged *judged)
{
  const struct rests *rests = judged->rests;
  bool blames = false;
  for (unsigned i = 0; i < rests->stall_count; i++) blames = in_stall(judged, rests->stalls[i]) || blames;
  return blames;
}

/* As far as is known. */
static bool waits_or_has_a_lock(const struct judged *judged)
{
  const struct rtop_thread_row *thread = judged->thread;
  return rtop_lock_waits(thread) || thread->behind.threads > 0 ||
         rtop_symbol_is_lock(rtop_symbols_get(judged->symbols, judged->leaf));
}

/* Does the verdict name this thread, in any role? */
static bool verdict_names(const struct judged *judged)
{
  const struct verdict *verdict = judged->look->verdict;
  if (is_verdict_thread(judged, &verdict->thread) || is_verdict_thread(judged, &verdict->owner) ||
      is_verdict_thread(judged, &verdict->root))
    return true;
  for (unsigned i = 0; i < verdict->deadlock.count && i < VERDICT_DEADLOCK_MAX; i++)
    if (is_verdict_thread(judged, &verdict->deadlock.of[i].thread)) return true;
  return false;
}

/* Does the verdict blame the activity of this thread? Not if the thread computes, which the row's own figures show. */
static bool verdict_blames(const struct judged *judged)
{
  const struct verdict *verdict = judged->look->verdict;
  if (verdict == NULL) return false;
  bool blocked = verdict->kind == VERDICT_BLOCKED || verdict->kind == VERDICT_LOCK;
  uint32_t own = verdict->place.caller != 0 ? verdict->place.caller : verdict->place.leaf;
  if (!blocked && verdict->kind != VERDICT_GVL && verdict->kind != VERDICT_NO_CPU) return false;
  if (verdict_names(judged)) return true;
  return blocked && judged->idle && own != 0 && own == judged->row->own && off_is_work(judged->off);
}

static enum thread_rest judge(struct judged *judged, bool *blamed)
{
  bool lock = judged->idle && waits_or_has_a_lock(judged);
  bool stall = judged->idle && stall_blames(judged);
  *blamed = verdict_blames(judged) || lock || stall;
  if (!judged->idle) return REST_NOT;
  if (*blamed) return judged->row->since_ns >= stuck_ns ? REST_STUCK : REST_BLAMED;
  bool rests = judged->off == OFF_OTHERS || judged->off == OFF_LIBRARY || judged->off == OFF_EVENT;
  return rests ? REST_QUIET : REST_PARKED;
}

static void rests_judge(struct rests *rests, const struct rests_look *look, size_t at)
{
  const struct rtop_symbols *symbols = rtop_profile_symbols(look->profile);
  struct rtop_thread_row *thread = &look->sum->threads[at];
  struct rest_row *row = &rests->rows[at];
  thread->blamed = false;
  *row = (struct rest_row){ .serial = thread->serial, .source = thread->source, .since_ns = thread->state_age_ns };
  uint32_t node = node_of(look, thread);
  struct off_way way = off_ways_get(&rests->ways, rtop_profile_lens(look->profile), symbols, node);
  row->own = way.own;
  struct judged judged = { .rests = rests, .look = look, .symbols = symbols, .thread = thread, .row = row };
  judged.idle = rest_is_all(thread, look->sum->length_ns);
  judged.leaf = rtop_symbols_get_node(symbols, node)->frame;
  judged.off = thread->stale ? OFF_UNKNOWN : off_gvl_of(symbols, node, &way);
  row->rest = judge(&judged, &thread->blamed);
}

/* Collects the newest stalls of blocked threads in the span. */
static void look_at_stalls(struct rests *rests, const struct rests_look *look)
{
  rests->stall_count = 0;
  for (size_t i = look->stalls->count; i-- > 0 && rests->stall_count < RESTS_STALLS_MAX;) {
    const struct stall *stall = &look->stalls->list[i];
    if (stall->cause != STALL_BLOCKED || stall->serial == 0) continue;
    if (stall->start_ns >= look->span.end_ns || stall->end_ns <= look->span.start_ns) continue;
    rests->stalls[rests->stall_count++] = stall;
  }
}

void rests_update(struct rests *rests, const struct rests_look *look)
{
  rests->count = 0;
  look_at_stalls(rests, look);
  bool fine = rtop_reserve(&rests->rows, &rests->capacity, look->sum->thread_count + 1, sizeof *rests->rows) &&
              off_ways_begin(&rests->ways, rtop_profile_lens(look->profile), rtop_profile_symbols(look->profile));
  for (size_t i = 0; fine && i < look->sum->thread_count; i++) rests_judge(rests, look, i);
  if (fine) rests->count = look->sum->thread_count;
}

void rests_destroy(struct rests *rests)
{
  free(rests->rows);
  off_ways_destroy(&rests->ways);
  memset(rests, 0, sizeof *rests);
}

/* NULL: it is none of the sum. */
static const struct rest_row *rests_row(const struct rests *rests, const struct rtop_sum *sum,
                                        const struct rtop_thread_row *thread)
{
  size_t at = (size_t)(thread - sum->threads);
  bool there = at < rests->count && at < sum->thread_count;
  return there && rests->rows[at].serial == thread->serial ? &rests->rows[at] : NULL;
}

enum thread_rest rests_of(const struct rests *rests, const struct rtop_sum *sum, const struct rtop_thread_row *thread)
{
  const struct rest_row *row = rests_row(rests, sum, thread);
  return row != NULL ? row->rest : REST_NOT;
}

bool rests_stuck(const struct rests *rests, const struct rtop_sum *sum, const struct rtop_thread_row *thread,
                 uint64_t *since_ns, uint32_t *own)
{
  const struct rest_row *row = rests_row(rests, sum, thread);
  if (row == NULL || row->rest != REST_STUCK) return false;
  *since_ns = row->since_ns;
  *own = row->own;
  return true;
}

void rests_note(const struct rtop_sum *from, struct rtop_sum *sum)
{
  for (size_t i = 0; i < from->thread_count && from != sum; i++) {
    const struct rtop_thread_row *blamed = &from->threads[i];
    for (size_t at = 0; blamed->blamed && at < sum->thread_count; at++)
      if (sum->threads[at].serial == blamed->serial && sum->threads[at].source == blamed->source)
        sum->threads[at].blamed = true;
  }
}
