/* SPDX-License-Identifier: MIT */
/* Reads /proc about a process that is to be watched, and explains in a sentence why it cannot be watched and
 * what to do.
 *
 * All data come from another process: they are bounded and sanitised here, and only used for messages.
 *
 * Threads: no shared state. Does not allocate; reads /proc.
 */
#ifndef RTOP_TUI_TARGET_H
#define RTOP_TUI_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct rtop_error;

struct rtop_target {
  pid_t pid;
  bool exists;
  bool zombie;
  bool readable;  /* this user may examine the process: its maps are readable */
  bool ruby;      /* libruby or a ruby executable is mapped, or the command line indicates Ruby */
  bool extension; /* rperf_top.so is mapped */
  uid_t uid;
  char user[64];     /* name of uid, or its number */
  char command[256]; /* sanitised command line; "[name]" when the process has none */
};

/* Returns the sanitised command line of a living process, which programs may set themselves (puma, sidekiq). False when
 * it has none or does not exist; *command is then unchanged. */
bool rtop_target_command(pid_t pid, char *command, size_t command_bytes);

/* Returns the sanitised name of a user, or the number if there is no name. */
void rtop_target_user(uid_t uid, char *name, size_t name_bytes);

void rtop_target_look(pid_t pid, struct rtop_target *target);

/* Has the process mapped a file with this in its path, as far as this user can see? */
bool rtop_target_has_mapped(pid_t pid, const char *part);

/* One sentence: why `pid` has no channel that can be opened, and what to do. `cause`: the error of
 * rtop_registry_find() or rtop_reader_open(); may be NULL. */
void rtop_target_explain(pid_t pid, const struct rtop_error *cause, char *text, size_t text_bytes);

#endif
