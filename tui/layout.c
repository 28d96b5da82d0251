#include "layout.h"
#include <string.h>

enum {
  TABLE_ROWS_WANTED = 8,               /* below this, rows of the header give way */
  METHOD_COLUMNS_MIN = 12,
  MARK_COLUMNS = 1,                    /* the cursor's '>' */
};

static int detail_columns(int columns)
{
  int wanted = columns * 28 / 100;
  return wanted < 44 ? 44 : wanted > 70 ? 70 : wanted;
}

static void place_rows(struct layout *layout, const bool *shown)
{
  int y = 0;
  for (int part = PART_TITLE; part <= PART_TABS; part++) {
    if (shown[part]) {
      layout->part[part] = (struct rect){ y++, 0, 1, layout->columns };
    }
  }
  int bottom = layout->rows - (shown[PART_FOOTER] ? 1 : 0);
  layout->part[PART_TABLE] = (struct rect){ y, 0, bottom - y, layout->columns };
  if (shown[PART_FOOTER]) {
    layout->part[PART_FOOTER] = (struct rect){ bottom, 0, 1, layout->columns };
  }
}

static void split_detail(struct layout *layout)
{
  struct rect *table = &layout->part[PART_TABLE];
  int columns = detail_columns(layout->columns);
  layout->part[PART_DETAIL] =
    (struct rect){ table->y, table->columns - columns, table->rows, columns };
  table->columns -= columns + 1;        /* a blank before the pane's edge */
}

