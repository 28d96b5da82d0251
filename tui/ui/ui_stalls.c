/* SPDX-License-Identifier: MIT */
/* Stalls on the screen: found as windows come, and visited one after the other. */
#include "ui_stalls.h"
#include "ui.h"
#include "tui/text/text.h"
#include "tui/verdict/verdict_trouble.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static_assert(STALL_ALL_SOURCES == UI_ALL_SOURCES, "a source that is shown alone is asked for as it is");

/* now_ns: a stall that ended less than this before the end of the span counts as not ended; newest_ns: an older one is
   not reported any more. */
static const int64_t now_ns = 200000000, newest_ns = INT64_C(600000000000);
/* half_ns: age after which the importance of a stall is halved; old_ns: a stall that ended earlier is not what the user
   has just seen. */
static const int64_t half_ns = INT64_C(10000000000), old_ns = INT64_C(30000000000);

size_t ui_stalls_count(const struct ui *ui)
{
  size_t at = 0, count = 0;
  while (ui_stalls_next(ui, &at) != NULL) count++;
  return count;
}

const struct stall *ui_stalls_next(const struct ui *ui, size_t *at)
{
  const struct stalls *stalls = &ui->stalls.stalls;
  while (*at < stalls->count) {
    const struct stall *stall = &stalls->list[(*at)++];
    if (ui_processes_shows(ui, stall->source)) return stall;
  }
  return NULL;
}

const struct stall *ui_stalls_at(const struct ui *ui, struct rtop_span window)
{
  return stalls_at(&ui->stalls.stalls, ui_processes_alone(ui), window);
}

const char *ui_stalls_why_none(const struct ui *ui)
{
  if (ui->stalls.more) return "no stall found so far";
  return ui_processes_alone(ui) == UI_ALL_SOURCES ? "no stalls or marks in the history"
                                                  : "no stalls or marks of this process in the history";
}

void ui_stalls_words(const struct ui *ui, const struct stall *stall, char *out, size_t bytes)
{
  ui_processes_whose(ui, stall->source, out, bytes);
  size_t used = strlen(out);
  stall_words(stall, rtop_profile_symbols(ui->profile), out + used, bytes - used);
}

static void say_sentence(const struct ui *ui, const struct stall *stall, struct phrase *phrase)
{
  char process[UI_WHO_BYTES + 2], words[400];
  ui_processes_whose(ui, stall->source, process, sizeof process);
  stall_sentence(stall, rtop_profile_symbols(ui->profile), words, sizeof words);
  phrase_add(phrase, "%s%s", process, words);
}

static bool is_off_gvl(const struct stall *stall)
{
  return stall->cause == STALL_BLOCKED || stall->cause == STALL_MANY_WAITS || stall_request_is_off_gvl(stall);
}

/* Returns the frame to select for a stall, and which call of it (0: any): the application's method that called the
 * culprit through libraries or C, else the culprit. */
static uint32_t blamed(const struct rtop_symbols *symbols, const struct stall *stall, uint32_t *call)
{
  uint32_t frame = stall->caller != 0 ? stall->caller : stall->frame, node = stall->node;
  while (node != 0 && rtop_symbols_get_node(symbols, node)->frame != frame) {
    uint32_t parent = rtop_symbols_get_node(symbols, node)->parent;
    node = parent < node ? parent : 0;
  }
  *call = node;
  return frame;
}

/* Selects who is to blame. */
static void blame(struct ui *ui, const struct stall *stall)
{
  uint32_t call, frame = blamed(rtop_profile_symbols(ui->profile), stall, &call);
  ui->selected = frame != 0 ? frame : ui->selected;
  if (frame != 0) ui_way_drop(ui);
  if (frame != 0 && call != 0) ui_way_select(ui, stall->source, call);
  ui->stalls.id = stall->id;
  ui->stalls.seek = stall->frame != 0 || stall->serial != 0;
  ui->stalls.source = stall->source;
  ui->stalls.serial = stall->serial;
  ui->stalls.frame = stall->frame;
  ui->stalls.selected = ui->selected;
  ui->stale = true;
}

