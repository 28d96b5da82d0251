/* What is shown of a call: hidden frames, merged frames, and that no time is lost on the way. */
#include "tests/tui/model_fixture.h"
#include "tui/methods/methods.h"

#define GEM "/usr/local/bundle/gems/rack-3.0.8/lib/rack.rb"
#define STDLIB "/usr/lib/ruby/3.3.0/json/common.rb"
#define APP "/srv/app/app/models/order.rb"

static struct rtop_profile *profile;
static struct rtop_symbols *symbols;
static struct rtop_lens *lens;
static struct rtop_lens_look look;
static uint32_t frame_order, frame_line, frame_rack, frame_json, frame_sort, frame_main;

static uint32_t frame_of(const char *label, const char *path, const char *space, uint32_t line)
{
  return rtop_symbols_frame(symbols, label, strlen(label), path, strlen(path), space, strlen(space), line,
                            *path ? RTOP_SYMBOL_RUBY : RTOP_SYMBOL_C);
}

static int set_up(void **state)
{
  (void)state;
  profile = rtop_profile_create(16 << 20);
  assert_non_null(profile);
  symbols = rtop_profile_symbols(profile);
  lens = rtop_profile_lens(profile);
  memset(&look, 0, sizeof look);
  frame_main = frame_of("<main>", "/srv/app/run.rb", "", 1);
  frame_order = frame_of("Order#total", APP, "Order", 7);
  frame_line = frame_of("Order#line", APP, "Order", 20);
  frame_rack = frame_of("Rack::Handler#call", GEM, "Rack::Handler", 3);
  frame_json = frame_of("JSON.parse", STDLIB, "JSON", 30);
  frame_sort = frame_of("Array#sort", "", "Array", 0);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  rtop_profile_destroy(&profile);
  return 0;
}

/* Calls from the root: frames, each with the line being executed in it; ends with 0. */
static uint32_t calls(const uint32_t *frames, const uint32_t *lines)
{
  uint32_t node = 0;
  for (int i = 0; frames[i]; i++) node = rtop_symbols_node(symbols, node, frames[i], lines[i]);
  return node;
}
#define CALLS(...) calls((uint32_t[]){ __VA_ARGS__, 0 }, (uint32_t[]){ 11, 12, 13, 14, 15, 16, 17, 18 })

static void use(void)
{
  assert_true(rtop_lens_set(lens, &look));
}

/* The labels of what is shown for a node, outermost first. */
static const char *shown(uint32_t node)
{
  static char text[512];
  char before[512] = "";
  text[0] = '\0';
  for (node = rtop_lens_node(lens, 0, node); node; node = rtop_symbols_get_node(symbols, node)->parent) {
    const struct rtop_call_node *call = rtop_symbols_get_node(symbols, node);
    snprintf(text, sizeof text, "%s@%u%s%.400s", rtop_symbols_get(symbols, call->frame)->label, call->line,
             *before ? " > " : "", before);
    snprintf(before, sizeof before, "%s", text);
  }
  return text;
}

static void test_without_wishes_everything_is_shown_as_it_is(void **state)
{
  (void)state;
  uint32_t node = CALLS(frame_main, frame_rack, frame_order, frame_sort), count = rtop_symbols_node_count(symbols);
  for (uint32_t id = 0; id < count; id++) assert_int_equal(id, rtop_lens_node(lens, 0, id));
  assert_int_equal(0, rtop_lens_node(lens, 0, count + 5));
  assert_int_equal(node, rtop_lens_node(lens, 0, node));
  assert_int_equal(count, rtop_symbols_node_count(symbols));
}

static void test_only_my_code_hides_gems_the_standard_library_and_c(void **state)
{
  (void)state;
  look.only_mine = true;
  use();
  assert_string_equal("<main>@11 > Order#total@13",
                      shown(CALLS(frame_main, frame_rack, frame_order, frame_json, frame_sort)));
  assert_string_equal("", shown(CALLS(frame_rack, frame_json)));
}

