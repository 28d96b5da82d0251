#include "screen_model.h"
#include "shm/base/latency.h"
#include "shm/window/window.h"
#include "tui/cli/options.h"
#include "tui/term/screen.h"
#include "tui/term/theme.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <ncurses.h>

enum { WINDOWS = 750, WINDOW_NS = 100000000, THREADS = 6, DEPTH = 7 };

static const struct {
  const char *label, *path, *space;
  uint32_t line;
  enum rtop_symbol_kind kind;
} frames[] = {
  { "<main>", "/app/bin/puma", "", 33, RTOP_SYMBOL_RUBY },
  { "Puma::ThreadPool#spawn_thread", "/gems/puma/lib/puma/thread_pool.rb", "Puma::ThreadPool", 155, RTOP_SYMBOL_RUBY },
  { "Puma::Server#process_client", "/gems/puma/lib/puma/server.rb", "Puma::Server", 440, RTOP_SYMBOL_RUBY },
  { "OrdersController#index", "/app/app/controllers/orders_controller.rb", "OrdersController", 18, RTOP_SYMBOL_RUBY },
  { "ActiveRecord::Relation#exec_queries", "/gems/activerecord/lib/active_record/relation.rb", "ActiveRecord::Relation",
    991, RTOP_SYMBOL_RUBY },
  { "PG::Connection#exec_params", "", "PG::Connection", 0, RTOP_SYMBOL_C },
  { "Serializer::Order#as_json", "/app/app/serializers/order.rb", "Serializer::Order", 9, RTOP_SYMBOL_RUBY },
  { "JSON::Ext::Generator#generate", "", "JSON::Ext::Generator", 0, RTOP_SYMBOL_C },
  { "block in Price#total", "/app/app/models/price.rb", "Price", 44, RTOP_SYMBOL_RUBY },
  { "Array#map", "", "Array", 0, RTOP_SYMBOL_C },
  { "String#gsub", "", "String", 0, RTOP_SYMBOL_C },
  { "ActionView::Template#render", "/gems/actionview/lib/action_view/template.rb", "ActionView::Template", 271,
    RTOP_SYMBOL_RUBY },
  { "Thread::Mutex#synchronize", "", "Thread::Mutex", 0, RTOP_SYMBOL_C },
  { "IO.select", "", "IO", 0, RTOP_SYMBOL_C },
  { "Queue#pop", "", "Queue", 0, RTOP_SYMBOL_C },
  { "Rack::Session::Cookie#load", "/gems/rack/lib/rack/session/cookie.rb", "Rack::Session::Cookie", 160,
    RTOP_SYMBOL_RUBY },
  { "注文#合計を計算する", "/app/app/models/注文.rb", "注文", 7, RTOP_SYMBOL_RUBY },
  { "I18n::Backend::Simple#translate", "/gems/i18n/lib/i18n/backend/simple.rb", "I18n::Backend::Simple", 70,
    RTOP_SYMBOL_RUBY },
  { "Hash#merge", "", "Hash", 0, RTOP_SYMBOL_C },
  { "fact", "/app/lib/fact.rb", "", 2, RTOP_SYMBOL_RUBY },
};
enum { FRAMES = sizeof frames / sizeof frames[0] };

/* Where time goes: stack from the root (frame, line), and per thread the share of a window in per mille
 * for running, waiting, blocked, marking, sweeping. */
