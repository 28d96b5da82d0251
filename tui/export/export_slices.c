/* SPDX-License-Identifier: MIT */
/* Stacks of threads over time, as nested slices. */
#include "export_slices.h"

#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

enum { SLICES_WINDOWS_START = 1024 };

/* An open slice, which continues while state and method stay the same. */
struct slices_open {
  uint32_t node; /* node of the tree; at depth 0: the state */
  int64_t start_ns;
};

/* A slice that has ended, below a state that continues. */
struct slices_done {
  int64_t start_ns, end_ns;
  uint32_t depth, frame;
};

struct slices_thread {
  struct slices_open *open;
  size_t count, capacity;
  struct slices_done *done;
  size_t done_count, done_capacity;
  int64_t end_ns;        /* end of the last window that contains the thread */
  struct rtop_cost cost; /* since the state began */
};

struct slices {
  const struct export_job *job;
  struct rtop_tree tree; /* keeps its ids from window to window */
  struct rtop_sum window;
  struct rtop_sum part; /* one thread of it */
  size_t cell_capacity;
  struct slices_thread *threads; /* by row of the job's sum */
  uint32_t *row_of;              /* row + 1 of each thread, by thread id; 0: the thread is not wanted */
  uint32_t thread_bound;
  uint32_t *path; /* state, then nodes from the root */
  size_t path_count, path_capacity;
  export_slice_write *write;
  void *context;
};

static int slices_compare(const void *left, const void *right)
{
  const struct slices_done *a = left, *b = right;
  if (a->start_ns != b->start_ns) return a->start_ns < b->start_ns ? -1 : 1;
  return a->depth < b->depth ? -1 : a->depth > b->depth;
}

/* Passes on a state that has ended, then the slices below it, callers before callees. */
static void slices_hand_out(struct slices *slices, uint32_t row)
{
  struct slices_thread *thread = &slices->threads[row];
  struct export_slice slice = {
    .thread = &slices->job->sum.threads[row],
    .state = (enum rtop_state)thread->open[0].node,
    .start_ns = thread->open[0].start_ns,
    .end_ns = thread->end_ns,
    .cost = thread->cost,
  };
  slices->write(slices->context, &slice);
  if (thread->done_count) qsort(thread->done, thread->done_count, sizeof *thread->done, slices_compare);
  for (size_t i = 0; i < thread->done_count; i++) {
    const struct slices_done *done = &thread->done[i];
    slice.start_ns = done->start_ns;
    slice.end_ns = done->end_ns;
    slice.depth = done->depth;
    slice.frame = done->frame;
    slices->write(slices->context, &slice);
  }
  thread->done_count = 0;
  thread->cost = (struct rtop_cost){ 0 };
}

/* Ends all slices of a thread except the first `keep`, at the end of the last window that contains the thread. */
static bool slices_close(struct slices *slices, uint32_t row, size_t keep)
{
  struct slices_thread *thread = &slices->threads[row];
  while (thread->count > keep) {
    uint32_t depth = (uint32_t)--thread->count;
    if (depth == 0) {
      slices_hand_out(slices, row);
      break;
    }
    if (!rtop_reserve(&thread->done, &thread->done_capacity, thread->done_count + 1, sizeof *thread->done))
      return false;
    thread->done[thread->done_count++] = (struct slices_done){
      thread->open[depth].start_ns,
      thread->end_ns,
      depth,
      slices->tree.nodes[thread->open[depth].node].frame,
    };
  }
  return true;
}

static enum rtop_state slices_state(const struct rtop_cost *cost)
{
  int most = 0;
  for (int state = 1; state < RTOP_STATES; state++)
    if (cost->wall_ns[state] > cost->wall_ns[most]) most = state;
  return (enum rtop_state)most;
}

/* Returns the deepest node with more than half of the time: at most one child of a node has that much, so these nodes
   form a path. */
static uint32_t slices_deepest(const struct rtop_tree *tree)
{
  uint64_t all_ns = rtop_cost_wall(&tree->nodes[0].total);
  uint32_t deepest = 0;
  for (size_t i = 1; i < tree->touched_count; i++) {
    uint32_t node = tree->touched[i];
    if (rtop_cost_wall(&tree->nodes[node].total) * 2 > all_ns && tree->nodes[node].depth < EXPORT_SLICE_DEPTH_MAX &&
        tree->nodes[node].depth > tree->nodes[deepest].depth)
      deepest = node;
  }
  return deepest;
}

static bool slices_path(struct slices *slices, enum rtop_state state)
{
  uint32_t node = slices_deepest(&slices->tree);
  slices->path_count = slices->tree.nodes[node].depth + 1;
  if (!rtop_reserve(&slices->path, &slices->path_capacity, slices->path_count, sizeof *slices->path)) return false;
  for (size_t depth = slices->path_count; depth-- > 1; node = slices->tree.nodes[node].parent)
    slices->path[depth] = node;
  slices->path[0] = state;
  return true;
}

