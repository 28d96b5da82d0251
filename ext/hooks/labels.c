/* SPDX-License-Identifier: MIT */
/* The Ruby methods RperfTop.label, label_ahead and labels. */
#include "labels.h"

#include "fiber_switch.h"
#include "ext/sampling/sampler.h"
#include "shm/base/utf8.h"
#include <ruby/encoding.h>
#include <string.h>

enum { GIVEN_MAX = 64 };

/* The keyword arguments of a call. Each string is copied as it is read, because to_s of the next argument may run the
 * GC, which can move or free earlier strings, or may itself replace them. */
struct given {
  struct rtop_label labels[GIVEN_MAX];
  struct rtop_label_buffer copies[GIVEN_MAX];
  bool taken[GIVEN_MAX];
  size_t count;
};

static struct sampler *sampler;
static struct label_sets *sets;
/* Name of the instance variable on strings that RperfTop.labels has returned. A fiber that sets labels from such a
 * string continues the same piece of work. */
static ID taken_along;

/* Copies the object's text as UTF-8 into `to`, cut to `most` bytes. Returns the number of bytes. */
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
  given->taken[given->count] = RB_TYPE_P(value, T_STRING) && RTEST(rb_attr_get(value, taken_along));
  if (!NIL_P(value)) {
    label->value = copy->value;
    label->value_bytes = copy_utf8(value, copy->value, RTOP_LABEL_VALUE_MAX);
  }
  given->count++;
  return ST_CONTINUE;
}

static void give(VALUE thread, struct label_kept kept)
{
  pairs_relabel(sampler, thread);
  label_sets_keep(sets, thread, kept);
  fiber_switch_label(thread, kept.set);
}

/* A change of labels: the labels and the piece of work stored in the current fiber before, and the piece of work that
 * the change opened. */
struct change {
  VALUE thread;
  struct label_kept before;
  uint64_t piece;
};

static VALUE restore(VALUE pointer)
{
  const struct change *change = (const struct change *)pointer;
  work_end(sampler, change->piece, change->before.piece);
  give(change->thread, change->before);
  return Qnil;
}

/* Calls the block without arguments, since the block may be a lambda. */
static VALUE call_block(VALUE unused)
{
  return rb_yield_values(0);
}

/* Changes the labels of the current fiber, and those of the whole piece of work (block with labels) that it is in. */
static VALUE relabel(const struct given *given, struct label_kept kept, enum label_begins begins)
{
  const struct label_wish wish = { given->labels, given->taken, given->count, begins,
                                   work_own(&sampler->work, kept.piece) };
  struct label_result after = label_sets_with(sets, kept.set, &wish);
  kept.set = after.set;
  work_tell(&sampler->work, kept.piece, after.set, after.works, 0);
  give(rb_thread_current(), kept);
  return Qnil;
}

static VALUE with_labels(int argc, VALUE *argv, enum label_begins begins)
{
  VALUE options;
  struct given given;
  given.count = 0;
  rb_scan_args(argc, argv, "0:", &options);
  if (!NIL_P(options)) rb_hash_foreach(options, collect, (VALUE)&given);
  struct change change = { .thread = rb_thread_current() };
  change.before = label_sets_kept(sets, change.thread);
  if (!rb_block_given_p()) return relabel(&given, change.before, begins);
  const struct label_wish wish = { given.labels, given.taken, given.count, begins, 0 };
  struct label_result after = label_sets_with(sets, change.before.set, &wish);
  change.piece = work_begin(sampler, change.before.piece);
  if (after.lost) work_tell(&sampler->work, change.piece, 0, 1, 0);
  else work_tell(&sampler->work, change.piece, after.set, after.works, begins == LABEL_BEGINS_NONE ? after.given : 0);
  give(change.thread,
       (struct label_kept){ .set = after.set, .piece = change.piece ? change.piece : change.before.piece });
  return rb_ensure(call_block, Qnil, restore, (VALUE)&change);
}

/* RperfTop.label(key: value) { … } labels the work in the block; without a block, it labels the code that follows. */
static VALUE rperf_label(int argc, VALUE *argv, VALUE self)
{
  (void)self;
  return with_labels(argc, argv, rb_block_given_p() ? LABEL_BEGINS_NEW : LABEL_BEGINS_ALL);
}

/* RperfTop.label_ahead(key: value) { … } sets labels like RperfTop.label, but does not count the work, for labels that
 * may still change. */
static VALUE rperf_label_ahead(int argc, VALUE *argv, VALUE self)
{
  (void)self;
  return with_labels(argc, argv, LABEL_BEGINS_NONE);
}

/* RperfTop.labels returns the labels of the current fiber. */
static VALUE rperf_labels(VALUE self)
{
  (void)self;
  const struct label_set *set = &sets->sets[label_sets_of(sets, rb_thread_current())];
  struct rtop_label_buffer label;
  VALUE labels = rb_hash_new();
  for (size_t at = 0; rtop_label_text_next(set->text, set->bytes, &at, &label);) {
    VALUE value = rb_utf8_str_new_cstr(label.value);
    rb_ivar_set(value, taken_along, Qtrue);
    rb_hash_aset(labels, rb_to_symbol(rb_utf8_str_new_cstr(label.key)), value);
  }
  return labels;
}

void labels_define(VALUE module, struct sampler *of)
{
  sampler = of;
  sets = &of->labels;
  taken_along = rb_intern("__rperf_top_taken_along__");
  rb_define_module_function(module, "label", rperf_label, -1);
  rb_define_module_function(module, "label_ahead", rperf_label_ahead, -1);
  rb_define_module_function(module, "labels", rperf_labels, 0);
}
