/* What is promised of every view: it answers to the same filter, order, search, span and lens, whether the data
 * are live, frozen, of a dead process or recorded, and the method selected in one is selected in all.
 */
#include "shm/window/window.h"
#include "tests/tui/screen_model.h"
#include "tui/term/screen.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct ui ui;
static struct rtop_profile *profile;

enum data { LIVE, FROZEN, DEAD, RECORDED, DATA_KINDS };
static const char *const titles[DATA_KINDS] = { "[LIVE]", "[FROZEN", "[DEAD]", "[FILE day.rpt" };

/* One window more, in which a method ran whose file is there; the other threads rest. */
static void add_source(void)
{
  static const char path[] = "tests/tui/sources/orders_controller.rb", label[] = "OrdersController#list";
  static const char *const names[] = {
    "main", "puma srv tp 001", "puma srv tp 002", "puma srv tp 003", "puma srv tp 004", "reactor"
  };
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  struct rtop_window window = { .start_mono_ns = MODEL_END_NS, .end_mono_ns = MODEL_END_NS + 100000000 };
  uint32_t frame = rtop_symbols_frame(symbols, label, strlen(label), path, strlen(path), "OrdersController", 16, 6,
                                      RTOP_SYMBOL_RUBY),
           ids[6];
  uint32_t rests = rtop_symbols_frame(symbols, "IO.select", 9, "", 0, "IO", 2, 0, RTOP_SYMBOL_C);
  uint32_t nodes[] = { rtop_symbols_node(symbols, 0, frame, 7), rtop_symbols_node(symbols, 0, frame, 10),
                       rtop_symbols_node(symbols, 0, rests, 0) };
  for (uint32_t i = 0; i < 6; i++) {
    struct rtop_source_thread thread = { i + 1, names[i], strlen(names[i]), 4720 + i, i == 0 };
    ids[i] = rtop_profile_thread(profile, 0, &thread);
    *rtop_window_add_thread(&window) = (struct rtop_window_thread){
      .slot = i,
      .serial = i + 1,
      .node = i == 1 ? 0 : 2,
      .state = i == 1 ? RTOP_RUNNING : RTOP_BLOCKED,
    };
  }
  for (uint32_t i = 0; i < 2; i++) {
    *rtop_window_add_cell(&window) = (struct rtop_cell){
      .node = i, .thread = 1, .state = RTOP_RUNNING, .samples = 5, .wall_ns = 50000000, .cpu_ns = 50000000
    };
  }
  assert_true(rtop_profile_add(profile, 0, &window, nodes, 3, ids));
  rtop_window_destroy(&window);
}

static void open_data(enum data data, int rows, int columns)
{
  const struct screen_case plain = { .rows = rows, .columns = columns };
  profile = model_profile();
  add_source();
  model_screen_open(&plain, &ui, profile);
  ui.now_ns += 100000000;
  ui.now_real_ns += 100000000;
  if (data == DEAD) {
    ui.source.main.state = RTOP_FEED_DEAD;
    snprintf(ui.source.main.end, sizeof ui.source.main.end, "killed by signal 9");
  } else if (data == RECORDED) {
    ui.source.main.state = RTOP_FEED_REPLAY;
    snprintf(ui.source.file, sizeof ui.source.file, "day.rpt");
  }
  ui.stale = true;
  model_redraw(&ui);
  if (data == FROZEN) model_press(&ui, 'z');
}

static void close_data(void)
{
  model_screen_close(&ui, &profile);
}

/* All under the row of tabs, without the footer. */
static char *body(void)
{
  char *text = model_screen_text(), *start = text;
  for (int row = 0; row < ui.layout.part[PART_TABS].y + 1; row++) start = strchr(start, '\n') + 1;
  char *below = strdup(start), *end = strrchr(below, '\n');
  free(text);
  assert_non_null(end);
  *end = '\0';
  end = strrchr(below, '\n');
  *(end != NULL ? end : below) = '\0';
  return below;
}

/* The order of lines is that of the file, and buildings stand in stable places: no order there.
 * Keys pressed in a view, what must be on the screen then, and what must be in the view no more (NULL: all may);
 * `moves`: the view looks different. */
