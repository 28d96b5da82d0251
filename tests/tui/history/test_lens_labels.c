/* Values of labels as frames at the ends of stacks: against stacks written out as text, in the simplest way. */
#include "tests/tui/model_fixture.h"
#include "shm/base/label_text.h"
#include "tui/methods/live.h"
#include <stdlib.h>

enum { KEYS = 3, FRAMES = 6, STACKS = 40, DEPTH = 4, TEXT = 600, WINDOWS = 12 };
static const char *const keys[KEYS] = { "endpoint", "job", "user=name" };
static const char *const names[FRAMES] = { "A#a", "B#b", "C#c", "D#d", "E#e", "F#f" };

/* A stack and what the windows gave it. */
struct stack {
  uint32_t node;
  int value[KEYS]; /* of each key; 0: it does not have it */
  int depth, frames[DEPTH];
  uint64_t ns;
};

static struct model {
  struct rtop_profile *profile;
  struct rtop_symbols *symbols;
  struct rtop_live *live;
  struct stack stacks[STACKS];
  uint32_t random;
} m;

static int below(int bound)
{
  m.random = m.random * 1664525 + 1013904223;
  return (int)((uint64_t)m.random * (uint32_t)bound >> 32);
}

/* "f" of the frames is written in C: a lens may hide it. */
static uint32_t frame_of(int name)
{
  return fixture_frame(m.symbols, names[name], name == FRAMES - 1 ? "" : "/app/x.rb", 1);
}

static uint32_t set_node(const struct stack *stack)
{
  struct rtop_label labels[KEYS];
  char values[KEYS][16], text[TEXT];
  size_t count = 0;
  for (int i = 0; i < KEYS; i++) {
    if (!stack->value[i]) continue;
    snprintf(values[i], sizeof values[i], "v,%d", stack->value[i]);
    labels[count++] = (struct rtop_label){ keys[i], values[i], strlen(keys[i]), strlen(values[i]) };
  }
  size_t bytes = rtop_label_text_write(labels, count, text, sizeof text);
  if (count == 0) return 0;
  uint32_t frame = rtop_symbols_frame(m.symbols, text, bytes, "", 0, RTOP_LABEL_NAMESPACE, strlen(RTOP_LABEL_NAMESPACE),
                                      0, RTOP_SYMBOL_SPECIAL);
  return rtop_symbols_node(m.symbols, 0, frame, 0);
}

static void open_model(uint32_t seed)
{
  memset(&m, 0, sizeof m);
  m.random = seed;
  m.profile = rtop_profile_create(16 << 20);
  assert_non_null(m.profile);
  m.symbols = rtop_profile_symbols(m.profile);
  m.live = rtop_live_create(m.profile);
  for (int i = 0; i < STACKS; i++) {
    struct stack *stack = &m.stacks[i];
    for (int k = 0; k < KEYS; k++) stack->value[k] = below(3);
    stack->depth = below(DEPTH + 1);
    stack->node = set_node(stack);
    for (int k = 0; k < stack->depth; k++) {
      stack->frames[k] = below(FRAMES);
      stack->node = rtop_symbols_node(m.symbols, stack->node, frame_of(stack->frames[k]), (uint32_t)below(2));
    }
  }
}

static void close_model(void)
{
  rtop_live_destroy(&m.live);
  rtop_profile_destroy(&m.profile);
}

static void add_window(int at)
{
  struct rtop_window window = { 0 };
  fixture_window(&window, at * 100 * MS, (at + 1) * 100 * MS);
  uint32_t thread = fixture_thread(&window, 1, RTOP_RUNNING, m.stacks[below(STACKS)].node, 0);
  for (int i = 0; i < STACKS; i++) {
    if (below(3) == 0) continue;
    uint64_t ns = (uint64_t)below(1000000) + 1;
    fixture_cell(&window, thread, m.stacks[i].node, RTOP_RUNNING, ns);
    m.stacks[i].ns += ns;
  }
  assert_true(fixture_add(m.profile, 0, &window));
  rtop_window_destroy(&window);
}

