/* SPDX-License-Identifier: MIT */
/* GVL events of every thread: the hooks that keep states, waiting and blame.
 *
 * The VM fires STARTED (on the creator) → READY → RESUMED → (SUSPENDED → READY → RESUMED)* → SUSPENDED →
 * EXITED. SUSPENDED and RESUMED hold the GVL; READY may run on the waker. M:N threads and interrupted waits
 * skip events: every transition is accepted from every state.
 */
#ifndef RTOP_EXT_GVL_H
#define RTOP_EXT_GVL_H

#include "ext/sampling/sampler.h"

/* The VM's hook; `user_data` is the sampler. [hook] */
void gvl_event(rb_event_flag_t event, const rb_internal_thread_event_data_t *event_data, void *user_data);

/* Installs and removes the hook. Under the GVL; never in a forked child (the VM's lock on its hooks may be
 * held by a thread that is gone). NULL when the VM refused. */
rb_internal_thread_event_hook_t *gvl_install(struct sampler *sampler);
void gvl_remove(rb_internal_thread_event_hook_t *hook);

#endif
