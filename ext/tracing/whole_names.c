/* SPDX-License-Identifier: MIT */
/* Names each method once, and finds or makes the call tree node of each counted node. */
#include "whole_names.h"

#include "call_place.h"
#include "ext/names/boxes.h"
#include "ext/names/method_entry.h"
#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 4096 }; /* readers follow stacks only up to this depth; deeper calls are reported without a stack */
enum {
  NODES_PER_JOB = 512,
  METHODS_PER_JOB = 24,
  FEW = 4, /* divisor of both limits while calls are counted */
  LABEL_MAX = 512
};

struct label {
  const struct whole_method *method;
  char class[LABEL_MAX], label[LABEL_MAX];
};

static void copy_string(char *out, VALUE string)
{
  if (RB_TYPE_P(string, T_STRING))
    snprintf(out, LABEL_MAX, "%.*s", (int)(RSTRING_LEN(string) < LABEL_MAX ? RSTRING_LEN(string) : LABEL_MAX - 1),
             RSTRING_PTR(string));
}

/* Makes a label such as "Integer#times" or "Kernel.puts" for any method with a class and a name. It has the form in
 * which the VM names C functions. */
static VALUE make_label(VALUE pointer)
{
  struct label *label = (struct label *)pointer;
  const struct whole_method *method = label->method;
  VALUE class = method->id ? method->entry : method_entry_class(method->entry);
  ID id = method->id ? method->id : method_entry_id(method->entry);
  char name[LABEL_MAX / 2] = "", dot = '#';
  copy_string(label->class, Qnil);
  if (class && RB_TYPE_P(class, T_CLASS) && RB_FL_TEST_RAW(class, RUBY_FL_SINGLETON)) {
    VALUE of = rb_class_attached_object(class);
    bool module = RB_TYPE_P(of, T_CLASS) || RB_TYPE_P(of, T_MODULE);
    dot = module ? '.' : '#';
    class = module ? of : rb_obj_class(of);
  }
  VALUE path = class ? rb_mod_name(class) : Qnil, text = rb_id2str(id);
  char box[BOXES_PREFIX_MAX] = "";
  bool in_box = (method->id ? boxes_of_class(class, box) : boxes_of_method(method->entry, box)) > 0;
  if (RB_TYPE_P(path, T_STRING) && !in_box) copy_string(label->class, path);
  else if (RB_TYPE_P(path, T_STRING))
    snprintf(label->class, LABEL_MAX, "%s%.*s", box, (int)RSTRING_LEN(path), RSTRING_PTR(path));
  else if (class) snprintf(label->class, LABEL_MAX, "#<%s>", RB_TYPE_P(class, T_CLASS) ? "Class" : "Module");
  if (RB_TYPE_P(text, T_STRING))
    snprintf(name, sizeof name, "%.*s", (int)(RSTRING_LEN(text) < 255 ? RSTRING_LEN(text) : 255), RSTRING_PTR(text));
  snprintf(label->label, LABEL_MAX, "%.250s%c%s", label->class, dot, name);
  return Qnil;
}

/* Names a method by such a label. code: the method's code, where known; else 0. */
static bool name_by_label(struct sampler *sampler, struct whole_method *method, VALUE code)
{
  struct label label = { .method = method };
  VALUE error = rb_errinfo();
  int raised = 0;
  rb_protect(make_label, (VALUE)&label, &raised);
  if (raised) rb_set_errinfo(error);
  if (raised || !trylock_take(&sampler->lock)) return false;
  method->frame = code ? frames_method_of_code(&sampler->frames, code, label.label, label.class)
                       : frames_function(&sampler->frames, label.label, label.class);
  trylock_release(&sampler->lock);
  return true;
}

uint32_t whole_names_frame(struct sampler *sampler, VALUE owner, ID name, VALUE code)
{
  struct whole_method method = { .entry = owner, .id = name };
  return name_by_label(sampler, &method, code) ? method.frame : FRAMES_UNKNOWN;
}

/* Names the method as the sampler does, so that both refer to the same method. */
static bool name_by_entry(struct sampler *sampler, struct whole_method *method)
{
  if (!frames_add(&sampler->frames, method->entry) || !trylock_take(&sampler->lock)) return false;
  method->frame = frames_find(&sampler->frames, method->entry);
  trylock_release(&sampler->lock);
  if (method->frame == FRAMES_UNKNOWN) method->frame = FRAMES_OTHER;
  return true;
}

static bool name_method(struct sampler *sampler, struct whole_method *method)
{
  if (method->named) return true;
  bool ruby = !method->id && method_entry_is(method->entry);
  if (!ruby && !method->id) method->frame = FRAMES_OTHER;
  else if (ruby && call_place_is_ruby(method_entry_kind(method->entry))) {
    if (!name_by_entry(sampler, method)) return false;
  } else if (!name_by_label(sampler, method, 0)) return false;
  return method->named = true;
}

/* Finds or adds the call tree node of a counted node. Returns 0 when that is not possible now, WHOLE_NO_PLACE when
 * there is no room. */
static uint32_t find_place(struct sampler *sampler, uint32_t parent, uint32_t frame)
{
  struct calltree *tree = &sampler->tree;
  if (parent == WHOLE_NO_PLACE || calltree_count(tree) >= tree->capacity / 8 * 7 ||
      tree->entries[parent].depth >= DEPTH_MAX)
    return WHOLE_NO_PLACE;
  if (!trylock_take(&sampler->lock)) return 0;
  uint32_t node = calltree_child(tree, parent, frame, 0);
  trylock_release(&sampler->lock);
  return node == parent ? WHOLE_NO_PLACE : node;
}

bool whole_names_some(struct whole *whole, bool many)
{
  struct whole_tree *tree = &whole->counting->tree;
  uint32_t count = whole_tree_count(tree), at = atomic_load_explicit(&whole->named, memory_order_relaxed);
  uint32_t most = many ? NODES_PER_JOB : NODES_PER_JOB / FEW, last = count - at > most ? at + most : count;
  for (int methods = many ? METHODS_PER_JOB : METHODS_PER_JOB / FEW; at < last && methods > 0; at++) {
    struct whole_node *node = &tree->nodes[at];
    struct whole_method *method = &tree->methods[node->method];
    methods -= !method->named;
    uint32_t parent = node->parent ? atomic_load(&tree->nodes[node->parent].place) : RTOP_NODE_ROOT;
    uint32_t place = name_method(whole->sampler, method) ? find_place(whole->sampler, parent, method->frame) : 0;
    if (!place) break;
    atomic_store_explicit(&node->place, place, memory_order_relaxed);
  }
  bool more = at < count;
  atomic_store_explicit(&whole->named, at, memory_order_release);
  return more;
}
