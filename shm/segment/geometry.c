/* SPDX-License-Identifier: MIT */
/* Page 0: plans the sizes of a segment, and validates the geometry of a foreign one. */
#include "segment.h"
#include "shm/base/ring.h"

#include <inttypes.h>
#include <string.h>

struct rtop_segment_sizes rtop_segment_plan(uint64_t history_bytes)
{
  uint64_t history = UINT64_C(1) << 20;
  while (history < UINT64_C(64) << 20 && history * 2 <= history_bytes) history *= 2;
  struct rtop_segment_sizes sizes = {
    .ring_bytes = history / 2,
    .directory_slots = history / 16 / sizeof(struct rtop_slot),
    .frame_capacity = history * 5 / 64 / sizeof(struct rtop_frame_entry),
    .node_capacity = history / 4 / sizeof(struct rtop_node_entry),
    .thread_capacity = history / 8 / sizeof(struct rtop_thread_entry),
    .tiers = { { history / 8, history / 32 / sizeof(struct rtop_slot) },
               { history / 4, history / 32 / sizeof(struct rtop_slot) } },
  };
  /* The strings get what remains of 103/64 of the history, after the header and the counters of the tiers. */
  sizes.string_bytes = history * 103 / 64 - history * 7 / 8 - history / 4 - history / 16 - history * 5 / 64 -
                       2 * (history / 32) - history / 8 - RTOP_SECTIONS_OFFSET - RTOP_PAGE_BYTES;
  return sizes;
}

uint32_t rtop_geometry_crc(const struct rtop_geometry *geometry)
{
  struct rtop_geometry copy = *geometry;
  copy.crc32c = 0;
  return rtop_crc32c(0, &copy, sizeof copy);
}

static const struct {
  const char *name;
  uint32_t element_bytes;
  bool power_of_two;
  uint64_t bytes_min;
} section_rules[] = {
  [RTOP_SECTION_STRINGS] = { "strings", 1, false, 8 },
  [RTOP_SECTION_FRAMES] = { "frames", sizeof(struct rtop_frame_entry), false, 4 * sizeof(struct rtop_frame_entry) },
  [RTOP_SECTION_NODES] = { "nodes", sizeof(struct rtop_node_entry), false,
                           RTOP_NODE_FIRST_FREE * sizeof(struct rtop_node_entry) },
  [RTOP_SECTION_THREADS] = { "threads", sizeof(struct rtop_thread_entry), false, sizeof(struct rtop_thread_entry) },
  [RTOP_SECTION_DIRECTORY] = { "directory", sizeof(struct rtop_slot), true, sizeof(struct rtop_slot) },
  [RTOP_SECTION_RING] = { "ring", 1, true, RTOP_PAGE_BYTES },
  [RTOP_SECTION_TIERS] = { "tier counters", sizeof(struct rtop_counters), false,
                           RTOP_MERGED_TIERS * sizeof(struct rtop_counters) },
  [RTOP_SECTION_DIRECTORY_1S] = { "1 s directory", sizeof(struct rtop_slot), true, sizeof(struct rtop_slot) },
  [RTOP_SECTION_RING_1S] = { "1 s ring", 1, true, RTOP_PAGE_BYTES },
  [RTOP_SECTION_DIRECTORY_10S] = { "10 s directory", sizeof(struct rtop_slot), true, sizeof(struct rtop_slot) },
  [RTOP_SECTION_RING_10S] = { "10 s ring", 1, true, RTOP_PAGE_BYTES },
};
enum { SECTION_KIND_END = sizeof section_rules / sizeof section_rules[0] };

/* Groups of sections that are present as a whole or not at all; the first group is required. */
static const struct {
  enum rtop_section_kind first, last;
  bool required;
} section_groups[] = {
  { RTOP_SECTION_STRINGS, RTOP_SECTION_RING, true },
  { RTOP_SECTION_TIERS, RTOP_SECTION_RING_10S, false },
};

static bool section_known(uint32_t kind)
{
  return kind > 0 && kind < SECTION_KIND_END;
}

static int geometry_corrupt(struct rtop_error *error, const char *what)
{
  return rtop_error_set(error, RTOP_ERROR_CORRUPT, 0,
                        "the segment is damaged: %s; restart the process to get a new one", what);
}

static int geometry_check_version(const struct rtop_geometry *geometry, struct rtop_error *error)
{
  if (memcmp(geometry->magic, RTOP_MAGIC, sizeof geometry->magic) != 0)
    return rtop_error_set(error, RTOP_ERROR_CORRUPT, 0, "not an rperf-top segment (wrong magic bytes)");
  if (geometry->byte_order != RTOP_BYTE_ORDER)
    return rtop_error_set(error, RTOP_ERROR_VERSION, 0,
                          "made on a machine of another byte order: view it on such a machine");
  if (geometry->version_major != RTOP_VERSION_MAJOR)
    return rtop_error_set(error, RTOP_ERROR_VERSION, 0,
                          "made by rperf-top channel version %u.%u, this viewer reads %u.x: update the %s",
                          geometry->version_major, geometry->version_minor, RTOP_VERSION_MAJOR,
                          geometry->version_major > RTOP_VERSION_MAJOR ? "viewer" : "extension in the process");
  return 0;
}

