/* SPDX-License-Identifier: MIT */
/* The publisher: the only native thread that the profiler adds. It triggers samples, cuts windows, and writes the
 * windows to the segment.
 *
 * It never takes the GVL, calls no function of Ruby except rb_postponed_job_trigger(), and has all signals blocked. It
 * also makes the segment, so that loading the extension does not delay the application. With the recorder off and no
 * viewer, it sleeps on the control file's futex and wakes up only to check that its segment still exists.
 *
 * Threads: start and stop with the GVL. publisher_wake() [hook].
 */
#ifndef RTOP_EXT_PUBLISHER_H
#define RTOP_EXT_PUBLISHER_H

#include "ext/base/config.h"
#include "ext/base/trylock.h"
#include "ext/out/profiles.h"
#include "ext/sampling/marks.h"
#include "ext/sampling/sampler.h"
#include "ext/tracing/tracing.h"
#include <pthread.h>

/* State of the hooks that the publisher wants; the job installs or removes them (session.h). */
enum publisher_wish { PUBLISHER_WISH_RUN, PUBLISHER_WISH_PARK };

struct publisher {
  struct sampler *sampler;
  struct tracing *tracing;
  struct config config;
  struct marks marks; /* the program's marks for the next window */
  char ruby_version[64];
  char command[256];
  pthread_t thread;
  _Atomic bool started;
  _Atomic uint32_t word; /* futex: 0 ticking, 1 idle, 2 stop */
  _Atomic bool stopping;
  _Atomic int wish;    /* enum publisher_wish */
  _Atomic bool failed; /* the channel is gone, and profiling is off */
  /* How the process ends, for the channel (shm/base/format.h); set before the publisher is asked to stop. */
  _Atomic uint64_t ending;
  struct profiles profiles;
  /* all threads sleep, there is no viewer, and the open window may last a second */
  _Atomic bool long_window;
  /* number of the last early cut that was requested, and of the last one that was done */
  _Atomic uint32_t cuts_asked, cuts_done;
  _Atomic uint32_t left;  /* futex: 1 when the thread has ended */
  struct trylock vm_lock; /* held around calls of the VM by this thread, and kept by a publisher that was left alone */
  bool alone;
  _Atomic bool warned;        /* whether the one warning line was printed; forked children do not print it again */
  struct trylock writer_lock; /* protects `writer`; hooks and samples never take this lock */
  struct rtop_writer *writer; /* under writer_lock */
};

/* Starts the thread. Returns 0, or the error number when it could not be created. Must not be called while the thread
 * exists. */
int publisher_start(struct publisher *publisher);

/* Prints the reason why the process is not profiled: one warning line per process. Any thread. */
void publisher_warn(struct publisher *publisher, const char *text);

/* Tells the thread to publish the remaining data and to end the channel. */
void publisher_tell_to_stop(struct publisher *publisher);

/* Waits until the thread has ended, until deadline_ns of the monotonic clock, or until *enough. This usually takes a
 * few ms, but may take long with a slow file system: call without the GVL. Several threads may wait. */
void publisher_wait(struct publisher *publisher, int64_t deadline_ns, const _Atomic bool *enough);

/* Returns true when the thread no longer exists. A thread that is still writing is left alone: from now on it calls no
 * function of the VM, so the process may end meanwhile. */
bool publisher_reap(struct publisher *publisher);

/* Writes a copy of the current segment into a new file. Waits for the file system: call without the GVL. Returns 0 or
 * -1. */
int publisher_snapshot(struct publisher *publisher, const char *path, struct rtop_error *error);

/* End the open window now, so that all earlier data are published. publisher_ask_cut() requests this and returns the
 * number of the request. publisher_wait_cut() waits until the request is done or deadline_ns has passed; call it
 * without the GVL. It returns false when there is no publisher or the time was too short. */
uint32_t publisher_ask_cut(struct publisher *publisher);
bool publisher_wait_cut(struct publisher *publisher, uint32_t asked, int64_t deadline_ns);
/* Wakes up the publisher, which then checks again which rate is wanted. */
void publisher_nudge(struct publisher *publisher);

/* Call in a forked child, which has no publisher thread: drops descriptors and memory of the parent's channel. */
void publisher_abandon(struct publisher *publisher);

/* Ends the publisher's idle sleep, if it sleeps. Call after a thread that got the GVL has stored its word. When the
 * publisher is not idle, this costs one load. Thread and publisher each store their own word before they load the word
 * of the other, so at least one of the two notices the other. */
void publisher_wake_slow(_Atomic uint32_t *word);
static inline void publisher_wake(_Atomic uint32_t *word)
{
  if (atomic_load_explicit(word, memory_order_seq_cst) == 1) publisher_wake_slow(word);
}

#endif
