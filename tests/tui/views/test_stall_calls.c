/* A stall leads to its own call, in every view: other threads spend more time in the same method, called from elsewhere. */
#include "tests/tui/model_fixture.h"
#include "tests/tui/screen_model.h"
#include "tui/views/view_icicle.h"
#include "tui/views/view_methods.h"
#include "tui/views/view_source.h"
#include "tui/views/view_threads.h"
#include "tui/views/view_tree.h"
#include <stdlib.h>

enum { OTHERS = 30, STALL_MS = 2500, WORK_MS = 3000 };
static struct ui ui;
static struct rtop_profile *profile;
static uint32_t work, rests, clip, sleeps, elsewhere;

static uint32_t call(uint32_t parent, const char *label, const char *path, uint32_t line)
{
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  return rtop_symbols_node(symbols, parent, fixture_frame(symbols, label, path, line), line);
}

static uint32_t frame_of(uint32_t node)
{
  return rtop_symbols_get_node(rtop_profile_symbols(profile), node)->frame;
}

/* The main thread works, rests a little in its loop, and then sleeps within its work; all others have slept elsewhere since long before. */
static void add_window(int64_t start_ns, uint32_t node, int64_t blocked_ms)
{
  struct rtop_window made = { 0 };
  fixture_window(&made, start_ns, start_ns + 100 * MS);
  uint32_t state = blocked_ms > 0 ? RTOP_BLOCKED : RTOP_RUNNING;
  uint32_t thread = fixture_thread(&made, 1, state, node, 0);
  made.threads[thread].state_age_ns = (uint64_t)(blocked_ms * MS);
  fixture_cell(&made, thread, node, state, 100 * MS);
  for (uint64_t i = 0; i < OTHERS; i++) {
    thread = fixture_thread(&made, i + 2, RTOP_BLOCKED, elsewhere, 0);
    made.threads[thread].state_age_ns = UINT64_C(600000000000);
    fixture_cell(&made, thread, elsewhere, RTOP_BLOCKED, 100 * MS);
  }
  assert_true(fixture_add(profile, 0, &made));
  rtop_window_destroy(&made);
}

static void open_screen(int rows, int columns)
{
  const struct screen_case look = { .rows = rows, .columns = columns };
  int64_t start_ns = MODEL_END_NS - (2 * WORK_MS + STALL_MS) * MS;
  profile = rtop_profile_create(64 << 20);
  uint32_t game = call(call(0, "<main>", "/app/game.rb", 15), "Panel#run", "/app/game.rb", 11);
  rests = call(game, "Kernel#sleep", "", 0);
  work = call(game, "Panel#render", "/app/game.rb", 10);
  clip = call(call(game, "AudioClip#play", "/app/game.rb", 3), "AudioClip#close", "/app/game.rb", 4);
  sleeps = call(clip, "Kernel#sleep", "", 0);
  elsewhere = call(call(0, "Sprite#run", "/app/game.rb", 6), "Kernel#sleep", "", 0);
  for (int64_t ms = 0; ms < 2 * WORK_MS + STALL_MS; ms += 100) {
    bool stalled = ms >= WORK_MS && ms < WORK_MS + STALL_MS, pause = ms % 1000 == 500;
    if (stalled) add_window(start_ns + ms * MS, sleeps, ms + 100 - WORK_MS);
    else add_window(start_ns + ms * MS, pause ? rests : work, pause ? 100 : 0);
  }
  model_screen_open(&look, &ui, profile);
  ui.stalls.limits = STALL_LIMITS_USUAL;
  ui.stalls.limits.method = false; /* what runs when the stall is over takes over */
  do ui_stalls_poll(&ui);
  while (ui.stalls.more);
  assert_int_equal(ui.stalls.stalls.count, 1);
  ui.wanted.mode = RTOP_MODE_BUSY;
  ui.length_ns = 1000 * MS;
  ui.stale = true;
  model_redraw(&ui);
}

static int tear_down(void **state)
{
  (void)state;
  model_screen_close(&ui, &profile);
  return 0;
}

