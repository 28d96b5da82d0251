/* Two processes: merged, apart, each alone. */
#include "tests/tui/model_fixture.h"
#include "tests/tui/screen_fixture.h"

enum { GONE_WINDOWS = 40 };

/* The second one is gone for so many windows. */
static struct rtop_profile *two_processes(int gone)
{
  struct rtop_profile *made = rtop_profile_create(64 << 20);
  struct rtop_symbols *symbols = rtop_profile_symbols(made);
  uint32_t node[2] = { rtop_symbols_node(symbols, 0, fixture_frame(symbols, "One#work", "/one.rb", 1), 1),
                       rtop_symbols_node(symbols, 0, fixture_frame(symbols, "Two#work", "/two.rb", 1), 1) };
  for (int i = 0; i < 100; i++) {
    for (uint32_t source = 0; source < (i < 100 - gone ? 2 : 1); source++) {
      struct rtop_window window = { 0 };
      int64_t start_ns = MODEL_END_NS - (100 - i) * 100 * MS + source * 20 * MS;
      fixture_window(&window, start_ns, start_ns + 100 * MS);
      uint32_t thread = fixture_thread(&window, 1, RTOP_RUNNING, node[source], 0);
      fixture_cell(&window, thread, node[source], RTOP_RUNNING, source == 0 ? 100 * MS : 25 * MS);
      if (source == 1) fixture_cell(&window, thread, node[source], RTOP_BLOCKED, 75 * MS);
      rtop_window_set_counter(&window, RTOP_COUNTER_SAMPLES, source == 0 ? 100 : 7);
      rtop_window_set_counter(&window, RTOP_COUNTER_CPU_NS, source == 0 ? 100 * MS : 25 * MS);
      rtop_window_set_counter(&window, RTOP_COUNTER_RSS_BYTES, (source + 1) * (10 << 20));
      rtop_window_set_counter(&window, RTOP_COUNTER_GC_MINOR, source);
      assert_true(fixture_add(made, source, &window));
      rtop_window_destroy(&window);
    }
  }
  return made;
}

static int open_two(void **state)
{
  static const struct screen_case wide = { .rows = 24, .columns = 100 };
  (void)state;
  open_case(&wide, two_processes(0));
  return 0;
}

static int open_one_gone(void **state)
{
  static const struct screen_case wide = { .rows = 24, .columns = 100 };
  (void)state;
  open_case(&wide, two_processes(GONE_WINDOWS));
  return 0;
}

static void name_two(void)
{
  ui.source.processes = ui.source.count = 2;
  for (int i = 0; i < 2; i++) {
    ui.source.at[i] = ui.source.main;
    ui.source.at[i].pid = 4711 + i;
    snprintf(ui.source.at[i].command, sizeof ui.source.at[i].command, "worker %d", i);
  }
}

/* Of one alone everything is its own: title, bars, counts, rows of threads, the strip. */
static void test_alone(void **state)
{
  (void)state;
  name_two();
  model_press(&ui, '3');
  assert_true(shows("(+1)") && shows("Thr  2: 2 run") && shows("599/m") && shows("rss 30.0M"));
  assert_true(shows("GVL[") && shows("held  63% of 2 GVLs"));
  double strip = ui.strip.busy[ui.strip.cells - 2];
  assert_true(strip > 0.62 && strip < 0.63);
  model_press(&ui, 'H');
  model_press(&ui, 'H');
  assert_true(shows("4711 worker 0 ") && !shows("(+1)") && shows("Thr  1: 1 run") && shows("4711 t1"));
  assert_true(shows("held 100% by t1") && shows("rss 10.0M") && shows("   0/m"));
  assert_true(shows("4711 t1") && !shows("4712 t1"));
  assert_true(ui.strip.busy[ui.strip.cells - 2] > 0.99);
  model_press(&ui, 'H');
  assert_true(shows("4712 worker 1 ") && shows("Thr  1: 1 run"));
  assert_true(shows("held  25% by t1") && shows("rss 20.0M") && shows(" 600/m"));
  assert_true(!shows("4711 t1") && shows("4712 t1"));
  assert_false(shows("One#work")); /* nor does the verdict tell of the other one */
  assert_true(ui.strip.busy[ui.strip.cells - 2] < 0.26);
  model_press(&ui, '7');
  assert_true(shows(" held 25% wait 0.00 blocked 0.75 ") && shows(" cpu 0.25 "));
  model_press(&ui, 'B');
  model_press(&ui, 'z');
  for (size_t i = 0; i < ui.methods.count; i++)
    assert_true(ui.methods.rows[i].delta > -1e-9 && ui.methods.rows[i].delta < 1e-9);
}