/* Is the key one of the lines? */
static bool wanted(const char *lines, int key, int *place)
{
  char copy[RTOP_LENS_KEYS_BYTES], *rest = copy;
  snprintf(copy, sizeof copy, "%s", lines);
  *place = 0;
  for (char *line; (line = strsep(&rest, "\n")); (*place)++)
    if (strcmp(line, keys[key]) == 0) return true;
  return false;
}

static void write_ends(const struct stack *stack, const char *lines, char *out)
{
  for (int place = 0; place < KEYS; place++)
    for (int key = 0; key < KEYS; key++) {
      int at;
      if (!stack->value[key] || !wanted(lines, key, &at) || at != place) continue;
      sprintf(out + strlen(out), "%s=v,%d;", keys[key], stack->value[key]);
    }
}

static const char *expected_text(const struct stack *stack, const struct rtop_lens_look *look)
{
  static char text[TEXT];
  text[0] = '\0';
  write_ends(stack, look->label_root, text);
  for (int i = 0; i < stack->depth; i++)
    if (!look->no_c || stack->frames[i] != FRAMES - 1) sprintf(text + strlen(text), "%s;", names[stack->frames[i]]);
  write_ends(stack, look->label_leaf, text);
  return text;
}

static const char *shown_text(uint32_t node)
{
  static char text[TEXT];
  char before[TEXT] = "";
  text[0] = '\0';
  for (; node; node = rtop_symbols_get_node(m.symbols, node)->parent) {
    snprintf(text, sizeof text, "%s;%.400s",
             rtop_symbols_get(m.symbols, rtop_symbols_get_node(m.symbols, node)->frame)->label, before);
    strcpy(before, text);
  }
  return text;
}

/* Time by text: equal ones together. */
struct texts {
  struct {
    char text[TEXT];
    uint64_t ns;
  } all[STACKS * 2];
  int count;
};

static void put(struct texts *texts, const char *text, uint64_t ns)
{
  int at = 0;
  while (at < texts->count && strcmp(texts->all[at].text, text) != 0) at++;
  assert_true(at < STACKS * 2);
  if (at == texts->count) strcpy(texts->all[texts->count++].text, text);
  texts->all[at].ns += ns;
}

static int by_text(const void *left, const void *right)
{
  return strcmp(left, right);
}

static void check(const struct rtop_sum *sum, const struct rtop_lens_look *look)
{
  static struct texts shown, oracle;
  shown.count = oracle.count = 0;
  memset(&shown, 0, sizeof shown);
  memset(&oracle, 0, sizeof oracle);
  for (size_t i = 0; i < sum->cell_count; i++)
    put(&shown, shown_text(sum->cells[i].node), rtop_cost_wall(&sum->cells[i].cost));
  for (int i = 0; i < STACKS; i++)
    if (m.stacks[i].ns) put(&oracle, expected_text(&m.stacks[i], look), m.stacks[i].ns);
  assert_int_equal(oracle.count, shown.count);
  qsort(shown.all, (size_t)shown.count, sizeof *shown.all, by_text);
  qsort(oracle.all, (size_t)oracle.count, sizeof *oracle.all, by_text);
  for (int i = 0; i < shown.count; i++) {
    assert_string_equal(oracle.all[i].text, shown.all[i].text);
    assert_int_equal(oracle.all[i].ns, shown.all[i].ns);
  }
}

/* Keys with an equals sign cannot be asked for: they stand in sets only to be left alone. */
static void random_keys(char *out)
{
  out[0] = '\0';
  for (int i = below(3); i > 0; i--) rtop_lens_add_key(out, below(4) ? keys[below(2)] : "nobody's");
}

