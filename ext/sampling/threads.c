/* SPDX-License-Identifier: MIT */
/* The registry of threads: slots, names, and native threads. */
#include "threads.h"

#include "fibers.h"
#include "thread_calls.h"
#include "ext/base/trylock.h"
#include "shm/base/clock.h"
#include <pthread.h>
#include <ruby/ractor.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* main_shared: Ruby threads share native threads (M:N). native_user: serial of the Ruby thread that last ran on this
 * native thread. */
static bool main_shared;
static _Thread_local uint64_t native_user;

void threads_init(struct threads *threads, bool native_shared)
{
  main_shared = native_shared;
  atomic_store(&threads->high, 0);
  threads->key = rb_internal_thread_specific_key_create();
}

static bool take_entry(struct threads *threads, struct thread_data *data)
{
  uint32_t high = atomic_load(&threads->high);
  for (uint32_t index = atomic_load(&threads->free_hint); index < THREADS_CAPACITY; index++) {
    struct thread_data *expected = NULL;
    if (index < high && atomic_load_explicit(&threads->table[index], memory_order_relaxed)) continue;
    data->index = index;
    if (!atomic_compare_exchange_strong(&threads->table[index], &expected, data)) continue;
    while (high <= index && !atomic_compare_exchange_weak(&threads->high, &high, index + 1)) {
    }
    atomic_store(&threads->free_hint, index + 1);
    return true;
  }
  atomic_store(&threads->full, true);
  return false;
}

/* Takes a cleared struct from the free list, or allocates one. */
static struct thread_data *take_struct(struct threads *threads)
{
  struct thread_data *data = NULL;
  if (trylock_take(&threads->free_lock)) {
    data = threads->free;
    if (data) threads->free = data->next_free;
    trylock_release(&threads->free_lock);
  }
  if (!data) data = aligned_alloc(alignof(struct thread_data), sizeof *data);
  if (data) memset(data, 0, sizeof *data);
  return data;
}

/* Returns a struct to the free list instead of freeing it, since a thread may still point to it; such a thread sees in
 * the struct that it belongs to another thread. */
static void give_back(struct threads *threads, struct thread_data *data)
{
  atomic_store_explicit(&data->thread, 0, memory_order_release);
  atomic_store_explicit(&data->fiber, 0, memory_order_relaxed);
  fibers_free(data);
  while (!trylock_take(&threads->free_lock)) sched_yield();
  data->next_free = threads->free;
  threads->free = data;
  trylock_release(&threads->free_lock);
}

struct thread_data *threads_add(struct threads *threads, VALUE thread, enum rtop_thread_state state, int64_t now_ns)
{
  struct thread_data *data = atomic_load(&threads->full) ? NULL : take_struct(threads);
  if (!data) goto untracked;
  data->serial = atomic_fetch_add(&threads->serial, 1) + 1;
  data->start_ns = now_ns;
  data->off_since_ns = now_ns;
  data->random = (uint32_t)data->serial * 2654435761u | 1;
  atomic_store(&data->boundary_ns, INT64_MIN);
  data->cpu_mark.owner = data->serial;
  atomic_store(&data->word, threads_pack(now_ns, state));
  atomic_store(&data->state_since_ns, now_ns);
  atomic_store(&data->node, RTOP_NODE_NO_FRAMES);
  atomic_store(&data->node_seen_ns, now_ns);
  atomic_store(&data->stack_known, state == RTOP_BLOCKED); /* a thread that starts has no frames yet */
  atomic_store(&data->generation, atomic_load(&threads->generation));
  atomic_store(&data->thread, thread);
  if (!take_entry(threads, data)) {
    give_back(threads, data);
    goto untracked;
  }
  rb_internal_thread_specific_set(thread, threads->key, data);
  return data;

untracked:
  atomic_fetch_add(&threads->untracked, 1);
  return NULL;
}

void threads_bind_native(struct thread_data *data)
{
  clockid_t clock;
  if (pthread_getcpuclockid(pthread_self(), &clock) != 0) clock = CLOCK_THREAD_CPUTIME_ID;
  data->cpu_clock = clock;
  data->main_ractor = rb_ractor_stdout() == rb_stdout; /* every other Ractor has a stdout object of its own */
  data->native_shared = main_shared || !data->main_ractor;
  data->native = &native_user;
  native_user = data->serial;
  atomic_store(&data->cpu_read_ns, clock_own_cpu_ns());
  atomic_store_explicit(&data->native_id, (uint32_t)syscall(SYS_gettid), memory_order_release);
}

void threads_follow_native(struct thread_data *data)
{
  if (data->native == &native_user && native_user == data->serial) return;
  native_user = data->serial;
  data->native = &native_user;
  int64_t taken = atomic_load_explicit(&data->cpu_taken_ns, memory_order_relaxed);
  atomic_store_explicit(&data->cpu_read_ns, clock_own_cpu_ns() - taken, memory_order_relaxed);
  atomic_store_explicit(&data->native_id, (uint32_t)syscall(SYS_gettid), memory_order_release);
}

static void take_name(struct threads *threads, struct thread_data *data, const char *bytes, size_t count)
{
  if (count > THREADS_NAME_MAX) count = THREADS_NAME_MAX;
  if (count == data->name_bytes && memcmp(bytes, data->name, count) == 0) return;
  memcpy(data->name, bytes, count);
  data->name_bytes = (uint32_t)count;
  atomic_fetch_add_explicit(&data->name_version, 1, memory_order_release);
  atomic_fetch_add_explicit(&threads->renamed, 1, memory_order_release);
}

/* Reads the thread's name from the kernel: Ruby gives a native thread the start of the Ruby thread's name; without a
 * name, its file and line. */
static void take_native_name(struct threads *threads, struct thread_data *data)
{
  char name[16];
  bool own = !data->is_main && !data->native_shared && rb_thread_current() == atomic_load(&data->thread);
  if (own && prctl(PR_GET_NAME, name) == 0) take_name(threads, data, name, strnlen(name, sizeof name));
}

void threads_refresh_name(struct threads *threads, struct thread_data *data)
{
  VALUE thread = atomic_load_explicit(&data->thread, memory_order_relaxed);
  if (!thread) return;
  VALUE name = thread_calls_name(thread);
  if (name == Qundef) take_native_name(threads, data);
  else if (RB_TYPE_P(name, T_STRING)) take_name(threads, data, RSTRING_PTR(name), (size_t)RSTRING_LEN(name));
}

void threads_remove(struct threads *threads, struct thread_data *data)
{
  atomic_store_explicit(&threads->table[data->index], NULL, memory_order_release);
  if (data->index < atomic_load(&threads->free_hint)) atomic_store(&threads->free_hint, data->index);
  atomic_store(&threads->full, false);
  give_back(threads, data);
}

void threads_clear(struct threads *threads)
{
  uint32_t high = atomic_load(&threads->high);
  atomic_fetch_add(&threads->generation, 1);
  for (uint32_t index = 0; index < high; index++) {
    struct thread_data *data = atomic_exchange(&threads->table[index], NULL);
    if (data) give_back(threads, data);
  }
  atomic_store(&threads->high, 0);
  atomic_store(&threads->free_hint, 0);
  atomic_store(&threads->full, false);
}
