#include "tests/shm/support.h"

#include "shm/channel/tables.h"
#include <stdlib.h>
#include <string.h>

enum { STRING_BYTES = 16384, FRAMES = 8, NODES = 6 };

static _Alignas(64) unsigned char strings[STRING_BYTES + 64];
static _Alignas(64) struct rtop_frame_entry frames[FRAMES + 1];
static _Alignas(64) struct rtop_node_entry nodes[NODES + 1];
static _Alignas(64) struct rtop_counters counters;
static struct channel_parts parts;
static struct tables tables;

static int set_up(void **state)
{
  (void)state;
  memset(strings, 0xee, sizeof strings);
  memset(frames, 0xee, sizeof frames);
  memset(nodes, 0xee, sizeof nodes);
  memset(&counters, 0, sizeof counters);
  parts = (struct channel_parts){
    .counters = &counters,
    .strings = strings,
    .string_bytes = STRING_BYTES,
    .frames = frames,
    .frame_capacity = FRAMES,
    .nodes = nodes,
    .node_capacity = NODES,
  };
  tables_init(&tables, &parts);
  return 0;
}

static void publish(void)
{
  struct rtop_counters image = { 0 };
  tables_count(&tables, &image);
  channel_publish_counters(&parts, &image);
}

static void assert_string(uint32_t reference, const char *text, size_t count, uint32_t flags)
{
  struct rtop_string_head head;
  assert_int_equal(reference % 8, 0);
  memcpy(&head, strings + reference, sizeof head);
  assert_int_equal(head.bytes, count);
  assert_int_equal(head.flags, flags);
  assert_memory_equal(strings + reference + sizeof head, text, count);
}

static void test_reserved_entries(void **state)
{
  (void)state;
  static const char *const names[] = { "(root)", "(folded)", "(not sampled)", "(no Ruby frames)" };
  assert_int_equal(tables.frame_count, RTOP_NODE_FIRST_FREE);
  assert_int_equal(tables.node_count, RTOP_NODE_FIRST_FREE);
  assert_string(0, "", 0, 0);
  for (uint32_t i = 0; i < RTOP_NODE_FIRST_FREE; i++) {
    assert_int_equal(nodes[i].parent, RTOP_NODE_ROOT);
    assert_int_equal(nodes[i].frame, i);
    assert_int_equal(nodes[i].line, 0);
    assert_int_equal(nodes[i].depth, i == RTOP_NODE_ROOT ? 0 : 1);
    assert_int_equal(frames[i].kind, RTOP_FRAME_SPECIAL);
    assert_int_equal(frames[i].path, 0);
    assert_string(frames[i].label, names[i], strlen(names[i]), 0);
  }
}

static void test_nothing_shows_before_it_is_published(void **state)
{
  (void)state;
  assert_int_equal(counters.node_count, 0);
  publish();
  assert_int_equal(counters.node_count, tables.node_count);
  assert_int_equal(counters.frame_count, tables.frame_count);
  assert_int_equal(counters.string_bytes, tables.string_bytes);
  tables_add_string(&tables, "x", 1);
  assert_int_not_equal(counters.string_bytes, tables.string_bytes);
}

static void test_strings_of_every_length(void **state)
{
  (void)state;
  char text[64];
  for (size_t i = 0; i < sizeof text; i++) text[i] = (char)('a' + i % 26);
  assert_int_equal(tables_add_string(&tables, text, 0), 0);
  for (size_t count = 1; count <= sizeof text; count++) {
    uint32_t reference = tables_add_string(&tables, text, count);
    assert_true(reference > 0);
    assert_string(reference, text, count, 0);
    assert_int_equal(tables.string_bytes, reference + 8 + (count + 7) / 8 * 8);
  }
}

static void test_long_string_is_cut(void **state)
{
  (void)state;
  char text[RTOP_STRING_BYTES_MAX + 10];
  memset(text, 'l', sizeof text);
  assert_string(tables_add_string(&tables, text, RTOP_STRING_BYTES_MAX), text, RTOP_STRING_BYTES_MAX, 0);
  assert_string(tables_add_string(&tables, text, RTOP_STRING_BYTES_MAX + 1), text, RTOP_STRING_BYTES_MAX, 1);
  memcpy(text + RTOP_STRING_BYTES_MAX - 1, "\xe2\x82\xac", 3);
  assert_string(tables_add_string(&tables, text, sizeof text), text, RTOP_STRING_BYTES_MAX - 1, 1);
}

