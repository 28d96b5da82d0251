/* The menu of a row: what each view offers for what stands under its cursor, and that Enter opens it everywhere. */
#include "tests/tui/screen_fixture.h"
#include "tui/ui/ui_row_menu.h"
#include "tui/views/view_icicle.h"
#include "tui/views/view_methods.h"
#include "tui/views/view_skyline.h"
#include "tui/views/view_tree.h"

/* "o open|c callers": the letters and labels of the menu that is open. */
static const char *entries(void)
{
  static char text[1024];
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < ui.ask.menu.count; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%c %s", i > 0 ? "|" : "", ui.ask.menu.item[i].letter,
                             ui.ask.menu.item[i].label);
  return text;
}

static void expect_menu(const char *title, const char *wanted)
{
  if (!ui.ask.menu.open) fail_msg("no menu: %s", ui.message);
  if (strncmp(ui.ask.menu.title, title, strlen(title)) != 0) fail_msg("%s, not %s", ui.ask.menu.title, title);
  if (strstr(entries(), wanted) == NULL) fail_msg("%s\nis not in\n%s", wanted, entries());
}

#define OF_A_METHOD "f filter: only this|e exclude it|y copy its name"

static void in_view(const char *view)
{
  model_type(&ui, "/index\r");
  model_press(&ui, 27);
  model_type(&ui, view);
  model_press(&ui, '\r');
}

/* Letters are told apart, Esc leaves everything as it was, and all that is asked for of every row is there. */
static void test_every_view_has_it(void **state)
{
  static const int keys[] = { '\r', ';' };
  (void)state;
  for (int view = 0; view < VIEW_DATA_COUNT; view++) {
    for (int key = 0; key < 2; key++) {
      model_press(&ui, keys_view_key((enum view_id)view));
      model_press(&ui, keys[key]);
      expect_menu("", "x export ...");
      assert_non_null(strstr(entries(), "p trace for Perfetto ..."));
      assert_non_null(strstr(entries(), "y copy its name"));
      for (int i = 0; i < ui.ask.menu.count; i++)
        for (int j = 0; j < i; j++) assert_int_not_equal(ui.ask.menu.item[i].letter, ui.ask.menu.item[j].letter);
      model_press(&ui, 27);
      assert_true(!ui.ask.menu.open && (int)ui.view->id == view);
    }
  }
}

static void test_methods(void **state)
{
  (void)state;
  in_view("1");
  expect_menu("OrdersController#index", "D details|s source|c callers|t tree here|" OF_A_METHOD);
}

static void test_tree(void **state)
{
  const struct tree_view *view = ui.data[VIEW_TREE];
  (void)state;
  in_view("2");
  expect_menu("OrdersController#index", "o close|s source|c callers|" OF_A_METHOD); /* the tree is here */
  size_t rows = view->trees[0].count;
  model_press(&ui, '\r');
  assert_true(view->trees[0].count < rows);
  model_press(&ui, '\r');
  expect_menu("OrdersController#index", "o open|");
  model_press(&ui, 'c');
  assert_true(view->callers);
  assert_true(view->trees[1].rows[view->at.pager.cursor].open); /* they are seen */
  model_press(&ui, ';');
  expect_menu("OrdersController#index", "s source|t tree here|");
}

static void test_groups(void **state)
{
  (void)state;
  in_view("8");
  expect_menu("OrdersController#index", "o open|s source|c callers|t tree here|" OF_A_METHOD);
  model_press(&ui, 27);
  model_type(&ui, "g/Queue\r\r");
  expect_menu("Queue#pop", "o go to its group|c callers|");
  model_press(&ui, 'o');
  assert_true(shows("> 190.0"));
}

static void test_threads(void **state)
{
  (void)state;
  model_type(&ui, "3/tp 002\r");
  model_press(&ui, 27);
  model_press(&ui, '\r');
  expect_menu("puma srv tp 002", "= only this thread, in all views|c add it to those chosen|k its stack|"
                                 "t tree of this thread|s source of what it is in|y copy its name");
  model_press(&ui, 't');
  assert_true(ui.view->id == VIEW_TREE && ui.focus.count == 1 && shows("thread: puma srv tp 002"));
  assert_false(shows("Queue#pop"));
  model_type(&ui, "3\r");
  expect_menu("puma srv tp 002", "= all threads again|c take it from those chosen|k hide its stack|s source");
  model_press(&ui, '\r');
  assert_int_equal(ui.focus.count, 0);
  model_type(&ui, "\rs");
  assert_int_equal(ui.view->id, VIEW_SOURCE);
  assert_string_equal(rtop_symbols_get(rtop_profile_symbols(profile), ui.selected)->label, "block in Price#total");
  model_type(&ui, "3\ry");
  assert_non_null(strstr(ui.message, "copied puma srv tp 002"));
}

