/* Stands before the libraries of a test's program (LD_PRELOAD) and lets one thing go wrong: $PRELOAD names it.
 *
 *   thread     no thread is made for the publisher
 *   memory     no memory for large tables, from the start on
 *   gc_key     this Ruby knows nothing of malloc_increase_bytes
 *   layout     this VM's Method objects look different
 *   writes     the file system takes $PRELOAD_SECONDS for each write of the publisher
 *   opens      each file that the publisher opens stays known to nobody for a moment
 *   wakes      the publisher comes 50 ms late, whatever it sleeps for
 *   table      the kernel takes $PRELOAD_SECONDS to make the table of descriptors larger
 *   hooks      hooks that a child adds are noted in $PRELOAD_LOG
 *   clocks     how often CPU clocks of other threads are read is noted in $PRELOAD_LOG, at the end
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <ruby.h>
#include <ruby/thread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#pragma weak rb_eArgError /* also stands before programs that are no Ruby */

static int is(const char *what)
{
  const char *wanted = getenv("PRELOAD");
  return wanted && strcmp(wanted, what) == 0;
}

static int on_publisher(void)
{
  char name[16] = "";
  prctl(PR_GET_NAME, name);
  return strcmp(name, "rperf-top") == 0;
}

static void take(double seconds)
{
  struct timespec rest = { (time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9) };
  while (nanosleep(&rest, &rest) != 0 && errno == EINTR) continue;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
  size_t stack = 0;
  if (attributes && is("thread") && pthread_attr_getstacksize(attributes, &stack) == 0 && stack == 512 * 1024)
    return EAGAIN;
  return NEXT(pthread_create)(thread, attributes, start, argument);
}

static __thread int looking; /* dlsym may ask for memory itself */

void *calloc(size_t count, size_t bytes)
{
  extern void *__libc_calloc(size_t, size_t);
  if (!looking && bytes && count > 100000 && bytes < 256) {
    looking = 1;
    int fails = is("memory");
    looking = 0;
    if (fails) return NULL;
  }
  return __libc_calloc(count, bytes);
}

size_t rb_gc_stat(VALUE key)
{
  if (is("gc_key") && RB_SYMBOL_P(key) && strcmp(rb_id2name(RB_SYM2ID(key)), "malloc_increase_bytes") == 0)
    rb_raise(rb_eArgError, "unknown key: malloc_increase_bytes");
  return NEXT(rb_gc_stat)(key);
}

VALUE rb_obj_method(VALUE object, VALUE name)
{
  VALUE method = NEXT(rb_obj_method)(object, name);
  return is("layout") ? rb_str_new_cstr("no Method") : method;
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset)
{
  if (is("writes") && on_publisher()) take(atof(getenv("PRELOAD_SECONDS")));
  return NEXT(pwrite)(fd, bytes, count, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset)
{
  return pwrite(fd, bytes, count, offset);
}

long syscall(long number, ...)
{
  long arguments[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; i++) arguments[i] = va_arg(list, long);
  va_end(list);
  long result =
      NEXT(syscall)(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
  if (is("wakes") && on_publisher()) take(0.05);
  return result;
}

static int opened(int fd)
{
  if (fd >= 0 && is("opens") && on_publisher()) take(0.002);
  return fd;
}

int open(const char *path, int flags, ...)
{
  va_list list;
  va_start(list, flags);
  int mode = va_arg(list, int);
  va_end(list);
  return opened(NEXT(open)(path, flags, mode));
}

int openat(int directory, const char *path, int flags, ...)
{
  va_list list;
  va_start(list, flags);
  int mode = va_arg(list, int);
  va_end(list);
  return opened(NEXT(openat)(directory, path, flags, mode));
}

static long table_size(void)
{
  char line[256];
  long size = 0;
  FILE *status = fopen("/proc/self/status", "re");
  while (status && !size && fgets(line, sizeof line, status)) sscanf(line, "FDSize: %ld", &size);
  if (status) fclose(status);
  return size;
}

int fcntl(int fd, int command, ...)
{
  va_list list;
  va_start(list, command);
  void *argument = va_arg(list, void *);
  va_end(list);
  long before = command == F_DUPFD_CLOEXEC && is("table") ? table_size() : 0;
  int result = NEXT(fcntl)(fd, command, argument);
  if (before && before != table_size()) take(strtod(getenv("PRELOAD_SECONDS"), NULL));
  return result;
}

static pid_t first;

__attribute__((constructor)) static void remember(void)
{
  first = getpid();
}

rb_internal_thread_event_hook_t *rb_internal_thread_add_event_hook(rb_internal_thread_event_callback call,
                                                                   rb_event_flag_t events, void *data)
{
  if (is("hooks") && getpid() != first) {
    FILE *log = fopen(getenv("PRELOAD_LOG"), "a");
    fprintf(log, "hook\n");
    fclose(log);
  }
  return NEXT(rb_internal_thread_add_event_hook)(call, events, data);
}

static _Atomic unsigned long clocks_read;

/* Clocks of threads by their number are negative; so are those of processes, without this bit. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
  static __typeof__(&clock_gettime) next;
  if (!next) next = NEXT(clock_gettime);
  if (clock < 0 && clock & 4) clocks_read++;
  return next(clock, time);
}

__attribute__((destructor)) static void tell_clocks(void)
{
  if (!is("clocks")) return;
  FILE *log = fopen(getenv("PRELOAD_LOG"), "w");
  fprintf(log, "%lu\n", clocks_read);
  fclose(log);
}
