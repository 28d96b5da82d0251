#include "tests/shm/support.h"

#include "shm/base/format.h"
#include "shm/base/liveness.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the header says, field by field. */
struct field {
  const char *table, *name;
  size_t offset, length;
};

#define F(table, type, name)                                                                                           \
  {                                                                                                                    \
    table, #name, offsetof(struct type, name), sizeof((struct type *)0)->name                                          \
  }

static const struct field fields[] = {
  F("Geometry", rtop_geometry, magic),
  F("Geometry", rtop_geometry, byte_order),
  F("Geometry", rtop_geometry, version_major),
  F("Geometry", rtop_geometry, version_minor),
  F("Geometry", rtop_geometry, geometry_bytes),
  F("Geometry", rtop_geometry, crc32c),
  F("Geometry", rtop_geometry, segment_bytes),
  F("Geometry", rtop_geometry, instance_id),
  F("Geometry", rtop_geometry, pid),
  F("Geometry", rtop_geometry, uid),
  F("Geometry", rtop_geometry, pid_namespace),
  F("Geometry", rtop_geometry, start_ticks),
  F("Geometry", rtop_geometry, boot_id),
  F("Geometry", rtop_geometry, created_mono_ns),
  F("Geometry", rtop_geometry, created_real_ns),
  F("Geometry", rtop_geometry, window_ns),
  F("Geometry", rtop_geometry, section_count),
  F("Geometry", rtop_geometry, ruby_version),
  F("Geometry", rtop_geometry, tool_version),
  F("Geometry", rtop_geometry, command),
  F("Geometry", rtop_geometry, sections),
  F("Section", rtop_section, kind),
  F("Section", rtop_section, element_bytes),
  F("Section", rtop_section, offset),
  F("Section", rtop_section, bytes),
  F("Section", rtop_section, reserved),
  F("Counters", rtop_counters, intent_position),
  F("Counters", rtop_counters, intent_sequence),
  F("Counters", rtop_counters, intent_reserved),
  F("Counters", rtop_counters, head_sequence),
  F("Counters", rtop_counters, string_bytes),
  F("Counters", rtop_counters, frame_count),
  F("Counters", rtop_counters, node_count),
  F("Counters", rtop_counters, thread_serial),
  F("Counters", rtop_counters, state),
  F("Counters", rtop_counters, frame_labels),
  F("Counters", rtop_counters, ending),
  F("Counters", rtop_counters, windows_folded),
  F("Counters", rtop_counters, nodes_overflowed),
  F("Counters", rtop_counters, frames_overflowed),
  F("Counters", rtop_counters, strings_overflowed),
  F("Counters", rtop_counters, threads_overflowed),
  F("Counters", rtop_counters, samples_dropped),
  F("Counters", rtop_counters, marks_overflowed),
  F("Counters", rtop_counters, labels_overflowed),
  F("Counters", rtop_counters, segments_lost),
  F("Counters", rtop_counters, stats_reserved),
  F("Slot", rtop_slot, sequence),
  F("Slot", rtop_slot, position),
  F("Slot", rtop_slot, start_mono_ns),
  F("Slot", rtop_slot, end_mono_ns),
  F("Slot", rtop_slot, stored_bytes),
  F("Slot", rtop_slot, raw_bytes),
  F("Slot", rtop_slot, codec),
  F("Slot", rtop_slot, crc32c),
  F("Slot", rtop_slot, node_count),
  F("Slot", rtop_slot, frame_count),
  F("Frame", rtop_frame_entry, label),
  F("Frame", rtop_frame_entry, path),
  F("Frame", rtop_frame_entry, namespace_label),
  F("Frame", rtop_frame_entry, line),
  F("Frame", rtop_frame_entry, kind),
  F("Frame", rtop_frame_entry, reserved),
  F("Node", rtop_node_entry, parent),
  F("Node", rtop_node_entry, frame),
  F("Node", rtop_node_entry, line),
  F("Node", rtop_node_entry, depth),
  F("Thread", rtop_thread_entry, version),
  F("Thread", rtop_thread_entry, serial),
  F("Thread", rtop_thread_entry, start_mono_ns),
  F("Thread", rtop_thread_entry, end_mono_ns),
  F("Thread", rtop_thread_entry, native_id),
  F("Thread", rtop_thread_entry, flags),
  F("Thread", rtop_thread_entry, name_bytes),
  F("Thread", rtop_thread_entry, reserved),
  F("Thread", rtop_thread_entry, name),
  F("String head", rtop_string_head, bytes),
  F("String head", rtop_string_head, flags),
  F("Control", rtop_control_page, magic),
  F("Control", rtop_control_page, futex),
  F("Control", rtop_control_page, reserved),
  F("Control", rtop_control_page, rate_hz),
  F("Control", rtop_control_page, crc32c),
  F("Trace", rtop_trace_slot, crc32c),
  F("Trace", rtop_trace_slot, seconds),
  F("Trace", rtop_trace_slot, bytes),
  F("Trace", rtop_trace_slot, slower_us),
  F("Trace", rtop_trace_slot, name),
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static const struct {
  const char *table;
  size_t bytes;
} tables[] = {
  { "Geometry", sizeof(struct rtop_geometry) },    { "Section", sizeof(struct rtop_section) },
  { "Counters", sizeof(struct rtop_counters) },    { "Slot", sizeof(struct rtop_slot) },
  { "Frame", sizeof(struct rtop_frame_entry) },    { "Node", sizeof(struct rtop_node_entry) },
  { "Thread", sizeof(struct rtop_thread_entry) },  { "String head", sizeof(struct rtop_string_head) },
  { "Control", sizeof(struct rtop_control_page) }, { "Trace", sizeof(struct rtop_trace_slot) },
};
enum { TABLES = sizeof tables / sizeof tables[0] };

static FILE *open_page(void)
{
  static const char *const places[] = { "man/rperf-top-segment.5", "../man/rperf-top-segment.5",
                                        "../../man/rperf-top-segment.5", "../../../man/rperf-top-segment.5" };
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    FILE *page = fopen(places[i], "r");
    if (page) return page;
  }
  fail_msg("man/rperf-top-segment.5 is not found from here");
  return NULL;
}

