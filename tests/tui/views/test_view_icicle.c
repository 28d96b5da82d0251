/* The icicle: how high its cells are, what they tell, and where a click goes. */
#include "tests/tui/screen_fixture.h"
#include "tui/term/mouse.h"
#include "tui/views/view_icicle.h"

static const struct screen_case tall = { .rows = 50, .columns = 160, .keys = KEYS('4') };
static const struct screen_case middle = { .rows = 30, .columns = 100, .keys = KEYS('4') };
static const struct screen_case low = { .rows = 20, .columns = 80, .keys = KEYS('4') };

static const struct icicle_view *view(void)
{
  return ui.data[VIEW_ICICLE];
}

static int table_y(void)
{
  return ui.layout.part[PART_TABLE].y;
}

/* The middle of every cell, in each of its rows. */
static void click_all(void)
{
  int rows = icicle_view_rows(&ui);
  for (size_t i = 0; i < view()->icicle.count; i++) {
    struct rtop_icicle_cell cell = view()->icicle.cells[i];
    for (int row = 0; row < view()->cell_rows && cell.merged == 0; row++) {
      int level = (int)(cell.depth - view()->top), y = level * view()->cell_rows + row;
      ui_mouse(&ui, &(struct mouse_event){ MOUSE_PRESS, table_y() + (view()->flipped ? rows - 1 - y : y),
                                           cell.x + cell.columns / 2 });
      assert_int_equal(view()->node, cell.node);
      model_press(&ui, 'g');
    }
  }
}

static void test_clicks_in_every_row_of_a_cell(void **state)
{
  const struct screen_case *at = *state;
  assert_int_equal(view()->cell_rows, at == &tall ? 3 : 2);
  click_all();
  model_press(&ui, 'i');
  assert_true(view()->flipped);
  click_all();
}

/* Below the last depth there is nothing, also where another cell would begin. */
static void test_click_beside(void **state)
{
  (void)state;
  model_press(&ui, 'g');
  uint32_t node = view()->node;
  for (int row = (int)view()->icicle.depths * 3; row < icicle_view_rows(&ui); row++) {
    ui_mouse(&ui, &(struct mouse_event){ MOUSE_PRESS, table_y() + row, 3 });
    assert_int_equal(view()->node, node);
  }
}

/* The terminal's cursor stands on the name. */
static void test_cursor_walks_from_cell_to_cell(void **state)
{
  (void)state;
  model_press(&ui, 'g');
  assert_int_equal(getcury(stdscr), table_y());
  for (int depth = 1; depth < 7; depth++) {
    model_press(&ui, KEY_DOWN | KEY_FUNCTION);
    assert_int_equal(getcury(stdscr), table_y() + 3 * depth);
  }
  model_press(&ui, KEY_UP | KEY_FUNCTION);
  assert_int_equal(getcury(stdscr), table_y() + 3 * 5);
}

static void test_high_cells_tell_total_and_self(void **state)
{
  (void)state;
  assert_true(shows("▎Puma::Server#process_client  ") && shows("▎300.0%  self 0.0%  |||"));
  assert_true(shows("▎IO.select") && shows("▎Mutex#synch~ :"));
  assert_true(shows("▎50.0%  ::... ▎")); /* for self time there is no room */
  model_press(&ui, '=');
  assert_true(shows("=Queue#pop                =") && shows("=100.0%  self 100.0%  ....="));
}

/* Checks the right edge of all cells that are marked as the same method; returns how many are narrow. */
static int check_edges(void)
{
  int narrow = 0, rows = view()->cell_rows > 1 ? 2 : 1;
  for (size_t i = 0; i < view()->icicle.count; i++) {
    struct rtop_icicle_cell cell = view()->icicle.cells[i];
    size_t level = cell.depth - view()->top;
    bool seen = cell.depth >= view()->top && level < (size_t)icicle_view_page(&ui);
    if (!seen || cell.merged > 0 || cell.columns < 2 || !icicle_view_is_hit(&ui, view(), &cell)) continue;
    for (int row = 0; row < rows; row++) {
      int y = table_y() + (int)level * view()->cell_rows + row;
      assert_int_equal(mvinch(y, cell.x + cell.columns - 1) & A_CHARTEXT, '=');
    }
    narrow += cell.columns < 12;
  }
  return narrow;
}

