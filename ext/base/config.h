/* SPDX-License-Identifier: MIT */
/* Settings of the profiler, from the environment and from RperfTop.start. Values are bounded; an invalid one is
 * ignored.
 *
 *   RPERF_TOP=0             loading starts nothing
 *   RPERF_TOP_RECORD_HZ=N   rate of the flight recorder, default 100; 0: off, parked until a viewer comes
 *   RPERF_TOP_HZ=N          rate while a viewer watches that requests no other rate, default 100
 *   RPERF_TOP_BUDGET=P      percent of wall time that sampling may cost, default 1
 *   RPERF_TOP_TRACE_BUDGET=P  percent of a core that traced methods may cost over a second, default 10; 0: no bound
 *   RPERF_TOP_SIZE=N        megabytes of history, all tiers, default 8
 *   RPERF_TOP_DIR=DIR       where the segment goes, instead of the user's own directory (shm/segment/place.h)
 *   RPERF_TOP_KEEP=1        keep the segment when the process ends
 *   RPERF_TOP_STORM=N       releases of the GVL per second above which only ticks are timed, default 100000; 0: never
 *   RPERF_TOP_EXCLUDE=LIST  patterns of frames that are left out of stacks (shm/base/pattern.h)
 *   RPERF_TOP_DEPTH=N       outermost frames of a stack that are kept, default all
 *   RPERF_TOP_ALLOW=LIST    data that viewers may get besides times and places: args, the arguments of slow calls
 *   RPERF_TOP_CPU_CLOCK=kernel   read the CPU clock with a system call each time (cpu_clock.h)
 */
#ifndef RTOP_EXT_CONFIG_H
#define RTOP_EXT_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rtop_error;

enum { CONFIG_PATH_MAX = 512, CONFIG_EXCLUDE_MAX = 4096, CONFIG_DEPTH_MAX = 2048 };

struct config {
  bool enabled;
  bool keep;
  bool ask_cpu_clock;
  bool allow_args;
  uint32_t record_hz;
  uint32_t watch_hz;
  double budget;       /* fraction of wall time */
  double trace_budget; /* fraction of a core; 0: no bound */
  uint32_t storm_per_s;
  uint64_t ring_bytes;
  uint32_t depth_max;
  uint32_t exclude_bytes;
  /* base directory of the segment, from RPERF_TOP_DIR or XDG_RUNTIME_DIR; "" when neither is set and safe */
  char directory[CONFIG_PATH_MAX];
  char runtime_directory[CONFIG_PATH_MAX];
  /* patterns of excluded frames, already checked; only the first exclude_bytes bytes are used */
  char exclude[CONFIG_EXCLUDE_MAX];
};

void config_from_environment(struct config *config);

/* Each sets one setting; a value that is out of bounds is replaced by the nearest bound. */
void config_set_record_hz(struct config *config, double hz);
void config_set_watch_hz(struct config *config, double hz);
void config_set_budget(struct config *config, double percent);
void config_set_depth(struct config *config, double depth);
/* Sets the patterns of excluded frames. Returns -1 and fills *error (if not NULL) when the patterns are invalid or
 * too long; the configuration is then unchanged. */
int config_set_exclude(struct config *config, const char *patterns, size_t bytes, struct rtop_error *error);

#endif