/* What found no room: of all together, or of the one that is shown. */
static void test_losses(void **state)
{
  (void)state;
  name_two();
  ui.source.at[1].losses[RTOP_LOSS_NODES] = 12345;
  ui.source.at[1].losses[RTOP_LOSS_SAMPLES] = 9;
  ui.source.main.losses[RTOP_LOSS_NODES] = 12345;
  ui.dirty = true;
  model_redraw(&ui);
  assert_true(shows("no room: 12.3k nodes") && !shows("samples"));
  model_press(&ui, 'H');
  model_press(&ui, 'H');
  assert_false(shows("no room"));
  model_press(&ui, 'H');
  assert_true(shows("no room: 12.3k nodes"));
}

/* One of several that is gone is named in the title, with how and when; shorter where there is little room. */
static void test_gone(void **state)
{
  (void)state;
  name_two();
  ui.source.processes = 1;
  struct ui_process *gone = &ui.source.at[1];
  gone->state = RTOP_FEED_DEAD;
  gone->ended_real_ns = ui.now_real_ns - 1000 * (int64_t)MS;
  snprintf(gone->end, sizeof gone->end, "killed by signal 9");
  ui.dirty = true;
  model_redraw(&ui);
  assert_true(shows("puma: cluster") && shows("  4712 killed by signal 9 14:13:") && !shows("(+1)"));
  ui.source.at[0].state = RTOP_FEED_REPLAY; /* none lives: the title tells of all together */
  ui.source.main.state = RTOP_FEED_DEAD;
  model_redraw(&ui);
  assert_false(shows("killed by"));
  ui.source.main.state = RTOP_FEED_LIVE;
  gone->replaced = true; /* it goes on as another source */
  model_redraw(&ui);
  assert_false(shows("killed by"));
  gone->replaced = false;
  model_press(&ui, 'H');
  model_press(&ui, 'H');
  model_press(&ui, 'H');
  assert_true(shows("4712 worker 1  killed by signal 9") && shows("[DEAD]"));
  gone->by_exec = true;
  model_redraw(&ui);
  assert_true(shows("[EXEC]"));
}

static void end_the_second(void)
{
  name_two();
  ui.source.processes = 1;
  struct ui_process *gone = &ui.source.at[1];
  gone->state = RTOP_FEED_DEAD;
  gone->ended_real_ns = MODEL_END_NS + MODEL_OFFSET_NS - (GONE_WINDOWS * 100 - 20) * MS;
  snprintf(gone->end, sizeof gone->end, "killed by signal 9");
}

/* One that is gone is shown as it was in its last window, however long ago that was. */
static void test_gone_alone(void **state)
{
  (void)state;
  end_the_second();
  model_type(&ui, "3HHH");
  assert_true(shows("only process 4712, which ended at 14:13:1") && shows("[DEAD]") && shows("  14:13:16  "));
  assert_true(shows("held  25% by t1") && shows("Thr  1: 1 run") && shows("rss 20.0M") && shows("4712 t1"));
  assert_true(shows("Two#work") && !shows("One#work") && !shows("no thread is known"));
  assert_true(ui.strip.busy[ui.strip.cells - 2] > 0.24 && ui.strip.busy[ui.strip.cells - 2] < 0.26);
  assert_true(shows(" -4s\n") && !shows(" now\n"));
  model_press(&ui, '7');
  assert_true(shows(" held 25% wait 0.00 blocked 0.75 ") && shows("^\n"));
  model_press(&ui, '1');
  assert_true(shows("Two#work"));
  model_press(&ui, 'H');
  assert_true(shows("One#work") && shows(" now\n"));
}

/* Where time was gone to when it was over, that is said, and the key that goes back. */
static void test_gone_before_the_moment(void **state)
{
  (void)state;
  end_the_second();
  model_type(&ui, "zHHH");
  assert_true(ui.frozen && shows("  process 4712 ended at 14:13:16: press z to go there"));
  model_press(&ui, '3');
  assert_true(shows("  process 4712 ended at 14:13:16: press z to go there"));
  model_press(&ui, 'z');
  assert_true(shows("4712 t1") && shows("held  25%"));
  ui.source.at[1].started_real_ns = MODEL_END_NS + MODEL_OFFSET_NS - 5000 * MS;
  model_type(&ui, "{");
  assert_true(shows("4712 t1"));
  ui.time.cursor_ns = MODEL_END_NS + 1000 * MS; /* nothing is held there */
  ui.source.at[1].started_real_ns = ui.time.cursor_ns + MODEL_OFFSET_NS;
  ui.stale = true;
  model_redraw(&ui);
  assert_true(shows("  process 4712 was started later, at 14:13:21"));
  ui.source.at[1].ended_real_ns = ui.source.at[1].started_real_ns = 0;
  model_redraw(&ui);
  assert_true(shows("  no thread is known yet"));
}

static int open_two_narrow(void **state)
{
  static const struct screen_case narrow = { .rows = 12, .columns = 48 };
  (void)state;
  open_case(&narrow, two_processes(0));
  return 0;
}

static int open_two_tiny(void **state)
{
  static const struct screen_case tiny = { .rows = 5, .columns = 20 };
  (void)state;
  open_case(&tiny, two_processes(0));
  return 0;
}

