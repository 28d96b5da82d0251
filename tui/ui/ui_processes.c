/* SPDX-License-Identifier: MIT */
/* Several processes in one view. */
#include "ui.h"
#include "ui_list.h"
#include "tui/text/time_text.h"

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
    snprintf(text, sizeof text, "process %d ended at %s: z goes there", (int)process->pid, clock);
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

static void say_alone(struct ui *ui)
{
  char clock[16];
  const struct ui_process *process = ui_process(ui);
  time_text_clock(clock, sizeof clock, process->ended_real_ns, false);
  if (process->ended_real_ns == 0) ui_say(ui, "only process %d", (int)process->pid);
  else ui_say(ui, "only process %d, which ended at %s", (int)process->pid, clock);
}

void ui_processes_next(struct ui *ui)
{
  if (count_of(ui) < 2) {
    ui_say(ui, "one process is watched: -p PID,PID watches several");
    return;
  }
  ui->apart = ui->apart > count_of(ui) ? 0 : ui->apart + 1;
  ui->lens.processes = ui->apart == 1;
  if (ui->apart < 2) ui_say(ui, ui->apart == 0 ? "processes merged" : "processes separate; H: one at a time");
  else say_alone(ui);
  ui->stale = true;
}

int ui_processes_apart(const struct ui *ui)
{
  return ui->apart > 0 ? count_of(ui) : 0;
}

void ui_processes_prefix(const struct ui *ui, uint32_t source, char *out, size_t bytes)
{
  out[0] = '\0';
  if (ui_processes_apart(ui) > 1 && source < (uint32_t)count_of(ui))
    snprintf(out, bytes, "%d ", (int)ui->source.at[source].pid);
}

bool ui_processes_mixed(const struct ui *ui)
{
  bool mixed = false;
  for (int i = 1; i < count_of(ui); i++) mixed = mixed || ui->source.at[i].pid != ui->source.at[0].pid;
  return mixed && ui_processes_alone(ui) == UI_ALL_SOURCES;
}

void ui_processes_whose(const struct ui *ui, uint32_t source, char *out, size_t bytes)
{
  out[0] = '\0';
  if (ui_processes_mixed(ui) && source < (uint32_t)count_of(ui))
    snprintf(out, bytes, "%d: ", (int)ui->source.at[source].pid);
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

void ui_list_forget(struct ui *ui)
{
  rperf_top_list_free(ui->list.owner);
  ui->list.owner = NULL;
  ui->list.process_count = ui->list.bare_count = 0;
}

void ui_list_read(struct ui *ui)
{
  struct ui_list *list = &ui->list;
  ui_list_forget(ui);
  list->owner = rperf_top_list_read(NULL);
  size_t count = list->owner ? rperf_top_list_count(list->owner) : 0;
  for (; list->process_count < count && list->process_count < UI_LIST_MAX; list->process_count++)
    list->processes[list->process_count] = rperf_top_list_get(list->owner, list->process_count);
  if (list->process_count == 0) list->bare_count = rtop_bare_read(list->bare);
}
