/* SPDX-License-Identifier: MIT */
/* Copies new entries of the tables into the segment. */
#include "names_out.h"

#include <stdlib.h>

int names_out_create(struct names_out *out, const struct frames *frames)
{
  *out = (struct names_out){
    .string_capacity = frames->string_capacity,
    .frame_capacity = frames->capacity,
    .frame_count = RTOP_NODE_FIRST_FREE,
    .node_count = RTOP_NODE_FIRST_FREE,
  };
  out->string_references = calloc(out->string_capacity, sizeof *out->string_references);
  if (out->string_references) return 0;
  names_out_destroy(out);
  return -1;
}

void names_out_destroy(struct names_out *out)
{
  free(out->string_references);
  *out = (struct names_out){ 0 };
}

static uint32_t string_reference(struct names_out *out, const struct frames *frames, struct rtop_writer *writer,
                                 uint32_t string)
{
  if (string == 0) return 0;
  if (!out->string_references[string]) {
    size_t bytes;
    const char *text = frames_string(frames, string, &bytes);
    out->string_references[string] = rtop_writer_add_string(writer, text, bytes);
  }
  return out->string_references[string];
}

static bool add_frame(struct names_out *out, struct frames *frames, struct rtop_writer *writer, uint32_t id)
{
  struct frames_entry *entry = &frames->entries[id];
  struct rtop_frame_entry frame = {
    .label = string_reference(out, frames, writer, entry->label),
    .namespace_label = string_reference(out, frames, writer, entry->namespace_label),
    .path = string_reference(out, frames, writer, entry->path),
    .line = entry->line,
    .kind = entry->kind,
  };
  uint32_t published;
  return rtop_writer_add_frame(writer, &frame, &published) && published == id;
}

void names_out_update(struct names_out *out, struct frames *frames, struct calltree *tree, struct rtop_writer *writer)
{
  /* The count of nodes is read before the count of frames: a node's frame is always older than the node. */
  uint32_t nodes = calltree_count(tree);
  uint32_t count = frames_count(frames);
  while (out->frame_count < count && add_frame(out, frames, writer, out->frame_count)) out->frame_count++;
  for (; out->node_count < nodes; out->node_count++) {
    const struct rtop_node_entry *node = &tree->entries[out->node_count];
    uint32_t published;
    if (node->frame >= out->frame_count || !rtop_writer_add_node(writer, node, &published)) break;
  }
}

uint32_t names_out_known(const struct names_out *out, const struct calltree *tree, uint32_t node)
{
  while (node >= out->node_count) node = tree->entries[node].parent;
  return node;
}
