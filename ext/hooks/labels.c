/* SPDX-License-Identifier: MIT */
/* RperfTop.label and RperfTop.labels, in terms of the VM. */
#include "labels.h"

#include "fiber_switch.h"
#include "shm/base/utf8.h"
#include <ruby/encoding.h>
#include <string.h>

enum { GIVEN_MAX = 64 };

/* The keywords of a call, copied as each is read: the to_s of a later one may collect, compact or replace their strings. */
struct given {
  struct rtop_label labels[GIVEN_MAX];
  struct rtop_label_buffer copies[GIVEN_MAX];
  size_t count;
};

static struct label_sets *sets;

/* As UTF-8 into `to`, cut to `most` bytes. Returns how many. */
static size_t copy_utf8(VALUE object, char *to, size_t most)
{
  VALUE text = rb_obj_as_string(object);
  text = rb_str_conv_enc(text, rb_enc_get(text), rb_utf8_encoding());
  size_t bytes = (size_t)RSTRING_LEN(text);
  if (bytes > most) bytes = rtop_utf8_cut(RSTRING_PTR(text), bytes, most);
  memcpy(to, RSTRING_PTR(text), bytes);
  to[bytes] = '\0';
  RB_GC_GUARD(text);
  return bytes;
}

static int collect(VALUE key, VALUE value, VALUE pointer)
{
  struct given *given = (struct given *)pointer;
  if (given->count == GIVEN_MAX) return ST_STOP;
  struct rtop_label_buffer *copy = &given->copies[given->count];
  struct rtop_label *label = &given->labels[given->count];
  *label = (struct rtop_label){ .key = copy->key, .key_bytes = copy_utf8(key, copy->key, RTOP_LABEL_KEY_MAX) };
  if (!NIL_P(value)) {
    label->value = copy->value;
    label->value_bytes = copy_utf8(value, copy->value, RTOP_LABEL_VALUE_MAX);
  }
  given->count++;
  return ST_CONTINUE;
}

static void give(VALUE thread, uint32_t set)
{
  label_sets_give(sets, thread, set);
  fiber_switch_label(thread, set);
}

/* The set of the current fiber and what is to become of it. */
struct change {
  VALUE thread;
  uint32_t before;
};

static VALUE restore(VALUE pointer)
{
  const struct change *change = (const struct change *)pointer;
  give(change->thread, change->before);
  return Qnil;
}

/* Without arguments: a lambda may have been given as the block. */
static VALUE call_block(VALUE unused)
{
  return rb_yield_values(0);
}

static VALUE with_labels(int argc, VALUE *argv, enum label_begins begins)
{
  VALUE options;
  struct given given;
  given.count = 0;
  rb_scan_args(argc, argv, "0:", &options);
  if (!NIL_P(options)) rb_hash_foreach(options, collect, (VALUE)&given);
  struct change change = { .thread = rb_thread_current() };
  change.before = label_sets_of(sets, change.thread);
  uint32_t after = label_sets_with(sets, change.before, given.labels, given.count, begins);
  give(change.thread, after);
  return rb_block_given_p() ? rb_ensure(call_block, Qnil, restore, (VALUE)&change) : Qnil;
}

/* RperfTop.label(key: value) { … }: the block's work is about that. Without a block, what follows is. */
static VALUE rperf_label(int argc, VALUE *argv, VALUE self)
{
  (void)self;
  return with_labels(argc, argv, rb_block_given_p() ? LABEL_BEGINS_NEW : LABEL_BEGINS_ALL);
}

/* RperfTop.label_ahead(key: value) { … }: the same, but nothing is counted: what the work is about is not sure yet. */
static VALUE rperf_label_ahead(int argc, VALUE *argv, VALUE self)
{
  (void)self;
  return with_labels(argc, argv, LABEL_BEGINS_NONE);
}

/* RperfTop.labels: those of the current fiber. */
static VALUE rperf_labels(VALUE self)
{
  (void)self;
  const struct label_set *set = &sets->sets[label_sets_of(sets, rb_thread_current())];
  struct rtop_label_buffer label;
  VALUE labels = rb_hash_new();
  for (size_t at = 0; rtop_label_text_next(set->text, set->bytes, &at, &label);)
    rb_hash_aset(labels, rb_to_symbol(rb_utf8_str_new_cstr(label.key)), rb_utf8_str_new_cstr(label.value));
  return labels;
}

void labels_define(VALUE module, struct label_sets *of)
{
  sets = of;
  rb_define_module_function(module, "label", rperf_label, -1);
  rb_define_module_function(module, "label_ahead", rperf_label_ahead, -1);
  rb_define_module_function(module, "labels", rperf_labels, 0);
}