/* Cells of the same method keep the '=' at both sides in each row, however narrow they are. */
static void test_same_cells_keep_both_edges(void **state)
{
  int narrow = 0;
  for (int columns = 60; columns <= 200; columns += 7) {
    struct screen_case at = *(const struct screen_case *)*state;
    at.columns = columns;
    model_screen_close(&ui, &profile);
    open_case(&at, model_profile());
    model_type(&ui, "=g");
    for (int right = 0; right < 8; right++) {
      for (int depth = 0; depth < 8; depth++, model_press(&ui, KEY_DOWN | KEY_FUNCTION)) narrow += check_edges();
      for (int depth = 0; depth < 3; depth++) model_press(&ui, KEY_UP | KEY_FUNCTION);
      model_press(&ui, KEY_RIGHT | KEY_FUNCTION);
    }
  }
  assert_true(narrow > 10);
}

static void test_two_rows_tell_total_and_self(void **state)
{
  (void)state;
  assert_true(shows("▎Puma::Server#process_client"));
  assert_true(shows("▎300.0%  self 0.0%"));
}

static void test_depths_out_of_sight_are_told(void **state)
{
  bool told = false, all_seen = false;
  (void)state;
  model_press(&ui, 'g');
  for (int rows = 40; rows > 5; rows--) {
    char levels[32];
    resizeterm(rows, 80);
    ui.stale = true;
    model_redraw(&ui);
    int page = icicle_view_page(&ui);
    snprintf(levels, sizeof levels, "1-%d/7", page);
    assert_true(page < 7 ? shows(levels) : !shows("/7"));
    told = told || page < 7;
    all_seen = all_seen || page >= 7;
  }
  assert_true(told && all_seen);
}

/* In the pane there is room for words: with many depths. */
static void test_depths_are_told_in_words(void **state)
{
  struct icicle_view *changed = ui.data[VIEW_ICICLE];
  (void)state;
  model_press(&ui, 'g');
  assert_false(shows("levels"));
  changed->top = 2;
  ui_draw(&ui);
  assert_true(shows("levels 3 to 7 of 7"));
}

/* Lower at once when calls get deeper, higher only after a while; at once when the user zooms. */
static void test_height_does_not_jump(void **state)
{
  (void)state;
  struct icicle_view *changed = ui.data[VIEW_ICICLE];
  changed->cell_rows = 1;
  changed->low_until_ns = ui.now_ns + 1000;
  ui.stale = true;
  ui.touched = false;
  model_redraw(&ui);
  assert_int_equal(view()->cell_rows, 1);
  ui.now_ns += 1000;
  ui.stale = true;
  model_redraw(&ui);
  assert_int_equal(view()->cell_rows, 3);
  changed->cell_rows = 1;
  changed->low_until_ns = INT64_MAX;
  model_press(&ui, KEY_DOWN | KEY_FUNCTION);
  model_type(&ui, "\r\r");
  assert_int_equal(view()->cell_rows, 3);
  model_press(&ui, 27);
  assert_int_equal(view()->cell_rows, 3);
}

/* A resize is seen at once, in height alone, too. */
static void test_resize(void **state)
{
  (void)state;
  for (int rows = 60; rows > 5; rows--) {
    resizeterm(rows, 160);
    ui_draw(&ui);
    int fits = rtop_icicle_cell_rows(&view()->icicle, icicle_view_rows(&ui));
    assert_int_equal(view()->cell_rows, fits);
    assert_true(fits == 1 || (size_t)icicle_view_page(&ui) >= view()->icicle.depths);
  }
}

/* High cells fill two rows, as wide as they are; the third is the space below them. */
static void test_cells_are_whole(void **state)
{
  (void)state;
  model_press(&ui, 'g'); /* under the cursor: reverse from edge to edge */
  for (int columns = 200; columns < 600; columns += 57) {
    resizeterm(50, columns);
    ui_draw(&ui);
    for (int x = 0; x < columns; x++)
      for (int row = 0; row < 3; row++) assert_int_equal((mvinch(table_y() + row, x) & A_REVERSE) != 0, row < 2);
  }
}

/* Without colours it is all there: signs of the states behind the name, or of the heat, and the line that tells them. */
static void test_one_key_changes_the_colour(void **state)
{
  (void)state;
  assert_true(shows("▎100.0%  self 100.0%  ....") && shows("▎90.0%  self 90.0%  "));
  assert_true(shows("| run   : wait   . blocked   # mark   = sweep   c: by heat"));
  model_press(&ui, 'c');
  assert_true(shows("▎100.0%  self 100.0%  ####"));
  assert_true(shows("_ less   . 1%   : 5%   + 20%   # 50%   c: by state"));
  model_press(&ui, 'c');
  assert_true(shows("▎100.0%  self 100.0%  ...."));
}

