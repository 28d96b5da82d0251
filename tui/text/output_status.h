/* SPDX-License-Identifier: MIT */
/* Whether everything that was printed went out. Threads: one.
 */
#ifndef RTOP_TUI_OUTPUT_STATUS_H
#define RTOP_TUI_OUTPUT_STATUS_H

#include <stdio.h>

/* Flushes. The exit status: 0; 1 when something could not be written, which is said on standard error, unless
 * the reader went away (head). */
int rtop_output_status(FILE *out);

#endif
