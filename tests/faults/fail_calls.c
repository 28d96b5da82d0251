/* To be preloaded into a Ruby: fails calls that the extension makes, and no others. Whose call it is, the address
 * tells that it returns to.
 *
 *   RTOP_FAULT=KIND:FIRST:COUNT:ERROR   the calls number FIRST to FIRST + COUNT - 1 of a function; ERROR 0: the call
 *                                       does half of its work, where there is such a thing
 *   RTOP_FAULT=*:SEED:PERMILLE:0        any call, at random
 *   RTOP_FAULT_COUNTS=FILE              gets the number of calls of each kind, the last entry that of failed ones
 *
 * Both are read when the extension is loaded, so that a process can fork first and choose then.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

/* Every function of other libraries that the extension calls and that can fail, with the error of a random failure. */
/* clang-format off */
#define KINDS(X) \
  X(malloc, ENOMEM) X(calloc, ENOMEM) X(realloc, ENOMEM) X(aligned_alloc, ENOMEM) X(mmap, ENOMEM) X(munmap, ENOMEM) X(madvise, EINVAL) \
  X(open, EMFILE) X(openat, EACCES) X(close, EINTR) X(fcntl, ENOLCK) X(fstat, EIO) X(stat, EACCES) X(lstat, EACCES) \
  X(fstatat, EACCES) X(fstatfs, ENOSYS) X(statvfs, ENOSYS) X(fstatvfs, ENOSYS) X(fchmod, EPERM) X(fchmodat, EPERM) \
  X(ftruncate, EFBIG) X(posix_fallocate, ENOSPC) X(linkat, EPERM) X(renameat2, ENOSYS) X(unlink, EPERM) \
  X(unlinkat, EPERM) X(mkdirat, EROFS) X(pread, EIO) X(pwrite, ENOSPC) X(read, EIO) X(write, EAGAIN) X(fopen, EMFILE) \
  X(fread, EIO) X(fclose, EIO) X(fdopendir, ENOMEM) X(readdir, EIO) X(getrandom, ENOSYS) X(getrlimit, EPERM) \
  X(getrusage, EFAULT) X(sched_getaffinity, EPERM) X(sched_setaffinity, EPERM) X(sched_getcpu, ENOSYS) \
  X(clock_gettime, EINVAL) X(time, EINVAL) X(nanosleep, EINTR) X(timerfd_create, EMFILE) X(timerfd_settime, EINVAL) \
  X(syscall, EINTR) X(sysconf, EINVAL) X(pthread_create, EAGAIN) X(pthread_attr_init, ENOMEM) \
  X(pthread_attr_setstacksize, EINVAL) X(pthread_getcpuclockid, ENOENT) X(pthread_setname_np, EINVAL) \
  X(pthread_timedjoin_np, ETIMEDOUT) X(pthread_join, ESRCH) X(prctl, EINVAL) X(__register_atfork, ENOMEM) X(LZ4_compress_default, 0)
/* clang-format on */

enum kind {
#define X(name, error) KIND_##name,
  KINDS(X)
#undef X
      KIND_COUNT,
};

static const struct {
  const char *name;
  int error;
} kinds[KIND_COUNT] = {
#define X(name, error) [KIND_##name] = { #name, error },
  KINDS(X)
#undef X
};

struct entry {
  char name[56];
  _Atomic uint64_t count;
};

static struct entry unshared[KIND_COUNT + 1], *entries = unshared;
static void *reals[KIND_COUNT];
static struct {
  uintptr_t start, bytes; /* of the extension in memory */
  bool random;
  enum kind kind;
  uint64_t first, count;
  int error;
} plan = { .kind = KIND_COUNT };

int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *);
int LZ4_compress_default(const char *, char *, int, int);
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static void *real(enum kind kind)
{
  if (!reals[kind]) reals[kind] = dlsym(RTLD_NEXT, kinds[kind].name);
  return reals[kind];
}

static bool chosen(enum kind kind, uint64_t number)
{
  if (!plan.random) return kind == plan.kind && number >= plan.first && number - plan.first < plan.count;
  uint64_t mixed = (plan.first + (uint64_t)kind * 1000003 + number) * UINT64_C(0x9E3779B97F4A7C15);
  mixed = (mixed ^ mixed >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
  return (mixed >> 32) % 1000 < plan.count;
}

static bool fails(enum kind kind, const void *from)
{
  if ((uintptr_t)from - plan.start >= plan.bytes) return false;
  if (!chosen(kind, atomic_fetch_add(&entries[kind].count, 1) + 1)) return false;
  atomic_fetch_add(&entries[KIND_COUNT].count, 1);
  errno = plan.random ? kinds[kind].error : plan.error;
  return true;
}

/* ---- when the extension comes -------------------------------------------------------------------------- */

static int find_extension(struct dl_phdr_info *info, size_t bytes, void *unused)
{
  static const char name[] = "/rperf_top.so";
  size_t length = strlen(info->dlpi_name);
  (void)bytes, (void)unused;
  if (length < sizeof name || strcmp(info->dlpi_name + length - (sizeof name - 1), name) != 0) return 0;
  uintptr_t end = 0;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz > end)
      end = info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
  plan.start = info->dlpi_addr;
  plan.bytes = end;
  return 1;
}

