/* SPDX-License-Identifier: MIT */
/* Which box (Ruby::Box, from Ruby 4.0 on) a method or a class is of. Classes of two boxes may have the same name, and are
 * different ones: "#<Ruby::Box:3>::Price#total". What belongs to the main box, or to Ruby itself, is named as ever.
 *
 * That is not part of the VM's interface: at load a class and a method of our own are looked at first. Nothing of this
 * costs anything unless RUBY_BOX=1 asked for boxes.
 *
 * Threads: boxes_learn() under the GVL, not in a hook, may raise. The others under the GVL.
 */
#ifndef RTOP_EXT_BOXES_H
#define RTOP_EXT_BOXES_H

#include <ruby.h>
#include <stdbool.h>

enum { BOXES_PREFIX_MAX = 48 };

/* After method_entry_learn(). */
void boxes_learn(void);

/* Of a frame VALUE: false when its name needs nothing of that, which is found by comparing alone. [hook] */
bool boxes_may_have(VALUE frame);

/* Writes "#<Ruby::Box:3>::" and returns its length, 0 when the name needs none, or the box is not known. A class, or a module. */
size_t boxes_of_method(VALUE frame, char *out);
size_t boxes_of_class(VALUE class, char *out);

#endif
