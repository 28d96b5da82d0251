#include "tests/tui/model_fixture.h"
#include "tests/tui/allocated.h"

#include <stdlib.h>

static uint32_t frame(struct rtop_symbols *symbols, const char *label, uint32_t line)
{
  return fixture_frame(symbols, label, "/app/a.rb", line);
}

static void test_starts_with_the_root(void **state)
{
  (void)state;
  struct rtop_symbols *symbols = rtop_symbols_create();
  assert_int_equal(rtop_symbols_frame_count(symbols), 1);
  assert_int_equal(rtop_symbols_node_count(symbols), 1);
  assert_string_equal(rtop_symbols_get(symbols, 0)->label, "(root)");
  assert_int_equal(rtop_symbols_get_node(symbols, 0)->parent, 0);
  rtop_symbols_destroy(&symbols);
  assert_null(symbols);
  rtop_symbols_destroy(&symbols);
}

static void test_equal_frames_are_one(void **state)
{
  (void)state;
  struct rtop_symbols *symbols = rtop_symbols_create();
  uint32_t fib = frame(symbols, "Object#fib", 1);
  assert_int_equal(frame(symbols, "Object#fib", 1), fib);
  assert_int_not_equal(frame(symbols, "Object#fib", 2), fib);
  assert_int_not_equal(frame(symbols, "Object#fit", 1), fib);
  assert_int_not_equal(fixture_frame(symbols, "Object#fib", "/app/b.rb", 1), fib);
  assert_int_not_equal(fixture_frame(symbols, "Object#fib", "", 1), fib);
  /* Where one string ends and the next begins matters. */
  uint32_t one = rtop_symbols_frame(symbols, "ab", 2, "c", 1, "", 0, 0, RTOP_SYMBOL_RUBY);
  uint32_t two = rtop_symbols_frame(symbols, "a", 1, "bc", 2, "", 0, 0, RTOP_SYMBOL_RUBY);
  assert_int_not_equal(one, two);
  rtop_symbols_destroy(&symbols);
}

static void test_names_are_sanitised(void **state)
{
  (void)state;
  struct rtop_symbols *symbols = rtop_symbols_create();
  uint32_t id = rtop_symbols_frame(symbols, "a\x1b[31m", 6, "/p\n", 3, "N\x9b", 2, 7, RTOP_SYMBOL_RUBY);
  const struct rtop_symbol *symbol = rtop_symbols_get(symbols, id);
  assert_string_equal(symbol->label, "a?[31m");
  assert_string_equal(symbol->path, "/p?");
  assert_string_equal(symbol->namespace_label, "N?");
  assert_int_equal(symbol->line, 7);
  rtop_symbols_destroy(&symbols);
}

static void test_nodes_are_a_tree(void **state)
{
  (void)state;
  struct rtop_symbols *symbols = rtop_symbols_create();
  uint32_t a = frame(symbols, "a", 1), b = frame(symbols, "b", 2);
  uint32_t first = rtop_symbols_node(symbols, 0, a, 10);
  uint32_t second = rtop_symbols_node(symbols, first, b, 20);
  assert_int_equal(rtop_symbols_node(symbols, 0, a, 10), first);
  assert_int_not_equal(rtop_symbols_node(symbols, 0, a, 11), first);
  assert_int_not_equal(rtop_symbols_node(symbols, 0, b, 10), first);
  const struct rtop_call_node *node = rtop_symbols_get_node(symbols, second);
  assert_int_equal(node->parent, first);
  assert_int_equal(node->frame, b);
  assert_int_equal(node->line, 20);
  assert_int_equal(node->depth, 2);
  assert_true(node->parent < second);
  rtop_symbols_destroy(&symbols);
}

static void test_wrong_ids_give_the_root(void **state)
{
  (void)state;
  struct rtop_symbols *symbols = rtop_symbols_create();
  assert_string_equal(rtop_symbols_get(symbols, 12345)->label, "(root)");
  assert_int_equal(rtop_symbols_get_node(symbols, UINT32_MAX)->frame, 0);
  assert_int_equal(rtop_symbols_node(symbols, 99, 0, 0), 0);
  assert_int_equal(rtop_symbols_node(symbols, 0, 99, 0), 0);
  assert_int_equal(rtop_symbols_node_count(symbols), 1);
  rtop_symbols_destroy(&symbols);
}

static void test_depth_is_bounded(void **state)
{
  (void)state;
  struct rtop_symbols *symbols = rtop_symbols_create();
  uint32_t a = frame(symbols, "a", 1), node = 0, depth = 0;
  for (; depth < 70000; depth++) {
    uint32_t next = rtop_symbols_node(symbols, node, a, 1);
    if (next == 0) break;
    node = next;
  }
  assert_int_equal(depth, 4096);
  assert_int_equal(rtop_symbols_get_node(symbols, node)->depth, 4096);
  rtop_symbols_destroy(&symbols);
}

