/* SPDX-License-Identifier: MIT */
/* Puts a verdict into words, in a longer or shorter form. */
#include "verdict_words.h"

#include "tui/text/text.h"
#include <stdio.h>
#include <string.h>

enum { NAME_TEXT = 600, CAP_MOST = 60, CAP_THREAD = 20, CAP_LEAST = 10 };

/* How much is said. */
struct brevity {
  int cap;           /* columns of a name */
  bool extra, lasts; /* who waits or is inside; since when */
  bool own;          /* of a place the application's method alone */
  bool loop;         /* in whose loop it is */
  enum { STALL_NOT, STALL_KEY, STALL_BRIEF, STALL_NAMED } stall;
};

static void words_seconds(char *out, size_t bytes, uint64_t ns)
{
  if (ns < 100000000) snprintf(out, bytes, "%.0f ms", (double)ns / 1e6);
  else if (ns < UINT64_C(60000000000)) snprintf(out, bytes, "%.1f s", (double)ns / 1e9);
  else rtop_text_duration(out, bytes, ns < INT64_MAX ? (int64_t)ns : INT64_MAX);
}

/* Writes whole seconds, so that the text changes only once a second. */
static void words_lasts(char *out, size_t bytes, int64_t ns)
{
  if (ns < INT64_C(60000000000)) snprintf(out, bytes, "%d s", (int)(ns / 1000000000));
  else rtop_text_duration(out, bytes, ns);
}

static const char *words_waits(unsigned threads)
{
  return threads == 1 ? "thread waits" : "threads wait";
}

static int words_percent(double share)
{
  return (int)(share * 100 + 0.5);
}

void verdict_thread_words(char *out, size_t bytes, const struct verdict_thread *thread)
{
  out[0] = '\0';
  if (!thread->known) return;
  if (thread->name[0] != '\0' && strcmp(thread->name, "main") != 0) snprintf(out, bytes, "%s", thread->name);
  else if (thread->is_main || thread->name[0] != '\0') snprintf(out, bytes, "main thread");
  else snprintf(out, bytes, "thread %u", thread->native_id);
}

static void add_name(struct phrase *phrase, const char *name, int cap)
{
  char cut[NAME_TEXT];
  const char *object = strncmp(name, "#<", 2) == 0 ? "#<" : ""; /* "#<Puma::Builder>.call" becomes "#<Builder>.call" */
  name += strlen(object);
  cap -= (int)strlen(object);
  for (const char *at = name; at && rtop_text_width(name) > cap;) { /* namespaces go first */
    at = strstr(name, "::");
    name = at ? at + 2 : name;
  }
  rtop_text_cut(cut, sizeof cut, name, cap);
  phrase_add(phrase, "%s%s", object, cut);
}

static void add_thread(struct phrase *phrase, const struct verdict_thread *thread, int cap)
{
  char name[NAME_TEXT];
  verdict_thread_words(name, sizeof name, thread);
  add_name(phrase, name, cap);
}

/* "Kernel#sleep < Report#write" */
static void add_place(struct phrase *phrase, const struct rtop_symbols *symbols, const struct verdict_place *place,
                      const struct brevity *brevity)
{
  if (place->caller == 0 || !brevity->own)
    add_name(phrase, rtop_symbols_get(symbols, place->leaf)->label, brevity->cap);
  if (place->caller == 0) return;
  if (!brevity->own) phrase_add(phrase, " < ");
  add_name(phrase, rtop_symbols_get(symbols, place->caller)->label, brevity->cap);
}

/* Adds the culprit, and the loop that contains it: ", in a loop of Invoice#total". */
static void add_culprit(struct phrase *phrase, const struct verdict *verdict, const struct verdict_say *say,
                        const struct brevity *brevity)
{
  const struct verdict_place *place = &verdict->place;
  add_place(phrase, say->symbols, place, brevity);
  bool its_own = verdict->loop == (place->caller ? place->caller : place->leaf);
  if (!brevity->loop || verdict->loop == 0 || (its_own && verdict->kind != VERDICT_BLOCKED)) return;
  phrase_add(phrase, ", in a loop");
  if (its_own) return;
  phrase_add(phrase, " of ");
  add_name(phrase, rtop_symbols_get(say->symbols, verdict->loop)->label, brevity->cap);
}

