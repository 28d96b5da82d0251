/* Stalls from any view: the list and back, the jump that selects who is to blame, marks in the strip, the words. */
#include "tests/tui/screen_model.h"
#include "tui/term/screen.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { ESCAPE = 27 };
static struct ui ui;
static struct rtop_profile *profile;

static uint32_t frame_of(const char *label)
{
  const struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  for (uint32_t i = 1; i < rtop_symbols_frame_count(symbols); i++)
    if (strcmp(rtop_symbols_get(symbols, i)->label, label) == 0) return i;
  fail_msg("%s is not there", label);
  return 0;
}

/* One stall of three seconds, twenty seconds ago. */
static void put_stall(void)
{
  free(ui.stalls.stalls.list);
  ui.stalls.stalls.list = calloc(1, sizeof *ui.stalls.stalls.list);
  ui.stalls.stalls.count = ui.stalls.stalls.capacity = ui.stalls.stalls.found = 1;
  int64_t end_ns = MODEL_END_NS - INT64_C(20000000000);
  ui.stalls.stalls.list[0] = (struct stall){
    .id = 1,
    .cause = STALL_BLOCKED,
    .start_ns = end_ns - INT64_C(3000000000),
    .end_ns = end_ns,
    .serial = 4,
    .thread = "puma srv tp 003",
    .mark = "",
    .frame = frame_of("String#gsub"),
    .caller = frame_of("OrdersController#index"),
  };
  model_redraw(&ui);
}

static int set_up(void **state)
{
  static const struct screen_case look = { .rows = 24, .columns = 80 };
  (void)state;
  profile = model_profile();
  model_screen_open(&look, &ui, profile);
  put_stall();
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  model_screen_close(&ui, &profile);
  return 0;
}

static void test_list_from_every_view_and_back(void **state)
{
  (void)state;
  for (int view = 0; view < VIEW_DATA_COUNT; view++) {
    static const int back[] = { '!', ESCAPE };
    for (int i = 0; i < 2; i++) {
      ui_open_view(&ui, (enum view_id)view);
      model_redraw(&ui);
      model_press(&ui, '!');
      assert_int_equal(ui.view->id, VIEW_TIME);
      assert_true(shows("CULPRIT OR MARK") && shows("String#gsub < Orders"));
      model_press(&ui, '\r'); /* goes to it, the list stays */
      assert_true(ui.frozen && shows("CULPRIT OR MARK"));
      model_press(&ui, back[i]);
      assert_int_equal(ui.view->id, view);
      assert_false(shows("CULPRIT OR MARK"));
      assert_true(ui.frozen);
      model_press(&ui, 'z');
    }
  }
}

/* The list of the time view itself stays what it was. */
static void test_list_of_the_time_view(void **state)
{
  (void)state;
  model_press(&ui, '7');
  model_press(&ui, 't');
  model_press(&ui, '3');
  model_press(&ui, '!');
  model_press(&ui, ESCAPE);
  assert_int_equal(ui.view->id, VIEW_THREADS);
  model_press(&ui, '7');
  assert_true(shows("CULPRIT OR MARK"));
  model_press(&ui, ESCAPE);
  assert_int_equal(ui.view->id, VIEW_TIME);
  assert_true(shows("CULPRIT OR MARK"));
}

static void test_jump_selects_the_method(void **state)
{
  (void)state;
  model_press(&ui, '(');
  assert_true(ui.frozen);
  assert_int_equal(ui.selected, frame_of("OrdersController#index"));
  model_press(&ui, 'j'); /* the cursor was there: the next row is another one */
  assert_int_not_equal(ui.selected, frame_of("OrdersController#index"));
  model_press(&ui, 'k');
  assert_int_equal(ui.selected, frame_of("OrdersController#index"));
}

