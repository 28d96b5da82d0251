/* SPDX-License-Identifier: MIT */
/* Hiding and merging on the screen: keys, prompt, menu. */
#include "ui_lens.h"
#include <string.h>

void ui_lens_apply(struct ui *ui)
{
  if (!rtop_lens_set(rtop_profile_lens(ui->profile), &ui->lens)) ui_say(ui, "out of memory: the filters are unchanged");
}

void ui_lens_exclude(struct ui *ui, const char *patterns)
{
  const char *problem = rtop_lens_check(patterns);
  if (problem != NULL) {
    ui_say(ui, "%s", problem);
    return;
  }
  snprintf(ui->lens.exclude, sizeof ui->lens.exclude, "%s", patterns);
  ui->stale = true;
}

void ui_lens_merge(struct ui *ui, enum rtop_merge merge)
{
  ui->lens.merge = merge;
  ui->stale = true;
}

void ui_lens_states(struct ui *ui, const char *names)
{
  unsigned states = 0;
  if (names[0] != '\0' && strcmp(names, "all") != 0 && !rtop_states_parse(names, &states)) {
    ui_say(ui, "state takes running, waiting, blocked or gc, several with commas, or all");
    return;
  }
  ui->lens.states = states;
  ui->stale = true;
}

bool ui_lens_back(struct ui *ui)
{
  struct rtop_lens_look *lens = &ui->lens;
  bool labels = lens->label[0] != '\0' || lens->label_root[0] != '\0' || lens->label_leaf[0] != '\0';
  if (lens->exclude[0] == '\0' && !labels) {
    bool states = lens->states != 0;
    if (states) ui_lens_states(ui, "all");
    return states;
  }
  if (lens->exclude[0] == '\0') lens->label[0] = lens->label_root[0] = lens->label_leaf[0] = '\0';
  ui_lens_exclude(ui, "");
  return true;
}

static void merge_menu(struct ui *ui)
{
  menu_start(&ui->ask.menu, "Merge by");
  ui->ask.menu_for = UI_MENU_MERGE;
  for (int merge = 0; merge < RTOP_MERGES; merge++)
    menu_add(&ui->ask.menu, rtop_merge_name((enum rtop_merge)merge), merge, merge == (int)ui->lens.merge);
}

bool ui_lens_request(struct ui *ui, enum request request)
{
  switch (request) {
  case REQUEST_ONLY_MINE: ui->lens.only_mine = !ui->lens.only_mine; break;
  case REQUEST_HIDE_C: ui->lens.no_c = !ui->lens.no_c; break;
  case REQUEST_ONLY_BUSY: ui->focus.no_idle = !ui->focus.no_idle; break;
  case REQUEST_EXCLUDE: ui_ask(ui, UI_PROMPT_EXCLUDE); return true;
  case REQUEST_MERGE_MENU: merge_menu(ui); return true;
  default: return false;
  }
  ui->stale = true;
  return true;
}
