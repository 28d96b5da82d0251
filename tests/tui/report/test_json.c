#include "tests/tui/report_fixture.h"

#include "shm/base/vm_parts.h"
#include "tui/report/json.h"
#include <locale.h>
#include <stdlib.h>

/* Written as the viewer writes it, read back as anybody would. */
static json_t *round_trip(const struct rtop_report *report, char **line)
{
  char *text = NULL;
  size_t bytes = 0;
  json_error_t error;
  FILE *out = open_memstream(&text, &bytes);
  assert_true(rtop_json_write(report, out));
  fclose(out);
  assert_ptr_equal(strchr(text, '\n'), text + bytes - 1);
  json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, &error);
  if (!object) fail_msg("%s: %s", error.text, text);
  if (line) *line = text;
  else free(text);
  return object;
}

static double number(json_t *object, const char *key)
{
  json_t *value = json_object_get(object, key);
  if (!json_is_number(value)) fail_msg("%s is no number", key);
  return json_number_value(value);
}

static const char *text(json_t *object, const char *key)
{
  json_t *value = json_object_get(object, key);
  if (!json_is_string(value)) fail_msg("%s is no string", key);
  return json_string_value(value);
}

static void assert_keys(json_t *object, const char *const *keys, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (!json_object_get(object, keys[i])) fail_msg("%s is missing", keys[i]);
  assert_int_equal(json_object_size(object), count);
}
#define KEYS(object, ...)                                                                                              \
  do {                                                                                                                 \
    static const char *const keys[] = { __VA_ARGS__ };                                                                 \
    assert_keys(object, keys, sizeof keys / sizeof keys[0]);                                                           \
  } while (0)

static json_t *named(json_t *array, const char *name)
{
  size_t i;
  json_t *object;
  json_array_foreach(array, i, object) if (strcmp(text(object, "name"), name) == 0) return object;
  fail_msg("no %s", name);
  return NULL;
}

static void test_every_key_of_the_contract(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  json_t *object = round_trip(&fixture.report, NULL);
  KEYS(object, "schema", "time", "pid", "command", "ruby", "state", "frame", "mode", "windows", "gaps", "sampler",
       "verdict", "gvl", "gc", "allocations", "exceptions", "fibers_waiting", "lock_waits", "blocked_on", "waits",
       "threads", "methods");
  KEYS(json_object_get(object, "sampler"), "hz", "samples", "dropped", "cost", "governed", "releases", "storm");
  KEYS(json_object_get(object, "gvl"), "running", "waiting", "blocked", "held", "holder", "waiters", "wait");
  KEYS(json_object_get(object, "verdict"), "kind", "text", "method", "caller", "last_seen", "share", "spread", "thread",
       "owner", "behind", "since", "lasts", "threads_at_work", "threads_resting", "gc", "objects", "deadlock",
       "advice");
  KEYS(json_object_get(object, "gc"), "marking", "sweeping", "minor", "major");
  KEYS(json_array_get(json_object_get(object, "threads"), 0), "id", "name", "native_id", "state", "running", "waiting",
       "blocked", "gc", "cpu", "held", "blame", "stack", "stack_current", "stack_age", "lock");
  KEYS(json_array_get(json_object_get(object, "methods"), 0), "name", "path", "line", "self", "total", "ratio",
       "threads", "running", "waiting", "blocked", "gc", "cpu", "blame", "allocations", "samples");
  json_decref(object);
  report_fixture_destroy(&fixture);
}

static void test_values(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  json_t *object = round_trip(&fixture.report, NULL);
  assert_string_equal(text(object, "schema"), "rperf-top/1");
  assert_string_equal(text(object, "command"), "ruby m.rb");
  assert_string_equal(text(object, "ruby"), "3.3.8");
  assert_string_equal(text(object, "state"), "live");
  assert_true(number(object, "pid") == 4711);
  assert_float_equal(number(object, "time"), 1700000001.323457, 1e-5);
  assert_true(number(object, "frame") == 0.2);
  assert_true(number(object, "windows") == 2);
  assert_true(number(object, "gaps") == 0);
  assert_true(number(object, "allocations") == 80);
  json_t *sampler = json_object_get(object, "sampler");
  assert_true(number(sampler, "hz") == 500 && number(sampler, "samples") == 20);
  assert_true(number(sampler, "dropped") == 2 && number(sampler, "cost") == 0.001);
  assert_true(json_is_true(json_object_get(sampler, "governed")));
  assert_true(number(object, "fibers_waiting") == 30);
  assert_true(number(sampler, "releases") == 600 && number(sampler, "storm") == 200);
  json_t *gvl = json_object_get(object, "gvl"), *gc = json_object_get(object, "gc");
  assert_true(number(gvl, "running") == 0.15 && number(gvl, "waiting") == 0.02);
  assert_true(number(gvl, "blocked") == 0.22);
  assert_true(number(gvl, "held") == 0.8 && number(gvl, "waiters") == 1 && number(gvl, "wait") == 0.02);
  assert_string_equal(text(json_object_get(gvl, "holder"), "name"), "t1");
  json_t *verdict = json_object_get(object, "verdict");
  assert_string_equal(text(verdict, "kind"), "running");
  assert_string_equal(text(verdict, "method"), "Price#total");
  assert_string_equal(text(verdict, "text"), "running: 80% Price#total, t1");
  assert_true(number(verdict, "share") == 0.8);
  assert_int_equal(number(verdict, "spread"), 0);
  assert_true(number(gc, "marking") == 0.01 && number(gc, "sweeping") == 0 && number(gc, "minor") == 4);
  json_decref(object);
  report_fixture_destroy(&fixture);
}

