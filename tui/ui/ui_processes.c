/* SPDX-License-Identifier: MIT */
/* Several processes in one view. */
#include "ui.h"
#include "ui_list.h"
#include "tui/text/text.h"
#include "tui/text/time_text.h"
#include <stdlib.h>
#include <string.h>

static int count_of(const struct ui *ui)
{
  return ui->source.count < UI_SOURCES_MAX ? ui->source.count : UI_SOURCES_MAX;
}

uint32_t ui_processes_alone(const struct ui *ui)
{
  return ui->apart > 1 && ui->apart - 2 < count_of(ui) ? (uint32_t)ui->apart - 2 : UI_ALL_SOURCES;
}

bool ui_processes_shows(const struct ui *ui, uint32_t source)
{
  uint32_t alone = ui_processes_alone(ui);
  return alone == UI_ALL_SOURCES || alone == source;
}

const struct ui_process *ui_process(const struct ui *ui)
{
  uint32_t alone = ui_processes_alone(ui);
  return alone != UI_ALL_SOURCES ? &ui->source.at[alone] : &ui->source.main;
}

const char *ui_processes_why_absent(const struct ui *ui)
{
  static char text[96];
  char clock[16];
  const struct ui_process *process = ui_process(ui);
  bool gone = process->ended_real_ns != 0, alone = ui_processes_alone(ui) != UI_ALL_SOURCES;
  int64_t real_ns = ui->span.end_ns + ui->source.clock_offset_ns;
  if (!alone || ui->sum.length_ns > 0 || ui->source.clock_offset_ns == 0) return NULL;
  bool early = ui->frozen && real_ns <= process->started_real_ns;
  time_text_clock(clock, sizeof clock, early ? process->started_real_ns : process->ended_real_ns, false);
  if (early) snprintf(text, sizeof text, "process %d was started later, at %s", (int)process->pid, clock);
  else if (gone && ui->frozen)
    snprintf(text, sizeof text, "process %d ended at %s: press z to go there", (int)process->pid, clock);
  else if (gone) snprintf(text, sizeof text, "process %d ended at %s: nothing is kept of it", (int)process->pid, clock);
  return early || gone ? text : NULL;
}

bool ui_processes_one_tree(const struct ui *ui)
{
  int roots = 0;
  for (int i = 0; i < count_of(ui); i++) {
    const struct ui_process *process = &ui->source.at[i];
    roots += (ui_lives(process->state) || process->state == RTOP_FEED_REPLAY) && process->parent == 0;
  }
  return roots < 2;
}

int ui_processes_gone(const struct ui *ui, const struct ui_process **last)
{
  int gone = 0;
  *last = NULL;
  for (int i = 0; ui_process_goes_on(&ui->source.main) && i < count_of(ui); i++) {
    const struct ui_process *process = &ui->source.at[i];
    if (!ui_process_goes_on(process) && !process->replaced) {
      gone++;
      *last = *last == NULL || process->ended_real_ns >= (*last)->ended_real_ns ? process : *last;
    }
  }
  return gone;
}

bool ui_processes_have_hosts(const struct ui *ui)
{
  bool differ = ui->source.hosts > 0;
  for (int i = 1; i < count_of(ui) && !differ; i++) differ = strcmp(ui->source.at[i].host, ui->source.at[0].host) != 0;
  return differ;
}

const struct ui_host *ui_process_host(const struct ui *ui, const struct ui_process *process)
{
  int place = process->host_place;
  return ui->source.hosts > 0 && place >= 0 && place < ui->source.hosts ? &ui->source.host[place] : NULL;
}

void ui_process_who(const struct ui_process *process, char *out, size_t bytes)
{
  int columns;
  const char *host = rtop_text_host(process->host, &columns);
  snprintf(out, bytes, "%d%s%.*s", (int)process->pid, *host != '\0' ? "@" : "", columns, host);
}

static void say_alone(struct ui *ui)
{
  char clock[16], who[UI_WHO_BYTES];
  const struct ui_process *process = ui_process(ui);
  const struct ui_host *host = ui_process_host(ui, process);
  time_text_clock(clock, sizeof clock, process->ended_real_ns, false);
  ui_process_who(process, who, sizeof who);
  if (process->ended_real_ns != 0) ui_say(ui, "only process %s, which ended at %s", who, clock);
  else if (host != NULL && host->skew_seconds != 0)
    ui_say(ui, "only process %s, whose clock is %d s %s ours (corrected)", who, abs(host->skew_seconds),
           host->skew_seconds > 0 ? "ahead of" : "behind");
  else ui_say(ui, "only process %s", who);
}

void ui_processes_next(struct ui *ui)
{
  if (count_of(ui) < 2) {
    ui_say(ui, "one process is watched: -p PID,PID watches several");
    return;
  }
  ui->apart = ui->apart > count_of(ui) ? 0 : ui->apart + 1;
  ui->lens.processes = ui->apart == 1;
  if (ui->apart < 2)
    ui_say(ui, ui->apart == 0         ? "processes merged"
               : ui_list_is_worth(ui) ? "processes separate; H: the list of them"
                                      : "processes separate; H: one at a time");
  else say_alone(ui);
  ui->stale = true;
}

