/* Windows in, counters out: as text, with names that nobody should have, and with what is told late. */
#include "tests/tui/model_fixture.h"
#include "tui/metrics/metrics.h"
#include "tui/metrics/metrics_file.h"
#include "tui/metrics/metrics_text.h"

#include "shm/base/clock.h"
#include "shm/base/latency.h"
#include "tui/metrics/metrics_work.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct rtop_feed_info usual = {
  .pid = 4711,
  .owner = (uid_t)-2, /* nobody has that number */
  .command = "puma \"6\" \\ [shop]",
  .ruby = "3.3.8",
  .window_ns = 100000000,
  .started_real_ns = INT64_C(1700000000123456789),
};

static void join(struct metrics *metrics, uint32_t source, uint64_t opened, const struct rtop_feed_info *info)
{
  metrics_source(metrics, source, &(struct metrics_source){ .opened = opened, .info = info, .live = true });
}

static char *page(const struct metrics *metrics, enum metrics_format format)
{
  size_t bytes;
  char *text = metrics_page(metrics, format, &bytes);
  assert_non_null(text);
  assert_int_equal(strlen(text), bytes);
  return text;
}

static uint32_t labels_node(struct rtop_symbols *symbols, const char *set)
{
  uint32_t frame = rtop_symbols_frame(symbols, set, strlen(set), "", 0, "(labels)", 8, 0, RTOP_SYMBOL_SPECIAL);
  return rtop_symbols_node(symbols, 0, frame, 0);
}

static uint32_t method_node(struct rtop_symbols *symbols, uint32_t parent, const char *name, const char *path)
{
  return rtop_symbols_node(symbols, parent, fixture_frame(symbols, name, path, 1), 1);
}

/* A figure of work with labels. */
static void exact(struct rtop_window *window, uint32_t node, uint32_t what, uint32_t key, uint64_t value)
{
  *rtop_window_add_exact(window) = (struct rtop_exact){ .node = node, .what = what, .key = key, .value = value };
}

/* What stands for labels that found no room. */
static uint32_t folded_node(struct rtop_symbols *symbols)
{
  return method_node(symbols, 0, "(other)", "");
}

/* So many requests of one length, all of it spent on one cause. `told`: so many of them are in a bucket. */
static void requests(struct rtop_window *window, uint32_t node, uint32_t label, enum rtop_work_cause cause,
                     uint64_t count, uint64_t told, uint64_t each_ns)
{
  uint32_t whole = rtop_work_key(label, RTOP_WORK_WHOLE, 0), by_cause = rtop_work_key(label, cause, 0);
  exact(window, node, RTOP_WORK_ENDED, whole, count);
  exact(window, node, RTOP_WORK_ENDED, by_cause, count);
  exact(window, node, RTOP_WORK_TIME_NS, whole, count * each_ns);
  exact(window, node, RTOP_WORK_TIME_NS, by_cause, count * each_ns);
  if (!told) return;
  exact(window, node, RTOP_WORK_TIMES, rtop_work_key(label, RTOP_WORK_WHOLE, rtop_latency_bucket(each_ns)), told);
  uint32_t coarse = rtop_latency_coarse(rtop_latency_bucket(each_ns));
  exact(window, node, RTOP_WORK_TIMES, rtop_work_key(label, cause, coarse), told);
}

/* ---- the page ---------------------------------------------------------------------------------------- */

