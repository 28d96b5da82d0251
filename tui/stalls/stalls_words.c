/* SPDX-License-Identifier: MIT */
/* Describes stalls in words, for people and programs. */
#include "stalls.h"

#include "tui/text/text.h"
#include <stdio.h>
#include <string.h>

const char *stall_cause_words(enum stall_cause cause)
{
  static const char *const words[STALL_CAUSES] = {
    [STALL_BLOCKED] = "a blocked thread",
    [STALL_NO_SAFEPOINT] = "a call that kept the GVL",
    [STALL_WAITING] = "waits for the GVL",
    [STALL_GC] = "a long collection",
    [STALL_METHOD] = "a method that took over",
    [STALL_MANY_WAITS] = "many short waits",
    [STALL_STOPPED] = "a process that did not run",
    [STALL_REQUEST] = "a slow request",
    [STALL_MARK] = "mark",
  };
  return cause < STALL_CAUSES ? words[cause] : "";
}

static const char *stall_label(const struct rtop_symbols *symbols, uint32_t frame)
{
  return rtop_symbols_get(symbols, frame)->label;
}

/* Adds the methods that caused the waiting: ", 93% of it behind worker 2 in Stock#fill < Stock#load"; if the holder of
 * the GVL has been named: ", 96% of it by worker 2". */
static void stall_behind(struct phrase *phrase, const struct stall *stall, const struct rtop_symbols *symbols)
{
  const char *thread = stall->behind.thread;
  uint32_t own = stall->caller ? stall->caller : stall->frame;
  bool gvl = stall->cause == STALL_WAITING, named = gvl && stall->behind.frame == own;
  phrase_add(phrase, ", %d%% of it%s", (int)(stall->behind.share * 100 + 0.5), gvl ? "" : " behind");
  if (thread && gvl) phrase_add(phrase, " by");
  if (thread && *thread) phrase_add(phrase, " %s", thread);
  else if (thread) phrase_add(phrase, " thread %u", stall->behind.native_id);
  if (!stall->behind.frame || named) return;
  phrase_add(phrase, "%s %s", thread || gvl ? " in" : "", stall_label(symbols, stall->behind.frame));
  if (stall->behind.took) phrase_add(phrase, " < %s", stall_label(symbols, stall->behind.took));
}

/* Writes the method to blame. */
static void stall_blamed(const struct stall *stall, const struct rtop_symbols *symbols, char *out, size_t bytes)
{
  struct phrase phrase = { out, bytes, 0 };
  out[0] = '\0';
  if (!stall->frame) return;
  phrase_add(&phrase, "%s%s", stall->last_seen ? "last seen in " : "", stall_label(symbols, stall->frame));
  if (stall->caller) phrase_add(&phrase, " < %s", stall_label(symbols, stall->caller));
  if (stall->behind.share > 0) stall_behind(&phrase, stall, symbols);
  if (stall->holder == NULL || stall->holder[0] == '\0') return;
  phrase_add(&phrase, stall->deadlock ? ", in a deadlock with %s" : ", held by %s", stall->holder);
  if (!stall->holder_frame) return;
  phrase_add(&phrase, " in %s", stall_label(symbols, stall->holder_frame));
  if (stall->holder_caller) phrase_add(&phrase, " < %s", stall_label(symbols, stall->holder_caller));
}

void stall_culprit(const struct stall *stall, const struct rtop_symbols *symbols, char *out, size_t bytes)
{
  size_t used = 0;
  if (stall->cause == STALL_REQUEST) {
    stall_request_words(stall, symbols, out, bytes);
    used = strlen(out);
    if (stall->frame && used + 2 < bytes) used += (size_t)snprintf(out + used, bytes - used, ": ");
  }
  stall_blamed(stall, symbols, out + used, bytes - used);
}

void stall_threads(const struct stall *stall, char *out, size_t bytes)
{
  if (stall->others) snprintf(out, bytes, "%s +%u", stall->thread, stall->others);
  else snprintf(out, bytes, "%s", stall->thread);
}

