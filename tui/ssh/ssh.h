/* SPDX-License-Identifier: MIT */
/* The ssh client of the system as a child that runs a command on another host, started again with back-off when it ends.
 * It never prompts: it has no terminal and runs in batch mode. What it writes to standard error is hostile: its last line
 * is kept, sanitised, as the reason why the host is away.
 *
 * Threads: one. Nothing blocks but rtop_ssh_close().
 */
#ifndef RTOP_TUI_SSH_H
#define RTOP_TUI_SSH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rtop_error;
struct rtop_ssh;

enum {
  RTOP_SSH_HOST_BYTES_MAX = 255,
  RTOP_SSH_COMMAND_BYTES_MAX = 16 << 10,
  RTOP_SSH_RETRY_MS = 1000, /* before the first new attempt; doubles, up to */
  RTOP_SSH_RETRY_MAX_MS = 60000,
  RTOP_SSH_LASTED_MS = 10000,  /* a connection that lasted so long begins with the shortest wait again */
  RTOP_SSH_PATIENCE_MS = 1000, /* after SIGTERM, then SIGKILL */
};

/* Why this cannot be the name of a host, as the rest of a sentence; NULL: it can. A name that begins with '-' would be
 * an option of ssh. */
const char *rtop_ssh_host_problem(const char *host);
/* Appends a blank, if there is text before, and the word as a POSIX shell reads it back. False: there is no room. */
bool rtop_ssh_add_word(char *command, size_t bytes, const char *word);

/* `command` is a line for the remote shell. Nothing is started yet. NULL: memory ran out. */
struct rtop_ssh *rtop_ssh_create(const char *host, const char *command);
/* Asks the client to end, without waiting; call for all clients before they are closed one by one. */
void rtop_ssh_stop(struct rtop_ssh *ssh);
/* Waits for its end until then, by our clock, and kills it when it has not ended. */
void rtop_ssh_close(struct rtop_ssh **ssh, int64_t until_ms);

/* Starts the client when that is due, reads what it says, and notices its end. True: a client was started just now, and
 * its output comes from rtop_ssh_fd(). */
bool rtop_ssh_tick(struct rtop_ssh *ssh, int64_t now_ms);
/* Output of the client that runs; -1: none runs. */
int rtop_ssh_fd(const struct rtop_ssh *ssh);
/* Gives up the connection: the next attempt follows later. `reason`, sanitised, is why; NULL: what ssh says. */
void rtop_ssh_give_up(struct rtop_ssh *ssh, const char *reason, int64_t now_ms);
/* Ends the connection for good, since all has come. */
void rtop_ssh_finish(struct rtop_ssh *ssh, int64_t now_ms);
bool rtop_ssh_finished(const struct rtop_ssh *ssh);
/* The connection carries what it should: reasons of earlier failures are over. */
void rtop_ssh_works(struct rtop_ssh *ssh);

/* Why the host is away; "": it is not known to be. */
const char *rtop_ssh_reason(const struct rtop_ssh *ssh);
/* The client could not be started at all, for instance because there is none. */
bool rtop_ssh_missing(const struct rtop_ssh *ssh);
/* Milliseconds until the next attempt; 0: a client runs, or is ending. */
int64_t rtop_ssh_retry_ms(const struct rtop_ssh *ssh, int64_t now_ms);
/* How many times a client was started. */
unsigned rtop_ssh_attempts(const struct rtop_ssh *ssh);

#endif
