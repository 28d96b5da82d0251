/* SPDX-License-Identifier: MIT */
/* Ends a window and begins the next one, in the order that the accounting of time requires. */
#include "cut.h"

#include "cut_labels.h"
#include "cut_locks.h"
#include "cut_pairs.h"
#include "cut_raised.h"
#include "cut_threads.h"
#include "cut_work.h"
#include "opening.h"
#include "ext/base/trylock.h"
#include "ext/base/vm_unknown.h"
#include "shm/base/clock.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define RSS_EVERY_NS (CLOCK_NS_PER_SECOND / 2 - CLOCK_NS_PER_SECOND / 20)
/* A window in which the process, without the publisher, used more than this share of a core is not quiet. */
#define QUIET_CPU_SHARE 50

enum { CPU_THREADS_PER_WINDOW = 500, CPU_WINDOWS_MAX = 8 };

void cut_init(struct cut *cut, struct sampler *sampler)
{
  struct sampler_counters *now = &sampler->counters;
  *cut = (struct cut){ .sampler = sampler };
  cut->baseline = (struct cut_baseline){
    .samples = atomic_load(&now->samples),
    .dropped = atomic_load(&now->dropped),
    .cost_ns = atomic_load(&now->cost_ns),
    .cpu_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID),
    .publisher_cpu_ns = clock_own_cpu_ns(),
  };
  cut->cpu.process_ns = cut->baseline.cpu_ns;
}

void cut_open(struct cut *cut, struct rtop_writer *writer, struct names_out *names, int64_t start_ns)
{
  cut->writer = writer;
  cut->names = names;
  cut->start_ns = start_ns;
  cut_threads_forget_slots(cut);
}

void cut_destroy(struct cut *cut)
{
  cut_rests_destroy(&cut->rests);
  rtop_window_destroy(&cut->window);
}

static void lock_sampler(struct sampler *sampler)
{
  while (!trylock_take_as(&sampler->lock, TRYLOCK_PUBLISHER)) sched_yield();
}

int64_t cut_announce(struct cut *cut, int64_t end_ns, int64_t step_ns)
{
  struct sampler *sampler = cut->sampler;
  lock_sampler(sampler);
  for (;;) {
    atomic_store(&sampler->boundary_ns, end_ns);
    /* The clock is read again, since the publisher may have lost its core here for a long time. */
    int64_t now = clock_now_ns();
    if (now < end_ns) break;
    end_ns = now + step_ns;
  }
  sampler->cut_pending = false;
  trylock_release(&sampler->lock);
  return end_ns;
}

void cut_end_at(struct cut *cut, int64_t off_ns)
{
  lock_sampler(cut->sampler);
  atomic_store(&cut->sampler->boundary_ns, off_ns);
  cut->sampler->cut_pending = false;
  trylock_release(&cut->sampler->lock);
}

/* Swaps the cells under the lock and returns the cells of the window that ends; from now on, threads add to the cells
 * of the next window. */
static struct cells *swap_cells(struct cut *cut, int64_t end_ns)
{
  struct sampler *sampler = cut->sampler;
  lock_sampler(sampler);
  cut_labels_name(cut);
  cut_work_name(cut);
  cut_pairs_name(cut);
  struct cells *full = sampler->open;
  sampler->open = full == &sampler->cells[0] ? &sampler->cells[1] : &sampler->cells[0];
  sampler->cut_pending = true;
  atomic_store(&sampler->boundary_ns, end_ns);
  atomic_fetch_add(&sampler->window, cut->windows);
  trylock_release(&sampler->lock);
  return full;
}

/* Reads the resident size. Opens the file anew each time, because an application that closes all descriptors could give
 * a kept descriptor's number to another file. */
