/* SPDX-License-Identifier: MIT */
/* Changes user and groups, and verifies the result. */
#include "source_rights.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pwd.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RIGHTS_SANITIZED true /* a sanitizer writes to standard error and needs unlimited memory */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define RIGHTS_SANITIZED true
#endif
#endif
#ifndef RIGHTS_SANITIZED
#define RIGHTS_SANITIZED false
#endif

#if defined(__x86_64__)
#define RIGHTS_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define RIGHTS_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

enum { RIGHTS_PASSWD_BYTES = 4096 };
#define RIGHTS_MORE_BYTES ((rlim_t)256 << 20)
#define RIGHTS_UNKNOWN_BYTES ((rlim_t)256 << 20)

/* Parses /proc/PID/status. */
static bool rights_parse(struct source_rights *rights, FILE *status)
{
  char line[4096];
  unsigned ids[4];
  bool user = false, group = false;
  while (fgets(line, sizeof line, status)) {
    if (sscanf(line, "Uid: %u %u %u %u", &ids[0], &ids[1], &ids[2], &ids[3]) == 4)
      user = ids[3] == rights->user; /* the one that opens files */
    if (sscanf(line, "Gid: %u %u %u %u", &ids[0], &ids[1], &ids[2], &ids[3]) == 4) {
      rights->group = ids[3];
      group = true;
    }
    if (strncmp(line, "Groups:", 7) != 0) continue;
    char *at = line + 7, *end;
    for (unsigned long id = strtoul(at, &end, 10); end != at && rights->group_count < SOURCE_GROUPS_MAX;
         at = end, id = strtoul(at, &end, 10))
      rights->groups[rights->group_count++] = (gid_t)id;
  }
  return user && group;
}

bool source_rights_of(struct source_rights *rights, pid_t pid, uid_t user)
{
  char path[32];
  *rights = (struct source_rights){ .user = user };
  snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
  FILE *status = pid > 0 ? fopen(path, "re") : NULL;
  bool known = status && rights_parse(rights, status);
  if (status) fclose(status);
  if (user == 0 || user == (uid_t)-1) return false;
  rights->is_process = known;
  if (known) return true;
  char buffer[RIGHTS_PASSWD_BYTES];
  struct passwd place, *entry = NULL;
  if (getpwuid_r(user, &place, buffer, sizeof buffer, &entry) != 0) entry = NULL;
  *rights = (struct source_rights){ .user = user, .group = entry ? entry->pw_gid : (gid_t)-1 };
  return entry != NULL;
}

static int rights_compare(const void *left, const void *right)
{
  return *(const int *)left - *(const int *)right;
}

/* Closes all descriptors except those in `keep` and, for a sanitizer's messages, standard error. */
static bool rights_close_all(const int *keep, size_t keep_count)
{
  int sorted[8] = { STDERR_FILENO };
  size_t count = 1;
  for (size_t i = 0; i < keep_count && count < 8; i++)
    if (keep[i] >= 0) sorted[count++] = keep[i];
  qsort(sorted, count, sizeof *sorted, rights_compare);
  unsigned from = 0;
  for (size_t i = 0; i < count; i++) {
    if ((unsigned)sorted[i] > from && syscall(SYS_close_range, from, (unsigned)sorted[i] - 1, 0) != 0) return false;
    from = (unsigned)sorted[i] + 1;
  }
  return syscall(SYS_close_range, from, ~0U, 0) == 0;
}

/* A macro, because the type of `resource` differs between C libraries. */
#define rights_limit(resource, most) (setrlimit(resource, &(const struct rlimit){ most, most }) == 0)

