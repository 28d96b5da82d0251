/* SPDX-License-Identifier: MIT */
/* Shows the output of the command that this program started: the end of its log, line by line, sanitised. */
#include "viewer.h"
#include "tui/feed/launch.h"
#include "tui/term/draw.h"
#include "tui/term/pager.h"
#include "tui/text/text.h"
#include "tui/ui/ui.h"
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>

enum { TAIL_BYTES = 64 << 10, LINE_BYTES = 2048 };

struct output_view {
  char tail[TAIL_BYTES];
  size_t bytes;
  off_t total;
  uint32_t line[TAIL_BYTES + 1]; /* where lines start */
  size_t count;
  struct pager pager;
  bool scrolled; /* the user scrolled away from the end, so that new lines do not move the page */
  size_t shift;  /* columns to the left of the page */
};

static struct output_view *output_view(const struct ui *ui)
{
  return ui->data[VIEW_OUTPUT];
}

/* Returns the message above the output that explains why there is no other data. */
static const char *output_reason(const struct ui *ui)
{
  return ui->source.problem != NULL ? ui->source.problem : ui->source.waits != NULL ? ui->source.waits : "";
}

static int output_reason_rows(const struct ui *ui)
{
  struct rect at = ui->layout.part[PART_TABLE];
  return draw_sentence_rows(output_reason(ui), at.columns - 2, at.rows / 2);
}

static struct ui_rows output_rows(const struct ui *ui)
{
  return ui_rows_of(ui, &output_view(ui)->pager, output_view(ui)->count, 1 + output_reason_rows(ui), 0);
}

static void output_split(struct output_view *view)
{
  size_t start = 0;
  view->count = 0;
  for (size_t i = 0; i < view->bytes; i++) {
    if (view->tail[i] == '\n') {
      view->line[view->count++] = (uint32_t)start;
      start = i + 1;
    }
  }
  if (start < view->bytes) view->line[view->count++] = (uint32_t)start;
}

static void output_update(struct ui *ui)
{
  struct output_view *view = output_view(ui);
  off_t total = 0;
  if (ui->source.launch == NULL) return;
  size_t bytes = rtop_launch_log_tail(ui->source.launch, view->tail, sizeof view->tail, &total);
  view->bytes = bytes < sizeof view->tail ? bytes : sizeof view->tail - 1;
  view->total = total;
  output_split(view);
  if (!view->scrolled) view->pager.cursor = view->count > 0 ? view->count - 1 : 0;
  ui_rows_fit(ui);
}

static bool output_handle(struct ui *ui, enum request request)
{
  struct output_view *view = output_view(ui);
  if (request == REQUEST_LEFT || request == REQUEST_RIGHT) {
    view->shift = request == REQUEST_RIGHT ? view->shift + 8 : view->shift - (view->shift >= 8 ? 8 : view->shift);
    return true;
  }
  return false;
}

static void output_go(struct ui *ui, size_t place)
{
  struct output_view *view = output_view(ui);
  view->pager.cursor = place;
  view->scrolled = place + 1 < view->count;
}

static void output_draw_line(const void *pen, size_t place, int y, bool selected)
{
  const struct ui *ui = pen;
  const struct output_view *view = output_view(ui);
  struct rect at = ui->layout.part[PART_TABLE];
  char text[LINE_BYTES];
  size_t start = view->line[place];
  size_t end = place + 1 < view->count ? view->line[place + 1] - 1 : view->bytes;
  if (end > start && view->tail[end - 1] == '\n') end--;
  if (end > start && view->tail[end - 1] == '\r') end--;
  start = start + view->shift < end ? start + view->shift : end;
  while (start < end && ((unsigned char)view->tail[start] & 0xc0) == 0x80) start++;
  rtop_text_sanitize(text, sizeof text, view->tail + start, end - start);
  draw_text(y, at.x + 1, at.columns - 1, FACE_NORMAL, text);
  (void)selected;
}

void output_draw(struct ui *ui)
{
  struct output_view *view = output_view(ui);
  struct rect at = ui->layout.part[PART_TABLE];
  if (ui->layout.tiny || ui->source.launch == NULL) return;
  ui_rows_fit(ui);
  int reason = output_reason_rows(ui);
  draw_sentence(at.y, at.x, reason, at.columns, FACE_WARN, output_reason(ui));
  at.y += reason;
  draw_blank(at.y, at.x, at.columns, FACE_HEADING);
  int x = 1 + draw_text(at.y, at.x + 1, at.columns - 1, FACE_HEADING, "OUTPUT  ");
  draw_tail(at.y, at.x + x, at.columns - x, FACE_HEADING, rtop_launch_log_path(ui->source.launch));
  if (view->count == 0) draw_text(at.y + 1, at.x + 2, at.columns - 2, FACE_NORMAL, "nothing was printed yet");
  struct ui_rows shown = output_rows(ui);
  shown.bare = true;
  ui_rows_draw(&shown, ui->layout.part[PART_TABLE], output_draw_line, ui);
}

const struct view_ops view_output = {
  .id = VIEW_OUTPUT,
  .threads = true,
  .bytes = sizeof(struct output_view),
  .update = output_update,
  .handle = output_handle,
  .rows = output_rows,
  .go = output_go,
};
