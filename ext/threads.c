#include "threads.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void threads_init(struct threads *threads)
{
  atomic_store(&threads->high, 0);
  threads->key = rb_internal_thread_specific_key_create();
}

static bool take_entry(struct threads *threads, struct thread_data *data)
{
  uint32_t high = atomic_load(&threads->high);
  for (uint32_t index = 0; index < THREADS_CAPACITY; index++) {
    struct thread_data *expected = NULL;
    if (index < high && atomic_load_explicit(&threads->table[index], memory_order_relaxed)) continue;
    data->index = index;
    if (!atomic_compare_exchange_strong(&threads->table[index], &expected, data)) continue;
    while (high <= index && !atomic_compare_exchange_weak(&threads->high, &high, index + 1)) {}
    return true;
  }
  return false;
}

struct thread_data *threads_add(struct threads *threads, VALUE thread, enum rtop_thread_state state,
                                int64_t now_ns)
{
  struct thread_data *data = calloc(1, sizeof *data);
  if (!data) goto untracked;
  data->serial = atomic_fetch_add(&threads->serial, 1) + 1;
  data->thread = thread;
  data->start_ns = now_ns;
  data->off_start_ns = now_ns;
  data->random = (uint32_t)data->serial * 2654435761u | 1;
  data->prefix_generation = UINT64_MAX;
  atomic_store(&data->word, threads_pack(now_ns, state));
  atomic_store(&data->state_since_ns, now_ns);
  atomic_store(&data->node, RTOP_NODE_NO_FRAMES);
  atomic_store(&data->stack_known, true);
  if (!take_entry(threads, data)) {
    free(data);
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
  atomic_store(&data->cpu_read_ns, clock_own_cpu_ns());
  atomic_store_explicit(&data->native_id, (uint32_t)syscall(SYS_gettid), memory_order_release);
}

static VALUE ask_name(VALUE thread)
{
  return rb_funcallv(thread, rb_intern("name"), 0, NULL);   /* may be overridden, so it may raise */
}

void threads_refresh_name(struct thread_data *data)
{
  VALUE error = rb_errinfo();
  int raised = 0;
  VALUE name = rb_protect(ask_name, data->thread, &raised);
  if (raised) {
    rb_set_errinfo(error);
    return;
  }
  if (!RB_TYPE_P(name, T_STRING)) return;
  const char *bytes = RSTRING_PTR(name);
  size_t count = (size_t)RSTRING_LEN(name);
  if (count > THREADS_NAME_MAX) count = THREADS_NAME_MAX;
  if (count == data->name_bytes && memcmp(bytes, data->name, count) == 0) return;
  memcpy(data->name, bytes, count);
  data->name_bytes = (uint32_t)count;
  atomic_fetch_add_explicit(&data->name_version, 1, memory_order_release);
}

void threads_remove(struct threads *threads, struct thread_data *data)
{
  atomic_store_explicit(&threads->table[data->index], NULL, memory_order_release);
  free(data);
}

void threads_clear(struct threads *threads)
{
  uint32_t high = atomic_load(&threads->high);
  for (uint32_t index = 0; index < high; index++) {
    struct thread_data *data = atomic_exchange(&threads->table[index], NULL);
    free(data);
  }
  atomic_store(&threads->high, 0);
}
