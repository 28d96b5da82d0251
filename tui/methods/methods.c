#include "methods.h"

#include "methods_impl.h"
#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

enum { METHODS_NONE = UINT32_MAX };

/* A call node that occurs in a thread's part of the sum, or is an ancestor of one. */
struct methods_node {
  uint32_t node;
  uint32_t first_child, next_sibling; /* indexes into touched */
  uint32_t next;                      /* child to visit next */
  bool outermost;                     /* no ancestor has the same frame: its total counts */
  struct rtop_cost cost;              /* its own, then with everything below */
};

struct methods_frame {
  uint32_t row;   /* index + 1 */
  uint32_t depth; /* how often it is on the path being walked */
  uint32_t seen;  /* epoch: counted for this thread's stack */
};

struct methods_scratch {
  uint32_t *index_of; /* by node: index + 1 into touched; all zero between threads */
  size_t node_capacity;
  struct methods_node *touched;
  size_t touched_count, touched_capacity;
  uint32_t *path; /* nodes being walked, root first */
  size_t path_capacity;
  struct methods_frame *frames; /* by frame */
  size_t frame_capacity;
  uint64_t *thread_wall; /* by row: wall of the thread at hand with it on its stack */
  size_t wall_capacity;
  uint32_t *timed_rows; /* those with thread_wall > 0 */
  size_t timed_count, timed_capacity;
  uint32_t epoch;
  struct methods_regex filter, thread_filter;
};

struct methods_build {
  struct rtop_methods *methods;
  struct methods_scratch *scratch;
  const struct rtop_symbols *symbols;
  const struct rtop_methods_options *options;
};

static struct rtop_method_row *methods_row(struct methods_build *build, uint32_t frame)
{
  struct rtop_methods *methods = build->methods;
  struct methods_scratch *scratch = build->scratch;
  struct methods_frame *entry = &scratch->frames[frame];
  if (entry->row) return &methods->rows[entry->row - 1];
  if (!rtop_reserve(&methods->rows, &methods->capacity, methods->count + 1, sizeof *methods->rows) ||
      !rtop_reserve(&scratch->thread_wall, &scratch->wall_capacity, methods->count + 1, sizeof *scratch->thread_wall) ||
      !rtop_reserve(&scratch->timed_rows, &scratch->timed_capacity, methods->count + 1, sizeof *scratch->timed_rows))
    return NULL;
  struct rtop_method_row *row = &methods->rows[methods->count++];
  *row = (struct rtop_method_row){ .frame = frame };
  scratch->thread_wall[methods->count - 1] = 0;
  entry->row = (uint32_t)methods->count;
  return row;
}

/* Index of the node and all its ancestors in touched; METHODS_NONE when memory ran out. Each node is
 * entered once per thread, so the cost is that of the nodes, not of the depths. */
static uint32_t methods_touch(struct methods_build *build, uint32_t node)
{
  struct methods_scratch *scratch = build->scratch;
  uint32_t child = METHODS_NONE, first = METHODS_NONE;
  for (;;) {
    uint32_t index = scratch->index_of[node];
    bool known = index != 0;
    if (!known) {
      if (!rtop_reserve(&scratch->touched, &scratch->touched_capacity, scratch->touched_count + 1,
                        sizeof *scratch->touched))
        return METHODS_NONE;
      scratch->touched[scratch->touched_count] =
          (struct methods_node){ .node = node, .first_child = METHODS_NONE, .next_sibling = METHODS_NONE };
      index = scratch->index_of[node] = (uint32_t)++scratch->touched_count;
    }
    struct methods_node *entry = &scratch->touched[index - 1];
    if (child != METHODS_NONE) {
      scratch->touched[child].next_sibling = entry->first_child;
      entry->first_child = child;
    }
    first = first == METHODS_NONE ? index - 1 : first;
    if (known || node == 0) return first;
    child = index - 1;
    node = rtop_symbols_get_node(build->symbols, node)->parent;
  }
}