/* Adds where the thread was last seen: "last seen in Integer#** < Export#run 0.8 s ago". */
static void add_last_seen(struct phrase *phrase, const struct verdict *verdict, const struct verdict_say *say,
                          const struct brevity *brevity)
{
  char age[24];
  words_seconds(age, sizeof age, verdict->since_ns);
  if (verdict->place.leaf == 0) {
    phrase_add(phrase, "no safepoint for %s", age);
    return;
  }
  phrase_add(phrase, "last seen in ");
  add_place(phrase, say->symbols, &verdict->place, brevity);
  phrase_add(phrase, " %s ago", age);
}

static void say_waiters(struct phrase *phrase, const struct verdict_gvl *gvl)
{
  char each[24];
  words_seconds(each, sizeof each, gvl->wait_ns);
  if (gvl->waiters > 0)
    phrase_add(phrase, ", %u thread%s waited %s%s", gvl->waiters, gvl->waiters > 1 ? "s" : "", each,
               gvl->waiters > 1 ? " each" : "");
}

static void say_gvl(struct phrase *phrase, const struct verdict *verdict, const struct verdict_say *say,
                    const struct brevity *brevity)
{
  phrase_add(phrase, "%sGVL held %d%%", say->process, words_percent(verdict->held));
  if (verdict->thread.known && (brevity->extra || brevity->cap >= CAP_THREAD)) {
    phrase_add(phrase, " by ");
    add_thread(phrase, &verdict->thread, brevity->cap);
  }
  if (verdict->last_seen) {
    phrase_add(phrase, ": ");
    add_last_seen(phrase, verdict, say, brevity);
  } else if (verdict->place.leaf) {
    phrase_add(phrase, ": ");
    /* share of all time, as are "held" in the same line and TOTAL% in the table */
    int percent = words_percent(verdict->share * verdict->held);
    if (verdict->share < 0.9 && percent > 0) phrase_add(phrase, "%d%% ", percent);
    add_culprit(phrase, verdict, say, brevity);
  }
  if (brevity->extra) say_waiters(phrase, &verdict->gvl);
}

/* Writes "no CPU 90% of the time: quota of the container; GVL held by main thread in Object#burn". */
static void say_no_cpu(struct phrase *phrase, const struct verdict *verdict, const struct verdict_say *say,
                       const struct brevity *brevity)
{
  static const char *const why[] = { [VERDICT_WHY_UNKNOWN] = "",
                                     [VERDICT_WHY_QUOTA] = ": quota of the container",
                                     [VERDICT_WHY_OTHERS] = ": other processes" };
  int percent = words_percent(verdict->without);
  bool sleeps = verdict->why == VERDICT_WHY_SLEEPS, stopped = verdict->why == VERDICT_WHY_STOPPED;
  const char *of_time = brevity->own ? "" : " of the time";
  if (sleeps) phrase_add(phrase, "%sGVL held without CPU %d%%", say->process, percent);
  else if (stopped) phrase_add(phrase, "%sprocess stopped %d%%%s", say->process, percent, of_time);
  else phrase_add(phrase, "%sno CPU %d%%%s%s", say->process, percent, of_time, why[verdict->why]);
  if (verdict->place.leaf == 0 && !verdict->last_seen) return;
  phrase_add(phrase, sleeps ? ": " : "; GVL held");
  if (!sleeps && verdict->thread.known && brevity->extra) {
    phrase_add(phrase, " by ");
    add_thread(phrase, &verdict->thread, brevity->cap);
  }
  if (verdict->last_seen) {
    phrase_add(phrase, sleeps ? "" : ", ");
    add_last_seen(phrase, verdict, say, brevity);
  } else {
    phrase_add(phrase, sleeps ? "" : " in ");
    if (sleeps) add_place(phrase, say->symbols, &verdict->place, brevity);
    else add_culprit(phrase, verdict, say, brevity);
    phrase_add(phrase, sleeps ? " sleeps with the GVL" : "");
  }
}

static void say_gc(struct phrase *phrase, const struct verdict *verdict, const struct verdict_say *say,
                   const struct brevity *brevity)
{
  char rate[16];
  rtop_text_count(rate, sizeof rate, verdict->objects);
  if (verdict->asked) {
    phrase_add(phrase, "%sGC %d%%: ", say->process, words_percent(verdict->gc));
    if (verdict->share < 0.9) phrase_add(phrase, "%d%% ", words_percent(verdict->share));
    phrase_add(phrase, "asked for by ");
    add_place(phrase, say->symbols, &verdict->place, brevity);
    return;
  }
  phrase_add(phrase, "%sGC %d%%: %s objects/s", say->process, words_percent(verdict->gc), rate);
  if (verdict->place.leaf == 0) return;
  if (verdict->share < 0.9) phrase_add(phrase, ", %d%%", words_percent(verdict->share));
  phrase_add(phrase, " from ");
  add_culprit(phrase, verdict, say, brevity);
}