static void jump(int view)
{
  model_press(&ui, view);
  model_press(&ui, '(');
  assert_true(ui.frozen);
  assert_int_equal(ui.selected, frame_of(clip)); /* the application's own, not what it sleeps in */
}

static uint32_t frame_above(uint32_t call)
{
  return ui.tree.nodes[ui.tree.nodes[call].parent].frame;
}

static const struct tree_view *tree(void)
{
  return ui.data[VIEW_TREE];
}

static uint32_t call_in_tree(void)
{
  const struct rtop_tree_rows *rows = &tree()->trees[0];
  assert_true(tree()->at.pager.cursor < rows->count);
  return (uint32_t)rows->rows[tree()->at.pager.cursor].key;
}

static const struct icicle_view *icicle(void)
{
  return ui.data[VIEW_ICICLE];
}

static const struct source_view *source(void)
{
  return ui.data[VIEW_SOURCE];
}

static void check_source(void)
{
  assert_int_equal(source()->frame, frame_of(clip));
  assert_int_equal(source()->called, 0);
  assert_int_equal(source_view_line(source(), source()->pager.cursor), 4); /* where it sleeps */
  assert_true(shows("AudioClip#close"));
}

static void test_tree(void **state)
{
  (void)state;
  open_screen(30, 120);
  jump('2');
  assert_int_equal(ui.tree.nodes[call_in_tree()].frame, frame_of(clip));
}

static void test_icicle(void **state)
{
  (void)state;
  open_screen(30, 120);
  jump('4');
  assert_int_equal(ui.tree.nodes[icicle()->node].frame, frame_of(clip));
}

/* Not where another thread sleeps. */
static void test_source(void **state)
{
  (void)state;
  open_screen(30, 120);
  jump('5');
  check_source();
}

/* What the stall leads to stays meant in the views after it. */
static void test_from_view_to_view(void **state)
{
  (void)state;
  open_screen(30, 120);
  jump('1');
  model_press(&ui, '2');
  assert_int_equal(ui.tree.nodes[call_in_tree()].frame, frame_of(clip));
  model_press(&ui, '5');
  check_source();
  model_press(&ui, '4');
  assert_int_equal(ui.tree.nodes[icicle()->node].frame, frame_of(clip));
}

static void test_list_of_stalls(void **state)
{
  (void)state;
  open_screen(30, 120);
  model_type(&ui, "!\r5");
  check_source();
}

/* Details of what is off the GVL tell its time, where it was called from and what it waits in. */
static void test_details(void **state)
{
  (void)state;
  open_screen(40, 160);
  jump('1');
  assert_true(shows("| AudioClip#close") && shows("waits 100.0%  total 100.0%") && shows("all time"));
  assert_true(shows("100.0> AudioClip#play") && shows("100.0  Kernel#sleep"));
}

/* The wait that the verdict names stands in the first row: that is where the key leads, and the top stays in sight. */
static void test_first_row(void **state)
{
  (void)state;
  open_screen(24, 80);
  jump('1');
  const struct methods_view *methods = ui.data[VIEW_METHODS];
  assert_int_equal(methods->pager.cursor + methods->pager.top, 0);
  assert_false(methods->off.open);
  assert_true(shows("waits: AudioClip#close"));
  model_press(&ui, '5');
  check_source();
}

/* A method that is hidden leads to what is shown of the call. */
static void test_hidden(void **state)
{
  (void)state;
  open_screen(30, 120);
  ui.lens.no_c = true;
  ui.stale = true;
  model_redraw(&ui);
  model_type(&ui, "2(");
  assert_int_equal(ui.selected, frame_of(clip));
  assert_int_equal(ui.tree.nodes[call_in_tree()].frame, frame_of(clip));
}

/* Others may rest in the same method: their lanes are empty, that of the culprit is not. It is on top, and stays where others
 * are hidden. */
