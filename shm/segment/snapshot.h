/* SPDX-License-Identifier: MIT */
/* Copies a segment as of one moment into a file that a reader opens like the channel of a dead process.
 *
 * The writer continues, and neither side waits. The copy contains what a reader of every window would have found: the
 * heads are read first and the intents last, so windows that were overwritten in between count as lost, and all other
 * windows are intact (ring.h). Table entries appended after the heads were read are behind the published counts of the
 * copy.
 *
 * Threads: any, as long as the segment stays open. Reads the file, not a mapping: a truncated file is an error, not a
 * signal.
 */
#ifndef RTOP_SHM_SNAPSHOT_H
#define RTOP_SHM_SNAPSHOT_H

#include "segment.h"
#include "shm/base/error.h"

/* Copies segment->bytes bytes to `image`; the copy's state is ENDED. Does not allocate; takes some milliseconds.
 * Returns 0 or -1. */
int rtop_snapshot_take(const struct rtop_segment *segment, void *image, struct rtop_error *error);

/* Writes the image to a new file, mode 0600, which gets its name only when complete. Returns 0, or -1 when the file
 * exists or cannot be written (the reason is in errno_value). Blocks as long as the file system does. */
int rtop_snapshot_save(const void *image, size_t bytes, const char *path, struct rtop_error *error);

#endif
