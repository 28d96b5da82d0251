/* SPDX-License-Identifier: MIT */
/* Ruby's own methods in which programs wait, recognised without reading names from the VM. Ruby versions differ in
 * which of these methods are C functions and which are Ruby code ("<internal:thread_sync>").
 *
 * A hook must not read names from the VM, and a process that only waits runs no job that could, although the methods in
 * which it waits matter most. So at load each of these methods is looked up once: its class, its name, and the label
 * that Ruby would print. A frame is then recognised by the words of its method entry.
 *
 * Threads: waits_learn() once, with the GVL, not in a hook. waits_find() any. [hook]
 */
#ifndef RTOP_EXT_WAITS_H
#define RTOP_EXT_WAITS_H

#include "shm/base/format.h"
#include <ruby.h>
#include <stdint.h>

enum { WAITS_MAX = 64, WAITS_LABEL_MAX = 48 };

struct wait {
  VALUE class;
  ID id;
  enum rtop_work_cause cause;                          /* cause that time in this method counts as */
  char label[WAITS_LABEL_MAX], space[WAITS_LABEL_MAX]; /* "Kernel#sleep", "Kernel" */
};

struct waits {
  struct wait entries[WAITS_MAX];
  uint32_t count;
  VALUE io, io_singleton; /* the class IO; 0: not known */
};

void waits_learn(struct waits *waits);

/* Returns the index of the wait method that the frame belongs to; WAITS_MAX when it belongs to none. */
uint32_t waits_find(const struct waits *waits, VALUE frame);

/* Returns the cause of the wait of a thread whose innermost frame is `frame`: RTOP_WORK_IO for methods of IO and its
 * subclasses, RTOP_WORK_OTHER when unknown. */
enum rtop_work_cause waits_cause(const struct waits *waits, VALUE frame);

#endif
