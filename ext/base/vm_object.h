/* SPDX-License-Identifier: MIT */
/* What Ruby's headers say of the insides of objects, as far as they do.
 *
 * A later Ruby may name it otherwise, or not at all. So extconf.rb looks for each name, and this is the only file that uses
 * them: what a header does not have is answered as if the object were of another kind, and what rests on it is found
 * missing by the checks at load.
 *
 * Threads: under the GVL. [hook]
 */
#ifndef RTOP_EXT_VM_OBJECT_H
#define RTOP_EXT_VM_OBJECT_H

#include <ruby.h>
#include <stdbool.h>
#include <stddef.h>

/* Kinds of the VM's own objects; a kind that no object has where the header does not name it. */
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

/* The bits of an object's first word that say its type, and of one of the VM's own which kind it is. 0: not known. */
#if defined HAVE_CONST_RUBY_T_MASK && defined HAVE_CONST_RUBY_FL_USHIFT
#define VM_KIND_MASK ((VALUE)0xF << RUBY_FL_USHIFT | RUBY_T_MASK)
#else
#define VM_KIND_MASK ((VALUE)0)
#endif

/* As many words as an object with data has at least. */
#ifdef HAVE_TYPE_STRUCT_RTYPEDDATA
enum { VM_OBJECT_WORDS = sizeof(struct RTypedData) / sizeof(VALUE) };
#else
enum { VM_OBJECT_WORDS = 5 };
#endif

/* What an object points to that has data of a type, and that type; NULL: it is another kind of object. */
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

/* The same of an object that is known to have data. */
static inline const void *vm_data_of(VALUE object)
{
#ifdef HAVE_RTYPEDDATA_GET_DATA
  return RTYPEDDATA_GET_DATA(object);
#else
  (void)object;
  return NULL;
#endif
}

/* The class in an object's head, be it one of the VM's own; 0: not known. */
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
