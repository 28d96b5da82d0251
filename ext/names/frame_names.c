/* SPDX-License-Identifier: MIT */
/* Reads the label, path and line of a frame from the VM. */
#include "frame_names.h"

#include "boxes.h"
#include "method_entry.h"
#include "own_objects.h"

#include "shm/base/format.h"
#include "shm/base/utf8.h"
#include <ruby/debug.h>
#include <string.h>

static void set_string(VALUE string, const char **bytes, size_t *count)
{
  *bytes = "";
  *count = 0;
  if (!RB_TYPE_P(string, T_STRING)) return;
  *bytes = RSTRING_PTR(string);
  *count = (size_t)RSTRING_LEN(string);
}

static void use_plain(struct frame_names *names)
{
  if (names->plain_bytes > FRAME_NAMES_LABEL_MAX) names->plain_bytes = FRAME_NAMES_LABEL_MAX;
  names->label = names->plain;
  names->label_bytes = names->plain_bytes;
}

bool frame_names_is_core(VALUE frame)
{
  static const char internal[] = "<internal:";
  VALUE path = rb_profile_frame_path(frame);
  if (!RB_TYPE_P(path, T_STRING)) return true;
  return (size_t)RSTRING_LEN(path) >= sizeof internal - 1 &&
         memcmp(RSTRING_PTR(path), internal, sizeof internal - 1) == 0;
}

/* Reads the names of Ruby code. Returns false for C functions. */
static bool read_plain(VALUE frame, struct frame_names *names)
{
  VALUE path = rb_profile_frame_path(frame);
  names->is_c = NIL_P(path);
  names->line = 0;
  names->namespace_label = names->path = names->plain = "";
  names->namespace_bytes = names->path_bytes = names->plain_bytes = 0;
  if (!names->is_c) {
    VALUE absolute = rb_profile_frame_absolute_path(frame);
    VALUE line = rb_profile_frame_first_lineno(frame);
    set_string(rb_profile_frame_label(frame), &names->plain, &names->plain_bytes);
    set_string(RB_TYPE_P(absolute, T_STRING) ? absolute : path, &names->path, &names->path_bytes);
    names->path_bytes = rtop_utf8_cut(names->path, names->path_bytes, RTOP_STRING_BYTES_MAX);
    if (FIXNUM_P(line) && FIX2LONG(line) > 0) names->line = (uint32_t)FIX2LONG(line);
  }
  use_plain(names);
  return !names->is_c;
}

static void read_function(VALUE frame, struct frame_names *names)
{
  set_string(rb_profile_frame_method_name(frame), &names->plain, &names->plain_bytes);
  use_plain(names);
}

static size_t append(char *to, size_t used, const char *bytes, size_t count)
{
  size_t room = FRAME_NAMES_LABEL_MAX - used;
  memcpy(to + used, bytes, count < room ? count : room);
  return used + (count < room ? count : room);
}

/* Makes the label from its parts, as in "block in " + "Price" + "#" + "total". */
static bool add_class(struct frame_names *names, VALUE frame)
{
  const char *base = names->plain, *class;
  size_t base_bytes = names->plain_bytes, class_bytes;
  VALUE defined = method_entry_class(frame);
  if (!defined || RTEST(rb_profile_frame_singleton_method_p(frame))) return false;
  set_string(rb_mod_name(defined), &class, &class_bytes);
  if (!class_bytes || memchr(class, '<', class_bytes)) return false;
  if (!names->is_c) set_string(rb_profile_frame_base_label(frame), &base, &base_bytes);
  size_t prefix = names->plain_bytes >= base_bytes ? names->plain_bytes - base_bytes : 0;
  size_t used = append(names->label_buffer, 0, names->plain, prefix);
  used = append(names->label_buffer, used, class, class_bytes);
  used = append(names->label_buffer, used, "#", 1);
  names->label_bytes = append(names->label_buffer, used, base, base_bytes);
  names->label = names->label_buffer;
  names->namespace_bytes = append(names->namespace_buffer, 0, class, class_bytes);
  names->namespace_label = names->namespace_buffer;
  return names->label_bytes < FRAME_NAMES_LABEL_MAX;
}

bool frame_names_peek(VALUE frame, struct frame_names *names)
{
  if (method_entry_is_code(frame)) return read_plain(frame, names);
  if (!method_entry_is(frame) || boxes_may_have(frame)) return false;
  if (!read_plain(frame, names)) read_function(frame, names);
  return names->plain_bytes && add_class(names, frame);
}

void frame_names_labelled(VALUE frame, const char *label, const char *namespace_label, struct frame_names *names)
{
  read_plain(frame, names);
  names->label = label;
  names->label_bytes = strlen(label);
  names->namespace_label = namespace_label;
  names->namespace_bytes = strlen(namespace_label);
}

