/* SPDX-License-Identifier: MIT */
/* Writes the screen as text and as a picture. */
#include "screen.h"
#include "theme.h"
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

struct cell {
  wchar_t text[CCHARW_MAX + 1];
  attr_t attr;
  short pair;
};

/* Reads a cell. ncurses repeats a wide character in each column that it covers. */
static int read_cell(int y, int x, struct cell *cell)
{
  cchar_t raw;
  memset(cell, 0, sizeof *cell);
  if (mvin_wch(y, x, &raw) == ERR || getcchar(&raw, cell->text, &cell->attr, &cell->pair, NULL) == ERR ||
      cell->text[0] == L'\0')
    cell->text[0] = L' ';
  int columns = wcwidth(cell->text[0]);
  return columns > 1 ? columns : 1;
}

static void put_utf8(FILE *out, const wchar_t *text)
{
  for (; *text != L'\0'; text++) {
    unsigned code = (unsigned)*text;
    if (code < 0x80) {
      fputc((int)code, out);
    } else if (code < 0x800) {
      fprintf(out, "%c%c", 0xc0 | code >> 6, 0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
      fprintf(out, "%c%c%c", 0xe0 | code >> 12, 0x80 | (code >> 6 & 0x3f), 0x80 | (code & 0x3f));
    } else {
      fprintf(out, "%c%c%c%c", 0xf0 | code >> 18, 0x80 | (code >> 12 & 0x3f), 0x80 | (code >> 6 & 0x3f),
              0x80 | (code & 0x3f));
    }
  }
}

void screen_write_text(FILE *out)
{
  struct cell cell;
  for (int y = 0; y < LINES; y++) {
    int blanks = 0;
    for (int x = 0, columns; x < COLS; x += columns) {
      columns = read_cell(y, x, &cell);
      if (cell.text[0] == L' ' && cell.text[1] == L'\0') {
        blanks++;
        continue;
      }
      for (; blanks > 0; blanks--) fputc(' ', out);
      put_utf8(out, cell.text);
    }
    fputc('\n', out);
  }
}

static char attribute_letter(const struct cell *cell)
{
  static const char more[] = "0123456789!$%&*+-/:;<=>?^~";
  bool bold = (cell->attr & A_BOLD) != 0;
  size_t beyond = cell->pair > 'z' - 'a' ? (size_t)(cell->pair - ('z' - 'a' + 1)) : 0;
  if (cell->pair > 'z' - 'a') return beyond < sizeof more - 1 ? more[beyond] : '?';
  if (cell->pair > 0) return (char)((bold ? 'A' : 'a') + cell->pair);
  if ((cell->attr & A_REVERSE) != 0) return bold ? '@' : '#';
  return (cell->attr & A_UNDERLINE) != 0 ? '_' : bold ? 'B' : '.';
}

void screen_write_attributes(FILE *out)
{
  struct cell cell;
  for (int y = 0; y < LINES; y++) {
    for (int x = 0; x < COLS; x++) {
      read_cell(y, x, &cell);
      fputc(attribute_letter(&cell), out);
    }
    fputc('\n', out);
  }
}

enum { CELL_WIDTH = 9, CELL_HEIGHT = 19, BASELINE = 15, MARGIN = 12 };

static void put_xml(FILE *out, const wchar_t *text)
{
  for (; *text != L'\0'; text++) {
    const wchar_t one[2] = { *text, L'\0' };
    switch (*text) {
    case L'<': fputs("&lt;", out); break;
    case L'>': fputs("&gt;", out); break;
    case L'&': fputs("&amp;", out); break;
    default: put_utf8(out, one);
    }
  }
}

struct colors {
  int foreground, background;
  bool filled; /* another background than the picture's own */
};

/* Brightens a colour for a dark ground, so that it looks as it does on a terminal. */
static int lift(int rgb)
{
  int red = rgb >> 16 & 255, green = rgb >> 8 & 255, blue = rgb & 255;
  return (red + (255 - red) / 4) << 16 | (green + (255 - green) / 4) << 8 | (blue + (255 - blue) / 4);
}

static struct colors colors_of(const struct cell *cell, bool dark)
{
  int own_foreground = dark ? 0xdcdfe4 : 0x24292f, own_background = dark ? 0x1b1e24 : 0xffffff;
  struct colors colors;
  theme_rgb(cell->pair, &colors.foreground, &colors.background);
  bool reverse = (cell->attr & A_REVERSE) != 0, plain = colors.foreground < 0;
  colors.filled = reverse || colors.background >= 0;
  if (colors.foreground >= 0 && dark && !colors.filled) colors.foreground = lift(colors.foreground);
  colors.foreground = colors.foreground < 0 ? own_foreground : colors.foreground;
  colors.background = colors.background < 0 ? own_background : colors.background;
  if (reverse) colors = (struct colors){ dark && !plain ? 0xffffff : colors.background, colors.foreground, true };
  return colors;
}

/* Draws block characters and shades as rectangles, since fonts leave gaps between them. */
static bool put_block(FILE *out, const struct cell *cell, int y, int x, int foreground)
{
  static const char *const shade[3] = { " fill-opacity=\"0.3\"", " fill-opacity=\"0.5\"", " fill-opacity=\"0.75\"" };
  wchar_t code = cell->text[0];
  bool shaded = code >= 0x2591 && code <= 0x2593;
  if (!shaded && (code < 0x2581 || code > 0x2588)) return false;
  double height = shaded ? CELL_HEIGHT : CELL_HEIGHT * (double)(code - 0x2580) / 8;
  fprintf(out, "<rect x=\"%d\" y=\"%.2f\" width=\"%d\" height=\"%.2f\" fill=\"#%06x\"%s/>\n", MARGIN + x * CELL_WIDTH,
          MARGIN + (y + 1) * CELL_HEIGHT - height, CELL_WIDTH, height, (unsigned)foreground,
          shaded ? shade[code - 0x2591] : "");
  return true;
}

static bool alike(const struct cell *a, const struct cell *b)
{
  return a->attr == b->attr && a->pair == b->pair;
}

static void put_backgrounds(FILE *out, int y, bool dark)
{
  struct cell cell, first;
  for (int x = 0; x < COLS;) {
    int end = x + read_cell(y, x, &first);
    while (end < COLS) {
      int columns = read_cell(y, end, &cell);
      if (!alike(&cell, &first)) break;
      end += columns;
    }
    struct colors colors = colors_of(&first, dark);
    if (colors.filled) {
      fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n", MARGIN + x * CELL_WIDTH,
              MARGIN + y * CELL_HEIGHT, (end - x) * CELL_WIDTH, CELL_HEIGHT, (unsigned)colors.background);
    }
    x = end;
  }
}

