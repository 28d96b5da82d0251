/* SPDX-License-Identifier: MIT */
/* Defines the module RperfTop, and starts the profiler at load. */

#include "session.h"
#include "ext/base/config.h"
#include "ext/hooks/labels.h"
#include "ext/hooks/profile_rows.h"
#include "shm/base/error.h"
#include "shm/base/version.h"
#include <ruby.h>
#include <ruby/encoding.h>
#include <ruby/ractor.h>
#include <ruby/thread.h>

/* The configuration from the environment, read once at load, since later reads would race with code that changes the
 * environment. */
static struct config environment;

/* Sets the excluded frames from a String of patterns or an Array of them. */
static void set_exclude(struct config *config, VALUE patterns)
{
  struct rtop_error error;
  VALUE list = rb_ary_join(rb_Array(patterns), rb_str_new_cstr("\n"));
  StringValue(list);
  if (config_set_exclude(config, RSTRING_PTR(list), (size_t)RSTRING_LEN(list), &error) != 0)
    rb_raise(error.code == RTOP_ERROR_SYSTEM ? rb_eRuntimeError : rb_eArgError, "exclude: %s", error.text);
  RB_GC_GUARD(list);
}

/* RperfTop.start(record_hz: 100, hz: 100, budget: 1.0, exclude: [], depth: nil, defer: false). Missing arguments
 * default to the environment as it was at load. Returns false when the program is ending. */