static int geometry_check_header(const struct rtop_geometry *geometry, uint64_t file_bytes, struct rtop_error *error)
{
  if (geometry->geometry_bytes != sizeof *geometry) return geometry_corrupt(error, "its header has the wrong size");
  if (geometry->crc32c != rtop_geometry_crc(geometry)) return geometry_corrupt(error, "its header fails the checksum");
  if (geometry->segment_bytes != file_bytes)
    return rtop_error_set(error, RTOP_ERROR_CORRUPT, 0,
                          "the segment is %" PRIu64 " bytes long but its header says %" PRIu64
                          " (truncated?); restart the process to get a new one",
                          file_bytes, geometry->segment_bytes);
  if (file_bytes < RTOP_SECTIONS_OFFSET || file_bytes > RTOP_SEGMENT_BYTES_MAX)
    return geometry_corrupt(error, "its size is out of bounds");
  if (geometry->window_ns == 0) return geometry_corrupt(error, "its window length is 0");
  if (geometry->section_count > RTOP_SECTION_MAX) return geometry_corrupt(error, "it has too many sections");
  if (geometry->ruby_version[sizeof geometry->ruby_version - 1] != '\0' ||
      geometry->tool_version[sizeof geometry->tool_version - 1] != '\0' ||
      geometry->command[sizeof geometry->command - 1] != '\0')
    return geometry_corrupt(error, "a text in its header has no end");
  return 0;
}

static bool section_inside(const struct rtop_section *section, uint64_t file_bytes)
{
  return section->offset % RTOP_PAGE_BYTES == 0 && section->offset >= RTOP_SECTIONS_OFFSET &&
         section->offset <= file_bytes && section->bytes > 0 && section->bytes <= file_bytes - section->offset;
}

static bool section_overlaps(const struct rtop_section *a, const struct rtop_section *b)
{
  return a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
}

/* Sections must consist of whole words, because shared memory is copied in words. */
static bool section_shape_right(const struct rtop_section *section)
{
  if (!section_known(section->kind)) return true;
  uint32_t element_bytes = section_rules[section->kind].element_bytes;
  if (section->element_bytes != element_bytes || section->bytes % element_bytes != 0 ||
      section->bytes % sizeof(uint64_t) != 0 || section->bytes < section_rules[section->kind].bytes_min)
    return false;
  uint64_t count = section->bytes / element_bytes;
  return !section_rules[section->kind].power_of_two || (count & (count - 1)) == 0;
}

static int geometry_check_complete(const bool *seen, struct rtop_error *error)
{
  for (size_t group = 0; group < sizeof section_groups / sizeof section_groups[0]; group++) {
    uint32_t first = section_groups[group].first, last = section_groups[group].last;
    bool any = section_groups[group].required;
    for (uint32_t kind = first; kind <= last; kind++) any = any || seen[kind];
    for (uint32_t kind = first; kind <= last && any; kind++)
      if (!seen[kind])
        return rtop_error_set(error, RTOP_ERROR_CORRUPT, 0, "the segment is damaged: it has no %s section",
                              section_rules[kind].name);
  }
  return 0;
}

static int geometry_check_sections(const struct rtop_geometry *geometry, uint64_t file_bytes, struct rtop_error *error)
{
  bool seen[SECTION_KIND_END] = { false };
  for (uint32_t i = 0; i < geometry->section_count; i++) {
    const struct rtop_section *section = &geometry->sections[i];
    if (!section_inside(section, file_bytes))
      return geometry_corrupt(error, "a section lies outside the file or off a page");
    if (!section_shape_right(section)) return geometry_corrupt(error, "a section has the wrong shape");
    for (uint32_t j = 0; j < i; j++)
      if (section_overlaps(section, &geometry->sections[j])) return geometry_corrupt(error, "two sections overlap");
    if (!section_known(section->kind)) continue;
    if (seen[section->kind]) return geometry_corrupt(error, "a section is there twice");
    seen[section->kind] = true;
  }
  return geometry_check_complete(seen, error);
}

int rtop_geometry_validate(const struct rtop_geometry *geometry, uint64_t file_bytes, struct rtop_error *error)
{
  if (geometry_check_version(geometry, error) != 0 || geometry_check_header(geometry, file_bytes, error) != 0)
    return -1;
  return geometry_check_sections(geometry, file_bytes, error);
}
