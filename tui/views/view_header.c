/* SPDX-License-Identifier: MIT */
/* Draws title, verdict, bars and timeline above the table. */
#include "viewer.h"
#include "tui/methods/states.h"
#include "tui/tables/thread_table.h"
#include "tui/term/draw.h"
#include "tui/text/text.h"
#include "tui/text/time_text.h"
#include "tui/ui/ui.h"
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum {
  METER_BAR = 24,
  METER_TEXT_MOST = 72,
  TITLE_NAME_COLUMNS = 16,
  TITLE_NAME_LEAST = 4,
  SPAN_FROM = 40,
  SPAN_MODE_FROM = 60,
  SPAN_LAST_FROM = 90,
  SPAN_WORDS_FROM = 120,
  STREAM_LATE_TENTHS = 30
};

static double share_of(uint64_t part, uint64_t whole)
{
  return whole == 0 ? 0 : (double)part / (double)whole;
}

static double per_second(const struct ui *ui, uint64_t count)
{
  return ui->sum.length_ns == 0 ? 0 : (double)count * 1e9 / (double)ui->sum.length_ns;
}

static int percent(double share)
{
  return (int)(share * 100 + 0.5);
}

/* Position of the end of the shown span in the file, in percent. */
static int file_percent(const struct ui *ui)
{
  struct rtop_span held = rtop_profile_bounds(ui->profile);
  if (held.end_ns <= held.start_ns) return 100;
  return percent((double)(ui->span.end_ns - held.start_ns) / (double)(held.end_ns - held.start_ns));
}

/* Writes the state of the stream, as far as there is room. */
static enum face stream_tag(const struct ui *ui, char *tag, size_t bytes)
{
  const struct ui_stream *stream = &ui->source.stream;
  const struct ui_process *process = ui_process(ui);
  bool wide = ui->layout.columns >= SPAN_MODE_FROM;
  if (stream->ended) {
    snprintf(tag, bytes, stream->broken ? "[STREAM BROKEN OFF]" : "[STREAM ENDED]");
    return FACE_WARN;
  }
  if (stream->silent_seconds > 0) {
    snprintf(tag, bytes, "[STREAM stalled for %d s]", stream->silent_seconds);
    return FACE_WARN;
  }
  if (process->state != RTOP_FEED_LIVE) {
    snprintf(tag, bytes, "[STREAM: %s]", rtop_feed_state_name(process->state));
    return FACE_WARN;
  }
  if (wide) snprintf(tag, bytes, "[STREAM %d.%d s behind]", stream->behind_tenths / 10, stream->behind_tenths % 10);
  else snprintf(tag, bytes, "[STREAM]");
  return stream->behind_tenths >= STREAM_LATE_TENTHS ? FACE_WARN : FACE_GOOD;
}

/* How many hosts send, or how that of the process shown alone is. */
static enum face hosts_tag(const struct ui *ui, char *tag, size_t bytes)
{
  int there = 0, over = 0;
  const struct ui_process *process = ui_process(ui);
  const struct ui_host *host = ui_processes_alone(ui) != UI_ALL_SOURCES ? ui_process_host(ui, process) : NULL;
  for (int i = 0; i < ui->source.hosts; i++) {
    there += ui->source.host[i].state == RTOP_HOST_THERE;
    over += ui->source.host[i].state == RTOP_HOST_OVER;
  }
  bool fine = there + over == ui->source.hosts;
  if (host != NULL && host->state == RTOP_HOST_AWAY) snprintf(tag, bytes, "[AWAY]");
  else if (host != NULL && host->state == RTOP_HOST_SILENT) snprintf(tag, bytes, "[SILENT %d s]", host->silent_seconds);
  else if (over == ui->source.hosts) snprintf(tag, bytes, "[ENDED]");
  else if (fine) snprintf(tag, bytes, "[%d HOST%s]", there, there == 1 ? "" : "S");
  else snprintf(tag, bytes, "[%d OF %d HOSTS]", there, ui->source.hosts - over);
  return fine && over < ui->source.hosts ? FACE_GOOD : FACE_WARN;
}

