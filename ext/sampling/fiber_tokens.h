/* SPDX-License-Identifier: MIT */
/* Tells when a fiber was collected: an object of ours that nothing but the fiber holds, and that says so when it is freed.
 *
 * It hangs on a variable of the fiber that has no name in Ruby, so no program sees it. Few fibers get one: those that wait
 * for long. The VM's own weak references are slower, and its event for freed objects slows down the freeing of all.
 *
 * Threads: fiber_token_of() in the job, under the GVL of the only Ractor; the others anywhere.
 */
#ifndef RTOP_EXT_FIBER_TOKENS_H
#define RTOP_EXT_FIBER_TOKENS_H

#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>

struct fiber_token;

/* That of a fiber which lives, made when it has none, for the caller to release; NULL: it can have none. Makes Ruby objects,
 * raises nothing. */
struct fiber_token *fiber_token_of(VALUE fiber);
void fiber_token_release(struct fiber_token *token);

/* Has its fiber been collected? It may have been a while before that is known. */
bool fiber_token_gone(const struct fiber_token *token);

/* Grows when one has. */
uint64_t fiber_tokens_gone(void);

#endif
