#include "tests/shm/support.h"

#include "shm/segment/segment.h"
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

/* A right geometry: six sections of one page, the ring of two. */
static struct rtop_geometry right_geometry(void)
{
  static const uint32_t elements[] = { 0,
                                       1,
                                       sizeof(struct rtop_frame_entry),
                                       sizeof(struct rtop_node_entry),
                                       sizeof(struct rtop_thread_entry),
                                       sizeof(struct rtop_slot),
                                       1 };
  struct rtop_geometry geometry = {
    .byte_order = RTOP_BYTE_ORDER,
    .version_major = RTOP_VERSION_MAJOR,
    .version_minor = RTOP_VERSION_MINOR,
    .geometry_bytes = sizeof geometry,
    .segment_bytes = 9 * RTOP_PAGE_BYTES,
    .window_ns = 100000000,
    .section_count = 6,
  };
  memcpy(geometry.magic, RTOP_MAGIC, sizeof geometry.magic);
  for (uint32_t kind = 1; kind <= 6; kind++)
    geometry.sections[kind - 1] = (struct rtop_section){
      .kind = kind,
      .element_bytes = elements[kind],
      .offset = (kind + 1) * RTOP_PAGE_BYTES,
      .bytes = kind == RTOP_SECTION_RING ? 2 * RTOP_PAGE_BYTES : RTOP_PAGE_BYTES,
    };
  geometry.crc32c = rtop_geometry_crc(&geometry);
  return geometry;
}

static enum rtop_error_code validate(const struct rtop_geometry *geometry)
{
  struct rtop_error error = { 0 };
  int result = rtop_geometry_validate(geometry, 9 * RTOP_PAGE_BYTES, &error);
  assert_int_equal(result, error.code == RTOP_ERROR_NONE ? 0 : -1);
  assert_int_equal(strlen(error.text) > 0, result != 0);
  return error.code;
}

static void test_right(void **state)
{
  (void)state;
  struct rtop_geometry geometry = right_geometry();
  assert_int_equal(validate(&geometry), RTOP_ERROR_NONE);
}

struct geometry_case {
  const char *what;
  size_t offset, field_bytes;
  uint64_t value;
  enum rtop_error_code expected;
};

#define FIELD(name) offsetof(struct rtop_geometry, name), sizeof((struct rtop_geometry *)0)->name
#define SECTION(n, name)                                                                                               \
  offsetof(struct rtop_geometry, sections) + (n) * sizeof(struct rtop_section) + offsetof(struct rtop_section, name),  \
      sizeof((struct rtop_section *)0)->name

enum { STRINGS, FRAMES, NODES, THREADS, DIRECTORY, RING };
#define NONE RTOP_ERROR_NONE
#define CORRUPT RTOP_ERROR_CORRUPT
#define VERSION RTOP_ERROR_VERSION
#define PAGE UINT64_C(4096)

