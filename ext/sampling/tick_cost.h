/* SPDX-License-Identifier: MIT */
/* The cost of a tick that threads cannot measure themselves: the timer interrupt, thread switches, switches to and from
 * a hypervisor, and cold caches afterwards.
 *
 * The interrupt is measured: a fixed piece of work takes longer while a timer fires. The other costs are assumed to be
 * proportional to the interrupt; comparing whole programs with and without ticks (tests/bench/server/cost.rb) gave a
 * factor of seven for the total. Implausible results are discarded.
 *
 * Threads: the publisher, when it starts. The first call in a process takes half a millisecond.
 */
#ifndef RTOP_EXT_TICK_COST_H
#define RTOP_EXT_TICK_COST_H

#include <stdint.h>

int64_t tick_cost_ns(void);

#endif
