/* The threads view: golden screens, and choosing a thread for all views. */
#include "tests/tui/screen_fixture.h"
#include "shm/window/window.h"
#include "tui/text/reserve.h"
#include "tui/views/view_threads.h"

static const struct screen_case cases[] = {
  { .name = "threads-80x24", .rows = 24, .columns = 80, .keys = KEYS('3') },
  { .name = "threads-80x24-color", .rows = 24, .columns = 80, .attributes = true, .keys = KEYS('3') },
  { .name = "threads-80x24-mono", .rows = 24, .columns = 80, .mono = true, .attributes = true, .keys = KEYS('3') },
  { .name = "threads-80x24-ascii", .rows = 24, .columns = 80, .ascii = true, .keys = KEYS('3') },
  { .name = "threads-160x50", .rows = 50, .columns = 160, .keys = KEYS('3', 'j') },
  { .name = "threads-160x50-ascii", .rows = 50, .columns = 160, .ascii = true, .keys = KEYS('3', 'j') },
  { .name = "threads-100x30", .rows = 30, .columns = 100, .keys = KEYS('3') },
  { .name = "threads-40x10", .rows = 10, .columns = 40, .keys = KEYS('3') },
  { .name = "threads-20x5", .rows = 5, .columns = 20, .keys = KEYS('3') },
  { .name = "threads-19x4", .rows = 4, .columns = 19, .keys = KEYS('3') },
  { .name = "threads-frozen-80x24", .rows = 24, .columns = 80, .keys = KEYS('3', '{', '[', '[', '[') },
  { .name = "threads-frozen-80x24-mono",
    .rows = 24,
    .columns = 80,
    .mono = true,
    .attributes = true,
    .keys = KEYS('3', '{', '[', '[', '[') },
  { .name = "threads-frozen-160x50-ascii", .rows = 50, .columns = 160, .ascii = true, .keys = KEYS('3', '{', 'j') },
  { .name = "threads-chosen", .rows = 24, .columns = 80, .keys = KEYS('3', 'j', '\r', '\r') },
  { .name = "threads-chosen-methods", .rows = 24, .columns = 80, .keys = KEYS('3', 'j', '\r', '\r', '1') },
  { .name = "threads-several", .rows = 24, .columns = 80, .attributes = true, .keys = KEYS('3', 'c', 'j', 'c') },
  { .name = "threads-search",
    .rows = 24,
    .columns = 80,
    .attributes = true,
    .keys = KEYS('3', '/', 'p', 'o', 'p', '\r', 'n') },
  { .name = "threads-filter", .rows = 24, .columns = 80, .keys = KEYS('3', '\\', 'p', 'u', 'm', 'a', ' ', 's', '\r') },
  { .name = "threads-by-name", .rows = 24, .columns = 80, .keys = KEYS('3', 'N', '%') },
};

/* Of the same server, two of whose threads wait for a lock of a third one (add_waits). */
static const struct screen_case waits_cases[] = {
  { .name = "threads-waits-80x24", .rows = 24, .columns = 80, .attributes = true, .keys = KEYS('3') },
  { .name = "threads-waits-160x50", .rows = 50, .columns = 160, .keys = KEYS('3', 'j') },
};

static const struct screen_case plain = { .rows = 24, .columns = 80, .keys = KEYS('3') };

/* Methods are brought up to date by the views that show them. */
static void look_at_methods(void)
{
  model_press(&ui, '1');
  model_press(&ui, '3');
}

/* Figures of every view are those of the chosen thread; Esc, or the thread again, brings all back. */
static void test_choose(void **state)
{
  (void)state;
  look_at_methods();
  size_t all = ui.methods.count;
  uint64_t total_ns = rtop_cost_wall(&ui.sum.total);
  model_type(&ui, "\r\r");
  assert_true(ui.focus.count == 1 && shows("thread: puma srv tp 001") && shows("-- stack of puma srv tp 001"));
  look_at_methods();
  assert_true(ui.methods.count > 0 && ui.methods.count < all);
  assert_int_equal(ui.sum.thread_count, 6); /* the table still shows everybody */
  assert_int_equal(rtop_cost_wall(&ui.sum.total), total_ns);
  uint64_t self_ns = 0;
  for (size_t i = 0; i < ui.methods.count; i++) {
    self_ns += ui.methods.rows[i].self_ns;
    assert_true(ui.methods.rows[i].threads <= 1);
  }
  assert_int_equal(self_ns, 1000000000); /* its time, all of it */
  model_press(&ui, '1');
  assert_true(shows("thread: puma srv tp 001") && !shows("Queue#pop"));
  model_press(&ui, 27);
  assert_true(ui.focus.count == 0 && ui.methods.count == all && shows("Queue#pop"));
  model_press(&ui, '3');
  assert_true(shows("-- stack of puma srv tp 001"));
  model_press(&ui, 't');
  assert_false(shows("-- stack"));
  model_type(&ui, "\r\r");
  model_type(&ui, "\r\r");
  assert_int_equal(ui.focus.count, 0);
}

