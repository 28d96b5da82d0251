/* SPDX-License-Identifier: MIT */
/* What the formats share: the sums that are written, and walking over their stacks. */
#ifndef RTOP_TUI_EXPORT_IMPL_H
#define RTOP_TUI_EXPORT_IMPL_H

#include "export.h"
#include "tui/trees/tree.h"

struct export_job {
  const struct rtop_export *given;
  struct rtop_symbols *symbols;
  struct rtop_methods_options options; /* of the tables; for stacks the filters are done and gone */
  struct rtop_sum sum, baseline;       /* what is left of them; in these symbols */
  bool differs;                        /* there is a baseline */
  FILE *out;
  int problem; /* why writing to it failed first; 0: it did not */
};

/* The clock that is asked for. */
static inline uint64_t export_clock(const struct export_job *job, const struct rtop_cost *cost)
{
  return rtop_tree_clock(cost, job->options.mode);
}

/* export_select.c: a copy of the cells that pass the filters, with totals of them, sorted as before. The
 * cells of threads are moved to `symbols` when they stand in others. False: memory ran out. */
bool export_select(struct rtop_sum *to, const struct rtop_sum *from, const struct rtop_symbols *from_symbols,
                   struct rtop_symbols *symbols, const struct rtop_methods_options *options);

/* export_walk.c: stacks merged by method, thread by thread, in the order of the sum. */
struct export_stack {
  uint32_t thread_index; /* in the sum */
  uint32_t node;         /* of the tree */
  struct rtop_cost cost; /* its own: self */
};
struct export_stacks {
  struct rtop_tree tree; /* of no thread any more, but with the ids of all */
  struct export_stack *list;
  size_t count, capacity;
  struct rtop_sum part; /* private: the thread at hand */
};
/* Those in which anything was spent. False: memory ran out; destroy in any case. */
bool export_stacks_build(struct export_stacks *stacks, const struct export_job *job, const struct rtop_sum *sum);
void export_stacks_destroy(struct export_stacks *stacks);

struct export_walk {
  const struct rtop_thread_row *thread;
  uint32_t thread_index;        /* in the sum */
  const uint32_t *frames;       /* of the stack, leaf first */
  size_t depth;                 /* at least 1 */
  const struct rtop_cost *cost; /* its own: self */
};
typedef bool export_visit(void *context, const struct export_walk *stack);
/* False: memory ran out, or visit said so. */
bool export_walk(const struct export_job *job, const struct rtop_sum *sum, export_visit *visit, void *context);
/* The frames from a node of a tree to its root, leaf first; a stack without frames has the root's. Returns
 * how many; 0: memory ran out. */
size_t export_path(const struct rtop_tree *tree, uint32_t node, uint32_t **frames, size_t *capacity);

/* export.c: what is left out of the given sum is left out of this one. */
void export_hide(const struct rtop_export *given, struct rtop_sum *sum);

/* export_table.c: the method table, each row with what it was in the baseline. Rows that only the baseline
 * has are there, too, with nothing now. */
struct export_method {
  struct rtop_method_row now, before;
};
struct export_table {
  struct export_method *methods;
  size_t count, capacity;
  double now_ns, before_ns; /* all of it by the clock: 100 % */
  bool traced;              /* some have exact figures */
};
/* False: memory ran out. */
bool export_table_build(struct export_table *table, const struct export_job *job, enum rtop_sort_key sort);
/* By how much the share of self or of total changed, the largest first. */
void export_table_sort_changes(struct export_table *table, bool total);
/* In percentage points. */
double export_table_change(const struct export_table *table, const struct export_method *method, bool total);
void export_table_destroy(struct export_table *table);

/* export_json.c: one quoted string; the rest of JSON is plain enough to be printed. With a key before it
 * and a comma before that, unless it is the first. */
void export_json_text(FILE *out, const char *text);
void export_json_key_text(FILE *out, bool first, const char *key, const char *text);

/* export_limit.c: a stream into another one, which stays open, that fails when it is given more than so many bytes.
 * *problem, 0 at first, becomes the errno of the first failure: EOVERFLOW is that one. NULL: errno says why. */
FILE *export_limit_open(FILE *out, uint64_t bytes_max, int *problem);
/* Writing on is of no use: whoever makes many pieces looks between them. */
static inline bool export_goes_on(const struct export_job *job)
{
  return !ferror(job->out);
}

/* One file each. False: memory ran out. Failures of `out` are seen by its error mark. */
#define FORMAT(id, name, ending, made_from, differences, labels, calls, function) bool function(struct export_job *job);
#include "formats.def"

#endif
