/* SPDX-License-Identifier: MIT */
/* A copy of a segment as it stands at one moment, in a file that a reader opens like any dead channel.
 *
 * The writer goes on meanwhile: nobody waits for anybody. The copy is what a reader would have found that
 * looked at every window while it was made: the heads are read first, the intents last, so that what was
 * overwritten in between counts as lost and everything else is whole (ring.h). What was appended to the
 * tables after the heads were read is in the copy, behind their published ends.
 *
 * Threads: any, as long as the segment stays open. Reads the file, not the mapping: a file that is truncated
 * underneath is an error, not a signal.
 */
#ifndef RTOP_SHM_SNAPSHOT_H
#define RTOP_SHM_SNAPSHOT_H

#include "segment.h"
#include "shm/base/error.h"

/* Copies segment->bytes bytes to `image`. The state of the copy is ENDED. Does not allocate; takes some
 * milliseconds. 0 or -1. */
int rtop_snapshot_take(const struct rtop_segment *segment, void *image, struct rtop_error *error);

/* Writes the image to a new file, mode 0600, which has its name only when it is complete. 0; -1 when it
 * exists or cannot be written (errno_value says why). Blocks for as long as the file system does. */
int rtop_snapshot_save(const void *image, size_t bytes, const char *path, struct rtop_error *error);

#endif
