/* SPDX-License-Identifier: MIT */
/* Loads the extension into a Ruby process that was started without it: a debugger loads this library into the process
 * (inject.py, in this folder). The library's constructor only starts a thread that triggers a postponed job of the VM.
 * The job runs at a safepoint and makes a Ruby thread, which requires the extension just as the program could.
 *
 * Threads: the constructor may run in any thread, inside a system call, while all other threads are stopped.
 */
#include <ruby/ruby.h>

#include <dlfcn.h>
#include <pthread.h>
#include <ruby/debug.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

enum {
  /* time in ms after which the library stops triggering the job; an idle server rarely reaches a safepoint */
  INJECT_ASK_MS = 300000,
  INJECT_PAUSE_MS = 20,
  INJECT_STACK_BYTES = 64 << 10,
};

static char extension[4096];
static rb_postponed_job_handle_t job;
static _Atomic bool has_run;

static VALUE inject_require(VALUE nothing)
{
  (void)nothing;
  return rb_require(extension);
}

/* Loads the extension. If that fails, the program continues; the extension itself prints the reason. */
static VALUE inject_thread(void *nothing)
{
  int state;
  (void)nothing;
  rb_protect(inject_require, Qnil, &state);
  if (state) rb_set_errinfo(Qnil);
  return Qnil;
}

static VALUE inject_make_thread(VALUE nothing)
{
  (void)nothing;
  return rb_thread_create(inject_thread, NULL);
}

/* Makes a thread, because a job must not wait for locks, and `require` takes a lock. */
static void inject_job(void *nothing)
{
  VALUE before = rb_errinfo();
  int state;
  (void)nothing;
  if (atomic_exchange(&has_run, true)) return;
  rb_protect(inject_make_thread, Qnil, &state);
  if (state) rb_set_errinfo(before);
}

/* Triggers the job from a thread unknown to the VM, so that the VM interrupts the running Ruby thread, not the calling
 * one. Triggers it repeatedly, since the interrupted thread may go to sleep before it checks for jobs. */
static void *inject_ask(void *nothing)
{
  (void)nothing;
  for (int64_t asked_ms = 0; asked_ms < INJECT_ASK_MS && !atomic_load(&has_run); asked_ms += INJECT_PAUSE_MS) {
    const struct timespec pause = { .tv_nsec = INJECT_PAUSE_MS * 1000000 };
    rb_postponed_job_trigger(job);
    nanosleep(&pause, NULL);
  }
  return NULL;
}

static void inject_begin(void)
{
  pthread_attr_t attributes;
  pthread_t asking;
  sigset_t all, before;
  if (pthread_attr_init(&attributes) != 0) return;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, INJECT_STACK_BYTES);
  sigfillset(&all); /* signals are for the program's threads */
  pthread_sigmask(SIG_SETMASK, &all, &before);
  (void)pthread_create(&asking, &attributes, inject_ask, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
}

/* Registers the job. This takes no lock of the VM, since jobs are registered by atomic operations on a table. */
__attribute__((constructor)) static void inject_asked(void)
{
  static const char name[] = "rperf_top";
  Dl_info own;
  if (!dladdr((void *)inject_asked, &own)) return;
  const char *slash = strrchr(own.dli_fname, '/');
  size_t folder = slash ? (size_t)(slash - own.dli_fname) + 1 : 0;
  if (folder == 0 || folder + sizeof name > sizeof extension) return;
  memcpy(extension, own.dli_fname, folder);
  memcpy(extension + folder, name, sizeof name);
  job = rb_postponed_job_preregister(0, inject_job, NULL);
  if (job != POSTPONED_JOB_HANDLE_INVALID) inject_begin();
}
