/* SPDX-License-Identifier: MIT */
/* Stalls of threads that stay off the GVL, or on it without a safepoint; and the recognition of idle threads. */
#include "stalls_impl.h"

#include <stdlib.h>
#include <string.h>

enum { STALLS_SHALLOW = 3, STALLS_DEPTH_MAX = 4096, STALLS_UNKNOWN = 5 };
static const int64_t stalls_patience_ns = INT64_C(60000000000);
static const int64_t stalls_born_ns = INT64_C(1000000000);
static const int64_t stalls_step_ns = INT64_C(100000000); /* two things within it are one */

/* Does a thread with this stack hold a lock? The innermost call has not completed, so it does not count. */
static bool stalls_has_lock(const struct rtop_symbols *symbols, uint32_t node)
{
  node = rtop_symbols_get_node(symbols, node)->parent;
  for (int i = 0; node && i < STALLS_DEPTH_MAX; i++) {
    const struct rtop_call_node *call = rtop_symbols_get_node(symbols, node);
    const struct rtop_symbol *symbol = rtop_symbols_get(symbols, call->frame);
    if (rtop_symbol_is_lock(symbol) && strstr(rtop_wait_method(symbol->label), "synchronize")) return true;
    node = call->parent;
  }
  return false;
}

/* Methods of the program under a node. */
static uint32_t stalls_depth(const struct rtop_symbols *symbols, uint32_t node)
{
  uint32_t depth = 0;
  for (int i = 0; node && i < STALLS_DEPTH_MAX; i++) {
    const struct rtop_call_node *call = rtop_symbols_get_node(symbols, node);
    const struct rtop_symbol *symbol = rtop_symbols_get(symbols, call->frame);
    if (off_is_fork(symbol)) break;
    depth += rtop_symbol_is_program(symbol);
    node = call->parent;
  }
  return depth;
}

static enum off_gvl stalls_off(struct stalls_look *look, uint32_t node)
{
  const struct rtop_lens *lens = rtop_profile_lens(look->profile);
  struct off_way way = off_ways_get(&look->state->ways, lens, look->symbols, node);
  return off_gvl_of(look->symbols, node, &way);
}

/* Finds or adds the entry of a waiting place; the deepest entry makes room. */
static struct stalls_site *stalls_site(struct stalls_look *look, struct stalls_thread *thread, uint32_t node)
{
  struct stalls_site *worst = &thread->site[0];
  for (int i = 0; i < STALLS_SITES; i++) {
    struct stalls_site *site = &thread->site[i];
    if (site->node == node) return site;
    if (worst->node && (!site->node || site->depth > worst->depth)) worst = site;
  }
  bool library = stalls_off(look, node) == OFF_LIBRARY;
  *worst = (struct stalls_site){ .node = node, .depth = stalls_depth(look->symbols, node), .library = library };
  return worst;
}

/* Notes that the thread came to this place and blocks in it. */
static void stalls_visit_site(struct stalls_thread *thread, struct stalls_site *site)
{
  for (int i = 0; i < STALLS_SITES; i++)
    if (thread->site[i].depth > site->depth) thread->site[i].again = 0;
  site->visits++;
  site->again++;
}

/* Has the thread blocked in a call nearer to the root? A library's waiting does not count as within
 * the application's wait. */
static bool stalls_is_within(const struct stalls_thread *thread, uint32_t depth, bool library)
{
  for (int i = 0; i < STALLS_SITES; i++) {
    const struct stalls_site *other = &thread->site[i];
    if (other->node && other->depth < depth && (other->library || !library)) return true;
  }
  return false;
}

static bool stalls_rests(const struct stalls_thread *thread, const struct stalls_site *site, enum rtop_wait kind)
{
  bool within = stalls_is_within(thread, site->depth, site->library);
  if (kind == RTOP_WAIT_EVENT) return !within || site->again > 1;
  return !within && (site->library || site->visits > 1 || site->depth <= STALLS_SHALLOW);
}

