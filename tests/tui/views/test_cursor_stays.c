/* New data every second, in every view: the cursor stays on what it was put on, and what is seen keeps its place. */
#include "shm/window/window.h"
#include "tests/tui/screen_fixture.h"

enum { METHODS = 64, SECONDS = 12, PATH_BYTES = 64 };

static const struct screen_case small = { .rows = 24, .columns = 80 };
static uint32_t nodes[2 * METHODS];
static int64_t end_ns;
static int busiest; /* has fifty times as much; METHODS: nobody */

static uint32_t frame_of(struct rtop_symbols *symbols, int i, bool query)
{
  char label[32], path[PATH_BYTES] = "tests/tui/sources/orders_controller.rb";
  snprintf(label, sizeof label, query ? "Query%02d#run" : "Job%02d#work", i);
  if (i != 20 || query) snprintf(path, sizeof path, "/app/job%02d.rb", i);
  return rtop_symbols_frame(symbols, label, strlen(label), path, strlen(path), "", 0, i == 20 && !query ? 6 : 1,
                            RTOP_SYMBOL_RUBY);
}

/* What the method has of a second: more or less around its own, so that neighbours change places. */
static uint64_t of_second(int i, int second)
{
  return (uint64_t)(100 * (METHODS - i) + 37 * ((i * 7 + second * 13) % 11)) * (i == busiest ? 5000000 : 100000);
}

/* A second, in which each of 64 threads runs a method of its own, and that one another. */
static void add_second(int second)
{
  struct rtop_window window = { .start_mono_ns = end_ns, .end_mono_ns = end_ns + 1000000000 };
  uint32_t ids[METHODS];
  for (uint32_t i = 0; i < METHODS; i++) {
    char name[32];
    uint64_t wall_ns = of_second((int)i, second);
    snprintf(name, sizeof name, "worker %02d", (int)i);
    struct rtop_source_thread thread = { i + 1, name, strlen(name), 5000 + i, i == 0 };
    ids[i] = rtop_profile_thread(profile, 0, &thread);
    *rtop_window_add_thread(&window) =
        (struct rtop_window_thread){ .slot = i, .serial = i + 1, .node = 2 * i + 1, .state = RTOP_RUNNING };
    for (uint32_t k = 0; k < 2; k++) {
      *rtop_window_add_cell(&window) = (struct rtop_cell){ .node = 2 * i + k,
                                                           .thread = i,
                                                           .state = RTOP_RUNNING,
                                                           .samples = 50,
                                                           .wall_ns = wall_ns / 2,
                                                           .cpu_ns = wall_ns / 2,
                                                           .blame_ns = wall_ns / 2 };
    }
  }
  assert_true(rtop_profile_add(profile, 0, &window, nodes, 2 * METHODS, ids));
  rtop_window_destroy(&window);
  end_ns += 1000000000;
}

/* Below a label of its own where it is asked for. */
static uint32_t job_node(struct rtop_symbols *symbols, int i, bool labelled)
{
  char label[32];
  uint32_t set = 0;
  snprintf(label, sizeof label, "endpoint=Job%02d#work", i);
  if (labelled)
    set = rtop_symbols_node(
        symbols, 0, rtop_symbols_frame(symbols, label, strlen(label), "", 0, "(labels)", 8, 0, RTOP_SYMBOL_SPECIAL), 0);
  return rtop_symbols_node(symbols, set, frame_of(symbols, i, false), 7);
}

static void open_jobs(bool labelled)
{
  busiest = METHODS;
  profile = rtop_profile_create(64 << 20);
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  end_ns = MODEL_END_NS - 3000000000;
  for (int i = 0; i < METHODS; i++) {
    nodes[2 * i] = job_node(symbols, i, labelled);
    nodes[2 * i + 1] = rtop_symbols_node(symbols, nodes[2 * i], frame_of(symbols, i, true), 2);
  }
  for (int second = 0; second < 3; second++) add_second(second);
  open_case(&small, profile);
}

