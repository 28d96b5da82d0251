/* SPDX-License-Identifier: MIT */
/* Finds the VM's internal functions for a thread's name and priority, and for the list of threads. */
#include "thread_calls.h"

#include "ext/names/method_entry.h"

enum { PRIORITY_MOST = 3 };

static method_entry_call *name_of, *list, *priority_of;
static method_entry_call_1 *set_priority;

void thread_calls_learn(void)
{
  name_of = method_entry_function(rb_thread_current(), rb_cThread, "name");
  list = method_entry_function(rb_cThread, rb_singleton_class(rb_cThread), "list");
  priority_of = method_entry_function(rb_thread_current(), rb_cThread, "priority");
  set_priority = method_entry_function_1(rb_thread_current(), rb_cThread, "priority=");
}

VALUE thread_calls_name(VALUE thread)
{
  return name_of ? name_of(thread) : Qundef;
}

VALUE thread_calls_list(void)
{
  return list ? list(rb_cThread) : Qundef;
}

VALUE thread_calls_hold_on(void)
{
  VALUE thread = rb_thread_current();
  if (!priority_of || !set_priority) return Qundef;
  VALUE before = priority_of(thread);
  set_priority(thread, INT2FIX(PRIORITY_MOST));
  return before;
}

void thread_calls_let_go(VALUE before)
{
  if (before != Qundef) set_priority(rb_thread_current(), before);
}
