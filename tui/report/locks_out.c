/* SPDX-License-Identifier: MIT */
/* Tells of locks without a screen. */
#include "locks_out.h"

#include "json_values.h"
#include "json.h"
#include "tui/tables/thread_locks.h"
#include "tui/tables/thread_words.h"
#include "tui/text/text.h"
#include <string.h>

enum { LOCKS_TEXT = 2100, LOCKS_TOLD = 8, LOCKS_FRAMES = 24, LOCKS_NAME = 96 };

static void locks_line(FILE *out, int columns, const char *line)
{
  char cut[LOCKS_TEXT];
  rtop_text_cut(cut, sizeof cut, line, columns);
  fprintf(out, "%s\n", cut);
}

static void locks_stack(const struct rtop_report *report, const struct rtop_thread_row *thread, FILE *out, int columns)
{
  uint32_t node = thread_stack_is_old(thread) ? 0 : thread->node;
  if (node == 0) locks_line(out, columns, "    (stack not known)");
  for (int i = 0; node != 0 && i < LOCKS_FRAMES; i++) {
    char line[LOCKS_TEXT * 2], place[LOCKS_TEXT];
    const struct rtop_call_node *call = rtop_symbols_get_node(report->symbols, node);
    const struct rtop_symbol *symbol = rtop_symbols_get(report->symbols, call->frame);
    rtop_report_location(place, sizeof place, symbol, call->line, false);
    snprintf(line, sizeof line, "    %s  %s", symbol->label, place);
    locks_line(out, columns, line);
    node = call->parent < node ? call->parent : 0;
  }
}

/* Writes each thread of the circle, what it waits for, and its stack. */
static void locks_deadlock(const struct rtop_report *report, const struct rtop_lock_chain *circle, FILE *out,
                           int columns)
{
  locks_line(out, columns, "DEADLOCK: these threads wait for one another, and none can go on");
  for (unsigned i = 0; i < circle->count; i++) {
    const struct rtop_thread_row *thread = &report->sum.threads[circle->rows[i]];
    char name[LOCKS_NAME], next[LOCKS_NAME], lock[LOCKS_NAME], age[24], line[LOCKS_TEXT];
    thread_lock_thread(name, sizeof name, thread);
    thread_lock_thread(next, sizeof next, &report->sum.threads[circle->rows[(i + 1) % circle->count]]);
    thread_lock_name(lock, sizeof lock, &thread->lock);
    thread_age_text(age, sizeof age, thread->state_age_ns);
    if (thread->lock.wants == RTOP_WANTS_THREAD)
      snprintf(line, sizeof line, "  %s (%u) waits %s for %s to end", name, thread->native_id, age, next);
    else
      snprintf(line, sizeof line, "  %s (%u) waits %s for %s, which %s %s", name, thread->native_id, age, lock, next,
               rtop_wants_verb(thread->lock.wants));
    locks_line(out, columns, line);
    locks_stack(report, thread, out, columns);
  }
}

/* Continues long text in further lines, since the owner at its end matters most. */
static void locks_words(FILE *out, int columns, char *line)
{
  char *end;
  while (rtop_text_width(line) > columns && (end = strstr(line, "; ")) != NULL) {
    *end = '\0';
    locks_line(out, columns, line);
    line = end;
    line[0] = ' ';
  }
  locks_line(out, columns, line);
}

static bool locks_are_told(const struct rtop_lock_chain *circle, size_t row)
{
  for (unsigned i = 0; i < circle->count; i++)
    if (circle->rows[i] == row) return true;
  return false;
}

