/* SPDX-License-Identifier: MIT */
/* From "Class#method" and "Class.method" to the method, without any code of the program: nothing is autoloaded, no
 * const_missing and no respond_to_missing? is asked, and no name becomes a symbol that was none.
 *
 * Threads: in the job. May raise.
 */
#ifndef RTOP_EXT_LOOKUP_H
#define RTOP_EXT_LOOKUP_H

#include <ruby.h>
#include <stdbool.h>
#include <stddef.h>

/* False: this VM is not known. Looks once. */
bool lookup_learn(void);

/* An UnboundMethod of a module that has such a method. */
VALUE lookup_instance_method(VALUE module, ID id);

/* A Method or UnboundMethod; Qnil: there is none of that name. */
VALUE lookup_method(const char *name, size_t bytes);

#endif
