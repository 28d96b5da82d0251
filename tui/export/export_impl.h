/* SPDX-License-Identifier: MIT */
/* Shared by the formats: the sums to write, and walks over their stacks. */
#ifndef RTOP_TUI_EXPORT_IMPL_H
#define RTOP_TUI_EXPORT_IMPL_H

#include "export.h"
#include "tui/trees/tree.h"

struct export_job {
  const struct rtop_export *given;
  struct rtop_symbols *symbols;
  struct rtop_methods_options options; /* options for tables; for stacks the filters have already been applied */
  struct rtop_sum sum, baseline;       /* the filtered sums, with ids of `symbols` */
  bool differs;                        /* there is a baseline */
  FILE *out;
  int problem; /* errno of the first failed write; 0: none */
};

/* The clock that is asked for. */
static inline uint64_t export_clock(const struct export_job *job, const struct rtop_cost *cost)
{
  return rtop_tree_clock(cost, job->options.mode);
}

/* export_select.c: copies the cells that pass the filters, with their totals, in the same order; translates their ids
 * to `symbols` if they are those of other symbols. False: memory ran out. */
bool export_select(struct rtop_sum *to, const struct rtop_sum *from, const struct rtop_symbols *from_symbols,
                   struct rtop_symbols *symbols, const struct rtop_methods_options *options);

/* export_walk.c: stacks merged by method, thread by thread, in the order of the sum. */
struct export_stack {
  uint32_t thread_index; /* in the sum */
  uint32_t node;         /* of the tree */
  struct rtop_cost cost; /* its own: self */
};
struct export_stacks {
  struct rtop_tree tree; /* tree of all threads, without costs, for the ids of its nodes */
  struct export_stack *list;
  size_t count, capacity;
  struct rtop_sum part; /* private: the thread at hand */
};
/* Builds the stacks that have a cost. False: memory ran out; the stacks must be destroyed in any case. */
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
/* Visits all stacks. False: memory ran out, or visit returned false. */
bool export_walk(const struct export_job *job, const struct rtop_sum *sum, export_visit *visit, void *context);
/* Writes the frames from a node of the tree to its root, leaf first; for a stack without frames, the root's frame.
 * Returns their number; 0: memory ran out. */
size_t export_path(const struct rtop_tree *tree, uint32_t node, uint32_t **frames, size_t *capacity);

/* export.c: hides the threads in `sum` that are hidden in the given sum. */
void export_hide(const struct rtop_export *given, struct rtop_sum *sum);

/* export_table.c: the method table, each row with its baseline. Rows that only exist in the baseline are included,
 * with empty present figures. */
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
/* Sorts by the change of the share of self or total, largest first. */
void export_table_sort_changes(struct export_table *table, bool total);
/* In percentage points. */
double export_table_change(const struct export_table *table, const struct export_method *method, bool total);
void export_table_destroy(struct export_table *table);

/* export_json.c: writes a quoted string; other parts of JSON are simple enough for printf. export_json_key_text() also
 * writes a key before the string, and a comma before the key unless it is the first. */
void export_json_text(FILE *out, const char *text);
void export_json_key_text(FILE *out, bool first, const char *key, const char *text);

/* export_limit.c: opens a stream that writes into another one, which stays open, and fails after bytes_max bytes.
 * *problem, 0 at first, becomes the errno of the first failure, EOVERFLOW for the limit. NULL: errno says why. */
FILE *export_limit_open(FILE *out, uint64_t bytes_max, int *problem);
/* Is further writing useful? Formats that write many pieces check this between pieces. */
static inline bool export_goes_on(const struct export_job *job)
{
  return !ferror(job->out);
}

/* The functions that write the formats, one file each. False: memory ran out. Errors of `out` are in its error flag. */
#define FORMAT(id, name, ending, made_from, differences, labels, calls, function) bool function(struct export_job *job);
#include "formats.def"

#endif