static uint64_t self_of_all(void)
{
  uint64_t self_ns = 0;
  for (size_t i = 0; i < ui.methods.count; i++) self_ns += ui.methods.rows[i].self_ns;
  return self_ns;
}

/* Several threads, in every view; one less, one alone, all. */
static void test_choose_several(void **state)
{
  (void)state;
  model_press(&ui, 'c');
  model_press(&ui, 'c');
  model_press(&ui, 'c');
  assert_true(ui.focus.count == 3 && shows("thread: 3 threads") && shows("*puma srv tp 002"));
  look_at_methods();
  assert_int_equal(self_of_all(), 3000000000);
  model_press(&ui, '1');
  assert_true(shows("thread: 3 threads") && !shows("Queue#pop"));
  model_press(&ui, '2');
  assert_false(shows("Queue#pop"));
  model_press(&ui, '3');
  model_press(&ui, 'g');
  model_press(&ui, 'c');
  assert_true(ui.focus.count == 2 && !shows("*puma srv tp 001"));
  look_at_methods();
  assert_int_equal(self_of_all(), 2000000000);
  model_press(&ui, 'c');
  assert_true(shows("thread: puma srv tp 003"));
  model_press(&ui, 'g');
  model_type(&ui, "\r\r");
  assert_true(ui.focus.count == 1 && shows("thread: puma srv tp 001"));
  look_at_methods();
  assert_int_equal(self_of_all(), 1000000000);
  model_press(&ui, 27);
  model_press(&ui, 27);
  assert_int_equal(ui.focus.count, 0);
  look_at_methods();
  assert_int_equal(self_of_all(), 6000000000);
}

/* Every thread can be chosen up to the bound; one more is told off. */
static void test_choose_too_many(void **state)
{
  (void)state;
  for (uint64_t serial = 100; serial < 100 + UI_FOCUS_MAX + 5; serial++)
    ui_focus_toggle(&ui, &(struct rtop_thread_row){ .serial = serial, .name = "" });
  assert_int_equal(ui.focus.count, UI_FOCUS_MAX);
  model_redraw(&ui);
  assert_true(shows("at most 64 threads can be chosen"));
  look_at_methods();
  assert_int_equal(ui.methods.count, 0);
}

/* Idle threads can be left out. */
static void test_without_idle_threads(void **state)
{
  (void)state;
  model_add_window(profile, MODEL_END_NS, "String#gsub");
  ui.length_ns = 100000000;
  ui.focus.no_idle = true;
  ui.stale = true;
  model_redraw(&ui);
  assert_true(shows("thread: not quiet"));
  look_at_methods();
  assert_int_equal(self_of_all(), 100000000);
}

/* The cursor stays on its thread when the order changes. */
static void test_cursor_follows(void **state)
{
  (void)state;
  model_press(&ui, 'G');
  assert_true(shows(">reactor"));
  model_press(&ui, 'I');
  assert_true(shows(">reactor"));
  model_press(&ui, 'N');
  assert_true(shows(">reactor") && shows("NAMEv") == false && shows("NAME^"));
  model_press(&ui, FN(KEY_HOME));
  assert_true(shows(">main"));
}

/* Never the last known method alone: in the table and over its stack, whatever room there is. */
static void test_old_stacks(void **state)
{
  (void)state;
  struct rtop_thread_row *thread = &ui.sum.threads[1];
  assert_string_equal(thread->name, "puma srv tp 001");
  model_press(&ui, 't');
  assert_true(shows("-- stack of puma srv tp 001 (4721), runs"));
  thread = &ui.sum.threads[1];
  thread->stale = true;
  thread->stack_age_ns = 812000000;
  ui_draw(&ui);
  assert_true(shows("-- last stack of puma srv tp 001 (4721), seen 812ms ago, no safepoint since;"));
  assert_true(shows("? ActiveRec"));
  thread->state = RTOP_STATE_BLOCKED;
  ui_draw(&ui);
  assert_true(shows("seen 812ms ago, none taken since;"));
}

