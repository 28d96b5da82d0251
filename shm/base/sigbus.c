/* SPDX-License-Identifier: MIT */
/* Catches SIGBUS in guarded loads, and passes all other faults on. */
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

/* Thread-local state that the handler may read without allocation. glibc allocates at the first access unless the model
 * is initial-exec; musl never allocates, and cannot load a library with initial-exec after the start of the program. */
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
    /* Returning lets the faulting instruction run again and end the process by default. A signal sent by kill() has
     * no such instruction and is raised again. */
    signal(SIGBUS, SIG_DFL);
    if (info->si_code <= 0) raise(SIGBUS);
  }
}

static void sigbus_handle(int number, siginfo_t *info, void *context)
{
  struct sigbus_guard *guard = sigbus_current;
  if (guard && info->si_code > 0 && (uintptr_t)info->si_addr - guard->base < guard->bytes) {
    /* The mask is restored here, so that guarded loads without a fault need no system call to save it. */
    pthread_sigmask(SIG_SETMASK, &((const ucontext_t *)context)->uc_sigmask, NULL);
    siglongjmp(guard->escape, 1);
  }
  sigbus_chain(number, info, context);
}

/* Installs the handler, also when other code has replaced it. */
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
