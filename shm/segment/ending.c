/* SPDX-License-Identifier: MIT */
/* Finds out how a process ended. */
#include "ending.h"
#include "shm/base/process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ENDING_RECORD_BYTES = 8192, ENDING_RECORDS_MAX = 1 << 16 };
#define ENDING_SLACK_NS INT64_C(5000000000) /* tolerance, since the log's clock differs a little from CLOCK_MONOTONIC */

bool rtop_ending_is_memory(const char *record, pid_t pid, int64_t since_mono_ns)
{
  char victim[48];
  const char *time = strchr(record, ','), *text = strchr(record, ';');
  time = time ? strchr(time + 1, ',') : NULL;
  if (!time || !text || text < time) return false;
  long long time_us = strtoll(time + 1, NULL, 10);
  if (time_us < 0 || time_us > INT64_MAX / 1000 || time_us * 1000 < since_mono_ns - ENDING_SLACK_NS) return false;
  snprintf(victim, sizeof victim, "Killed process %d ", (int)pid);
  return strstr(text, victim) &&
         (strstr(text, "Out of memory") || strstr(text, "out of memory") || strstr(text, "oom"));
}

/* Searches the kernel's log, where each read gives one record. Without permission to read the log, returns false. */
static bool ending_out_of_memory(pid_t pid, int64_t since_mono_ns)
{
  char record[ENDING_RECORD_BYTES];
  bool found = false;
  int fd = process_in_first_namespace() ? open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
  for (int i = 0; fd >= 0 && i < ENDING_RECORDS_MAX && !found; i++) {
    ssize_t got = read(fd, record, sizeof record - 1);
    if (got <= 0) break;
    record[got] = '\0';
    found = rtop_ending_is_memory(record, pid, since_mono_ns);
  }
  if (fd >= 0) close(fd);
  return found;
}

static bool ending_same_boot(const struct rtop_geometry *geometry)
{
  uint8_t boot_id[16];
  process_boot_id(boot_id);
  return memcmp(boot_id, geometry->boot_id, sizeof boot_id) == 0;
}

/* Takes the ending that the process itself recorded. Only for a process that closed its channel. */
static void ending_as_said(const struct rtop_counters *said, struct rtop_ending *ending)
{
  uint64_t number = said->ending & 0xff;
  if (said->ending == (RTOP_ENDS_WITH_STATUS | number) && number > 0) ending->cause = RTOP_ENDING_EXIT;
  else if (said->ending == (RTOP_ENDS_BY_SIGNAL | number) && number > 0 && number < NSIG)
    ending->cause = RTOP_ENDING_SIGNAL;
  else return;
  ending->number = (int)number;
}

/* Tells whether this user may see the exit code; the kernel shows 0 to all others. */
static bool ending_may_ask(const struct rtop_geometry *geometry)
{
  return geteuid() == 0 || geteuid() == geometry->uid;
}

/* Sets the ending of a zombie: the kernel's status is more reliable than what the process recorded. */
static void ending_of_zombie(const struct process_stat *stat, bool may_ask, struct rtop_ending *ending)
{
  if (WIFSIGNALED(stat->exit_code)) {
    ending->cause = RTOP_ENDING_SIGNAL;
    ending->number = WTERMSIG(stat->exit_code);
  } else if (WEXITSTATUS(stat->exit_code)) {
    ending->cause = RTOP_ENDING_EXIT;
    ending->number = WEXITSTATUS(stat->exit_code);
  } else if (may_ask && ending->cause != RTOP_ENDING_VANISHED) {
    ending->cause = RTOP_ENDING_CLOSED;
    ending->number = 0;
  }
}

