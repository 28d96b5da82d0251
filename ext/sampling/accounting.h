/* SPDX-License-Identifier: MIT */
/* Accounting: decides for every nanosecond of a thread which state and which stack it belongs to.
 *
 * The time in each state is exact. Every change of a thread's word (accounting_move) adds the ended stretch to the
 * thread's totals. It also stores the totals as of the announced end of the open window, so the publisher can read the
 * exact time by state of each window without a lock.
 *
 * Stacks are estimated without bias. Off the GVL, a stack is taken at SUSPENDED within a cost budget and charged
 * exactly. Other waits, and collections, that are longer than the mean distance of points get a stack at their end and
 * are charged exactly, too; shorter waits and collections are laid on the axes (pools.h). Running time is divided at
 * the window's end (running.h). Time whose point has not been sampled yet stays in the thread's lanes, also when the
 * window ends. The publisher then reports the time as not sampled, and corrects this by late records in a later window.
 *
 * Threads: the thread itself, with the GVL (hooks and job), except where noted.
 */
#ifndef RTOP_EXT_ACCOUNTING_H
#define RTOP_EXT_ACCOUNTING_H

#include "sampler.h"
#include "shm/base/clock.h"

/* Moves the thread to `state` at now_ns and stores its old state in *before. Returns the length of the stretch that
 * ended; the caller must charge this time or add it to a lane. For READY, the thread that wakes this thread up may make
 * the call. [hook] */
int64_t accounting_move(struct sampler *sampler, struct thread_data *data, enum rtop_thread_state state, int64_t now_ns,
                        enum rtop_thread_state *before);

static inline struct axis *accounting_axis(struct sampler *sampler, const struct thread_data *data,
                                           enum rtop_thread_state state)
{
  uint32_t pool = atomic_load_explicit(&data->pool, memory_order_relaxed);
  return &sampler->pools.entries[pool].axes[state];
}

/* Adds time to the lane of the state; running time stays in the lane until its stretch ends. */
void accounting_add(struct sampler *sampler, struct thread_data *data, enum rtop_thread_state state, int64_t wall_ns);

/* Tells whether the lane contains time whose point has been sampled. Such time must be charged before more time is
 * added, because the added time would be charged to that point, too. */
bool accounting_behind(struct sampler *sampler, struct thread_data *data, enum rtop_thread_state state);

/* Charges the time of the lane whose point has been sampled. Lock held. */
void accounting_settle(struct sampler *sampler, struct thread_data *data, enum rtop_thread_state state);

/* The sample at a point, and the number of samples that it counts for. */
struct accounting_met {
  struct axis_point point;
  uint32_t samples;
};

/* Charges all time in this lane, except for the last keep_ns, to the node of `met`. Lock held. */
void accounting_charge_lane(struct sampler *sampler, struct thread_data *data, enum rtop_thread_state state,
                            struct lane *lane, const struct accounting_met *met, int64_t keep_ns);

/* Takes the CPU time of a wait out of a lane. The lane holds one sum for many kinds of waits whose stacks were unknown
 * when they began. So the caller gets usual_ns, the usual CPU time of a wait of this kind (wait_cpu.h), plus a share of
 * the lane's surplus or deficit; after ten seconds of such waits the two balance. The lane may become negative; a
 * remainder at the thread's end is dropped. Returns -1 and takes nothing if usual_ns is -1 (unknown). Any thread. */
int64_t accounting_take_wait_cpu(struct lane *lane, int64_t wall_ns, int64_t usual_ns);

/* Handles a point of an axis (not of running time) that this thread reached: charges the time in the lane, except for
 * the last keep_ns, and records the sample of the point in the pool. Lock held. */
void accounting_point(struct sampler *sampler, struct thread_data *data, enum rtop_thread_state state,
                      struct axis_point point, int64_t keep_ns);

/* Adds a cell to the open window; the part of its time after the window's announced end goes to the next window.
 * left_ns of the thread's time in this state is younger than the cell. Returns false when there is no room. Lock
 * held. */
bool accounting_charge(struct sampler *sampler, struct thread_data *data, const struct rtop_cell *cell,
                       int64_t left_ns);

/* Reads the thread's CPU clock at now_ns, which was just read, and divides the CPU time since the last reading by wall
 * time: first among the states with the GVL, up to their wall time; the remainder goes to the state blocked. */
void accounting_read_cpu(struct thread_data *data, int64_t now_ns);

