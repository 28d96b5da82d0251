/* What clicks and the wheel do, in every view. */
#include "tests/tui/screen_fixture.h"
#include "tui/term/mouse.h"
#include "tui/views/view_skyline.h"

static void act(enum mouse_action action, int y, int x)
{
  ui_mouse(&ui, &(struct mouse_event){ action, y, x });
  model_redraw(&ui);
}

/* The line of the screen that starts with the cursor's sign. */
static bool selected_has(const char *needle)
{
  char *text = model_screen_text(), *row = strstr(text, "\n>");
  char *end = row != NULL ? strchr(row + 1, '\n') : NULL;
  bool found = false;
  if (end != NULL) {
    *end = '\0';
    found = strstr(row, needle) != NULL;
  }
  free(text);
  return found;
}

/* Where a text stands on the screen. */
static void find(const char *needle, int *y, int *x)
{
  char *text = model_screen_text(), *at = text;
  *y = *x = -1;
  for (int row = 0; at != NULL && *at != '\0'; row++) {
    char *end = strchr(at, '\n');
    *end = '\0';
    char *hit = strstr(at, needle);
    if (hit != NULL) {
      *y = row;
      *x = (int)(hit - at);
      break;
    }
    at = end + 1;
  }
  free(text);
  assert_true(*y >= 0);
}

static void click_on(const char *needle)
{
  int y, x;
  find(needle, &y, &x);
  act(MOUSE_PRESS, y, x);
}

/* Twice within a moment on the same place: the menu of the row. */
static void test_double_click(void **state)
{
  (void)state;
  click_on("String#gsub");
  ui.now_ns += 1000000000;
  click_on("String#gsub");
  assert_false(ui.ask.menu.open);
  ui.now_ns += 100000000;
  click_on("String#gsub");
  assert_true(ui.ask.menu.open && ui.ask.menu_for == UI_MENU_ROW);
}

static void test_tabs(void **state)
{
  (void)state;
  click_on("3Threads");
  assert_int_equal(ui.view->id, VIEW_THREADS);
  click_on("6Skyline");
  assert_int_equal(ui.view->id, VIEW_SKYLINE);
  click_on("1Methods");
  assert_int_equal(ui.view->id, VIEW_METHODS);
}

static void test_rows(void **state)
{
  (void)state;
  click_on("String#gsub");
  assert_true(selected_has("String#gsub"));
  const char *views = "28";
  for (; *views != '\0'; views++) {
    model_press(&ui, *views);
    click_on("OrdersController#index");
    assert_true(selected_has("OrdersController#index"));
  }
  model_press(&ui, '3');
  click_on("reactor");
  assert_true(selected_has("reactor"));
  act(MOUSE_PRESS, 20, 5); /* below the last row: nothing is there */
  assert_true(selected_has("reactor"));
}

static void test_heading_sorts(void **state)
{
  (void)state;
  click_on("TOTAL%");
  assert_int_equal(ui.wanted.sort, RTOP_SORT_TOTAL);
  assert_false(ui.wanted.reverse);
  click_on("TOTAL%v");
  assert_true(ui.wanted.reverse);
  click_on("ALLOC/s");
  assert_true(ui.wanted.sort == RTOP_SORT_ALLOC && !ui.wanted.reverse);
}

static void test_footer_and_menu(void **state)
{
  int y, x;
  (void)state;
  click_on("F6Sort");
  assert_true(ui.ask.menu.open);
  click_on("TOTAL%     ");
  assert_true(!ui.ask.menu.open && ui.wanted.sort == RTOP_SORT_TOTAL);
  click_on("F6Sort");
  find("LOCATION", &y, &x);
  act(MOUSE_PRESS, y + 3, 98); /* beside it */
  assert_false(ui.ask.menu.open);
  click_on("F1Help");
  assert_int_equal(ui.view->id, VIEW_HELP);
  click_on("F10Quit");
  assert_int_equal(ui.view->id, VIEW_METHODS);
  click_on("F10Quit");
  assert_true(ui.wish.quit);
}

