/* SPDX-License-Identifier: MIT */
/* RperfTop.label, label_ahead and labels: what a stretch of work is about, as key and value.
 *
 * Labels belong to the fiber that sets them (Ruby keeps them where Thread#[] does), so that fibers of a
 * scheduler do not take each other's. Neither a new thread nor a new fiber inherits them.
 */
#ifndef RTOP_EXT_LABELS_H
#define RTOP_EXT_LABELS_H

#include "ext/sampling/sampler.h"
#include <ruby.h>

/* Each block with labels is a piece of work, whose time is told (ext/sampling/work.h). Defines the methods; they work whether the
 * profiler runs or not. */
void labels_define(VALUE module, struct sampler *sampler);

#endif
