/* SPDX-License-Identifier: MIT */
/* The screen's position in time: live, frozen, at a span, or playing. */
#include "ui_time.h"
#include "ui.h"
#include "tui/term/draw.h"
#include "tui/text/time_text.h"

enum { TICK_NS = 16000000, WINDOW_NS = 100000000, TICK_MAX_NS = 1000000000, HOLE_NS = 10000000 };

static bool lives(const struct ui *ui)
{
  return ui_lives(ui->source.main.state);
}

int64_t ui_time_cursor(const struct ui *ui)
{
  if (ui->frozen) return ui->time.cursor_ns;
  return ui->sum.length_ns > 0 || ui->profile == NULL ? ui->span.end_ns : rtop_profile_bounds(ui->profile).end_ns;
}

struct rtop_span ui_time_window(const struct ui *ui)
{
  return rtop_profile_window_of(ui->profile, ui_time_cursor(ui));
}

int64_t ui_time_age_ns(const struct ui *ui, int64_t time_ns)
{
  int64_t now_ns = ui->now_real_ns - ui->source.clock_offset_ns;
  /* The present time of day cannot be used, as the sender's clock may differ. */
  if (ui->source.stream.there && __builtin_add_overflow(ui->now_ns, ui->source.stream.clock_ns, &now_ns))
    now_ns = time_ns;
  if (!lives(ui) || ui->source.clock_offset_ns == 0)
    now_ns = ui->profile != NULL ? rtop_profile_bounds(ui->profile).end_ns : time_ns;
  return now_ns > time_ns ? now_ns - time_ns : 0;
}

/* Moves the cursor to the end of this window. */
static void stand_on(struct ui *ui, struct rtop_span window)
{
  struct ui_time *time = &ui->time;
  if (window.end_ns == window.start_ns) return;
  if (!ui->frozen) time->strip_end_ns = ui_time_cursor(ui);
  ui->frozen = true;
  time->cursor_ns = window.end_ns;
  ui->stale = true;
}

bool ui_time_changed(struct ui *ui)
{
  if (!ui->frozen || ui->profile == NULL) return false;
  bool lost = ui->time.cursor_ns <= rtop_profile_bounds(ui->profile).start_ns;
  return rtop_profile_take_revised(ui->profile) < ui->span.end_ns || lost;
}

/* Ends freezing. The span moves at once: the next key may come before the screen is updated, and must start from
   the newest data. */
static void thaw(struct ui *ui)
{
  ui->frozen = false;
  ui->time.marks = ui->time.speed = 0;
  ui->stale = true;
  if (ui->profile != NULL) ui->span = ui_time_span(ui);
}

void ui_freeze(struct ui *ui, bool frozen)
{
  if (!frozen) {
    thaw(ui);
  } else if (!ui->frozen) {
    ui->time.cursor_ns = ui->time.strip_end_ns = ui_time_cursor(ui);
    ui->frozen = ui->stale = true;
  }
}

bool ui_time_selected(const struct ui *ui, struct rtop_span *span)
{
  const struct ui_time *time = &ui->time;
  if (!ui->frozen || time->marks == 0) return false;
  struct rtop_span other = time->marks > 1 ? time->mark[1] : ui_time_window(ui);
  span->start_ns = other.start_ns < time->mark[0].start_ns ? other.start_ns : time->mark[0].start_ns;
  span->end_ns = other.end_ns > time->mark[0].end_ns ? other.end_ns : time->mark[0].end_ns;
  return true;
}

/* Moves the cursor along when the oldest windows were dropped while it was on them. */
static void keep_held(struct ui *ui, const struct rtop_span *held)
{
  struct ui_time *time = &ui->time;
  struct rtop_span span;
  if (held->end_ns == held->start_ns) return;
  if (time->cursor_ns <= held->start_ns) {
    time->cursor_ns = rtop_profile_window_of(ui->profile, held->start_ns + 1).end_ns;
    time->position_ns = time->cursor_ns;
    ui_say(ui, "that moment is gone: this is the oldest");
  }
  if (time->marks > 1 && ui_time_selected(ui, &span) && span.end_ns <= held->start_ns) {
    time->marks = 0;
    ui_say(ui, "the selected span is gone");
  }
}

