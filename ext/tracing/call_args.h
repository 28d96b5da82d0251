/* SPDX-License-Identifier: MIT */
/* Writes the arguments of a call to a Ruby method as text: "id: 7, filter: Hash(3)" (ext/names/value_text.h).
 *
 * Parameter names are read when the method is found. Values are read at the end of the call, from a binding of its
 * frame, so they are the values that the variables have at the end. Parameters without a name (*, **, & and
 * destructured ones) and blocks have no value.
 *
 * The VM's functions behind Method#parameters and Binding#local_variable_get are called directly, after a check that
 * they give correct results for a method of our own (tests/ext/test_layout.rb).
 *
 * Threads: call_args_learn() and call_args_of() in the job, call_args_text() in the hook of a return. All make objects,
 * so the caller must hold none of our locks. None of them raises.
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
  ID name;          /* 0: the parameter has no name */
  bool valued;
};

struct call_parameters {
  uint32_t count;
  bool more, valued; /* more: some parameters found no room; valued: some have values */
  struct call_parameter all[CALL_ARGS_MAX];
};

/* Checks at its first call whether arguments can be read on this VM. Returns false when they cannot. */
bool call_args_learn(void);

/* Reads the parameters of a Method or UnboundMethod written in Ruby. When they are unknown, the result has no
 * parameters. */
void call_args_of(VALUE method, struct call_parameters *parameters);

/* Writes the arguments of the call that ends at this event, by a return or by a jump. Returns the number of bytes; 0
 * when the arguments cannot be read. */
size_t call_args_text(rb_trace_arg_t *event, const struct call_parameters *parameters, char *out, size_t bytes);

#endif
