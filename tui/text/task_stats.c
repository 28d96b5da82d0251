/* SPDX-License-Identifier: MIT */
/* Reads /proc for each thread, and computes rates from differences. */
#include "task_stats.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_MAX = 4096 };
static const int64_t apart_ns = 500000000;

bool task_stats_number(const char *text, const char *name, uint64_t *number)
{
  size_t bytes = strlen(name);
  for (const char *line = text; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, name, bytes) == 0) {
      const char *digits = line + bytes + strspn(line + bytes, " \t");
      *number = strtoull(digits, NULL, 10);
      return *digits >= '0' && *digits <= '9';
    }
  }
  return false;
}

void task_counts_parse_io(struct task_counts *counts, const char *text)
{
  counts->has_io = task_stats_number(text, "rchar:", &counts->read_bytes) &&
                   task_stats_number(text, "wchar:", &counts->written_bytes);
}

void task_counts_parse_status(struct task_counts *counts, const char *text)
{
  counts->has_switches = task_stats_number(text, "voluntary_ctxt_switches:", &counts->voluntary) &&
                         task_stats_number(text, "nonvoluntary_ctxt_switches:", &counts->involuntary);
}

static bool read_text(pid_t pid, uint32_t tid, const char *name, char *text)
{
  char path[96];
  snprintf(path, sizeof path, "/proc/%d/task/%u/%s", (int)pid, tid, name);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t bytes = read(fd, text, TEXT_MAX - 1);
  close(fd);
  text[bytes > 0 ? bytes : 0] = '\0';
  return bytes > 0;
}

static struct task_counts read_counts(pid_t pid, uint32_t tid)
{
  char text[TEXT_MAX];
  struct task_counts counts = { 0 };
  if (read_text(pid, tid, "io", text)) task_counts_parse_io(&counts, text);
  if (read_text(pid, tid, "status", text)) task_counts_parse_status(&counts, text);
  return counts;
}

static double rate(uint64_t now, uint64_t before, double seconds)
{
  return now > before ? (double)(now - before) / seconds : 0;
}

static void take_rates(struct task_entry *entry, const struct task_counts *now, int64_t now_ns)
{
  const struct task_counts *before = &entry->counts;
  double seconds = (double)(now_ns - entry->read_ns) / 1e9;
  entry->rates = (struct task_rates){
    .has_io = now->has_io && before->has_io,
    .has_switches = now->has_switches && before->has_switches,
    .read_bytes = rate(now->read_bytes, before->read_bytes, seconds),
    .written_bytes = rate(now->written_bytes, before->written_bytes, seconds),
    .switches = rate(now->voluntary + now->involuntary, before->voluntary + before->involuntary, seconds),
  };
}

const struct task_rates *task_stats_get(struct task_stats *stats, pid_t pid, uint32_t tid, int64_t now_ns)
{
  struct task_entry *entry = &stats->entry[tid % TASK_STATS_MAX];
  if (pid <= 0 || tid == 0) return NULL;
  bool same = entry->known && entry->pid == pid && entry->tid == tid;
  if (same && now_ns - entry->read_ns < apart_ns) return &entry->rates;
  struct task_counts now = read_counts(pid, tid);
  if (same) take_rates(entry, &now, now_ns);
  else *entry = (struct task_entry){ .pid = pid, .tid = tid };
  entry->known = true;
  entry->read_ns = now_ns;
  entry->counts = now;
  return &entry->rates;
}