static const struct geometry_case cases[] = {
  { "magic", offsetof(struct rtop_geometry, magic), 1, 'r', CORRUPT },
  { "byte order 0", FIELD(byte_order), 0, VERSION },
  { "byte order swapped", FIELD(byte_order), 0x04030201, VERSION },
  { "major 0", FIELD(version_major), 0, VERSION },
  { "major one more", FIELD(version_major), 2, VERSION },
  { "major max", FIELD(version_major), UINT16_MAX, VERSION },
  { "minor one more", FIELD(version_minor), RTOP_VERSION_MINOR + 1, NONE },
  { "minor max", FIELD(version_minor), UINT16_MAX, NONE },
  { "geometry bytes 0", FIELD(geometry_bytes), 0, CORRUPT },
  { "geometry bytes one less", FIELD(geometry_bytes), sizeof(struct rtop_geometry) - 1, CORRUPT },
  { "geometry bytes one more", FIELD(geometry_bytes), sizeof(struct rtop_geometry) + 1, CORRUPT },
  { "geometry bytes max", FIELD(geometry_bytes), UINT32_MAX, CORRUPT },
  { "segment bytes 0", FIELD(segment_bytes), 0, CORRUPT },
  { "segment bytes one less", FIELD(segment_bytes), 9 * PAGE - 1, CORRUPT },
  { "segment bytes one more", FIELD(segment_bytes), 9 * PAGE + 1, CORRUPT },
  { "segment bytes max", FIELD(segment_bytes), UINT64_MAX, CORRUPT },
  { "pid max", FIELD(pid), UINT32_MAX, NONE },
  { "uid max", FIELD(uid), UINT32_MAX, NONE },
  { "window 0", FIELD(window_ns), 0, CORRUPT },
  { "window 1", FIELD(window_ns), 1, NONE },
  { "window max", FIELD(window_ns), UINT32_MAX, NONE },
  { "created negative", FIELD(created_mono_ns), UINT64_MAX, NONE },
  { "no sections", FIELD(section_count), 0, CORRUPT },
  { "one section less", FIELD(section_count), 5, CORRUPT },
  { "one section more", FIELD(section_count), 7, CORRUPT },
  { "sections at the limit", FIELD(section_count), RTOP_SECTION_MAX, CORRUPT },
  { "sections beyond the limit", FIELD(section_count), RTOP_SECTION_MAX + 1, CORRUPT },
  { "sections max", FIELD(section_count), UINT32_MAX, CORRUPT },
  { "Ruby version without end", offsetof(struct rtop_geometry, ruby_version) + 63, 1, 'x', CORRUPT },
  { "tool version without end", offsetof(struct rtop_geometry, tool_version) + 31, 1, 'x', CORRUPT },
  { "command without end", offsetof(struct rtop_geometry, command) + 255, 1, 'x', CORRUPT },
  { "kind 0", SECTION(STRINGS, kind), 0, CORRUPT },
  { "kind unknown: strings are missing", SECTION(STRINGS, kind), 7, CORRUPT },
  { "kind max", SECTION(STRINGS, kind), UINT32_MAX, CORRUPT },
  { "kind twice", SECTION(STRINGS, kind), RTOP_SECTION_RING, CORRUPT },
  { "element 0", SECTION(NODES, element_bytes), 0, CORRUPT },
  { "element one more", SECTION(NODES, element_bytes), 17, CORRUPT },
  { "element max", SECTION(NODES, element_bytes), UINT32_MAX, CORRUPT },
  { "offset 0", SECTION(STRINGS, offset), 0, CORRUPT },
  { "offset on the counters", SECTION(STRINGS, offset), PAGE, CORRUPT },
  { "offset off the page", SECTION(STRINGS, offset), 2 * PAGE + 8, CORRUPT },
  { "offset on the next section", SECTION(STRINGS, offset), 3 * PAGE, CORRUPT },
  { "offset at the end of the file", SECTION(STRINGS, offset), 9 * PAGE, CORRUPT },
  { "offset beyond", SECTION(STRINGS, offset), 10 * PAGE, CORRUPT },
  { "offset max page", SECTION(STRINGS, offset), UINT64_MAX - 4095, CORRUPT },
  { "offset 2^63", SECTION(STRINGS, offset), UINT64_C(1) << 63, CORRUPT },
  { "bytes 0", SECTION(STRINGS, bytes), 0, CORRUPT },
  { "bytes 1", SECTION(STRINGS, bytes), 1, CORRUPT },
  { "strings 8", SECTION(STRINGS, bytes), 8, NONE },
  { "strings not in words", SECTION(STRINGS, bytes), 4092, CORRUPT },
  { "strings into the next", SECTION(STRINGS, bytes), PAGE + 8, CORRUPT },
  { "bytes max", SECTION(STRINGS, bytes), UINT64_MAX, CORRUPT },
  { "bytes max word", SECTION(STRINGS, bytes), UINT64_MAX - 7, CORRUPT },
  { "bytes wrap around", SECTION(RING, bytes), UINT64_MAX - 7 * PAGE + 1, CORRUPT },
  { "frames: part of an element", SECTION(FRAMES, bytes), 4088, CORRUPT },
  { "frames: no room for the reserved", SECTION(FRAMES, bytes), 3 * sizeof(struct rtop_frame_entry), CORRUPT },
  { "frames: only the reserved", SECTION(FRAMES, bytes), 4 * sizeof(struct rtop_frame_entry), NONE },
  { "nodes: no room for the reserved", SECTION(NODES, bytes), 3 * sizeof(struct rtop_node_entry), CORRUPT },
  { "nodes: only the reserved", SECTION(NODES, bytes), 4 * sizeof(struct rtop_node_entry), NONE },
  { "threads: one", SECTION(THREADS, bytes), sizeof(struct rtop_thread_entry), NONE },
  { "threads: half of one", SECTION(THREADS, bytes), sizeof(struct rtop_thread_entry) / 2, CORRUPT },
  { "directory: one", SECTION(DIRECTORY, bytes), sizeof(struct rtop_slot), NONE },
  { "directory: no power of two", SECTION(DIRECTORY, bytes), 3 * sizeof(struct rtop_slot), CORRUPT },
  { "ring: one page", SECTION(RING, bytes), PAGE, NONE },
  { "ring: less than a page", SECTION(RING, bytes), PAGE / 2, CORRUPT },
  { "ring: no power of two", SECTION(RING, bytes), PAGE + 64, CORRUPT },
  { "ring: one byte beyond the file", SECTION(RING, bytes), 2 * PAGE + 1, CORRUPT },
  { "ring: beyond the file", SECTION(RING, bytes), 4 * PAGE, CORRUPT },
};