/* Returns what the visited stall has turned out to be: itself, or another stall of its thread that replaces it. */
static const struct stall *now_known(struct ui *ui)
{
  struct ui_stalls *at = &ui->stalls;
  const struct stall *stall = stalls_find(&at->stalls, at->id);
  if (stall != NULL) return stall;
  struct rtop_span here = { at->stood_ns - ui->length_ns, at->stood_ns };
  stall = stalls_at(&at->stalls, at->source, here);
  return stall != NULL && stall->serial == at->serial ? stall : NULL;
}

void ui_stalls_poll(struct ui *ui)
{
  struct ui_stalls *at = &ui->stalls;
  if (ui->profile == NULL) return;
  uint64_t found = at->stalls.found;
  at->more = stalls_update(&at->stalls, ui->profile, rtop_profile_symbols(ui->profile), &at->limits);
  ui->dirty = ui->dirty || found != at->stalls.found;
  bool stands = ui->frozen && at->stood_ns == ui->time.cursor_ns && at->frame != 0 && ui->selected == at->selected;
  const struct stall *stall = stands ? now_known(ui) : NULL;
  if (stall == NULL || stall->frame == 0 || stall->frame == at->frame) return;
  char words[420] = "";
  struct phrase phrase = { words, sizeof words, 0 };
  blame(ui, stall);
  say_sentence(ui, stall, &phrase);
  ui_say(ui, "%s", words);
}

void ui_stalls_forget(struct ui *ui)
{
  stalls_destroy(&ui->stalls.stalls);
  ui->stalls.more = false;
  ui->stalls.stood_ns = 0;
}

/* Goes to a stall, from the list or by keys. */
static void go(struct ui *ui, const struct stall *stall)
{
  ui->time.speed = ui->time.marks = 0;
  ui_time_move(ui, stall->cause == STALL_MARK ? stall->end_ns + 1 : stall_instant(stall, ui->length_ns));
  ui->stalls.stood_ns = ui->time.cursor_ns;
  ui->stalls.off_gvl = is_off_gvl(stall);
  blame(ui, stall);
}

void ui_stalls_go(struct ui *ui, const struct stall *stall)
{
  char words[420] = "";
  struct phrase phrase = { words, sizeof words, 0 };
  go(ui, stall);
  say_sentence(ui, stall, &phrase);
  ui_say(ui, "%s", words);
}

bool ui_stalls_selected(const struct ui *ui)
{
  const struct ui_stalls *at = &ui->stalls;
  return ui->frozen && at->stood_ns == ui->time.cursor_ns && ui->selected == at->selected;
}

bool ui_stalls_is_off_gvl(const struct ui *ui)
{
  return ui->stalls.off_gvl && ui_stalls_selected(ui);
}

static bool shows_calls(enum view_id view)
{
  return view == VIEW_TREE || view == VIEW_ICICLE || view == VIEW_SOURCE || view == VIEW_SKYLINE || view == VIEW_GROUPS;
}

void ui_stalls_fit_mode(struct ui *ui)
{
  struct ui_stalls *at = &ui->stalls;
  char said[sizeof ui->message];
  bool wanted = ui->frozen && at->stood_ns == ui->time.cursor_ns && at->off_gvl && shows_calls(ui->view->id);
  if (wanted && !at->all_time && ui->wanted.mode != RTOP_MODE_WALL) {
    at->all_time = true;
    at->mode_before = ui->wanted.mode;
    ui->wanted.mode = RTOP_MODE_WALL;
    snprintf(said, sizeof said, "%s", ui->message);
    ui_say(ui, "%.*s%sall time is shown, W: busy time", (int)sizeof said - 60, said, *said ? "; " : "");
  } else if (!wanted && at->all_time) {
    if (ui->wanted.mode == RTOP_MODE_WALL) ui->wanted.mode = at->mode_before;
    at->all_time = false;
  }
}