static struct stalls_thread *stalls_thread(struct stalls_look *look, const struct rtop_look *window, uint32_t id)
{
  struct stalls_key key;
  memset(&key, 0, sizeof key);
  key.source = window->source;
  key.serial = rtop_profile_thread_serial(look->profile, id);
  struct stalls_thread *thread = NULL;
  HASH_FIND(hh, look->state->threads, &key, sizeof key, thread);
  if (thread) return thread;
  thread = calloc(1, sizeof *thread);
  if (!thread) return NULL;
  thread->key = key;
  thread->born_ns = window->start_ns;
  HASH_ADD(hh, look->state->threads, key, sizeof key, thread);
  if (!thread->lost) return thread;
  free(thread);
  return NULL;
}

/* Does this thread wait for the lock of the stall's thread? Either as reported, or as guessed: the other thread holds a
 * lock, and has been blocked longer. */
static bool stalls_is_held_by(const struct stall *stall, const struct stall *like, bool waits_for_lock)
{
  if (like->lock.holder) return stall->serial == like->lock.holder;
  return waits_for_lock && like->lock.wants == RTOP_WANTS_NOTHING && stall->holds &&
         stall->start_ns <= like->start_ns + stalls_step_ns;
}

/* Finds a stall that was blocked at the same place earlier, or that of the owner of the lock that this
   thread waits for. */
static struct stall *stalls_same_cause(struct stalls_look *look, const struct rtop_look *window,
                                       const struct stall *like, bool waits_for_lock)
{
  for (size_t i = look->stalls->count; i-- > 0;) {
    struct stall *stall = &look->stalls->list[i];
    if (stall->cause != STALL_BLOCKED || stall->source != window->source || !stall->open) continue;
    bool same = stall->frame == like->frame && stall->caller == like->caller && !like->last_seen && !stall->last_seen;
    if (same || stalls_is_held_by(stall, like, waits_for_lock)) return stall;
  }
  return NULL;
}

/* Absorbs the stalls of threads that have waited for its lock since it is blocked; if locks are not reported, of
 * threads that wait for any lock, as the most likely one. */
static void stalls_absorb(struct stalls_look *look, uint64_t id)
{
  struct stall *holder = stalls_find(look->stalls, id);
  for (size_t i = look->stalls->count; holder && i-- > 0;) {
    struct stall *stall = &look->stalls->list[i];
    bool told = stall->lock.wants != RTOP_WANTS_NOTHING;
    if (stall->id == id || stall->cause != STALL_BLOCKED || stall->source != holder->source || !stall->open ||
        stall->start_ns + stalls_step_ns < holder->start_ns)
      continue;
    if (told ? stall->lock.holder != holder->serial
             : !holder->holds || stall->holds || !rtop_symbol_is_lock(rtop_symbols_get(look->symbols, stall->frame)))
      continue;
    holder->others += 1 + stall->others;
    holder->members += stall->members;
    for (struct stalls_thread *thread = look->state->threads; thread; thread = thread->hh.next)
      thread->open = thread->open == stall->id ? id : thread->open;
    stalls_remove(look->stalls, stall);
    holder = stalls_find(look->stalls, id);
  }
}

static struct stall *stalls_open(struct stalls_look *look, const struct rtop_look *window, struct stalls_thread *thread,
                                 const struct rtop_look_thread *now, enum stall_cause cause, int64_t start_ns)
{
  const char *name = rtop_profile_thread_name(look->profile, now->thread);
  struct stall like = { .last_seen = now->stale, .start_ns = start_ns, .lock = now->lock };
  stalls_blame(&like, look, now->node);
  bool waits_for_lock = !now->stale && rtop_symbol_is_lock(rtop_symbols_get(look->symbols, like.frame));
  struct stall *stall = cause == STALL_BLOCKED ? stalls_same_cause(look, window, &like, waits_for_lock) : NULL;
  if (stall) {
    stall->members++;
    stall->others++;
    thread->open = stall->id;
    return stall;
  }
  stall = stalls_add(look->stalls, cause, start_ns, window->end_ns);
  if (!stall) return NULL;
  stall->open = true;
  stall->source = window->source;
  stall->thread = name;
  stall->serial = rtop_profile_thread_serial(look->profile, now->thread);
  stall->node = like.node;
  stall->frame = like.frame;
  stall->caller = like.caller;
  stall->last_seen = like.last_seen;
  stall->holds = cause == STALL_BLOCKED && !now->stale && stalls_has_lock(look->symbols, now->node);
  stall->lock = like.lock;
  uint64_t id = thread->open = stall->id;
  if (cause == STALL_BLOCKED) stalls_absorb(look, id);
  return stalls_find(look->stalls, id);
}

