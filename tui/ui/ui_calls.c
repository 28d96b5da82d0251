/* SPDX-License-Identifier: MIT */
/* Counted calls on the screen: requested, followed, and shown instead of samples. */
#include "ui_calls.h"

#include "ui.h"
#include "tui/tables/columns.h"
#include "tui/tables/whole_table.h"
#include "tui/text/fnv.h"
#include "tui/text/text.h"
#include "tui/text/time_text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALLS_SECOND_NS INT64_C(1000000000)
/* Maximum wait (ns) after the time is up: counts are still being published, or an idle process notices the end late. */
#define CALLS_PATIENCE_NS (10 * CALLS_SECOND_NS)
enum { CALLS_DIGITS = 32, CALLS_WIDE = 110 };

bool ui_calls_are_shown(const struct ui *ui)
{
  return ui->calls.shown && ui->view->exact;
}

const struct rtop_sum *ui_shown_sum(const struct ui *ui)
{
  return ui_calls_are_shown(ui) ? &ui->calls.sum : &ui->sum;
}

struct rtop_live *ui_shown_live(const struct ui *ui)
{
  return ui_calls_are_shown(ui) ? ui->calls.live : ui->live;
}

struct rtop_methods_options ui_shown_options(const struct ui *ui)
{
  struct rtop_methods_options options = ui->wanted;
  if (ui_calls_are_shown(ui)) options.thread_filter = NULL; /* calls are of all threads */
  return options;
}

/* Switches the figures to calls; sort keys that only samples have are replaced. */
static void calls_show(struct ui *ui)
{
  struct ui_calls *calls = &ui->calls;
  if (calls->shown) return;
  calls->shown = true;
  calls->units = (int)ui->look.units;
  calls->sort = (int)ui->wanted.sort;
  calls->reverse = ui->wanted.reverse;
  ui->look.units = UNITS_TIME;
  if (!columns_of_calls(ui->wanted.sort)) {
    ui->wanted.sort = RTOP_SORT_SELF;
    ui->wanted.reverse = false;
  }
  ui->look.scroll = 0;
  calls->key = 0;
  ui->stale = true;
}

static void calls_hide(struct ui *ui)
{
  struct ui_calls *calls = &ui->calls;
  if (!calls->shown) return;
  calls->shown = false;
  ui->look.units = (enum ui_units)calls->units;
  ui->wanted.sort = (enum rtop_sort_key)calls->sort;
  ui->wanted.reverse = calls->reverse;
  ui->stale = true;
}

/* Finds counts in a recording, or of a process that has ended. */
static void calls_of_the_past(struct ui *ui)
{
  struct ui_calls *calls = &ui->calls;
  calls->span = rtop_profile_bounds(ui->profile);
  calls->numbers.before = (struct whole_before){ 0 };
  if (!whole_numbers_build(&calls->numbers, ui->profile, calls->span)) ui_say(ui, "out of memory");
  else if (calls->numbers.count > 0) calls_show(ui);
  else ui_say(ui, "no calls were counted here, and none can be now");
}

/* Ends counting and waits for the remaining counts; when called again, stops waiting. */
static void calls_end(struct ui *ui)
{
  struct ui_calls *calls = &ui->calls;
  calls->until_ns = calls->ending ? ui->now_ns - CALLS_PATIENCE_NS : ui->now_ns;
  calls->ending = ui->wish.calls.end = ui->stale = true;
}

bool ui_calls_request(struct ui *ui)
{
  struct ui_calls *calls = &ui->calls;
  if (ui->profile == NULL) return false;
  if (calls->running) calls_end(ui);
  else if (calls->shown) calls_hide(ui);
  else if (ui->source.stream.there)
    ui_say(ui, "a stream cannot count calls: use rperf-top --trace-all where the process runs");
  else if (ui->source.ready && ui_lives(ui->source.main.state)) return true;
  else if (ui->source.ready) calls_of_the_past(ui);
  else ui_say(ui, "there is nothing to trace");
  return false;
}

/* False: the words are none of ours. */
static bool calls_read(const char *text, struct ui_calls_wish *wish)
{
  char word[16];
  bool forced = false, ruby = true;
  *wish = (struct ui_calls_wish){ .begin = true, .seconds = RTOP_WHOLE_SECONDS };
  for (int used = 0; sscanf(text, " %15[^ ,]%n", word, &used) == 1; text += used, text += *text == ',') {
    char *end;
    long seconds = strtol(word, &end, 10);
    if (strcmp(word, "force") == 0) forced = true;
    else if (strcmp(word, "c") == 0) ruby = false;
    else if (strcmp(word, "ruby") == 0) ruby = true;
    else if (*end != '\0' || seconds < 1 || seconds > RTOP_WHOLE_SECONDS_MAX) return false;
    else wish->seconds = (uint32_t)seconds;
  }
  size_t used = 0;
  if (ruby) wish->how[used++] = RTOP_WHOLE_RUBY;
  if (forced) wish->how[used++] = RTOP_WHOLE_FORCED;
  return true;
}

