/* SPDX-License-Identifier: MIT */
/* Calls of our own: do events look as they should, and what does one cost?
 *
 * Threads: in the job. May raise.
 */
#ifndef RTOP_EXT_WHOLE_PROBE_H
#define RTOP_EXT_WHOLE_PROBE_H

#include "whole_hook.h"

/* Nodes, methods: more than one run makes. */
enum { WHOLE_PROBE_CALLS = 2000, WHOLE_PROBE_ROUNDS = 8, WHOLE_PROBE_NODES = 64 };

/* The object whose methods they are. */
VALUE whole_probe_make(void);
/* The events that are asked for are switched on for a moment. False: this VM is not known. */
bool whole_probe_learn(VALUE probe, rb_event_flag_t events);
/* Ticks of one of WHOLE_PROBE_CALLS calls of a method that does nothing; the second of all rounds the least. */
double whole_probe_run(VALUE probe, enum whole_kind kind);
double whole_probe_least(VALUE probe, enum whole_kind kind);

#endif