/* Which of Ruby's own methods are in C differs from version to version. */
static void test_methods_in_c_and_of_ruby_itself_are_hidden_alone(void **state)
{
  (void)state;
  uint32_t loop = frame_of("Kernel#loop", "<internal:kernel>", "Kernel", 168);
  look.no_c = true;
  use();
  assert_string_equal("Rack::Handler#call@11 > JSON.parse@13",
                      shown(CALLS(frame_rack, frame_sort, frame_json, frame_sort)));
  assert_string_equal("Order#total@12 > Order#line@14", shown(CALLS(loop, frame_order, loop, frame_line, loop)));
}

static void test_patterns_name_classes_paths_and_gems(void **state)
{
  (void)state;
  uint32_t node = CALLS(frame_main, frame_rack, frame_order, frame_json);
  strcpy(look.exclude, "gem:rack,Order#*");
  use();
  assert_string_equal("<main>@11 > JSON.parse@14", shown(node));
  strcpy(look.exclude, "stdlib,app/models/");
  use();
  assert_string_equal("<main>@11 > Rack::Handler#call@12", shown(node));
  strcpy(look.exclude, "*,!Order");
  use();
  assert_string_equal("Order#total@13", shown(node));
}

static void test_a_pattern_without_meaning_changes_nothing(void **state)
{
  (void)state;
  uint32_t node = CALLS(frame_main, frame_rack);
  look.no_c = true;
  strcpy(look.exclude, "gem:");
  assert_non_null(rtop_lens_check(look.exclude));
  assert_null(rtop_lens_check("gem:rack"));
  assert_false(rtop_lens_set(lens, &look));
  assert_false(rtop_lens_look(lens)->no_c);
  assert_int_equal(node, rtop_lens_node(lens, 0, node));
}

static void test_the_folder_of_the_process_is_its_own_even_where_gems_lie(void **state)
{
  (void)state;
  uint32_t node = CALLS(frame_rack, frame_json);
  look.only_mine = true;
  use();
  assert_string_equal("", shown(node));
  uint32_t version = rtop_lens_version(lens);
  rtop_lens_own(lens, "/usr/local/bundle/gems/rack-3.0.8");
  rtop_lens_own(lens, "/"); /* says nothing */
  assert_int_not_equal(version, rtop_lens_version(lens));
  assert_string_equal("Rack::Handler#call@11", shown(node));
  look.only_mine = false;
  look.merge = RTOP_MERGE_FILE;
  use();
  assert_string_equal("lib/rack.rb@11 > json/common.rb@12", shown(node));
}

static void test_lines_are_told_apart(void **state)
{
  (void)state;
  look.merge = RTOP_MERGE_LINE;
  use();
  assert_string_equal("<main>:11@11 > Order#total:12@12 > Array#sort@13",
                      shown(CALLS(frame_main, frame_order, frame_sort)));
}

static void test_calls_inside_a_class_or_gem_are_none(void **state)
{
  (void)state;
  uint32_t node = CALLS(frame_main, frame_order, frame_line, frame_rack, frame_rack, frame_order);
  look.merge = RTOP_MERGE_CLASS;
  use();
  assert_string_equal("(no class)@0 > Order (class)@0 > Rack::Handler (class)@0 > Order (class)@0", shown(node));
  look.merge = RTOP_MERGE_GEM;
  use();
  assert_string_equal("application@0 > gem rack@0 > application@0", shown(node));
  assert_string_equal("standard library@0 > Ruby itself@0", shown(CALLS(frame_json, frame_sort)));
}