/* Writes that the process has ended, which can happen while the display is frozen. */
static void add_end(const struct ui *ui, char *tag, size_t bytes)
{
  enum rtop_feed_state state = ui_process(ui)->state;
  size_t used = strlen(tag);
  bool over = state == RTOP_FEED_ENDED || state == RTOP_FEED_DEAD;
  if (over && used > 0) snprintf(tag + used - 1, bytes - used + 1, state == RTOP_FEED_DEAD ? ", DEAD]" : ", ENDED]");
}

static enum face state_tag(const struct ui *ui, char *tag, size_t bytes)
{
  struct rtop_span selected;
  bool plain = ui->time.speed == 0 && !ui_time_selected(ui, &selected);
  if (ui->profile != NULL && ui->source.file[0] != '\0' && plain) {
    char name[28]; /* name, of which the end is shown if it is long, since the end is more informative */
    rtop_text_cut_left(name, sizeof name, ui->source.file, 20);
    snprintf(tag, bytes, "[FILE %s %d%%]", name, file_percent(ui));
    return ui->frozen ? FACE_FROZEN : FACE_GOOD;
  }
  if (ui->frozen) {
    ui_time_tag(ui, tag, bytes);
    add_end(ui, tag, bytes);
    return FACE_FROZEN;
  }
  if (ui->profile == NULL) {
    tag[0] = '\0';
    return FACE_NORMAL;
  }
  if (!ui->source.ready) {
    snprintf(tag, bytes, ui->source.problem != NULL ? "[FAILED]" : "[STARTING]");
    return FACE_WARN;
  }
  if (ui->source.stream.there) return stream_tag(ui, tag, bytes);
  if (ui->source.hosts > 0) return hosts_tag(ui, tag, bytes);
  const struct ui_process *process = ui_process(ui);
  if (process->by_exec && !ui_lives(process->state)) {
    snprintf(tag, bytes, "[EXEC]");
    return FACE_WARN;
  }
  switch (process->state) {
  case RTOP_FEED_LIVE:
    snprintf(tag, bytes, ui->source.recording ? "[REC]" : "[LIVE]");
    return ui->source.recording ? FACE_WARN : FACE_GOOD;
  case RTOP_FEED_STALLED: snprintf(tag, bytes, "[STALLED]"); return FACE_WARN;
  case RTOP_FEED_ENDED: snprintf(tag, bytes, "[ENDED]"); return FACE_WARN;
  case RTOP_FEED_DEAD: snprintf(tag, bytes, "[DEAD]"); return FACE_WARN;
  case RTOP_FEED_REPLAY: snprintf(tag, bytes, "[REPLAY]"); return FACE_GOOD;
  }
  return FACE_NORMAL;
}

/* Writes the wall clock time of the shown data: of the last window, or the present time if there is none. */
static void clock_text(const struct ui *ui, char *text, size_t bytes)
{
  int64_t real_ns = ui->now_real_ns;
  if (ui->sum.length_ns > 0 && ui->source.clock_offset_ns != 0) real_ns = ui->span.end_ns + ui->source.clock_offset_ns;
  time_text_clock(text, bytes, real_ns, false);
}

static void title_text(const struct ui *ui, char *text, size_t bytes)
{
  const struct ui_process *process = ui_process(ui);
  if (ui->profile == NULL || !ui->source.ready) {
    snprintf(text, bytes, "%s",
             ui->profile == NULL ? "Ruby processes, those in trouble first" : ui_short_command(process->command));
    return;
  }
  char who[UI_WHO_BYTES];
  ui_process_who(process, who, sizeof who);
  snprintf(text, bytes, "%s %s", who, ui_short_command(process->command));
}

/* How many others live. Returns its columns. */
static int others_text(const struct ui *ui, char *text, size_t bytes)
{
  int others = ui->source.processes - 1;
  bool some = ui->profile != NULL && ui->source.ready && others > 0 && ui_processes_alone(ui) == UI_ALL_SOURCES;
  text[0] = '\0';
  if (!some) return 0;
  const char *what = !ui_processes_one_tree(ui) ? "" : others == 1 ? " child" : " children";
  return snprintf(text, bytes, "  (+%d%s)", others, what);
}

static int text_columns(const char *text)
{
  char copy[512];
  return rtop_text_cut(copy, sizeof copy, text, (int)sizeof copy);
}