/* Finds the owner of the lock that this thread waits for, as reported. False: the thread waits for none. */
static bool stalls_lock_holder(const struct stalls_look *look, const struct rtop_look *window,
                               const struct rtop_look_thread *now, struct rtop_look_thread *holder)
{
  if (now->ended || now->state != RTOP_STATE_BLOCKED || !rtop_wants_owned(now->lock.wants) || !now->lock.holder)
    return false;
  for (size_t i = 0; i < window->thread_count; i++) {
    *holder = rtop_look_thread(window, i);
    if (!holder->ended && rtop_profile_thread_serial(look->profile, holder->thread) == now->lock.holder)
      return holder->thread != now->thread;
  }
  return false;
}

/* Does the chain of owners return to a visited thread, and does no Timeout end one of the waits? Compares with a reference
 * thread that is advanced in growing steps (Brent). */
static bool stalls_is_deadlock(const struct stalls_look *look, const struct rtop_look *window,
                               const struct rtop_look_thread *now)
{
  struct rtop_look_thread at = *now, seen = *now;
  for (int i = 1, next = 2; i <= 2 * RTOP_LOCK_CHAIN_MAX; i++) {
    struct rtop_look_thread holder;
    if (rtop_lock_has_timeout(look->symbols, at.node)) return false;
    if (!stalls_lock_holder(look, window, &at, &holder)) return false;
    if (holder.thread == seen.thread) return true;
    at = holder;
    if (i == next) {
      seen = at;
      next *= 2;
    }
  }
  return false;
}

/* Stores the owner of the lock that the stall's thread waits for, and where the owner is now. */
static void stalls_note_holder(struct stalls_look *look, const struct rtop_look *window,
                               const struct stalls_thread *thread, const struct rtop_look_thread *now)
{
  struct stall *stall = thread->open ? stalls_find(look->stalls, thread->open) : NULL, where = { 0 };
  struct rtop_look_thread holder;
  if (!stall || stall->serial != thread->key.serial || !stalls_lock_holder(look, window, now, &holder)) return;
  if (!holder.stale && holder.node) stalls_blame(&where, look, holder.node);
  stall->holder = rtop_profile_thread_name(look->profile, holder.thread);
  stall->holder_frame = where.frame;
  stall->holder_caller = where.caller;
  stall->deadlock = stalls_is_deadlock(look, window, now);
}

static int64_t stalls_age(uint64_t age_ns)
{
  return (int64_t)(age_ns < INT64_MAX / 2 ? age_ns : INT64_MAX / 2);
}

/* Handles a blocked thread with an unknown stack: the stall is reported late, and with an unknown place. A thread that
 * has done nothing since its birth (a forked child that waits for its first work) may be idle. */
static void stalls_blocked_somewhere(struct stalls_look *look, const struct rtop_look *window,
                                     struct stalls_thread *thread, const struct rtop_look_thread *now)
{
  int64_t age_ns = stalls_age(now->state_age_ns), since_ns = window->end_ns - age_ns;
  thread->last_node = 0;
  if (since_ns >= window->start_ns) stalls_close(look->stalls, &thread->open);
  if (since_ns < thread->born_ns + stalls_born_ns) return;
  if (thread->open) stalls_extend(look->stalls, thread->open, window->end_ns);
  else if (look->limits->blocked_ns > 0 && age_ns >= STALLS_UNKNOWN * look->limits->blocked_ns)
    stalls_open(look, window, thread, now, STALL_BLOCKED, since_ns);
}