static void test_exceptions(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  report_fixture_raised(&fixture);
  json_t *object = round_trip(&fixture.report, NULL), *raised = json_object_get(object, "raised");
  assert_true(number(object, "exceptions") == 41 && number(object, "raised_untold") == 2);
  assert_int_equal(json_array_size(raised), 3);
  json_t *first = json_array_get(raised, 0), *rest = json_array_get(raised, 1), *last = json_array_get(raised, 2);
  KEYS(first, "class", "name", "path", "line", "by", "count", "first", "last");
  assert_string_equal(text(first, "class"), "Shop::Missing");
  assert_string_equal(text(first, "name"), "Price#total");
  assert_string_equal(text(first, "path"), "/app/p;r.rb");
  assert_true(number(first, "line") == 6 && number(first, "count") == 30);
  assert_true(json_is_null(json_object_get(first, "by")));
  assert_float_equal(number(first, "first"), 1700000001.313457, 1e-5);
  assert_float_equal(number(first, "last"), 1700000001.373457, 1e-5);
  assert_string_equal(text(rest, "class"), "(others)");
  assert_true(number(rest, "count") == 5 && json_is_null(json_object_get(rest, "name")));
  assert_string_equal(text(last, "class"), "KeyError");
  assert_string_equal(text(last, "by"), "Hash#fetch");
  json_decref(object);
  report_fixture_destroy(&fixture);
}

static void test_methods(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  json_t *object = round_trip(&fixture.report, NULL), *methods = json_object_get(object, "methods");
  assert_int_equal(json_array_size(methods), 3);
  json_t *price = named(methods, "Price#total");
  assert_string_equal(text(price, "path"), "/app/p;r.rb");
  assert_true(number(price, "line") == 4);
  assert_true(number(price, "self") == 0.15 && number(price, "total") == 0.2);
  assert_true(number(price, "ratio") == 1);
  assert_true(number(price, "running") == 0.15 && number(price, "waiting") == 0.02);
  assert_true(number(price, "blocked") == 0.02 && number(price, "gc") == 0.01);
  assert_true(number(price, "cpu") == 0.090000001); /* to the nanosecond */
  assert_true(number(price, "blame") == 0.003 && number(price, "allocations") == 77);
  assert_true(number(price, "samples") == 5 && number(price, "threads") == 1);
  size_t i;
  json_t *method;
  json_array_foreach(methods, i, method)
  {
    double states =
        number(method, "running") + number(method, "waiting") + number(method, "blocked") + number(method, "gc");
    assert_float_equal(states, number(method, "total"), 1e-12);
  }
  fixture.options.mode = RTOP_MODE_CPU;
  report_fixture_take(&fixture);
  json_decref(object);
  object = round_trip(&fixture.report, NULL);
  price = named(json_object_get(object, "methods"), "Price#total");
  assert_true(number(price, "self") == 0.090000001 && number(price, "running") == 0.15);
  json_decref(object);
  report_fixture_destroy(&fixture);
}

static void test_threads(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  json_t *object = round_trip(&fixture.report, NULL);
  json_t *threads = json_object_get(object, "threads"), *thread = named(threads, "t1");
  assert_int_equal(json_array_size(threads), 2);
  assert_true(number(thread, "id") == 1 && number(thread, "native_id") == 101);
  assert_string_equal(text(thread, "state"), "blocked");
  assert_true(number(thread, "running") == 0.15 && number(thread, "gc") == 0.01);
  assert_true(number(thread, "held") == 0.16 && number(thread, "blame") == 0.003);
  json_t *stack = json_object_get(thread, "stack");
  assert_int_equal(json_array_size(stack), 3);
  assert_string_equal(json_string_value(json_array_get(stack, 0)), "String#gsub (C)");
  assert_string_equal(json_string_value(json_array_get(stack, 1)), "Price#total (p;r.rb:6)");
  assert_string_equal(json_string_value(json_array_get(stack, 2)), "<main> (m.rb:9)");
  assert_true(json_is_true(json_object_get(thread, "stack_current")) && number(thread, "stack_age") == 0);
  json_decref(object);
  report_fixture_destroy(&fixture);
}

