/* SPDX-License-Identifier: MIT */
/* Turns the stacks of threads into nodes of the call tree.
 *
 * Threads: the caller holds the sampler's lock. Functions marked [hook] may be called by hooks.
 */
#ifndef RTOP_EXT_STACKS_H
#define RTOP_EXT_STACKS_H

#include "sampler.h"

#define SAMPLER_NO_STACK UINT32_MAX
#define SAMPLER_NO_LOCK (UINT32_MAX - 1)

/* Returns the node below which stacks of the thread are added: the root, or the node of its labels. [hook] */
uint32_t sampler_root(struct sampler *sampler, const struct thread_data *data);

/* Returns the node of the calling thread's stack. Returns SAMPLER_NO_STACK when a frame has no name yet; *unknown (if
 * not NULL) is then the VALUE of that frame, and the stack is in the stack buffers. [hook] */
uint32_t sampler_stack(struct sampler *sampler, struct thread_data *data, VALUE *unknown);

/* Like sampler_stack(), for `frames` frames (at least one) in the stack buffers, innermost first, below `root`.
 * [hook] */
uint32_t sampler_walk(struct sampler *sampler, struct thread_data *data, int frames, uint32_t root, VALUE *unknown);

/* [job] Calls `stack` with `what` until it returns a node; before each new call, names the frame that `stack` reported
 * as unknown. Takes the lock for each call of `stack`, and still holds it when a node is returned. Returns
 * SAMPLER_NO_LOCK when the lock could not be taken. */
uint32_t sampler_named_stack(struct sampler *sampler, void *what,
                             uint32_t (*stack)(struct sampler *sampler, void *what, VALUE *unknown));

static inline bool sampler_has_stack(uint32_t node)
{
  return node < SAMPLER_NO_LOCK;
}

/* A stack that a hook recorded without names; its thread may have ended. Frames are innermost first; the caller keeps
 * the VALUEs alive. */
struct raw_stack {
  const VALUE *frames;
  const int *lines;
  uint32_t depth, label_set;
};

/* [job] Finds the node of the stack and names its frames; *node is RTOP_NODE_ROOT when the stack stays unknown or there
 * is no room. Takes the lock itself. Returns false when the lock could not be taken: call again later. */
bool sampler_name_noted(struct sampler *sampler, struct raw_stack *noted, uint32_t *node);

#endif
