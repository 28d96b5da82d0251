/* Whose nanosecond it is: pending time, sampling points, CPU split, charges.
 *
 * Short stretches of a state are laid end to end on a time axis of their own per (thread, state). On it
 * stand sampling points at random distances of half a period to one and a half. A stretch that holds a
 * point gets a stack and is charged the distance from the point before. What is charged does not depend
 * on what stands at the point, so known shares come out right whatever the pattern; what is not charged
 * yet is never negative and less than one and a half periods per state.
 *
 * Threads: the thread itself, under the GVL (hooks and job), except where noted.
 */
#ifndef RTOP_EXT_ACCOUNTING_H
#define RTOP_EXT_ACCOUNTING_H

#include "sampler.h"

/* Adds a stretch to the axis; true when it passed a sampling point: a stack is due. */
bool accounting_add(struct thread_data *data, enum rtop_thread_state state, int64_t wall_ns,
                    int64_t period_ns);

/* Takes the time up to the last point passed, with its share of CPU. */
struct rtop_cell accounting_take(struct thread_data *data, enum rtop_thread_state state, int64_t period_ns);

/* Charges what is pending off the GVL and in the GC to the stacks that were charged last; the sampling
 * points stay where they are. Lock held. */
void accounting_flush(struct sampler *sampler, struct thread_data *data);

/* Reads the thread's CPU clock at now_ns, which was just read, and splits what was used since the last reading among the states in
 * proportion to their wall time: first those on the GVL, what is left over to blocked. */
void accounting_read_cpu(struct thread_data *data, int64_t now_ns);

/* The profiler's own work on this thread: begins right after the thread's word was moved. When it ends that time,
 * but for GC that ran meanwhile, belongs to the profiler, and its CPU is the measured cost. */
struct accounting_own {
  int64_t begin_ns, not_own_ns;
};

static inline struct accounting_own accounting_begin_own(const struct thread_data *data)
{
  return (struct accounting_own){ .begin_ns = clock_now_ns(), .not_own_ns = data->not_own_ns };
}

void accounting_end_own(struct sampler *sampler, struct thread_data *data, const struct accounting_own *own);

/* Hands that in, once per window and when it is much. Lock held. */
void accounting_flush_own(struct sampler *sampler, struct thread_data *data);

/* Adds the cell to the open window: as a late record when the stretch began before the window (or was
 * shown as provisional). Lock held. */
void accounting_charge(struct sampler *sampler, struct thread_data *data, const struct rtop_cell *cell,
                       int64_t start_ns, bool provisional);

/* Blame and allocations up to now_ns, from when they were read last. */
void accounting_read_blame(struct sampler *sampler, struct thread_data *data, int64_t now_ns);
void accounting_read_allocations(struct sampler *sampler, struct thread_data *data);

/* The end of a stretch of one or two states with the same stack (blocked then waiting; or GC). */
struct accounting_stretch {
  int64_t start_ns[2];
  enum rtop_thread_state states[2];
  int64_t wall_ns[2];
  bool known;                          /* data->node is its stack already */
  bool provisional;
};
void accounting_end_stretch(struct sampler *sampler, struct thread_data *data,
                            const struct accounting_stretch *stretch);

#endif
