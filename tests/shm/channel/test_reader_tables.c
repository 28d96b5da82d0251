#include "tests/shm/support.h"

#include "shm/channel/reader_tables.h"
#include "shm/channel/tables.h"
#include "shm/channel/thread_slots.h"
#include <stdlib.h>
#include <string.h>

enum { STRING_BYTES = 16384, FRAMES = 8, NODES = 16, THREADS = 4 };

static struct memory {
  _Alignas(64) struct rtop_counters counters;
  _Alignas(64) unsigned char strings[STRING_BYTES];
  _Alignas(64) struct rtop_frame_entry frames[FRAMES];
  _Alignas(64) struct rtop_node_entry nodes[NODES];
  _Alignas(64) struct rtop_thread_entry threads[THREADS];
} memory;

static struct channel_parts parts;
static struct tables tables;
static struct reader_tables reader;
static uint32_t hello;

static int set_up(void **state)
{
  (void)state;
  memset(&memory, 0, sizeof memory);
  parts = (struct channel_parts){
    .counters = &memory.counters,
    .strings = memory.strings,
    .string_bytes = STRING_BYTES,
    .frames = memory.frames,
    .frame_capacity = FRAMES,
    .nodes = memory.nodes,
    .node_capacity = NODES,
    .threads = memory.threads,
    .thread_capacity = THREADS,
  };
  reader = (struct reader_tables){ .parts = &parts, .base = &memory, .bytes = sizeof memory };
  tables_init(&tables, &parts);
  hello = tables_add_string(&tables, "hello", 5);
  struct rtop_counters image = { 0 };
  tables_count(&tables, &image);
  channel_publish_counters(&parts, &image);
  return 0;
}

static size_t string(uint32_t reference, char *buffer, size_t bytes)
{
  memset(buffer, 'z', bytes);
  return reader_tables_string(&reader, reference, buffer, bytes);
}

static void test_strings(void **state)
{
  (void)state;
  char buffer[16];
  assert_int_equal(string(hello, buffer, sizeof buffer), 5);
  assert_string_equal(buffer, "hello");
  assert_int_equal(string(hello, buffer, 6), 5);
  assert_int_equal(string(hello, buffer, 5), 4);
  assert_string_equal(buffer, "hell");
  assert_int_equal(string(hello, buffer, 1), 0);
  assert_string_equal(buffer, "");
  assert_int_equal(string(0, buffer, sizeof buffer), 0);
}

static void test_damaged_references(void **state)
{
  (void)state;
  char buffer[16];
  const uint32_t wrong[] = { 1,
                             4,
                             hello + 1,
                             hello + 7,
                             (uint32_t)tables.string_bytes,
                             STRING_BYTES - 8,
                             STRING_BYTES,
                             STRING_BYTES + 8,
                             UINT32_MAX,
                             UINT32_MAX - 7 };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    assert_int_equal(string(wrong[i], buffer, sizeof buffer), 0);
    assert_string_equal(buffer, "");
  }
}

static void test_damaged_lengths(void **state)
{
  (void)state;
  char buffer[5000];
  uint32_t left = (uint32_t)tables.string_bytes - hello - 8;
  const uint32_t wrong[] = { left + 1, RTOP_STRING_BYTES_MAX, RTOP_STRING_BYTES_MAX + 1, INT32_MAX, UINT32_MAX };
  struct rtop_string_head *head = (struct rtop_string_head *)(void *)(memory.strings + hello);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    head->bytes = wrong[i];
    assert_int_equal(string(hello, buffer, sizeof buffer), 0);
  }
  head->bytes = left;
  assert_int_equal(string(hello, buffer, sizeof buffer), left);
}

/* There is room for it, but no writer makes one: whoever asked for less than there is gets a part of it. */
static void test_strings_longer_than_any(void **state)
{
  (void)state;
  char buffer[STRING_BYTES];
  struct rtop_string_head *head = (struct rtop_string_head *)(void *)(memory.strings + hello);
  memory.counters.string_bytes = STRING_BYTES;
  head->bytes = RTOP_STRING_BYTES_MAX;
  assert_int_equal(string(hello, buffer, sizeof buffer), RTOP_STRING_BYTES_MAX);
  head->bytes = RTOP_STRING_BYTES_MAX + 1;
  assert_int_equal(string(hello, buffer, sizeof buffer), 0);
  assert_int_equal(string(hello, buffer, 16), 0);
}

