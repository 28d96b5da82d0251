/* SPDX-License-Identifier: MIT */
/* Names that programs give their fibers: Fiber#annotate (gem fiber-annotation), Async::Task#annotate.
 *
 * An annotation is an instance variable of the fiber, which is read in place without calling a method or making an
 * object. Names that differ only in hexadecimal numbers or numbers of three or more digits (ids, ports, addresses)
 * count as the same name. The table is bounded; a new name that finds no room is ignored.
 *
 * Threads: any thread that holds the sampler's lock; task_names_read() with the GVL of a process with one Ractor, where
 * the VM takes no lock. No allocation. [hook]
 */
#ifndef RTOP_EXT_TASK_NAMES_H
#define RTOP_EXT_TASK_NAMES_H

#include "calltree.h"
#include "frames.h"
#include <ruby.h>
#include <stdint.h>

enum { TASK_NAMES_MAX = 256, TASK_NAME_BYTES_MAX = 120 };

struct task_names {
  ID variable;
  uint32_t count;
  struct task_name {
    uint64_t hash; /* 0: free */
    uint32_t node;
  } entries[2 * TASK_NAMES_MAX]; /* open addressing */
};

/* Initialises the table. Call once, under the GVL. */
void task_names_init(struct task_names *names);

/* Returns the annotation of a living fiber; nil when it has none. */
VALUE task_names_read(const struct task_names *names, VALUE fiber);

/* Returns the call tree node of the name (RTOP_FIBERS_NAMESPACE); RTOP_NODE_ROOT when the annotation is not a name. */
uint32_t task_names_node(struct task_names *names, struct frames *frames, struct calltree *tree, VALUE annotation);

#endif