static void next_second(int second)
{
  add_second(second);
  ui.now_ns += 1000000000;
  ui.now_real_ns += 1000000000;
  ui.stale = true;
  model_redraw(&ui);
}

/* The line of the cursor: in a table its row, below a picture what is said of the cell or building. Returns its y. */
static int cursor_line(char *out, size_t bytes)
{
  char *text = model_screen_text();
  int y = 0, found = -1;
  for (char *line = text; *line != '\0' && found < 0; y++) {
    size_t length = strcspn(line, "\n");
    if (line[0] == '>' && y > ui.layout.part[PART_TABS].y) {
      snprintf(out, bytes, "%.*s", (int)length, line);
      found = y;
    }
    line += length + (line[length] != '\0');
  }
  if (found < 0) fail_msg("no cursor on\n%s", text);
  free(text);
  return found;
}

/* What it is called, wherever its figures stand. */
static void name_in(const char *line, char *out, size_t bytes)
{
  static const char *const words[] = { "Job", "Query", "worker " };
  const char *at = NULL;
  for (int i = 0; i < 3 && at == NULL; i++) at = strstr(line, words[i]);
  snprintf(out, bytes, "%.*s", at != NULL ? (int)strcspn(at, " #~") + 3 : 0, at != NULL ? at : "");
  if (at == NULL) snprintf(out, bytes, "%s", line + 30); /* a line of a file */
}

/* "12-27 of 64" of the row of headings. */
static bool position(size_t *first, size_t *last, size_t *count)
{
  char *text = model_screen_text();
  bool found = false;
  for (char *at = strstr(text, " of "); at != NULL && !found; at = strstr(at + 1, " of ")) {
    char *from = at;
    while (from > text && strchr("0123456789-", from[-1]) != NULL) from--;
    found = sscanf(from, "%zu-%zu of %zu", first, last, count) == 3;
  }
  free(text);
  return found;
}

struct stay {
  enum view_id view;
  const char *search;
  int down;
  bool picture; /* without rows: no position is told */
};
static const struct stay stays[] = {
  { VIEW_METHODS, "/Job30\r", 0, false },     { VIEW_METHODS, "/Query12\r", 2, false },
  { VIEW_TREE, "/Job30\r", 0, false },        { VIEW_TREE, "/Query12\r", 3, false },
  { VIEW_THREADS, "/worker 30\r", 0, false }, { VIEW_THREADS, "/worker 12\r", 2, false },
  { VIEW_ICICLE, "/Job01\r", 0, true },       { VIEW_SOURCE, "/Job20\r", 2, false },
  { VIEW_SKYLINE, "/Job30\r", 0, true },      { VIEW_TIME, "/Job30\r", 0, false },
  { VIEW_TIME, "/Query12\r", 2, false },      { VIEW_GROUPS, "/Job30\r", 0, false },
  { VIEW_GROUPS, "/Query12\r", 3, false },    { VIEW_LABELS, "/Job30\r", 0, false },
  { VIEW_LABELS, "/Job12\r", 2, false },
};

