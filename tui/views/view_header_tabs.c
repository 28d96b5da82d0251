/* The row of tabs: the views, and at its right what is marked, left out or put together. */
#include "viewer.h"
#include "tui/term/draw.h"
#include "tui/text/text.h"
#include "tui/ui/ui.h"
#include <limits.h>

static bool is_data(const struct ui *ui)
{
  return (int)ui->view->id < VIEW_DATA_COUNT;
}

/* What is said besides what is active: a message, or what the view has to say when nothing is. */
static enum face tabs_note(const struct ui *ui, bool active, char *note, size_t bytes)
{
  note[0] = '\0';
  if (ui_has_message(ui)) {
    snprintf(note, bytes, "%s", ui->message);
    return FACE_TITLE;
  }
  if (active) return FACE_NORMAL;
  if (ui->view->note != NULL) ui->view->note(ui, note, bytes);
  else if (is_data(ui)) snprintf(note, bytes, "filter: (none)");
  return FACE_NORMAL;
}

/* The text of one tab; short ones are keys only, but for the view that is shown. */
static int tab_text(const struct ui *ui, enum view_id view, bool brief, char *text, size_t bytes)
{
  bool here = ui->view->id == view;
  int written = snprintf(text, bytes, "%s%c%s%s", here ? "[" : "", keys_view_key(view),
                         brief && !here ? "" : keys_view_tab(view), here ? "]" : "");
  return written;
}

static int tab_gap(const struct ui *ui)
{
  return ui->layout.wide ? 2 : 1;
}

static int tabs_columns(const struct ui *ui, bool brief)
{
  int columns = 0;
  for (int id = 0; id < VIEW_DATA_COUNT; id++) {
    char text[32];
    columns += tab_text(ui, (enum view_id)id, brief, text, sizeof text) + tab_gap(ui);
  }
  return columns;
}

static int draw_data_tabs(struct ui *ui, struct rect at, int x, bool brief)
{
  for (int id = 0; id < VIEW_DATA_COUNT; id++) {
    char text[32];
    if (x < at.columns) {
      tab_text(ui, (enum view_id)id, brief, text, sizeof text);
      ui->drawn.tab[id].x = x;
      enum face face = (int)ui->view->id == id ? FACE_TAB : FACE_NORMAL;
      ui->drawn.tab[id].columns = draw_text(at.y, x, at.columns - x, face, text);
      x += ui->drawn.tab[id].columns;
      x += tab_gap(ui);
    }
  }
  return x - tab_gap(ui);
}

/* From `x` on: what is active at the right, in full beside a message only when both fit. */
static void draw_notes(const struct ui *ui, struct rect at, int x)
{
  char note[1000], active[1000];
  int room = at.columns - x, used = is_data(ui) ? view_header_active(ui, room, room, active, sizeof active) : 0;
  enum face face = tabs_note(ui, used > 0, note, sizeof note);
  int wanted = note[0] != '\0' ? rtop_text_width(note) : 0;
  if (used > 0 && wanted > 0) used = view_header_active(ui, room - wanted - 2, room / 3, active, sizeof active);
  if (used > 0) {
    bool nothing_found = ui->search[0] != '\0' && ui->match_count == 0;
    draw_right(at.y, x, room, nothing_found ? FACE_WARN : FACE_MATCH, active);
    room -= used + 2;
  }
  draw_right(at.y, x, room, face, note);
}

/* Where notes and tabs do not fit beside each other, tabs become short. */
void view_header_tabs(struct ui *ui)
{
  char note[1000];
  struct rect at = ui->layout.part[PART_TABS];
  int x = ui->layout.wide ? 1 : 0;
  int active = is_data(ui) ? view_header_active(ui, INT_MAX, 0, note, sizeof note) : 0;
  tabs_note(ui, active > 0, note, sizeof note);
  int others = (ui->source.launch != NULL ? 10 : 0) + (ui->view->id == VIEW_HELP ? 8 : 0);
  int notes = active + (active > 0 && note[0] != '\0' ? 2 : 0) + rtop_text_width(note);
  bool brief = tabs_columns(ui, false) + others + notes + 1 > at.columns;
  if (ui->view->id == VIEW_CHOOSER) x += draw_text(at.y, x, at.columns, FACE_TAB, "Processes");
  else x = draw_data_tabs(ui, at, x, brief);
  if (ui->source.launch != NULL) {
    bool here = ui->view->id == VIEW_OUTPUT;
    x += 1 + draw_text(at.y, x + 1, at.columns - x - 1, here ? FACE_TAB : FACE_NORMAL, here ? "[oOutput]" : "oOutput");
  }
  if (ui->view->id == VIEW_HELP) x += 1 + draw_text(at.y, x + 1, at.columns - x - 1, FACE_TAB, "[?Help]");
  draw_notes(ui, at, x + 1);
}
