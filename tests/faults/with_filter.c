/* Runs a command under a seccomp filter, as containers and service managers do.
 *
 *   with_filter ERRNO|kill RULE[,RULE...] COMMAND [ARGUMENT...]
 *
 * A rule names a system call, or NAME:ARGUMENT:MASK:VALUE a system call whose argument (0 to 5) is VALUE under MASK.
 * Those fail with ERRNO, or end the process. Status 77 when this kernel takes no filter, 2 when a rule is not
 * understood; a system call that this machine does not have is passed over.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#else
#define MACHINE 0
#endif

enum { RULES_MAX = 100, CODE_MAX = 8 * RULES_MAX, NOT_HERE = -2 };

static const struct {
  const char *name;
  long number;
} calls[] = {
#define CALL(name)                                                                                                     \
  {                                                                                                                    \
#name, SYS_##name                                                                                                  \
  }
  CALL(acct),
  CALL(add_key),
  CALL(bpf),
  CALL(clock_adjtime),
  CALL(clock_gettime),
  CALL(clock_settime),
  CALL(clone),
  CALL(clone3),
  CALL(close_range),
  CALL(delete_module),
  CALL(faccessat2),
  CALL(fallocate),
  CALL(fchmod),
  CALL(fchmodat),
  CALL(fcntl),
  CALL(finit_module),
  CALL(fstatfs),
  CALL(ftruncate),
  CALL(futex),
  CALL(get_mempolicy),
  CALL(getrandom),
  CALL(init_module),
  CALL(io_uring_setup),
  CALL(ioprio_set),
  CALL(kcmp),
  CALL(kexec_load),
  CALL(keyctl),
  CALL(linkat),
  CALL(madvise),
  CALL(mbind),
  CALL(memfd_create),
  CALL(migrate_pages),
  CALL(mkdirat),
  CALL(mmap),
  CALL(mount),
  CALL(move_pages),
  CALL(munmap),
  CALL(name_to_handle_at),
  CALL(newfstatat),
  CALL(open_by_handle_at),
  CALL(openat),
  CALL(openat2),
  CALL(perf_event_open),
  CALL(personality),
  CALL(pidfd_open),
  CALL(pivot_root),
  CALL(prctl),
  CALL(pread64),
  CALL(prlimit64),
  CALL(process_vm_readv),
  CALL(process_vm_writev),
  CALL(ptrace),
  CALL(pwrite64),
  CALL(quotactl),
  CALL(reboot),
  CALL(renameat2),
  CALL(request_key),
  CALL(rseq),
  CALL(sched_setaffinity),
  CALL(sched_setattr),
  CALL(sched_setparam),
  CALL(sched_setscheduler),
  CALL(sched_yield),
  CALL(set_mempolicy),
  CALL(setns),
  CALL(setpriority),
  CALL(setrlimit),
  CALL(settimeofday),
  CALL(statfs),
  CALL(statx),
  CALL(swapoff),
  CALL(swapon),
  CALL(timer_create),
  CALL(timerfd_create),
  CALL(timerfd_settime),
  CALL(umount2),
  CALL(unlinkat),
  CALL(unshare),
  CALL(userfaultfd),
  CALL(vhangup),
#ifdef SYS_unlink
  CALL(unlink),
  CALL(getrlimit),
#else
  { "unlink", NOT_HERE },
  { "getrlimit", NOT_HERE },
#endif
};

static struct sock_filter code[CODE_MAX];
static unsigned short length;

static void add(unsigned short operation, unsigned constant, unsigned char otherwise)
{
  code[length++] = (struct sock_filter)BPF_JUMP(operation, constant, 0, otherwise);
}

static void add_load(size_t offset)
{
  add(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0);
}

static long number_of(const char *name)
{
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
    if (strcmp(calls[i].name, name) == 0) return calls[i].number;
  return -1;
}

/* False: not understood. */
static int add_rule(const char *rule, unsigned action)
{
  char name[32];
  unsigned argument, mask, value;
  int found = sscanf(rule, "%31[a-z0-9_]:%u:%u:%u", name, &argument, &mask, &value);
  long number = found == 1 || (found == 4 && argument < 6) ? number_of(name) : -1;
  if (number == NOT_HERE) return 1;
  if (number < 0 || length + 8 > CODE_MAX) return 0;
  add_load(offsetof(struct seccomp_data, nr));
  add(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, found == 4 ? 4 : 1);
  if (found == 4) {
    add_load(offsetof(struct seccomp_data, args) + 8 * argument);
    add(BPF_ALU | BPF_AND | BPF_K, mask, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 1);
  }
  add(BPF_RET | BPF_K, action, 0);
  return 1;
}

int main(int argc, char **argv)
{
  if (argc < 4 || MACHINE == 0) return argc < 4 ? 2 : 77;
  unsigned action =
      strcmp(argv[1], "kill") == 0 ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | (unsigned)atoi(argv[1]);
  add_load(offsetof(struct seccomp_data, arch));
  add(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 0);
  for (char *rule = strtok(argv[2], ","); rule; rule = strtok(NULL, ","))
    if (!add_rule(rule, action)) {
      fprintf(stderr, "with_filter: %s is not understood\n", rule);
      return 2;
    }
  add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0);
  struct sock_fprog program = { .len = length, .filter = code };
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    perror("with_filter");
    return 77;
  }
  execvp(argv[3], argv + 3);
  perror(argv[3]);
  return 127;
}
