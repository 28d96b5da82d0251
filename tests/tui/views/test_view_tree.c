/* How the views that draw the tree behave: what opens, where the cursor goes, what stays selected. */
#include "tests/tui/screen_fixture.h"
#include "tui/views/view_groups.h"
#include "tui/views/view_icicle.h"
#include "tui/views/view_tree.h"

/* The row under the terminal's cursor. */
static bool cursor_row_has(const char *text)
{
  int cursor_y = getcury(stdscr), cursor_x = getcurx(stdscr);
  char *screen = model_screen_text(), *line = screen;
  move(cursor_y, cursor_x); /* reading the screen moves it */
  for (int y = cursor_y; y > 0; y--) line = strchr(line, '\n') + 1;
  *strchr(line, '\n') = '\0';
  bool has = line[0] == '>' && strstr(line, text) != NULL;
  free(screen);
  return has;
}

static const char *selected(void)
{
  return rtop_symbols_get(rtop_profile_symbols(profile), ui.selected)->label;
}

static struct icicle_view *icicle(void)
{
  return ui.data[VIEW_ICICLE];
}

static void later(void)
{
  ui.stale = true;
  model_redraw(&ui);
}

static void test_the_selected_method_goes_along(void **state)
{
  (void)state;
  model_type(&ui, "/gsub\r");
  assert_string_equal(selected(), "String#gsub");
  model_press(&ui, '2');
  assert_true(cursor_row_has("String#gsub"));
  model_press(&ui, 27); /* ends the search */
  model_press(&ui, FN(KEY_UP));
  assert_string_equal(selected(), "ActionView::Template#render");
  model_press(&ui, '4');
  assert_int_equal(ui.tree.nodes[icicle()->node].frame, ui.selected);
  assert_true(shows("> ActionView::Template#render"));
  model_press(&ui, '8');
  assert_true(cursor_row_has("ActionView::Template#render"));
  model_press(&ui, '1');
  assert_true(cursor_row_has("Template#render"));
  model_press(&ui, '2');
  model_press(&ui, 'i');
  assert_true(cursor_row_has("ActionView::Template#render"));
  assert_string_equal(selected(), "ActionView::Template#render");
}

static void test_a_method_that_rests_stays_selected(void **state)
{
  (void)state;
  model_type(&ui, "/gsub\r2");
  for (int i = 0; i < 12; i++) model_add_window(profile, MODEL_END_NS + i * INT64_C(100000000), "Somebody#else");
  later();
  assert_true(shows("Somebody#else"));
  assert_string_equal(selected(), "String#gsub");
  model_press(&ui, '4');
  assert_string_equal(selected(), "String#gsub");
}

static void test_tree_opens_and_closes(void **state)
{
  (void)state;
  model_type(&ui, "2g");
  assert_true(cursor_row_has("[-] * Puma::ThreadPool#spawn_thread"));
  model_press(&ui, '-');
  assert_true(cursor_row_has("[+] * Puma::ThreadPool#spawn_t"));
  assert_true(cursor_row_has("(16 below)"));
  assert_false(shows("OrdersController#index"));
  later();
  assert_true(cursor_row_has("[+]")); /* also with the next sum */
  model_press(&ui, FN(KEY_RIGHT));
  assert_true(cursor_row_has("[-]"));
  model_press(&ui, FN(KEY_RIGHT));
  assert_true(cursor_row_has("Puma::Server#process_client"));
  model_press(&ui, FN(KEY_LEFT));
  assert_true(cursor_row_has("[+]"));
  model_press(&ui, FN(KEY_LEFT));
  assert_true(cursor_row_has("Puma::ThreadPool#spawn_thread"));
  model_type(&ui, "\r\r");
  assert_true(cursor_row_has("[+]"));
  model_press(&ui, '*');
  assert_true(shows("block in Price#total"));
  model_press(&ui, 'E');
  assert_true(shows("Array#map  (1 below)"));
}