static void test_any_keys_at_both_ends(void **state)
{
  (void)state;
  for (uint32_t seed = 1; seed <= 30; seed++) {
    struct rtop_sum fresh = { 0 }, live = { 0 };
    open_model(seed);
    for (int at = 0; at < WINDOWS; at++) {
      struct rtop_lens_look look = { .no_c = below(2) };
      add_window(at);
      random_keys(look.label_root);
      random_keys(look.label_leaf);
      assert_true(rtop_lens_set(rtop_profile_lens(m.profile), &look));
      assert_true(rtop_profile_sum(m.profile, rtop_profile_bounds(m.profile), &fresh));
      check(&fresh, &look);
      assert_true(rtop_live_sum(m.live, rtop_profile_bounds(m.profile), &live));
      check(&live, &look);
      /* Where a thread is, it is: the leaf is a method. */
      for (size_t i = 0; i < fresh.thread_count; i++) {
        uint32_t frame = rtop_symbols_get_node(m.symbols, fresh.threads[i].node)->frame;
        bool root = rtop_symbols_get_node(m.symbols, fresh.threads[i].node)->parent == 0;
        if (!root && look.label_root[0] == '\0') assert_null(strchr(rtop_symbols_get(m.symbols, frame)->label, '='));
      }
    }
    rtop_sum_destroy(&fresh);
    rtop_sum_destroy(&live);
    close_model();
  }
}

/* Where sets are shown, values stand below them; where sets are the methods, above. */
static void test_beside_sets(void **state)
{
  (void)state;
  open_model(7);
  struct stack stack = { .value = { 1, 2, 0 } };
  uint32_t node = rtop_symbols_node(m.symbols, set_node(&stack), frame_of(0), 3);
  struct rtop_lens *lens = rtop_profile_lens(m.profile);
  struct rtop_lens_look look = { .labels = true, .label_root = "job", .label_leaf = "endpoint" };
  assert_true(rtop_lens_set(lens, &look));
  assert_string_equal(shown_text(rtop_lens_node(lens, 0, node)), "endpoint=v\\,1,job=v\\,2;job=v,2;A#a;endpoint=v,1;");
  assert_string_equal(shown_text(rtop_lens_place(lens, 0, node)), "endpoint=v\\,1,job=v\\,2;job=v,2;A#a;");
  look = (struct rtop_lens_look){ .merge = RTOP_MERGE_LABEL, .label_root = "job", .label_leaf = "endpoint" };
  assert_true(rtop_lens_set(lens, &look));
  assert_string_equal(shown_text(rtop_lens_node(lens, 0, node)), "job=v,2;endpoint=v\\,1,job=v\\,2;endpoint=v,1;");
  look = (struct rtop_lens_look){ .label = "job=none", .label_leaf = "endpoint" };
  assert_true(rtop_lens_set(lens, &look));
  assert_int_equal(rtop_lens_node(lens, 0, node), RTOP_LENS_OUT);
  close_model();
}

static void test_keys(void **state)
{
  (void)state;
  char list[RTOP_LENS_KEYS_BYTES] = "", text[100];
  assert_non_null(rtop_lens_add_key(list, ""));
  assert_non_null(rtop_lens_add_key(list, "a=b"));
  assert_non_null(rtop_lens_add_key(list, "a\nb"));
  assert_null(rtop_lens_add_key(list, "ab"));
  assert_null(rtop_lens_add_key(list, "a"));
  assert_null(rtop_lens_add_key(list, "ab"));
  assert_null(rtop_lens_add_key(list, "c"));
  assert_string_equal(list, "ab\na\nc");
  struct rtop_lens_look look = { 0 };
  strcpy(look.label_root, list);
  strcpy(look.label_leaf, "x");
  rtop_lens_text(&look, text, sizeof text);
  assert_string_equal(text, "root ab root a root c leaf x");
  assert_false(rtop_lens_drop_key(list, "b"));
  assert_true(rtop_lens_drop_key(list, "a"));
  assert_string_equal(list, "ab\nc");
  assert_true(rtop_lens_drop_key(list, "c"));
  assert_true(rtop_lens_drop_key(list, "ab"));
  assert_string_equal(list, "");
  for (int i = 0; i < 1000; i++) {
    snprintf(text, sizeof text, "key%d", i);
    if (rtop_lens_add_key(list, text)) break;
  }
  assert_in_range(strlen(list), RTOP_LENS_KEYS_BYTES - 10, RTOP_LENS_KEYS_BYTES - 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_any_keys_at_both_ends),
    cmocka_unit_test(test_beside_sets),
    cmocka_unit_test(test_keys),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