struct answer {
  enum view_id view;
  const char *what, *keys, *there, *gone;
  bool moves;
};
static const struct answer answers[] = {
  { VIEW_METHODS, "filter", "\\gsub\r", "String#gsub", "IO.select", true },
  { VIEW_TREE, "filter", "\\gsub\r", "String#gsub", "IO.select", true },
  { VIEW_THREADS, "filter", "\\gsub\r", "puma srv tp 002", "reactor", true },
  { VIEW_ICICLE, "filter", "\\gsub\r", "> String#gsub", "IO.select", true },
  { VIEW_SOURCE, "filter", "\\gsub\r", "filter: gsub", NULL, false }, /* a file is a file */
  { VIEW_SKYLINE, "filter", "\\gsub\r", "filter: gsub", NULL, true },
  { VIEW_TIME, "filter", "\\gsub\r", "String#gsub", "IO.select", true },
  { VIEW_LABELS, "filter", "\\orders\r", "GET /orders/:id", "POST /payments", true },
  { VIEW_LABELS, "order", "N", "endpoint^", NULL, true },
  { VIEW_LABELS, "order reversed", "I", "TOTAL%^", NULL, true },
  { VIEW_LABELS, "search", "/pay\r", "search: pay 1/1", NULL, true },
  { VIEW_LABELS, "span", "w", "span: 10 s", NULL, true },
  { VIEW_LABELS, "another time", "{{", "[FROZEN", NULL, true },
  { VIEW_LABELS, "lens", "K", "-C", NULL, false },
  { VIEW_GROUPS, "filter", "\\gsub\r", "ActionView::Template#render", "IO.select", true },

  { VIEW_METHODS, "order", "Y", "TOTAL%v", NULL, true },
  { VIEW_METHODS, "order reversed", "I", "SELF%^", NULL, true },
  { VIEW_TREE, "order", "N", "(by name)", NULL, true },
  { VIEW_TREE, "order reversed", "I", "TOTAL%^", NULL, true },
  { VIEW_THREADS, "order", "N", "NAME^", NULL, true },
  { VIEW_THREADS, "order reversed", "I", "BLAME%^", NULL, true },
  { VIEW_ICICLE, "order", "N", "4Icicle]", NULL, true },
  { VIEW_ICICLE, "order reversed", "I", "4Icicle]", NULL, true },
  { VIEW_TIME, "order", "Y", "TOTAL%v", NULL, true },
  { VIEW_GROUPS, "order", "N", "(by name", NULL, true },
  { VIEW_GROUPS, "order reversed", "I", "TOTAL%^", NULL, true },

  { VIEW_METHODS, "search", "/gsub\r", "search: gsub 1/1", NULL, true },
  { VIEW_TREE, "search", "/gsub\r", "search: gsub 1/1", NULL, true },
  { VIEW_THREADS, "search", "/reactor\r", "search: reactor 1/1", NULL, true },
  { VIEW_ICICLE, "search", "/gsub\r", "search: gsub 1/1", NULL, true },
  { VIEW_SOURCE, "search", "/render\r", "search: render 1/", NULL, true },
  { VIEW_SKYLINE, "search", "/gsub\r", "> String#gsub", NULL, true },
  { VIEW_TIME, "search", "/gsub\r", "search: gsub 1/1", NULL, true },
  { VIEW_GROUPS, "search", "/gsub\r", "search: gsub 1/1", NULL, true },

  { VIEW_METHODS, "span", "w", "span: 10 s", NULL, true },
  { VIEW_TREE, "span", "w", "span: 10 s", NULL, true },
  { VIEW_THREADS, "span", "w", "span: 10 s", NULL, true },
  { VIEW_ICICLE, "span", "w", "span: 10 s", NULL, true },
  { VIEW_SOURCE, "span", "w", "span: 10 s", NULL, true },
  { VIEW_SKYLINE, "span", "w", "span: 10 s", NULL, true },
  { VIEW_TIME, "span", "w", "span: 10 s", NULL, true },
  { VIEW_GROUPS, "span", "w", "span: 10 s", NULL, true },

  { VIEW_METHODS, "another time", "{{", "[FROZEN", NULL, true },
  { VIEW_TREE, "another time", "{{", "[FROZEN", NULL, true },
  { VIEW_THREADS, "another time", "{{", "[FROZEN", NULL, true },
  { VIEW_ICICLE, "another time", "{{", "[FROZEN", NULL, true },
  { VIEW_SOURCE, "another time", "{{", "[FROZEN", NULL, true },
  { VIEW_SKYLINE, "another time", "{{", "[FROZEN", NULL, true },
  { VIEW_TIME, "another time", "{{", "[FROZEN", NULL, true },
  { VIEW_GROUPS, "another time", "{{", "[FROZEN", NULL, true },

  { VIEW_METHODS, "lens", "K", "-C", "IO.select", true },
  { VIEW_TREE, "lens", "K", "-C", "IO.select", true },
  { VIEW_THREADS, "lens", "K", "-C", "IO.select", true },
  { VIEW_ICICLE, "lens", "K", "-C", "[IO.select", true },
  { VIEW_SOURCE, "lens", "A", "   mine", NULL, false },
  { VIEW_SKYLINE, "lens", "K", "-C", NULL, true },
  { VIEW_TIME, "lens", "K", "-C", "IO.select", true },
  { VIEW_GROUPS, "lens", "K", "-C", "IO.select", true },
};
enum { ANSWERS = sizeof answers / sizeof answers[0] };

