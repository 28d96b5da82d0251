/* Frozen, stepping, spans, playing: what the views are given, and what is said. */
#include "tests/tui/screen_fixture.h"

#define MS INT64_C(1000000)

static void check_span(int64_t start_ms, int64_t end_ms)
{
  assert_int_equal((ui.span.start_ns - MODEL_END_NS) / MS, start_ms);
  assert_int_equal((ui.span.end_ns - MODEL_END_NS) / MS, end_ms);
}

/* As the loop does it: time passes, then an update if one is wanted. */
static void pass(int64_t ms)
{
  ui.now_ns += ms * MS;
  ui.now_real_ns += ms * MS;
  ui_time_tick(&ui);
  model_redraw(&ui);
}

static void test_steps(void **state)
{
  (void)state;
  check_span(-1000, 0);
  model_press(&ui, '[');
  assert_true(ui.frozen && shows("[FROZEN -0s]") && shows("F9Live"));
  check_span(-1100, -100);
  model_press(&ui, '{');
  check_span(-2100, -1100);
  assert_true(shows("[FROZEN -1s]"));
  model_press(&ui, FN(KEY_F(7)));
  model_press(&ui, FN(KEY_F(8)));
  model_press(&ui, '}');
  model_press(&ui, ']');
  check_span(-1000, 0);
  assert_true(ui.frozen);
  model_press(&ui, ']');
  assert_true(shows("the newest data: z resumes"));
  model_press(&ui, 'z');
  assert_true(!ui.frozen && shows("[LIVE]"));
  model_press(&ui, ']');
  assert_true(!ui.frozen && shows("the newest data"));
}

/* The clock in the title is that of the moment shown. */
static void test_goto(void **state)
{
  (void)state;
  assert_true(shows("14:13:20"));
  model_press(&ui, 'b');
  model_type(&ui, "14:13:00\r");
  check_span(-21000, -20000);
  assert_true(ui.frozen && shows("14:13:00") && shows("[FROZEN -20s]"));
  model_press(&ui, 'b');
  model_type(&ui, "-5\r");
  check_span(-26000, -25000);
  model_press(&ui, 'b');
  model_type(&ui, "+1.5s\r");
  check_span(-24500, -23500);
  model_press(&ui, 'b');
  model_type(&ui, "2026-09-21T14:12:40Z\r");
  check_span(-41000, -40000);
  model_press(&ui, 'b');
  model_type(&ui, "soon\r");
  assert_true(shows("a time is 14:31:52"));
  check_span(-41000, -40000);
  model_press(&ui, 'b');
  model_type(&ui, "10:00\r");
  assert_true(shows("the history begins at 14:12:05"));
  check_span(-75900, -74900);
  model_press(&ui, '[');
  assert_true(shows("the oldest data"));
  model_press(&ui, 'b');
  model_press(&ui, 27);
  check_span(-75900, -74900);
  model_press(&ui, 'b');
  model_type(&ui, "end\r");
  check_span(-1000, 0);
}

/* The model has lost three seconds. */
static void test_gap(void **state)
{
  (void)state;
  model_press(&ui, 'b');
  model_type(&ui, "-51.9s\r");
  check_span(-52900, -51900);
  model_press(&ui, '[');
  assert_true(shows("skipped a gap of 3.0 s"));
  check_span(-56000, -55000);
  model_press(&ui, ']');
  assert_true(shows("skipped a gap of 3.0 s"));
  model_press(&ui, ']');
  check_span(-52800, -51800);
  assert_int_equal(ui.sum.gap_count, 1);
}

