/* SPDX-License-Identifier: MIT */
/* Detects when a fiber was garbage collected: a small object of ours, which only the fiber references, records its own
 * end.
 *
 * The object is stored in an instance variable without a Ruby name, invisible to programs, and only in fibers that wait
 * for long. The VM's weak references would be slower, and the VM's event for freed objects slows down the freeing of
 * all objects.
 *
 * Threads: fiber_token_of() in the job, with the GVL of the only Ractor; the other functions anywhere.
 */
#ifndef RTOP_EXT_FIBER_TOKENS_H
#define RTOP_EXT_FIBER_TOKENS_H

#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>

struct fiber_token;

/* Returns the token of a living fiber, made at the first call; the caller releases the token. NULL when the fiber
 * cannot have one. Makes Ruby objects but raises nothing. */
struct fiber_token *fiber_token_of(VALUE fiber);
void fiber_token_release(struct fiber_token *token);

/* Tells whether the token's fiber has been garbage collected. This may become true only some time after the
 * collection. */
bool fiber_token_gone(const struct fiber_token *token);

/* Returns the number of fibers with a token that have been collected. */
uint64_t fiber_tokens_gone(void);

#endif