/* Sets the ending of a process that still exists: it is ending, is a zombie, or continues without its channel. */
static void ending_of_listed(const struct process_stat *stat, const struct rtop_geometry *geometry,
                             const struct rtop_counters *said, struct rtop_ending *ending)
{
  bool closed = said->state == RTOP_WRITER_ENDED;
  if (stat->ending) {
    ending_of_zombie(stat, ending_may_ask(geometry), ending);
  } else if (closed) {
    ending->still_there = true;
    if (!said->ending) ending->cause = RTOP_ENDING_STOPPED;
  } else {
    ending->cause = RTOP_ENDING_EXEC;
    memcpy(ending->program, stat->program, sizeof ending->program);
  }
}

void rtop_ending_find(const struct rtop_geometry *geometry, const struct rtop_counters *said, int64_t last_mono_ns,
                      struct rtop_ending *ending)
{
  struct process_stat stat;
  pid_t pid = (pid_t)geometry->pid;
  bool closed = said->state == RTOP_WRITER_ENDED;
  *ending = (struct rtop_ending){ .cause = closed ? RTOP_ENDING_CLOSED : RTOP_ENDING_VANISHED };
  if (closed) ending_as_said(said, ending);
  if (!ending_same_boot(geometry)) {
    if (!closed) ending->cause = RTOP_ENDING_REBOOT;
    return;
  }
  if (geometry->pid_namespace != process_own_pid_namespace() || pid <= 0) return;
  if (process_stat_read(pid, &stat) && stat.start_ticks == geometry->start_ticks)
    ending_of_listed(&stat, geometry, said, ending);
  bool perhaps_killed =
      ending->cause == RTOP_ENDING_VANISHED || (ending->cause == RTOP_ENDING_SIGNAL && ending->number == SIGKILL);
  if (perhaps_killed && ending_out_of_memory(pid, last_mono_ns)) ending->cause = RTOP_ENDING_MEMORY;
}

const char *rtop_ending_cause_name(enum rtop_ending_cause cause)
{
  switch (cause) {
  case RTOP_ENDING_CLOSED: return "closed";
  case RTOP_ENDING_STOPPED: return "stopped";
  case RTOP_ENDING_EXEC: return "exec";
  case RTOP_ENDING_EXIT: return "exit";
  case RTOP_ENDING_SIGNAL: return "signal";
  case RTOP_ENDING_MEMORY: return "memory";
  case RTOP_ENDING_REBOOT: return "reboot";
  case RTOP_ENDING_VANISHED: return "vanished";
  }
  return "unknown";
}

bool rtop_ending_is_cause(const char *name)
{
  int cause = RTOP_ENDING_CLOSED;
  while (cause <= RTOP_ENDING_VANISHED && strcmp(rtop_ending_cause_name((enum rtop_ending_cause)cause), name) != 0)
    cause++;
  return cause <= RTOP_ENDING_VANISHED;
}

void rtop_ending_text(const struct rtop_ending *ending, char *text, size_t text_bytes)
{
  char program[sizeof ending->program];
  switch (ending->cause) {
  case RTOP_ENDING_CLOSED: snprintf(text, text_bytes, "ended by itself"); return;
  case RTOP_ENDING_STOPPED: snprintf(text, text_bytes, "profiling was stopped"); return;
  case RTOP_ENDING_EXIT: snprintf(text, text_bytes, "exit status %d", ending->number); return;
  case RTOP_ENDING_SIGNAL: snprintf(text, text_bytes, "killed by signal %d", ending->number); return;
  case RTOP_ENDING_MEMORY: snprintf(text, text_bytes, "killed: out of memory"); return;
  case RTOP_ENDING_REBOOT: snprintf(text, text_bytes, "machine restarted"); return;
  case RTOP_ENDING_VANISHED: snprintf(text, text_bytes, "killed, crashed, exit! or exec"); return;
  case RTOP_ENDING_EXEC: break;
  }
  for (size_t i = 0; i < sizeof program; i++) {
    char byte = ending->program[i];
    program[i] = byte == '\0' || (byte >= ' ' && byte <= '~') ? byte : '?';
  }
  program[sizeof program - 1] = '\0';
  snprintf(text, text_bytes, "became %s by exec", program);
}
