/* SPDX-License-Identifier: MIT */
/* The lock between opening descriptors and forking. */
#include "opening.h"

#include "ext/base/trylock.h"
#include "shm/base/clock.h"
#include "shm/base/process.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define FORK_WAITS_NS (CLOCK_NS_PER_SECOND / 2)
#define LOOK_AGAIN_NS 50000

static struct trylock lock;
static _Atomic bool forking; /* `forker` has the lock */
static pthread_t forker;

static void wait_a_little(void)
{
  nanosleep(&(struct timespec){ .tv_nsec = LOOK_AGAIN_NS }, NULL);
}

void opening_begin(void)
{
  while (!trylock_take(&lock)) wait_a_little();
}

bool opening_try(void)
{
  return trylock_take(&lock);
}

void opening_end(void)
{
  trylock_release(&lock);
}

size_t opening_read_file(const char *path, char *text, size_t text_bytes)
{
  opening_begin();
  size_t length = process_read_file(path, text, text_bytes);
  opening_end();
  return length;
}

void opening_before_fork(void)
{
  int64_t until_ns = clock_now_ns() + FORK_WAITS_NS;
  while (!trylock_take(&lock)) {
    if (clock_now_ns() > until_ns) return;
    wait_a_little();
  }
  forker = pthread_self();
  atomic_store(&forking, true);
}

void opening_after_fork(void)
{
  if (!atomic_load(&forking) || !pthread_equal(forker, pthread_self())) return;
  atomic_store(&forking, false);
  trylock_release(&lock);
}

void opening_in_child(void)
{
  atomic_store(&forking, false);
  trylock_release(&lock);
}
