/* SPDX-License-Identifier: MIT */
/* Starts, stops and parks the session, and handles forks. */
#include "session.h"

#include "ext/base/cpu_clock.h"
#include "ext/base/trylock.h"
#include "ext/hooks/fiber_switch.h"
#include "ext/hooks/gc.h"
#include "ext/hooks/gvl.h"
#include "ext/hooks/makers.h"
#include "ext/hooks/raises.h"
#include "ext/hooks/timeslice.h"
#include "ext/names/exclude.h"
#include "ext/names/lock_words.h"
#include "ext/out/opening.h"
#include "ext/out/publisher.h"
#include "ext/sampling/sampler.h"
#include "ext/tracing/tracing.h"
#include "shm/base/clock.h"
#include "shm/base/format.h"
#include "shm/base/memory_limit.h"
#include "shm/segment/segment.h"
#include <pthread.h>
#include <ruby.h>
#include <ruby/debug.h>
#include <ruby/thread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How long the end of the process waits for a slow file system: first STOP_AT_ONCE_NS with the GVL, then STOP_NS
 * without it. */
#define STOP_AT_ONCE_NS (CLOCK_NS_PER_SECOND / 50)
#define STOP_NS CLOCK_NS_PER_SECOND

/* Exported by every Ruby, but declared in a header only since 4.0. */
int ruby_thread_has_gvl_p(void);
#define HISTORY_BYTES_MIN (UINT64_C(1) << 20)

/* State of the session. The VM's hooks are installed in state ACTIVE only, except in a forked child, which must not add
 * or remove hooks. */
enum state { STOPPED, ACTIVE, PARKED };

static struct {
  struct sampler sampler;
  struct tracing tracing;
  struct publisher publisher;
  struct config config;
  enum state state;
  bool created;
  bool forked_child;         /* this process was forked with a session: it may neither add nor remove hooks */
  bool hook_for_fork;        /* the hook was installed for a child, only for the duration of a fork */
  bool ended;                /* the program has come to its end, so no session starts any more */
  bool torn;                 /* the tables were being written when the process forked, and are unusable */
  _Atomic bool fork_pending; /* set by the atfork handler; the next job completes the fork */
  pid_t pid;
  uint64_t history_bytes; /* history size in bytes that the tables were made for */
  rb_internal_thread_event_hook_t *hook;
} session;

/* Clears the cells counted before the hooks were removed, since their threads are no longer known. Cells that the
 * publisher is processing are left to it; it clears them after use. */
static void forget_cells(struct sampler *sampler)
{
  while (!trylock_take(&sampler->lock)) sched_yield();
  for (int i = 0; i < 2; i++)
    if (!sampler->cut_pending || sampler->open == &sampler->cells[i]) cells_clear(&sampler->cells[i]);
  trylock_release(&sampler->lock);
}

static VALUE turn_on(VALUE unused)
{
  struct sampler *sampler = &session.sampler;
  (void)unused;
  threads_clear(&sampler->threads);
  forget_cells(sampler);
  work_forget(&sampler->work);
  pairs_forget(&sampler->pairs);
  atomic_store(&sampler->waiting.word, 0);
  if (!session.hook && session.forked_child) rb_raise(rb_eRuntimeError, "no hooks in this child");
  if (!session.hook) session.hook = gvl_install(sampler);
  gc_install(sampler);
  raises_install(sampler);
  timeslice_install(sampler);
  sampler_count_from_now(sampler);
  sampler_adopt_threads(sampler);
  atomic_store(&sampler->off_ns, 0);
  atomic_store(&sampler->active, true);
  session.state = ACTIVE;
  return Qnil;
}

/* Removes the hooks. The VM waits until no hook is running. In a forked child the hooks stay installed, and do nothing
 * because the sampler is inactive. */
