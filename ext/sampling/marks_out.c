/* SPDX-License-Identifier: MIT */
/* Writes the marks of a window into the segment. */
#include "marks_out.h"

#include "ext/base/hash.h"
#include <stdlib.h>

enum {
  SHARE = 8,
  STRING_BYTES = 16, /* upper limit in bytes for the space that a string takes besides its text */
  SLOTS = 2 * MARKS_OUT_NAMES,
  SLOT_MASK = SLOTS - 1,
};

int marks_out_create(struct marks_out *out, const struct marks *marks, const struct rtop_writer *writer)
{
  *out = (struct marks_out){
    .dropped = atomic_load(&marks->dropped),
    .bytes_left = rtop_writer_string_capacity(writer) / SHARE,
  };
  out->hashes = calloc(SLOTS, sizeof *out->hashes);
  out->references = calloc(SLOTS, sizeof *out->references);
  if (out->hashes && out->references) return 0;
  marks_out_destroy(out);
  return -1;
}

void marks_out_destroy(struct marks_out *out)
{
  free(out->hashes);
  free(out->references);
  *out = (struct marks_out){ 0 };
}

static uint32_t other_name(struct marks_out *out, struct rtop_writer *writer)
{
  static const char other[] = "(other marks)";
  if (!out->other) out->other = rtop_writer_add_string(writer, other, sizeof other - 1);
  return out->other;
}

/* Returns the string reference of the mark's name; *kept is false when there was no room for the name. */
static uint32_t name_reference(struct marks_out *out, struct rtop_writer *writer, const struct mark *mark, bool *kept)
{
  uint64_t hash = hash_bytes(HASH_START, mark->name, mark->bytes) | 1;
  uint32_t slot = (uint32_t)(hash >> 20) & SLOT_MASK;
  *kept = true;
  for (; out->hashes[slot]; slot = (slot + 1) & SLOT_MASK)
    if (out->hashes[slot] == hash) return out->references[slot];
  uint32_t reference = 0;
  uint64_t bytes = mark->bytes + STRING_BYTES;
  if (out->count < MARKS_OUT_NAMES && bytes <= out->bytes_left)
    reference = rtop_writer_add_string(writer, mark->name, mark->bytes);
  if (!reference && mark->bytes) {
    *kept = false;
    return other_name(out, writer);
  }
  out->hashes[slot] = hash;
  out->references[slot] = reference;
  out->count++;
  out->bytes_left -= bytes < out->bytes_left ? bytes : out->bytes_left;
  return reference;
}

void marks_out_update(struct marks_out *out, struct marks *marks, struct rtop_writer *writer,
                      struct rtop_window *window)
{
  struct mark mark;
  struct rtop_losses losses = { 0 };
  for (int i = 0; i < MARKS_CAPACITY && marks_take(marks, &mark); i++) {
    struct rtop_mark *written = rtop_window_add_mark(window);
    bool kept = false;
    if (written) {
      written->mono_ns = mark.mono_ns;
      written->name = name_reference(out, writer, &mark, &kept);
    }
    if (!kept) losses.marks_overflowed++;
  }
  uint64_t dropped = atomic_load_explicit(&marks->dropped, memory_order_relaxed);
  losses.marks_overflowed += dropped - out->dropped;
  out->dropped = dropped;
  if (losses.marks_overflowed) rtop_writer_count_losses(writer, &losses);
}