/* The last stack that is known, and that it is not the one of now; how old it is, when that is known. */
static void test_old_stacks(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  struct rtop_thread_row *threads = fixture.report.sum.threads;
  threads[0].stale = threads[1].stale = true;
  threads[0].stack_age_ns = 2100 * MS;
  json_t *object = round_trip(&fixture.report, NULL);
  json_t *thread = named(json_object_get(object, "threads"), "t1");
  assert_true(json_is_false(json_object_get(thread, "stack_current")) && number(thread, "stack_age") == 2.1);
  assert_int_equal(json_array_size(json_object_get(thread, "stack")), 3);
  thread = json_array_get(json_object_get(object, "threads"), 1);
  assert_true(json_is_false(json_object_get(thread, "stack_current")));
  assert_true(json_is_null(json_object_get(thread, "stack_age")));
  json_decref(object);
  threads[0].ended = true;
  object = round_trip(&fixture.report, NULL);
  assert_true(json_is_true(json_object_get(named(json_object_get(object, "threads"), "t1"), "stack_current")));
  json_decref(object);
  report_fixture_destroy(&fixture);
}

static void test_several_processes_and_the_end(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  fixture.report.source_count = 2;
  fixture.report.source_pids[1] = 4712;
  fixture.report.state = RTOP_FEED_DEAD;
  json_t *object = round_trip(&fixture.report, NULL);
  assert_string_equal(text(object, "state"), "dead");
  assert_null(json_object_get(object, "end"));
  json_decref(object);
  fixture.report.has_end = true;
  fixture.report.end = (struct rtop_feed_end){
    .cause = "signal", .text = "killed by signal 9", .real_ns = INT64_C(1763600000250000000), .lived_ns = 1500000000
  };
  object = round_trip(&fixture.report, NULL);
  json_t *end = json_object_get(object, "end");
  assert_string_equal(text(end, "cause"), "signal");
  assert_string_equal(text(end, "text"), "killed by signal 9");
  assert_true(number(end, "time") == 1763600000.25);
  assert_true(number(end, "lived") == 1.5);
  assert_int_equal(json_array_size(json_object_get(object, "pids")), 2);
  assert_true(number(json_array_get(json_object_get(object, "threads"), 0), "pid") == 4711);
  json_decref(object);
  report_fixture_destroy(&fixture);
}

static void test_deep_stacks_are_cut(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  struct rtop_symbols *symbols = rtop_profile_symbols(fixture.profile);
  uint32_t node = 0, frame = fixture_frame(symbols, "deep", "/d.rb", 1);
  for (int i = 0; i < 1000; i++) node = rtop_symbols_node(symbols, node, frame, 2);
  fixture_window(&fixture.window, 1200 * MS, 1300 * MS);
  fixture_thread(&fixture.window, 1, RTOP_RUNNING, node, 0);
  fixture_add(fixture.profile, 0, &fixture.window);
  report_fixture_take(&fixture);
  json_t *object = round_trip(&fixture.report, NULL);
  json_t *thread = named(json_object_get(object, "threads"), "t1");
  assert_int_equal(json_array_size(json_object_get(thread, "stack")), RTOP_JSON_STACK_MAX);
  json_decref(object);
  report_fixture_destroy(&fixture);
}

/* Numbers are as short as they can be, and a decimal comma in the locale does not get into them. */
static void test_numbers_are_written_plainly(void **state)
{
  (void)state;
  struct report_fixture fixture;
  char *line;
  report_fixture_setup(&fixture);
  json_decref(round_trip(&fixture.report, &line));
  assert_non_null(strstr(line, "\"frame\":0.2,"));
  assert_non_null(strstr(line, "\"cpu\":0.090000001,"));
  assert_null(strstr(line, "0000000000"));
  assert_null(strstr(line, "9999999999"));
  free(line);
  report_fixture_destroy(&fixture);
}

