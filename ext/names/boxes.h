/* SPDX-License-Identifier: MIT */
/* The box (Ruby::Box, from Ruby 4.0 on) of a method or class. Classes in two boxes may have the same name and still be
 * different: "#<Ruby::Box:3>::Price#total". The main box and Ruby's own get no prefix.
 *
 * Boxes are not part of the VM's interface, so at load their layout is checked on a class and a method of our own. None
 * of this happens unless RUBY_BOX=1 enables boxes.
 *
 * Threads: boxes_learn() with the GVL, not in a hook; may raise. The other functions with the GVL.
 */
#ifndef RTOP_EXT_BOXES_H
#define RTOP_EXT_BOXES_H

#include <ruby.h>
#include <stdbool.h>

enum { BOXES_PREFIX_MAX = 48 };

/* Learns the layout of boxes. Call after method_entry_learn(). */
void boxes_learn(void);

/* Tells, by comparisons alone, whether the name of this frame VALUE may need a box prefix. [hook] */
bool boxes_may_have(VALUE frame);

/* Write the prefix "#<Ruby::Box:3>::" for a method's frame, or for a class or module, and return its length; 0 when
 * no prefix is needed or the box is unknown. */
size_t boxes_of_method(VALUE frame, char *out);
size_t boxes_of_class(VALUE class, char *out);

#endif
