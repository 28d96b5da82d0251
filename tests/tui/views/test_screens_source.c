/* The source view: golden screens over a file of the tests, and what its keys do. */
#include "shm/window/window.h"
#include "tests/tui/screen_fixture.h"
#include "tui/views/view_methods.h"
#include "tui/views/view_source.h"
#include <unistd.h>

enum { WINDOW_NS = 100000000, WINDOWS = 20 };
static const char controller[] = "tests/tui/sources/orders_controller.rb";

static const struct screen_case cases[] = {
  { .name = "source-80x24", .rows = 24, .columns = 80, .keys = KEYS('5') },
  { .name = "source-80x24-color", .rows = 24, .columns = 80, .attributes = true, .keys = KEYS('5') },
  { .name = "source-80x24-mono", .rows = 24, .columns = 80, .mono = true, .attributes = true, .keys = KEYS('5') },
  { .name = "source-80x24-ascii", .rows = 24, .columns = 80, .ascii = true, .keys = KEYS('5') },
  { .name = "source-80x24-c-locale", .rows = 24, .columns = 80, .c_locale = true, .keys = KEYS('5') },
  { .name = "source-160x50", .rows = 50, .columns = 160, .keys = KEYS('5') },
  { .name = "source-160x50-ascii", .rows = 50, .columns = 160, .ascii = true, .keys = KEYS('5') },
  { .name = "source-40x10", .rows = 10, .columns = 40, .keys = KEYS('5') },
  { .name = "source-20x5", .rows = 5, .columns = 20, .keys = KEYS('5') },
  { .name = "source-19x4", .rows = 4, .columns = 19, .keys = KEYS('5') },
  { .name = "source-search",
    .rows = 24,
    .columns = 80,
    .attributes = true,
    .keys = KEYS('5', '/', 'o', 'r', 'd', 'e', 'r', '\r') },
  { .name = "source-times", .rows = 24, .columns = 80, .keys = KEYS('%', '5', '.', FN(KEY_RIGHT)) },
  { .name = "source-c-method", .rows = 24, .columns = 80, .keys = KEYS('/', 'g', 'e', 'n', 'e', 'r', '\r', '5') },
  { .name = "methods-lines-160x50", .rows = 50, .columns = 160, .keys = KEYS('g') },
  { .name = "methods-lines-160x50-color-attributes",
    .rows = 50,
    .columns = 160,
    .attributes = true,
    .keys = KEYS('g') },
  { .name = "methods-lines-160x50-mono-ascii",
    .rows = 50,
    .columns = 160,
    .mono = true,
    .ascii = true,
    .keys = KEYS('g') },
  { .name = "methods-lists-160x50", .rows = 50, .columns = 160, .keys = KEYS('g', 'D') },
  { .name = "methods-lines-210x50", .rows = 50, .columns = 210, .keys = KEYS('g') },
  { .name = "source-no-file", .rows = 24, .columns = 80, .keys = KEYS('/', 't', 'a', 'x', '\r', '5') },
};

static uint32_t frame(struct rtop_symbols *symbols, const char *label, const char *path, uint32_t line)
{
  return rtop_symbols_frame(symbols, label, strlen(label), path, strlen(path), "", 0, line,
                            path[0] != '\0' ? RTOP_SYMBOL_RUBY : RTOP_SYMBOL_C);
}

static void add_cell(struct rtop_window *window, uint32_t node, uint32_t state, uint64_t per_mille)
{
  struct rtop_cell *cell = rtop_window_add_cell(window);
  *cell = (struct rtop_cell){ .node = node,
                              .state = state,
                              .samples = 1,
                              .wall_ns = per_mille * (WINDOW_NS / 1000),
                              .cpu_ns = per_mille * 1000,
                              .allocations = per_mille };
}

static uint32_t label_set(struct rtop_symbols *symbols, const char *text)
{
  uint32_t set = rtop_symbols_frame(symbols, text, strlen(text), "", 0, "(labels)", 8, 0, RTOP_SYMBOL_SPECIAL);
  return rtop_symbols_node(symbols, 0, set, 0);
}