/* A culprit off the GVL has no busy time: views of calls show all time while the display stands there. */
static void test_jump_shows_all_time(void **state)
{
  (void)state;
  ui.wanted.mode = RTOP_MODE_BUSY;
  model_press(&ui, '(');
  assert_int_equal(ui.wanted.mode, RTOP_MODE_BUSY); /* the table has a row for it */
  model_press(&ui, '2');
  assert_int_equal(ui.wanted.mode, RTOP_MODE_WALL);
  assert_true(shows("all time is shown, W: busy time"));
  assert_int_equal(ui.selected, frame_of("OrdersController#index"));
  model_press(&ui, '1');
  assert_int_equal(ui.wanted.mode, RTOP_MODE_BUSY);
  model_type(&ui, "z4(");
  assert_int_equal(ui.wanted.mode, RTOP_MODE_WALL);
  assert_true(shows("was blocked for 3.0 s") && shows("W: busy time"));
  model_press(&ui, 'W'); /* the user decides */
  assert_int_equal(ui.wanted.mode, RTOP_MODE_BUSY);
  model_press(&ui, 'j');
  assert_int_equal(ui.wanted.mode, RTOP_MODE_BUSY);
  model_type(&ui, "zC(");
  assert_int_equal(ui.wanted.mode, RTOP_MODE_WALL);
  model_press(&ui, 'z');
  assert_int_equal(ui.wanted.mode, RTOP_MODE_CPU);
  ui.stalls.stalls.list[0].cause = STALL_METHOD;
  model_press(&ui, '(');
  assert_int_equal(ui.wanted.mode, RTOP_MODE_CPU);
}

/* In the first row of what "> " marks. */
static bool stands_on(const char *method)
{
  char *text = model_screen_text(), *line = strstr(text, "\n>"), *end = line != NULL ? strchr(line + 1, '\n') : NULL;
  if (end != NULL) *end = '\0';
  bool stands = line != NULL && strstr(line, method) != NULL;
  free(text);
  return stands;
}

/* The row of who is to blame is there and is seen, also on a small screen and below the message. */
static void test_jump_shows_the_row(void **state)
{
  static const struct screen_case small = { .rows = 16, .columns = 80 };
  (void)state;
  for (const char *view = "1258"; *view != '\0'; view++) {
    model_screen_close(&ui, &profile);
    profile = model_profile();
    model_screen_open(&small, &ui, profile);
    put_stall();
    ui.wanted.mode = RTOP_MODE_BUSY;
    model_press(&ui, *view);
    model_press(&ui, 'G');
    model_press(&ui, '(');
    if (!stands_on(*view == '5' ? "    20" : "OrdersController#in"))
      fail_msg("view %c\n%s", *view, model_screen_text());
  }
}

/* Another stall of the thread takes the place of the one that was gone to: it is told, unless the user has moved on. */
static void test_what_turns_out_is_told(void **state)
{
  (void)state;
  struct stall *stall = ui.stalls.stalls.list;
  stall->caller = 0;
  model_press(&ui, '(');
  assert_true(shows("was blocked for 3.0 s in String#gsub"));
  stall->id = 7;
  stall->frame = frame_of("Hash#merge");
  ui_stalls_poll(&ui);
  model_redraw(&ui);
  assert_int_equal(ui.selected, frame_of("Hash#merge"));
  assert_true(shows("was blocked for 3.0 s in Hash#merge"));
  model_press(&ui, 'j');
  uint32_t selected = ui.selected;
  stall->frame = frame_of("String#gsub");
  ui_stalls_poll(&ui);
  assert_int_equal(ui.selected, selected);
  model_type(&ui, "z(");
  stall->id = 8;
  stall->serial = 5;
  stall->frame = frame_of("Hash#merge");
  ui_stalls_poll(&ui);
  assert_int_equal(ui.selected, frame_of("String#gsub"));
}

static void test_jump_selects_the_thread(void **state)
{
  (void)state;
  model_press(&ui, '3');
  model_press(&ui, '(');
  model_type(&ui, "\r\r"); /* only this thread */
  assert_int_equal(ui.focus.count, 1);
  assert_int_equal(ui.focus.at[0].serial, 4);
}