static void turn_off(enum state state)
{
  tracing_end(&session.tracing);
  atomic_store(&session.sampler.active, false);
  if (session.hook && !session.forked_child) {
    gvl_remove(session.hook);
    session.hook = NULL;
  }
  gc_remove();
  raises_remove();
  timeslice_remove();
  fiber_switch_remove();
  makers_off();
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

/* In a forked child: drops everything that belonged to the parent's threads and releases the locks they held. The
 * calling thread is the only one left. */
static void drop_parent(void)
{
  struct sampler *sampler = &session.sampler;
  atomic_store(&session.fork_pending, false);
  session.pid = getpid();
  /* Another Ractor was writing the tables at the moment of the fork, so they are unusable. */
  session.torn = trylock_holder(&sampler->lock) == TRYLOCK_TAKEN;
  trylock_release(&sampler->lock);
  trylock_release(&sampler->threads.free_lock);
  trylock_release(&sampler->labels.lock);
  publisher_abandon(&session.publisher);
  makers_off();
  atomic_store(&session.publisher.ending, 0);
  tracing_forget(&session.tracing);
  profiles_forked(&session.publisher.profiles);
  for (int i = 0; i < 2; i++) cells_clear(&sampler->cells[i]);
  marks_init(&session.publisher.marks);
  work_clear(&sampler->work);
  pairs_clear(&sampler->pairs);
}

static const char no_hooks[] = "its hooks cannot be set";

/* Starts the publisher. Returns NULL, or the reason why that failed. */
static const char *start_publisher(void)
{
  static char text[96];
  int failed = publisher_start(&session.publisher);
  if (!failed) return NULL;
  turn_off(STOPPED);
  snprintf(text, sizeof text, "no native thread can be made: %s", strerror(failed));
  return text;
}

/* Starts the session again in a forked child, with a channel of its own. */
static void restart_in_child(void)
{
  drop_parent();
  if (session.torn || session.state == STOPPED) {
    turn_off(STOPPED);
    return;
  }
  sampler_begin(&session.sampler);
  protected_turn_on();
  const char *failure = session.state == ACTIVE ? start_publisher() : no_hooks;
  if (failure) publisher_warn(&session.publisher, failure);
}

/* Checks in a job whether fibers wait in a scheduler, whether the VM reports its collections, and new lock classes. */
static VALUE look_around(VALUE unused)
{
  fiber_switch_look(&session.sampler);
  gc_look(&session.sampler);
  lock_words_learn_more();
  return unused;
}

static void sample(void)
{
  VALUE error = rb_errinfo();
  int raised = 0;
  sites_pause(&session.tracing.sites);
  makers_close(&session.sampler);
  sampler_job(&session.sampler);
  tracing_job(&session.tracing);
  rb_protect(look_around, Qnil, &raised);
  if (raised) rb_set_errinfo(error);
  sites_job(&session.tracing.sites);
  makers_open(&session.sampler);
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
  if (park && session.state == ACTIVE) {
    tracing_park(&session.tracing);
    turn_off(PARKED);
  } else if (!park && session.state == PARKED) protected_turn_on();
  else if (session.state == ACTIVE) sample();
}

static VALUE add_hook(VALUE unused)
{
  session.hook = gvl_install(&session.sampler);
  return unused;
}

/* Installs the hook before a fork if the session is parked. The child could not do so, because the VM's lock on hooks
 * may be held for ever by a thread that does not exist in the child. */
static void before_fork(void)
{
  opening_before_fork();
  if (session.state != PARKED || session.hook || session.forked_child || !ruby_thread_has_gvl_p()) return;
  VALUE error = rb_errinfo();
  int raised = 0;
  rb_protect(add_hook, Qnil, &raised);
  if (raised) rb_set_errinfo(error);
  session.hook_for_fork = session.hook != NULL;
}

static void in_parent(void)
{
  opening_after_fork();
  if (!session.hook_for_fork || !ruby_thread_has_gvl_p()) return;
  session.hook_for_fork = false;
  gvl_remove(session.hook);
  session.hook = NULL;
}

/* Only sets flags, since this function also runs for system() as root. A child that continues with Ruby code reaches
 * the job; a child that executes another program at once does not. */
static void in_forked_child(void)
{
  opening_in_child();
  session.hook_for_fork = false;
  if (session.state == STOPPED && !session.publisher.started) return;
  atomic_store(&session.sampler.active, false);
  session.forked_child = session.forked_child || session.state != STOPPED;
  atomic_store(&session.fork_pending, true);
  rb_postponed_job_trigger(session.sampler.job);
}

static uint64_t number_of(VALUE error, const char *name)
{
  VALUE number = rb_attr_get(error, rb_intern(name));
  return FIXNUM_P(number) ? (uint64_t)FIX2LONG(number) & 0xff : 1;
}

/* Returns how Ruby would end the process now, read from the current exception without calling its methods. Handlers
 * that run later may still change this, as may a signal that arrives first. */
static uint64_t how_it_ends(void)
{
  VALUE error = rb_errinfo();
  if (NIL_P(error)) return RTOP_ENDS_WITH_STATUS;
  if (!RB_TYPE_P(error, T_OBJECT)) return 0; /* a jump of the VM */
  if (RTEST(rb_obj_is_kind_of(error, rb_eSystemExit))) return RTOP_ENDS_WITH_STATUS | number_of(error, "status");
  bool survives = getpid() == 1; /* the kernel does not kill process 1 for signals that it sends to itself */
  if (!survives && RTEST(rb_obj_is_kind_of(error, rb_eSignal))) return RTOP_ENDS_BY_SIGNAL | number_of(error, "signo");
  bool broken_pipe =
      RTEST(rb_obj_is_kind_of(error, rb_eSystemCallError)) && FIXNUM_P(rb_attr_get(error, rb_intern("signo")));
  if (!survives && broken_pipe) return RTOP_ENDS_BY_SIGNAL | number_of(error, "signo");
  return RTOP_ENDS_WITH_STATUS | 1;
}

static void at_end(VALUE unused)
{
  (void)unused;
  session.ended = true;
  if (session.pid != getpid()) return;
  atomic_store(&session.publisher.ending, how_it_ends());
  session_stop();
}

void session_init(void)
{
  sampler_learn(&session.sampler); /* called first, since it may raise */
  session.sampler.job = rb_postponed_job_preregister(0, job, NULL);
  session.publisher.sampler = &session.sampler;
  session.publisher.tracing = &session.tracing;
  tracing_init(&session.tracing, &session.sampler);
  session.sampler.publisher_word = &session.publisher.word;
  VALUE description = rb_const_get(rb_cObject, rb_intern("RUBY_DESCRIPTION"));
  threads_init(&session.sampler.threads, strstr(StringValueCStr(description), "+MN") != NULL);
  marks_init(&session.publisher.marks);
  label_sets_init(&session.sampler.labels);
  pthread_atfork(before_fork, in_parent, in_forked_child);
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

/* Limits the size of the history to 1/32 of the memory that limits leave, since the tables take about three times its
 * size. Returns 0 when there is no room for HISTORY_BYTES_MIN. */
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
  VALUE version = rb_const_get(rb_cObject, rb_intern("RUBY_VERSION"));
  snprintf(publisher->ruby_version, sizeof publisher->ruby_version, "%s", StringValueCStr(version));
  session.created = true;
  return 0;
}

/* State of a thread that waits for the publisher without the GVL. */
struct patience {
  int64_t deadline_ns;
  _Atomic bool interrupted;
};

static void *wait_without_gvl(void *pointer)
{
  struct patience *patience = pointer;
  publisher_wait(&session.publisher, patience->deadline_ns, &patience->interrupted);
  return NULL;
}

static void interrupt_wait(void *pointer)
{
  struct patience *patience = pointer;
  atomic_store(&patience->interrupted, true);
}

/* Waits without the GVL. Handles signals meanwhile, and exceptions that other threads raise in this thread. */
static VALUE wait_long(VALUE pointer)
{
  struct patience *patience = (struct patience *)pointer;
  do {
    atomic_store(&patience->interrupted, false);
    rb_nogvl(wait_without_gvl, patience, interrupt_wait, patience, RB_NOGVL_UBF_ASYNC_SAFE);
  } while (atomic_load(&patience->interrupted) && clock_now_ns() < patience->deadline_ns);
  return Qnil;
}

static VALUE reap(VALUE unused)
{
  publisher_reap(&session.publisher);
  return unused;
}

/* Waits until the publisher has ended. Returns true when it no longer exists. */
static bool wait_for_publisher(void)
{
  struct patience patience = { .deadline_ns = clock_now_ns() + STOP_NS };
  publisher_wait(&session.publisher, clock_now_ns() + STOP_AT_ONCE_NS, NULL);
  if (!publisher_reap(&session.publisher)) rb_ensure(wait_long, (VALUE)&patience, reap, Qnil);
  return !session.publisher.started;
}

static const char *turn_on_with(const struct config *config)
{
  session.config = *config;
  if (!session.created && create() != 0) return "there is no memory for its tables";
  session.config.ring_bytes = session.history_bytes;
  session.publisher.config = session.config;
  session.sampler.depth_max = config->depth_max;
  session.tracing.sites.budget = config->budget;
  session.tracing.allow_args = config->allow_args;
  exclude_use(&session.sampler.frames, &session.sampler.lock, config->exclude, config->exclude_bytes);
  session.pid = getpid();
  read_command(session.publisher.command, sizeof session.publisher.command);
  atomic_store(&session.sampler.period_ns, CLOCK_NS_PER_SECOND / (config->record_hz ? config->record_hz : 1000));
  sampler_begin(&session.sampler);
  tracing_forget(&session.tracing);
  if (config->record_hz) protected_turn_on();
  else session.state = PARKED;
  return session.state == STOPPED ? no_hooks : start_publisher();
}

const char *session_start(const struct config *config)
{
  if (session.state != STOPPED || session.ended) return NULL;
  if (atomic_load(&session.fork_pending)) drop_parent();
  if (session.torn) return "its tables were being written when this process was forked";
  if (!wait_for_publisher()) return "the session before is still being written";
  /* another thread may have started the session meanwhile */
  return session.state == STOPPED ? turn_on_with(config) : NULL;
}

void session_stop(void)
{
  if (atomic_load(&session.fork_pending)) drop_parent();
  if (session.state == ACTIVE) makers_close(&session.sampler);
  if (session.state == ACTIVE) sampler_hand_in(&session.sampler);
  if (session.state == ACTIVE) tracing_hand_in(&session.tracing);
  if (session.state != STOPPED) {
    publisher_tell_to_stop(&session.publisher);
    publisher_wait(&session.publisher, clock_now_ns() + STOP_AT_ONCE_NS, NULL);
    if (session.state == ACTIVE) atomic_store(&session.sampler.off_ns, clock_now_ns());
    turn_off(STOPPED);
  }
  if (!session.publisher.alone) wait_for_publisher(); /* if false, another thread may be waiting */
}

void session_warn(const char *text)
{
  publisher_warn(&session.publisher, text);
}

bool session_over(void)
{
  return session.ended;
}

bool session_running(void)
{
  return session.state != STOPPED && !atomic_load(&session.publisher.failed);
}

int session_snapshot(const char *path, struct rtop_error *error)
{
  return publisher_snapshot(&session.publisher, path, error);
}

struct sampler *session_sampler(void)
{
  return &session.sampler;
}

/* Releases the GVL for a millisecond, in which a parked publisher wakes up. */
static void *nudge_without_gvl(void *unused)
{
  publisher_nudge(&session.publisher);
  nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
  return unused;
}

struct cut_wait {
  uint32_t asked;
  int64_t deadline_ns;
};

static void *cut_without_gvl(void *pointer)
{
  const struct cut_wait *wait = pointer;
  publisher_wait_cut(&session.publisher, wait->asked, wait->deadline_ns);
  return NULL;
}

/* Publishes everything recorded so far, and waits for this. */
static void cut_now(int64_t deadline_ns)
{
  if (session.state != ACTIVE) return;
  sampler_hand_in(&session.sampler);
  struct cut_wait wait = { publisher_ask_cut(&session.publisher), deadline_ns };
  rb_thread_call_without_gvl(cut_without_gvl, &wait, NULL, NULL);
}

static VALUE profile_open(VALUE pointer)
{
  uint32_t hz = *(const uint32_t *)pointer;
  int64_t deadline = clock_now_ns() + STOP_NS;
  profiles_want(&session.publisher.profiles, hz);
  while (session.state == PARKED && clock_now_ns() < deadline)
    rb_thread_call_without_gvl(nudge_without_gvl, NULL, NULL,
                               NULL); /* the job that installs the hooks runs after this one */
  cut_now(deadline);
  return session.state == ACTIVE ? INT2FIX(profiles_open(&session.publisher.profiles, hz)) : INT2FIX(-1);
}

/* Runs whether or not the profile was opened: from now on only open profiles determine the rate. */
static VALUE profile_opened(VALUE unused)
{
  profiles_want(&session.publisher.profiles, 0);
  return unused;
}

int session_profile_open(uint32_t hz)
{
  return session_running() ? FIX2INT(rb_ensure(profile_open, (VALUE)&hz, profile_opened, Qnil)) : -1;
}

void session_profile_read(int slot, bool clear, struct profile *to)
{
  cut_now(clock_now_ns() + STOP_NS);
  profiles_read(&session.publisher.profiles, slot, clear, false, to);
}

void session_profile_close(int slot, struct profile *to)
{
  profiles_read(&session.publisher.profiles, slot, true, true, to);
}

void session_mark(const char *name, size_t bytes)
{
  if (atomic_load_explicit(&session.sampler.active, memory_order_acquire))
    marks_add(&session.publisher.marks, clock_now_ns(), name, bytes);
}
