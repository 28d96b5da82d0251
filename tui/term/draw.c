/* SPDX-License-Identifier: MIT */
/* Draws text, bars, strips and figures with curses. */
#include "draw.h"
#include "tui/methods/states.h"
#include "tui/text/ambiguous.h"
#include "tui/text/text.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool ascii_glyphs;
static bool utf8_output = true, wide_output;

void draw_charset(bool ascii, bool utf8)
{
  ascii_glyphs = ascii || !utf8;
  utf8_output = utf8;
}

void draw_wide(bool wide)
{
  wide_output = wide;
}

bool draw_is_ascii(void)
{
  return ascii_glyphs;
}

bool draw_utf8(void)
{
  return utf8_output;
}

/* Replaces characters of a name that the terminal cannot show. */
static const char *to_ascii(char *out, size_t out_bytes, const char *text)
{
  size_t used = 0;
  for (; *text != '\0' && used + 1 < out_bytes; text++) {
    unsigned char byte = (unsigned char)*text;
    if (byte < 0x80) out[used++] = *text;
    else if (byte >= 0xc0) out[used++] = '?';
  }
  out[used] = '\0';
  return out;
}

typedef int cut_function(char *out, size_t out_bytes, const char *text, int columns);

static int put(int y, int x, int columns, enum face face, const char *text, cut_function *cut)
{
  char plain[2048], fitting[2048];
  if (columns <= 0 || y < 0 || x < 0 || y >= LINES || x >= COLS) return 0;
  if (!utf8_output) text = to_ascii(plain, sizeof plain, text);
  else if (wide_output) text = rtop_ambiguous_replace(plain, sizeof plain, text);
  int used = cut(fitting, sizeof fitting, text, columns < COLS - x ? columns : COLS - x);
  attrset((int)theme_attr(face));
  mvaddstr(y, x, fitting);
  attrset(A_NORMAL);
  return used;
}

int draw_text(int y, int x, int columns, enum face face, const char *text)
{
  return put(y, x, columns, face, text, rtop_text_cut);
}

int draw_tail(int y, int x, int columns, enum face face, const char *text)
{
  return put(y, x, columns, face, text, rtop_text_cut_left);
}

void draw_right(int y, int x, int columns, enum face face, const char *text)
{
  int width = rtop_text_width(text);
  int shift = width < columns ? columns - width : 0;
  draw_text(y, x + shift, columns - shift, face, text);
}

void draw_figure(int y, int x, int columns, enum face face, const char *text)
{
  bool zero = text[0] != '\0' && text[strspn(text, "0.")] == '\0';
  draw_right(y, x, columns, zero && face == FACE_NORMAL ? FACE_C : face, text);
}

int draw_format(int y, int x, int columns, enum face face, const char *format, ...)
{
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return draw_text(y, x, columns, face, text);
}

void draw_blank(int y, int x, int columns, enum face face)
{
  if (columns > 0) {
    attrset((int)theme_attr(face));
    mvhline(y, x, ' ', columns);
    attrset(A_NORMAL);
  }
}

size_t draw_sentence_break(const char *text, int columns)
{
  char part[DRAW_SENTENCE_BYTES];
  size_t blank = 0, next;
  for (size_t at = 0; text[at] != '\0'; at = next) {
    for (next = at + 1; ((unsigned char)text[next] & 0xc0) == 0x80;) next++;
    if (next >= sizeof part) return at;
    memcpy(part + at, text + at, next - at);
    part[next] = '\0';
    if (text[at] == ' ') blank = at;
    else if (rtop_text_width(part) > columns) return blank > 0 ? blank : at > 0 ? at : next;
  }
  return strlen(text);
}

static const char *sentence_next(const char *text, int columns)
{
  text += draw_sentence_break(text, columns);
  return text + strspn(text, " ");
}

int draw_sentence_rows(const char *text, int columns, int most)
{
  int rows = 0;
  for (; *text != '\0' && rows < most; rows++) text = sentence_next(text, columns);
  return rows;
}

void draw_sentence(int y, int x, int rows, int columns, enum face face, const char *text)
{
  int inside = columns - 2;
  for (int row = 0; row < rows; row++) {
    draw_blank(y + row, x, columns, face);
    /* The last row shows the end of the remaining text, which is more informative. */
    if (row + 1 == rows) draw_tail(y + row, x + 1, inside, face, text);
    else draw_format(y + row, x + 1, inside, face, "%.*s", (int)draw_sentence_break(text, inside), text);
    text = sentence_next(text, inside);
  }
}

void draw_paint(int y, int x, int columns, enum face face)
{
  if (columns > 0) {
    attr_t attr = theme_attr(face);
    mvchgat(y, x, columns, attr & ~(attr_t)A_COLOR, (short)PAIR_NUMBER(attr), NULL);
  }
}

