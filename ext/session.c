#include "session.h"

#include "cpu_clock.h"
#include "exclude.h"
#include "gc.h"
#include "gvl.h"
#include "publisher.h"
#include "raises.h"
#include "sampler.h"
#include "shm/memory_limit.h"
#include "shm/segment.h"
#include <pthread.h>
#include <ruby.h>
#include <ruby/debug.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HISTORY_BYTES_MIN (UINT64_C(1) << 20)

/* Hooks of the VM are on in ACTIVE only, or in a forked child, which must not touch them. */
enum state { STOPPED, ACTIVE, PARKED };

static struct {
  struct sampler sampler;
  struct publisher publisher;
  struct config config;
  enum state state;
  bool created;
  bool forked_child;                   /* this process came out of fork with the hooks on */
  bool torn;                           /* its tables were being written at that moment: never again */
  _Atomic bool fork_pending;           /* set by the atfork handler, done by the next job */
  pid_t pid;
  uint64_t history_bytes;              /* that the tables were made for */
  rb_internal_thread_event_hook_t *hook;
  VALUE trace_point;
} session;

static VALUE turn_on(VALUE unused)
{
  struct sampler *sampler = &session.sampler;
  (void)unused;
  threads_clear(&sampler->threads);
  atomic_store(&sampler->waiting.word, 0);
  if (!session.hook) session.hook = gvl_install(sampler);
  if (!session.trace_point) {
    session.trace_point = gc_install(sampler);
    rb_gc_register_address(&session.trace_point);
  }
  else {
    rb_tracepoint_enable(session.trace_point);
  }
  raises_install(sampler);
  sampler_count_from_now(sampler);
  sampler_adopt_threads(sampler);
  atomic_store(&sampler->active, true);
  session.state = ACTIVE;
  return Qnil;
}

/* Hooks that are running now end before the VM's lock on them can be had; in a forked child they stay and
 * find the sampler inactive. */
static void turn_off(enum state state)
{
  atomic_store(&session.sampler.active, false);
  if (session.hook && !session.forked_child) {
    gvl_remove(session.hook);
    session.hook = NULL;
  }
  if (session.trace_point) gc_remove(session.trace_point);
  raises_remove();
  session.state = state;
}

static void protected_turn_on(void)
{
  VALUE error = rb_errinfo();
  int raised = 0;
  rb_protect(turn_on, Qnil, &raised);
  if (raised) {
    rb_set_errinfo(error);
    turn_off(STOPPED);
  }
}

/* In the child: what belonged to the parent's threads is dropped, and locks that they held are given back.
 * The only thread that is left is the one that runs this. */
static void drop_parent(void)
{
  struct sampler *sampler = &session.sampler;
  atomic_store(&session.fork_pending, false);
  session.pid = getpid();
  /* Another Ractor was writing the tables when the fork came: they cannot be used any more. */
  session.torn = !clock_trylock(&sampler->lock) && !atomic_load(&sampler->publisher_has_lock);
  atomic_store(&sampler->publisher_has_lock, false);
  clock_unlock(&sampler->lock);
  clock_unlock(&sampler->threads.pool_lock);
  clock_unlock(&sampler->labels.lock);
  publisher_abandon(&session.publisher);
  for (int i = 0; i < 2; i++) cells_clear(&sampler->cells[i]);
  marks_init(&session.publisher.marks);
}

/* The same again in the child, under a channel of its own. */
static void restart_in_child(void)
{
  drop_parent();
  if (session.torn || session.state == STOPPED) {
    turn_off(STOPPED);
    return;
  }
  sampler_begin(&session.sampler);
  protected_turn_on();
  if (session.state == ACTIVE && publisher_start(&session.publisher) != 0) turn_off(STOPPED);
}

static void job(void *unused)
{
  (void)unused;
  if (atomic_load_explicit(&session.fork_pending, memory_order_relaxed)) {
    restart_in_child();
    return;
  }
  if (session.state == STOPPED) return;
  if (session.state == ACTIVE && sampler_job_elsewhere(&session.sampler)) return;
  bool park = atomic_load_explicit(&session.publisher.wish, memory_order_relaxed) == PUBLISHER_WISH_PARK;
  if (park && session.state == ACTIVE) turn_off(PARKED);
  else if (!park && session.state == PARKED) protected_turn_on();
  else if (session.state == ACTIVE) sampler_job(&session.sampler);
}

