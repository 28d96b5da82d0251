/* SPDX-License-Identifier: MIT */
/* Finds the call tree node of a class, below the node of its method and line. */
#include "sites_names.h"

#include "ext/base/vm_object.h"
#include "ext/base/vm_unknown.h"
#include "ext/names/boxes.h"
#include "ext/names/frames.h"
#include <dlfcn.h>
#include <string.h>

enum { CLASS_NAME_MAX = 255 };

/* These functions are exported by the VM, but declared in no public header. */
static size_t (*memsize_of)(VALUE), (*slot_size)(VALUE);

void sites_names_learn(void)
{
  *(void **)&memsize_of = dlsym(RTLD_DEFAULT, "rb_obj_memsize_of");
  *(void **)&slot_size = dlsym(RTLD_DEFAULT, "rb_gc_obj_slot_size");
  vm_unknown_unless(memsize_of && slot_size, RTOP_VM_OBJECT_BYTES);
}

/* Tells whether the object is one of the VM's own, or no object any more. */
static bool is_internal(VALUE object)
{
  int type = (int)RB_BUILTIN_TYPE(object);
  if (type == VM_IMEMO || type == VM_ICLASS) return true;
  switch (type) {
  case T_NONE:
  case T_NODE:
  case T_MOVED:
  case T_ZOMBIE: return true;
  default: return vm_class(object) == 0;
  }
}

size_t sites_names_bytes(VALUE object)
{
  int type = (int)RB_BUILTIN_TYPE(object);
  if (type == T_NONE || type == T_MOVED || type == T_ZOMBIE) return 0;
  bool plain = type != T_DATA && type != VM_IMEMO && type != T_NODE;
  if (plain && memsize_of) return memsize_of(object);
  return slot_size ? slot_size(object) : 0;
}

/* Finds or makes the frame of the sample's class. Returns FRAMES_UNKNOWN when that is not possible now. */
static uint32_t class_frame(struct sampler *sampler, const struct sites_pending *sample)
{
  const char *text = "(internal)";
  size_t bytes = strlen(text);
  VALUE class = sample->may_follow ? rb_obj_class(sample->object) : 0, name = class ? rb_mod_name(class) : 0;
  char in_box[BOXES_PREFIX_MAX + CLASS_NAME_MAX];
  if (name && RB_TYPE_P(name, T_STRING)) {
    size_t box = boxes_of_class(class, in_box);
    text = RSTRING_PTR(name);
    bytes = RSTRING_LEN(name) < CLASS_NAME_MAX ? (size_t)RSTRING_LEN(name) : CLASS_NAME_MAX;
    if (box) {
      memcpy(in_box + box, text, bytes);
      text = in_box;
      bytes += box;
    }
  } else if (name) {
    text = "#<Class>";
    bytes = strlen(text);
  }
  if (!trylock_take(&sampler->lock)) return FRAMES_UNKNOWN;
  uint32_t frame = frames_class(&sampler->frames, text, bytes);
  trylock_release(&sampler->lock);
  RB_GC_GUARD(name);
  return frame;
}

/* Finds or makes the node of the sample's method, a child of the root. Returns 0 when that is not possible now. */
static uint32_t method_node(struct sampler *sampler, const struct sites_pending *sample)
{
  struct calltree *tree = &sampler->tree;
  if (!sample->frame) return RTOP_NODE_NO_FRAMES;
  if (!trylock_take(&sampler->lock)) return 0;
  uint32_t frame = frames_find(&sampler->frames, sample->frame);
  trylock_release(&sampler->lock);
  if (frame == FRAMES_UNKNOWN && !frames_add(&sampler->frames, sample->frame)) return 0;
  if (!trylock_take(&sampler->lock)) return 0;
  frame = frames_find(&sampler->frames, sample->frame);
  uint32_t node = calltree_child(tree, RTOP_NODE_ROOT, frame == FRAMES_UNKNOWN ? FRAMES_OTHER : frame, sample->line);
  trylock_release(&sampler->lock);
  return node == RTOP_NODE_ROOT ? SITES_NONE : node;
}

static uint32_t site_node(struct sampler *sampler, const struct sites_pending *sample)
{
  struct calltree *tree = &sampler->tree;
  if (calltree_count(tree) >= tree->capacity / 8 * 7) return SITES_NONE;
  uint32_t class = class_frame(sampler, sample), method = method_node(sampler, sample);
  if (class == FRAMES_UNKNOWN || method == 0) return 0;
  if (class == FRAMES_OTHER || method == SITES_NONE) return SITES_NONE;
  if (!trylock_take(&sampler->lock)) return 0;
  uint32_t node = calltree_child(tree, method, class, 0);
  trylock_release(&sampler->lock);
  return node == method ? SITES_NONE : node;
}

bool sites_names_all(struct sites *sites)
{
  bool all = true;
  for (uint32_t i = 0; i < sites->count; i++) {
    struct sites_pending *sample = &sites->pending[i];
    if (sample->node) continue;
    size_t bytes = sites_names_bytes(sample->object);
    sample->bytes = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
    sample->may_follow = !is_internal(sample->object);
    sample->node = site_node(sites->sampler, sample);
    all = all && sample->node;
  }
  return all;
}
