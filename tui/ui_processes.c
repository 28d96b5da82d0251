/* Several processes in one view. */
#include "ui.h"

static int count_of(const struct ui *ui)
{
  return ui->source.count < UI_SOURCES_MAX ? ui->source.count : UI_SOURCES_MAX;
}

void ui_processes_next(struct ui *ui)
{
  if (count_of(ui) < 2) {
    ui_say(ui, "one process is watched: -p PID,PID watches several");
    return;
  }
  ui->apart = ui->apart > count_of(ui) ? 0 : ui->apart + 1;
  if (ui->apart < 2) {
    ui_say(ui, ui->apart == 0 ? "processes merged" : "processes apart; H: each of them alone");
  } else {
    ui_say(ui, "only process %d", (int)ui->source.pids[ui->apart - 2]);
  }
  ui->stale = true;
}

int ui_processes_apart(const struct ui *ui)
{
  return ui->apart > 0 ? count_of(ui) : 0;
}

void ui_processes_prefix(const struct ui *ui, uint32_t source, char *out, size_t bytes)
{
  out[0] = '\0';
  if (ui_processes_apart(ui) > 1 && source < (uint32_t)count_of(ui)) {
    snprintf(out, bytes, "%d ", (int)ui->source.pids[source]);
  }
}