static const struct {
  int thread;
  uint32_t share[RTOP_STATES];
  uint32_t allocations;
  struct {
    int frame;
    uint32_t line;
  } stack[DEPTH];
} work[] = {
  { 1, { 180, 260, 0, 12, 4 }, 400, { { 1, 157 }, { 2, 445 }, { 3, 19 }, { 4, 1002 } } },
  { 1, { 0, 20, 150, 0, 0 }, 20, { { 1, 157 }, { 2, 445 }, { 3, 19 }, { 4, 1004 }, { 5, 0 } } },
  { 1, { 110, 90, 0, 6, 2 }, 900, { { 1, 157 }, { 2, 445 }, { 3, 24 }, { 6, 11 }, { 7, 0 } } },
  { 1, { 20, 30, 0, 0, 0 }, 90, { { 1, 157 }, { 2, 445 }, { 3, 20 } } },
  { 1, { 36, 80, 0, 0, 0 }, 10, { { 1, 157 }, { 2, 445 }, { 16, 8 } } },
  { 2, { 150, 310, 0, 9, 3 }, 300, { { 1, 157 }, { 2, 445 }, { 3, 24 }, { 6, 12 }, { 9, 0 }, { 8, 45 } } },
  { 2, { 90, 128, 0, 0, 0 }, 700, { { 1, 157 }, { 2, 445 }, { 11, 280 }, { 10, 0 } } },
  { 2, { 60, 100, 0, 0, 0 }, 200, { { 1, 157 }, { 2, 445 }, { 11, 275 } } },
  { 2, { 30, 120, 0, 0, 0 }, 60, { { 1, 157 }, { 2, 445 }, { 15, 163 }, { 18, 0 } } },
  { 3, { 120, 380, 0, 0, 0 }, 100, { { 1, 157 }, { 2, 445 }, { 17, 72 } } },
  { 3, { 0, 200, 300, 0, 0 }, 0, { { 1, 157 }, { 2, 445 }, { 12, 0 } } },
  { 4, { 2, 0, 998, 0, 0 }, 1, { { 1, 157 }, { 14, 0 } } },
  { 5, { 1, 0, 999, 0, 0 }, 1, { { 13, 0 } } },
  { 0, { 40, 60, 0, 0, 0 }, 5, { { 0, 35 }, { 19, 2 }, { 19, 3 }, { 19, 3 } } },
  { 0, { 0, 0, 900, 0, 0 }, 0, { { 0, 40 }, { 14, 0 } } },
};
enum { WORKS = sizeof work / sizeof work[0] };

static uint32_t add_frame(struct rtop_symbols *symbols, size_t i)
{
  return rtop_symbols_frame(symbols, frames[i].label, strlen(frames[i].label), frames[i].path, strlen(frames[i].path),
                            frames[i].space, strlen(frames[i].space), frames[i].line, frames[i].kind);
}

static uint32_t add_stack(struct rtop_symbols *symbols, size_t at)
{
  uint32_t node = 0;
  for (int depth = 0; depth < DEPTH && (depth == 0 || work[at].stack[depth].frame != 0); depth++) {
    node = rtop_symbols_node(symbols, node, add_frame(symbols, (size_t)work[at].stack[depth].frame),
                             work[at].stack[depth].line);
  }
  return node;
}

static void add_threads(struct rtop_profile *profile, struct rtop_window *window, uint32_t *ids)
{
  static const char *const names[THREADS] = {
    "main", "puma srv tp 001", "puma srv tp 002", "puma srv tp 003", "puma srv tp 004", "reactor"
  };
  static const uint32_t states[THREADS] = { RTOP_BLOCKED, RTOP_RUNNING, RTOP_WAITING,
                                            RTOP_WAITING, RTOP_BLOCKED, RTOP_BLOCKED };
  static const uint32_t leaf[THREADS] = { 14, 0, 5, 9, 11, 12 };
  for (uint32_t i = 0; i < THREADS; i++) {
    struct rtop_source_thread thread = { i + 1, names[i], strlen(names[i]), 4720 + i, i == 0 };
    ids[i] = rtop_profile_thread(profile, 0, &thread);
    struct rtop_window_thread *row = rtop_window_add_thread(window);
    *row = (struct rtop_window_thread){
      .slot = i, .state = states[i], .node = leaf[i], .serial = i + 1, .state_age_ns = 1000000
    };
  }
}

/* Load goes up and down, so that the timeline has a shape; every thread's window stays whole. */
static uint32_t load_of(int second)
{
  static const uint32_t load[] = { 300, 320, 400, 520, 700, 900, 1000, 1000, 800, 600, 450, 350 };
  return second >= 74 ? 1000 : load[second % 12];
}

