/* SPDX-License-Identifier: MIT */
/* The hook on switches between fibers. It is installed once a thread has a fiber scheduler, or the gem async is
 * loaded; other programs run without it. */
#ifndef RTOP_EXT_FIBER_SWITCH_H
#define RTOP_EXT_FIBER_SWITCH_H

#include "ext/sampling/sampler.h"

/* Installs the hook once the program needs it. Call in the job, while the profiler is on; may raise. */
void fiber_switch_look(struct sampler *sampler);

/* Removes the hook. Under the GVL. */
void fiber_switch_remove(void);

/* Records that the running fiber of this thread now has this label set. */
void fiber_switch_label(VALUE thread, uint32_t set);

#endif
