/* SPDX-License-Identifier: MIT */
/* Catches SIGBUS in guarded loads, and leaves all other faults to whoever had them. */
#include "sigbus.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

struct sigbus_guard {
  sigjmp_buf escape;
  uintptr_t base;
  size_t bytes;
};

/* Reading it in the handler must not allocate. glibc does so at the first use in a thread, unless it is told initial-exec;
 * musl never does, and does not load a library with initial-exec later than the program. */
#ifdef __GLIBC__
#define SIGBUS_TLS __attribute__((tls_model("initial-exec")))
#else
#define SIGBUS_TLS
#endif
static _Thread_local struct sigbus_guard *volatile sigbus_current SIGBUS_TLS;
static struct sigaction sigbus_before;

static void sigbus_chain(int number, siginfo_t *info, void *context)
{
  if (sigbus_before.sa_flags & SA_SIGINFO) {
    sigbus_before.sa_sigaction(number, info, context);
  } else if (sigbus_before.sa_handler != SIG_DFL && sigbus_before.sa_handler != SIG_IGN) {
    sigbus_before.sa_handler(number);
  } else {
    /* The faulting instruction runs again and ends the process as if we had never been here. A signal
     * that was sent has no instruction to fault again. */
    signal(SIGBUS, SIG_DFL);
    if (info->si_code <= 0) raise(SIGBUS);
  }
}

static void sigbus_handle(int number, siginfo_t *info, void *context)
{
  struct sigbus_guard *guard = sigbus_current;
  if (guard && info->si_code > 0 && (uintptr_t)info->si_addr - guard->base < guard->bytes) {
    /* Restored here, so that the way without a fault needs no system call to save it. */
    pthread_sigmask(SIG_SETMASK, &((const ucontext_t *)context)->uc_sigmask, NULL);
    siglongjmp(guard->escape, 1);
  }
  sigbus_chain(number, info, context);
}

/* Again when somebody has put another handler in our place since. */
void sigbus_install(void)
{
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  struct sigaction action = { 0 }, now;
  action.sa_sigaction = sigbus_handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  pthread_mutex_lock(&mutex);
  sigaction(SIGBUS, NULL, &now);
  if (!(now.sa_flags & SA_SIGINFO) || now.sa_sigaction != sigbus_handle) {
    sigbus_before = now;
    sigaction(SIGBUS, &action, NULL);
  }
  pthread_mutex_unlock(&mutex);
}

bool sigbus_run(const void *base, size_t bytes, void (*body)(void *), void *argument)
{
  struct sigbus_guard guard = { .base = (uintptr_t)base, .bytes = bytes };
  if (!base) return false;
  if (sigsetjmp(guard.escape, 0) != 0) {
    sigbus_current = NULL;
    return false;
  }
  sigbus_current = &guard;
  body(argument);
  sigbus_current = NULL;
  return true;
}