/* Is the thread idle in a call not known to be made for waiting, such as a library's own one in which it
   waits for work? */
static bool stalls_rests_unknown(struct stalls_look *look, const struct stalls_thread *thread, uint32_t node,
                                 const struct rtop_symbol *leaf)
{
  if (rtop_symbol_is_lock(leaf) || stalls_off(look, node) != OFF_LIBRARY) return false;
  return !stalls_is_within(thread, stalls_depth(look->symbols, node), true);
}

/* Does the thread only wait for something to do, or for a thread that is judged itself? Earlier stalls of it
   were then wrong. */
static bool stalls_only_rests(struct stalls_look *look, struct stalls_thread *thread, uint32_t node, int64_t age_ns,
                              bool new_stretch)
{
  const struct rtop_symbol *leaf = rtop_symbols_get(look->symbols, rtop_symbols_get_node(look->symbols, node)->frame);
  enum rtop_wait kind = rtop_symbol_wait(leaf);
  if (kind == RTOP_WAIT_OTHERS) return true;
  if (kind == RTOP_WAIT_NOT) return stalls_rests_unknown(look, thread, node, leaf);
  struct stalls_site *site = stalls_site(look, thread, node);
  if (new_stretch) stalls_visit_site(thread, site);
  bool rests = stalls_rests(thread, site, kind);
  if (rests && kind == RTOP_WAIT_EVENT && site->stall != thread->open) stalls_withdraw(look->stalls, &site->stall);
  return rests || age_ns >= stalls_patience_ns;
}

static void stalls_note_site(struct stalls_thread *thread, uint32_t node, uint64_t id)
{
  for (int i = 0; i < STALLS_SITES; i++)
    if (thread->site[i].node == node) thread->site[i].stall = id;
}

static void stalls_blocked(struct stalls_look *look, const struct rtop_look *window, struct stalls_thread *thread,
                           const struct rtop_look_thread *now)
{
  int64_t age_ns = stalls_age(now->state_age_ns), since_ns = window->end_ns - age_ns;
  bool new_stretch = thread->last_node != now->node || since_ns >= window->start_ns;
  const struct stall *open = thread->open ? stalls_find(look->stalls, thread->open) : NULL;
  if (open && open->last_seen) stalls_withdraw(look->stalls, &thread->open); /* it is known now */
  else if (new_stretch) stalls_close(look->stalls, &thread->open);
  bool rests = stalls_only_rests(look, thread, now->node, age_ns, new_stretch);
  thread->last_node = now->node;
  thread->judged_ns = since_ns;
  if (rests) {
    stalls_withdraw(look->stalls, &thread->open);
  } else if (thread->open) {
    stalls_extend(look->stalls, thread->open, window->end_ns);
  } else if (look->limits->blocked_ns > 0 && age_ns >= look->limits->blocked_ns) {
    stalls_open(look, window, thread, now, STALL_BLOCKED, since_ns);
    stalls_note_site(thread, now->node, thread->open);
  }
  stalls_note_holder(look, window, thread, now);
}

/* Does the earlier stall continue? It seemed over in windows that a record had corrected before they were examined. */
static bool stalls_goes_on(struct stalls_look *look, struct stalls_thread *thread, int64_t since_ns)
{
  struct stall *stall = thread->told ? stalls_find(look->stalls, thread->told) : NULL;
  if (!stall || since_ns > stall->start_ns + stalls_step_ns || since_ns < stall->start_ns - stalls_step_ns)
    return false;
  if (stall->last_seen) {
    stall->open = true;
    stall->members = 1;
    thread->open = stall->id;
  }
  return true;
}

