/* SPDX-License-Identifier: MIT */
/* Tells when a fiber was garbage collected: a small object of ours, referenced only by the fiber, reports its own end.
 *
 * The object is stored in an instance variable without a Ruby name, invisible to programs, and only in fibers that wait
 * for long. The VM's weak references would be slower, and its event for freed objects slows down freeing in general.
 *
 * Threads: fiber_token_of() in the job, with the GVL of the only Ractor; the others anywhere.
 */
#ifndef RTOP_EXT_FIBER_TOKENS_H
#define RTOP_EXT_FIBER_TOKENS_H

#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>

struct fiber_token;

/* The token of a living fiber, made at the first call; the caller releases it. NULL when the fiber cannot have one.
 * Makes Ruby objects but raises nothing. */
struct fiber_token *fiber_token_of(VALUE fiber);
void fiber_token_release(struct fiber_token *token);

/* Has the token's fiber been garbage collected? The answer can come some time after the collection. */
bool fiber_token_gone(const struct fiber_token *token);

/* Grows when one has. */
uint64_t fiber_tokens_gone(void);

#endif
