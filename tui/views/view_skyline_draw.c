/* How the skyline looks: a street of buildings, the names of its blocks, what the cursor is on. */
#include "view_skyline.h"
#include "viewer.h"
#include "tui/term/draw.h"
#include "tui/text/text.h"
#include "tui/ui/ui.h"
#include <math.h>
#include <ncurses.h>
#include <string.h>

enum { EIGHTHS = 8, ROWS_BELOW = 3, WIDTH_MAX = 512, AWAKE_MARK = '*' };

struct pen {
  const struct ui *ui;
  const struct skyline_view *view;
  struct rect sky; /* where buildings stand; its last row touches the ground */
};

/* Wall, window: by state. */
static const char *wall(enum rtop_state state)
{
  static const char *const blocks[RTOP_STATES] = { "█", "▓", "▒", "▒", "▒" };
  static const char *const ascii[RTOP_STATES] = { "#", "%", "=", "=", "=" };
  return state < RTOP_STATES ? (draw_is_ascii() ? ascii : blocks)[state] : ".";
}

static const char *roof(int eighths)
{
  static const char *const blocks[EIGHTHS] = { "", "▁", "▂", "▃", "▄", "▅", "▆", "▇" };
  static const char *const ascii[EIGHTHS] = { "", ".", ".", ".", ":", ":", ":", ":" };
  return (draw_is_ascii() ? ascii : blocks)[eighths];
}

/* Clips to the screen; x is a column of the street. */
static void draw_span(const struct pen *pen, int y, int x, int width, enum face face, const char *wall_glyph,
                      const char *window)
{
  char text[WIDTH_MAX * 3 + 1];
  size_t used = 0;
  int from = pen->sky.x + x - pen->view->left, first = from < pen->sky.x ? pen->sky.x - from : 0;
  int last = from + width > pen->sky.x + pen->sky.columns ? pen->sky.x + pen->sky.columns - from : width;
  for (int i = first; i < last && i - first < WIDTH_MAX; i++) {
    const char *glyph = window != NULL && i % 3 == 1 ? window : wall_glyph;
    size_t bytes = strlen(glyph);
    memcpy(text + used, glyph, bytes);
    used += bytes;
  }
  text[used] = '\0';
  if (last > first) draw_text(y, from + first, last - first, face, text);
}

static int height_of(const struct pen *pen, const struct city_building *building, bool *cut)
{
  double ratio = city_ratio(&pen->view->city, building);
  double height = ratio * pen->view->scale * pen->sky.rows * EIGHTHS;
  int most = (pen->sky.rows - 1) * EIGHTHS; /* the row above the tallest holds its count */
  *cut = height > most + 0.5 && pen->view->scale > 1;
  int eighths = (int)lround(ratio * pen->view->scale * most);
  eighths = building->present > 0 && eighths == 0 ? 1 : eighths;
  return eighths > most ? most : eighths;
}

/* Of the method's self time against the baseline; of groups nothing is told. */
static double skyline_change_of(const struct pen *pen, const struct city_building *building)
{
  const struct ui *ui = pen->ui;
  if (!ui->baseline.comparing || building->level != CITY_METHODS) return 0;
  const struct rtop_method_row *before = ui_baseline_row(ui, building->frame);
  return ui_baseline_change(ui, (uint64_t)(city_self(&pen->view->city, building) * (double)ui->sum.length_ns),
                            before != NULL ? before->self_ns : 0);
}

static void draw_roof(const struct pen *pen, const struct city_building *building, int y, bool cut)
{
  char text[16] = "";
  bool awake = city_awake(building, pen->ui->now_ns);
  if (awake || cut) snprintf(text, sizeof text, "%c", awake ? AWAKE_MARK : '^');
  double change = skyline_change_of(pen, building);
  if (change >= 0.005 || change <= -0.005) {
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%c", change > 0 ? '+' : '-');
  }
  if (building->threads > 0) {
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%u", building->threads);
  }
  int x = pen->sky.x + building->x - pen->view->left, width = building->width;
  if ((int)strlen(text) > width) text[awake || cut ? 1 : 0] = '\0';
  if (x >= pen->sky.x && x < pen->sky.x + pen->sky.columns && y >= pen->sky.y)
    draw_text(y, x, pen->sky.x + pen->sky.columns - x, awake ? FACE_HOT : FACE_NORMAL, text);
}

static void draw_building(const struct pen *pen, const struct city_building *building)
{
  bool cut;
  int eighths = height_of(pen, building, &cut), full = eighths / EIGHTHS;
  int ground = pen->sky.y + pen->sky.rows - 1;
  enum rtop_state state = city_state(building);
  enum face face = skyline_view_matches(pen->ui, building) ? FACE_MATCH
                   : city_awake(building, pen->ui->now_ns) ? FACE_HOT
                                                           : draw_state_face(state);
  const char *window = draw_is_ascii() ? "o" : "░";
  for (int row = 0; row < full; row++) {
    bool lit = row % 2 == 1 && building->width >= 3;
    draw_span(pen, ground - row, building->x, building->width, face, wall(state), lit ? window : NULL);
  }
  if (eighths % EIGHTHS > 0)
    draw_span(pen, ground - full, building->x, building->width, face, roof(eighths % EIGHTHS), NULL);
  draw_roof(pen, building, ground - full - (eighths % EIGHTHS > 0), cut);
}

