/* What tree.c and tree_live.c share. */
#ifndef RTOP_TUI_TREE_IMPL_H
#define RTOP_TUI_TREE_IMPL_H

#include "tree.h"
#include "tui/methods/methods_impl.h"

struct rtop_live;

enum { FRAME_UNKNOWN, FRAME_MATCHES, FRAME_DIFFERS };

struct tree_frame {  /* does the filter match it? */
  const char *label; /* as it was asked: names may be completed */
  uint8_t answer;
};

struct tree_scratch {
  uint32_t *of; /* by the symbols' node: own node + 1; 0: not merged yet */
  size_t of_capacity;
  uint32_t *slots;   /* hash of (parent, frame): node, 0: free */
  size_t slot_count; /* a power of two */
  uint32_t *path;    /* nodes on the way to the root */
  size_t path_capacity;
  struct tree_frame *frames;
  size_t frame_capacity;
  uint32_t *passed; /* by node: 2 * epoch, + 1 when the filter lets it pass */
  size_t passed_capacity;
  bool *wanted; /* by thread of the sum */
  size_t wanted_capacity;
  bool collapsed; /* calls inside a group were put together */
  bool follows;   /* a live sum, of which all is known up to this turn: */
  const struct rtop_live *live;
  uint64_t turn;
  uint64_t *cells; /* by node: of the live sum, in and below it */
  size_t cell_capacity;
  uint32_t *marked; /* nodes on stacks at the end of the span */
  uint32_t marked_count;
  size_t marked_capacity;
  struct methods_regex filter, thread_filter;
  char *filter_text; /* what `frames` answers */
};

struct tree_build {
  struct rtop_tree *tree;
  struct tree_scratch *scratch;
  const struct rtop_symbols *symbols;
  const struct rtop_methods_options *options;
};

/* The own node of a symbols' node, made when it is new. UINT32_MAX: memory ran out. */
uint32_t tree_of(struct tree_build *build, uint32_t node);
/* The node and what is above it are part of this sum from now on. */
bool tree_touch(struct rtop_tree *tree, uint32_t id);
/* Where the thread is at the end of the span. */
void tree_mark(struct tree_build *build, const struct rtop_thread_row *thread);
/* Children before parents: what is below goes up, and lists of children are made. */
void tree_sum(struct rtop_tree *tree);
bool tree_prepare(struct tree_build *build);

#endif