struct rtop_span ui_time_span(struct ui *ui)
{
  uint32_t alone = ui_processes_alone(ui);
  if (!ui->frozen && alone != UI_ALL_SOURCES) return rtop_profile_last_alone(ui->profile, alone, ui->length_ns);
  if (!ui->frozen) return rtop_profile_last(ui->profile, ui->length_ns);
  struct rtop_span held = rtop_profile_bounds(ui->profile), span;
  keep_held(ui, &held);
  if (ui_time_selected(ui, &span)) return span;
  int64_t end_ns = ui->time.cursor_ns;
  return (struct rtop_span){ ui->length_ns <= 0 ? held.start_ns : end_ns - ui->length_ns, end_ns };
}

int64_t ui_time_strip_end(struct ui *ui, int cells)
{
  struct ui_time *time = &ui->time;
  if (!ui->frozen) return ui->span.end_ns;
  int64_t length_ns = cells * STRIP_CELL_NS, end_ns = rtop_profile_bounds(ui->profile).end_ns;
  if (time->cursor_ns > time->strip_end_ns || time->cursor_ns <= time->strip_end_ns - length_ns) {
    int64_t middle_ns = time->cursor_ns + length_ns / 2;
    time->strip_end_ns = middle_ns < end_ns ? middle_ns : end_ns;
  }
  return time->strip_end_ns;
}

void ui_time_move(struct ui *ui, int64_t time_ns)
{
  struct rtop_span held = rtop_profile_bounds(ui->profile);
  struct rtop_span window = rtop_profile_window_of(ui->profile, time_ns);
  if (time_ns <= held.start_ns) window = rtop_profile_window_of(ui->profile, held.start_ns + 1);
  stand_on(ui, window);
}

static void time_step(struct ui *ui, int windows)
{
  int64_t from_ns = ui_time_cursor(ui);
  struct rtop_span next = rtop_profile_step(ui->profile, from_ns, windows);
  ui->time.speed = 0;
  if (windows > 0 && next.end_ns <= from_ns) {
    ui_say(ui, ui->frozen && lives(ui) ? "the newest data: z resumes" : "the newest data");
  } else if (windows < 0 && next.end_ns >= from_ns) {
    ui_say(ui, "the oldest data");
  } else {
    struct rtop_span here = rtop_profile_window_of(ui->profile, from_ns);
    int64_t hole_ns = windows > 0 ? next.start_ns - here.end_ns : here.start_ns - next.end_ns;
    if (windows * windows == 1 && hole_ns > HOLE_NS) ui_say(ui, "skipped a gap of %.1f s", (double)hole_ns / 1e9);
    stand_on(ui, next);
  }
}

void ui_time_goto(struct ui *ui, const char *text)
{
  if (ui->profile == NULL) return;
  struct rtop_span held = rtop_profile_bounds(ui->profile);
  int64_t offset_ns = ui->source.clock_offset_ns, time_ns;
  struct time_base base = { held.start_ns + offset_ns, held.end_ns + offset_ns, ui_time_cursor(ui) + offset_ns };
  const char *problem = time_text_parse(text, &base, &time_ns);
  if (problem != NULL) {
    ui_say(ui, "%s", problem);
    return;
  }
  ui->time.speed = 0;
  if (time_ns < base.start_ns || time_ns > base.end_ns) {
    char clock[16];
    time_text_clock(clock, sizeof clock, time_ns < base.start_ns ? base.start_ns : base.end_ns, false);
    ui_say(ui, time_ns < base.start_ns ? "the history begins at %s" : "the history ends at %s", clock);
  }
  ui_time_move(ui, time_ns - offset_ns);
}

static void set_mark(struct ui *ui)
{
  struct ui_time *time = &ui->time;
  struct rtop_span span;
  ui_freeze(ui, true);
  if (time->marks == 2) {
    time->marks = 0;
    ui_say(ui, "no span is marked: the one at the cursor counts");
  } else {
    time->mark[time->marks++] = ui_time_window(ui);
    if (time->marks == 1) ui_say(ui, "span from here to the cursor; m: end it here");
    else if (ui_time_selected(ui, &span))
      ui_say(ui, "a span of %.1f s; m: back to the cursor", (double)(span.end_ns - span.start_ns) / 1e9);
  }
  ui->stale = true;
}

