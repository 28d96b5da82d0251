/* SPDX-License-Identifier: MIT */
/* Checks that all output was written. Threads: one. */
#ifndef RTOP_TUI_OUTPUT_STATUS_H
#define RTOP_TUI_OUTPUT_STATUS_H

#include <stdio.h>

/* Flushes `out`. Returns the exit status: 0, or 1 when something could not be written, which is reported on standard
 * error unless the reader closed the pipe (as head does). */
int rtop_output_status(FILE *out);

#endif
