/* SPDX-License-Identifier: MIT */
/* Finds a class through its constants, and gets the method from the VM's own function. */
#include "lookup.h"

#include "ext/names/method_entry.h"
#include <ruby/encoding.h>
#include <string.h>

static bool looked;
static method_entry_call_1 *instance_method;

bool lookup_learn(void)
{
  if (!looked) instance_method = method_entry_function_1(rb_cObject, rb_cModule, "instance_method");
  looked = true;
  return instance_method != NULL;
}

/* Tells whether the text is valid UTF-8. Making a name from invalid text would raise, and hooks of the application
 * would notice the exception. */
static bool lookup_is_text(const char *name, size_t bytes)
{
  const char *end = name + bytes;
  while (name < end) {
    int length = rb_enc_precise_mbclen(name, end, rb_utf8_encoding());
    if (!MBCLEN_CHARFOUND_P(length)) return false;
    name += MBCLEN_CHARFOUND_LEN(length);
  }
  return true;
}

static ID lookup_id(const char *name, size_t bytes)
{
  return bytes && lookup_is_text(name, bytes) ? rb_check_id_cstr(name, (long)bytes, rb_utf8_encoding()) : 0;
}

static VALUE lookup_constant(VALUE module, const char *name, size_t bytes)
{
  ID id = lookup_id(name, bytes);
  if (!id || !rb_is_const_id(id) || !NIL_P(rb_autoload_p(module, id)) || !rb_const_defined_at(module, id)) return Qnil;
  VALUE value = rb_const_get_at(module, id);
  return RB_TYPE_P(value, T_CLASS) || RB_TYPE_P(value, T_MODULE) ? value : Qnil;
}

static VALUE lookup_module(const char *path, size_t bytes)
{
  VALUE module = rb_cObject;
  for (const char *end = path + bytes; !NIL_P(module);) {
    const char *colons = memmem(path, (size_t)(end - path), "::", 2);
    module = lookup_constant(module, path, (size_t)((colons ? colons : end) - path));
    if (!colons) break;
    path = colons + 2;
  }
  return module;
}

VALUE lookup_instance_method(VALUE module, ID id)
{
  return instance_method(module, ID2SYM(id));
}

VALUE lookup_method(const char *name, size_t bytes)
{
  size_t class_bytes = 0;
  while (class_bytes < bytes && name[class_bytes] != '#' && name[class_bytes] != '.') class_bytes++;
  if (class_bytes == 0 || class_bytes + 1 >= bytes) return Qnil;
  bool instance = name[class_bytes] == '#';
  VALUE module = lookup_module(name, class_bytes);
  ID id = lookup_id(name + class_bytes + 1, bytes - class_bytes - 1);
  if (NIL_P(module) || !id || !rb_method_boundp(instance ? module : CLASS_OF(module), id, 0)) return Qnil;
  return instance ? lookup_instance_method(module, id) : rb_obj_method(module, ID2SYM(id));
}