/* The menu of a stall: what Enter does comes first. */
static void test_menu_of_a_stall(void **state)
{
  (void)state;
  model_type(&ui, "!;");
  assert_true(ui.ask.menu.open && shows("g  go to it") && shows("t  threads then"));
  assert_false(shows("filter: only this"));
  model_press(&ui, '\r');
  assert_true(ui.frozen && shows("CULPRIT OR MARK"));
  model_type(&ui, ";t");
  assert_int_equal(ui.view->id, VIEW_THREADS);
  model_type(&ui, "=");
  assert_int_equal(ui.focus.at[0].serial, 4); /* the culprit */
}

static void test_strip_and_words(void **state)
{
  (void)state;
  assert_true(shows("!!!"));
  struct verdict_words words;
  ui_verdict_words(&ui, &words, 160);
  assert_string_equal(words.stall, "[(] stall 20 s ago: 3.0 s in String#gsub < OrdersController#index");
  model_press(&ui, '(');
  ui_verdict_words(&ui, &words, 160);
  assert_string_equal(words.stall, "[(] stall now: 3.0 s in String#gsub < OrdersController#index");
}

/* Another one, by its times before the end of what is shown; the list is by start. */
static struct stall *add(enum stall_cause cause, int64_t start_ms, int64_t end_ms, bool open)
{
  struct stalls *stalls = &ui.stalls.stalls;
  stalls->list = realloc(stalls->list, (stalls->count + 1) * sizeof *stalls->list);
  stalls->capacity = stalls->count + 1;
  stalls->list[stalls->count] = (struct stall){
    .id = ++stalls->found,
    .cause = cause,
    .start_ns = MODEL_END_NS + start_ms * 1000000,
    .end_ns = MODEL_END_NS + end_ms * 1000000,
    .open = open,
    .thread = "",
    .mark = cause == STALL_MARK ? "deploy" : "",
    .frame = cause == STALL_MARK ? 0 : frame_of("Hash#merge"),
  };
  return &stalls->list[stalls->count++];
}

/* Keys, and then the cursor stands so long before the end of the model, with this culprit. */
static void check_jump(int key, int64_t ms, const char *culprit)
{
  model_press(&ui, key);
  assert_true(ui.frozen);
  assert_int_equal((ui.time.cursor_ns - MODEL_END_NS) / 1000000, ms);
  assert_int_equal(ui.selected, frame_of(culprit));
}

/* In the middle of a stall the key goes there first, whatever was before; then to what was before. */
static void test_back_to_a_stall_that_goes_on(void **state)
{
  (void)state;
  struct verdict_words words;
  add(STALL_BLOCKED, -600, 0, true);
  ui_verdict_words(&ui, &words, 160);
  assert_string_equal(words.stall, "[(] stall now: 0.6 s in Hash#merge");
  check_jump('(', 0, "Hash#merge");
  check_jump('(', -22000, "OrdersController#index");
  model_press(&ui, '(');
  assert_true(shows("no earlier stall or mark"));
  check_jump(')', 0, "Hash#merge");
  ui.stalls.stalls.list[1].end_ns += 50000000; /* it grows meanwhile, and is passed by all the same */
  model_press(&ui, ')');
  assert_true(shows("no later stall or mark"));
}

/* One that has lasted longer than is shown: its beginning is seen, not what ended since. */
static void test_back_to_a_long_stall(void **state)
{
  (void)state;
  add(STALL_BLOCKED, -40000, 0, true);
  add(STALL_GC, -9300, -9000, false)->amount = 300e6;
  check_jump('(', -39000, "Hash#merge");
  check_jump(')', -22000, "OrdersController#index");
  check_jump(')', -9000, "Hash#merge");
}

/* Where the cursor was moved by hand, the stall that goes on there comes first; where the key put it, what was before. */
static void test_back_from_a_cursor_that_was_moved(void **state)
{
  (void)state;
  add(STALL_NO_SAFEPOINT, -2500, -1500, false);
  check_jump('(', -1500, "Hash#merge");
  model_press(&ui, '[');
  check_jump('(', -1500, "Hash#merge");
  check_jump('(', -22000, "OrdersController#index");
  model_press(&ui, 'z');
  check_jump('(', -1500, "Hash#merge");
  check_jump('(', -22000, "OrdersController#index");
  ui_key(&ui, 'z'); /* the next key comes before the screen is made again */
  check_jump('(', -1500, "Hash#merge");
  ui_key(&ui, 'z');
  model_press(&ui, 'z');
  assert_int_equal(ui.time.cursor_ns, MODEL_END_NS);
}