static const struct field *find(const char *table, const char *name)
{
  for (size_t i = 0; i < FIELDS; i++)
    if (strcmp(fields[i].table, table) == 0 && strcmp(fields[i].name, name) == 0) return &fields[i];
  return NULL;
}

/* A heading such as ".Ss Slot (64 bytes, ...)". */
static bool read_heading(const char *line, char *table, bool *seen)
{
  char name[64];
  size_t bytes;
  if (sscanf(line, ".Ss %63[^(](%zu bytes", name, &bytes) != 2) return false;
  name[strcspn(name, "(") - 1] = '\0';
  for (size_t i = 0; i < TABLES; i++)
    if (strcmp(tables[i].table, name) == 0) {
      if (tables[i].bytes != bytes) fail_msg("%s has %zu bytes, the page says %zu", name, tables[i].bytes, bytes);
      seen[i] = true;
      strcpy(table, name);
      return true;
    }
  fail_msg("the page tells of a %s that is not there", name);
  return false;
}

/* A row such as ".It 8 Ta 4 Ta name Ta meaning". */
static void read_row(const char *line, const char *table, bool *seen)
{
  size_t offset, length;
  char name[64];
  if (!isdigit((unsigned char)line[4]) || sscanf(line, ".It %zu Ta %zu Ta %63s Ta", &offset, &length, name) != 3)
    return;
  const struct field *field = find(table, name);
  if (!field) fail_msg("%s has no field %s", table, name);
  if (field->offset != offset || field->length != length)
    fail_msg("%s.%s is %zu bytes at %zu, the page says %zu at %zu", table, name, field->length, field->offset, length,
             offset);
  seen[field - fields] = true;
}

static void test_page_and_header_agree(void **state)
{
  (void)state;
  FILE *page = open_page();
  char line[512], table[64] = "";
  bool seen_fields[FIELDS] = { false }, seen_tables[TABLES] = { false };
  while (fgets(line, sizeof line, page))
    if (strncmp(line, ".Ss ", 4) == 0 && !read_heading(line, table, seen_tables)) table[0] = '\0';
    else if (strncmp(line, ".It ", 4) == 0) read_row(line, table, seen_fields);
  fclose(page);
  for (size_t i = 0; i < FIELDS; i++)
    if (!seen_fields[i]) fail_msg("the page does not tell of %s.%s", fields[i].table, fields[i].name);
  for (size_t i = 0; i < TABLES; i++)
    if (!seen_tables[i]) fail_msg("the page does not tell of %s", tables[i].table);
}

/* No byte of a struct is without a field, so that nothing unwritten gets into a file. */
static void test_no_padding(void **state)
{
  (void)state;
  for (size_t i = 0; i < TABLES; i++) {
    size_t sum = 0;
    for (size_t k = 0; k < FIELDS; k++)
      if (strcmp(fields[k].table, tables[i].table) == 0) {
        assert_int_equal(fields[k].offset, sum);
        sum += fields[k].length;
      }
    assert_int_equal(sum, tables[i].bytes);
  }
}

/* The first 16 bytes are for ever; so are the numbers of kinds and states. */
static void test_what_never_changes(void **state)
{
  (void)state;
  assert_memory_equal(RTOP_MAGIC, "RPERFTOP", 8);
  assert_int_equal(offsetof(struct rtop_geometry, version_major), 12);
  assert_int_equal(offsetof(struct rtop_geometry, version_minor), 14);
  assert_int_equal(RTOP_SECTION_STRINGS, 1);
  assert_int_equal(RTOP_SECTION_RING, 6);
  assert_int_equal(RTOP_PART_COUNTERS, 1);
  assert_int_equal(RTOP_PART_MARKS, 5);
  assert_int_equal(RTOP_PART_STACKS, 6);
  assert_int_equal(RTOP_PART_BEGUN, 7);
  assert_int_equal(RTOP_PART_FIBERS, 8);
  assert_int_equal(RTOP_PART_EXACT, 9);
  assert_int_equal(RTOP_PART_SLOW, 10);
  assert_int_equal(RTOP_PART_LOCKS, 11);
  assert_int_equal(RTOP_LOCK_CONDITION, 5);
  assert_int_equal(RTOP_PART_RAISES, 12);
  assert_int_equal(RTOP_NODE_UNSAMPLED, 2);
  assert_int_equal(RTOP_WINDOW_THREAD_STALE, 8);
  assert_int_equal(RTOP_RUNNING, 0);
  assert_int_equal(RTOP_SWEEPING, 4);
  assert_int_equal(RTOP_LOCK_WRITER, INT64_C(1) << 40);
  assert_int_equal(RTOP_LOCK_VIEWER - RTOP_LOCK_WRITER, 16);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_page_and_header_agree),
    cmocka_unit_test(test_no_padding),
    cmocka_unit_test(test_what_never_changes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
