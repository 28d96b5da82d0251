/* SPDX-License-Identifier: MIT */
/* Starts, reads and ends the ssh client. */
#include "ssh.h"

#include "shm/base/clock.h"
#include "tui/text/text.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum {
  SSH_REASON_BYTES = 200,
  SSH_LINE_BYTES = 512,
  SSH_READS = 8, /* a client that never stops talking is read on at the next tick */
  SSH_GRACE_MS = 500,
};

struct rtop_ssh {
  char host[RTOP_SSH_HOST_BYTES_MAX + 1];
  char *command;
  pid_t pid; /* 0: none; also the number of its process group */
  int out, err;
  int64_t started_ms, next_ms, wait_ms;
  int64_t end_ms; /* a client whose connection was given up gets SIGTERM then, 0: it was not given up */
  bool terminated, finished, missing;
  unsigned attempts;
  bool told;                   /* the reason is not what ssh says */
  char line[SSH_LINE_BYTES];   /* that has not ended yet */
  size_t line_bytes;           /* more than fits is counted, too */
  char said[SSH_REASON_BYTES]; /* the last line of the client */
  char reason[SSH_REASON_BYTES];
};

struct rtop_ssh *rtop_ssh_create(const char *host, const char *command)
{
  struct rtop_ssh *ssh = calloc(1, sizeof *ssh);
  if (!ssh) return NULL;
  ssh->command = strdup(command);
  ssh->out = ssh->err = -1;
  ssh->wait_ms = RTOP_SSH_RETRY_MS;
  snprintf(ssh->host, sizeof ssh->host, "%s", host);
  if (ssh->command) return ssh;
  free(ssh);
  return NULL;
}

static void ssh_close_fd(int *fd)
{
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

/* ---- what it says ---------------------------------------------------------------------------------------------- */

static void ssh_end_line(struct rtop_ssh *ssh)
{
  size_t bytes = ssh->line_bytes < sizeof ssh->line ? ssh->line_bytes : sizeof ssh->line;
  while (bytes > 0 && strchr(" \t\r", ssh->line[bytes - 1])) bytes--;
  if (bytes > 0) rtop_text_sanitize(ssh->said, sizeof ssh->said, ssh->line, bytes);
  ssh->line_bytes = 0;
}

static void ssh_hear(struct rtop_ssh *ssh, const char *bytes, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (bytes[i] == '\n') {
      ssh_end_line(ssh);
      continue;
    }
    if (ssh->line_bytes < sizeof ssh->line) ssh->line[ssh->line_bytes++] = bytes[i];
  }
}

static void ssh_listen(struct rtop_ssh *ssh)
{
  char bytes[4096];
  for (int i = 0; i < SSH_READS && ssh->err >= 0; i++) {
    ssize_t got = read(ssh->err, bytes, sizeof bytes);
    if (got > 0) ssh_hear(ssh, bytes, (size_t)got);
    else if (got == 0) ssh_close_fd(&ssh->err);
    else if (errno != EINTR) return;
  }
}

static void ssh_explain(struct rtop_ssh *ssh, int status)
{
  ssh_end_line(ssh);
  if (ssh->told) return;
  if (*ssh->said) memcpy(ssh->reason, ssh->said, sizeof ssh->reason);
  else if (WIFSIGNALED(status))
    snprintf(ssh->reason, sizeof ssh->reason, "ssh was killed by signal %d", WTERMSIG(status));
  else if (WIFEXITED(status) && WEXITSTATUS(status))
    snprintf(ssh->reason, sizeof ssh->reason, "ssh ended with status %d", WEXITSTATUS(status));
  else snprintf(ssh->reason, sizeof ssh->reason, "the connection ended");
}

/* ---- its life -------------------------------------------------------------------------------------------------- */

static void ssh_later(struct rtop_ssh *ssh, int64_t now_ms)
{
  if (now_ms - ssh->started_ms >= RTOP_SSH_LASTED_MS) ssh->wait_ms = RTOP_SSH_RETRY_MS;
  ssh->next_ms = now_ms + ssh->wait_ms;
  ssh->wait_ms = ssh->wait_ms < RTOP_SSH_RETRY_MAX_MS / 2 ? 2 * ssh->wait_ms : RTOP_SSH_RETRY_MAX_MS;
}

/* A session of its own: the client has no terminal that it could prompt on, and its keys do not reach it. */
static int ssh_spawn(struct rtop_ssh *ssh, int out, int err)
{
  char *words[] = { "ssh",     "-T",         "-o", "BatchMode=yes", "-o", "ClearAllForwardings=yes", "--",
                    ssh->host, ssh->command, NULL };
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  sigset_t usual, none;
  sigfillset(&usual);
  sigemptyset(&none);
  if (posix_spawn_file_actions_init(&files) != 0) return ENOMEM;
  if (posix_spawnattr_init(&how) != 0) {
    posix_spawn_file_actions_destroy(&files);
    return ENOMEM;
  }
  int failed = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (!failed) failed = posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  if (!failed) failed = posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
  if (!failed)
    failed = posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  if (!failed) failed = posix_spawnattr_setsigdefault(&how, &usual);
  if (!failed) failed = posix_spawnattr_setsigmask(&how, &none);
  if (!failed) failed = posix_spawnp(&ssh->pid, "ssh", &files, &how, words, environ);
  if (failed) ssh->pid = 0;
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  return failed;
}

