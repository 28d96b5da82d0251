/* SPDX-License-Identifier: MIT */
/* Which threads the figures are made from. */
#include "ui.h"
#include "tui/tables/thread_locks.h"
#include "tui/tables/thread_table.h"
#include "tui/text/fnv.h"
#include "tui/text/regexp.h"
#include "tui/text/text.h"
#include <string.h>

bool ui_focus_init(struct ui *ui, const char *names)
{
  ui->focus.has_names = names != NULL && rtop_regexp_compile(&ui->focus.names, names) == 0;
  return names == NULL || ui->focus.has_names;
}

void ui_focus_destroy(struct ui *ui)
{
  if (ui->focus.has_names) {
    regfree(&ui->focus.names);
    ui->focus.has_names = false;
  }
}

static int place_of(const struct ui *ui, const struct rtop_thread_row *thread)
{
  for (int i = 0; i < ui->focus.count; i++)
    if (ui->focus.at[i].serial == thread->serial && ui->focus.at[i].source == thread->source) return i;
  return -1;
}

bool ui_focus_has(const struct ui *ui, const struct rtop_thread_row *thread)
{
  return place_of(ui, thread) >= 0;
}

static bool is_left_out(const struct ui *ui, const struct rtop_sum *sum, const struct rtop_thread_row *thread)
{
  return !ui_processes_shows(ui, thread->source) || (ui->focus.count > 0 && !ui_focus_has(ui, thread)) ||
         (ui->focus.no_idle && thread_table_quiet(thread, rtop_profile_symbols(ui->profile), sum->length_ns)) ||
         (ui->focus.has_names && regexec(&ui->focus.names, thread->name, 0, NULL, 0) != 0);
}

/* Rows of other threads stay, and bars above the table still include all threads of the process. */
void ui_focus_apply_to(const struct ui *ui, struct rtop_sum *sum)
{
  if (ui->apart < 2 && ui->focus.count == 0 && !ui->focus.no_idle && !ui->focus.has_names) return;
  if (ui->focus.no_idle) {
    thread_locks_note(sum, rtop_profile_symbols(ui->profile));
    rests_note(&ui->sum, sum);
  }
  for (size_t i = 0; i < sum->thread_count; i++) sum->threads[i].hidden = is_left_out(ui, sum, &sum->threads[i]);
}

uint64_t ui_focus_key(const struct ui *ui)
{
  uint64_t key = RTOP_FNV_START;
  for (int i = 0; i < ui->focus.count; i++) {
    key = rtop_fnv(key, &ui->focus.at[i].source, sizeof ui->focus.at[i].source);
    key = rtop_fnv(key, &ui->focus.at[i].serial, sizeof ui->focus.at[i].serial);
  }
  key = rtop_fnv(key, &ui->apart, sizeof ui->apart);
  return rtop_fnv(key, &ui->focus.no_idle, sizeof ui->focus.no_idle);
}

void ui_focus_apply(struct ui *ui)
{
  thread_locks_note(&ui->sum, rtop_profile_symbols(ui->profile));
  ui_verdict_rests(ui);
  ui_focus_apply_to(ui, &ui->sum);
}

static void name_after(struct ui *ui, const struct rtop_thread_row *thread)
{
  struct ui_focus *focus = &ui->focus;
  if (focus->count > 1) snprintf(focus->name, sizeof focus->name, "%d threads", focus->count);
  else if (thread->name[0] != '\0')
    rtop_text_sanitize(focus->name, sizeof focus->name, thread->name, strlen(thread->name));
  else snprintf(focus->name, sizeof focus->name, "%u", thread->native_id);
}

static void focus_add(struct ui *ui, const struct rtop_thread_row *thread)
{
  struct ui_focus *focus = &ui->focus;
  if (focus->count == UI_FOCUS_MAX) {
    ui_say(ui, "at most %d threads can be chosen", UI_FOCUS_MAX);
    return;
  }
  focus->at[focus->count].source = thread->source;
  focus->at[focus->count].serial = thread->serial;
  focus->count++;
  name_after(ui, thread);
}

void ui_focus_only(struct ui *ui, const struct rtop_thread_row *thread)
{
  bool again = ui->focus.count == 1 && ui_focus_has(ui, thread);
  ui->focus.count = 0;
  if (!again) focus_add(ui, thread);
  ui->stale = true;
}

/* Takes the name of the choice from the thread, if one is left and its name is known. */
static void name_the_last(struct ui *ui)
{
  for (size_t i = 0; i < ui->sum.thread_count; i++) {
    if (ui_focus_has(ui, &ui->sum.threads[i])) {
      name_after(ui, &ui->sum.threads[i]);
      return;
    }
  }
  snprintf(ui->focus.name, sizeof ui->focus.name, "%d thread%s", ui->focus.count, ui->focus.count == 1 ? "" : "s");
}

void ui_focus_toggle(struct ui *ui, const struct rtop_thread_row *thread)
{
  int place = place_of(ui, thread);
  if (place < 0) {
    focus_add(ui, thread);
  } else {
    ui->focus.at[place] = ui->focus.at[--ui->focus.count];
    name_the_last(ui);
  }
  ui->stale = true;
}

void ui_focus_clear(struct ui *ui)
{
  ui->focus.count = 0;
  ui->stale = true;
}

void ui_focus_text(const struct ui *ui, char *out, size_t bytes)
{
  snprintf(out, bytes, "%s%s%s%s%s", ui->focus.count > 0 ? ui->focus.name : "",
           ui->focus.count > 0 && ui->focus.has_names ? " " : "", ui->focus.has_names ? "(--thread)" : "",
           ui->focus.no_idle && (ui->focus.count > 0 || ui->focus.has_names) ? " " : "",
           ui->focus.no_idle ? "not quiet" : "");
}
