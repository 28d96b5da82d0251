/* SPDX-License-Identifier: MIT */
/* How many collections the profiler's own objects may cause.
 *
 * Usually next to none. But a program may have every new object cause one (GC.stress), or nearly every one (a heap that cannot
 * grow); then a name that takes three objects takes three collections, of which a major one makes the profiler forget names.
 * Without a limit it had no end: the program stood still. So the profiler causes at most one collection in 32, after a few
 * that it has in hand, and does without names meanwhile. It goes by collections and not by the clock: however slow they are, the
 * program comes to most of them.
 *
 * Threads: under the GVL of the main Ractor, in the job. No allocation.
 */
#ifndef RTOP_EXT_OWN_OBJECTS_H
#define RTOP_EXT_OWN_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>

enum { OWN_OBJECTS_IN_HAND = 16, OWN_OBJECTS_ONE_IN = 32 };

/* May objects be made now? */
bool own_objects_allowed(void);

/* Before they are made, and behind that: those collections are the profiler's. */
size_t own_objects_begin(void);
void own_objects_end(size_t begun);

#endif