/* Numbers below 3 would be overwritten in the child. */
static bool ssh_pipe(int ends[2])
{
  int raw[2];
  if (pipe2(raw, O_CLOEXEC) != 0) return false;
  for (int i = 0; i < 2; i++) {
    ends[i] = fcntl(raw[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(raw[i]);
  }
  if (ends[0] >= 0 && ends[1] >= 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0) return true;
  for (int i = 0; i < 2; i++) ssh_close_fd(&ends[i]);
  return false;
}

static bool ssh_start(struct rtop_ssh *ssh, int64_t now_ms)
{
  int out[2] = { -1, -1 }, err[2] = { -1, -1 };
  int failed = ssh_pipe(out) && ssh_pipe(err) ? ssh_spawn(ssh, out[1], err[1]) : errno;
  ssh->started_ms = now_ms;
  ssh->attempts++;
  ssh->end_ms = 0;
  ssh->told = ssh->terminated = false;
  ssh->line_bytes = 0;
  ssh->said[0] = '\0';
  ssh_close_fd(&out[1]);
  ssh_close_fd(&err[1]);
  ssh->missing = failed != 0;
  if (!failed) {
    ssh->out = out[0];
    ssh->err = err[0];
    return true;
  }
  ssh_close_fd(&out[0]);
  ssh_close_fd(&err[0]);
  snprintf(ssh->reason, sizeof ssh->reason, "ssh cannot be started: %s", strerror(failed));
  ssh_later(ssh, now_ms);
  return false;
}

static void ssh_signal(struct rtop_ssh *ssh, int number)
{
  if (ssh->pid <= 0) return;
  kill(-ssh->pid, number);
  if (number != SIGKILL) kill(-ssh->pid, SIGCONT); /* one that is stopped ends, too */
}

void rtop_ssh_stop(struct rtop_ssh *ssh)
{
  ssh_close_fd(&ssh->out);
  ssh_signal(ssh, SIGTERM);
  ssh->terminated = true;
}

/* True: it has ended and was reaped. */
static bool ssh_reap(struct rtop_ssh *ssh)
{
  int status = 0;
  pid_t got = waitpid(ssh->pid, &status, WNOHANG);
  if (got == 0 || (got < 0 && errno == EINTR)) return false;
  ssh_listen(ssh);
  ssh_explain(ssh, got > 0 ? status : 0);
  ssh_close_fd(&ssh->err);
  ssh->pid = 0;
  return true;
}

/* Ends a client whose connection was given up. */
static void ssh_urge(struct rtop_ssh *ssh, int64_t now_ms)
{
  if (!ssh->end_ms || now_ms < ssh->end_ms) return;
  ssh_signal(ssh, ssh->terminated ? SIGKILL : SIGTERM);
  ssh->terminated = true;
  ssh->end_ms = now_ms + RTOP_SSH_PATIENCE_MS;
}

bool rtop_ssh_tick(struct rtop_ssh *ssh, int64_t now_ms)
{
  if (ssh->pid == 0 && !ssh->finished && now_ms >= ssh->next_ms) return ssh_start(ssh, now_ms);
  if (ssh->pid == 0) return false;
  ssh_listen(ssh);
  ssh_urge(ssh, now_ms);
  /* As long as its output is open, its end is noticed there, after all that it wrote was read. */
  if (ssh->out < 0 && ssh_reap(ssh)) ssh_later(ssh, now_ms);
  return false;
}

int rtop_ssh_fd(const struct rtop_ssh *ssh)
{
  return ssh->out;
}

void rtop_ssh_give_up(struct rtop_ssh *ssh, const char *reason, int64_t now_ms)
{
  ssh->told = reason != NULL;
  if (reason) rtop_text_sanitize(ssh->reason, sizeof ssh->reason, reason, strlen(reason));
  ssh_close_fd(&ssh->out);
  if (!ssh->end_ms) ssh->end_ms = now_ms + (reason ? 0 : SSH_GRACE_MS); /* what it still says is the reason */
  if (ssh->pid) rtop_ssh_tick(ssh, now_ms);
}

void rtop_ssh_finish(struct rtop_ssh *ssh, int64_t now_ms)
{
  ssh->finished = true;
  rtop_ssh_give_up(ssh, "", now_ms);
}

bool rtop_ssh_finished(const struct rtop_ssh *ssh)
{
  return ssh->finished;
}

void rtop_ssh_works(struct rtop_ssh *ssh)
{
  ssh->reason[0] = '\0';
}

void rtop_ssh_close(struct rtop_ssh **handle, int64_t until_ms)
{
  struct rtop_ssh *ssh = *handle;
  *handle = NULL;
  if (!ssh) return;
  if (ssh->pid && !ssh->terminated) rtop_ssh_stop(ssh);
  ssh_close_fd(&ssh->out);
  while (ssh->pid && !ssh_reap(ssh) && clock_now_ms() < until_ms) poll(NULL, 0, 5);
  if (ssh->pid) ssh_signal(ssh, SIGKILL);
  while (ssh->pid && !ssh_reap(ssh) && clock_now_ms() < until_ms + SSH_GRACE_MS) poll(NULL, 0, 5);
  ssh_close_fd(&ssh->err);
  free(ssh->command);
  free(ssh);
}

const char *rtop_ssh_reason(const struct rtop_ssh *ssh)
{
  return ssh->reason;
}

bool rtop_ssh_missing(const struct rtop_ssh *ssh)
{
  return ssh->missing;
}

int64_t rtop_ssh_retry_ms(const struct rtop_ssh *ssh, int64_t now_ms)
{
  if (ssh->pid || ssh->finished) return 0;
  return ssh->next_ms > now_ms ? ssh->next_ms - now_ms : 0;
}

unsigned rtop_ssh_attempts(const struct rtop_ssh *ssh)
{
  return ssh->attempts;
}