static void test_full_string_table(void **state)
{
  (void)state;
  char text[1000];
  memset(text, 's', sizeof text);
  uint64_t added = 0;
  while (tables_add_string(&tables, text, sizeof text) != 0) added++;
  assert_true(added > 10);
  assert_int_equal(tables.strings_overflowed, 1);
  uint64_t left = STRING_BYTES - tables.string_bytes;
  assert_true(left % 8 == 0 && left < 1008 && left >= 16);
  assert_int_equal(tables_add_string(&tables, text, left - 7), 0);
  assert_int_not_equal(tables_add_string(&tables, text, left - 8), 0);
  assert_int_equal(tables.string_bytes, STRING_BYTES);
  assert_int_equal(tables_add_string(&tables, text, 1), 0);
  assert_int_equal(tables.strings_overflowed, 3);
  assert_int_equal(strings[STRING_BYTES], 0xee);
  publish();
  assert_int_equal(counters.strings_overflowed, 3);
}

static void test_full_frame_and_node_tables(void **state)
{
  (void)state;
  struct rtop_frame_entry frame = { .line = 5 };
  struct rtop_node_entry node = { .parent = 1, .depth = 2 };
  uint32_t id = 99;
  for (uint32_t i = RTOP_NODE_FIRST_FREE; i < FRAMES; i++) {
    assert_true(tables_add_frame(&tables, &frame, &id));
    assert_int_equal(id, i);
    assert_int_equal(frames[i].line, 5);
  }
  assert_false(tables_add_frame(&tables, &frame, &id));
  assert_int_equal(id, FRAMES - 1);
  for (uint32_t i = RTOP_NODE_FIRST_FREE; i < NODES; i++) {
    assert_true(tables_add_node(&tables, &node, &id));
    assert_int_equal(id, i);
  }
  assert_false(tables_add_node(&tables, &node, &id));
  assert_int_equal(frames[FRAMES].line, 0xeeeeeeee);
  assert_int_equal(nodes[NODES].line, 0xeeeeeeee);
  publish();
  assert_int_equal(counters.frames_overflowed, 1);
  assert_int_equal(counters.nodes_overflowed, 1);
  assert_int_equal(counters.frame_count, FRAMES);
}

static void test_relabelled_frame(void **state)
{
  (void)state;
  struct rtop_frame_entry frame = { .label = 8, .path = 16, .namespace_label = 0, .line = 5, .kind = RTOP_FRAME_C };
  uint32_t id;
  assert_true(tables_add_frame(&tables, &frame, &id));
  tables_relabel_frame(&tables, id, 24, 32);
  frame.label = 24;
  frame.namespace_label = 32;
  assert_memory_equal(&frames[id], &frame, sizeof frame);
  assert_int_equal(counters.frame_labels, 0);
  publish();
  assert_int_equal(counters.frame_labels, 1);
  tables_relabel_frame(&tables, id + 1, 40, 48);
  tables_relabel_frame(&tables, UINT32_MAX, 40, 48);
  publish();
  assert_int_equal(counters.frame_labels, 1);
  assert_memory_equal(&frames[id], &frame, sizeof frame);
}

/* What another process scribbles over the counters does not lead the writer astray. */
static void test_counters_are_never_read_back(void **state)
{
  (void)state;
  memset(&counters, 0xff, sizeof counters);
  uint64_t before = tables.string_bytes;
  assert_int_equal(tables_add_string(&tables, "abc", 3), before);
  publish();
  assert_int_equal(counters.string_bytes, before + 16);
  assert_int_equal(counters.node_count, RTOP_NODE_FIRST_FREE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_reserved_entries, set_up),
    cmocka_unit_test_setup(test_nothing_shows_before_it_is_published, set_up),
    cmocka_unit_test_setup(test_strings_of_every_length, set_up),
    cmocka_unit_test_setup(test_long_string_is_cut, set_up),
    cmocka_unit_test_setup(test_full_string_table, set_up),
    cmocka_unit_test_setup(test_full_frame_and_node_tables, set_up),
    cmocka_unit_test_setup(test_relabelled_frame, set_up),
    cmocka_unit_test_setup(test_counters_are_never_read_back, set_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
