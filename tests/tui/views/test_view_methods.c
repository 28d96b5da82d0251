/* How the table behaves over time: cursor, order and frozen picture while figures move. */
#include "tests/tui/screen_model.h"
#include "tui/term/draw.h"
#include "tui/term/screen.h"
#include "tui/ui/ui_row_menu.h"
#include "tui/views/view_methods.h"
#include "tui/views/view_tree.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <ncurses.h>

static struct ui ui;
static struct rtop_profile *profile;
static int64_t end_ns, ahead_ns; /* ahead: how long after the last window it is */

static int set_up(void **state)
{
  static const struct screen_case plain = { .rows = 24, .columns = 80 };
  (void)state;
  profile = model_profile();
  end_ns = MODEL_END_NS;
  ahead_ns = 0;
  model_screen_open(&plain, &ui, profile);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  model_screen_close(&ui, &profile);
  return 0;
}

static struct methods_view *view(void)
{
  return ui.data[VIEW_METHODS];
}

static const char *label_at(size_t place)
{
  const struct rtop_method_row *row = methods_view_row(&ui, place);
  return row == NULL ? "" : rtop_symbols_get(rtop_profile_symbols(ui.profile), row->frame)->label;
}

static const char *selected(void)
{
  return label_at(view()->pager.cursor);
}

/* `windows` more, in which only this method ran. */
static void pass(int windows, const char *label)
{
  for (int i = 0; i < windows; i++) {
    model_add_window(profile, end_ns, label);
    end_ns += 100000000;
  }
  ui.now_ns = end_ns + ahead_ns;
  ui.now_real_ns = end_ns + MODEL_OFFSET_NS;
  ui.stale = true;
  model_redraw(&ui);
}

static void test_cursor_follows_its_method(void **state)
{
  (void)state;
  model_type(&ui, "/gsub\r");
  assert_string_equal(selected(), "String#gsub");
  size_t before = view()->pager.cursor;
  assert_true(before > 0);
  ahead_ns = 10000000000; /* longer than rows are held */
  pass(9, "String#gsub");
  assert_string_equal(label_at(0), "String#gsub");
  assert_int_equal(view()->pager.cursor, 0);
  pass(10, "Somebody#else");
  assert_int_equal(view()->order.count, 1);
  pass(1, "String#gsub");
  assert_string_equal(selected(), "String#gsub"); /* it was gone and came back */
}

static void test_cursor_stays_when_told(void **state)
{
  (void)state;
  model_press(&ui, 'j');
  model_press(&ui, 'F');
  ahead_ns = 10000000000;
  pass(9, "String#gsub");
  assert_int_equal(view()->pager.cursor, 1);
}

static void test_top_stays_the_top(void **state)
{
  (void)state;
  assert_string_equal(selected(), "Queue#pop");
  pass(9, "String#gsub");
  assert_int_equal(view()->pager.cursor, 0);
  assert_string_equal(selected(), "String#gsub");
  model_press(&ui, 'G');
  model_press(&ui, 'g');
  ahead_ns = 10000000000;
  pass(9, "Hash#merge");
  assert_int_equal(view()->pager.cursor, 0);
}

static void test_rows_stand_still_while_the_cursor_moves(void **state)
{
  (void)state;
  const char *first = label_at(0), *second = label_at(1);
  model_press(&ui, 'j');
  int64_t moved_ns = ui.now_ns;
  model_add_window(profile, end_ns, "String#gsub");
  end_ns += 100000000;
  pass(7, "String#gsub");
  assert_true(ui.now_ns - moved_ns < 2000000000);
  assert_string_equal(label_at(0), first);
  assert_string_equal(label_at(1), second);
  ui.now_ns = moved_ns + 2000000001;
  ui.stale = true;
  model_redraw(&ui);
  assert_string_equal(label_at(0), "String#gsub");
}

static void refresh_after(int64_t ns)
{
  ui.now_ns += ns;
  ui.stale = true;
  model_redraw(&ui);
}

static size_t place_of(const char *label)
{
  size_t place = 0;
  while (place < ui.methods.count && strcmp(label_at(place), label) != 0) place++;
  return place;
}

/* No row that is shown stands below one that it exceeds by more than a tenth. */
/* As it is read on the screen. */
static void check_sorted(void)
{
  double length = (double)ui.methods.length_ns, above = INFINITY;
  for (size_t i = 0; i < methods_view_above(view()); i++) {
    char text[32];
    draw_percent(text, sizeof text, 100.0 * (double)methods_view_row(&ui, i)->self_ns / length);
    double here = strtod(text, NULL);
    assert_true(here <= above);
    above = here;
  }
}