/* Shortens a title to its version and tag, without the address at which the server listens: "puma
   8.0.2 (tcp://…) [shop]". */
static void shorten_title(char *name, int columns)
{
  char *from = strstr(name, " ("), *to = from != NULL ? strchr(from, ')') : NULL;
  if (to != NULL && text_columns(name) > columns) memmove(from, to + 1, strlen(to + 1) + 1);
}

/* Least number of columns of the name, which is shown before other parts of the title. */
static int name_columns_least(const char *name)
{
  char shortest[320];
  snprintf(shortest, sizeof shortest, "%s", name);
  shorten_title(shortest, 0);
  return text_columns(shortest);
}

/* Writes which processes ended while others live, in at most `columns`. Returns the number of columns used. */
static int gone_text(const struct ui *ui, char *text, size_t bytes, int columns)
{
  char clock[16] = "", many[32] = "";
  const struct ui_process *last;
  int gone = ui->profile != NULL && ui_processes_alone(ui) == UI_ALL_SOURCES ? ui_processes_gone(ui, &last) : 0;
  text[0] = '\0';
  if (gone == 0) return 0;
  if (last->ended_real_ns != 0) time_text_clock(clock, sizeof clock, last->ended_real_ns, false);
  if (gone > 1) snprintf(many, sizeof many, "%d gone, last ", gone);
  int used =
      snprintf(text, bytes, "  %s%d %s %s", many, (int)last->pid, last->end[0] != '\0' ? last->end : "is gone", clock);
  if (used > columns) used = snprintf(text, bytes, "  %s%d%s %s", many, (int)last->pid, gone > 1 ? "" : " gone", clock);
  if (used > columns) used = snprintf(text, bytes, "  %d gone", gone);
  return used;
}

static void title_extra(const struct ui *ui, char *text, size_t bytes)
{
  char up[16] = "";
  const struct ui_process *process = ui_process(ui);
  text[0] = '\0';
  if (ui->profile == NULL || !ui->source.ready) return;
  size_t used = 0;
  if (ui->layout.wide) {
    bool past = process->state == RTOP_FEED_REPLAY || ui->source.stream.there;
    int64_t now_ns = past ? ui->span.end_ns + ui->source.clock_offset_ns : ui->now_real_ns;
    int64_t up_ns = *process->end ? process->lived_ns : now_ns - process->started_real_ns;
    draw_time(up, sizeof up, up_ns > 0 ? (uint64_t)up_ns : 0);
    used = (size_t)snprintf(text, bytes, "  ruby %s", process->ruby);
  }
  if (used < bytes && *process->end) used += (size_t)snprintf(text + used, bytes - used, "  %s", process->end);
  else if (used < bytes && ui->layout.wide && rtop_counters_rate_is_known(&ui->sum.counters))
    used += (size_t)snprintf(text + used, bytes - used, "  %lluHz", (unsigned long long)ui->sum.counters.rate_hz);
  if (up[0] != '\0' && used < bytes) snprintf(text + used, bytes - used, *process->end ? "  after %s" : "  up %s", up);
}

static void window_text(const struct ui *ui, char *text, size_t bytes)
{
  struct rtop_span span;
  if (ui_time_selected(ui, &span)) snprintf(text, bytes, "%.1f s", (double)(span.end_ns - span.start_ns) / 1e9);
  else if (ui->length_ns <= 0) snprintf(text, bytes, "all");
  else snprintf(text, bytes, "%s%g s", ui->layout.columns < SPAN_LAST_FROM ? "" : "last ", (double)ui->length_ns / 1e9);
}

/* Writes which time counts and the length of the span, in at most `columns`: "time on the GVL, last 10 s", or shorter
 * "GVL time, 10 s". Returns the number of columns used. */
