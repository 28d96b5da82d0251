/* SPDX-License-Identifier: MIT */
/* Had the thread that an instant met a core, too?
 *
 * A thread with the GVL may be without a core: it waits for one, or it rests, for something else while it keeps the GVL. Its CPU
 * clock stands still then, which the publisher sees by reading it twice. But where all cores are busy the publisher itself
 * may have taken that core to look, and what happens afterwards does not tell: the thread has it back at once, whether it
 * had lost it to the publisher or had waited for long. Therefore:
 *   who has not run since the look before, or rests  had none
 *   who waits for another core than the publisher's  had none while cores are short. While they are not, it had one: such waits
 *                                                    are then too few for instants to tell of them
 *   who waits for the publisher's                    had it while cores are not short: the publisher took it. While they are
 *                                                    short the thread itself has to know: it had it if it was never off its core
 *                                                    for longer than a look takes. Where there is no other core it had it, too
 * So as not to share a core with such a thread for long, the publisher goes to another one then, and may go anywhere again once
 * it saw a thread run. (When it went after four of these, the first 4 ms of stretches of 40 ms lacked 28 % on a starved machine,
 * now 14.)
 *
 * Several instants may pass before a thread can say where they met it (C code), some with a core and some without.
 *
 * Threads: on_core_look() and on_core_tell() the publisher; the rest the thread that was met. Who reads while an instant is
 * told may see it in part; what is wrong then is no more than the time between two instants.
 */
#ifndef RTOP_EXT_ON_CORE_H
#define RTOP_EXT_ON_CORE_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum {
  ON_CORE_YES = 1,
  ON_CORE_RESTS = 2,
  ON_CORE_WAITS = 4, /* for a core */
  ON_CORE_NO = ON_CORE_RESTS | ON_CORE_WAITS,
  ON_CORE_UNKNOWN = 8, /* to who looked */
  ON_CORE_ALL = 16
};

/* Who was off its core for less was so for the publisher, or an interrupt. */
#define ON_CORE_BREAK_NS INT64_C(50000)

struct on_core {
  _Atomic uint64_t found; /* whom, times ON_CORE_ALL, and how */
  /* How far the thread's CPU clock was behind CLOCK_MONOTONIC at the first and the last of them: that grows while it has no
   * core. */
  _Atomic int64_t first_gap_ns, last_gap_ns;
  _Atomic bool wanted; /* cores are, by others */
};

struct on_core_thread {
  uint64_t number; /* of its own, not 0 */
  clockid_t clock;
  uint32_t native_id; /* gettid() */
  bool may_open;      /* a file, for a moment: nobody forks meanwhile */
};

/* What the publisher saw before. All 0 at the start. */
struct on_core_past {
  uint64_t thread;
  int64_t cpu_ns;
  unsigned met;       /* how the last look found it */
  uint32_t since_ran; /* looks that said nothing, since one that saw it run */
  uint32_t shortage;  /* of cores */
  bool confined;      /* to `others`, and not to `cores` as before */
  cpu_set_t cores, others;
};

struct on_core_look {
  uint64_t thread; /* 0: nobody was asked */
  unsigned met;    /* one of the above */
  bool wanted;     /* a look saw a thread wait for another core, not long ago */
  int64_t gap_ns;
};

/* At an instant. Takes some 1 us, and 10 more of a thread that does not run. May move the calling thread. */
struct on_core_look on_core_look(struct on_core_past *past, const struct on_core_thread *thread);

/* The calling thread may go anywhere again, if a look moved it. Also before its looks end. */
void on_core_roam(struct on_core_past *past);

/* What the look showed. `first`: it is known where the instants before this one met the
 * thread. */
void on_core_tell(struct on_core *on_core, const struct on_core_look *look, bool first);

/* How the instants that were told met this thread, all together; 0: nobody looked. */
static inline unsigned on_core_met(const struct on_core *on_core, uint64_t thread)
{
  uint64_t found = atomic_load_explicit(&on_core->found, memory_order_acquire);
  return found / ON_CORE_ALL == thread ? (unsigned)(found % ON_CORE_ALL) : 0;
}

/* How often the calling thread has gone to rest (voluntary context switches): it did in between when the number grew. -1: not
 * known; where a seccomp filter is active, which may kill for asking, nobody asks. Two system calls. */
int64_t on_core_own_rests(void);

#endif
