/* SPDX-License-Identifier: MIT */
/* The publisher's descriptors are not to be found in a forked child: the child gives back what the writer has, so a fork
 * waits while the publisher opens something that nobody knows yet. Not for ever: on a file system that does not answer
 * the program goes on after a moment.
 *
 * Threads: begin and end on the publisher. The others in the handlers of a fork, on the thread that forks.
 */
#ifndef RTOP_EXT_OPENING_H
#define RTOP_EXT_OPENING_H

#include <stdbool.h>
#include <stddef.h>

/* Around opening, as far as the child would not know what was opened, and closing. */
void opening_begin(void);
void opening_end(void);

/* The same without waiting. False: somebody forks, or opening_begin() was called. */
bool opening_try(void);

/* process_read_file() between the two. */
size_t opening_read_file(const char *path, char *text, size_t text_bytes);

void opening_before_fork(void);
void opening_after_fork(void); /* in the parent */
void opening_in_child(void);   /* whoever had it is not there */

#endif