/* Importance of a stall: its harm, halved for every ten seconds of age. *now: the stall has not ended. The age
 * of a method that took over before the span counts from the take-over, since the verdict describes the method.
 * 0: not important. */
static double news(const struct ui *ui, const struct stall *stall, bool *now)
{
  int64_t ago_ns = ui_stalls_ago_ns(ui, stall);
  *now = ago_ns == 0;
  if (stall->cause == STALL_MARK || stall->start_ns >= ui->span.end_ns || ago_ns > newest_ns) return 0;
  if (stall->cause == STALL_METHOD && *now && stall->start_ns < ui->span.start_ns) {
    ago_ns = ui->span.end_ns - stall->start_ns;
    *now = false;
  }
  return ago_ns > newest_ns ? 0 : stall_harm(stall) * exp2(-(double)ago_ns / (double)half_ns);
}

const struct stall *ui_stalls_newest(const struct ui *ui)
{
  const struct stall *newest = NULL;
  double most = 0;
  bool most_now = false, now;
  size_t at = 0;
  for (const struct stall *stall; (stall = ui_stalls_next(ui, &at)) != NULL;) {
    double harm = news(ui, stall, &now);
    if (harm <= 0 || now < most_now || (now == most_now && harm < most)) continue;
    newest = stall;
    most = harm;
    most_now = now;
  }
  return newest;
}

int64_t ui_stalls_ago_ns(const struct ui *ui, const struct stall *stall)
{
  int64_t ago_ns = ui->span.end_ns - stall->end_ns;
  return stall->open || ago_ns < now_ns ? 0 : ago_ns;
}

/* Finds the next stall in a direction, skipping stalls already visited, and others in the same window. */
static const struct stall *stall_to(const struct ui *ui, int direction)
{
  const struct ui_stalls *at = &ui->stalls;
  bool stands = ui->frozen && at->stood_ns == ui->time.cursor_ns;
  uint32_t source = ui_processes_alone(ui);
  int64_t from_ns = ui_time_cursor(ui);
  if (direction < 0) from_ns = stands ? ui_time_window(ui).start_ns : from_ns + 1;
  const struct stall *stall = stalls_near(&at->stalls, source, from_ns, direction, ui->length_ns);
  bool same = stands && stall != NULL && stall->id == at->id; /* it has grown since */
  return same ? stalls_near(&at->stalls, source, stall_instant(stall, ui->length_ns), direction, ui->length_ns) : stall;
}

/* Adds where the keys lead next: "; 1 more at that time; ( again: mark deploy, 15 s earlier; ): 2 later ones,
 * which harmed less". */
static void say_others(const struct ui *ui, const struct stall *stall, bool passed, struct phrase *phrase)
{
  const struct stall *before = stall_to(ui, -1), *other;
  int64_t instant_ns = stall_instant(stall, ui->length_ns);
  struct rtop_span window = ui_time_window(ui);
  unsigned later = 0, beside = 0;
  size_t at = 0;
  while ((other = ui_stalls_next(ui, &at)) != NULL) {
    int64_t other_ns = stall_instant(other, ui->length_ns);
    if (other->id == stall->id) continue;
    beside += other_ns > window.start_ns && other_ns <= window.end_ns;
    later += other->cause != STALL_MARK && other_ns > window.end_ns;
  }
  if (beside > 0) phrase_add(phrase, "; %u more at that time", beside);
  if (before == NULL) {
    phrase_add(phrase, "; none is earlier");
  } else {
    char ago[24];
    rtop_text_duration(ago, sizeof ago, instant_ns - stall_instant(before, ui->length_ns));
    phrase_add(phrase, "; ( again: %s%s%s, %s earlier", stall_cause_words(before->cause),
               before->cause == STALL_MARK ? " " : "", before->mark, ago);
  }
  const char *over = ui_stalls_ago_ns(ui, stall) > 0 ? "" : later > 1 ? "are over or " : "is over or ";
  if (passed && later > 0)
    phrase_add(phrase, "; ): %u later one%s, which %sharmed less", later, later > 1 ? "s" : "", over);
}