/* Begins counting. The history may contain earlier countings, which are excluded. */
static void calls_begin(struct ui *ui)
{
  struct ui_calls *calls = &ui->calls;
  struct rtop_span held = rtop_profile_bounds(ui->profile);
  calls->span = (struct rtop_span){ held.end_ns, held.end_ns };
  whole_numbers_destroy(&calls->numbers);
  calls->numbers.before = whole_before(ui->profile, held);
  calls->running = true;
  calls->ending = false;
  calls->until_ns = ui->now_ns + (int64_t)ui->wish.calls.seconds * CALLS_SECOND_NS;
  calls->ruby = strchr(ui->wish.calls.how, RTOP_WHOLE_RUBY) != NULL;
  if (ui->frozen) ui_freeze(ui, false);
  calls_show(ui);
}

bool ui_calls_answer(struct ui *ui, const char *text)
{
  if (!calls_read(text, &ui->wish.calls)) {
    ui->wish.calls.begin = false;
    ui_say(ui, "seconds from 1 to %d, and if you like: c (methods in C, too), force (also with YJIT)",
           RTOP_WHOLE_SECONDS_MAX);
    return false;
  }
  ui->wish.calls.begin = ui->profile != NULL;
  if (ui->wish.calls.begin) calls_begin(ui);
  return ui->wish.calls.begin;
}

bool ui_calls_back(struct ui *ui)
{
  struct ui_calls *calls = &ui->calls;
  bool any = calls->running || ui_calls_are_shown(ui);
  if (calls->running) calls_end(ui);
  else if (any) calls_hide(ui);
  return any;
}

void ui_calls_failed(struct ui *ui, const char *why)
{
  ui->calls.running = ui->calls.ending = false;
  calls_hide(ui);
  ui_say(ui, "%s", why);
}

static void calls_say_end(struct ui *ui)
{
  const struct whole_head *head = &ui->calls.numbers.head;
  const char *why = whole_state_text(head->state);
  bool yjit = head->state == RTOP_WHOLE_YJIT;
  if (yjit) why = "YJIT is on, and what it compiled would be slower for good; T, 5 force: do it anyway";
  if (head->calls == 0) calls_hide(ui);
  if (head->calls == 0 && *why != '\0') ui_say(ui, "no call was traced: %s", why);
  else if (head->calls == 0) ui_say(ui, "no call was traced: the process did not answer, or called nothing");
  else if (head->refused > 0)
    ui_say(ui, "%u of %u processes refused, since they use YJIT", head->refused, head->processes);
  else if (head->state == RTOP_WHOLE_FULL) ui_say(ui, "%s", why);
}

static bool calls_are_over(const struct ui *ui)
{
  const struct ui_calls *calls = &ui->calls;
  return whole_state_final(calls->numbers.head.state) || !ui_lives(ui->source.main.state) ||
         ui->now_ns >= calls->until_ns + CALLS_PATIENCE_NS;
}

static bool calls_follow(struct ui *ui)
{
  struct ui_calls *calls = &ui->calls;
  struct rtop_span span = { calls->span.start_ns - WHOLE_EARLIER_NS, rtop_profile_bounds(ui->profile).end_ns };
  calls->span.end_ns = span.end_ns;
  calls->key = 0;
  if (!whole_numbers_build(&calls->numbers, ui->profile, span)) return false;
  if (!calls_are_over(ui)) return true;
  calls->running = calls->ending = false;
  ui->wish.calls.end = true;
  calls_say_end(ui);
  return true;
}

/* Returns a key of the shown data: the lens, and which process is shown alone. */
static uint64_t calls_key(struct ui *ui)
{
  uint32_t of[] = { rtop_lens_version(rtop_profile_lens(ui->profile)), ui_processes_alone(ui),
                    rtop_symbols_reuses(rtop_profile_symbols(ui->profile)) };
  uint64_t hash = rtop_fnv(RTOP_FNV_START, of, sizeof of);
  return hash ? hash : 1;
}

static bool calls_make(struct ui *ui)
{
  struct ui_calls *calls = &ui->calls;
  const struct rtop_symbols *symbols = rtop_profile_symbols(ui->profile);
  uint64_t key = calls_key(ui);
  if (key == calls->key && calls->live != NULL) return true;
  calls->key = 0;
  if (!whole_sum_build(&calls->sum, &calls->numbers, ui->profile, calls->span, ui_processes_alone(ui))) return false;
  rtop_live_destroy(&calls->live);
  calls->live = rtop_live_of(symbols);
  if (calls->live == NULL || !rtop_live_take(calls->live, &calls->sum)) return false;
  calls->key = key;
  return true;
}

