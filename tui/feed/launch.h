/* SPDX-License-Identifier: MIT */
/* Starts a command with the extension loaded, and ends it.
 *
 * The extension's directory is beside this program or in $RPERF_TOP_LIB; it is appended to RUBYLIB, and -rrperf_top to
 * RUBYOPT, whose other content remains. The command's output goes to a private log file, so that it disturbs neither
 * screen nor JSON.
 *
 * Threads: one. rtop_launch_start() waits until exec has succeeded or failed; rtop_launch_stop() waits up to 2 s.
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
  RTOP_LAUNCH_LOG, /* its output goes to the log file */
  /* output goes to the log file; standard input is /dev/null, and the command has a process group of its own, so that
     keys of the terminal do not reach it */
  RTOP_LAUNCH_SCREEN,
  RTOP_LAUNCH_PLAIN, /* runs the command as if started without this program: no log file */
};

/* Starts command[0] (searched in PATH) with its arguments. NULL on failure: error->text is a line as env(1) would
 * print it, *exit_status is 127 (not found), 126 (not executable) or 1. */
struct rtop_launch *rtop_launch_start(char *const *command, enum rtop_launch_kind kind, int *exit_status,
                                      struct rtop_error *error);

/* Ends the command if it still runs, removes an empty log file, and frees the memory. Accepts NULL; sets
   *launch to NULL. */
void rtop_launch_close(struct rtop_launch **launch);

pid_t rtop_launch_pid(const struct rtop_launch *launch);
/* Has the command ended? Never blocks. */
bool rtop_launch_ended(struct rtop_launch *launch);
/* Exit status of the command, 128 + n when signal n ended it; 0 while it runs. */
int rtop_launch_status(const struct rtop_launch *launch);

/* Did a signal end the command, as opposed to an exit status above 128? */
bool rtop_launch_killed(const struct rtop_launch *launch);
/* How long it has run, or ran. */
int64_t rtop_launch_age_ns(const struct rtop_launch *launch);

/* Returns the resource usage of the command and of children that it waited for, and how long it ran (ns). False
   while it runs. */
bool rtop_launch_usage(const struct rtop_launch *launch, struct rusage *usage, int64_t *real_ns);

/* Sends SIGTERM to the command and its descendants, SIGKILL to survivors after 2 s, and reaps the command. */
void rtop_launch_stop(struct rtop_launch *launch);

/* Returns a note when the command was not in PATH but was found beside the Ruby that the extension was built
   for; else "". */
const char *rtop_launch_note(const struct rtop_launch *launch);

/* Path of the log file; "" when the command's output does not go to one. */
const char *rtop_launch_log_path(const struct rtop_launch *launch);
/* Reads the last bytes of the command's output, which are raw and hostile (callers sanitise them line by line),
 * and adds a NUL; returns their number. *total (may be NULL) is the size of the log: when it is unchanged, there
 * is nothing new. */
size_t rtop_launch_log_tail(const struct rtop_launch *launch, char *buffer, size_t buffer_bytes, off_t *total);

/* The first bytes, NUL-terminated. */
void rtop_launch_log_head(const struct rtop_launch *launch, char *buffer, size_t buffer_bytes);

/* Is it stopped (SIGSTOP, Ctrl-Z, a debugger)? */
bool rtop_launch_is_stopped(pid_t pid);

/* What to say when rtop_launch_extension_folder finds none. */
#define RTOP_LAUNCH_NO_EXTENSION                                                                                       \
  "the extension (rperf_top.so) is neither next to rperf-top nor in ../lib/rperf-top; RPERF_TOP_LIB may name its "     \
  "folder"

/* Finds the directory with rperf_top.so and rperf_top.rb; false when there is none. */
bool rtop_launch_extension_folder(char *folder, size_t bytes);

/* Finds the Ruby that the extension in this directory was built for, by its shim. False when that is unknown or
   no longer exists. */
bool rtop_launch_own_ruby(const char *folder, char *ruby, size_t bytes);

#endif
