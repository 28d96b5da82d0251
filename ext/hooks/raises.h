/* SPDX-License-Identifier: MIT */
/* Counts the exceptions that the program raises, by class and source location (raised.h), with a hook on the VM's raise
 * event.
 *
 * The hook costs some 300 ns per exception and nothing otherwise: the VM rewrites no code for this event, so compiled
 * code stays valid, also under YJIT. It counts all raises in the main Ractor, including StopIteration of a loop, but
 * not throw.
 */
#ifndef RTOP_EXT_RAISES_H
#define RTOP_EXT_RAISES_H

#include "ext/sampling/sampler.h"

/* Install and remove the hook for one sampler, with the GVL. The first call makes one Ruby object; installing twice
 * has no further effect. */
void raises_install(struct sampler *sampler);
void raises_remove(void);

#endif