/* The contract's keys stay as they are; what is compared comes beside them. */
static void test_changes(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  struct rtop_report *report = &fixture.report;
  struct rtop_span bounds = rtop_profile_bounds(fixture.profile);
  struct rtop_span last = { bounds.end_ns - 100 * MS, bounds.end_ns };
  assert_true(rtop_profile_sum(fixture.profile, last, &report->sum));
  assert_true(rtop_methods_build(&report->methods, &report->sum, report->symbols, report->options));
  assert_true(rtop_report_compare(report, fixture.profile, NULL));
  json_t *object = round_trip(report, NULL);
  json_t *baseline = json_object_get(object, "baseline");
  KEYS(baseline, "frame", "windows", "gaps");
  assert_float_equal(number(baseline, "frame"), 0.1, 1e-6);
  json_t *price = named(json_object_get(object, "methods"), "Price#total");
  assert_float_equal(number(price, "self"), 0.05, 1e-6);
  json_t *delta = json_object_get(price, "delta");
  KEYS(delta, "self", "total", "ratio", "threads", "running", "waiting", "blocked", "gc", "cpu", "blame",
       "allocations");
  assert_float_equal(number(delta, "self"), -0.5, 1e-6);
  assert_float_equal(number(delta, "total"), 0, 1e-6);
  assert_float_equal(number(delta, "running"), -0.5, 1e-6);
  assert_float_equal(number(delta, "waiting"), 0.2, 1e-6);
  assert_float_equal(number(delta, "gc"), 0.1, 1e-6);
  assert_float_equal(number(delta, "cpu"), -0.90000001, 1e-6);
  assert_float_equal(number(delta, "allocations"), 770, 1e-3);
  assert_null(json_object_get(price, "gone"));
  json_decref(object);
  /* Against both windows gsub is gone from the first. */
  struct rtop_span first = { bounds.start_ns, bounds.start_ns + 100 * MS };
  assert_true(rtop_profile_sum(fixture.profile, first, &report->sum));
  assert_true(rtop_methods_build(&report->methods, &report->sum, report->symbols, report->options));
  assert_true(rtop_report_compare(report, fixture.profile, fixture.profile));
  object = round_trip(report, NULL);
  json_t *gsub = named(json_object_get(object, "methods"), "String#gsub");
  assert_true(json_is_true(json_object_get(gsub, "gone")));
  assert_float_equal(number(gsub, "total"), 0, 1e-9);
  assert_float_equal(number(json_object_get(gsub, "delta"), "self"), -0.25, 1e-6);
  json_decref(object);
  report_fixture_destroy(&fixture);
}

/* Only who knows them tells them. */
static void test_losses(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  fixture.report.tells_losses = true;
  fixture.report.losses[RTOP_LOSS_NODES] = 12;
  fixture.report.losses[RTOP_LOSS_WINDOWS] = 3;
  json_t *object = round_trip(&fixture.report, NULL), *losses = json_object_get(object, "losses");
  KEYS(losses, "nodes", "frames", "strings", "threads", "labels", "marks", "samples", "windows");
  assert_float_equal(number(losses, "nodes"), 12, 0);
  assert_float_equal(number(losses, "windows"), 3, 0);
  assert_float_equal(number(losses, "threads"), 0, 0);
  json_decref(object);
  report_fixture_destroy(&fixture);
}

static void test_fibers(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  report_fixture_fibers(&fixture);
  json_t *object = round_trip(&fixture.report, NULL), *fibers = json_object_get(object, "fibers");
  assert_int_equal(json_array_size(fibers), 3);
  json_t *named = json_array_get(fibers, 0), *code = json_array_get(fibers, 1), *unknown = json_array_get(fibers, 2);
  KEYS(named, "thread", "name", "named", "path", "line", "alive", "waiting", "wait", "share", "longest", "stack");
  assert_string_equal(text(named, "name"), "Reading");
  assert_true(json_is_true(json_object_get(named, "named")) && json_is_null(json_object_get(named, "path")));
  assert_true(number(named, "thread") == 1 && number(named, "alive") == 4 && number(named, "waiting") == 3);
  assert_true(number(named, "wait") == 0.27 && number(named, "share") == 0.75 && number(named, "longest") == 1.5);
  assert_int_equal(json_array_size(json_object_get(named, "stack")), 2);
  assert_string_equal(text(code, "name"), "Price#total");
  assert_string_equal(text(code, "path"), "/app/p;r.rb");
  assert_true(number(code, "line") == 4 && json_is_false(json_object_get(code, "named")));
  assert_true(json_is_null(json_object_get(unknown, "name")) &&
              json_array_size(json_object_get(unknown, "stack")) == 0);
  json_decref(object);
  report_fixture_destroy(&fixture);
}