/* So many kinds of fibers wait in the thread; their names are methods of the model. */
static void add_fibers(const struct rtop_thread_row *thread, size_t count)
{
  struct threads_view *view = ui.data[VIEW_THREADS];
  const struct rtop_symbols *symbols = rtop_profile_symbols(ui.profile);
  assert_true(rtop_reserve(&view->fibers.rows, &view->fibers.capacity, count, sizeof *view->fibers.rows));
  for (size_t i = 0; i < count; i++)
    view->fibers.rows[i] = (struct fiber_row){ .source = thread->source,
                                               .serial = thread->serial,
                                               .kind = 1 + (uint32_t)i,
                                               .alive = 1200 + (uint32_t)i,
                                               .waiting = 7,
                                               .share = 0.255,
                                               .longest_ns = 1500 * INT64_C(1000000),
                                               .node = i == 1 ? ui.sum.threads[0].node : thread->node };
  view->fibers.count = count;
  assert_true(rtop_symbols_frame_count(symbols) > count);
  ui_draw(&ui);
}

static const struct rtop_thread_row *thread_with_stack(void)
{
  model_press(&ui, 't');
  const struct rtop_thread_row *thread = &ui.sum.threads[1];
  assert_string_equal(thread->name, "puma srv tp 001");
  assert_false(shows("ALIVE"));
  return thread;
}

/* The fibers of a thread stand above its stack; of too many kinds it is told which are seen. */
static void test_fibers(void **state)
{
  struct threads_view *view = ui.data[VIEW_THREADS];
  (void)state;
  const struct rtop_thread_row *thread = thread_with_stack();
  add_fibers(thread, 3);
  assert_true(shows("-- stack of puma srv tp 001 (4721), runs"));
  assert_true(shows("  ALIVE  WAITING  SHARE%v LONGEST"));
  assert_true(shows("   1202        7    25.5"));
  assert_false(shows("1-3 of"));
  add_fibers(thread, 20);
  view->fibers.rows[0].kind = view->fibers.rows[0].node = 0;
  ui_draw(&ui);
  assert_true(shows("(not known)") && shows(" of 20 Top") && shows("\n   0 "));
  check_drawn_afresh(&ui);
}

static void waits_for(size_t row, uint32_t number, size_t holder)
{
  struct rtop_thread_row *thread = &ui.sum.threads[row];
  thread->state = RTOP_STATE_BLOCKED;
  thread->state_age_ns = UINT64_C(1300000000);
  thread->lock = (struct rtop_lock){ RTOP_WANTS_MUTEX, number, ui.sum.threads[holder].serial };
}

/* What it waits for, who has that, and the stacks of both. */
static void test_locks(void **state)
{
  (void)state;
  thread_with_stack();
  waits_for(1, 3, 2);
  ui_draw(&ui);
  assert_true(shows("waits 1.3 s for Mutex #3 in ") && shows("puma srv tp 002 has it, and is in "));
  assert_true(shows("-- stack of puma srv tp 001") && shows("-- stack of puma srv tp 002"));
  waits_for(2, 4, 1);
  ui_draw(&ui);
  assert_true(shows("puma srv tp 001 has that: deadlock"));
  check_drawn_afresh(&ui);
}

/* Where there is little room its holder is what stays. */
static void test_locks_in_80_columns(void **state)
{
  const char **name = &ui.sum.threads[2].name;
  (void)state;
  waits_for(1, 3, 2);
  *name = "left";
  ui_draw(&ui);
  assert_true(shows(" Mutex #3 of left"));
  *name = "owner";
  ui_draw(&ui);
  assert_true(shows(" #3 of owner") && !shows("Mutex #3 of owner"));
  *name = "worker-no-12";
  ui_draw(&ui);
  assert_true(shows(" of worker-no-12") && !shows("#3 of worker-no-12"));
}

static uint32_t node_below(uint32_t parent, const char *label, const char *path)
{
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  uint32_t frame = rtop_symbols_frame(symbols, label, strlen(label), path, strlen(path), "", 0, 7,
                                      *path != '\0' ? RTOP_SYMBOL_RUBY : RTOP_SYMBOL_C);
  return rtop_symbols_node(symbols, parent, frame, 0);
}