/* Resets signal handlers, except that of SIGBUS, which guards reads of a mapping. */
static void rights_forget_handlers(void)
{
  for (int number = 1; number < NSIG; number++)
    if (number != SIGBUS) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

#ifdef RIGHTS_ARCHITECTURE
static const unsigned rights_open_calls[] = {
  SYS_read,       SYS_write,      SYS_close,      SYS_fstat, SYS_openat,       SYS_openat2,
  SYS_newfstatat, SYS_readlinkat, SYS_exit_group, SYS_exit,  SYS_rt_sigreturn,
};
/* Allowed system calls: for memory, for queries of locks, and for the signal mask that a guarded read restores; those
 * in the last two lines are for sanitizers. */
static const unsigned rights_parse_calls[] = {
  SYS_read,          SYS_write,  SYS_fstat,      SYS_newfstatat, SYS_fcntl,          SYS_brk,
  SYS_mmap,          SYS_munmap, SYS_mremap,     SYS_madvise,    SYS_rt_sigprocmask, SYS_rt_sigreturn,
  SYS_clock_gettime, SYS_futex,  SYS_exit_group, SYS_exit,       SYS_sigaltstack,    SYS_gettid,
};
enum { RIGHTS_CALLS_MAX = 20 };
_Static_assert(sizeof rights_open_calls / sizeof(unsigned) <= RIGHTS_CALLS_MAX, "calls");
_Static_assert(sizeof rights_parse_calls / sizeof(unsigned) <= RIGHTS_CALLS_MAX, "calls");

static bool rights_install(const unsigned *allowed, size_t count)
{
  struct sock_filter code[RIGHTS_CALLS_MAX + 6] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, RIGHTS_ARCHITECTURE, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
  };
  for (size_t i = 0; i < count; i++)
    code[4 + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i], (unsigned char)(count - i), 0);
  code[4 + count] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  code[5 + count] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = { .len = (unsigned short)(count + 6), .filter = code };
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 || errno == EINVAL; /* a kernel without */
}
#endif

/* Installs a seccomp filter that allows the calls that this use needs; all others fail with EPERM. */
static bool rights_filter(enum source_rights_use use)
{
#ifdef RIGHTS_ARCHITECTURE
  if (use == SOURCE_RIGHTS_PARSE)
    return rights_install(rights_parse_calls, sizeof rights_parse_calls / sizeof *rights_parse_calls);
  return rights_install(rights_open_calls, sizeof rights_open_calls / sizeof *rights_open_calls);
#else
  (void)use;
  return true;
#endif
}

/* Limits memory to this many bytes more than the parent had at the fork. */
static bool rights_limit_memory(void)
{
  unsigned long long pages[6] = { 0 };
  FILE *file = RIGHTS_SANITIZED ? NULL : fopen("/proc/self/statm", "re");
  bool known = file && fscanf(file, "%llu %llu %llu %llu %llu %llu", &pages[0], &pages[1], &pages[2], &pages[3],
                              &pages[4], &pages[5]) == 6;
  if (file) fclose(file);
  rlim_t now = known ? pages[5] * (rlim_t)sysconf(_SC_PAGESIZE) : RIGHTS_UNKNOWN_BYTES;
  return RIGHTS_SANITIZED || rights_limit(RLIMIT_DATA, now + RIGHTS_MORE_BYTES);
}

/* Standard error is the terminal of root. */
static bool rights_hush(void)
{
  int null = RIGHTS_SANITIZED ? STDERR_FILENO : open("/dev/null", O_WRONLY | O_CLOEXEC);
  bool done = null >= 0 && dup2(null, STDERR_FILENO) == STDERR_FILENO;
  if (null > STDERR_FILENO) close(null);
  return done;
}

/* Drops what only root can drop. */
static bool rights_change(const struct source_rights *rights)
{
  return setgroups(rights->group_count, rights->groups) == 0 &&
         setresgid(rights->group, rights->group, rights->group) == 0 &&
         setresuid(rights->user, rights->user, rights->user) == 0 && setresuid(0, 0, 0) != 0;
}

bool source_rights_take(const struct source_rights *rights, enum source_rights_use use, const int *keep,
                        size_t keep_count)
{
  rights_forget_handlers();
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || !rights_limit_memory() || !rights_hush() ||
      !rights_close_all(keep, keep_count) || !rights_limit(RLIMIT_CORE, 0) ||
      (use == SOURCE_RIGHTS_OPEN && !rights_limit(RLIMIT_CPU, 1)) || !rights_change(rights))
    return false;
  /* Changing the user reset the first of these settings, so it is made again. */
  return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && prctl(PR_SET_DUMPABLE, 0) == 0 &&
         prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && rights_limit(RLIMIT_FSIZE, 0) &&
         rights_limit(RLIMIT_NPROC, 0) && rights_limit(RLIMIT_NOFILE, 1024) && rights_filter(use);
}

bool source_rights_become(const struct source_rights *rights)
{
  if (!rights_change(rights)) return false;
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return true;
}