/* What a thread waits for, who has it, and who waits for whom in a circle. */
static void test_locks(void **state)
{
  (void)state;
  for (int deadlock = 0; deadlock < 2; deadlock++) {
    struct report_fixture fixture;
    report_fixture_setup(&fixture);
    report_fixture_locks(&fixture, deadlock);
    json_t *object = round_trip(&fixture.report, NULL), *threads = json_object_get(object, "threads");
    json_t *lock = json_object_get(named(threads, "t1"), "lock"),
           *other = json_object_get(named(threads, "t2"), "lock");
    json_t *verdict = json_object_get(object, "verdict");
    KEYS(lock, "kind", "number", "wait", "holder", "chain", "deadlock");
    assert_string_equal(text(lock, "kind"), "mutex");
    assert_true(number(lock, "number") == 1 && number(lock, "wait") == 2.5 && number(object, "lock_waits") == 5);
    assert_string_equal(text(json_object_get(lock, "holder"), "name"), "t2");
    assert_int_equal(json_array_size(json_object_get(lock, "chain")), 1);
    assert_int_equal(json_is_true(json_object_get(lock, "deadlock")), deadlock);
    assert_int_equal(json_is_null(other), !deadlock);
    assert_int_equal(json_array_size(json_object_get(verdict, "deadlock")), deadlock ? 2 : 0);
    json_t *waits = json_object_get(object, "waits"), *first = json_array_get(waits, 0);
    json_t *behind = json_array_get(json_object_get(first, "behind"), 0);
    KEYS(first, "kind", "name", "path", "line", "wait", "threads", "longest", "seen", "behind");
    KEYS(behind, "name", "took", "thread", "wait");
    assert_string_equal(text(first, "kind"), "mutex");
    assert_string_equal(text(first, "name"), "Price#total");
    assert_true(number(first, "threads") == (deadlock ? 2 : 1) && number(first, "longest") == 2.5);
    assert_true(number(first, "wait") == (deadlock ? 0.2 : 0.1) && number(first, "seen") == 1);
    assert_string_equal(text(behind, "name"), "Price#total");
    assert_true(number(behind, "wait") == number(first, "wait") && json_is_null(json_object_get(behind, "took")));
    if (!deadlock) assert_string_equal(text(json_object_get(behind, "thread"), "name"), "t2");
    else assert_true(json_is_null(json_object_get(behind, "thread")));
    json_t *kinds = json_object_get(object, "blocked_on");
    KEYS(kinds, "unknown", "mutex", "monitor", "queue", "sized_queue", "condition", "io", "sleep", "thread", "child",
         "other");
    assert_true(number(kinds, "mutex") == number(first, "wait") && number(kinds, "io") == 0);
    if (deadlock) assert_non_null(strstr(text(verdict, "text"), "deadlock: t1 waits for t2 in Thread::Mutex#lock < "));
    json_decref(object);
    report_fixture_destroy(&fixture);
  }
}

/* What the Ruby that is watched does not show is named; of others nothing is said. */
static void test_what_is_not_available(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  fixture.report.sum.counters.vm_unknown = RTOP_VM_BIT(RTOP_VM_LOCKS) | RTOP_VM_BIT(RTOP_VM_ARGUMENTS) | 1ull << 63;
  json_t *object = round_trip(&fixture.report, NULL), *names = json_object_get(object, "not_available");
  assert_int_equal(json_array_size(names), 2);
  assert_string_equal(json_string_value(json_array_get(names, 0)), "lock owners");
  assert_string_equal(json_string_value(json_array_get(names, 1)), "arguments of slow calls");
  json_decref(object);
  report_fixture_destroy(&fixture);
}

static void test_a_full_device_is_noticed(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  FILE *full = fopen("/dev/full", "w");
  if (!full) skip();
  assert_false(rtop_json_write(&fixture.report, full));
  fclose(full);
  report_fixture_destroy(&fixture);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_key_of_the_contract),
    cmocka_unit_test(test_values),
    cmocka_unit_test(test_methods),
    cmocka_unit_test(test_exceptions),
    cmocka_unit_test(test_threads),
    cmocka_unit_test(test_several_processes_and_the_end),
    cmocka_unit_test(test_old_stacks),
    cmocka_unit_test(test_deep_stacks_are_cut),
    cmocka_unit_test(test_numbers_are_written_plainly),
    cmocka_unit_test(test_changes),
    cmocka_unit_test(test_losses),
    cmocka_unit_test(test_fibers),
    cmocka_unit_test(test_locks),
    cmocka_unit_test(test_what_is_not_available),
    cmocka_unit_test(test_a_full_device_is_noticed),
  };
  setlocale(LC_CTYPE, "C.UTF-8");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
