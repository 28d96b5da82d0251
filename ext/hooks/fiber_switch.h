/* SPDX-License-Identifier: MIT */
/* Switches between fibers, from when a thread is seen to have a fiber scheduler, or the gem async is loaded. Other programs
 * have no hook. */
#ifndef RTOP_EXT_FIBER_SWITCH_H
#define RTOP_EXT_FIBER_SWITCH_H

#include "ext/sampling/sampler.h"

/* Sets the hook when it is time and there is none. In the job, where the profiler is on; may
 * raise. */
void fiber_switch_look(struct sampler *sampler);

/* Under the GVL. */
void fiber_switch_remove(void);

/* The running fiber of this thread has got these labels. */
void fiber_switch_label(VALUE thread, uint32_t set);

#endif