static void share_counts(const char *path)
{
  int fd = ((int (*)(const char *, int, ...))real(KIND_open))(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  void *memory = MAP_FAILED;
  if (fd >= 0 && ((int (*)(int, off_t))real(KIND_ftruncate))(fd, sizeof unshared) == 0)
    memory = ((void *(*)(void *, size_t, int, int, int, off_t))real(KIND_mmap))(
        NULL, sizeof unshared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) abort();
  ((int (*)(int))real(KIND_close))(fd);
  entries = memory;
  for (int i = 0; i <= KIND_COUNT; i++)
    snprintf(entries[i].name, sizeof entries[i].name, "%s", i < KIND_COUNT ? kinds[i].name : "failed");
}

static void read_plan(const char *text)
{
  char name[56];
  unsigned long long first, count;
  if (sscanf(text, "%55[^:]:%llu:%llu:%d", name, &first, &count, &plan.error) != 4) abort();
  plan.first = first;
  plan.count = count;
  plan.random = strcmp(name, "*") == 0;
  for (plan.kind = 0; plan.kind < KIND_COUNT && strcmp(kinds[plan.kind].name, name) != 0;) plan.kind++;
  if (!plan.random && plan.kind == KIND_COUNT) abort();
}

void *dlopen(const char *path, int flags)
{
  static void *(*next)(const char *, int);
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, "dlopen");
  void *handle = next(path, flags);
  if (handle && !plan.bytes && path && strstr(path, "/rperf_top.so")) {
    const char *counts = getenv("RTOP_FAULT_COUNTS"), *fault = getenv("RTOP_FAULT");
    if (counts) share_counts(counts);
    if (fault) read_plan(fault);
    dl_iterate_phdr(find_extension, NULL);
  }
  return handle;
}

/* ---- the calls ------------------------------------------------------------------------------------------ */

#define FAILS(name) fails(KIND_##name, __builtin_return_address(0))
#define REAL(name) ((__typeof__(&name))real(KIND_##name))
#define WRAP(type, name, parameters, arguments, failure)                                                               \
  type name parameters                                                                                                 \
  {                                                                                                                    \
    return FAILS(name) ? (failure) : REAL(name) arguments;                                                             \
  }
#define HALF (count - count / 2)
/* Of those that can do a part of their work. */
#define WRAP_PARTLY(name, parameters, arguments, shortened)                                                            \
  ssize_t name parameters                                                                                              \
  {                                                                                                                    \
    if (!FAILS(name)) return REAL(name) arguments;                                                                     \
    return errno == 0 ? REAL(name) shortened : -1;                                                                     \
  }

void *malloc(size_t bytes)
{
  return FAILS(malloc) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
  return FAILS(calloc) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
  return FAILS(realloc) ? NULL : __libc_realloc(memory, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
  return FAILS(aligned_alloc) ? NULL : __libc_memalign(alignment, bytes);
}

WRAP(void *, mmap, (void *at, size_t bytes, int protection, int flags, int fd, off_t offset),
     (at, bytes, protection, flags, fd, offset), MAP_FAILED)
WRAP(int, munmap, (void *at, size_t bytes), (at, bytes), -1)
WRAP(int, madvise, (void *at, size_t bytes, int advice), (at, bytes, advice), -1)
WRAP(int, fstat, (int fd, struct stat *status), (fd, status), -1)
WRAP(int, stat, (const char *path, struct stat *status), (path, status), -1)
WRAP(int, lstat, (const char *path, struct stat *status), (path, status), -1)
WRAP(int, fstatat, (int fd, const char *path, struct stat *status, int flags), (fd, path, status, flags), -1)
WRAP(int, fstatfs, (int fd, struct statfs *space), (fd, space), -1)
WRAP(int, statvfs, (const char *path, struct statvfs *space), (path, space), -1)
WRAP(int, fstatvfs, (int fd, struct statvfs *space), (fd, space), -1)
WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode), -1)
WRAP(int, fchmodat, (int fd, const char *path, mode_t mode, int flags), (fd, path, mode, flags), -1)
WRAP(int, ftruncate, (int fd, off_t bytes), (fd, bytes), -1)
WRAP(int, posix_fallocate, (int fd, off_t offset, off_t bytes), (fd, offset, bytes), errno)
WRAP(int, linkat, (int from, const char *path, int to, const char *name, int flags), (from, path, to, name, flags), -1)
WRAP(int, renameat2, (int from, const char *path, int to, const char *name, unsigned flags),
     (from, path, to, name, flags), -1)
WRAP(int, unlink, (const char *path), (path), -1)
WRAP(int, unlinkat, (int fd, const char *path, int flags), (fd, path, flags), -1)
WRAP(int, mkdirat, (int fd, const char *path, mode_t mode), (fd, path, mode), -1)
WRAP_PARTLY(pread, (int fd, void *bytes, size_t count, off_t offset), (fd, bytes, count, offset),
            (fd, bytes, HALF, offset))