char draw_state_glyph(enum rtop_state state)
{
  return state_sign(state);
}

enum face draw_state_face(enum rtop_state state)
{
  static const enum face faces[] = {
#define STATE(id, word, sign, key, name, face, does, help) [RTOP_STATE_##id] = FACE_##face,
#include "tui/methods/states.def"
  };
  return state < RTOP_STATES ? faces[state] : FACE_NORMAL;
}

void draw_bar(int y, int x, int columns, const struct draw_segment *segments, int count)
{
  double until = 0;
  int at = 0;
  for (int i = 0; i < count; i++) {
    until += segments[i].share > 0 ? segments[i].share : 0;
    int end = (int)lround(until * columns);
    if (segments[i].share > 0 && end == at) end = at + 1;
    end = end > columns ? columns : end;
    if (end > at) {
      attrset((int)theme_attr(draw_state_face(segments[i].state)));
      mvhline(y, x + at, (chtype)draw_state_glyph(segments[i].state), end - at);
      at = end;
    }
  }
  attrset(A_NORMAL);
  if (at < columns) mvhline(y, x + at, ' ', columns - at);
}

static int heat_cells(uint64_t ns, uint64_t full_ns, int columns)
{
  double share = full_ns > 0 ? (double)ns / (double)full_ns : 0;
  int filled = (int)lround((share < 1 ? share : 1) * columns);
  return ns > 0 && filled == 0 && columns > 0 ? 1 : filled;
}

void draw_heat(int y, int x, int columns, struct draw_heat heat, bool selected)
{
  uint64_t both_ns = heat.own_ns > heat.both_ns ? heat.own_ns : heat.both_ns;
  int own = heat_cells(heat.own_ns, heat.full_ns, columns), filled = heat_cells(both_ns, heat.full_ns, columns);
  enum face hot = heat.own_ns * 2 >= heat.full_ns ? FACE_HOT : FACE_STRIP;
  for (int i = 0; i < filled; i++)
    draw_text(y, x + i, 1, selected ? FACE_CURSOR : i < own ? hot : FACE_PLACE, i < own ? "#" : "+");
}

void draw_heat_legend(int y, int x, int columns, const char *heading)
{
  int used = draw_text(y, x, columns, FACE_LABEL, heading);
  used += draw_text(y, x + used, columns - used, FACE_STRIP, " #");
  used += draw_text(y, x + used, columns - used, FACE_LABEL, " own ");
  used += draw_text(y, x + used, columns - used, FACE_PLACE, "+");
  draw_text(y, x + used, columns - used, FACE_LABEL, " called");
}

void draw_level(int y, int x, enum face face, double share)
{
  static const char *const block[8] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
  static const char *const ascii[8] = { "_", ".", ".", ".", ":", ":", "#", "#" };
  attrset((int)theme_attr(face));
  if (share >= 0) {
    int level = (int)lround((share < 1 ? share : 1) * 7);
    mvaddstr(y, x, (ascii_glyphs ? ascii : block)[level]);
  } else {
    mvaddch(y, x, ' ');
  }
  attrset(A_NORMAL);
}

void draw_history_cell(int y, int x, enum face face, double share)
{
  if (share > -1.5) draw_level(y, x, face, share);
  else draw_text(y, x, 1, FACE_WARN, "/");
}

void draw_percent(char *out, size_t out_bytes, double percent)
{
  if (!(percent >= 0)) percent = 0;
  snprintf(out, out_bytes, percent < 9999.95 ? "%.1f" : "%.0f", percent < 999999 ? percent : 999999.0);
}

void draw_time(char *out, size_t out_bytes, uint64_t nanoseconds)
{
  double seconds = (double)nanoseconds / 1e9;
  if (nanoseconds == 0) {
    snprintf(out, out_bytes, "0");
  } else if (seconds < 0.0009995) {
    snprintf(out, out_bytes, "%.0fus", seconds * 1e6);
  } else if (seconds < 0.9995) {
    snprintf(out, out_bytes, "%.0fms", seconds * 1e3);
  } else if (seconds < 9.995) {
    snprintf(out, out_bytes, "%.2fs", seconds);
  } else if (seconds < 59.95) {
    snprintf(out, out_bytes, "%.1fs", seconds);
  } else if (seconds < 3599.5) {
    unsigned whole = (unsigned)(seconds + 0.5);
    snprintf(out, out_bytes, "%um%02us", whole / 60 % 60, whole % 60);
  } else {
    unsigned minutes = seconds < 5999970 ? (unsigned)(seconds / 60 + 0.5) : 5999999;
    snprintf(out, out_bytes, minutes < 6000 ? "%uh%02um" : "%uh", minutes / 60, minutes % 60);
  }
}
