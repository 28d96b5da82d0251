/* SPDX-License-Identifier: MIT */
/* Draws what threads waited for. */
#include "ui_waits.h"

#include "tui/stalls/wait_words.h"
#include "tui/term/draw.h"
#include <stdio.h>

enum { WAITS_LINES = 48, WAITS_FIXED_ROWS = 2 };

static void waits_title(const struct wait_sums *sums, struct rect at)
{
  char words[400], text[420];
  wait_kinds_words(words, sizeof words, sums);
  snprintf(text, sizeof text, "-- waits: %s ", words[0] ? words : "no thread was blocked");
  int x = draw_text(at.y, at.x, at.columns, FACE_LABEL, text);
  for (; x < at.columns; x++) draw_text(at.y, at.x + x, 1, FACE_LABEL, "-");
}

void ui_waits_draw(const struct wait_sums *sums, const struct rtop_symbols *symbols, uint64_t length_ns, struct rect at)
{
  struct wait_line lines[WAITS_LINES];
  int room = at.rows - WAITS_FIXED_ROWS;
  size_t most = room <= 0 ? 0 : room < WAITS_LINES ? (size_t)room : WAITS_LINES;
  size_t count = wait_lines(sums, symbols, length_ns / 100, lines, most);
  waits_title(sums, at);
  if (room < 0) return;
  draw_blank(at.y + 1, at.x, at.columns, FACE_LABEL);
  draw_text(at.y + 1, at.x, at.columns, FACE_LABEL, wait_heading);
  for (size_t i = 0; i < count; i++)
    draw_text(at.y + WAITS_FIXED_ROWS + (int)i, at.x, at.columns, lines[i].behind ? FACE_HOT : FACE_NORMAL,
              lines[i].text);
}