static void test_span(void **state)
{
  (void)state;
  model_press(&ui, '{');
  model_press(&ui, 'm');
  assert_true(shows("from here to the cursor"));
  model_press(&ui, '{');
  check_span(-2100, -1000); /* reaches to the cursor, the windows of both ends included */
  assert_true(shows("[SPAN 1.10s -2s]"));
  model_press(&ui, '{');
  model_press(&ui, 'm');
  assert_true(shows("a span of 2.1 s"));
  check_span(-3100, -1000);
  assert_int_equal(ui.sum.window_count, 21);
  for (int i = 0; i < 5; i++) model_press(&ui, '{'); /* the cursor goes alone */
  check_span(-3100, -1000);
  for (const char *view = "2345681"; *view != '\0'; view++) {
    model_press(&ui, *view);
    check_span(-3100, -1000);
    assert_true(shows("[SPAN 2.10s"));
  }
  model_press(&ui, 'm');
  check_span(-9000, -8000);
  model_press(&ui, 'm');
  model_press(&ui, 27);
  check_span(-9000, -8000);
  model_press(&ui, 'z');
  check_span(-1000, 0);
}

struct picture {
  int64_t end_ns;
  uint64_t running_ns, blocked_ns, samples;
  size_t methods;
  uint64_t self_ns;
};

static struct picture picture(void)
{
  struct picture at = { ui.span.end_ns,
                        ui.sum.total.wall_ns[RTOP_STATE_RUNNING],
                        ui.sum.total.wall_ns[RTOP_STATE_BLOCKED],
                        ui.sum.counters.samples,
                        ui.methods.count,
                        0 };
  for (size_t i = 0; i < ui.methods.count; i++) at.self_ns += ui.methods.rows[i].self_ns * (i + 1);
  return at;
}

/* Played one tick a window, both ways, over the gap: the same pictures in the other order. */
static void test_backwards_equals_forwards(void **state)
{
  enum { WINDOWS = 719 }; /* 720 are held, the newest is where play begins */
  static struct picture back[WINDOWS + 1], forth[WINDOWS + 1];
  (void)state;
  model_press(&ui, 'z');
  back[0] = picture();
  model_press(&ui, 'J');
  for (int i = 1; i <= WINDOWS; i++) {
    pass(100);
    back[i] = picture();
    assert_true(back[i].end_ns < back[i - 1].end_ns);
  }
  assert_true(ui.time.speed == 0 && shows("the oldest data"));
  model_press(&ui, 'L');
  forth[0] = picture();
  for (int i = 1; i <= WINDOWS; i++) {
    pass(100);
    forth[i] = picture();
  }
  for (int i = 0; i <= WINDOWS; i++) assert_memory_equal(&forth[i], &back[WINDOWS - i], sizeof back[0]);
}

static void test_play(void **state)
{
  (void)state;
  model_press(&ui, 'L');
  assert_true(!ui.frozen && shows("this is the newest data"));
  model_press(&ui, 'J');
  assert_true(ui.frozen && shows("[PLAY -1x -0s]"));
  pass(1000);
  check_span(-2000, -1000);
  model_press(&ui, 'J');
  assert_true(shows("[PLAY -2x"));
  pass(500);
  check_span(-3000, -2000);
  model_press(&ui, 'J');
  assert_true(shows("[PLAY -10x"));
  pass(1000);
  check_span(-13000, -12000);
  model_press(&ui, 'z');
  assert_true(ui.frozen && ui.time.speed == 0);
  pass(1000);
  check_span(-13000, -12000);
  model_press(&ui, 'L');
  pass(50);
  check_span(-13000, -12000);
  pass(50);
  check_span(-12900, -11900);
  model_press(&ui, 'L');
  model_press(&ui, 'L');
  assert_int_equal(ui.time.speed, 10);
  model_press(&ui, 'L');
  assert_int_equal(ui.time.speed, 1);
  model_press(&ui, 27);
  assert_true(ui.time.speed == 0 && ui.frozen);
  model_press(&ui, 'L');
  model_press(&ui, 'L');
  model_press(&ui, 'L');
  pass(1000);
  pass(1000);
  assert_true(!ui.frozen && shows("now") && shows("[LIVE]"));
  assert_true(ui_time_due_ns(&ui) == INT64_MAX);
}