/* What says that it is sorted is, after every refresh. */
static void test_sorted_after_every_refresh(void **state)
{
  static const char *const labels[] = { "block in Price#total", "ActiveRecord::Relation#exec_queries", "String#gsub" };
  (void)state;
  refresh_after(3000000000);
  assert_true(shows("SELF%v"));
  for (int i = 0; i < 60; i++) {
    model_add_window(profile, end_ns, labels[i * i % 7 % 3]);
    end_ns += 100000000;
    refresh_after(100000000);
    check_sorted();
  }
  model_press(&ui, 'j'); /* what is held does not say so */
  assert_true(shows("SELF%=") && !shows("SELF%v"));
  refresh_after(2100000000);
  assert_true(shows("SELF%v"));
  check_sorted();
}

static void test_frozen(void **state)
{
  (void)state;
  uint64_t queue_ns = methods_view_row(&ui, 0)->self_ns;
  model_press(&ui, 'z');
  pass(30, "String#gsub");
  assert_string_equal(label_at(0), "Queue#pop");
  assert_int_equal(methods_view_row(&ui, 0)->self_ns, queue_ns);
  assert_true(shows("[FROZEN -2s]") || shows("[FROZEN -3s]"));
  model_press(&ui, 'Y'); /* everything else goes on working */
  assert_string_equal(label_at(0), "Puma::ThreadPool#spawn_thread");
  model_press(&ui, 'w');
  assert_int_equal(ui.sum.length_ns, INT64_C(10000000000));
  model_press(&ui, ' ');
  model_press(&ui, 'P');
  assert_true(shows("[LIVE]"));
  pass(30, "String#gsub");
  model_type(&ui, "www"); /* to a window of one second */
  assert_string_equal(label_at(0), "String#gsub");
}

static void expect_message(const char *text)
{
  if (strstr(ui.message, text) == NULL) fail_msg("\"%s\" is not in \"%s\"", text, ui.message);
}

/* Entries of the menu are chosen by Enter or by their letters, and do what keys do. */
static void test_menu_of_a_row(void **state)
{
  (void)state;
  model_type(&ui, "/index\r");
  model_press(&ui, '\r');
  assert_true(ui.ask.menu.open && ui.ask.menu_for == UI_MENU_ROW && shows(" OrdersController#index"));
  model_press(&ui, '\r'); /* the first: what Enter alone did once */
  assert_true(view()->details_open && !ui.ask.menu.open);
  model_press(&ui, 'D');
  assert_false(view()->details_open);
  model_type(&ui, ";s");
  assert_int_equal(ui.view->id, VIEW_SOURCE);
  model_press(&ui, ';');
  assert_false(shows(" s  source"));
  model_press(&ui, 27);
  assert_true(!ui.ask.menu.open && ui.view->id == VIEW_SOURCE);
  model_type(&ui, ";c");
  assert_true(ui.view->id == VIEW_TREE && ((struct tree_view *)ui.data[VIEW_TREE])->callers);
  assert_string_equal(rtop_symbols_get(rtop_profile_symbols(ui.profile), ui.selected)->label, "OrdersController#index");
  model_type(&ui, ";t");
  assert_true(ui.view->id == VIEW_TREE && !((struct tree_view *)ui.data[VIEW_TREE])->callers);
  assert_string_equal(rtop_symbols_get(rtop_profile_symbols(ui.profile), ui.selected)->label, "OrdersController#index");
  model_type(&ui, "1;x");
  assert_int_equal(ui.ask.prompting, UI_PROMPT_COMMAND);
}

static void test_menu_filters_and_excludes(void **state)
{
  (void)state;
  model_type(&ui, "/index\r\rf");
  assert_string_equal(ui.filter, "^OrdersController#index ");
  assert_int_equal(view()->order.count, 1);
  model_press(&ui, 27); /* the search */
  model_press(&ui, 27);
  assert_string_equal(ui.filter, "");
  model_type(&ui, "/block in\r\re");
  assert_string_equal(ui.lens.exclude, "Price#total");
  expect_message("Price#total is hidden");
  model_type(&ui, "/gsub\r\re");
  assert_string_equal(ui.lens.exclude, "Price#total,String#gsub");
  model_type(&ui, "/<main\r\re");
  assert_string_equal(ui.lens.exclude, "Price#total,String#gsub");
  expect_message("<main> cannot be hidden by name");
}

