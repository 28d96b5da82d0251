/* SPDX-License-Identifier: MIT */
/* Reads who descends from whom. */
#include "family.h"

#include "shm/base/clock.h"
#include "shm/base/process.h"
#include "tui/text/reserve.h"
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FAMILY_NOTES_BYTES = 2048, FAMILY_PARENTS_MAX = 64 };

/* A process, from its line in /proc. */
struct family_process {
  pid_t pid, parent;
  uint64_t start_ticks;
  bool member;
  bool orphan; /* the parent is gone, so the process has another parent by now and is read again */
};

struct family_scan {
  struct family_process *processes; /* by pid */
  size_t count, capacity;
};

/* Reads a process. False when it does not exist or has ended; *process may be valid in the latter case. */
static bool family_process_read(struct family_process *process, pid_t pid)
{
  struct process_stat stat;
  *process = (struct family_process){ 0 };
  if (!process_stat_read(pid, &stat)) return false;
  *process = (struct family_process){ .pid = pid, .parent = stat.parent, .start_ticks = stat.start_ticks };
  return stat.state != 'Z' && stat.state != 'X';
}

/* Reaps a child that has ended, unless other code waits for it. */
static void family_reap(const struct rtop_family *family, const struct family_process *process)
{
  int status;
  bool ours = process->pid > 0 && process->parent == getpid();
  if (!family->adopts || !ours || process->pid == family->first.pid || process->pid == family->spared) return;
  if (waitpid(process->pid, &status, WNOHANG) != process->pid || !family->reaped) return;
  family->reaped(family->context, process->pid, process->start_ticks, status);
}

static int family_by_pid(const void *left, const void *right)
{
  const struct family_process *a = left, *b = right;
  return a->pid < b->pid ? -1 : a->pid > b->pid;
}

static struct family_process *family_in(const struct family_scan *scan, pid_t pid)
{
  const struct family_process key = { .pid = pid };
  return scan->count ? bsearch(&key, scan->processes, scan->count, sizeof key, family_by_pid) : NULL;
}

static bool family_get(struct family_process *process, pid_t pid, const struct family_scan *seen,
                       const struct rtop_family *family)
{
  const struct family_process *known = family_in(seen, pid);
  bool ours = known && family && family->adopts && known->parent == getpid();
  if (!known || known->orphan || ours) return family_process_read(process, pid);
  *process = *known;
  process->member = false;
  return true;
}

/* Scans /proc. Processes seen before are not read again, except children of this program, which may have ended. */
static bool family_scan(struct family_scan *scan, const struct family_scan *seen, const struct rtop_family *family)
{
  DIR *proc = opendir("/proc");
  bool fine = proc != NULL;
  *scan = (struct family_scan){ 0 };
  for (struct dirent *entry; fine && (entry = readdir(proc));) {
    if (!isdigit((unsigned char)entry->d_name[0])) continue;
    fine = rtop_reserve(&scan->processes, &scan->capacity, scan->count + 1, sizeof *scan->processes);
    if (!fine) break;
    struct family_process *process = &scan->processes[scan->count];
    if (family_get(process, (pid_t)atoi(entry->d_name), seen, family)) scan->count++;
    else if (family) family_reap(family, process);
  }
  if (proc) closedir(proc);
  if (scan->count) qsort(scan->processes, scan->count, sizeof *scan->processes, family_by_pid);
  return fine;
}

uint64_t rtop_family_start_ticks(pid_t pid)
{
  struct family_process process;
  return pid > 0 && family_process_read(&process, pid) ? process.start_ticks : 0;
}

uint64_t rtop_family_listed_ticks(pid_t pid)
{
  struct process_stat stat;
  return process_stat_read(pid, &stat) ? stat.start_ticks : 0;
}

struct rtop_kin *rtop_family_find(const struct rtop_family *family, pid_t pid)
{
  for (size_t i = 0; i < family->count; i++)
    if (family->kin[i].pid == pid) return &family->kin[i];
  return NULL;
}