/* Handles a thread with the GVL that has not been sampled since it got the GVL. */
static void stalls_no_safepoint(struct stalls_look *look, const struct rtop_look *window, struct stalls_thread *thread,
                                const struct rtop_look_thread *now)
{
  bool younger = now->state_age_ns && now->state_age_ns < now->stack_age_ns;
  int64_t age_ns = stalls_age(younger ? now->state_age_ns : now->stack_age_ns);
  int64_t since_ns = window->end_ns - age_ns;
  int64_t ran_ns = age_ns - stalls_stopped_ns(look, window->source, since_ns, window->end_ns);
  struct stall *open = thread->open ? stalls_find(look->stalls, thread->open) : NULL;
  if (open && (open->cause != STALL_NO_SAFEPOINT || since_ns > open->start_ns + stalls_step_ns))
    stalls_close(look->stalls, &thread->open);
  if (thread->open) {
    stalls_extend(look->stalls, thread->open, window->end_ns);
  } else if (look->limits->no_safepoint_ns > 0 && ran_ns >= look->limits->no_safepoint_ns &&
             !stalls_goes_on(look, thread, since_ns)) {
    stalls_open(look, window, thread, now, STALL_NO_SAFEPOINT, since_ns);
    thread->told = thread->open;
  }
  if (thread->open) stalls_explains(look->stalls, thread->open, 1u << STALL_METHOD | 1u << STALL_WAITING);
}

/* Returns the time (ns) from the start of the window, up to a record's end, during which the thread usually continued
 * with the same call. */
static int64_t stalls_went_on(const struct rtop_look *window, const struct rtop_look_long *known)
{
  int64_t rest_ns = 0;
  if (known->end_ns < window->start_ns - stalls_step_ns / 100 || known->end_ns > window->start_ns) return 0;
  for (size_t i = 0; i < window->cell_count; i++) {
    struct rtop_look_cell cell = rtop_look_cell(window, i);
    if (cell.thread == known->thread && cell.node == known->node && cell.state == known->state)
      rest_ns += (int64_t)cell.wall_ns;
  }
  int64_t length_ns = window->end_ns - window->start_ns;
  return rest_ns < length_ns ? rest_ns : length_ns;
}

/* Corrects the stall when it becomes known which method had the GVL, and from when to when. */
static void stalls_held(struct stalls_look *look, const struct rtop_look *window, struct stalls_thread *thread,
                        const struct rtop_look_long *known)
{
  int64_t start_ns = known->start_ns, end_ns = known->end_ns + stalls_went_on(window, known);
  struct stall *stall = thread->told ? stalls_find(look->stalls, thread->told) : NULL;
  struct stall blame = { 0 };
  stalls_blame(&blame, look, known->node);
  if (stall && !stall->last_seen && stall->frame == blame.frame && stall->end_ns <= start_ns &&
      start_ns - stall->end_ns < stalls_step_ns / 10)
    start_ns = stall->start_ns; /* one stretch, in two records */
  else if (stall && (stall->end_ns <= start_ns || stall->start_ns >= end_ns)) stall = NULL;
  int64_t ran_ns = end_ns - start_ns - stalls_stopped_ns(look, window->source, start_ns, end_ns);
  if (look->limits->no_safepoint_ns <= 0 || ran_ns < look->limits->no_safepoint_ns) {
    if (!stall || !stall->last_seen) return;
    thread->open = thread->open == thread->told ? 0 : thread->open;
    stalls_withdraw(look->stalls, &thread->told);
    return;
  }
  if (!stall) stall = stalls_add(look->stalls, STALL_NO_SAFEPOINT, start_ns, end_ns);
  if (!stall) return;
  stall = stalls_set(look->stalls, stall, start_ns, end_ns);
  stall->source = window->source;
  stall->thread = rtop_profile_thread_name(look->profile, known->thread);
  stall->serial = rtop_profile_thread_serial(look->profile, known->thread);
  stall->node = blame.node;
  stall->frame = blame.frame;
  stall->caller = blame.caller;
  stall->last_seen = stall->open = false;
  stall->members = 0;
  thread->open = thread->open == stall->id ? 0 : thread->open;
  thread->told = stall->id;
  stalls_explains(look->stalls, stall->id, 1u << STALL_METHOD | 1u << STALL_WAITING);
}