static void test_play_of_the_dead_ends(void **state)
{
  (void)state;
  ui.source.main.state = RTOP_FEED_DEAD;
  model_press(&ui, '[');
  model_press(&ui, 'L');
  pass(100);
  pass(100);
  assert_true(ui.frozen && ui.time.speed == 0 && shows("the end"));
  assert_true(shows("[FROZEN -0s, DEAD]"));
}

/* What is held ends under the cursor: it goes to the oldest window and says so. */
static void test_history_moves_on(void **state)
{
  (void)state;
  struct rtop_profile *small = rtop_profile_create(200000);
  for (int i = 0; i < 40; i++) model_add_window(small, MODEL_END_NS - 10000 * MS + i * 100 * MS, "first");
  ui_watch(&ui, small);
  ui.source.main.state = RTOP_FEED_LIVE;
  model_redraw(&ui);
  model_press(&ui, 'b');
  model_type(&ui, "start\r");
  struct rtop_span oldest = ui_time_window(&ui);
  model_press(&ui, 'm');
  model_press(&ui, ']');
  model_press(&ui, 'm');
  assert_false(ui_time_changed(&ui));
  for (int i = 40; !ui_time_changed(&ui); i++) {
    model_add_window(small, MODEL_END_NS - 10000 * MS + i * 100 * MS, "later");
    assert_true(i < 100000);
  }
  assert_true(rtop_profile_bounds(small).start_ns > oldest.start_ns);
  ui.stale = true;
  model_redraw(&ui);
  assert_true(shows("the selected span is gone") && ui.time.marks == 0);
  assert_int_equal(ui_time_window(&ui).start_ns, rtop_profile_bounds(small).start_ns);
  assert_true(ui.sum.window_count > 0 && ui.methods.count > 0);
  model_press(&ui, 'J');
  pass(1000);
  assert_true(ui.time.speed == 0);
  ui_watch(&ui, profile);
  rtop_profile_destroy(&small);
}

/* The timeline in the header stands while the cursor moves over it, and follows when it leaves. */
static void test_strip(void **state)
{
  (void)state;
  model_press(&ui, '[');
  int64_t end_ns = ui.strip.end_ns;
  for (int i = 0; i < 30; i++) {
    model_press(&ui, '{');
    assert_int_equal(ui.strip.end_ns, end_ns);
    assert_true(shows("^"));
  }
  assert_true(shows("-71s ") && shows(" now\n"));
  model_press(&ui, 'b');
  model_type(&ui, "start\r");
  assert_true(ui.strip.end_ns < end_ns && shows("^") && !shows(" now\n"));
  model_press(&ui, 'z');
  assert_true(ui.strip.end_ns == ui.span.end_ns && !shows("^"));
}

/* Nothing is held, nothing is watched: keys do no harm. */
static void test_nothing(void **state)
{
  (void)state;
  struct rtop_profile *empty = rtop_profile_create(1 << 20);
  for (int i = 0; i < 2; i++) {
    ui_watch(&ui, i == 0 ? empty : NULL);
    model_redraw(&ui);
    for (const char *key = "[]{}JLmmmzJz"; *key != '\0'; key++) {
      model_press(&ui, *key);
      pass(100);
    }
    model_press(&ui, 'b');
    model_type(&ui, "start\r");
    assert_int_equal(ui.sum.window_count, 0);
  }
  ui_watch(&ui, profile);
  rtop_profile_destroy(&empty);
}

#define TIME_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
    TIME_TEST(test_steps),
    TIME_TEST(test_goto),
    TIME_TEST(test_gap),
    TIME_TEST(test_span),
    TIME_TEST(test_backwards_equals_forwards),
    TIME_TEST(test_play),
    TIME_TEST(test_play_of_the_dead_ends),
    TIME_TEST(test_history_moves_on),
    TIME_TEST(test_strip),
    TIME_TEST(test_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
