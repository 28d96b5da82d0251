/* SPDX-License-Identifier: MIT */
/* GVL events of every thread: the hooks that maintain states, waiting time and blame.
 *
 * The VM sends STARTED (on the creating thread) → READY → RESUMED → (SUSPENDED → READY → RESUMED)* → SUSPENDED →
 * EXITED. At SUSPENDED and RESUMED the thread has the GVL; READY may be sent on the thread that wakes up the waiting
 * thread. M:N threads and interrupted waits skip events, so every transition is accepted from every state.
 */
#ifndef RTOP_EXT_GVL_H
#define RTOP_EXT_GVL_H

#include "ext/sampling/sampler.h"

/* The VM's hook for GVL events; `user_data` is the sampler. [hook] */
void gvl_event(rb_event_flag_t event, const rb_internal_thread_event_data_t *event_data, void *user_data);

/* Install and remove the hook, with the GVL. Never call them in a forked child, where the VM's lock on hooks may be
 * held by a thread that no longer exists. gvl_install() returns NULL when the VM refused. */
rb_internal_thread_event_hook_t *gvl_install(struct sampler *sampler);
void gvl_remove(rb_internal_thread_event_hook_t *hook);

#endif