static void test_menu_copies(void **state)
{
  (void)state;
  model_type(&ui, "/index\r\ry");
  expect_message("copied OrdersController#index");
  ui.look.clipboard = false;
  model_type(&ui, "\rl");
  assert_memory_equal(ui.message, "/app/", 5);
  expect_message("orders_controller.rb:18");
}

/* What a stranger calls a method means nothing to patterns, and is cut between characters. */
static void test_menu_with_hostile_names(void **state)
{
  struct rtop_symbols *symbols = rtop_profile_symbols(ui.profile);
  char label[1800] = "A#";
  (void)state;
  while (strlen(label) < 1500) strcat(label, "(注*");
  ui.selected = rtop_symbols_frame(symbols, label, strlen(label), "/x,y.rb", 7, "", 0, 1, RTOP_SYMBOL_RUBY);
  ui_row_menu_act(&ui, ROW_FILTER);
  assert_null(ui.filter_error);
  assert_true(strlen(ui.filter) < PROMPT_BYTES && strncmp(ui.filter, "^A#\\(注\\*", 10) == 0);
  assert_int_not_equal(ui.filter[strlen(ui.filter) - 1], ' ');
  ui_row_menu_act(&ui, ROW_EXCLUDE);
  assert_true(strncmp(ui.lens.exclude, "A#(注\\*(", 9) == 0);
  ui_row_menu_act(&ui, ROW_COPY_NAME);
  assert_true(strlen(ui.message) < sizeof ui.message);
  ui.selected = rtop_symbols_frame(symbols, "A#b,c", 5, "/x.rb", 5, "", 0, 1, RTOP_SYMBOL_RUBY);
  ui_row_menu_act(&ui, ROW_EXCLUDE);
  expect_message("A#b,c cannot be hidden by name");
  ui.selected = 0;
  ui_row_menu_open(&ui);
  assert_false(ui.ask.menu.open);
}

static void test_escape_goes_back_step_by_step(void **state)
{
  (void)state;
  model_type(&ui, "\\Puma\r");
  model_type(&ui, "/server\r");
  model_press(&ui, 'D');
  assert_true(view()->details_open);
  model_press(&ui, 27);
  assert_false(view()->details_open);
  assert_string_equal(ui.search, "server");
  model_press(&ui, 27);
  assert_string_equal(ui.search, "");
  assert_string_equal(ui.filter, "Puma");
  model_press(&ui, 27);
  assert_string_equal(ui.filter, "");
  model_press(&ui, 27);
  assert_false(ui.wish.quit || ui.wish.leave_target); /* nowhere to go back to */
  ui.list.choosing = true;
  model_press(&ui, 27);
  assert_true(ui.wish.leave_target);
}

static void test_escape_takes_back_what_was_typed(void **state)
{
  (void)state;
  model_type(&ui, "\\Puma\r");
  model_type(&ui, "\\|Queue");
  assert_string_equal(ui.filter, "Puma|Queue");
  model_press(&ui, 27);
  assert_string_equal(ui.filter, "Puma");
  model_type(&ui, "\\(");
  assert_non_null(ui.filter_error);
  assert_string_equal(ui.filter, "Puma");
  model_press(&ui, '\r');
  assert_string_equal(ui.filter, "Puma");
  assert_null(ui.filter_error);
}

static void test_no_match(void **state)
{
  (void)state;
  model_type(&ui, "/no such thing\r");
  assert_int_equal(ui.match_count, 0);
  model_type(&ui, "nnN");
  assert_true(shows("search: no such thing 0/0"));
  model_press(&ui, 27);
  model_type(&ui, "\\no such thing\r");
  assert_true(shows("nothing matches the filter"));
  model_type(&ui, "jkG\r nN"); /* nothing to move on, to open, to find */
  assert_int_equal(view()->order.count, 0);
}

static void test_columns_scroll_and_return(void **state)
{
  (void)state;
  for (int i = 0; i < 50; i++) model_press(&ui, KEY_RIGHT | KEY_FUNCTION);
  assert_true(shows("T.ALLOC/s") && !shows("SELF%"));
  model_press(&ui, 'P');
  assert_true(shows("SELF%v")); /* the column sorted by is shown */
}

