/* SPDX-License-Identifier: MIT */
/* Collapsed stacks for flame graphs: a line per stack. For calls: their self time, or their number if rows are
 * sorted by number. */
#include "export_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct collapsed {
  struct export_job *job;
  struct rtop_tree tree;
  uint64_t *before_ns; /* baseline time of each node of the tree, by node (ns) */
  size_t before_count;
  uint32_t *frames;
  size_t frame_capacity;
};

/* Writes a label. ';' separates frames and the last blank precedes the number; so ';' is replaced, and
   blanks may stay. */
static void collapsed_label(const char *label, FILE *out)
{
  for (size_t length; *label; label += length) {
    length = strcspn(label, ";");
    fwrite(label, 1, length, out);
    if (label[length]) {
      fputc(':', out);
      length++;
    }
  }
}

static bool collapsed_counts(const struct export_job *job)
{
  return job->given->calls && job->options.sort == RTOP_SORT_COUNT;
}

static bool collapsed_line(struct collapsed *work, uint32_t node, uint64_t before_ns, uint64_t after_ns)
{
  FILE *out = work->job->out;
  bool counts = collapsed_counts(work->job);
  uint64_t before_us = (before_ns + 500) / 1000, after_us = counts ? after_ns : (after_ns + 500) / 1000;
  if (before_us == 0 && after_us == 0) return true;
  size_t depth = export_path(&work->tree, node, &work->frames, &work->frame_capacity);
  if (depth == 0) return false;
  /* Where processes are shown separately, each stack has the process as its outermost frame. */
  uint32_t process = rtop_symbols_get(work->job->symbols, work->frames[0])->process;
  uint32_t nth = process >> RTOP_PROCESS_PID_BITS;
  if (process) fprintf(out, "process %" PRIu32, rtop_process_pid(process));
  if (nth) fprintf(out, "/%" PRIu32, nth + 1);
  if (process) fputc(';', out);
  while (depth > 0) {
    collapsed_label(rtop_symbols_get(work->job->symbols, work->frames[--depth])->label, out);
    if (depth) fputc(';', out);
  }
  if (work->job->differs) fprintf(out, " %" PRIu64, before_us);
  fprintf(out, " %" PRIu64 "\n", after_us);
  return true;
}

/* Builds the stacks of a sum. The tree keeps its ids between sums, so stacks of both sums are matched by id. */
static bool collapsed_build(struct collapsed *work, const struct rtop_sum *sum)
{
  struct rtop_methods_options all = { .mode = work->job->options.mode };
  return rtop_tree_build(&work->tree, sum, work->job->symbols, &all, false);
}

static bool collapsed_baseline(struct collapsed *work)
{
  if (!collapsed_build(work, &work->job->baseline)) return false;
  work->before_count = work->tree.count;
  work->before_ns = calloc(work->before_count, sizeof *work->before_ns);
  for (size_t i = 0; work->before_ns && i < work->tree.touched_count; i++) {
    uint32_t node = work->tree.touched[i];
    work->before_ns[node] = export_clock(work->job, &work->tree.nodes[node].self);
  }
  return work->before_ns;
}

static bool collapsed_lines(struct collapsed *work)
{
  const struct rtop_tree *tree = &work->tree;
  bool fine = true;
  for (uint32_t node = 0; fine && node < tree->count; node++) {
    uint64_t before_ns = node < work->before_count ? work->before_ns[node] : 0;
    bool has = rtop_tree_has(tree, node), counts = collapsed_counts(work->job);
    uint64_t after_ns = has ? export_clock(work->job, &tree->nodes[node].self) : 0;
    if (counts) after_ns = has ? tree->nodes[node].self.samples : 0;
    fine = collapsed_line(work, node, before_ns, after_ns) && export_goes_on(work->job);
  }
  return fine;
}

bool export_collapsed(struct export_job *job)
{
  struct collapsed work = { .job = job };
  bool fine =
      (!job->differs || collapsed_baseline(&work)) && collapsed_build(&work, &job->sum) && collapsed_lines(&work);
  rtop_tree_destroy(&work.tree);
  free(work.before_ns);
  free(work.frames);
  return fine;
}
