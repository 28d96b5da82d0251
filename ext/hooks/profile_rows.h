/* SPDX-License-Identifier: MIT */
/* Turns a profile into plain Ruby data. */
#ifndef RTOP_EXT_PROFILE_ROWS_H
#define RTOP_EXT_PROFILE_ROWS_H

#include "ext/out/profiles.h"
#include "ext/sampling/sampler.h"
#include <ruby.h>

/* Returns the numbers of a profile, and the nodes and frames that these refer to, in the form that rperf_top/profile.rb
 * reads. With the GVL; may raise when memory runs out. */
VALUE profile_rows(const struct profile *profile, struct sampler *sampler);

#endif