/* "running 12%: spread over 40 methods, most in Order.total 3%", in brief "running 12%: most in Order.total 3%" */
static void say_spread(struct phrase *phrase, const struct verdict *verdict, const struct verdict_say *say,
                       const struct brevity *brevity)
{
  const struct brevity own = { .cap = brevity->cap, .own = true };
  bool named = verdict->place.leaf != 0;
  phrase_add(phrase, "%srunning %d%%: ", say->process, words_percent(verdict->held));
  if (brevity->extra || !named) phrase_add(phrase, "spread over %u methods%s", verdict->spread, named ? ", " : "");
  if (!named) return;
  phrase_add(phrase, "most in ");
  add_place(phrase, say->symbols, &verdict->place, &own);
  phrase_add(phrase, " %d%%", words_percent(verdict->share));
}

static void say_running(struct phrase *phrase, const struct verdict *verdict, const struct verdict_say *say,
                        const struct brevity *brevity)
{
  if (verdict->spread > 0) {
    say_spread(phrase, verdict, say, brevity);
    return;
  }
  phrase_add(phrase, "%srunning", say->process);
  if (verdict->place.leaf == 0 || verdict->last_seen) phrase_add(phrase, " %d%%", words_percent(verdict->held));
  if (verdict->last_seen) {
    phrase_add(phrase, ": ");
    add_last_seen(phrase, verdict, say, brevity);
  } else if (verdict->place.leaf) {
    phrase_add(phrase, ": %d%% ", words_percent(verdict->share));
    add_culprit(phrase, verdict, say, brevity);
  }
  if (!brevity->extra || !verdict->thread.known) return;
  phrase_add(phrase, ", ");
  add_thread(phrase, &verdict->thread, brevity->cap);
}

/* Do the waiting methods have different names? Two blocks of one method, or two files, do not. */
static bool deadlock_differs(const struct verdict_deadlock *deadlock, const struct rtop_symbols *symbols)
{
  for (unsigned i = 0; i < deadlock->count && i < VERDICT_DEADLOCK_MAX; i++) {
    const struct verdict_place *place = &deadlock->of[i].place;
    const char *name = rtop_symbols_get(symbols, place->caller)->label;
    if (place->caller == 0) return false;
    for (unsigned k = 0; k < i; k++)
      if (strcmp(name, rtop_symbols_get(symbols, deadlock->of[k].place.caller)->label) == 0) return false;
  }
  return true;
}

/* Writes "puma 001 waits for puma 002 in Mutex#lock < App#call; puma 002 waits for puma 001 in ..."; the brief form
 * names methods or threads only: "Transfer#there, Transfer#back wait for one another". */
static void say_deadlock(struct phrase *phrase, const struct verdict *verdict, const struct verdict_say *say,
                         const struct brevity *brevity)
{
  const struct verdict_deadlock *deadlock = &verdict->deadlock;
  const struct brevity own = { .cap = brevity->cap, .own = true };
  bool differs = deadlock_differs(deadlock, say->symbols);
  phrase_add(phrase, "%sdeadlock", say->process);
  if (deadlock->count > 2) phrase_add(phrase, " of %u threads", deadlock->count);
  for (unsigned i = 0; i < deadlock->count && i < VERDICT_DEADLOCK_MAX; i++) {
    const struct verdict_waits *waits = &deadlock->of[i];
    phrase_add(phrase, i == 0 ? ": " : brevity->extra ? "; " : ", ");
    if (!brevity->extra && differs) add_place(phrase, say->symbols, &waits->place, &own);
    else add_thread(phrase, &waits->thread, brevity->cap);
    if (!brevity->extra) continue;
    phrase_add(phrase, " waits for ");
    add_thread(phrase, &deadlock->of[i].owner, brevity->cap);
    if (waits->place.leaf == 0) continue;
    phrase_add(phrase, " in ");
    add_place(phrase, say->symbols, &waits->place, brevity);
  }
  if (!brevity->extra) phrase_add(phrase, " wait for one another");
}

