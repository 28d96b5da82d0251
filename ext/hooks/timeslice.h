/* SPDX-License-Identifier: MIT */
/* A hook on the VM's time slice event. While threads wait for the GVL, the VM sends this event every 10 ms on the
 * thread that has the GVL.
 *
 * The hook triggers the job if a tick is due, and does nothing else. It is needed because the publisher's triggers may
 * be lost (newborn.h). The VM rewrites no code for this event.
 */
#ifndef RTOP_EXT_TIMESLICE_H
#define RTOP_EXT_TIMESLICE_H

#include "ext/sampling/sampler.h"

/* Install and remove the hook for one sampler, with the GVL. The first call makes one Ruby object; installing twice
 * has no further effect. */
void timeslice_install(struct sampler *sampler);
void timeslice_remove(void);

#endif
