/* SPDX-License-Identifier: MIT */
/* Finds the node in the channel's call tree for each node of the tree of all calls, some nodes in every job. */
#ifndef RTOP_EXT_WHOLE_NAMES_H
#define RTOP_EXT_WHOLE_NAMES_H

#include "whole.h"

/* value of `place` for a node that found no room in the channel's tables */
#define WHOLE_NO_PLACE UINT32_MAX

/* Names some nodes, fewer if not `many`, that is, while calls are still counted. In the job, or at the end. Returns
 * false when all nodes have names. */
bool whole_names_some(struct whole *whole, bool many);

/* [job] Returns the frame of a method, by its owner and name; FRAMES_UNKNOWN when it cannot be named now. `code`: the
 * block of a method made by define_method, else 0. */
uint32_t whole_names_frame(struct sampler *sampler, VALUE owner, ID name, VALUE code);

#endif