static int span_text(const struct ui *ui, char *text, size_t bytes, int columns)
{
  static const char *const times[2][RTOP_MODES] = {
    { [RTOP_MODE_WALL] = "wall", [RTOP_MODE_CPU] = "CPU", [RTOP_MODE_BUSY] = "GVL time" },
    { [RTOP_MODE_WALL] = "wall time", [RTOP_MODE_CPU] = "CPU time", [RTOP_MODE_BUSY] = "time on the GVL" },
  };
  char window[32];
  bool room = columns >= SPAN_WORDS_FROM;
  text[0] = '\0';
  if (ui->profile == NULL || !ui->source.ready || columns < SPAN_FROM) return 0;
  if (ui_calls_are_shown(ui))
    return snprintf(text, bytes, "exact  %.1f s  ", (double)ui->calls.numbers.head.traced_ns / 1e9);
  window_text(ui, window, sizeof window);
  return columns < SPAN_MODE_FROM ? snprintf(text, bytes, "%s  ", window)
                                  : snprintf(text, bytes, "%s, %s  ", times[room][ui->wanted.mode], window);
}

static void draw_title(const struct ui *ui)
{
  char tag[96], plain[96], clock[16], name[320], extra[96], others[16], gone[128], span[64];
  struct rect at = ui->layout.part[PART_TITLE];
  enum face face = state_tag(ui, tag, sizeof tag);
  int end = at.columns - rtop_text_cut(plain, sizeof plain, tag, 80);
  draw_text(at.y, end, at.columns - end, face, tag);
  if (ui->source.recording && strcmp(tag, "[REC]") != 0) {
    end -= 6;
    draw_text(at.y, end, 6, FACE_WARN, "[REC] ");
  }
  if (at.columns >= 40) {
    clock_text(ui, clock, sizeof clock);
    end -= (int)strlen(clock) + 2;
    draw_text(at.y, end, 8, FACE_NORMAL, clock);
  }
  int x = 1, span_columns = span_text(ui, span, sizeof span, at.columns);
  if (at.columns >= 60) x += draw_text(at.y, x, end - x, FACE_LABEL, "rperf-top") + 2;
  title_text(ui, name, sizeof name);
  title_extra(ui, extra, sizeof extra);
  int others_columns = others_text(ui, others, sizeof others);
  if (name_columns_least(name) + others_columns > end - span_columns - x - 1 && at.columns >= SPAN_MODE_FROM)
    span_columns = span_text(ui, span, sizeof span, SPAN_MODE_FROM - 1);
  end -= span_columns;
  draw_text(at.y, end, span_columns, FACE_NORMAL, span);
  int room = end - x - 1, extra_columns = (int)strlen(extra);
  int gone_columns = gone_text(ui, gone, sizeof gone, room - others_columns - TITLE_NAME_COLUMNS);
  others_columns = room - others_columns - gone_columns < TITLE_NAME_LEAST ? 0 : others_columns;
  gone_columns = room - gone_columns < TITLE_NAME_LEAST ? 0 : gone_columns;
  room -= others_columns + gone_columns;
  if (room - extra_columns < TITLE_NAME_COLUMNS) extra_columns = 0;
  shorten_title(name, room - extra_columns);
  if (others_columns > 0 && text_columns(name) > room - extra_columns) extra_columns = 0;
  x += draw_text(at.y, x, room - extra_columns, FACE_TITLE, name);
  x += draw_text(at.y, x, others_columns, FACE_TITLE, others);
  x += draw_text(at.y, x, gone_columns, FACE_WARN, gone);
  draw_text(at.y, x, extra_columns, FACE_NORMAL, extra);
}

/* Draws the verdict: what the program does, who is to blame and for how long; the newest stall at the right. */
static void draw_verdict(const struct ui *ui)
{
  static const enum face faces[VERDICT_KINDS] = {
    [VERDICT_NONE] = FACE_NORMAL,   [VERDICT_IDLE] = FACE_TITLE, [VERDICT_RUNNING] = FACE_TITLE,
    [VERDICT_BLOCKED] = FACE_TITLE, [VERDICT_LOCK] = FACE_HOT,   [VERDICT_GVL] = FACE_HOT,
    [VERDICT_GC] = FACE_HOT,        [VERDICT_NO_CPU] = FACE_HOT,
  };
  struct verdict_words words;
  struct rect at = ui->layout.part[PART_VERDICT];
  if (ui->profile == NULL) return;
  ui_calls_words(ui, words.text, sizeof words.text, at.columns - 1);
  if (words.text[0] != '\0') {
    draw_text(at.y, at.x, at.columns, FACE_MATCH, words.text);
    return;
  }
  ui_verdict_words(ui, &words, at.columns - 1);
  draw_text(at.y, at.x, at.columns, faces[ui->verdict.verdict.kind], words.text);
  int columns = rtop_text_width(words.stall);
  draw_text(at.y, at.x + at.columns - columns, columns, FACE_HOT, words.stall);
}