/* Kinds have no rank: harm and how long ago count, and the message tells what was passed by and what comes next. */
static void test_back_to_what_harmed(void **state)
{
  (void)state;
  add(STALL_METHOD, -20000, -12000, false)->amount = 0.95;
  add(STALL_GC, -5300, -5000, false)->amount = 300e6;
  model_press(&ui, '(');
  assert_int_equal(ui.stalls.id, 2);
  assert_string_equal(ui.message, "Hash#merge took over the GVL for 8.0 s; ( again: a blocked thread, 3.00 s earlier; "
                                  "): 1 later one, which harmed less");
  check_jump('(', -22000, "OrdersController#index");
  assert_true(shows("was blocked for 3.0 s") && shows("none is earlier"));
}

/* Two that lie in one window: the key stops there once, and says that there is another one. */
static void test_what_lies_in_one_window_is_told(void **state)
{
  (void)state;
  add(STALL_BLOCKED, -6000, -5000, false)->others = 1;
  add(STALL_GC, -5320, -5020, false)->amount = 300e6;
  check_jump('(', -5000, "Hash#merge");
  assert_string_equal(ui.message, "2 threads were blocked for 1.0 s in Hash#merge; 1 more at that time; "
                                  "( again: a blocked thread, 17.0 s earlier");
  assert_false(shows("later"));
  check_jump('(', -22000, "OrdersController#index");
}

/* One that goes on comes before one that harmed more and is over: nothing false is said of that. */
static void test_later_ones_that_are_over(void **state)
{
  (void)state;
  add(STALL_BLOCKED, -9000, 0, true);
  add(STALL_BLOCKED, -7000, -2000, false)->others = 5;
  check_jump('(', -8000, "Hash#merge");
  assert_true(shows("): 1 later one, which is over or harmed less"));
}

/* What goes on now comes first; a method that goes on is news for when it took over; marks come in their turn. */
static void test_back_to_a_method_or_mark(void **state)
{
  (void)state;
  add(STALL_METHOD, -100000, 0, true)->amount = 1;
  add(STALL_MARK, -25000, -25000, false);
  check_jump('(', -22000, "OrdersController#index");
  model_press(&ui, '(');
  assert_true(shows("mark deploy"));
  model_press(&ui, 'z');
  ui.stalls.stalls.list[1].start_ns = MODEL_END_NS - 900000000;
  check_jump('(', 0, "Hash#merge");
  assert_true(shows("took over the GVL for 0.9 s so far"));
}

/* What the user has just seen is no stall: the key goes to the second that was worst, then to the stall of a while ago. */
static void test_old_news_are_said_to_be_old(void **state)
{
  (void)state;
  model_press(&ui, '(');
  assert_false(shows("no stall in the last"));
  model_press(&ui, 'z');
  ui.stalls.stalls.list[0].start_ns -= INT64_C(15000000000);
  ui.stalls.stalls.list[0].end_ns -= INT64_C(15000000000);
  model_press(&ui, '(');
  assert_true(shows("no stall lately, but 11 s ago: "));
  check_jump('(', -37000, "OrdersController#index");
}

/* A request that took long is gone to as a stall is: the newer and the more harmful first. */
static void test_back_to_a_slow_request(void **state)
{
  (void)state;
  struct verdict_words words;
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  uint32_t frame = rtop_symbols_frame(symbols, "endpoint=GET /slow", 18, "", 0, "(labels)", 8, 0, RTOP_SYMBOL_SPECIAL);
  struct stall *stall = add(STALL_REQUEST, -3500, -2500, false);
  stall->request = (struct rtop_slow_call){ .node = rtop_symbols_node(symbols, 0, frame, 0), .own = 1 };
  ui_verdict_words(&ui, &words, 160);
  assert_string_equal(words.stall, "[(] slow request 2 s ago: 1.0 s in Hash#merge");
  check_jump('(', -2500, "Hash#merge");
  assert_true(shows("endpoint=GET /slow took 1.0 s, longest in Hash#merge"));
  assert_true(shows("; ( again: a bl"));
  model_press(&ui, '!');
  assert_true(shows("endpoint=GET /slow: Hash#merge"));
  model_press(&ui, '!');
  check_jump('(', -22000, "OrdersController#index");
  check_jump(')', -2500, "Hash#merge");
  model_press(&ui, 'z');
  add(STALL_NO_SAFEPOINT, -6000, -2600, false); /* about as old, and longer */
  check_jump('(', -5000, "Hash#merge");
  assert_true(shows("held the GVL for 3.4 s"));
}

