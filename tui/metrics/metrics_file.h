/* SPDX-License-Identifier: MIT */
/* The page as a file, for collectors that read files (node_exporter). Threads: one. */
#ifndef RTOP_TUI_METRICS_FILE_H
#define RTOP_TUI_METRICS_FILE_H

#include <stdbool.h>

struct metrics;

/* Replaces the file atomically; others may read it according to the umask. False: errno says why, and the
 * old file stays. */
bool metrics_file_write(const struct metrics *metrics, const char *path);

#endif