/* One more second, in which who has the lock may do nothing but sleep with it. */
static void add_waits_behind(bool sleeper)
{
  enum { WINDOW_NS = 100000000 };
  static const char lock[] = "Thread::Mutex#synchronize", file[] = "/app/ledger.rb";
  const uint32_t nodes[] = { node_below(node_below(0, "Ledger#book", file), lock, ""),
                             node_below(node_below(node_below(node_below(0, "Ledger#close", file), lock, ""),
                                                   "Ledger#archive", file),
                                        "IO#write", ""),
                             node_below(0, "Ledger#index", file) };
  for (int at = 0; at < 10; at++) {
    struct rtop_window window = { .start_mono_ns = MODEL_END_NS + at * (int64_t)WINDOW_NS };
    uint32_t threads[3];
    window.end_mono_ns = window.start_mono_ns + WINDOW_NS;
    for (uint32_t i = 0; i < 3; i++) {
      struct rtop_source_thread about = { .serial = i + 2, .native_id = 4721 + i };
      uint32_t node = i < 2 ? 0 : at < 7 || sleeper ? 1 : 2, state = node == 2 ? RTOP_RUNNING : RTOP_BLOCKED;
      threads[i] = rtop_profile_thread(profile, 0, &about);
      *rtop_window_add_thread(&window) = (struct rtop_window_thread){
        .slot = i,
        .state = state,
        .node = node,
        .serial = i + 2,
        .state_age_ns = 40000000 + i,
        .lock_kind = i < 2 ? RTOP_LOCK_MUTEX : RTOP_LOCK_NONE,
        .lock = i < 2,
        .lock_holder = i < 2 ? 4 : 0,
      };
      *rtop_window_add_cell(&window) =
          (struct rtop_cell){ node, i, state, 1, WINDOW_NS / (sleeper ? 1 : i + 1), 0, 0, 0 };
    }
    assert_true(rtop_profile_add(profile, 0, &window, nodes, 3, threads));
    rtop_window_destroy(&window);
  }
  ui.stale = true;
  model_redraw(&ui);
}

static void add_waits(void)
{
  add_waits_behind(false);
}

/* Who sleeps with a lock that others wait for is to blame: on top, and not among the quiet, in no view. */
static void test_who_sleeps_with_a_lock(void **state)
{
  (void)state;
  add_waits_behind(true);
  ui.focus.no_idle = true;
  ui.stale = true;
  model_redraw(&ui);
  const struct rtop_thread_row *top = threads_view_row(&ui, 0);
  assert_true(top != NULL && top->serial == 4 && !top->hidden);
  look_at_methods();
  assert_true(shows("puma srv tp 003") && shows("0 quiet"));
  model_press(&ui, '1');
  assert_true(shows("IO#write"));
}

/* In the place of the stack; the key again, the stack's or Esc bring that back. */
static void test_waits(void **state)
{
  (void)state;
  add_waits();
  assert_false(shows("-- waits"));
  model_press(&ui, 'v');
  assert_true(shows("-- waits: blocked 9") && shows("Mutex in Ledger#book"));
  assert_true(shows("1.50 s       2") && shows("behind Ledger#archive < Ledger#close, puma srv tp 003"));
  check_drawn_afresh(&ui);
  model_press(&ui, 'v');
  assert_false(shows("-- waits"));
  model_press(&ui, 'v');
  model_press(&ui, 27);
  assert_true(!shows("-- waits") && !shows("-- stack"));
  model_press(&ui, 'v');
  model_press(&ui, 't');
  assert_true(!shows("-- waits") && shows("-- stack"));
  model_press(&ui, 'v');
  model_press(&ui, 'K'); /* what is waited for is known without C functions, too */
  assert_true(shows("Mutex in Ledger#book") && shows("behind Ledger#archive < Ledger#close"));
}

static void test_waits_screen(void **state)
{
  open_case(*state, model_profile());
  add_waits();
  model_press(&ui, 'v');
  close_and_check(*state);
}

/* Nothing was waited for, or nothing is known. */
static void test_no_waits(void **state)
{
  (void)state;
  model_press(&ui, 'v');
  for (const char *key = "jkgG\rvtv\033"; *key != '\0'; key++) model_press(&ui, *key);
}

