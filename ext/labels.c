#include "labels.h"

#include <ruby/encoding.h>

enum { GIVEN_MAX = 64 };

/* The keywords of a call; `keep` holds their strings. */
struct given {
  struct rtop_label labels[GIVEN_MAX];
  size_t count;
  VALUE keep;
};

static struct label_sets *sets;

static VALUE utf8(struct given *given, VALUE object)
{
  VALUE text = rb_obj_as_string(object);
  text = rb_str_conv_enc(text, rb_enc_get(text), rb_utf8_encoding());
  rb_ary_push(given->keep, text);
  return text;
}

static int collect(VALUE key, VALUE value, VALUE pointer)
{
  struct given *given = (struct given *)pointer;
  if (given->count == GIVEN_MAX) return ST_STOP;
  VALUE name = utf8(given, key);
  struct rtop_label *label = &given->labels[given->count];
  *label = (struct rtop_label){ .key = RSTRING_PTR(name), .key_bytes = (size_t)RSTRING_LEN(name) };
  if (!NIL_P(value)) {
    VALUE text = utf8(given, value);
    label->value = RSTRING_PTR(text);
    label->value_bytes = (size_t)RSTRING_LEN(text);
  }
  given->count++;
  return ST_CONTINUE;
}

/* The set of the current fiber and what is to become of it. */
struct change {
  VALUE thread;
  uint32_t before;
};

static VALUE restore(VALUE pointer)
{
  const struct change *change = (const struct change *)pointer;
  label_sets_give(sets, change->thread, change->before);
  return Qnil;
}

/* RperfTop.label(key: value) { … }: the block's work is about that. Without a block, what follows is. */
static VALUE rperf_label(int argc, VALUE *argv, VALUE self)
{
  (void)self;
  VALUE options;
  struct given given = { .count = 0, .keep = rb_ary_new() };
  rb_scan_args(argc, argv, "0:", &options);
  if (!NIL_P(options)) rb_hash_foreach(options, collect, (VALUE)&given);
  struct change change = { .thread = rb_thread_current() };
  change.before = label_sets_of(sets, change.thread);
  uint32_t after = label_sets_with(sets, change.before, given.labels, given.count);
  RB_GC_GUARD(given.keep);
  label_sets_give(sets, change.thread, after);
  return rb_block_given_p() ? rb_ensure(rb_yield, Qnil, restore, (VALUE)&change) : Qnil;
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
  rb_define_module_function(module, "labels", rperf_labels, 0);
}