/* Filtered to one path: a row, that a key opens and another choice of levels closes; what is searched for in it is found. */
static void test_chains_open(void **state)
{
  (void)state;
  ui_take_filter(&ui, "Price#total");
  model_press(&ui, '2');
  later();
  model_press(&ui, 'g');
  assert_true(cursor_row_has("chain of 6: ") && cursor_row_has("block in Price#total"));
  model_press(&ui, FN(KEY_RIGHT));
  assert_true(cursor_row_has("[-] Puma::ThreadPool#spawn_thread"));
  assert_true(shows("OrdersController#index") && !shows("chain of"));
  later();
  assert_true(shows("OrdersController#index")); /* also with the next sum */
  model_press(&ui, 'v');
  model_press(&ui, 'V');
  model_press(&ui, 'g');
  assert_true(shows("chain of "));
  model_type(&ui, "/Serializer\r");
  assert_int_equal(ui.match_count, 1);
}

static void test_search_opens_what_is_closed(void **state)
{
  (void)state;
  model_type(&ui, "2((((g");
  assert_false(shows("Price#total"));
  model_type(&ui, "/Price\r");
  assert_true(cursor_row_has("block in Price#total"));
  assert_int_equal(ui.match_count, 1);
  assert_int_equal(ui.match_at, 1);
}

static void test_sort_and_units_hold_here_too(void **state)
{
  (void)state;
  model_type(&ui, "2N");
  assert_true(shows("(by name)"));
  model_type(&ui, "%");
  assert_true(shows("4.00s"));
  model_press(&ui, 's');
  assert_true(shows("Sort by"));
}

static void test_icicle_moves_and_zooms(void **state)
{
  (void)state;
  model_type(&ui, "/index\r");
  model_press(&ui, '4');
  uint32_t index = icicle()->node;
  model_press(&ui, FN(KEY_DOWN));
  assert_string_equal(selected(), "Serializer::Order#as_json");
  model_press(&ui, FN(KEY_RIGHT));
  assert_string_equal(selected(), "ActiveRecord::Relation#exec_queries");
  model_press(&ui, FN(KEY_LEFT));
  model_press(&ui, FN(KEY_UP));
  assert_int_equal(icicle()->node, index);
  model_type(&ui, "\r\r");
  assert_true(shows("▎OrdersController#index\n") && shows("▎135.6%  self 5.0%  "));
  assert_int_equal(icicle()->icicle.cells[0].node, index);
  later();
  assert_int_equal(icicle()->icicle.cells[0].node, index);
  model_press(&ui, 27);
  assert_true(shows("▎all 600%"));
  assert_true(ui.search[0] != '\0'); /* Esc took one step only */
  model_press(&ui, 27);
  assert_true(ui.search[0] == '\0');
}

static void test_icicle_measures_what_is_highlighted(void **state)
{
  (void)state;
  model_type(&ui, "4/Order\r");
  assert_int_equal(icicle()->hits, 2); /* one of them below the other */
  assert_int_equal(icicle()->hit_ns / 1000000, 1356);
  model_type(&ui, "/Queue\r=");
  assert_int_equal(icicle()->hit_ns / 1000000, 1900);
  assert_true(shows("=Queue#pop"));
}

static void test_icicle_at_every_width(void **state)
{
  (void)state;
  model_press(&ui, '4');
  for (int columns = 1; columns < 200; columns += 7) {
    resize_term(columns % 3 == 0 ? 24 : 9, columns);
    ui_draw(&ui);
    for (size_t i = 0; i < icicle()->icicle.count; i++) {
      const struct rtop_icicle_cell *cell = &icicle()->icicle.cells[i];
      assert_true(ui.layout.tiny || cell->x + cell->columns <= columns);
    }
  }
}

static void test_groups_jump_and_return(void **state)
{
  (void)state;
  struct groups_view *view = ui.data[VIEW_GROUPS];
  model_type(&ui, "8g/Queue\r");
  assert_true(cursor_row_has("Queue#pop"));
  assert_true(view->groups.rows[view->at.pager.cursor].reference);
  size_t from = view->at.pager.cursor;
  model_type(&ui, "\r\r");
  assert_true(cursor_row_has("Queue#pop  (2 callers)"));
  model_press(&ui, 27);
  assert_int_equal(view->at.pager.cursor, from);
  assert_true(ui.search[0] != '\0');
  model_press(&ui, 27);
  assert_true(ui.search[0] == '\0');
}

