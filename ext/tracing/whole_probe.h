/* SPDX-License-Identifier: MIT */
/* Calls methods of our own to check the layout of events, and to measure the cost of an event.
 *
 * Threads: in the job. May raise.
 */
#ifndef RTOP_EXT_WHOLE_PROBE_H
#define RTOP_EXT_WHOLE_PROBE_H

#include "whole_hook.h"

/* WHOLE_PROBE_NODES: more nodes or methods than one run adds. */
enum { WHOLE_PROBE_CALLS = 2000, WHOLE_PROBE_ROUNDS = 8, WHOLE_PROBE_NODES = 64 };

/* Makes the object that has the probe methods. */
VALUE whole_probe_make(void);
/* Enables `events` for a moment and checks that the data of these events has the expected layout. Returns false if
 * not. */
bool whole_probe_learn(VALUE probe, rb_event_flag_t events);
/* whole_probe_run() returns the ticks per call of an empty method, from WHOLE_PROBE_CALLS calls; whole_probe_least()
 * returns the minimum of all rounds. */
double whole_probe_run(VALUE probe, enum whole_kind kind);
double whole_probe_least(VALUE probe, enum whole_kind kind);

#endif
