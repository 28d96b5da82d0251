/* SPDX-License-Identifier: MIT */
/* Reads method entries. The frame VALUE of a method is a method entry; the frame VALUE of other code (the top of a
 * file, a class body) is a compiled piece of code.
 *
 * Entries are not part of the VM's interface. So at load methods of our own, one of a class and one of a module, are
 * examined; if a word is not at its expected position, no VALUE counts as a method entry. All names are then made in
 * the job (tests/ext/test_layout.rb).
 *
 * Threads: method_entry_learn() with the GVL, not in a hook; may raise. So may method_entry_function(), which also
 * allocates. All other functions in any thread. [hook]
 */
#ifndef RTOP_EXT_METHOD_ENTRY_H
#define RTOP_EXT_METHOD_ENTRY_H

#include <ruby.h>
#include <stdbool.h>

/* A function behind a method without arguments. */
typedef VALUE method_entry_call(VALUE self);

void method_entry_learn(void);

/* Tell whether the VALUE is a method entry, or a piece of code. Both return false for every VALUE when the layout is
 * unknown. */
bool method_entry_is(VALUE frame);
bool method_entry_is_code(VALUE frame);

/* method_entry_class() returns the class or module that defines the method of an entry, or 0 when there is none;
 * method_entry_id() returns the id of the method's name. */
VALUE method_entry_class(VALUE frame);
ID method_entry_id(VALUE frame);

/* Returns the VM's function behind the method `name` of `receiver`, which is defined in `class` without arguments. NULL
 * when unknown, when the method is not a C function, or when it was redefined. */
method_entry_call *method_entry_function(VALUE receiver, VALUE class, const char *name);
/* Like method_entry_function(), for a method with one argument. */
typedef VALUE method_entry_call_1(VALUE self, VALUE argument);
method_entry_call_1 *method_entry_function_1(VALUE receiver, VALUE class, const char *name);
/* Like method_entry_function(), for a method with two arguments. */
typedef VALUE method_entry_call_2(VALUE self, VALUE first, VALUE second);
method_entry_call_2 *method_entry_function_2(VALUE receiver, VALUE class, const char *name);

/* Returns the entry of a Method or UnboundMethod; 0 when the layout is unknown. */
VALUE method_entry_of(VALUE method);
/* method_entry_definition() returns the definition of an entry, which is equal for all entries of one method;
 * method_entry_kind() returns the kind of that method. All methods written in Ruby have the same kind. */
VALUE method_entry_definition(VALUE entry);
unsigned method_entry_kind(VALUE entry);
/* method_entry_is_function() tells whether the entry is a C function. method_entry_way() returns how the VM calls the
 * entry, for kinds that it calls in several ways. */
bool method_entry_is_function(VALUE entry);
uint32_t method_entry_way(VALUE entry);

/* method_entry_owner() returns the class or module to which an entry belongs, 0 when unknown. method_entry_first_name()
 * returns the name under which the entry's method was defined, even if the entry has another name now. */
VALUE method_entry_owner(VALUE entry);
ID method_entry_first_name(VALUE entry);

#endif