static void test_boundaries(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct rtop_geometry geometry = right_geometry();
    memcpy((unsigned char *)&geometry + cases[i].offset, &cases[i].value, cases[i].field_bytes);
    geometry.crc32c = rtop_geometry_crc(&geometry);
    enum rtop_error_code code = validate(&geometry);
    if (code != cases[i].expected) fail_msg("%s: code %d instead of %d", cases[i].what, code, cases[i].expected);
  }
}

/* Fields that nothing else bounds are held by the checksum. */
static void test_every_flipped_byte_is_noticed(void **state)
{
  (void)state;
  const struct rtop_geometry right = right_geometry();
  for (size_t i = 0; i < sizeof right; i++) {
    struct rtop_geometry geometry = right;
    ((unsigned char *)&geometry)[i] ^= 0x10;
    assert_int_not_equal(validate(&geometry), RTOP_ERROR_NONE);
  }
}

static void test_unknown_section_is_skipped(void **state)
{
  (void)state;
  struct rtop_geometry geometry = right_geometry();
  geometry.sections[RING].bytes = PAGE;
  geometry.sections[6] = (struct rtop_section){ .kind = 99, .element_bytes = 3, .offset = 8 * PAGE, .bytes = 7 };
  geometry.section_count = 7;
  geometry.crc32c = rtop_geometry_crc(&geometry);
  assert_int_equal(validate(&geometry), RTOP_ERROR_NONE);
  geometry.sections[6].offset = 7 * PAGE;
  geometry.crc32c = rtop_geometry_crc(&geometry);
  assert_int_equal(validate(&geometry), RTOP_ERROR_CORRUPT);
}

static void test_other_version_is_told_clearly(void **state)
{
  (void)state;
  struct rtop_geometry geometry = right_geometry();
  struct rtop_error error;
  geometry.version_major = 2;
  assert_int_equal(rtop_geometry_validate(&geometry, 9 * PAGE, &error), -1);
  char expected[120];
  snprintf(expected, sizeof expected,
           "made by rperf-top channel version 2.%u, this viewer reads 1.x: update the viewer", RTOP_VERSION_MINOR);
  assert_string_equal(error.text, expected);
  geometry.version_major = 0;
  assert_int_equal(rtop_geometry_validate(&geometry, 9 * PAGE, &error), -1);
  assert_non_null(strstr(error.text, "update the extension"));
}

static void test_sizes_of_the_file(void **state)
{
  (void)state;
  struct rtop_geometry geometry = right_geometry();
  struct rtop_error error;
  static const uint64_t sizes[] = { 0, 1, 8 * PAGE, 9 * PAGE - 1, 9 * PAGE + 1, UINT64_MAX };
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    assert_int_equal(rtop_geometry_validate(&geometry, sizes[i], &error), -1);
  geometry.segment_bytes = RTOP_SEGMENT_BYTES_MAX;
  geometry.crc32c = rtop_geometry_crc(&geometry);
  assert_int_equal(rtop_geometry_validate(&geometry, RTOP_SEGMENT_BYTES_MAX, &error), 0);
  geometry.segment_bytes = RTOP_SEGMENT_BYTES_MAX + PAGE;
  geometry.crc32c = rtop_geometry_crc(&geometry);
  assert_int_equal(rtop_geometry_validate(&geometry, RTOP_SEGMENT_BYTES_MAX + PAGE, &error), -1);
}

