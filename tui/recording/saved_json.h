/* SPDX-License-Identifier: MIT */
/* Reads the text of a saved profile. Its memory use is bounded by the file's size (budget.h), and nothing beyond the
 * size at opening is read.
 *
 * Threads: one; while reading, jansson's allocations are counted.
 */
#ifndef RTOP_TUI_SAVED_JSON_H
#define RTOP_TUI_SAVED_JSON_H

#include <jansson.h>
#include <stdint.h>

struct rtop_error;

/* Parses `bytes` bytes from the position of `fd`. NULL with the reason in *error. */
json_t *rtop_saved_json(int fd, uint64_t bytes, const char *path, struct rtop_error *error);

#endif
