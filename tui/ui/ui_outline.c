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
      *outline->cursor = place;
      return true;
    }
  }
  return false;
}

void ui_outline_go_up(const struct ui_outline *outline)
{
  size_t place = *outline->cursor;
  uint32_t depth = place < outline->count ? row_at(outline, place).depth : 0;
  while (depth > 0 && place-- > 0) {
    if (row_at(outline, place).depth < depth) {
      *outline->cursor = place;
      return;
    }
  }
}

uint32_t ui_outline_stay(const struct ui_outline *outline, uint32_t selected, uint32_t *first)
{
  struct ui_outline_row top = { 0 };
  *outline->cursor = 0;
  if (outline->count > 0) top = row_at(outline, 0);
  if (top.key == 0 || (selected != 0 && selected != *first)) return selected;
  return *first = top.frame;
}
