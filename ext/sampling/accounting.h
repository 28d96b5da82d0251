/* SPDX-License-Identifier: MIT */
/* Whose nanosecond it is.
 *
 * Exact: how long each thread was in each state. Every move of a thread's word (accounting_move) adds the stretch
 * that ended to the thread's totals, and notes what they were when the end of the open window passed, so that the
 * publisher finds the time by state of each window to the nanosecond, without a lock.
 *
 * Estimated, without bias: which stacks that time belongs to.
 *   off the GVL   a stack is taken at SUSPENDED, within a budget of measured cost. Such a wait is charged exactly.
 *   and in a      Of the others those longer than a mean distance of points get one when they end, and are charged
 *   collection    exactly, too; the rest is laid on the axis of the pool (pools.h).
 *   running       divided by the stacks that ticks of the clock met, when the window ends (running.h).
 * Time whose point has not come yet waits in the thread's lanes, whatever windows end meanwhile. The publisher tells of it as
 * time that was not sampled, and corrects that by late records.
 *
 * Threads: the thread itself, under the GVL (hooks and job), except where noted.
 */
#ifndef RTOP_EXT_ACCOUNTING_H
#define RTOP_EXT_ACCOUNTING_H

#include "sampler.h"
#include "shm/base/clock.h"

/* Moves the thread to `state` at now_ns; *before becomes its old state and the return value the length of the
 * stretch in it, which the caller now owns: it charges it or puts it into the lane. [hook] Also the waker, for READY. */
int64_t accounting_move(struct sampler *sampler, struct thread_data *data, enum rtop_thread_state state, int64_t now_ns,
                        enum rtop_thread_state *before);

static inline struct axis *accounting_axis(struct sampler *sampler, const struct thread_data *data,
                                           enum rtop_thread_state state)
{
  uint32_t pool = atomic_load_explicit(&data->pool, memory_order_relaxed);
  return &sampler->pools.entries[pool].axes[state];
}

/* Puts time into the lane; running time waits there for the end of its stretch. */
void accounting_add(struct sampler *sampler, struct thread_data *data, enum rtop_thread_state state, int64_t wall_ns);

/* Is there time in the lane whose point has come? It must be charged before more is added, or goes with it. */
bool accounting_behind(struct sampler *sampler, struct thread_data *data, enum rtop_thread_state state);

/* Charges that. Lock held. */
void accounting_settle(struct sampler *sampler, struct thread_data *data, enum rtop_thread_state state);

/* Whose it is, and how many samples that is worth. */
struct accounting_met {
  struct axis_point point;
  uint32_t samples;
};

/* All that is in this lane of the state, but for the last keep_ns, is that of what was met. Lock held. */
void accounting_charge_lane(struct sampler *sampler, struct thread_data *data, enum rtop_thread_state state,
                            struct lane *lane, const struct accounting_met *met, int64_t keep_ns);

/* CPU of waits whose stack was not known when they began is in the lane in one sum, though kinds of waits differ
 * (wait_cpu.h). Who is charged for wall_ns of it takes usual_ns, even if the lane has less, which then owes it, and a part of
 * what is too much or too little there, so that it evens out in ten seconds of such waits; what is left when the thread ends is
 * nobody's. -1, and nothing is taken, where usual_ns is: it is not known. Any thread. */
int64_t accounting_take_wait_cpu(struct lane *lane, int64_t wall_ns, int64_t usual_ns);

/* A point of the state's axis, not of running time, met this thread: charges what is in the lane but for the last
 * keep_ns, and tells the pool. Lock held. */
void accounting_point(struct sampler *sampler, struct thread_data *data, enum rtop_thread_state state,
                      struct axis_point point, int64_t keep_ns);

/* Adds a cell to the window that is open: what lies behind its end, to the next. `left_ns` of the thread's time in
 * that state is younger. False: there is no room. Lock held. */
