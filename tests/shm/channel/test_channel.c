#include "tests/shm/support.h"

#include "shm/channel/channel.h"

static void test_parts_are_the_sections(void **state)
{
  (void)state;
  struct rtop_segment segment;
  struct rtop_segment_sizes sizes = support_sizes();
  struct rtop_segment_identity identity = support_identity();
  struct channel_parts parts;
  assert_int_equal(rtop_segment_create(&segment, support_directory(), &sizes, &identity, NULL), 0);
  channel_parts_of(&segment, &parts);
  const unsigned char *base = segment.base;
  assert_ptr_equal(parts.counters, base + RTOP_COUNTERS_OFFSET);
  assert_ptr_equal(parts.strings, base + rtop_segment_section(&segment, RTOP_SECTION_STRINGS)->offset);
  assert_ptr_equal(parts.frames, base + rtop_segment_section(&segment, RTOP_SECTION_FRAMES)->offset);
  assert_ptr_equal(parts.nodes, base + rtop_segment_section(&segment, RTOP_SECTION_NODES)->offset);
  assert_ptr_equal(parts.threads, base + rtop_segment_section(&segment, RTOP_SECTION_THREADS)->offset);
  assert_ptr_equal(parts.ring.slots, base + rtop_segment_section(&segment, RTOP_SECTION_DIRECTORY)->offset);
  assert_ptr_equal(parts.ring.bytes, base + rtop_segment_section(&segment, RTOP_SECTION_RING)->offset);
  assert_ptr_equal(parts.ring.counters, parts.counters);
  assert_ptr_equal(parts.ring.instance_id, segment.geometry.instance_id);
  assert_int_equal(parts.string_bytes, sizes.string_bytes);
  assert_int_equal(parts.frame_capacity, sizes.frame_capacity);
  assert_int_equal(parts.node_capacity, sizes.node_capacity);
  assert_int_equal(parts.thread_capacity, sizes.thread_capacity);
  assert_int_equal(parts.ring.slot_count, sizes.directory_slots);
  assert_int_equal(parts.ring.capacity, sizes.ring_bytes);
  assert_false(parts.tiered);
  rtop_segment_close(&segment, true);
}

static void test_parts_of_the_tiers(void **state)
{
  (void)state;
  struct rtop_segment segment;
  struct rtop_segment_sizes sizes = rtop_segment_plan(1 << 20);
  struct rtop_segment_identity identity = support_identity();
  struct channel_parts parts;
  assert_int_equal(rtop_segment_create(&segment, support_directory(), &sizes, &identity, NULL), 0);
  channel_parts_of(&segment, &parts);
  const unsigned char *base = segment.base;
  assert_true(parts.tiered);
  static const enum rtop_section_kind slots[] = { RTOP_SECTION_DIRECTORY_1S, RTOP_SECTION_DIRECTORY_10S },
                                      bytes[] = { RTOP_SECTION_RING_1S, RTOP_SECTION_RING_10S };
  for (size_t i = 0; i < RTOP_MERGED_TIERS; i++) {
    assert_ptr_equal(parts.tiers[i].slots, base + rtop_segment_section(&segment, slots[i])->offset);
    assert_ptr_equal(parts.tiers[i].bytes, base + rtop_segment_section(&segment, bytes[i])->offset);
    assert_ptr_equal(parts.tiers[i].counters, base + rtop_segment_section(&segment, RTOP_SECTION_TIERS)->offset +
                                                  i * sizeof(struct rtop_counters));
    assert_ptr_equal(parts.tiers[i].instance_id, segment.geometry.instance_id);
    assert_int_equal(parts.tiers[i].slot_count, sizes.tiers[i].directory_slots);
    assert_int_equal(parts.tiers[i].capacity, sizes.tiers[i].ring_bytes);
  }
  rtop_segment_close(&segment, true);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_parts_are_the_sections),
    cmocka_unit_test(test_parts_of_the_tiers),
  };
  return cmocka_run_group_tests(tests, support_setup, support_teardown);
}
