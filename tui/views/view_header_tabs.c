/* SPDX-License-Identifier: MIT */
/* The row of tabs: the views, and at the right the marks, filters and merges that are active, so that the user cannot
 * forget them. */
#include "viewer.h"
#include "tui/term/draw.h"
#include "tui/text/text.h"
#include "tui/text/time_text.h"
#include "tui/ui/ui.h"
#include <limits.h>
#include <string.h>

enum { ACTIVE_MAX = 10, CAP_MAX = 40, CAP_MIN = 3 };

/* An active setting: "filter: Shop", or "\Shop" if there is little room. Cutting keeps the end of the text. */
struct active {
  const char *name, *brief;
  char text[PROMPT_BYTES], end[32];
};

struct actives {
  int count;
  struct active one[ACTIVE_MAX];
};

static struct active *active_add(struct actives *all, const char *name, const char *brief, const char *text)
{
  static struct active lost;
  struct active *active = text[0] != '\0' && all->count < ACTIVE_MAX ? &all->one[all->count++] : &lost;
  active->name = name;
  active->brief = brief;
  active->end[0] = '\0';
  snprintf(active->text, sizeof active->text, "%.*s", (int)sizeof active->text - 1, text);
  return active;
}

/* Adds the lens's settings word by word, so that each word can be cut separately. */
static void add_lens(struct actives *all, const struct rtop_lens_look *look)
{
  struct rtop_lens_look part = *look;
  char text[PROMPT_BYTES];
  active_add(all, "", "", look->only_mine ? "mine" : "");
  active_add(all, "", "", look->no_c ? "-C" : "");
  part.only_mine = part.no_c = false;
  part.label[0] = part.exclude[0] = '\0';
  rtop_lens_text(&part, text, sizeof text);
  active_add(all, "", "", text);
  part.merge = RTOP_MERGE_METHOD;
  part.processes = part.labels = false;
  part.states = 0;
  part.label_root[0] = part.label_leaf[0] = '\0';
  snprintf(part.label, sizeof part.label, "%s", look->label);
  rtop_lens_text(&part, text, sizeof text);
  active_add(all, "", "", text);
  part.label[0] = '\0';
  snprintf(part.exclude, sizeof part.exclude, "%s", look->exclude);
  rtop_lens_text(&part, text, sizeof text);
  active_add(all, "", "", text);
}

static void active_collect(const struct ui *ui, struct actives *all)
{
  char text[PROMPT_BYTES] = "";
  all->count = 0;
  struct active *search = active_add(all, "search: ", "/", ui->search);
  snprintf(search->end, sizeof search->end, " %zu/%zu", ui->match_at, ui->match_count);
  active_add(all, "filter: ", "\\", ui->filter);
  ui_focus_text(ui, text, sizeof text);
  active_add(all, "thread: ", "thr:", text);
  text[0] = '\0';
  if (ui->apart > 1) ui_processes_prefix(ui, (uint32_t)ui->apart - 2, text, sizeof text);
  active_add(all, "process ", "pid ", text);
  text[0] = '\0';
  if (ui->baseline.taken && ui->baseline.other != NULL) snprintf(text, sizeof text, "recording");
  else if (ui->baseline.taken)
    time_text_clock(text, sizeof text, ui->baseline.span.end_ns + ui->source.clock_offset_ns, false);
  active_add(all, "against ", "vs ", text);
  add_lens(all, &ui->lens);
  bool told = ui->layout.part[PART_VERDICT].rows > 0; /* in the header */
  active_add(all, "", "", ui_calls_are_shown(ui) && !told ? "all calls: exact" : "");
  text[0] = '\0';
  if (ui->view->state != NULL) ui->view->state(ui, text, sizeof text);
  active_add(all, "", "", text);
}

/* Writes all texts with at most `cap` columns each; 0: in full with long names. Returns the number of columns. */
static int write_all(const struct actives *all, int cap, char *out, size_t bytes)
{
  size_t used = 0;
  out[0] = '\0';
  for (int i = 0; i < all->count && used < bytes; i++) {
    const struct active *active = &all->one[i];
    char text[PROMPT_BYTES];
    rtop_text_cut(text, sizeof text, active->text, cap > 0 ? cap : PROMPT_BYTES);
    bool close = cap > 0 || (i > 0 && active->name[0] == '\0' && all->one[i - 1].name[0] == '\0');
    used += (size_t)snprintf(out + used, bytes - used, "%s%s%s%s",
                             i == 0  ? ""
                             : close ? " "
                                     : "  ",
                             cap > 0 ? active->brief : active->name, text, active->end);
  }
  return rtop_text_width(out);
}

int view_header_active(const struct ui *ui, int columns, int brief_columns, char *out, size_t bytes)
{
  struct actives all;
  active_collect(ui, &all);
  int used = write_all(&all, 0, out, bytes);
  if (used <= columns) return used;
  columns = columns > brief_columns ? columns : brief_columns;
  used = INT_MAX;
  for (int cap = CAP_MAX; used > columns && cap >= CAP_MIN; cap--) used = write_all(&all, cap, out, bytes);
  if (used > columns) used = snprintf(out, bytes, "%d filter%s", all.count, all.count > 1 ? "s" : "");
  return used;
}

enum { TAB_WORD_MOST = 12, TAB_WORD_LEAST = 3, NOTE_LEAST = 40, NOTE_KEPT = 15 };

