/* What the rows say of their change, against the same done by hand. */
#include "tests/tui/screen_fixture.h"
#include "tui/methods/sum_translate.h"
#include <math.h>

static size_t place_of(const char *needle)
{
  char *text = model_screen_text(), *found = strstr(text, needle);
  size_t place = found != NULL ? (size_t)(found - text) : SIZE_MAX;
  free(text);
  return place;
}

static const struct rtop_method_row *row_of(const char *label)
{
  for (size_t i = 0; i < ui.methods.count; i++)
    if (strcmp(rtop_symbols_get(rtop_profile_symbols(profile), ui.methods.rows[i].frame)->label, label) == 0)
      return &ui.methods.rows[i];
  return NULL;
}

/* Self and total of every method of a span, by name: nothing of what is tested. */
static void by_hand(struct rtop_span span, const char *label, double *self, double *total)
{
  struct rtop_sum sum = { 0 };
  struct rtop_methods methods = { 0 };
  const struct rtop_methods_options options = { .sort = RTOP_SORT_NAME };
  assert_true(rtop_profile_sum(profile, span, &sum));
  assert_true(rtop_methods_build(&methods, &sum, rtop_profile_symbols(profile), &options));
  *self = *total = 0;
  for (size_t i = 0; i < methods.count; i++) {
    if (strcmp(rtop_symbols_get(rtop_profile_symbols(profile), methods.rows[i].frame)->label, label) == 0) {
      *self = (double)methods.rows[i].self_ns / (double)methods.length_ns;
      *total = (double)methods.rows[i].total_ns / (double)methods.length_ns;
    }
  }
  rtop_methods_destroy(&methods);
  rtop_sum_destroy(&sum);
}

static void check_all(struct rtop_span before, bool total)
{
  size_t rows = ui.methods.count;
  assert_true(rows > 10);
  for (size_t i = 0; i < rows; i++) {
    const char *label = rtop_symbols_get(rtop_profile_symbols(profile), ui.methods.rows[i].frame)->label;
    double self_now, total_now, self_before, total_before;
    by_hand(ui.span, label, &self_now, &total_now);
    by_hand(before, label, &self_before, &total_before);
    double wanted = total ? total_now - total_before : self_now - self_before;
    if (fabs(ui.methods.rows[i].delta - wanted) > 1e-9)
      fail_msg("%s: %f is not %f", label, ui.methods.rows[i].delta, wanted);
  }
}

static void go_to(const char *time)
{
  model_press(&ui, 'b');
  model_type(&ui, time);
  model_press(&ui, '\r');
}

static void test_delta(void **state)
{
  (void)state;
  assert_false(shows("DELTA"));
  go_to("-20s");
  struct rtop_span before = ui.span;
  model_press(&ui, 'B');
  assert_true(shows("baseline taken") && shows("DELTA"));
  for (size_t i = 0; i < ui.methods.count; i++) assert_true(ui.methods.rows[i].delta == 0);
  model_press(&ui, 'z');
  check_all(before, false);
  model_press(&ui, 'Y');
  check_all(before, true);
  model_press(&ui, 'w'); /* a longer frame: shares still compare */
  check_all(before, true);
  model_press(&ui, 'B');
  assert_true(ui.baseline.all && shows("every column shows its change"));
  model_press(&ui, 'B');
  assert_true(!ui.baseline.taken && !ui.baseline.all && !shows("DELTA"));
}

static void test_sort(void **state)
{
  (void)state;
  go_to("-26s");
  model_press(&ui, 'B');
  model_press(&ui, 'z');
  model_press(&ui, '>');
  assert_int_equal(ui.wanted.sort, RTOP_SORT_DELTA);
  assert_true(shows("DELTAv"));
  assert_int_equal(ui.baseline.of, RTOP_SORT_SELF);
  assert_true(shows("+"));
  model_press(&ui, 'B');
  model_press(&ui, 'B');
  assert_int_equal(ui.wanted.sort, RTOP_SORT_SELF);
}