static void test_icicle(void **state)
{
  const struct icicle_view *view = ui.data[VIEW_ICICLE];
  (void)state;
  in_view("4");
  expect_menu("OrdersController#index", "z zoom in|= highlight its calls|s source|");
  model_press(&ui, '\r');
  assert_int_equal(view->zooms, 1);
  model_press(&ui, '\r');
  expect_menu("OrdersController#index", "b zoom out|= highlight its calls|");
  model_press(&ui, '\r');
  assert_int_equal(view->zooms, 0);
  model_press(&ui, '+'); /* the same with one key */
  assert_int_equal(view->zooms, 1);
  model_press(&ui, 27);
  model_press(&ui, KEY_HOME | KEY_FUNCTION);
  model_press(&ui, '\r');
  assert_false(ui.ask.menu.open); /* on the cell of all */
  assert_non_null(strstr(ui.message, "no method is selected"));
}

static void test_skyline(void **state)
{
  const struct skyline_view *view = ui.data[VIEW_SKYLINE];
  (void)state;
  in_view("6");
  expect_menu("OrdersController#index", "u fold its block|* methods, classes or packages|s source|");
  model_press(&ui, '\r');
  model_press(&ui, ';');
  expect_menu("OrdersController", "u unfold its block|* methods, classes or packages|y copy its name");
  assert_null(strstr(entries(), "filter")); /* a package is no method */
  model_press(&ui, 'y');
  assert_non_null(strstr(ui.message, "copied OrdersController"));
  assert_non_null(skyline_view_selected(view));
}

static void test_time(void **state)
{
  (void)state;
  in_view("7");
  expect_menu("OrdersController#index", "D details|s source|");
}

static void test_row_off_the_gvl(void **state)
{
  const struct methods_view *view = ui.data[VIEW_METHODS];
  (void)state;
  model_type(&ui, "CCG");
  assert_true(methods_view_is_off(view, view->pager.cursor));
  model_press(&ui, ';');
  expect_menu("off the GVL", "o open|y copy");
  model_press(&ui, '\r');
  assert_true(view->off.open);
}

/* The cursor at the top keeps its place, not its method; the menu keeps the method that it names. */
static void test_acts_on_what_it_names(void **state)
{
  char named[64];
  (void)state;
  model_press(&ui, ';');
  snprintf(named, sizeof named, "%s", ui.ask.menu.title);
  for (int i = 0; i < 20; i++) model_add_window(profile, MODEL_END_NS + i * INT64_C(100000000), "Zebra#gallop");
  ui.now_ns += 2500000000;
  ui.now_real_ns += 2500000000;
  ui.stale = true;
  model_redraw(&ui);
  assert_string_not_equal(named, "Zebra#gallop");
  const struct rtop_method_row *top = methods_view_row(&ui, 0);
  assert_string_equal(rtop_symbols_get(rtop_profile_symbols(profile), top->frame)->label, "Zebra#gallop");
  model_press(&ui, 'y');
  char wanted[96];
  snprintf(wanted, sizeof wanted, "copied %s", named);
  assert_non_null(strstr(ui.message, wanted));
}

static void test_source(void **state)
{
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  static const char path[] = "tests/tui/sources/orders_controller.rb";
  (void)state;
  ui.selected = rtop_symbols_frame(symbols, "OrdersController#list", 21, path, sizeof path - 1, "OrdersController", 16,
                                   6, RTOP_SYMBOL_RUBY);
  model_press(&ui, '5');
  model_press(&ui, 'j');
  model_press(&ui, '\r');
  expect_menu("OrdersController#list", "E edit the line|. hottest line; again: next|c callers|t tree here|" OF_A_METHOD
                                       "|l copy the place of the line");
  uint32_t line = ui.ask.row_line;
  assert_true(line > 1);
  model_press(&ui, 'l');
  char wanted[128];
  snprintf(wanted, sizeof wanted, "orders_controller.rb:%u", line);
  assert_non_null(strstr(ui.message, wanted));
  model_type(&ui, "\r\r");
  assert_true(ui.wish.edit.wanted && ui.wish.edit.line == line);
}

static void test_trace(void **state)
{
  (void)state;
  model_type(&ui, "\rp");
  assert_int_equal(ui.ask.prompting, UI_PROMPT_COMMAND);
  assert_string_equal(ui.ask.prompt.text, "export trace ");
}

/* What it was opened for belongs to the process that was watched. */
static void test_closes_with_the_target(void **state)
{
  (void)state;
  model_type(&ui, "3\r");
  assert_true(ui.ask.menu.open);
  rtop_profile_destroy(&profile);
  profile = rtop_profile_create(1 << 20);
  ui_watch(&ui, profile);
  assert_false(ui.ask.menu.open);
  for (int view = 0; view < VIEW_DATA_COUNT; view++) {
    model_press(&ui, keys_view_key((enum view_id)view));
    model_press(&ui, '\r');
    if (ui.ask.menu.open) fail_msg("%s: %s", keys_view_name((enum view_id)view), ui.ask.menu.title);
  }
}

#define IN(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
    IN(test_every_view_has_it),
    IN(test_methods),
    IN(test_tree),
    IN(test_groups),
    IN(test_threads),
    IN(test_icicle),
    IN(test_skyline),
    IN(test_time),
    IN(test_row_off_the_gvl),
    IN(test_acts_on_what_it_names),
    IN(test_source),
    IN(test_trace),
    IN(test_closes_with_the_target),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