static void add_work(struct rtop_window *window, uint32_t load)
{
  for (uint32_t i = 0; i < WORKS; i++) {
    for (uint32_t state = 0; state < RTOP_STATES; state++) {
      uint64_t ns = (uint64_t)work[i].share[state] * (WINDOW_NS / 1000);
      uint64_t busy_ns = state == RTOP_BLOCKED ? ns : ns * load / 1000;
      if (ns == 0) continue;
      struct rtop_cell *cell = rtop_window_add_cell(window);
      *cell = (struct rtop_cell){ i,
                                  (uint32_t)work[i].thread,
                                  state,
                                  1 + (uint32_t)(ns / 10000000),
                                  busy_ns,
                                  state == RTOP_RUNNING ? busy_ns : 0,
                                  state == RTOP_RUNNING ? work[i].allocations : 0,
                                  state == RTOP_RUNNING ? busy_ns / 2 : 0 };
    }
  }
}

static void add_counters(struct rtop_window *window, int at)
{
  rtop_window_set_counter(window, RTOP_COUNTER_SAMPLES, 100);
  rtop_window_set_counter(window, RTOP_COUNTER_TICKS, 100);
  rtop_window_set_counter(window, RTOP_COUNTER_COST_NS, 80000);
  rtop_window_set_counter(window, RTOP_COUNTER_RATE_HZ, 1000);
  rtop_window_set_counter(window, RTOP_COUNTER_RATE_WANTED_HZ, 1000);
  rtop_window_set_counter(window, RTOP_COUNTER_GC_MINOR, at % 5 == 0);
  rtop_window_set_counter(window, RTOP_COUNTER_GC_MAJOR, at % 300 == 0);
  rtop_window_set_counter(window, RTOP_COUNTER_ALLOCATIONS, 2700);
  rtop_window_set_counter(window, RTOP_COUNTER_RSS_BYTES, UINT64_C(412) << 20);
  rtop_window_set_counter(window, RTOP_COUNTER_CPU_NS, 84000000);
}

/* Requests that began; of the time of the stacks nothing is theirs. */
static const char *const label_sets[] = { "endpoint=GET /orders/:id", "endpoint=POST /payments" };
enum { LABELS = sizeof label_sets / sizeof label_sets[0] };

static uint32_t add_labels(struct rtop_symbols *symbols, size_t index)
{
  const char *set = label_sets[index];
  uint32_t frame = rtop_symbols_frame(symbols, set, strlen(set), "", 0, "(labels)", 8, 0, RTOP_SYMBOL_SPECIAL);
  return rtop_symbols_node(symbols, 0, frame, 0);
}

/* OrdersController#index, its callers, callers that found no room, and where it was called slowly. */
enum { TRACED = 6, TRACED_NODE = WORKS + LABELS };

static void add_traced_nodes(struct rtop_symbols *symbols, uint32_t *nodes)
{
  nodes[0] = rtop_symbols_node(symbols, 0, add_frame(symbols, 3), 0);
  for (uint32_t i = 0; i < 4; i++)
    nodes[1 + i] = rtop_symbols_node(symbols, nodes[0], add_frame(symbols, 2 + 4 * i), 0);
  uint32_t labels = add_labels(symbols, 0), caller = rtop_symbols_node(symbols, labels, add_frame(symbols, 2), 445);
  nodes[5] = rtop_symbols_node(symbols, caller, add_frame(symbols, 3), 19);
}

