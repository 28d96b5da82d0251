/* SPDX-License-Identifier: MIT */
/* Arguments of a call of a method in Ruby as text: "id: 7, filter: Hash(3)" (ext/names/value_text.h).
 *
 * Names of parameters are known when the method is found. Values are read at the end of the call, from a binding of its
 * frame, so they are what the method has made of them by then. Those without a name (*, **, & and what is taken apart)
 * have no value either, nor has a block.
 *
 * The VM's own functions behind Method#parameters and Binding#local_variable_get are called, without a dispatch, and a
 * method of our own must be told rightly before anything is (tests/ext/test_layout.rb).
 *
 * Threads: call_args_learn() and call_args_of() in the job, call_args_text() in the hook of a return. They make objects, so
 * no lock of ours may be held. None raises anything.
 */
#ifndef RTOP_EXT_CALL_ARGS_H
#define RTOP_EXT_CALL_ARGS_H

#include <ruby.h>
#include <ruby/debug.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CALL_ARGS_MAX = 24 };

struct call_parameter {
  const char *mark; /* "", "*", "**" or "&" */
  ID name;          /* 0: none */
  bool valued;
};

struct call_parameters {
  uint32_t count;
  bool more, valued; /* some found no room; some have values */
  struct call_parameter all[CALL_ARGS_MAX];
};

/* False: this VM is not known. Looks once. */
bool call_args_learn(void);

/* Of a Method or UnboundMethod in Ruby; none: they are not known. */
void call_args_of(VALUE method, struct call_parameters *parameters);

/* Those of the call that returns, or is jumped through. Returns the bytes; 0: they cannot be known. */
size_t call_args_text(rb_trace_arg_t *event, const struct call_parameters *parameters, char *out, size_t bytes);

#endif
