/* SPDX-License-Identifier: MIT */
/* Figures of the garbage collector from rb_gc_stat(), whose keys differ between Rubies and collectors.
 *
 * A figure whose key this Ruby does not have is 0.
 *
 * Threads: gc_figures_learn() is called with the GVL, outside hooks; the other functions with the GVL, also in hooks.
 */
#ifndef RTOP_EXT_GC_FIGURES_H
#define RTOP_EXT_GC_FIGURES_H

#include <ruby.h>

enum gc_figure {
  GC_OBJECTS, /* number of objects made since the process began */
  GC_MINOR,
  GC_MAJOR, /* collections of every kind, if the collector does not distinguish minor and major ones */
  GC_LIVE_SLOTS,
  GC_MALLOC_BYTES,
  GC_FIGURES,
};

/* Finds the key of each figure, by trying each key once. */
void gc_figures_learn(VALUE keys[GC_FIGURES]);

static inline size_t gc_figure(VALUE key)
{
  return key ? rb_gc_stat(key) : 0;
}

#endif
