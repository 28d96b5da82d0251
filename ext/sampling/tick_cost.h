/* SPDX-License-Identifier: MIT */
/* What a tick costs beyond what threads can measure of themselves: the timer's interrupt, the switches between threads
 * and to and from a hypervisor, caches that are cold afterwards.
 *
 * The interrupt can be measured: a fixed piece of work takes longer while a timer fires that nobody waits for. The rest
 * goes with it: on the machine where whole programs were compared with and without ticks (tests/bench/server/cost.rb)
 * a tick cost seven times as much as its interrupt. What cannot be a tick's cost is not believed.
 *
 * Threads: one at a time; the publisher, when it starts. Takes half a millisecond, once in the life of the process.
 */
#ifndef RTOP_EXT_TICK_COST_H
#define RTOP_EXT_TICK_COST_H

#include <stdint.h>

int64_t tick_cost_ns(void);

#endif