/* 22 calls in a window: most take 3 ms, a few ten times as long, one a second. */
static void add_traced(struct rtop_window *window, int at)
{
  const uint32_t times = RTOP_EXACT_TOTAL_TIMES, self = RTOP_EXACT_SELF_TIMES;
  const struct rtop_exact numbers[] = {
    { TRACED_NODE, RTOP_EXACT_STATE, 1, RTOP_TRACE_ON },
    { TRACED_NODE, RTOP_EXACT_TRACED_NS, 0, WINDOW_NS },
    { TRACED_NODE, RTOP_EXACT_CALLS, 0, 22 },
    { TRACED_NODE, RTOP_EXACT_RETURNED, 0, 22 },
    { TRACED_NODE, RTOP_EXACT_RAISED, 0, (uint64_t)at % 2 },
    { TRACED_NODE, RTOP_EXACT_TOTAL_NS, 0, 150000000 },
    { TRACED_NODE, RTOP_EXACT_SELF_NS, 0, 60000000 },
    { TRACED_NODE, RTOP_EXACT_WAIT_NS, 0, 54000000 },
    { TRACED_NODE, RTOP_EXACT_OFF_NS, 0, 15000000 },
    { TRACED_NODE, RTOP_EXACT_TOTAL_MAX, 0, at % 10 ? 31000000 : 1000000000 },
    { TRACED_NODE, RTOP_EXACT_SELF_MAX, 0, 5000000 },
    { TRACED_NODE, times, rtop_latency_bucket(3000000), 15 },
    { TRACED_NODE, times, rtop_latency_bucket(7000000), 4 },
    { TRACED_NODE, times, rtop_latency_bucket(30000000), at % 10 ? 3 : 2 },
    { TRACED_NODE, times, rtop_latency_bucket(1000000000), at % 10 ? 0 : 1 },
    { TRACED_NODE, self, rtop_latency_bucket(2000000), 22 },
    { TRACED_NODE, RTOP_EXACT_CALLER, 0, 1 },
    { TRACED_NODE + 1, RTOP_EXACT_CALLER, 0, 15 },
    { TRACED_NODE + 2, RTOP_EXACT_CALLER, 0, 3 },
    { TRACED_NODE + 3, RTOP_EXACT_CALLER, 0, 2 },
    { TRACED_NODE + 4, RTOP_EXACT_CALLER, 0, 1 },
    { TRACED_NODE, RTOP_EXACT_SLOW, 0, 4 },
  };
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) *rtop_window_add_exact(window) = numbers[i];
  for (uint32_t i = 0; i < 3; i++) /* and one that found no room */
    *rtop_window_add_slow(window) = (struct rtop_slow){
      .end_mono_ns = window->start_mono_ns + 10000000 * (i + 1),
      .serial = i + 2,
      .node = TRACED_NODE,
      .stack = TRACED_NODE + 5,
      .flags = i == 1 ? RTOP_SLOW_RAISED : 0,
      .total_ns = at % 10 ? 30000000 + i : 1000000000,
      .self_ns = 5000000,
      .off_ns = 20000000,
    };
}

/* The first of each window has none to tell. */
static void add_arguments(struct rtop_window *window)
{
  static const char *const args[] = { "", "id: 7, *rest: Array(2)…",
                                      "id: 4711, customer: \"注文 ü \\e[31m\", filter: Hash(3)" };
  for (size_t i = 0; i < window->slow_count; i++) {
    struct rtop_slow *slow = &window->slow[i];
    slow->args_bytes = (uint32_t)strlen(args[i]);
    memcpy(slow->args, args[i], slow->args_bytes);
  }
}

static struct rtop_profile *make_profile(bool traced, bool arguments)
{
  struct rtop_profile *profile = rtop_profile_create(64 << 20);
  struct rtop_window window = { 0 };
  uint32_t nodes[WORKS + LABELS + TRACED], threads[THREADS];
  size_t node_count = WORKS + LABELS + (traced ? TRACED : 0);
  assert_non_null(profile);
  for (size_t i = 0; i < WORKS; i++) nodes[i] = add_stack(rtop_profile_symbols(profile), i);
  for (size_t i = 0; i < LABELS; i++) nodes[WORKS + i] = add_labels(rtop_profile_symbols(profile), i);
  if (traced) add_traced_nodes(rtop_profile_symbols(profile), nodes + TRACED_NODE);
  for (int at = 0; at < WINDOWS; at++) {
    rtop_window_reset(&window);
    window.sequence = (uint64_t)at + 1;
    window.start_mono_ns = MODEL_END_NS - (int64_t)(WINDOWS - at) * WINDOW_NS;
    window.end_mono_ns = window.start_mono_ns + WINDOW_NS;
    add_threads(profile, &window, threads);
    add_work(&window, load_of(at / 10));
    add_counters(&window, at);
    for (uint32_t i = 0; i < LABELS; i++)
      *rtop_window_add_begun(&window) = (struct rtop_begun){ .node = WORKS + i, .count = (uint64_t)at % 7 + 3 * i };
    if (traced) add_traced(&window, at);
    if (arguments) add_arguments(&window);
    if (at >= 200 && at < 230) rtop_profile_add_gap(profile, 0, window.start_mono_ns, window.end_mono_ns);
    else assert_true(rtop_profile_add(profile, 0, &window, nodes, node_count, threads));
  }
  rtop_window_destroy(&window);
  return profile;
}

