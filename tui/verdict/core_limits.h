/* SPDX-License-Identifier: MIT */
/* The limits that may keep the threads of a live process from a core: the quota of a control group, or the load of the
 * machine. The time that they were kept from a core is in the profile (rtop_profile_cores()).
 *
 * Reads /proc and control groups of version 2; texts are bounded and only numbers are used. Threads: one.
 * Does not allocate.
 */
#ifndef RTOP_TUI_CORE_LIMITS_H
#define RTOP_TUI_CORE_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct core_limits {
  double quota; /* number of cores that the control group of the process may use; 0: unlimited or unknown */
  double load;  /* of the machine; 0: not known */
  int cores;    /* that are online */
  /* private: */
  pid_t pid;
  int64_t read_ns;
};

/* Parses "QUOTA PERIOD" of cpu.max; "max" gives 0: no quota. False when invalid. */
bool core_limits_parse_quota(const char *text, double *quota);
/* Reads the limits again after a second, or for another process. */
void core_limits_update(struct core_limits *limits, pid_t pid, int64_t now_ns);

/* Do `had` and `wanted` cores differ by more than a tenth of a core and a tenth of `wanted`? */
bool core_limits_misses(double had, double wanted);
/* Writes "0.12 of 0.98 cores, load 29 on 2"; throttled: "..., quota 0.5". */
void core_limits_words(char *out, size_t bytes, const struct core_limits *limits, double had, double wanted,
                       bool throttled);

#endif
