/* SPDX-License-Identifier: MIT */
/* Reads method entries. The frame VALUE of a method is a method entry; that of other code (the top of a file, a class
 * body) is a compiled piece of code.
 *
 * Entries are not part of the VM's interface. So at load methods of our own, one of a class and one of a module, are
 * examined; if a word is not where it should be, no VALUE is taken for a method entry. Names are then made in the job
 * (tests/ext/test_layout.rb).
 *
 * Threads: method_entry_learn() with the GVL, not in a hook; may raise. So may method_entry_function(), which also
 * allocates. The others any. [hook]
 */
#ifndef RTOP_EXT_METHOD_ENTRY_H
#define RTOP_EXT_METHOD_ENTRY_H

#include <ruby.h>
#include <stdbool.h>

/* A function behind a method without arguments. */
typedef VALUE method_entry_call(VALUE self);

void method_entry_learn(void);

/* Is the VALUE a method entry, or a piece of code? False for everything when the layout is unknown. */
bool method_entry_is(VALUE frame);
bool method_entry_is_code(VALUE frame);

/* The class or module that defines the method of an entry, or 0 when there is none; and the id of the method's name. */
VALUE method_entry_class(VALUE frame);
ID method_entry_id(VALUE frame);

/* The VM's function behind the method `name` of `receiver`, defined in `class` without arguments. NULL when unknown,
 * when it is not a C function, or when the method was redefined. */
method_entry_call *method_entry_function(VALUE receiver, VALUE class, const char *name);
/* Like method_entry_function(), for a method with one argument. */
typedef VALUE method_entry_call_1(VALUE self, VALUE argument);
method_entry_call_1 *method_entry_function_1(VALUE receiver, VALUE class, const char *name);
/* And two. */
typedef VALUE method_entry_call_2(VALUE self, VALUE first, VALUE second);
method_entry_call_2 *method_entry_function_2(VALUE receiver, VALUE class, const char *name);

/* The entry of a Method or UnboundMethod; 0 when the layout is unknown. */
VALUE method_entry_of(VALUE method);
/* The definition of an entry, which is equal for all entries of one method; and the kind of that method. All methods
 * written in Ruby have the same kind. */
VALUE method_entry_definition(VALUE entry);
unsigned method_entry_kind(VALUE entry);
/* Is the entry a C function? method_entry_way() returns how the VM calls the entry, for kinds that it calls in several
 * ways. */
bool method_entry_is_function(VALUE entry);
uint32_t method_entry_way(VALUE entry);

/* The class or module to which an entry belongs, 0 when unknown; and the name with which its method was defined, even
 * if the entry has another name now. */
VALUE method_entry_owner(VALUE entry);
ID method_entry_first_name(VALUE entry);

#endif
