/* SPDX-License-Identifier: MIT */
/* Finds which thread is inside a lock that others wait for. */
#include "thread_locks.h"

#include "thread_words.h"
#include "tui/text/text.h"
#include <stdio.h>
#include <string.h>

enum { LOCKS_MAX = 64, LOCKS_DEPTH_MAX = 4096, LOCKS_NAME_BYTES = 64 };

/* A call of synchronize: the called method, and the line and method that call it. */
struct lock_site {
  uint32_t source;
  uint32_t frame;
  uint32_t caller, line;   /* frame and line */
  uint32_t caller2, line2; /* caller and line above monitor.rb, for a call through monitor.rb; else 0 */
};

static bool is_own(const struct rtop_symbol *symbol)
{
  return symbol->kind == RTOP_SYMBOL_C || strncmp(symbol->path, "<internal:", 10) == 0;
}

static bool is_program(const struct rtop_symbol *symbol)
{
  return rtop_symbol_is_code(symbol) && !is_own(symbol);
}

static bool ends_with(const char *text, const char *end)
{
  size_t length = strlen(text), wanted = strlen(end);
  return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

static bool one_of(const char *label, const char *const *names)
{
  for (; *names != NULL; names++)
    if (ends_with(label, *names)) return true;
  return false;
}

bool thread_lock_is(const struct rtop_symbol *symbol)
{
  static const char *const names[] = { "Mutex#lock",
                                       "Mutex#synchronize",
                                       "Monitor#enter",
                                       "Monitor#synchronize",
                                       "Monitor#mon_enter",
                                       "Monitor#mon_synchronize",
                                       NULL };
  return is_own(symbol) && one_of(symbol->label, names);
}

/* Is it a method that holds a lock of this kind while on the stack? */
static bool is_synchronize(const struct rtop_symbol *symbol)
{
  return thread_lock_is(symbol) && ends_with(symbol->label, "synchronize");
}

static bool lets_go(const struct rtop_symbol *symbol)
{
  static const char *const names[] = { "ConditionVariable#wait", "Mutex#sleep", "Monitor#wait_for_cond", "Monitor#wait",
                                       NULL };
  return is_own(symbol) && one_of(symbol->label, names);
}

static bool is_wrapper(const struct rtop_symbol *symbol)
{
  return symbol->kind == RTOP_SYMBOL_RUBY && ends_with(symbol->path, "/monitor.rb");
}

static void site_of(struct lock_site *site, const struct rtop_symbols *symbols, uint32_t source, uint32_t node)
{
  const struct rtop_call_node *call = rtop_symbols_get_node(symbols, node);
  const struct rtop_call_node *caller = rtop_symbols_get_node(symbols, call->parent);
  *site = (struct lock_site){ source, call->frame, caller->frame, caller->line, 0, 0 };
  if (!is_wrapper(rtop_symbols_get(symbols, caller->frame))) return;
  const struct rtop_call_node *above = rtop_symbols_get_node(symbols, caller->parent);
  site->caller2 = above->frame;
  site->line2 = above->line;
}

static bool same_site(const struct lock_site *a, const struct lock_site *b)
{
  return a->source == b->source && a->frame == b->frame && a->caller == b->caller && a->line == b->line &&
         a->caller2 == b->caller2 && a->line2 == b->line2;
}

static bool waits_for_lock(const struct rtop_thread_row *thread, const struct rtop_symbols *symbols)
{
  if (thread->state != RTOP_STATE_BLOCKED || thread->ended || thread->stale || thread->node == 0) return false;
  return thread_lock_is(rtop_symbols_get(symbols, rtop_symbols_get_node(symbols, thread->node)->frame));
}

enum inside { INSIDE_NOT, INSIDE_PERHAPS, INSIDE };

/* Is the thread inside a lock of this site? Walks up from the leaf, whose own call does not count. */
static enum inside is_inside(const struct rtop_thread_row *thread, const struct rtop_symbols *symbols,
                             const struct lock_site *wanted)
{
  bool gone = false;
  uint32_t node = thread->ended || thread->source != wanted->source ? 0 : thread->node;
  for (int i = 0; node != 0 && i < LOCKS_DEPTH_MAX; i++) {
    const struct rtop_call_node *call = rtop_symbols_get_node(symbols, node);
    if (i > 0 && call->frame == wanted->frame) {
      struct lock_site here;
      site_of(&here, symbols, thread->source, node);
      if (same_site(&here, wanted)) return gone ? INSIDE_PERHAPS : INSIDE;
    }
    gone = gone || lets_go(rtop_symbols_get(symbols, call->frame));
    node = call->parent < node ? call->parent : 0;
  }
  return INSIDE_NOT;
}

static void find_inside(struct thread_lock *lock, const struct rtop_sum *sum, const struct rtop_symbols *symbols,
                        const struct lock_site *site, size_t but)
{
  unsigned certain = 0;
  for (size_t i = 0; i < sum->thread_count; i++) {
    enum inside inside = i == but ? INSIDE_NOT : is_inside(&sum->threads[i], symbols, site);
    lock->inside += inside != INSIDE_NOT;
    certain += inside == INSIDE;
    if (inside == INSIDE) lock->owner = i;
  }
  lock->known = certain == 1 && lock->inside == 1;
}

/* Returns the nearest method of the program above a node. */
static uint32_t program_above(const struct rtop_symbols *symbols, uint32_t node)
{
  node = rtop_symbols_get_node(symbols, node)->parent;
  for (int i = 0; node != 0 && i < LOCKS_DEPTH_MAX; i++) {
    const struct rtop_call_node *call = rtop_symbols_get_node(symbols, node);
    const struct rtop_symbol *symbol = rtop_symbols_get(symbols, call->frame);
    if (is_program(symbol) && !is_wrapper(symbol)) return call->frame;
    node = call->parent < node ? call->parent : 0;
  }
  return 0;
}

/* The process said which one. */
static struct thread_lock lock_told(const struct rtop_sum *sum, const struct rtop_symbols *symbols, size_t row)
{
  const struct rtop_thread_row *thread = &sum->threads[row];
  size_t owner = rtop_lock_holder(sum, row);
  bool known = owner != SIZE_MAX;
  return (struct thread_lock){
    .waits = true,
    .told = true,
    .wanted = thread->stale || thread->node == 0 ? 0 : program_above(symbols, thread->node),
    .inside = known,
    .known = known,
    .owner = known ? owner : 0,
  };
}

struct thread_lock thread_lock_of(const struct rtop_sum *sum, const struct rtop_symbols *symbols, size_t row)
{
  struct thread_lock lock = { 0 };
  const struct rtop_thread_row *thread = &sum->threads[row];
  if (rtop_lock_waits(thread)) return lock_told(sum, symbols, row);
  if (!waits_for_lock(thread, symbols)) return lock;
  struct lock_site site;
  site_of(&site, symbols, thread->source, thread->node);
  lock.waits = true;
  lock.wanted = program_above(symbols, thread->node);
  if (is_synchronize(rtop_symbols_get(symbols, site.frame))) find_inside(&lock, sum, symbols, &site, row);
  return lock;
}

static void note_waiter(struct rtop_sum *sum, size_t owner, size_t waiter)
{
  uint64_t age_ns = sum->threads[waiter].state_age_ns;
  sum->threads[owner].behind.threads++;
  sum->threads[owner].behind.wait_ns += age_ns < sum->length_ns ? age_ns : sum->length_ns;
}

/* Counts the waiters of reported locks, for each lock once. */
static void note_told(struct rtop_sum *sum)
{
  struct rtop_lock_count locks[RTOP_LOCK_COUNTS_MAX];
  size_t count = rtop_lock_counts(sum, locks);
  for (size_t at = 0; at < count; at++) {
    const struct rtop_thread_row *waits = &sum->threads[locks[at].row];
    size_t owner = rtop_lock_holder(sum, locks[at].row);
    for (size_t i = 0; owner != SIZE_MAX && i < sum->thread_count; i++)
      if (rtop_lock_waits(&sum->threads[i]) && rtop_lock_same(&sum->threads[i], waits)) note_waiter(sum, owner, i);
  }
}

/* Counts the waiters of unreported locks, guessed by stacks, for each place once. */
static void note_guessed(struct rtop_sum *sum, const struct rtop_symbols *symbols)
{
  struct lock_site sites[LOCKS_MAX];
  struct thread_lock locks[LOCKS_MAX];
  size_t count = 0;
  for (size_t i = 0; i < sum->thread_count && count < LOCKS_MAX; i++) {
    const struct rtop_thread_row *thread = &sum->threads[i];
    size_t at = 0;
    if (rtop_lock_waits(thread) || !waits_for_lock(thread, symbols)) continue;
    site_of(&sites[count], symbols, thread->source, thread->node);
    if (!is_synchronize(rtop_symbols_get(symbols, sites[count].frame))) continue;
    while (!same_site(&sites[at], &sites[count])) at++;
    if (at == count) {
      locks[at] = (struct thread_lock){ 0 };
      find_inside(&locks[count++], sum, symbols, &sites[at], SIZE_MAX);
    }
    if (locks[at].known) note_waiter(sum, locks[at].owner, i);
  }
}

void thread_locks_note(struct rtop_sum *sum, const struct rtop_symbols *symbols)
{
  for (size_t i = 0; i < sum->thread_count; i++) {
    sum->threads[i].behind.threads = 0;
    sum->threads[i].behind.wait_ns = 0;
  }
  note_told(sum);
  note_guessed(sum, symbols);
}

/* ---- words ----------------------------------------------------------------------------------------- */

void thread_where(char *out, size_t bytes, const struct rtop_symbols *symbols, uint32_t node)
{
  const struct rtop_symbol *leaf = rtop_symbols_get(symbols, rtop_symbols_get_node(symbols, node)->frame);
  uint32_t above =
      node == 0 || is_program(leaf) || leaf->kind == RTOP_SYMBOL_SPECIAL ? 0 : program_above(symbols, node);
  if (node == 0) snprintf(out, bytes, "-");
  else
    snprintf(out, bytes, "%s%s%s", leaf->label, above ? " < " : "",
             above ? rtop_symbols_get(symbols, above)->label : "");
}

void thread_lock_thread(char *out, size_t bytes, const struct rtop_thread_row *thread)
{
  if (thread->name[0] != '\0') rtop_text_sanitize(out, bytes, thread->name, strlen(thread->name));
  else snprintf(out, bytes, "thread %u", thread->native_id);
}

/* Describes which thread is inside, as a continuation of "waits for the lock of App#call". */
static void inside_words(char *out, size_t bytes, const struct rtop_sum *sum, const struct rtop_symbols *symbols,
                         const struct thread_lock *lock)
{
  char name[LOCKS_NAME_BYTES], where[600];
  if (!lock->known) {
    if (lock->inside > 1) snprintf(out, bytes, "; %u threads are inside it", lock->inside);
    else snprintf(out, bytes, "; who has it is not known");
    return;
  }
  const struct rtop_thread_row *owner = &sum->threads[lock->owner];
  bool old = thread_stack_is_old(owner);
  thread_lock_thread(name, sizeof name, owner);
  thread_where(where, sizeof where, symbols, owner->node);
  snprintf(out, bytes, "; %s %s inside it, in %s", name, old ? "was last seen" : "is", where);
}

void thread_lock_name(char *out, size_t bytes, const struct rtop_lock *lock)
{
  bool condition = lock->wants == RTOP_WANTS_CONDITION;
  const char *name = condition ? rtop_wants_name(RTOP_WANTS_MUTEX) : rtop_wants_name(lock->wants);
  out[0] = '\0';
  if (lock->wants == RTOP_WANTS_NOTHING) return;
  if (lock->number) snprintf(out, bytes, "%s #%u%s", name, lock->number, condition ? " for a condition" : "");
  else snprintf(out, bytes, "a %s", condition ? rtop_wants_name(lock->wants) : name);
}

/* Describes the owner of a lock, the owner of the lock that this owner waits for, and so on. */
static void told_words(struct phrase *text, const struct rtop_sum *sum, const struct rtop_symbols *symbols, size_t row)
{
  char name[LOCKS_NAME_BYTES], lock[LOCKS_NAME_BYTES], where[600];
  struct rtop_lock_chain chain;
  rtop_lock_chain(&chain, sum, symbols, row);
  bool ends = sum->threads[row].lock.wants == RTOP_WANTS_THREAD;
  if (chain.count == 1 && !chain.circle && !ends) phrase_add(text, "; who has it is not known");
  for (unsigned i = 1; i < chain.count; i++) {
    const struct rtop_thread_row *thread = &sum->threads[chain.rows[i]];
    thread_lock_thread(name, sizeof name, thread);
    const char *verb = rtop_wants_verb(sum->threads[chain.rows[i - 1]].lock.wants);
    phrase_add(text, "; %s %s %s", name, verb, i == 1 ? "it" : "that");
    if (i + 1 < chain.count || chain.circle || chain.longer) {
      thread_lock_name(lock, sizeof lock, &thread->lock);
      phrase_add(text, ", waits for %s", lock);
      continue;
    }
    thread_where(where, sizeof where, symbols, thread->node);
    phrase_add(text, ", %s in %s", thread_stack_is_old(thread) ? "last seen" : "and is", where);
  }
  if (chain.longer) phrase_add(text, ", and so on");
  if (!chain.circle) return;
  thread_lock_thread(name, sizeof name, &sum->threads[chain.rows[chain.closes]]);
  const char *verb = rtop_wants_verb(sum->threads[chain.rows[chain.count - 1]].lock.wants);
  phrase_add(text, "; %s %s that: deadlock", name, verb);
}

void thread_lock_words(char *out, size_t bytes, const struct rtop_sum *sum, const struct rtop_symbols *symbols,
                       size_t row)
{
  const struct rtop_thread_row *thread = &sum->threads[row];
  char age[24] = "", inside[800], where[600], name[LOCKS_NAME_BYTES];
  out[0] = '\0';
  struct thread_lock lock = thread_lock_of(sum, symbols, row);
  bool seen = !thread->stale && thread->node != 0;
  if (thread->state != RTOP_STATE_BLOCKED || thread->ended || (!seen && !lock.told)) return;
  if (thread->state_age_ns > 0) thread_age_text(age, sizeof age, thread->state_age_ns);
  const char *blank = age[0] != '\0' ? " " : "",
             *wanted = lock.wanted ? rtop_symbols_get(symbols, lock.wanted)->label : "";
  struct phrase text = { out, bytes, 0 };
  thread_lock_name(name, sizeof name, &thread->lock);
  if (!lock.waits) {
    thread_where(where, sizeof where, symbols, thread->node);
    unsigned waiters = rtop_lock_waiters(sum, row);
    phrase_add(&text, "blocked%s%s in %s%s%s", blank, age, where, name[0] != '\0' ? "; " : "", name);
    if (waiters > 1) phrase_add(&text, ", %u threads wait for it", waiters);
    if (thread->lock.wants == RTOP_WANTS_THREAD) told_words(&text, sum, symbols, row);
  } else if (lock.told) {
    phrase_add(&text, "waits %s%sfor %s%s%s", age, blank, name, wanted[0] != '\0' ? " in " : "", wanted);
    told_words(&text, sum, symbols, row);
  } else {
    inside_words(inside, sizeof inside, sum, symbols, &lock);
    phrase_add(&text, "waits %s%sfor %s%s%s", age, blank, wanted[0] != '\0' ? "the lock of " : "a lock", wanted,
               inside);
  }
}

void thread_deadlock_words(char *out, size_t bytes, const struct rtop_sum *sum, const struct rtop_symbols *symbols,
                           const struct rtop_lock_chain *circle)
{
  char name[LOCKS_NAME_BYTES], next[LOCKS_NAME_BYTES], lock[LOCKS_NAME_BYTES];
  struct phrase text = { out, bytes, 0 };
  phrase_add(&text, "deadlock: ");
  for (unsigned i = 0; i < circle->count; i++) {
    const struct rtop_thread_row *thread = &sum->threads[circle->rows[i]];
    struct thread_lock at = thread_lock_of(sum, symbols, circle->rows[i]);
    const char *wanted = at.wanted ? rtop_symbols_get(symbols, at.wanted)->label : "";
    thread_lock_thread(name, sizeof name, thread);
    thread_lock_thread(next, sizeof next, &sum->threads[circle->rows[(i + 1) % circle->count]]);
    thread_lock_name(lock, sizeof lock, &thread->lock);
    phrase_add(&text, "%s%s waits for %s%s%s, %s %s it", i ? "; " : "", name, lock, wanted[0] != '\0' ? " in " : "",
               wanted, next, rtop_wants_verb(thread->lock.wants));
  }
}