/* Stores the place of a thread that was blocked with an unknown stack. */
static void stalls_was_blocked(struct stalls_look *look, const struct rtop_look *window, struct stalls_thread *thread,
                               const struct rtop_look_long *known)
{
  int64_t length_ns = known->end_ns - known->start_ns;
  const struct stall *open = thread->open ? stalls_find(look->stalls, thread->open) : NULL;
  if (open && open->last_seen && open->cause == STALL_BLOCKED) stalls_withdraw(look->stalls, &thread->open);
  if (thread->judged_ns >= known->start_ns - stalls_step_ns && thread->judged_ns < known->end_ns)
    return; /* The stack was known already when the windows were examined. */
  thread->judged_ns = known->start_ns;
  bool rests = stalls_only_rests(look, thread, known->node, length_ns, true);
  if (rests || look->limits->blocked_ns <= 0 || length_ns < look->limits->blocked_ns) return;
  uint64_t before = thread->open;
  struct rtop_look_thread then = { .thread = known->thread, .node = known->node, .state = known->state };
  struct stall *stall = stalls_open(look, window, thread, &then, STALL_BLOCKED, known->start_ns);
  if (stall && stall->start_ns == known->start_ns) stalls_set(look->stalls, stall, known->start_ns, known->end_ns);
  stalls_note_site(thread, known->node, thread->open);
  stalls_close(look->stalls, &thread->open);
  thread->open = before;
}

static void stalls_look_at_longs(struct stalls_look *look, const struct rtop_look *window)
{
  for (size_t i = 0; i < window->long_count; i++) {
    struct rtop_look_long known = rtop_look_long(window, i);
    struct stalls_thread *thread = stalls_thread(look, window, known.thread);
    if (!thread) return;
    if (known.state == RTOP_STATE_RUNNING) stalls_held(look, window, thread, &known);
    else stalls_was_blocked(look, window, thread, &known);
  }
}

static void stalls_look_at_thread(struct stalls_look *look, const struct rtop_look *window,
                                  struct stalls_thread *thread, const struct rtop_look_thread *now)
{
  if (now->state == RTOP_STATE_BLOCKED && !now->ended) {
    if (now->stale) stalls_blocked_somewhere(look, window, thread, now);
    else stalls_blocked(look, window, thread, now);
    return;
  }
  thread->last_node = 0;
  if (now->stale && now->state == RTOP_STATE_RUNNING && !now->ended) stalls_no_safepoint(look, window, thread, now);
  else stalls_close(look->stalls, &thread->open);
}

void stalls_look_at_threads(struct stalls_look *look, const struct rtop_look *window)
{
  stalls_look_at_longs(look, window);
  for (size_t i = 0; i < window->thread_count; i++) {
    struct rtop_look_thread now = rtop_look_thread(window, i);
    struct stalls_thread *thread = stalls_thread(look, window, now.thread);
    if (!thread) return;
    thread->seen_ns = window->end_ns;
    thread->id = now.thread;
    stalls_look_at_thread(look, window, thread, &now);
  }
}

void stalls_end_threads(struct stalls *stalls, struct stalls_state *state, int64_t before_ns)
{
  struct stalls_thread *thread, *next;
  HASH_ITER(hh, state->threads, thread, next)
  if (thread->open && thread->seen_ns < before_ns) stalls_close(stalls, &thread->open);
}

void stalls_forget_threads(struct stalls_state *state, int64_t before_ns)
{
  struct stalls_thread *thread, *next, *gone = NULL;
  HASH_ITER(hh, state->threads, thread, next)
  {
    if (thread->seen_ns < before_ns || before_ns == INT64_MAX) {
      HASH_DEL(state->threads, thread);
      thread->hh.next = gone;
      gone = thread;
    }
  }
  for (; gone; gone = next) {
    next = gone->hh.next;
    free(gone);
  }
}
