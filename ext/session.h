/* SPDX-License-Identifier: MIT */
/* The profiling session of the process: start, stop, park, and fork.
 *
 * There is exactly one session per process. It is made at the first start and kept until the process ends, because
 * hooks that are running in other threads may still read it. All functions need the GVL.
 */
#ifndef RTOP_EXT_SESSION_H
#define RTOP_EXT_SESSION_H

#include "ext/base/config.h"
#include "ext/names/label_sets.h"
#include "ext/out/profiles.h"
#include <stdbool.h>
#include <stddef.h>

/* Call once, at load: registers the job, the atfork handlers and the end of the process. May raise. */
void session_init(void);

/* Starts the session. Returns NULL, or the reason why the session did not start. Has no effect while a session runs, or
 * once the program has come to its end. */
const char *session_start(const struct config *config);

/* Stops the session and ends the channel; has no effect on a stopped session. Waits for a second at most, mostly
 * without the GVL; may raise exceptions that were pending for this thread. */
void session_stop(void);

/* Tells whether the program has come to its end, so that no session starts any more. */
bool session_over(void);

/* Prints the reason why the process is not profiled: one warning line per process. */
void session_warn(const char *text);
bool session_running(void);

/* Saves the current content of the channel in a new file. Releases the GVL meanwhile. Returns 0 or -1. */
int session_snapshot(const char *path, struct rtop_error *error);

/* Opens a profile (profiles.h), which sums up the windows from now on, sampled at this rate or a higher one, and wakes
 * a parked session. Returns -1 when no session runs or too many profiles are open. Waits some ms without the GVL; may
 * raise exceptions that were pending for this thread. */
int session_profile_open(uint32_t hz);
/* Copies the content of the profile so far to *to, which the caller frees (profiles_read()). Waits and raises like
 * session_profile_open(); after an exception the profile is still open. */
void session_profile_read(int slot, bool clear, struct profile *to);
/* Closes the profile at once; the open window is not included in it. */
void session_profile_close(int slot, struct profile *to);
struct sampler *session_sampler(void);

/* Records a named instant now. Any thread, any Ractor; has no effect while nothing is recorded. */
void session_mark(const char *name, size_t bytes);

#endif
