/* One profiling session of the process: start, stop, park, and what a fork leaves behind.
 *
 * Exactly one per process, made at the first start and kept for the life of the process: hooks that are
 * running in other threads may still look at it. All calls under the GVL.
 */
#ifndef RTOP_EXT_SESSION_H
#define RTOP_EXT_SESSION_H

#include "config.h"
#include "label_sets.h"
#include <stdbool.h>
#include <stddef.h>

/* Once, at load: registers the job, the atfork handler and the end of the process. */
void session_init(void);

/* 0; -1 when memory or the native thread could not be had. Starting a running session does nothing. */
int session_start(const struct config *config);

/* Ends the channel. Stopping a stopped session does nothing. */
void session_stop(void);
bool session_running(void);

/* Saves what the channel holds now in a new file. Without the GVL. 0 or -1. */
int session_snapshot(const char *path, struct rtop_error *error);

struct label_sets *session_labels(void);

/* A named instant, now. Any thread, any Ractor; nothing happens while nothing is recorded. */
void session_mark(const char *name, size_t bytes);

#endif