static void test_files_keep_their_lines_and_their_source(void **state)
{
  (void)state;
  uint32_t node = CALLS(frame_main, frame_order, frame_line, frame_rack, frame_sort);
  look.merge = RTOP_MERGE_FILE;
  use();
  rtop_lens_own(lens, "/srv/app/");
  assert_string_equal("run.rb@11 > app/models/order.rb@12 > app/models/order.rb@13 > "
                      "rack-3.0.8/lib/rack.rb@14 > (C functions)@15",
                      shown(node));
  uint32_t file = rtop_symbols_get_node(symbols, rtop_lens_node(lens, 0, CALLS(frame_main, frame_order)))->frame;
  assert_string_equal(APP, rtop_symbols_get(symbols, file)->path);
  assert_true(rtop_symbol_has_source(rtop_symbols_get(symbols, file)));
}

static void test_a_completed_name_is_asked_again(void **state)
{
  (void)state;
  uint32_t sleep = frame_of("sleep", "", "", 0), node = CALLS(frame_main, sleep);
  strcpy(look.exclude, "Kernel");
  use();
  assert_string_equal("<main>@11 > sleep@12", shown(node));
  uint32_t version = rtop_lens_version(lens);
  rtop_symbols_relabel(symbols, sleep, "Kernel#sleep", 12, "Kernel", 6);
  assert_int_not_equal(version, rtop_lens_version(lens));
  assert_string_equal("<main>@11", shown(node));
}

static void test_frames_that_the_profiler_made_up_are_never_hidden(void **state)
{
  (void)state;
  uint32_t made = rtop_symbols_frame(symbols, "(folded)", 8, "", 0, "", 0, 0, RTOP_SYMBOL_SPECIAL);
  uint32_t node = CALLS(frame_rack, made);
  look.only_mine = look.no_c = true;
  strcpy(look.exclude, "*");
  look.merge = RTOP_MERGE_GEM;
  use();
  assert_string_equal("(folded)@12", shown(node));
}

/* Random stacks, every look: the sum over all cells and of every thread is what it was. */
static void test_no_look_loses_time(void **state)
{
  (void)state;
  const uint32_t frames[] = { frame_main, frame_order, frame_line, frame_rack, frame_json, frame_sort };
  static const char *const patterns[] = { "", "gem:*", "*", "Order,stdlib,!Order#line" };
  struct rtop_window window = { 0 };
  struct rtop_sum sum = { 0 };
  struct rtop_methods methods = { 0 };
  uint64_t expected = 0;
  uint32_t random = 12345;
  fixture_window(&window, 0, 100 * MS);
  uint32_t thread = fixture_thread(&window, 1, RTOP_STATE_RUNNING, 0, 0);
  for (int i = 0; i < 300; i++) {
    uint32_t node = 0;
    for (uint32_t depth = 0; depth <= random % 9; depth++) {
      random = random * 1664525 + 1013904223;
      node = rtop_symbols_node(symbols, node, frames[(random >> 16) % 6], 1 + (random >> 8) % 5);
    }
    random = random * 1664525 + 1013904223;
    expected += random >> 12;
    fixture_cell(&window, thread, node, RTOP_STATE_RUNNING, random >> 12);
  }
  assert_true(fixture_add(profile, 0, &window));
  struct rtop_methods_options options = { 0 };
  for (int i = 0; i < 4 * RTOP_MERGES * 4; i++) {
    look.only_mine = i & 1;
    look.no_c = i >> 1 & 1;
    look.merge = (enum rtop_merge)(i / 4 % RTOP_MERGES);
    strcpy(look.exclude, patterns[i / 4 / RTOP_MERGES]);
    use();
    assert_true(rtop_profile_sum(profile, rtop_profile_bounds(profile), &sum));
    assert_int_equal(expected, rtop_cost_wall(&sum.total));
    assert_true(rtop_methods_build(&methods, &sum, symbols, &options));
    uint64_t self_ns = 0;
    for (size_t row = 0; row < methods.count; row++) {
      self_ns += methods.rows[row].self_ns;
      assert_true(methods.rows[row].total_ns <= expected);
    }
    assert_int_equal(expected, self_ns);
  }
  rtop_methods_destroy(&methods);
  rtop_sum_destroy(&sum);
  rtop_window_destroy(&window);
}