struct rtop_profile *model_profile(void)
{
  return make_profile(false, false);
}

struct rtop_profile *model_traced_profile(bool arguments)
{
  return make_profile(true, arguments);
}

void model_add_window(struct rtop_profile *profile, int64_t start_ns, const char *frame_label)
{
  struct rtop_window window = { 0 };
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  uint32_t threads[THREADS];
  uint32_t frame =
      rtop_symbols_frame(symbols, frame_label, strlen(frame_label), "/app/new.rb", 11, "", 0, 1, RTOP_SYMBOL_RUBY);
  for (size_t i = 0; i < FRAMES; i++) frame = strcmp(frames[i].label, frame_label) == 0 ? add_frame(symbols, i) : frame;
  uint32_t node = rtop_symbols_node(symbols, 0, frame, 1);
  window.start_mono_ns = start_ns;
  window.end_mono_ns = start_ns + WINDOW_NS;
  add_threads(profile, &window, threads);
  for (size_t i = 0; i < THREADS; i++) window.threads[i].node = 0;
  *rtop_window_add_cell(&window) = (struct rtop_cell){ 0, 1, RTOP_RUNNING, 100, WINDOW_NS, WINDOW_NS, 1, 0 };
  assert_true(rtop_profile_add(profile, 0, &window, &node, 1, threads));
  rtop_window_destroy(&window);
}

/* What is called, from where (index + 1; 0: nobody), how often in a window, and for how long each, itself. */
static const struct {
  int from, frame;
  uint32_t calls, self_ns;
} called[] = {
  { 0, 1, 1, 400000 },   { 1, 2, 12, 90000 },  { 2, 3, 12, 140000 }, { 3, 4, 24, 310000 },
  { 4, 5, 24, 520000 },  { 3, 6, 240, 21000 }, { 6, 9, 240, 6000 },  { 7, 8, 2400, 1900 },
  { 3, 11, 12, 160000 }, { 9, 10, 960, 2100 }, { 3, 7, 12, 88000 },  { 2, 16, 7, 52000 },
  { 2, 17, 84, 0 },      { 0, 19, 3, 800 },    { 14, 19, 9, 750 },   { 15, 19, 27000, 900 },
};
enum { CALLED = sizeof called / sizeof called[0] };

static uint64_t called_total(size_t at)
{
  uint64_t total_ns = (uint64_t)called[at].calls * called[at].self_ns;
  for (size_t i = at + 1; i < CALLED; i++) total_ns += called[i].from == (int)at + 1 ? called_total(i) : 0;
  return total_ns;
}

static void add_calls(struct rtop_window *window, int state, uint32_t serial)
{
  const struct rtop_exact numbers[] = {
    { 0, RTOP_WHOLE_STATE, serial, (uint64_t)state },
    { 0, RTOP_WHOLE_TRACED_NS, 0, WINDOW_NS },
    { 0, RTOP_WHOLE_OWN_NS, 0, 1490000 },
  };
  bool told = state != RTOP_WHOLE_YJIT && state != RTOP_WHOLE_REFUSED;
  for (size_t i = 0; i < (told ? 3 : 1); i++) *rtop_window_add_exact(window) = numbers[i];
  for (uint32_t i = 0; told && i < CALLED; i++) {
    uint64_t self_ns = (uint64_t)called[i].calls * called[i].self_ns;
    *rtop_window_add_exact(window) = (struct rtop_exact){ WORKS + i, RTOP_WHOLE_CALLS, 0, called[i].calls };
    *rtop_window_add_exact(window) = (struct rtop_exact){ WORKS + i, RTOP_WHOLE_TOTAL_NS, 0, called_total(i) };
    *rtop_window_add_exact(window) = (struct rtop_exact){ WORKS + i, RTOP_WHOLE_SELF_NS, 0, self_ns };
  }
}