/* Starts playing, or if it plays, plays faster in the same direction, else reverses. */
static void play(struct ui *ui, int direction)
{
  static const int speeds[] = { 1, 2, 10 };
  struct ui_time *time = &ui->time;
  int at = 0;
  for (int i = 0; i < 3; i++) at = time->speed == direction * speeds[i] ? (i + 1) % 3 : at;
  if (direction > 0 && !ui->frozen) {
    ui_say(ui, lives(ui) ? "this is the newest data; J plays backwards" : "this is the end; J plays backwards");
    return;
  }
  if (time->speed == 0) {
    ui_freeze(ui, true);
    time->position_ns = time->cursor_ns;
  }
  time->speed = direction * speeds[at];
  time->played_ns = ui->now_ns;
  ui->dirty = true;
}

static void play_ends(struct ui *ui)
{
  if (ui->time.speed < 0) {
    ui_say(ui, "the oldest data");
  } else if (lives(ui)) {
    thaw(ui);
    ui_say(ui, "now");
  } else {
    ui_say(ui, "the end");
  }
  ui->time.speed = 0;
}

void ui_time_tick(struct ui *ui)
{
  struct ui_time *time = &ui->time;
  if (time->speed == 0 || ui->profile == NULL || ui->now_ns < ui_time_due_ns(ui)) return;
  int64_t elapsed_ns = ui->now_ns - time->played_ns;
  time->position_ns += time->speed * (elapsed_ns < TICK_MAX_NS ? elapsed_ns : TICK_MAX_NS);
  time->played_ns = ui->now_ns;
  int forward = time->speed > 0 ? 1 : -1;
  for (int64_t from_ns = time->cursor_ns;; from_ns = time->cursor_ns) {
    struct rtop_span here = ui_time_window(ui), next = rtop_profile_step(ui->profile, from_ns, forward);
    if (forward * (next.end_ns - from_ns) <= 0) {
      play_ends(ui);
      return;
    }
    int64_t hole_ns = forward > 0 ? next.start_ns - here.end_ns : here.start_ns - next.end_ns;
    hole_ns = hole_ns > HOLE_NS ? hole_ns : 0;
    if (forward * (time->position_ns - next.end_ns) + hole_ns < 0) return;
    time->position_ns += forward * hole_ns; /* nobody watches a gap */
    stand_on(ui, next);
  }
}

int64_t ui_time_due_ns(const struct ui *ui)
{
  int speed = ui->time.speed < 0 ? -ui->time.speed : ui->time.speed;
  if (speed == 0) return INT64_MAX;
  return ui->time.played_ns + (WINDOW_NS / speed > TICK_NS ? WINDOW_NS / speed : TICK_NS);
}

bool ui_time_back(struct ui *ui)
{
  struct ui_time *time = &ui->time;
  if (time->speed != 0) {
    time->speed = 0;
    return true;
  }
  bool marked = time->marks > 0;
  time->marks = 0;
  ui->stale = ui->stale || marked;
  return marked;
}

/* Handles z: while playing, stops at the present position; otherwise freezes, or returns to live. */
static void freeze_or_go_on(struct ui *ui)
{
  if (ui->time.speed != 0) ui->time.speed = 0;
  else ui_freeze(ui, !ui->frozen);
}

bool ui_time_request(struct ui *ui, enum request request)
{
  if (ui->profile == NULL) return false;
  switch (request) {
  case REQUEST_FREEZE: freeze_or_go_on(ui); return true;
  case REQUEST_STEP_BACK: time_step(ui, -1); return true;
  case REQUEST_STEP: time_step(ui, 1); return true;
  case REQUEST_LEAP_BACK: time_step(ui, -10); return true;
  case REQUEST_LEAP: time_step(ui, 10); return true;
  case REQUEST_GOTO: ui_ask(ui, UI_PROMPT_GOTO); return true;
  case REQUEST_BASELINE: ui_baseline_next(ui); return true;
  case REQUEST_MARK: set_mark(ui); return true;
  case REQUEST_PLAY_BACK: play(ui, -1); return true;
  case REQUEST_PLAY: play(ui, 1); return true;
  default: return false;
  }
}

void ui_time_tag(const struct ui *ui, char *out, size_t bytes)
{
  char age[16], length[16];
  struct rtop_span span;
  time_text_age(age, sizeof age, ui_time_age_ns(ui, ui_time_cursor(ui)));
  if (ui->time.speed != 0) {
    snprintf(out, bytes, "[PLAY %dx -%s]", ui->time.speed, age);
  } else if (ui_time_selected(ui, &span)) {
    draw_time(length, sizeof length, (uint64_t)(span.end_ns - span.start_ns));
    snprintf(out, bytes, "[SPAN %s -%s]", length, age);
  } else {
    snprintf(out, bytes, "[FROZEN -%s]", age);
  }
}