/* " loads heavy.rb" */
static void add_loads(struct phrase *phrase, const struct verdict *verdict, const struct rtop_symbols *symbols)
{
  char name[64];
  const char *path = verdict->loads ? rtop_symbols_get(symbols, verdict->loads)->path : "", *slash = strrchr(path, '/');
  path = slash ? slash + 1 : path;
  rtop_text_sanitize(name, sizeof name, path, strlen(path));
  phrase_add(phrase, " loads %s", name[0] ? name : "that file");
}

/* Adds the owner of the lock, and the lock for which the owner itself waits. */
static void say_owner(struct phrase *phrase, const struct verdict *verdict, const struct verdict_say *say,
                      const struct brevity *brevity)
{
  bool told = verdict->lock.wants != RTOP_WANTS_NOTHING, brief = !brevity->extra;
  const struct verdict_place *place = &verdict->owner_place;
  phrase_add(phrase, "; ");
  if (brief && verdict->owner_elsewhere) phrase_add(phrase, "one other");
  else add_thread(phrase, &verdict->owner, brevity->cap);
  if (verdict->lock.wants == RTOP_WANTS_LOAD) add_loads(phrase, verdict, say->symbols);
  else if (!told) phrase_add(phrase, " is inside%s", verdict->owner_elsewhere ? " a lock" : brief ? "" : " it");
  else if (brief && verdict->lock.number)
    phrase_add(phrase, " has %s #%u", rtop_wants_name(verdict->lock.wants), verdict->lock.number);
  else phrase_add(phrase, " has it");
  if (verdict->root.known) {
    phrase_add(phrase, ", waits for ");
    add_thread(phrase, &verdict->root, brevity->cap);
    place = &verdict->root_place;
  }
  if (place->leaf == 0) return;
  phrase_add(phrase, ", in ");
  add_place(phrase, say->symbols, place, brevity);
}

/* Is the thread in `behind` the owner at the end of the span, of which more is known? */
static bool owner_is_behind(const struct verdict *verdict)
{
  const struct verdict_thread *one = &verdict->behind.thread, *other = &verdict->owner;
  const struct verdict_place *now = &verdict->owner_place;
  bool same = one->known && other->known && one->serial == other->serial && one->source == other->source;
  return same && (now->caller ? now->caller : now->leaf) == verdict->behind.place.leaf;
}

/* Adds the cause of the waiting: "; 93% of it behind Bank#hold < Bank#report, worker-2". */
static void say_behind(struct phrase *phrase, const struct verdict *verdict, const struct verdict_say *say,
                       const struct brevity *brevity)
{
  phrase_add(phrase, "; %d%%%s behind ", words_percent(verdict->behind.share), brevity->extra ? " of it" : "");
  add_place(phrase, say->symbols, &verdict->behind.place, brevity);
  if (!verdict->behind.thread.known) return;
  phrase_add(phrase, ", ");
  add_thread(phrase, &verdict->behind.thread, brevity->cap);
}

static void say_lock(struct phrase *phrase, const struct verdict *verdict, const struct verdict_say *say,
                     const struct brevity *brevity)
{
  int threads = (int)(verdict->blocked + 0.5);
  bool behind = verdict->behind.place.leaf && !verdict->root.known && !owner_is_behind(verdict);
  bool brief = !brevity->extra && (verdict->owner.known || behind);
  if (verdict->deadlock.count) {
    say_deadlock(phrase, verdict, say, brevity);
    return;
  }
  threads = threads > 0 ? threads : 1;
  phrase_add(phrase, "lock: ");
  if (verdict->place.leaf == 0) {
    phrase_add(phrase, "threads wait for locks");
    return;
  }
  phrase_add(phrase, "%d %s", threads, brief ? "wait" : words_waits((unsigned)threads));
  if (!brief) {
    phrase_add(phrase, " in ");
    add_place(phrase, say->symbols, &verdict->place, brevity);
    if (verdict->lock.number)
      phrase_add(phrase, " for %s #%u", rtop_wants_name(verdict->lock.wants), verdict->lock.number);
  }
  if (behind) say_behind(phrase, verdict, say, brevity);
  else if (verdict->owner.known) say_owner(phrase, verdict, say, brevity);
}

