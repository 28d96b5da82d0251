/* SPDX-License-Identifier: MIT */
/* Gives nodes of the tree of all calls their call nodes in the channel, some at every job. */
#ifndef RTOP_EXT_WHOLE_NAMES_H
#define RTOP_EXT_WHOLE_NAMES_H

#include "whole.h"

/* What found no room in the tables of the channel has this place. */
#define WHOLE_NO_PLACE UINT32_MAX

/* In the job, or at the end; few at a time while calls are still counted. False: there is nothing left to name. */
bool whole_names_some(struct whole *whole, bool many);

/* [job] The frame of a method by where it stands and what it is called; FRAMES_UNKNOWN: not now. */
uint32_t whole_names_frame(struct sampler *sampler, VALUE owner, ID name);

#endif
