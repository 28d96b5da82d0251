/* SPDX-License-Identifier: MIT */
/* What the words of a method entry hold. A frame VALUE of a method is one; of other code (the top of a file, a class body)
 * it is a compiled piece of code.
 *
 * That is not part of the VM's interface. So at load methods that we made ourselves are looked at first, one of a class and
 * one of a module, and unless everything is where it should be, nothing is taken for a method entry: names are
 * made in the job then, as all others are (tests/ext/test_layout.rb).
 *
 * Threads: method_entry_learn() under the GVL, not in a hook, may raise; so may method_entry_function(), which also
 * allocates. The others any. [hook]
 */
#ifndef RTOP_EXT_METHOD_ENTRY_H
#define RTOP_EXT_METHOD_ENTRY_H

#include <ruby.h>
#include <stdbool.h>

/* A function behind a method without arguments. */
typedef VALUE method_entry_call(VALUE self);

void method_entry_learn(void);

/* False of everything when the layout is not known. */
bool method_entry_is(VALUE frame);
bool method_entry_is_code(VALUE frame);

/* Of a method entry: the class or module that defines the method, 0 when there is none; the id of its name. */
VALUE method_entry_class(VALUE frame);
ID method_entry_id(VALUE frame);

/* The VM's own function behind the method `name` of `receiver`, which is defined in `class` and takes no arguments. NULL
 * when it is not known, when it is no C function, or when somebody has put another method in its place. */
method_entry_call *method_entry_function(VALUE receiver, VALUE class, const char *name);
/* The same of one that takes one argument. */
typedef VALUE method_entry_call_1(VALUE self, VALUE argument);
method_entry_call_1 *method_entry_function_1(VALUE receiver, VALUE class, const char *name);
/* And two. */
typedef VALUE method_entry_call_2(VALUE self, VALUE first, VALUE second);
method_entry_call_2 *method_entry_function_2(VALUE receiver, VALUE class, const char *name);

/* The entry of a Method or UnboundMethod, 0 when the layout is not known. */
VALUE method_entry_of(VALUE method);
/* What makes two entries the same method, and of which kind it is: one in Ruby is of the same as another one. Of an entry. */
VALUE method_entry_definition(VALUE entry);
unsigned method_entry_kind(VALUE entry);
/* Is it a function in C? Of kinds that have several ways of being called: which one. */
bool method_entry_is_function(VALUE entry);
uint32_t method_entry_way(VALUE entry);

/* The class or module in which an entry stands, 0 when that is not known, and the name that its method was defined with,
 * whatever it is called by now. */
VALUE method_entry_owner(VALUE entry);
ID method_entry_first_name(VALUE entry);

#endif