/* Writes "pack 0 computes 93% off the GVL in Zlib.deflate < Pack#pack", "2 threads compute off the GVL in ...". */
static void say_computes(struct phrase *phrase, const struct verdict *verdict, const struct brevity *brevity)
{
  if (verdict->thread.known) {
    add_thread(phrase, &verdict->thread, brevity->cap);
    phrase_add(phrase, " computes %d%% off the GVL in ", words_percent(verdict->thread_has));
  } else {
    phrase_add(phrase, verdict->alike > 1 ? "%u threads compute off the GVL in " : "%u thread computes off the GVL in ",
               verdict->alike);
  }
}

/* Writes "3 threads wait for a connection of the pool in Dashboard#show; connections are used in
 * Kernel#sleep < Dashboard#render". */
static void say_pool(struct phrase *phrase, const struct verdict *verdict, const struct verdict_say *say,
                     const struct brevity *brevity)
{
  unsigned threads = verdict->blocked > 1 ? (unsigned)(verdict->blocked + 0.5) : 1;
  struct verdict_place place = verdict->place;
  if (place.caller != 0) place = (struct verdict_place){ place.caller, 0 };
  if (brevity->extra) phrase_add(phrase, "%u %s for a connection of the pool in ", threads, words_waits(threads));
  else phrase_add(phrase, "%u wait%s for a connection in ", threads, threads == 1 ? "s" : "");
  add_place(phrase, say->symbols, &place, brevity);
  if (verdict->owner_place.leaf == 0) return;
  phrase_add(phrase, brevity->extra ? "; connections are used in " : "; used in ");
  add_place(phrase, say->symbols, &verdict->owner_place, brevity);
}

static void say_blocked(struct phrase *phrase, const struct verdict *verdict, const struct verdict_say *say,
                        const struct brevity *brevity)
{
  int threads = (int)(verdict->threads + 0.5);
  if (verdict->place.leaf == 0) {
    phrase_add(phrase, "blocked: %.1f threads at work, in many places", verdict->threads);
    return;
  }
  if (verdict->pool) {
    say_pool(phrase, verdict, say, brevity);
    return;
  }
  if (verdict->computes) {
    say_computes(phrase, verdict, brevity);
  } else if (verdict->thread.known) {
    add_thread(phrase, &verdict->thread, brevity->cap);
    phrase_add(phrase, " waits %d%% in ", words_percent(verdict->thread_has));
  } else if (!brevity->extra) {
    phrase_add(phrase, "%d%% wait in ", words_percent(verdict->share));
  } else if (threads > 1) {
    phrase_add(phrase, "%d%% of %d threads at work wait in ", words_percent(verdict->share), threads);
  } else if (verdict->alike > 1) {
    phrase_add(phrase, "%d%% of the work of %u threads waits in ", words_percent(verdict->share), verdict->alike);
  } else {
    phrase_add(phrase, "work spends %d%% waiting in ", words_percent(verdict->share));
  }
  add_culprit(phrase, verdict, say, brevity);
  if (verdict->owner.known) say_owner(phrase, verdict, say, brevity);
}

static void say_idle(struct phrase *phrase, const struct verdict *verdict, const struct verdict_say *say,
                     const struct brevity *brevity)
{
  const char *comma = "";
  phrase_add(phrase, "idle: ");
  if (verdict->resting > 0) {
    /* Some of these threads may get work; if all wait for one another to end, none will. */
    const char *others = verdict->resting > 1 ? "other threads" : "another thread";
    phrase_add(phrase, "%u %s for %s", verdict->resting, words_waits(verdict->resting),
               verdict->joining == verdict->resting ? others : "work");
    comma = ", ";
  }
  if (verdict->pausing > 0 && verdict->pause.leaf != 0) {
    /* Not all pausing threads need be in the place with most of them. */
    unsigned there = verdict->alike < verdict->pausing && verdict->alike > 0 ? verdict->alike : verdict->pausing;
    phrase_add(phrase, "%s%u in ", comma, there);
    add_place(phrase, say->symbols, &verdict->pause, brevity);
    if (there < verdict->pausing) phrase_add(phrase, ", %u elsewhere", verdict->pausing - there);
    comma = ", ";
  } else if (verdict->pausing > 0) {
    phrase_add(phrase, "%s%u sleep or read", comma, verdict->pausing);
    comma = ", ";
  }
  if (verdict->unknown > 0) phrase_add(phrase, "%s%u blocked, stack unknown", comma, verdict->unknown);
  else if (comma[0] == '\0') phrase_add(phrase, "no thread runs");
}