/* Each process has methods of its own; together they have what the method has, and what is made up stays one. */
static void test_processes_apart(void **state)
{
  (void)state;
  struct rtop_window window = { 0 };
  struct rtop_sum sum = { 0 };
  struct rtop_methods methods = { 0 };
  struct rtop_methods_options options = { 0 };
  uint32_t made_up = rtop_symbols_frame(symbols, "(made up)", 9, "", 0, "", 0, 0, RTOP_SYMBOL_SPECIAL);
  uint32_t node = CALLS(frame_main, frame_order), of_nobody = rtop_symbols_node(symbols, 0, made_up, 0);
  for (uint32_t source = 0; source < 2; source++) {
    fixture_window(&window, 0, 100 * MS);
    uint32_t thread = fixture_thread(&window, 1, RTOP_STATE_RUNNING, 0, 0);
    fixture_cell(&window, thread, node, RTOP_STATE_RUNNING, (source + 1) * 10 * MS);
    fixture_cell(&window, thread, of_nobody, RTOP_STATE_RUNNING, 5 * MS);
    assert_true(fixture_add(profile, source, &window));
    rtop_lens_process(lens, source, 4711 + source);
  }
  uint64_t found_ns[3] = { 0 };
  look.processes = true;
  use();
  assert_true(rtop_profile_sum(profile, rtop_profile_bounds(profile), &sum));
  assert_int_equal(40 * MS, rtop_cost_wall(&sum.total));
  assert_true(rtop_methods_build(&methods, &sum, symbols, &options));
  for (size_t i = 0; i < methods.count; i++) {
    const struct rtop_symbol *symbol = rtop_symbols_get(symbols, methods.rows[i].frame);
    char name[64], wanted[64];
    assert_in_range(symbol->process ? symbol->process - 4710 : 0, 0, 2);
    found_ns[symbol->process ? symbol->process - 4710 : 0] += methods.rows[i].self_ns;
    snprintf(wanted, sizeof wanted, symbol->process ? "%u %s" : "%.0u%s", symbol->process, symbol->label);
    assert_string_equal(wanted, rtop_symbol_name(symbol, name, sizeof name));
  }
  assert_int_equal(10 * MS, found_ns[0]);
  assert_int_equal(10 * MS, found_ns[1]);
  assert_int_equal(20 * MS, found_ns[2]);
  look.processes = false;
  use();
  assert_true(rtop_profile_sum(profile, rtop_profile_bounds(profile), &sum));
  assert_true(rtop_methods_build(&methods, &sum, symbols, &options));
  for (size_t i = 0; i < methods.count; i++)
    assert_int_equal(0, rtop_symbols_get(symbols, methods.rows[i].frame)->process);
  rtop_methods_destroy(&methods);
  rtop_sum_destroy(&sum);
  rtop_window_destroy(&window);
}

/* A class that calls itself over another one counts once per stack. */
static void test_a_merged_row_counts_once_per_stack(void **state)
{
  (void)state;
  struct rtop_window window = { 0 };
  struct rtop_sum sum = { 0 };
  struct rtop_methods methods = { 0 };
  fixture_window(&window, 0, 100 * MS);
  uint32_t thread = fixture_thread(&window, 1, RTOP_STATE_RUNNING, 0, 0);
  fixture_cell(&window, thread, CALLS(frame_order, frame_rack, frame_line), RTOP_STATE_RUNNING, 40);
  fixture_cell(&window, thread, CALLS(frame_line, frame_rack), RTOP_STATE_RUNNING, 2);
  assert_true(fixture_add(profile, 0, &window));
  look.merge = RTOP_MERGE_CLASS;
  use();
  assert_true(rtop_profile_sum(profile, rtop_profile_bounds(profile), &sum));
  struct rtop_methods_options options = { .sort = RTOP_SORT_TOTAL };
  assert_true(rtop_methods_build(&methods, &sum, symbols, &options));
  assert_int_equal(2, methods.count);
  assert_string_equal("Order (class)", rtop_symbols_get(symbols, methods.rows[0].frame)->label);
  assert_int_equal(42, methods.rows[0].total_ns);
  assert_int_equal(40, methods.rows[0].self_ns);
  assert_int_equal(42, methods.rows[1].total_ns);
  rtop_methods_destroy(&methods);
  rtop_sum_destroy(&sum);
  rtop_window_destroy(&window);
}