static void test_hostile_sizes(void **state)
{
  (void)state;
  for (int rows = 1; rows < 60; rows += rows < 12 ? 1 : 7) {
    for (int columns = 1; columns < 240; columns += columns < 24 ? 1 : 13) {
      resizeterm(rows, columns);
      ui.stale = true;
      model_redraw(&ui);
      model_type(&ui, "?G?jG/x");
      model_press(&ui, 27);
      model_press(&ui, 's');
      model_press(&ui, 27);
      check_drawn_afresh(&ui);
      assert_true(view()->pager.cursor < ui.methods.count && view()->pager.top <= view()->pager.cursor);
      assert_true(view()->pager.cursor - view()->pager.top < (size_t)rows);
    }
  }
  resizeterm(24, 80);
  model_press(&ui, 'g');
  assert_true(shows("Queue#pop"));
}

static void test_other_states(void **state)
{
  static const struct {
    enum rtop_feed_state state;
    const char *tag;
  } tags[] = {
    { RTOP_FEED_LIVE, "[LIVE]" }, { RTOP_FEED_STALLED, "[STALLED]" }, { RTOP_FEED_ENDED, "[ENDED]" },
    { RTOP_FEED_DEAD, "[DEAD]" }, { RTOP_FEED_REPLAY, "[REPLAY]" },
  };
  (void)state;
  for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
    ui.source.main.state = tags[i].state;
    model_redraw(&ui);
    assert_true(shows(tags[i].tag));
  }
}

static void test_title_of_recordings(void **state)
{
  (void)state;
  ui.source.main.state = RTOP_FEED_LIVE;
  ui.source.recording = true;
  model_redraw(&ui);
  assert_true(shows("[REC]"));
  assert_false(shows("[LIVE]"));
  ui.source.main.state = RTOP_FEED_STALLED;
  model_redraw(&ui);
  assert_true(shows("[REC] [STALLED]"));
  ui.source.recording = false;
  ui.source.main.state = RTOP_FEED_REPLAY;
  strcpy(ui.source.file, "x.rpt");
  model_redraw(&ui);
  assert_true(shows("[FILE x.rpt 100%]"));
  model_press(&ui, '{');
  assert_true(shows("[FILE x.rpt "));
  assert_false(shows("[FILE x.rpt 100%]"));
  strcpy(ui.source.file, "rperf-top-4711-20261120-143152.rpt");
  model_redraw(&ui);
  assert_true(shows("20261120-143152.rpt "));
  ui.source.file[0] = '\0';
}

/* What flared up within the last minute is on top, and stays there: not what runs just now. */
static void test_sorted_by_history(void **state)
{
  (void)state;
  pass(50, "Kernel#puts");
  pass(30, "Hash#merge");
  ahead_ns = 10000000000;
  pass(1, "Hash#merge");
  assert_false(shows("HIST(60s)"));
  model_press(&ui, 's');
  for (int i = 0; i < 40 && menu_value(&ui.ask.menu) != RTOP_SORT_HISTORY; i++)
    model_press(&ui, KEY_DOWN | KEY_FUNCTION);
  model_press(&ui, '\r');
  assert_int_equal(ui.wanted.sort, RTOP_SORT_HISTORY);
  assert_true(shows("HIST(60s)v"));
  double last = 1e9;
  for (size_t place = 0; place < view()->order.count; place++) {
    const struct rtop_method_row *row = methods_view_row(&ui, place);
    double peak =
        history_peak(&view()->history, ui.span.end_ns, row->frame, (double)row->self_ns / (double)ui.methods.length_ns);
    assert_true(peak <= last && peak == row->history);
    last = peak;
  }
  assert_true(order_place(&view()->order, ui.methods.rows[0].frame) < view()->order.count);
  /* Only Hash#merge ran in this frame; others ran more in one of the cells. */
  assert_string_equal(label_at(0), "Hash#merge");
  model_press(&ui, 'I');
  assert_true(shows("HIST(60s)^"));
  /* Other views have no such figure: calls are sorted by their totals. */
  model_press(&ui, '2');
  assert_true(shows("TOTAL%^"));
}

