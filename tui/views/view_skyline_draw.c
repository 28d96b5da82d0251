/* SPDX-License-Identifier: MIT */
/* Draws the skyline: streets of buildings, names of the highest ones and of blocks, and the building under the
 * cursor. */
#include "view_skyline.h"
#include "viewer.h"
#include "tui/methods/states.h"
#include "tui/term/draw.h"
#include "tui/text/text.h"
#include "tui/trees/city_names.h"
#include "tui/ui/ui.h"
#include <ncurses.h>
#include <string.h>

enum { AWAKE_MARK = '*', CUT_MARK = '^', COLUMNS_PER_NAME = 16, NAMES_LEAST = 5, SHARE_FROM = 7 };

struct pen {
  const struct ui *ui;
  const struct skyline_view *view;
  struct rect table;
  struct city_sky sky;
  int top; /* row of the first street */
  struct city_name_place names[CITY_NAMES_MAX];
  int name_count;
};

/* Storeys by state: what runs is solid. */
static const char *wall(enum rtop_state state)
{
  static const char *const blocks[RTOP_STATES] = { "█", "▒", "░", "▓", "▓" };
  static const char *const ascii[RTOP_STATES] = { "|", ":", ".", "#", "=" };
  return (draw_is_ascii() ? ascii : blocks)[state];
}

static const char *roof(int eighths)
{
  static const char *const blocks[CITY_EIGHTHS] = { "▁", "▁", "▂", "▃", "▄", "▅", "▆", "▇" };
  return draw_is_ascii() ? "_" : blocks[eighths];
}

static int street_y(const struct pen *pen, int street)
{
  return pen->top + street * pen->view->city.street_rows;
}

static int building_street(const struct pen *pen, const struct city_building *building)
{
  return pen->view->city.blocks[building->block].street;
}

static void draw_glyphs(const struct pen *pen, int y, int x, int columns, enum face face, const char *glyph)
{
  for (int i = 0; i < columns && x + i < pen->table.x + pen->table.columns; i++) draw_text(y, x + i, 1, face, glyph);
}

/* Returns the change of the method's self time against the baseline; groups have none. */
static double skyline_change_of(const struct pen *pen, const struct city_building *building)
{
  const struct ui *ui = pen->ui;
  if (!ui->baseline.comparing || building->level != CITY_METHODS) return 0;
  const struct rtop_method_row *before = ui_baseline_row(ui, building->frame);
  return ui_baseline_change(ui, (uint64_t)(city_self(&pen->view->city, building) * (double)ui->sum.length_ns),
                            before != NULL ? before->self_ns : 0);
}

/* Returns the state with most of the eighths from `from` on; *filled: how many of these eighths are filled. */
static enum rtop_state storey(const int tops[RTOP_STATES], int from, int *filled)
{
  int best = 0, most = 0, below = 0, end = from + CITY_EIGHTHS;
  for (int i = 0; i < RTOP_STATES; i++) {
    int first = below > from ? below : from, last = tops[i] < end ? tops[i] : end;
    if (last - first > most) {
      most = last - first;
      best = i;
    }
    below = tops[i];
  }
  *filled = below < end ? below - from : CITY_EIGHTHS;
  return city_storeys[best];
}

/* Draws a storey. Only running time has glyphs for partly filled cells; other states are rounded. Below the roof running
 * time is darker, so that a street of high buildings is no wall. */
static void draw_storey(const struct pen *pen, const int tops[RTOP_STATES], int row, int y, int x, enum face match)
{
  int filled;
  enum rtop_state state = storey(tops, row * CITY_EIGHTHS, &filled);
  bool below = state == RTOP_STATE_RUNNING && tops[RTOP_STATES - 1] > (row + 1) * CITY_EIGHTHS;
  enum face face = match != FACE_NORMAL ? match : below ? FACE_BODY_RUN : draw_state_face(state);
  bool runs = state == RTOP_STATE_RUNNING && !draw_is_ascii();
  const char *glyph = filled == CITY_EIGHTHS                            ? wall(state)
                      : runs || (row == 0 && filled * 2 < CITY_EIGHTHS) ? roof(filled)
                      : filled * 2 >= CITY_EIGHTHS                      ? wall(state)
                                                                        : NULL;
  if (glyph != NULL) draw_glyphs(pen, y, x, pen->view->city.bar, face, glyph);
}

/* Draws signs above a roof: active again after a sleep, cut, how its share changed, how many threads are in it. */
static void draw_signs(const struct pen *pen, const struct city_building *building, int row, bool cut)
{
  const struct city *city = &pen->view->city;
  char text[16];
  int street = building_street(pen, building), used = 0;
  double change = skyline_change_of(pen, building);
  bool awake = city_awake(building, pen->ui->now_ns);
  if (awake || cut) text[used++] = awake ? AWAKE_MARK : CUT_MARK;
  if (change >= 0.005 || change <= -0.005) text[used++] = change > 0 ? '+' : '-';
  text[used] = '\0';
  if (building->threads > 1) snprintf(text + used, sizeof text - (size_t)used, "%u", building->threads);
  for (int i = 0; i < city->bar && text[i] != '\0'; i++) {
    char sign[2] = { text[i], '\0' };
    int x = building->x + i;
    if (city_is_sky(pen->names, pen->name_count, city, street, row, x))
      draw_text(street_y(pen, street) + row, pen->table.x + x, 1, awake ? FACE_HOT : FACE_NORMAL, sign);
  }
}