static void check_lane(void)
{
  jump('3');
  char *text = model_screen_text(), *line = strstr(text, "\n>"), *end = line != NULL ? strchr(line + 1, '\n') : NULL;
  assert_non_null(end);
  *end = '\0';
  if (strstr(line, "t1 ") == NULL || strstr(line, " STUCK 1 s ") == NULL || strstr(line, "....") == NULL ||
      strstr(line, "AudioClip#close") == NULL)
    fail_msg("row of the culprit: %s", line);
  const char *next = end + 1;
  if (strstr(next, "....") != NULL || strstr(next, " parked ") == NULL) fail_msg("rows of the others: %s", next);
  free(text);
  assert_true(shows(" 1 STUCK ") && shows("0 quiet"));
  assert_int_equal(threads_view_row(&ui, 0)->serial, 1);
  model_press(&ui, 'O');
  assert_true(shows("STUCK 1 s") && !shows("parked"));
}

static void test_lane(void **state)
{
  (void)state;
  open_screen(30, 120);
  check_lane();
}

static void test_lane_of_a_small_screen(void **state)
{
  (void)state;
  open_screen(24, 80);
  check_lane();
}

/* Whom the verdict blames is stuck without a stall; what was blocked for a part of what is shown, or for less than a second,
 * is not. */
static void test_stuck_by_the_verdict(void **state)
{
  (void)state;
  open_screen(24, 80);
  model_press(&ui, '3');
  assert_false(shows("STUCK"));
  jump('3');
  ui.stalls.stalls.count = 0;
  ui.stale = true;
  model_redraw(&ui);
  assert_true(shows("in Kernel#sleep < AudioClip#close") && shows("STUCK 1 s"));
  ui_time_move(&ui, ui.time.cursor_ns - 500 * MS);
  ui.stale = true;
  model_redraw(&ui);
  assert_false(shows("STUCK"));
  ui.length_ns = 400 * MS;
  ui.stale = true;
  model_redraw(&ui);
  assert_true(!shows("STUCK") && shows(" blocked ") && shows("0 quiet"));
}

/* Where the lens hides what a stack is judged by it is judged as it is. */
static void test_stuck_with_hidden_frames(void **state)
{
  (void)state;
  open_screen(24, 80);
  ui.lens.no_c = true;
  ui.stale = true;
  model_redraw(&ui);
  model_type(&ui, "3(");
  assert_true(shows("STUCK 1 s") && shows("parked"));
}

/* The source of what a thread is in: the call of that thread. */
static void test_menu_of_a_thread(void **state)
{
  (void)state;
  open_screen(30, 120);
  jump('3');
  model_type(&ui, ";s");
  assert_int_equal(ui.view->id, VIEW_SOURCE);
  assert_int_equal(source()->frame, frame_of(clip));
  assert_int_equal(ui_way_node(&ui), clip);
}

/* The cursor on one call of a method: the other views go to that one, not to the one with most time. */
static void test_call_of_the_tree(void **state)
{
  (void)state;
  open_screen(30, 120);
  model_type(&ui, "W");
  jump('4');
  model_press(&ui, '1');
  ui_way_drop(&ui);
  model_press(&ui, '2'); /* nothing is meant: most of the time is elsewhere */
  model_press(&ui, '*'); /* every call has a row, also in chains */
  const char *keys = "G";
  for (int i = 0; i < 40 && ui.tree.nodes[call_in_tree()].frame != frame_of(clip); i++) {
    model_type(&ui, keys);
    keys = "k";
  }
  model_press(&ui, 'j');
  assert_int_equal(frame_above(call_in_tree()), frame_of(clip));
  model_press(&ui, '4');
  assert_int_equal(frame_above(icicle()->node), frame_of(clip));
  model_press(&ui, '5');
  assert_int_equal(source()->frame, frame_of(clip));
  assert_int_equal(source()->called, frame_of(sleeps));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_teardown(name, tear_down)
  const struct CMUnitTest tests[] = {
    CASE(test_tree),
    CASE(test_icicle),
    CASE(test_source),
    CASE(test_from_view_to_view),
    CASE(test_list_of_stalls),
    CASE(test_details),
    CASE(test_first_row),
    CASE(test_hidden),
    CASE(test_lane),
    CASE(test_lane_of_a_small_screen),
    CASE(test_stuck_by_the_verdict),
    CASE(test_stuck_with_hidden_frames),
    CASE(test_menu_of_a_thread),
    CASE(test_call_of_the_tree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
