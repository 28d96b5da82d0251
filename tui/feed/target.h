/* SPDX-License-Identifier: MIT */
/* What /proc says about a process that somebody wants to watch, and in one sentence why that does not
 * work and what to do about it.
 *
 * All of it is the word of another process: bounded and sanitised here, and only used for words.
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
  bool readable;  /* we may look into it: maps could be read */
  bool ruby;      /* libruby or a ruby binary is mapped, or its command says so */
  bool extension; /* rperf_top.so is mapped */
  uid_t uid;
  char user[64];     /* name of uid, or its number */
  char command[256]; /* sanitised command line, "[name]" when it has none */
};

/* What a living process calls itself, sanitised: its command line, which a program may have set (puma, sidekiq).
 * False: it has none, or is not there; *command stays as it was. */
bool rtop_target_command(pid_t pid, char *command, size_t command_bytes);

/* The name of a user, sanitised, or the number when it has none. */
void rtop_target_user(uid_t uid, char *name, size_t name_bytes);

void rtop_target_look(pid_t pid, struct rtop_target *target);

/* One sentence: why `pid` has no channel that can be opened, and what to do. `cause` is what
 * rtop_registry_find or rtop_reader_open said; it may be NULL. */
void rtop_target_explain(pid_t pid, const struct rtop_error *cause, char *text, size_t text_bytes);

#endif