static void test_pointers_stay(void **state)
{
  (void)state;
  struct rtop_symbols *symbols = rtop_symbols_create();
  uint32_t id = frame(symbols, "first", 1);
  uint32_t node = rtop_symbols_node(symbols, 0, id, 1);
  const struct rtop_symbol *symbol = rtop_symbols_get(symbols, id);
  const struct rtop_call_node *call = rtop_symbols_get_node(symbols, node);
  for (uint32_t i = 0; i < 50000; i++) {
    char label[32];
    snprintf(label, sizeof label, "m%u", i);
    uint32_t made = frame(symbols, label, i);
    assert_int_equal(rtop_symbols_node(symbols, node, made, i), node + 1 + i);
  }
  assert_ptr_equal(rtop_symbols_get(symbols, id), symbol);
  assert_ptr_equal(rtop_symbols_get_node(symbols, node), call);
  assert_string_equal(symbol->label, "first");
  rtop_symbols_destroy(&symbols);
}

/* A process that makes methods all the time makes nodes all the time: they must cost little. */
static void test_nodes_are_small(void **state)
{
  (void)state;
  enum { NODES = 200000 };
#ifdef __SANITIZE_ADDRESS__
  skip(); /* its allocator tells nothing */
#endif
  struct rtop_symbols *symbols = rtop_symbols_create();
  uint32_t made = frame(symbols, "made", 1);
  size_t before = allocated_bytes();
  for (uint32_t line = 0; line < NODES; line++) assert_int_equal(rtop_symbols_node(symbols, 0, made, line), line + 1);
  size_t after = allocated_bytes();
  assert_in_range((after - before) / NODES, 20, 40);
  for (uint32_t line = 0; line < NODES; line++) assert_int_equal(rtop_symbols_node(symbols, 0, made, line), line + 1);
  rtop_symbols_destroy(&symbols);
}

/* A million frames that all name one long string must not fill the memory. */
static void test_names_are_bounded(void **state)
{
  (void)state;
  struct rtop_symbols *symbols = rtop_symbols_create();
  char label[4096];
  memset(label, 'x', sizeof label);
  uint32_t line = 1;
  while (line < (1 << 20) &&
         rtop_symbols_frame(symbols, label, sizeof label, "", 0, "", 0, line, RTOP_SYMBOL_RUBY) != 0)
    line++;
  assert_in_range(line, 1000, 1 << 16);
  rtop_symbols_destroy(&symbols);
}

static void test_labels_are_completed(void **state)
{
  (void)state;
  struct rtop_symbols *symbols = rtop_symbols_create();
  uint32_t frame = rtop_symbols_frame(symbols, "sleep", 5, "", 0, "", 0, 0, RTOP_SYMBOL_C);
  rtop_symbols_relabel(symbols, frame, "Kernel#\033sleep", 13, "Kernel", 6);
  assert_string_equal(rtop_symbols_get(symbols, frame)->label, "Kernel#?sleep");
  assert_string_equal(rtop_symbols_get(symbols, frame)->namespace_label, "Kernel");
  assert_int_equal(rtop_symbols_frame(symbols, "sleep", 5, "", 0, "", 0, 0, RTOP_SYMBOL_C), frame);
  rtop_symbols_relabel(symbols, frame, "", 0, "", 0);
  rtop_symbols_relabel(symbols, frame + 1, "no such frame", 13, "", 0);
  assert_string_equal(rtop_symbols_get(symbols, frame)->label, "Kernel#?sleep");
  rtop_symbols_relabel(symbols, 0, "not the root", 12, "", 0);
  assert_string_equal(rtop_symbols_get(symbols, 0)->label, "(root)");
  rtop_symbols_destroy(&symbols);
}

static void sweep(struct rtop_symbols *symbols, uint32_t node)
{
  rtop_symbols_sweep_begin(symbols);
  rtop_symbols_use_node(symbols, node);
  rtop_symbols_sweep_end(symbols);
}

