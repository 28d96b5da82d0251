/* Rows under one cursor: search, count of matches, moves, clicks, and how they are drawn. */
#include "tests/tui/screen_fixture.h"

#include "tui/ui/ui_rows.h"

enum { ROWS = 6, SEEN = 3 };

static struct pager pager;
static size_t went, went_to;
static bool sought;
static const char *const names[ROWS] = { "a", "kid", "c", "kid", "e", "f" };

static struct ui_rows stub_rows(const struct ui *of)
{
  struct ui_rows rows = ui_rows_of(of, &pager, ROWS, 1, 0);
  rows.page = SEEN;
  return rows;
}

static bool stub_matches(const struct ui *of, size_t place)
{
  return strcmp(names[place], of->search) == 0;
}

static void stub_go(struct ui *of, size_t place)
{
  (void)of;
  pager.cursor = place;
  went++;
  went_to = place;
}

static bool stub_seek(struct ui *of)
{
  (void)of;
  sought = true;
  return false;
}

static const struct view_ops stub = { .rows = stub_rows, .matches = stub_matches, .go = stub_go, .seek = stub_seek };
static const struct view_ops without_search = { .rows = stub_rows, .go = stub_go };
static const struct view_ops without_rows = { .id = VIEW_HELP };

static int open_stub(void **state)
{
  set_up(state);
  ui.view = &stub;
  pager = (struct pager){ 0 };
  went = went_to = 0;
  sought = false;
  return 0;
}

static int close_stub(void **state)
{
  ui.view = ui_view(VIEW_METHODS);
  return tear_down(state);
}

static void search(const char *text)
{
  snprintf(ui.search, sizeof ui.search, "%s", text);
}

static size_t after(size_t cursor, enum request request)
{
  pager.cursor = cursor;
  assert_true(ui_rows_request(&ui, request));
  return pager.cursor;
}

static void test_matches_around_the_ends(void **state)
{
  (void)state;
  search("kid");
  assert_int_equal(after(1, REQUEST_SEARCH), 1);
  assert_int_equal(after(2, REQUEST_SEARCH), 3);
  assert_int_equal(after(3, REQUEST_NEXT), 1);
  assert_int_equal(after(1, REQUEST_PREVIOUS), 3);
  assert_int_equal(after(3, REQUEST_PREVIOUS), 1);
  assert_int_equal(after(ROWS + 3, REQUEST_SEARCH), 1); /* rows went away */
  assert_false(sought);
  search("zz");
  went = 0;
  assert_int_equal(after(2, REQUEST_NEXT), 2);
  assert_true(sought && went == 0);
}

static void test_nothing_to_search_for(void **state)
{
  (void)state;
  assert_true(ui_rows_request(&ui, REQUEST_NEXT)); /* no other key's business */
  assert_false(ui_rows_request(&ui, REQUEST_PREVIOUS));
  search("kid");
  ui.view = &without_search;
  assert_false(ui_rows_request(&ui, REQUEST_SEARCH));
  assert_true(ui_rows_request(&ui, REQUEST_DOWN));
  ui.view = &without_rows;
  assert_false(ui_rows_request(&ui, REQUEST_SEARCH));
  assert_false(ui_rows_request(&ui, REQUEST_DOWN));
}

static void test_counts(void **state)
{
  (void)state;
  search("kid");
  pager.cursor = 3;
  ui_rows_count(&ui);
  assert_int_equal(ui.match_count, 2);
  assert_int_equal(ui.match_at, 2);
  assert_int_equal(after(3, REQUEST_UP), 2); /* and counts again */
  assert_int_equal(ui.match_at, 0);
  search("");
  ui_rows_count(&ui);
  assert_int_equal(ui.match_count, 0);
}

static void test_moves_and_clicks(void **state)
{
  (void)state;
  assert_int_equal(after(0, REQUEST_PAGE_DOWN), SEEN);
  assert_int_equal(after(0, REQUEST_LAST), ROWS - 1);
  assert_int_equal(pager.top, ROWS - SEEN);
  assert_int_equal(went_to, ROWS - 1);
  assert_false(ui_rows_request(&ui, REQUEST_STACK));
  ui_rows_click(&ui, 1, 0); /* below the heading */
  assert_int_equal(went_to, ROWS - SEEN);
  went = 0;
  ui_rows_click(&ui, 0, 0);
  ui_rows_click(&ui, SEEN + 1, 0);
  assert_int_equal(went, 0);
}

static void draw_name(const void *pen, size_t place, int y, bool selected)
{
  mvprintw(y, 2, "%s%s%s", (const char *)pen, names[place], selected ? "!" : "");
}

/* No row outside of the table, the cursor on its row, and in the heading when there is none. */
static void test_drawn_where_there_is_room(void **state)
{
  (void)state;
  struct rect table = { 5, 0, 3, 20 };
  pager = (struct pager){ .cursor = 2, .top = 1 };
  struct ui_rows rows = stub_rows(&ui);
  erase();
  ui_rows_draw(&rows, table, draw_name, "=");
  assert_int_equal(getcury(stdscr), 7);
  assert_true(shows("\n  =kid\n> =c!\n\n"));
  rows.count = 0;
  ui_rows_draw(&rows, table, draw_name, "=");
  assert_int_equal(getcury(stdscr), 5);
}

static void check_position(size_t top, const char *line)
{
  struct rect table = { 5, 0, 4, 40 };
  pager = (struct pager){ .cursor = top, .top = top };
  struct ui_rows rows = stub_rows(&ui);
  erase();
  ui_rows_draw(&rows, table, draw_name, "=");
  char *text = model_screen_text();
  const char *at = text;
  for (int y = 0; y < table.y; y++) at = strchr(at, '\n') + 1;
  assert_memory_equal(at, line, strlen(line));
  free(text);
}

/* In the heading, to the right: what is seen of how much. Nothing when all is. */
static void test_position(void **state)
{
  (void)state;
  check_position(0, "                            1-3 of 6 Top\n");
  check_position(1, "                            2-4 of 6 33%\n");
  check_position(3, "                            4-6 of 6 End\n");
  struct ui_rows all = stub_rows(&ui);
  all.page = ROWS;
  pager = (struct pager){ 0 };
  erase();
  ui_rows_draw(&all, (struct rect){ 5, 0, 9, 40 }, draw_name, "=");
  assert_false(shows(" of 6"));
  all.page = SEEN;
  erase();
  ui_rows_draw(&all, (struct rect){ 5, 0, 4, 20 }, draw_name, "="); /* no room beside the heading */
  assert_false(shows(" of 6"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_matches_around_the_ends, open_stub, close_stub),
    cmocka_unit_test_setup_teardown(test_nothing_to_search_for, open_stub, close_stub),
    cmocka_unit_test_setup_teardown(test_counts, open_stub, close_stub),
    cmocka_unit_test_setup_teardown(test_moves_and_clicks, open_stub, close_stub),
    cmocka_unit_test_setup_teardown(test_drawn_where_there_is_room, open_stub, close_stub),
    cmocka_unit_test_setup_teardown(test_position, open_stub, close_stub),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