static bool is_blank(const struct cell *cell)
{
  return cell->text[0] == L' ' && cell->text[1] == L'\0';
}

/* End of the piece of text that starts in column `start`: at other attributes, a block, or two blanks. Each piece has
 * its own position in the picture, so that no font can shift columns. */
static int text_end(int y, int start, const struct cell *first)
{
  struct cell cell;
  int end = start, seen = start;
  for (int columns; seen < COLS; seen += columns) {
    columns = read_cell(y, seen, &cell);
    bool block = cell.text[0] >= 0x2581 && cell.text[0] <= 0x2588;
    if (!alike(&cell, first) || block || (is_blank(&cell) && seen > end)) break;
    end = is_blank(&cell) ? end : seen + columns;
  }
  return end;
}

static void put_text(FILE *out, int y, int *x, bool dark)
{
  struct cell cell, first;
  int columns = read_cell(y, *x, &first), start = *x;
  struct colors colors = colors_of(&first, dark);
  if (is_blank(&first) || put_block(out, &first, y, start, colors.foreground)) {
    *x += columns;
    return;
  }
  int end = text_end(y, start, &first);
  fprintf(out, "<text x=\"%d\" y=\"%d\" fill=\"#%06x\"%s%s textLength=\"%d\">", MARGIN + start * CELL_WIDTH,
          MARGIN + y * CELL_HEIGHT + BASELINE, (unsigned)colors.foreground,
          (first.attr & A_BOLD) != 0 ? " font-weight=\"bold\"" : "",
          (first.attr & A_UNDERLINE) != 0 ? " text-decoration=\"underline\"" : "", (end - start) * CELL_WIDTH);
  for (int at = start; at < end;) {
    at += read_cell(y, at, &cell);
    put_xml(out, cell.text);
  }
  fputs("</text>\n", out);
  *x = end;
}

bool screen_svg_is_light(const char *file)
{
  const char *extension = strrchr(file, '.');
  return extension != NULL && strcmp(extension, ".svg") == 0 && extension - file >= 6 &&
         strncmp(extension - 6, ".light", 6) == 0;
}

void screen_write_svg(FILE *out, bool dark)
{
  int width = COLS * CELL_WIDTH + 2 * MARGIN, height = LINES * CELL_HEIGHT + 2 * MARGIN;
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
          "font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"15\">\n",
          width, height, width, height);
  fprintf(out, "<rect width=\"%d\" height=\"%d\" rx=\"6\" fill=\"#%s\"/>\n", width, height, dark ? "1b1e24" : "ffffff");
  for (int y = 0; y < LINES; y++) {
    put_backgrounds(out, y, dark);
    for (int x = 0; x < COLS;) put_text(out, y, &x, dark);
  }
  fputs("</svg>\n", out);
}
