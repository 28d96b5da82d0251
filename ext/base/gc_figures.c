/* SPDX-License-Identifier: MIT */
/* Finds the keys for rb_gc_stat(). */
#include "gc_figures.h"

#include "vm_unknown.h"

static VALUE ask(VALUE key)
{
  rb_gc_stat(key);
  return Qtrue;
}

static bool is_key(VALUE key)
{
  VALUE error = rb_errinfo();
  int raised = 0;
  rb_protect(ask, key, &raised);
  if (raised) rb_set_errinfo(error);
  return !raised;
}

void gc_figures_learn(VALUE keys[GC_FIGURES])
{
  static const char *const names[GC_FIGURES] = { "total_allocated_objects", "minor_gc_count", "major_gc_count",
                                                 "heap_live_slots", "malloc_increase_bytes" };
  bool all = true;
  for (int i = 0; i < GC_FIGURES; i++) {
    VALUE key = ID2SYM(rb_intern(names[i])); /* symbols interned by C code are never collected */
    keys[i] = is_key(key) ? key : 0;
    all = all && keys[i];
  }
  VALUE count = ID2SYM(rb_intern("count"));
  if (!keys[GC_MAJOR] && is_key(count)) keys[GC_MAJOR] = count;
  vm_unknown_unless(all, RTOP_VM_GC_FIGURES);
}
