/* SPDX-License-Identifier: MIT */
/* Guards against a fork while the publisher opens files. A forked child closes the descriptors of the writer, so fork
 * waits while the publisher has a descriptor that is not registered yet. The wait is short: if a file system does not
 * answer, fork continues after a moment.
 *
 * Threads: opening_begin(), opening_try(), opening_end() and opening_read_file() on the publisher; the other functions
 * in the handlers of fork, on the forking thread.
 */
#ifndef RTOP_EXT_OPENING_H
#define RTOP_EXT_OPENING_H

#include <stdbool.h>
#include <stddef.h>

/* Call before and after the opening of files whose descriptors a forked child would not know yet. */
void opening_begin(void);
void opening_end(void);

/* Like opening_begin() but without waiting. Returns false when a fork is in progress or opening_begin() is in force. */
bool opening_try(void);

/* Calls process_read_file() between opening_begin() and opening_end(). */
size_t opening_read_file(const char *path, char *text, size_t text_bytes);

void opening_before_fork(void);
void opening_after_fork(void); /* called in the parent */
void opening_in_child(void);   /* called in the child, where the parent's publisher does not exist */

#endif