bool accounting_charge(struct sampler *sampler, struct thread_data *data, const struct rtop_cell *cell,
                       int64_t left_ns);

/* Reads the thread's CPU clock at now_ns, which was just read, and splits what was used since the last reading among
 * the states in proportion to their wall time: first those on the GVL, what is left over to blocked. */
void accounting_read_cpu(struct thread_data *data, int64_t now_ns);

/* Of a stretch that ended just now: before the CPU clock is read, else what it used is taken for that of waits. */
void accounting_spent(struct thread_data *data, enum rtop_thread_state state, int64_t wall_ns);

/* The profiler's own work on this thread: begins when the thread's word was moved last, or later. When it ends that time,
 * but for GC that ran meanwhile, belongs to the profiler, and its CPU is the measured cost. */
struct accounting_own {
  int64_t begin_ns, not_own_ns;
};

static inline struct accounting_own accounting_begin_own(const struct thread_data *data)
{
  return (struct accounting_own){ .begin_ns = clock_now_ns(), .not_own_ns = data->not_own_ns };
}

/* The same from the event on to which the word was moved. */
static inline struct accounting_own accounting_begin_own_at_event(const struct sampler *sampler,
                                                                  const struct thread_data *data)
{
  if (atomic_load_explicit(&sampler->coarse, memory_order_relaxed)) return accounting_begin_own(data);
  return (struct accounting_own){
    .begin_ns = threads_since_ns(atomic_load_explicit(&data->word, memory_order_relaxed)),
    .not_own_ns = data->not_own_ns,
  };
}

/* Returns what it took of a core, which a thread that loses its core meanwhile does not pay for. */
int64_t accounting_end_own(struct sampler *sampler, struct thread_data *data, const struct accounting_own *own);

/* Hands that in, once per window and when it is much. Lock held. */
void accounting_flush_own(struct sampler *sampler, struct thread_data *data);

/* Blame and allocations up to now_ns, from when they were read last. */
void accounting_read_blame(struct sampler *sampler, struct thread_data *data, int64_t now_ns);
void accounting_read_allocations(struct sampler *sampler, struct thread_data *data);

/* May a stack be taken now, by what stacks cost lately? And what this one cost: `spared_ns` of it would have been spent
 * without it, too. Any thread. */
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

/* Takes the sampler's lock, after some microseconds at the most; else counts that a stack was dropped. */
bool accounting_try_lock(struct sampler *sampler);

/* The end of a stretch of one or two states with the same stack (blocked then waiting; or GC). */
struct accounting_stretch {
  enum rtop_thread_state states[2];
  int64_t wall_ns[2];
  bool known;     /* data->node is its stack already */
  bool cpu_known; /* of the first state, and this much: */
  int64_t cpu_ns;
};

/* CPU of waits. The clock is read before and after some, drawn by chance: what these took is what waits with their
 * stacks are taken for (wait_cpu.h), and all others get that. What they really took shows with the next reading, and
 * the difference goes to those that follow.
 *
 * A wait begins at now_ns, which was drawn and whose stack is known. */
void accounting_begin_wait(struct thread_data *data, int64_t now_ns);

/* The thread got the GVL at now_ns: what the wait took is what it is taken for. Until the thread is taken off its core,
 * CPU is wall time. */
void accounting_guess_wait(struct sampler *sampler, struct thread_data *data, int64_t now_ns,
                           struct accounting_stretch *stretch);

/* The same with a system call. What it used while it waited for the GVL counts for
 * the wait before, as far as that lasted; the rest is nobody's. All CPU before the wait was read. */
void accounting_read_wait(struct sampler *sampler, struct thread_data *data, int64_t now_ns,
                          struct accounting_stretch *stretch);
/* The stretch was told by accounting_spent() already. */
void accounting_end_stretch(struct sampler *sampler, struct thread_data *data,
                            const struct accounting_stretch *stretch);

#endif