static void golden_window(struct rtop_profile *profile, struct rtop_window *window)
{
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  uint32_t set = labels_node(symbols, "endpoint=GET /a\"b\\\\c,shop=1");
  uint32_t work = method_node(symbols, set, "Evil#\"quoted\\\" \n # EOF", "/app/{a=\"b\"}.rb");
  uint32_t idle = method_node(symbols, 0, "Queue#pop", ""), folded = folded_node(symbols);
  fixture_window(window, 1000 * MS, 1100 * MS);
  uint32_t first = fixture_thread(window, 1, RTOP_RUNNING, work, 0);
  uint32_t second = fixture_thread(window, 2, RTOP_BLOCKED, idle, 0);
  fixture_cell(window, first, work, RTOP_RUNNING, 70 * MS);
  fixture_cell(window, first, work, RTOP_WAITING, 10 * MS);
  fixture_cell(window, first, work, RTOP_MARKING, 15 * MS);
  fixture_cell(window, first, work, RTOP_SWEEPING, 5 * MS);
  fixture_cell(window, second, idle, RTOP_BLOCKED, 100 * MS);
  fixture_cell(window, second, fixture_unsampled(symbols), RTOP_RUNNING, 1 * MS);
  *rtop_window_add_begun(window) = (struct rtop_begun){ .node = set, .label = 0, .count = 3 };
  requests(window, set, 0, RTOP_WORK_RUNNING, 4, 4, 900000);
  requests(window, set, 0, RTOP_WORK_GVL, 2, 2, 12 * MS);
  requests(window, set, 0, RTOP_WORK_IO, 1, 1, 40000 * MS);
  requests(window, folded, 0, RTOP_WORK_LOCK, 5, 0, 7 * MS);
  exact(window, set, RTOP_WORK_OPEN, rtop_work_key(0, 0, 0), 1 + 3);
  exact(window, set, RTOP_WORK_OLDEST_NS, rtop_work_key(0, 0, 0), 41000 * MS);
  exact(window, folded, RTOP_WORK_UNTIMED, 0, 6);
  rtop_window_set_counter(window, RTOP_COUNTER_GC_MINOR, 2);
  rtop_window_set_counter(window, RTOP_COUNTER_GC_MAJOR, 1);
  rtop_window_set_counter(window, RTOP_COUNTER_ALLOCATIONS, 4321);
  rtop_window_set_counter(window, RTOP_COUNTER_EXCEPTIONS, 5);
  rtop_window_set_counter(window, RTOP_COUNTER_CPU_NS, 91000001);
  rtop_window_set_counter(window, RTOP_COUNTER_WHOLE_COST_NS, 700000);
  rtop_window_set_counter(window, RTOP_COUNTER_RSS_BYTES, 12345678);
  rtop_window_set_counter(window, RTOP_COUNTER_HEAP_LIVE_SLOTS, 40000);
}

/* From the golden file of this test, without the figures of the viewer itself. */
static void check_golden(char *text, const char *name)
{
  char path[300], *agent = strstr(text, "# HELP rperf_top_agent_info");
  assert_non_null(agent);
  *agent = '\0';
  snprintf(path, sizeof path, "%.*s/%s", (int)(strrchr(__FILE__, '/') - __FILE__), __FILE__, name);
  if (getenv("GOLDEN")) {
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    fclose(out);
  }
  char wanted[20000];
  FILE *in = fopen(path, "r");
  assert_non_null(in);
  wanted[fread(wanted, 1, sizeof wanted - 1, in)] = '\0';
  fclose(in);
  assert_string_equal(text, wanted);
}

static void test_page(void **state)
{
  (void)state;
  struct metrics *metrics = metrics_create(20);
  struct rtop_profile *profile = rtop_profile_create(16 << 20);
  struct rtop_window window = { 0 };
  golden_window(profile, &window);
  struct rtop_feed_info info = usual;
  info.losses[RTOP_LOSS_STRINGS] = 9;
  assert_true(fixture_add(profile, 0, &window));
  rtop_profile_add_gap(profile, 0, 1100 * MS, 1400 * MS);
  join(metrics, 0, 1, &info);
  struct stall found[] = { { .id = 1, .cause = STALL_GC },
                           { .id = 2, .cause = STALL_MARK },
                           { .id = 3, .cause = STALL_GC } };
  metrics_stalls(metrics, &(struct stalls){ .list = found, .count = 3, .found = 3 });
  metrics_stalls(metrics, &(struct stalls){ .list = found, .count = 3, .found = 3 });
  metrics_look(metrics, profile);
  char *open = page(metrics, METRICS_OPEN), *plain = page(metrics, METRICS_PLAIN);
  assert_string_equal(open + strlen(open) - 6, "# EOF\n");
  assert_null(strstr(plain, "# EOF\n"));
  check_golden(open, "page.openmetrics");
  check_golden(plain, "page.prom");
  free(open);
  free(plain);
  rtop_window_destroy(&window);
  metrics_destroy(&metrics);
  rtop_profile_destroy(&profile);
}