/* Also runs for system() as root, so it may do no more than set flags: Ruby code that goes on in the child
 * meets the job, a program that is executed at once never does. */
static void in_forked_child(void)
{
  if (session.state == STOPPED) return;
  atomic_store(&session.sampler.active, false);
  session.forked_child = session.forked_child || session.hook != NULL;
  atomic_store(&session.fork_pending, true);
  rb_postponed_job_trigger(session.sampler.job);
}

static void at_end(VALUE unused)
{
  (void)unused;
  if (session.pid == getpid()) session_stop();
}

void session_init(void)
{
  session.sampler.job = rb_postponed_job_preregister(0, job, NULL);
  session.sampler.publisher_word = &session.publisher.word;
  VALUE description = rb_const_get(rb_cObject, rb_intern("RUBY_DESCRIPTION"));
  threads_init(&session.sampler.threads, strstr(StringValueCStr(description), "+MN") != NULL);
  marks_init(&session.publisher.marks);
  label_sets_init(&session.sampler.labels);
  pthread_atfork(NULL, NULL, in_forked_child);
  rb_set_end_proc(at_end, Qnil);
}

static void read_command(char *command, size_t bytes)
{
  FILE *file = fopen("/proc/self/cmdline", "re");
  size_t count = file ? fread(command, 1, bytes - 1, file) : 0;
  if (file) fclose(file);
  for (size_t i = 0; i + 1 < count; i++)
    if (command[i] == '\0') command[i] = ' ';
  command[count] = '\0';
}

/* The tables take thrice the history: a tenth of what limits on memory leave; 0: they leave nothing to take. */
static uint64_t history_bytes(uint64_t wanted)
{
  uint64_t most = rtop_memory_left() / 32;
  if (most < HISTORY_BYTES_MIN) return 0;
  return wanted < most ? wanted : most;
}

static int create(void)
{
  session.history_bytes = history_bytes(session.config.ring_bytes);
  if (!session.history_bytes) return -1;
  struct rtop_segment_sizes sizes = rtop_segment_plan(session.history_bytes);
  struct publisher *publisher = &session.publisher;
  if (sampler_create(&session.sampler, (uint32_t)sizes.node_capacity, (uint32_t)sizes.frame_capacity,
                     (uint32_t)sizes.string_bytes) != 0) {
    sampler_destroy(&session.sampler);
    return -1;
  }
  cpu_clock_init(session.config.ask_cpu_clock);
  publisher->sampler = &session.sampler;
  VALUE version = rb_const_get(rb_cObject, rb_intern("RUBY_VERSION"));
  snprintf(publisher->ruby_version, sizeof publisher->ruby_version, "%s", StringValueCStr(version));
  session.created = true;
  return 0;
}

int session_start(const struct config *config)
{
  if (session.state != STOPPED) return 0;
  if (session.torn) return -1;
  session.config = *config;
  if (!session.created && create() != 0) return -1;
  session.config.ring_bytes = session.history_bytes;
  session.publisher.config = session.config;
  session.sampler.depth_max = config->depth_max;
  exclude_use(&session.sampler.frames, &session.sampler.lock, config->exclude, config->exclude_bytes);
  session.pid = getpid();
  read_command(session.publisher.command, sizeof session.publisher.command);
  atomic_store(&session.sampler.period_ns, CLOCK_NS_PER_SECOND / (config->record_hz ? config->record_hz : 1000));
  sampler_begin(&session.sampler);
  if (config->record_hz) protected_turn_on();
  else session.state = PARKED;
  if (session.state == STOPPED) return -1;
  if (publisher_start(&session.publisher) == 0) return 0;
  turn_off(STOPPED);
  return -1;
}

void session_stop(void)
{
  if (session.state == STOPPED) return;
  if (atomic_load(&session.fork_pending)) drop_parent();
  if (session.state == ACTIVE) sampler_hand_in(&session.sampler);
  publisher_stop(&session.publisher);
  turn_off(STOPPED);
}

bool session_running(void)
{
  return session.state != STOPPED && !atomic_load(&session.publisher.failed);
}

int session_snapshot(const char *path, struct rtop_error *error)
{
  return publisher_snapshot(&session.publisher, path, error);
}

struct label_sets *session_labels(void)
{
  return &session.sampler.labels;
}

void session_mark(const char *name, size_t bytes)
{
  if (atomic_load_explicit(&session.sampler.active, memory_order_acquire))
    marks_add(&session.publisher.marks, clock_now_ns(), name, bytes);
}