/* Records a stretch that just ended. Call before the CPU clock is read, or the stretch's CPU time would be attributed
 * to waits. */
void accounting_spent(struct thread_data *data, enum rtop_thread_state state, int64_t wall_ns);

/* The profiler's own work on this thread. The work begins at the last change of the thread's word or later. At its end
 * its time, except for GC in between, is charged to the profiler; its CPU time is the measured cost. */
struct accounting_own {
  int64_t begin_ns, not_own_ns;
};

static inline struct accounting_own accounting_begin_own(const struct thread_data *data)
{
  return (struct accounting_own){ .begin_ns = clock_now_ns(), .not_own_ns = data->not_own_ns };
}

/* Like accounting_begin_own(), but begins at the event at which the thread's word changed. */
static inline struct accounting_own accounting_begin_own_at_event(const struct sampler *sampler,
                                                                  const struct thread_data *data)
{
  if (atomic_load_explicit(&sampler->coarse, memory_order_relaxed)) return accounting_begin_own(data);
  return (struct accounting_own){
    .begin_ns = threads_since_ns(atomic_load_explicit(&data->word, memory_order_relaxed)),
    .not_own_ns = data->not_own_ns,
  };
}

/* Ends own work and returns its CPU time; time without a core does not count. */
int64_t accounting_end_own(struct sampler *sampler, struct thread_data *data, const struct accounting_own *own);

/* Charges the collected own work, if this is the first call in the window or the amount is large. Lock held. */
void accounting_flush_own(struct sampler *sampler, struct thread_data *data);

/* Charge the blame up to now_ns, and the allocations up to now, since the last reading. */
void accounting_read_blame(struct sampler *sampler, struct thread_data *data, int64_t now_ns);
void accounting_read_allocations(struct sampler *sampler, struct thread_data *data);

/* accounting_can_afford() tells whether the budget allows taking a stack. accounting_pay() subtracts the cost of one
 * stack from the budget, except for `spared_ns`, the cost that the hook would have had without the stack. Any
 * thread. */
static inline bool accounting_can_afford(struct sampler *sampler)
{
  return atomic_load_explicit(&sampler->stack_credit_ns, memory_order_relaxed) > 0;
}

static inline void accounting_pay(struct sampler *sampler, int64_t cost_ns, int64_t spared_ns)
{
  int64_t more = cost_ns > spared_ns ? cost_ns - spared_ns : 0;
  if (more) atomic_fetch_sub_explicit(&sampler->stack_credit_ns, more, memory_order_relaxed);
  atomic_fetch_add_explicit(&sampler->stacks_cost_ns, cost_ns, memory_order_relaxed);
}

/* Takes the sampler's lock, trying for some microseconds at most. On failure, counts a dropped stack and returns
 * false. */
bool accounting_try_lock(struct sampler *sampler);

/* The end of a stretch with one stack and one or two states: blocked then waiting, or GC. */
struct accounting_stretch {
  enum rtop_thread_state states[2];
  int64_t wall_ns[2];
  bool known;     /* data->node is already the stack of the stretch */
  bool cpu_known; /* cpu_ns is known */
  int64_t cpu_ns;
};

/* The CPU time of waits. For some waits, drawn at random, the CPU clock is read before and after the wait; the average
 * of these waits by stack (wait_cpu.h) is the estimate for all others. The next reading of the clock gives the true
 * sum, and the difference from the estimates is spread over later waits.
 *
 * accounting_begin_wait() begins a wait at now_ns that was drawn and whose stack is known. */
void accounting_begin_wait(struct thread_data *data, int64_t now_ns);

/* Ends a wait that was not drawn, when the thread got the GVL at now_ns, with an estimate of the wait's CPU time. From
 * now_ns on, CPU time equals wall time until the thread loses its core. */
void accounting_guess_wait(struct sampler *sampler, struct thread_data *data, int64_t now_ns,
                           struct accounting_stretch *stretch);

/* Ends a wait by reading the CPU clock with a system call. CPU time used while waiting for the GVL counts for the
 * blocked time before, up to the length of the latter; the remainder is dropped. Call only when all CPU time before the
 * wait has been read. */
void accounting_read_wait(struct sampler *sampler, struct thread_data *data, int64_t now_ns,
                          struct accounting_stretch *stretch);
/* Charges a stretch, or adds it to lanes. Call after accounting_spent() for the stretch. */
void accounting_end_stretch(struct sampler *sampler, struct thread_data *data,
                            const struct accounting_stretch *stretch);

#endif
