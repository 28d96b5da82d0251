/* All calls in the place of samples: asked for, followed, ended, shown by the views that can, and left again. */
#include "tests/tui/screen_fixture.h"
#include "shm/base/format.h"

enum { WINDOW_NS = 100000000 };

static int set_up_past(void **state)
{
  static const struct screen_case dead = { .rows = 24, .columns = 80, .dead = true };
  (void)state;
  open_case(&dead, model_calls_profile());
  return 0;
}

/* `count` windows come, from the end of what is held on, the last one in this state. */
static uint32_t serial = 1; /* of what the process traces */

static void come(int count, int state)
{
  for (int i = 0; i < count; i++) {
    model_add_calls(profile, rtop_profile_bounds(profile).end_ns, i + 1 < count ? RTOP_WHOLE_ON : state, serial);
    ui.now_ns += WINDOW_NS;
    ui.now_real_ns += WINDOW_NS;
  }
  ui.stale = true;
  model_redraw(&ui);
}

static void check(const char *text)
{
  char *screen = model_screen_text();
  if (!strstr(screen, text)) fail_msg("'%s' is not on the screen:\n%s", text, screen);
  free(screen);
}

static void begin(const char *answer)
{
  model_press(&ui, 'T');
  check("Count all calls for how many seconds? 5");
  if (*answer) {
    model_press(&ui, 'U' & 0x1f);
    model_type(&ui, answer);
  }
  model_press(&ui, '\r');
}

static void test_what_is_asked(void **state)
{
  (void)state;
  begin("");
  assert_true(ui.wish.calls.begin && !ui.wish.calls.end);
  assert_int_equal(ui.wish.calls.seconds, 5);
  assert_string_equal(ui.wish.calls.how, "r");
  check("all calls in Ruby: asked for, nothing is told yet (T: end)");
  check("no call was traced yet");
}

static void test_how_it_is_asked(void **state)
{
  static const struct {
    const char *text, *how;
    uint32_t seconds;
  } answers[] = {
    { "12 ruby", "r", 12 }, { "force, 3", "r!", 3 }, { "c force 60", "!", 60 }, { "c", "", 5 }, { " ", "r", 5 }
  };
  static const char *const bad[] = { "0", "61", "x", "5s", "-1", "1 2.5" };
  (void)state;
  for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
    begin(answers[i].text);
    assert_int_equal(ui.wish.calls.seconds, answers[i].seconds);
    assert_string_equal(ui.wish.calls.how, answers[i].how);
    ui_calls_forget(&ui);
  }
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    begin(bad[i]);
    check("seconds from 1 to 60");
    assert_false(ui.wish.calls.begin || ui.calls.running || ui.calls.shown);
  }
}

/* From asking to samples again; the order and the units of samples come back. */
static void test_all_of_it(void **state)
{
  (void)state;
  model_press(&ui, '@');
  begin("c");
  come(10, RTOP_WHOLE_ON);
  check("all calls: 4 s to go, 310,400 calls (T: end)");
  check("exact  1.0 s");
  check("CALLS");
  assert_false(ui.wish.calls.end);
  come(40, RTOP_WHOLE_ON);
  check("all calls: ending, ");
  come(1, RTOP_WHOLE_DONE);
  assert_true(ui.wish.calls.end);
  assert_false(ui.calls.running);
  check("exact: 5.1 s of all calls, 1,583,040 calls");
  check("48 ns a call taken off");
  model_add_window(profile, rtop_profile_bounds(profile).end_ns, "String#gsub"); /* goes on, and changes nothing */
  ui.stale = true;
  model_redraw(&ui);
  check("exact: 5.1 s of all calls");
  check("1377612 ");
  assert_int_equal(ui.look.units, UNITS_TIME);
  model_press(&ui, 'T');
  assert_false(ui.calls.shown);
  assert_int_equal(ui.look.units, UNITS_PERCENT);
  assert_int_equal(ui.wanted.sort, RTOP_SORT_ALLOC);
  assert_false(shows("exact"));
  check_drawn_afresh(&ui);
}

/* What came up to then stays, with what is told of it yet. */
static void test_enough(void **state)
{
  (void)state;
  begin("");
  come(10, RTOP_WHOLE_ON);
  model_press(&ui, 'T');
  assert_true(ui.wish.calls.end && ui.calls.running && ui.calls.shown);
  check("all calls in Ruby: ending, 310,400 calls (T: end)");
  ui.wish.calls.end = false;
  come(2, RTOP_WHOLE_TELLING);
  assert_true(ui.calls.running);
  come(1, RTOP_WHOLE_DONE);
  assert_true(ui.wish.calls.end && !ui.calls.running && ui.calls.shown);
  check("exact: 1.3 s of calls in Ruby, 403,520 calls");
  model_press(&ui, 27);
  assert_false(ui.calls.shown);
}

/* Who does not wait for the rest does without it, and gets nothing of it when asking again. */
static void test_impatience(void **state)
{
  (void)state;
  serial = 1;
  begin("");
  come(10, RTOP_WHOLE_ON);
  model_press(&ui, 'T');
  model_press(&ui, 27);
  assert_true(ui.wish.calls.end && !ui.calls.running && ui.calls.shown);
  check("exact: 1.0 s of calls in Ruby, 310,400 calls, 48 ns a call taken off (T: back)");
  model_press(&ui, 27);
  begin("");
  come(3, RTOP_WHOLE_DONE);
  assert_true(ui.calls.running);
  check("nothing is told yet");
  serial = 2;
  come(5, RTOP_WHOLE_ON);
  check("exact  0.5 s");
  check("155,200 calls");
  serial = 1;
}

