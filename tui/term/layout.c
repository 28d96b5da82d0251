/* SPDX-License-Identifier: MIT */
/* Divides the screen. */
#include "layout.h"
#include <string.h>

enum {
  TABLE_ROWS_WANTED = 8, /* with fewer table rows, rows of the header are dropped */
  GRAPH_TABLE_ROWS = 6,  /* below this, graphs do */
  GRAPH_WORDS = 2,       /* axis and words under the graphs */
};

static int detail_columns(int columns, bool text)
{
  int wanted = columns * (text ? 34 : 28) / 100, least = text ? 48 : 44, most = text ? 90 : 70;
  return wanted < least ? least : wanted > most ? most : wanted;
}

static void place_rows(struct layout *layout, const bool *shown)
{
  int y = 0;
  for (int part = PART_TITLE; part <= PART_TABS; part++)
    if (shown[part]) layout->part[part] = (struct rect){ y++, 0, 1, layout->columns };
  int bottom = layout->rows - (shown[PART_FOOTER] ? 1 : 0);
  layout->part[PART_TABLE] = (struct rect){ y, 0, bottom - y, layout->columns };
  if (shown[PART_FOOTER]) layout->part[PART_FOOTER] = (struct rect){ bottom, 0, 1, layout->columns };
}

static void split_detail(struct layout *layout, bool text)
{
  struct rect *table = &layout->part[PART_TABLE];
  int columns = detail_columns(layout->columns, text);
  layout->part[PART_DETAIL] = (struct rect){ table->y, table->columns - columns, table->rows, columns };
  table->columns -= columns + 1; /* a blank before the pane's edge */
}

void layout_compute(struct layout *layout, int rows, int columns, const struct layout_wish *wish)
{
  static const enum layout_part sacrifice[] = {
    /* Parts in the order in which they are dropped; problems are shown longest. */
    PART_FOOTER, PART_TIMELINE, PART_TABS, PART_GC, PART_GVL,
  };
  memset(layout, 0, sizeof *layout);
  layout->rows = rows;
  layout->columns = columns;
  if (rows < LAYOUT_ROWS_MIN || columns < LAYOUT_COLUMNS_MIN) {
    layout->tiny = true;
    layout->part[PART_TITLE] = (struct rect){ 0, 0, rows > 0 ? 1 : 0, columns };
    return;
  }
  layout->wide = columns >= LAYOUT_WIDE;
  bool shown[PART_COUNT] = { [PART_TITLE] = true, [PART_TABS] = true, [PART_FOOTER] = !wish->no_footer };
  shown[PART_VERDICT] = shown[PART_GVL] = shown[PART_GC] = shown[PART_TIMELINE] = wish->header;
  int used = 0;
  for (int part = 0; part < PART_COUNT; part++) used += shown[part];
  for (size_t i = 0; i < sizeof sacrifice / sizeof sacrifice[0]; i++) {
    if (rows - used < TABLE_ROWS_WANTED && shown[sacrifice[i]]) {
      shown[sacrifice[i]] = false;
      used--;
    }
  }
  place_rows(layout, shown);
  if (wish->detail && layout->wide && layout->part[PART_TABLE].rows >= TABLE_ROWS_WANTED)
    split_detail(layout, wish->text);
}

int layout_graph_rows(const struct layout *layout)
{
  return layout->rows >= LAYOUT_TALL ? 2 : 1;
}

void layout_graphs(struct layout *layout, int count)
{
  struct rect *table = &layout->part[PART_TABLE];
  int wanted = (count - 1) * layout_graph_rows(layout) + 1;
  int room = table->rows - GRAPH_WORDS - GRAPH_TABLE_ROWS;
  int rows = wanted < room ? wanted : room;
  if (layout->tiny || table->rows < GRAPH_WORDS + 3) return;
  rows = (rows > 1 ? rows : 1) + GRAPH_WORDS;
  layout->part[PART_GRAPHS] = (struct rect){ table->y, table->x, rows, table->columns };
  table->y += rows;
  table->rows -= rows;
}
