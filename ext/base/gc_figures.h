/* SPDX-License-Identifier: MIT */
/* What the VM's GC tells of itself: rb_gc_stat(), whose keys differ from Ruby to Ruby and from collector to collector.
 *
 * A key that is not known is 0, and so is its figure.
 *
 * Threads: gc_figures_learn() under the GVL, not in a hook; the others with the GVL. [hook]
 */
#ifndef RTOP_EXT_GC_FIGURES_H
#define RTOP_EXT_GC_FIGURES_H

#include <ruby.h>

enum gc_figure {
  GC_OBJECTS, /* made, ever */
  GC_MINOR,
  GC_MAJOR, /* all collections, where the collector knows no kinds */
  GC_LIVE_SLOTS,
  GC_MALLOC_BYTES,
  GC_FIGURES,
};

/* Asks for each once. */
void gc_figures_learn(VALUE keys[GC_FIGURES]);

static inline size_t gc_figure(VALUE key)
{
  return key ? rb_gc_stat(key) : 0;
}

#endif
