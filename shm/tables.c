#include "tables.h"
#include "atomics.h"
#include "utf8.h"

#include <string.h>

static const char *const tables_reserved_names[RTOP_NODE_FIRST_FREE] = {
  [RTOP_NODE_ROOT] = "(root)",
  [RTOP_NODE_FOLDED] = "(folded)",
  [RTOP_NODE_UNSAMPLED] = RTOP_LABEL_UNSAMPLED,
  [RTOP_NODE_NO_FRAMES] = "(no Ruby frames)",
};

void tables_init(struct tables *tables, const struct channel_parts *parts)
{
  *tables = (struct tables){.parts = parts};
  struct rtop_string_head empty = {0};
  rtop_copy_to_shared(parts->strings, &empty, sizeof empty);
  tables->string_bytes = sizeof empty;
  for (uint32_t i = 0; i < RTOP_NODE_FIRST_FREE; i++) {
    const char *name = tables_reserved_names[i];
    struct rtop_frame_entry frame = {.kind = RTOP_FRAME_SPECIAL};
    struct rtop_node_entry node = {.parent = RTOP_NODE_ROOT, .depth = i == RTOP_NODE_ROOT ? 0 : 1};
    uint32_t id;
    frame.label = tables_add_string(tables, name, strlen(name));
    tables_add_frame(tables, &frame, &node.frame);
    tables_add_node(tables, &node, &id);
  }
}

uint32_t tables_add_string(struct tables *tables, const char *bytes, size_t count)
{
  if (count == 0)
    return 0;
  size_t kept = rtop_utf8_cut(bytes, count, RTOP_STRING_BYTES_MAX);
  uint64_t needed = sizeof(struct rtop_string_head) + ((kept + 7) & ~(size_t)7);
  if (needed > tables->parts->string_bytes - tables->string_bytes) {
    tables->strings_overflowed++;
    return 0;
  }
  struct rtop_string_head head = {.bytes = (uint32_t)kept, .flags = kept < count};
  unsigned char *to = tables->parts->strings + tables->string_bytes;
  uint32_t reference = (uint32_t)tables->string_bytes;
  rtop_copy_to_shared(to, &head, sizeof head);
  rtop_copy_to_shared(to + sizeof head, bytes, kept);
  tables->string_bytes += needed;
  return reference;
}

bool tables_add_frame(struct tables *tables, const struct rtop_frame_entry *frame, uint32_t *id)
{
  if (tables->frame_count >= tables->parts->frame_capacity) {
    tables->frames_overflowed++;
    return false;
  }
  rtop_copy_to_shared(&tables->parts->frames[tables->frame_count], frame, sizeof *frame);
  *id = (uint32_t)tables->frame_count++;
  return true;
}

/* Path and line are read back from the segment: whoever damaged them damaged only what viewers see. */
void tables_relabel_frame(struct tables *tables, uint32_t id, uint32_t label, uint32_t namespace_label)
{
  struct rtop_frame_entry frame;
  if (id >= tables->frame_count)
    return;
  rtop_copy_from_shared(&frame, &tables->parts->frames[id], sizeof frame);
  frame.label = label;
  frame.namespace_label = namespace_label;
  rtop_copy_to_shared(&tables->parts->frames[id], &frame, sizeof frame);
  tables->frame_labels++;
}

bool tables_add_node(struct tables *tables, const struct rtop_node_entry *node, uint32_t *id)
{
  if (tables->node_count >= tables->parts->node_capacity) {
    tables->nodes_overflowed++;
    return false;
  }
  rtop_copy_to_shared(&tables->parts->nodes[tables->node_count], node, sizeof *node);
  *id = (uint32_t)tables->node_count++;
  return true;
}

/* Release: a count never runs ahead of its entries. */
void tables_publish(const struct tables *tables)
{
  struct rtop_counters *counters = tables->parts->counters;
  rtop_store_release(&counters->string_bytes, tables->string_bytes);
  rtop_store_release(&counters->frame_count, tables->frame_count);
  rtop_store_release(&counters->node_count, tables->node_count);
  rtop_store_release(&counters->frame_labels, tables->frame_labels);
  rtop_store_relaxed(&counters->strings_overflowed, tables->strings_overflowed);
  rtop_store_relaxed(&counters->frames_overflowed, tables->frames_overflowed);
  rtop_store_relaxed(&counters->nodes_overflowed, tables->nodes_overflowed);
}