/* Number of columns for text beside a bar, the same in all rows, so that bars are aligned and do not move. */
static int meter_text_columns(int columns)
{
  int wanted = columns - METER_BAR - 6;
  wanted = wanted > METER_TEXT_MOST ? METER_TEXT_MOST : wanted;
  return wanted > 0 ? wanted : 0;
}

/* "NAME[bar] text" */
static void draw_meter(const struct ui *ui, enum layout_part part, int columns, const char *name,
                       const struct draw_segment *segments, int count, const char *text)
{
  struct rect at = ui->layout.part[part];
  int text_columns = meter_text_columns(columns), bar = columns - 6 - text_columns;
  draw_text(at.y, at.x, 3, FACE_LABEL, name);
  draw_text(at.y, at.x + 3, 1, FACE_NORMAL, "[");
  draw_bar(at.y, at.x + 4, bar, segments, count);
  draw_text(at.y, at.x + 4 + bar, 2, FACE_NORMAL, "] ");
  draw_text(at.y, at.x + 6 + bar, text_columns, FACE_NORMAL, text);
}

/* Draws the share of time that the GVL was held, by state. */
/* Drops the part of the text about the GVL that the verdict already contains. */
static void leave_out_verdict(const struct ui *ui, const struct verdict_gvl *gvl, char *text, size_t bytes, int columns)
{
  struct verdict_words words;
  struct verdict_gvl rest = *gvl;
  ui_calls_words(ui, words.text, sizeof words.text, ui->layout.part[PART_VERDICT].columns - 1);
  if (ui->verdict.verdict.kind != VERDICT_GVL || words.text[0] != '\0') return;
  ui_verdict_words(ui, &words, ui->layout.part[PART_VERDICT].columns - 1);
  if (strstr(words.text, "GVL held") == NULL || gvl->count > 1) return;
  rest.holder.known = false;
  if (strstr(words.text, " waited ") != NULL) rest.waiters = 0;
  verdict_gvl_words(text, bytes, &rest, meter_text_columns(columns));
}

static void draw_gvl(const struct ui *ui, int columns)
{
  char text[320];
  const uint64_t *wall = ui->sum.total.wall_ns;
  uint64_t held = wall[RTOP_STATE_RUNNING] + wall[RTOP_STATE_MARKING] + wall[RTOP_STATE_SWEEPING];
  struct verdict_gvl gvl = ui_verdict_gvl(ui);
  double part = held > 0 ? gvl.held / (double)held : 0;
  struct draw_segment segments[] = {
    { part * (double)wall[RTOP_STATE_RUNNING], RTOP_STATE_RUNNING },
    { part * (double)wall[RTOP_STATE_MARKING], RTOP_STATE_MARKING },
    { part * (double)wall[RTOP_STATE_SWEEPING], RTOP_STATE_SWEEPING },
  };
  verdict_gvl_words(text, sizeof text, &gvl, meter_text_columns(columns));
  if (ui->layout.part[PART_VERDICT].rows > 0) leave_out_verdict(ui, &gvl, text, sizeof text, columns);
  draw_meter(ui, PART_GVL, columns, "GVL", segments, 3, text);
}

/* In four columns. */
static const char *per_minute(char *out, size_t bytes, double count)
{
  snprintf(out, bytes, count < 9999.5 ? "%4.0f" : "%3.0fk", count < 9999.5 ? count : count / 1000);
  return out;
}

/* Writes "3 raised/s", "440 raised/s: 60% KeyError in Price#find", "440 KeyError/s at app.rb:9"; "" for none. */
static void raised_text(const struct ui *ui, char *text, size_t bytes)
{
  const struct ui_raised *raised = &ui->raised;
  text[0] = '\0';
  if (raised->per_second < 0.5) return;
  snprintf(text, bytes, "%.0f %s", raised->per_second, raised->most[0] ? raised->most : "raised/s");
}

