/* SPDX-License-Identifier: MIT */
/* Looks up the methods in which programs wait, and compares frames with them. */
#include "waits.h"

#include "frame_names.h"
#include "method_entry.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static VALUE constant(VALUE under, const char *name)
{
  ID id = rb_intern(name);
  return rb_const_defined(under, id) ? rb_const_get(under, id) : Qnil;
}

/* Adds methods of a class; their names are separated by spaces. */
static void add(struct waits *waits, VALUE class, const char *space, const char *separator, const char *names,
                enum rtop_work_cause cause)
{
  rb_gc_register_mark_object(class); /* compared by address, so it must not move */
  for (const char *name = names; *name && waits->count < WAITS_MAX;) {
    size_t bytes = strcspn(name, " ");
    struct wait *wait = &waits->entries[waits->count++];
    wait->class = class;
    wait->id = rb_intern2(name, (long)bytes);
    wait->cause = cause;
    snprintf(wait->label, sizeof wait->label, "%s%s%.*s", space, separator, (int)bytes, name);
    snprintf(wait->space, sizeof wait->space, "%s", space);
    name += bytes + strspn(name + bytes, " ");
  }
}

static void add_class(struct waits *waits, VALUE class, const char *space, const char *names,
                      enum rtop_work_cause cause)
{
  if (RB_TYPE_P(class, T_CLASS) || RB_TYPE_P(class, T_MODULE)) add(waits, class, space, "#", names, cause);
}

static void add_singleton(struct waits *waits, VALUE class, const char *space, const char *names,
                          enum rtop_work_cause cause)
{
  if (RB_TYPE_P(class, T_CLASS) || RB_TYPE_P(class, T_MODULE))
    add(waits, rb_singleton_class(class), space, ".", names, cause);
}

static VALUE learn(VALUE pointer)
{
  struct waits *waits = (struct waits *)pointer;
  add_class(waits, rb_mKernel, "Kernel", "sleep", RTOP_WORK_SLEEP);
  add_class(waits, rb_mKernel, "Kernel", "gets select", RTOP_WORK_IO);
  add_class(waits, rb_mKernel, "Kernel", "system", RTOP_WORK_OTHER);
  add_class(waits, rb_mKernel, "Kernel", "readline", RTOP_WORK_IO);
  add_class(waits, rb_cIO, "IO",
            "read readpartial sysread gets readline readbyte getc wait wait_readable wait_writable write",
            RTOP_WORK_IO);
  add_singleton(waits, rb_cIO, "IO", "select copy_stream", RTOP_WORK_IO);
  VALUE argf = constant(rb_cObject, "ARGF");
  if (!NIL_P(argf)) add_class(waits, CLASS_OF(argf), "ARGF.class", "gets read readline", RTOP_WORK_IO);
  add_class(waits, rb_cThread, "Thread", "join value", RTOP_WORK_OTHER);
  add_singleton(waits, rb_cThread, "Thread", "stop", RTOP_WORK_SLEEP);
  add_singleton(waits, rb_cThread, "Thread", "pass", RTOP_WORK_OTHER);
  add_class(waits, constant(rb_cThread, "Mutex"), "Thread::Mutex", "lock synchronize", RTOP_WORK_LOCK);
  add_class(waits, constant(rb_cThread, "Mutex"), "Thread::Mutex", "sleep", RTOP_WORK_QUEUE);
  add_class(waits, constant(rb_cThread, "ConditionVariable"), "Thread::ConditionVariable", "wait", RTOP_WORK_QUEUE);
  add_class(waits, constant(rb_cThread, "Queue"), "Thread::Queue", "pop shift deq", RTOP_WORK_QUEUE);
  add_class(waits, constant(rb_cThread, "SizedQueue"), "Thread::SizedQueue", "push pop << enq", RTOP_WORK_QUEUE);
  VALUE process = constant(rb_cObject, "Process");
  if (!NIL_P(process)) add_singleton(waits, process, "Process", "wait wait2 waitpid waitall detach", RTOP_WORK_OTHER);
  waits->io_singleton = rb_singleton_class(rb_cIO); /* the class above keeps the singleton class alive and in place */
  waits->io = rb_cIO;
  return Qnil;
}

void waits_learn(struct waits *waits)
{
  VALUE error = rb_errinfo();
  int raised = 0;
  waits->count = 0;
  waits->io = waits->io_singleton = 0;
  rb_protect(learn, (VALUE)waits, &raised);
  if (!raised) return;
  rb_set_errinfo(error);
  waits->count = 0;
  waits->io = 0;
}

/* Finds the wait method; a method that the program redefined does not count. */
uint32_t waits_find(const struct waits *waits, VALUE frame)
{
  if (!method_entry_is(frame)) return WAITS_MAX;
  VALUE class = method_entry_class(frame);
  ID id = method_entry_id(frame);
  for (uint32_t i = 0; i < waits->count; i++)
    if (waits->entries[i].class == class && waits->entries[i].id == id)
      return frame_names_is_core(frame) ? i : WAITS_MAX;
  return WAITS_MAX;
}

/* Tells whether a class from a method entry is IO or a subclass, or the singleton class of one. Returns false for
 * modules. */
static bool is_io(const struct waits *waits, VALUE class)
{
  if (!waits->io || !RB_TYPE_P(class, T_CLASS)) return false;
  return RTEST(rb_class_inherited_p(class, waits->io)) || RTEST(rb_class_inherited_p(class, waits->io_singleton));
}

enum rtop_work_cause waits_cause(const struct waits *waits, VALUE frame)
{
  uint32_t wait = waits_find(waits, frame);
  if (wait < WAITS_MAX) return waits->entries[wait].cause;
  if (!method_entry_is(frame) || !method_entry_class(frame)) return RTOP_WORK_OTHER;
  return is_io(waits, method_entry_class(frame)) ? RTOP_WORK_IO : RTOP_WORK_OTHER;
}
