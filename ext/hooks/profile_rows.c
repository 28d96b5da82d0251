/* SPDX-License-Identifier: MIT */
/* Turns a profile's cells, threads and labels, and the names that these refer to, into Ruby objects. */
#include "profile_rows.h"

#include <ruby/encoding.h>

static void put(VALUE hash, const char *key, VALUE value)
{
  rb_hash_aset(hash, ID2SYM(rb_intern(key)), value);
}

static VALUE string_of(const struct frames *frames, uint32_t id)
{
  size_t bytes;
  const char *text = frames_string(frames, id, &bytes);
  return rb_enc_str_new(text, (long)bytes, rb_utf8_encoding());
}

static void add_frame(VALUE hash, struct frames *frames, uint32_t id)
{
  VALUE key = UINT2NUM(id);
  if (id >= frames_count(frames) || !NIL_P(rb_hash_lookup(hash, key))) return;
  const struct frames_entry *entry = &frames->entries[id];
  rb_hash_aset(hash, key,
               rb_ary_new_from_args(5, string_of(frames, entry->label), string_of(frames, entry->path),
                                    string_of(frames, entry->namespace_label), UINT2NUM(entry->line),
                                    UINT2NUM(entry->kind)));
}

/* Adds a node with all its callers. */
static void add_node(VALUE nodes, VALUE frames, struct sampler *sampler, uint32_t node)
{
  for (;;) {
    VALUE key = UINT2NUM(node);
    if (node >= calltree_count(&sampler->tree) || !NIL_P(rb_hash_lookup(nodes, key))) return;
    const struct rtop_node_entry *entry = &sampler->tree.entries[node];
    rb_hash_aset(nodes, key,
                 rb_ary_new_from_args(3, UINT2NUM(entry->parent), UINT2NUM(entry->frame), UINT2NUM(entry->line)));
    add_frame(frames, &sampler->frames, entry->frame);
    if (node == RTOP_NODE_ROOT) return;
    node = entry->parent;
  }
}

static VALUE thread_rows(const struct profile *profile)
{
  VALUE rows = rb_ary_new_capa(profile->thread_count);
  for (uint32_t i = 0; i < profile->thread_count; i++) {
    const struct profile_thread *thread = &profile->threads[i];
    VALUE name = rb_enc_str_new(thread->name, thread->name_bytes, rb_utf8_encoding());
    rb_ary_push(rows, rb_ary_new_from_args(4, ULL2NUM(thread->serial), UINT2NUM(thread->native_id), name,
                                           thread->is_main ? Qtrue : Qfalse));
  }
  return rows;
}

static VALUE cell_rows(const struct profile *profile)
{
  VALUE rows = rb_ary_new_capa(profile->cell_count);
  for (uint32_t i = 0; i < profile->cell_count; i++) {
    const struct rtop_cell *cell = &profile->cells[i];
    rb_ary_push(rows, rb_ary_new_from_args(8, UINT2NUM(cell->node), UINT2NUM(cell->thread), UINT2NUM(cell->state),
                                           UINT2NUM(cell->samples), ULL2NUM(cell->wall_ns), ULL2NUM(cell->cpu_ns),
                                           ULL2NUM(cell->allocations), ULL2NUM(cell->blame_ns)));
  }
  return rows;
}

static VALUE begun_rows(const struct profile *profile)
{
  VALUE rows = rb_ary_new_capa(profile->begun_count);
  for (uint32_t i = 0; i < profile->begun_count; i++)
    rb_ary_push(rows, rb_ary_new_from_args(3, UINT2NUM(profile->begun[i].node), UINT2NUM(profile->begun[i].label),
                                           ULL2NUM(profile->begun[i].count)));
  return rows;
}

static VALUE counter_row(const struct profile *profile)
{
  static const struct {
    const char *name;
    enum rtop_counter_id id;
  } told[] = {
    { "minor", RTOP_COUNTER_GC_MINOR },          { "major", RTOP_COUNTER_GC_MAJOR },
    { "allocations", RTOP_COUNTER_ALLOCATIONS }, { "exceptions", RTOP_COUNTER_EXCEPTIONS },
    { "samples", RTOP_COUNTER_SAMPLES },         { "cpu", RTOP_COUNTER_CPU_NS },
    { "dropped", RTOP_COUNTER_SAMPLES_DROPPED }, { "cost", RTOP_COUNTER_WHOLE_COST_NS },
  };
  VALUE counters = rb_hash_new();
  for (size_t i = 0; i < sizeof told / sizeof *told; i++)
    put(counters, told[i].name, ULL2NUM(profile->counters[told[i].id]));
  return counters;
}

VALUE profile_rows(const struct profile *profile, struct sampler *sampler)
{
  VALUE rows = rb_hash_new(), nodes = rb_hash_new(), frames = rb_hash_new();
  put(rows, "duration", LL2NUM(profile->end_ns - profile->start_ns));
  put(rows, "lost", ULL2NUM(profile->lost));
  put(rows, "counters", counter_row(profile));
  put(rows, "threads", thread_rows(profile));
  put(rows, "cells", cell_rows(profile));
  put(rows, "begun", begun_rows(profile));
  for (uint32_t i = 0; i < profile->cell_count; i++) add_node(nodes, frames, sampler, profile->cells[i].node);
  for (uint32_t i = 0; i < profile->begun_count; i++) add_node(nodes, frames, sampler, profile->begun[i].node);
  put(rows, "nodes", nodes);
  put(rows, "frames", frames);
  return rows;
}
