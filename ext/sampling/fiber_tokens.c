/* SPDX-License-Identifier: MIT */
/* Tokens: objects that record the end of fibers. */
#include "fiber_tokens.h"

#include <stdatomic.h>
#include <stdlib.h>

struct fiber_token {
  _Atomic uint32_t holders; /* number of users of the token: threads that use the token, plus the Ruby object */
  _Atomic bool gone;
};

static _Atomic uint64_t gone_count;

static void fiber_is_gone(void *pointer)
{
  struct fiber_token *token = pointer;
  atomic_store(&token->gone, true);
  atomic_fetch_add(&gone_count, 1);
  fiber_token_release(token);
}

static const rb_data_type_t token_type = {
  .wrap_struct_name = "rperf_top/fiber",
  .function = { .dfree = fiber_is_gone },
  .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

/* Returns the object that the fiber references, or makes one. An object that cannot be stored in the fiber is freed by
 * the next GC. */
static VALUE fiber_object(VALUE fiber)
{
  ID name = rb_intern("__rperf_top_fiber");
  VALUE object = rb_ivar_get(fiber, name);
  if (!NIL_P(object)) return object;
  struct fiber_token *token = calloc(1, sizeof *token);
  if (!token) return Qnil;
  atomic_store(&token->holders, 1);
  object = rb_data_typed_object_wrap(0, token, &token_type);
  rb_ivar_set(fiber, name, object);
  return object;
}

struct fiber_token *fiber_token_of(VALUE fiber)
{
  int raised = 0;
  VALUE error = rb_errinfo(), object = rb_protect(fiber_object, fiber, &raised);
  if (raised) rb_set_errinfo(error);
  if (raised || NIL_P(object)) return NULL;
  struct fiber_token *token = RTYPEDDATA_DATA(object);
  atomic_fetch_add(&token->holders, 1);
  RB_GC_GUARD(object);
  return token;
}

void fiber_token_release(struct fiber_token *token)
{
  if (token && atomic_fetch_sub(&token->holders, 1) == 1) free(token);
}

bool fiber_token_gone(const struct fiber_token *token)
{
  return atomic_load(&token->gone);
}

uint64_t fiber_tokens_gone(void)
{
  return atomic_load(&gone_count);
}