void layout_compute(struct layout *layout, int rows, int columns, bool header, bool detail)
{
  static const enum layout_part sacrifice[] = {
    PART_TIMELINE, PART_THREADS, PART_CPU, PART_GC, PART_GVL, PART_TABS, PART_FOOTER,
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
  bool shown[PART_COUNT] = { [PART_TITLE] = true, [PART_TABS] = true, [PART_FOOTER] = true };
  shown[PART_GVL] = shown[PART_GC] = shown[PART_TIMELINE] = header;
  shown[PART_CPU] = header && layout->wide;         /* the threads' row stands beside it then */
  shown[PART_THREADS] = header && !layout->wide;
  int used = 0;
  for (int part = 0; part < PART_COUNT; part++) {
    used += shown[part];
  }
  for (size_t i = 0; i < sizeof sacrifice / sizeof sacrifice[0]; i++) {
    if (rows - used < TABLE_ROWS_WANTED && shown[sacrifice[i]]) {
      shown[sacrifice[i]] = false;
      used--;
    }
  }
  place_rows(layout, shown);
  if (detail && layout->wide && layout->part[PART_TABLE].rows >= TABLE_ROWS_WANTED) {
    split_detail(layout);
  }
}

static const struct column_info columns_table[COLUMN_COUNT] = {
  [COLUMN_SELF] = { "SELF%", "SELF", 7, RTOP_SORT_SELF },
  [COLUMN_TOTAL] = { "TOTAL%", "TOTAL", 8, RTOP_SORT_TOTAL },
  [COLUMN_WAIT] = { "WAIT%", "WAIT", 7, RTOP_SORT_WAITING },
  [COLUMN_IO] = { "IO%", "IO", 7, RTOP_SORT_BLOCKED },
  [COLUMN_GC] = { "GC%", "GC", 7, RTOP_SORT_GC },
  [COLUMN_CPU] = { "CPU%", "CPU", 7, RTOP_SORT_CPU },
  [COLUMN_BLAME] = { "BLAME%", "BLAME", 8, RTOP_SORT_BLAME },
  [COLUMN_THREADS] = { "THR", "THR", 5, RTOP_SORT_THREADS },
  [COLUMN_RATIO] = { "RATIO%", "RATIO%", 8, RTOP_SORT_RATIO },
  [COLUMN_ALLOC] = { "ALLOC/s", "ALLOC/s", 9, RTOP_SORT_ALLOC },
  [COLUMN_HIST] = { "HIST(60s)", "HIST(60s)", 12, -1 },
  [COLUMN_METHOD] = { "METHOD", "METHOD", 0, RTOP_SORT_NAME },
  [COLUMN_LOCATION] = { "LOCATION", "LOCATION", 0, -1 },
};

const struct column_info *layout_column(enum column column)
{
  return &columns_table[column];
}

enum column layout_column_of(enum rtop_sort_key sort)
{
  for (int column = 0; column < COLUMN_COUNT; column++) {
    if (columns_table[column].sort == (int)sort) {
      return (enum column)column;
    }
  }
  return COLUMN_SELF;
}

/* What is worth its place, best first, and the width from which on it is shown. */
static const struct { enum column column; int width; } preference[] = {
  { COLUMN_SELF, 0 }, { COLUMN_TOTAL, 28 }, { COLUMN_WAIT, 36 }, { COLUMN_ALLOC, 48 }, { COLUMN_GC, 96 },
  { COLUMN_HIST, 104 }, { COLUMN_IO, 124 }, { COLUMN_CPU, 132 }, { COLUMN_BLAME, 140 },
  { COLUMN_THREADS, 148 }, { COLUMN_RATIO, 156 },
};
enum { PREFERENCES = sizeof preference / sizeof preference[0] };
static const int figures = COLUMN_HIST;  /* the columns before it are numbers */

static int location_columns(int width)
{
  if (width < 72) {
    return 0;
  }
  int columns = width / 4 - 1;
  return columns > 60 ? 60 : columns;
}

static int figures_width(int width)
{
  int location = location_columns(width);
  return width - MARK_COLUMNS - METHOD_COLUMNS_MIN - location;
}

/* Scrolled: every figure from `scroll` on, as many as fit into the room that the usual ones have. */
static void pick_scrolled(bool *picked, int width, int scroll)
{
  int room = figures_width(width) / 2 < 7 ? figures_width(width) : figures_width(width) * 3 / 4;
  for (int column = scroll; column < figures; column++) {
    room -= columns_table[column].columns;
    if (room < 0 && column > scroll) {
      break;
    }
    picked[column] = true;
  }
}

static void pick_preferred(bool *picked, int width, enum rtop_sort_key sort)
{
  for (int i = 0; i < PREFERENCES; i++) {
    picked[preference[i].column] = width >= preference[i].width;
  }
  enum column sorted = layout_column_of(sort);
  if ((int)sorted < figures && !picked[sorted]) {
    picked[sorted] = true;
    for (int i = PREFERENCES - 1; i >= 0; i--) {    /* it takes the place of the least one */
      enum column least = preference[i].column;
      if (picked[least] && least != sorted) {
        picked[least] = false;
        break;
      }
    }
  }
}

static void add_column(struct layout_columns *columns, enum column column, int *x, int width)
{
  columns->at[columns->count].column = column;
  columns->at[columns->count].x = *x;
  columns->at[columns->count].columns = width;
  columns->count++;
  *x += width;
}

void layout_columns_choose(struct layout_columns *columns, int width, enum rtop_sort_key sort, int scroll)
{
  bool picked[COLUMN_COUNT] = { false };
  int x = MARK_COLUMNS;
  columns->count = 0;
  if (scroll > 0) {
    pick_scrolled(picked, width, scroll);
  } else {
    pick_preferred(picked, width, sort);
  }
  for (int column = 0; column <= COLUMN_HIST; column++) {
    if (picked[column]) {
      add_column(columns, (enum column)column, &x, columns_table[column].columns);
    }
  }
  int location = location_columns(width);
  int method = width - x - location;
  if (method < METHOD_COLUMNS_MIN && location > 0) {
    method += location;
    location = 0;
  }
  if (method > 0) {
    add_column(columns, COLUMN_METHOD, &x, method);
  }
  if (location > 0) {
    add_column(columns, COLUMN_LOCATION, &x, location);
  }
}

int layout_scroll_max(int width)
{
  if (width >= preference[PREFERENCES - 1].width) {
    return 0;                          /* everything is there already */
  }
  for (int scroll = 1; scroll < figures; scroll++) {
    bool picked[COLUMN_COUNT] = { false };
    pick_scrolled(picked, width, scroll);
    if (picked[figures - 1]) {
      return scroll;
    }
  }
  return figures - 1;
}
