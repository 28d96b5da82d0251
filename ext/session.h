/* SPDX-License-Identifier: MIT */
/* One profiling session of the process: start, stop, park, and what a fork leaves behind.
 *
 * Exactly one per process, made at the first start and kept for the life of the process: hooks that are
 * running in other threads may still look at it. All calls under the GVL.
 */
#ifndef RTOP_EXT_SESSION_H
#define RTOP_EXT_SESSION_H

#include "ext/base/config.h"
#include "ext/names/label_sets.h"
#include "ext/out/profiles.h"
#include <stdbool.h>
#include <stddef.h>

/* Once, at load: registers the job, the atfork handlers and the end of the process. May
 * raise. */
void session_init(void);

/* NULL, or in words why it did not start. Starting a running session does nothing, nor does a start when the program
 * has come to its end. */
const char *session_start(const struct config *config);

/* Ends the channel. Stopping a stopped session does nothing. Waits a second at most, most of it without the GVL; may
 * raise what was to be raised in this thread. */
void session_stop(void);

/* Has the program come to its end? Nothing starts any more. */
bool session_over(void);

/* The one line that a process gets: why it is not profiled. */
void session_warn(const char *text);
bool session_running(void);

/* Saves what the channel holds now in a new file. Without the GVL. 0 or -1. */
int session_snapshot(const char *path, struct rtop_error *error);

/* From now on windows are summed up for somebody (profiles.h), at this rate at least. A parked session wakes up. -1: nothing
 * runs, or too many are open. Waits some ms, without the GVL; may raise what was to be raised in this thread. */
int session_profile_open(uint32_t hz);
/* What the profile holds up to now, to be freed; see profiles_read(). The same holds; what is raised leaves it open. */
void session_profile_read(int slot, bool clear, struct profile *to);
/* At once: the rest of the window is not in it. */
void session_profile_close(int slot, struct profile *to);
struct sampler *session_sampler(void);

/* A named instant, now. Any thread, any Ractor; nothing happens while nothing is recorded. */
void session_mark(const char *name, size_t bytes);

#endif