static void draw_building(const struct pen *pen, const struct city_building *building)
{
  int tops[RTOP_STATES], x = pen->table.x + building->x;
  bool cut;
  int ground = street_y(pen, building_street(pen, building)) + pen->sky.rows;
  enum face match = skyline_view_matches(pen->ui, building) ? FACE_MATCH : FACE_NORMAL;
  int rows = city_rows(&pen->view->city, building, &pen->sky);
  city_heights(&pen->view->city, building, pen->sky.full, pen->sky.bar_rows * CITY_EIGHTHS, tops, &cut);
  if (tops[RTOP_STATES - 1] == 0)
    draw_glyphs(pen, ground - 1, x, pen->view->city.bar, match, building->present > 0 ? roof(0) : ".");
  else
    for (int row = 0; row < rows; row++) draw_storey(pen, tops, row, ground - 1 - row, x, match);
  draw_signs(pen, building, pen->sky.rows - rows - 1, cut);
}

static void skyline_share_text(const struct ui *ui, char *out, size_t bytes, double share)
{
  if (ui->look.units == UNITS_PERCENT) draw_percent(out, bytes, 100 * share);
  else draw_time(out, bytes, (uint64_t)(share * (double)ui->methods.length_ns));
}

/* Draws the label of a block: name, self time, and number of hidden buildings, "ActiveRecord 31% +12", less if there
 * is little room. */
static void draw_block(const struct pen *pen, const struct city_block *block)
{
  const struct city *city = &pen->view->city;
  char share[24] = "", hidden[16] = "", name[300];
  int y = street_y(pen, block->street) + pen->sky.rows, x = pen->table.x + block->x, room = block->lot;
  double self = city_self(city, &city->buildings[block->package]);
  if (self >= 0.005 && block->lot >= SHARE_FROM) snprintf(share, sizeof share, " %.0f%%", 100 * self);
  if (block->hidden > 0) snprintf(hidden, sizeof hidden, " +%u", block->hidden);
  snprintf(name, sizeof name, "%s%s", block->folded ? "+" : "", block->name);
  draw_glyphs(pen, y, x, block->lot, FACE_LABEL, draw_is_ascii() ? "-" : "─");
  if ((int)(strlen(share) + strlen(hidden)) + 5 > room) hidden[0] = '\0';
  room -= (int)(strlen(share) + strlen(hidden));
  int used = draw_text(y, x, room, FACE_LABEL, name);
  used += draw_text(y, x + used, block->lot - used, self >= 0.2 ? FACE_TITLE : FACE_NORMAL, share);
  draw_text(y, x + used, block->lot - used, FACE_LABEL, hidden);
}

/* Writes the name of one of the highest buildings: "Integer#** 46%". */
static void name_text(const struct pen *pen, const struct city_name_place *name, char *out, size_t bytes)
{
  const struct city *city = &pen->view->city;
  const struct city_building *building = &city->buildings[name->building];
  char share[16];
  int used = snprintf(share, sizeof share, " %.0f%%", 100 * city_height(city, building));
  const char *label = skyline_view_name(pen->ui, building);
  int room = name->columns - used;
  char shown[128];
  rtop_text_cut(shown, sizeof shown, name->columns > 0 ? ui_label_that_fits(label, room) : label,
                name->columns > 0 ? room : (int)sizeof shown);
  snprintf(out, bytes, "%s%s", shown, share);
}

static void place_names(struct pen *pen)
{
  enum { NAME_MOST = 40 };
  int most = pen->table.columns / COLUMNS_PER_NAME;
  most = most < NAMES_LEAST ? NAMES_LEAST : most > CITY_NAMES_MAX ? CITY_NAMES_MAX : most;
  pen->name_count = city_highest(&pen->view->city, pen->names, most);
  for (int i = 0; i < pen->name_count; i++) {
    char text[160];
    pen->names[i].columns = 0;
    name_text(pen, &pen->names[i], text, sizeof text);
    int width = rtop_text_width(text);
    pen->names[i].wanted = width < NAME_MOST ? width : NAME_MOST;
  }
  city_place_names(&pen->view->city, &pen->sky, pen->names, pen->name_count);
}

static void draw_names(const struct pen *pen)
{
  for (int i = 0; i < pen->name_count; i++) {
    const struct city_name_place *name = &pen->names[i];
    const struct city_building *building = &pen->view->city.buildings[name->building];
    char text[160];
    if (name->columns == 0) continue;
    name_text(pen, name, text, sizeof text);
    enum face face = building == skyline_view_selected(pen->view)      ? FACE_CURSOR
                     : skyline_view_matches(pen->ui, building)         ? FACE_MATCH
                     : city_awake(building, pen->ui->now_ns) || i == 0 ? FACE_HOT
                                                                       : FACE_TITLE;
    draw_text(street_y(pen, building_street(pen, building)) + name->row, pen->table.x + name->x, name->columns, face,
              text);
  }
}