static bool is_lit_at(int depth, int x)
{
  chtype cell = mvinch(table_y() + 3 * depth, x);
  return (cell & A_REVERSE) == 0 && (cell & A_BOLD) != 0; /* by its words: no slab of light */
}

/* From the root down to the cursor, and nothing else. */
static void test_the_way_to_the_cursor_is_lit(void **state)
{
  (void)state;
  model_press(&ui, 'g');
  for (int depth = 1; depth < 5; depth++) model_press(&ui, KEY_DOWN | KEY_FUNCTION);
  for (int depth = 0; depth < 7; depth++) assert_int_equal(is_lit_at(depth, 2), depth < 4);
  assert_false(is_lit_at(1, 130));
  assert_false(is_lit_at(2, 100));
}

/* Filtered to one path: a cell for its calls, in which each of them is found; a key gives each its own, and takes it. */
static void test_chains_share_a_cell(void **state)
{
  (void)state;
  ui_take_filter(&ui, "Price#total");
  ui.stale = true;
  model_redraw(&ui);
  assert_true(shows("chain of 6: Puma::ThreadPool#spawn_thread > block in Price#total"));
  size_t depths = view()->icicle.depths;
  model_press(&ui, '*');
  assert_true(!shows("chain of") && shows("▎OrdersController#index"));
  assert_true(view()->icicle.depths > depths);
  model_press(&ui, '*');
  assert_true(shows("chain of 6: "));
  model_press(&ui, 'g');
  model_press(&ui, KEY_DOWN | KEY_FUNCTION);
  assert_string_equal(rtop_symbols_get(rtop_profile_symbols(profile), ui.selected)->label, "block in Price#total");
  model_type(&ui, "g/Serializer\r");
  assert_int_equal(ui.match_count, 1);
}

/* A window without the call that is chosen or zoomed to: they are there again with the next one that has it. */
static void test_choice_and_zoom_outlast_a_window(void **state)
{
  (void)state;
  model_press(&ui, 'g');
  for (int depth = 0; depth < 3; depth++) model_press(&ui, KEY_DOWN | KEY_FUNCTION);
  uint32_t chosen = view()->node;
  assert_true(chosen != 0);
  uint64_t length_ns = ui.sum.length_ns;
  rtop_tree_build(&ui.tree, &(struct rtop_sum){ .length_ns = length_ns }, rtop_profile_symbols(profile), &ui.wanted,
                  ui.fold);
  icicle_view_rebuild(&ui);
  assert_int_equal(view()->node, 0);
  ui.stale = true;
  model_redraw(&ui);
  assert_int_equal(view()->node, chosen);
  model_type(&ui, "\r\r");
  assert_int_equal(view()->root, chosen);
  rtop_tree_build(&ui.tree, &(struct rtop_sum){ .length_ns = length_ns }, rtop_profile_symbols(profile), &ui.wanted,
                  ui.fold);
  icicle_view_rebuild(&ui);
  ui_draw(&ui);
  assert_true(shows("not in this span (Esc zooms out): OrdersController#index"));
  ui.stale = true;
  model_redraw(&ui);
  assert_int_equal(view()->root, chosen);
  assert_int_equal(view()->node, chosen);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    ON_CASE(&tall, set_up_case, test_clicks_in_every_row_of_a_cell),
    ON_CASE(&middle, set_up_case, test_clicks_in_every_row_of_a_cell),
    ON_CASE(&tall, set_up_case, test_click_beside),
    ON_CASE(&tall, set_up_case, test_cursor_walks_from_cell_to_cell),
    ON_CASE(&tall, set_up_case, test_chains_share_a_cell),
    ON_CASE(&tall, set_up_case, test_high_cells_tell_total_and_self),
    ON_CASE(&tall, set_up_case, test_same_cells_keep_both_edges),
    ON_CASE(&low, set_up_case, test_same_cells_keep_both_edges),
    ON_CASE(&middle, set_up_case, test_two_rows_tell_total_and_self),
    ON_CASE(&low, set_up_case, test_depths_out_of_sight_are_told),
    ON_CASE(&tall, set_up_case, test_depths_are_told_in_words),
    ON_CASE(&tall, set_up_case, test_height_does_not_jump),
    ON_CASE(&tall, set_up_case, test_resize),
    ON_CASE(&tall, set_up_case, test_cells_are_whole),
    ON_CASE(&tall, set_up_case, test_one_key_changes_the_colour),
    ON_CASE(&tall, set_up_case, test_the_way_to_the_cursor_is_lit),
    ON_CASE(&tall, set_up_case, test_choice_and_zoom_outlast_a_window),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
