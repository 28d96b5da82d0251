/* SPDX-License-Identifier: MIT */
/* GC events: marking and sweeping as states of the thread that runs the GC.
 *
 * ENTER and EXIT bracket the time, START, END_MARK and END_SWEEP tell the phase; one collection has many
 * brackets (incremental marking, lazy sweeping). Charged to the stack that was executing when the GC came.
 * GC in other Ractors than the main one is not seen by these events and counts as running.
 */
#ifndef RTOP_EXT_GC_H
#define RTOP_EXT_GC_H

#include "ext/sampling/sampler.h"

/* As of raises.h. */
void gc_install(struct sampler *sampler);
void gc_remove(void);

/* [job] Are there collections that the VM does not tell of? Then their time counts as the method's. */
void gc_look(const struct sampler *sampler);

#endif