static void test_what_is_active_is_said_shortly(void **state)
{
  (void)state;
  char text[64], little[8];
  assert_int_equal(0, rtop_lens_text(&look, text, sizeof text));
  look.only_mine = look.no_c = true;
  look.merge = RTOP_MERGE_CLASS;
  strcpy(look.exclude, "gem:rack, stdlib");
  assert_int_equal(strlen("mine -C by class !gem:rack !stdlib"), rtop_lens_text(&look, text, sizeof text));
  assert_string_equal("mine -C by class !gem:rack !stdlib", text);
  assert_int_equal(7, rtop_lens_text(&look, little, sizeof little));
  assert_string_equal("mine -C", little);
}

static uint32_t labels_of(const char *text)
{
  return rtop_symbols_frame(symbols, text, strlen(text), "", 0, "(labels)", 8, 0, RTOP_SYMBOL_SPECIAL);
}

static void test_label_sets_are_hidden_unless_asked_for(void **state)
{
  (void)state;
  uint32_t set = labels_of("endpoint=/users,user=7");
  uint32_t plain = CALLS(frame_main, frame_order);
  uint32_t node = rtop_symbols_node(symbols, rtop_symbols_node(symbols, 0, set, 0), frame_main, 11);
  node = rtop_symbols_node(symbols, node, frame_order, 12);
  assert_true(rtop_symbols_labelled(symbols));
  assert_int_equal(set, rtop_symbols_get_node(symbols, node)->labels);
  assert_int_equal(0, rtop_symbols_get_node(symbols, plain)->labels);
  assert_int_equal(plain, rtop_lens_node(lens, 0, node));
  assert_int_equal(plain, rtop_lens_node(lens, 0, plain));
  look.labels = true;
  use();
  assert_int_equal(node, rtop_lens_node(lens, 0, node));
  assert_int_equal(plain, rtop_lens_node(lens, 0, plain));
  look.no_c = true;
  use();
  assert_int_equal(node, rtop_lens_node(lens, 0, node));
}

static void test_merged_by_label(void **state)
{
  (void)state;
  uint32_t set = labels_of("a=1"), top = rtop_symbols_node(symbols, 0, set, 0);
  uint32_t node = rtop_symbols_node(symbols, rtop_symbols_node(symbols, top, frame_main, 1), frame_order, 2);
  look.merge = RTOP_MERGE_LABEL;
  use();
  assert_int_equal(top, rtop_lens_node(lens, 0, node));
  assert_int_equal(top, rtop_lens_node(lens, 0, top));
  uint32_t none = rtop_lens_node(lens, 0, CALLS(frame_main, frame_order));
  assert_int_equal(none, rtop_lens_node(lens, 0, CALLS(frame_sort)));
  assert_int_equal(0, rtop_symbols_get_node(symbols, none)->parent);
  assert_string_equal("(no labels)", rtop_symbols_get(symbols, rtop_symbols_get_node(symbols, none)->frame)->label);
}