/* Methods that are new, and methods that are gone. */
static void test_gone(void **state)
{
  (void)state;
  model_press(&ui, 'B');
  model_add_window(profile, MODEL_END_NS, "NewComer#work");
  for (int i = 1; i < 10; i++) model_add_window(profile, MODEL_END_NS + i * INT64_C(100000000), "NewComer#work");
  ui.stale = true;
  model_redraw(&ui);
  const struct rtop_method_row *gone = row_of("String#gsub"), *fresh = row_of("NewComer#work");
  assert_true(gone != NULL && fresh != NULL);
  assert_true(gone->self_ns == 0 && gone->delta < -0.2 && gone->delta > -0.23);
  assert_true(fresh->delta > 0.99);
  assert_true(shows("+100.0") && shows("-45.6"));
  /* The trees have rows for them, too: open like any other, with nothing in them. */
  model_press(&ui, '2');
  model_press(&ui, '*');
  assert_true(shows("> 100.0 +100.0  ─── | NewComer#work") && shows("    0.0 -400.0  [-] Puma::ThreadPool#spawn"));
  assert_true(shows("    0.0 -135.6  │ ├─[-] OrdersController#index"));
  assert_true(shows("    0.0  -62.6  │ │ └─[-] ActiveRecord") && shows("    0.0  -17.0  │ │   └──── PG::"));
  assert_true(place_of("JSON::Ext::Generator#generate") < place_of("Rack::Session::Cookie#load"));
  model_press(&ui, 'i');
  assert_true(shows("    0.0  -21.8  ─── String#gsub"));
  assert_true(place_of("Queue#pop") < place_of("IO.select") && place_of("IO.select") < place_of("String#gsub"));
  /* Of callers all time is the methods' own, before as now. */
  assert_true(shows("    0.0   -5.0  ─── OrdersController#index"));
  model_press(&ui, 'i');
  /* By DELTA what grew is first, then what shrank least; the other way round the largest losses are. */
  model_press(&ui, '>');
  assert_int_equal(ui.wanted.sort, RTOP_SORT_DELTA);
  assert_true(shows(" TOTAL%  DELTAv CALL TREE  "));
  assert_true(place_of("NewComer#work") < place_of("IO.select"));
  assert_true(place_of("IO.select") < place_of("spawn_thread"));
  assert_true(place_of("Hash#merge") < place_of("as_json"));
  model_press(&ui, 'I');
  model_press(&ui, 'g');
  assert_true(shows(" TOTAL%  DELTA^ CALL TREE  "));
  assert_true(place_of("spawn_thread") < place_of("as_json") && place_of("as_json") < place_of("exec_queri"));
  model_press(&ui, 'i'); /* of callers that is not known */
  assert_true(shows(" TOTAL%^ DELTA  CALLERS"));
  model_press(&ui, 'i');
  model_press(&ui, 'P');
  model_press(&ui, '1');
  model_press(&ui, '\\');
  model_type(&ui, "gsub\r");
  assert_true(row_of("NewComer#work") == NULL && row_of("String#gsub") != NULL);
  assert_true(row_of("Queue#pop") == NULL);
}

/* With a bound what was large enough keeps its row, also when there is less of it now or nothing. */
static void test_bound(void **state)
{
  (void)state;
  model_press(&ui, 'B');
  for (int i = 0; i < 10; i++) model_add_window(profile, MODEL_END_NS + i * INT64_C(100000000), "NewComer#work");
  ui.wanted.min_percent = 20;
  ui.stale = true;
  model_redraw(&ui);
  const struct rtop_method_row *gone = row_of("String#gsub");
  assert_true(gone != NULL && gone->gone && gone->total_ns == 0);
  assert_true(row_of("NewComer#work") != NULL && !row_of("NewComer#work")->gone);
  ui.wanted.min_percent = 23;
  ui.stale = true;
  model_redraw(&ui);
  assert_true(row_of("String#gsub") == NULL && row_of("NewComer#work") != NULL);
}

