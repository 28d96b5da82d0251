/* SPDX-License-Identifier: MIT */
/* Reads settings from the environment and bounds them. */
#include "config.h"

#include "shm/base/pattern.h"
#include "shm/channel/control.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double number(const char *name, double fallback, double low, double high)
{
  const char *text = getenv(name);
  if (!text || !*text) return fallback;
  char *end;
  errno = 0;
  double value = strtod(text, &end);
  if (errno || *end || !(value >= low && value <= high)) return fallback;
  return value;
}

static double bounded(double value, double low, double high)
{
  if (!(value >= low)) return low;
  return value > high ? high : value;
}

void config_set_record_hz(struct config *config, double hz)
{
  config->record_hz = (uint32_t)bounded(hz, 0, RTOP_RATE_HZ_MAX);
}

void config_set_watch_hz(struct config *config, double hz)
{
  config->watch_hz = (uint32_t)bounded(hz, RTOP_RATE_HZ_MIN, RTOP_RATE_HZ_MAX);
}

void config_set_budget(struct config *config, double percent)
{
  config->budget = bounded(percent, 0.01, 100) / 100;
}

void config_set_depth(struct config *config, double depth)
{
  config->depth_max = (uint32_t)bounded(depth, 1, CONFIG_DEPTH_MAX);
}

int config_set_exclude(struct config *config, const char *patterns, size_t bytes, struct rtop_error *error)
{
  if (bytes > sizeof config->exclude)
    return rtop_error_set(error, RTOP_ERROR_LIMIT, 0, "patterns are longer than %d bytes", CONFIG_EXCLUDE_MAX);
  struct rtop_patterns *made = rtop_patterns_create(patterns, bytes, error);
  if (!made) return -1;
  rtop_patterns_destroy(&made);
  memcpy(config->exclude, patterns, bytes);
  config->exclude_bytes = (uint32_t)bytes;
  return 0;
}

/* Copies a path from the environment. A path that is too long is cut and then fills the buffer, so that later checks
 * can report it. */
static void take_path(char path[CONFIG_PATH_MAX], const char *name)
{
  const char *value = secure_getenv(name);
  snprintf(path, CONFIG_PATH_MAX, "%s", value ? value : "");
}

/* Tells whether RPERF_TOP_ALLOW, a list separated by commas, contains this word. */
static bool allows(const char *word)
{
  const char *list = secure_getenv("RPERF_TOP_ALLOW");
  for (size_t bytes; list && *list; list += bytes + (list[bytes] == ',')) {
    list += strspn(list, " ");
    bytes = strcspn(list, ",");
    size_t trimmed = bytes;
    while (trimmed > 0 && list[trimmed - 1] == ' ') trimmed--;
    if (trimmed == strlen(word) && strncmp(list, word, trimmed) == 0) return true;
  }
  return false;
}

void config_from_environment(struct config *config)
{
  const char *on = getenv("RPERF_TOP");
  config->enabled = !on || (strcmp(on, "0") != 0 && strcmp(on, "off") != 0);
  take_path(config->directory, "RPERF_TOP_DIR");
  take_path(config->runtime_directory, "XDG_RUNTIME_DIR");
  config->keep = number("RPERF_TOP_KEEP", 0, 0, 1) > 0;
  config->storm_per_s = (uint32_t)number("RPERF_TOP_STORM", 100000, 0, 1e9);
  const char *clock = getenv("RPERF_TOP_CPU_CLOCK");
  config->ask_cpu_clock = clock && strcmp(clock, "kernel") == 0;
  config_set_record_hz(config, number("RPERF_TOP_RECORD_HZ", 100, 0, RTOP_RATE_HZ_MAX));
  config_set_watch_hz(config, number("RPERF_TOP_HZ", 100, RTOP_RATE_HZ_MIN, RTOP_RATE_HZ_MAX));
  config_set_budget(config, number("RPERF_TOP_BUDGET", 1, 0.01, 100));
  config->trace_budget = number("RPERF_TOP_TRACE_BUDGET", 10, 0, 10000) / 100;
  config_set_depth(config, number("RPERF_TOP_DEPTH", CONFIG_DEPTH_MAX, 1, CONFIG_DEPTH_MAX));
  config->allow_args = allows("args");
  const char *exclude = getenv("RPERF_TOP_EXCLUDE");
  config->exclude_bytes = 0;
  if (exclude) config_set_exclude(config, exclude, strlen(exclude), NULL);
  config->ring_bytes = (uint64_t)(number("RPERF_TOP_SIZE", 8, 1, 64) * (1 << 20));
}