/* Draws the legend: the state of each shade, and what is not shown. */
static void draw_legend(const struct pen *pen)
{
  static const enum rtop_state shown[] = { RTOP_STATE_RUNNING, RTOP_STATE_MARKING, RTOP_STATE_WAITING,
                                           RTOP_STATE_BLOCKED };
  int y = pen->table.y, x = pen->table.x + 1, end = pen->table.x + pen->table.columns;
  bool ratio = pen->view->city.by_ratio;
  if (ratio) x += draw_text(y, x, end - x, FACE_LABEL, "height: ratio, on the stack of the busiest thread") + 2;
  for (size_t i = 0; !ratio && i < sizeof shown / sizeof shown[0]; i++) {
    x += draw_text(y, x, end - x, draw_state_face(shown[i]), wall(shown[i])) + 1;
    x += draw_text(y, x, end - x, FACE_LABEL, shown[i] == RTOP_STATE_MARKING ? "gc" : state_word(shown[i])) + 2;
  }
  if (pen->view->city.hidden > 0)
    draw_format(y, x + 1, end - x - 1, FACE_LABEL, "%u more, too low to be shown", pen->view->city.hidden);
}

static void draw_status(const struct pen *pen, const struct city_building *building, int y)
{
  static const char *const kind[CITY_LEVELS] = { "", "class ", "package " };
  char text[128], self[16], ratio[16], change[16] = "";
  int room = pen->table.columns;
  if (building == NULL) {
    draw_text(y, pen->table.x, room, FACE_NORMAL,
              pen->view->city.count > 0 ? "nobody is at home: no method had own time worth a building"
                                        : "nobody is at home: no method was seen");
    return;
  }
  skyline_share_text(pen->ui, self, sizeof self, city_self(&pen->view->city, building));
  skyline_share_text(pen->ui, ratio, sizeof ratio, city_ratio(&pen->view->city, building));
  if (pen->ui->baseline.comparing && building->level == CITY_METHODS) {
    change[0] = ' ';
    change[1] = '(';
    ui_baseline_text(change + 2, sizeof change - 3, skyline_change_of(pen, building));
    strcat(change, ")");
  }
  snprintf(text, sizeof text, "  self %s%s  ratio %s  thr %u", self, change, ratio, building->threads);
  int figures = (int)strlen(text);
  int x = draw_text(y, pen->table.x, room, FACE_NORMAL, "> ");
  x += draw_text(y, pen->table.x + x, room - x, FACE_NORMAL, kind[building->level]);
  int name = room - x - figures > 12 ? room - x - figures : room - x;
  x += draw_text(y, pen->table.x + x, name, skyline_view_matches(pen->ui, building) ? FACE_MATCH : FACE_TITLE,
                 ui_label_that_fits(skyline_view_name(pen->ui, building), name));
  draw_text(y, pen->table.x + x, room - x, FACE_NORMAL, text);
}

/* Marks the building above its roof and at its ground, since its neighbours may look the same. */
static void draw_selection(const struct pen *pen, const struct city_building *building)
{
  const struct city *city = &pen->view->city;
  int street = building_street(pen, building), y = street_y(pen, street);
  int row = pen->sky.rows - city_rows(city, building, &pen->sky) - 1;
  draw_paint(y + pen->sky.rows, pen->table.x + building->x, city->bar, FACE_CURSOR);
  if (city_is_sky(pen->names, pen->name_count, city, street, row, building->x))
    draw_text(y + row, pen->table.x + building->x, 1, FACE_CURSOR, "v");
}

static void draw_city(struct pen *pen)
{
  const struct city *city = &pen->view->city;
  place_names(pen);
  for (uint32_t i = 0; i < city->block_count; i++)
    if (city->blocks[i].lot > 0) draw_block(pen, &city->blocks[i]);
  for (uint32_t i = 0; i < city->street_count; i++) draw_building(pen, &city->buildings[city->street[i]]);
  draw_names(pen);
}

void skyline_draw(struct ui *ui)
{
  struct skyline_view *view = ui->data[VIEW_SKYLINE];
  struct rect table = ui->layout.part[PART_TABLE];
  const struct city_building *selected = skyline_view_selected(view);
  if (ui->layout.tiny || table.rows < 3) {
    int y = ui->layout.tiny ? 0 : table.y;
    draw_text(y, 0, ui->layout.columns, FACE_NORMAL,
              selected != NULL ? skyline_view_name(ui, selected) : "nobody is at home");
    move(y, 0);
    return;
  }
  struct pen pen = { .ui = ui,
                     .view = view,
                     .table = table,
                     .sky = city_sky_of(&view->city, view->scale),
                     .top = table.y + skyline_view_top(ui) };
  if (skyline_view_legend_rows(ui) > 0) draw_legend(&pen);
  if (selected != NULL) {
    draw_city(&pen);
    draw_selection(&pen, selected);
  }
  draw_status(&pen, selected, table.y + table.rows - 1);
  move(table.y + table.rows - 1, table.x);
}
