/* SPDX-License-Identifier: MIT */
/* Puts the age of a stack into words. */
#include "thread_words.h"
#include "tui/text/text.h"
#include <stdio.h>

enum { AGE_BYTES = 24, UNFINISHED_NS = 300000000, UNFINISHED_WOKEN_NS = 1000000000 };

void thread_age_text(char *out, size_t bytes, uint64_t age_ns)
{
  if (age_ns >= 100000000 && age_ns < UINT64_C(60000000000)) snprintf(out, bytes, "%.1f s", (double)age_ns / 1e9);
  else rtop_text_duration(out, bytes, age_ns < INT64_MAX ? (int64_t)age_ns : INT64_MAX);
}

static bool off_the_gvl(const struct rtop_thread_row *thread)
{
  return thread->state == RTOP_STATE_BLOCKED || thread->state == RTOP_STATE_WAITING;
}

/* Was the thread last sampled before it got the GVL, and not since? */
static bool woke_unseen(const struct rtop_thread_row *thread)
{
  return thread->state_age_ns > 0 && thread->state_age_ns < thread->stack_age_ns;
}

/* Since when nothing was seen of it. */
static uint64_t unseen_ns(const struct rtop_thread_row *thread)
{
  return thread->stack_age_ns == 0 || woke_unseen(thread) ? thread->state_age_ns : thread->stack_age_ns;
}

/* Minimum time with the GVL for an unfinished call (ns). A thread that wakes up has the GVL before it has a core; on a
 * busy machine the core comes that much later, and the thread is in no call meanwhile. */
static uint64_t unfinished_least_ns(const struct rtop_thread_row *thread)
{
  return woke_unseen(thread) ? UNFINISHED_WOKEN_NS : UNFINISHED_NS;
}

const struct rtop_thread_row *thread_unfinished(const struct rtop_sum *sum)
{
  const struct rtop_thread_row *found = NULL;
  for (size_t i = 0; i < sum->thread_count; i++) {
    const struct rtop_thread_row *thread = &sum->threads[i];
    bool holds = thread_stack_is_old(thread) && thread->state == RTOP_STATE_RUNNING && !thread->hidden;
    bool longer = found == NULL || unseen_ns(thread) > unseen_ns(found);
    if (holds && longer && unseen_ns(thread) >= unfinished_least_ns(thread)) found = thread;
  }
  return found;
}

/* Returns the node of the unfinished call's caller: the node last sampled, or its caller if the node was a wait
   that is over. */
static uint32_t unfinished_node(const struct rtop_thread_row *thread, const struct rtop_symbols *symbols)
{
  uint32_t node = thread->node;
  while (woke_unseen(thread) && node != 0) {
    const struct rtop_call_node *call = rtop_symbols_get_node(symbols, node);
    if (rtop_symbol_wait(rtop_symbols_get(symbols, call->frame)) == RTOP_WAIT_NOT) break;
    node = call->parent < node ? call->parent : 0;
  }
  return node;
}

void thread_unfinished_words(char *out, size_t bytes, const struct rtop_thread_row *thread,
                             const struct rtop_symbols *symbols)
{
  char age[AGE_BYTES], leaf[512], who[24];
  thread_age_text(age, sizeof age, unseen_ns(thread));
  snprintf(who, sizeof who, "%u", thread->native_id);
  struct rtop_thread_row seen = *thread;
  seen.node = unfinished_node(thread, symbols);
  thread_stack_leaf(leaf, sizeof leaf, &seen, symbols, true);
  snprintf(out, bytes, "%s, %s so far (%s)", leaf, age, thread->name[0] != '\0' ? thread->name : who);
}

void thread_stack_words(char *out, size_t bytes, const struct rtop_thread_row *thread)
{
  char age[AGE_BYTES];
  out[0] = '\0';
  if (!thread_stack_is_old(thread)) return;
  bool younger = thread->state_age_ns > 0 && thread->state_age_ns < thread->stack_age_ns;
  thread_age_text(age, sizeof age, younger ? thread->state_age_ns : thread->stack_age_ns);
  if (off_the_gvl(thread)) snprintf(out, bytes, "stack unknown");
  else snprintf(out, bytes, thread->stack_age_ns > 0 ? "no safepoint for %s" : "no safepoint", age);
}

void thread_stack_age(char *out, size_t bytes, const struct rtop_thread_row *thread)
{
  char age[AGE_BYTES];
  out[0] = '\0';
  if (thread->stale || thread->ended || thread->node == 0) return;
  bool off = off_the_gvl(thread) && thread->state_age_ns > 0;
  thread_age_text(age, sizeof age, off ? thread->state_age_ns : thread->stack_age_ns);
  if (off) snprintf(out, bytes, "in it for %s", age);
  else if (thread->stack_age_ns > 0) snprintf(out, bytes, "stack of %s ago", age);
  else snprintf(out, bytes, "stack of its last window");
}

void thread_stack_leaf(char *out, size_t bytes, const struct rtop_thread_row *thread,
                       const struct rtop_symbols *symbols, bool brief)
{
  const struct rtop_call_node *leaf = rtop_symbols_get_node(symbols, thread->node);
  const char *label = thread->node != 0 ? rtop_symbol_words(rtop_symbols_get(symbols, leaf->frame)) : "-";
  char words[64], age[AGE_BYTES];
  thread_stack_words(words, sizeof words, thread);
  thread_age_text(age, sizeof age, thread->stack_age_ns);
  bool ago = off_the_gvl(thread) && thread->stack_age_ns > 0;
  if (words[0] == '\0') snprintf(out, bytes, "%s", label);
  else if (brief) snprintf(out, bytes, "? %s", label);
  else if (thread->node == 0) snprintf(out, bytes, "%s", words);
  else
    snprintf(out, bytes, "%s, last seen in %s%s%s%s", words, label, ago ? " " : "", ago ? age : "", ago ? " ago" : "");
}
