/* SPDX-License-Identifier: MIT */
/* Finds a method by its name, "Class#method" or "Class.method", without running code of the program: nothing is
 * autoloaded, const_missing and respond_to_missing? are not called, and no new symbols are made.
 *
 * Threads: in the job. May raise.
 */
#ifndef RTOP_EXT_LOOKUP_H
#define RTOP_EXT_LOOKUP_H

#include <ruby.h>
#include <stdbool.h>
#include <stddef.h>

/* Checks this VM at the first call. False when methods cannot be looked up on it. */
bool lookup_learn(void);

/* The instance method `id` of a module that has one, as an UnboundMethod. */
VALUE lookup_instance_method(VALUE module, ID id);

/* The method of this name as a Method or UnboundMethod; Qnil when there is none. */
VALUE lookup_method(const char *name, size_t bytes);

#endif