static void test_what_nobody_uses_goes(void **state)
{
  (void)state;
  struct rtop_symbols *symbols = rtop_symbols_create();
  uint32_t a = frame(symbols, "a", 1), b = frame(symbols, "b", 2), c = frame(symbols, "c", 3);
  uint32_t one = rtop_symbols_node(symbols, 0, a, 1), two = rtop_symbols_node(symbols, one, b, 2);
  uint32_t three = rtop_symbols_node(symbols, one, c, 3), four = rtop_symbols_node(symbols, three, a, 4);
  const struct rtop_symbol *kept = rtop_symbols_get(symbols, c);
  size_t before = rtop_symbols_bytes(symbols);
  sweep(symbols, two);
  assert_true(rtop_symbols_holds_node(symbols, one) && rtop_symbols_holds_node(symbols, two));
  assert_true(rtop_symbols_holds_frame(symbols, a) && rtop_symbols_holds_frame(symbols, b));
  assert_false(rtop_symbols_holds_node(symbols, three) || rtop_symbols_holds_node(symbols, four));
  assert_false(rtop_symbols_holds_frame(symbols, c));
  /* It is still there for who has it, */
  assert_string_equal(kept->label, "c");
  assert_int_equal(rtop_symbols_get_node(symbols, four)->parent, three);
  assert_int_equal(rtop_symbols_bytes(symbols), before);
  sweep(symbols, two);
  /* and now it is not. */
  assert_string_equal(rtop_symbols_get(symbols, c)->label, "(root)");
  assert_int_equal(rtop_symbols_get_node(symbols, four)->parent, 0);
  assert_true(rtop_symbols_bytes(symbols) < before);
  assert_int_equal(rtop_symbols_reuses(symbols), 0);
  /* The ids go to others, and a parent comes before its children. */
  uint32_t d = frame(symbols, "d", 4);
  assert_int_equal(d, c);
  assert_int_equal(rtop_symbols_node(symbols, two, d, 9), three);
  assert_int_equal(rtop_symbols_node(symbols, three, d, 9), four);
  assert_int_equal(rtop_symbols_reuses(symbols), 3);
  assert_int_equal(rtop_symbols_node(symbols, 0, a, 1), one);
  assert_int_equal(rtop_symbols_node(symbols, one, b, 2), two);
  assert_true(rtop_symbols_node(symbols, one, frame(symbols, "c", 3), 3) > four);
  rtop_symbols_destroy(&symbols);
}

static void test_what_comes_again_stays(void **state)
{
  (void)state;
  struct rtop_symbols *symbols = rtop_symbols_create();
  uint32_t a = frame(symbols, "a", 1), b = frame(symbols, "b", 2);
  uint32_t one = rtop_symbols_node(symbols, 0, a, 1), two = rtop_symbols_node(symbols, one, b, 2);
  sweep(symbols, 0);
  uint32_t serial = rtop_symbols_serial(symbols, a);
  /* A new call of what was about to go. */
  uint32_t three = rtop_symbols_node(symbols, one, frame(symbols, "c", 3), 3);
  assert_true(rtop_symbols_holds_node(symbols, one) && rtop_symbols_holds_frame(symbols, a));
  assert_false(rtop_symbols_holds_node(symbols, two));
  sweep(symbols, 0);
  assert_int_equal(rtop_symbols_get_node(symbols, three)->parent, one);
  assert_string_equal(rtop_symbols_get(symbols, a)->label, "a");
  assert_string_equal(rtop_symbols_get(symbols, b)->label, "(root)");
  sweep(symbols, 0);
  assert_string_equal(rtop_symbols_get(symbols, a)->label, "(root)");
  assert_int_equal(rtop_symbols_serial(symbols, a), 0);
  assert_int_equal(frame(symbols, "a", 1), a);
  assert_int_not_equal(rtop_symbols_serial(symbols, a), serial);
  rtop_symbols_destroy(&symbols);
}

/* Names that were completed, and thousands that come and go. */
static void test_names_come_and_go(void **state)
{
  (void)state;
  struct rtop_symbols *symbols = rtop_symbols_create();
  size_t most = 0;
  for (int round = 0; round < 50; round++) {
    uint32_t node = 0;
    char label[64];
    rtop_symbols_sweep_begin(symbols);
    rtop_symbols_sweep_end(symbols);
    for (int i = 0; i < 1000; i++) {
      snprintf(label, sizeof label, "Maker#made_%02d_%03d", round, i);
      uint32_t id = frame(symbols, label, 1);
      rtop_symbols_relabel(symbols, id, "Made#completed later", 20, "Made", 4);
      node = rtop_symbols_node(symbols, i % 100 ? node : 0, id, 1);
      assert_true(id && node && rtop_symbols_get_node(symbols, node)->parent < node);
    }
    for (; node; node = rtop_symbols_get_node(symbols, node)->parent)
      assert_string_equal(rtop_symbols_get(symbols, rtop_symbols_get_node(symbols, node)->frame)->label,
                          "Made#completed later");
    if (round == 5) most = rtop_symbols_bytes(symbols);
    assert_true(round < 5 || rtop_symbols_bytes(symbols) <= most);
  }
  assert_true(rtop_symbols_frame_count(symbols) < 4000 && rtop_symbols_node_count(symbols) < 4000);
  rtop_symbols_destroy(&symbols);
}

static uint32_t template(struct rtop_symbols *symbols, const char *label)
{
  return rtop_symbols_frame(symbols, label, strlen(label), "/srv/app/views/a.html.erb", 25, "Views", 5, 1,
                            RTOP_SYMBOL_RUBY);
}