WRAP_PARTLY(pwrite, (int fd, const void *bytes, size_t count, off_t offset), (fd, bytes, count, offset),
            (fd, bytes, HALF, offset))
WRAP_PARTLY(read, (int fd, void *bytes, size_t count), (fd, bytes, count), (fd, bytes, HALF))
WRAP_PARTLY(write, (int fd, const void *bytes, size_t count), (fd, bytes, count), (fd, bytes, HALF))
WRAP_PARTLY(getrandom, (void *bytes, size_t count, unsigned flags), (bytes, count, flags), (bytes, HALF, flags))
WRAP(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL)
WRAP(size_t, fread, (void *to, size_t bytes, size_t count, FILE *file), (to, bytes, count, file), 0)
WRAP(DIR *, fdopendir, (int fd), (fd), NULL)
WRAP(struct dirent *, readdir, (DIR * directory), (directory), NULL)
WRAP(int, clock_gettime, (clockid_t clock, struct timespec *now), (clock, now), -1)
WRAP(time_t, time, (time_t * now), (now), -1)
WRAP(int, nanosleep, (const struct timespec *length, struct timespec *rest), (length, rest), -1)
WRAP(int, timerfd_create, (int clock, int flags), (clock, flags), -1)
WRAP(int, timerfd_settime, (int fd, int flags, const struct itimerspec *to, struct itimerspec *before),
     (fd, flags, to, before), -1)
WRAP(long, sysconf, (int name), (name), -1)
WRAP(int, getrusage, (int who, struct rusage *usage), (who, usage), -1)
WRAP(int, sched_getaffinity, (pid_t pid, size_t bytes, cpu_set_t *cores), (pid, bytes, cores), -1)
WRAP(int, sched_setaffinity, (pid_t pid, size_t bytes, const cpu_set_t *cores), (pid, bytes, cores), -1)
WRAP(int, sched_getcpu, (void), (), -1)
WRAP(int, pthread_create,
     (pthread_t * thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument),
     (thread, attributes, start, argument), errno)
WRAP(int, pthread_attr_init, (pthread_attr_t * attributes), (attributes), errno)
WRAP(int, pthread_attr_setstacksize, (pthread_attr_t * attributes, size_t bytes), (attributes, bytes), errno)
WRAP(int, pthread_getcpuclockid, (pthread_t thread, clockid_t *clock), (thread, clock), errno)
WRAP(int, pthread_setname_np, (pthread_t thread, const char *name), (thread, name), errno)
WRAP(int, pthread_timedjoin_np, (pthread_t thread, void **result, const struct timespec *until),
     (thread, result, until), errno)
WRAP(int, pthread_join, (pthread_t thread, void **result), (thread, result), errno)
WRAP(int, __register_atfork, (void (*before)(void), void (*parent)(void), void (*child)(void), void *object),
     (before, parent, child, object), errno)
WRAP(int, LZ4_compress_default, (const char *from, char *to, int bytes, int room), (from, to, bytes, room), 0)

/* Their declarations are of other types in C++ and C. */
int getrlimit(__rlimit_resource_t resource, struct rlimit *limit)
{
  return FAILS(getrlimit) ? -1 : REAL(getrlimit)(resource, limit);
}

/* What was to be closed is closed all the same, as Linux does it. */
int close(int fd)
{
  bool failed = FAILS(close);
  int cause = errno, result = REAL(close)(fd);
  if (failed) errno = cause;
  return failed ? -1 : result;
}

int fclose(FILE *file)
{
  bool failed = FAILS(fclose);
  int cause = errno, result = REAL(fclose)(file);
  if (failed) errno = cause;
  return failed ? EOF : result;
}

#define LAST_ARGUMENT(type, after)                                                                                     \
  va_list list;                                                                                                        \
  va_start(list, after);                                                                                               \
  type last = va_arg(list, type);                                                                                      \
  va_end(list)

int open(const char *path, int flags, ...)
{
  LAST_ARGUMENT(mode_t, flags);
  return FAILS(open) ? -1 : REAL(open)(path, flags, last);
}

int openat(int directory, const char *path, int flags, ...)
{
  LAST_ARGUMENT(mode_t, flags);
  return FAILS(openat) ? -1 : REAL(openat)(directory, path, flags, last);
}

int fcntl(int fd, int command, ...)
{
  LAST_ARGUMENT(void *, command);
  return FAILS(fcntl) ? -1 : REAL(fcntl)(fd, command, last);
}

int prctl(int option, ...)
{
  va_list list;
  unsigned long arguments[4];
  va_start(list, option);
  for (int i = 0; i < 4; i++) arguments[i] = va_arg(list, unsigned long);
  va_end(list);
  return FAILS(prctl) ? -1 : REAL(prctl)(option, arguments[0], arguments[1], arguments[2], arguments[3]);
}

/* Only the futex can fail of those that are called so. */
long syscall(long number, ...)
{
  va_list list;
  long arguments[6];
  va_start(list, number);
  for (int i = 0; i < 6; i++) arguments[i] = va_arg(list, long);
  va_end(list);
  if (number == SYS_futex && FAILS(syscall)) return -1;
  return REAL(syscall)(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}