static void test_counts_are_bounded_by_the_section(void **state)
{
  (void)state;
  char buffer[16];
  memset(&memory.counters, 0xff, sizeof memory.counters);
  assert_int_equal(reader_tables_frame_count(&reader), FRAMES);
  assert_int_equal(reader_tables_node_count(&reader), NODES);
  assert_int_equal(reader_tables_string_bytes(&reader), STRING_BYTES);
  assert_int_equal(string(STRING_BYTES - 8, buffer, sizeof buffer), 0);
  for (uint64_t bytes = 0; bytes <= 24; bytes++) {
    memory.counters.string_bytes = bytes;
    for (uint32_t reference = 0; reference < 40; reference++)
      assert_true(string(reference, buffer, sizeof buffer) <= bytes);
  }
}

static void test_frames(void **state)
{
  (void)state;
  struct rtop_frame_entry frame;
  assert_true(reader_tables_frame(&reader, 3, &frame));
  assert_int_equal(frame.kind, RTOP_FRAME_SPECIAL);
  assert_false(reader_tables_frame(&reader, 4, &frame));
  assert_false(reader_tables_frame(&reader, UINT32_MAX, &frame));
  memory.frames[3].kind = RTOP_FRAME_SPECIAL + 1;
  assert_false(reader_tables_frame(&reader, 3, &frame));
}

static void test_nodes(void **state)
{
  (void)state;
  static const struct {
    uint32_t id;
    struct rtop_node_entry node;
    bool right;
  } cases[] = {
    { 0, { .parent = 0 }, true },
    { 0, { .parent = 1 }, false },
    { 1, { .parent = 0 }, true },
    { 1, { .parent = 1 }, false },
    { 3, { .parent = 2, .frame = 3, .depth = RTOP_STACK_DEPTH_MAX, .line = UINT32_MAX }, true },
    { 3, { .parent = 3 }, false },
    { 3, { .parent = 4 }, false },
    { 3, { .parent = UINT32_MAX }, false },
    { 3, { .parent = 2, .frame = 4 }, false },
    { 3, { .parent = 2, .frame = UINT32_MAX }, false },
    { 3, { .parent = 2, .depth = RTOP_STACK_DEPTH_MAX + 1 }, false },
    { 4, { .parent = 0 }, false },
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct rtop_node_entry node;
    memory.nodes[cases[i].id] = cases[i].node;
    assert_int_equal(reader_tables_node(&reader, cases[i].id, &node), cases[i].right);
  }
  struct rtop_node_entry node;
  assert_false(reader_tables_node(&reader, NODES, &node));
  assert_false(reader_tables_node(&reader, UINT32_MAX, &node));
}

static void test_threads(void **state)
{
  (void)state;
  struct thread_slots slots;
  struct rtop_thread_entry thread = { .serial = 5 }, copy;
  void *private_memory = calloc(1, thread_slots_memory_bytes(THREADS));
  thread_slots_init(&slots, &parts, private_memory);
  thread_slots_flush(&slots);
  assert_true(reader_tables_thread(&reader, 0, 77, &copy));
  assert_int_equal(copy.flags, RTOP_THREAD_OTHERS);
  assert_false(reader_tables_thread(&reader, 1, 0, &copy));
  uint32_t slot = thread_slots_start(&slots, &thread, "five", 4);
  assert_false(reader_tables_thread(&reader, slot, 5, &copy));
  thread_slots_flush(&slots);
  assert_true(reader_tables_thread(&reader, slot, 5, &copy));
  assert_memory_equal(copy.name, "five", 4);
  assert_false(reader_tables_thread(&reader, slot, 6, &copy));
  assert_false(reader_tables_thread(&reader, slot, 0, &copy));
  assert_false(reader_tables_thread(&reader, THREADS, 5, &copy));
  assert_false(reader_tables_thread(&reader, UINT32_MAX, 5, &copy));
  memory.threads[slot].name_bytes = 80;
  assert_true(reader_tables_thread(&reader, slot, 5, &copy));
  memory.threads[slot].name_bytes = 81;
  assert_false(reader_tables_thread(&reader, slot, 5, &copy));
  memory.threads[slot].name_bytes = 4;
  memory.threads[slot].version++;
  assert_false(reader_tables_thread(&reader, slot, 5, &copy));
  free(private_memory);
}

#define TABLE_TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
  const struct CMUnitTest tests[] = {
    TABLE_TEST(test_strings),
    TABLE_TEST(test_damaged_references),
    TABLE_TEST(test_damaged_lengths),
    TABLE_TEST(test_counts_are_bounded_by_the_section),
    TABLE_TEST(test_strings_longer_than_any),
    TABLE_TEST(test_frames),
    TABLE_TEST(test_nodes),
    TABLE_TEST(test_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
