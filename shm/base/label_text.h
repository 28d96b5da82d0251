/* SPDX-License-Identifier: MIT */
/* A set of labels as text, the way it stands in a channel: key=value,key=value. The keys are in order and
 * each is there once. A backslash stands before a comma, an equals sign of a key, and a backslash.
 *
 * In a channel a label set is a frame of kind SPECIAL below the root, whose label is this text and whose
 * namespace is RTOP_LABEL_NAMESPACE: the stacks of a thread with these labels stand below its node. So a
 * reader that knows nothing of labels shows it as what it is, a group of calls.
 *
 * Threads: no shared state. Never allocates. Texts are hostile.
 */
#ifndef RTOP_SHM_LABEL_TEXT_H
#define RTOP_SHM_LABEL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define RTOP_LABEL_NAMESPACE "(labels)"

enum { RTOP_LABEL_KEY_MAX = 64, RTOP_LABEL_VALUE_MAX = 128, RTOP_LABEL_PAIRS_MAX = 16 };

/* Not NUL-terminated, any bytes. */
struct rtop_label {
  const char *key, *value;
  size_t key_bytes, value_bytes;
};

enum { RTOP_LABEL_TEXT_MAX = 2048 }; /* of a whole set */

/* Writes what fits of the labels, which are in order; longer keys and values are cut. Returns the bytes. */
size_t rtop_label_text_write(const struct rtop_label *labels, size_t count, char *out, size_t out_bytes);

/* Reads the label at *at and moves *at behind it, false at the end. Key and value are copied without their
 * backslashes, NUL-terminated; what does not fit is cut. */
struct rtop_label_buffer {
  char key[RTOP_LABEL_KEY_MAX + 1], value[RTOP_LABEL_VALUE_MAX + 1];
};
bool rtop_label_text_next(const char *text, size_t bytes, size_t *at, struct rtop_label_buffer *label);

/* Does the set fit "KEY=GLOB" (pattern.h; "KEY" alone: any value)? */
bool rtop_label_text_fits(const char *text, size_t bytes, const char *wanted);

#endif
