/* SPDX-License-Identifier: MIT */
/* Access to the inside of VM objects, as far as Ruby's public headers allow it.
 *
 * A later Ruby may rename or remove these fields. extconf.rb checks for each name, and no other file uses these names.
 * Where a header lacks a name, the functions here return the result for an object of another kind; the checks at load
 * then report the feature that needs the name as unavailable.
 *
 * Threads: with the GVL. [hook]
 */
#ifndef RTOP_EXT_VM_OBJECT_H
#define RTOP_EXT_VM_OBJECT_H

#include <ruby.h>
#include <stdbool.h>
#include <stddef.h>

/* Types of the VM's own objects; negative numbers, which no object has, where the header lacks the name. */
enum {
#ifdef HAVE_CONST_T_IMEMO
  VM_IMEMO = T_IMEMO,
#else
  VM_IMEMO = -1,
#endif
#ifdef HAVE_CONST_T_ICLASS
  VM_ICLASS = T_ICLASS,
#else
  VM_ICLASS = -2,
#endif
};

/* Mask for the bits of an object's first word that hold its type and, for the VM's own objects, their kind. 0 when
 * unknown. */
#if defined HAVE_CONST_RUBY_T_MASK && defined HAVE_CONST_RUBY_FL_USHIFT
#define VM_KIND_MASK ((VALUE)0xF << RUBY_FL_USHIFT | RUBY_T_MASK)
#else
#define VM_KIND_MASK ((VALUE)0)
#endif

/* Minimum size of an object with typed data, in words. */
#ifdef HAVE_TYPE_STRUCT_RTYPEDDATA
enum { VM_OBJECT_WORDS = sizeof(struct RTypedData) / sizeof(VALUE) };
#else
enum { VM_OBJECT_WORDS = 5 };
#endif

/* Returns the data type of a typed data object; NULL for any other object. */
static inline const rb_data_type_t *vm_data_type(VALUE object)
{
#if defined HAVE_RTYPEDDATA_P && defined HAVE_RTYPEDDATA_TYPE
  if (!RB_SPECIAL_CONST_P(object) && RB_BUILTIN_TYPE(object) == T_DATA && RTYPEDDATA_P(object))
    return RTYPEDDATA_TYPE(object);
#endif
  (void)object;
  return NULL;
}

static inline const void *vm_data(VALUE object)
{
#ifdef HAVE_RTYPEDDATA_GET_DATA
  if (vm_data_type(object)) return RTYPEDDATA_GET_DATA(object);
#endif
  return NULL;
}

/* Returns the data pointer of an object that is known to be a typed data object. */
static inline const void *vm_data_of(VALUE object)
{
#ifdef HAVE_RTYPEDDATA_GET_DATA
  return RTYPEDDATA_GET_DATA(object);
#else
  (void)object;
  return NULL;
#endif
}

/* Returns the class of any object, also of one of the VM's own; 0 when the VM's headers give no access to it. */
static inline VALUE vm_class(VALUE object)
{
#ifdef HAVE_RBASIC_CLASS
  return RBASIC_CLASS(object);
#else
  (void)object;
  return 0;
#endif
}

#endif
