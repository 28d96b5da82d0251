/* SPDX-License-Identifier: MIT */
/* Names of one frame VALUE, as the VM tells them.
 *
 * Anonymous classes and singletons carry an address in their label ("#<Class:0x000…>#run"): it is taken
 * out, or every request would make new methods.
 */
#ifndef RTOP_EXT_FRAME_NAMES_H
#define RTOP_EXT_FRAME_NAMES_H

#include <ruby.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FRAME_NAMES_LABEL_MAX = 1024 }; /* bytes; longer labels are cut */

/* Borrowed bytes, not NUL-terminated; good until Ruby code runs again. */
struct frame_names {
  const char *plain, *path, *label, *namespace_label; /* plain: the label without the class */
  size_t plain_bytes, path_bytes, label_bytes, namespace_bytes;
  uint32_t line;
  bool is_c;
  char label_buffer[FRAME_NAMES_LABEL_MAX], namespace_buffer[FRAME_NAMES_LABEL_MAX];
};

/* Is it a method in C, or Ruby code of Ruby itself ("<internal:kernel>")? Which of the two differs from one version of Ruby to
 * the next. [hook] */
bool frame_names_is_core(VALUE frame);

/* The label as Ruby prints it: "Object#fib", "block in Price#total", "JSON.generate". Makes Ruby objects and takes locks of
 * the VM: in the job only. False when that raised, or no object may be made now (own_objects.h). */
bool frame_names_read(VALUE frame, struct frame_names *names);

/* The same of code whose texts all exist since it was compiled or defined and its class was named: nothing is made, and no
 * lock is taken while the process has one Ractor, to whose threads this is left. False of all other code. [hook] */
bool frame_names_peek(VALUE frame, struct frame_names *names);

/* Of a method whose label is known: only texts that exist since it was compiled are read, in whatever Ractor. [hook] */
void frame_names_labelled(VALUE frame, const char *label, const char *namespace_label, struct frame_names *names);

/* The name of a class, in FRAME_NAMES_LABEL_MAX bytes; of one without a name "#<Class>". Returns its bytes; 0 as
 * there. Makes Ruby objects and calls nothing of the program's: in the job only. */
size_t frame_names_class(VALUE class, char *out);

#endif
