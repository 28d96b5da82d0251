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

enum { FRAME_NAMES_LABEL_MAX = 1024 };   /* bytes; longer labels are cut */

/* Borrowed bytes, not NUL-terminated; good until Ruby code runs again. */
struct frame_names {
  const char *plain, *path, *label, *namespace_label;   /* plain: the label without the class */
  size_t plain_bytes, path_bytes, label_bytes, namespace_bytes;
  uint32_t line;
  bool is_c;
  bool complete;                       /* label is the whole label */
  char label_buffer[FRAME_NAMES_LABEL_MAX], namespace_buffer[FRAME_NAMES_LABEL_MAX];
};

/* Learns whether the class of a method can be read from its frame VALUE without making an object. The VM
 * keeps it in the second word of the method entry, which is not part of its interface: so a method of a
 * class that we made is looked at first, and when the word is not that class, nobody looks again. Once,
 * under the GVL, at load. */
void frame_names_learn(void);

/* What can be read without making a Ruby object. Without the class (see above; also for singletons and
 * anonymous classes) the label is the plain one and not complete. Under the GVL, also in GVL hooks and in
 * the GC. */
void frame_names_partial(VALUE frame, struct frame_names *names);

/* Everything, the label as Ruby prints it ("Object#fib", "block in Price#total", "JSON.generate"). Makes
 * Ruby objects: only in the job. False when that raised. */
bool frame_names_full(VALUE frame, struct frame_names *names);

#endif