static void test_only_some_labels(void **state)
{
  (void)state;
  uint32_t one = rtop_symbols_node(symbols, rtop_symbols_node(symbols, 0, labels_of("a=1,b=x"), 0), frame_main, 1);
  uint32_t two = rtop_symbols_node(symbols, rtop_symbols_node(symbols, 0, labels_of("a=2"), 0), frame_main, 1);
  uint32_t none = CALLS(frame_main);
  static const struct {
    const char *label;
    bool one, two;
  } cases[] = {
    { "a=1", true, false }, { "a=2", false, true },      { "a", true, true },          { "a=?", true, true },
    { "b=x", true, false }, { "a=?\nb=*", true, false }, { "a=1\nb=y", false, false }, { "c", false, false },
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    snprintf(look.label, sizeof look.label, "%s", cases[i].label);
    use();
    uint32_t shown = rtop_symbols_node(symbols, 0, frame_main, 1);
    assert_int_equal(cases[i].one ? shown : RTOP_LENS_OUT, rtop_lens_node(lens, 0, one));
    assert_int_equal(cases[i].two ? shown : RTOP_LENS_OUT, rtop_lens_node(lens, 0, two));
    assert_int_equal(RTOP_LENS_OUT, rtop_lens_node(lens, 0, none));
    assert_int_equal(RTOP_LENS_OUT, rtop_lens_node(lens, 0, 0));
  }
}

static void test_a_sum_of_some_labels(void **state)
{
  (void)state;
  struct rtop_window window = { 0 };
  struct rtop_sum sum = { 0 };
  uint32_t one = rtop_symbols_node(symbols, 0, labels_of("a=1"), 0);
  uint32_t two = rtop_symbols_node(symbols, 0, labels_of("a=2"), 0);
  fixture_window(&window, 0, 100 * MS);
  uint32_t thread = fixture_thread(&window, 1, RTOP_STATE_RUNNING, 0, 0);
  fixture_cell(&window, thread, rtop_symbols_node(symbols, one, frame_main, 1), RTOP_STATE_RUNNING, 40);
  fixture_cell(&window, thread, rtop_symbols_node(symbols, two, frame_main, 1), RTOP_STATE_RUNNING, 2);
  fixture_cell(&window, thread, CALLS(frame_order), RTOP_STATE_RUNNING, 1);
  assert_true(fixture_add(profile, 0, &window));
  assert_true(rtop_profile_sum(profile, rtop_profile_bounds(profile), &sum));
  assert_int_equal(43, rtop_cost_wall(&sum.total));
  assert_int_equal(2, sum.cell_count);
  strcpy(look.label, "a=2");
  use();
  assert_true(rtop_profile_sum(profile, rtop_profile_bounds(profile), &sum));
  assert_int_equal(2, rtop_cost_wall(&sum.total));
  assert_int_equal(1, sum.cell_count);
  assert_int_equal(1, sum.thread_count);
  strcpy(look.label, "a=9");
  use();
  assert_true(rtop_profile_sum(profile, rtop_profile_bounds(profile), &sum));
  assert_int_equal(0, rtop_cost_wall(&sum.total));
  rtop_sum_destroy(&sum);
  rtop_window_destroy(&window);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, set_up, tear_down)
    TEST(test_without_wishes_everything_is_shown_as_it_is),
    TEST(test_only_my_code_hides_gems_the_standard_library_and_c),
    TEST(test_methods_in_c_and_of_ruby_itself_are_hidden_alone),
    TEST(test_patterns_name_classes_paths_and_gems),
    TEST(test_a_pattern_without_meaning_changes_nothing),
    TEST(test_the_folder_of_the_process_is_its_own_even_where_gems_lie),
    TEST(test_lines_are_told_apart),
    TEST(test_calls_inside_a_class_or_gem_are_none),
    TEST(test_files_keep_their_lines_and_their_source),
    TEST(test_a_completed_name_is_asked_again),
    TEST(test_frames_that_the_profiler_made_up_are_never_hidden),
    TEST(test_no_look_loses_time),
    TEST(test_processes_apart),
    TEST(test_a_merged_row_counts_once_per_stack),
    TEST(test_what_is_active_is_said_shortly),
    TEST(test_label_sets_are_hidden_unless_asked_for),
    TEST(test_merged_by_label),
    TEST(test_only_some_labels),
    TEST(test_a_sum_of_some_labels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