/* A chosen thread is all that the small histories tell of. */
static void test_history_of_a_thread(void **state)
{
  double shares[HISTORY_CELLS], all[HISTORY_CELLS];
  const char *problem;
  (void)state;
  assert_true(columns_parse(&ui.look.columns, "self,history,name", &problem));
  model_type(&ui, "/Queue#pop\r");
  uint32_t frame = ui.selected;
  pass(1, "Hash#merge");
  history_get(&view()->history, ui.span.end_ns, frame, all);
  model_type(&ui, "3/main\r");
  model_type(&ui, "\r\r");
  assert_string_equal(ui.focus.name, "main");
  model_press(&ui, '1');
  pass(1, "Hash#merge");
  history_get(&view()->history, ui.span.end_ns, frame, shares);
  assert_true(all[4] > 1.8 && shares[4] > 0.8 && shares[4] < 1);
}

/* By the wall clock who sleeps is on top: what helps is said, and does. */
static void test_modes(void **state)
{
  (void)state;
  assert_string_equal(label_at(0), "Queue#pop");
  assert_true(shows("W=busy") && shows("wall, "));
  model_press(&ui, 'C');
  assert_int_equal(ui.wanted.mode, RTOP_MODE_CPU);
  assert_true(shows("CPU time") && shows("CPU, "));
  assert_string_equal(label_at(0), "ActiveRecord::Relation#exec_queries");
  assert_false(view()->off.shown);
  model_press(&ui, 'C');
  assert_int_equal(ui.wanted.mode, RTOP_MODE_BUSY);
  assert_true(view()->off.shown);
  resizeterm(24, 120);
  ui.stale = true;
  model_redraw(&ui);
  assert_true(shows("time on the GVL, "));
  resizeterm(24, 80); /* here the command goes before it */
  model_press(&ui, 'W');
  assert_int_equal(ui.wanted.mode, RTOP_MODE_WALL);
  model_press(&ui, 'W');
  assert_int_equal(ui.wanted.mode, RTOP_MODE_BUSY);
  model_press(&ui, 'W');
  model_press(&ui, 'C');
  assert_int_equal(ui.wanted.mode, RTOP_MODE_CPU);
  /* Nobody of these threads is off the GVL from end to end, but when they are: */
  ui.message[0] = '\0';
  model_press(&ui, 'O');
  assert_true(shows("thread: not quiet"));
  model_press(&ui, 'O');
  assert_false(shows("thread: not quiet"));
}

/* The time of every method off the GVL, or on it: together the wall time. */
static void check_off_rows(void)
{
  uint64_t last_ns = UINT64_MAX, off_ns = 0;
  for (size_t i = 0; i < view()->off.order.count; i++) {
    const struct rtop_method_row *row = methods_view_row(&ui, methods_view_off_place(view()) + 1 + i);
    assert_true(i == 0 || row->self.wall_ns[RTOP_STATE_BLOCKED] <= last_ns + ui.methods.length_ns / 1000);
    last_ns = row->self.wall_ns[RTOP_STATE_BLOCKED];
    off_ns += last_ns;
  }
  assert_true(off_ns == view()->off.ns && off_ns == ui.sum.total.wall_ns[RTOP_STATE_BLOCKED]);
  assert_int_equal(view()->off.order.count, view()->off.count);
}

static void test_what_is_off_the_gvl_is_one_row(void **state)
{
  (void)state;
  model_type(&ui, "CC");
  ui.message[0] = '\0';
  for (size_t i = 0; i < methods_view_above(view()); i++) assert_false(order_is_off(methods_view_row(&ui, i)));
  assert_null(methods_view_row(&ui, methods_view_off_place(view())));
  model_press(&ui, 'G');
  assert_int_equal(view()->pager.cursor, methods_view_off_place(view()));
  assert_true(shows("+ (off the GVL: "));
  refresh_after(3000000000);
  model_press(&ui, '\r');
  struct ui_rows rows = methods_view_rows(&ui);
  assert_true(shows("- (off the GVL: ") && view()->pager.top + rows.page == rows.count); /* and its methods are seen */
  assert_false(view()->details_open);
  assert_int_equal(view()->pager.cursor, methods_view_off_place(view()));
  assert_string_equal(label_at(methods_view_off_place(view()) + 1), "Queue#pop");
  check_off_rows();
  pass(3, "String#gsub");
  assert_int_equal(view()->pager.cursor, methods_view_off_place(view())); /* it stays on the row, wherever that is */
  check_off_rows();
  model_press(&ui, ' ');
  assert_false(view()->off.open || ui.frozen);
  assert_null(methods_view_row(&ui, methods_view_off_place(view()) + 1));
  model_type(&ui, "kk");
  model_press(&ui, ' '); /* on any other row it freezes */
  assert_true(ui.frozen && !view()->off.open);
  check_drawn_afresh(&ui);
}

