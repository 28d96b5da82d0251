/* SPDX-License-Identifier: MIT */
/* Shared by the verdict*.c files only. */
#ifndef RTOP_TUI_VERDICT_IMPL_H
#define RTOP_TUI_VERDICT_IMPL_H

#include "verdict.h"

enum { VERDICT_SOURCES_MAX = 128 };

/* What a cell is about. */
enum verdict_part {
  OF_HELD,
  OF_WITHOUT,
  OF_BLAME,
  OF_ASKED,
  OF_OBJECTS,
  OF_WORK,
  OF_LOCK,
  OF_PAUSE,
  OF_REST,
  OF_UNKNOWN,
  VERDICT_PARTS
};

/* Sums of a frame: as the method that represents a stack, or as the innermost frame. */
struct verdict_sums {
  uint64_t of[VERDICT_PARTS];
  uint64_t off_cpu; /* time of work off the GVL that was spent on a core (ns) */
  uint64_t as_leaf; /* of the place that is looked at */
  uint64_t as_loop; /* part of that time in calls from a loop of this method (ns) */
  uint64_t lent;    /* with a connection of a pool */
  bool mine;        /* the frame is a method of the application */
};

/* Of a thread: where its time went. */
struct verdict_lives {
  uint64_t work_ns, rest_ns, pause_ns, unknown_ns;
  uint64_t joined_ns; /* of rest_ns: until another thread ends */
  uint64_t place_ns;  /* in the place that is looked at */
};

static inline uint64_t verdict_held(const struct rtop_cost *cost)
{
  const uint64_t *wall_ns = cost->wall_ns;
  return wall_ns[RTOP_STATE_RUNNING] + wall_ns[RTOP_STATE_MARKING] + wall_ns[RTOP_STATE_SWEEPING];
}

/* Time with the GVL but without a core (ns). Threads off the GVL may have used some of the CPU time of the cost. */
static inline uint64_t verdict_without(const struct rtop_cost *cost)
{
  uint64_t held_ns = verdict_held(cost);
  return held_ns > cost->cpu_ns ? held_ns - cost->cpu_ns : 0;
}

struct verdict_thread verdict_thread_of(const struct rtop_thread_row *row);

#endif
