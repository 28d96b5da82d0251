/* Cursor, search and drawing of rows, the same for the tables of all views. */
#include "ui_rows.h"
#include "ui.h"
#include "tui/term/draw.h"
#include <ncurses.h>

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

/* From the cursor on, or backwards before it; around the ends. */
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

void ui_rows_draw(const struct ui_rows *rows, struct rect table, ui_rows_draw_row *draw, const void *pen)
{
  size_t top = rows->pager->top;
  for (int i = 0; (size_t)i < rows->page && rows->heading + i < table.rows && top + (size_t)i < rows->count; i++) {
    int y = table.y + rows->heading + i;
    bool selected = top + (size_t)i == rows->cursor;
    if (selected && !rows->bare) draw_blank(y, table.x, table.columns, FACE_CURSOR);
    if (selected) draw_text(y, table.x, 1, FACE_CURSOR, ">");
    draw(pen, top + (size_t)i, y, selected);
  }
  move(table.y + (rows->count > 0 ? rows->heading + (int)(rows->cursor - top) : 0), table.x);
}