int ui_processes_apart(const struct ui *ui)
{
  return ui->apart > 0 ? count_of(ui) : 0;
}

static void who_with(const struct ui *ui, uint32_t source, const char *end, char *out, size_t bytes)
{
  char who[UI_WHO_BYTES];
  ui_process_who(&ui->source.at[source], who, sizeof who);
  snprintf(out, bytes, "%s%s", who, end);
}

void ui_processes_prefix(const struct ui *ui, uint32_t source, char *out, size_t bytes)
{
  out[0] = '\0';
  if (ui_processes_apart(ui) > 1 && source < (uint32_t)count_of(ui)) who_with(ui, source, " ", out, bytes);
}

bool ui_processes_mixed(const struct ui *ui)
{
  bool mixed = false;
  for (int i = 1; i < count_of(ui); i++)
    mixed = mixed || ui->source.at[i].pid != ui->source.at[0].pid ||
            strcmp(ui->source.at[i].host, ui->source.at[0].host) != 0;
  return mixed && ui_processes_alone(ui) == UI_ALL_SOURCES;
}

void ui_processes_whose(const struct ui *ui, uint32_t source, char *out, size_t bytes)
{
  out[0] = '\0';
  if (ui_processes_mixed(ui) && source < (uint32_t)count_of(ui)) who_with(ui, source, ": ", out, bytes);
}

pid_t ui_source_pid(const struct ui *ui)
{
  const struct ui_process *process = ui_process(ui);
  return ui_lives(process->state) && process->host[0] == '\0' ? process->pid : 0;
}

uid_t ui_source_owner(const struct ui *ui)
{
  return ui_process(ui)->owner;
}

/* ---- those to choose from ---------------------------------------------------------------------------------- */

enum { LIST_NS = 1000000000 };
/* Trouble of a stopped process, whatever its earlier windows say. */
static const double stopped_trouble = 2;

void ui_list_forget(struct ui *ui)
{
  rperf_top_list_free(ui->list.owner);
  doctor_watch_destroy(&ui->list.watch);
  ui->list.owner = NULL;
  ui->list.symbols = NULL;
  ui->list.process_count = ui->list.bare_count = 0;
}

void ui_list_forget_own(struct ui *ui)
{
  doctor_destroy(&ui->list.own_doctor);
  ui->list.inside = false;
  ui->list.before = NULL;
  ui->list.read_ns = 0;
  if (ui->list.owner == NULL) ui->list.process_count = 0;
}

void ui_list_keep(const struct ui *ui, struct rtop_symbols *symbols)
{
  doctor_keep(&ui->list.own_doctor, symbols);
}

static double list_trouble(const struct ui_list *list, size_t place)
{
  const struct rperf_top_process *process = list->processes[place];
  const struct doctor_process *doctor = list->doctor[place];
  if (process->state != RPERF_TOP_LIVE && process->state != RPERF_TOP_STALLED) return -1;
  if (process->state == RPERF_TOP_STALLED) return process->threads > 0 ? stopped_trouble : 0;
  return doctor != NULL ? doctor->trouble : 0;
}

/* Sorts the list; processes with equal trouble keep their order. */
static void list_order(struct ui_list *list)
{
  for (size_t i = 1; i < list->process_count; i++) {
    const struct rperf_top_process *process = list->processes[i];
    const struct doctor_process *doctor = list->doctor[i];
    uint32_t source = list->source[i];
    double trouble = list_trouble(list, i);
    size_t to = i;
    for (; to > 0 && list_trouble(list, to - 1) < trouble; to--) {
      list->processes[to] = list->processes[to - 1];
      list->doctor[to] = list->doctor[to - 1];
      list->source[to] = list->source[to - 1];
    }
    list->processes[to] = process;
    list->doctor[to] = doctor;
    list->source[to] = source;
  }
}

static void list_read_all(struct ui_list *list)
{
  if (list->watch == NULL) list->watch = doctor_watch_create();
  if (list->watch != NULL) doctor_watch_look(list->watch);
  list->symbols = list->watch != NULL ? doctor_watch_symbols(list->watch) : NULL;
  rperf_top_list_free(list->owner);
  list->process_count = list->bare_count = 0;
  list->owner = rperf_top_list_read(NULL);
  size_t count = list->owner != NULL ? rperf_top_list_count(list->owner) : 0;
  for (; list->process_count < count && list->process_count < UI_LIST_MAX; list->process_count++) {
    const struct rperf_top_process *process = rperf_top_list_get(list->owner, list->process_count);
    list->processes[list->process_count] = process;
    list->source[list->process_count] = UI_ALL_SOURCES;
    list->doctor[list->process_count] =
        list->watch != NULL && process->state == RPERF_TOP_LIVE ? doctor_watch_of(list->watch, process->pid) : NULL;
  }
  if (list->process_count == 0) list->bare_count = rtop_bare_read(list->bare);
}

