/* Finds the VM's own functions for a thread's name and the list of threads. */
#include "thread_calls.h"

#include "ext/names/method_entry.h"

static method_entry_call *name_of, *list;

void thread_calls_learn(void)
{
  name_of = method_entry_function(rb_thread_current(), rb_cThread, "name");
  list = method_entry_function(rb_cThread, rb_singleton_class(rb_cThread), "list");
}

VALUE thread_calls_name(VALUE thread)
{
  return name_of ? name_of(thread) : Qundef;
}

VALUE thread_calls_list(void)
{
  return list ? list(rb_cThread) : Qundef;
}