static void stays_in(const struct stay *at, const char *order)
{
  const char *view = keys_view_name(at->view);
  char line[512], name[128], now[128];
  size_t first = 0, last = 0, count = 0, first_now = 0, last_now = 0, count_now = 0;
  open_jobs(at->view == VIEW_LABELS);
  if (at->view == VIEW_SOURCE) model_type(&ui, at->search); /* the method is chosen elsewhere */
  ui_open_view(&ui, at->view);
  model_redraw(&ui);
  model_type(&ui, order);
  if (at->view != VIEW_SOURCE) model_type(&ui, at->search);
  model_press(&ui, 27);
  for (int i = 0; i < at->down; i++) model_press(&ui, 'j');
  int y = cursor_line(line, sizeof line);
  name_in(line, name, sizeof name);
  bool told = position(&first, &last, &count);
  if (told == at->picture) fail_msg("%s: position told %d", view, told);
  for (int second = 3; second < SECONDS; second++) {
    next_second(second);
    int y_now = cursor_line(line, sizeof line);
    name_in(line, now, sizeof now);
    if (strcmp(name, now) != 0) fail_msg("%s, order '%s': cursor on %s, was on %s", view, order, now, name);
    bool there = position(&first_now, &last_now, &count_now);
    /* It moves only as far as the cursor's row has left it. */
    bool edge = y_now == LINES - 2 || y_now <= LINES - 2 - (int)(last - first);
    bool moved = there && first_now != first && !edge;
    first = first_now;
    last = edge ? last_now : last;
    if (there != told || moved) {
      char *text = model_screen_text();
      fail_msg("%s, order '%s', %s: %zu-%zu of %zu; cursor at %d, was at %d\n%s", view, order, name, first_now,
               last_now, count_now, y_now, y, text);
    }
    if (told && (last_now - first_now != last - first || y_now <= ui.layout.part[PART_TABS].y))
      fail_msg("%s: rows seen %zu-%zu", view, first_now, last_now);
  }
  tear_down(NULL);
}

static void test_cursor_stays_on_its_row(void **state)
{
  int seen[VIEW_DATA_COUNT] = { 0 };
  (void)state;
  for (size_t i = 0; i < sizeof stays / sizeof stays[0]; i++) {
    stays_in(&stays[i], "");
    stays_in(&stays[i], "N");
    seen[stays[i].view]++;
  }
  for (int view = 0; view < VIEW_DATA_COUNT; view++) assert_true(seen[view] > 0);
}

/* Who has moved nothing reads what costs most: it stays on top, and so does the cursor. */
static void top_stays_in(enum view_id view, bool then_chosen)
{
  char line[512], name[128], busy[32];
  open_jobs(false);
  ui.selected = 0; /* it is the view that one starts with */
  ui_open_view(&ui, view);
  model_redraw(&ui);
  int y = cursor_line(line, sizeof line);
  if (then_chosen) model_type(&ui, "jk"); /* on the same row, but moved there */
  uint32_t chosen = ui.selected;
  for (int second = 3; second < SECONDS; second++) {
    busiest = 50 - second;
    next_second(second);
    int y_now = cursor_line(line, sizeof line);
    name_in(line, name, sizeof name);
    snprintf(busy, sizeof busy, "Job%02d", busiest);
    if (!then_chosen && (y_now != y || strncmp(name, busy, 5) != 0))
      fail_msg("%s: cursor at %d, was at %d, on %s and not %s", keys_view_name(view), y_now, y, name, busy);
    const char *selected = rtop_symbols_get(rtop_profile_symbols(profile), ui.selected)->label;
    if (!then_chosen) assert_memory_equal(busy, selected, 5);
    if (then_chosen) assert_int_equal(chosen, ui.selected);
  }
  tear_down(NULL);
}

static void test_top_stays_for_who_has_not_moved(void **state)
{
  (void)state;
  static const enum view_id views[] = { VIEW_TREE, VIEW_GROUPS };
  for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
    top_stays_in(views[i], false);
    top_stays_in(views[i], true);
  }
}

/* The last row may be what was put together: no method, but moved to. */
static void test_cursor_stays_on_what_is_no_method(void **state)
{
  (void)state;
  char line[512];
  open_jobs(false);
  ui.selected = 0;
  ui_open_view(&ui, VIEW_GROUPS);
  model_redraw(&ui);
  int top = cursor_line(line, sizeof line);
  model_type(&ui, "VVVVVG"); /* small groups are put together */
  cursor_line(line, sizeof line);
  assert_null(strstr(line, "Job"));
  next_second(3);
  assert_true(cursor_line(line, sizeof line) > top);
  tear_down(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_cursor_stays_on_its_row),
                                      cmocka_unit_test(test_top_stays_for_who_has_not_moved),
                                      cmocka_unit_test(test_cursor_stays_on_what_is_no_method) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
