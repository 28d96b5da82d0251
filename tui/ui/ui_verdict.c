/* SPDX-License-Identifier: MIT */
/* Keeps the verdict on the data that the screen shows up to date. */
#include "ui_verdict.h"

#include "tui/text/text.h"
#include "ui.h"
#include <stdio.h>
#include <string.h>

static const int64_t verdict_calm_ns = 450000000; /* live: not oftener */

bool ui_verdict_update(struct ui *ui)
{
  struct ui_verdict *at = &ui->verdict;
  uint32_t source = ui_processes_alone(ui);
  bool live = !ui->frozen;
  at->gvl = verdict_gvl_of(&ui->sum, ui->profile, source);
  bool follows = at->made && live && at->live && at->source == source;
  bool early = follows && ui->span.end_ns >= at->span.end_ns && ui->span.end_ns - at->span.end_ns < verdict_calm_ns &&
               ui->span.end_ns - ui->span.start_ns == at->span.end_ns - at->span.start_ns;
  if (early) return true;
  struct verdict before = at->verdict;
  at->made = verdict_make(&at->maker, &ui->sum, ui->profile, source, follows ? &before : NULL, &at->verdict);
  at->span = ui->span;
  at->source = source;
  at->live = live;
  if (at->made && at->verdict.kind != VERDICT_NONE)
    verdict_past_ns(&at->past, &at->maker, ui->profile, source, &at->verdict, ui->span);
  return at->made;
}

void ui_verdict_forget(struct ui *ui)
{
  verdict_maker_destroy(&ui->verdict.maker);
  verdict_past_destroy(&ui->verdict.past);
  ui->verdict.made = false;
  ui->verdict.verdict = (struct verdict){ 0 };
  ui->verdict.gvl = (struct verdict_gvl){ 0 };
}

void ui_verdict_rests(struct ui *ui)
{
  const struct ui_verdict *at = &ui->verdict;
  const struct rests_look look = { .profile = ui->profile,
                                   .sum = &ui->sum,
                                   .whole = &at->maker.whole,
                                   .span = ui->span,
                                   .stalls = &ui->stalls.stalls,
                                   .verdict = at->made ? &at->verdict : NULL };
  rests_update(&ui->rests, &look);
}

/* Does the verdict already describe the stall, so that it need not be shown again? */
static bool verdict_tells(const struct ui *ui, const struct stall *stall)
{
  enum verdict_kind kind = ui->verdict.verdict.kind;
  if (ui_stalls_ago_ns(ui, stall) > 0) return false;
  switch (stall->cause) {
  case STALL_METHOD: return true;
  case STALL_NO_SAFEPOINT:
  case STALL_WAITING: return kind == VERDICT_GVL || kind == VERDICT_RUNNING;
  case STALL_GC: return kind == VERDICT_GC;
  case STALL_MANY_WAITS:
  case STALL_BLOCKED: return kind == VERDICT_LOCK || kind == VERDICT_BLOCKED;
  case STALL_STOPPED:
  case STALL_REQUEST:
  case STALL_MARK:
  case STALL_CAUSES: break;
  }
  return false;
}

struct verdict_gvl ui_verdict_gvl(const struct ui *ui)
{
  return ui->verdict.gvl;
}

void ui_verdict_words(const struct ui *ui, struct verdict_words *words, int columns)
{
  const struct ui_verdict *at = &ui->verdict;
  char process[UI_WHO_BYTES + 2] = "", stall_process[UI_WHO_BYTES + 2];
  struct verdict_say say = { .symbols = rtop_profile_symbols(ui->profile), .process = process };
  const struct stall *stall = ui_stalls_newest(ui);
  if (stall != NULL && !verdict_tells(ui, stall)) {
    say.stall = stall;
    say.stall_process = stall_process;
    ui_processes_whose(ui, stall->source, stall_process, sizeof stall_process);
    say.stall_ago_ns = ui_stalls_ago_ns(ui, stall);
  }
  if (at->made && at->verdict.kind != VERDICT_NONE) {
    say.lasts_ns = ui->span.end_ns - at->past.now.start_ns;
    say.lasts_longer = at->past.now.longer;
  }
  if (at->verdict.source < UI_SOURCES_MAX) {
    char who[UI_WHO_BYTES];
    ui_process_who(&ui->source.at[at->verdict.source], who, sizeof who);
    snprintf(process, sizeof process, "%s: ", who);
  }
  verdict_words(words, &at->verdict, &say, columns);
}

enum { RAISED_COLUMNS = 40, RAISED_ALL = 95 };
static const double raised_told = 100; /* exceptions per second; fewer cost practically nothing */
static const int64_t raised_calm_ns = 1000000000;

/* Writes " in Price#find", " at app.rb:9" for a place without a name, or "" if unknown. */
static void raised_place(const struct rtop_symbols *symbols, const struct raised_place *place, char *out, size_t bytes)
{
  const struct rtop_symbol *symbol = rtop_symbols_get(symbols, place->frame);
  const char *slash = strrchr(symbol->path, '/');
  bool named = symbol->label[0] >= 'A' && symbol->label[0] <= 'Z';
  char text[160];
  out[0] = '\0';
  if (place->frame == 0) return;
  const char *name = named ? ui_label_that_fits(symbol->label, RAISED_COLUMNS) : slash ? slash + 1 : symbol->path;
  rtop_text_cut(text, sizeof text, name, RAISED_COLUMNS);
  if (named) snprintf(out, bytes, " in %s", text);
  else snprintf(out, bytes, " at %s:%u", text, place->line);
}

static void raised_words(struct ui *ui)
{
  struct ui_raised *raised = &ui->raised;
  const struct rtop_symbols *symbols = rtop_profile_symbols(ui->profile);
  const struct raised_row *row = raised->list.rows;
  raised->most[0] = '\0';
  if (raised->list.count == 0 || raised->list.all == 0) return;
  int percent = (int)((double)row->count * 100 / (double)raised->list.all + 0.5);
  char name[200], method[200];
  rtop_text_cut(name, sizeof name, raised_class(symbols, &row->place), RAISED_COLUMNS);
  raised_place(symbols, &row->place, method, sizeof method);
  if (percent >= RAISED_ALL) snprintf(raised->most, sizeof raised->most, "%s/s%s", name, method);
  else snprintf(raised->most, sizeof raised->most, "raised/s: %d%% %s%s", percent, name, method);
}

bool ui_raised_update(struct ui *ui)
{
  struct ui_raised *raised = &ui->raised;
  double seconds = (double)ui->sum.length_ns / 1e9;
  raised->per_second = seconds > 0 ? (double)ui->sum.counters.exceptions / seconds : 0;
  bool told = raised->per_second >= raised_told;
  if (!told) raised->most[0] = '\0';
  if (!told || (!ui->touched && raised->most[0] != '\0' && ui->now_ns < raised->until_ns)) return true;
  raised->until_ns = ui->now_ns + raised_calm_ns;
  if (!raised_list_build(&raised->list, ui->profile, ui->span)) return false;
  raised_words(ui);
  return true;
}

void ui_raised_forget(struct ui *ui)
{
  raised_list_destroy(&ui->raised.list);
  memset(&ui->raised, 0, sizeof ui->raised);
}
