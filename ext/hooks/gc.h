/* SPDX-License-Identifier: MIT */
/* GC events: marking and sweeping as states of the thread that runs the GC.
 *
 * ENTER and EXIT enclose the time; START, END_MARK and END_SWEEP tell the phase. One collection consists of many such
 * pairs (incremental marking, lazy sweeping). Its time is charged to the stack that ran when the GC began. These events
 * do not cover other Ractors than the main one; their collections count as running.
 */
#ifndef RTOP_EXT_GC_H
#define RTOP_EXT_GC_H

#include "ext/sampling/sampler.h"

/* As of raises.h. */
void gc_install(struct sampler *sampler);
void gc_remove(void);

/* [job] Finds out whether the VM sends no events for its collections; their time then counts as running time of the
 * method. */
void gc_look(const struct sampler *sampler);

#endif