void locks_write_text(const struct rtop_report *report, FILE *out, int columns)
{
  struct rtop_lock_count locks[RTOP_LOCK_COUNTS_MAX];
  struct rtop_lock_chain circle = { 0 };
  const struct rtop_sum *sum = &report->sum;
  size_t count = rtop_lock_counts(sum, locks);
  if (rtop_lock_deadlock(&circle, sum, report->symbols)) locks_deadlock(report, &circle, out, columns);
  for (size_t i = 0; i < count && i < LOCKS_TOLD; i++) {
    char name[LOCKS_NAME], others[24] = "", words[LOCKS_TEXT], line[LOCKS_TEXT + LOCKS_NAME + 40];
    if (locks[i].waiters == 1 && locks_are_told(&circle, locks[i].row)) continue;
    thread_lock_thread(name, sizeof name, &sum->threads[locks[i].row]);
    thread_lock_words(words, sizeof words, sum, report->symbols, locks[i].row);
    if (locks[i].waiters > 1) snprintf(others, sizeof others, " +%u", locks[i].waiters - 1);
    snprintf(line, sizeof line, "Lock %s%s %s", name, others, words);
    locks_words(out, columns, line);
  }
  if (count > LOCKS_TOLD)
    fprintf(out, "Locks: threads wait for %s%zu more\n", count == RTOP_LOCK_COUNTS_MAX ? "at least " : "",
            count - LOCKS_TOLD);
}

/* ---- JSON ------------------------------------------------------------------------------------------- */

static json_t *locks_who(const struct rtop_report *report, uint64_t serial, const char *name, uint32_t source)
{
  json_t *object = json_object();
  json_object_set_new(object, "id", json_integer(serial < INT64_MAX ? (json_int_t)serial : INT64_MAX));
  json_object_set_new(object, "name", json_text(name));
  if (report->source_count > 1 && source < (uint32_t)report->source_count)
    json_object_set_new(object, "pid", json_integer(report->source_pids[source]));
  return object;
}

static json_t *locks_row(const struct rtop_report *report, size_t row)
{
  const struct rtop_thread_row *thread = &report->sum.threads[row];
  return locks_who(report, thread->serial, thread->name, thread->source);
}

static const char *locks_kind(enum rtop_wants wants)
{
  static const char *const names[] = {
    [RTOP_WANTS_NOTHING] = "",   [RTOP_WANTS_MUTEX] = "mutex",      [RTOP_WANTS_MONITOR] = "monitor",
    [RTOP_WANTS_ITEM] = "queue", [RTOP_WANTS_ROOM] = "sized_queue", [RTOP_WANTS_CONDITION] = "condition",
    [RTOP_WANTS_LOAD] = "load",  [RTOP_WANTS_THREAD] = "thread",
  };
  return wants < RTOP_WANTS_END ? names[wants] : "";
}

json_t *locks_json(const struct rtop_report *report, const struct rtop_thread_row *thread)
{
  size_t row = (size_t)(thread - report->sum.threads);
  struct rtop_lock_chain chain;
  if (thread->ended || thread->state != RTOP_STATE_BLOCKED || thread->lock.wants == RTOP_WANTS_NOTHING)
    return json_null();
  json_t *object = json_object(), *behind = json_array();
  rtop_lock_chain(&chain, &report->sum, report->symbols, row);
  json_object_set_new(object, "kind", json_text(locks_kind(thread->lock.wants)));
  json_object_set_new(object, "number", thread->lock.number ? json_integer(thread->lock.number) : json_null());
  json_object_set_new(object, "wait", json_seconds(thread->state_age_ns));
  json_object_set_new(object, "holder", chain.count > 1 ? locks_row(report, chain.rows[1]) : json_null());
  for (unsigned i = 1; i < chain.count; i++) json_array_append_new(behind, locks_row(report, chain.rows[i]));
  json_object_set_new(object, "chain", behind);
  json_object_set_new(object, "deadlock", json_boolean(chain.circle));
  return object;
}

json_t *locks_json_deadlock(const struct rtop_report *report)
{
  const struct verdict_deadlock *deadlock = &report->verdict.deadlock;
  json_t *threads = json_array();
  for (unsigned i = 0; i < deadlock->count && i < VERDICT_DEADLOCK_MAX; i++) {
    const struct verdict_thread *thread = &deadlock->of[i].thread;
    json_array_append_new(threads, locks_who(report, thread->serial, thread->name, thread->source));
  }
  return threads;
}
