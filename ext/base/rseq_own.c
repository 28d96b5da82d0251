/* SPDX-License-Identifier: MIT */
/* A table of rseq areas that threads claim and release. */
#include "rseq_own.h"

#ifdef RTOP_RSEQ_OWN

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { AREAS = 1024, AREA_BYTES = 32, UNREGISTER = 1 };

static struct rseq areas[AREAS];
static atomic_bool taken[AREAS];
static pthread_key_t at_end;
static bool started;
static _Thread_local struct rseq *own;
static _Thread_local bool tried; /* true once claiming an area was tried */

/* Destructor of thread-specific data: releases the thread's area as the thread ends. An area that the kernel does not
 * release stays taken. */
static void give_back(void *area)
{
  own = NULL;
  if (syscall(SYS_rseq, area, AREA_BYTES, UNREGISTER, RSEQ_SIG) == 0)
    atomic_store_explicit(&taken[(struct rseq *)area - areas], false, memory_order_release);
}

bool rseq_own_start(void)
{
  if (!started) started = pthread_key_create(&at_end, give_back) == 0;
  return started;
}

static struct rseq *take(void)
{
  for (uint32_t at = 0; at < AREAS; at++) {
    bool free = false;
    if (atomic_load_explicit(&taken[at], memory_order_relaxed)) continue;
    if (atomic_compare_exchange_strong_explicit(&taken[at], &free, true, memory_order_acquire, memory_order_relaxed))
      return &areas[at];
  }
  return NULL;
}

static struct rseq *registered(void)
{
  struct rseq *area = take();
  if (!area) return NULL;
  *area = (struct rseq){ .cpu_id = UINT32_MAX }; /* the area is not registered yet */
  if (syscall(SYS_rseq, area, AREA_BYTES, 0, RSEQ_SIG) != 0) {
    atomic_store_explicit(&taken[area - areas], false, memory_order_release);
    return NULL;
  }
  if (pthread_setspecific(at_end, area) == 0) return area;
  give_back(area);
  return NULL;
}

uintptr_t rseq_own_area(void)
{
  return (uintptr_t)own;
}

uintptr_t rseq_own_claim(void)
{
  if (!own && !tried && started) {
    tried = true;
    own = registered();
  }
  return (uintptr_t)own;
}

#endif