static void draw_block(const struct pen *pen, const struct city_block *block, int y)
{
  char name[300];
  int x = pen->sky.x + block->x - pen->view->left, end = x + block->lot;
  int right = pen->sky.x + pen->sky.columns;
  x = x < pen->sky.x ? pen->sky.x : x;
  end = end > right ? right : end;
  if (end <= x) return;
  draw_span(pen, y, block->x, block->lot, FACE_NORMAL, draw_is_ascii() ? "=" : "─", NULL);
  snprintf(name, sizeof name, "%s%s", block->folded ? "+" : "", block->name);
  draw_text(y + 1, x, end - x + 1 < right - x ? end - x + 1 : right - x, FACE_LABEL, name);
}

static void draw_ground(const struct pen *pen)
{
  int y = pen->sky.y + pen->sky.rows;
  draw_span(pen, y, pen->view->left, pen->sky.columns, FACE_NORMAL, "_", NULL);
  for (uint32_t i = 0; i < pen->view->city.block_count; i++)
    if (pen->view->city.blocks[i].lot > 0) draw_block(pen, &pen->view->city.blocks[i], y);
  if (pen->view->left > 0) draw_text(y, pen->sky.x, 1, FACE_TITLE, "<");
  if (pen->view->city.columns > pen->view->left + pen->sky.columns)
    draw_text(y, pen->sky.x + pen->sky.columns - 1, 1, FACE_TITLE, ">");
}

static void skyline_share_text(const struct ui *ui, char *out, size_t bytes, double share)
{
  if (ui->look.units == UNITS_PERCENT) draw_percent(out, bytes, 100 * share);
  else draw_time(out, bytes, (uint64_t)(share * (double)ui->methods.length_ns));
}

static void draw_status(const struct pen *pen, const struct city_building *building, int y)
{
  char text[400], self[16], total[16], legend[64];
  int columns = pen->sky.columns;
  bool ascii = draw_is_ascii();
  snprintf(legend, sizeof legend, "%srun %swait %srest", ascii ? "#" : "█", ascii ? "%" : "▓", ascii ? "=" : "▒");
  int right = rtop_text_width(legend), room = columns - (columns >= 60 ? right + 2 : 0);
  if (building == NULL) {
    draw_text(y, pen->sky.x, room, FACE_NORMAL, "nobody is at home: no method was seen");
    return;
  }
  skyline_share_text(pen->ui, self, sizeof self, city_self(&pen->view->city, building));
  skyline_share_text(pen->ui, total, sizeof total,
                     building->level == CITY_METHODS ? ui_share(pen->ui, building->total_ns)
                                                     : city_ratio(&pen->view->city, building));
  static const char *const kind[CITY_LEVELS] = { "", "class ", "package " };
  snprintf(text, sizeof text, "  self %s %s %s  thr %u", self, building->level == CITY_METHODS ? "total" : "ratio",
           total, building->threads);
  if (pen->ui->baseline.comparing && building->level == CITY_METHODS) {
    char change[16];
    ui_baseline_text(change, sizeof change, skyline_change_of(pen, building));
    snprintf(text, sizeof text, "  self %s (%s) total %s  thr %u", self, change, total, building->threads);
  }
  int figures = (int)strlen(text);
  int x = draw_text(y, pen->sky.x, room, FACE_NORMAL, "> ");
  x += draw_text(y, pen->sky.x + x, room - x, FACE_NORMAL, kind[building->level]);
  int name = room - x - figures > 12 ? room - x - figures : room - x;
  x += draw_text(y, pen->sky.x + x, name, skyline_view_matches(pen->ui, building) ? FACE_MATCH : FACE_TITLE,
                 skyline_view_name(pen->ui, building));
  draw_text(y, pen->sky.x + x, room - x, FACE_NORMAL, text);
  if (columns >= 60) draw_right(y, pen->sky.x + columns - right, right, FACE_LABEL, legend);
}

/* The mark above it, and on the ground how far it goes: those beside it may look just the same. */
static void draw_selection(const struct pen *pen, const struct city_building *building, int y)
{
  draw_span(pen, pen->sky.y + pen->sky.rows, building->x, building->width, FACE_CURSOR, draw_is_ascii() ? "^" : "━",
            NULL);
  int x = pen->sky.x + building->x - pen->view->left;
  if (x >= pen->sky.x && x < pen->sky.x + pen->sky.columns) {
    bool room = pen->sky.columns - (x - pen->sky.x) > 11;
    draw_text(y, x, pen->sky.columns - (x - pen->sky.x), FACE_CURSOR, room ? "v selected" : "v");
  }
}

void skyline_draw(struct ui *ui)
{
  struct skyline_view *view = ui->data[VIEW_SKYLINE];
  struct rect table = ui->layout.part[PART_TABLE];
  const struct city_building *selected = skyline_view_selected(view);
  if (ui->layout.tiny || table.rows < ROWS_BELOW + 2) {
    int y = ui->layout.tiny ? 0 : table.y;
    draw_text(y, 0, ui->layout.columns, FACE_NORMAL,
              selected != NULL ? skyline_view_name(ui, selected) : "nobody is at home");
    move(y, 0);
    return;
  }
  struct pen pen = { ui, view, { table.y + 1, table.x, table.rows - ROWS_BELOW - 1, table.columns } };
  for (uint32_t i = 0; i < view->city.street_count; i++) {
    const struct city_building *building = &view->city.buildings[view->city.street[i]];
    if (building->x + building->width > view->left && building->x < view->left + table.columns)
      draw_building(&pen, building);
  }
  draw_ground(&pen);
  if (selected != NULL) draw_selection(&pen, selected, table.y);
  draw_status(&pen, selected, table.y + table.rows - 1);
  int x = selected != NULL ? table.x + selected->x - view->left : table.x;
  move(table.y + table.rows - 1, x < 0 ? 0 : x >= COLS ? COLS - 1 : x);
}
