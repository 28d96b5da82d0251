/* SPDX-License-Identifier: MIT */
/* Ruby values as short text. No code of the program runs: no inspect, to_s, name or method_missing, and no conversion.
 * Numbers, symbols, true, false and nil are written as they are, strings in quotes up to a maximum length, arrays and
 * hashes by their size, all other objects by the name of their class.
 *
 * The text is valid UTF-8; control characters and invalid bytes are escaped as String#inspect does. The text may still
 * be hostile: a program that displays it must make it safe for the screen.
 *
 * Threads: with the GVL. Makes no objects and raises nothing.
 */
#ifndef RTOP_EXT_VALUE_TEXT_H
#define RTOP_EXT_VALUE_TEXT_H

#include <ruby.h>
#include <stdbool.h>
#include <stddef.h>

struct value_text {
  char *out;
  size_t used, room;
  bool cut; /* set when a text did not fit; later additions have no effect */
};

/* Begins a text of at most `bytes` bytes in `out`; `bytes` must exceed the length of the cut mark. The text is not
 * NUL-terminated. */
void value_text_begin(struct value_text *text, char *out, size_t bytes);
/* Adds `count` bytes if all of them fit, else none. */
void value_text_add(struct value_text *text, const char *bytes, size_t count);
/* Adds a name, character by character, as far as it fits. */
void value_text_name(struct value_text *text, ID name);
void value_text_value(struct value_text *text, VALUE value);
/* Ends the text; if it was cut, an ellipsis is added. Returns the number of bytes. */
size_t value_text_end(struct value_text *text);

#endif