static VALUE rperf_start(int argc, VALUE *argv, VALUE self)
{
  (void)self;
  struct config config = environment;
  VALUE options;
  rb_scan_args(argc, argv, "0:", &options);
  if (!NIL_P(options)) {
    ID names[] = { rb_intern("record_hz"), rb_intern("hz"),    rb_intern("budget"),
                   rb_intern("exclude"),   rb_intern("depth"), rb_intern("defer") };
    VALUE values[6];
    rb_get_kwargs(options, names, 0, 6, values);
    if (values[0] != Qundef) config_set_record_hz(&config, NUM2DBL(values[0]));
    if (values[1] != Qundef) config_set_watch_hz(&config, NUM2DBL(values[1]));
    if (values[2] != Qundef) config_set_budget(&config, NUM2DBL(values[2]));
    if (values[3] != Qundef) set_exclude(&config, values[3]);
    /* the session stays parked until a viewer comes */
    if (values[5] != Qundef && RTEST(values[5])) config_set_record_hz(&config, 0);
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

/* RperfTop.mark(name): records that an event with this name happened now. */
static VALUE rperf_mark(VALUE self, VALUE name)
{
  (void)self;
  VALUE text = rb_obj_as_string(name);
  /* the unchanged text if it cannot be converted */
  text = rb_str_conv_enc(text, rb_enc_get(text), rb_utf8_encoding());
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

/* RperfTop.snapshot(path): saves the current content of the channel, for rperf-top -r. Other threads keep running. */
static VALUE rperf_snapshot(VALUE self, VALUE path)
{
  (void)self;
  VALUE text = rb_str_new_frozen(FilePathValue(path));
  struct snapshot snapshot = { .path = StringValueCStr(text) };
  rb_thread_call_without_gvl(save_snapshot, &snapshot, NULL, NULL); /* cannot be interrupted by other threads */
  RB_GC_GUARD(text);
  if (snapshot.result == 0) return text;
  if (snapshot.error.errno_value) rb_syserr_fail(snapshot.error.errno_value, snapshot.error.text);
  rb_raise(rb_eRuntimeError, "rperf_top: %s", snapshot.error.text);
}

/* RperfTop.profile_open(hz): opens a profile, for RperfTop.profile in rperf_top/profile.rb. Returns its number, or nil
 * when no session runs or too many profiles are open. With hz nil, uses the rate for viewers. */
static VALUE rperf_profile_open(VALUE self, VALUE hz)
{
  (void)self;
  struct config config = environment;
  if (!NIL_P(hz)) config_set_watch_hz(&config, NUM2DBL(hz));
  int slot = session_profile_open(config.watch_hz);
  return slot < 0 ? Qnil : INT2FIX(slot);
}

struct reading {
  int slot;
  bool clear;
  struct profile profile;
};

static VALUE read_rows(VALUE pointer)
{
  struct reading *reading = (struct reading *)pointer;
  session_profile_read(reading->slot, reading->clear, &reading->profile);
  return profile_rows(&reading->profile, session_sampler());
}

static VALUE free_rows(VALUE pointer)
{
  struct reading *reading = (struct reading *)pointer;
  profile_free(&reading->profile);
  return Qnil;
}

static int slot_of(VALUE number)
{
  int slot = NUM2INT(number);
  if (slot < 0 || slot >= PROFILES_MAX) rb_raise(rb_eArgError, "there is no such profile");
  return slot;
}

/* RperfTop.profile_read(number, clear): returns the content of the profile so far; `clear` empties the profile. */
static VALUE rperf_profile_read(VALUE self, VALUE number, VALUE clear)
{
  (void)self;
  struct reading reading = { .slot = slot_of(number), .clear = RTEST(clear) };
  return rb_ensure(read_rows, (VALUE)&reading, free_rows, (VALUE)&reading);
}

/* RperfTop.profile_close(number): closes the profile. Never raises. */
static VALUE rperf_profile_close(VALUE self, VALUE number)
{
  (void)self;
  struct profile rest = { 0 };
  session_profile_close(slot_of(number), &rest);
  profile_free(&rest);
  return Qnil;
}

static void define_module(void)
{
  VALUE module = rb_define_module("RperfTop");
  rb_define_const(module, "VERSION", rb_obj_freeze(rb_str_new_cstr(RPERF_TOP_VERSION)));
  rb_define_module_function(module, "start", rperf_start, -1);
  rb_define_module_function(module, "stop", rperf_stop, 0);
  rb_define_module_function(module, "save_channel", rperf_snapshot, 1);
  rb_define_module_function(module, "profile_open", rperf_profile_open, 1);
  rb_define_module_function(module, "profile_read", rperf_profile_read, 2);
  rb_define_module_function(module, "profile_close", rperf_profile_close, 1);
  rb_ext_ractor_safe(true);
  rb_define_module_function(module, "running?", rperf_running, 0);
  rb_define_module_function(module, "mark", rperf_mark, 1);
  labels_define(module, session_sampler());
  rb_ext_ractor_safe(false);
}

/* Returns ENV, an object that all boxes share. Each Ruby::Box loads its own copy of this library, which would be a
 * second profiler. So the first copy stores the address of the function that defines the module in ENV, hidden from
 * programs; later copies call that function instead of their own. */
static VALUE shared_by_boxes(void)
{
  ID name = rb_intern("ENV");
  return rb_const_defined(rb_cObject, name) ? rb_const_get(rb_cObject, name) : Qnil;
}

RUBY_FUNC_EXPORTED void Init_rperf_top(void);

void Init_rperf_top(void)
{
  VALUE shared = shared_by_boxes();
  ID name = rb_intern("rperf_top_define");
  VALUE first = !RB_SPECIAL_CONST_P(shared) ? rb_attr_get(shared, name) : Qnil;
  if (!NIL_P(first)) {
    ((void (*)(void))(uintptr_t)NUM2ULL(first))();
    return;
  }
  define_module();
  session_init();
  if (!RB_SPECIAL_CONST_P(shared) && !RB_OBJ_FROZEN(shared))
    rb_ivar_set(shared, name, ULL2NUM((uintptr_t)define_module));
  config_from_environment(&environment);
  const char *failure = environment.enabled ? session_start(&environment) : NULL;
  if (failure) session_warn(failure); /* the program continues without the profiler */
}
