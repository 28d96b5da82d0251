/* SPDX-License-Identifier: MIT */
/* Writes the marks of a window: each name once into the segment, the times into the window.
 *
 * Names are never removed from the segment, so they may take only an eighth of its string space. So a program that
 * makes up new names forever does not displace method names. A mark whose name finds no room is called "(other marks)"
 * and counted.
 *
 * Threads: the publisher. Allocates once, in marks_out_create().
 */
#ifndef RTOP_EXT_MARKS_OUT_H
#define RTOP_EXT_MARKS_OUT_H

#include "marks.h"
#include "shm/channel/writer.h"

enum { MARKS_OUT_NAMES = 2048 };

struct marks_out {
  uint64_t *hashes; /* open addressing: hash of a name, 0 = free */
  uint32_t *references;
  uint32_t count;
  uint64_t bytes_left; /* bytes left of the share of the string space that names of marks may use */
  uint32_t other;      /* string reference of "(other marks)" */
  uint64_t dropped;    /* value of marks->dropped that was last added to a window */
};

/* Prepares for a new segment. Returns 0, or -1 when memory ran out. */
int marks_out_create(struct marks_out *out, const struct marks *marks, const struct rtop_writer *writer);
void marks_out_destroy(struct marks_out *out);

/* Moves all queued marks into the window. */
void marks_out_update(struct marks_out *out, struct marks *marks, struct rtop_writer *writer,
                      struct rtop_window *window);

#endif
