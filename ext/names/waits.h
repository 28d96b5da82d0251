/* SPDX-License-Identifier: MIT */
/* Ruby's own methods in which programs wait, known without asking the VM. Which of them are in C and which in Ruby code of
 * its own ("<internal:thread_sync>") differs from one version to the next.
 *
 * A hook may not ask for names. But a process that only waits runs no job, and what it waits in is what one wants to
 * know. So at load each of these methods is looked up once: its class, its name, and the label that Ruby would print.
 * A frame is known by the words of its method entry.
 *
 * Threads: waits_learn() once, under the GVL, not in a hook. waits_find() any. [hook]
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
  enum rtop_work_cause cause;                          /* what its time counts as */
  char label[WAITS_LABEL_MAX], space[WAITS_LABEL_MAX]; /* "Kernel#sleep", "Kernel" */
};

struct waits {
  struct wait entries[WAITS_MAX];
  uint32_t count;
  VALUE io, io_singleton; /* the class IO; 0: not known */
};

void waits_learn(struct waits *waits);

/* Which one the frame is of; WAITS_MAX: none of these. */
uint32_t waits_find(const struct waits *waits, VALUE frame);

/* What a thread waits for whose innermost frame this is: RTOP_WORK_IO of what is a method of IO or of a class below it,
 * RTOP_WORK_OTHER of what is not known. */
enum rtop_work_cause waits_cause(const struct waits *waits, VALUE frame);

#endif
