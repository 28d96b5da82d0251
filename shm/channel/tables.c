/* SPDX-License-Identifier: MIT */
/* Appends entries to the tables and counts them. */
#include "tables.h"
#include "shm/base/outlet.h"
#include "shm/base/utf8.h"

#include <string.h>

static const char *const tables_reserved_names[RTOP_NODE_FIRST_FREE] = {
  [RTOP_NODE_ROOT] = "(root)",
  [RTOP_NODE_FOLDED] = "(folded)",
  [RTOP_NODE_UNSAMPLED] = RTOP_LABEL_UNSAMPLED,
  [RTOP_NODE_NO_FRAMES] = "(no Ruby frames)",
};

void tables_init(struct tables *tables, const struct channel_parts *parts)
{
  *tables = (struct tables){ .parts = parts };
  struct rtop_string_head empty = { 0 };
  outlet_append(parts->outlet, parts->strings, &empty, sizeof empty);
  tables->string_bytes = sizeof empty;
  for (uint32_t i = 0; i < RTOP_NODE_FIRST_FREE; i++) {
    const char *name = tables_reserved_names[i];
    struct rtop_frame_entry frame = { .kind = RTOP_FRAME_SPECIAL };
    struct rtop_node_entry node = { .parent = RTOP_NODE_ROOT, .depth = i == RTOP_NODE_ROOT ? 0 : 1 };
    uint32_t id;
    frame.label = tables_add_string(tables, name, strlen(name));
    tables_add_frame(tables, &frame, &node.frame);
    tables_add_node(tables, &node, &id);
  }
}

uint32_t tables_add_string(struct tables *tables, const char *bytes, size_t count)
{
  if (count == 0) return 0;
  size_t kept = rtop_utf8_cut(bytes, count, RTOP_STRING_BYTES_MAX);
  uint64_t needed = sizeof(struct rtop_string_head) + ((kept + 7) & ~(size_t)7);
  unsigned char *to = tables->parts->strings + tables->string_bytes;
  if (needed > tables->parts->string_bytes - tables->string_bytes ||
      !outlet_reserve(tables->parts->outlet, to, needed)) {
    tables->strings_overflowed++;
    return 0;
  }
  struct rtop_string_head head = { .bytes = (uint32_t)kept, .flags = kept < count };
  uint32_t reference = (uint32_t)tables->string_bytes;
  unsigned char entry[sizeof head + RTOP_STRING_BYTES_MAX + 8];
  memset(entry + needed - 8, 0, 8);
  memcpy(entry, &head, sizeof head);
  memcpy(entry + sizeof head, bytes, kept);
  outlet_append(tables->parts->outlet, to, entry, needed);
  tables->string_bytes += needed;
  return reference;
}

bool tables_add_frame(struct tables *tables, const struct rtop_frame_entry *frame, uint32_t *id)
{
  struct rtop_frame_entry *to = &tables->parts->frames[tables->frame_count];
  if (tables->frame_count >= tables->parts->frame_capacity || !outlet_reserve(tables->parts->outlet, to, sizeof *to)) {
    tables->frames_overflowed++;
    return false;
  }
  outlet_append(tables->parts->outlet, to, frame, sizeof *frame);
  *id = (uint32_t)tables->frame_count++;
  return true;
}

/* Completes the labels of a frame. Path and line are read back from the segment: if another process damaged them, only
 * viewers are affected. */
void tables_relabel_frame(struct tables *tables, uint32_t id, uint32_t label, uint32_t namespace_label)
{
  struct rtop_frame_entry frame;
  const struct channel_parts *parts = tables->parts;
  if (id >= tables->frame_count || !outlet_load(parts->outlet, &frame, &parts->frames[id], sizeof frame)) return;
  frame.label = label;
  frame.namespace_label = namespace_label;
  outlet_store(parts->outlet, &parts->frames[id], &frame, sizeof frame);
  tables->frame_labels++;
}

bool tables_add_node(struct tables *tables, const struct rtop_node_entry *node, uint32_t *id)
{
  struct rtop_node_entry *to = &tables->parts->nodes[tables->node_count];
  if (tables->node_count >= tables->parts->node_capacity || !outlet_reserve(tables->parts->outlet, to, sizeof *to)) {
    tables->nodes_overflowed++;
    return false;
  }
  outlet_append(tables->parts->outlet, to, node, sizeof *node);
  *id = (uint32_t)tables->node_count++;
  return true;
}

void tables_count(const struct tables *tables, struct rtop_counters *image)
{
  image->string_bytes = tables->string_bytes;
  image->frame_count = tables->frame_count;
  image->node_count = tables->node_count;
  image->frame_labels = tables->frame_labels;
  image->strings_overflowed = tables->strings_overflowed;
  image->frames_overflowed = tables->frames_overflowed;
  image->nodes_overflowed = tables->nodes_overflowed;
}
