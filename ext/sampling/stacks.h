/* SPDX-License-Identifier: MIT */
/* Stacks of threads as nodes of the call tree.
 *
 * Threads: the lock of the sampler is held. What is marked [hook] may be called by one.
 */
#ifndef RTOP_EXT_STACKS_H
#define RTOP_EXT_STACKS_H

#include "sampler.h"

#define SAMPLER_NO_STACK UINT32_MAX
#define SAMPLER_NO_LOCK (UINT32_MAX - 1)

/* The node below which stacks of the thread stand now: the root, or that of its labels. [hook] */
uint32_t sampler_root(struct sampler *sampler, const struct thread_data *data);

/* The stack of the calling thread as a node, or SAMPLER_NO_STACK: *unknown (when not NULL) is then a VALUE that has no
 * name yet, and the stack is in the stack buffers. [hook] */
uint32_t sampler_stack(struct sampler *sampler, struct thread_data *data, VALUE *unknown);

/* The same for what stands in the stack buffers, leaf first, below a root: so many frames, one at least. [hook] */
uint32_t sampler_walk(struct sampler *sampler, struct thread_data *data, int frames, uint32_t root, VALUE *unknown);

/* [job] The node that `stack` finds of `what`, in the way of sampler_stack(): it names what is unknown and tries again,
 * without the lock in between. Takes the lock itself, which is held at return if there is a node; SAMPLER_NO_LOCK: that
 * was not to be had. */
uint32_t sampler_named_stack(struct sampler *sampler, void *what,
                             uint32_t (*stack)(struct sampler *sampler, void *what, VALUE *unknown));

static inline bool sampler_has_stack(uint32_t node)
{
  return node < SAMPLER_NO_LOCK;
}

/* A stack that a hook noted, of nobody: its thread may have ended. Leaf first; the VALUEs are kept alive by the caller. */
struct stack_noted {
  const VALUE *frames;
  const int *lines;
  uint32_t depth, label_set;
};

/* [job] Its node, with names for what has none; RTOP_NODE_ROOT: not known, or there is no room. Takes the lock itself. False:
 * that was not to be had; again later. */
bool sampler_name_noted(struct sampler *sampler, struct stack_noted *noted, uint32_t *node);

#endif