static void check_answer(const struct answer *at, enum data data)
{
  const char *name = keys_view_name(at->view);
  open_data(data, 24, 80);
  model_type(&ui, "/Controller#list\r");
  model_press(&ui, 27);
  ui_open_view(&ui, at->view);
  model_redraw(&ui);
  if (!shows(titles[data])) fail_msg("%s: no %s in the title", name, titles[data]);
  char *before = body();
  model_type(&ui, at->keys);
  char *after = body();
  bool moved = strcmp(before, after) != 0;
  const char *title = strcmp(at->what, "another time") == 0 && data != RECORDED ? at->there : titles[data];
  bool there = shows(strcmp(at->what, "another time") == 0 ? title : at->there);
  if (!there || !shows(title) || (at->gone != NULL && strstr(after, at->gone) != NULL) || moved != at->moves) {
    char *text = model_screen_text();
    fail_msg("%s of %s, %s: there %d, moved %d\n%s", at->what, name, titles[data], there, moved, text);
  }
  free(before);
  free(after);
  close_data();
}

static void test_every_view_answers(void **state)
{
  int seen[VIEW_DATA_COUNT] = { 0 };
  (void)state;
  for (int i = 0; i < ANSWERS; i++) {
    for (int data = 0; data < DATA_KINDS; data++) check_answer(&answers[i], (enum data)data);
    seen[answers[i].view]++;
  }
  for (int view = 0; view < VIEW_DATA_COUNT; view++) assert_true(seen[view] >= 5);
}

/* Where the selection can be read, by view: the row of the cursor, the line below the picture, the title. */
static bool names_selection(enum view_id view, const char *label)
{
  char *text = body(), *line = strtok(text, "\n");
  bool found = view == VIEW_THREADS || view == VIEW_LABELS;
  for (; line != NULL && !found; line = strtok(NULL, "\n")) {
    found = (line[0] == '>' && strstr(line, label) != NULL) ||
            (view == VIEW_SOURCE && strstr(line, "orders_controller.rb") != NULL);
  }
  free(text);
  return found;
}

static void test_selection_goes_along(void **state)
{
  static const char label[] = "OrdersController#index";
  (void)state;
  for (int data = 0; data < DATA_KINDS; data++) {
    open_data((enum data)data, 50, 160);
    model_type(&ui, "/Controller#index\r");
    uint32_t frame = ui.selected;
    for (int pair = 0; pair < VIEW_DATA_COUNT * VIEW_DATA_COUNT; pair++) {
      enum view_id from = (enum view_id)(pair / VIEW_DATA_COUNT), to = (enum view_id)(pair % VIEW_DATA_COUNT);
      ui_open_view(&ui, from);
      model_redraw(&ui);
      ui_open_view(&ui, to);
      model_redraw(&ui);
      if (ui.selected != frame || !names_selection(to, label)) {
        char *text = model_screen_text();
        fail_msg("from %s to %s, %s\n%s", keys_view_name(from), keys_view_name(to), titles[data], text);
      }
    }
    close_data();
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_view_answers),
    cmocka_unit_test(test_selection_goes_along),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
