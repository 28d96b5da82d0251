/* SPDX-License-Identifier: MIT */
/* Finds the words in a class and in a method's definition that point to their box. */
#include "boxes.h"

#include "ext/base/readable.h"
#include "ext/base/vm_unknown.h"
#include "method_entry.h"
#include <ruby/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Possible positions of these words. In a class or module, the box is some words after the flags and the class of the
 * object, next to the superclass. In a definition, the box follows the name. A box begins with its object and its
 * number. */
enum {
  CLASS_FIRST = 2,
  CLASS_LAST = 4,
  DEFINITION_FIRST = 5,
  DEFINITION_LAST = 7,
  BOX_OBJECT = 0,
  BOX_NUMBER = 1,
  BOX_WORDS
};

static bool known, own_has_prefix;
static int of_class, of_definition;
static long main_number;
/* the box where this library was loaded, and Ruby's own box; both are addresses, not objects */
static VALUE own_box, ruby_box;

static VALUE word(VALUE object, int which)
{
  return ((const VALUE *)object)[which];
}

/* Returns the number in the text "#<Ruby::Box:3,user,optional>"; -1 for any other text. */
static long number_of(VALUE box)
{
  static const char begin[] = "#<Ruby::Box:";
  VALUE text = rb_funcall(box, rb_intern("inspect"), 0);
  if (!RB_TYPE_P(text, T_STRING)) return -1;
  const char *bytes = StringValueCStr(text);
  long number = strncmp(bytes, begin, sizeof begin - 1) == 0 ? strtol(bytes + sizeof begin - 1, NULL, 10) : -1;
  RB_GC_GUARD(text);
  return number > 0 ? number : -1;
}

static VALUE probe(VALUE self)
{
  return self;
}

/* Finds the position of the box in a class and in a method definition. The box is the word that is equal in a class, a
 * module and a method definition of our own, next to words of known meaning. */
static bool learn_words(void)
{
  VALUE class = rb_class_new(rb_cObject);
  ID name = rb_intern("rperf_top_probe");
  rb_define_method(class, "rperf_top_probe", probe, 0);
  VALUE method = rb_obj_method(rb_obj_alloc(class), ID2SYM(name)), entry = method_entry_of(method);
  if (!entry || method_entry_first_name(entry) != name) return false;
  VALUE definition = method_entry_definition(entry);
  for (of_class = CLASS_FIRST; of_class <= CLASS_LAST; of_class++)
    if (word(class, of_class + 1) == rb_cObject) break;
  own_box = of_class <= CLASS_LAST ? word(class, of_class) : 0;
  if (!own_box || own_box % sizeof(VALUE) || word(rb_module_new(), of_class) != own_box) return false;
  ruby_box = word(rb_cObject, of_class);
  for (of_definition = DEFINITION_FIRST; of_definition <= DEFINITION_LAST; of_definition++)
    if (word(definition, of_definition) == own_box) break;
  RB_GC_GUARD(method);
  RB_GC_GUARD(class);
  return of_definition <= DEFINITION_LAST;
}

/* Reads a box. Methods may outlive their box and still contain its address, so the address is tested first. */
static bool read_box(VALUE box, VALUE words[BOX_WORDS])
{
  const VALUE *place = (const VALUE *)box;
  if (!box || !readable_word(place) || !readable_word(place + BOX_WORDS - 1)) return false;
  memcpy(words, place, BOX_WORDS * sizeof *words);
  return true;
}

static bool learn_boxes(VALUE boxes)
{
  VALUE words[BOX_WORDS], here = rb_funcall(boxes, rb_intern("current"), 0);
  main_number = number_of(rb_funcall(boxes, rb_intern("main"), 0));
  if (main_number < 0 || !learn_words() || !read_box(own_box, words)) return false;
  own_has_prefix = (long)words[BOX_NUMBER] > main_number;
  return words[BOX_OBJECT] == here && (long)words[BOX_NUMBER] == number_of(here);
}

void boxes_learn(void)
{
  ID ruby = rb_intern("Ruby"), box = rb_intern("Box");
  known = false;
  /* An older Ruby has no boxes; a module of this name would belong to the program. */
  if (RUBY_API_VERSION_MAJOR < 4) return;
  if (!rb_const_defined(rb_cObject, ruby)) return;
  VALUE module = rb_const_get(rb_cObject, ruby);
  if (!RB_TYPE_P(module, T_MODULE) || !rb_const_defined_at(module, box)) return;
  VALUE boxes = rb_const_get_at(module, box);
  if (!RTEST(rb_funcall(boxes, rb_intern("enabled?"), 0))) return;
  vm_unknown_unless(false, RTOP_VM_BOXES); /* recorded first, since the code that follows may raise */
  known = vm_unknown_unless(learn_boxes(boxes), RTOP_VM_BOXES);
}

/* Writes the box prefix, unless the box is the main box or Ruby's own box, which have the lowest numbers. */
static size_t write_prefix(VALUE box, char *out)
{
  VALUE words[BOX_WORDS];
  if (!read_box(box, words) || (long)words[BOX_NUMBER] <= main_number || (long)words[BOX_NUMBER] > INT32_MAX) return 0;
  return (size_t)snprintf(out, BOXES_PREFIX_MAX, "#<Ruby::Box:%ld>::", (long)words[BOX_NUMBER]);
}

static VALUE box_of(VALUE frame)
{
  return known && method_entry_is(frame) ? word(method_entry_definition(frame), of_definition) : 0;
}

bool boxes_may_have(VALUE frame)
{
  VALUE box = box_of(frame);
  return box && box != ruby_box && (box != own_box || own_has_prefix);
}

size_t boxes_of_method(VALUE frame, char *out)
{
  VALUE box = box_of(frame);
  return box ? write_prefix(box, out) : 0;
}

size_t boxes_of_class(VALUE class, char *out)
{
  bool has_word = RB_TYPE_P(class, T_CLASS) || RB_TYPE_P(class, T_MODULE);
  return known && has_word ? write_prefix(word(class, of_class), out) : 0;
}
