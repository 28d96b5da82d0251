/* SPDX-License-Identifier: MIT */
/* The names that programs give their fibers: Fiber#annotate (the gem fiber-annotation), Async::Task#annotate.
 *
 * An annotation is an instance variable of the fiber. It is read in place: no method is called, no object made. What
 * differs only in numbers of three digits and more, or in hexadecimal ones, is one name: ids, ports, addresses. A bounded
 * table: when it is full a new name is none.
 *
 * Threads: whoever holds the sampler's lock, but for task_names_read(): under the GVL of a process with one Ractor, which
 * need not take the VM's locks. No allocation. [hook]
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

/* Once; under the GVL. */
void task_names_init(struct task_names *names);

/* The annotation of a fiber that lives; nil: it has none. */
VALUE task_names_read(const struct task_names *names, VALUE fiber);

/* The call node that stands for the name (RTOP_FIBERS_NAMESPACE); RTOP_NODE_ROOT: it is none. */
uint32_t task_names_node(struct task_names *names, struct frames *frames, struct calltree *tree, VALUE annotation);

#endif