/* All five sections of the tiers or none. */
static void test_tiers_are_whole(void **state)
{
  (void)state;
  struct rtop_error error;
  for (uint32_t present = 0; present < 1u << 5; present++) {
    static const uint32_t elements[] = { sizeof(struct rtop_counters), sizeof(struct rtop_slot), 1,
                                         sizeof(struct rtop_slot), 1 };
    struct rtop_geometry geometry = right_geometry();
    for (uint32_t i = 0; i < 5; i++)
      if (present >> i & 1)
        geometry.sections[geometry.section_count++] = (struct rtop_section){
          .kind = RTOP_SECTION_TIERS + i, .element_bytes = elements[i], .offset = (9 + i) * PAGE, .bytes = PAGE
        };
    geometry.segment_bytes = 14 * PAGE;
    geometry.crc32c = rtop_geometry_crc(&geometry);
    bool right = present == 0 || present == (1u << 5) - 1;
    assert_int_equal(rtop_geometry_validate(&geometry, 14 * PAGE, &error), right ? 0 : -1);
  }
}

static uint64_t planned_bytes(const struct rtop_segment_sizes *sizes)
{
  uint64_t tiers = RTOP_PAGE_BYTES; /* their counters */
  for (size_t i = 0; i < RTOP_MERGED_TIERS; i++)
    tiers += sizes->tiers[i].ring_bytes + sizes->tiers[i].directory_slots * sizeof(struct rtop_slot);
  return RTOP_SECTIONS_OFFSET + sizes->ring_bytes + tiers + sizes->string_bytes +
         sizes->directory_slots * sizeof(struct rtop_slot) + sizes->frame_capacity * sizeof(struct rtop_frame_entry) +
         sizes->node_capacity * sizeof(struct rtop_node_entry) +
         sizes->thread_capacity * sizeof(struct rtop_thread_entry);
}

static void test_plan(void **state)
{
  (void)state;
  static const struct {
    uint64_t wanted, history_mb;
  } plans[] = {
    { 0, 1 },           { 1, 1 },          { (1 << 20) - 1, 1 },        { 1 << 20, 1 },   { (2 << 20) - 1, 1 },
    { 2 << 20, 2 },     { 8 << 20, 8 },    { (16 << 20) - 1, 8 },       { 64 << 20, 64 }, { (64 << 20) + 1, 64 },
    { UINT64_MAX, 64 }, { 128 << 20, 64 }, { (UINT64_C(1) << 63), 64 },
  };
  for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
    struct rtop_segment_sizes sizes = rtop_segment_plan(plans[i].wanted);
    uint64_t history = plans[i].history_mb << 20;
    assert_int_equal(sizes.ring_bytes, history / 2);
    assert_int_equal(sizes.tiers[0].ring_bytes, history / 8);
    assert_int_equal(sizes.tiers[1].ring_bytes, history / 4);
    assert_int_equal(planned_bytes(&sizes), history / 64 * 103);
    assert_int_equal(sizes.directory_slots & (sizes.directory_slots - 1), 0);
    for (size_t tier = 0; tier < RTOP_MERGED_TIERS; tier++)
      assert_int_equal(sizes.tiers[tier].directory_slots & (sizes.tiers[tier].directory_slots - 1), 0);
    assert_int_equal(sizes.string_bytes % RTOP_PAGE_BYTES, 0);
    assert_true(sizes.thread_capacity >= 1024 && sizes.node_capacity >= 16384 && sizes.frame_capacity >= 2048);
  }
  struct rtop_segment_sizes largest = rtop_segment_plan(64 << 20);
  assert_true(largest.frame_capacity >= 134000 && largest.string_bytes / largest.frame_capacity >= 60);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_right),
    cmocka_unit_test(test_boundaries),
    cmocka_unit_test(test_every_flipped_byte_is_noticed),
    cmocka_unit_test(test_unknown_section_is_skipped),
    cmocka_unit_test(test_other_version_is_told_clearly),
    cmocka_unit_test(test_sizes_of_the_file),
    cmocka_unit_test(test_tiers_are_whole),
    cmocka_unit_test(test_plan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