void model_add_calls(struct rtop_profile *profile, int64_t start_ns, int state, uint32_t serial)
{
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  struct rtop_window window = { .start_mono_ns = start_ns, .end_mono_ns = start_ns + WINDOW_NS };
  uint32_t nodes[WORKS + CALLED], threads[THREADS];
  for (size_t i = 0; i < WORKS; i++) nodes[i] = add_stack(symbols, i);
  for (size_t i = 0; i < CALLED; i++)
    nodes[WORKS + i] = rtop_symbols_node(symbols, called[i].from ? nodes[WORKS + called[i].from - 1] : 0,
                                         add_frame(symbols, (size_t)called[i].frame), 0);
  add_threads(profile, &window, threads);
  add_work(&window, load_of(74));
  add_counters(&window, 1);
  add_calls(&window, state, serial);
  assert_true(rtop_profile_add(profile, 0, &window, nodes, WORKS + CALLED, threads));
  rtop_window_destroy(&window);
}

struct rtop_profile *model_calls_profile(void)
{
  struct rtop_profile *profile = model_profile();
  for (int at = 0; at < 50; at++)
    model_add_calls(profile, MODEL_END_NS + at * (int64_t)WINDOW_NS, at < 49 ? RTOP_WHOLE_ON : RTOP_WHOLE_DONE, 1);
  return profile;
}

void model_ui(struct ui *ui, struct rtop_profile *profile)
{
  static const struct rtop_options options = {
    .delay_seconds = 1,
    .frame_seconds = 1,
    .methods = { .sort = RTOP_SORT_SELF },
  };
  assert_true(ui_init(ui, &options));
  ui->now_ns = MODEL_END_NS + 5000000;
  ui->now_real_ns = ui->now_ns + MODEL_OFFSET_NS;
  ui_watch(ui, profile);
  ui->source = (struct ui_source){ .ready = true,
                                   .processes = 1,
                                   .clock_offset_ns = MODEL_OFFSET_NS,
                                   .main = { .pid = 4711,
                                             .state = RTOP_FEED_LIVE,
                                             .command = "puma: cluster worker 0: 4700 [shop]",
                                             .ruby = "3.3.8",
                                             .started_real_ns = ui->now_real_ns - INT64_C(8040000000000) } };
}

void model_ui_end(struct ui *ui, struct rtop_profile *profile)
{
  ui_destroy(ui);
  rtop_profile_destroy(&profile);
}

void model_redraw(struct ui *ui)
{
  do {
    if (ui->stale || ui->more) assert_true(ui_update(ui));
    ui_draw(ui);
  } while (ui->stale || ui->more);
}

void model_press(struct ui *ui, int key)
{
  ui_key(ui, key);
  model_redraw(ui);
}

void model_type(struct ui *ui, const char *text)
{
  for (; *text != '\0'; text++) model_press(ui, (unsigned char)*text);
}

void model_screen_open(const struct screen_case *screen_case, struct ui *ui, struct rtop_profile *profile)
{
  struct screen_options look = { .color = screen_case->mono ? -1 : 0, .ascii = screen_case->ascii };
  setenv("LC_ALL", screen_case->c_locale ? "C" : "C.UTF-8", 1);
  setenv("TZ", "UTC", 1);
  unsetenv("NO_COLOR");
  assert_int_equal(screen_open_headless(&look, screen_case->rows, screen_case->columns), 0);
  model_ui(ui, profile);
  ui->look.ascii = screen_case->ascii ? UI_ASCII_ON : UI_ASCII_AUTO;
  if (screen_case->dead) {
    ui->source.main.state = RTOP_FEED_DEAD;
    snprintf(ui->source.main.end, sizeof ui->source.main.end, "killed by signal 9");
    ui->source.main.lived_ns = INT64_C(754000000000);
  }
  ui_draw(ui); /* tells which columns there are */
  ui->stale = true;
  model_redraw(ui);
  ui->stale = true;
  model_redraw(ui);
  for (int *key = screen_case->keys; key != NULL && *key != 0; key++) model_press(ui, *key);
}

