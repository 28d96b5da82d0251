/* SPDX-License-Identifier: MIT */
/* Starting a command with the extension loaded, and ending it.
 *
 * The extension's folder is found next to this program or in $RPERF_TOP_LIB; it is appended
 * to RUBYLIB, and -rrperf_top to RUBYOPT, whatever else is in there. Output of the command goes
 * to a private log file, so that neither screen nor JSON is disturbed.
 *
 * Threads: one. start waits until the command's exec succeeded or failed; stop waits up to 2 s.
 */
#ifndef RTOP_TUI_LAUNCH_H
#define RTOP_TUI_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct rtop_error;
struct rtop_launch;

/* How the command stands to our terminal. */
enum rtop_launch_kind {
  RTOP_LAUNCH_LOG,    /* its output goes to the log file */
  RTOP_LAUNCH_SCREEN, /* so does it; /dev/null as standard input and a process group of its
                                          own, so that keys of the terminal do not reach it */
  RTOP_LAUNCH_PLAIN,  /* as if we were not there: no log file */
};

/* Starts command[0] (found in PATH) with the arguments that follow.
 * NULL: error->text is a line as env(1) would say it, *exit_status 127 (not found), 126 (not executable)
 * or 1. */
struct rtop_launch *rtop_launch_start(char *const *command, enum rtop_launch_kind kind, int *exit_status,
                                      struct rtop_error *error);

/* Ends it if it runs, removes the log file when it is empty, frees. NULL is fine; sets NULL. */
void rtop_launch_close(struct rtop_launch **launch);

pid_t rtop_launch_pid(const struct rtop_launch *launch);
/* Looks whether the command has ended. Never blocks. */
bool rtop_launch_ended(struct rtop_launch *launch);
/* Its exit status, 128 + n when signal n ended it; 0 while it runs. */
int rtop_launch_status(const struct rtop_launch *launch);

/* Was that a signal, and not a status above 128 of its own? */
bool rtop_launch_killed(const struct rtop_launch *launch);
/* How long it has run, or ran. */
int64_t rtop_launch_age_ns(const struct rtop_launch *launch);

/* What it and the children that it waited for used, and how long it ran. False while it runs. */
bool rtop_launch_usage(const struct rtop_launch *launch, struct rusage *usage, int64_t *real_ns);

/* SIGTERM to the command and its descendants, SIGKILL to what is left after 2 s; reaps it. */
void rtop_launch_stop(struct rtop_launch *launch);

/* What to say of how the command was found: it is not in PATH, but beside the Ruby that the extension was built for. ""
 * when there is nothing to say. */
const char *rtop_launch_note(const struct rtop_launch *launch);

/* Where its output goes; "" when not to a file of ours. */
const char *rtop_launch_log_path(const struct rtop_launch *launch);
/* The last bytes of its output, raw (hostile: sanitise line by line), NUL-terminated; returns how many.
 * *total (may be NULL) becomes the size of the log: unchanged means nothing new. */
size_t rtop_launch_log_tail(const struct rtop_launch *launch, char *buffer, size_t buffer_bytes, off_t *total);

/* The first bytes, NUL-terminated. */
void rtop_launch_log_head(const struct rtop_launch *launch, char *buffer, size_t buffer_bytes);

/* Is it stopped (SIGSTOP, Ctrl-Z, a debugger)? */
bool rtop_launch_is_stopped(pid_t pid);

/* What to say when rtop_launch_extension_folder finds none. */
#define RTOP_LAUNCH_NO_EXTENSION                                                                                       \
  "the extension (rperf_top.so) is neither next to rperf-top nor in ../lib/rperf-top; RPERF_TOP_LIB may name its "     \
  "folder"

/* Folder with rperf_top.so and rperf_top.rb: false when there is none. */
bool rtop_launch_extension_folder(char *folder, size_t bytes);

/* The Ruby that the extension of that folder was built for, as its shim tells. False: not known, or not there any more. */
bool rtop_launch_own_ruby(const char *folder, char *ruby, size_t bytes);

#endif
