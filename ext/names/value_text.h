/* SPDX-License-Identifier: MIT */
/* Values of Ruby as short text. No code of the program runs for it: no inspect, to_s, name or method_missing is called, and
 * nothing is converted. Numbers, symbols, true, false and nil are as they are, strings between quotes as far as there is
 * room, arrays and hashes told by their size, everything else by the name of its class.
 *
 * The text is valid UTF-8; control characters and bytes that are no characters are escaped as String#inspect does, so that
 * nothing is lost. It is still hostile: whoever shows it has to make it safe.
 *
 * Threads: under the GVL. Makes no objects and raises nothing.
 */
#ifndef RTOP_EXT_VALUE_TEXT_H
#define RTOP_EXT_VALUE_TEXT_H

#include <ruby.h>
#include <stdbool.h>
#include <stddef.h>

struct value_text {
  char *out;
  size_t used, room;
  bool cut; /* something did not fit, and nothing is added any more */
};

/* `bytes`: of `out`, more than the mark of a cut takes. Not NUL-terminated. */
void value_text_begin(struct value_text *text, char *out, size_t bytes);
/* All or nothing. */
void value_text_add(struct value_text *text, const char *bytes, size_t count);
/* Character by character. */
void value_text_name(struct value_text *text, ID name);
void value_text_value(struct value_text *text, VALUE value);
/* Marks a cut by an ellipsis. Returns the bytes. */
size_t value_text_end(struct value_text *text);

#endif
