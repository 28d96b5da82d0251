/* SPDX-License-Identifier: MIT */
/* GC events: marking and sweeping as states of the thread that runs the GC.
 *
 * The events ENTER and EXIT enclose the time of a GC; START, END_MARK and END_SWEEP give its phase. One collection
 * consists of many pairs of ENTER and EXIT (incremental marking, lazy sweeping). The time is charged to the stack that
 * ran when the GC began. The VM sends these events only in the main Ractor; collections of other Ractors count as
 * running.
 */
#ifndef RTOP_EXT_GC_H
#define RTOP_EXT_GC_H

#include "ext/sampling/sampler.h"

/* Install and remove the hooks, like raises_install(). */
void gc_install(struct sampler *sampler);
void gc_remove(void);

/* [job] Checks whether the VM sends events for its collections. If it sends none, the time of collections counts as
 * running time. */
void gc_look(const struct sampler *sampler);

#endif
