/* SPDX-License-Identifier: MIT */
/* Reads the names of a frame VALUE from the VM.
 *
 * The label of an anonymous or singleton class contains an address ("#<Class:0x000…>#run"), which is removed; otherwise
 * a program that makes such classes would fill the tables with ever new methods.
 */
#ifndef RTOP_EXT_FRAME_NAMES_H
#define RTOP_EXT_FRAME_NAMES_H

#include <ruby.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FRAME_NAMES_LABEL_MAX = 1024 }; /* in bytes; longer labels are cut */

/* Borrowed texts, not NUL-terminated; valid until Ruby code runs again. */
struct frame_names {
  const char *plain, *path, *label, *namespace_label; /* plain: the label without the class */
  size_t plain_bytes, path_bytes, label_bytes, namespace_bytes;
  uint32_t line;
  bool is_c;
  char label_buffer[FRAME_NAMES_LABEL_MAX], namespace_buffer[FRAME_NAMES_LABEL_MAX];
};

/* Tells whether the frame is a C method, or Ruby code that is part of Ruby itself ("<internal:kernel>"). Which methods
 * are written in C differs between versions of Ruby. [hook] */
bool frame_names_is_core(VALUE frame);

/* Reads the label as Ruby prints it: "Object#fib", "block in Price#total", "JSON.generate". Makes Ruby objects and
 * takes locks of the VM: only in the job. Returns false when Ruby raised, or when no objects may be made now
 * (own_objects.h). */
bool frame_names_read(VALUE frame, struct frame_names *names);

/* Like frame_names_read(), but makes no objects: only for code whose texts all exist already. Returns false for all
 * other code. Call only while the process has one Ractor; then the VM takes no lock. [hook] */
bool frame_names_peek(VALUE frame, struct frame_names *names);

/* Fills in the names of a method whose label is known. Other texts have existed since the method was compiled. In any
 * Ractor. [hook] */
void frame_names_labelled(VALUE frame, const char *label, const char *namespace_label, struct frame_names *names);

/* Writes the name of a class, at most FRAME_NAMES_LABEL_MAX bytes; "#<Class>" for an unnamed class. Returns the number
 * of bytes, or 0 on failure. Makes Ruby objects but calls no code of the program: only in the job. */
size_t frame_names_class(VALUE class, char *out);

#endif
