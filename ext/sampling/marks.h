/* SPDX-License-Identifier: MIT */
/* The queue of marks, which are named instants, from the program to the publisher.
 *
 * A bounded queue with many producers and one consumer (the array queue of D. Vyukov, where a number in each entry, its
 * turn, tells whether the entry is free or filled). No thread waits: marks that find the queue full are dropped and
 * counted.
 *
 * Threads: marks_add() any thread of any Ractor; marks_take() the publisher. Nothing allocates.
 */
#ifndef RTOP_EXT_MARKS_H
#define RTOP_EXT_MARKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MARKS_CAPACITY = 256, MARKS_NAME_MAX = 120 };

struct mark {
  int64_t mono_ns;
  uint32_t bytes;
  char name[MARKS_NAME_MAX]; /* any bytes */
};

struct marks {
  _Atomic uint64_t tail;
  uint64_t head;
  _Atomic uint64_t dropped;
  struct {
    _Atomic uint64_t turn;
    struct mark mark;
  } slots[MARKS_CAPACITY];
};

/* Empties the queue. Not while other threads use it. */
void marks_init(struct marks *marks);

/* Adds a mark; a name that is too long is cut. Returns false when the queue is full. */
bool marks_add(struct marks *marks, int64_t mono_ns, const char *name, size_t bytes);
bool marks_take(struct marks *marks, struct mark *mark);

#endif
