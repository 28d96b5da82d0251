/* SPDX-License-Identifier: MIT */
/* A profile as plain Ruby data. */
#ifndef RTOP_EXT_PROFILE_ROWS_H
#define RTOP_EXT_PROFILE_ROWS_H

#include "ext/out/profiles.h"
#include "ext/sampling/sampler.h"
#include <ruby.h>

/* Numbers as they stand in the profile, and the nodes and frames that they are of; rperf_top/profile.rb reads it. Under the
 * GVL; may raise when memory runs out. */
VALUE profile_rows(const struct profile *profile, struct sampler *sampler);

#endif