static bool is_hex(char c)
{
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* Copies a label, leaving out addresses such as ":0x0000ffff…" in "#<Class:0x0000ffff…>". */
static size_t copy_without_addresses(char *to, const char *from, size_t count)
{
  size_t used = 0;
  for (size_t i = 0; i < count && used < FRAME_NAMES_LABEL_MAX;) {
    if (count - i > 3 && memcmp(from + i, ":0x", 3) == 0) {
      size_t end = i + 3;
      while (end < count && is_hex(from[end])) end++;
      if (end - i > 8) {
        i = end;
        continue;
      }
    }
    to[used++] = from[i++];
  }
  if (used < FRAME_NAMES_LABEL_MAX) return used;
  while (used && ((unsigned char)to[used - 1] & 0xC0) == 0x80) used--; /* the cut must not be inside a character */
  if (used && (unsigned char)to[used - 1] >= 0xC0) used--;
  return used;
}

/* Returns the name of the class of an unnamed module, if that class is a special one such as Refinement; else nil. */
static VALUE class_of_module(VALUE frame)
{
  VALUE module = method_entry_is(frame) ? method_entry_class(frame) : 0;
  if (!module || !RB_TYPE_P(module, T_MODULE) || rb_obj_class(module) == rb_cModule) return Qnil;
  return NIL_P(rb_mod_name(module)) ? rb_mod_name(rb_obj_class(module)) : Qnil;
}

/* Corrects the label of a method of such a module: Ruby 4.0 writes the module's singleton class, which is replaced by
 * the module's class: "#<Refinement>#run". */
static size_t name_class_of_module(char *text, size_t bytes, VALUE class)
{
  static const char singleton[] = "#<#<Class>>";
  const char *name;
  size_t count, wrong = sizeof singleton - 1;
  set_string(class, &name, &count);
  char *at = count ? memmem(text, bytes, singleton, wrong) : NULL;
  size_t right = count + 3;
  if (!at || bytes - wrong + right > FRAME_NAMES_LABEL_MAX) return bytes;
  memmove(at + right, at + wrong, bytes - wrong - (size_t)(at - text));
  memcpy(at, "#<", 2);
  memcpy(at + 2, name, count);
  at[right - 1] = '>';
  return bytes - wrong + right;
}

static size_t insert(char *text, size_t bytes, const char *at, const char *more, size_t count)
{
  size_t before = (size_t)(at - text);
  if (bytes + count > FRAME_NAMES_LABEL_MAX) return bytes;
  memmove(text + before + count, text + before, bytes - before);
  memcpy(text + before, more, count);
  return bytes + count;
}

/* Inserts the box prefix before the class: "block in #<Ruby::Box:3>::Price#total". */
static void name_box(VALUE frame, struct frame_names *names)
{
  char box[BOXES_PREFIX_MAX];
  size_t count = boxes_of_method(frame, box);
  const char *class = names->namespace_buffer;
  bool ours = count && names->namespace_bytes && names->label == names->label_buffer;
  const char *at = ours ? memmem(names->label_buffer, names->label_bytes, class, names->namespace_bytes) : NULL;
  if (!at) return;
  names->label_bytes = insert(names->label_buffer, names->label_bytes, at, box, count);
  names->namespace_bytes = insert(names->namespace_buffer, names->namespace_bytes, class, box, count);
}

static VALUE call_full(VALUE pointer)
{
  VALUE *results = (VALUE *)pointer;
  results[1] = rb_profile_frame_full_label(results[0]);
  results[2] = rb_profile_frame_classpath(results[0]);
  results[3] = class_of_module(results[0]);
  return Qnil;
}

bool frame_names_read(VALUE frame, struct frame_names *names)
{
  VALUE results[4] = { frame, Qnil, Qnil, Qnil };
  int raised = 0;
  if (!own_objects_allowed()) return false;
  VALUE error = rb_errinfo();
  size_t begun = own_objects_begin();
  rb_protect(call_full, (VALUE)results, &raised);
  own_objects_end(begun);
  if (raised) {
    rb_set_errinfo(error);
    return false;
  }
  const char *from;
  size_t count;
  if (!read_plain(frame, names)) read_function(frame, names);
  set_string(results[1], &from, &count);
  if (count) {
    names->label_bytes = copy_without_addresses(names->label_buffer, from, count);
    names->label_bytes = name_class_of_module(names->label_buffer, names->label_bytes, results[3]);
    names->label = names->label_buffer;
  }
  set_string(results[2], &from, &count);
  names->namespace_bytes = copy_without_addresses(names->namespace_buffer, from, count);
  names->namespace_bytes = name_class_of_module(names->namespace_buffer, names->namespace_bytes, results[3]);
  names->namespace_label = names->namespace_buffer;
  name_box(frame, names);
  RB_GC_GUARD(results[1]);
  RB_GC_GUARD(results[2]);
  RB_GC_GUARD(results[3]);
  return true;
}

static VALUE call_class_path(VALUE class)
{
  return rb_class_path(class);
}

size_t frame_names_class(VALUE class, char *out)
{
  int raised = 0;
  if (!own_objects_allowed()) return 0;
  size_t begun = own_objects_begin();
  VALUE error = rb_errinfo(), path = rb_protect(call_class_path, class, &raised);
  own_objects_end(begun);
  if (raised) rb_set_errinfo(error);
  if (raised || !RB_TYPE_P(path, T_STRING)) return 0;
  size_t bytes = copy_without_addresses(out, RSTRING_PTR(path), (size_t)RSTRING_LEN(path));
  char box[BOXES_PREFIX_MAX];
  bytes = insert(out, bytes, out, box, boxes_of_class(class, box));
  RB_GC_GUARD(path);
  return bytes;
}