static uint64_t read_rss_bytes(void)
{
  char text[128];
  unsigned long size, resident;
  opening_read_file("/proc/self/statm", text, sizeof text);
  if (sscanf(text, "%lu %lu", &size, &resident) != 2) return 0;
  return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Reads the resident size only twice a second: the reading is a good part of a window's cost, and memory changes
 * slowly. */
static uint64_t rss_bytes(struct cut *cut)
{
  int64_t end = cut->window.end_mono_ns;
  if (!cut->rss_read_ns || end - cut->rss_read_ns >= RSS_EVERY_NS) {
    cut->rss_bytes = read_rss_bytes();
    cut->rss_read_ns = end;
  }
  return cut->rss_bytes;
}

static void set_change(struct rtop_window *window, enum rtop_counter_id id, uint64_t now, uint64_t *before)
{
  rtop_window_set_counter(window, id, now > *before ? now - *before : 0);
  *before = now;
}

static void set_clock_change(struct rtop_window *window, enum rtop_counter_id id, int64_t now, int64_t *before)
{
  rtop_window_set_counter(window, id, now > *before ? (uint64_t)(now - *before) : 0);
  *before = now;
}

/* Returns the CPU time in ns that the window's cells and the publisher account for. */
static int64_t told_cpu_ns(const struct rtop_window *window)
{
  uint64_t told = window->counters[RTOP_COUNTER_PUBLISHER_CPU_NS];
  for (size_t i = 0; i < window->cell_count; i++) told += window->cells[i].cpu_ns;
  for (size_t i = 0; i < window->late_count; i++) told += window->late[i].cell.cpu_ns;
  return (int64_t)told;
}

/* Adds the CPU time of the process. The kernel computes it as a sum over all threads, which is slow for thousands of
 * threads; with many threads, therefore, only some windows read it. A window without a reading reports the CPU time
 * known from its cells; the window with the next reading reports the remainder, so the sum never exceeds the actual CPU
 * time. */
static void add_cpu(struct cut *cut)
{
  struct cut_cpu *cpu = &cut->cpu;
  struct rtop_window *window = &cut->window;
  uint32_t every = atomic_load(&cut->sampler->threads.high) / CPU_THREADS_PER_WINDOW;
  int64_t *before = &cut->baseline.cpu_ns, told = told_cpu_ns(window);
  cpu->unread += cut->windows;
  if (cpu->unread >= (every < CPU_WINDOWS_MAX ? every : CPU_WINDOWS_MAX)) cpu->unread = 0;
  if (!cpu->unread) {
    int64_t now = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
    cpu->used_ns = now - cpu->process_ns;
    cpu->process_ns = now;
    told = now > *before ? now - *before : 0;
  }
  rtop_window_set_counter(window, RTOP_COUNTER_CPU_NS, (uint64_t)told);
  *before += told;
}

/* Takes the baseline of the counters from the latest start of the hooks: the program may have run for a while before
 * the publisher notices the start. */
static void follow_start(struct cut *cut)
{
  uint32_t starts = atomic_load_explicit(&cut->sampler->starts, memory_order_acquire);
  if (starts == cut->starts) return;
  const struct sampler_start *start = &cut->sampler->start;
  cut->starts = starts;
  cut->baseline.exceptions = start->exceptions;
  cut->baseline.gc_minor = start->gc_minor;
  cut->baseline.gc_major = start->gc_major;
  cut->baseline.allocations = start->allocations;
}

static void tell_unknown(struct rtop_window *window)
{
  uint64_t bits = vm_unknown_bits();
  if (bits) rtop_window_set_counter(window, RTOP_COUNTER_VM_UNKNOWN, bits);
}

static void add_counters(struct cut *cut)
{
  follow_start(cut);
  struct rtop_window *window = &cut->window;
  struct sampler_counters *now = &cut->sampler->counters;
  struct cut_baseline *before = &cut->baseline;
  set_change(window, RTOP_COUNTER_SAMPLES, atomic_load(&now->samples), &before->samples);
  set_change(window, RTOP_COUNTER_SAMPLES_DROPPED, atomic_load(&now->dropped), &before->dropped);
  set_change(window, RTOP_COUNTER_COST_NS, atomic_load(&now->cost_ns), &before->cost_ns);
  window->counters[RTOP_COUNTER_COST_NS] += cut->rest_cost_ns;
  cut->rest_cost_ns = 0;
  rtop_window_set_counter(window, RTOP_COUNTER_GVL_RELEASES, cut->releases);
  rtop_window_set_counter(window, RTOP_COUNTER_GVL_COARSE, cut->coarse_releases);
  set_change(window, RTOP_COUNTER_EXCEPTIONS, atomic_load(&now->exceptions), &before->exceptions);
  set_change(window, RTOP_COUNTER_GC_MINOR, atomic_load(&now->gc_minor), &before->gc_minor);
  set_change(window, RTOP_COUNTER_GC_MAJOR, atomic_load(&now->gc_major), &before->gc_major);
  set_change(window, RTOP_COUNTER_ALLOCATIONS, atomic_load(&now->allocations), &before->allocations);
  rtop_window_set_counter(window, RTOP_COUNTER_HEAP_LIVE_SLOTS, atomic_load(&now->heap_live_slots));
  rtop_window_set_counter(window, RTOP_COUNTER_MALLOC_BYTES, atomic_load(&now->malloc_bytes));
  rtop_window_set_counter(window, RTOP_COUNTER_RSS_BYTES, rss_bytes(cut));
  set_clock_change(window, RTOP_COUNTER_PUBLISHER_CPU_NS, clock_own_cpu_ns(), &before->publisher_cpu_ns);
  add_cpu(cut);
  tell_unknown(window);
}

static uint64_t change(uint64_t now, uint64_t *before)
{
  uint64_t difference = now - *before;
  *before = now;
  return difference;
}

/* Counts everything that was lost in the window. */
static void count_losses(struct cut *cut, const struct cells *cells)
{
  struct sampler *sampler = cut->sampler;
  struct cut_baseline *before = &cut->baseline;
  struct rtop_losses losses = {
    .samples_dropped = cut->window.counters[RTOP_COUNTER_SAMPLES_DROPPED],
    .nodes_overflowed = change(atomic_load(&sampler->tree.overflowed), &before->nodes_overflowed),
    .frames_overflowed = change(atomic_load(&sampler->frames.overflowed), &before->frames_overflowed),
    .threads_overflowed = change(atomic_load(&sampler->threads.untracked), &before->threads_untracked),
    .windows_folded = cells->folded > 0,
    .labels_overflowed = change(atomic_load(&sampler->labels.overflowed), &before->labels_overflowed),
  };
  rtop_writer_count_losses(cut->writer, &losses);
}

bool cut_window(struct cut *cut, int64_t end_ns, bool last)
{
  struct rtop_window *window = &cut->window;
  rtop_window_reset(window);
  window->start_mono_ns = cut->start_ns;
  window->end_mono_ns = end_ns;
  cut->windows = cut->meant_long ? strata_windows_in(end_ns - cut->start_ns) : 1;
  cut->start_ns = end_ns;
  cut->releases = cut->coarse_releases = 0;
  cut_rests_begin(cut);
  /* Ended threads are marked before the cells are swapped, so that all their cells are in this window. */
  cut_threads_note_ended(cut, end_ns);
  cut_work_take(cut);
  cut_pairs_take(cut);
  struct cells *cells = swap_cells(cut, end_ns);
  names_out_update(cut->names, &cut->sampler->frames, &cut->sampler->tree, cut->writer);
  bool complete = cut_threads_charge(cut, cells, last);
  cut_threads_update_nodes(cut);
  cut_locks_add(cut);
  complete = complete && cut_threads_add_cells(cut, cells) && cut_labels_add(cut) && cut_work_add(cut, last) &&
             cut_pairs_add(cut) && cut_threads_add_fibers(cut);
  add_counters(cut);
  cut_threads_compare_cpu(cut);
  complete = complete && cut_raised_add(cut, last);
  cut_threads_count_fibers(cut);
  count_losses(cut, cells);
  cells_clear(cells);
  cut_threads_remove_ended(cut);
  return complete;
}

static bool is_quiet_row(const struct rtop_window_thread *row)
{
  bool owned =
      row->lock_kind == RTOP_LOCK_MUTEX || row->lock_kind == RTOP_LOCK_MONITOR || row->lock_kind == RTOP_LOCK_LOAD;
  return row->state == RTOP_BLOCKED && !row->flags && !owned;
}

bool cut_is_quiet(const struct cut *cut)
{
  const struct rtop_window *window = &cut->window;
  if (window->late_count || window->mark_count || window->begun_count || window->fibers_count || window->exact_count ||
      window->slow_count || window->raised_count || window->pair_count)
    return false;
  uint64_t length = (uint64_t)(window->end_mono_ns - window->start_mono_ns);
  uint64_t own = window->counters[RTOP_COUNTER_PUBLISHER_CPU_NS], cpu = window->counters[RTOP_COUNTER_CPU_NS];
  if (cpu > own + length / QUIET_CPU_SHARE) return false;
  for (size_t i = 0; i < window->thread_count; i++)
    if (!is_quiet_row(&window->threads[i])) return false;
  for (size_t i = 0; i < window->cell_count; i++)
    if (window->cells[i].state != RTOP_BLOCKED) return false;
  return true;
}
