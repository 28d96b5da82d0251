/* Had the thread that an instant met a core, too?
 *
 * A thread with the GVL may wait for a core. Its CPU clock stands still then, which the publisher sees by reading it twice.
 * Where there are fewer cores than work, the publisher itself may have taken that core to look: the thread went on as soon as
 * it had looked, and by its clock the thread knows.
 *
 * Threads: on_core_look() the publisher, before the instant is told; on_core_met() the thread itself. What the two say of
 * different instants may mix when they come in quick succession: then one of them is the answer.
 */
#ifndef RTOP_EXT_ON_CORE_H
#define RTOP_EXT_ON_CORE_H

#include "cpu_clock.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Who was off its core for less was so for the publisher, or an interrupt. */
#define ON_CORE_BREAK_NS INT64_C(50000)

struct on_core {
  _Atomic uint64_t owner; /* of the thread that was looked at, see cpu_clock_mark; 0: of none */
  _Atomic int64_t wall_ns, cpu_ns;
  _Atomic bool ran;
};

/* The thread with this CPU clock has the GVL. */
void on_core_look(struct on_core *on_core, uint64_t owner, clockid_t clock);

/* The same when that is not known. */
static inline void on_core_look_away(struct on_core *on_core)
{
  atomic_store_explicit(&on_core->owner, 0, memory_order_relaxed);
}

/* The instant that was looked at last met the calling thread, whose mark this is, at now_ns. True also when it cannot be
 * said. */
bool on_core_met(const struct on_core *on_core, struct cpu_clock_mark *mark, int64_t now_ns);

#endif