bool ui_calls_update(struct ui *ui)
{
  bool fine = !ui->calls.running || calls_follow(ui);
  ui->look.columns.calls = ui_calls_are_shown(ui);
  return fine && (!ui_calls_are_shown(ui) || calls_make(ui));
}

void ui_calls_keep(const struct ui *ui, struct rtop_symbols *symbols)
{
  if (!ui->calls.shown && !ui->calls.running) return;
  whole_numbers_keep(&ui->calls.numbers, symbols);
  rtop_sum_keep(&ui->calls.sum, symbols);
}

void ui_calls_forget(struct ui *ui)
{
  struct ui_calls *calls = &ui->calls;
  calls_hide(ui);
  whole_numbers_destroy(&calls->numbers);
  rtop_sum_destroy(&calls->sum);
  rtop_live_destroy(&calls->live);
  memset(calls, 0, sizeof *calls);
  ui->wish.calls = (struct ui_calls_wish){ 0 };
  ui->look.columns.calls = false;
}

/* "1,234,567" */
static void calls_digits(char *out, size_t bytes, uint64_t count)
{
  char plain[CALLS_DIGITS];
  int length = snprintf(plain, sizeof plain, "%llu", (unsigned long long)count);
  size_t used = 0;
  for (int i = 0; i < length && used + 2 < bytes; i++) {
    if (i > 0 && (length - i) % 3 == 0) out[used++] = ',';
    out[used++] = plain[i];
  }
  out[used] = '\0';
}

/* Writes the status while counting; the overhead of counting is known only at the end. */
static void calls_running_words(const struct ui *ui, char *out, size_t bytes, const char *calls)
{
  int64_t left_ns = ui->calls.until_ns - ui->now_ns;
  const struct whole_head *head = &ui->calls.numbers.head;
  const char *of = ui->calls.ruby ? "all calls in Ruby" : "all calls";
  if (!head->told) snprintf(out, bytes, "%s: asked for, nothing is told yet (T: end)", of);
  else if (left_ns > 0)
    snprintf(out, bytes, "%s: %d s to go, %s (T: end)", of, (int)((left_ns + CALLS_SECOND_NS - 1) / CALLS_SECOND_NS),
             calls);
  else snprintf(out, bytes, "%s: ending, %s (T: end)", of, calls);
}

/* Writes the status after counting. Less important parts come last, and are dropped first. */
static void calls_ended_words(const struct ui *ui, char *out, size_t bytes, int columns, const char *calls,
                              const char *own)
{
  const struct whole_head *head = &ui->calls.numbers.head;
  char clock[16] = "", parts[5][64];
  size_t used = (size_t)snprintf(out, bytes, "exact: %.1f s of %s, %s", (double)head->traced_ns / 1e9,
                                 ui->calls.ruby ? "calls in Ruby" : "all calls", calls);
  time_text_clock(clock, sizeof clock, ui->calls.span.end_ns + ui->source.clock_offset_ns, false);
  snprintf(parts[0], sizeof parts[0], ", %s a call taken off", own);
  snprintf(parts[1], sizeof parts[1], "%s", head->state == RTOP_WHOLE_FULL ? ", ended early: no more room" : "");
  snprintf(parts[2], sizeof parts[2], " (T: back)");
  snprintf(parts[3], sizeof parts[3], ", up to %s", clock);
  snprintf(parts[4], sizeof parts[4], ", %llu without an end", (unsigned long long)head->untimed);
  if (columns < CALLS_WIDE) parts[3][0] = '\0';
  if (head->untimed == 0) parts[4][0] = '\0';
  for (int i = 0; i < 5; i++)
    if (used + strlen(parts[i]) <= (size_t)(columns > 0 ? columns : 0) && used < bytes)
      used += (size_t)snprintf(out + used, bytes - used, "%s", parts[i]);
}

void ui_calls_words(const struct ui *ui, char *out, size_t bytes, int columns)
{
  const struct ui_calls *calls = &ui->calls;
  char count[CALLS_DIGITS], text[CALLS_DIGITS + 8], own[24];
  out[0] = '\0';
  if (!calls->running && !ui_calls_are_shown(ui)) return;
  calls_digits(count, sizeof count, calls->numbers.head.calls);
  snprintf(text, sizeof text, "%s calls", count);
  rtop_text_duration(own, sizeof own, (int64_t)whole_own_ns(&calls->numbers.head));
  if (calls->running) calls_running_words(ui, out, bytes, text);
  else calls_ended_words(ui, out, bytes, columns, text, own);
}