/* One template in two workers, after a restart, in another profile, and where processes are told apart. */
static void test_generated_names_are_one(void **state)
{
  (void)state;
  struct rtop_symbols *symbols = rtop_symbols_create(), *others = rtop_symbols_create();
  uint32_t one = template(symbols, "Views#_app_views_a_html_erb__1234567890123456_100");
  const struct rtop_symbol *symbol = rtop_symbols_get(symbols, one);
  assert_string_equal(symbol->label, "app/views/a.html.erb");
  assert_string_equal(rtop_symbol_raw(symbol), "Views#_app_views_a_html_erb__1234567890123456_100");
  size_t bytes = rtop_symbols_bytes(symbols), none = rtop_symbols_bytes(others);
  assert_int_equal(template(symbols, "Views#_app_views_a_html_erb___234567890123456_20"), one);
  assert_string_equal(rtop_symbol_raw(symbol), "Views#_app_views_a_html_erb___234567890123456_20");
  assert_int_equal(rtop_symbols_bytes(symbols), bytes - 1);
  assert_int_not_equal(template(symbols, "block in Views#_app_views_a_html_erb___234567890123456_20"), one);
  const struct rtop_symbol *copy = rtop_symbols_get(others, rtop_symbols_frame_from(others, symbol));
  assert_string_equal(copy->label, symbol->label);
  assert_string_equal(rtop_symbol_raw(copy), rtop_symbol_raw(symbol));
  uint32_t of_process = rtop_symbols_frame_of(symbols, one, rtop_process_of(4711, 0));
  assert_int_not_equal(of_process, one);
  assert_string_equal(rtop_symbols_get(symbols, of_process)->label, symbol->label);
  /* A label that is completed later has no part in it. */
  rtop_symbols_relabel(symbols, one, "Views#_app_views_a_html_erb__9_9", 32, "Views", 5);
  assert_string_equal(symbol->label, "app/views/a.html.erb");
  assert_null(rtop_symbols_get(symbols, frame(symbols, "Views#index", 1))->generated);
  assert_string_equal(rtop_symbol_raw(rtop_symbols_get(symbols, frame(symbols, "Views#index", 1))), "Views#index");
  /* With nobody who uses it, all its bytes go. */
  assert_true(rtop_symbols_bytes(others) > none);
  for (int i = 0; i < 2; i++) sweep(others, 0);
  assert_int_equal(rtop_symbols_bytes(others), none);
  rtop_symbols_destroy(&others);
  rtop_symbols_destroy(&symbols);
}

static uint32_t special(struct rtop_symbols *symbols, const char *label, const char *namespace,
                        enum rtop_symbol_kind kind)
{
  return rtop_symbols_frame(symbols, label, strlen(label), "", 0, namespace, strlen(namespace), 0, kind);
}

/* What the extension made up has words on screens, and keeps its name; what an application calls so has none. */
static void test_words_of_what_was_made_up(void **state)
{
  (void)state;
  struct rtop_symbols *symbols = rtop_symbols_create();
  char out[64];
  uint32_t shared = special(symbols, "(shared)", "", RTOP_SYMBOL_SPECIAL);
  uint32_t mine = special(symbols, "(shared)", "", RTOP_SYMBOL_RUBY),
           other = special(symbols, "(folded)", "", RTOP_SYMBOL_SPECIAL);
  assert_string_equal(rtop_symbol_words(rtop_symbols_get(symbols, shared)), "(allocated below callers)");
  assert_string_equal(rtop_symbol_shown(rtop_symbols_get(symbols, shared), out, sizeof out),
                      "(allocated below callers)");
  assert_string_equal(rtop_symbol_name(rtop_symbols_get(symbols, shared), out, sizeof out), "(shared)");
  assert_string_equal(rtop_symbol_words(rtop_symbols_get(symbols, mine)), "(shared)");
  assert_string_equal(rtop_symbol_words(rtop_symbols_get(symbols, other)), "(folded)");
  rtop_symbols_destroy(&symbols);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_words_of_what_was_made_up), cmocka_unit_test(test_starts_with_the_root),
    cmocka_unit_test(test_equal_frames_are_one),      cmocka_unit_test(test_names_are_sanitised),
    cmocka_unit_test(test_nodes_are_a_tree),          cmocka_unit_test(test_wrong_ids_give_the_root),
    cmocka_unit_test(test_depth_is_bounded),          cmocka_unit_test(test_pointers_stay),
    cmocka_unit_test(test_nodes_are_small),           cmocka_unit_test(test_names_are_bounded),
    cmocka_unit_test(test_labels_are_completed),      cmocka_unit_test(test_what_nobody_uses_goes),
    cmocka_unit_test(test_what_comes_again_stays),    cmocka_unit_test(test_names_come_and_go),
    cmocka_unit_test(test_generated_names_are_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
