/* SPDX-License-Identifier: MIT */
/* The verdict in full: its text uncut, the figures on which it is based, and advice that follows from them. */
#include "viewer.h"
#include "tui/report/since_mark.h"
#include "tui/term/draw.h"
#include "tui/term/pager.h"
#include "tui/text/text.h"
#include "tui/ui/ui.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WHY_LINES = 120, WHY_BYTES = 16 << 10, WHY_PARAGRAPH = VERDICT_TEXT, WHY_MARGIN = 2, WHY_COLUMNS = 100 };
enum { WHY_UNCUT = VERDICT_TEXT / 2 }; /* width (columns) at which no text is cut */

struct why_view {
  char text[WHY_BYTES];
  size_t used;
  struct why_line {
    const char *text;
    size_t bytes;
    bool heading;
  } lines[WHY_LINES];
  size_t count;
  struct pager pager;
  struct since_mark since;
};

static struct why_view *why_view(const struct ui *ui)
{
  return ui->data[VIEW_WHY];
}

static struct ui_rows why_rows(const struct ui *ui)
{
  return ui_rows_of(ui, &why_view(ui)->pager, why_view(ui)->count, 0, 0);
}

static void why_line(struct why_view *view, const char *text, size_t bytes, bool heading)
{
  if (view->count == WHY_LINES) return;
  view->lines[view->count++] = (struct why_line){ text, bytes, heading };
}

static void why_heading(struct why_view *view, const char *text)
{
  if (view->count > 0) why_line(view, "", 0, false);
  why_line(view, text, strlen(text), true);
}

/* Copies a text without the blanks that align figures in the header. */
static size_t why_copy(char *out, const char *text)
{
  size_t used = 0;
  for (; *text != '\0'; text++)
    if (*text != ' ' || text[1] != ' ') out[used++] = *text;
  out[used++] = '\0';
  return used;
}

/* Adds a paragraph, wrapped to `columns`. */
static void why_say(struct why_view *view, int columns, const char *text)
{
  if (*text == '\0' || strlen(text) >= sizeof view->text - view->used) return;
  const char *rest = view->text + view->used;
  view->used += why_copy(view->text + view->used, text);
  while (*rest != '\0') {
    size_t line = draw_sentence_break(rest, columns);
    why_line(view, rest, line, false);
    rest += line;
    rest += strspn(rest, " ");
  }
}

static void why_say_format(struct why_view *view, int columns, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void why_say_format(struct why_view *view, int columns, const char *format, ...)
{
  char text[WHY_PARAGRAPH];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  why_say(view, columns, text);
}

static void why_figures(struct why_view *view, const struct verdict *verdict, int columns)
{
  char objects[24], gvl[VERDICT_TEXT];
  verdict_gvl_words(gvl, sizeof gvl, &verdict->gvl, WHY_UNCUT);
  rtop_text_count(objects, sizeof objects, verdict->objects);
  why_say_format(
      view, columns,
      "Threads mostly at work: %u (on average %.1f at a time); at rest: %u; pausing in a sleep: %u; unknown: %u.",
      verdict->at_work, verdict->threads, verdict->resting, verdict->pausing, verdict->unknown);
  why_say_format(view, columns, "GVL %s.", *gvl ? gvl : "unknown");
  why_say_format(view, columns, "Garbage collection: %.0f%% of the time; %s objects allocated a second.",
                 verdict->gc * 100, objects);
  if (verdict->gvl.count > 0 && !verdict->gvl.ractors)
    why_say_format(view, columns, "GVL held without a core: %.0f%% of the time.", verdict->without * 100);
}

static void why_advice(struct why_view *view, const struct verdict *verdict, int columns)
{
  char advice[VERDICT_ADVICE_TEXT];
  verdict_advice_words(advice, sizeof advice, &verdict->advice);
  why_say(view, columns, *advice ? advice : "None follows from these figures.");
}

static void why_since(struct ui *ui, struct why_view *view, int columns)
{
  char text[SINCE_MARK_TEXT];
  if (!since_mark_update(&view->since, ui->profile, ui->span.end_ns)) return;
  since_mark_words(text, sizeof text, &view->since, ui->span.end_ns);
  if (*text == '\0') return;
  why_heading(view, "SINCE THE LAST MARK");
  why_say(view, columns, text);
}

static void why_forget(struct ui *ui)
{
  memset(&why_view(ui)->since, 0, sizeof why_view(ui)->since);
}

static void why_write(struct ui *ui)
{
  struct why_view *view = why_view(ui);
  const struct verdict *verdict = &ui->verdict.verdict;
  struct verdict_words words;
  int room = ui->layout.part[PART_TABLE].columns - 2 * WHY_MARGIN;
  int columns = room > WHY_COLUMNS ? WHY_COLUMNS : room > 1 ? room : 1;
  view->used = view->count = 0;
  if (!ui->verdict.made || verdict->kind == VERDICT_NONE) {
    why_say(view, columns, "There is no verdict: no data yet, or none in the span.");
    return;
  }
  ui_verdict_words(ui, &words, WHY_UNCUT);
  why_heading(view, "VERDICT");
  why_say(view, columns, words.text);
  why_say(view, columns, words.stall);
  why_heading(view, "FIGURES OF THE SPAN");
  why_figures(view, verdict, columns);
  why_since(ui, view, columns);
  why_heading(view, "ADVICE");
  why_advice(view, verdict, columns);
}

static void why_prepare(struct ui *ui)
{
  why_write(ui);
  ui_rows_fit(ui);
}

static void why_go(struct ui *ui, size_t place)
{
  why_view(ui)->pager.cursor = place;
}

static void why_draw_line(const void *pen, size_t place, int y, bool selected)
{
  const struct ui *ui = pen;
  struct rect at = ui->layout.part[PART_TABLE];
  const struct why_line *line = &why_view(ui)->lines[place];
  int margin = line->heading ? 1 : WHY_MARGIN;
  draw_blank(y, at.x, at.columns, line->heading ? FACE_HEADING : FACE_NORMAL);
  draw_format(y, at.x + margin, at.columns - margin, line->heading ? FACE_HEADING : FACE_NORMAL, "%.*s",
              (int)line->bytes, line->text);
  (void)selected;
}

void why_draw(struct ui *ui)
{
  if (ui->layout.tiny) return;
  struct ui_rows shown = why_rows(ui);
  shown.bare = true;
  ui_rows_draw(&shown, ui->layout.part[PART_TABLE], why_draw_line, ui);
}

const struct view_ops view_why = {
  .id = VIEW_WHY,
  .threads = true,
  .bytes = sizeof(struct why_view),
  .prepare = why_prepare,
  .click = ui_rows_click,
  .forget = why_forget,
  .rows = why_rows,
  .go = why_go,
};