/* The line never names another stall than the key goes to. */
static void test_line_and_key_agree(void **state)
{
  (void)state;
  struct verdict_words words;
  add(STALL_METHOD, -800, 0, true)->amount = 1; /* the verdict itself tells that */
  ui_verdict_words(&ui, &words, 160);
  assert_string_equal(words.stall, "");
  check_jump('(', 0, "Hash#merge");
}

/* Two processes: 4711 has the stall of three seconds, 4712 one in the middle of it and a mark. */
static void two_processes(void)
{
  ui.source.processes = ui.source.count = 2;
  for (int i = 0; i < 2; i++) {
    ui.source.at[i] = ui.source.main;
    ui.source.at[i].pid = 4711 + i;
  }
  add(STALL_GC, -22000, -21500, false)->source = 1;
  add(STALL_MARK, -5000, -5000, false)->source = 1;
  ui.dirty = true;
  model_redraw(&ui);
}

/* Of several each stall says whose it is; of one that is shown alone its own are listed, drawn and gone to. */
static void test_stalls_of_the_processes_shown(void **state)
{
  (void)state;
  struct verdict_words words;
  two_processes();
  model_press(&ui, '!');
  assert_true(shows(" PID     THREAD") && shows(" 4711    puma srv") && shows(" 4712\n") && shows("deploy"));
  assert_true(shows(".M")); /* on the axis */
  model_press(&ui, 'G');
  model_press(&ui, '\r');
  assert_true(shows("4711: puma srv tp 003 was blocked for 3.0 s"));
  ui_verdict_words(&ui, &words, 160);
  assert_string_equal(words.stall, "[(] stall now: 4711: 3.0 s in String#gsub < OrdersController#index");
  model_press(&ui, 'z');
  model_press(&ui, 'H');
  assert_true(shows(" 4711    puma srv") && shows(" 4712\n"));
  model_press(&ui, 'H');
  assert_true(shows("only process 4711") && shows("String#gsub") && shows("blocked        3.00s"));
  assert_false(shows(" PID ") || shows("deploy") || shows("Hash#merge") || shows(".M"));
  check_jump('(', -22000, "OrdersController#index");
  model_press(&ui, ')');
  assert_true(shows("no later stall or mark"));
  model_press(&ui, 'z');
  model_press(&ui, 'H');
  assert_true(shows("only process 4712") && shows("Hash#merge") && shows("deploy") && !shows("String#gsub < "));
  ui.stalls.stalls.count = 1;
  model_redraw(&ui);
  assert_true(shows("no stalls or marks of this process in the history"));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
    CASE(test_list_from_every_view_and_back),
    CASE(test_list_of_the_time_view),
    CASE(test_jump_selects_the_method),
    CASE(test_jump_shows_all_time),
    CASE(test_jump_shows_the_row),
    CASE(test_what_turns_out_is_told),
    CASE(test_jump_selects_the_thread),
    CASE(test_strip_and_words),
    CASE(test_back_to_a_stall_that_goes_on),
    CASE(test_back_to_a_long_stall),
    CASE(test_back_from_a_cursor_that_was_moved),
    CASE(test_back_to_what_harmed),
    CASE(test_what_lies_in_one_window_is_told),
    CASE(test_later_ones_that_are_over),
    CASE(test_back_to_a_method_or_mark),
    CASE(test_old_news_are_said_to_be_old),
    CASE(test_back_to_a_slow_request),
    CASE(test_line_and_key_agree),
    CASE(test_menu_of_a_stall),
    CASE(test_stalls_of_the_processes_shown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
