/* SPDX-License-Identifier: MIT */
/* Learns at load the positions of the words in a method entry, and reads entries. */
#include "method_entry.h"

#include "ext/base/vm_object.h"
#include "ext/base/vm_unknown.h"
#include <ruby/debug.h>

enum { WORD_FLAGS, WORD_CLASS, WORD_DEFINITION, WORD_ID, WORD_OWNER };

/* Words of a method definition: its type; for a C function its address, how the VM calls it, and its number of
 * arguments; its name. */
enum { FUNCTION_TYPE, FUNCTION_CALL, FUNCTION_INVOKER, FUNCTION_ARGUMENTS, FUNCTION_NAME };
#define FUNCTION_TYPE_MASK ((VALUE)0xF)

enum { METHOD_WORDS = 5 }; /* words of a Method object; one of them is the entry */

static bool known, functions_known, owners_known;
static VALUE entry_flags;   /* the flags of an entry's type; 0 until a probe succeeded */
static VALUE defined_in;    /* class of the first probe, then module of the second probe */
static VALUE own_entry;     /* entry of the first probe */
static int entry_of_method; /* index of the word in a Method object that is the entry */
static VALUE function_type;

static VALUE word(VALUE frame, int which)
{
  return ((const VALUE *)frame)[which];
}

/* Returns the type of a frame's object; 0 when the object cannot be a method entry. */
static VALUE type_of(VALUE frame)
{
  if (RB_SPECIAL_CONST_P(frame) || (int)RB_BUILTIN_TYPE(frame) != VM_IMEMO) return 0;
  return word(frame, WORD_FLAGS) & VM_KIND_MASK;
}

static VALUE probe(VALUE self)
{
  VALUE frame = Qnil;
  if (rb_profile_frames(0, 1, &frame, NULL) != 1) return Qfalse;
  VALUE flags = type_of(frame);
  if (!flags || method_entry_id(frame) != rb_intern("rperf_top_probe")) return Qfalse;
  owners_known = owners_known && word(frame, WORD_OWNER) == defined_in;
  if (entry_flags) return flags == entry_flags && method_entry_class(frame) == defined_in ? Qtrue : Qfalse;
  /* only compared, since the word is not known to be a class yet */
  if (word(frame, WORD_CLASS) != defined_in) return Qfalse;
  entry_flags = flags;
  own_entry = frame;
  return Qtrue;
}

static bool is_function(VALUE entry, ID name, uint32_t arguments)
{
  VALUE definition = word(entry, WORD_DEFINITION);
  return word(definition, FUNCTION_NAME) == (VALUE)name &&
         (uint32_t)word(definition, FUNCTION_ARGUMENTS) == arguments &&
         (word(definition, FUNCTION_TYPE) & FUNCTION_TYPE_MASK) == function_type;
}

/* Learns the layout of a Method object and of a C function's definition, from our own method. */
static bool learn_functions(VALUE object, ID name)
{
  VALUE method = rb_obj_method(object, ID2SYM(name)), definition = word(own_entry, WORD_DEFINITION);
  const VALUE *words = vm_data(method);
  if (!words || !definition || RB_SPECIAL_CONST_P(definition)) return false;
  for (entry_of_method = 0; entry_of_method < METHOD_WORDS; entry_of_method++)
    if (words[entry_of_method] == own_entry) break;
  function_type = word(definition, FUNCTION_TYPE) & FUNCTION_TYPE_MASK;
  bool right = entry_of_method < METHOD_WORDS && word(definition, FUNCTION_CALL) == (VALUE)probe &&
               is_function(own_entry, name, 0);
  RB_GC_GUARD(method);
  return right;
}

/* Calls a probe method of `object` that is defined in `class`, and checks its entry. */
static bool is_right(VALUE object, VALUE class)
{
  defined_in = class;
  rb_define_method(class, "rperf_top_probe", probe, 0);
  return rb_funcallv(object, rb_intern("rperf_top_probe"), 0, NULL) == Qtrue;
}

/* Features that use the VM's own functions; each is checked further when it is first used. */
static const enum rtop_vm_part by_function[] = { RTOP_VM_FUNCTIONS,  RTOP_VM_CALLS,     RTOP_VM_C_CALLS,
                                                 RTOP_VM_ATTRIBUTES, RTOP_VM_ALL_CALLS, RTOP_VM_ARGUMENTS,
                                                 RTOP_VM_ALIVE,      RTOP_VM_SITES };

