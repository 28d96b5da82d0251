/* SPDX-License-Identifier: MIT */
/* Draws the last row: keys of this view, or the line being typed; and above that row a message, wrapped. */
#include "viewer.h"
#include "tui/term/draw.h"
#include "tui/text/text.h"
#include "tui/ui/ui.h"
#include <ncurses.h>
#include <string.h>

enum { MESSAGE_ROWS = 3 };

void view_message_draw(struct ui *ui)
{
  const struct layout *layout = &ui->layout;
  const struct rect *top = &layout->part[layout->part[PART_GRAPHS].rows > 0 ? PART_GRAPHS : PART_TABLE];
  int bottom = layout->part[PART_FOOTER].rows > 0 ? layout->part[PART_FOOTER].y : layout->rows;
  int most = bottom - top->y, y, x;
  if (!ui_has_message(ui) || layout->tiny || most <= 0) return;
  getyx(stdscr, y, x);
  int rows = draw_sentence_rows(ui->message, layout->columns - 2, most < MESSAGE_ROWS ? most : MESSAGE_ROWS);
  draw_sentence(bottom - rows, 0, rows, layout->columns, FACE_MESSAGE, ui->message);
  move(y, x);
}

static void draw_prompt(struct ui *ui, struct rect at)
{
  char left[sizeof ui->ask.prompt.text];
  int x = draw_text(at.y, at.x, at.columns, FACE_TITLE, ui->ask.prompt.label);
  memcpy(left, ui->ask.prompt.text, ui->ask.prompt.cursor);
  left[ui->ask.prompt.cursor] = '\0';
  int room = at.columns - x - 1, width = rtop_text_width(left);
  if (ui->filter_error != NULL) {
    draw_right(at.y, at.columns / 2, at.columns - at.columns / 2, FACE_WARN, ui->filter_error);
    room = room > at.columns / 2 - x ? at.columns / 2 - x : room;
  }
  enum face face = ui->ask.prompt.offered ? FACE_CURSOR : FACE_NORMAL;
  if (width <= room) draw_text(at.y, x, room, face, ui->ask.prompt.text);
  else width = draw_tail(at.y, x, room, FACE_NORMAL, left);
  move(at.y, x + width < at.columns ? x + width : at.columns - 1);
}

static void draw_keys(struct ui *ui, struct rect at)
{
  int x = at.x;
  ui->drawn.footer_keys = 0;
  for (size_t i = 0; i < keys_count; i++) {
    const struct key_row *row = &keys_table[i];
    if (row->footer == NULL || (row->views & 1u << ui->view->id) == 0) continue;
    char name[16];
    int key = ui->look.footer == FOOTER_LETTERS ? keys_plain_key(row) : keys_footer_key(row);
    keys_name(name, sizeof name, key);
    const char *label = row->request == REQUEST_FREEZE && ui->frozen ? "Live  " : row->footer;
    int columns = (int)(strlen(name) + strlen(label));
    if (x + columns > at.columns || ui->drawn.footer_keys == UI_FOOTER_KEYS) break;
    ui->drawn.footer_key[ui->drawn.footer_keys].x = x;
    ui->drawn.footer_key[ui->drawn.footer_keys].columns = columns;
    ui->drawn.footer_key[ui->drawn.footer_keys++].key = key;
    x += draw_text(at.y, x, at.columns - x, FACE_KEY, name);
    x += draw_text(at.y, x, at.columns - x, FACE_KEY_LABEL, label);
    x++;
  }
}

void view_footer_draw(struct ui *ui)
{
  struct rect at = ui->layout.part[PART_FOOTER];
  if (ui->ask.prompting != UI_PROMPT_NONE) {
    /* The line being typed is shown even if there is no room for keys. */
    at = at.rows > 0 ? at : (struct rect){ ui->layout.rows - 1, 0, 1, ui->layout.columns };
    draw_blank(at.y, at.x, at.columns, FACE_NORMAL);
    draw_prompt(ui, at);
  } else if (at.rows > 0) {
    draw_keys(ui, at);
  }
}
