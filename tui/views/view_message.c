/* Sentences in as many rows as they need: a message over the last rows of the body, for as long as it lasts. */
#include "viewer.h"
#include "tui/term/draw.h"
#include "tui/text/text.h"
#include "tui/ui/ui.h"
#include <ncurses.h>
#include <string.h>

enum { MESSAGE_ROWS = 3 };

/* Bytes of `text` that fit into `columns`: up to a blank where there is one, else up to a character. */
static size_t message_break(const char *text, int columns)
{
  char part[sizeof((struct ui *)0)->message];
  size_t blank = 0, next;
  for (size_t at = 0; text[at] != '\0'; at = next) {
    for (next = at + 1; ((unsigned char)text[next] & 0xc0) == 0x80;) next++;
    memcpy(part + at, text + at, next - at);
    part[next] = '\0';
    if (text[at] == ' ') blank = at;
    else if (rtop_text_width(part) > columns) return blank > 0 ? blank : at > 0 ? at : next;
  }
  return strlen(text);
}

static const char *message_next(const char *text, int columns)
{
  text += message_break(text, columns);
  return text + strspn(text, " ");
}

int view_sentence_rows(const char *text, int columns, int most)
{
  int rows = 0;
  for (; *text != '\0' && rows < most; rows++) text = message_next(text, columns);
  return rows;
}

void view_sentence_draw(struct rect at, enum face face, const char *text)
{
  int columns = at.columns - 2;
  for (int row = 0; row < at.rows; row++) {
    draw_blank(at.y + row, at.x, at.columns, face);
    if (row + 1 == at.rows)
      draw_tail(at.y + row, at.x + 1, columns, face, text); /* of what is left the end says more */
    else draw_format(at.y + row, at.x + 1, columns, face, "%.*s", (int)message_break(text, columns), text);
    text = message_next(text, columns);
  }
}

void view_message_draw(struct ui *ui)
{
  const struct layout *layout = &ui->layout;
  const struct rect *top = &layout->part[layout->part[PART_GRAPHS].rows > 0 ? PART_GRAPHS : PART_TABLE];
  int bottom = layout->part[PART_FOOTER].rows > 0 ? layout->part[PART_FOOTER].y : layout->rows;
  int most = bottom - top->y, y, x;
  if (!ui_has_message(ui) || layout->tiny || most <= 0) return;
  getyx(stdscr, y, x);
  int rows = view_sentence_rows(ui->message, layout->columns - 2, most < MESSAGE_ROWS ? most : MESSAGE_ROWS);
  view_sentence_draw((struct rect){ bottom - rows, 0, rows, layout->columns }, FACE_MESSAGE, ui->message);
  move(y, x);
}