static void draw_gc(const struct ui *ui, int columns)
{
  char text[800], minor[16], major[16], alloc[16], raised[700];
  double mark = share_of(ui->sum.total.wall_ns[RTOP_STATE_MARKING], ui->sum.length_ns);
  double sweep = share_of(ui->sum.total.wall_ns[RTOP_STATE_SWEEPING], ui->sum.length_ns);
  struct draw_segment segments[] = { { mark, RTOP_STATE_MARKING }, { sweep, RTOP_STATE_SWEEPING } };
  rtop_text_count(alloc, sizeof alloc, per_second(ui, ui->sum.counters.allocations));
  raised_text(ui, raised, sizeof raised);
  per_minute(minor, sizeof minor, ui->strip.minor_per_minute);
  per_minute(major, sizeof major, ui->strip.major_per_minute);
  if (ui->raised.most[0] != '\0') /* during much collection, the bar says enough */
    snprintf(text, sizeof text, "mark %2d sweep %2d%%  %s", percent(mark), percent(sweep), raised);
  else
    snprintf(text, sizeof text, "mark %2d sweep %2d%%  %s minor %s major /min  %s%s%s obj/s", percent(mark),
             percent(sweep), minor, major, raised, raised[0] ? "  " : "", alloc);
  draw_meter(ui, PART_GC, columns, "GC ", segments, 2, text);
}

struct thread_counts {
  unsigned alive, quiet, stuck, by_state[RTOP_STATES]; /* numbers of threads; quiet and stuck
                                                          threads do not count as blocked */
};

static struct thread_counts count_threads(const struct ui *ui)
{
  struct thread_counts counts = { 0 };
  for (size_t i = 0; i < ui->sum.thread_count; i++) {
    const struct rtop_thread_row *thread = &ui->sum.threads[i];
    if (!thread->ended && thread->state < RTOP_STATES && ui_processes_shows(ui, thread->source)) {
      enum thread_rest rest = rests_of(&ui->rests, &ui->sum, thread);
      counts.alive++;
      counts.quiet += rest == REST_QUIET;
      counts.stuck += rest == REST_STUCK;
      counts.by_state[thread->state] += rest != REST_QUIET && rest != REST_STUCK;
    }
  }
  counts.by_state[RTOP_STATE_RUNNING] += counts.by_state[RTOP_STATE_MARKING] + counts.by_state[RTOP_STATE_SWEEPING];
  return counts;
}

/* Writes losses of the process's tables since its start. Dropped samples are shown for the frame. */
static void losses_text(const struct ui *ui, char *text, size_t bytes)
{
  const uint64_t *losses = ui_process(ui)->losses;
  size_t used = 0;
  text[0] = '\0';
  for (int loss = 0; loss < RTOP_LOSSES && used < bytes; loss++) {
    if (losses[loss] == 0 || loss == RTOP_LOSS_SAMPLES) continue;
    char count[16];
    rtop_text_count(count, sizeof count, (double)losses[loss]);
    used += (size_t)snprintf(text + used, bytes - used, "%s%s %s", used == 0 ? "  no room: " : " ", count,
                             rtop_loss_name((enum rtop_loss)loss));
  }
}

/* Writes problems, the most important first, so that it is never cut. */
static void trouble_text(const struct ui *ui, char *text, size_t bytes)
{
  const struct rtop_span_counters *counters = &ui->sum.counters;
  size_t used = 0;
  text[0] = '\0';
  if (ui->sum.gap_count > 0)
    used = (size_t)snprintf(text, bytes, "  %u gap%s!", ui->sum.gap_count, ui->sum.gap_count > 1 ? "s" : "");
  if (ui->source.stream.left_out > 0 && used < bytes) {
    char windows[16];
    rtop_text_count(windows, sizeof windows, (double)ui->source.stream.left_out);
    used += (size_t)snprintf(text + used, bytes - used, "  stream lost %s window%s", windows,
                             ui->source.stream.left_out > 1 ? "s" : "");
  }
  if (counters->rate_wanted_hz > counters->rate_hz && used < bytes) {
    used += (size_t)snprintf(text + used, bytes - used, "  %" PRIu64 " of %" PRIu64 " Hz: budget", counters->rate_hz,
                             counters->rate_wanted_hz);
  }
  if (counters->samples_dropped > 0 && used < bytes) {
    char dropped[16];
    rtop_text_count(dropped, sizeof dropped, (double)counters->samples_dropped);
    used += (size_t)snprintf(text + used, bytes - used, "  dropped %s", dropped);
  }
  if (counters->gvl_coarse > 0 && used < bytes) {
    char rate[16];
    rtop_text_count(rate, sizeof rate, per_second(ui, counters->gvl_coarse));
    snprintf(text + used, bytes - used, "  storm %s/s", rate);
  }
}