static void list_take_own(struct ui *ui, uint32_t source)
{
  static const enum rperf_top_process_state states[] = {
    [RTOP_FEED_LIVE] = RPERF_TOP_LIVE,
    [RTOP_FEED_STALLED] = RPERF_TOP_STALLED,
    [RTOP_FEED_ENDED] = RPERF_TOP_ENDED,
    [RTOP_FEED_DEAD] = RPERF_TOP_DEAD,
  };
  struct ui_list *list = &ui->list;
  const struct ui_process *from = &ui->source.at[source];
  enum rtop_feed_state state = from->state;
  if (from->replaced) return;
  if (state == RTOP_FEED_REPLAY) state = from->end[0] != '\0' ? RTOP_FEED_ENDED : RTOP_FEED_LIVE;
  int64_t since_ns = from->ended_real_ns != 0 ? from->ended_real_ns : from->started_real_ns;
  list->own[source] = (struct rperf_top_process){
    .pid = from->pid,
    .parent = from->parent,
    .uid = from->owner,
    .state = (uint32_t)states[state],
    .threads = 1, /* it told of itself */
    .by_exec = from->by_exec,
    .age_ns = ui->now_real_ns - since_ns,
    .user = "",
    .ruby = from->ruby,
    .command = from->command,
    .end = from->end,
    .does = "",
  };
  list->processes[list->process_count] = &list->own[source];
  list->doctor[list->process_count] = doctor_of(&list->own_doctor, source);
  list->source[list->process_count++] = source;
}

/* Returns the span for the list: while live, the shown one, extended to at least some seconds, since a short span says
   too little about a process. */
static struct rtop_span list_span(const struct ui *ui)
{
  struct rtop_span span = ui->span;
  int64_t start_ns = span.end_ns - DOCTOR_WATCH_SECONDS * INT64_C(1000000000);
  if (!ui->frozen && span.start_ns > start_ns) span.start_ns = start_ns;
  return span;
}

/* Hosts of which nothing is watched have rows, too: the list says why. */
static void list_take_host(struct ui *ui, int place)
{
  static const struct rperf_top_process nobody = {
    .state = RPERF_TOP_STALLED, .threads = 1, .user = "", .ruby = "", .command = "", .end = "", .does = ""
  };
  struct ui_list *list = &ui->list;
  const struct ui_host *host = &ui->source.host[place];
  if (host->processes > 0 || host->state == RTOP_HOST_OVER || list->process_count >= UI_LIST_MAX) return;
  list->processes[list->process_count] = &nobody;
  list->doctor[list->process_count] = NULL;
  list->source[list->process_count++] = UI_ALL_SOURCES - 1 - (uint32_t)place;
}

const struct ui_host *ui_list_host(const struct ui *ui, size_t place)
{
  uint32_t source = ui->list.source[place], host = UI_ALL_SOURCES - 1 - source;
  if (source == UI_ALL_SOURCES) return NULL;
  if (source < (uint32_t)count_of(ui)) return ui_process_host(ui, &ui->source.at[source]);
  return host < (uint32_t)ui->source.hosts ? &ui->source.host[host] : NULL;
}

const char *ui_list_host_name(const struct ui *ui, size_t place)
{
  const struct ui_host *host = ui_list_host(ui, place);
  uint32_t source = ui->list.source[place];
  return host != NULL ? host->name : source < (uint32_t)count_of(ui) ? ui->source.at[source].host : "";
}

static void list_read_own(struct ui *ui)
{
  const struct doctor_look look = {
    .profile = ui->profile, .span = list_span(ui), .stalls = &ui->stalls.stalls, .sources = (uint32_t)count_of(ui)
  };
  doctor_update(&ui->list.own_doctor, &look);
  ui->list.symbols = rtop_profile_symbols(ui->profile);
  ui->list.process_count = 0;
  for (uint32_t i = 0; i < look.sources; i++) list_take_own(ui, i);
  for (int i = 0; i < ui->source.hosts; i++) list_take_host(ui, i);
}

void ui_list_read(struct ui *ui)
{
  if (ui->profile != NULL) list_read_own(ui);
  else list_read_all(&ui->list);
  ui->list.read_ns = ui->now_ns;
  list_order(&ui->list);
}

void ui_list_refresh(struct ui *ui)
{
  if (ui->profile != NULL && (ui->list.read_ns == 0 || ui->touched || ui->now_ns - ui->list.read_ns >= LIST_NS))
    ui_list_read(ui);
}

bool ui_list_is_worth(const struct ui *ui)
{
  return count_of(ui) > 2 || ui_processes_have_hosts(ui);
}

void ui_list_leave(struct ui *ui)
{
  ui->apart = 0;
  ui->list.inside = false;
  ui->stale = true;
}

void ui_list_take(struct ui *ui, size_t place)
{
  if (place >= ui->list.process_count || ui->list.source[place] >= (uint32_t)count_of(ui)) return;
  ui->apart = (int)ui->list.source[place] + 2;
  ui->lens.processes = false;
  ui->list.inside = true;
  say_alone(ui);
  ui->stale = true;
}