/* index calls a query (line 7), a total (line 10) and the generator (line 12); it may be labelled there. */
static struct rtop_profile *make_profile(bool labelled)
{
  struct rtop_profile *made = rtop_profile_create(16 << 20);
  struct rtop_symbols *symbols = rtop_profile_symbols(made);
  struct rtop_window window = { 0 };
  uint32_t index = frame(symbols, "OrdersController#index", controller, 6), nodes[8];
  uint32_t json = labelled ? label_set(symbols, "endpoint=GET /orders") : 0;
  uint32_t csv = labelled ? label_set(symbols, "endpoint=GET /orders.csv,user=of a very long name") : 0;
  nodes[0] = rtop_symbols_node(symbols, json, index, 7);
  nodes[1] = rtop_symbols_node(symbols, 0, index, 8);
  nodes[2] = rtop_symbols_node(symbols, csv, index, 10);
  nodes[3] = rtop_symbols_node(symbols, 0, index, 12);
  nodes[4] = rtop_symbols_node(symbols, nodes[2], frame(symbols, "Price#tax", "/no/such/price.rb", 3), 4);
  nodes[5] = rtop_symbols_node(symbols, nodes[3], frame(symbols, "JSON::Generator#generate", "", 0), 0);
  nodes[6] = rtop_symbols_node(symbols, 0, frame(symbols, "OrdersController#show", controller, 16), 17);
  for (int64_t at = 0; at < WINDOWS; at++) {
    struct rtop_source_thread thread = { 1, "worker", 6, 77, true };
    uint32_t id = rtop_profile_thread(made, 0, &thread);
    rtop_window_reset(&window);
    window.start_mono_ns = MODEL_END_NS - (WINDOWS - at) * WINDOW_NS;
    window.end_mono_ns = window.start_mono_ns + WINDOW_NS;
    *rtop_window_add_thread(&window) = (struct rtop_window_thread){ .node = 5, .serial = 1 };
    add_cell(&window, 0, RTOP_RUNNING, 300);
    add_cell(&window, 0, RTOP_WAITING, 120);
    add_cell(&window, 1, RTOP_RUNNING, 4);
    add_cell(&window, 2, RTOP_RUNNING, 20);
    add_cell(&window, 4, RTOP_RUNNING, 40);
    add_cell(&window, 3, RTOP_RUNNING, 58);
    add_cell(&window, 5, RTOP_RUNNING, 170);
    add_cell(&window, 6, RTOP_BLOCKED, 3);
    assert_true(rtop_profile_add(made, 0, &window, nodes, 7, &id));
  }
  rtop_window_destroy(&window);
  return made;
}

static struct rtop_profile *source_profile(void)
{
  return make_profile(false);
}

/* The file is as old as the check-out; the process started later, or long before. Its pid is nobody's. */
static void open_source(const struct screen_case *at, bool older)
{
  struct screen_case start = *at;
  start.keys = NULL;
  open_case(&start, source_profile());
  ui.source.main.state = RTOP_FEED_ENDED;
  ui.source.main.code_real_ns = older ? 1 : INT64_MAX;
  if (older) ui.source.main.started_real_ns = 1;
  for (int *key = at->keys; key != NULL && *key != 0; key++) model_press(&ui, *key);
  model_redraw(&ui);
}

static void test_source_case(void **state)
{
  open_source(*state, false);
  close_and_check(*state);
}

static const struct screen_case plain = { .rows = 24, .columns = 80, .keys = KEYS('5') };

static int open_view(void **state)
{
  (void)state;
  open_source(&plain, false);
  return 0;
}

static int open_changed(void **state)
{
  (void)state;
  open_source(&plain, true);
  return 0;
}

static void test_keys(void **state)
{
  (void)state;
  assert_true(shows(">##########") && shows("(disk = loaded)"));
  assert_true(shows("7  ") && shows("@orders = Order.where"));
  model_press(&ui, '.');
  assert_true(shows("line 12: number 2 of 5 by time"));
  model_press(&ui, '.');
  assert_true(shows("line 10: number 3 of 5 by time"));
  model_press(&ui, ',');
  model_press(&ui, ',');
  assert_true(shows("line 7: number 1 of 5 by time"));
  model_press(&ui, ',');
  assert_true(shows("this is the hottest line"));
  model_press(&ui, 'e');
  assert_true(ui.wish.edit.wanted);
  assert_int_equal(ui.wish.edit.line, 7);
  assert_string_equal(ui.wish.edit.path, controller);
}

