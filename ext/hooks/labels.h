/* SPDX-License-Identifier: MIT */
/* RperfTop.label, label_ahead and labels: key-value pairs that describe a stretch of work.
 *
 * Labels belong to the fiber that sets them and are stored like the values of Thread#[], so that fibers of a scheduler
 * do not share them. New threads and new fibers start without labels.
 */
#ifndef RTOP_EXT_LABELS_H
#define RTOP_EXT_LABELS_H

#include "ext/sampling/sampler.h"
#include <ruby.h>

/* Defines the methods. They work whether or not the profiler runs. Each block with labels is a piece of work whose
 * duration is reported (ext/sampling/work.h). */
void labels_define(VALUE module, struct sampler *sampler);

#endif