static void say_lasts(struct phrase *phrase, const struct verdict *verdict, const struct verdict_say *say)
{
  char lasts[24];
  bool own = verdict->since_ns >= 1000000000; /* The age is that of the call itself, not of the verdict. */
  int64_t ns = own ? (int64_t)verdict->since_ns : say->lasts_ns;
  if (own) words_seconds(lasts, sizeof lasts, verdict->since_ns);
  else words_lasts(lasts, sizeof lasts, ns);
  if (verdict->last_seen || (!own && ns < 2000000000)) return;
  phrase_add(phrase, !own && say->lasts_longer ? ", for over %s" : ", for %s", lasts);
}

static void say_verdict(struct phrase *phrase, const struct verdict *verdict, const struct verdict_say *say,
                        const struct brevity *brevity)
{
  switch (verdict->kind) {
  case VERDICT_NO_CPU: say_no_cpu(phrase, verdict, say, brevity); break;
  case VERDICT_GC: say_gc(phrase, verdict, say, brevity); break;
  case VERDICT_LOCK: say_lock(phrase, verdict, say, brevity); break;
  case VERDICT_GVL: say_gvl(phrase, verdict, say, brevity); break;
  case VERDICT_RUNNING: say_running(phrase, verdict, say, brevity); break;
  case VERDICT_BLOCKED: say_blocked(phrase, verdict, say, brevity); break;
  case VERDICT_IDLE: say_idle(phrase, verdict, say, brevity); break;
  case VERDICT_NONE:
  case VERDICT_KINDS: return;
  }
  if (brevity->lasts && verdict->spread == 0) say_lasts(phrase, verdict, say);
}

/* Adds the kind of a stall without a name: "GVL held for 3.0 s". */
static void add_stall_kind(struct phrase *phrase, enum stall_cause cause, const char *length)
{
  switch (cause) {
  case STALL_BLOCKED: phrase_add(phrase, "%s blocked", length); return;
  case STALL_NO_SAFEPOINT: phrase_add(phrase, "GVL held for %s", length); return;
  case STALL_WAITING: phrase_add(phrase, "%s of waits for the GVL", length); return;
  case STALL_GC: phrase_add(phrase, "%s of GC", length); return;
  case STALL_METHOD: phrase_add(phrase, "%s in one method", length); return;
  case STALL_MANY_WAITS: phrase_add(phrase, "many short waits for %s", length); return;
  case STALL_STOPPED: phrase_add(phrase, "stopped for %s", length); return;
  case STALL_REQUEST: phrase_add(phrase, "a request of %s", length); return;
  case STALL_MARK:
  case STALL_CAUSES: phrase_add(phrase, "%s", length);
  }
}

/* Writes "[(] stall 12 s ago: 3.0 s in Kernel#sleep < Report#run"; for one of several processes "[(] stall 12 s ago:
 * 4712: 3.0 s in ...". */
static void say_stall(struct phrase *phrase, const struct verdict_say *say, const struct brevity *brevity)
{
  const struct stall *stall = say->stall;
  struct verdict_place place = { stall->frame, stall->caller };
  char length[24], ago[24];
  uint64_t ns = stall->cause == STALL_GC ? (uint64_t)stall->amount : (uint64_t)(stall->end_ns - stall->start_ns);
  words_seconds(length, sizeof length, ns);
  words_lasts(ago, sizeof ago, say->stall_ago_ns);
  phrase_add(phrase, "[(] ");
  const char *what = stall->cause == STALL_REQUEST ? "slow request" : "stall";
  if (brevity->stall == STALL_KEY) phrase_add(phrase, "%s: ", what);
  else if (say->stall_ago_ns >= 1000000000) phrase_add(phrase, "%s %s ago: ", what, ago);
  else phrase_add(phrase, "%s now: ", what);
  if (brevity->stall == STALL_NAMED && say->stall_process) phrase_add(phrase, "%s", say->stall_process);
  if (brevity->stall < STALL_NAMED || stall->frame == 0) {
    add_stall_kind(phrase, stall->cause, length);
  } else {
    phrase_add(phrase, "%s%s", stall->cause == STALL_MANY_WAITS ? "many short waits for " : "", length);
    phrase_add(phrase, stall->last_seen ? " last seen in " : stall->cause == STALL_GC ? " of GC in " : " in ");
    add_place(phrase, say->symbols, &place, brevity);
  }
}

