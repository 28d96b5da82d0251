/* SPDX-License-Identifier: MIT */
/* How long work with labels took, of each process: requests, jobs. Labels of one key are one kind of work; that which took most
 * time counts, so that a request with two labels is not two.
 *
 * Threads: one. Memory belongs to the struct and is used again.
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