char *model_screen_text(void)
{
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_non_null(out);
  screen_write_text(out);
  fclose(out);
  return text;
}

bool shows(const char *text)
{
  char *screen = model_screen_text();
  bool found = strstr(screen, text) != NULL;
  free(screen);
  return found;
}

static void print_difference(const char *was, const char *is)
{
  while (*was != '\0' && *is != '\0') {
    size_t was_bytes = strcspn(was, "\n"), is_bytes = strcspn(is, "\n");
    if (was_bytes != is_bytes || memcmp(was, is, is_bytes) != 0)
      print_error("stood there:  %.*s\ndrawn afresh: %.*s\n", (int)was_bytes, was, (int)is_bytes, is);
    was += was_bytes + (was[was_bytes] == '\n');
    is += is_bytes + (is[is_bytes] == '\n');
  }
}

void check_drawn_afresh(struct ui *ui)
{
  char *as_it_is = NULL, *again = model_screen_text();
  bool settled = false;
  for (int i = 0; i < 20 && !settled; i++) { /* some figures take a few looks */
    free(as_it_is);
    as_it_is = again;
    ui->stale = true;
    model_redraw(ui);
    again = model_screen_text();
    settled = strcmp(as_it_is, again) == 0;
  }
  free(again);
  erase();
  model_redraw(ui);
  char *afresh = model_screen_text();
  if (!settled || strcmp(as_it_is, afresh) != 0) {
    print_difference(as_it_is, afresh);
    fail_msg("what stood on the screen is not what is drawn afresh");
  }
  free(as_it_is);
  free(afresh);
}

static void blank(struct rect at, int columns)
{
  for (int y = at.y; y < at.y + at.rows; y++)
    for (int x = at.x; x < at.x + columns; x++) mvaddch(y, x, ' ');
}

void model_crop_header(const struct ui *ui)
{
  enum { CLOCK_COLUMNS = 10 };
  const struct rect *part = ui->layout.part;
  int tabs = 0, tag = ui->layout.columns - 1;
  for (int id = 0; id < VIEW_DATA_COUNT; id++)
    tabs =
        ui->drawn.tab[id].x + ui->drawn.tab[id].columns > tabs ? ui->drawn.tab[id].x + ui->drawn.tab[id].columns : tabs;
  attrset(A_NORMAL);
  if (ui->layout.tiny) return;
  while (tag > CLOCK_COLUMNS && (mvinch(part[PART_TITLE].y, tag) & A_CHARTEXT) != '[') tag--;
  blank(part[PART_TITLE], tag - CLOCK_COLUMNS);
  for (int row = PART_VERDICT; row <= PART_TIMELINE; row++) blank(part[row], ui->layout.columns);
  blank(part[PART_TABS], tabs);
  blank(part[PART_FOOTER], part[PART_FOOTER].columns);
}

void model_screen_close(struct ui *ui, struct rtop_profile **profile)
{
  ui_destroy(ui);
  screen_close();
  rtop_profile_destroy(profile);
}

static char *read_all(const char *path)
{
  char *text = NULL;
  size_t bytes = 0;
  FILE *in = fopen(path, "re");
  if (in == NULL) return NULL;
  FILE *out = open_memstream(&text, &bytes);
  for (int c = getc(in); c != EOF; c = getc(in)) putc(c, out);
  fclose(in);
  fclose(out);
  return text;
}

void golden_check(const char *name, const char *text)
{
  char path[256];
  snprintf(path, sizeof path, "tests/tui/screens/%s.screen", name);
  if (getenv("UPDATE_GOLDEN") != NULL) {
    FILE *out = fopen(path, "we");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    return;
  }
  char *wanted = read_all(path);
  if (wanted == NULL) fail_msg("%s is missing: look at the screen, then UPDATE_GOLDEN=1", path);
  if (strcmp(wanted, text) != 0) {
    print_error("%s differs. Wanted:\n%s\nis:\n%s\n", path, wanted, text);
    free(wanted);
    fail_msg("golden screen %s", name);
  }
  free(wanted);
}