void stall_words(const struct stall *stall, const struct rtop_symbols *symbols, char *out, size_t bytes)
{
  char culprit[800], length[32] = "", threads[96];
  stall_culprit(stall, symbols, culprit, sizeof culprit);
  if (stall->cause == STALL_MARK) {
    snprintf(out, bytes, "mark %s", stall->mark);
    return;
  }
  snprintf(length, sizeof length, " %.1f s", (double)(stall->end_ns - stall->start_ns) / 1e9);
  if (stall->cause == STALL_GC) snprintf(length, sizeof length, " %.0f ms", stall->amount / 1e6);
  stall_threads(stall, threads, sizeof threads);
  if (stall->cause == STALL_WAITING)
    snprintf(out, bytes, "GVL held%s by %s, %.1f threads wait", length, culprit[0] ? culprit : "?", stall->amount);
  else if (stall->cause == STALL_MANY_WAITS)
    snprintf(out, bytes, "many short waits%s in %s, %.1f threads", length, culprit, stall->amount);
  else
    snprintf(out, bytes, "%s%s%s%s%s%s%s", stall_cause_name(stall->cause), length, culprit[0] ? " " : "", culprit,
             threads[0] ? " (" : "", threads, threads[0] ? ")" : "");
}

/* "endpoint=GET /orders took 2.3 s in puma srv 3, longest in Kernel#sleep < Order#total". */
static void stall_request(struct phrase *phrase, const struct stall *stall, const struct rtop_symbols *symbols)
{
  char labels[400], culprit[800];
  stall_request_words(stall, symbols, labels, sizeof labels);
  stall_blamed(stall, symbols, culprit, sizeof culprit);
  phrase_add(phrase, "%s took %.1f s", labels[0] ? labels : "a request",
             (double)(stall->end_ns - stall->start_ns) / 1e9);
  if (stall->thread[0]) phrase_add(phrase, " in %s", stall->thread);
  if (culprit[0]) phrase_add(phrase, ", longest in %s", culprit);
}

/* Writes the subject and its verb: "puma srv 3 was", "puma srv 3 and 4 others are", "5 threads were". */
static void stall_who(struct phrase *phrase, const struct stall *stall)
{
  bool many = stall->others > 0, named = stall->thread[0];
  if (many && !named) phrase_add(phrase, "%u threads", stall->others + 1);
  else phrase_add(phrase, "%s", named ? stall->thread : "a thread");
  if (many && named) phrase_add(phrase, " and %u other%s", stall->others, stall->others > 1 ? "s" : "");
  phrase_add(phrase, stall->open ? many ? " are" : " is" : many ? " were" : " was");
}

void stall_sentence(const struct stall *stall, const struct rtop_symbols *symbols, char *out, size_t bytes)
{
  struct phrase phrase = { out, bytes, 0 };
  char culprit[800], length[40];
  bool seen = stall->last_seen;
  out[0] = '\0';
  stall_culprit(stall, symbols, culprit, sizeof culprit);
  snprintf(length, sizeof length, "for %.1f s%s", (double)(stall->end_ns - stall->start_ns) / 1e9,
           stall->open ? " so far" : "");
  if (stall->cause == STALL_GC) snprintf(length, sizeof length, "for %.0f ms", stall->amount / 1e6);
  const char *who = culprit[0] && !seen ? culprit : "something";
  switch (stall->cause) {
  case STALL_MARK: phrase_add(&phrase, "mark %s", stall->mark); return;
  case STALL_BLOCKED:
    stall_who(&phrase, stall);
    phrase_add(&phrase, " blocked %s%s%s", length, seen ? ", " : culprit[0] ? " in " : "", culprit);
    return;
  case STALL_METHOD: phrase_add(&phrase, "%s took over the GVL %s", who, length); break;
  case STALL_NO_SAFEPOINT:
    phrase_add(&phrase, "%s held the GVL %s without a pause", who, length);
    if (stall->thread[0]) phrase_add(&phrase, " (%s)", stall->thread);
    break;
  case STALL_WAITING:
    phrase_add(&phrase, "%.1f threads waited for the GVL %s, held by %s", stall->amount, length, who);
    break;
  case STALL_MANY_WAITS:
    phrase_add(&phrase, "%.1f threads waited again and again %s in %s", stall->amount, length, who);
    break;
  case STALL_GC:
    phrase_add(&phrase, "a collection held everything up %s", length);
    if (culprit[0] && !seen) phrase_add(&phrase, " in %s", culprit);
    break;
  case STALL_STOPPED: phrase_add(&phrase, "the process did not run %s", length); return;
  case STALL_REQUEST: stall_request(&phrase, stall, symbols); return;
  case STALL_CAUSES: return;
  }
  if (seen) phrase_add(&phrase, ", %s", culprit);
}