static bool family_take(struct rtop_family *family, const struct family_process *process,
                        const struct family_process *parent, uid_t owner)
{
  family->crowded = family->crowded || family->count >= RTOP_FAMILY_MAX;
  if (family->count >= RTOP_FAMILY_MAX ||
      !rtop_reserve(&family->kin, &family->capacity, family->count + 1, sizeof *family->kin))
    return false;
  family->kin[family->count++] = (struct rtop_kin){
    .pid = process->pid,
    .parent = parent ? parent->pid : 0,
    .parent_start_ticks = parent ? parent->start_ticks : 0,
    .owner = owner,
    .start_ticks = process->start_ticks,
  };
  return true;
}

bool rtop_family_add(struct rtop_family *family, pid_t pid)
{
  struct family_process process;
  struct process_status status;
  struct rtop_kin *old = rtop_family_find(family, pid);
  /* The uid is not that of the owner of the /proc directory, which for a process that may not be dumped is root. */
  if (pid <= 0 || !process_status_read(pid, &status) || !family_process_read(&process, pid)) return false;
  if (!old) {
    if (!family_take(family, &process, NULL, status.uid)) return false;
    if (!family->first.pid) family->first = family->kin[family->count - 1];
    return true;
  }
  if (old->start_ticks != process.start_ticks)
    *old = (struct rtop_kin){ .pid = pid, .owner = status.uid, .start_ticks = process.start_ticks };
  return true;
}

/* Drops members that are gone, including those whose pid belongs to another process by now. */
static void family_drop_gone(struct rtop_family *family, const struct family_scan *scan)
{
  size_t kept = 0;
  for (size_t i = 0; i < family->count; i++) {
    struct family_process *now = family_in(scan, family->kin[i].pid);
    if (!now || now->start_ticks != family->kin[i].start_ticks) continue;
    now->member = true;
    family->kin[kept++] = family->kin[i];
  }
  family->count = kept;
}

/* Is it a child of this program that is not known otherwise? Commands that are run for a stall, and processes that
 * these leave behind, do not count. */
static bool family_is_orphan(const struct rtop_family *family, const struct family_process *process)
{
  char cause[64];
  return family->adopts && process->parent == getpid() && process->pid != family->spared &&
         !process_environment(process->pid, "RPERF_TOP_STALL_CAUSE", cause, sizeof cause);
}

static bool family_take_orphan(struct rtop_family *family, struct family_process *process)
{
  const struct family_process first = { .pid = family->first.pid, .start_ticks = family->first.start_ticks };
  process->member = family_is_orphan(family, process) && family_take(family, process, &first, family->first.owner);
  return process->member;
}

/* Adds children of known members. False when there are no others. */
static bool family_take_children(struct rtop_family *family, struct family_scan *scan)
{
  bool found = false;
  for (size_t i = 0; i < scan->count; i++) {
    struct family_process *process = &scan->processes[i];
    const struct family_process *parent = process->member ? NULL : family_in(scan, process->parent);
    if (!process->member && family_take_orphan(family, process)) found = true;
    if (process->member || !parent || !parent->member || parent->start_ticks > process->start_ticks) continue;
    process->member = family_take(family, process, parent, rtop_family_find(family, parent->pid)->owner);
    found = found || process->member;
  }
  return found;
}

/* Marks processes whose parent has ended: they have another parent by now, perhaps this program. */
static void family_mark_orphans(struct family_scan *scan)
{
  for (size_t i = 0; i < scan->count; i++) {
    struct family_process *process = &scan->processes[i];
    process->orphan = process->parent > 0 && !family_in(scan, process->parent);
  }
}

static bool family_look(struct rtop_family *family, bool quickly)
{
  const struct family_scan seen = { .processes = family->seen, .count = quickly ? family->seen_count : 0 };
  struct family_scan scan;
  bool fine = family_scan(&scan, &seen, family);
  family->crowded = false;
  if (fine) family_drop_gone(family, &scan);
  while (fine && (family->count || family->adopts) && family_take_children(family, &scan))
    ;
  if (family->adopts) family_mark_orphans(&scan);
  free(family->seen);
  family->seen = scan.processes;
  family->seen_count = fine ? scan.count : 0;
  return fine;
}

bool rtop_family_look(struct rtop_family *family)
{
  return family_look(family, false);
}

bool rtop_family_look_quickly(struct rtop_family *family)
{
  return family_look(family, true);
}