/* The cursor goes down to them and back; the stack is where those under it wait. */
static void test_cursor_in_fibers(void **state)
{
  struct threads_view *view = ui.data[VIEW_THREADS];
  (void)state;
  add_fibers(thread_with_stack(), 20);
  ui.stale = false;
  model_press(&ui, FN(KEY_RIGHT));
  assert_true(view->in_fibers && shows(">  1200") && shows("-- where most fibers of puma srv tp 001 (4721) wait: "));
  assert_true(shows(">puma srv tp 001"));
  size_t thread = view->pager.cursor;
  model_press(&ui, 'j');
  assert_true(shows(">  1201") && !shows(">  1200"));
  char leaf[200];
  const struct rtop_symbols *symbols = rtop_profile_symbols(ui.profile);
  uint32_t node = ui.sum.threads[0].node;
  snprintf(leaf, sizeof leaf, "   0  %s",
           rtop_symbols_get(symbols, rtop_symbols_get_node(symbols, node)->frame)->label);
  assert_true(shows(leaf));
  model_press(&ui, 'G');
  assert_true(shows(">  1219") && shows(" of 20 End"));
  check_drawn_afresh(&ui);
  assert_int_equal(view->pager.cursor, thread);
  model_press(&ui, FN(KEY_LEFT));
  assert_true(!view->in_fibers && shows("-- stack of puma srv tp 001"));
  model_press(&ui, FN(KEY_RIGHT));
  model_press(&ui, 27);
  assert_false(view->in_fibers);
}

static void test_search_in_fibers(void **state)
{
  struct threads_view *view = ui.data[VIEW_THREADS];
  (void)state;
  add_fibers(thread_with_stack(), 12);
  model_press(&ui, FN(KEY_RIGHT));
  snprintf(ui.search, sizeof ui.search, "%s", fiber_row_name(&view->fibers.rows[9], rtop_profile_symbols(ui.profile)));
  model_press(&ui, 'n');
  assert_int_equal(view->fiber_pager.cursor, 9);
  assert_true(shows(">  1209") && ui.match_count > 0);
}

/* Nobody is sent where nothing is. */
static void test_no_fibers(void **state)
{
  struct threads_view *view = ui.data[VIEW_THREADS];
  (void)state;
  model_press(&ui, FN(KEY_RIGHT));
  assert_true(!view->in_fibers && shows("no fibers of this thread"));
  add_fibers(thread_with_stack(), 5);
  model_press(&ui, FN(KEY_RIGHT));
  assert_true(view->in_fibers);
  model_press(&ui, 'I'); /* the model is built anew, and has none */
  assert_true(!view->in_fibers && view->fiber_reverse && !ui.wanted.reverse);
}

/* Nothing to show is no reason to fall over. */
static void test_no_threads(void **state)
{
  (void)state;
  assert_true(shows("no thread is known yet"));
  for (const char *key = "jkgG\rtn\033"; *key != '\0'; key++) model_press(&ui, *key);
}

int main(void)
{
  const struct CMUnitTest keys[] = {
    ON_CASE(&plain, set_up_case, test_choose),
    ON_CASE(&plain, set_up_case, test_cursor_follows),
    ON_CASE(&plain, set_up_empty, test_no_threads),
    ON_CASE(&plain, set_up_case, test_choose_several),
    ON_CASE(&plain, set_up_case, test_choose_too_many),
    ON_CASE(&plain, set_up_case, test_without_idle_threads),
    ON_CASE(&plain, set_up_case, test_old_stacks),
    ON_CASE(&plain, set_up_case, test_fibers),
    ON_CASE(&plain, set_up_case, test_cursor_in_fibers),
    ON_CASE(&plain, set_up_case, test_search_in_fibers),
    ON_CASE(&plain, set_up_case, test_no_fibers),
    ON_CASE(&plain, set_up_case, test_locks),
    ON_CASE(&plain, set_up_case, test_who_sleeps_with_a_lock),
    ON_CASE(&plain, set_up_case, test_locks_in_80_columns),
    ON_CASE(&plain, set_up_case, test_waits),
    ON_CASE(&plain, set_up_empty, test_no_waits),
  };
  enum { CASES = sizeof cases / sizeof cases[0], WAITS = sizeof waits_cases / sizeof waits_cases[0] };
  enum { ALL = CASES + WAITS + sizeof keys / sizeof keys[0] };
  struct CMUnitTest tests[ALL];
  add_cases(tests, cases, CASES, test_case);
  add_cases(tests + CASES, waits_cases, WAITS, test_waits_screen);
  memcpy(tests + CASES + WAITS, keys, sizeof keys);
  return _cmocka_run_group_tests("screens of the threads", tests, ALL, NULL, NULL);
}