static void test_changed_file(void **state)
{
  (void)state;
  assert_true(shows("changed since the start: lines marked ?") && shows(" 7?"));
}

/* The method of one view is that of the others. */
static void test_selection_is_shared(void **state)
{
  (void)state;
  model_press(&ui, '1');
  model_type(&ui, "/tax\r");
  model_press(&ui, '5');
  assert_true(shows("/no/such/price.rb") && shows("no such file here"));
  model_press(&ui, 'e');
  assert_false(ui.wish.edit.wanted);
  model_press(&ui, 27); /* the search */
  model_press(&ui, '1');
  model_type(&ui, "/generate\r");
  model_press(&ui, '5');
  assert_true(shows("calls JSON::Generator#generate") && shows("orders_controller.rb"));
  model_press(&ui, '.');
  model_press(&ui, 'G');
  model_press(&ui, 'n');
  model_press(&ui, '6');
  assert_true(shows("> JSON::Generator#generate"));
}

/* Numbers of six digits are whole, whether the file is there or not. */
static void test_long_numbers(void **state)
{
  (void)state;
  struct source_view *view = ui.data[VIEW_SOURCE];
  char path[] = "/tmp/rtop-lines.XXXXXX";
  FILE *file = fdopen(mkstemp(path), "w");
  assert_non_null(file);
  for (int line = 0; line < 123456; line++) putc('\n', file);
  fclose(file);
  source_file_open(&view->file, 0, getuid(), path);
  unlink(path);
  assert_int_equal(view->file.line_count, 123456);
  view->pager.cursor = 123455;
  ui_draw(&ui);
  assert_true(shows(" 123456 ") && !shows("1234~"));
  source_file_open(&view->file, 0, getuid(), "/no/such/file.rb");
  view->heat.lines[0].line = 123457;
  view->pager.cursor = 0;
  ui_draw(&ui);
  assert_true(shows(" 123457") && !shows("1234~"));
}

/* Where it is the first view, it shows the method with a file that costs most. */
static void test_nothing_chosen(void **state)
{
  (void)state;
  ui.selected = 0;
  ui_open_view(&ui, VIEW_SOURCE);
  model_redraw(&ui);
  const struct rtop_symbol *symbol = rtop_symbols_get(rtop_profile_symbols(profile), ui.selected);
  assert_string_equal(symbol->label, "OrdersController#index");
}

/* On a wide screen the pane tells of the line under the cursor, not only of the method. */
static void test_what_a_line_calls(void **state)
{
  (void)state;
  const struct screen_case wide = { .rows = 50, .columns = 160, .keys = KEYS('5') };
  open_source(&wide, false);
  assert_true(shows("HOTTEST LINES IN FILE") && shows("     7   42.0  @orders"));
  assert_true(shows("CALLED FROM LINE 7\n") && !shows("Price#tax"));
  model_press(&ui, '.');
  assert_true(shows("CALLED FROM LINE 12") && shows("   17.0  JSON::Generator#generate"));
  model_press(&ui, '.');
  assert_true(shows("CALLED FROM LINE 10") && shows("    4.0  Price#tax"));
  assert_false(shows("JSON::Generator"));
}

/* The pane of the methods has the text of lines, and does not look at the file with every refresh. */
static void test_file_of_the_pane(void **state)
{
  (void)state;
  const struct screen_case wide = { .rows = 50, .columns = 160, .keys = KEYS('g') };
  open_source(&wide, false);
  struct methods_view *view = ui.data[VIEW_METHODS];
  assert_int_equal(view->file.state, SOURCE_READY);
  assert_true(shows("#######   @orders = Order."));
  view->file.line_count = 0;
  ui.now_ns += 999999999;
  ui.stale = true;
  model_redraw(&ui);
  assert_false(shows("@orders"));
  view->file.size++; /* as if it had changed */
  ui.now_ns++;
  ui.stale = true;
  model_redraw(&ui);
  assert_true(shows("#######   @orders = Order."));
  view->file.line_count = 0;
  view->file.size++;
  model_type(&ui, "/tax\r"); /* another file: at once */
  assert_true(view->file.state == SOURCE_MISSING && shows("line 4"));
  model_type(&ui, "/index\r");
  assert_true(shows("#######   @orders = Order."));
  model_type(&ui, "/generate\r");
  assert_int_equal(view->file.state, SOURCE_NONE);
}

