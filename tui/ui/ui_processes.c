/* Several processes in one view. */
#include "ui.h"

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

bool ui_processes_one_tree(const struct ui *ui)
{
  int roots = 0;
  for (int i = 0; i < count_of(ui); i++) {
    const struct ui_process *process = &ui->source.at[i];
    roots += ui_lives(process->state) && process->parent == 0;
  }
  return roots < 2;
}

int ui_processes_gone(const struct ui *ui, const struct ui_process **last)
{
  int gone = 0;
  *last = NULL;
  for (int i = 0; ui_lives(ui->source.main.state) && i < count_of(ui); i++) {
    const struct ui_process *process = &ui->source.at[i];
    if ((process->state == RTOP_FEED_ENDED || process->state == RTOP_FEED_DEAD) && !process->replaced) {
      gone++;
      *last = *last == NULL || process->ended_real_ns >= (*last)->ended_real_ns ? process : *last;
    }
  }
  return gone;
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
  else ui_say(ui, "only process %d", (int)ui->source.at[ui->apart - 2].pid);
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