/* A search opens the row; the cursor stays on what it found there. */
static void test_search_finds_what_is_folded(void **state)
{
  (void)state;
  model_type(&ui, "CC/no such thing\r");
  assert_false(view()->off.open);
  struct rtop_method_row *row = &ui.methods.rows[view()->order.rows[place_of("Queue#pop")]];
  row->total_ns = row->self_ns = row->self.allocations = 0; /* as if it had done nothing but wait */
  ui.view->update(&ui);
  assert_string_equal(label_at(place_of("Queue#pop")), ""); /* it stands in no row */
  snprintf(ui.search, sizeof ui.search, "Queue#pop");
  assert_true(ui_rows_request(&ui, REQUEST_SEARCH));
  assert_true(view()->off.open && methods_view_below_off(view(), view()->pager.cursor));
  assert_string_equal(selected(), "Queue#pop");
  model_press(&ui, 'D'); /* details as of any other */
  assert_true(view()->details_open);
}

/* Who sorts by it sees it. */
static void test_sorted_by_io_nothing_is_folded(void **state)
{
  (void)state;
  model_type(&ui, "CC");
  ui.wanted.sort = RTOP_SORT_BLOCKED;
  ui.stale = true;
  model_redraw(&ui);
  assert_false(view()->off.shown);
  assert_string_equal(label_at(0), "Queue#pop");
}

/* Zeros are one row, which Enter opens. A method that was chosen elsewhere is not hidden there. */
static void test_zeros_are_one_row(void **state)
{
  (void)state;
  assert_true(view()->fold.shown && shows("+ (6 more below 0.1%)"));
  assert_int_equal(methods_view_above(view()), view()->order.count - 6);
  for (size_t i = 0; i < methods_view_above(view()); i++)
    assert_true(methods_view_row(&ui, i)->self_ns * 2000 >= ui.methods.length_ns);
  model_press(&ui, 'G');
  assert_true(methods_view_is_fold(view(), view()->pager.cursor));
  model_press(&ui, '\r');
  assert_true(shows("- (6 more below 0.1%)") && shows("ThreadPool#spawn_thread"));
  model_type(&ui, "G");
  assert_int_equal(view()->pager.cursor, view()->order.count); /* rows, and the one above the zeros */
  refresh_after(3000000000);
  assert_int_equal(view()->pager.cursor, view()->order.count); /* which do not move when they are chosen */
  assert_string_equal(selected(), "Serializer::Order#as_json");
  model_type(&ui, "kkkkkk\r");
  assert_false(view()->fold.open || shows("Serializer::Order#as_json"));
  model_type(&ui, "/spawn_th\r"); /* what is searched for is found there */
  assert_true(view()->fold.open);
  assert_string_equal(selected(), "Puma::ThreadPool#spawn_thread");
  check_drawn_afresh(&ui);
}

static void test_zeros_that_are_wanted(void **state)
{
  (void)state;
  model_press(&ui, 'I'); /* the least first */
  assert_false(view()->fold.shown);
  assert_string_equal(label_at(0), "<main>");
  model_press(&ui, 'I');
  model_type(&ui, "\\Serializer\r");
  assert_string_equal(label_at(0), "Serializer::Order#as_json");
  model_type(&ui, "\\\025\r");
  assert_true(view()->fold.shown);
  ui.wanted.sort = RTOP_SORT_ALLOC;
  refresh_after(3000000000);
  assert_true(shows(" more without any)"));
  ui.wanted.sort = RTOP_SORT_NAME;
  refresh_after(3000000000);
  assert_false(view()->fold.shown);
}

