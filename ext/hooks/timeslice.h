/* SPDX-License-Identifier: MIT */
/* The VM's own timer, which the thread with the GVL answers while others wait for it: every 10 ms, whoever runs.
 *
 * Where triggers go astray (newborn.h) the thread that runs is told here that a tick is due. Nothing else is done: the event is
 * none of those for which the VM rewrites code.
 */
#ifndef RTOP_EXT_TIMESLICE_H
#define RTOP_EXT_TIMESLICE_H

#include "ext/sampling/sampler.h"

/* Under the GVL; of one sampler, and makes one Ruby object the first time. Installing twice counts once. */
void timeslice_install(struct sampler *sampler);
void timeslice_remove(void);

#endif