/* Every living member is a child of this program or has an ancestor that is, so it suffices to check for children. */
bool rtop_family_may_be_left(const struct rtop_family *family)
{
  siginfo_t info;
  if (!family->adopts) return true;
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

void rtop_family_destroy(struct rtop_family *family)
{
  free(family->kin);
  free(family->seen);
  *family = (struct rtop_family){ 0 };
}

bool rtop_family_parents(const pid_t *pids, pid_t *parents, size_t count)
{
  struct family_scan scan;
  bool fine = family_scan(&scan, &(struct family_scan){ 0 }, NULL);
  for (size_t i = 0; fine && i < count; i++) {
    struct family_process *one = family_in(&scan, pids[i]);
    if (one) one->member = true;
  }
  for (size_t i = 0; i < count; i++) {
    const struct family_process *one = fine ? family_in(&scan, pids[i]) : NULL;
    parents[i] = 0;
    /* Start times cannot rise on the way to ancestors, but equal ones could form a loop, so the number of
       steps is bounded. */
    for (size_t step = 0; one && !parents[i] && step < scan.count; step++) {
      const struct family_process *above = family_in(&scan, one->parent);
      if (above && above->start_ticks > one->start_ticks) above = NULL;
      if (above && above->member) parents[i] = above->pid;
      one = above;
    }
  }
  free(scan.processes);
  return fine;
}

size_t rtop_family_descendants(pid_t pid, pid_t *pids, size_t capacity)
{
  struct rtop_family family = { 0 };
  size_t found = 0;
  if (rtop_family_add(&family, pid)) rtop_family_look(&family);
  for (size_t i = 0; i < family.count && found < capacity; i++)
    if (family.kin[i].pid != pid) pids[found++] = family.kin[i].pid;
  rtop_family_destroy(&family);
  return found;
}

/* ---- the program that a process runs ------------------------------------------------------------------ */

struct family_notes {
  size_t bytes;
  char text[FAMILY_NOTES_BYTES];
};

static bool family_notes_read(struct family_notes *notes, pid_t pid)
{
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/auxv", (int)pid);
  notes->bytes = process_read_file(path, notes->text, sizeof notes->text);
  return notes->bytes > 0;
}

/* Finds the oldest ancestor that runs the same program. False when that cannot be determined. */
static bool family_first(struct process_stat *stat, pid_t pid, uint64_t start_ticks)
{
  struct family_notes own, other;
  struct process_stat above;
  if (pid <= 0 || !process_stat_read(pid, stat) || stat->ending || stat->start_ticks != start_ticks) return false;
  if (!family_notes_read(&own, pid)) return false;
  for (int i = 0; i < FAMILY_PARENTS_MAX && stat->parent > 0; i++) {
    if (!process_stat_read(stat->parent, &above) || !family_notes_read(&other, stat->parent)) break;
    if (other.bytes != own.bytes || memcmp(other.text, own.text, own.bytes) != 0) break;
    *stat = above;
  }
  return true;
}

int64_t rtop_family_code_real_ns(pid_t pid, uint64_t start_ticks)
{
  struct process_stat stat;
  long ticks = sysconf(_SC_CLK_TCK);
  if (ticks <= 0 || !family_first(&stat, pid, start_ticks)) return 0;
  if (stat.start_ticks > INT64_MAX / (uint64_t)CLOCK_NS_PER_SECOND) return 0;
  int64_t since_boot_ns = (int64_t)stat.start_ticks * (CLOCK_NS_PER_SECOND / ticks);
  int64_t real_ns = clock_real_ns() - (clock_read_ns(CLOCK_BOOTTIME) - since_boot_ns);
  return real_ns > 0 ? real_ns : 0;
}

static bool family_same(const char *path, const char *own)
{
  struct stat one, other;
  return stat(path, &one) == 0 && stat(own, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

bool rtop_family_sees_our_files(pid_t pid)
{
  char root[32], mounts[32];
  snprintf(root, sizeof root, "/proc/%d/root", (int)pid);
  snprintf(mounts, sizeof mounts, "/proc/%d/ns/mnt", (int)pid);
  return pid > 0 && family_same(root, "/") && family_same(mounts, "/proc/self/ns/mnt");
}
