/* Stalls on the screen: found as windows come, gone to one after the other. */
#include "ui_stalls.h"
#include "ui.h"
#include <string.h>

void ui_stalls_poll(struct ui *ui)
{
  struct ui_stalls *at = &ui->stalls;
  if (ui->profile == NULL) return;
  uint64_t found = at->stalls.found;
  at->more = stalls_update(&at->stalls, ui->profile, rtop_profile_symbols(ui->profile), &at->limits);
  ui->dirty = ui->dirty || found != at->stalls.found;
}

void ui_stalls_forget(struct ui *ui)
{
  stalls_destroy(&ui->stalls.stalls);
  ui->stalls.more = false;
}

void ui_stalls_go(struct ui *ui, const struct stall *stall)
{
  char words[200];
  stall_words(stall, rtop_profile_symbols(ui->profile), words, sizeof words);
  ui->time.speed = ui->time.marks = 0;
  ui_time_move(ui, stall->cause == STALL_MARK ? stall->end_ns + 1 : stall_instant(stall, ui->length_ns));
  ui->selected = stall->frame != 0 ? stall->frame : ui->selected;
  ui->stalls.seek = stall->frame != 0 || stall->serial != 0;
  ui->stalls.source = stall->source;
  ui->stalls.serial = stall->serial;
  ui_say(ui, "%s", words);
}

static void jump(struct ui *ui, int direction)
{
  const struct stalls *stalls = &ui->stalls.stalls;
  int64_t from_ns = ui_time_cursor(ui);
  /* Cursors stand at the ends of windows: what lies in this one was gone to already. */
  int64_t behind_ns = direction > 0 ? from_ns : ui_time_window(ui).start_ns;
  const struct stall *stall = stalls_near(stalls, behind_ns, direction, ui->length_ns);
  if (stall != NULL) ui_stalls_go(ui, stall);
  else if (stalls->count == 0)
    ui_say(ui, ui->stalls.more ? "no stall found so far" : "no stalls or marks in the history");
  else ui_say(ui, direction > 0 ? "no later stall or mark" : "no earlier stall or mark");
}

bool ui_stalls_request(struct ui *ui, enum request request)
{
  if (ui->profile == NULL || (request != REQUEST_STALL_BACK && request != REQUEST_STALL_NEXT)) return false;
  jump(ui, request == REQUEST_STALL_NEXT ? 1 : -1);
  return true;
}