static bool is_data(const struct ui *ui)
{
  return (int)ui->view->id < VIEW_DATA_COUNT;
}

/* Writes the view's own note, which is shown when no setting is active. */
static void tabs_note(const struct ui *ui, char *note, size_t bytes)
{
  note[0] = '\0';
  if (ui->view->note != NULL) ui->view->note(ui, note, bytes);
  else if (is_data(ui)) snprintf(note, bytes, "filter: (none)");
}

/* Writes the text of a tab: its key, and its word cut to `word` letters; the word is complete for the view
   that is shown. */
static int tab_text(const struct ui *ui, enum view_id view, int word, char *text, size_t bytes)
{
  bool here = ui->view->id == view;
  return snprintf(text, bytes, "%s%c%.*s%s", here ? "[" : "", keys_view_key(view), here ? TAB_WORD_MOST : word,
                  keys_view_tab(view), here ? "]" : "");
}

static int tab_gap(const struct ui *ui)
{
  return ui->layout.wide ? 2 : 1;
}

static int tabs_columns(const struct ui *ui, int word)
{
  int columns = 0;
  for (int id = 0; id < VIEW_DATA_COUNT; id++) {
    char text[32];
    columns += tab_text(ui, (enum view_id)id, word, text, sizeof text) + tab_gap(ui);
  }
  return columns;
}

static int draw_data_tabs(struct ui *ui, struct rect at, int x, int word)
{
  for (int id = 0; id < VIEW_DATA_COUNT; id++) {
    char text[32];
    if (x < at.columns) {
      tab_text(ui, (enum view_id)id, word, text, sizeof text);
      ui->drawn.tab[id].x = x;
      enum face face = (int)ui->view->id == id ? FACE_TAB : FACE_NORMAL;
      ui->drawn.tab[id].columns = draw_text(at.y, x, at.columns - x, face, text);
      x += ui->drawn.tab[id].columns;
      x += tab_gap(ui);
    }
  }
  return x - tab_gap(ui);
}

/* Number of letters for the words of tabs, so that `others` and `notes` columns fit beside them: first all words are
 * shortened evenly, then the notes; finally only keys remain. */
static int tabs_word(const struct ui *ui, int others, int notes)
{
  int columns = ui->layout.part[PART_TABS].columns - others - 1, word = TAB_WORD_MOST;
  while (word > TAB_WORD_LEAST && tabs_columns(ui, word) + notes > columns) word--;
  int least = notes < NOTE_LEAST ? notes : NOTE_LEAST;
  return tabs_columns(ui, word) + least > columns ? 0 : word;
}

/* Draws the notes from `x` on: active settings at the right end, or the view's note if it fits completely. */
static void draw_notes(const struct ui *ui, struct rect at, int x)
{
  char note[1000];
  int room = at.columns - x, used = is_data(ui) ? view_header_active(ui, room, room, note, sizeof note) : 0;
  bool nothing_found = ui->search[0] != '\0' && ui->match_count == 0;
  enum face face = used == 0 ? FACE_NORMAL : nothing_found ? FACE_WARN : FACE_MATCH;
  if (used == 0) tabs_note(ui, note, sizeof note);
  if (used == 0 && rtop_text_width(note) > room) return;
  draw_right(at.y, x, room, face, note);
}

/* Number of columns of the view's note if it is short, for which tabs are shortened; 0 for the note that there
   is no filter. */
static int note_kept(const struct ui *ui)
{
  char note[1000];
  tabs_note(ui, note, sizeof note);
  int columns = rtop_text_width(note);
  return ui->view->note == NULL || columns > NOTE_KEPT || strncmp(note, "filter:", 7) == 0 ? 0 : columns;
}

/* Draws the tabs, which are shortened if tabs and notes do not fit beside each other. */
void view_header_tabs(struct ui *ui)
{
  char note[1000];
  struct rect at = ui->layout.part[PART_TABS];
  int x = ui->layout.wide ? 1 : 0;
  int active = is_data(ui) ? view_header_active(ui, INT_MAX, 0, note, sizeof note) : 0;
  if (active == 0) active = is_data(ui) ? note_kept(ui) : 0;
  int others = (ui->source.launch != NULL ? 10 : 0) + (ui->view->id == VIEW_HELP ? 8 : 0) +
               (ui->view->id == VIEW_SITES ? 9 : 0) + (ui->view->id == VIEW_WHY ? 11 : 0);
  int word = tabs_word(ui, others, active);
  if (ui->view->id == VIEW_CHOOSER) x += draw_text(at.y, x, at.columns, FACE_TAB, "Processes");
  else x = draw_data_tabs(ui, at, x, word);
  if (ui->source.launch != NULL) {
    bool here = ui->view->id == VIEW_OUTPUT;
    x += 1 + draw_text(at.y, x + 1, at.columns - x - 1, here ? FACE_TAB : FACE_NORMAL, here ? "[oOutput]" : "oOutput");
  }
  if (ui->view->id == VIEW_SITES) x += 1 + draw_text(at.y, x + 1, at.columns - x - 1, FACE_TAB, "[MSites]");
  if (ui->view->id == VIEW_WHY) x += 1 + draw_text(at.y, x + 1, at.columns - x - 1, FACE_TAB, "[\"Verdict]");
  if (ui->view->id == VIEW_HELP) x += 1 + draw_text(at.y, x + 1, at.columns - x - 1, FACE_TAB, "[?Help]");
  draw_notes(ui, at, x + 1);
}