/* Closes slices that differ, and opens new ones. */
static bool slices_go_on(struct slices *slices, uint32_t row, const struct rtop_window_summary *window,
                         const struct rtop_cost *cost)
{
  struct slices_thread *thread = &slices->threads[row];
  size_t same = 0;
  if (thread->count && thread->end_ns != window->start_ns && !slices_close(slices, row, 0)) return false;
  while (same < thread->count && same < slices->path_count && thread->open[same].node == slices->path[same]) same++;
  if (!slices_close(slices, row, same) ||
      !rtop_reserve(&thread->open, &thread->capacity, slices->path_count, sizeof *thread->open))
    return false;
  for (; thread->count < slices->path_count; thread->count++)
    thread->open[thread->count] = (struct slices_open){ slices->path[thread->count], window->start_ns };
  thread->end_ns = window->end_ns;
  rtop_cost_add(&thread->cost, cost);
  return true;
}

static bool slices_part(struct slices *slices, size_t from, size_t to)
{
  struct rtop_sum *part = &slices->part;
  if (!rtop_reserve(&part->cells, &slices->cell_capacity, to - from, sizeof *part->cells)) return false;
  for (size_t i = from; i < to; i++) {
    part->cells[i - from] = slices->window.cells[i];
    part->cells[i - from].thread = 0;
  }
  part->cell_count = to - from;
  part->threads = &slices->window.threads[slices->window.cells[from].thread];
  part->thread_count = 1;
  return true;
}

static bool slices_window(struct slices *slices, const struct rtop_window_summary *window)
{
  struct rtop_methods_options all = { .mode = RTOP_MODE_WALL };
  const struct rtop_sum *sum = &slices->window;
  bool fine = true;
  for (size_t from = 0, to; fine && from < sum->cell_count; from = to) {
    for (to = from + 1; to < sum->cell_count && sum->cells[to].thread == sum->cells[from].thread; to++)
      ;
    const struct rtop_thread_row *thread = &sum->threads[sum->cells[from].thread];
    uint32_t row = thread->thread < slices->thread_bound ? slices->row_of[thread->thread] : 0;
    if (row == 0 || rtop_cost_wall(&thread->cost) == 0) continue;
    fine = slices_part(slices, from, to) &&
           rtop_tree_build(&slices->tree, &slices->part, slices->job->symbols, &all, false) &&
           slices_path(slices, slices_state(&thread->cost)) && slices_go_on(slices, row - 1, window, &thread->cost);
  }
  return fine;
}

bool export_sum_span(const struct export_job *job, struct rtop_span span, struct rtop_sum *sum)
{
  const struct rtop_export *given = job->given;
  if (!rtop_profile_sum(given->profile, span, sum)) return false;
  if (!given->options->filter && !rtop_lens_look(rtop_profile_lens(given->profile))->states) return true;
  struct rtop_sum filtered;
  bool fine = export_select(&filtered, sum, job->symbols, job->symbols, given->options);
  rtop_sum_destroy(sum);
  *sum = filtered;
  return fine;
}

static bool slices_open_threads(struct slices *slices)
{
  const struct rtop_sum *sum = &slices->job->sum;
  slices->thread_bound = rtop_profile_thread_bound(slices->job->given->profile);
  slices->threads = calloc(sum->thread_count + 1, sizeof *slices->threads);
  slices->row_of = calloc((size_t)slices->thread_bound + 1, sizeof *slices->row_of);
  if (!slices->threads || !slices->row_of) return false;
  for (size_t i = 0; i < sum->thread_count; i++)
    if (sum->threads[i].thread < slices->thread_bound && rtop_cost_wall(&sum->threads[i].cost))
      slices->row_of[sum->threads[i].thread] = (uint32_t)i + 1;
  return true;
}

static void slices_destroy(struct slices *slices)
{
  for (size_t i = 0; slices->threads && i < slices->job->sum.thread_count; i++) {
    free(slices->threads[i].open);
    free(slices->threads[i].done);
  }
  free(slices->threads);
  free(slices->row_of);
  free(slices->path);
  free(slices->part.cells);
  rtop_sum_destroy(&slices->window);
  rtop_tree_destroy(&slices->tree);
}

struct rtop_window_summary *export_windows(const struct export_job *job, size_t *count)
{
  struct rtop_window_summary *windows = NULL;
  size_t capacity = 0;
  do {
    if (!rtop_reserve(&windows, &capacity, capacity ? capacity * 2 : SLICES_WINDOWS_START, sizeof *windows)) {
      free(windows);
      return NULL;
    }
    *count = rtop_profile_windows(job->given->profile, job->sum.span, windows, capacity);
  } while (*count == capacity);
  return windows;
}

bool export_slices(const struct export_job *job, const struct rtop_window_summary *windows, size_t count,
                   export_slice_write *write, void *context)
{
  struct slices slices = { .job = job, .write = write, .context = context };
  bool fine = slices_open_threads(&slices);
  for (size_t i = 0; fine && i < count; i++)
    if (!windows[i].gap)
      fine = export_sum_span(job, (struct rtop_span){ windows[i].start_ns, windows[i].end_ns }, &slices.window) &&
             slices_window(&slices, &windows[i]) && export_goes_on(job);
  for (size_t i = 0; fine && i < job->sum.thread_count; i++) fine = slices_close(&slices, (uint32_t)i, 0);
  slices_destroy(&slices);
  return fine;
}