/* The state stays whatever else there is to say. */
static void test_gone_in_no_room(void **state)
{
  (void)state;
  name_two();
  ui.source.at[1].state = RTOP_FEED_DEAD;
  ui.dirty = true;
  model_redraw(&ui);
  assert_true(shows("4~  1 gone  [LIVE]") || shows("471~  1 gone [LIVE]"));
}

static void test_gone_in_little_room(void **state)
{
  (void)state;
  name_two();
  ui.source.processes = 1;
  ui.source.at[1].state = RTOP_FEED_DEAD;
  ui.dirty = true;
  model_redraw(&ui);
  assert_true(shows("4711") && shows("gone"));
}

static void test_processes(void **state)
{
  (void)state;
  name_two();
  model_press(&ui, '3');
  assert_true(!shows("4711 t1") && ui.methods.count >= 2);
  model_press(&ui, 'H');
  assert_true(shows("processes separate") && shows("4711 t1") && shows("4712 t1"));
  uint64_t all_ns = rtop_cost_wall(&ui.sum.total);
  model_press(&ui, '7');
  assert_true(shows("\n4711    ") && shows("\n4712    "));
  model_press(&ui, 'H');
  assert_true(shows("only process 4711"));
  for (int turn = 0; turn < 2; turn++) {
    uint64_t self_ns = 0;
    for (size_t i = 0; i < ui.methods.count; i++) {
      const char *label = rtop_symbols_get(rtop_profile_symbols(profile), ui.methods.rows[i].frame)->label;
      assert_true(ui.methods.rows[i].self_ns == 0 || strcmp(label, turn == 0 ? "One#work" : "Two#work") == 0);
      self_ns += ui.methods.rows[i].self_ns;
    }
    assert_true(self_ns > 0 && self_ns < all_ns);
    model_press(&ui, 'H');
  }
  assert_int_equal(ui.apart, 0);
  assert_true(shows("processes merged") && !shows("\n4712    "));
}

/* How each is, that in more trouble first; Enter shows one alone, q goes back to the list, and H on to the next. */
static void test_list(void **state)
{
  (void)state;
  name_two();
  ui.source.processes = ui.source.count = 3; /* of the third nothing is known */
  ui.source.at[2] = ui.source.main;
  ui.source.at[2].pid = 4713;
  snprintf(ui.source.at[2].command, sizeof ui.source.at[2].command, "worker 2");
  ui_list_refresh(&ui);
  model_press(&ui, 'H');
  assert_true(shows("processes separate; H: the list of them"));
  model_press(&ui, 'H');
  assert_int_equal(ui.view->id, VIEW_CHOOSER);
  assert_int_equal(ui.list.process_count, 3);
  assert_true(shows(">   4711  1.00 100% ") && shows("    4712  0.25  25% ") && shows("    4713     -    - "));
  assert_true(shows(" GC ") && shows(" STALL ") && shows(" worker 1 ") && shows("One#work") && shows("Two#work"));
  assert_int_equal(ui.list.processes[0]->pid, 4711);
  assert_true(ui.list.doctor[0]->trouble > ui.list.doctor[1]->trouble && ui.list.doctor[2] == NULL);
  model_press(&ui, 'j');
  model_press(&ui, '\r');
  assert_true(shows("only process 4712") && shows("Two#work") && !shows("One#work"));
  assert_int_equal(ui.view->id, VIEW_METHODS);
  model_press(&ui, 'q');
  assert_true(!ui.wish.quit && ui.view->id == VIEW_CHOOSER && ui.apart == 0);
  model_press(&ui, 27);
  assert_true(!ui.wish.quit && ui.view->id == VIEW_METHODS);
  model_type(&ui, "HHH");
  assert_true(shows("only process 4711") && ui.view->id == VIEW_METHODS);
  model_type(&ui, "HHH");
  assert_int_equal(ui.apart, 0);
  model_type(&ui, "HHq");
  assert_true(ui.wish.quit);
}

static void test_one_process(void **state)
{
  (void)state;
  model_press(&ui, 'H');
  assert_true(ui.apart == 0 && shows("one process is watched"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_processes, open_two, tear_down),
    cmocka_unit_test_setup_teardown(test_alone, open_two, tear_down),
    cmocka_unit_test_setup_teardown(test_list, open_two, tear_down),
    cmocka_unit_test_setup_teardown(test_losses, open_two, tear_down),
    cmocka_unit_test_setup_teardown(test_gone, open_two, tear_down),
    cmocka_unit_test_setup_teardown(test_gone_alone, open_one_gone, tear_down),
    cmocka_unit_test_setup_teardown(test_gone_before_the_moment, open_one_gone, tear_down),
    cmocka_unit_test_setup_teardown(test_gone_in_no_room, open_two_tiny, tear_down),
    cmocka_unit_test_setup_teardown(test_gone_in_little_room, open_two_narrow, tear_down),
    cmocka_unit_test_setup_teardown(test_one_process, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
