/* SPDX-License-Identifier: MIT */
/* The cursor among rows that have depths. */
#include "ui_outline.h"

#include <string.h>

static struct ui_outline_row row_at(const struct ui_outline *outline, size_t place)
{
  struct ui_outline_row row;
  memcpy(&row, (const char *)outline->rows + place * outline->row_bytes, sizeof row);
  return row;
}

bool ui_outline_go_to(const struct ui_outline *outline, uint64_t key)
{
  for (size_t place = 0; key != 0 && place < outline->count; place++) {
    if (row_at(outline, place).key == key) {
      outline->at->pager.cursor = place;
      return true;
    }
  }
  return false;
}

void ui_outline_go_up(const struct ui_outline *outline)
{
  size_t place = outline->at->pager.cursor;
  uint32_t depth = place < outline->count ? row_at(outline, place).depth : 0;
  while (depth > 0 && place-- > 0) {
    if (row_at(outline, place).depth < depth) {
      outline->at->pager.cursor = place;
      return;
    }
  }
}

void ui_outline_hold(struct ui_outline_cursor *at, uint64_t key)
{
  at->anchor = key;
  at->moved = true;
}

uint32_t ui_outline_moved(const struct ui_outline *outline, uint32_t selected)
{
  struct ui_outline_cursor *at = outline->at;
  struct ui_outline_row row = { 0 };
  at->moved = true;
  if (at->pager.cursor < outline->count) row = row_at(outline, at->pager.cursor);
  if (row.key == 0) return selected;
  at->anchor = row.key;
  return row.frame;
}

uint32_t ui_outline_rest(const struct ui_outline *outline, uint32_t selected)
{
  struct ui_outline_row top = { 0 };
  outline->at->pager.cursor = 0;
  if (outline->count > 0) top = row_at(outline, 0);
  if (top.key == 0 || (selected != 0 && selected != outline->at->first)) return selected;
  return outline->at->first = top.frame;
}