static void test_groups_open_what_is_searched(void **state)
{
  (void)state;
  struct groups_view *view = ui.data[VIEW_GROUPS];
  model_type(&ui, "8g");
  for (size_t rows = 0; rows != view->groups.count;) { /* closes every group */
    rows = view->groups.count;
    model_type(&ui, "-j");
  }
  assert_false(shows("Cookie#load"));
  model_type(&ui, "/Cookie\r");
  assert_true(cursor_row_has("Rack::Session::Cookie#load"));
  assert_int_equal(ui.match_count, 1);
  assert_int_equal(ui.match_at, 1);
  model_type(&ui, "VVVVVV/Cookie\r"); /* hidden: there is no place to go to */
  assert_int_equal(ui.match_count, 0);
  assert_false(shows("Cookie#load"));
  later();
  model_type(&ui, "vvvvvvn");
  assert_true(cursor_row_has("Rack::Session::Cookie#load"));
}

/* A filter takes stacks, which a live sum does not know; without it everything is there again. */
static void test_groups_of_a_filter(void **state)
{
  (void)state;
  struct groups_view *view = ui.data[VIEW_GROUPS];
  model_type(&ui, "8g");
  size_t all = view->groups.group_count;
  assert_true(shows("Queue#pop"));
  model_type(&ui, "\\Cookie\r");
  later();
  assert_true(view->groups.group_count < all);
  assert_false(shows("Queue#pop"));
  assert_true(shows("Cookie#load"));
  model_press(&ui, 27);
  later();
  assert_int_equal(view->groups.group_count, all);
  assert_true(shows("Queue#pop"));
}

/* A key between a window and the next update: rows are those of the last update. */
static void test_groups_between_updates(void **state)
{
  (void)state;
  struct groups_view *view = ui.data[VIEW_GROUPS];
  model_type(&ui, "8g");
  size_t count = view->groups.count;
  struct rtop_lens_look lens = { .no_c = true };
  model_add_window(profile, MODEL_END_NS, "Somebody#else");
  assert_true(rtop_lens_set(rtop_profile_lens(profile), &lens));
  model_type(&ui, "-+");
  assert_int_equal(view->groups.count, count);
  later();
  assert_true(shows("Somebody#else"));
}

static void test_views_go_round(void **state)
{
  (void)state;
  const struct view_ops *first = ui.view;
  int count = 0;
  do {
    model_press(&ui, '\t');
    count++;
  } while (ui.view != first && count < 20);
  assert_true(count >= 4 && count < 20);
  model_press(&ui, FN(KEY_BTAB));
  assert_int_equal(ui.view->id, VIEW_LABELS);
  model_press(&ui, 't');
  assert_int_equal(ui.view->id, VIEW_TREE);
  model_press(&ui, FN(KEY_F(5)));
  assert_int_equal(ui.view->id, VIEW_METHODS);
}

/* Another target: nothing of the last one may be touched any more. */
static void test_another_target(void **state)
{
  (void)state;
  model_type(&ui, "2*");
  model_type(&ui, "8E");
  model_type(&ui, "4\r");
  rtop_profile_destroy(&profile);
  profile = rtop_profile_create(1 << 20);
  ui_watch(&ui, profile);
  for (const char *key = "248"; *key != '\0'; key++) {
    model_press(&ui, *key);
    later();
    assert_true(shows("waiting for the process"));
    model_type(&ui, "jkgG\r=*E+-()iu/x\r\033");
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_the_selected_method_goes_along, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_a_method_that_rests_stays_selected, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_tree_opens_and_closes, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_chains_open, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_search_opens_what_is_closed, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_sort_and_units_hold_here_too, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_icicle_moves_and_zooms, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_icicle_measures_what_is_highlighted, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_icicle_at_every_width, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_groups_jump_and_return, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_groups_open_what_is_searched, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_groups_of_a_filter, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_groups_between_updates, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_views_go_round, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_another_target, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
