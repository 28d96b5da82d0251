#include "ui_outline.h"

#include "ui.h"
#include <string.h>

static struct ui_outline_row row_at(const struct ui_outline *outline, size_t place)
{
  struct ui_outline_row row;
  memcpy(&row, (const char *)outline->rows + place * outline->row_bytes, sizeof row);
  return row;
}

static bool matches(const struct ui *ui, const struct ui_outline *outline, size_t place)
{
  struct ui_outline_row row = row_at(outline, place);
  return row.key != 0 && ui_matches(ui, row.frame);
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

bool ui_outline_find(const struct ui *ui, const struct ui_outline *outline, size_t from, bool back)
{
  for (size_t i = 0; i < outline->count; i++) {
    size_t place = (from + (back ? outline->count - 1 - i : i)) % outline->count;
    if (matches(ui, outline, place)) {
      *outline->cursor = place;
      return true;
    }
  }
  return false;
}

void ui_outline_count(struct ui *ui, const struct ui_outline *outline)
{
  ui->match_count = ui->match_at = 0;
  for (size_t place = 0; ui->search[0] != '\0' && place < outline->count; place++) {
    if (matches(ui, outline, place)) {
      ui->match_count++;
      ui->match_at = place == *outline->cursor ? ui->match_count : ui->match_at;
    }
  }
}