static uint32_t methods_frame_of(const struct methods_build *build, const struct methods_node *entry)
{
  return rtop_symbols_get_node(build->symbols, entry->node)->frame;
}

static void methods_enter(struct methods_build *build, size_t depth, uint32_t index)
{
  struct methods_node *entry = &build->scratch->touched[index];
  build->scratch->path[depth] = index;
  entry->next = entry->first_child;
  entry->outermost = build->scratch->frames[methods_frame_of(build, entry)].depth++ == 0;
}

/* The subtree is complete: its total goes to the frame, once per stack, and to the parent. */
static bool methods_leave(struct methods_build *build, size_t depth)
{
  struct methods_scratch *scratch = build->scratch;
  struct methods_node *entry = &scratch->touched[scratch->path[depth]];
  uint32_t frame = methods_frame_of(build, entry);
  scratch->frames[frame].depth--;
  if (depth > 0) rtop_cost_add(&scratch->touched[scratch->path[depth - 1]].cost, &entry->cost);
  if (!entry->outermost || frame == 0) return true;
  struct rtop_method_row *row = methods_row(build, frame);
  if (!row) return false;
  rtop_cost_add(&row->total, &entry->cost);
  uint32_t index = (uint32_t)(row - build->methods->rows);
  uint64_t wall_ns = rtop_cost_wall(&entry->cost);
  if (wall_ns && !scratch->thread_wall[index]) scratch->timed_rows[scratch->timed_count++] = index;
  scratch->thread_wall[index] += wall_ns;
  return true;
}

/* Walks the touched tree of one thread from the root, children before parents are left. */
static bool methods_walk(struct methods_build *build)
{
  struct methods_scratch *scratch = build->scratch;
  size_t depth = 0;
  if (scratch->touched_count == 0) return true;
  if (!scratch->index_of[0]) /* memory ran out before the root was reached */
    return false;
  if (!rtop_reserve(&scratch->path, &scratch->path_capacity, scratch->touched_count, sizeof *scratch->path))
    return false;
  bool fine = true;
  methods_enter(build, 0, scratch->index_of[0] - 1);
  for (;;) {
    struct methods_node *entry = &scratch->touched[scratch->path[depth]];
    if (entry->next != METHODS_NONE) {
      uint32_t child = entry->next;
      entry->next = scratch->touched[child].next_sibling;
      methods_enter(build, ++depth, child);
      continue;
    }
    fine = methods_leave(build, depth) && fine;
    if (depth == 0) return fine;
    depth--;
  }
}

static bool methods_self(struct methods_build *build, const struct rtop_sum_cell *cell)
{
  uint32_t node = cell->node < rtop_symbols_node_count(build->symbols) ? cell->node : 0;
  uint32_t frame = rtop_symbols_get_node(build->symbols, node)->frame;
  uint32_t index = methods_touch(build, node);
  struct rtop_method_row *row = methods_row(build, frame);
  if (index == METHODS_NONE || !row) return false;
  rtop_cost_add(&build->scratch->touched[index].cost, &cell->cost);
  rtop_cost_add(&row->self, &cell->cost);
  /* Time that nobody has stands under the root, which is on every stack: that says nothing. */
  if (frame == 0) rtop_cost_add(&row->total, &cell->cost);
  return true;
}

/* Which methods are on the thread's stack at the end of the span. */
static void methods_stack(struct methods_build *build, const struct rtop_thread_row *thread)
{
  struct methods_scratch *scratch = build->scratch;
  scratch->epoch++;
  if (thread->ended) return;
  for (uint32_t node = thread->node; node != 0;) {
    const struct rtop_call_node *call = rtop_symbols_get_node(build->symbols, node);
    struct methods_frame *entry = &scratch->frames[call->frame];
    struct rtop_method_row *row = entry->seen == scratch->epoch ? NULL : methods_row(build, call->frame);
    entry->seen = scratch->epoch;
    if (row) row->threads++;
    node = call->parent < node ? call->parent : 0;
  }
}

