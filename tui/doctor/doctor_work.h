/* SPDX-License-Identifier: MIT */
/* How long work with labels (requests, jobs) took in each process. Labels of one key are one kind of work; only the
 * kind that took most time counts, so that a request with two labels is not counted twice.
 *
 * Threads: one. The struct owns its memory and reuses it.
 */
#ifndef RTOP_TUI_DOCTOR_WORK_H
#define RTOP_TUI_DOCTOR_WORK_H

#include "tui/history/profile.h"
#include "tui/methods/work_figures.h"

struct doctor_work;

/* NULL: memory ran out. */
struct doctor_work *doctor_work_create(void);
void doctor_work_destroy(struct doctor_work **work);
/* False: memory ran out. */
bool doctor_work_update(struct doctor_work *work, struct rtop_profile *profile, struct rtop_span span);
/* NULL: it has no such work. */
const struct work_figures *doctor_work_of(const struct doctor_work *work, uint32_t source);

#endif
