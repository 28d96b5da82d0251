/* SPDX-License-Identifier: MIT */
/* The roots of stacks of labelled threads: each set of labels has a child of the root, below which these stacks begin.
 *
 * Threads: any thread that holds the sampler's lock; also in hooks. Makes no Ruby object and allocates nothing.
 */
#ifndef RTOP_EXT_LABEL_NODES_H
#define RTOP_EXT_LABEL_NODES_H

#include "calltree.h"
#include "frames.h"
#include "label_sets.h"

/* Returns the node for the labels of the thread's running fiber. Returns the root when the fiber has no labels or there
 * is no room for the node: a quarter of the call tree is reserved for new stacks of existing sets. */
uint32_t label_nodes_root(struct label_sets *sets, struct frames *frames, struct calltree *tree, VALUE thread);

/* Makes the node of a set that has none yet; returns the root when there is no room. */
uint32_t label_nodes_of(struct label_sets *sets, struct frames *frames, struct calltree *tree, uint32_t set);

#endif