/* The wait that the verdict names is the first row, with its time off the GVL. */
static void test_the_wait_is_first(void **state)
{
  (void)state;
  struct verdict *verdict = &ui.verdict.verdict;
  uint32_t leaf = methods_view_row(&ui, place_of("PG::Connection#exec_params"))->frame;
  uint32_t caller = methods_view_row(&ui, place_of("OrdersController#index"))->frame;
  ui.wanted.mode = RTOP_MODE_BUSY;
  refresh_after(3000000000);
  *verdict = (struct verdict){ .kind = VERDICT_BLOCKED, .place = { leaf, caller }, .blocked = 0.08 };
  ui.view->update(&ui);
  ui_draw(&ui);
  assert_string_equal(label_at(0), "PG::Connection#exec_params");
  /* Others wait in that call, too: the figure is that of the caller that is named. */
  assert_true(shows(">   8.0     8.0 ") && shows("waits: ") && shows("OrdersController#in") &&
              shows("s_controller.rb:18"));
  verdict->kind = VERDICT_RUNNING;
  ui.view->update(&ui);
  ui_draw(&ui);
  assert_false(shows("waits: "));
  assert_string_not_equal(label_at(0), "PG::Connection#exec_params");
}

/* Its method falls far below the others: the table stays at its top, the method selected, and keys begin where they are seen. */
static void test_nothing_scrolls_by_itself(void **state)
{
  (void)state;
  resizeterm(12, 80);
  refresh_after(3000000000);
  model_press(&ui, 'j');
  const char *followed = selected();
  size_t above = methods_view_above(view());
  assert_true(methods_view_rows(&ui).page < above);
  ui.wanted.sort = RTOP_SORT_SELF;
  ui.wanted.reverse = true; /* it is nearly the last one now */
  refresh_after(3000000000);
  assert_int_equal(view()->pager.top, 0);
  assert_string_equal(selected(), followed);
  assert_true(view()->pager.cursor >= methods_view_rows(&ui).page);
  model_press(&ui, 'j');
  assert_int_equal(view()->pager.top, 0);
  assert_int_equal(view()->pager.cursor, 1);
}

/* The cursor of a tree that nobody moved stands on the outermost method: that is no reason to leave the top. */
static void test_a_cursor_that_rests_elsewhere_moves_nothing(void **state)
{
  (void)state;
  resizeterm(12, 80);
  refresh_after(3000000000);
  ui_open_view(&ui, VIEW_TREE);
  ui.selected = 0; /* as if it were the first one that is seen */
  refresh_after(3000000000);
  assert_int_not_equal(ui.selected, methods_view_row(&ui, 0)->frame);
  ui_open_view(&ui, VIEW_METHODS);
  refresh_after(3000000000);
  assert_int_equal(view()->pager.cursor + view()->pager.top, 0);
  assert_string_equal(selected(), label_at(0));
  ui_open_view(&ui, VIEW_TREE);
  refresh_after(3000000000);
  model_press(&ui, 'j'); /* who moves it means the method */
  uint32_t meant = ui.selected;
  ui_open_view(&ui, VIEW_METHODS);
  refresh_after(3000000000);
  assert_int_equal(ui.selected, meant);
  assert_int_equal(methods_view_row(&ui, view()->pager.cursor)->frame, meant);
}

#define VIEW_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
    VIEW_TEST(test_cursor_follows_its_method),
    VIEW_TEST(test_cursor_stays_when_told),
    VIEW_TEST(test_top_stays_the_top),
    VIEW_TEST(test_nothing_scrolls_by_itself),
    VIEW_TEST(test_a_cursor_that_rests_elsewhere_moves_nothing),
    VIEW_TEST(test_rows_stand_still_while_the_cursor_moves),
    VIEW_TEST(test_sorted_after_every_refresh),
    VIEW_TEST(test_frozen),
    VIEW_TEST(test_title_of_recordings),
    VIEW_TEST(test_menu_of_a_row),
    VIEW_TEST(test_menu_filters_and_excludes),
    VIEW_TEST(test_menu_copies),
    VIEW_TEST(test_menu_with_hostile_names),
    VIEW_TEST(test_escape_goes_back_step_by_step),
    VIEW_TEST(test_escape_takes_back_what_was_typed),
    VIEW_TEST(test_no_match),
    VIEW_TEST(test_columns_scroll_and_return),
    VIEW_TEST(test_hostile_sizes),
    VIEW_TEST(test_other_states),
    VIEW_TEST(test_sorted_by_history),
    VIEW_TEST(test_modes),
    VIEW_TEST(test_what_is_off_the_gvl_is_one_row),
    VIEW_TEST(test_search_finds_what_is_folded),
    VIEW_TEST(test_zeros_are_one_row),
    VIEW_TEST(test_zeros_that_are_wanted),
    VIEW_TEST(test_the_wait_is_first),
    VIEW_TEST(test_sorted_by_io_nothing_is_folded),
    VIEW_TEST(test_history_of_a_thread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