/* The text of the method alone, or on a key all lists. */
static void test_text_or_lists(void **state)
{
  (void)state;
  const struct screen_case wide = { .rows = 50, .columns = 160, .keys = KEYS('g') };
  open_source(&wide, false);
  assert_true(shows(" LINE TOTAL% # own + called") && shows("    6                def index"));
  assert_true(shows("   12   22.8 #+++          render json:"));
  assert_true(shows("   13                end") && !shows("GET /orders/:id") && !shows("STATES of"));
  model_press(&ui, '%');
  assert_true(shows(" LINE  TOTAL # own + called") && shows("   12  228ms #+++"));
  model_press(&ui, 'D');
  assert_true(shows("LINES   self  total") && shows("STATES of its total") && !shows("def index"));
  model_press(&ui, 'D');
  assert_true(shows("def index"));
}

static const struct screen_case labelled = {
  .name = "methods-labels-160x50", .rows = 50, .columns = 160, .keys = KEYS('g')
};

static int open_labelled(void **state)
{
  (void)state;
  open_case(&labelled, make_profile(true));
  ui.source.main.code_real_ns = INT64_MAX;
  ui.source.main.state = RTOP_FEED_ENDED;
  model_redraw(&ui);
  return 0;
}

static void test_labels_of_the_pane(void **state)
{
  (void)state;
  struct methods_view *view = ui.data[VIEW_METHODS];
  assert_true(shows("endpoint=GET /orders                        59.0%"));
  model_type(&ui, "/generate\r"); /* only without labels: nothing to tell */
  assert_false(shows("LABELS"));
  model_type(&ui, "/index\r");
  assert_true(shows("LABELS of its total"));
  view->labels.count = 0; /* not with every refresh */
  ui.now_ns += 999999999;
  ui.stale = true;
  model_redraw(&ui);
  assert_false(shows("LABELS"));
  ui.now_ns++;
  ui.stale = true;
  model_redraw(&ui);
  assert_true(shows("LABELS"));
  view->labels.count = 0;
  model_press(&ui, 'C'); /* by CPU time: at once */
  assert_true(shows("LABELS"));
  view->labels.count = 0;
  model_press(&ui, 'z');
  assert_true(shows("LABELS"));
}

static void test_labels_golden(void **state)
{
  (void)state;
  close_and_check(&labelled);
}

/* Lines of a file that was changed since are marked. */
static void test_changed_file_of_the_pane(void **state)
{
  (void)state;
  const struct screen_case wide = { .rows = 50, .columns = 160, .keys = KEYS('g') };
  open_source(&wide, true);
  assert_true(shows("#######?  @orders = Order."));
}

int main(void)
{
  const struct CMUnitTest keys[] = {
    cmocka_unit_test_setup_teardown(test_keys, open_view, tear_down),
    cmocka_unit_test_setup_teardown(test_changed_file, open_changed, tear_down),
    cmocka_unit_test_setup_teardown(test_selection_is_shared, open_view, tear_down),
    cmocka_unit_test_setup_teardown(test_long_numbers, open_view, tear_down),
    cmocka_unit_test_setup_teardown(test_nothing_chosen, open_view, tear_down),
    cmocka_unit_test_teardown(test_what_a_line_calls, tear_down),
    cmocka_unit_test_teardown(test_file_of_the_pane, tear_down),
    cmocka_unit_test_teardown(test_text_or_lists, tear_down),
    cmocka_unit_test_teardown(test_changed_file_of_the_pane, tear_down),
    cmocka_unit_test_setup_teardown(test_labels_of_the_pane, open_labelled, tear_down),
    cmocka_unit_test_setup(test_labels_golden, open_labelled),
  };
  enum { CASES = sizeof cases / sizeof cases[0], ALL = CASES + sizeof keys / sizeof keys[0] };
  struct CMUnitTest tests[ALL];
  add_cases(tests, cases, CASES, test_source_case);
  memcpy(tests + CASES, keys, sizeof keys);
  return _cmocka_run_group_tests("screens of the source", tests, ALL, NULL, NULL);
}
