/* SPDX-License-Identifier: MIT */
/* The publisher: the one native thread that the profiler adds. Ticks, cuts, encodes, publishes.
 *
 * It never takes the GVL, never calls into Ruby but for rb_postponed_job_trigger(), and has all signals
 * blocked. It makes the segment itself, so that loading the extension costs the application nothing. With
 * the recorder off and nobody watching it sleeps on the control file's futex: no wake-ups at all.
 *
 * Threads: start, stop under the GVL. publisher_wake() [hook].
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

/* What the application side is to do about hooks; carried out by the job (session.h). */
enum publisher_wish { PUBLISHER_WISH_RUN, PUBLISHER_WISH_PARK };

struct publisher {
  struct sampler *sampler;
  struct tracing *tracing;
  struct config config;
  struct marks marks; /* of the program, for the next window */
  char ruby_version[64];
  char command[256];
  pthread_t thread;
  _Atomic bool started;
  _Atomic uint32_t word; /* futex: 0 ticking, 1 idle, 2 stop */
  _Atomic bool stopping;
  _Atomic int wish;    /* enum publisher_wish */
  _Atomic bool failed; /* no channel: profiling is off */
  /* How the process ends, for the channel (shm/base/format.h); set before it is told to stop. */
  _Atomic uint64_t ending;
  struct profiles profiles;
  _Atomic uint32_t cuts_asked, cuts_done; /* windows that are to end at once, by number */
  _Atomic uint32_t left;                  /* futex: 1 when the thread is done */
  struct trylock vm_lock; /* around what the thread calls of the VM; kept from one that was left alone */
  bool alone;
  _Atomic bool warned;        /* one line is enough, for the children of a fork too */
  struct trylock writer_lock; /* never wanted by a hook or a sample */
  struct rtop_writer *writer; /* under writer_lock: for waking and abandoning */
};

/* 0, or the error number when the thread could not be made. Not while there is one. */
int publisher_start(struct publisher *publisher);

/* The one line that a process gets: why it is not profiled. Any thread. */
void publisher_warn(struct publisher *publisher, const char *text);

/* Tells the thread to publish what is left and to end the channel. */
void publisher_tell_to_stop(struct publisher *publisher);

/* Until it did, until deadline_ns of the monotonic clock, or until *enough. A few ms mostly; as long as the file system
 * likes: without the GVL. Several may wait. */
void publisher_wait(struct publisher *publisher, int64_t deadline_ns, const _Atomic bool *enough);

/* True when there is no thread any more. One that is still writing is left alone: it calls nothing of the VM from now
 * on, so that the process may end under it. */
bool publisher_reap(struct publisher *publisher);

/* A copy of the segment as it is now, into a new file. Waits for the file system: without the GVL. 0 or -1. */
int publisher_snapshot(struct publisher *publisher, const char *path, struct rtop_error *error);

/* Ends the open window now, so that all before is published: asked for, then waited for until deadline_ns, without the
 * GVL. False: nobody is there to do it, or it did not come in time. */
uint32_t publisher_ask_cut(struct publisher *publisher);
bool publisher_wait_cut(struct publisher *publisher, uint32_t asked, int64_t deadline_ns);
/* It looks again who wants what rate. */
void publisher_nudge(struct publisher *publisher);

/* In a forked child: the thread is not there; drops descriptors and memory of its channel. */
void publisher_abandon(struct publisher *publisher);

/* A thread got the GVL, and its word says so: ends the idle sleep if there is one. Otherwise one load, ordered behind
 * that word's store as the publisher's look at the word is behind the store of its own: one of them sees the other. */
void publisher_wake_slow(_Atomic uint32_t *word);
static inline void publisher_wake(_Atomic uint32_t *word)
{
  if (atomic_load_explicit(word, memory_order_seq_cst) == 1) publisher_wake_slow(word);
}

#endif