static void test_file_appears_whole_and_can_be_read(void **state)
{
  (void)state;
  char path[] = "/tmp/test-metrics-XXXXXX", name[64];
  struct metrics *metrics = metrics_create(20);
  struct stat status;
  assert_non_null(mkdtemp(path));
  snprintf(name, sizeof name, "%s/a.prom", path);
  mode_t before = umask(022);
  assert_true(metrics_file_write(metrics, name));
  assert_true(metrics_file_write(metrics, name));
  assert_int_equal(stat(name, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0644);
  assert_true(status.st_size > 100);
  umask(before);
  unlink(name);
  rmdir(path);
  assert_false(metrics_file_write(metrics, name));
  metrics_destroy(&metrics);
}

/* ---- labelled work ----------------------------------------------------------------------------------- */

static const struct metrics_item *named(const struct metrics_process *process, const char *value)
{
  const struct metrics_item *item = NULL;
  while ((item = metrics_top_next(&process->named, item)) && strcmp(item->second, value) != 0)
    ;
  return item;
}

static uint64_t in_buckets(const struct metrics_process *process, const struct metrics_item *item, int from, int to)
{
  uint64_t sum = 0;
  for (int i = from; i < to; i++) sum += metrics_top_value(&process->named, item, METRICS_NAMED_BUCKETS + i);
  return sum;
}

/* Is each length in the first bucket whose bound is not below it? Those within 0.8 % of a bound may be beside it. */
static void test_each_length_is_in_its_bucket(void **state)
{
  (void)state;
  struct metrics *metrics = metrics_create(20);
  struct rtop_profile *profile = rtop_profile_create(16 << 20);
  struct rtop_window window = { 0 };
  uint32_t set = labels_node(rtop_profile_symbols(profile), "endpoint=GET /");
  join(metrics, 0, 1, &usual);
  const struct metrics_process *process = metrics->processes[0];
  for (int i = 0; i < METRICS_BUCKETS; i++) {
    double bound_s = i + 1 < METRICS_BUCKETS ? strtod(metrics_bucket_bound(i), NULL) : 1000;
    uint64_t below = (uint64_t)i, until = below + 1;
    fixture_window(&window, (1000 + 200 * i) * MS, (1100 + 200 * i) * MS);
    requests(&window, set, 0, RTOP_WORK_SLEEP, 1, 1, (uint64_t)(bound_s * 0.99e9));
    requests(&window, set, 0, RTOP_WORK_SLEEP, 1, 1, (uint64_t)(bound_s * 1.01e9));
    assert_true(fixture_add(profile, 0, &window));
    metrics_look(metrics, profile);
    metrics_look(metrics, profile); /* what is pending is not counted twice */
    const struct metrics_item *item = named(process, "GET /");
    assert_non_null(item);
    assert_int_equal(in_buckets(process, item, 0, METRICS_BUCKETS), 2 * until);
    assert_int_equal(in_buckets(process, item, 0, i + 1), i + 1 < METRICS_BUCKETS ? 2 * below + 1 : 2 * until);
  }
  assert_string_equal(metrics_bucket_bound(METRICS_BUCKETS - 1), "+Inf");
  rtop_window_destroy(&window);
  metrics_destroy(&metrics);
  rtop_profile_destroy(&profile);
}

/* What finds no room in a window is counted as left out, its time by cause is there all the same. */
static void test_work_without_a_bucket_is_left_out(void **state)
{
  (void)state;
  struct metrics *metrics = metrics_create(20);
  struct rtop_profile *profile = rtop_profile_create(16 << 20);
  struct rtop_window window = { 0 };
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  uint32_t set = labels_node(symbols, "endpoint=GET /,shop=7"), folded = folded_node(symbols);
  join(metrics, 0, 1, &usual);
  fixture_window(&window, 1000 * MS, 1100 * MS);
  requests(&window, set, 0, RTOP_WORK_IO, 10, 4, 20 * MS);
  requests(&window, set, 1, RTOP_WORK_IO, 10, 10, 20 * MS);
  requests(&window, folded, 0, RTOP_WORK_LOCK, 3, 0, 5 * MS);
  requests(&window, set, 900, RTOP_WORK_IO, 10, 10, 20 * MS);                /* no set has so many labels */
  exact(&window, set, RTOP_WORK_TIME_NS, rtop_work_key(0, 15, 0), 5);        /* there is no such cause */
  exact(&window, set, RTOP_WORK_OPEN, rtop_work_key(0, 0, 0), 1);            /* none is open */
  exact(&window, set, RTOP_WORK_OLDEST_NS, rtop_work_key(0, 0, 0), 30 * MS); /* in a merged window: of one that ended */
  assert_true(fixture_add(profile, 0, &window));
  metrics_look(metrics, profile);
  const struct metrics_process *process = metrics->processes[0];
  const struct metrics_item *endpoint = named(process, "GET /"), *shop = named(process, "7");
  int io = metrics_named_time(RTOP_WORK_IO), lock = metrics_named_time(RTOP_WORK_LOCK);
  assert_int_equal(in_buckets(process, endpoint, 0, METRICS_BUCKETS), 4);
  assert_int_equal(metrics_item_value(endpoint, METRICS_NAMED_LATENCY), 80 * MS);
  assert_int_equal(metrics_item_value(endpoint, io), 200 * MS);
  assert_int_equal(endpoint->open.count, 0);
  assert_int_equal(endpoint->open.oldest_ns, 0);
  assert_int_equal(in_buckets(process, shop, 0, METRICS_BUCKETS), 10);
  assert_int_equal(metrics_item_value(shop, METRICS_NAMED_LATENCY), 200 * MS);
  assert_int_equal(metrics_top_value(&process->named, NULL, lock), 15 * MS);
  assert_int_equal(in_buckets(process, NULL, 0, METRICS_BUCKETS), 0);
  assert_int_equal(process->counts[METRICS_LEFT_OUT_LENGTHS].told, 6);
  assert_int_equal(process->counts[METRICS_LEFT_OUT_LABELS].told, 3);
  assert_int_equal(process->counts[METRICS_LEFT_OUT_OPEN].told, 0);
  rtop_window_destroy(&window);
  metrics_destroy(&metrics);
  rtop_profile_destroy(&profile);
}

/* Endpoints without end: so many series, and all together are all that ended. */
static void test_series_of_work_are_bounded(void **state)
{
  (void)state;
  enum { ENDPOINTS = 700 };
  struct metrics *metrics = metrics_create(2);
  struct rtop_profile *profile = rtop_profile_create(16 << 20);
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  struct rtop_window window = { 0 };
  join(metrics, 0, 1, &usual);
  for (int i = 0; i < ENDPOINTS; i++) {
    char set[64];
    snprintf(set, sizeof set, "endpoint=GET /%d", i);
    fixture_window(&window, (1000 + 100 * i) * MS, (1100 + 100 * i) * MS);
    uint32_t node = labels_node(symbols, set);
    requests(&window, node, 0, RTOP_WORK_RUNNING, 1, 1, (uint64_t)(1 + i % 50) * MS);
    exact(&window, node, RTOP_WORK_OPEN, rtop_work_key(0, 0, 0), 1 + 1);
    assert_true(fixture_add(profile, 0, &window));
    if (i % 40 == 0) metrics_look(metrics, profile);
  }
  metrics_look(metrics, profile);
  const struct metrics_process *process = metrics->processes[0];
  uint64_t ended = in_buckets(process, NULL, 0, METRICS_BUCKETS);
  size_t count = 0;
  for (const struct metrics_item *item = NULL; (item = metrics_top_next(&process->named, item)); count++)
    ended += in_buckets(process, item, 0, METRICS_BUCKETS);
  assert_int_equal(ended, ENDPOINTS);
  assert_int_equal(count, 2 * METRICS_PLACES);
  assert_int_equal(process->named.other_open.count, 1);
  char *text = page(metrics, METRICS_OPEN), *at = text;
  for (count = 0; (at = strstr(at, "rperf_top_label_latency_seconds_count{")); count++) at++;
  assert_int_equal(count, 2 * METRICS_PLACES + 1);
  free(text);
  rtop_window_destroy(&window);
  metrics_destroy(&metrics);
  rtop_profile_destroy(&profile);
}

/* ---- which process ------------------------------------------------------------------------------------ */

static void test_another_process_in_the_place(void **state)
{
  (void)state;
  struct metrics *metrics = metrics_create(20);
  struct rtop_profile *profile = rtop_profile_create(16 << 20);
  struct rtop_window window = { 0 };
  golden_window(profile, &window);
  assert_true(fixture_add(profile, 0, &window));
  join(metrics, 0, 1, &usual);
  metrics_look(metrics, profile);
  assert_int_equal(metrics->processes[0]->counts[METRICS_GC_MINOR].told, 2);
  join(metrics, 0, 1, &usual);
  assert_int_equal(metrics->processes[0]->counts[METRICS_GC_MINOR].told, 2);

  struct rtop_feed_info info = usual;
  info.started_real_ns += 1000000;
  rtop_profile_retire(profile, 0);
  join(metrics, 0, 2, &info);
  metrics_look(metrics, profile);
  assert_int_equal(metrics->processes[0]->counts[METRICS_GC_MINOR].told, 0);
  assert_string_equal(metrics->processes[0]->labels, "pid=\"4711\",start=\"1700000000.124\"");

  /* The same process in another place: it is told once. */
  join(metrics, 5, 3, &info);
  metrics_look(metrics, profile);
  char *text = page(metrics, METRICS_OPEN);
  const char *at = strstr(text, "rperf_top_process_up{");
  assert_non_null(at);
  assert_null(strstr(at + 1, "rperf_top_process_up{"));
  free(text);
  join(metrics, RTOP_SOURCES_MAX, 4, &info);
  rtop_window_destroy(&window);
  metrics_destroy(&metrics);
  rtop_profile_destroy(&profile);
}

/* ---- what is told late ---------------------------------------------------------------------------------- */

enum { SOURCES = 3, THREADS = 4, METHODS = 40, ROUNDS = 300, TOP = 3, OPEN_MAX = 60 };

struct truth {
  uint64_t busy[SOURCES][METHODS], held[SOURCES], blocked[SOURCES];
};

struct open_call {
  int windows; /* so many are open; 0: none */
  uint32_t state;
};

static void tell_open(struct rtop_window *window, uint32_t index, uint32_t unsampled, struct open_call *call)
{
  call->windows++;
  window->threads[index].flags = RTOP_WINDOW_THREAD_STALE;
  window->threads[index].stack_age_ns = (uint64_t)call->windows * 100 * MS;
  struct rtop_cell *cell = fixture_cell(window, index, unsampled, call->state, 100 * MS);
  cell->samples = 0;
}

static void random_thread(struct rtop_window *window, uint32_t source, uint32_t thread, struct open_call *call,
                          const uint32_t nodes[METHODS], uint32_t unsampled, bool last, struct truth *truth)
{
  uint32_t method = (uint32_t)(random() % METHODS), state = random() % 3 ? RTOP_RUNNING : RTOP_BLOCKED;
  uint32_t index = fixture_thread(window, thread + 1, state, nodes[method], 0);
  bool closes = call->windows && (last || call->windows == OPEN_MAX || random() % 10 == 0);
  if (closes) {
    uint64_t length_ns = (uint64_t)call->windows * 100 * MS;
    fixture_late(window, index, nodes[method], call->state, window->start_mono_ns - (int64_t)length_ns, length_ns);
    if (call->state == RTOP_RUNNING) truth->busy[source][method] += length_ns;
    call->windows = 0;
  } else if (call->windows || (!last && random() % 4 == 0)) {
    if (!call->windows) call->state = state;
    tell_open(window, index, unsampled, call);
    *(call->state == RTOP_RUNNING ? &truth->held[source] : &truth->blocked[source]) += 100 * MS;
    return;
  }
  fixture_cell(window, index, nodes[method], state, 100 * MS);
  *(state == RTOP_RUNNING ? &truth->held[source] : &truth->blocked[source]) += 100 * MS;
  if (state == RTOP_RUNNING) truth->busy[source][method] += 100 * MS;
}

static uint64_t all_methods(const struct metrics_process *process)
{
  uint64_t sum = process->methods.other[0];
  for (const struct metrics_item *item = NULL; (item = metrics_top_next(&process->methods, item));)
    sum += metrics_item_value(item, 0);
  return sum;
}

static uint64_t not_sampled(const struct metrics_process *process)
{
  for (const struct metrics_item *item = NULL; (item = metrics_top_next(&process->methods, item));)
    if (strcmp(item->first, "(not sampled)") == 0) return metrics_item_value(item, 0);
  return 0;
}

/* A second later it is told as what it is by then, once. */
static void test_what_is_never_told_is_not_sampled(void **state)
{
  (void)state;
  struct metrics *metrics = metrics_create(20);
  struct rtop_profile *profile = rtop_profile_create(16 << 20);
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  struct rtop_window window = { 0 };
  uint32_t late = method_node(symbols, 0, "late", "/a.rb");
  golden_window(profile, &window);
  assert_true(fixture_add(profile, 0, &window));
  join(metrics, 0, 1, &usual);
  metrics_look(metrics, profile);
  const struct metrics_process *process = metrics->processes[0];
  assert_int_equal(not_sampled(process), 0);
  assert_int_equal(all_methods(process), 100 * MS);

  fixture_window(&window, 2500 * MS, 2600 * MS);
  fixture_thread(&window, 2, RTOP_BLOCKED, late, 0);
  assert_true(fixture_add(profile, 0, &window));
  metrics_look(metrics, profile);
  assert_int_equal(not_sampled(process), 1 * MS);
  assert_int_equal(all_methods(process), process->counts[METRICS_HELD].told + process->counts[METRICS_WAITING].told);

  fixture_window(&window, 2600 * MS, 2700 * MS);
  uint32_t thread = fixture_thread(&window, 2, RTOP_BLOCKED, late, 0);
  fixture_late(&window, thread, late, RTOP_RUNNING, 1050 * MS, 1 * MS);
  assert_true(fixture_add(profile, 0, &window));
  metrics_look(metrics, profile);
  assert_int_equal(all_methods(process), 101 * MS);
  rtop_window_destroy(&window);
  metrics_destroy(&metrics);
  rtop_profile_destroy(&profile);
}

/* What has a place since the first time it was seen is told exactly, whatever came late. */
static void check_truth(const struct metrics *metrics, const struct truth *truth)
{
  for (uint32_t source = 0; source < SOURCES; source++) {
    const struct metrics_process *process = metrics->processes[source];
    uint64_t busy = 0;
    for (int i = 0; i < METHODS; i++) busy += truth->busy[source][i];
    assert_int_equal(process->counts[METRICS_HELD].told, truth->held[source]);
    assert_int_equal(process->counts[METRICS_BLOCKED].told, truth->blocked[source]);
    assert_int_equal(all_methods(process), busy);
    for (const struct metrics_item *item = NULL; (item = metrics_top_next(&process->methods, item));) {
      int method = atoi(item->first + 1);
      assert_int_equal(item->figures[0].told, truth->busy[source][method]);
    }
  }
}

static void check_nothing_fell(const struct metrics *metrics, uint64_t before[SOURCES][METRICS_COUNTS + 2])
{
  for (uint32_t source = 0; source < SOURCES; source++) {
    const struct metrics_process *process = metrics->processes[source];
    uint64_t now[METRICS_COUNTS + 2] = { all_methods(process), process->methods.other[0] };
    for (int i = 0; i < METRICS_COUNTS; i++) now[i + 2] = process->counts[i].told;
    for (int i = 0; i < METRICS_COUNTS + 2; i++) {
      assert_true(now[i] >= before[source][i]);
      before[source][i] = now[i];
    }
  }
}

/* One process is behind the others, as one that was stopped; looks come at any time. */
static void run_random(unsigned seed)
{
  struct metrics *metrics = metrics_create(TOP);
  struct rtop_profile *profile = rtop_profile_create(64 << 20);
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  struct rtop_window window = { 0 };
  struct open_call calls[SOURCES][THREADS] = { 0 };
  struct truth truth = { 0 };
  uint64_t before[SOURCES][METRICS_COUNTS + 2] = { 0 };
  uint32_t nodes[METHODS], unsampled = fixture_unsampled(symbols);
  srandom(seed);
  rtop_profile_keep_ns(profile, METRICS_LATE_NS + INT64_C(5000000000));
  for (int i = 0; i < METHODS; i++) {
    char name[16];
    snprintf(name, sizeof name, "m%d", i);
    nodes[i] = method_node(symbols, 0, name, "/a.rb");
  }
  for (uint32_t i = 0; i < SOURCES; i++) {
    struct rtop_feed_info info = usual;
    info.pid = (pid_t)i + 1;
    join(metrics, i, i + 1, &info);
  }
  for (int round = 0; round < ROUNDS; round++)
    for (uint32_t source = 0; source < SOURCES; source++) {
      int64_t start = 1000 * MS + (round - (int)source * 15) * 100 * MS + 15 * SOURCES * 100 * MS;
      fixture_window(&window, start, start + 100 * MS);
      for (uint32_t i = 0; i < THREADS; i++)
        random_thread(&window, source, i, &calls[source][i], nodes, unsampled, round >= ROUNDS - 30, &truth);
      assert_true(fixture_add(profile, source, &window));
      if (random() % 9 == 0) {
        metrics_look(metrics, profile);
        check_nothing_fell(metrics, before);
      }
    }
  metrics_look(metrics, profile);
  check_nothing_fell(metrics, before);
  check_truth(metrics, &truth);
  rtop_window_destroy(&window);
  metrics_destroy(&metrics);
  rtop_profile_destroy(&profile);
}

static void test_counters_hold_whatever_comes_late(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 12; seed++) run_random(seed);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_page),
    cmocka_unit_test(test_file_appears_whole_and_can_be_read),
    cmocka_unit_test(test_each_length_is_in_its_bucket),
    cmocka_unit_test(test_work_without_a_bucket_is_left_out),
    cmocka_unit_test(test_series_of_work_are_bounded),
    cmocka_unit_test(test_another_process_in_the_place),
    cmocka_unit_test(test_what_is_never_told_is_not_sampled),
    cmocka_unit_test(test_counters_hold_whatever_comes_late),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