static void test_wheel(void **state)
{
  (void)state;
  assert_true(selected_has("Queue#pop"));
  act(MOUSE_WHEEL_DOWN, 12, 30);
  assert_false(selected_has("Queue#pop"));
  act(MOUSE_WHEEL_UP, 12, 30);
  assert_true(selected_has("Queue#pop"));
  model_press(&ui, '/');
  act(MOUSE_WHEEL_DOWN, 12, 30); /* not while something is typed */
  act(MOUSE_PRESS, 12, 30);
  model_press(&ui, 27);
  assert_true(selected_has("Queue#pop"));
}

static void test_cells_and_buildings(void **state)
{
  (void)state;
  model_press(&ui, '4');
  click_on("▎Puma::Server#process_client");
  assert_true(selected_has("Puma::Server#process_client"));
  model_press(&ui, '6');
  const struct skyline_view *view = ui.data[VIEW_SKYLINE];
  const struct city *city = &view->city;
  struct rect table = ui.layout.part[PART_TABLE];
  int top = table.y + skyline_view_top(&ui);
  for (uint32_t i = 0; i < city->street_count; i++) {
    const struct city_building *building = &city->buildings[city->street[i]];
    int street = city->blocks[building->block].street;
    for (int row = 0; row < city->street_rows; row++) { /* from the sky to the ground */
      model_press(&ui, i > 0 ? 'g' : 'G');
      act(MOUSE_PRESS, top + street * city->street_rows + row, table.x + building->x + row % city->bar);
      assert_int_equal(view->selected, i);
    }
  }
}

/* Anywhere, at any size, in every view: the screen stays whole, and afterwards a click still selects. */
static void test_anywhere(void **state)
{
  unsigned seed = 11;
  (void)state;
  for (int round = 0; round < 4000; round++) {
    if (round % 50 == 0) {
      resizeterm(1 + rand_r(&seed) % 60, 1 + rand_r(&seed) % 200);
      ui.stale = true;
      model_redraw(&ui);
    }
    if (rand_r(&seed) % 9 == 0) model_press(&ui, "12345678Sfs?\033\033t"[rand_r(&seed) % 15]);
    enum mouse_action action = (enum mouse_action)(rand_r(&seed) % 4);
    act(action, rand_r(&seed) % 70 - 5, rand_r(&seed) % 220 - 10);
    ui.wish.quit = ui.wish.suspend = false;
    if (round % 10 == 0) check_drawn_afresh(&ui);
  }
  resizeterm(24, 100);
  for (int i = 0; i < 5; i++) model_press(&ui, 27); /* prompts, menus, choices */
  model_type(&ui, "1Pg");
  click_on("String#gsub");
  assert_int_equal(ui.view->id, VIEW_METHODS);
  assert_true(selected_has("String#gsub"));
  check_drawn_afresh(&ui);
}

/* From the terminal's queue of events to an action. */
static void test_events_of_curses(void **state)
{
  (void)state;
  mouse_use(true);
  MEVENT event = { .x = 7, .y = 9, .bstate = BUTTON1_PRESSED };
  assert_int_equal(ungetmouse(&event), OK);
  struct mouse_event taken = mouse_take();
  assert_true(taken.action == MOUSE_PRESS && taken.y == 9 && taken.x == 7);
  event.bstate = BUTTON5_PRESSED;
  ungetmouse(&event);
  assert_int_equal(mouse_take().action, MOUSE_WHEEL_DOWN);
  event.bstate = BUTTON4_PRESSED;
  ungetmouse(&event);
  assert_int_equal(mouse_take().action, MOUSE_WHEEL_UP);
  event.bstate = BUTTON3_PRESSED;
  ungetmouse(&event);
  assert_int_equal(mouse_take().action, MOUSE_NOTHING);
  mouse_use(false);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_tabs, set_up_wide, tear_down),
    cmocka_unit_test_setup_teardown(test_rows, set_up_wide, tear_down),
    cmocka_unit_test_setup_teardown(test_double_click, set_up_wide, tear_down),
    cmocka_unit_test_setup_teardown(test_heading_sorts, set_up_wide, tear_down),
    cmocka_unit_test_setup_teardown(test_footer_and_menu, set_up_wide, tear_down),
    cmocka_unit_test_setup_teardown(test_wheel, set_up_wide, tear_down),
    cmocka_unit_test_setup_teardown(test_cells_and_buildings, set_up_wide, tear_down),
    cmocka_unit_test_setup_teardown(test_anywhere, set_up_wide, tear_down),
    cmocka_unit_test_setup_teardown(test_events_of_curses, set_up_wide, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