static void test_refusals(void **state)
{
  (void)state;
  begin("");
  come(1, RTOP_WHOLE_YJIT);
  check("no call was traced: YJIT is on");
  assert_true(ui.wish.calls.end && !ui.calls.shown && !ui.calls.running);
  begin("");
  for (int i = 0; i < 19; i++) come(1, RTOP_WHOLE_YJIT); /* that is what was told before */
  assert_true(ui.calls.running);
  serial = 2;
  come(1, RTOP_WHOLE_REFUSED);
  check("no call was traced: not done: the process cannot do it on this Ruby");
  begin("");
  serial = 3;
  come(3, RTOP_WHOLE_FULL);
  serial = 1;
  check("it ended early: there was no more room");
  check("exact: 0.3 s of calls in Ruby, 93,120 calls");
}

static void test_silence(void **state)
{
  (void)state;
  begin("2");
  ui.now_ns += INT64_C(13000000000);
  ui.stale = true;
  model_redraw(&ui);
  check("no call was traced: the process did not answer, or called nothing");
  assert_true(ui.wish.calls.end && !ui.calls.shown);
}

/* A recording, or a process that is gone, shows what was traced. */
static void test_the_past(void **state)
{
  (void)state;
  model_press(&ui, 'T');
  assert_false(ui.wish.calls.begin);
  check("exact: 5.0 s of all calls, 1,552,000 calls");
  model_press(&ui, 'T');
  assert_false(shows("exact:"));
}

/* All that was told of, however often it was asked for while the process lived. */
static void test_the_past_of_two(void **state)
{
  (void)state;
  begin("");
  come(10, RTOP_WHOLE_DONE);
  model_press(&ui, 'T');
  begin("");
  serial = 2;
  come(5, RTOP_WHOLE_DONE);
  serial = 1;
  check("exact: 0.5 s of calls in Ruby, 155,200 calls");
  model_press(&ui, 'T');
  ui.source.main.state = RTOP_FEED_ENDED;
  model_press(&ui, 'T');
  check("exact: 1.5 s of ");
  check("465,600 calls");
}

static void test_no_past(void **state)
{
  (void)state;
  ui.source.main.state = RTOP_FEED_ENDED;
  model_press(&ui, 'T');
  check("no calls were counted here");
  ui.source.main.state = RTOP_FEED_LIVE;
  ui.source.stream.there = true;
  model_press(&ui, 'T');
  check("a stream cannot count calls");
}

/* Views that know nothing of calls show samples, and say nothing of calls. */
static void test_views(void **state)
{
  static const struct {
    enum view_id view;
    bool exact;
  } views[] = { { VIEW_METHODS, true },  { VIEW_TREE, true },   { VIEW_THREADS, false },
                { VIEW_ICICLE, true },   { VIEW_GROUPS, true }, { VIEW_SOURCE, false },
                { VIEW_SKYLINE, false }, { VIEW_TIME, false },  { VIEW_LABELS, false } };
  (void)state;
  model_press(&ui, 'T');
  for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
    ui_open_view(&ui, views[i].view);
    model_redraw(&ui);
    assert_int_equal(shows("exact: 5.0 s of all calls"), views[i].exact);
    assert_int_equal(ui_shown_sum(&ui) == &ui.calls.sum, views[i].exact);
    check_drawn_afresh(&ui);
  }
  model_press(&ui, 27); /* here they are not shown: nothing to leave */
  assert_true(ui.calls.shown);
}

/* Order by calls in every view; what samples alone know is no order. */
static void test_order(void **state)
{
  (void)state;
  model_press(&ui, 'T');
  assert_int_equal(ui.wanted.sort, RTOP_SORT_SELF);
  model_press(&ui, '@');
  check("that is not known of calls");
  assert_int_equal(ui.wanted.sort, RTOP_SORT_SELF);
  model_press(&ui, '>');
  model_press(&ui, '>');
  assert_true(columns_of_calls(ui.wanted.sort));
  ui.wanted.sort = RTOP_SORT_COUNT;
  ui.stale = true;
  model_redraw(&ui);
  check("CALLSv");
  check("1350600"); /* fact */
  model_press(&ui, '2');
  check("CALLSv");
  model_press(&ui, '8');
  check("CALLSv");
  model_press(&ui, 'B');
  check("counted calls cannot be compared");
  model_press(&ui, '%');
  assert_int_equal(ui.look.units, UNITS_PERCENT);
  model_press(&ui, '%');
  assert_int_equal(ui.look.units, UNITS_TIME);
}

/* Hidden C methods: their calls are not told, their time is the caller's. */
static void test_lens_and_search(void **state)
{
  (void)state;
  model_press(&ui, 'T');
  check("String#gsub");
  model_press(&ui, 'K');
  assert_false(shows("String#gsub"));
  check("OrdersController#index");
  model_press(&ui, 'K');
  model_type(&ui, "/gsub\r");
  check("search: gsub 1/1");
  model_press(&ui, 27);
  model_type(&ui, "\\Serial\r");
  check(" Order#as_json");
  assert_false(shows("String#gsub"));
}

#define TEST(name, set_up_function) cmocka_unit_test_setup_teardown(name, set_up_function, tear_down)
int main(void)
{
  const struct CMUnitTest tests[] = {
    TEST(test_what_is_asked, set_up),
    TEST(test_how_it_is_asked, set_up),
    TEST(test_all_of_it, set_up),
    TEST(test_enough, set_up),
    TEST(test_impatience, set_up),
    TEST(test_refusals, set_up),
    TEST(test_silence, set_up),
    TEST(test_the_past, set_up_past),
    TEST(test_the_past_of_two, set_up),
    TEST(test_no_past, set_up),
    TEST(test_views, set_up_past),
    TEST(test_order, set_up_past),
    TEST(test_lens_and_search, set_up_past),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
