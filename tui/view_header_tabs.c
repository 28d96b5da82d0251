/* The row of tabs: the views, and at its right what is marked, left out or put together. */
#include "draw.h"
#include "text.h"
#include "time_text.h"
#include "ui.h"

static size_t add_active(char *out, size_t bytes, size_t used, const char *name, const char *text)
{
  if (text[0] != '\0' && used + 1 < bytes) {
    int written = snprintf(out + used, bytes - used, "%s%s%s", used > 0 ? "  " : "", name, text);
    used += written > 0 ? (size_t)written : 0;
  }
  return used < bytes ? used : bytes - 1;
}

/* Everything that is marked, left out or put together: it must never be forgotten. */
static size_t active_text(const struct ui *ui, char *out, size_t bytes)
{
  char search[sizeof ui->search + 48] = "", lens[128], threads[96], baseline[16] = "", process[16] = "";
  if (ui->search[0] != '\0') {
    snprintf(search, sizeof search, "%s %zu/%zu", ui->search, ui->match_at, ui->match_count);
  }
  rtop_lens_text(&ui->lens, lens, sizeof lens);
  ui_focus_text(ui, threads, sizeof threads);
  if (ui->apart > 1) {
    ui_processes_prefix(ui, (uint32_t)ui->apart - 2, process, sizeof process);
  }
  if (ui->baseline.taken && ui->baseline.other != NULL) {
    snprintf(baseline, sizeof baseline, "recording");
  } else if (ui->baseline.taken) {
    time_text_clock(baseline, sizeof baseline, ui->baseline.span.end_ns + ui->source.clock_offset_ns,
                    false);
  }
  size_t used = add_active(out, bytes, 0, "search: ", search);
  used = add_active(out, bytes, used, "filter: ", ui->filter);
  used = add_active(out, bytes, used, "thread: ", threads);
  used = add_active(out, bytes, used, "process ", process);
  used = add_active(out, bytes, used, "against ", baseline);
  return add_active(out, bytes, used, "", lens);
}

/* What stands at the right of the row of tabs. */
static enum face tabs_note(const struct ui *ui, char *note, size_t bytes)
{
  bool data = (int)ui->view->id < VIEW_DATA_COUNT;
  note[0] = '\0';
  if (ui_has_message(ui)) {
    snprintf(note, bytes, "%s", ui->message);
    return FACE_TITLE;
  }
  if (data && active_text(ui, note, bytes) > 0) {
    return ui->search[0] != '\0' && ui->match_count == 0 ? FACE_WARN : FACE_MATCH;
  }
  if (ui->view->note != NULL) {
    ui->view->note(ui, note, bytes);
  } else if (data) {
    snprintf(note, bytes, "filter: (none)");
  }
  return FACE_NORMAL;
}

/* The text of one tab; short ones are keys only, but for the view that is shown. */
static int tab_text(const struct ui *ui, const struct view_ops *view, bool brief, char *text, size_t bytes)
{
  bool here = ui->view == view;
  int written = snprintf(text, bytes, "%s%c%s%s", here ? "[" : "", view->key,
                         brief && !here ? "" : view->name, here ? "]" : "");
  return written;
}

static int tabs_columns(const struct ui *ui, bool brief)
{
  int columns = 0;
  for (int id = 0; id < VIEW_DATA_COUNT; id++) {
    char text[32];
    const struct view_ops *view = ui_view((enum view_id)id);
    columns += view != NULL ? tab_text(ui, view, brief, text, sizeof text) + 1 : 0;
  }
  return columns;
}

static int draw_data_tabs(struct ui *ui, struct rect at, int x, bool brief)
{
  for (int id = 0; id < VIEW_DATA_COUNT; id++) {
    char text[32];
    const struct view_ops *view = ui_view((enum view_id)id);
    if (view != NULL && x < at.columns) {
      tab_text(ui, view, brief, text, sizeof text);
      ui->tab[id].x = x;
      enum face face = ui->view == view ? FACE_TAB : FACE_NORMAL;
      ui->tab[id].columns = draw_text(at.y, x, at.columns - x, face, text);
      x += ui->tab[id].columns;
      x += ui->layout.wide ? 2 : 1;
    }
  }
  return x - (ui->layout.wide ? 2 : 1);
}

/* Where notes and tabs do not fit beside each other, tabs become short. */
void view_header_tabs(struct ui *ui)
{
  char note[1000];
  struct rect at = ui->layout.part[PART_TABS];
  int x = ui->layout.wide ? 1 : 0;
  enum face face = tabs_note(ui, note, sizeof note);
  int others = (ui->source.launch != NULL ? 10 : 0) + (ui->view->id == VIEW_HELP ? 8 : 0);
  bool brief = tabs_columns(ui, false) + others + rtop_text_width(note) + 1 > at.columns;
  if (ui->view->id == VIEW_CHOOSER) {
    x += draw_text(at.y, x, at.columns, FACE_TAB, "Processes");
  } else {
    x = draw_data_tabs(ui, at, x, brief);
  }
  if (ui->source.launch != NULL) {
    bool here = ui->view->id == VIEW_OUTPUT;
    x += 1 + draw_text(at.y, x + 1, at.columns - x - 1, here ? FACE_TAB : FACE_NORMAL,
                       here ? "[oOutput]" : "oOutput");
  }
  if (ui->view->id == VIEW_HELP) {
    x += 1 + draw_text(at.y, x + 1, at.columns - x - 1, FACE_TAB, "[?Help]");
  }
  draw_right(at.y, x + 1, at.columns - x - 1, face, note);
}
