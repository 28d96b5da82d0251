/* SPDX-License-Identifier: MIT */
/* Computes the cost of hooks from calibrated prices per event. */
#include "own_cost.h"

#include "shm/base/format.h"

enum {
  RELEASE_HOT_NS = 100,
  RELEASE_COLD_NS = 1200,
  STACKLESS_HOT_NS = 240,
  STACKLESS_COLD_NS = 1850,
  COARSE_NS = 180,
  /* time in ns of application work after which the caches contain nothing of the profiler any more */
  CACHES_TAKEN_NS = 100000,
  RAISE_NS = 300, /* cost in ns of recording the class and source location of an exception */
  RAISE_COUNTED_NS = 30,
};

#define SPARED_OF_STACK 0.75

struct release_cost {
  double stack_ns, stackless_ns;
};

static uint64_t fine_releases(const uint64_t *counters)
{
  uint64_t all = counters[RTOP_COUNTER_GVL_RELEASES], coarse = counters[RTOP_COUNTER_GVL_COARSE];
  return all > coarse ? all - coarse : 0;
}

/* Returns how cold the caches are for the hooks: 0 when everything is cached, 1 when nothing is. */
static double coldness(const uint64_t *counters, int64_t length_ns)
{
  uint64_t fine = fine_releases(counters);
  double cold = fine ? (double)length_ns / (double)fine / CACHES_TAKEN_NS : 1;
  return cold < 1 ? cold : 1;
}

static struct release_cost release_cost(const uint64_t *counters, int64_t length_ns)
{
  double cold = coldness(counters, length_ns);
  return (struct release_cost){
    .stack_ns = RELEASE_HOT_NS + cold * (RELEASE_COLD_NS - RELEASE_HOT_NS),
    .stackless_ns = STACKLESS_HOT_NS + cold * (STACKLESS_COLD_NS - STACKLESS_HOT_NS),
  };
}

int64_t own_cost_releases(const uint64_t *counters, int64_t length_ns)
{
  uint64_t fine = fine_releases(counters), samples = counters[RTOP_COUNTER_SAMPLES];
  uint64_t stacks = samples < fine ? samples : fine;
  struct release_cost one = release_cost(counters, length_ns);
  double cost = (double)stacks * one.stack_ns + (double)(fine - stacks) * one.stackless_ns;
  return (int64_t)cost + (int64_t)counters[RTOP_COUNTER_GVL_COARSE] * COARSE_NS;
}

int64_t own_cost_spared(const uint64_t *counters, int64_t length_ns, int64_t stacks_ns)
{
  uint64_t samples = counters[RTOP_COUNTER_SAMPLES];
  if (counters[RTOP_COUNTER_GVL_COARSE] || !samples || stacks_ns <= 0) return 0;
  double most = STACKLESS_COLD_NS - RELEASE_COLD_NS, part = SPARED_OF_STACK * (double)stacks_ns / (double)samples;
  return (int64_t)(coldness(counters, length_ns) * (part < most ? part : most));
}

int64_t own_cost_raises(const uint64_t *counters)
{
  uint64_t all = counters[RTOP_COUNTER_EXCEPTIONS], counted = counters[RTOP_COUNTER_RAISES_UNTOLD];
  return (int64_t)(counted * RAISE_COUNTED_NS + (all > counted ? all - counted : 0) * RAISE_NS);
}
