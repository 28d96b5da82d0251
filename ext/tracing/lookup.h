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

/* Checks at its first call whether methods can be looked up on this VM. Returns false when they cannot. */
bool lookup_learn(void);

/* Returns the instance method `id` of a module as an UnboundMethod; the module must have this method. */
VALUE lookup_instance_method(VALUE module, ID id);

/* Returns the method of this name as a Method or UnboundMethod; Qnil when there is none. */
VALUE lookup_method(const char *name, size_t bytes);

#endif