static double overhead_percent(const struct ui *ui)
{
  return 100 * share_of(rtop_counters_cost_ns(&ui->sum.counters), ui->sum.length_ns);
}

/* Is the cost of profiling, a share of one core, the sum of several processes? */
static bool overhead_is_sum(const struct ui *ui)
{
  return ui->source.count > 1 && ui_processes_alone(ui) == UI_ALL_SOURCES;
}

static double cores(const struct ui *ui)
{
  uint64_t cpu_ns = ui->sum.counters.cpu_ns > 0 ? ui->sum.counters.cpu_ns : ui->sum.total.cpu_ns;
  return share_of(cpu_ns, ui->sum.length_ns);
}

/* Number of cores that threads of the shown processes needed and did not get; -1 if unknown for one
   of the processes. */
static double missing_cores(const struct ui *ui, bool *throttled)
{
  double missing = 0;
  *throttled = false;
  for (uint32_t source = 0; source < (uint32_t)ui->source.processes && source < UI_SOURCES_MAX; source++) {
    struct rtop_profile_cores change;
    if (!ui_processes_shows(ui, source)) continue;
    if (!rtop_profile_cores(ui->profile, source, ui->span, &change)) return -1;
    missing += share_of(change.delayed_ns, ui->sum.length_ns);
    *throttled = *throttled || (change.tells_throttled && share_of(change.throttled_ns, ui->sum.length_ns) >= 0.1);
  }
  return missing;
}

/* Writes "0.84", or "0.12 of 0.98 cores, load 29 on 2". Returns whether a core is missing. */
static bool cores_text(const struct ui *ui, char *text, size_t bytes)
{
  bool throttled;
  double had = cores(ui), wanted = had + missing_cores(ui, &throttled);
  bool misses = core_limits_misses(had, wanted);
  struct core_limits now = ui->frozen ? (struct core_limits){ 0 } : ui->cores; /* of then it is not known */
  if (misses) core_limits_words(text, bytes, &now, had, wanted, throttled);
  else snprintf(text, bytes, "%.2f", had);
  return misses;
}

/* Parts of a row, each of which is shown completely or not at all. */
struct row_parts {
  int y, x, end;
};

__attribute__((format(printf, 3, 4))) static void row_part(struct row_parts *row, enum face face, const char *format,
                                                           ...)
{
  char text[800];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  int columns = rtop_text_width(text);
  bool whole = columns <= row->end - row->x;
  if (whole || face == FACE_WARN) row->x += draw_text(row->y, row->x, row->end - row->x, face, text);
  else row->end = row->x; /* a less important part must not be shown if this one was not */
}

static void draw_trouble(const struct ui *ui, struct row_parts *row)
{
  char trouble[96], losses[160];
  trouble_text(ui, trouble, sizeof trouble);
  losses_text(ui, losses, sizeof losses);
  if (trouble[0] != '\0') row_part(row, FACE_WARN, "%s", trouble);
  if (losses[0] != '\0') row_part(row, FACE_WARN, "%s", losses);
}

