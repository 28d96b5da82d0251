/* SPDX-License-Identifier: MIT */
/* Limits the number of collections that the profiler's own objects cause.
 *
 * The profiler's objects usually cause almost no collections. But in some programs (GC.stress, or a heap that cannot
 * grow) almost every new object causes a collection, which in turn makes the profiler forget names and make more
 * objects, until the program hardly advances. So the profiler causes at most one collection in 32, after a small
 * initial credit, and makes no new names while it has no credit. The limit counts collections, not time, so it also
 * holds where collections are slow.
 *
 * Threads: with the GVL of the main Ractor, in the job. No allocation.
 */
#ifndef RTOP_EXT_OWN_OBJECTS_H
#define RTOP_EXT_OWN_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>

enum { OWN_OBJECTS_IN_HAND = 16, OWN_OBJECTS_ONE_IN = 32 };

/* Tells whether the profiler may make objects now. */
bool own_objects_allowed(void);

/* Call before and after the making of objects: collections in between are charged to the profiler's limit. */
size_t own_objects_begin(void);
void own_objects_end(size_t begun);

#endif
