/* SPDX-License-Identifier: MIT */
/* Label sets as text, in the form of the channel: key=value,key=value. Keys are sorted and unique. A backslash precedes
 * each comma, each equals sign in a key, and each backslash.
 *
 * In a channel a label set is a SPECIAL frame below the root with this text as its label and RTOP_LABEL_NAMESPACE as
 * its namespace; the stacks of threads with these labels are below its node. A reader without support for labels
 * therefore shows a label set as a group of calls.
 *
 * Threads: no shared state. Never allocates. Texts may be hostile.
 */
#ifndef RTOP_SHM_LABEL_TEXT_H
#define RTOP_SHM_LABEL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define RTOP_LABEL_NAMESPACE "(labels)"

enum { RTOP_LABEL_KEY_MAX = 64, RTOP_LABEL_VALUE_MAX = 128, RTOP_LABEL_PAIRS_MAX = 16 };

/* A label; its texts are not NUL-terminated and may contain any bytes. */
struct rtop_label {
  const char *key, *value;
  size_t key_bytes, value_bytes;
};

enum { RTOP_LABEL_TEXT_MAX = 2048 }; /* limit for the text of a set, in bytes */

/* Writes the labels, which must be sorted, as far as they fit; keys and values that are too long are cut. Returns the
 * number of bytes. */
size_t rtop_label_text_write(const struct rtop_label *labels, size_t count, char *out, size_t out_bytes);

/* Reads the label at *at and moves *at behind it; returns false at the end. Key and value are copied without
 * backslashes, NUL-terminated, and cut if too long. */
struct rtop_label_buffer {
  char key[RTOP_LABEL_KEY_MAX + 1], value[RTOP_LABEL_VALUE_MAX + 1];
};
bool rtop_label_text_next(const char *text, size_t bytes, size_t *at, struct rtop_label_buffer *label);

/* Tells whether the label set matches "KEY=GLOB" (pattern.h) or, if there is no "=", contains the key. */
bool rtop_label_text_fits(const char *text, size_t bytes, const char *wanted);

#endif