static int words_try(struct verdict_words *words, const struct verdict *verdict, const struct verdict_say *say,
                     const struct brevity *brevity)
{
  struct phrase text = { words->text, sizeof words->text, 0 }, stall = { words->stall, sizeof words->stall, 0 };
  words->text[0] = words->stall[0] = '\0';
  say_verdict(&text, verdict, say, brevity);
  if (brevity->stall != STALL_NOT && say->stall != NULL) say_stall(&stall, say, brevity);
  int used = rtop_text_width(words->text), more = rtop_text_width(words->stall);
  return used + more + (used > 0 && more > 0 ? 2 : 0);
}

struct way {
  struct brevity brevity;
  int least; /* least number of columns for a name; with fewer the next form is tried */
};

/* Forms of the text, tried in order until one fits. When a program is idle, its newest stall matters more than how long
 * it has been idle. */
static const struct way ways_rest[] = {
  { { .extra = true, .lasts = true, .stall = STALL_NAMED }, 30 },
  { { .extra = true, .stall = STALL_NAMED }, 30 },
  { { .stall = STALL_NAMED }, 24 },
  { { .own = true, .stall = STALL_NAMED }, 20 },
  { { .extra = true, .lasts = true, .stall = STALL_BRIEF }, 30 },
  { { .extra = true, .stall = STALL_BRIEF }, 24 },
  { { .stall = STALL_KEY }, 16 },
  { { .stall = STALL_NOT }, CAP_LEAST },
};
static const struct way ways_work[] = {
  { { .extra = true, .lasts = true, .loop = true, .stall = STALL_NAMED }, 30 },
  { { .extra = true, .lasts = true, .loop = true, .stall = STALL_BRIEF }, 30 },
  { { .extra = true, .lasts = true, .loop = true, .stall = STALL_KEY }, 30 },
  { { .extra = true, .lasts = true, .loop = true, .stall = STALL_NOT }, 24 },
  { { .lasts = true, .loop = true, .stall = STALL_NOT }, 24 },
  { { .extra = true, .loop = true, .stall = STALL_NOT }, 24 },
  { { .own = true, .lasts = true, .loop = true, .stall = STALL_NOT }, 24 },
  { { .own = true, .loop = true, .stall = STALL_NOT }, 16 },
  { { .own = true, .stall = STALL_NOT }, CAP_LEAST },
  { { .lasts = true, .stall = STALL_NOT }, 16 },
  { { .stall = STALL_NOT }, CAP_LEAST },
};
enum { WAYS_REST = sizeof ways_rest / sizeof ways_rest[0], WAYS_WORK = sizeof ways_work / sizeof ways_work[0] };

void verdict_words(struct verdict_words *words, const struct verdict *verdict, const struct verdict_say *say,
                   int columns)
{
  bool rests = verdict->kind <= VERDICT_IDLE;
  const struct way *ways = rests ? ways_rest : ways_work;
  for (int i = 0; i < (rests ? WAYS_REST : WAYS_WORK); i++) {
    struct brevity brevity = ways[i].brevity;
    for (brevity.cap = CAP_MOST; brevity.cap >= ways[i].least; brevity.cap--)
      if (words_try(words, verdict, say, &brevity) <= columns) return;
  }
  char text[VERDICT_TEXT];
  rtop_text_cut(text, sizeof text, words->text, columns > 0 ? columns : 0);
  snprintf(words->text, sizeof words->text, "%s", text);
}

void verdict_gvl_words(char *out, size_t bytes, const struct verdict_gvl *gvl, int columns)
{
  for (int level = 0; level < 4; level++) {
    for (int cap = level == 0 ? CAP_MOST : 1; cap >= (level == 0 ? CAP_LEAST : 1); cap--) {
      struct phrase phrase = { out, bytes, 0 };
      phrase_add(&phrase, "held %3d%%", words_percent(gvl->held));
      if (gvl->count > 1 && level < 3) phrase_add(&phrase, " of %u GVLs", gvl->count);
      else if (gvl->ractors && level < 3) phrase_add(&phrase, " (Ractors)");
      if (gvl->holder.known && level == 0) {
        phrase_add(&phrase, " by ");
        add_thread(&phrase, &gvl->holder, cap);
      }
      if (level < 2) say_waiters(&phrase, gvl);
      if (rtop_text_width(out) <= columns) return;
    }
  }
}
