/* Had the thread that an instant met a core, too?
 *
 * A thread with the GVL may be without a core: it waits for one, or for something else while it keeps the GVL. Its CPU
 * clock stands still then, which the publisher sees by reading it twice.
 *
 * Where all cores are busy the publisher itself may have taken that core to look. Then the answer is yes all the same when
 * the thread has lost next to no time since it was looked at before. The others are lost, which is no harm as long as it
 * befalls all code alike. (What the thread knows itself would favour some: that it has lost no time since it got the GVL is
 * known at the begin of stretches; that it went on as soon as the publisher rested, of what is not C code, and of one
 * that waited and got the publisher's core.) Where there is but one core the answer is always no: then nothing is said.
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

enum { ON_CORE_LOOKS = 1000 };

/* With a core, without one; and: with one at the first of several. */
enum { ON_CORE_YES = 1, ON_CORE_NO = 2, ON_CORE_FIRST = 4, ON_CORE_ALL = 8 };

/* Who was off its core for less was so for the publisher, or an interrupt. */
#define ON_CORE_BREAK_NS INT64_C(50000)

/* An instant, and how far the thread's CPU clock was behind the other one then: that grows while it has no core. */
struct on_core_instant {
  _Atomic int64_t ns, gap_ns;
};

struct on_core_look {
  uint64_t thread; /* 0: nobody could be asked */
  bool ran;
  int64_t gap_ns;
};

struct on_core {
  _Atomic bool says;      /* else nothing can be said, and the rest is of no account */
  _Atomic uint64_t found; /* whom, times ON_CORE_ALL, and how */
  struct on_core_instant first, last;
  /* the publisher's */
  struct on_core_look before;
  uint32_t looks_left; /* so many in a row may say no before nothing is said */
};

/* At an instant. `thread` is a number of its own, not 0. It takes as long, some 1 us, whatever the answer is. */
struct on_core_look on_core_look(uint64_t thread, clockid_t clock);

/* The instant stands here. `first`: it is known where those before it met the thread. */
void on_core_tell(struct on_core *on_core, const struct on_core_look *look, int64_t instant_ns, bool first);

/* How the instants that were told met this thread, of ON_CORE_YES and so on; 0: nothing can be said. */
static inline unsigned on_core_met(const struct on_core *on_core, uint64_t thread)
{
  uint64_t found = atomic_load_explicit(&on_core->found, memory_order_acquire);
  bool says = atomic_load_explicit(&on_core->says, memory_order_relaxed);
  return says && found / ON_CORE_ALL == thread ? (unsigned)(found % ON_CORE_ALL) : 0;
}

/* Was a core taken from the calling thread since it asked last? Else where it had none it rested. Takes a system call. */
bool on_core_was_taken(int64_t *times);

#endif