static void methods_end_thread(struct methods_build *build)
{
  struct methods_scratch *scratch = build->scratch;
  for (size_t i = 0; i < scratch->touched_count; i++) scratch->index_of[scratch->touched[i].node] = 0;
  scratch->touched_count = 0;
  for (size_t i = 0; i < scratch->timed_count; i++) {
    struct rtop_method_row *row = &build->methods->rows[scratch->timed_rows[i]];
    uint64_t *wall_ns = &scratch->thread_wall[scratch->timed_rows[i]];
    row->most_ns = *wall_ns > row->most_ns ? *wall_ns : row->most_ns;
    *wall_ns = 0;
  }
  scratch->timed_count = 0;
}

static bool methods_threads(struct methods_build *build, const struct rtop_sum *sum)
{
  const struct methods_regex *regex = &build->scratch->thread_filter;
  bool fine = true;
  size_t at = 0;
  for (size_t i = 0; i < sum->thread_count; i++) {
    bool wanted =
        !sum->threads[i].hidden && (!regex->text || regexec(&regex->compiled, sum->threads[i].name, 0, NULL, 0) == 0);
    for (; at < sum->cell_count && sum->cells[at].thread == i; at++)
      if (wanted) fine = methods_self(build, &sum->cells[at]) && fine;
    if (!wanted) continue;
    fine = methods_walk(build) && fine;
    methods_stack(build, &sum->threads[i]);
    methods_end_thread(build);
  }
  return fine;
}

static uint64_t methods_clock(const struct rtop_cost *cost, enum rtop_mode mode)
{
  return mode == RTOP_MODE_CPU ? cost->cpu_ns : rtop_cost_wall(cost);
}

static bool methods_prepare(struct methods_build *build)
{
  struct methods_scratch *scratch = build->scratch;
  bool fine = methods_regex_use(&scratch->filter, build->options->filter);
  fine = methods_regex_use(&scratch->thread_filter, build->options->thread_filter) && fine;
  if (!rtop_reserve(&scratch->index_of, &scratch->node_capacity, rtop_symbols_node_count(build->symbols),
                    sizeof *scratch->index_of))
    return false;
  return rtop_reserve(&scratch->frames, &scratch->frame_capacity, rtop_symbols_frame_count(build->symbols),
                      sizeof *scratch->frames) &&
         fine;
}

bool rtop_methods_build(struct rtop_methods *methods, const struct rtop_sum *sum, const struct rtop_symbols *symbols,
                        const struct rtop_methods_options *options)
{
  if (!methods->scratch) methods->scratch = calloc(1, sizeof(struct methods_scratch));
  struct methods_build build = { methods, methods->scratch, symbols, options };
  if (methods->borrowed) {
    methods->rows = NULL;
    methods->capacity = 0;
    methods->borrowed = false;
  }
  methods->ranks = NULL;
  methods->count = 0;
  methods->length_ns = sum->length_ns;
  if (!methods->scratch || !methods_prepare(&build)) return false;
  bool fine = methods_threads(&build, sum);
  for (size_t i = 0; i < methods->count; i++) {
    struct rtop_method_row *row = &methods->rows[i];
    row->self_ns = methods_clock(&row->self, options->mode);
    row->total_ns = methods_clock(&row->total, options->mode);
    build.scratch->frames[row->frame].row = 0;
  }
  methods_filter(methods, symbols, options, &build.scratch->filter);
  rtop_methods_sort(methods, symbols, options);
  return fine;
}

void rtop_methods_destroy(struct rtop_methods *methods)
{
  struct methods_scratch *scratch = methods->scratch;
  if (scratch) {
    methods_regex_free(&scratch->filter);
    methods_regex_free(&scratch->thread_filter);
    free(scratch->index_of);
    free(scratch->touched);
    free(scratch->path);
    free(scratch->frames);
    free(scratch->thread_wall);
    free(scratch->timed_rows);
  }
  free(scratch);
  if (!methods->borrowed) free(methods->rows);
  *methods = (struct rtop_methods){ 0 };
}