/* Checks a method of a class and a method of a module. The entry of the module's method contains, as its class, the
 * object that represents the module in the including class. */
void method_entry_learn(void)
{
  VALUE class = rb_class_new(rb_cObject), including = rb_class_new(rb_cObject), module = rb_module_new();
  VALUE object = rb_obj_alloc(class);
  rb_include_module(including, module);
  known = functions_known = false;
  owners_known = true;
  entry_flags = 0;
  known = vm_unknown_unless(is_right(object, class) && is_right(rb_obj_alloc(including), module), RTOP_VM_METHODS);
  functions_known = known && learn_functions(object, rb_intern("rperf_top_probe"));
  for (size_t i = 0; i < sizeof by_function / sizeof by_function[0]; i++)
    vm_unknown_unless(functions_known, by_function[i]);
  RB_GC_GUARD(module);
}

VALUE method_entry_of(VALUE method)
{
  const VALUE *words = functions_known ? vm_data(method) : NULL;
  if (!words) return 0;
  VALUE entry = words[entry_of_method];
  return entry && !RB_SPECIAL_CONST_P(entry) && method_entry_is(entry) ? entry : 0;
}

static VALUE find_function(VALUE receiver, VALUE class, const char *name, uint32_t arguments)
{
  ID id = rb_intern(name);
  if (!functions_known || !rb_method_basic_definition_p(CLASS_OF(receiver), id)) return 0;
  VALUE method = rb_obj_method(receiver, ID2SYM(id)), entry = method_entry_of(method);
  bool right =
      entry && method_entry_class(entry) == class && method_entry_id(entry) == id && is_function(entry, id, arguments);
  VALUE call = right ? word(word(entry, WORD_DEFINITION), FUNCTION_CALL) : 0;
  RB_GC_GUARD(method);
  return call;
}

method_entry_call *method_entry_function(VALUE receiver, VALUE class, const char *name)
{
  return (method_entry_call *)find_function(receiver, class, name, 0);
}

method_entry_call_1 *method_entry_function_1(VALUE receiver, VALUE class, const char *name)
{
  return (method_entry_call_1 *)find_function(receiver, class, name, 1);
}

method_entry_call_2 *method_entry_function_2(VALUE receiver, VALUE class, const char *name)
{
  return (method_entry_call_2 *)find_function(receiver, class, name, 2);
}

VALUE method_entry_definition(VALUE entry)
{
  return word(entry, WORD_DEFINITION);
}

unsigned method_entry_kind(VALUE entry)
{
  return (unsigned)(word(word(entry, WORD_DEFINITION), FUNCTION_TYPE) & FUNCTION_TYPE_MASK);
}

bool method_entry_is_function(VALUE entry)
{
  return functions_known && method_entry_kind(entry) == function_type;
}

uint32_t method_entry_way(VALUE entry)
{
  return (uint32_t)word(word(entry, WORD_DEFINITION), FUNCTION_CALL);
}

VALUE method_entry_owner(VALUE entry)
{
  return known && owners_known ? word(entry, WORD_OWNER) : 0;
}

ID method_entry_first_name(VALUE entry)
{
  return (ID)word(word(entry, WORD_DEFINITION), FUNCTION_NAME);
}

bool method_entry_is(VALUE frame)
{
  return known && (word(frame, WORD_FLAGS) & VM_KIND_MASK) == entry_flags;
}

bool method_entry_is_code(VALUE frame)
{
  return known && !method_entry_is(frame);
}

VALUE method_entry_class(VALUE frame)
{
  VALUE class = word(frame, WORD_CLASS);
  if (!class || RB_SPECIAL_CONST_P(class)) return 0;
  if ((int)RB_BUILTIN_TYPE(class) == VM_ICLASS) class = vm_class(class);
  return class && (RB_BUILTIN_TYPE(class) == T_CLASS || RB_BUILTIN_TYPE(class) == T_MODULE) ? class : 0;
}

ID method_entry_id(VALUE frame)
{
  return (ID)word(frame, WORD_ID);
}
