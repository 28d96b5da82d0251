/* SPDX-License-Identifier: MIT */
/* Cursor, search and drawing of rows, shared by the tables of all views. */
#include "ui_rows.h"
#include "ui.h"
#include "tui/term/draw.h"
#include <ncurses.h>
#include <string.h>
#include <wchar.h>

size_t ui_rows_page(const struct ui *ui, int taken)
{
  int rows = ui->layout.part[PART_TABLE].rows - taken;
  return rows > 1 ? (size_t)rows : 1;
}

struct ui_rows ui_rows_of(const struct ui *ui, struct pager *pager, size_t count, int heading, int below)
{
  size_t page = ui_rows_page(ui, heading + below);
  return (struct ui_rows){ .count = count, .cursor = pager->cursor, .pager = pager, .page = page, .heading = heading };
}

void ui_rows_fit(const struct ui *ui)
{
  struct ui_rows rows = ui->view->rows(ui);
  pager_fit(rows.pager, rows.count, rows.page);
}

void ui_rows_show(const struct ui *ui)
{
  enum { HIDDEN = 4 }; /* at the most, by a message */
  if (ui->view->rows == NULL) return;
  struct ui_rows rows = ui->view->rows(ui);
  size_t sight = rows.page > HIDDEN ? rows.page - HIDDEN : 1;
  if (rows.pager != NULL) pager_show(rows.pager, rows.count, rows.page, sight);
}

void ui_rows_count(struct ui *ui)
{
  ui->match_count = ui->match_at = 0;
  if (ui->search[0] == '\0' || ui->view->matches == NULL) return;
  struct ui_rows rows = ui->view->rows(ui);
  for (size_t place = 0; place < rows.count; place++) {
    if (ui->view->matches(ui, place)) {
      ui->match_count++;
      ui->match_at = place == rows.cursor ? ui->match_count : ui->match_at;
    }
  }
}

/* Searches from the cursor on, or backwards from the row before it, wrapping around. */
static bool find(struct ui *ui, enum request request)
{
  struct ui_rows rows = ui->view->rows(ui);
  size_t cursor = rows.cursor < rows.count ? rows.cursor : 0;
  for (size_t i = 0; i < rows.count; i++) {
    size_t step = request == REQUEST_PREVIOUS ? rows.count - 1 - i : i + (request == REQUEST_NEXT);
    size_t place = (cursor + step) % rows.count;
    if (ui->view->matches(ui, place)) {
      ui->view->go(ui, place);
      return true;
    }
  }
  return ui->view->seek != NULL && ui->view->seek(ui);
}

bool ui_rows_request(struct ui *ui, enum request request)
{
  bool searches = request == REQUEST_SEARCH || request == REQUEST_NEXT || request == REQUEST_PREVIOUS;
  if (ui->view->rows == NULL || (searches && ui->view->matches == NULL)) return false;
  if (searches && request != REQUEST_SEARCH && ui->search[0] == '\0') return request == REQUEST_NEXT;
  if (searches) {
    find(ui, request);
  } else {
    struct ui_rows rows = ui->view->rows(ui);
    if (rows.pager == NULL || !pager_request(rows.pager, request, rows.count, rows.page)) return false;
    ui->view->go(ui, rows.pager->cursor);
  }
  ui_rows_count(ui);
  return true;
}

void ui_rows_click(struct ui *ui, int row, int x)
{
  struct ui_rows rows = ui->view->rows(ui);
  (void)x;
  if (!pager_click(rows.pager, row - rows.heading, rows.count, rows.page)) return;
  ui->view->go(ui, rows.pager->cursor);
  ui_rows_count(ui);
}

static bool is_blank(int y, int x)
{
  cchar_t cell;
  wchar_t text[CCHARW_MAX + 1] = L"";
  attr_t attributes;
  short pair;
  return mvin_wch(y, x, &cell) == ERR || getcchar(&cell, text, &attributes, &pair, NULL) == ERR || text[0] == L' ';
}

/* Draws the visible range, "12-27 of 64 22%", at the right end of the heading if there are more rows. The percentage
 * is dropped rather than covering the heading, then words that would be cut. */
static void draw_position(const struct ui_rows *rows, struct rect table)
{
  char text[64], mark[8] = " Top";
  size_t top = rows->pager->top, end = top + rows->page < rows->count ? top + rows->page : rows->count;
  if (rows->heading == 0 || table.rows <= rows->heading || (top == 0 && end == rows->count)) return;
  if (end == rows->count) snprintf(mark, sizeof mark, " End");
  else if (top > 0) snprintf(mark, sizeof mark, " %2zu%%", 100 * top / (rows->count - rows->page));
  int y = table.y + rows->heading - 1, share = (int)strlen(mark);
  int columns = snprintf(text, sizeof text, " %zu-%zu of %zu%s", top + 1, end, rows->count, mark);
  int x = table.x + table.columns - columns;
  if (2 * columns > table.columns) return;
  if (!is_blank(y, x) || !is_blank(y, x + share)) {
    text[columns - share] = '\0';
    x += share;
  }
  draw_blank(y, x, table.x + table.columns - x, FACE_HEADING);
  draw_text(y, x, table.x + table.columns - x, FACE_HEADING, text);
  for (x--; x > table.x && !is_blank(y, x); x--) draw_blank(y, x, 1, FACE_HEADING);
}

void ui_rows_draw(const struct ui_rows *rows, struct rect table, ui_rows_draw_row *draw, const void *pen)
{
  size_t top = rows->pager->top;
  draw_position(rows, table);
  for (int i = 0; (size_t)i < rows->page && rows->heading + i < table.rows && top + (size_t)i < rows->count; i++) {
    int y = table.y + rows->heading + i;
    bool selected = top + (size_t)i == rows->cursor;
    if (selected && !rows->bare) draw_blank(y, table.x, table.columns, FACE_CURSOR);
    if (selected) draw_text(y, table.x, 1, FACE_CURSOR, ">");
    draw(pen, top + (size_t)i, y, selected);
  }
  bool seen = rows->count > 0 && rows->cursor >= top && rows->cursor - top < rows->page;
  move(table.y + (seen ? rows->heading + (int)(rows->cursor - top) : 0), table.x);
}
