/* Had the thread that an instant met a core, too?
 *
 * A thread with the GVL may be without a core: it waits for one, or for something else while it keeps the GVL. Its CPU
 * clock stands still then, which the publisher sees by reading it twice. Where all cores are busy the publisher itself may
 * have taken that core to look.
 *
 * Several instants may pass before a thread can say where they met it (C code), some with a core and some without.
 *
 * Threads: on_core_look() and on_core_tell() the publisher; the rest the thread that was met. Who reads while an instant is
 * told may see it in part; what is wrong then is no more than the time between two instants.
 */
#ifndef RTOP_EXT_ON_CORE_H
#define RTOP_EXT_ON_CORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum { ON_CORE_YES = 1, ON_CORE_NO = 2, ON_CORE_ALL = 4 };

/* Who was off its core for less was so for the publisher, or an interrupt. */
#define ON_CORE_BREAK_NS INT64_C(50000)

struct on_core {
  _Atomic uint64_t found; /* whom, times ON_CORE_ALL, and how */
  /* How far the thread's CPU clock was behind CLOCK_MONOTONIC at the first and the last of them: that grows while it has no
   * core. */
  _Atomic int64_t first_gap_ns, last_gap_ns;
};

struct on_core_look {
  uint64_t thread; /* 0: nobody could be asked */
  bool ran;
  int64_t gap_ns;
};

/* At an instant. `thread` is a number of its own, not 0. It takes as long, some 1 us, whatever the answer is. */
struct on_core_look on_core_look(uint64_t thread, clockid_t clock);

/* What the look showed. `first`: it is known where the instants before this one met the thread. */
void on_core_tell(struct on_core *on_core, const struct on_core_look *look, bool first);

/* How the instants that were told met this thread, ON_CORE_YES, ON_CORE_NO or both; 0: nothing can be said. */
static inline unsigned on_core_met(const struct on_core *on_core, uint64_t thread)
{
  uint64_t found = atomic_load_explicit(&on_core->found, memory_order_acquire);
  return found / ON_CORE_ALL == thread ? (unsigned)(found % ON_CORE_ALL) : 0;
}

/* Did the calling thread rest, by its own will, since it asked last? Else cores were taken from it. Takes a system call. */
bool on_core_rested(int64_t *times);

#endif