/* In the time view without a baseline: the frame before. */
static void test_frame_before(void **state)
{
  (void)state;
  go_to("-9s");
  model_press(&ui, '7');
  assert_true(shows("DELTA"));
  check_all((struct rtop_span){ ui.span.start_ns - 1000000000, ui.span.start_ns }, false);
  model_press(&ui, '{');
  check_all((struct rtop_span){ ui.span.start_ns - 1000000000, ui.span.start_ns }, false);
  model_press(&ui, '1');
  assert_false(shows("DELTA"));
}

/* A recording with other numbers for the same names. */
static void test_other(void **state)
{
  (void)state;
  struct rtop_profile *other = rtop_profile_create(64 << 20);
  struct rtop_symbols *symbols = rtop_profile_symbols(other);
  for (int i = 0; i < 100; i++) {
    char label[32];
    int bytes = snprintf(label, sizeof label, "Unknown%d", i);
    rtop_symbols_node(symbols, 0, rtop_symbols_frame(symbols, label, (size_t)bytes, "", 0, "", 0, 1, RTOP_SYMBOL_RUBY),
                      1);
  }
  model_add_window(other, MODEL_END_NS, "String#gsub");
  model_add_window(other, MODEL_END_NS + 100000000, "Only#there");
  ui_baseline_give(&ui, other);
  model_redraw(&ui);
  assert_true(shows("against recording"));
  const struct rtop_method_row *same = row_of("String#gsub"), *gone = row_of("Only#there");
  assert_true(gone != NULL && fabs(gone->delta + 0.5) < 1e-9 && gone->self_ns == 0);
  assert_true(same != NULL && fabs(same->delta - ((double)same->self_ns / 1e9 - 0.5)) < 1e-9);
  model_press(&ui, '2');
  model_press(&ui, '4');
  ui_watch(&ui, profile);
  rtop_profile_destroy(&other);
}

/* The sum is the same in other symbols. */
static void test_translate(void **state)
{
  (void)state;
  struct rtop_symbols *to = rtop_symbols_create();
  struct rtop_sum sum = { 0 }, again = { 0 };
  assert_true(rtop_profile_sum(profile, rtop_profile_bounds(profile), &sum));
  assert_true(rtop_profile_sum(profile, rtop_profile_bounds(profile), &again));
  rtop_symbols_frame(to, "first", 5, "", 0, "", 0, 1, RTOP_SYMBOL_RUBY);
  assert_true(rtop_sum_translate(&again, rtop_profile_symbols(profile), to));
  assert_int_equal(sum.cell_count, again.cell_count);
  for (size_t i = 0; i < sum.cell_count; i++) {
    uint32_t a = sum.cells[i].node, b = again.cells[i].node;
    while (a != 0 && b != 0) {
      const struct rtop_call_node *x = rtop_symbols_get_node(rtop_profile_symbols(profile), a);
      const struct rtop_call_node *y = rtop_symbols_get_node(to, b);
      assert_string_equal(rtop_symbols_get(rtop_profile_symbols(profile), x->frame)->label,
                          rtop_symbols_get(to, y->frame)->label);
      assert_int_equal(x->line, y->line);
      a = x->parent;
      b = y->parent;
    }
    assert_true(a == 0 && b == 0);
  }
  rtop_sum_destroy(&sum);
  rtop_sum_destroy(&again);
  rtop_symbols_destroy(&to);
}

static void test_text(void **state)
{
  static const struct {
    double change;
    const char *text;
  } texts[] = {
    { 0.214, "+21.4" }, { -0.03, "-3.0" }, { 0.0004, "0.0" }, { -0.0004, "0.0" }, { 150, "+15000" },
  };
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    char text[16];
    ui_baseline_text(text, sizeof text, texts[i].change);
    assert_string_equal(text, texts[i].text);
  }
}

#define BASELINE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
    BASELINE_TEST(test_delta),     BASELINE_TEST(test_sort),         BASELINE_TEST(test_gone),
    BASELINE_TEST(test_bound),     BASELINE_TEST(test_frame_before), BASELINE_TEST(test_other),
    BASELINE_TEST(test_translate), cmocka_unit_test(test_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
