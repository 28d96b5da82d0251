/* The Ruby side: module RperfTop, and the start at load. */

#include "session.h"
#include "ext/base/config.h"
#include "ext/hooks/labels.h"
#include "shm/base/error.h"
#include "shm/base/version.h"
#include <ruby.h>
#include <ruby/encoding.h>
#include <ruby/ractor.h>
#include <ruby/thread.h>

/* What the environment says, read once: reading it later would race with whoever changes it. */
static struct config environment;

/* One String of patterns, or an Array of them. */
static void set_exclude(struct config *config, VALUE patterns)
{
  struct rtop_error error;
  VALUE list = rb_ary_join(rb_Array(patterns), rb_str_new_cstr("\n"));
  StringValue(list);
  if (config_set_exclude(config, RSTRING_PTR(list), (size_t)RSTRING_LEN(list), &error) != 0)
    rb_raise(error.code == RTOP_ERROR_SYSTEM ? rb_eRuntimeError : rb_eArgError, "exclude: %s", error.text);
  RB_GC_GUARD(list);
}

/* RperfTop.start(record_hz: 100, hz: 200, budget: 1.0, exclude: [], depth: nil): what is not given comes from the
 * environment as it was at load. False when the program is ending. */
static VALUE rperf_start(int argc, VALUE *argv, VALUE self)
{
  (void)self;
  struct config config = environment;
  VALUE options;
  rb_scan_args(argc, argv, "0:", &options);
  if (!NIL_P(options)) {
    ID names[] = { rb_intern("record_hz"), rb_intern("hz"), rb_intern("budget"), rb_intern("exclude"),
                   rb_intern("depth") };
    VALUE values[5];
    rb_get_kwargs(options, names, 0, 5, values);
    if (values[0] != Qundef) config_set_record_hz(&config, NUM2DBL(values[0]));
    if (values[1] != Qundef) config_set_watch_hz(&config, NUM2DBL(values[1]));
    if (values[2] != Qundef) config_set_budget(&config, NUM2DBL(values[2]));
    if (values[3] != Qundef) set_exclude(&config, values[3]);
    bool deep = values[4] != Qundef && NIL_P(values[4]);
    if (values[4] != Qundef) config_set_depth(&config, deep ? CONFIG_DEPTH_MAX : NUM2DBL(values[4]));
  }
  const char *failure = session_start(&config);
  if (failure) rb_raise(rb_eRuntimeError, "rperf_top: %s", failure);
  return session_over() ? Qfalse : Qtrue;
}

static VALUE rperf_stop(VALUE self)
{
  (void)self;
  session_stop();
  return Qnil;
}

static VALUE rperf_running(VALUE self)
{
  (void)self;
  return session_running() ? Qtrue : Qfalse;
}

/* RperfTop.mark(name): what is called so happened now. */
static VALUE rperf_mark(VALUE self, VALUE name)
{
  (void)self;
  VALUE text = rb_obj_as_string(name);
  text = rb_str_conv_enc(text, rb_enc_get(text), rb_utf8_encoding()); /* as it is when that cannot be */
  session_mark(RSTRING_PTR(text), (size_t)RSTRING_LEN(text));
  RB_GC_GUARD(text);
  return Qnil;
}

struct snapshot {
  const char *path;
  struct rtop_error error;
  int result;
};

static void *save_snapshot(void *pointer)
{
  struct snapshot *snapshot = pointer;
  snapshot->result = session_snapshot(snapshot->path, &snapshot->error);
  return NULL;
}

/* RperfTop.snapshot(path): what the channel holds at this moment, for rperf-top -r. Other threads run on. */
static VALUE rperf_snapshot(VALUE self, VALUE path)
{
  (void)self;
  VALUE text = rb_str_new_frozen(FilePathValue(path));
  struct snapshot snapshot = { .path = StringValueCStr(text) };
  rb_thread_call_without_gvl(save_snapshot, &snapshot, NULL, NULL); /* not to be interrupted half-way */
  RB_GC_GUARD(text);
  if (snapshot.result == 0) return text;
  if (snapshot.error.errno_value) rb_syserr_fail(snapshot.error.errno_value, snapshot.error.text);
  rb_raise(rb_eRuntimeError, "rperf_top: %s", snapshot.error.text);
}

RUBY_FUNC_EXPORTED void Init_rperf_top(void);

void Init_rperf_top(void)
{
  VALUE module = rb_define_module("RperfTop");
  rb_define_const(module, "VERSION", rb_obj_freeze(rb_str_new_cstr(RPERF_TOP_VERSION)));
  rb_define_module_function(module, "start", rperf_start, -1);
  rb_define_module_function(module, "stop", rperf_stop, 0);
  rb_define_module_function(module, "snapshot", rperf_snapshot, 1);
  rb_ext_ractor_safe(true);
  rb_define_module_function(module, "running?", rperf_running, 0);
  rb_define_module_function(module, "mark", rperf_mark, 1);
  labels_define(module, session_labels());
  rb_ext_ractor_safe(false);
  session_init();
  config_from_environment(&environment);
  const char *failure = environment.enabled ? session_start(&environment) : NULL;
  if (failure) session_warn(failure); /* the program goes on as it was */
}