/* No label without its figures. */
static void draw_thread_counts(const struct ui *ui, struct row_parts *row, const char *label)
{
  char text[128], stuck[24] = "";
  struct thread_counts counts = count_threads(ui);
  if (counts.stuck > 0) snprintf(stuck, sizeof stuck, "  %u %s", counts.stuck, thread_word(THREAD_STUCK));
  snprintf(text, sizeof text, "%2u: %u run  %u wait  %u blocked%s  %u quiet", counts.alive,
           counts.by_state[RTOP_STATE_RUNNING], counts.by_state[RTOP_STATE_WAITING],
           counts.by_state[RTOP_STATE_BLOCKED], stuck, counts.quiet);
  if (rtop_text_width(label) + rtop_text_width(text) > row->end - row->x) row->end = row->x;
  row_part(row, FACE_LABEL, "%s", label);
  row_part(row, FACE_NORMAL, "%s", text);
  if (ui->sum.counters.fibers_waiting)
    row_part(row, FACE_NORMAL, "  %" PRIu64 " fibers", ui->sum.counters.fibers_waiting);
}

/* Draws everything except the GVL in one row, if there is no room for two columns. */
static void draw_figures(const struct ui *ui)
{
  char rss[16], collections[16], cpu[96], raised[700];
  struct rect at = ui->layout.part[PART_GC];
  struct row_parts row = { at.y, at.x, at.x + at.columns };
  uint64_t gc_ns = ui->sum.total.wall_ns[RTOP_STATE_MARKING] + ui->sum.total.wall_ns[RTOP_STATE_SWEEPING];
  rtop_text_bytes(rss, sizeof rss, ui->sum.counters.rss_bytes);
  row_part(&row, FACE_LABEL, "GC ");
  row_part(&row, FACE_NORMAL, "%2d%% %s/m", percent(share_of(gc_ns, ui->sum.length_ns)),
           per_minute(collections, sizeof collections, ui->strip.minor_per_minute + ui->strip.major_per_minute));
  draw_trouble(ui, &row);
  if (cores_text(ui, cpu, sizeof cpu)) row_part(&row, FACE_WARN, "  CPU %s", cpu);
  raised_text(ui, raised, sizeof raised);
  if (ui->raised.most[0] != '\0') row_part(&row, FACE_WARN, "  %s", raised);
  draw_thread_counts(ui, &row, "  Thr ");
  row_part(&row, FACE_NORMAL, "  cost %.1f%%", overhead_percent(ui));
  row_part(&row, FACE_NORMAL, "  rss %s", ui->sum.counters.rss_bytes > 0 ? rss : "?");
  if (overhead_is_sum(ui)) row_part(&row, FACE_NORMAL, ", in all");
}

static void draw_right_column(const struct ui *ui, int x, int columns)
{
  char rss[16], cpu[96];
  struct row_parts threads = { ui->layout.part[PART_GVL].y, x, x + columns };
  struct row_parts figures = { ui->layout.part[PART_GC].y, x, x + columns };
  rtop_text_bytes(rss, sizeof rss, ui->sum.counters.rss_bytes);
  if (ui->layout.part[PART_GVL].rows > 0) draw_thread_counts(ui, &threads, "Threads ");
  if (ui->layout.part[PART_GC].rows == 0) return;
  row_part(&figures, FACE_LABEL, "CPU");
  row_part(&figures, cores_text(ui, cpu, sizeof cpu) ? FACE_WARN : FACE_NORMAL, "     %s", cpu);
  draw_trouble(ui, &figures);
  row_part(&figures, FACE_NORMAL, "  RSS %s", ui->sum.counters.rss_bytes > 0 ? rss : "?");
  row_part(&figures, FACE_NORMAL, "  cost %.2f%%", overhead_percent(ui));
  if (overhead_is_sum(ui)) row_part(&figures, FACE_NORMAL, ", in all");
}

void view_header_draw(struct ui *ui)
{
  const struct layout *layout = &ui->layout;
  int columns = layout->wide ? layout->columns * 3 / 5 : layout->columns;
  draw_title(ui);
  if (layout->part[PART_VERDICT].rows > 0) draw_verdict(ui);
  if (layout->part[PART_GVL].rows > 0) draw_gvl(ui, columns);
  if (layout->part[PART_GC].rows > 0 && layout->wide) draw_gc(ui, columns);
  else if (layout->part[PART_GC].rows > 0) draw_figures(ui);
  if (layout->wide) draw_right_column(ui, columns + 2, layout->columns - columns - 2);
  if (layout->part[PART_TIMELINE].rows > 0) view_strip_draw(ui);
  if (layout->part[PART_TABS].rows > 0) view_header_tabs(ui);
}
