/* SPDX-License-Identifier: MIT */
/* Reads escape sequences byte by byte. */
#include "escape.h"
#include <stdio.h>

static enum escape_step add(struct escape *escape, int key, enum escape_step step)
{
  if (escape->count + 1 < sizeof escape->text) {
    escape->text[escape->count++] = (char)key;
    escape->text[escape->count] = '\0';
  }
  return step;
}

static enum escape_step begin(struct escape *escape, int key)
{
  escape->state = key == '[' ? ESCAPE_CSI : ESCAPE_SS3;
  escape->count = 0;
  return add(escape, key, ESCAPE_MORE);
}

enum escape_step escape_take(struct escape *escape, int key)
{
  enum escape_state state = escape->state;
  escape->state = ESCAPE_NONE;
  if (key == ESCAPE_KEY && state != ESCAPE_BEGUN) {
    escape->state = ESCAPE_BEGUN;
    return ESCAPE_MORE;
  }
  if (state == ESCAPE_BEGUN && (key == '[' || key == 'O')) return begin(escape, key);
  if (state == ESCAPE_CSI && key >= 0x20 && key < 0x40) {
    escape->state = ESCAPE_CSI;
    return add(escape, key, ESCAPE_MORE);
  }
  if ((state == ESCAPE_CSI || state == ESCAPE_SS3) && key >= 0x20 && key < 0x7f) return add(escape, key, ESCAPE_DONE);
  return ESCAPE_NOT;
}

bool escape_position(const struct escape *escape, int *row, int *column)
{
  int end = 0;
  return sscanf(escape->text, "[%5d;%5dR%n", row, column, &end) == 2 && end > 0 && (size_t)end == escape->count &&
         *row > 0 && *column > 0;
}