/* Adds that no stall is recent, if the newest one ended long ago: for the first jump from the live display. */
static void say_since(const struct stall *newest, int64_t ago_ns, struct phrase *phrase)
{
  char ago[24];
  if (newest == NULL || ago_ns < old_ns) return;
  rtop_text_duration(ago, sizeof ago, ago_ns);
  phrase_add(phrase, "no stall in the last %s; before that ", ago);
}

/* If there is no important stall, goes to the second with the worst verdict, and selects its culprit. */
static bool jump_to_trouble(struct ui *ui)
{
  enum { WIDE = 300 };
  struct ui_stalls *at = &ui->stalls;
  struct verdict_trouble trouble;
  struct verdict_words words;
  char process[UI_WHO_BYTES + 2] = "";
  uint32_t source = ui_processes_alone(ui);
  if (!verdict_trouble_find(&ui->verdict.maker, ui->profile, source, &ui->verdict.verdict, ui->span.end_ns, &trouble))
    return false;
  const struct verdict_place *place = &trouble.of.place;
  struct verdict_say say = { .symbols = rtop_profile_symbols(ui->profile), .process = process };
  if (trouble.of.source < UI_SOURCES_MAX) ui_processes_whose(ui, trouble.of.source, process, sizeof process);
  verdict_words(&words, &trouble.of, &say, WIDE);
  ui->time.speed = ui->time.marks = 0;
  ui_time_move(ui, trouble.span.end_ns);
  at->id = 0;
  at->stood_ns = ui->time.cursor_ns;
  at->seek = false;
  at->serial = 0;
  at->frame = place->leaf;
  at->off_gvl = trouble.of.kind == VERDICT_BLOCKED || trouble.of.kind == VERDICT_LOCK;
  at->selected = ui->selected = place->caller != 0 ? place->caller : place->leaf;
  ui_way_drop(ui);
  ui_say(ui, "no stall lately, but %d s ago: %s", (int)(trouble.ago_ns / 1000000000), words.text);
  return true;
}

static void jump(struct ui *ui, int direction)
{
  bool stands = ui->frozen && ui->stalls.stood_ns == ui->time.cursor_ns;
  const struct stall *news = direction < 0 && !stands ? ui_stalls_newest(ui) : NULL;
  const struct stall *stall = news != NULL ? news : stall_to(ui, direction);
  bool old = news == NULL || ui_stalls_ago_ns(ui, news) >= old_ns;
  if (direction < 0 && !ui->frozen && old && jump_to_trouble(ui)) return;
  if (stall != NULL) {
    char words[sizeof ui->message] = "";
    struct phrase phrase = { words, sizeof words, 0 };
    if (news != NULL) say_since(news, ui_stalls_ago_ns(ui, news), &phrase);
    go(ui, stall);
    say_sentence(ui, stall, &phrase);
    say_others(ui, stall, news != NULL, &phrase);
    ui_say(ui, "%s", words);
  } else if (ui_stalls_count(ui) == 0) {
    ui_say(ui, "%s", ui_stalls_why_none(ui));
  } else {
    ui_say(ui, direction > 0 ? "no later stall or mark" : "no earlier stall or mark");
  }
}

bool ui_stalls_request(struct ui *ui, enum request request)
{
  if (ui->profile == NULL || (request != REQUEST_STALL_BACK && request != REQUEST_STALL_NEXT)) return false;
  jump(ui, request == REQUEST_STALL_NEXT ? 1 : -1);
  return true;
}
