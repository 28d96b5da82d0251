/* SPDX-License-Identifier: MIT */
/* The text of a saved profile. What it makes of us is bounded by its size (budget.h), and no more is read than was
 * there when it was opened.
 *
 * Threads: one; while it reads, jansson's memory is counted.
 */
#ifndef RTOP_TUI_FEED_SAVED_JSON_H
#define RTOP_TUI_FEED_SAVED_JSON_H

#include <jansson.h>
#include <stdint.h>

struct rtop_error;

/* `bytes` from where `fd` stands. NULL: *error says why. */
json_t *feed_saved_json(int fd, uint64_t bytes, const char *path, struct rtop_error *error);

#endif
